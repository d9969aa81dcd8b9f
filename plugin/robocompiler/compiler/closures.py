"""Pass: make every cut joint a closure of two ordered paths, and name it after its loop."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

import numpy as np

from robocompiler.compiler.compiled import Closure, Edge, TreeJoint
from robocompiler.compiler.spanning_tree import Cut
from robocompiler.equations.loops import Crossing, Loop
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import WORLD, Joint, Mechanism
from robocompiler.model.validity import bodies_of
from robocompiler.spatial import Pose

EXACT = 3e-15
"""An entry of a rotation this near to -1, 0 or 1 is that, and a length over the loop's size 0."""


def cut_chords(
    mechanism: Mechanism,
    tree: tuple[TreeJoint, ...],
    cuts: tuple[Cut, ...],
    holds: Collection[str] = (),
) -> tuple[Closure, ...]:
    """One closure for each cut, by name; `holds` are the cut joints that hold tasks.

    The paths start at the lowest common ancestor: what both sides share does not move the one
    against the other.
    """
    inboard = {joint.outboard: index for index, joint in enumerate(tree)}
    names = loop_names(mechanism, [cut.edge.joint.name for cut in cuts], holds)
    fixed = {joint.name for joint in mechanism.joints if joint.kind is JointKind.FIXED}

    def path_from_world(body: int) -> list[int]:
        path: list[int] = []
        while body in inboard:
            path.append(inboard[body])
            body = tree[path[-1]].inboard
        return path[::-1]

    closures: list[Closure] = []
    for cut in cuts:
        a, b = path_from_world(cut.edge.parent), path_from_world(cut.edge.child)
        shared = 0
        while shared < min(len(a), len(b)) and a[shared] == b[shared]:
            shared += 1
        to_parent, to_child = a[shared:], b[shared:]
        closures.append(
            Closure(
                name=names[cut.edge.joint.name],
                chord=cut.edge,
                to_parent=tuple(to_parent),
                to_child=tuple(to_child),
                loop=loop_of(cut.edge, [tree[i] for i in to_parent], [tree[i] for i in to_child]),
                reason=_reason(names[cut.edge.joint.name], cut, fixed),
            )
        )
    return tuple(sorted(closures, key=lambda closure: closure.name))


def loop_of(chord: Edge, to_parent: Sequence[TreeJoint], to_child: Sequence[TreeJoint]) -> Loop:
    """The way from a chord's F back to where the paths start, and on to its M."""
    last, crossings = chord.X_PF, list[Crossing]()
    for joint, outward in (
        *((j, False) for j in reversed(to_parent)),
        *((j, True) for j in to_child),
    ):
        edge, backwards = joint.edge, joint.reversed is outward
        met, left = (edge.X_CM, edge.X_PF) if backwards else (edge.X_PF, edge.X_CM)
        kind, pitch = edge.joint.kind, edge.joint.pitch
        before = last.inverse() @ met
        crossings.append(Crossing(kind, pitch, backwards, before, joint.q, joint.v))
        last = left
    after = last.inverse() @ chord.X_CM
    size = max(np.max(np.abs(X.p)) for X in (after, *(crossing.before for crossing in crossings)))
    exact = tuple(replace(c, before=_made_exact(c.before, size)) for c in crossings)
    return Loop(exact, _made_exact(after, size))


def _made_exact(X: Pose, size: float) -> Pose:
    """A pose with what composing frames has rounded taken back, where 0, 1 and -1 are meant.

    So axes that are meant to be parallel are, and what that makes zero costs nothing.
    """
    near = np.rint(X.R)
    R = np.where(np.abs(X.R - near) <= EXACT, near + 0.0, X.R)
    return Pose(R, np.where(np.abs(X.p) <= EXACT * size, 0.0 * X.p, X.p))


def _reason(loop: str, cut: Cut, fixed: set[str]) -> str:
    passed_over = loop in fixed and loop != cut.edge.joint.name
    return f"'{loop}' is fixed; {cut.reason}" if passed_over else cut.reason


def loop_names(
    mechanism: Mechanism, chords: list[str], holds: Collection[str] = ()
) -> dict[str, str]:
    """For each cut joint, the joint that names its loop.

    Loops are known by the joints that the description declares as closing them, whichever joint
    was cut. Each such joint names one closure on whose loop it lies: a maximum matching, in which
    a declared joint that was itself cut names its own closure. A loop on which none is declared is
    known by its cut joint; so is what holds a task, which takes no loop's name.
    """
    loops = dict(_loops(mechanism, chords))
    declared = {joint.name for joint in mechanism.joints if joint.closes_loop}
    owner: dict[str, str] = {name: name for name in chords if name in declared}

    def claim(chord: str, tried: set[str]) -> bool:
        """Kuhn's step: give `chord` a declared joint, moving others along where need be."""
        for name in sorted(loops[chord] & declared - tried):
            tried.add(name)
            if name not in owner or (owner[name] != name and claim(owner[name], tried)):
                owner[name] = chord
                return True
        return False

    for chord in sorted(set(chords) - set(owner) - set(holds)):
        claim(chord, set())
    named = {chord: name for name, chord in owner.items()}
    return {chord: named.get(chord, chord) for chord in chords}


def _loops(mechanism: Mechanism, chords: list[str]) -> Iterator[tuple[str, frozenset[str]]]:
    """For each cut joint, the names of all joints of its loop, fixed ones too."""
    ends = bodies_of(mechanism)
    near: dict[str, list[tuple[Joint, str]]] = {}
    for joint in mechanism.joints:
        if joint.name not in chords:
            a, b = ends[joint.name]
            near.setdefault(a, []).append((joint, b))
            near.setdefault(b, []).append((joint, a))
    up: dict[str, tuple[str, str]] = {}
    waiting = [WORLD]
    while waiting:
        body = waiting.pop()
        for joint, other in near.get(body, []):
            if other not in up and other != WORLD:
                up[other] = (joint.name, body)
                waiting.append(other)
    for chord in chords:
        sides = [_joints_to_world(up, body) for body in ends[chord]]
        yield chord, frozenset({chord}) | (sides[0] ^ sides[1])


def _joints_to_world(up: dict[str, tuple[str, str]], body: str) -> frozenset[str]:
    joints: set[str] = set()
    while body in up:
        joint, body = up[body]
        joints.add(joint)
    return frozenset(joints)
