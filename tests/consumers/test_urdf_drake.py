"""URDFs of our writing, as Drake reads them."""

import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from agreement import DOUBLES, agree_on_centers, agree_on_masses, rank
from in_drake import DRAKE, run
from moving import moving
from pydrake.geometry import Role
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import AddMultibodyPlantSceneGraph, MultibodyPlant
from pydrake.multibody.tree import JacobianWrtVariable, JointActuatorIndex
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder
from truth import EXAMPLES
from urdf_files import written

import robocompiler as rc
from mechanisms import four_bar
from robocompiler.spatial import Pose
from robocompiler.write.urdf.mimics import UNLIMITED


@pytest.fixture(params=EXAMPLES)
def urdf(request, tmp_path):
    return written(request.param, tmp_path)


def points(urdf):
    """Of each pair of points that meet: both links and the place in each [m], as Drake has them."""
    root = ElementTree.parse(urdf.path).getroot()
    space = "{http://drake.mit.edu}ball_constraint"
    for ball in root.iter(space):
        yield [
            (
                ball.find(f"{space}_body_{side}").get("name"),
                np.array([float(x) for x in ball.find(f"{space}_p_{at}").get("value").split()]),
            )
            for side, at in (("A", "AP"), ("B", "BQ"))
        ]


def drake(urdf, timestep=1e-3):
    plant = MultibodyPlant(timestep)
    Parser(plant).AddModels(str(urdf.path))
    plant.Finalize()
    return plant, plant.CreateDefaultContext()


@pytest.mark.row("Drake 1.51", "URDF", agrees="meshes, seen and colliding")
def test_drake_takes_the_meshes_too(urdf):
    """As OBJ: of STL it makes no convex hull, and refuses the file."""
    builder = DiagramBuilder()
    plant, scene = AddMultibodyPlantSceneGraph(builder, 1e-3)
    Parser(plant).AddModels(str(urdf.path))
    plant.Finalize()
    shapes = sum(len(body.shapes) for body in urdf.truth.compiled.bodies)
    found = scene.model_inspector()
    assert found.NumGeometriesWithRole(Role.kIllustration) == shapes
    assert found.NumGeometriesWithRole(Role.kProximity) == shapes


def place(plant, context, urdf, standing):
    for axis in urdf.axes:
        joint = plant.GetJointByName(axis.name)
        turns = joint.type_name() == "revolute"
        (joint.set_angle if turns else joint.set_translation)(context, axis.value(standing))


def drake_names(plant):
    names = [""] * plant.num_velocities()
    for index in plant.GetJointIndices():
        joint = plant.get_joint(index)
        if joint.num_velocities():
            names[joint.velocity_start()] = joint.name()
    return names


@pytest.mark.row(DRAKE, "URDF", agrees="bodies, joints, masses, limits, closures, drives")
def test_drake_has_the_bodies_joints_masses_limits_closures_and_drives(urdf):
    plant, context = drake(urdf)
    truth = urdf.truth
    assert sorted(drake_names(plant)) == sorted(axis.name for axis in urdf.axes)
    masses = {b: plant.GetBodyByName(n).get_mass(context) for b, n in urdf.bodies.items()}
    agree_on_masses(truth, masses)
    for name, ends in urdf.limits.items():
        joint = plant.GetJointByName(name)
        found = (joint.position_lower_limits()[0], joint.position_upper_limits()[0])
        written = tuple(np.clip(ends, -UNLIMITED, UNLIMITED))
        assert found in (ends, written)
    assert plant.num_constraints() == len(list(points(urdf))) + len(truth.compiled.couplings)
    driven = {
        plant.get_joint_actuator(JointActuatorIndex(i)).joint().name()
        for i in range(plant.num_actuators())
    }
    assert driven == {axis.name for axis in urdf.axes if axis.joint.effort is not None}


