"""SDFormat, as Drake has it and as libsdformat's own tool does."""

import shutil
import subprocess
import xml.etree.ElementTree as ElementTree
from dataclasses import replace

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
from pydrake.math import RollPitchYaw, RotationMatrix
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import (
    AddMultibodyPlantSceneGraph,
    DiscreteContactApproximation,
    MultibodyPlant,
)
from pydrake.multibody.tree import (
    BodyIndex,
    JacobianWrtVariable,
    MultibodyForces,
)
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder
from truth import EXAMPLES, STATIC, sidecar, truth

import robocompiler as rc
from arms import MOVING, arm
from exporting import exporting
from linkages.drawing import Drawing, turn
from linkages.spatial import summing_differential
from mechanisms import four_bar
from robocompiler.equations.kinematics import joint_motion
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import Actuator, Environment, Transmission
from robocompiler.solve.mass import mass_matrix as own_mass_matrix
from robocompiler.solve.state import evaluate
from robocompiler.write.sdf.format import SDF
from robocompiler.write.sdf.scene import NATIVE, scene_of

DRAKE = "Drake 1.51"
TOOL = "ign sdf"
SPHERICAL = (JointKind.BALL,)


class Written:
    """An example as SDFormat, and its truth."""

    def __init__(self, name, folder):
        self.truth = truth(name, "sdf")
        whole = rc.compile(rc.read(sidecar(name)))
        geometry = rc.stl_geometry(sidecar(name).parent)
        self.path = folder / f"{name}.sdf"
        self.result = rc.write(whole, self.path, geometry=geometry)
        self.drake = folder / f"{name}.drake.sdf"

    def called(self, kind, name):
        return self.result.names.get(kind, {}).get(name, name)

    def body(self, name):
        """The link of one of ours."""
        if name != STATIC:
            return self.called("body", name)
        fixed = [own.name for own in self.truth.compiled.welded if own.host == 0]
        return self.called("body", fixed[0])


@pytest.fixture(scope="module", params=EXAMPLES)
def written(request, tmp_path_factory):
    return Written(request.param, tmp_path_factory.mktemp(request.param))


def planted(plant, read):
    """A plant with the model; coupled joints and constraints need its newer solver."""
    plant.set_discrete_contact_approximation(DiscreteContactApproximation.kSap)
    read(Parser(plant))
    plant.Finalize()
    return plant, plant.CreateDefaultContext()


def loaded(written):
    return planted(MultibodyPlant(1e-3), lambda parser: parser.AddModels(str(written.drake)))


def loaded_text(text):
    return planted(MultibodyPlant(1e-3), lambda parser: parser.AddModelsFromString(text, "sdf"))


def texts_of(export):
    """The model's text, and what Drake reads: the same where there are neither loops nor meshes."""
    texts = [text.decode() for file, text in SDF.contents(export).items() if file.endswith(".sdf")]
    return texts[0], texts[-1]


def moving_joints(plant):
    own = (plant.get_joint(index) for index in plant.GetJointIndices())
    return [joint for joint in own if joint.num_velocities()]


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


def set_coordinates(plant, context, joint, values):
    q = plant.GetPositions(context).copy()
    q[joint.position_start() : joint.position_start() + joint.num_positions()] = values
    plant.SetPositions(context, q)


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


@pytest.mark.row(DRAKE, "SDF", cannot="takes no second joint to a link: it has a file of its own")
def test_drake_refuses_a_second_joint_to_a_link_in_a_model_and_in_the_world():
    main, _ = texts_of(exporting("sdf", four_bar()))
    with pytest.raises(RuntimeError, match="form one or more loops in the system graph"):
        loaded_text(main)
    root = ElementTree.fromstring(main)
    world, model = root.find("world"), root.find("world/model")
    closing = model.find("joint[@name='C']")
    model.remove(closing)
    world.append(closing)
    for end in closing.findall("parent") + closing.findall("child"):
        end.text = f"{model.get('name')}::{end.text}"
    with pytest.raises(RuntimeError, match="Only fixed joints are permitted in world joints"):
        loaded_text(ElementTree.tostring(root, encoding="unicode"))


