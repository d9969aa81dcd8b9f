"""Ports that an assembly maps from a part that moves inside it."""

import pytest
from partcad_drawing import (
    FACING,
    OVER,
    assembly,
    at,
    connected,
    inverse,
    joint,
    jointed,
    marker,
    move,
    part,
    placed_by,
    port,
    product,
    request,
    turn,
)

from robocompiler.errors import MappedPortError
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.validity import bodies_of, welded_groups
from robocompiler.read.partcad import read_partcad
from robocompiler.spatial import Pose

TIP = at(100.0)
"""Where the link's tip is on the link."""
ELBOW = [turn(value=30.0)]


def robot(tip_from="link", label="robot", offset=None):
    """A base with a link that turns, and a port `tip` mapped from one of the two."""
    base = part("base", ports=[port("flange", at(z=20.0))])
    link = jointed("link", "base", "elbow", ELBOW, ports=[port("end", TIP)])
    where = product(link["location"], TIP) if tip_from == "link" else at(z=20.0)
    tip = port("tip", product(where, offset or at()))
    return assembly(label, [base, link], ports=[tip])


def onto(target, own=OVER, steps=()):
    """Where a part is whose port `own` is connected to the port `tip` of a robot."""
    return product(target["ports"][0]["location"], FACING, placed_by(list(steps)), inverse(own))


def tool(target, own=OVER, **more):
    return part("tool", onto(target, own), [port("face", own)], attached=target["label"], **more)


def cell(*children, markers=()):
    return read_partcad(request(assembly("cell", children, markers)))


def pose_in_world(mechanism, body):
    """Where a body is drawn, by the frames and starts of its joints."""
    frames = {frame.name: frame for frame in mechanism.frames}
    for mine in mechanism.joints:
        if frames[mine.child].body == body and not mine.closes_loop:
            X_PF, X_CM = frames[mine.parent].pose(), frames[mine.child].pose()
            angle = mine.initial[0] if mine.kind is JointKind.REVOLUTE else 0.0
            X_FM = Pose.of((0.0, 0.0, 0.0), _about_z(angle))
            parent = frames[mine.parent].body
            X_WP = Pose.identity() if parent == "world" else pose_in_world(mechanism, parent)
            return X_WP @ X_PF @ X_FM @ X_CM.inverse()
    raise AssertionError(body)


def _about_z(angle):
    import math

    return (math.cos(angle / 2), 0.0, 0.0, math.sin(angle / 2))


def drawn(*placements):
    from robocompiler.read.partcad_tree import pose_from_packed

    return pose_from_packed(product(*placements))


def close(a, b):
    assert a.position == pytest.approx(b.position, abs=1e-12)
    assert a.quaternion == pytest.approx(b.quaternion, abs=1e-7)


def test_a_tool_bolted_to_a_moving_part_moves_with_it():
    arm = robot()
    mechanism = cell(arm, tool(arm))
    groups = welded_groups(mechanism)
    assert groups["tool"] == groups["link"]
    assert groups["link"] != groups["cell"]
    close(pose_in_world(mechanism, "tool"), drawn(onto(arm)))
    assert "'tool-robot': attached to body 'link'" in mechanism.warnings[0]


def test_a_tool_bolted_to_the_root_stays_part_of_it():
    arm = robot(tip_from="base")
    arm["ports"][0]["location"] = at(z=20.0)
    mechanism = cell(arm, tool(arm))
    assert [body.name for body in mechanism.bodies] == ["cell", "link"]
    assert mechanism.warnings == ()


def test_what_is_attached_to_the_tool_moves_with_it_too():
    arm = robot()
    tip = part("tip", product(onto(arm), at(z=5.0)), attached="tool")
    mechanism = cell(arm, tool(arm), tip)
    bodies = {body.name: [s.name for s in body.shapes] for body in mechanism.bodies}
    assert bodies["tool"] == ["tool", "tip"]


def test_a_joint_to_a_mapped_port_is_to_the_part_that_moves():
    arm = robot()
    steps = connected(arm["ports"][0]["location"], [turn(value=15.0)], OVER)
    wrist = jointed("wrist", "robot", "wrist", steps, ports=[port("face", OVER)])
    mechanism = cell(arm, wrist)
    assert bodies_of(mechanism)["wrist"] == ("link", "wrist")
    close(pose_in_world(mechanism, "wrist"), drawn(wrist["location"]))
    assert mechanism.warnings == (
        "cell: joint wrist: 'robot.tip' is mapped from a part that moves inside 'robot', so it "
        "joins body 'link'; PartCAD by itself joins 'cell'.",
    )


def test_an_assembly_held_by_its_moving_part_is_joined_there():
    """The other way round: the robot hangs from a stand by its tip."""
    arm = robot()
    stand = part("stand", ports=[port("hook", at(z=300.0))])
    steps = connected(at(z=300.0), [turn(value=15.0)], arm["ports"][0]["location"])
    hung = {**arm, "location": placed_by(steps), "joint": joint("hang", "stand", "robot", steps)}
    mechanism = cell(stand, hung)
    assert bodies_of(mechanism)["hang"] == ("cell", "link")
    link = arm["assembly"][1]["location"]
    close(pose_in_world(mechanism, "link"), drawn(hung["location"], link))


