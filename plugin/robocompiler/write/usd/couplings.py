"""Couplings: a joint that mimics another."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from robocompiler.compiler.compiled import CoordinateRef
from robocompiler.model.joint_kinds import JointKind
from robocompiler.write.fidelity import Property
from robocompiler.write.links import LinkJoint
from robocompiler.write.usd.mujoco import stiffen
from robocompiler.write.usd.prims import Prim, real
from robocompiler.write.usd.scene import Scene, in_degrees

ENDS = ("physics:lowerLimit", "physics:upperLimit")
FAR_TURN, FAR_MOVE = 360_000.0, 1000.0
"""Limits [degrees, m] of a leader that has none: a thousand turns."""
WHY_KINDS = "importers differ in the unit of a move that mimics a turn, and the reverse"
WHY_APART = "its joints are of articulations that float apart, and importers take none of two"
WHY_SEVERAL = "a joint of several freedoms has no single coordinate to mimic"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mimic:
    """follower = ratio · leader + offset, on joints of the stage."""

    follower: LinkJoint
    leader: LinkJoint
    ratio: float
    """[follower's unit per leader's unit]: m or rad each."""
    offset: float
    """[m or rad]"""


def mimics(scene: Scene) -> Iterator[Mimic]:
    """The couplings that the importer makes, and screws; the others are noted as lost.

    Newton takes no leader that follows another: a chain names its first.
    """
    found = {own.follower.name: own for own in (*_screws(scene), *_couplings(scene))}
    yield from (_first(found, own) for own in found.values())


def _first(found: Mapping[str, Mimic], own: Mimic) -> Mimic:
    """What follows the first of a chain; none leads itself in a circle."""
    inner = found.get(own.leader.name)
    if inner is None:
        return own
    first = _first(found, inner)
    offset = own.ratio * first.offset + own.offset
    return replace(own, leader=first.leader, ratio=own.ratio * first.ratio, offset=offset)


def _couplings(scene: Scene) -> Iterator[Mimic]:
    for coupling in scene.compiled.couplings:
        if len(coupling.leaders) > 1:
            continue
        follower = coordinate_joint(scene, coupling.follower)
        leader = coordinate_joint(scene, coupling.leaders[0])
        if follower is None or leader is None:
            why = WHY_SEVERAL
        elif follower.turns != leader.turns and scene.profile.angle is None:
            why = WHY_KINDS
        elif not scene.profile.mujoco and _articulation(scene, follower) != _articulation(
            scene, leader
        ):
            why = WHY_APART
        else:
            ratio, offset = coupling.ratios[0], coupling.offset
            yield Mimic(follower=follower, leader=leader, ratio=ratio, offset=offset)
            continue
        scene.ledger.drop(Property.COUPLING, coupling.name, "its coupling", why)


def _articulation(scene: Scene, joint: LinkJoint) -> int:
    return scene.articulation(scene.compiled.tree[joint.source].outboard)


def _screws(scene: Scene) -> Iterator[Mimic]:
    """The advance of each screw, which follows its turn."""
    joints = scene.tree.joints
    for index, tree_joint in enumerate(scene.compiled.tree):
        joint = tree_joint.edge.joint
        if joint.kind is JointKind.SCREW:
            parts = {own.part: own for own in joints if own.source == index}
            yield Mimic(follower=parts[1], leader=parts[0], ratio=joint.pitch, offset=0.0)


def coordinate_joint(scene: Scene, ref: CoordinateRef) -> LinkJoint | None:
    """The joint of one axis whose coordinate it is; None where a joint of several has it."""
    within = ref.v - int(scene.compiled.tree[ref.tree_joint].v.start)
    for joint in scene.tree.joints:
        if joint.source != ref.tree_joint:
            continue
        single = joint.kind in (JointKind.REVOLUTE, JointKind.PRISMATIC)
        if single and (joint.part is None or joint.part == within):
            return joint
    return None


def couple(scene: Scene, prims: list[Prim]) -> None:
    """Make the followers mimic their leaders.

    MuJoCo counts both from where they stand, where every coupling holds: there is no offset to it.
    """
    by_name = {prim.name: prim for prim in prims}
    for mimic in mimics(scene):
        prim = by_name[scene.joints[mimic.follower.name]]
        leader = by_name[scene.joints[mimic.leader.name]]
        turns, unit = mimic.follower.turns, scene.profile.angle or 1.0
        ratio = mimic.ratio
        if turns != mimic.leader.turns:
            ratio = ratio / unit if turns else ratio * unit
        offset = in_degrees(mimic.offset) if turns else mimic.offset
        prim.schemas += ("NewtonMimicAPI",)
        prim.attributes["newton:mimicCoef0"] = real(0.0 if scene.profile.mujoco else offset)
        prim.attributes["newton:mimicCoef1"] = real(ratio)
        prim.relations["newton:mimicJoint"] = (scene.joint_path(mimic.leader.name),)
        if scene.profile.mujoco:
            stiffen(prim, "MjcEqualityJointAPI")
        if not scene.profile.mujoco:
            _bound(prim, leader, mimic)


def _bound(follower: Prim, leader: Prim, mimic: Mimic) -> None:
    """Limits of both where none are stated: PhysX leaves out a mimic of joints without."""
    if ENDS[0] not in leader.attributes:
        far = FAR_TURN if mimic.leader.turns else FAR_MOVE
        leader.attributes |= {ENDS[0]: real(-far), ENDS[1]: real(far)}
    if ENDS[0] in follower.attributes:
        return
    ends = [leader.attributes[end].value for end in ENDS]
    if mimic.leader.turns:
        ends = [math.radians(end) for end in ends]
    values = sorted(mimic.ratio * end + mimic.offset for end in ends)
    for end, value in zip(ENDS, values, strict=True):
        follower.attributes[end] = real(in_degrees(value) if mimic.follower.turns else value)