@pytest.mark.row(DRAKE, "SDF", agrees="couplings of one leader and of several, as they move")
@pytest.mark.parametrize("several", [False, True])
def test_drake_holds_couplings_while_the_mechanism_moves(several):
    """Also where ratios and offsets are neither 1 nor 0, and joints do not stand at their zero."""
    mechanism = summing_arm() if several else geared_arms(2.0, 0.1)
    export = exporting("sdf", mechanism)
    plant, context = loaded_text(texts_of(export)[1])
    couplings, tree = export.compiled.couplings, export.compiled.tree
    speeds = kept_by(couplings, export.compiled.nv)
    for t in tree:
        joint = plant.GetJointByName(t.edge.joint.name)
        joint.set_angular_rate(context, speeds[t.v][0])
    Simulator(plant, context).AdvanceTo(0.2)
    moves = {t: plant.GetJointByName(t.edge.joint.name).get_angle(context) for t in tree}
    q = export.q.copy()
    for t, by in moves.items():
        q[t.q] += by
    assert max(map(abs, moves.values())) > 0.05
    assert max(abs(coupling.off(q)) for coupling in couplings) < 1e-5


def kept_by(couplings, nv):
    """Speeds that the couplings allow."""
    C = np.zeros((len(couplings), nv))
    for row, coupling in zip(C, couplings, strict=True):
        for ref, coefficient in coupling.terms:
            row[ref.v] = coefficient
    anything = np.random.default_rng(2).uniform(0.3, 1.0, nv)
    return anything - np.linalg.pinv(C) @ (C @ anything)


def geared_arms(ratio, offset):
    """Two hinges on the world, one of which follows the other."""
    drawing = Drawing("geared", turn((0.3, 0.2, 0.1)))
    for name, value, place in (("a", 0.3, 0.0), ("b", ratio * 0.3 + offset, 0.5)):
        where = turn((0.0, 0.4, 0.2), (place, 0.0, 0.0))
        drawing.body(name, turn((0.1, 0.2, 0.3), (place, 0.1, 0.0)))
        drawing.revolute(f"hinge-{name}", (rc.WORLD, name), where, value)
    drawing.gear("gear", "hinge-a", "hinge-b", ratio, offset)
    return drawing.mechanism()


def summing_arm():
    """A chain of three hinges, of which the last turns by both others."""
    drawing, inboard = Drawing("summing", turn((0.3, 0.2, 0.1))), rc.WORLD
    for index, (name, value) in enumerate({"a": 0.3, "b": -0.2, "c": 0.5}.items()):
        where = turn((0.0, 0.4 * index, 0.2), (0.5 * index, 0.0, 0.0))
        drawing.body(name, turn((0.1, 0.2, 0.3), (0.5 * index, 0.1, 0.0)))
        drawing.revolute(f"hinge-{name}", (inboard, name), where, value)
        inboard = name
    drawing.couple("sum", "hinge-c", {"hinge-a": 2.0, "hinge-b": 1.0}, 0.1)
    return drawing.mechanism()


@pytest.mark.row(DRAKE, "SDF", cannot="holds no coupling of joints of over two branches")
def test_drake_fails_on_a_coupling_of_three_branches():
    """Which therefore it is not given: this one is made of one that it takes."""
    export = exporting("sdf", summing_differential())
    assert "cage_coupling" not in texts_of(export)[1]
    lost = [entry.where for entry in export.ledger.unsupported]
    assert lost == ["cage"]
    text = texts_of(exporting("sdf", summing_arm()))[1]
    for joint in ("hinge-b", "hinge-c"):
        element = ElementTree.fromstring(text).find(f".//joint[@name='{joint}']")
        parent = element.find("parent").text
        told = f'<joint name="{joint}" type="continuous">\n        <parent>{parent}</parent>'
        assert told in text
        text = text.replace(told, told.replace(f">{parent}<", ">world<"))
    plant, context = loaded_text(text)
    with pytest.raises(RuntimeError, match="more than two kinematic trees is not allowed"):
        Simulator(plant, context).AdvanceTo(0.01)


@pytest.mark.row(DRAKE, "SDF", agrees="armature and rotors behind gears, in the mass matrix")
@pytest.mark.parametrize("kind", [JointKind.REVOLUTE, JointKind.PRISMATIC])
def test_drake_s_mass_matrix_has_armature_and_rotors(kind):
    mechanism = arm(kind, armature=0.3)
    motor = Actuator(
        name="motor",
        transmissions=(Transmission(coordinate="J", ratio=-7.0),),
        armature=0.01,
        effort=2.0,
    )
    export = exporting("sdf", replace(mechanism, actuators=(motor,)))
    plant, context = loaded_text(texts_of(export)[1])
    expected = own_mass_matrix(export.compiled, export.state)
    at = export.compiled.tree_joint("J").v.start
    expected[at, at] += 0.3 + 49.0 * 0.01
    np.testing.assert_allclose(plant.CalcMassMatrix(context), expected, rtol=1e-12)
    (actuator,) = (plant.get_joint_actuator(i) for i in plant.GetJointActuatorIndices())
    assert actuator.joint().name() == "J"
    assert actuator.effort_limit() == 14.0


