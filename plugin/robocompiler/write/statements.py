"""All that a mechanism says, one statement each: what every format is held to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.model.mechanism import OPEN, WORLD, Actuator, Joint, Shape
from robocompiler.spatial import Pose
from robocompiler.write.fidelity import Property, closure_property, joint_property


class Statement(NamedTuple):
    """Something said of something."""

    property: Property
    where: str
    """What it is said of: a joint's name, `mesh bar`, …"""
    what: str
    """In words that follow it: `its damping`."""


OF_A_STUDY = "a task is of the study, not of the mechanism"
"""Why no format has tasks."""
BURDENS = (
    ("limits", Property.LIMITS, "its limits"),
    ("swing", Property.SWING, "its swing limit"),
    ("damping", Property.DAMPING, "its damping"),
    ("friction", Property.FRICTION, "its dry friction"),
    ("spring", Property.SPRING, "its spring"),
    ("armature", Property.ARMATURE, "its armature"),
    ("effort", Property.EFFORT, "its effort limit"),
    ("velocity", Property.VELOCITY, "its velocity limit"),
)
"""What may act on a joint: its name in code, on a joint of the tree, and in words."""


def statements(
    compiled: CompiledMechanism, configurations: Sequence[str] = ("assembled",)
) -> tuple[Statement, ...]:
    """What a compiled mechanism says, in its own order.

    Args:
        compiled: cut as the format has it: of a cut joint other things can be said.
        configurations: names of those that are to be written.
    """
    return tuple(_statements(compiled, configurations))


def task_statements(compiled: CompiledMechanism) -> tuple[Statement, ...]:
    """What a study has added, which no description of the mechanism has."""
    return tuple(
        Statement(Property.TASK, f"task '{task.name}'", f"that it holds '{task.body}'")
        for task in compiled.tasks
    )


def burden_property(burden: str, cut: bool) -> Property:
    """What the ledger calls a burden: a cut joint's are another matter than a tree joint's."""
    if cut:
        return Property.CUT_LIMITS if burden in ("limits", "swing") else Property.CUT_TERMS
    return next(of for name, of, _ in BURDENS if name == burden)


def burdens(joint: Joint) -> frozenset[str]:
    """What acts on a joint, by the names in `BURDENS`."""
    acts = {
        "limits": any(limits != OPEN for limits in joint.limits),
        "swing": joint.swing_limit is not None,
        "damping": joint.damping != 0.0,
        "friction": joint.friction != 0.0,
        "spring": joint.stiffness != 0.0,
        "armature": joint.armature != 0.0,
        "effort": joint.effort is not None,
        "velocity": joint.velocity is not None,
    }
    return frozenset(name for name, there in acts.items() if there)


def _statements(compiled: CompiledMechanism, configurations: Sequence[str]) -> Iterator[Statement]:
    mechanism = compiled.mechanism
    for tree_joint in compiled.tree:
        joint = tree_joint.edge.joint
        yield Statement(joint_property(joint.kind), joint.name, f"its kind, {joint.kind.value}")
        yield Statement(Property.ZERO, joint.name, "where it counts from")
        yield from _acting(joint, cut=False)
    for closure in compiled.closures:
        joint = closure.chord.joint
        yield Statement(closure_property(joint.kind), closure.name, "its closure")
        yield from _acting(joint, cut=True)
    for coupling in mechanism.couplings:
        several = len(coupling.leaders) > 1
        of = Property.SUM_COUPLING if several else Property.COUPLING
        yield Statement(of, coupling.name, "its coupling")
    for actuator in mechanism.actuators:
        yield from _of_actuator(actuator)
    hosts = {welded.name: compiled.bodies[welded.host].name for welded in compiled.welded}
    for body in mechanism.bodies:
        if body.inertia is not None:
            yield Statement(Property.INERTIA, body.name, "its inertia")
        if hosts[body.name] != body.name:
            yield Statement(Property.WELDED, body.name, "its place in what it is welded to")
    for name in named_frames(compiled):
        yield Statement(Property.FRAME, name, "its place")
    yield from _of_shapes(compiled)
    yield from _of_environment(compiled)
    for name in configurations:
        yield Statement(Property.CONFIGURATION, f"configuration '{name}'", "its coordinates")


def _acting(joint: Joint, cut: bool) -> Iterator[Statement]:
    acting = burdens(joint)
    for burden, _, what in BURDENS:
        if burden in acting:
            yield Statement(burden_property(burden, cut), joint.name, what)


def _of_actuator(actuator: Actuator) -> Iterator[Statement]:
    several = len(actuator.transmissions) > 1
    of = Property.SHARED_ACTUATOR if several else Property.ACTUATOR
    yield Statement(of, actuator.name, "its drive")
    if actuator.effort is not None:
        yield Statement(Property.ACTUATOR_EFFORT, actuator.name, "its effort limit")
    if actuator.velocity is not None:
        yield Statement(Property.ACTUATOR_VELOCITY, actuator.name, "its velocity limit")
    if actuator.armature:
        yield Statement(Property.ROTOR, actuator.name, "its armature")


def named_frames(compiled: CompiledMechanism) -> tuple[str, ...]:
    """The frames that no joint has: someone named them to find them again."""
    used = {name for joint in compiled.mechanism.joints for name in (joint.parent, joint.child)}
    return tuple(frame.name for frame in compiled.mechanism.frames if frame.name not in used)


def frame_places(compiled: CompiledMechanism) -> dict[str, tuple[int, Pose]]:
    """Of each named frame the compiled body that it is fixed to, and X_HF, its pose on that."""
    hosts = {welded.name: (welded.host, welded.pose) for welded in compiled.welded}
    hosts[WORLD] = (0, Pose.identity())
    named = set(named_frames(compiled))
    found: dict[str, tuple[int, Pose]] = {}
    for frame in compiled.mechanism.frames:
        if frame.name in named:
            host, X_HB = hosts[frame.body]
            found[frame.name] = (host, X_HB @ frame.pose())
    return found


def _of_shapes(compiled: CompiledMechanism) -> Iterator[Statement]:
    shapes = [shape for body in compiled.mechanism.bodies for shape in body.shapes]
    for name in dict.fromkeys(shape.mesh for shape in shapes):
        yield Statement(Property.VISUAL, f"mesh {name}", "how it is seen")
        yield Statement(Property.COLLISION, f"mesh {name}", "how it collides")
    for shape in shapes:
        yield from _of_surface(shape)


def _of_surface(shape: Shape) -> Iterator[Statement]:
    surface = shape.surface
    for of, value, what in (
        (Property.COLOR, shape.color, "its colour"),
        (Property.SLIDING_FRICTION, surface.friction, "its surface's friction"),
        (
            Property.SPINNING_FRICTION,
            surface.torsional_friction,
            "its surface's torsional friction",
        ),
        (Property.ROLLING_FRICTION, surface.rolling_friction, "its surface's rolling friction"),
        (Property.RESTITUTION, surface.restitution, "its surface's restitution"),
    ):
        if value is not None:
            yield Statement(of, shape.name, what)


def _of_environment(compiled: CompiledMechanism) -> Iterator[Statement]:
    environment = compiled.mechanism.environment
    if environment.gravity is not None:
        yield Statement(Property.GRAVITY, "world", "its gravity")
    if environment.density or environment.viscosity:
        yield Statement(Property.DRAG, "medium", "its drag")
    if environment.density:
        yield Statement(Property.BUOYANCY, "medium", "its buoyancy")
