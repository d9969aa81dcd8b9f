"""Couplings: a joint that mimics another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from robocompiler.compiler.compiled import CoordinateRef
from robocompiler.model.joint_kinds import JointKind
from robocompiler.write.fidelity import Property
from robocompiler.write.links import LinkJoint
from robocompiler.write.usd.prims import Prim, real
from robocompiler.write.usd.scene import Scene, in_degrees

WHY_KINDS = "a joint that turns mimics none that moves, nor the reverse"
WHY_SEVERAL = "a joint mimics one other"
WHY_CUT = "a joint of several freedoms has no single coordinate to mimic"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mimic:
    """follower = ratio · leader + offset, on joints of the stage."""

    name: str
    follower: str
    leader: str
    ratio: float
    offset: float
    """[m or rad]"""
    turns: bool
    """Whether the follower is an angle."""


def mimics(scene: Scene) -> Iterator[Mimic]:
    """The couplings that USD has; the others are noted as lost."""
    for coupling in scene.compiled.couplings:
        if len(coupling.leaders) > 1:
            continue
        follower = coordinate_joint(scene, coupling.follower)
        leader = coordinate_joint(scene, coupling.leaders[0])
        why = None
        if follower is None or leader is None:
            why = WHY_CUT
        elif follower.turns != leader.turns:
            why = WHY_KINDS
        if why is not None or follower is None or leader is None:
            scene.ledger.drop(Property.COUPLING, coupling.name, "its coupling", why or "")
            continue
        yield Mimic(
            name=coupling.name,
            follower=follower.name,
            leader=leader.name,
            ratio=coupling.ratios[0],
            offset=coupling.offset,
            turns=follower.turns,
        )


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
    """Make the followers mimic their leaders."""
    by_name = {prim.name: prim for prim in prims}
    for mimic in mimics(scene):
        prim = by_name[scene.joints[mimic.follower]]
        prim.schemas += ("NewtonMimicAPI",)
        offset = in_degrees(mimic.offset) if mimic.turns else mimic.offset
        prim.attributes["newton:mimicCoef0"] = real(offset)
        prim.attributes["newton:mimicCoef1"] = real(mimic.ratio)
        prim.relations["newton:mimicJoint"] = (scene.joint_path(mimic.leader),)
        _bound(prim, by_name[scene.joints[mimic.leader]], mimic)


def _bound(follower: Prim, leader: Prim, mimic: Mimic) -> None:
    """Limits of a follower that states none, from its leader's: PhysX wants both to have some."""
    ends = ("physics:lowerLimit", "physics:upperLimit")
    if ends[0] in follower.attributes or ends[0] not in leader.attributes:
        return
    offset = in_degrees(mimic.offset) if mimic.turns else mimic.offset
    values = sorted(mimic.ratio * leader.attributes[end].value + offset for end in ends)
    for end, value in zip(ends, values, strict=True):
        follower.attributes[end] = real(value)