@pytest.mark.row(DRAKE, "SDF", agrees="springs and where they are slack")
@pytest.mark.parametrize("kind", [JointKind.REVOLUTE, JointKind.PRISMATIC])
def test_drake_s_springs_pull_as_ours(kind):
    export = exporting("sdf", arm(kind, stiffness=3.0, spring_reference=0.7))
    plant, context = loaded_text(texts_of(export)[1])
    joint, own = plant.GetJointByName("J"), export.compiled.tree_joint("J")
    set_coordinates(plant, context, joint, [0.05])
    forces = MultibodyForces(plant)
    plant.CalcForceElementsContribution(context, forces)
    at = export.q[own.q][0] + 0.05
    found = forces.generalized_forces()[joint.velocity_start()]
    assert found == pytest.approx(3.0 * (0.7 - at), rel=1e-14)


@pytest.mark.row(DRAKE, "SDF", cannot="reads no STL, so that its file names OBJ beside it")
def test_drake_reads_no_stl(tmp_path):
    written = Written("pendulum", tmp_path)
    with pytest.raises(RuntimeError, match=r"unsupported extension '.stl'"):
        Parser(AddMultibodyPlantSceneGraph(DiagramBuilder(), 1e-3)[0]).AddModels(str(written.path))


@pytest.mark.row(DRAKE, "SDF", cannot="reads no gravity, and takes 9.81 m/s² along -z")
def test_drake_reads_no_gravity():
    mechanism = replace(four_bar(), environment=Environment(gravity=(0.0, 0.0, -1.6)))
    export = exporting("sdf", mechanism)
    _, drakes = texts_of(export)
    assert any("-1.6" in warning for warning in export.ledger.warnings)
    for told in ("", "<gravity>0 0 -1.6</gravity>"):
        plant, _ = loaded_text(drakes.replace("<model ", f"{told}<model ", 1))
        np.testing.assert_array_equal(plant.gravity_field().gravity_vector(), [0.0, 0.0, -9.81])


def moved_arm(kind, reverse):
    """An arm as Drake has it and as we do, its joint moved from where the file has it."""
    export = exporting("sdf", arm(kind, reverse), intermediate_mass=0.0)
    plant, context = loaded_text(texts_of(export)[1])
    scene, compiled = scene_of(export), export.compiled
    q, own = export.q.copy(), compiled.tree_joint("J")
    if kind not in SPHERICAL:
        q[own.q] += [0.37, -0.21, 0.15][: own.q.stop - own.q.start]
        for joint in moving_joints(plant):
            parts = [lj for lj in scene.tree.joints if scene.names.joints[lj.name] == joint.name()]
            tree_joint, part = compiled.tree[parts[0].source], parts[0].part
            by = (q - export.q)[tree_joint.q]
            by = by if part is None else by[[part]]
            turned = kind is JointKind.UNIVERSAL and tree_joint.reversed
            set_coordinates(plant, context, joint, by[::-1] if turned else by)
    return plant, context, scene, evaluate(compiled, q)


@pytest.mark.row(DRAKE, "SDF", agrees="every kind of joint, crossed either way")
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("kind", MOVING)
def test_each_kind_of_joint_moves_as_ours_whichever_way_it_is_crossed(kind, reverse):
    plant, context, scene, state = moved_arm(kind, reverse)
    for index in (1, 2):
        name = scene.compiled.bodies[index].name
        X = plant.GetBodyByName(name).EvalPoseInWorld(context)
        expected = state.poses[index] @ scene.link_pose(index)
        np.testing.assert_allclose(X.translation(), expected.p, atol=1e-14)
        np.testing.assert_allclose(X.rotation().matrix(), expected.R, atol=1e-14)


CLOSING = sorted(NATIVE - {JointKind.FREE}, key=lambda kind: kind.value)


