"""How USD carries each property, for each importer."""

from __future__ import annotations

from robocompiler.write.fidelity import Carried, Carries, Property, approximated, dropped, exact
from robocompiler.write.usd.profiles import Profile

_ELSEWHERE = "cut elsewhere on the loop; refused where no joint of it can be cut exactly"
_LOWERED = approximated("hinges and slides, with bodies of `intermediate_mass` between; or refused")
_STACKED = exact("hinges and slides between the same two bodies")
_D6 = exact("`PhysicsJoint`, its other freedoms locked by `PhysicsLimitAPI`")
_NONE = "USD's schemas have none"
_CUT = "a joint beside the tree only holds; a warning each"
GENERIC: dict[Property, Carried] = {
    Property.REVOLUTE_JOINT: exact("`PhysicsRevoluteJoint`"),
    Property.PRISMATIC_JOINT: exact("`PhysicsPrismaticJoint`"),
    Property.SCREW_JOINT: dropped("refused: importers differ in what ties a move to a turn"),
    Property.CYLINDRICAL_JOINT: _LOWERED,
    Property.UNIVERSAL_JOINT: _LOWERED,
    Property.BALL_JOINT: exact("`PhysicsSphericalJoint`"),
    Property.PLANAR_JOINT: _LOWERED,
    Property.TRANSLATION_JOINT: _LOWERED,
    Property.FREE_JOINT: exact("no joint: an articulation of its own"),
    Property.REVOLUTE_CLOSURE: exact(
        "one excluded `PhysicsSphericalJoint` in a planar loop, two along the axis in a spatial one"
    ),
    Property.PRISMATIC_CLOSURE: dropped(_ELSEWHERE),
    Property.SCREW_CLOSURE: dropped(_ELSEWHERE),
    Property.CYLINDRICAL_CLOSURE: dropped(_ELSEWHERE),
    Property.UNIVERSAL_CLOSURE: dropped(_ELSEWHERE),
    Property.BALL_CLOSURE: exact("an excluded `PhysicsSphericalJoint`"),
    Property.PLANAR_CLOSURE: dropped(_ELSEWHERE),
    Property.TRANSLATION_CLOSURE: dropped(_ELSEWHERE),
    Property.FREE_CLOSURE: exact("nothing: it holds nothing"),
    Property.ZERO: exact(
        "joint frames that meet there; lost of a ball that stands elsewhere, nearly of what floats"
    ),
    Property.LIMITS: exact("in degrees; lost on a free joint"),
    Property.SWING: dropped("a cone limit leaves the turn about its axis free"),
    Property.DAMPING: exact("`NewtonJointAPI`, per degree; lost on a free joint"),
    Property.FRICTION: exact("`NewtonJointAPI`; lost on a free joint"),
    Property.SPRING: dropped(_NONE),
    Property.ARMATURE: exact("`NewtonJointAPI`; lost on a free joint"),
    Property.EFFORT: exact("`PhysicsDriveAPI` with `maxForce`; lost on balls and free joints"),
    Property.VELOCITY: exact("`NewtonJointAPI`, in degrees; lost on a free joint"),
    Property.CUT_LIMITS: dropped(_CUT),
    Property.CUT_TERMS: dropped(_CUT),
    Property.COUPLING: exact(
        "`NewtonMimicAPI`; lost between a hinge and a slide, and between what floats apart"
    ),
    Property.SUM_COUPLING: dropped("a joint mimics one other"),
    Property.ACTUATOR: exact("a drive of its joint, whose effort is the joint's"),
    Property.SHARED_ACTUATOR: dropped("a drive is of one joint"),
    Property.ACTUATOR_EFFORT: exact(
        "the drive's `maxForce`; lost where the joint states its own, or another of it none"
    ),
    Property.ACTUATOR_VELOCITY: dropped(_NONE),
    Property.ROTOR: exact("by the gear's square in the joint's armature"),
    Property.INERTIA: exact("`PhysicsMassAPI`, in single precision as all of USD's physics"),
    Property.WELDED: exact("`Xform`"),
    Property.FRAME: exact("`Xform`"),
    Property.VISUAL: exact("`Mesh`, each once and referred to"),
    Property.COLLISION: approximated("the convex hull: what it adds to the part"),
    Property.COLOR: exact("`UsdPreviewSurface`"),
    Property.SLIDING_FRICTION: exact("`PhysicsMaterialAPI`"),
    Property.SPINNING_FRICTION: exact("`NewtonMaterialAPI`"),
    Property.ROLLING_FRICTION: exact("`NewtonMaterialAPI`"),
    Property.RESTITUTION: exact("`PhysicsMaterialAPI`"),
    Property.GRAVITY: exact("`PhysicsScene`"),
    Property.DRAG: dropped(_NONE),
    Property.BUOYANCY: dropped(_NONE),
    Property.CONFIGURATION: dropped("a stage stands in one place, which is exact"),
    Property.TASK: dropped("a task is of the study, not of the mechanism"),
}
"""For any importer, in USD's own schemas and what Newton's add for joints and materials."""
HINGE = exact("an excluded `PhysicsSphericalJoint` in a planar loop, else `PhysicsRevoluteJoint`")
_SCREW = approximated(
    "hinge and slide, with a body of `intermediate_mass` between, tied by a mimic"
)
_MIMIC = exact("`NewtonMimicAPI`; lost between what floats apart")
_CLOSED = exact("an excluded `PhysicsJoint`, its other freedoms locked by `PhysicsLimitAPI`")
PHYSX = GENERIC | {
    Property.SCREW_JOINT: _SCREW,
    Property.PRISMATIC_CLOSURE: exact("an excluded `PhysicsPrismaticJoint`"),
    Property.CYLINDRICAL_CLOSURE: _CLOSED,
    Property.UNIVERSAL_CLOSURE: _CLOSED,
    Property.PLANAR_CLOSURE: _CLOSED,
    Property.TRANSLATION_CLOSURE: _CLOSED,
    Property.REVOLUTE_CLOSURE: HINGE,
    Property.COUPLING: _MIMIC,
}
NEWTON = GENERIC | {
    Property.SCREW_JOINT: _SCREW,
    Property.COUPLING: _MIMIC,
    Property.CYLINDRICAL_JOINT: _D6,
    Property.UNIVERSAL_JOINT: _D6,
    Property.PLANAR_JOINT: _D6,
    Property.TRANSLATION_JOINT: _D6,
    Property.REVOLUTE_CLOSURE: HINGE,
    Property.DAMPING: exact("`NewtonJointAPI`, per degree; lost where a joint turns and moves"),
    Property.FRICTION: exact("`NewtonJointAPI`; lost where a joint turns and moves"),
    Property.ARMATURE: exact("`NewtonJointAPI`; lost where a joint turns and moves"),
    Property.VELOCITY: exact("`NewtonJointAPI`, in degrees; lost where a joint turns and moves"),
    Property.ROTOR: exact("in the joint's armature; lost on a joint of several freedoms"),
    Property.INERTIA: exact("`NewtonMassAPI`: the inertia in double precision"),
    Property.WELDED: exact("`NewtonSiteAPI`"),
    Property.FRAME: exact("`NewtonSiteAPI`"),
}
MUJOCO = GENERIC | {
    Property.SCREW_JOINT: exact("hinge and slide between the same two bodies, tied by a mimic"),
    Property.CYLINDRICAL_JOINT: _STACKED,
    Property.UNIVERSAL_JOINT: _STACKED,
    Property.BALL_JOINT: exact("three hinges, singular a quarter turn from where it stands"),
    Property.PLANAR_JOINT: _STACKED,
    Property.TRANSLATION_JOINT: _STACKED,
    Property.ZERO: exact(
        "joint frames and `mjc:ref`; lost of a ball that stands elsewhere, nearly of what floats"
    ),
    Property.SPRING: exact("`mjc:stiffness` and `mjc:springref`; lost on balls and free joints"),
    Property.EFFORT: exact("`mjc:actuatorfrcrange`; lost on balls and free joints"),
    Property.VELOCITY: dropped("MuJoCo has none"),
    Property.COUPLING: exact("`MjcEqualityJointAPI`"),
    Property.ACTUATOR: exact("`MjcActuator` with its gear; lost where its joint is cut"),
    Property.SHARED_ACTUATOR: exact("`MjcActuator` on a fixed `MjcTendon`; lost where one is cut"),
    Property.ACTUATOR_EFFORT: exact("`mjc:ctrlRange` and `mjc:forceRange`"),
    Property.ROTOR: exact("in the joint's armature, or the tendon's; lost between two branches"),
    Property.INERTIA: exact("`NewtonMassAPI`: the inertia in double precision"),
    Property.WELDED: exact("`MjcSiteAPI`"),
    Property.FRAME: exact("`MjcSiteAPI`"),
    Property.RESTITUTION: dropped("bounce follows from `solref`"),
    Property.DRAG: exact("`MjcSceneAPI`'s density and viscosity; MuJoCo takes bodies for boxes"),
    Property.CONFIGURATION: exact("`MjcKeyframe`s; the first is where the bodies stand"),
}
_BY_PROFILE = {"generic": GENERIC, "physx": PHYSX, "newton": NEWTON, "mujoco": MUJOCO}


def carries(profile: Profile) -> Carries:
    """The table of one profile."""
    return _BY_PROFILE[profile.name]
