"""SDFormat as Drake has it: every example, in three closed configurations."""

import logging
import xml.etree.ElementTree as ElementTree

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
from moving import moving
from pydrake.math import RollPitchYaw, RotationMatrix
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import AddMultibodyPlantSceneGraph
from pydrake.multibody.tree import BodyIndex, JacobianWrtVariable, JointActuatorIndex
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder
from sdf_files import Written, loaded, moving_joints, set_coordinates
from truth import EXAMPLES, STATIC

from robocompiler.model.joint_kinds import JointKind

SPHERICAL = (JointKind.BALL,)


@pytest.fixture(scope="module", params=EXAMPLES)
def written(request, tmp_path_factory):
    return Written(request.param, tmp_path_factory.mktemp(request.param))


@pytest.mark.row(DRAKE, "SDF", agrees="actuators: those of what is driven, and no others")
def test_drake_has_the_actuators_of_the_mechanism_and_no_others(written):
    """Without its own file it would have one of unlimited effort on every other joint."""
    plant, _ = loaded(written)
    own = (plant.get_joint_actuator(JointActuatorIndex(i)) for i in range(plant.num_actuators()))
    mechanism = written.truth.compiled.mechanism
    efforts = {joint.name: joint.effort for joint in mechanism.joints if joint.effort is not None}
    assert not mechanism.actuators
    expected = {written.called("joint", name): effort for name, effort in efforts.items()}
    assert {actuator.name(): actuator.effort_limit() for actuator in own} == expected


def tree_joint_of(written, joint):
    """Ours that one of Drake's is."""
    ours = {written.called("joint", t.edge.joint.name): t for t in written.truth.compiled.tree}
    return ours[joint.name()]


def speeds_of(written, joint):
    """Names of its speeds; a universal joint that is crossed backwards has its axes in turn."""
    own = tree_joint_of(written, joint)
    names = own.edge.joint.speed_names
    return names[::-1] if own.edge.joint.kind is JointKind.UNIVERSAL and own.reversed else names


def speed_names(plant, written):
    names = [""] * plant.num_velocities()
    for joint in moving_joints(plant):
        at = joint.velocity_start()
        names[at : at + joint.num_velocities()] = speeds_of(written, joint)
    return names


def turned_since(written, joint, standing):
    """R of the ball's frame on its child seen from that on its parent: none as assembled."""
    own = tree_joint_of(written, joint)
    start, now = (s.turned[own.edge.joint.name] for s in (written.truth.assembled, standing))
    if own.reversed:
        start, now = start.T, now.T
    R_CM = joint.frame_on_child().GetFixedPoseInBodyFrame().rotation().matrix()
    return (start @ R_CM).T @ now @ R_CM


def place(plant, context, written, standing):
    """Coordinates count from where the file has the model."""
    for joint in moving_joints(plant):
        own = tree_joint_of(written, joint).edge.joint
        if own.kind in SPHERICAL:
            angles = RollPitchYaw(RotationMatrix(turned_since(written, joint, standing))).vector()
        else:
            assembled = written.truth.assembled.coordinates
            names = speeds_of(written, joint)
            angles = [standing.coordinates[name] - assembled[name] for name in names]
        set_coordinates(plant, context, joint, angles)


def mass_matrix(plant, context, written, standing):
    """About our speeds: a ball's of Drake are about the axes of the frame on its parent."""
    T = np.eye(plant.num_velocities())
    for joint in moving_joints(plant):
        own = tree_joint_of(written, joint)
        if own.edge.joint.kind in SPHERICAL:
            R_FM = turned_since(written, joint, standing)
            R_CM = joint.frame_on_child().GetFixedPoseInBodyFrame().rotation().matrix()
            R_PF = joint.frame_on_parent().GetFixedPoseInBodyFrame().rotation().matrix()
            at = slice(joint.velocity_start(), joint.velocity_start() + 3)
            T[at, at] = -R_PF.T if own.reversed else R_FM @ R_CM.T
    return T.T @ plant.CalcMassMatrix(context) @ T


def meeting_frames(plant, written):
    """Of each closure the frames that the file names."""
    for meeting in written.truth.closures:
        ends = [plant.GetFrameByName(f"{meeting.name}/{side}") for side in ("parent", "child")]
        yield meeting, ends


def freedoms(plant, context, written):
    """What the closures leave: of a hinge the rows of its two tilts, of each the three moves."""
    rows = [np.zeros((0, plant.num_velocities()))]
    for meeting, (F, M) in meeting_frames(plant, written):
        of = (context, JacobianWrtVariable.kV)
        J = plant.CalcJacobianSpatialVelocity(*of, M, np.zeros(3), F, F)
        rows.append(J[3:])
        if meeting.kind is JointKind.REVOLUTE:
            rows.append(J[:2])
    return plant.num_velocities() - rank(np.vstack(rows))


def gap(plant, context, ends):
    return np.linalg.norm(ends[1].CalcPose(context, ends[0]).translation())


