import numpy as np
import pytest
from agreement import (
    DOUBLES,
    agree_on_centers,
    agree_on_limits,
    agree_on_mass_matrix,
    agree_on_masses,
    rank,
)
from in_drake import DRAKE, run
from mjcf_names import body_pose, file_names
from moving import moving
from pydrake.math import RollPitchYaw, RotationMatrix
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import BodyIndex, JacobianWrtVariable
from pydrake.systems.analysis import Simulator
from truth import EXAMPLES, truth

from robocompiler.spatial import Pose
from robocompiler.write.mjcf.names import joint_names


def loaded(example, timestep=1e-3):
    plant = MultibodyPlant(timestep)
    Parser(plant).AddModels(str(example.file()))
    plant.Finalize()
    return plant, plant.CreateDefaultContext()


def place(plant, context, example, standing):
    for name, value in standing.coordinates.items():
        joint = plant.GetJointByName(name)
        turns = joint.type_name() == "revolute"
        (joint.set_angle if turns else joint.set_translation)(context, value)
    for name in standing.turned:
        rpy = RollPitchYaw(RotationMatrix(turned(example, standing, name)))
        plant.GetJointByName(name).set_angles(context, rpy.vector())


def turned(example, standing, name):
    """How far a ball is from where the file has it, which is its zero."""
    return example.assembled.turned[name].T @ standing.turned[name]


def joints(plant):
    own = (plant.get_joint(index) for index in plant.GetJointIndices())
    return [joint for joint in own if joint.num_velocities()]


def speed_names(plant):
    names = [""] * plant.num_velocities()
    for joint in joints(plant):
        at, ball = joint.velocity_start(), joint.num_velocities() == 3
        names[at : at + joint.num_velocities()] = (
            [f"{joint.name()}/rotation.{axis}" for axis in "xyz"] if ball else [joint.name()]
        )
    return names


def mass_matrix(plant, context, example, standing):
    """Its balls' speeds are about the parent's axes, ours about the child's."""
    T = np.eye(plant.num_velocities())
    for name in standing.turned:
        at = plant.GetJointByName(name).velocity_start()
        T[at : at + 3, at : at + 3] = turned(example, standing, name)
    return T.T @ plant.CalcMassMatrix(context) @ T


def closure_points(plant, example):
    """Of each closure both ends: a body of Drake's and the place in it [m]."""
    names = file_names(example)
    for meeting in example.closures:
        yield [
            (
                plant.GetBodyByName(names[body]),
                (body_pose(example, body, Pose.identity()).inverse() @ X).p,
            )
            for body, X in zip(meeting.bodies, meeting.frames, strict=True)
        ]


def gap(plant, context, ends):
    world = plant.world_frame()
    at = [plant.CalcPointsPositions(context, b.body_frame(), p, world).ravel() for b, p in ends]
    return np.linalg.norm(at[0] - at[1])


def freedoms(plant, context, example):
    world, rows = plant.world_frame(), [np.zeros((0, plant.num_velocities()))]
    for ends in closure_points(plant, example):
        jacobians = [
            plant.CalcJacobianTranslationalVelocity(
                context, JacobianWrtVariable.kV, body.body_frame(), at, world, world
            )
            for body, at in ends
        ]
        rows.append(jacobians[0] - jacobians[1])
    return plant.num_velocities() - rank(np.vstack(rows))


@pytest.mark.row(DRAKE, "MJCF", agrees="bodies, joints, masses and limits, closures")
def test_drake_has_the_examples_bodies_joints_limits_and_closures(example):
    plant, context = loaded(example)
    assert plant.num_constraints() == len(example.closures)
    assert sorted(speed_names(plant)) == sorted(example.speeds)
    bodies = [plant.get_body(BodyIndex(i)) for i in range(1, plant.num_bodies())]
    ours = {name: body for body, name in file_names(example).items()}
    masses = {body.name(): body.get_mass(context) for body in bodies}
    # Between the two axes of a universal joint it has a body of its own, which weighs nothing.
    between = sum(t.edge.joint.kind.name == "UNIVERSAL" for t in example.compiled.tree)
    assert len(bodies) == len(ours) + between
    assert all(masses[name] == 0.0 for name in masses if name not in ours)
    agree_on_masses(example, {body: masses[name] for name, body in ours.items()})
    limits = {
        joint.name(): (joint.position_lower_limits()[0], joint.position_upper_limits()[0])
        for joint in joints(plant)
        if joint.num_velocities() == 1
    }
    agree_on_limits(example, limits)


