"""Closed mechanisms by name, with their mobility, for tests of what holds on every one of them."""

import numpy as np

from linkages.many_loops import scissor_lift
from linkages.overconstrained import bennett, bricard, sarrus
from linkages.planar import (
    GRASHOF,
    braced_parallelogram,
    crank_range,
    five_bar,
    four_bar_of,
    slider_crank,
)
from linkages.spatial import delta
from linkages.stewart import stewart, task_pose
from mechanisms import open_chain_loop
from robocompiler.compiler.compile import compile_mechanism
from robocompiler.model.joint_kinds import JointKind
from robocompiler.solve.continuation.corrector import close_module, module_speeds
from robocompiler.solve.state import starting_coordinates

LENGTHS = tuple(f"leg {i} length" for i in range(6))
# A free joint makes no closure.
KINDS = [kind for kind in JointKind if kind is not JointKind.FREE]
KIND_OF_CUT = {kind.value: kind for kind in KINDS}


def within(bars):
    """A crank angle a third of the way through its range."""
    low, high = crank_range(bars)
    return low + (high - low) / 3.0


MECHANISMS = {
    **{name: (lambda b=b: four_bar_of(b, within(b)), 1) for name, b in GRASHOF.items()},
    "slider-crank": (slider_crank, 1),
    "five-bar": (five_bar, 2),
    "Bennett": (bennett, 1),
    "Bricard": (bricard, 1),
    "Sarrus": (sarrus, 1),
    "braced parallelogram": (braced_parallelogram, 1),
    "scissor lift": (scissor_lift, 1),
    "delta": (delta, 9),
    "Stewart": (lambda: stewart(task_pose(5.7)), 6),
    "Stewart, universal": (lambda: stewart(task_pose(5.7), kind="universal"), 6),
    "Stewart, balls": (lambda: stewart(task_pose(5.7), kind="ball"), 12),
    "Stewart, chart": (lambda: stewart(task_pose(5.7), chart=True), 6),
}


def made(name):
    if name in KIND_OF_CUT:
        kind = KIND_OF_CUT[name]
        return closed(open_chain_loop(kind, reverse=True), {kind})
    return closed(MECHANISMS[name][0]())


def compiled_at(mechanism, cut=None):
    """Cut at joints of these kinds; where that is `FIXED`, at the joint that is called `cut`."""
    if cut is not None and JointKind.FIXED in cut:
        return compile_mechanism(mechanism, cuts=["cut"])
    return compile_mechanism(mechanism, cut)


def closed(mechanism, cut=None):
    """Compiled and closed; `cut` holds the kinds that may be cut."""
    compiled = compiled_at(mechanism, cut)
    q = starting_coordinates(compiled)
    for module in compiled.modules:
        q = close_module(compiled, q, module, module_speeds(compiled, module)).q
    return compiled, q


def moving(reduction, seed=3, fast=1.0):
    u = np.random.default_rng(seed).uniform(-fast, fast, len(reduction.independent))
    return u, reduction.E @ u
