"""SDFormat as one of the formats: what it carries, and the files of a model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from robocompiler.compiler.compile import compile_mechanism
from robocompiler.errors import CouplingError, UnwritableError
from robocompiler.model.joint_kinds import JointKind
from robocompiler.solve.assembly.carrying import carry_over
from robocompiler.write.export import ASSEMBLED, Export
from robocompiler.write.fidelity import Carried, Property, approximated, dropped, exact
from robocompiler.write.formats import Format
from robocompiler.write.hulls import warn_of_hulls
from robocompiler.write.ledger import Ledger
from robocompiler.write.options import WriteOptions
from robocompiler.write.sdf.closures import DRAKE_CUTTABLE
from robocompiler.write.sdf.drives import drake_differs
from robocompiler.write.sdf.model import sdf_text
from robocompiler.write.sdf.scene import NATIVE
from robocompiler.write.statements import BURDENS, burdens

_ELSEWHERE = "cut elsewhere on the loop; refused where no joint of it can be cut exactly"
_SECOND = "a second joint to its child, which DART, gz-sim's default engine, ignores"
_DRAKE = f"{_SECOND}; Drake refuses it, so `<stem>.drake.sdf` has "
_REFUSED = dropped("refused, unless `intermediate_mass` allows joints of one axis in a chain")
LOWERED = (Property.CYLINDRICAL_JOINT, Property.PLANAR_JOINT, Property.TRANSLATION_JOINT)
CARRIES: dict[Property, Carried] = {
    Property.REVOLUTE_JOINT: exact("`revolute`; `continuous` where it has no limits"),
    Property.PRISMATIC_JOINT: exact("`prismatic`"),
    Property.SCREW_JOINT: exact("`screw`: 1.9's `thread_pitch` and 1.10's `screw_thread_pitch`"),
    Property.CYLINDRICAL_JOINT: _REFUSED,
    Property.UNIVERSAL_JOINT: exact("`universal`"),
    Property.BALL_JOINT: exact("`ball`"),
    Property.PLANAR_JOINT: _REFUSED,
    Property.TRANSLATION_JOINT: _REFUSED,
    Property.FREE_JOINT: exact("no joint: the link stands free"),
    Property.REVOLUTE_CLOSURE: exact(
        f"{_DRAKE}one `drake:ball_constraint` in a planar loop, two along the axis in a spatial one"
    ),
    Property.PRISMATIC_CLOSURE: exact(f"{_DRAKE}the loop cut elsewhere"),
    Property.SCREW_CLOSURE: exact(f"{_DRAKE}the loop cut elsewhere"),
    Property.CYLINDRICAL_CLOSURE: dropped(_ELSEWHERE),
    Property.UNIVERSAL_CLOSURE: exact(f"{_DRAKE}the loop cut elsewhere"),
    Property.BALL_CLOSURE: exact(f"{_DRAKE}one `drake:ball_constraint`"),
    Property.PLANAR_CLOSURE: dropped(_ELSEWHERE),
    Property.TRANSLATION_CLOSURE: dropped(_ELSEWHERE),
    Property.FREE_CLOSURE: exact("nothing: it holds nothing"),
    Property.ZERO: approximated(
        "coordinates count from where the links stand, assembled; by how much is in the ledger, "
        "and limits, couplings and springs count from there too"
    ),
    Property.LIMITS: exact("`limit`"),
    Property.SWING: dropped("SDFormat's ball has no limits"),
    Property.DAMPING: exact("`damping`; lost on a free joint"),
    Property.FRICTION: exact("`friction`; lost on balls and free joints"),
    Property.SPRING: exact("`spring_stiffness`; lost on balls and free joints"),
    Property.ARMATURE: exact(
        "`drake:rotor_inertia`, which only Drake reads; lost on joints of several axes"
    ),
    Property.EFFORT: exact("`effort`; lost on balls and free joints"),
    Property.VELOCITY: exact("`velocity`; lost on balls and free joints"),
    Property.CUT_LIMITS: exact("on the second joint; not in Drake's file"),
    Property.CUT_TERMS: exact("on the second joint, but armature; not in Drake's file"),
    Property.COUPLING: exact(
        "`mimic` of SDFormat 1.11, which DART, gz-sim's default engine, ignores; `drake:mimic`; no "
        "`gearbox`, which Drake refuses"
    ),
    Property.SUM_COUPLING: exact(
        "`drake:tendon_constraint`, which only Drake reads; a warning each; lost where its joints "
        "are of more than two trees that start from the world"
    ),
    Property.ACTUATOR: exact(
        "gz-sim's ApplyJointForce, whose command is the effort at the joint; lost on universals. "
        "Drake's are of joints with an effort limit: `<stem>.drake.sdf` has 0 of others"
    ),
    Property.SHARED_ACTUATOR: dropped("plugins and limits are of one joint each"),
    Property.ACTUATOR_EFFORT: exact("by the gear, the joint's `effort`, where it states none"),
    Property.ACTUATOR_VELOCITY: exact("by the gear, the joint's `velocity`, where it states none"),
    Property.ROTOR: exact("by the gear's square in `drake:rotor_inertia`, which only Drake reads"),
    Property.INERTIA: exact("`inertial`, along the link's axes"),
    Property.WELDED: exact("`frame`"),
    Property.FRAME: exact("`frame`"),
    Property.VISUAL: exact("`mesh`"),
    Property.COLLISION: exact(
        "`mesh`, with other models; Drake takes its hull: a warning if that adds over 5 %"
    ),
    Property.COLOR: exact("`ambient` and `diffuse`"),
    Property.SLIDING_FRICTION: exact("`mu` and `mu2`"),
    Property.SPINNING_FRICTION: exact("`torsional`, by a patch that withstands as much"),
    Property.ROLLING_FRICTION: dropped("Bullet's alone, and no length"),
    Property.RESTITUTION: exact("`restitution_coefficient`, from any speed"),
    Property.GRAVITY: exact("`gravity` of the world; Drake ignores it"),
    Property.DRAG: dropped("a matter of gz-sim's plugins"),
    Property.BUOYANCY: dropped("a matter of gz-sim's plugins"),
    Property.CONFIGURATION: dropped(
        "but where the links stand: `state` is of one moment of a world, and has no name"
    ),
    Property.TASK: dropped("a task is of the study, not of the mechanism"),
}
"""Without options."""


LOOPS = (
    "gz-sim's default engine, DART, ignores joints that close loops, so there the loops fall "
    "apart, unless a link of each is split in two and the plugin DetachableJoint welds the halves "
    "(gz-physics#352; not tried here); Drake refuses such joints, and has a file of its own, "
    "`<stem>.drake.sdf`"
)
UNDRIVEN = (
    "Drake makes an actuator of unlimited effort of each joint without an effort limit: give it "
    "`<stem>.drake.sdf`, in which what nothing drives has a limit of 0, and so no actuator"
)
DRAKE = ".drake.sdf"
"""In place of the model's suffix: the file for Drake."""
DRAKES_GRAVITY = (0.0, 0.0, -9.81)
"""[m/s²], whatever a file says."""