@pytest.mark.row(
    DRAKE,
    "URDF",
    agrees="places, mass matrix, mobility and gap in three closed configurations",
)
def test_drake_agrees_in_three_closed_configurations(urdf):
    plant, context = drake(urdf)
    truth = urdf.truth
    for standing in truth.standings:
        place(plant, context, urdf, standing)
        centers = {}
        for body, link in urdf.bodies.items():
            own = plant.GetBodyByName(link)
            X = own.EvalPoseInWorld(context)
            if body in truth.masses:
                centers[body] = X.multiply(own.CalcCenterOfMassInBodyFrame(context))
            X_WB = urdf.body_pose(body, Pose(X.rotation().matrix(), X.translation()))
            np.testing.assert_allclose(X_WB.p, standing.poses[body].p, atol=DOUBLES)
        agree_on_centers(standing, centers)
        center = plant.CalcCenterOfMassPositionInWorld(context)
        assert np.linalg.norm(center - truth.center(standing)) < DOUBLES
        urdf.agree_on_mass_matrix(standing, plant.CalcMassMatrix(context), drake_names(plant))
        rows, gaps = drake_rows(plant, context, urdf)
        assert all(gap < DOUBLES for gap in gaps)
        expected = standing.mobility + len(truth.compiled.couplings)
        assert plant.num_velocities() - rank(rows) == expected


def drake_rows(plant, context, urdf):
    world, rows, gaps = plant.world_frame(), [np.zeros((0, plant.num_velocities()))], []
    for pair in points(urdf):
        ends, own = [], []
        for link, at in pair:
            frame = plant.GetBodyByName(link).body_frame()
            ends.append(plant.CalcPointsPositions(context, frame, at, world).ravel())
            kind = JacobianWrtVariable.kV
            own.append(
                plant.CalcJacobianTranslationalVelocity(context, kind, frame, at, world, world)
            )
        rows.append(own[0] - own[1])
        gaps.append(np.linalg.norm(ends[0] - ends[1]))
    return np.vstack(rows), gaps


@pytest.mark.row(DRAKE, "URDF", agrees="loops stay closed to 0.1 mm in 0.1 s of free motion")
def test_drake_holds_the_loops_closed_while_the_example_moves(urdf):
    """Its own constraints, from what it read."""
    plant, context = drake(urdf)
    place(plant, context, urdf, urdf.truth.assembled)
    Simulator(plant, context).AdvanceTo(0.1)
    _, gaps = drake_rows(plant, context, urdf)
    assert all(gap < 1e-4 for gap in gaps)


@pytest.mark.row(DRAKE, "URDF", agrees="a second of motion, as steps get small, to 1e-4")
def test_a_second_in_drake_is_ours_as_its_steps_get_small(urdf):
    motion = moving(urdf.truth)
    coarse, fine = (second(urdf, motion, timestep) for timestep in (1e-3, 2e-4))
    assert motion.off(coarse) < 3e-2
    # Stewart's ball: its damping acts on three hinges, which are nearly square there.
    most = 5e-4 if urdf.truth.assembled.turned else 1e-4
    assert motion.off((5.0 * fine - coarse) / 4.0) < most


def second(urdf, motion, timestep):
    plant, context = drake(urdf, timestep)
    place(plant, context, urdf, urdf.truth.assembled)
    return run(plant, context, motion, {})


@pytest.mark.row(DRAKE, "URDF", cannot="takes a root that is not called `world` for free")
def test_drake_lets_a_root_of_another_name_float_until_it_is_welded_as_we_say(tmp_path):
    path = tmp_path / "a.urdf"
    result = rc.write(rc.compile(four_bar()), path, root="base_footprint")
    assert any("WeldFrames" in warning for warning in result.warnings)
    counts = []
    for welds in (False, True):
        plant = MultibodyPlant(1e-3)
        Parser(plant).AddModels(str(path))
        if welds:
            root = plant.GetFrameByName("base_footprint")
            plant.WeldFrames(plant.world_frame(), root)
        plant.Finalize()
        counts.append((plant.num_positions(), plant.num_velocities()))
    assert counts == [(10, 9), (3, 3)]
