"""Joints that a profile has not: lowered to hinges and slides, or refused."""

from __future__ import annotations

from robocompiler.errors import UnwritableError
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import Joint
from robocompiler.write.chains import note_chains
from robocompiler.write.usd.scene import Scene


def check_joints(scene: Scene) -> None:
    """Whether every joint of the tree can be written, between the bodies there are or with others;
    what these weigh is noted.

    Raises:
        UnwritableError: those that cannot, by name, and what would help.
    """
    profile, mass = scene.profile, scene.export.options.intermediate_mass
    joints = [t.edge.joint for t in scene.compiled.tree]
    refused = [j for j in joints if j.kind is JointKind.SCREW and profile.angle is None]
    if refused:
        raise UnwritableError(
            "USD has no screw joint, and what ties a move to a turn is read in other units by each "
            f"importer: joint {_named(refused)} cannot be written for profile '{profile.name}'. "
            "Choose another `usd_profile`."
        )
    # One that could be one joint may have to be a chain where it is crossed backwards.
    lowered = [j for j in joints if j.kind not in scene.native and not profile.stacked]
    if lowered and not mass:
        told = "a mass of 0 would be taken for none stated" if mass == 0.0 else "it is not given"
        raise UnwritableError(
            f"USD for profile '{profile.name}' has no joint like {_named(lowered)}. It can be "
            "hinges and slides with small bodies between, if `intermediate_mass` says what these "
            f"weigh [kg]; {told}."
        )
    note_chains(lowered, mass or 0.0, scene.export.ledger)


def _named(joints: list[Joint]) -> str:
    return ", ".join(f"'{joint.name}' ({joint.kind.value})" for joint in joints)
