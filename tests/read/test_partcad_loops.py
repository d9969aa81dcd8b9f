"""Loop markers, against the closed form of what is drawn."""

import math

import numpy as np
import pytest
from partcad_drawing import (
    FACING,
    OVER,
    assembly,
    at,
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
from partcad_fourbar import COUPLER, CRANK, ROCKER, closing, fourbar, loop

from robocompiler.errors import PortsApartError
from robocompiler.model.joint_kinds import JointKind
from robocompiler.read.partcad import read_partcad

DEG = math.pi / 180.0


def read(*markers, **more):
    return read_partcad(request(fourbar(list(markers) or None), **more))


def test_a_loop_is_a_joint_between_its_two_ports():
    mechanism = read()
    mine = closing(mechanism)
    frames = {frame.name: frame for frame in mechanism.frames}
    assert (mine.kind, mine.closes_loop) == (JointKind.REVOLUTE, True)
    assert (mine.parent, frames[mine.parent].body) == ("rocker.end", "rocker")
    assert (mine.child, frames[mine.child].body) == ("coupler.under", "coupler")
    assert frames[mine.parent].position == pytest.approx((0.08, 0.0, 0.0))
    assert mine.source == "fourbar: rc:loop C"


def test_a_loop_starts_at_the_angle_that_is_drawn():
    """Seen from below, as the contact frame's z points: the rocker's angle less the coupler's."""
    drawn = (ROCKER - CRANK - COUPLER) * DEG
    assert closing(read()).start == pytest.approx((drawn,), abs=1e-9)


def test_a_loop_is_drawn_to_the_port_that_faces_it():
    """Port a as it is, turned over as PartCAD does: y and x change places, z is opposed."""
    mechanism = read()
    F = next(f for f in mechanism.frames if f.name == closing(mechanism).parent).pose()
    np.testing.assert_allclose(F.R, [[0, 1, 0], [1, 0, 0], [0, 0, -1]], atol=1e-15)


STARTS = {
    "revolute": ([turn(value=25.0)], (25 * DEG,)),
    "prismatic": ([move(value=12.0)], (0.012,)),
    "cylindrical": ([turn(value=25.0), move(value=12.0)], (25 * DEG, 0.012)),
    "screw": ([turn(value=400.0), move(value=400.0 / 360.0 * 2.0)], (400 * DEG,)),
    "universal": ([turn("z", 25.0), turn("x", -40.0)], (25 * DEG, -40 * DEG)),
    "planar": ([move("x", 3.0), move("y", -4.0), turn("z", 25.0)], (0.003, -0.004, 25 * DEG)),
    "ball": ([turn("y", 60.0)], (math.cos(30 * DEG), 0.0, math.sin(30 * DEG), 0.0)),
    "fixed": ([], ()),
}


def across(steps, **values):
    """Two arms on one base, whose ports are drawn apart by a joint's steps."""
    to, own = (
        at(30.0, -20.0, 10.0, (0.3, 1.0, -0.2), 40.0),
        at(-5.0, 7.0, 3.0, (1.0, 0.2, 0.5), 100.0),
    )
    hinge = at(50.0, 0.0, 0.0, (1.0, 0.0, 0.0), 90.0)
    target = product(hinge, to, FACING, placed_by(steps), inverse(own))
    left = jointed("left", "base", "hinge", [{"type": "fixed", "location": hinge}, turn()])
    left["ports"] = [port("p", to)]
    right = part("right", target, [port("q", own)])
    right["joint"] = joint(
        "slide", "base", "right", [move(), {"type": "fixed", "location": target}]
    )
    mark = marker("loop", "L", a="left.p", b="right.q", **values)
    return read_partcad(request(assembly("pair", [part("base"), left, right], [mark])))


@pytest.mark.parametrize("kind", STARTS)
def test_a_loop_of_any_kind_starts_where_partcad_would_draw_that_joint(kind):
    """A universal joint turns about the contact frame's z and then its x, as PartCAD's does."""
    steps, start = STARTS[kind]
    pitch = {"pitch": "2"} if kind == "screw" else {}
    mine = closing(across(steps, joint=kind, **pitch), "L")
    assert mine.kind is JointKind(kind)
    assert mine.initial == pytest.approx(start, abs=1e-12)


def test_a_loop_is_revolute_where_it_does_not_say():
    assert closing(across([turn(value=25.0)]), "L").kind is JointKind.REVOLUTE


def test_limits_of_a_loop_are_in_degrees_or_millimetres_or_as_they_say():
    assert closing(read(loop(lower="-400", upper="0.5turn"))).limits == (
        pytest.approx((-400 * DEG, math.pi)),
    )
    assert closing(across([move(value=3.0)], joint="prismatic", upper="2cm"), "L").limits == (
        (-math.inf, pytest.approx(0.02)),
    )
    assert closing(across([turn("y", 60.0)], joint="ball", upper="90"), "L").swing_limit == (
        pytest.approx(math.pi / 2)
    )


def test_a_loop_starts_within_its_limits_up_to_whole_turns():
    """What is drawn does not say how often the joint has gone round."""
    drawn = ROCKER - CRANK - COUPLER
    lower, upper = drawn + 300.0, drawn + 400.0
    mine = closing(read(loop(lower=lower, upper=upper)))
    assert mine.start == pytest.approx(((drawn + 360.0) * DEG,))


def test_a_pitch_is_in_millimetres_per_turn_or_as_it_says():
    steps = STARTS["screw"][0]
    for said in ("2", "2mm/turn", "0.2cm/rev"):
        mine = closing(across(steps, joint="screw", pitch=said), "L")
        assert mine.pitch == pytest.approx(0.002 / (2 * math.pi))


def test_a_package_may_be_mounted_anywhere():
    for package in ("//", "//rc", "//robot/sim/rc", "//pub/feature/robocompiler"):
        mark = marker("loop", "C", package=package, a="rocker.end", b="coupler.under")
        assert closing(read(mark)).closes_loop


def test_somebody_elses_interface_of_that_name_is_none_of_ours():
    """A cable's loop, with parameters of its own or none."""
    cable = [
        {"name": "//cables:loop;radius=3", "instance": "x", "ports": ["x-eye"]},
        {"name": "//cables:loop;a=3,radius=3", "instance": "z", "ports": ["z-eye"]},
        {"name": "//cables:loop", "instance": "y", "ports": ["y-in", "y-out"]},
    ]
    assert [joint.name for joint in read(*cable).joints if joint.closes_loop] == []


def test_a_loop_of_an_assembly_placed_twice_is_two():
    pair = assembly("pair", [fourbar(label="left"), fourbar(label="right", location=at(500.0))])
    mechanism = read_partcad(request(pair))
    names = [joint.name for joint in mechanism.joints]
    assert names == [
        *("crank-ground", "rocker-ground", "coupler-crank"),
        *("crank-ground-2", "rocker-ground-2", "coupler-crank-2"),
        *("C", "C-2", "pair-world"),
    ]
    frames = {frame.name: frame.body for frame in mechanism.frames}
    assert frames[closing(mechanism, "C-2").parent] == "rocker-2"
    assert closing(mechanism, "C-2").source == "right (right): rc:loop C"
    assert closing(mechanism).start == pytest.approx(closing(mechanism, "C-2").start)


def test_a_loop_reaches_into_sub_assemblies():
    cell = assembly(
        "cell", [fourbar([])], [loop(a="fourbar/rocker.end", b="fourbar/coupler.under")]
    )
    assert closing(read_partcad(request(cell))).parent == "fourbar/rocker.end"


def test_a_container_without_a_name_is_no_part_of_the_way():
    """PartCAD calls it `link#2`, which no marker can spell."""
    cell = assembly("cell", [fourbar([], label="link#1")], [loop()])
    assert closing(read_partcad(request(cell))).parent == "link#1/rocker.end"


def test_names_may_have_dots_and_slashes():
    ports = [port("tip.1", at(300.0))]
    rod = jointed("M2.5/rod", "base", "slide", [move()], ports=ports)
    arm = jointed("arm", "base", "hinge", [turn()], ports=[port("q", product(at(300.0), OVER))])
    tree = assembly("pair", [part("base"), rod, arm], [loop(a="M2.5/rod.tip.1", b="arm.q")])
    assert closing(read_partcad(request(tree))).parent == "M2.5/rod.tip.1"


def test_a_loop_without_a_name_is_called_after_its_links():
    assert closing(read(loop("")), "rocker-coupler").source == (
        "fourbar: rc:loop rocker.end - coupler.under"
    )


def test_ports_may_be_apart_by_what_the_request_or_the_loop_allows():
    gap = at(120.3, 0.0, 0.0)
    tree = fourbar([loop(b="coupler.off")])
    tree["assembly"][3]["ports"].append(port("off", product(gap, OVER)))
    by_default = closing(read_partcad(request(tree)))
    assert by_default.closure_tolerance == pytest.approx((0.5e-3, 0.5 * DEG))
    with pytest.raises(PortsApartError, match=r"0\.3 mm and 0° apart \(allowed: 0\.1 mm, 0\.5°\)"):
        read_partcad(request(tree, closure_tolerance=0.1))
    tree["interfaces"] = [loop(b="coupler.off", tolerance="1.5")]
    mine = closing(read_partcad(request(tree, closure_tolerance=0.1)))
    assert mine.closure_tolerance == pytest.approx((1.5e-3, 1.5 * DEG))