def carries(options: WriteOptions) -> Mapping[Property, Carried]:
    """How each property is carried with these options."""
    if options.intermediate_mass is None:
        return CARRIES
    chain = "joints of one axis, with links between that "
    weighs = (
        approximated(f"{chain}have mass")
        if options.intermediate_mass
        else exact(f"{chain}have none, which Drake takes")
    )
    return {**CARRIES, **dict.fromkeys(LOWERED, weighs)}


def contents(export: Export) -> dict[str, bytes]:
    """The model's file, and where it has loops, or joints that nothing drives, another for Drake.

    Raises:
        UnwritableError: joints that SDFormat lacks, or names that it cannot hold.
    """
    where = f"configuration '{ASSEMBLED}'"
    export.ledger.carry(Property.CONFIGURATION, where, "its coordinates", "the links' poses")
    files = {export.file: sdf_text(export).encode()}
    warn_of_hulls(export.meshes, export.ledger)
    loops = any(closure.kind is not JointKind.FREE for closure in export.compiled.closures)
    if loops:
        export.ledger.warn(LOOPS)
        files |= _for_drake(export)
    elif drake_differs(export.compiled):
        export.ledger.warn(UNDRIVEN)
        files |= _for_drake(export)
    gravity = export.compiled.mechanism.environment.gravity
    if gravity not in (None, DRAKES_GRAVITY):
        export.ledger.warn(
            f"Drake reads no gravity from SDFormat: set its plant's to {list(gravity or ())} m/s²"
        )
    return files


def _for_drake(export: Export) -> dict[str, bytes]:
    """The same model, cut where points can close it."""
    file = export.stem + DRAKE
    try:
        own = _cut_for_drake(export)
    except (UnwritableError, CouplingError) as error:
        export.ledger.warn(f"there is no '{file}': {error}")
        return {}
    for closure in own.compiled.closures:
        joint = closure.chord.joint
        if lost := [what for burden, _, what in BURDENS if burden in burdens(joint)]:
            told = f"'{file}' has not of '{joint.name}', which is cut: {' and '.join(lost)}"
            export.ledger.warn(told)
    return {file: sdf_text(own, for_drake=True).encode()}


def _cut_for_drake(export: Export) -> Export:
    """The export as Drake can close it, with an account of its own.

    Raises:
        UnwritableError, CouplingError: it cannot be cut so.
    """
    apart = replace(export, ledger=Ledger(), names={})
    if all(closure.kind in DRAKE_CUTTABLE for closure in export.compiled.closures):
        return apart
    cut = compile_mechanism(export.compiled.mechanism, DRAKE_CUTTABLE)
    standing = {name: carry_over(cut, own) for name, own in export.configurations.items()}
    return replace(apart, compiled=cut, configurations=standing)


SDF = Format(
    name="sdf",
    title="SDFormat",
    suffixes=(".sdf",),
    options=frozenset({"ground_plane", "light", "intermediate_mass"}),
    cuttable=lambda options: NATIVE,
    carries=carries,
    contents=contents,
    sometimes=(DRAKE,),
)
