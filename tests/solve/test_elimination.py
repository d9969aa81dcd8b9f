"""Couplings that are eliminated say the same as couplings that are rows, with fewer unknowns."""

from dataclasses import replace

import mujoco
import numpy as np
import pytest

from linkages.planar import five_bar, five_bar_solution
from linkages.robots import panda
from linkages.spatial import summing_differential
from robocompiler import Coupling, Leader, assemble, curvature, follow, mobility, reduce
from robocompiler.compiler.compile import compile_mechanism
from robocompiler.compiler.rows import linearize
from robocompiler.compiler.steps import step
from robocompiler.errors import CouplingError
from robocompiler.solve.describe import coordinates
from robocompiler.solve.reduction.curvature import lift_rate
from robocompiler.write.write import write

RATIO = -0.5


def geared_five_bar(ratio=RATIO):
    """A five-bar whose right crank is geared to its left one: mobility 1."""
    drawn = five_bar(angles=(2.0, 1.0))
    gear = Coupling(
        name="gear",
        follower="E",
        leaders=(Leader(coordinate="A", ratio=ratio),),
        offset=1.0 - ratio * 2.0,
    )
    return replace(drawn, couplings=(gear,))


def both(mechanism):
    return [compile_mechanism(mechanism, eliminate_couplings=e) for e in (False, True)]


def closed(compiled, values=None):
    return coordinates(compiled, assemble(compiled, values))


def test_an_eliminated_gear_has_one_row_and_one_unknown_less():
    kept, fewer = both(geared_five_bar())
    rows = [linearize(c, closed(c)).residual.size for c in (kept, fewer)]
    assert rows[0] == rows[1] + 1
    assert len(kept.movable) == len(fewer.movable) + 1
    assert mobility(fewer, closed(fewer)).generic == mobility(kept, closed(kept)).generic == 1


def test_a_geared_five_bar_follows_its_closed_form():
    _, compiled = both(geared_five_bar())
    crank = np.linspace(2.0, 2.6, 40)
    motion = follow(compiled, {"A": crank})
    geared = RATIO * (crank - 2.0) + 1.0
    np.testing.assert_allclose(motion.of("E"), geared, rtol=0, atol=1e-15)
    bars = (0.3, 0.2, 0.35, 0.4, 0.25)
    exact = [five_bar_solution(bars, (a, e))[0] - a for a, e in zip(crank, geared, strict=True)]
    np.testing.assert_allclose(motion.of("B"), exact, rtol=0, atol=1e-13)


@pytest.mark.parametrize("build", [geared_five_bar, summing_differential])
def test_lift_curvature_and_their_rate_are_those_of_kept_rows(build):
    kept, fewer = both(build())
    q = closed(kept)
    np.testing.assert_allclose(closed(fewer), q, rtol=0, atol=1e-14)
    eliminated = reduce(fewer, q)
    other = reduce(kept, q, eliminated.names)
    assert eliminated.names == other.names
    np.testing.assert_allclose(eliminated.E, other.E, rtol=0, atol=1e-13)
    v = other.E @ np.linspace(0.5, -0.7, other.E.shape[1])
    for by in (curvature, lambda c, q, v, r: lift_rate(r, v)):
        np.testing.assert_allclose(
            by(fewer, q, v, eliminated), by(kept, q, v, other), rtol=0, atol=1e-12
        )


def test_followers_go_with_their_leaders_however_far_down_the_chain():
    _, compiled = both(summing_differential())
    q = closed(compiled)
    names = [t.edge.joint.name for t in compiled.tree]
    delta = np.zeros(compiled.nv)
    delta[names.index("left")], delta[names.index("right")] = 0.2, -0.6
    delta[names.index("planet")] = 99.0  # whatever is asked of a follower
    moved = step(compiled, q, delta) - q
    expected = {"left": 0.2, "right": -0.6, "cage": -0.2, "planet": 0.4, "pinion": -0.2 * 3.5}
    np.testing.assert_allclose(moved, [expected[n] for n in names], rtol=0, atol=1e-15)


def test_the_pandas_fingers_are_one_unknown_once_their_coupling_is_eliminated():
    """Acceptance 3.1: 14 unknowns with the tool's six, 8 independents."""
    compiled = compile_mechanism(panda(tool=True), eliminate_couplings=True)
    reduction = reduce(compiled, closed(compiled))
    assert (len(compiled.movable) + 6, reduction.rank, len(reduction.names)) == (14, 0, 8)


def test_a_simulator_is_told_of_couplings_that_are_eliminated_here(tmp_path):
    kept, fewer = both(summing_differential())
    there = assemble(fewer, {"left": 0.8, "right": -0.2})
    models = []
    for name, compiled in (("kept", kept), ("fewer", fewer)):
        write(compiled, tmp_path / f"{name}.xml", there)
        models.append(mujoco.MjModel.from_xml_path(str(tmp_path / f"{name}.xml")))
    assert [model.ntendon for model in models] == [3, 3]
    np.testing.assert_allclose(models[1].qpos0, models[0].qpos0, rtol=0, atol=1e-15)


def test_a_configuration_that_is_off_an_eliminated_coupling_is_not_written(tmp_path):
    _, compiled = both(summing_differential())
    found = assemble(compiled)
    off = replace(found, values=tuple((n, (x + (n == "pinion"),)) for n, (x,) in found.values))
    with pytest.raises(CouplingError, match=r"'final drive' is off by 57.3°"):
        write(compiled, tmp_path / "off.xml", off)
    rounded = tuple((n, (round(x, 4),)) for n, (x,) in found.values)
    write(compiled, tmp_path / "rounded.xml", replace(found, values=rounded))
