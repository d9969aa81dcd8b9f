"""Joints of every kind in MuJoCo 4.0: several between two bodies are one of all their freedoms."""

from dataclasses import replace

import mujoco
import mujoco._usd  # registers what decodes USD
import numpy as np
import pytest
from agreement import FLOATS, rank
from in_mujoco import MUJOCO, equalities
from pxr import Usd, UsdPhysics
from usd_kinds import KINDS, written

import robocompiler as rc
from acting import acting, on_a_base
from arms import arm
from linkages.drawing import Drawing, at
from linkages.spatial import loop_with
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import Body, Frame, Inertia, Joint
from robocompiler.solve.state import evaluate
from robocompiler.spatial import exp_rotation, quaternion_of


@pytest.mark.row(MUJOCO, "USD", agrees="profile `mujoco`: joints of every kind, crossed either way")
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_mujoco_moves_a_joint_of_any_kind_as_we_do(kind, reverse, tmp_path):
    path, samples = written(kind, reverse, "mujoco", tmp_path)
    model = mujoco.MjSpec.from_file(str(path)).compile()
    assert model.nbody == 4
    screw = kind is JointKind.SCREW
    assert model.nv == 1 + kind.dof + screw
    assert model.neq == screw
    data = mujoco.MjData(model)
    for moved in samples:
        data.qpos[:] = model.qpos0
        for name, value in moved.axes.items():
            data.joint(f"/arm/joints/{name}").qpos[0] = value
        mujoco.mj_forward(model, data)
        for body, X in moved.poses.items():
            own = data.body(f"/arm/{body}")
            np.testing.assert_allclose(own.xpos, X.p, atol=FLOATS)
            np.testing.assert_allclose(own.xmat.reshape(3, 3), X.R, atol=FLOATS)
        if screw:
            assert np.abs(data.efc_pos[: data.ne]).max() < FLOATS


@pytest.mark.row(
    MUJOCO, "USD", agrees="profile `mujoco`: what acts on joints, couplings, motors and tendons"
)
def test_what_acts_on_a_joint_acts_in_mujoco(tmp_path, capfd):
    path = tmp_path / "m.usda"
    rc.write(rc.compile(acting()), path, usd_profile="mujoco")
    model = mujoco.MjSpec.from_file(str(path)).compile()
    said = capfd.readouterr()
    assert said.out + said.err == ""
    own = model.joint("/arm/joints/J")
    v = own.dofadr[0]
    assert model.dof_damping[v] == pytest.approx(0.5, rel=FLOATS)
    assert model.dof_frictionloss[v] == pytest.approx(0.07, rel=FLOATS)
    # 3² · 0.001 of the motor on S is S's, and the other motor's its tendon's.
    np.testing.assert_allclose(model.dof_armature, [0.009, 0.02], rtol=FLOATS)
    assert model.tendon_armature.tolist() == [0.004]
    assert own.stiffness == 1.5
    assert model.qpos_spring[own.qposadr[0]] == 0.1
    assert model.jnt_actfrcrange[own.id].tolist() == [-3.0, 3.0]
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    assert model.neq == 1
    np.testing.assert_allclose(model.eq_data[0, :2], [0.0, -2.0], atol=FLOATS)
    assert np.abs(data.efc_pos[: data.ne]).max() < FLOATS
    assert model.actuator("/arm/actuators/motor").ctrlrange.tolist() == [-2.0, 2.0]
    data.ctrl[:] = [1.0, 2.0]
    mujoco.mj_forward(model, data)
    # 3 · 1 + 1 · 2 on S, 0.5 · 2 on J.
    np.testing.assert_allclose(data.qfrc_actuator, [5.0, 1.0])


@pytest.mark.row(MUJOCO, "USD", agrees="a hinge that closes a spatial loop, as two points")
@pytest.mark.parametrize("profile", ["generic", "mujoco"])
def test_a_hinge_of_a_spatial_loop_holds_five_freedoms(profile, tmp_path):
    path = tmp_path / "m.usda"
    whole = on_a_base(loop_with(JointKind.REVOLUTE))
    rc.write(rc.compile(whole), path, usd_profile=profile, intermediate_mass=1e-3)
    model = mujoco.MjSpec.from_file(str(path)).compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    rows, gap = equalities(model, data)
    assert gap < FLOATS
    assert (len(rows), rank(rows, FLOATS)) == (6, 5)


@pytest.mark.row(MUJOCO, "USD", cannot="leaves out an excluded hinge, without a word")
def test_mujoco_leaves_out_a_closure_that_is_a_hinge(tmp_path, capfd):
    """Hence points, in all profiles that it reads."""
    path = tmp_path / "m.usda"
    whole = on_a_base(loop_with(JointKind.REVOLUTE))
    rc.write(rc.compile(whole), path, usd_profile="physx", intermediate_mass=1e-3)
    stage = Usd.Stage.Open(str(path))
    top = stage.GetDefaultPrim().GetPath()
    # It wants an articulation to start at a body.
    stage.GetPrimAtPath(f"{top}/joints/fixed").RemoveAPI(UsdPhysics.ArticulationRootAPI)
    UsdPhysics.ArticulationRootAPI.Apply(stage.GetPrimAtPath(f"{top}/ground"))
    path = tmp_path / "rooted.usda"
    stage.GetRootLayer().Export(str(path))
    model = mujoco.MjSpec.from_file(str(path)).compile()
    said = capfd.readouterr()
    assert said.out + said.err == ""
    assert model.neq == 0