def several_in_one_body(example):
    """Joints whose hinges and slides are all in the body that they lead to."""
    joints = [t.edge.joint for t in example.compiled.tree]
    return [joint for joint in joints if len(joint_names(joint)) > 1]


@pytest.mark.row(
    DRAKE,
    "MJCF",
    cannot="puts the first of two hinges in one body, so a universal joint, on the parent's origin",
)
def test_drake_puts_the_first_of_two_hinges_in_one_body_on_the_origin_of_the_parent():
    """Seen in 1.51: where the file has it at the body, along an axis of the body's."""
    example = truth("stewart")
    plant, context = loaded(example)
    for joint in several_in_one_body(example):
        first = plant.GetJointByName(joint_names(joint)[0])
        placed = first.frame_on_parent().CalcPoseInWorld(context)
        np.testing.assert_allclose(placed.GetAsMatrix4(), np.eye(4), atol=1e-12)
        ours = example.assembled.poses[example.compiled.bodies[_outboard(example, joint)].name]
        assert np.linalg.norm(ours.p) > 0.5


def _outboard(example, joint):
    return example.compiled.tree_joint(joint.name).outboard


@pytest.mark.row(
    DRAKE,
    "MJCF",
    agrees="places, mass matrix, mobility and gap in three closed configurations",
)
def test_drake_agrees_in_three_closed_configurations(example):
    if several_in_one_body(example):
        pytest.skip("Drake misplaces the first of two hinges in one body (see above)")
    plant, context = loaded(example)
    for standing in example.standings:
        place(plant, context, example, standing)
        bodies = {body: plant.GetBodyByName(name) for body, name in file_names(example).items()}
        centers = {
            name: body.EvalPoseInWorld(context).multiply(body.CalcCenterOfMassInBodyFrame(context))
            for name, body in bodies.items()
        }
        agree_on_centers(standing, centers)
        center = plant.CalcCenterOfMassPositionInWorld(context)
        assert np.linalg.norm(center - example.center(standing)) < DOUBLES
        M = mass_matrix(plant, context, example, standing)
        agree_on_mass_matrix(example, standing, M, speed_names(plant))
        # Drake ignores equalities between joints: each coupling it does not see frees a speed.
        expected = standing.mobility + len(example.compiled.couplings)
        assert freedoms(plant, context, example) == expected
        assert all(gap(plant, context, ends) < DOUBLES for ends in closure_points(plant, example))


@pytest.mark.row(DRAKE, "MJCF", agrees="loops stay closed to 0.1 mm in 0.1 s of free motion")
def test_drake_holds_the_loops_closed_while_the_example_moves(example):
    """Its own constraint, from the `connect`s it read, over a tenth of a second of free motion."""
    plant, context = loaded(example, timestep=1e-3)
    place(plant, context, example, example.assembled)
    simulator = Simulator(plant, context)
    simulator.AdvanceTo(0.1)
    assert all(gap(plant, context, ends) < 1e-4 for ends in closure_points(plant, example))


ALIKE = [name for name in EXAMPLES if name in ("fourbar", "gate", "pendulum", "slider_crank")]


@pytest.mark.row(DRAKE, "MJCF", agrees="a second of motion, as steps get small, to 1e-4")
@pytest.mark.parametrize("example", ALIKE, indirect=True)
def test_a_second_in_drake_is_ours_as_its_steps_get_small(example):
    """Of examples that it has all of: it sees no couplings, and misplaces universal joints."""
    motion = moving(example)
    coarse, fine = (second(example, motion, timestep) for timestep in (1e-3, 2e-4))
    assert motion.off(coarse) < 2e-2
    assert motion.off((5.0 * fine - coarse) / 4.0) < 1e-4


def second(example, motion, timestep):
    plant, context = loaded(example, timestep)
    place(plant, context, example, example.assembled)
    return run(plant, context, motion, {})
