"""Variants close in their records' own geometry, and move as it says; so does what is only
written down otherwise, which moves as before.
"""

from __future__ import annotations

import numpy as np
import pytest
from closure_figures.judged import records_lift, reduced_mass

from linkages.excavator import JOINT_SPACE
from linkages.oracle import standing_at
from linkages.robots import go2
from linkages.variants import excavator_variants, go2_variants
from robocompiler.compiler.compile import compile_mechanism
from robocompiler.solve.assembly.assemble import assemble
from robocompiler.solve.describe import coordinates
from robocompiler.solve.reduction.reduce import reduce
from robocompiler.solve.state import starting_coordinates

EXCAVATORS = excavator_variants()
SAME = ("record order", "joint storage", "opaque names", "body frames")
FEET = ("FL", "RR")


def reduced(written):
    mechanism, called = written
    compiled = compile_mechanism(mechanism)
    q = coordinates(compiled, assemble(compiled, tolerance=(0.05, 0.5)))
    return reduce(compiled, q, [called.get(name, name) for name in JOINT_SPACE])


def by_name(reduction, called):
    """What each joint's speed is of every independent one."""
    names = {now: name for name, now in called.items()}
    tree = reduction.compiled.tree
    joints = [names.get(t.edge.joint.name, t.edge.joint.name) for t in tree]
    return dict(zip(joints, reduction.E, strict=True))


@pytest.mark.parametrize("name", EXCAVATORS)
def test_an_excavator_moves_as_the_loops_of_its_records_do(name):
    reduction = reduced(EXCAVATORS[name])
    standing = standing_at(reduction.compiled, reduction.q)
    assert max(standing.gaps) < 1e-13
    E, settled = records_lift(reduction.compiled, standing, reduction.independent)
    assert settled
    np.testing.assert_allclose(reduction.E, E, rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", SAME)
def test_an_excavator_written_down_otherwise_moves_and_weighs_the_same(name):
    nominal, other = reduced(EXCAVATORS["nominal"]), reduced(EXCAVATORS[name])
    meant, found = by_name(nominal, {}), by_name(other, EXCAVATORS[name][1])
    for joint in set(meant) & set(found):
        np.testing.assert_allclose(found[joint], meant[joint], rtol=0, atol=1e-12)
    assert len(set(meant) & set(found)) > 7
    masses = [reduced_mass(r.compiled, r) for r in (nominal, other)]
    np.testing.assert_allclose(masses[1], masses[0], rtol=1e-10, atol=1e-10 * np.max(masses[0]))


def test_a_larger_excavator_turns_alike_and_weighs_by_the_square():
    nominal, other = reduced(EXCAVATORS["nominal"]), reduced(EXCAVATORS["scale 1.05"])
    masses = [reduced_mass(r.compiled, r) for r in (nominal, other)]
    np.testing.assert_allclose(masses[1], 1.05**2 * masses[0], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", go2_variants(FEET))
def test_go2_stands_on_the_feet_of_every_variant(name):
    mechanism, _ = go2_variants(FEET)[name](go2(FEET, chart=True))
    compiled = compile_mechanism(mechanism)
    q = starting_coordinates(compiled)
    assert standing_at(compiled, q).gaps[0] < 1e-14
    reduction = reduce(compiled, q)
    standing = standing_at(compiled, q)
    E, settled = records_lift(compiled, standing, reduction.independent)
    assert settled
    np.testing.assert_allclose(reduction.E, E, rtol=0, atol=1e-12)
