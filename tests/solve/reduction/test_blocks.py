"""Modules by dependent support, against a count and a least-squares solution that know of none."""

import numpy as np
import pytest

from closed_mechanisms import MECHANISMS, closed, made
from linkages.drawing import Drawing, at
from linkages.excavator import CYLINDER_SPACE, JOINT_SPACE, excavator
from linkages.many_loops import module_chain, shared_crank
from linkages.robots import FEET, KANGAROO_MOTORS, SUPPORTS, go2, kangaroo
from linkages.spatial import loop_with
from linkages.structure import blocks, rank_of
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import WORLD
from robocompiler.solve.reduction.partition import speed_names
from robocompiler.solve.reduction.reduce import reduce

TWO_ROCKERS = {"left": (0.4, 0.15, 0.4, 0.3), "right": (0.3, 0.15, 0.2, 0.2)}


def sizes(reduction):
    """Dependent coordinates of each block, the freedoms of its cut joints included."""
    closures = reduction.compiled.closures
    return sorted(
        len(block.dependent) + sum(closures[i].kind.dof for i in block.module.closures)
        for block in reduction.partition.blocks
    )


@pytest.mark.parametrize(
    ("space", "expected"),
    [(JOINT_SPACE, [3, 3, 3, 3, 3, 10]), (CYLINDER_SPACE, [3, 6, 6, 10])],
)
def test_the_excavator_has_the_papers_blocks_in_both_spaces(space, expected):
    compiled, q = closed(excavator())
    assert sizes(reduce(compiled, q, space)) == blocks(compiled, space) == expected


def test_the_kangaroo_has_the_papers_blocks_by_its_motors():
    compiled, q = closed(kangaroo(floating=False))
    found = sizes(reduce(compiled, q, KANGAROO_MOTORS))
    assert found == blocks(compiled, KANGAROO_MOTORS) == [5, 5, 12, 12, 47, 47]


@pytest.mark.parametrize("feet", SUPPORTS, ids="+".join)
def test_go2_has_a_block_for_each_foot_where_its_base_is_prescribed_and_else_one(feet):
    compiled, q = closed(go2(feet))
    by_base = reduce(compiled, q, ["base"])
    assert sizes(by_base) == [6] * len(feet)
    assert [len(block.dependent) for block in by_base.partition.blocks] == [3] * len(feet)
    by_legs = reduce(compiled, q)
    assert len(by_legs.partition.blocks) == 1
    assert len(compiled.modules) == 1


CASES = {
    **{name: (lambda name=name: made(name), ()) for name in MECHANISMS},
    "excavator by joints": (lambda: closed(excavator()), JOINT_SPACE),
    "excavator by cylinders": (lambda: closed(excavator()), CYLINDER_SPACE),
    "shared crank": (lambda: closed(shared_crank(TWO_ROCKERS)), ()),
    "chain": (lambda: closed(module_chain(6)), ()),
    "Go2 by its base": (lambda: closed(go2(FEET)), ("base",)),
    "Kangaroo": (lambda: closed(kangaroo(floating=False)), KANGAROO_MOTORS),
}


@pytest.mark.parametrize("name", CASES)
def test_blocks_share_no_dependent_speed_and_solve_what_all_rows_together_solve(name):
    """The whole dependent block by least squares; and each block's rows have its own rank."""
    build, independent = CASES[name]
    compiled, q = build()
    reduction = reduce(compiled, q, independent)
    K, found = reduction.jacobian, reduction.partition.blocks
    assert sorted(row for block in found for row in block.rows) == list(range(len(K)))
    dependent = [i for block in found for i in block.dependent]
    assert len(dependent) == len(set(dependent)) == reduction.rank
    for block in found:
        others = [i for i in range(compiled.nv) if i not in {*block.dependent, *block.inputs}]
        assert not np.any(K[np.ix_(block.rows, others)])
        scaled = block.row_scales[:, None] * K[list(block.rows)] / block.speed_scales
        assert rank_of(scaled[:, list(block.dependent)]) == len(block.dependent) == rank_of(scaled)
        alone = np.linalg.svd(scaled[:, list(block.dependent)], compute_uv=False)
        assert reduction.condition <= alone[-1] / alone[0] + 1e-12
    expected = -np.linalg.lstsq(K[:, dependent], K[:, list(reduction.independent)], rcond=1e-12)[0]
    size = np.abs(expected).max()
    np.testing.assert_allclose(reduction.E[dependent], expected, atol=2e-13 * max(1.0, size))


