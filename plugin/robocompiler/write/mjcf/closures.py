"""The constraints of an MJCF model, each in the exact encoding with the fewest rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np

from robocompiler.compiler.compiled import Closure, CompiledMechanism
from robocompiler.errors import UnwritableError
from robocompiler.model.joint_kinds import JointKind
from robocompiler.solve.state import State
from robocompiler.spatial import Array, Pose
from robocompiler.write.base import base_name, base_pose
from robocompiler.write.comments import comment
from robocompiler.write.cutting import why_cut_there
from robocompiler.write.ledger import Ledger
from robocompiler.write.loops import closure_frames, is_planar, lever
from robocompiler.write.mjcf.losses import note_losses
from robocompiler.write.mjcf.names import (
    CLOSURE_CLASS,
    MJCF_CUTTABLE,
    closure_equalities,
)
from robocompiler.write.mjcf.ties import tie_equalities
from robocompiler.write.numbers import numbers


def equality_elements(
    compiled: CompiledMechanism, state: State, ledger: Ledger
) -> Iterator[Element | Element[Any]]:
    """One element or a few for each closure, coupling and screw."""
    for module in compiled.modules:
        reach = lever(compiled, state, module)
        for closure in (compiled.closures[i] for i in module.closures):
            yield comment(f"loop {closure.name}: cut at {_cut(closure)}")
            yield from closure_elements(compiled, state, closure, reach)
            _note_chord(compiled, closure, ledger)
    yield from tie_equalities(compiled)


def _cut(closure: Closure) -> str:
    return f"{closure.chord.joint.name} ({closure.kind.value}): {closure.reason}"


def closure_elements(
    compiled: CompiledMechanism, state: State, closure: Closure, lever: float
) -> Iterator[Element]:
    """The rows of one closure.

    Anchors are in the first body's frame, as the body form has them: the second body's are where
    they are at `qpos0`, which is closed. A revolute joint of a planar loop is one point; of a
    spatial loop two, along its axis. A universal joint is a point, and a tendon of fixed length
    between two sites, one along each axis of its cross, that keeps these perpendicular.
    """
    point, axis, cross = closure_equalities(closure)
    bodies = [_body_name(compiled, i) for i in (closure.chord.parent, closure.chord.child)]
    X_BF = _in_element(compiled, closure.chord.parent) @ closure.chord.X_PF
    if closure.kind is JointKind.FREE:
        return
    if closure.kind not in (JointKind.BALL, JointKind.REVOLUTE, JointKind.UNIVERSAL):
        raise UnwritableError(
            f"Loop '{closure.name}': MJCF has no exact closure for a {closure.kind.value} joint."
        )
    yield _connect(point, bodies, X_BF.p)
    if closure.kind is JointKind.REVOLUTE and not is_planar(compiled, state, closure):
        yield _connect(axis, bodies, X_BF.p + lever * X_BF.R[:, 2])
    if closure.kind is JointKind.UNIVERSAL:
        yield Element("tendon", {"class": CLOSURE_CLASS}, name=cross, tendon1=cross)


def _connect(name: str, bodies: list[str], anchor: Array) -> Element:
    return Element(
        "connect",
        {"class": CLOSURE_CLASS},
        name=name,
        body1=bodies[0],
        body2=bodies[1],
        anchor=numbers(anchor),
    )


def _body_name(compiled: CompiledMechanism, index: int) -> str:
    return (base_name(compiled) or "world") if index == 0 else compiled.bodies[index].name


def _in_element(compiled: CompiledMechanism, index: int) -> Pose:
    """The compiled body's frame seen from its MJCF element's: the static body has its own."""
    return base_pose(compiled).inverse() if index == 0 else Pose.identity()


def tendon_elements(
    compiled: CompiledMechanism, lever: float
) -> Iterator[tuple[Element, list[tuple[int, str, Pose]]]]:
    """The tendon of each universal closure, and its two sites: body, name and pose."""
    for closure in compiled.closures:
        if closure.kind is not JointKind.UNIVERSAL:
            continue
        cross = closure_equalities(closure)[2]
        ends = [f"{site}/cross" for site in closure_frames(closure)]
        tendon = Element("spatial", name=cross, width="0.0001")
        tendon.extend(Element("site", site=end) for end in ends)
        along_x = Pose(np.eye(3), np.array([lever, 0.0, 0.0]))
        along_y = Pose(np.eye(3), np.array([0.0, lever, 0.0]))
        yield (
            tendon,
            [
                (closure.chord.parent, ends[0], closure.chord.X_PF @ along_x),
                (closure.chord.child, ends[1], closure.chord.X_CM @ along_y),
            ],
        )


def exclude_elements(compiled: CompiledMechanism) -> Iterator[Element]:
    """No contact between bodies that a joint or a closure holds together."""
    edges = [tree_joint.edge for tree_joint in compiled.tree]
    edges += [closure.chord for closure in compiled.closures]
    pairs: dict[tuple[str, str], None] = {}
    for edge in edges:
        names = [_body_name(compiled, i) for i in (edge.parent, edge.child)]
        if edge.joint.kind is not JointKind.FREE and (names[1], names[0]) not in pairs:
            pairs[names[0], names[1]] = None
    for body1, body2 in pairs:
        yield Element("exclude", body1=body1, body2=body2)


def _note_chord(compiled: CompiledMechanism, closure: Closure, ledger: Ledger) -> None:
    """What acts along a cut joint has no element: MJCF gives it no coordinate."""
    joint = closure.chord.joint
    lost = note_losses(ledger, joint, None)
    if lost:
        ledger.warn(
            f"joint '{joint.name}' is cut to open loop '{closure.name}', which loses "
            f"{' and '.join(loss.what for loss in lost)}: "
            f"{why_cut_there(compiled, closure, MJCF_CUTTABLE)}"
        )
