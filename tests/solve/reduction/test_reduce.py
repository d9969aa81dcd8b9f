import numpy as np
import pytest

from closed_mechanisms import KIND_OF_CUT, LENGTHS, MECHANISMS, closed, made, moving
from linkages.drawing import Drawing, axis, rounded
from linkages.overconstrained import bennett, sarrus
from linkages.planar import five_bar
from linkages.stewart import stewart, task_pose, variants
from robocompiler.compiler.compile import compile_mechanism
from robocompiler.compiler.rows import linearize
from robocompiler.compiler.steps import step
from robocompiler.errors import BadValueError, NotClosedError
from robocompiler.model.mechanism import WORLD
from robocompiler.solve.continuation.corrector import close_module, module_speeds
from robocompiler.solve.mass import body_columns, mass_matrix
from robocompiler.solve.mobility.mobility import mobility
from robocompiler.solve.reduction.curvature import curvature, lift_rate, transfer_rate
from robocompiler.solve.reduction.reduce import reduce
from robocompiler.solve.reduction.sensitivity import sensitivity
from robocompiler.solve.state import evaluate, starting_coordinates


@pytest.mark.parametrize("name", MECHANISMS)
def test_the_lift_moves_no_row_redundant_ones_included(name):
    compiled, q = made(name)
    reduction = reduce(compiled, q)
    assert reduction.E.shape == (compiled.nv, MECHANISMS[name][1])
    assert reduction.rank == compiled.nv - MECHANISMS[name][1]
    assert reduction.condition > 1e-3
    own = reduction.E[list(reduction.independent)]
    np.testing.assert_array_equal(own, np.eye(len(own)))
    size = max(1.0, np.abs(reduction.E).max())
    assert np.abs(linearize(compiled, q).jacobian @ reduction.E).max() < 1e-15 * size


def test_rounded_geometry_moves_as_the_exact_one_and_its_rows_by_their_misfit():
    exact, q = closed(bennett())
    rough = compile_mechanism(rounded(bennett()))
    p = close_module(rough, starting_coordinates(rough), rough.modules[0], [1, 2]).q
    lifts = reduce(exact, q), reduce(rough, p)
    assert lifts[1].names == ("1",)
    np.testing.assert_allclose(lifts[1].E, lifts[0].E, atol=2e-5)
    assert 1e-9 < np.abs(lifts[1].jacobian @ lifts[1].E).max() < 2e-6


def test_coordinates_that_are_none_are_refused():
    compiled, q = made("five-bar")
    with pytest.raises(BadValueError, match=r"shape \(…, 3\)|shape \(…, 4\)"):
        reduce(compiled, q[:-1])
    with pytest.raises(BadValueError, match="a coordinate of 'B'"):
        reduce(compiled, np.where(np.arange(compiled.nq) == 1, np.nan, q))
    with pytest.raises(BadValueError, match="not one configuration or more"):
        reduce(compiled, np.zeros((0, compiled.nq)))


@pytest.mark.parametrize("ask", [reduce, sensitivity, lambda c, q: curvature(c, q, [1.0, 0, 0])])
def test_where_the_loops_do_not_meet_nothing_is_made_up(ask):
    """A Bennett linkage is rigid next to where it closes: no lift there is the mechanism's."""
    compiled, q = closed(bennett())
    ajar = q + np.array([0.0, 1e-4, 0.0])
    s = np.linalg.svd(linearize(compiled, ajar).jacobian, compute_uv=False)
    assert s[2] > 1e-5 * s[0]  # of three speeds, all are held
    with pytest.raises(NotClosedError, match=r"leave '.*' open by 0\.\d+ mm"):
        ask(compiled, ajar)
    with pytest.raises(NotClosedError):
        ask(compiled, np.array([q, ajar]))
    ask(compiled, q + np.array([0.0, 1e-8, 0.0]))


