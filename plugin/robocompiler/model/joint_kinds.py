"""What each kind of joint leaves free. The only place that knows."""

from __future__ import annotations

from enum import Enum
from functools import cached_property


class Factor(Enum):
    """An elementary motion. A joint's motion X_FM is the product of its kind's factors."""

    MOVE_X = "moveX"
    MOVE_Y = "moveY"
    MOVE_Z = "moveZ"
    TURN_X = "turnX"
    TURN_Y = "turnY"
    TURN_Z = "turnZ"
    HELIX_Z = "helixZ"
    """A turn about z that moves along it by the joint's pitch."""
    ROTATION = "rotation"
    """Any rotation: a unit quaternion, its speed the angular velocity in the turned frame."""

    @property
    def is_turn(self) -> bool:
        """Whether the coordinate is an angle [rad]; otherwise a length [m]."""
        return self not in (Factor.MOVE_X, Factor.MOVE_Y, Factor.MOVE_Z)

    @property
    def nq(self) -> int:
        """Number of coordinates."""
        return 4 if self is Factor.ROTATION else 1

    @property
    def nv(self) -> int:
        """Number of speeds."""
        return 3 if self is Factor.ROTATION else 1


class JointKind(Enum):
    """A joint by what it frees, in its own frame F: a single axis is always z.

    A universal joint turns about F's x and then about M's y; a planar one moves in F's xy plane
    and then turns about z. A translation moves along F's axes, and a free joint then rotates too.
    """

    FIXED = "fixed"
    REVOLUTE = "revolute"
    PRISMATIC = "prismatic"
    SCREW = "screw"
    CYLINDRICAL = "cylindrical"
    UNIVERSAL = "universal"
    BALL = "ball"
    PLANAR = "planar"
    TRANSLATION = "translation"
    FREE = "free"

    @cached_property
    def factors(self) -> tuple[Factor, ...]:
        """The elementary motions, in the order they are applied from F to M."""
        return _FACTORS[self]

    @cached_property
    def dof(self) -> int:
        """Degrees of freedom: the number of speeds."""
        return sum(factor.nv for factor in self.factors)

    @cached_property
    def nq(self) -> int:
        """Number of coordinates: a rotation's quaternion has one more than its speeds."""
        return sum(factor.nq for factor in self.factors)

    @property
    def zero(self) -> tuple[float, ...]:
        """The coordinates at which M coincides with F."""
        return tuple(
            value
            for factor in self.factors
            for value in ((1.0, 0.0, 0.0, 0.0) if factor is Factor.ROTATION else (0.0,))
        )

    @property
    def rows(self) -> int:
        """Rows of the closure this joint makes when it is cut."""
        return 6 - self.dof


_FACTORS: dict[JointKind, tuple[Factor, ...]] = {
    JointKind.FIXED: (),
    JointKind.REVOLUTE: (Factor.TURN_Z,),
    JointKind.PRISMATIC: (Factor.MOVE_Z,),
    JointKind.SCREW: (Factor.HELIX_Z,),
    JointKind.CYLINDRICAL: (Factor.TURN_Z, Factor.MOVE_Z),
    JointKind.UNIVERSAL: (Factor.TURN_X, Factor.TURN_Y),
    JointKind.BALL: (Factor.ROTATION,),
    JointKind.PLANAR: (Factor.MOVE_X, Factor.MOVE_Y, Factor.TURN_Z),
    JointKind.TRANSLATION: (Factor.MOVE_X, Factor.MOVE_Y, Factor.MOVE_Z),
    JointKind.FREE: (Factor.MOVE_X, Factor.MOVE_Y, Factor.MOVE_Z, Factor.ROTATION),
}
