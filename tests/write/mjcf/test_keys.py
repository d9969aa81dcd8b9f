"""Keys and named frames, by what MuJoCo makes of them."""

from dataclasses import replace

import mujoco
import numpy as np
import pytest

import robocompiler as rc
from arms import arm
from exporting import exporting
from linkages.spatial import loop_with
from linkages.stewart import stewart
from mechanisms import bar, four_bar
from robocompiler.errors import BadValueError, UnwritableError
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import WORLD, Body, Frame, Joint
from robocompiler.solve.describe import coordinates, describe
from robocompiler.solve.state import evaluate
from robocompiler.spatial import exp_rotation, quaternion_of
from robocompiler.write.export import ASSEMBLED
from robocompiler.write.fidelity import Fidelity, Property
from robocompiler.write.mjcf.model import mjcf_text

KINDS = [kind for kind in JointKind if kind is not JointKind.FIXED]
TILT = tuple(quaternion_of(exp_rotation(np.array([0.4, -0.2, 0.9]))).tolist())


def written(mechanism, configurations=None, values=None):
    export = exporting("mjcf", mechanism, values, configurations=configurations)
    return export, mujoco.MjModel.from_xml_string(mjcf_text(export))


def at_key(model, name):
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, model.key(name).id)
    mujoco.mj_forward(model, data)
    return data


def assert_stands(export, data, configuration):
    """MuJoCo has each body where our kinematics has it."""
    state = evaluate(export.compiled, coordinates(export.compiled, configuration))
    for body, X_WB in zip(export.compiled.bodies[1:], state.poses[1:], strict=True):
        np.testing.assert_allclose(data.body(body.name).xpos, X_WB.p, atol=1e-12)
        turned = data.body(body.name).xmat.reshape(3, 3)
        np.testing.assert_allclose(turned, X_WB.R, atol=1e-12)


def anywhere(compiled, seed):
    """An open chain with every coordinate somewhere."""
    random = np.random.default_rng(seed)
    q = np.zeros(compiled.nq)
    for own in compiled.tree:
        values = random.uniform(-0.5, 0.5, own.edge.joint.kind.nq)
        if len(values) >= 4:
            values[-4:] += (2.0, 0.0, 0.0, 0.0)
            values[-4:] /= np.linalg.norm(values[-4:])
        q[own.q] = values
    return describe(compiled, q, {})


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_a_key_is_the_configuration_for_any_kind_crossed_either_way(kind, reverse):
    mechanism = arm(JointKind.REVOLUTE, reverse)
    pitch = 0.02 if kind is JointKind.SCREW else 0.0
    joint = replace(mechanism.joints[1], kind=kind, start=kind.zero, pitch=pitch)
    mechanism = replace(mechanism, joints=(mechanism.joints[0], joint))
    compiled = rc.compile(mechanism)
    named = {f"at {seed}": anywhere(compiled, seed) for seed in (1, 2)}
    standing = anywhere(compiled, 3)
    values = dict(standing.values) if kind is not JointKind.FREE else None
    export, model = written(mechanism, named, values)
    assert [model.key(i).name for i in range(model.nkey)] == [ASSEMBLED, *named]
    for name, configuration in {ASSEMBLED: export.configuration, **named}.items():
        assert_stands(export, at_key(model, name), configuration)
    np.testing.assert_allclose(model.key(ASSEMBLED).qpos, model.qpos0, atol=1e-15)


def by(mechanism, joint, *moves):
    """The mechanism with one of its joints moved, each time from where it is drawn."""
    compiled = rc.compile(mechanism)
    start = rc.assemble(compiled)
    (drawn,) = start.of(joint)
    return {f"by {x}": rc.assemble(compiled, {joint: drawn + x}, near=start) for x in moves}


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind.dof <= 3])
def test_a_loop_of_any_kind_is_closed_at_every_key(kind, reverse):
    """Of MuJoCo's own constraints none is off by more than 1e-9."""
    mechanism = loop_with(kind, reverse=reverse)
    assert_closed(mechanism, by(mechanism, "drive", 0.2, -0.2))


@pytest.mark.parametrize(
    ("mechanism", "joint", "moves"),
    [
        (four_bar(tilt=(0.3, -0.5, 0.2)), "A", (1.3, -2.0)),
        (stewart(), "leg 1 length", (0.05, -0.03)),
        (stewart(kind="universal"), "leg 1 length", (0.05, -0.03)),
    ],
)
def test_several_loops_are_closed_at_every_key(mechanism, joint, moves):
    assert_closed(mechanism, by(mechanism, joint, *moves))


