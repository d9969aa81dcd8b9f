"""Actuators as MuJoCo has them: motors on a joint through a gear, or on several by a tendon."""

from __future__ import annotations

from collections.abc import Iterator

from robocompiler.model.mechanism import Actuator
from robocompiler.model.validity import coordinate_names
from robocompiler.write.links import LinkJoint
from robocompiler.write.usd.prims import Prim, double, doubles, token
from robocompiler.write.usd.scene import Scene, display


def moved_joints(scene: Scene, actuator: Actuator) -> list[tuple[LinkJoint, float]] | None:
    """The joints that an actuator moves, and its ratio to each; None where one of them was cut."""
    known = coordinate_names(scene.compiled.mechanism)
    found = []
    for transmission in actuator.transmissions:
        joint, factor = known[transmission.coordinate]
        own = [
            j
            for j in scene.tree.joints
            if scene.joint_of(j.source).name == joint.name and j.part in (None, factor)
        ]
        if not own:
            return None
        found.append((own[0], transmission.ratio))
    return found


def rotor_counts(scene: Scene, moved: list[tuple[LinkJoint, float]]) -> bool:
    """Whether MuJoCo adds the inertia of a rotor that moves several joints: only where these are
    one after another on the way from the world. Between branches it drops it without a word.
    """
    leads_to = {t.outboard: i for i, t in enumerate(scene.compiled.tree)}
    sources = {joint.source for joint, _ in moved}
    way, body = set[int](), scene.compiled.tree[max(sources)].outboard
    while body in leads_to:
        way.add(leads_to[body])
        body = scene.compiled.tree[leads_to[body]].inboard
    return way.issuperset(sources)


def actuator_prims(scene: Scene) -> Iterator[Prim]:
    """The tendon of each that needs one, and the motors; a control is an effort [N or N m]."""
    for actuator in scene.compiled.mechanism.actuators:
        moved = moved_joints(scene, actuator)
        if moved is None:
            continue
        name = scene.actuators[actuator.name]
        motor = Prim(name=name, type="MjcActuator", display=display(actuator.name, name))
        if len(moved) == 1:
            ((joint, gear),) = moved
            target = scene.joint_path(joint.name)
        else:
            gear = 1.0
            tendon = _tendon(scene, actuator, moved)
            target = scene.actuator_path(tendon.name)
            yield tendon
        motor.relations["mjc:target"] = (target,)
        motor.attributes["mjc:gear"] = doubles([gear, 0.0, 0.0, 0.0, 0.0, 0.0])
        if actuator.effort is not None:
            for what in ("ctrl", "force"):
                motor.attributes[f"mjc:{what}Limited"] = token("true")
                motor.attributes[f"mjc:{what}Range:min"] = double(-actuator.effort)
                motor.attributes[f"mjc:{what}Range:max"] = double(actuator.effort)
        yield motor


def _tendon(scene: Scene, actuator: Actuator, moved: list[tuple[LinkJoint, float]]) -> Prim:
    """A fixed tendon as long as the actuator's coordinate says, with its rotor's inertia."""
    name = scene.actuators[f"{actuator.name}/gears"]
    armature = actuator.armature if rotor_counts(scene, moved) else 0.0
    return Prim(
        name=name,
        type="MjcTendon",
        attributes={
            "mjc:type": token("fixed"),
            "mjc:path:coef": doubles([ratio for _, ratio in moved]),
            "mjc:armature": double(armature),
        },
        relations={"mjc:path": tuple(scene.joint_path(joint.name) for joint, _ in moved)},
    )