def test_of_open_loops_the_one_is_named_whose_gap_and_angle_are_furthest_together():
    """Two joints of a Sarrus linkage off: '0.2' opens 0.3 mm wider, '1.1' is tilted 0.4° more."""
    compiled = compile_mechanism(sarrus(sides=(0.0, 2.0, 4.0)))
    q = starting_coordinates(compiled)
    at = {t.edge.joint.name: t.q.start for t in compiled.tree}
    q[at["2.2"]] += 0.05
    q[at["1.2"]] -= 0.05
    for ask in (reduce, mobility):
        with pytest.raises(NotClosedError, match=r"'1\.1' open by 36 mm and 2\.6°"):
            ask(compiled, q)


def test_speeds_that_are_none_are_refused_and_lists_are_taken():
    compiled, q = made("five-bar")
    v = reduce(compiled, q).E[:, 0]
    for wrong in (v[:-1], np.append(v, 0.0)):
        with pytest.raises(BadValueError, match=rf"v=.* is not of shape \(…, {compiled.nv}\)"):
            curvature(compiled, q, wrong)
    with pytest.raises(BadValueError, match="that of 'B' is not a finite number"):
        curvature(compiled, q, np.where(np.arange(compiled.nv) == 1, np.nan, v))
    taken = curvature(compiled, q.tolist(), v.tolist())
    np.testing.assert_array_equal(taken, curvature(compiled, q, v))


@pytest.mark.parametrize("name", ["five-bar", "delta", "Stewart", "planar"])
def test_a_batch_gives_what_each_of_it_gives(name):
    compiled, q = made(name)
    random = np.random.default_rng(2)
    batch = step(
        compiled,
        np.broadcast_to(q, (2, 2, compiled.nq)),
        random.uniform(-0.05, 0.05, (2, 2, compiled.nv)),
    )
    for i in np.ndindex(2, 2):
        for module in compiled.modules:
            batch[i] = close_module(compiled, batch[i], module, module_speeds(compiled, module)).q
    together = reduce(compiled, batch)
    v = apply_lift(together, random.uniform(-1.0, 1.0, (2, 2, together.E.shape[-1])))
    c, rate = curvature(compiled, batch, v, together), lift_rate(together, v)
    for i in np.ndindex(2, 2):
        alone = reduce(compiled, batch[i], together.partition)
        np.testing.assert_allclose(together.E[i], alone.E, atol=1e-13)
        np.testing.assert_allclose(together.condition[i], alone.condition, atol=1e-13)
        np.testing.assert_allclose(c[i], curvature(compiled, batch[i], v[i], alone), atol=1e-12)
        np.testing.assert_allclose(rate[i], lift_rate(alone, v[i]), atol=1e-12)


def apply_lift(reduction, u):
    return (reduction.E @ u[..., None])[..., 0]


@pytest.mark.parametrize("name", ["five-bar", "Bricard", "delta", "Stewart", *KIND_OF_CUT])
def test_the_lifts_rate_is_its_derivative_and_makes_the_curvature(name):
    """Ė against differences of E along the motion, also for speeds that do not commute."""
    compiled, q = made(name)
    reduction = reduce(compiled, q)
    u, v = moving(reduction)
    rate = lift_rate(reduction, v)
    size = max(1.0, np.abs(rate).max())
    np.testing.assert_allclose(rate @ u, curvature(compiled, q, v, reduction), atol=3e-14 * size)

    def slope(h):
        ahead, behind = (
            reduce(compiled, step(compiled, q, s * h * v), reduction.partition).E for s in (1, -1)
        )
        return (ahead - behind) / (2 * h)

    expected = (4.0 * slope(1e-4) - slope(2e-4)) / 3.0
    np.testing.assert_allclose(rate, expected, atol=3e-9 * size)