def assert_closed(mechanism, named):
    export, model = written(mechanism, named)
    for name, configuration in export.configurations.items():
        data = at_key(model, name)
        rows = data.efc_type == mujoco.mjtConstraint.mjCNSTR_EQUALITY
        assert np.any(rows)
        assert np.abs(data.efc_pos[rows]).max() < 1e-9
        assert_stands(export, data, configuration)
    places = [at_key(model, name).xpos.copy() for name in export.configurations]
    assert np.abs(places[1] - places[0]).max() > 0.01


def with_frames(mechanism, *frames):
    return replace(mechanism, frames=(*mechanism.frames, *frames))


def test_a_named_frame_is_a_site_where_it_is_on_whatever_it_is_fixed_to():
    """On the world, on what is welded to it, on what is welded to a moving body, and on that."""
    mechanism = arm(JointKind.UNIVERSAL)
    tool = Body(name="tool", inertia=bar(0.1, 0.1))
    stand = Body(name="stand", inertia=bar(1.0, 0.1))
    welds = {"tool": ("lower.J", "tool.at"), "stand": ("world.S", "stand.at")}
    mechanism = replace(
        with_frames(
            mechanism,
            Frame(name="tool.at", body="tool", position=(0.0, 0.1, 0.0), rotation=TILT),
            Frame(name="stand.at", body="stand", position=(0.2, 0.0, 0.0)),
            Frame(name="tip", body="tool", position=(0.01, 0.02, 0.03), rotation=TILT),
            Frame(name="corner", body="stand", position=(0.3, 0.2, 0.1)),
            Frame(name="elbow", body="upper", position=(0.0, 0.0, 0.1), rotation=TILT),
            Frame(name="origin", body=WORLD, rotation=TILT),
        ),
        bodies=(*mechanism.bodies, tool, stand),
        joints=(
            *mechanism.joints,
            *(
                Joint(name=f"{name} weld", kind=JointKind.FIXED, parent=parent, child=child)
                for name, (parent, child) in welds.items()
            ),
        ),
    )
    export, model = written(mechanism)
    data = at_key(model, ASSEMBLED)
    frames = {frame.name: frame for frame in mechanism.frames}
    state = evaluate(export.compiled, export.q)
    hosts = {welded.name: welded for welded in export.compiled.welded}
    for name in ("tip", "corner", "elbow", "origin"):
        frame, X_WB = frames[name], state.poses[0]
        if frame.body != WORLD:
            X_WB = state.poses[hosts[frame.body].host] @ hosts[frame.body].pose
        X_WF = X_WB @ frame.pose()
        np.testing.assert_allclose(data.site(name).xpos, X_WF.p, atol=1e-13)
        np.testing.assert_allclose(data.site(name).xmat.reshape(3, 3), X_WF.R, atol=1e-13)
    entries = [entry for entry in export.ledger.entries if entry.property is Property.FRAME]
    assert [entry.where for entry in entries] == ["tip", "corner", "elbow", "origin"]
    assert {entry.fidelity for entry in entries} == {Fidelity.EXACT}


def test_a_frame_of_the_world_is_there_where_nothing_is_fixed_to_it():
    free = Joint(name="free", kind=JointKind.FREE, parent="here", child="body")
    mechanism = rc.Mechanism(
        name="falling",
        bodies=(Body(name="body", inertia=bar(1.0, 0.1)),),
        frames=(
            Frame(name="here", body=WORLD),
            Frame(name="body", body="body"),
            Frame(name="target", body=WORLD, position=(1.0, 2.0, 3.0)),
        ),
        joints=(free,),
    )
    _, model = written(mechanism)
    assert at_key(model, ASSEMBLED).site("target").xpos.tolist() == [1.0, 2.0, 3.0]


def test_a_frame_with_the_name_of_another_site_is_refused_with_what_to_rename():
    mechanism = with_frames(four_bar(), Frame(name="C/child", body="rocker"))
    with pytest.raises(
        UnwritableError, match=r"2 sites 'C/child' \(rename loop 'C' or frame 'C/chi"
    ):
        written(mechanism)


def test_a_configuration_that_has_the_name_of_where_it_stands_is_refused(tmp_path):
    compiled = rc.compile(four_bar())
    here = rc.assemble(compiled)
    with pytest.raises(BadValueError, match="configurations=assembled is not another name"):
        rc.write(compiled, tmp_path / "m.xml", here, configurations={"assembled": here})
    with pytest.raises(UnwritableError, match="a key has no name"):
        rc.write(compiled, tmp_path / "m.xml", here, configurations={"": here})
    assert list(tmp_path.iterdir()) == []