def test_what_a_shared_crank_drives_is_solved_apart_unless_one_rocker_drives():
    compiled, q = closed(shared_crank(TWO_ROCKERS))
    assert len(compiled.modules) == 1
    by_crank = reduce(compiled, q).modules
    assert [(m.name, m.inputs, set(m.dependent)) for m in by_crank] == [
        ("left C", ("A",), {"left B", "left D"}),
        ("right C", ("A",), {"right B", "right D"}),
    ]
    assert str(by_crank[0]) in (
        "left C: left B, left D follow A",
        "left C: left D, left B follow A",
    )
    (together,) = reduce(compiled, q, ["left D"]).modules
    assert together.closures == ("left C", "right C")
    assert set(together.dependent) == {"A", "left B", "right B", "right D"}
    assert str(together).endswith("follow left D (by left C, right C)")


def test_wheels_geared_to_one_shaft_are_blocks_of_their_couplings():
    """The shaft prescribed, each follows by itself; a wheel prescribed, shaft and other follow."""
    drawing = Drawing("gears")
    for i, (name, ratio) in enumerate({"shaft": 0.0, "slow": -0.5, "fast": 3.0}.items()):
        drawing.body(name, at(float(i)))
        drawing.revolute(name, (WORLD, name), at(float(i)))
        if ratio:
            drawing.gear(f"{name} gear", "shaft", name, ratio)
    compiled, q = closed(drawing.mechanism())
    apart = reduce(compiled, q, ["shaft"])
    assert [str(module) for module in apart.modules] == [
        "fast gear: fast follow shaft",
        "slow gear: slow follow shaft",
    ]
    assert apart.E[:, 0].tolist() == [
        {"shaft": 1.0, "slow": -0.5, "fast": 3.0}[n] for n in speed_names(compiled)
    ]
    (together,) = reduce(compiled, q, ["slow"]).modules
    assert (set(together.dependent), together.inputs) == ({"shaft", "fast"}, ("slow",))


def test_idle_spins_are_inputs_of_the_platforms_one_block():
    """A speed of a ball may be independent while its others follow."""
    compiled, q = made("Stewart, balls")
    (module,) = reduce(compiled, q).modules
    assert {name for name in module.inputs if "/" in name} == {
        f"leg {i} foot/rotation.z" for i in range(6)
    }
    assert {"leg 0 foot/rotation.x", "leg 0 foot/rotation.y", "leg 0 ball"} <= set(module.dependent)


def test_each_leg_of_a_platform_prescribed_by_another_is_a_block_with_its_own_idle_spin():
    compiled, q = made("Stewart, balls")
    leg = ("leg 0 foot", "leg 0 length", "leg 0 ball")
    found = reduce(compiled, q, leg).modules
    assert len(compiled.modules) == 1
    for i, module in enumerate(found, start=1):
        assert module.closures == (f"leg {i} ball",)
        spins = f"leg {i} foot/rotation."
        assert set(module.inputs) == {*leg, spins + "z"}
        assert set(module.dependent) == {spins + "x", spins + "y", f"leg {i} length"}


def test_a_loop_that_holds_nothing_is_a_block_in_which_nothing_follows():
    compiled, q = closed(loop_with(JointKind.FREE))
    reduction = reduce(compiled, q)
    (module,) = reduction.modules
    assert (module.dependent, reduction.rank) == ((), 0)
    assert str(module) == f"{module.name}: nothing follows"


def test_a_loop_that_nothing_can_move_stands_still():
    drawing = Drawing("truss")
    for i, name in enumerate(("bar 0", "bar 1")):
        drawing.body(name)
        drawing.revolute(f"foot {i}", (WORLD, name), at(0.3 * i))
    drawing.revolute("top", ("bar 0", "bar 1"), at(0.1, 0.2), closes_loop=True)
    compiled, q = closed(drawing.mechanism())
    (module,) = reduce(compiled, q).modules
    assert str(module) == "top: foot 0, foot 1 stand still"
