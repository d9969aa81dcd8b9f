"""An arm on a base of its own, with all that can act on a joint."""

from dataclasses import replace

from arms import arm
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import (
    WORLD,
    Actuator,
    Body,
    Coupling,
    Frame,
    Inertia,
    Joint,
    Transmission,
)


def on_a_base(mechanism):
    """What stands on the world stands on a body that is welded to it."""
    ground = Body(name="ground", inertia=Inertia(mass=2.0, moments=(0.1, 0.1, 0.1)))
    frames = [replace(f, body="ground") if f.body == WORLD else f for f in mechanism.frames]
    ends = (Frame(name="w", body=WORLD), Frame(name="g", body="ground"))
    weld = Joint(name="weld", kind=JointKind.FIXED, parent="w", child="g")
    return replace(
        mechanism,
        bodies=(ground, *mechanism.bodies),
        frames=(*frames, *ends),
        joints=(weld, *mechanism.joints),
    )


def acting():
    """Two hinges, S and J, where J = 0.8 - 2 S; a motor on S through a gear of 3, one on both."""
    terms = {
        "damping": 0.5,
        "friction": 0.07,
        "armature": 0.02,
        "effort": 3.0,
        "velocity": 2.0,
        "stiffness": 1.5,
        "spring_reference": 0.1,
    }
    tie = Coupling.gear(name="tie", leader="S", follower="J", ratio=-2.0, offset=0.8)
    motor = Actuator(
        name="motor",
        transmissions=(Transmission(coordinate="S", ratio=3.0),),
        effort=2.0,
        armature=0.001,
    )
    both = Actuator(
        name="both",
        transmissions=(Transmission(coordinate="S"), Transmission(coordinate="J", ratio=0.5)),
        armature=0.004,
    )
    whole = on_a_base(arm(JointKind.REVOLUTE, **terms))
    return replace(whole, couplings=(tie,), actuators=(motor, both))
