"""Names: links, joints and frames of a model share one scope."""

from dataclasses import replace
from xml.etree import ElementTree

import pytest
from sdf_reading import files, joint, model_of, written

from arms import arm
from mechanisms import four_bar
from robocompiler.errors import UnwritableError
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import WORLD, Frame
from robocompiler.write.sdf.names import legal


def renamed(mechanism, bodies=(), joints=()):
    body, turn = dict(bodies), dict(joints)
    return replace(
        mechanism,
        bodies=tuple(replace(b, name=body.get(b.name, b.name)) for b in mechanism.bodies),
        frames=tuple(replace(f, body=body.get(f.body, f.body)) for f in mechanism.frames),
        joints=tuple(replace(j, name=turn.get(j.name, j.name)) for j in mechanism.joints),
    )


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("arm/link 1", "arm/link 1"),
        ("a::b", "a_b"),
        ("__model__", "model"),
        ("__arm", "__arm"),
        ("world", "world_"),
        (" arm ", "arm"),
        ("a\x07b", "a_b"),
        ("____", ""),
    ],
)
def test_a_name_changes_as_little_as_sdformat_asks(name, expected):
    """It keeps `::` for scopes, `__x__` and `world` for itself."""
    assert legal(name) == expected


def test_a_joint_keeps_the_name_that_a_body_has_too():
    mechanism = renamed(arm(JointKind.REVOLUTE), {"upper": "J"})
    marked = replace(mechanism, frames=(*mechanism.frames, Frame(name="S", body="lower")))
    model, export = written(marked)
    assert joint(model, "J").find("parent").text == "J_link"
    assert {link.get("name") for link in model.findall("link")} == {"J_link", "lower"}
    assert model.find("frame").get("name") == "S_frame"
    assert export.names == {"body": {"J": "J_link"}, "frame": {"S": "S_frame"}}


def test_siblings_have_names_of_their_own_also_beside_what_drake_makes_of_joints():
    """It names a joint's frames `<joint>_parent` and `<joint>_child`."""
    mechanism = renamed(four_bar(), {"crank": "A_child", "coupler": "C"}, {"B": "C/parent"})
    contents, _ = files(mechanism)
    for file in contents:
        model = model_of(contents, file)
        for parent in model.iter():
            names = [child.get("name") for child in parent if child.get("name")]
            assert len(names) == len(set(names))
    names = {child.get("name") for child in model_of(contents) if child.get("name")}
    joints = {own.get("name") for own in model_of(contents).findall("joint")}
    made = {f"{name}_{side}" for name in joints for side in ("parent", "child")}
    assert not made & names


def test_a_base_that_is_no_body_has_a_name_of_its_own():
    """Here it is there for a frame on the world, beside a body of that name."""
    mechanism = renamed(arm(JointKind.REVOLUTE), {"upper": "base"})
    free = replace(mechanism.joints[0], kind=JointKind.FREE, start=())
    mark = Frame(name="mark", body=WORLD)
    model, _ = written(
        replace(
            mechanism,
            joints=(free, mechanism.joints[1]),
            frames=(*mechanism.frames, mark),
        )
    )
    assert {link.get("name") for link in model.findall("link")} == {"base", "base_2", "lower"}
    assert model.find("frame[@name='mark']").get("attached_to") == "base_2"
    assert joint(model, "J").find("parent").text == "base"


def test_a_name_of_which_nothing_can_stay_is_refused():
    with pytest.raises(
        UnwritableError, match="SDFormat can hold nothing of the name of joint '____'"
    ):
        written(renamed(arm(JointKind.REVOLUTE), joints={"J": "____"}))


def test_names_are_as_they_are_in_any_alphabet():
    contents, _ = files(renamed(arm(JointKind.REVOLUTE), {"upper": "<Ärm & 腕>"}))
    root = ElementTree.fromstring(contents["arm.sdf"].decode())
    assert root.find("world/model/link").get("name") == "<Ärm & 腕>"
