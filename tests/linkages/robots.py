"""Kangaroo, Go2 and Panda, from the records beside the repository.

Each skips its test where the records are not there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import combinations

import numpy as np

from linkages.closing import closed
from linkages.drawing import axis, drawn_values, solid, spared
from linkages.records import Building, finished, float_on, pose_of, poses, record, tree_of
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import WORLD, Body, Coupling, Mechanism
from robocompiler.spatial import Pose, exp_rotation, quaternion_of

FEET = ("FL", "FR", "RL", "RR")
SUPPORTS = tuple(feet for count in (2, 3, 4) for feet in combinations(FEET, count))
"""The eleven sets of feet that Go2 stands on: two, three or four."""
BASE_CHART = ("x", "y", "z", "yaw", "pitch", "roll")
"""Coordinates of a base that hangs on joints: it moves along x, y, z and turns about z, y, x."""
KANGAROO_MOTORS = tuple(
    f"leg_{side}_{what}_motor"
    for side in ("left", "right")
    for what in ("1", "2", "3", "length", "4", "5")
)
KANGAROO_HOME = {name: 0.04 if "length" in name else 0.0 for name in KANGAROO_MOTORS}
"""The motors at the base of the reference motion (A.2) [m]."""


def kangaroo(
    floating: bool = True,
    soles: Sequence[str] = (),
    motors: Mapping[str, float] | None = None,
    declared: bool = True,
    limits: bool = True,
) -> Mechanism:
    """Kangaroo: 76 joints, 24 closures, 12 motors; its record's seed, closed to rounding.

    Args:
        floating: whether its pelvis floats (`base`); otherwise it is welded to the world.
        soles: `left`, `right` or both, welded to the world where they stand as drawn.
        motors: what motors are moved to [m] from the seed (`KANGAROO_HOME`).
        declared: whether the record's closures are declared as closing loops (they are cut either
            way, having the fewest rows; `cut_at` chooses others).
        limits: whether joints have their limits.
    """
    data = record("kangaroo")
    building = tree_of(data, _closed_joints(tuple(sorted((motors or {}).items()))), limits)
    _hold_pelvis(building, data["floating_root"], floating)
    drawn = poses(building)
    _close_loops(building, data["loop_cuts"], drawn, declared)
    for site in data["sole_sites"]:
        if site["id"].split("_")[0] in soles:
            on = Pose(np.array(site["frame_rotation"]), np.array(site["frame_translation_m"]))
            where = drawn[site["body"]] @ on
            building.add(JointKind.FIXED, site["id"], WORLD, where, site["body"], on)
    return finished(data, building)


def _hold_pelvis(building: Building, pelvis: str, floating: bool) -> None:
    if floating:
        float_on(building, pelvis, Pose.identity())
    else:
        building.add(JointKind.FIXED, "base", WORLD, Pose.identity(), pelvis, Pose.identity())


def _close_loops(
    building: Building, cuts: list[dict], drawn: dict[str, Pose], declared: bool
) -> None:
    """Its closures: a point is a ball, whose frames have the axes of their bodies."""
    for cut in cuts:
        universal = cut["type"] == "universal"
        ends = []
        for i in ("1", "2"):
            R = np.array(cut[f"frame{i}_R"]) if universal else np.eye(3)
            ends.append((cut[f"body{i}"], Pose(R, np.array(cut[f"point{i}_m"]))))
        (a, X), (b, Y) = ends
        R = (drawn[a] @ X).R.T @ (drawn[b] @ Y).R
        start: tuple[float, ...] = tuple(quaternion_of(R).tolist())
        if universal:
            start = (float(np.arctan2(R[2, 1], R[1, 1])), float(np.arctan2(R[0, 2], R[0, 0])))
        kind = JointKind.UNIVERSAL if universal else JointKind.BALL
        building.add(kind, cut["id"], a, X, b, Y, closes_loop=declared, start=start)


@cache
def _closed_joints(motors: tuple[tuple[str, float], ...]) -> dict[str, float]:
    """The record's joint values with the loops closed: its seed leaves them open by up to 22°."""
    data = record("kangaroo")
    building = tree_of(data, data["seed"]["joints"], limits=False)
    _hold_pelvis(building, data["floating_root"], floating=False)
    _close_loops(building, data["loop_cuts"], poses(building), declared=True)
    mechanism = closed(
        finished(data, building), KANGAROO_MOTORS, dict(motors), steps=5 if motors else 1
    )
    return {name: value[0] for name, value in drawn_values(mechanism).items() if len(value) == 1}


