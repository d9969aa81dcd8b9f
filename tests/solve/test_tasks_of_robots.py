"""Feet, soles and tools of real robots, held at places; from the records beside the repository."""

import numpy as np
import pytest

from linkages.records import record
from linkages.robots import FEET, SUPPORTS, go2, kangaroo, panda
from robocompiler import (
    JointKind,
    Task,
    assemble,
    reduce,
)
from robocompiler.compiler.compile import compile_mechanism
from robocompiler.compiler.steps import difference
from robocompiler.solve.describe import coordinates
from robocompiler.solve.state import evaluate
from robocompiler.spatial import Pose, exp_rotation, quaternion_of


def test_a_tool_frame_is_where_it_is_told_to_be():
    tool = record("panda")["tool"]
    T = np.array(tool["T_body_tool"])
    R = tuple(quaternion_of(T[:3, :3]).tolist())
    task = Task(
        name="tool",
        body=tool["body"],
        position=tuple(T[:3, 3].tolist()),
        rotation=R,
        kind=JointKind.FIXED,
    )
    compiled = compile_mechanism(panda(), tasks=[task])
    start = assemble(compiled)
    place = np.array(start.of("tool"))
    X = Pose.of(place[:3], place[3:])
    wanted = Pose(
        X.R @ exp_rotation(np.array([0.2, -0.1, 0.3])), X.p + np.array([0.05, 0.1, -0.08])
    )
    found = assemble(compiled, {"tool": (*wanted.position, *wanted.quaternion)})
    q = coordinates(compiled, found)
    body = next(w for w in compiled.welded if w.name == tool["body"])
    stands = evaluate(compiled, q).poses[body.host] @ body.pose @ Pose(T[:3, :3], T[:3, 3])
    np.testing.assert_allclose(stands.p, wanted.p, atol=1e-14)
    np.testing.assert_allclose(stands.R, wanted.R, atol=1e-13)
    # Seven joints and two fingers that are coupled, less the six rows.
    assert len(reduce(compiled, q).independent) == 2


@pytest.mark.parametrize("feet", SUPPORTS)
def test_a_walking_robot_on_its_feet_has_eighteen_freedoms_less_three_for_each(feet):
    sites = {site["id"]: site for site in record("go2")["point_sites"]}
    tasks = [
        Task(name=foot, body=sites[foot]["body"], position=tuple(sites[foot]["point_m"]))
        for foot in feet
    ]
    compiled = compile_mechanism(go2(), tasks=tasks)
    q = coordinates(compiled, assemble(compiled))
    reduction = reduce(compiled, q, ["base"])
    assert (reduction.rank, len(reduction.independent)) == (3 * len(feet), 18 - 3 * len(feet))
    held = compile_mechanism(go2(feet))
    same = reduce(held, coordinates(held, assemble(held)), ["base"])
    own = [t.v for t in compiled.tree if not t.prescribed]
    rows = [i for v in own for i in range(v.start, v.stop)]
    assert [t.edge.joint.name for t in held.tree] == [
        t.edge.joint.name for t in compiled.tree if not t.prescribed
    ]
    np.testing.assert_allclose(reduction.E[rows], same.E, atol=1e-12)


@pytest.mark.parametrize(
    ("soles", "rows", "rank", "left"),
    [((), 80, 64, 18), (("left",), 86, 70, 12), (("left", "right"), 92, 76, 6)],
)
def test_kangaroos_soles_are_welds_of_six_rows(soles, rows, rank, left):
    """Acceptance 3.1, supports: none, one, both."""
    tasks = [
        Task(
            name=site["id"],
            body=site["body"],
            position=tuple(site["frame_translation_m"]),
            rotation=tuple(quaternion_of(np.array(site["frame_rotation"])).tolist()),
            kind=JointKind.FIXED,
        )
        for site in record("kangaroo")["sole_sites"]
        if site["id"].split("_")[0] in soles
    ]
    compiled = compile_mechanism(kangaroo(), tasks=tasks)
    reduction = reduce(compiled, coordinates(compiled, assemble(compiled)))
    assert reduction.jacobian.shape[0] == rows
    assert (reduction.rank, len(reduction.independent)) == (rank, left)
    assert np.abs(reduction.jacobian @ reduction.E).max() < 1e-13


def test_a_lifted_foot_leaves_the_others_where_they_stand():
    sites = {site["id"]: site for site in record("go2")["point_sites"]}
    tasks = [
        Task(name=foot, body=sites[foot]["body"], position=tuple(sites[foot]["point_m"]))
        for foot in FEET
    ]
    compiled = compile_mechanism(go2(), tasks=tasks)
    start = assemble(compiled)
    moved = np.array(start.of("FL")) + np.array([0.03, 0.01, 0.06])
    found = assemble(compiled, {"base": start.of("base"), "FL": moved})
    np.testing.assert_allclose(found.of("base"), start.of("base"), atol=1e-14)
    for foot in FEET:
        expected = moved if foot == "FL" else start.of(foot)
        np.testing.assert_allclose(found.of(foot), expected, atol=1e-15)
    for leg in ("FR", "RL", "RR"):
        name = f"{leg}_calf_joint"
        assert found.of(name)[0] == pytest.approx(start.of(name)[0], abs=1e-12)
    q, apart = coordinates(compiled, found), coordinates(compiled, start)
    assert np.abs(difference(compiled, apart, q)).max() > 0.05