def test_speeds_and_mechanics_carry_over_between_partitions():
    """Claim C13: u = F u', u̇ = F u̇' + Ḟ u', M' = Fᵀ M F, c' = c + E Ḟ u', powers alike."""
    compiled, q = made("Stewart")
    ours = reduce(compiled, q, LENGTHS)
    theirs = reduce(compiled, q, ("leg 2 x", "leg 0 ball", "leg 4 length"))
    F = ours.transfer(theirs)
    np.testing.assert_allclose(F @ theirs.transfer(ours), np.eye(6), atol=1e-12)
    u, v = moving(theirs)
    np.testing.assert_allclose(ours.E @ F, theirs.E, atol=1e-13)
    np.testing.assert_allclose(ours.E @ (F @ u), v, atol=1e-13)
    F_rate = transfer_rate(ours, theirs, v)
    c, c_theirs = (curvature(compiled, q, v, r) for r in (ours, theirs))
    np.testing.assert_allclose(c + ours.E @ F_rate @ u, c_theirs, atol=1e-12)
    M = mass_matrix(compiled, evaluate(compiled, q))
    M_ours, M_theirs = (r.E.T @ M @ r.E for r in (ours, theirs))
    np.testing.assert_allclose(F.T @ M_ours @ F, M_theirs, atol=1e-12 * np.abs(M_theirs).max())
    bias = theirs.E.T @ M @ c_theirs
    carried = F.T @ (ours.E.T @ M @ c + M_ours @ F_rate @ u)
    np.testing.assert_allclose(carried, bias, atol=1e-12 * np.abs(bias).max())

    def slope(h):
        moved = (step(compiled, q, s * h * v) for s in (1, -1))
        ahead, behind = (
            reduce(compiled, p, ours.partition).transfer(reduce(compiled, p, theirs.partition))
            for p in moved
        )
        return (ahead - behind) / (2 * h)

    expected = (4 * slope(1e-4) - slope(2e-4)) / 3
    np.testing.assert_allclose(F_rate, expected, atol=1e-8 * np.abs(F_rate).max())


def test_a_reduction_taken_elsewhere_is_taken_again_where_it_is_used():
    compiled, q = made("five-bar")
    reduction = reduce(compiled, q, ["B", "D"])
    _, p = closed(five_bar(angles=(2.1, 0.9)))
    here = reduce(compiled, p, ["B", "D"])
    _, v = moving(here)
    np.testing.assert_allclose(
        curvature(compiled, p, v, reduction), curvature(compiled, p, v, here), atol=1e-14
    )


def test_a_batch_that_only_slides_is_reduced_as_one_that_turns():
    """A wedge: its frames never turn, so nothing but the positions has the batch's axes."""
    drawing = Drawing("wedge")
    drawing.body("wedge")
    drawing.body("follower")
    along, across = (0.0, 0.0, 0.0), (1.0, 2.0, 0.0)
    drawing.prismatic("in", (WORLD, "wedge"), axis(along, (1.0, 0.0, 0.0)), effort=1.0)
    drawing.prismatic("face", ("wedge", "follower"), axis(along, across), closes_loop=True)
    drawing.prismatic("out", (WORLD, "follower"), axis(along, (0.0, 1.0, 0.0)))
    compiled = compile_mechanism(drawing.mechanism())
    q = np.zeros((5, compiled.nq))
    reduction = reduce(compiled, q, ["in"])
    np.testing.assert_allclose(reduction.E[..., 0], np.tile([1.0, -2.0], (5, 1)), atol=1e-15)
    v = reduction.E[..., 0]
    assert np.abs(curvature(compiled, q, v, reduction)).max() == 0.0


@pytest.mark.parametrize("name", variants())
def test_a_stewart_platform_has_one_mass_and_one_task_map_whatever_is_cut(name):
    """Claim C1: six trees and the chart of 24 coordinates, at five times; the paper's is 4e-15."""
    dimensions = variants()[name]
    for t in (0.0, 5.7, 10.6, 16.9, 20.8):
        pose = task_pose(t)
        hand = lifted_mass(stewart(pose, dimensions, chart=True))
        for tree_ball in range(6):
            found = lifted_mass(stewart(pose, dimensions, tree_ball))
            for ours, theirs in zip(found, hand, strict=True):
                assert np.abs(ours - theirs).max() < 1e-14 * np.abs(theirs).max()


def lifted_mass(mechanism):
    """M_r, and the platform's twist in the world for each leg's speed."""
    compiled, q = closed(mechanism)
    reduction, state = reduce(compiled, q, LENGTHS), evaluate(compiled, q)
    names = [body.name for body in compiled.bodies]
    platform = body_columns(compiled, state)[names.index("platform")]
    M = mass_matrix(compiled, state)
    return reduction.E.T @ M @ reduction.E, platform @ reduction.E
