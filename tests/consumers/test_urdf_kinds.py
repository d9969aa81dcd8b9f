"""Joints of every kind in URDFs, as Pinocchio and Drake move them, and roots that float."""

import xml.etree.ElementTree as ElementTree
from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
from agreement import DOUBLES, rank
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import MultibodyPlant
from pydrake.systems.analysis import Simulator

import robocompiler as rc
from arms import MOVING, arm
from linkages.overconstrained import bennett
from linkages.spatial import summing_differential
from mechanisms import four_bar
from robocompiler.compiler.compile import compile_mechanism
from robocompiler.compiler.steps import step
from robocompiler.solve.mass import mass_matrix
from robocompiler.solve.state import evaluate
from robocompiler.write.links import axis_names, axis_values
from robocompiler.write.urdf.names import URDF_CUTTABLE, legal

KINDS = [(kind, reverse) for kind in MOVING for reverse in (False, True)]
EXACT = [(kind, reverse) for kind, reverse in KINDS if kind is not rc.JointKind.BALL]


def written(mechanism, folder, **options):
    """The file, and the mechanism cut as it is there."""
    path = folder / "a.urdf"
    rc.write(rc.compile(mechanism), path, intermediate_mass=0, **options)
    return path, compile_mechanism(mechanism, URDF_CUTTABLE)


def values(compiled, q):
    """Of the file's joints, by name."""
    return {
        legal(name): value
        for t in compiled.tree
        for name, value in zip(
            axis_names(t.edge.joint), axis_values(t.edge.joint, q[t.q]), strict=True
        )
    }


def anywhere(compiled):
    """Three coordinates of the tree, reproducibly."""
    start = rc.coordinates(compiled, rc.assemble(compiled))
    random = np.random.default_rng(3)
    return [step(compiled, start, random.uniform(-0.5, 0.5, compiled.nv)) for _ in range(3)]


def set_pinocchio(model, known):
    q = pin.neutral(model)
    for name, value in known.items():
        own = model.joints[model.getJointId(name)]
        if own.nv == 1:
            q[own.idx_q : own.idx_q + own.nq] = (
                value if own.nq == 1 else (np.cos(value), np.sin(value))
            )
    return q


def centers(compiled, q):
    state = evaluate(compiled, q)
    return {
        body.name: X.R @ np.array(body.inertia.center) + X.p
        for body, X in zip(compiled.bodies, state.poses, strict=True)
        if body.inertia is not None
    }


@pytest.mark.row("Pinocchio 4.1", "URDF", agrees="joints of every kind, lowered, crossed both ways")
@pytest.mark.parametrize(("kind", "reverse"), KINDS)
def test_pinocchio_moves_a_joint_of_any_kind_as_we_do(kind, reverse, tmp_path):
    path, compiled = written(arm(kind, reverse), tmp_path)
    model = pin.buildModelFromUrdf(str(path))
    data = model.createData()
    for q in anywhere(compiled):
        pin.forwardKinematics(model, data, set_pinocchio(model, values(compiled, q)))
        pin.updateFramePlacements(model, data)
        for name, center in centers(compiled, q).items():
            at = model.getFrameId(name, pin.FrameType.BODY)
            own = model.inertias[model.frames[at].parentJoint].lever
            np.testing.assert_allclose(data.oMf[at].act(own), center, atol=1e-12)


@pytest.mark.row("Pinocchio 4.1", "URDF", agrees="mass matrix of every kind but balls; screws too")
@pytest.mark.parametrize(("kind", "reverse"), EXACT)
def test_pinocchio_s_mass_matrix_is_ours_for_any_kind_where_links_between_weigh_nothing(
    kind, reverse, tmp_path
):
    path, compiled = written(arm(kind, reverse), tmp_path)
    model = pin.buildModelFromUrdf(str(path), mimic=True)
    data = model.createData()
    for q in anywhere(compiled):
        known = values(compiled, q)
        leading = {n: v for n, v in known.items() if not n.endswith("_advance")}
        M = np.array(pin.crba(model, data, set_pinocchio(model, leading)))
        M = np.triu(M) + np.triu(M, 1).T
        order = [model.joints[model.getJointId(name)].idx_v for name in leading]
        ours = mass_matrix(compiled, evaluate(compiled, q))
        speeds = [legal(n) for t in compiled.tree for n in t.edge.joint.speed_names]
        assert speeds == list(leading)
        np.testing.assert_allclose(M[np.ix_(order, order)], ours, rtol=1e-9, atol=1e-12)