@pytest.mark.row(DRAKE, "SDF", agrees="bodies, joints, limits, masses and closures")
def test_drake_has_the_examples_bodies_joints_limits_and_closures(written):
    example = written.truth
    plant, context = loaded(written)
    couplings = len(example.compiled.couplings)
    assert plant.num_constraints() == len(example.closures) + couplings
    assert sorted(speed_names(plant, written)) == sorted(example.speeds)
    bodies = [plant.get_body(BodyIndex(i)) for i in range(1, plant.num_bodies())]
    masses = {body.name(): body.get_mass(context) for body in bodies}
    names = {written.body(name): name for name in (STATIC, *example.bodies)}
    # Between the two axes of a universal joint it has a body of its own, which weighs nothing.
    assert all(masses[name] == 0.0 for name in masses if name not in names)
    agree_on_masses(example, {ours: masses[name] for name, ours in names.items()})
    limits = {}
    for joint in moving_joints(plant):
        if tree_joint_of(written, joint).edge.joint.kind not in SPHERICAL:
            ends = zip(joint.position_lower_limits(), joint.position_upper_limits(), strict=True)
            for name, (low, high) in zip(speeds_of(written, joint), ends, strict=True):
                at = example.assembled.coordinates[name]
                limits[name] = (low + at, high + at)
    for own in universals(example):  # of which Drake reads none (see below)
        limits |= {name: example.limits[name] for name in own.full_names}
    agree_on_limits(example, limits)


class Heard(logging.Handler):
    """What Drake logs."""

    def __init__(self):
        super().__init__(logging.WARNING)
        self.said = []

    def emit(self, record):
        self.said.append(record.getMessage())


@pytest.mark.row(DRAKE, "SDF", agrees="nothing in its file that it leaves out")
def test_drake_reads_all_of_its_file(written):
    """Of a ball it says that the damping needs an axis, and the axis nothing."""
    heard, log = Heard(), logging.getLogger("drake")
    log.addHandler(heard)
    try:
        loaded(written)
    finally:
        log.removeHandler(heard)
    assert all("A ball joint axis will be ignored. Only the dynamic" in told for told in heard.said)
    assert bool(heard.said) == (written.truth.name == "stewart")


def universals(example):
    joints = [t.edge.joint for t in example.compiled.tree]
    return [joint for joint in joints if joint.kind is JointKind.UNIVERSAL]


@pytest.mark.row(DRAKE, "SDF", cannot="reads no limits of universal joints, which the file has")
def test_drake_reads_no_limits_of_universal_joints(tmp_path):
    written = Written("stewart", tmp_path)
    plant, _ = loaded(written)
    model = ElementTree.parse(written.drake).getroot().find("world/model")
    for own in universals(written.truth):
        assert np.all(np.isinf(plant.GetJointByName(own.name).position_upper_limits()))
        axes = model.find(f"joint[@name='{own.name}']")
        for tag, name in zip(("axis", "axis2"), own.full_names, strict=True):
            at = written.truth.assembled.coordinates[name]
            ends = [float(axes.find(f"{tag}/limit/{end}").text) + at for end in ("lower", "upper")]
            np.testing.assert_allclose(ends, written.truth.limits[name], atol=1e-12)


@pytest.mark.row(DRAKE, "SDF", agrees="places, centres of mass, mass matrix, mobility and gap")
def test_drake_agrees_in_three_closed_configurations(written):
    example = written.truth
    plant, context = loaded(written)
    for standing in example.standings:
        place(plant, context, written, standing)
        bodies = {n: plant.GetBodyByName(written.body(n)) for n in (STATIC, *example.bodies)}
        centers = {
            name: body.EvalPoseInWorld(context).multiply(body.CalcCenterOfMassInBodyFrame(context))
            for name, body in bodies.items()
        }
        agree_on_centers(standing, centers)
        M = mass_matrix(plant, context, written, standing)
        agree_on_mass_matrix(example, standing, M, speed_names(plant, written))
        # Its rows of couplings are not to be had: each that is left out frees a speed.
        couplings = len(example.compiled.couplings)
        assert freedoms(plant, context, written) == standing.mobility + couplings
        assert all(gap(plant, context, e) < DOUBLES for _, e in meeting_frames(plant, written))


@pytest.mark.row(DRAKE, "SDF", agrees="loops closed over a tenth of a second of motion")
def test_drake_holds_the_loops_closed_while_the_example_moves(written):
    plant, context = loaded(written)
    Simulator(plant, context).AdvanceTo(0.1)
    assert all(gap(plant, context, ends) < 1e-5 for _, ends in meeting_frames(plant, written))


@pytest.mark.row(DRAKE, "SDF", agrees="a second of motion, as steps get small, to 1e-4")
def test_a_second_in_drake_is_ours_as_its_steps_get_small(written):
    motion = moving(written.truth)
    coarse, fine = (second(written, motion, timestep) for timestep in (1e-3, 2e-4))
    assert motion.off(coarse) < 3e-2
    assert motion.off((5.0 * fine - coarse) / 4.0) < 1e-4


def second(written, motion, timestep):
    plant, context = loaded(written, timestep)
    return run(plant, context, motion, written.truth.assembled.coordinates)


@pytest.mark.row(DRAKE, "SDF", agrees="shapes, of which each body has what ours has")
def test_drake_reads_the_shapes_of_its_file(written):
    builder = DiagramBuilder()
    plant, scene = AddMultibodyPlantSceneGraph(builder, 1e-3)
    Parser(plant).AddModels(str(written.drake))
    plant.Finalize()
    compiled = written.truth.compiled
    for body in compiled.bodies:
        if body.shapes:
            own = plant.GetBodyByName(written.body(body.name))
            for count in (plant.GetCollisionGeometriesForBody, plant.GetVisualGeometriesForBody):
                assert len(count(own)) == len(body.shapes)
    assert scene.model_inspector().num_geometries() > 0
