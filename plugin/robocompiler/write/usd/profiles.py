"""Whose importer a stage is for, and what that decides."""

from __future__ import annotations

import math
from dataclasses import dataclass

from robocompiler.model.joint_kinds import JointKind

D6 = frozenset(
    {JointKind.CYLINDRICAL, JointKind.UNIVERSAL, JointKind.PLANAR, JointKind.TRANSLATION}
)
"""Kinds that a joint of six freedoms is, with some of them locked."""
POINTS = frozenset({JointKind.BALL, JointKind.REVOLUTE, JointKind.FREE})
"""Kinds whose closure is one point, or two; or none, for what holds nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """What one importer makes of a stage."""

    name: str
    native: frozenset[JointKind]
    """Kinds of the tree that are one joint each."""
    stacked: bool = False
    """Whether several joints between the same two bodies are one of all their freedoms."""
    cuttable: frozenset[JointKind] = POINTS
    """Kinds whose closure it makes exactly."""
    hinge_closure: bool = False
    """Whether it closes a hinge as a hinge."""
    angle: float | None = None
    """The unit of angles [rad] that it takes where a move mimics a turn, or the reverse: the schema
    says nothing of it. None where importers differ."""
    sites: tuple[str, ...] = ()
    """Schemas that make a place of a prim; () where a plain one is."""
    physx: bool = False
    """Whether it reads PhysX's schemas, and fixes only articulations that start from what fixes
    them, not from their base."""
    mujoco: bool = False
    """Whether it reads MuJoCo's schemas."""
    newton: bool = False
    """Whether it reads Newton's, beyond the coupling of joints."""

    @property
    def why_rigid(self) -> str:
        """Why what does not move has to be a body."""
        if self.physx:
            return "PhysX gives joints on the bare world no coordinate"
        return "Newton reads no loop or coupling from one tree on the bare world to another"


NATIVE = frozenset({JointKind.REVOLUTE, JointKind.PRISMATIC, JointKind.BALL, JointKind.FREE})

PROFILES = {
    profile.name: profile
    for profile in (
        Profile(name="generic", native=NATIVE),
        Profile(
            name="mujoco",
            native=NATIVE - {JointKind.BALL},
            stacked=True,
            angle=1.0,
            sites=("MjcSiteAPI",),
            mujoco=True,
            newton=True,
        ),
        Profile(
            name="physx",
            native=NATIVE,
            cuttable=POINTS | {JointKind.PRISMATIC} | D6,
            hinge_closure=True,
            physx=True,
            angle=math.radians(1.0),
        ),
        Profile(
            name="newton",
            native=NATIVE | D6,
            angle=1.0,
            hinge_closure=True,
            sites=("NewtonSiteAPI",),
            newton=True,
        ),
    )
}