def test_an_assembly_bolted_by_its_moving_part_is_fixed_there():
    arm = robot()
    stand = part("stand", ports=[port("hook", at(z=300.0))])
    where = product(at(z=300.0), FACING, inverse(arm["ports"][0]["location"]))
    mechanism = cell(stand, {**arm, "location": where, "attached": "stand"})
    groups = welded_groups(mechanism)
    assert groups["link"] == groups["cell"] == "world"
    assert groups["robot"] != groups["link"]


def test_a_loop_through_a_mapped_port_is_on_the_part_that_moves():
    arm = robot()
    slider = jointed("slider", "robot", "rail", [move()])
    slider["ports"] = [port("p", product(arm["ports"][0]["location"], OVER))]
    mark = marker("loop", "L", a="robot.tip", b="slider.p")
    assert bodies_of(cell(arm, slider, markers=[mark]))["L"] == ("link", "slider")


def test_a_port_mapped_twice_is_followed_to_where_it_is_from():
    arm = robot()
    outer = assembly("outer", [arm], ports=[port("tip", arm["ports"][0]["location"])])
    mechanism = cell(outer, tool(outer))
    groups = welded_groups(mechanism)
    assert groups["tool"] == groups["link"]


def test_a_port_that_could_be_of_two_bodies_is_refused_by_name():
    arm = robot()
    arm["assembly"][0]["ports"].append(port("same", arm["ports"][0]["location"]))
    message = (
        r"cell: tool on robot: it cannot be told which body port 'robot.tip' is on: 'cell', 'link'"
    )
    with pytest.raises(MappedPortError, match=message):
        cell(arm, tool(arm))


def test_a_connection_moved_off_a_mapped_port_is_refused_by_name():
    """With an adjustment the ports do not meet, and PartCAD does not say which were connected."""
    arm = robot()
    moved = tool(arm)
    moved["location"] = product(moved["location"], at(z=4.0))
    message = "which body the port of 'robot' that it is connected to is on: 'cell', 'link'"
    with pytest.raises(MappedPortError, match=message):
        cell(arm, moved)


def test_a_connection_moved_off_an_assembly_whose_ports_are_all_on_its_root_is_not():
    arm = robot(tip_from="base")
    moved = tool(arm)
    moved["location"] = product(moved["location"], at(z=4.0))
    assert [body.name for body in cell(arm, moved).bodies] == ["cell", "link"]


def test_a_port_at_no_part_inside_is_on_the_root_and_said_to_be():
    """A `map:` with an offset arrives like a port that the assembly declares itself."""
    arm = robot(offset=at(z=5.0))
    mechanism = cell(arm, tool(arm))
    assert [body.name for body in mechanism.bodies] == ["cell", "link"]
    assert mechanism.warnings[0].startswith(
        "cell: tool on robot: port 'robot.tip' is where no part inside 'robot' has one, so it is "
        "taken to be on 'cell'"
    )


def test_a_port_mapped_without_its_interface_is_followed_too():
    arm = robot()
    del arm["ports"][0]["interface"]
    assert welded_groups(cell(arm, tool(arm)))["tool"] == "link"


def test_a_mapped_port_whose_interface_goes_by_another_name_is_followed_too():
    """PartCAD shows an inherited interface under the name of its leaf only."""
    arm = robot()
    arm["ports"][0]["interface"] = "//:flange"
    assert welded_groups(cell(arm, tool(arm)))["tool"] == "link"


def test_ports_at_one_place_that_do_not_face_each_other_do_not_meet():
    arm = robot()
    away = product(arm["ports"][0]["location"], OVER)
    arm["assembly"][0]["ports"].append(port("away", away))
    arm["ports"].append(port("away", away))
    assert welded_groups(cell(arm, tool(arm)))["tool"] == "link"


def test_a_port_of_what_is_bolted_to_a_moving_part_is_on_that_part():
    """Both in one assembly, so that PartCAD itself welds it rightly."""
    link = jointed("link", "base", "elbow", ELBOW)
    where = product(link["location"], TIP, at(z=9.0, axis=(1.0, 0.0, 0.0), angle=50.0))
    nozzle = part("nozzle", where, [port("jet", at(5.0))], attached="link")
    slider = jointed("slider", "base", "rail", [move()])
    slider["ports"] = [port("p", product(where, at(5.0), OVER))]
    mark = marker("loop", "L", a="nozzle.jet", b="slider.p")
    mechanism = cell(part("base"), link, nozzle, slider, markers=[mark])
    frame = next(frame for frame in mechanism.frames if frame.name == "nozzle.jet")
    assert frame.body == "link"
    contact = product(TIP, at(z=9.0, axis=(1.0, 0.0, 0.0), angle=50.0), at(5.0), FACING)
    close(frame.pose(), drawn(contact))


def test_a_scene_within_a_scene_is_part_of_the_world():
    import kinematics

    from robocompiler.read.partcad_tree import link_tree

    inner = {**assembly("inner", [part("cube", at(3.0))], location=at(50.0)), "kind": "scene"}
    tree = {**assembly("outer", [inner], location=at(z=7.0)), "kind": "scene"}
    root = link_tree(tree, kinematics.bodies(tree))
    links = {link.label: link for link in root.walk()}
    assert [links[label].body for label in ("outer", "inner", "cube")] == ["world", "world", "cube"]
    close(links["inner"].X_BL, drawn(at(50.0, 0.0, 7.0)))
    close(links["cube"].X_WL, drawn(at(53.0, 0.0, 7.0)))
