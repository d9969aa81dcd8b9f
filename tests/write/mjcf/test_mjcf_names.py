"""Names that would meet in the MJCF, and names that are hard to write."""

from dataclasses import replace
from xml.etree import ElementTree

import mujoco
import pytest

import robocompiler as rc
from exporting import exporting
from mechanisms import four_bar, four_bar_angles
from robocompiler.compiler.compile import compile_mechanism
from robocompiler.errors import UnwritableError
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import WORLD, Body, Coupling, Frame, Inertia, Joint, Mechanism
from robocompiler.write.comments import comment
from robocompiler.write.mjcf.check import check_names
from robocompiler.write.mjcf.model import mjcf_text

BALL = Inertia(mass=1.0, moments=(1e-2, 1e-2, 1e-2))


def written(mechanism):
    return mjcf_text(exporting("mjcf", mechanism))


def row_of(*joints, couplings=(), name="row"):
    """Bodies beside each other, each on a joint of its own."""
    bodies = tuple(Body(name=f"on {joint.name}", inertia=BALL) for joint in joints)
    frames = [f for body in bodies for f in (f"{body.name}.F", f"{body.name}.M")]
    ends = [(F, M) for F, M in zip(frames[::2], frames[1::2], strict=True)]
    return Mechanism(
        name=name,
        bodies=bodies,
        frames=tuple(
            Frame(name=f, body=WORLD if f.endswith(".F") else f.removesuffix(".M")) for f in frames
        ),
        joints=tuple(
            replace(joint, parent=F, child=M) for joint, (F, M) in zip(joints, ends, strict=True)
        ),
        couplings=couplings,
    )


def joint(name, kind=JointKind.REVOLUTE, **fields):
    return Joint(name=name, kind=kind, parent="", child="", **fields)


def renamed(mechanism, bodies=(), joints=()):
    body, turn = dict(bodies), dict(joints)
    return replace(
        mechanism,
        bodies=tuple(replace(b, name=body.get(b.name, b.name)) for b in mechanism.bodies),
        frames=tuple(replace(f, body=body.get(f.body, f.body)) for f in mechanism.frames),
        joints=tuple(replace(j, name=turn.get(j.name, j.name)) for j in mechanism.joints),
    )


def test_a_joint_that_is_called_as_the_second_half_of_a_screw_is_told():
    """Two screws, to see that all clashes are told at once."""
    mechanism = row_of(
        joint("s", JointKind.SCREW, pitch=0.01),
        joint("s/advance"),
        joint("t", JointKind.SCREW, pitch=0.01),
        joint("t/advance"),
    )
    with pytest.raises(UnwritableError) as caught:
        written(mechanism)
    for name in "st":
        said = f"2 joints '{name}/advance' (rename joint '{name}' or joint '{name}/advance')"
        assert said in str(caught.value)


def test_a_body_that_is_called_as_the_site_of_a_loop_is_told():
    """Ground is welded to the world with another body, which becomes a site."""
    mechanism = four_bar()
    plate = Body(name="C/parent", inertia=BALL)
    clash = replace(
        mechanism,
        bodies=(*mechanism.bodies, plate),
        frames=(*mechanism.frames, Frame(name="p", body="C/parent")),
        joints=(
            *mechanism.joints,
            Joint(name="weld", kind=JointKind.FIXED, parent="ground.A", child="p"),
        ),
    )
    with pytest.raises(UnwritableError, match=r"2 sites 'C/parent' \(rename body .* or loop 'C'\)"):
        written(clash)


def test_a_loop_and_a_coupling_and_a_screw_may_share_a_name():
    offset = four_bar_angles(0.7)[1] - 0.5 * 0.7
    gear = Coupling.gear(name="C", leader="A", follower="D", ratio=0.5, offset=offset)
    model = mujoco.MjModel.from_xml_string(written(replace(four_bar(), couplings=(gear,))))
    assert {model.eq(i).name for i in range(model.neq)} == {"C", "C/coupling"}
    both = row_of(
        joint("x"),
        joint("s", JointKind.SCREW, pitch=0.01),
        couplings=(Coupling.gear(name="s", leader="x", follower="s", ratio=2.0),),
    )
    model = mujoco.MjModel.from_xml_string(written(both))
    assert {model.eq(i).name for i in range(model.neq)} == {"s/coupling", "s/thread"}


def test_pairs_that_do_not_collide_cannot_clash_however_their_bodies_are_called():
    """Pairs named by their two bodies would: `a b` and `c`, `a` and `b c`."""
    names = {"crank": "a b", "coupler": "c", "rocker": "b c", "ground": "a"}
    model = mujoco.MjModel.from_xml_string(written(renamed(four_bar(), names.items())))
    assert model.nexclude == 4


ODD = ["größer ✓", "a--b", "<&\"'>", " lead", "--", "-", "🦾", "a;b=1", "a//b"]


@pytest.mark.parametrize("name", ODD)
def test_odd_names_are_written_and_run(tmp_path, name):
    mechanism = renamed(
        replace(four_bar(), name=name), [("crank", name)], [("A", name), ("C", f"loop {name}")]
    )
    rc.write(rc.compile(mechanism), tmp_path / "m.xml")
    after = rc.simulate(tmp_path / "m.xml", duration=0.01)["after"]
    assert name in after["joints"]
    assert name in after["bodies"]
    assert f"loop {name}" in after["closures"]


@pytest.mark.parametrize("name", ["bell\x07", "nul\x00", "lone\ud800", "no\ufffe", ""])
def test_names_that_no_model_can_hold_are_refused_whoever_made_them(name):
    """`faults_of` refuses these in a mechanism; what is written is checked all the same."""
    root = ElementTree.fromstring("<mujoco><worldbody><body/></worldbody></mujoco>")
    root[0][0].set("name", name)
    with pytest.raises(UnwritableError, match=r"that XML cannot hold|a body has no name"):
        check_names(root, compile_mechanism(four_bar()))


def test_a_comment_holds_any_text():
    made = ElementTree.tostring(comment("a--b---\x00c-"), encoding="unicode")
    assert made == "<!-- a- -b- - -\ufffdc- -->"
    ElementTree.fromstring(f"<a>{made}</a>")