def loop_of(kind, reverse):
    """World - ball - a - ball - b, and back to the world by `cut`, all in general position."""
    rng = np.random.default_rng(3)
    drawing = Drawing("loop", turn(rng.uniform(-1.0, 1.0, 3), rng.uniform(-1.0, 1.0, 3)))
    for body in "ab":
        drawing.body(body, turn(rng.uniform(-1.0, 1.0, 3), rng.uniform(-1.0, 1.0, 3)))
    drawing.ball("first", (rc.WORLD, "a"), (0.1, 0.2, 0.3), effort=1.0)
    drawing.ball("second", ("a", "b"), (-0.2, 0.3, 0.1), effort=1.0)
    value = (0.3, -0.5) if kind is JointKind.UNIVERSAL else (0.3,)
    where = turn(rng.uniform(-1.0, 1.0, 3), rng.uniform(-1.0, 1.0, 3))
    between = (rc.WORLD, "b") if reverse else ("b", rc.WORLD)
    told = {"closes_loop": True, "pitch": 0.05 if kind is JointKind.SCREW else 0.0}
    if kind is JointKind.BALL:
        drawing.ball("cut", between, where.p, closes_loop=True)
    else:
        drawing.joint("cut", kind, between, where, *value, **told)
    return drawing.mechanism()


@pytest.mark.row(DRAKE, "SDF", agrees="joints that close loops, each as the one that leads there")
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("kind", CLOSING)
def test_a_joint_that_closes_a_loop_is_the_joint_that_was_cut(kind, reverse):
    """Read as Drake can, with the loop opened elsewhere, so that it leads from parent to child."""
    export = exporting("sdf", loop_of(kind, reverse))
    (closure,) = export.compiled.closures
    assert closure.kind is kind
    root = ElementTree.fromstring(texts_of(export)[0])
    model = root.find("world/model")
    for name in ("second",) if reverse else ("first", "base_to_world"):
        model.remove(model.find(f"joint[@name='{name}']"))
    plant, context = loaded_text(ElementTree.tostring(root, encoding="unicode"))
    at = np.array(export.configuration.of("cut"))
    by = np.zeros(3) if kind is JointKind.BALL else np.array([0.4, -0.3])[: kind.nq]
    set_coordinates(plant, context, plant.GetJointByName("cut"), by)
    F, M = (plant.GetFrameByName(f"cut/{side}") for side in ("parent", "child"))
    found = M.CalcPose(context, F)
    moved = at if kind is JointKind.BALL else at + by
    expected = joint_motion(kind, moved, closure.chord.joint.pitch)
    np.testing.assert_allclose(found.translation(), expected.p, atol=1e-9)
    np.testing.assert_allclose(found.rotation().matrix(), expected.R, atol=1e-9)


def tool(*arguments):
    if shutil.which("ign") is None:
        pytest.skip("no `ign`: apt install libsdformat-dev ignition-tools")
    return subprocess.run(["ign", "sdf", *arguments], capture_output=True, text=True, check=False)


def assert_valid(path):
    """Its version 12 knows SDFormat 1.9 and older: of what is newer it says so, and checks it."""
    version = ElementTree.parse(path).getroot().get("version")
    done = tool("-k", str(path))
    said = (done.stdout + done.stderr).splitlines()
    told = {line for line in said if "Error" in line or "Warning" in line}
    newer = f"Unable to convert from SDF version {version} to 1.9"
    assert done.returncode == 0
    assert "Valid." in done.stdout
    assert all(newer in line for line in told if "libignition-tools-backward" not in line)
    assert version == "1.9" or any(newer in line for line in told)


@pytest.mark.row(TOOL, "SDF", agrees="the model's file and Drake's are valid")
def test_libsdformat_finds_the_examples_valid(written):
    for path in (written.path, written.drake):
        assert_valid(path)


@pytest.mark.row(TOOL, "SDF", agrees="every kind of joint, in the tree or closing a loop, is valid")
@pytest.mark.parametrize("kind", MOVING)
def test_libsdformat_finds_each_kind_of_joint_valid(kind, tmp_path):
    exports = [exporting("sdf", arm(kind), intermediate_mass=0.1)]
    if kind in CLOSING:
        exports.append(exporting("sdf", loop_of(kind, reverse=False)))
    for export in exports:
        (tmp_path / "model.sdf").write_text(texts_of(export)[0])
        assert_valid(tmp_path / "model.sdf")


@pytest.mark.row(TOOL, "SDF", agrees="what is wrong it finds, so that its silence says something")
def test_libsdformat_finds_faults_where_they_are(tmp_path):
    text, _ = texts_of(exporting("sdf", arm(JointKind.REVOLUTE)))
    faults = {
        "a link that is not there": ("<parent>upper</parent>", "<parent>other</parent>"),
        "a kind that is none": ('type="continuous"', 'type="hinge"'),
        "two things of one name": ('<joint name="J"', '<joint name="lower"'),
    }
    for old, new in faults.values():
        assert old in text
        (tmp_path / "model.sdf").write_text(text.replace(old, new, 1))
        assert tool("-k", str(tmp_path / "model.sdf")).returncode != 0
