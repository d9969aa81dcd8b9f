"""URDF as one of the formats: what it carries, and the files of a model."""

from __future__ import annotations

from robocompiler.write.fidelity import Carried, Carries, Property, approximated, dropped, exact
from robocompiler.write.formats import Format
from robocompiler.write.options import WriteOptions
from robocompiler.write.statements import OF_A_STUDY
from robocompiler.write.urdf.model import EXTENDED, contents
from robocompiler.write.urdf.names import TITLE, URDF_CUTTABLE

_ELSEWHERE = "cut elsewhere on the loop; refused where no joint of it can be cut exactly"
_POINTS = "`<loop>`, `drake:ball_constraint`, `robot.yaml`, named frames"
_CUT = "a constraint has no coordinate; a warning each"
_LOWERED = {
    Property.SCREW_JOINT: "hinge and slide, tied by `mimic`",
    Property.CYLINDRICAL_JOINT: "hinge and slide",
    Property.UNIVERSAL_JOINT: "two hinges",
    Property.BALL_JOINT: "three hinges, singular where the second is at ±90°",
    Property.PLANAR_JOINT: "two slides and a hinge",
    Property.TRANSLATION_JOINT: "three slides",
}
_NATIVE = {
    Property.REVOLUTE_JOINT: exact("`revolute`, or `continuous` without limits"),
    Property.PRISMATIC_JOINT: exact("`prismatic`"),
    Property.FREE_JOINT: exact(
        "`floating`, which MuJoCo refuses but on `world`; the root link, where it is one floating "
        "tree"
    ),
    Property.REVOLUTE_CLOSURE: exact(
        f"{_POINTS}: one point in a planar loop, two along the axis in a spatial one"
    ),
    Property.PRISMATIC_CLOSURE: dropped(_ELSEWHERE),
    Property.SCREW_CLOSURE: dropped(_ELSEWHERE),
    Property.CYLINDRICAL_CLOSURE: dropped(_ELSEWHERE),
    Property.UNIVERSAL_CLOSURE: dropped(_ELSEWHERE),
    Property.BALL_CLOSURE: exact(_POINTS),
    Property.PLANAR_CLOSURE: dropped(_ELSEWHERE),
    Property.TRANSLATION_CLOSURE: dropped(_ELSEWHERE),
    Property.FREE_CLOSURE: exact("nothing: it holds nothing"),
    Property.ZERO: exact("`origin`"),
    Property.LIMITS: exact("`limit`; 1e10 where one side is open"),
    Property.SWING: dropped("URDF has none"),
    Property.DAMPING: exact("`dynamics`; a ball's nearly, on its hinges; lost on free joints"),
    Property.FRICTION: exact("`dynamics`; a ball's nearly, on its hinges; lost on free joints"),
    Property.SPRING: dropped("URDF has none"),
    Property.ARMATURE: exact("`drake:rotor_inertia`, for Drake; lost on balls and free joints"),
    Property.EFFORT: exact("`limit`, 1e10 where none is stated; lost on balls and free joints"),
    Property.VELOCITY: exact("`limit`, 1e10 where none is stated; lost on balls and free joints"),
    Property.CUT_LIMITS: dropped(_CUT),
    Property.CUT_TERMS: dropped(_CUT),
    Property.COUPLING: exact("`mimic`, with limits on both"),
    Property.SUM_COUPLING: exact(
        "`drake:tendon_constraint`, which only Drake reads; a warning each; lost where its joints "
        "are of more than two trees that start from the world"
    ),
    Property.ACTUATOR: exact("`transmission` and `ros2_control`; lost where its joint is cut"),
    Property.SHARED_ACTUATOR: dropped("a `transmission` has one joint"),
    Property.ACTUATOR_EFFORT: exact(
        "at the joint: `ros2_control`, and `limit` if it states none; lost where another of it "
        "states none"
    ),
    Property.ACTUATOR_VELOCITY: exact(
        "at the joint: `limit`; lost where the joint states its own, or another is slower"
    ),
    Property.ROTOR: exact("`drake:rotor_inertia` and `drake:gear_ratio`, for Drake"),
    Property.INERTIA: exact("`inertial`, along the body's axes"),
    Property.WELDED: exact(
        "link without mass on a fixed joint; with `root`, what is welded to the world floats in "
        "Drake"
    ),
    Property.FRAME: exact("link without mass on a fixed joint"),
    Property.VISUAL: exact("`visual` mesh, as OBJ"),
    Property.COLLISION: exact(
        "`collision` mesh, as OBJ; most simulators take its hull: a warning if that adds over 5 %"
    ),
    Property.COLOR: exact("`material`"),
    Property.SLIDING_FRICTION: dropped("URDF has none"),
    Property.SPINNING_FRICTION: dropped("URDF has none"),
    Property.ROLLING_FRICTION: dropped("URDF has none"),
    Property.RESTITUTION: dropped("URDF has none"),
    Property.GRAVITY: dropped("of the world, not of the robot"),
    Property.DRAG: dropped("of the world, not of the robot"),
    Property.BUOYANCY: dropped("of the world, not of the robot"),
    Property.CONFIGURATION: exact(
        "`group_state` of the SRDF; Pinocchio reads none of a hinge without limits that turns "
        "about no axis of its link"
    ),
    Property.TASK: dropped(OF_A_STUDY),
}


def carries(options: WriteOptions) -> Carries:
    """How URDF carries each property: what it lacks depends on the links that may be added."""
    mass = options.intermediate_mass
    return {of: _lowered(_LOWERED[of], mass) if of in _LOWERED else _NATIVE[of] for of in Property}


def _lowered(chain: str, mass: float | None) -> Carried:
    if mass:
        return approximated(f"{chain}, with links of `intermediate_mass` between")
    return exact(f"{chain}, with links between; refused without `intermediate_mass`")


URDF = Format(
    name="urdf",
    title=TITLE,
    suffixes=(".urdf",),
    options=frozenset({"root", "intermediate_mass"}),
    cuttable=lambda options: URDF_CUTTABLE,
    carries=carries,
    contents=contents,
    sometimes=(EXTENDED,),
)
