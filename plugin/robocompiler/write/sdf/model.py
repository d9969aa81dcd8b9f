"""Write a mechanism as SDFormat, the format of Gazebo, which Drake reads too."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element, indent, tostring

from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.errors import UnwritableError
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import WORLD
from robocompiler.write.comments import HEADER, comment
from robocompiler.write.export import Export
from robocompiler.write.names import legal_names, unused
from robocompiler.write.sdf.bodies import frame_elements, link_elements
from robocompiler.write.sdf.closures import closing_elements, drake_elements
from robocompiler.write.sdf.couplings import Ties, ties
from robocompiler.write.sdf.drives import motors
from robocompiler.write.sdf.elements import nested, value, vector
from robocompiler.write.sdf.joints import fixed_element, joint_element, tree_joints
from robocompiler.write.sdf.losses import note_losses
from robocompiler.write.sdf.names import TITLE, has_base, legal
from robocompiler.write.sdf.scene import NATIVE, Scene, scene_of

PLAIN, WITH_MIMICS = "1.9", "1.11"
"""Versions of SDFormat: the older, more widely read, but for what only the newer has."""
DRAKE = "http://drake.mit.edu"
PLUGIN = {
    "filename": "gz-sim-apply-joint-force-system",
    "name": "gz::sim::systems::ApplyJointForce",
}
STANDS = "Links stand as assembled, and coordinates count from there: all are 0."
LOOPS = (
    "Joints with must_be_loop_joint close loops. DART, the default engine of gz-sim, ignores "
    "them, and the loops fall apart. There one has to split a link of each loop in two and let "
    "gz-sim's plugin DetachableJoint weld the halves."
)
UNDRIVEN = "For Drake, which makes no actuator of a joint whose effort limit is 0."
FOR_DRAKE = "For Drake, which takes no second joint to a link: constraints close the loops."


def sdf_text(export: Export, for_drake: bool = False) -> str:
    """The world with the model in it.

    Args:
        export: what to write.
        for_drake: whether constraints of Drake's stand in place of the joints that close loops,
            and what nothing drives has no effort.

    Raises:
        UnwritableError: joints that SDFormat lacks, or names that it cannot hold.
    """
    compiled, options = export.compiled, export.options
    refuse_lowered(compiled, options.intermediate_mass)
    scene = scene_of(export, for_drake)
    export.names.update(scene.names.changed)
    coupled = ties(compiled, scene.q, scene.names, scene.ledger)
    note_losses(scene, options.intermediate_mass)
    model = nested("model", *_model(scene, export, coupled), name=_title(compiled))
    world = nested("world", name=_title(compiled))
    if compiled.mechanism.environment.gravity is not None and not for_drake:
        world.append(vector("gravity", compiled.mechanism.environment.gravity))
    world.extend(_scenery(export, _title(compiled)))
    world.append(model)
    root = Element("sdf", version=WITH_MIMICS if coupled.mimics else PLAIN)
    root.set("xmlns:drake", DRAKE)
    root.append(comment(HEADER))
    root.append(world)
    indent(root)
    return '<?xml version="1.0"?>\n' + tostring(root, encoding="unicode") + "\n"


def refuse_lowered(compiled: CompiledMechanism, mass: float | None) -> None:
    """Whether every joint of several freedoms may be a chain of links.

    Raises:
        UnwritableError: those that may not.
    """
    joints = [tree_joint.edge.joint for tree_joint in compiled.tree]
    lost = [joint for joint in joints if joint.kind not in NATIVE]
    if lost and mass is None:
        shown = ", ".join(f"'{joint.name}' ({joint.kind.value})" for joint in lost)
        raise UnwritableError(
            f"{TITLE} has no such joint as {shown}. Give `intermediate_mass` [kg] for the links "
            "between single axes that stand for it; 0 for links without mass, which Drake takes."
        )


def _title(compiled: CompiledMechanism) -> str:
    name = compiled.mechanism.name
    return legal_names("the mechanism", [name], legal, TITLE)[name]


def _model(scene: Scene, export: Export, coupled: Ties) -> Iterator[Element]:
    yield comment(STANDS)
    yield from link_elements(scene, export.options.intermediate_mass or 0.0)
    if has_base(scene.compiled):
        base = scene.names.links[WORLD]
        yield fixed_element(unused(f"{base}_to_world", set(scene.names.used)), base)
    for own in tree_joints(scene):
        yield joint_element(scene, own, coupled)
    if scene.for_drake:
        yield comment(UNDRIVEN)
    if any(closure.kind is not JointKind.FREE for closure in scene.compiled.closures):
        yield comment(FOR_DRAKE if scene.for_drake else LOOPS)
    if scene.for_drake:
        yield from drake_elements(scene)
    else:
        yield from closing_elements(scene, export.configuration, coupled)
    yield from coupled.tendons
    yield from frame_elements(scene)
    for motor in () if scene.for_drake else motors(scene.compiled, scene.ledger):
        joint = value("joint_name", scene.names.joints[motor.transmissions[0].coordinate])
        yield nested("plugin", joint, **PLUGIN)


def _scenery(export: Export, taken: str) -> Iterator[Element]:
    """What the user asked to see around the mechanism."""
    if export.options.light:
        direction = vector("direction", (0.0, 0.0, -1.0))
        yield nested("light", direction, name=unused("sun", {taken}), type="directional")
    if export.options.ground_plane:
        plane = nested("plane", vector("normal", (0.0, 0.0, 1.0)), value("size", "100 100"))
        shapes = (
            nested(tag, nested("geometry", plane), name=tag) for tag in ("collision", "visual")
        )
        link = nested("link", *shapes, name="link")
        static = value("static", "true")
        yield nested("model", static, link, name=unused("ground_plane", {taken}))
