"""What SDFormat says of joints, as Drake has it: each kind, either way, in a tree or closing it."""

import xml.etree.ElementTree as ElementTree
from dataclasses import replace

import numpy as np
import pytest
from in_drake import DRAKE
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import AddMultibodyPlantSceneGraph
from pydrake.multibody.tree import MultibodyForces
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder
from sdf_files import loaded_text, moving_joints, set_coordinates, texts_of

import robocompiler as rc
from arms import MOVING, arm
from exporting import exporting
from linkages.crane import crane
from linkages.drawing import Drawing, turn
from linkages.drawn_at_random import drawn_at_random, geared_at_random
from linkages.excavator import excavator
from linkages.robots import kangaroo
from linkages.spatial import delta
from mechanisms import four_bar
from robocompiler.equations.kinematics import joint_motion
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import Actuator, Environment, Transmission
from robocompiler.solve.mass import mass_matrix
from robocompiler.solve.state import evaluate
from robocompiler.write.sdf.scene import NATIVE, scene_of


@pytest.mark.row(DRAKE, "SDF", agrees="screws by the pitch of SDFormat 1.9 too")
def test_a_screw_moves_as_ours_by_either_pitch():
    text = texts_of(exporting("sdf", arm(JointKind.SCREW)))[0]
    for pitch in ("thread_pitch", "screw_thread_pitch"):
        line = next(line for line in text.splitlines(keepends=True) if f"<{pitch}>" in line)
        plant, _ = loaded_text(text.replace(line, ""))
        assert plant.GetJointByName("J").screw_pitch() == pytest.approx(0.02 * np.pi, rel=1e-15)


@pytest.mark.row(DRAKE, "SDF", agrees="trees of every kind of joint, with loops and gears")
@pytest.mark.parametrize("seed", [3, 5, 6, 7, 11, 12, 13, 15, 17, 24])
def test_mechanisms_drawn_at_random_stand_as_ours(seed):
    mechanism = drawn_at_random(seed)
    mechanism = geared_at_random(mechanism, seed) if seed % 2 else mechanism
    export = exporting("sdf", mechanism, intermediate_mass=0.0)
    plant, context = loaded_text(texts_of(export)[1])
    names = scene_of(export).names.links
    state = evaluate(export.compiled, export.q)
    mass = 0.0
    for body, X in zip(export.compiled.bodies, state.poses, strict=True):
        if body.inertia is not None:
            own = plant.GetBodyByName(names[body.name])
            center = own.EvalPoseInWorld(context).multiply(own.CalcCenterOfMassInBodyFrame(context))
            expected = X.R @ np.array(body.inertia.center) + X.p
            np.testing.assert_allclose(center, expected, atol=1e-13)
            mass += body.inertia.mass
    assert plant.CalcTotalMass(context) == pytest.approx(mass, rel=1e-13)
    held = [own for own in export.compiled.closures if own.kind is not JointKind.FREE]
    assert plant.num_constraints() >= len(held)


CLOSING = sorted(NATIVE - {JointKind.FREE}, key=lambda kind: kind.value)


def moved_arm(kind, reverse):
    """An arm as Drake has it and as we do, its joint moved from where the file has it."""
    export = exporting("sdf", arm(kind, reverse), intermediate_mass=0.0)
    plant, context = loaded_text(texts_of(export)[1])
    scene, compiled = scene_of(export), export.compiled
    q, own = export.q.copy(), compiled.tree_joint("J")
    if kind is not JointKind.BALL:
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
    expected = mass_matrix(export.compiled, export.state)
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


@pytest.mark.row(DRAKE, "SDF", cannot="reads no gravity, and takes 9.81 m/s² along -z")
def test_drake_reads_no_gravity():
    mechanism = replace(four_bar(), environment=Environment(gravity=(0.0, 0.0, -1.6)))
    export = exporting("sdf", mechanism)
    _, drakes = texts_of(export)
    assert any("-1.6" in warning for warning in export.ledger.warnings)
    for told in ("", "<gravity>0 0 -1.6</gravity>"):
        plant, _ = loaded_text(drakes.replace("<model ", f"{told}<model ", 1))
        np.testing.assert_array_equal(plant.gravity_field().gravity_vector(), [0.0, 0.0, -9.81])


@pytest.mark.row(DRAKE, "SDF", agrees="a loop that hangs on nothing stays closed as it falls")
def test_a_loop_on_a_free_base_stays_closed():
    """R4, elsewhere than in DART."""
    mechanism = four_bar()
    free = {JointKind.FIXED: JointKind.FREE}
    joints = tuple(replace(own, kind=free.get(own.kind, own.kind)) for own in mechanism.joints)
    export = exporting("sdf", replace(mechanism, joints=joints))
    plant, context = loaded_text(texts_of(export)[1])
    assert plant.num_velocities() == 6 + 3
    plant.GetJointByName("A").set_angular_rate(context, 2.0)
    Simulator(plant, context).AdvanceTo(0.1)
    F, M = (plant.GetFrameByName(f"C/{side}") for side in ("parent", "child"))
    assert np.linalg.norm(M.CalcPose(context, F).translation()) < 1e-5
    assert plant.CalcCenterOfMassPositionInWorld(context)[2] < -0.01


@pytest.mark.row(DRAKE, "SDF", agrees="a floor and a light, and names that it has for itself")
def test_a_floor_and_names_that_drake_makes_of_joints_are_no_trouble():
    mechanism = arm(JointKind.REVOLUTE)
    bodies = (replace(mechanism.bodies[0], name="J_child"), mechanism.bodies[1])
    frames = (
        replace(own, body="J_child" if own.body == "upper" else own.body)
        for own in mechanism.frames
    )
    named = replace(mechanism, bodies=bodies, frames=tuple(frames))
    export = exporting("sdf", named, ground_plane=True, light=True)
    plant = AddMultibodyPlantSceneGraph(DiagramBuilder(), 1e-3)[0]
    Parser(plant).AddModelsFromString(texts_of(export)[1], "sdf")
    plant.Finalize()
    floor = plant.GetBodyByName("link", plant.GetModelInstanceByName("ground_plane"))
    assert len(plant.GetCollisionGeometriesForBody(floor)) == 1
    assert plant.GetBodyByName("J_child_link").get_mass(plant.CreateDefaultContext()) == 1.0


@pytest.mark.row(DRAKE, "SDF", agrees="loops of a delta, a crane, an excavator, a humanoid's legs")
@pytest.mark.parametrize("made", [delta, crane, excavator, kangaroo])
def test_many_loops_stay_closed(made):
    """R52, and up to 32 loops on a floating base."""
    export = exporting("sdf", made(), intermediate_mass=0.0)
    plant, context = loaded_text(texts_of(export)[1])
    held = [own for own in export.compiled.closures if own.kind is not JointKind.FREE]
    assert plant.num_constraints() >= len(held) > 1
    Simulator(plant, context).AdvanceTo(0.05)
    for closure in held:
        F, M = (plant.GetFrameByName(f"{closure.name}/{side}") for side in ("parent", "child"))
        if closure.kind in (JointKind.REVOLUTE, JointKind.BALL, JointKind.UNIVERSAL):
            assert np.linalg.norm(M.CalcPose(context, F).translation()) < 5e-5
