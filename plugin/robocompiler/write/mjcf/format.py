"""MJCF as one of the formats: what it carries, and the files of a model."""

from __future__ import annotations

from robocompiler.write.balls import warn_of_balls
from robocompiler.write.export import Export
from robocompiler.write.fidelity import Property, approximated, dropped, exact
from robocompiler.write.formats import Format
from robocompiler.write.hulls import note_hulls
from robocompiler.write.mjcf.keys import note_zeros
from robocompiler.write.mjcf.model import mjcf_text
from robocompiler.write.mjcf.names import MJCF_CUTTABLE
from robocompiler.write.statements import OF_A_STUDY

_ELSEWHERE = "cut elsewhere on the loop; refused where no joint of it can be cut exactly"
CARRIES = {
    Property.REVOLUTE_JOINT: exact("hinge"),
    Property.PRISMATIC_JOINT: exact("slide"),
    Property.SCREW_JOINT: exact("hinge and slide, tied by a fixed tendon of constant length"),
    Property.CYLINDRICAL_JOINT: exact("hinge and slide in one body"),
    Property.UNIVERSAL_JOINT: exact("two hinges in one body"),
    Property.BALL_JOINT: exact("ball"),
    Property.PLANAR_JOINT: exact("two slides and a hinge in one body"),
    Property.TRANSLATION_JOINT: exact("three slides in one body"),
    Property.FREE_JOINT: exact("freejoint"),
    Property.REVOLUTE_CLOSURE: exact(
        "one `connect` in a planar loop, two along the axis in a spatial one"
    ),
    Property.PRISMATIC_CLOSURE: dropped(_ELSEWHERE),
    Property.SCREW_CLOSURE: dropped(_ELSEWHERE),
    Property.CYLINDRICAL_CLOSURE: dropped(_ELSEWHERE),
    Property.UNIVERSAL_CLOSURE: exact("`connect`, and a tendon that keeps the cross square"),
    Property.BALL_CLOSURE: exact("one `connect`"),
    Property.PLANAR_CLOSURE: dropped(_ELSEWHERE),
    Property.TRANSLATION_CLOSURE: dropped(_ELSEWHERE),
    Property.FREE_CLOSURE: exact("nothing: it holds nothing"),
    Property.ZERO: exact("`ref`; nearly of a ball that stands elsewhere, and of what floats"),
    Property.LIMITS: exact("`range`"),
    Property.SWING: exact("`range`, where the ball stands at its zero; else lost"),
    Property.DAMPING: exact("`damping`; lost on a free joint"),
    Property.FRICTION: exact("`frictionloss`; lost on a free joint"),
    Property.SPRING: exact("`stiffness` and `springref`; a ball's where it stands at its zero"),
    Property.ARMATURE: exact("`armature`; lost on a free joint"),
    Property.EFFORT: exact("`actuatorfrcrange`; lost on balls and free joints"),
    Property.VELOCITY: dropped("MJCF has none"),
    Property.CUT_LIMITS: dropped("a constraint has no coordinate; a warning each"),
    Property.CUT_TERMS: dropped("a constraint has no coordinate; a warning each"),
    Property.COUPLING: exact("a fixed tendon of constant length"),
    Property.SUM_COUPLING: exact("a fixed tendon of constant length"),
    Property.ACTUATOR: exact("`motor` with its `gear`; lost where its joint is cut"),
    Property.SHARED_ACTUATOR: exact(
        "`motor` on a fixed tendon of the ratios; lost where one of its joints is cut"
    ),
    Property.ACTUATOR_EFFORT: exact("`ctrlrange` and `forcerange`"),
    Property.ACTUATOR_VELOCITY: dropped("MJCF has none"),
    Property.ROTOR: exact(
        "by the gear's square in the joint's `armature`, or the tendon's; lost between two "
        "branches of the tree, where MuJoCo would drop part of it"
    ),
    Property.INERTIA: exact("`inertial`, along the body's axes"),
    Property.WELDED: exact("`site`"),
    Property.FRAME: exact("`site`"),
    Property.VISUAL: exact("`mesh` geom"),
    Property.COLLISION: approximated("the convex hull: what it adds to the part"),
    Property.COLOR: exact("`rgba`"),
    Property.SLIDING_FRICTION: exact("`friction`"),
    Property.SPINNING_FRICTION: exact("`friction` and `condim`"),
    Property.ROLLING_FRICTION: exact("`friction` and `condim`"),
    Property.RESTITUTION: dropped("bounce follows from `solref`"),
    Property.GRAVITY: exact("`gravity`"),
    Property.DRAG: exact("`density` and `viscosity`; MuJoCo takes bodies for boxes"),
    Property.BUOYANCY: dropped("MuJoCo has none"),
    Property.CONFIGURATION: exact("a `key` each; where it stands is `qpos0` too"),
    Property.TASK: dropped(OF_A_STUDY),
}


def contents(export: Export) -> dict[str, bytes]:
    """The model's file."""
    note_hulls(export.meshes, export.ledger)
    warn_of_balls(export.compiled, export.ledger)
    text = mjcf_text(export)
    note_zeros(export)
    return {export.file: text.encode()}


MJCF = Format(
    name="mjcf",
    title="MJCF",
    suffixes=(".xml", ".mjcf"),
    options=frozenset({"timestep", "ground_plane", "light"}),
    cuttable=lambda options: MJCF_CUTTABLE,
    carries=lambda options: CARRIES,
    contents=contents,
)