@pytest.mark.row("Drake 1.51", "URDF", agrees="joints of every kind, lowered, crossed both ways")
@pytest.mark.parametrize(("kind", "reverse"), KINDS)
def test_drake_moves_a_joint_of_any_kind_as_we_do(kind, reverse, tmp_path):
    path, compiled = written(arm(kind, reverse), tmp_path)
    plant = MultibodyPlant(1e-3)
    Parser(plant).AddModels(str(path))
    plant.Finalize()
    context = plant.CreateDefaultContext()
    for q in anywhere(compiled):
        for name, value in values(compiled, q).items():
            joint = plant.GetJointByName(name)
            turns = joint.type_name() == "revolute"
            (joint.set_angle if turns else joint.set_translation)(context, value)
        for name, center in centers(compiled, q).items():
            body = plant.GetBodyByName(name)
            own = body.EvalPoseInWorld(context).multiply(body.CalcCenterOfMassInBodyFrame(context))
            np.testing.assert_allclose(own, center, atol=1e-12)


@pytest.mark.row("Drake 1.51", "URDF", agrees="loops that are cut at another joint than theirs")
def test_drake_takes_a_loop_and_a_joint_of_one_name(tmp_path):
    """Its own frames of the joint are called as an end of the loop would be."""
    path, _ = written(four_bar(joint={"C": {"effort": 1.0}}), tmp_path)
    plant = MultibodyPlant(0.0)
    Parser(plant).AddModels(str(path))
    plant.Finalize()
    assert plant.HasFrameNamed("C_parent_2")


@pytest.mark.row("Drake 1.51", "URDF", agrees="rotors behind gears, in the mass matrix")
def test_drake_s_mass_matrix_has_the_rotors_as_seen_through_their_gears(tmp_path):
    """ratio² · rotor, and what the joint itself states of it."""
    motor = rc.Actuator(
        name="m",
        transmissions=(rc.Transmission(coordinate="J", ratio=-50.0),),
        armature=1e-4,
        effort=2.0,
    )
    mechanism = replace(arm(rc.JointKind.REVOLUTE, armature=0.3), actuators=(motor,))
    path, compiled = written(mechanism, tmp_path)
    plant = MultibodyPlant(1e-3)
    Parser(plant).AddModels(str(path))
    plant.Finalize()
    context = plant.CreateDefaultContext()
    (q, *_) = anywhere(compiled)
    for name, value in values(compiled, q).items():
        plant.GetJointByName(name).set_angle(context, value)
    at = [plant.GetJointByName(name).velocity_start() for name in ("S", "J")]
    M = plant.CalcMassMatrix(context)[np.ix_(at, at)]
    added = M - mass_matrix(compiled, evaluate(compiled, q))
    np.testing.assert_allclose(added, np.diag([0.0, 0.3 + 50.0**2 * 1e-4]), atol=1e-12)
    (index,) = plant.GetJointActuatorIndices()
    assert plant.get_joint_actuator(index).effort_limit() == 100.0


@pytest.mark.row("Drake 1.51", "URDF", agrees="couplings of several leaders, held in motion")
def test_drake_holds_couplings_of_several_leaders(tmp_path):
    """Turned at one shaft: the other turns back, or the cage turns by half of it."""
    path, compiled = written(summing_differential(), tmp_path)
    plant = MultibodyPlant(1e-3)
    Parser(plant).AddModels(str(path))
    plant.Finalize()
    assert plant.num_constraints() == len(compiled.couplings) == 3
    context = plant.CreateDefaultContext()
    for name, (value,) in rc.assemble(compiled).values:
        plant.GetJointByName(legal(name)).set_angle(context, value)
    plant.GetJointByName("left").set_angular_rate(context, 1.0)
    Simulator(plant, context).AdvanceTo(0.5)
    q = np.zeros(compiled.nq)
    for t in compiled.tree:
        q[t.q] = plant.GetJointByName(legal(t.edge.joint.name)).get_angle(context)
    turned = q - rc.coordinates(compiled, rc.assemble(compiled))
    assert np.abs(turned).max() > 0.1
    assert max(abs(own.off(q)) for own in compiled.couplings) < 1e-5


