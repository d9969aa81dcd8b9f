"""A second of motion in Drake, of any format it has read."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from moving import DURATION, SAMPLES, Moving
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import JointActuatorIndex
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import Context
from truth import Array

DRAKE = "Drake 1.51"
"""As the matrix calls it."""


def run(
    plant: MultibodyPlant, context: Context, motion: Moving, zero: Mapping[str, float]
) -> Array:
    """The drivers' coordinates every tenth of a second, friction and contact left out.

    Args:
        plant: with nothing in it that has a shape.
        context: it stands assembled in it.
        motion: which to start.
        zero: what Drake's coordinates of the drivers count from, where not from 0 [m or rad].
    """
    joints = [plant.GetJointByName(name) for name in motion.drivers]
    v = plant.GetVelocities(context).copy()
    for name, speed in motion.speeds.items():
        if speed:
            v[plant.GetJointByName(name).velocity_start()] = speed
    plant.SetVelocities(context, v)
    if plant.num_actuators():
        plant.get_actuation_input_port().FixValue(context, _efforts(plant, motion))
    simulator = Simulator(plant, context)
    found = []
    for sample in range(SAMPLES + 1):
        simulator.AdvanceTo(DURATION * sample / SAMPLES)
        q = plant.GetPositions(context)
        found.append([q[j.position_start()] + zero.get(j.name(), 0.0) for j in joints])
    return np.array(found)


def _efforts(plant: MultibodyPlant, motion: Moving) -> list[float]:
    own = [plant.get_joint_actuator(JointActuatorIndex(i)) for i in range(plant.num_actuators())]
    return [motion.efforts.get(actuator.joint().name(), 0.0) for actuator in own]