def test_mujoco_takes_a_flat_body(tmp_path):
    """Whose largest moment is the sum of the others, to rounding, along whatever axes."""
    random = np.random.default_rng(7)
    for number, (a, b) in enumerate(random.uniform(1e-6, 1e-3, (10, 2))):
        R = exp_rotation(random.uniform(-1.0, 1.0, 3))
        tensor = R @ np.diag([a, b, a + b]) @ R.T
        moments = tuple(np.diag(tensor).tolist())
        products = tuple(float(tensor[i, j]) for i, j in ((0, 1), (0, 2), (1, 2)))
        flat = Inertia(mass=1.0, moments=moments, products=products)
        whole = arm(JointKind.REVOLUTE)
        whole = replace(whole, bodies=tuple(replace(x, inertia=flat) for x in whole.bodies))
        for profile in ("generic", "mujoco"):
            path = tmp_path / f"{profile}{number}.usda"
            rc.write(rc.compile(whole), path, usd_profile=profile)
            assert mujoco.MjSpec.from_file(str(path)).compile().nbody == 3


@pytest.mark.parametrize("afloat_is", ["float", "rest", "wave"])
@pytest.mark.parametrize("based", [False, True])
def test_a_key_is_in_mujocos_order_wherever_trees_start(based, afloat_is, tmp_path):
    """On a base, on the bare world, and floating: which comes before, among or after the others."""
    inertia = Inertia(mass=1.0, moments=(0.1, 0.1, 0.1))
    names = ("mast", "arm", "hull", "fin", "boom")
    frames = [Frame(name=f"{n}.{i}", body=n) for n in names for i in range(2)]
    frames += [Frame(name=f"w{i}", body=rc.WORLD, position=(0.0, 0.0, float(i))) for i in range(3)]
    turns = {
        "step": ("w1", "mast.0"),
        "elbow": ("mast.1", "arm.0"),
        "rudder": ("hull.1", "fin.0"),
        "hook": ("w2", "boom.0"),
    }
    joints = [
        Joint(name=name, kind=JointKind.REVOLUTE, parent=a, child=b, start=(0.1 * number,))
        for number, (name, (a, b)) in enumerate(turns.items(), 1)
    ]
    afloat = (1.0, 2.0, 3.0, 1.0, 0.0, 0.0, 0.0)
    joints.append(
        Joint(name=afloat_is, kind=JointKind.FREE, parent="w0", child="hull.0", start=afloat)
    )
    whole = rc.Mechanism(
        name="trees",
        bodies=tuple(Body(name=name, inertia=inertia) for name in names),
        frames=tuple(frames),
        joints=tuple(joints),
    )
    path = tmp_path / "m.usda"
    compiled = rc.compile(on_a_base(whole) if based else whole)
    rc.write(compiled, path, usd_profile="mujoco")
    model = mujoco.MjSpec.from_file(str(path)).compile()
    np.testing.assert_allclose(model.key_qpos[0], model.qpos0, atol=FLOATS)
    assert model.nq == 11


@pytest.mark.row(MUJOCO, "USD", agrees="closures between a body and the bare world, either way")
@pytest.mark.parametrize("ends", [("left", rc.WORLD), (rc.WORLD, "left")])
def test_mujoco_closes_a_loop_on_the_bare_world(ends, tmp_path, capfd):
    drawing = Drawing("held")
    drawing.body("left", at(0.2))
    drawing.joint("hinge", JointKind.UNIVERSAL, (rc.WORLD, "left"), at())
    drawing.ball("tip", ends, (0.5, 0.5, 0.0), closes_loop=True)
    path = tmp_path / "m.usda"
    rc.write(rc.compile(drawing.mechanism()), path, usd_profile="mujoco")
    model = mujoco.MjSpec.from_file(str(path)).compile()
    assert (model.nv, model.neq) == (2, 1)
    assert "Skipping" not in "".join(capfd.readouterr())


@pytest.mark.row(MUJOCO, "USD", agrees="profile `mujoco`: named configurations, as keys")
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_a_key_is_where_a_named_configuration_has_the_bodies(kind, reverse, tmp_path):
    compiled = rc.compile(on_a_base(arm(kind, reverse)))
    start = rc.assemble(compiled)
    values = dict(start.values)
    moved = [value + 0.1 * (1 + i) for i, value in enumerate(values["J"])]
    if kind is JointKind.BALL:
        moved = quaternion_of(exp_rotation(np.array([0.5, -0.3, 0.4]))).tolist()
    bent = rc.assemble(compiled, {"S": values["S"][0] - 0.5, "J": tuple(moved)})
    path = tmp_path / "m.usda"
    rc.write(compiled, path, configurations={"bent": bent}, usd_profile="mujoco")
    model = mujoco.MjSpec.from_file(str(path)).compile()
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, model.key("bent").id)
    mujoco.mj_forward(model, data)
    poses = evaluate(compiled, rc.coordinates(compiled, bent)).poses
    for body, X in zip(compiled.bodies[1:], poses[1:], strict=True):
        own = data.body(f"/arm/{body.name}")
        np.testing.assert_allclose(own.xpos, X.p, atol=FLOATS)
        np.testing.assert_allclose(own.xmat.reshape(3, 3), X.R, atol=FLOATS)
