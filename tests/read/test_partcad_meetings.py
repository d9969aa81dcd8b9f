"""Ports that meet though nothing joins them: a loop that was forgotten."""

import json
from pathlib import Path

import pytest
from partcad_drawing import (
    OVER,
    assembly,
    at,
    connected,
    jointed,
    part,
    port,
    product,
    request,
    turn,
)
from partcad_fourbar import fourbar, loop

from robocompiler.read.partcad import read_partcad

GOLDEN = sorted((Path(__file__).parents[1] / "golden").glob("*.json"))


FACES = {
    **{(label, "pin"): "//:pin" for label in ("crank", "rocker", "coupler")},
    ("coupler", "under"): "//:pin",
    **dict.fromkeys([("ground", "A"), ("ground", "D"), ("crank", "end")], "//:bore"),
    ("rocker", "end"): "//:bore",
}


def faced(tree):
    """The four-bar with interfaces for its pins and bores, as its user would have named them."""
    for node in tree["assembly"]:
        for entry in node["ports"]:
            entry["interface"] = FACES.get((node["label"], entry["name"]), "//:label")
    return tree


def warnings(tree, **more):
    return read_partcad(request(tree, **more)).warnings


def test_a_loop_that_was_forgotten_is_told_with_the_marker_that_closes_it():
    assert warnings(faced(fourbar([]))) == (
        "Ports 'rocker.end' and 'coupler.under' meet, but no joint or `rc:loop` joins them: the "
        "loop stays open. To close it, state `rc:loop;joint=revolute,a=rocker.end,b=coupler.under` "
        "on 'fourbar'.",
    )


def test_the_marker_that_is_suggested_closes_the_loop():
    text = warnings(faced(fourbar([])))[0]
    said = dict(item.split("=") for item in text.split(";")[1].split("`")[0].split(","))
    assert warnings(faced(fourbar([loop(**said)]))) == ()


def test_the_marker_belongs_on_the_assembly_that_has_both_parts():
    """Not on the scene that `pc sim` puts around it, nor once for each place of it."""
    places = {"left": at(), "right": at(500.0)}
    twins = [faced(fourbar([], label=label, location=X)) for label, X in places.items()]
    for twin in twins:
        twin["name"] = "//:fourbar"
    scene = assembly("bench", [assembly("pair", twins)], kind="scene")
    told = [text for text in warnings(scene) if "meet" in text]
    assert [text.split(", but")[0] for text in told] == [
        f"Ports 'pair/{side}/rocker.end' and 'pair/{side}/coupler.under' meet"
        for side in ("left", "right")
    ]
    assert {text.split("state ")[1] for text in told} == {
        "`rc:loop;joint=revolute,a=rocker.end,b=coupler.under` on 'fourbar'."
    }


def test_a_loop_that_is_stated_is_not_told():
    assert warnings(faced(fourbar())) == ()


def test_ports_that_make_no_joint_anywhere_are_not_told():
    tree = faced(fourbar([]))
    tree["assembly"][3]["ports"][2]["interface"] = "//:label"
    assert warnings(tree) == ()


def test_ports_that_stay_apart_or_look_the_same_way_are_not_told():
    for place in (product(at(120.02), OVER), at(120.0)):
        tree = faced(fourbar([]))
        tree["assembly"][3]["ports"][2]["location"] = place
        assert warnings(tree) == ()


def test_interfaces_of_this_package_are_known_though_no_joint_is_made_of_them():
    arm = jointed("arm", "base", "j", [turn()], ports=[port("tip", at(9.0), "//rc:ball-pin")])
    ground = part("base", ports=[port("seat", product(at(9.0), OVER), "//rc:ball-bore")])
    wall = jointed("wall", "base", "k", [turn()], ports=ground.pop("ports"))
    (told,) = warnings(assembly("pair", [part("base"), arm, wall]))
    assert "`rc:loop;joint=ball,a=wall.seat,b=arm.tip` on 'pair'" in told


def door(steps, hinges=("low", "high")):
    """A leaf on two hinges of one axis, of which one is connected."""
    heights = {"low": at(), "high": at(z=500.0)}
    post = part("post", ports=[port(h, heights[h], "//:bore") for h in hinges])
    pins = [
        port("low", OVER, "//:pin"),
        port("high", product(at(z=-500.0), OVER), "//:pin"),
    ]
    leaf = jointed("leaf", "post", "hinge", connected(at(), steps, OVER), ports=pins)
    return assembly("door", [post, leaf])


def test_a_second_hinge_of_the_same_two_bodies_is_not_told():
    tree = door([turn()])
    assert warnings(tree) == ()


def test_ports_of_one_rigid_body_are_not_told():
    ports = [port("pin", OVER, "//rc:revolute-pin")], [port("bore", at(), "//rc:revolute-bore")]
    lids = [part("lid", ports=ports[0]), part("can", ports=ports[1])]
    assert warnings(assembly("tin", lids)) == ()


def test_a_port_that_an_assembly_hands_on_is_one_port():
    """The mapped one stands for the inner one, and the loop uses it."""
    inner = faced(fourbar([], label="inner"))
    handed = port("out", product(inner["assembly"][3]["location"], at(120.0), OVER), "//:pin")
    inner["ports"] = [handed]
    tree = assembly("outer", [inner], [loop(a="inner/rocker.end", b="inner.out")])
    assert warnings(tree) == ()
    tree = assembly("outer", [inner])
    assert len([text for text in warnings(tree) if "meet" in text]) == 1


@pytest.mark.parametrize("file", GOLDEN, ids=lambda file: file.stem)
def test_no_example_is_told_of_anything(file):
    assert read_partcad(json.loads(file.read_text())).warnings == ()