@pytest.mark.row("Pinocchio 4.1", "URDF", agrees="a spatial hinge's closure: two points, rank 5")
def test_a_spatial_closure_at_our_frames_leaves_our_mobility(tmp_path):
    path, compiled = written(bennett(), tmp_path)
    q = rc.coordinates(compiled, rc.assemble(compiled))
    model = pin.buildModelFromUrdf(str(path))
    data = model.createData()
    pin.computeJointJacobians(model, data, set_pinocchio(model, values(compiled, q)))
    pin.updateFramePlacements(model, data)
    (closure,) = compiled.closures
    rows = []
    for middle in ("", "_axis"):
        ends = [
            model.getFrameId(legal(f"{closure.name}{middle}_{end}")) for end in ("parent", "child")
        ]
        own = [
            pin.getFrameJacobian(model, data, end, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED)[:3]
            for end in ends
        ]
        gap = data.oMf[ends[0]].translation - data.oMf[ends[1]].translation
        assert np.linalg.norm(gap) < DOUBLES
        rows.append(own[0] - own[1])
    assert model.nv - rank(np.vstack(rows)) == int(rc.mobility(compiled, q)) == 1
    # One point alone would let the hinge's ends tilt: it is the two that hold the axis.
    assert rank(rows[0]) < rank(np.vstack(rows)) or model.nv == rank(rows[0]) + 1


@pytest.mark.row(
    "Drake 1.51", "URDF", cannot="reads balls as closures, and no `drake:weld_constraint`"
)
def test_drake_s_urdf_has_no_welds(tmp_path):
    """So a closure that no points say exactly has no form that a consumer reads."""
    path, _ = written(bennett(), tmp_path)
    root = ElementTree.parse(path).getroot()
    balls = root.findall("{http://drake.mit.edu}ball_constraint")
    for ball in balls:
        root.remove(ball)
    weld = ElementTree.SubElement(root, "{http://drake.mit.edu}weld_constraint")
    for side in "AB":
        space = "{http://drake.mit.edu}weld_constraint_body_"
        ElementTree.SubElement(weld, f"{space}{side}", name="link_1")
    ElementTree.register_namespace("drake", "http://drake.mit.edu")
    plant = MultibodyPlant(1e-3)
    Parser(plant).AddModelsFromString(ElementTree.tostring(root, encoding="unicode"), "urdf")
    assert (len(balls), plant.num_constraints()) == (2, 0)


def floating(count):
    X = tuple(rc_rotation())
    names = [f"b{i}" for i in range(count)]
    bodies = tuple(rc.Body(name=n, inertia=rc.Inertia(mass=1.0, moments=(1.0,) * 3)) for n in names)
    frames = [rc.Frame(name=f"W{n}", body=rc.WORLD) for n in names]
    frames += [rc.Frame(name=f"B{n}", body=n) for n in names]
    joints = tuple(
        rc.Joint(
            name=f"f{n}",
            kind=rc.JointKind.FREE,
            parent=f"W{n}",
            child=f"B{n}",
            start=(0.1, 0.2, 0.3, *X),
        )
        for n in names
    )
    return rc.Mechanism(name="floating", bodies=bodies, frames=tuple(frames), joints=joints)


def rc_rotation():
    return np.array([0.9, 0.1, -0.3, 0.3]) / np.linalg.norm([0.9, 0.1, -0.3, 0.3])


@pytest.mark.row("Pinocchio 4.1", "SRDF", agrees="where a root floats, and bodies that float")
@pytest.mark.parametrize("count", [1, 2])
def test_pinocchio_reads_where_bodies_float(count, tmp_path):
    path, compiled = written(floating(count), tmp_path)
    root = (pin.JointModelFreeFlyer(),) if count == 1 else ()
    model = pin.buildModelFromUrdf(str(path), *root)
    assert model.nv == 6 * count
    pin.loadReferenceConfigurations(model, str(path.with_suffix(".srdf")))
    q = next(c.data() for c in model.referenceConfigurations if c.key() == "assembled")
    data = model.createData()
    pin.forwardKinematics(model, data, q)
    pin.updateFramePlacements(model, data)
    state = evaluate(compiled, rc.coordinates(compiled, rc.assemble(compiled)))
    for body, X in zip(compiled.bodies[1:], state.poses[1:], strict=True):
        own = data.oMf[model.getFrameId(body.name, pin.FrameType.BODY)]
        np.testing.assert_allclose(own.translation, X.p, atol=1e-15)
        np.testing.assert_allclose(own.rotation, X.R, atol=1e-15)
