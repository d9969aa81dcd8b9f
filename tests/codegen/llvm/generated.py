"""Kernels as machine code for tests, on this processor and as on one that has next to nothing."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from robocompiler.codegen.graph import Graph
from robocompiler.codegen.kernels import Straight
from robocompiler.codegen.llvm import calls, jit

needs_llvm = pytest.mark.skipif(not jit.available(), reason="llvmlite is not installed")
WAYS = ["1", "2", "4", "8", "2 on a processor without AVX and FMA", "1 on such a one"]
"""How many lanes."""
every_way = pytest.mark.parametrize("way", WAYS)


@cache
def library(make, way="1"):
    """What a function makes, a kernel, as a library."""
    target = jit.this_machine()
    if "on" in way:
        if not target.triple.startswith("x86_64"):
            pytest.skip("there are no such processors of this kind")
        target = replace(target, processor="x86-64", features="", fused=False)
    return jit.load(lambda: ([make()], {}), lanes=int(way.split()[0]), target=target, kept=False)


def straight(make, x, way="1"):
    """The results of a straight kernel at states, shape (inputs, states)."""
    built = library(make, way)
    ((name, outline),) = built.outlines.items()
    x = np.array(x, dtype=float, order="C")
    y = np.zeros((outline.results, x.shape[1]))
    table = np.concatenate([np.arange(outline.inputs), np.arange(outline.results)])[None]
    assert calls.over_states(built, name, x=x, y=y, table=table)() == 0
    return y


def iterated(make, x, settings, way="1", states=None):
    """x, y, status and how many failed, of one instance whose rows are in order."""
    built = library(make, way)
    ((name, outline),) = built.outlines.items()
    x = np.array(x, dtype=float, order="C")
    y = np.full((outline.results, x.shape[1]), -77.0)
    status = np.full((1, x.shape[1]), -77, dtype=np.int32)
    table = np.concatenate([np.arange(outline.inputs), np.arange(outline.results)])[None]
    failed = calls.over_states(
        built, name, x=x, y=y, table=table, status=status, settings=settings, states=states
    )()
    return x, y, status[0], failed


def of(count, *results):
    """A function that makes a straight kernel of functions of an array of symbols."""

    def make():
        graph = Graph()
        x = graph.inputs("x", count)
        found = tuple(result(x) for result in results)
        return Straight(name="made", graph=graph, inputs=count, results=found)

    return make
