"""Configurations by name, from coordinates and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.compiler.tasks import place_of
from robocompiler.equations.kinematics import joint_difference
from robocompiler.errors import BadValueError, MechanismError, UnknownNameError, raise_all
from robocompiler.model.configuration import ClosureGap, Configuration
from robocompiler.model.joint_kinds import Factor
from robocompiler.model.joint_motion import joint_coordinates
from robocompiler.model.mechanism import Joint
from robocompiler.solve.closure import gap_of
from robocompiler.solve.state import evaluate, joint_pose
from robocompiler.solve.values import read_coordinates
from robocompiler.spatial import Array

ROUNDING = 1e-15
"""What rounding leaves of a unit quaternion's length."""


def coordinates(compiled: CompiledMechanism, configuration: Configuration) -> Array:
    """q of a configuration, shape (nq,).

    The place of a task that it does not know is where the task's frame stands in it.

    Raises:
        UnknownNameError: it has no value for a joint of the tree.
        BadValueError: no configuration, other numbers than a joint has, or such that are not
            finite.
    """
    check_is_configuration(configuration)
    values = dict(configuration.values)
    places = {task.name for task in compiled.tasks} - set(values)
    names = [tree_joint.edge.joint.name for tree_joint in compiled.tree]
    raise_all(
        UnknownNameError("The configuration", "value of joint", name, values)
        for name in names
        if name not in values and name not in places
    )
    q, faults = np.zeros(compiled.nq), list[MechanismError]()
    for tree_joint in compiled.tree:
        joint = tree_joint.edge.joint
        given = values.get(joint.name, joint.initial)
        numbers = read_coordinates("The configuration", joint, given, faults)
        if numbers:  # to the last bit as given, unless a quaternion's length is off by more
            rounded = np.max(np.abs(np.subtract(given, numbers))) <= ROUNDING
            q[tree_joint.q] = given if rounded else numbers
    raise_all(faults)
    return _captured(compiled, q, places) if places else q


def check_is_configuration(given: object) -> None:
    """Refuse coordinates, or anything else, where a configuration is to be given."""
    if not isinstance(given, Configuration):
        expected = "a Configuration, as `rc.assemble` and `rc.branches` give"
        raise BadValueError("The configuration", "given", f"a {type(given).__name__}", expected)


def _captured(compiled: CompiledMechanism, q: Array, places: set[str]) -> Array:
    """q with places put where the frames of their tasks stand."""
    state, captured = evaluate(compiled, q), np.array(q)
    holds = {task.hold: task.name for task in compiled.tasks if task.name in places}
    for hold in (c.chord for c in compiled.closures if c.chord.joint.name in holds):
        own = compiled.tree_joint(holds[hold.joint.name])
        captured[own.q] = place_of(own.edge, hold, state.poses[hold.child])
    return captured


def describe(
    compiled: CompiledMechanism,
    q: Array,
    drawn: Mapping[str, tuple[float, float]],
    missed: Sequence[tuple[str, float]] = (),
    near: Mapping[str, tuple[float, ...]] | None = None,
) -> Configuration:
    """The configuration at q by names, cut joints included.

    Args:
        compiled: the mechanism.
        q: where it stands, shape (nq,).
        drawn: by closure, how far apart [m, rad] its sides are drawn.
        missed: joints that were wanted elsewhere, and by how much they stay away [m or rad].
        near: coordinates by joint name from which turns of cut joints are counted; the drawn
            ones for joints not in it.
    """
    state = evaluate(compiled, q)
    values = {t.edge.joint.name: tuple(float(x) for x in q[t.q]) for t in compiled.tree}
    gaps: list[ClosureGap] = []
    for closure in compiled.closures:
        joint = closure.chord.joint
        X_FM = joint_pose(state, closure.chord)
        before = (near or {}).get(joint.name, joint.initial)
        values[joint.name] = joint_coordinates(joint.kind, X_FM, before, joint.pitch)
        gap, angle = gap_of(closure, state)
        drawn_gap, drawn_angle = drawn[closure.name]
        gaps.append(
            ClosureGap(
                closure=closure.name,
                drawn_gap=drawn_gap,
                drawn_angle=drawn_angle,
                gap=gap,
                angle=angle,
            )
        )
    moved = tuple(
        (t.edge.joint.name, far)
        for t in compiled.tree
        if (far := distance(t.edge.joint, q[t.q], t.edge.joint.initial)) > 1e-9
    )
    return Configuration(
        values=tuple(sorted(values.items())), gaps=tuple(gaps), moved=moved, missed=tuple(missed)
    )


def distance(joint: Joint, q: Array | Sequence[float], start: Array | Sequence[float]) -> float:
    """The largest difference between coordinates of a joint [m or rad].

    Of rotations the angle between them: a quaternion and its opposite are one rotation.
    """
    apart = joint_difference(joint.kind, np.asarray(start), np.asarray(q))
    single = len(apart) - 3 if Factor.ROTATION in joint.kind.factors else len(apart)
    turned = float(np.linalg.norm(apart[single:]))
    return max(turned, float(np.max(np.abs(apart[:single]), initial=0.0)))