def go2(
    feet: Sequence[str] = (),
    limits: bool = True,
    base: Sequence[float] | None = None,
    legs: Mapping[str, float] | None = None,
    chart: bool = False,
) -> Mechanism:
    """Go2, floating on `base`; each foot of `feet` (of `FEET`) held where it stands by a ball.

    Args:
        feet: those that are held.
        limits: whether joints have their limits.
        base: x, y, z [m], yaw, pitch, roll [rad] of its base; the record's seed where None.
        legs: its leg joints [rad]; the record's seed where None.
        chart: whether the base hangs on six joints, `base x` to `base roll`, instead of floating.
    """
    data = record("go2")
    building = tree_of(data, dict(legs or data["seed"]["joints"]), limits)
    root = data["floating_root"]
    values = [float(x) for x in (data["seed"]["base_pose"] if base is None else base)]
    carriers = _hang(building, root, values) if chart else ()
    if not chart:
        float_on(building, root, _in_chart(values))
    drawn = poses(building)
    for site in data["point_sites"]:
        if site["id"] in feet:
            on = Pose(np.eye(3), np.array(site["point_m"]))
            where = Pose(np.eye(3), (drawn[site["body"]] @ on).p)
            turned = tuple(quaternion_of(drawn[site["body"]].R).tolist())
            building.add(
                JointKind.BALL,
                f"{site['id']} foot",
                WORLD,
                where,
                site["body"],
                on,
                closes_loop=True,
                start=turned,
            )
    mechanism = finished(data, building)
    return replace(
        mechanism,
        bodies=(*(Body(name=n, inertia=solid(1e-6)) for n in carriers), *mechanism.bodies),
    )


def _in_chart(values: Sequence[float]) -> Pose:
    """The frame at x, y, z [m], yaw, pitch, roll [rad]: R = Rz Ry Rx."""
    R = np.eye(3)
    for e, angle in zip(np.eye(3)[::-1], values[3:], strict=True):
        R = R @ exp_rotation(angle * e)
    return Pose(R, np.array(values[:3]))


def _hang(building: Building, root: str, values: Sequence[float]) -> tuple[str, ...]:
    """The root on the six joints of that chart, and the all but weightless bodies between."""
    axes = (*np.eye(3), *np.eye(3)[::-1])
    bodies = (WORLD, *(f"base on {name}" for name in BASE_CHART[:-1]), root)
    for i, name in enumerate(BASE_CHART):
        kind = JointKind.PRISMATIC if i < 3 else JointKind.REVOLUTE
        along = axis((0.0, 0.0, 0.0), axes[i])
        fields = {"start": (values[i],), **spared(kind)}
        building.add(kind, f"base {name}", bodies[i], along, bodies[i + 1], along, **fields)
    return bodies[1:-1]


def panda(tool: bool = False, limits: bool = True) -> Mechanism:
    """Panda, its fingers coupled; with `tool`, a free joint from the world to its tool frame.

    That joint holds nothing and is what is cut: its six coordinates are the target's.
    """
    data = record("panda")
    building = tree_of(data, data["seed"], limits)
    couplings = tuple(
        Coupling.gear(
            name=c["id"],
            leader=c["master"],
            follower=c["slave"],
            ratio=c["multiplier"],
            offset=c["offset"],
        )
        for c in data["affine_couplings"]
    )
    if tool:
        on = pose_of(data["tool"]["T_body_tool"])
        where = poses(building)[data["tool"]["body"]] @ on
        building.add(
            JointKind.FREE,
            "tool",
            WORLD,
            Pose.identity(),
            data["tool"]["body"],
            on,
            closes_loop=True,
            start=(*where.position, *where.quaternion),
        )
    return finished(data, building, couplings)
