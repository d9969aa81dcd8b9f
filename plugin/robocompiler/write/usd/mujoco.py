"""What MuJoCo's own schemas say beyond USD's: where joints count from, what acts on them."""

from __future__ import annotations

from robocompiler.model.joint_kinds import JointKind
from robocompiler.write.links import LinkJoint
from robocompiler.write.usd.drives import is_advance
from robocompiler.write.usd.prims import Prim, double, doubles, token
from robocompiler.write.usd.scene import Scene

# As stiff as the timestep lets closures be, as in MJCF.
SOLREF = (0.002, 1.0)
SOLIMP = (0.9999, 0.9999, 0.001, 0.5, 2.0)


def describe_joint(prim: Prim, scene: Scene, joint: LinkJoint) -> None:
    """Where a hinge or slide counts from, and what acts on it.

    MuJoCo takes the pose in the file for its zero unless `ref` says which value that is.
    """
    own = scene.joint_of(joint.source)
    prim.schemas += ("MjcJointAPI",)
    said = {"ref": joint.at[0]}
    if own.stiffness and own.kind is not JointKind.BALL and not is_advance(own, joint):
        said |= {"stiffness": own.stiffness, "springref": own.spring_reference}
    if own.effort is not None and own.kind is not JointKind.BALL and not is_advance(own, joint):
        said |= {"actuatorfrcrange:min": -own.effort, "actuatorfrcrange:max": own.effort}
    for name, value in said.items():
        if value:
            prim.attributes[f"mjc:{name}"] = double(value)
    prim.attributes["mjc:solreflimit"] = doubles(SOLREF)
    prim.attributes["mjc:solimplimit"] = doubles(SOLIMP)


def stiffen(prim: Prim, schema: str) -> None:
    """How stiff a closure or a coupling is."""
    prim.schemas += (schema,)
    prim.attributes["mjc:solref"] = doubles(SOLREF)
    prim.attributes["mjc:solimp"] = doubles(SOLIMP)


def describe_scene(prim: Prim, scene: Scene) -> None:
    """Radians, the timestep that closures need, and the medium."""
    environment = scene.compiled.mechanism.environment
    prim.schemas += ("MjcSceneAPI",)
    prim.attributes["mjc:compiler:angle"] = token("radian")
    prim.attributes["mjc:option:integrator"] = token("implicitfast")
    if environment.density:
        prim.attributes["mjc:option:density"] = double(environment.density)
    if environment.viscosity:
        prim.attributes["mjc:option:viscosity"] = double(environment.viscosity)
