"""How USD carries each property, for each importer."""

from __future__ import annotations

from robocompiler.write.fidelity import Carried, Carries, Property, approximated, dropped, exact
from robocompiler.write.usd.profiles import Profile

_ELSEWHERE = "cut elsewhere on the loop; refused where no joint of it can be cut exactly"
_LOWERED = "hinges and slides, with bodies of `intermediate_mass` between; refused without it"
_NONE = "USD's own schemas have none"
COMMON: dict[Property, Carried] = {
    Property.REVOLUTE_JOINT: exact("`PhysicsRevoluteJoint`"),
    Property.PRISMATIC_JOINT: exact("`PhysicsPrismaticJoint`"),
    Property.SCREW_JOINT: dropped("refused: no schema ties a move to a turn"),
    Property.CYLINDRICAL_JOINT: exact(_LOWERED),
    Property.UNIVERSAL_JOINT: exact(_LOWERED),
    Property.BALL_JOINT: exact("`PhysicsSphericalJoint`"),
    Property.PLANAR_JOINT: exact(_LOWERED),
    Property.TRANSLATION_JOINT: exact(_LOWERED),
    Property.FREE_JOINT: exact("no joint: an articulation of its own"),
    Property.REVOLUTE_CLOSURE: exact(
        "one excluded `PhysicsSphericalJoint` in a planar loop, two along the axis in a spatial one"
    ),
    Property.PRISMATIC_CLOSURE: dropped(_ELSEWHERE),
    Property.SCREW_CLOSURE: dropped(_ELSEWHERE),
    Property.CYLINDRICAL_CLOSURE: dropped(_ELSEWHERE),
    Property.UNIVERSAL_CLOSURE: dropped(_ELSEWHERE),
    Property.BALL_CLOSURE: exact("excluded `PhysicsSphericalJoint`"),
    Property.PLANAR_CLOSURE: dropped(_ELSEWHERE),
    Property.TRANSLATION_CLOSURE: dropped(_ELSEWHERE),
    Property.FREE_CLOSURE: exact("nothing: it holds nothing"),
    Property.ZERO: exact("joint frames that coincide there"),
    Property.LIMITS: exact("`lowerLimit`, `upperLimit` or `PhysicsLimitAPI`; in degrees"),
    Property.SWING: dropped("a cone limit leaves the turn about its axis free"),
    Property.DAMPING: dropped(_NONE),
    Property.FRICTION: dropped(_NONE),
    Property.SPRING: dropped(_NONE),
    Property.ARMATURE: dropped(_NONE),
    Property.EFFORT: exact("`PhysicsDriveAPI` with its `maxForce`; lost on a ball"),
    Property.VELOCITY: dropped(_NONE),
    Property.CUT_LIMITS: dropped("a joint beside the tree only holds; a warning each"),
    Property.CUT_TERMS: dropped("a joint beside the tree only holds; a warning each"),
    Property.COUPLING: exact("`NewtonMimicAPI`, between two hinges or two slides; else lost"),
    Property.SUM_COUPLING: dropped("a joint mimics one other"),
    Property.ACTUATOR: approximated("a drive of its joint, on the joint's side of the gear"),
    Property.SHARED_ACTUATOR: dropped("a drive is of one joint"),
    Property.ACTUATOR_EFFORT: exact("the drive's `maxForce`, on the joint's side of the gear"),
    Property.ACTUATOR_VELOCITY: dropped(_NONE),
    Property.ROTOR: dropped(_NONE),
    Property.INERTIA: exact("`PhysicsMassAPI`, in single precision"),
    Property.WELDED: exact("`Xform`"),
    Property.FRAME: exact("`Xform`"),
    Property.VISUAL: exact("`Mesh`, each once and referred to"),
    Property.COLLISION: approximated("the convex hull; a warning names those that add over 5 %"),
    Property.COLOR: exact("`UsdPreviewSurface`"),
    Property.SLIDING_FRICTION: exact("`PhysicsMaterialAPI`"),
    Property.SPINNING_FRICTION: dropped(_NONE),
    Property.ROLLING_FRICTION: dropped(_NONE),
    Property.RESTITUTION: exact("`PhysicsMaterialAPI`"),
    Property.GRAVITY: exact("`PhysicsScene`"),
    Property.DRAG: dropped(_NONE),
    Property.BUOYANCY: dropped(_NONE),
    Property.CONFIGURATION: dropped("a stage stands in one place"),
    Property.TASK: dropped("a task is of the study, not of the mechanism"),
}
"""As USD's own schemas have it, with Newton's for couplings."""


def carries(profile: Profile) -> Carries:
    """The table of one profile."""
    return COMMON
