"""Coupling markers and mimics: names, units, dimensions."""

import math

import pytest
from partcad_drawing import (
    assembly,
    jointed,
    marker,
    move,
    part,
    request,
    turn,
)

from robocompiler.errors import (
    AmbiguousNameError,
    BadValueError,
    CouplingCycleError,
    CouplingError,
    DuplicateNameError,
    SeveralFaultsError,
    UnknownNameError,
)
from robocompiler.read.partcad import read_partcad

DEG = math.pi / 180.0


def machine(*markers, label="machine", **mimics):
    """A base with a wheel, a second wheel, a rack, a sleeve that turns and slides, and a ball."""
    kinds = {
        "wheel": [turn()],
        "pinion": [turn()],
        "rack": [move()],
        "sleeve": [turn(), move()],
        "socket": [turn("x"), turn("y"), turn("z")],
    }
    parts = [
        jointed(
            name,
            "base",
            f"{name}-base",
            steps,
            **({"mimic": mimics[name]} if name in mimics else {}),
        )
        for name, steps in kinds.items()
    ]
    return assembly(label, [part("base"), *parts], markers)


def gear(instance="gear", leader="wheel-base", follower="pinion-base", **values):
    return marker("coupling", instance, leader=leader, follower=follower, **values)


def coupled(*markers, **mimics):
    (coupling,) = read_partcad(request(machine(*markers, **mimics))).couplings
    return coupling


def led(coupling):
    """Of a coupling of one."""
    (leader,) = coupling.leaders
    return leader


def test_a_coupling_is_between_two_joints():
    mine = coupled(gear(ratio="-0.5", offset="90"))
    assert (mine.name, led(mine).coordinate, mine.follower) == (
        "gear",
        "wheel-base",
        "pinion-base",
    )
    assert (led(mine).ratio, mine.offset) == (-0.5, pytest.approx(math.pi / 2))
    assert mine.source == "machine: rc:coupling gear"


@pytest.mark.parametrize(
    ("ratio", "si"),
    [
        ("0.5", 0.5e-3 / DEG),
        ("0.5mm/deg", 0.5e-3 / DEG),
        ("2mm/rad", 0.002),
        ("0.01m/rad", 0.01),
        ("20mm/turn", 0.02 / (2 * math.pi)),
    ],
)
def test_a_rack_moves_by_lengths_per_angle(ratio, si):
    """A pinion of 20 mm per turn, say; a bare number is in mm per degree."""
    mine = coupled(gear(follower="rack-base", ratio=ratio))
    assert led(mine).ratio == pytest.approx(si, rel=1e-14)


def test_a_wheel_turns_by_angles_per_length():
    mine = coupled(gear(leader="rack-base", follower="wheel-base", ratio="36", offset="0.25turn"))
    assert led(mine).ratio == pytest.approx(36 * DEG / 1e-3, rel=1e-14)
    assert mine.offset == pytest.approx(math.pi / 2)


def test_an_offset_is_in_the_followers_unit():
    assert coupled(gear(follower="rack-base", ratio="1", offset="5")).offset == 0.005


def test_a_ratio_that_is_not_stated_is_one():
    assert led(coupled(gear())).ratio == 1.0


def test_a_differential_follows_several_each_by_a_ratio_in_its_own_unit():
    """A bare ratio to a wheel is in mm per degree, one to a sleeve's slide in mm per mm."""
    told = gear(
        leader="wheel-base,sleeve-base:moveZ, pinion-base",
        follower="rack-base",
        ratio="0.5,-2, 1cm/turn",
        offset="5",
    )
    mine = coupled(told)
    assert (mine.name, mine.follower, mine.offset) == ("gear", "rack-base", 0.005)
    names, ratios = zip(*((one.coordinate, one.ratio) for one in mine.leaders), strict=True)
    assert names == ("wheel-base", "sleeve-base/moveZ", "pinion-base")
    assert ratios == pytest.approx((0.5e-3 / DEG, -2.0, 0.01 / (2 * math.pi)), rel=1e-14)


def test_a_differential_without_a_name_is_called_after_all_it_ties():
    told = gear("", "wheel-base,pinion-base", "sleeve-base:turnZ", ratio="0.5,0.5")
    assert coupled(told).name == "wheel-base-pinion-base-sleeve-base:turnZ"


@pytest.mark.parametrize(
    ("leader", "ratio", "message"),
    [
        (
            "wheel-base,rack-base",
            "0.5",
            r"ratio=0\.5 is not a ratio for each of the 2 leaders, in ",
        ),
        ("wheel-base,rack-base", "1,2,3", r"ratio=1,2,3 is not a ratio for each of the 2 leaders"),
        ("wheel-base,rack-base", "", r"ratio=\(nothing\) is not a ratio for each of the 2 leaders"),
        ("wheel-base", "1,2", "ratio=1,2 is not a ratio for the one leader"),
        ("wheel-base,rack-base", "1,2", None),
        ("wheel-base,rack-base", "1,", r"ratio=\(nothing\) is not a ratio of angle to length"),
        ("wheel-base,rack-base", "1,2mm/deg", "ratio=2mm/deg is not a ratio of angle to length"),
    ],
)
def test_other_than_one_ratio_for_each_leader_is_refused(leader, ratio, message):
    told = gear(leader=leader, **({"ratio": ratio} if ratio else {}))
    if message is None:
        assert len(coupled(told).leaders) == 2
        return
    with pytest.raises(BadValueError, match=f"machine: rc:coupling gear: {message}"):
        coupled(told)


def test_every_leader_that_does_not_exist_is_told():
    told = gear(leader="wheel-base,weel-base,,pinion", ratio="1,1,1,1")
    with pytest.raises(SeveralFaultsError) as caught:
        coupled(told)
    said = str(caught.value)
    assert "there is no joint 'weel-base'" in said
    assert "there is no joint ''" in said
    assert "there is no joint 'pinion'" in said


def test_a_coordinate_of_a_joint_with_several_is_named_after_a_colon():
    mine = coupled(gear(follower="sleeve-base:moveZ", ratio="2"))
    assert (mine.follower, led(mine).ratio) == (
        "sleeve-base/moveZ",
        pytest.approx(2e-3 / DEG),
    )
    assert coupled(gear(follower="sleeve-base:turnZ")).follower == "sleeve-base/turnZ"
    assert coupled(gear(follower="pinion-base:turnZ")).follower == "pinion-base"


def test_a_freedom_that_two_sides_share_is_named_by_either():
    """PartCAD calls it 'turnZ+turnZ', and a marker cannot spell a plus."""
    steps = [turn(name="turnZ+turnZ"), move()]
    sleeve = jointed("sleeve", "base", "j", steps)
    wheel = jointed("wheel", "base", "wheel-base", [turn()])
    tree = assembly("pair", [part("base"), sleeve, wheel], [gear(follower="j:turnZ")])
    (mine,) = read_partcad(request(tree)).couplings
    assert mine.follower == "j/turnZ+turnZ"


def test_names_are_below_the_assembly_that_says_so():
    twins = [machine(gear(), label="left"), machine(gear(), label="right")]
    across = gear("sync", "left/wheel-base", "right/wheel-base", ratio="2")
    mechanism = read_partcad(request(assembly("cell", twins, [across])))
    said = {c.name: (led(c).coordinate, c.follower) for c in mechanism.couplings}
    assert said == {
        "sync": ("wheel-base", "wheel-base-2"),
        "gear": ("wheel-base", "pinion-base"),
        "gear-2": ("wheel-base-2", "pinion-base-2"),
    }


def test_a_joint_whose_name_is_taken_is_told_with_what_it_is_reported_as():
    wheels = [
        assembly(label, [part("base"), jointed("wheel", "base", "spin", [turn()])])
        for label in ("left", "right", "rear")
    ]
    (told,) = read_partcad(request(assembly("cart", wheels))).warnings
    assert told == (
        "Several joints of one name: joint 'spin' of 'right' is reported as 'spin-2'; "
        "joint 'spin' of 'rear' is reported as 'spin-3'."
    )


def test_a_mimic_follows_in_degrees_and_millimetres():
    mine = coupled(pinion={"joint": "wheel-base", "multiplier": -2, "offset": 30})
    assert (led(mine).coordinate, mine.follower) == ("wheel-base", "pinion-base")
    assert (led(mine).ratio, mine.offset) == (-2.0, pytest.approx(30 * DEG))
    mine = coupled(rack={"joint": "wheel-base", "multiplier": 0.5, "offset": 3})
    assert (led(mine).ratio, mine.offset) == (
        pytest.approx(0.5e-3 / DEG),
        pytest.approx(0.003),
    )
    assert led(coupled(pinion={"joint": "wheel-base"})).ratio == 1.0


def test_a_mimic_follows_the_joint_of_its_own_assembly():
    mimic = {"joint": "wheel-base"}
    twins = [machine(label=label, pinion=mimic) for label in ("left", "right")]
    mechanism = read_partcad(request(assembly("cell", twins)))
    assert [(c.name, led(c).coordinate, c.follower) for c in mechanism.couplings] == [
        ("pinion-base", "wheel-base", "pinion-base"),
        ("pinion-base-2", "wheel-base-2", "pinion-base-2"),
    ]


def test_a_mimic_follows_the_nearest_joint_of_that_name():
    """Its own assembly's, before one of the same name in an assembly inside."""
    outer = machine(pinion={"joint": "wheel-base"})
    outer["assembly"].append(machine(label="inner"))
    (mine,) = read_partcad(request(outer)).couplings
    assert (led(mine).coordinate, mine.follower) == ("wheel-base", "pinion-base")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"ratio": "2mm/deg"}, "ratio=2mm/deg is not a ratio of angle to angle: a number in deg "),
        ({"ratio": "half"}, "ratio=half is not a ratio of angle to angle"),
        (
            {"follower": "rack-base", "ratio": "1deg/mm"},
            "ratio=1deg/mm is not a ratio of length to ",
        ),
        (
            {"follower": "rack-base"},
            "ratio=(nothing) is not a ratio of length to angle: a number in ",
        ),
        ({"offset": "10mm"}, "offset=10mm is not an angle: a number in deg, or one with a unit"),
    ],
)
def test_a_wrong_dimension_is_refused_with_what_was_expected(values, message):
    with pytest.raises(BadValueError) as caught:
        coupled(gear(**values))
    assert str(caught.value).startswith(f"machine: rc:coupling gear: {message}")


def test_a_joint_that_does_not_exist_suggests_the_nearest():
    message = (
        "machine: rc:coupling gear, leader: there is no joint 'weel-base'. Did you mean "
        "'wheel-base'?"
    )
    with pytest.raises(UnknownNameError) as caught:
        coupled(gear(leader="weel-base"))
    assert str(caught.value) == message


def test_a_joint_of_a_sub_assembly_is_suggested_with_its_way():
    tree = assembly("cell", [machine(label="left")], [gear("g", "wheel-base", "left/pinion-base")])
    with pytest.raises(UnknownNameError, match="Did you mean 'left/wheel-base'"):
        read_partcad(request(tree))


def test_a_joint_with_several_coordinates_must_say_which():
    with pytest.raises(
        UnknownNameError, match=r"no joint coordinate 'sleeve-base'\. Did you mean 's"
    ):
        coupled(gear(leader="sleeve-base"))


def test_a_ball_has_no_coordinate_to_couple():
    with pytest.raises(
        UnknownNameError, match=r"no joint coordinate 'socket-base'\. There is none"
    ):
        coupled(gear(leader="socket-base"))


def test_a_coupling_that_says_nothing_is_refused_and_not_lost():
    with pytest.raises(SeveralFaultsError, match=r"leader=\(nothing\) is not the name of a joint"):
        coupled(marker("coupling", "gear"))


def test_two_couplings_of_one_name_are_refused():
    with pytest.raises(DuplicateNameError, match="Two couplings are called 'gear'"):
        coupled(gear(), gear(leader="rack-base", ratio="1"))


def test_couplings_in_a_circle_are_refused():
    with pytest.raises(CouplingCycleError, match="wheel-base"):
        coupled(gear("a"), gear("b", "pinion-base", "wheel-base"))


def test_a_mimic_of_no_joint_is_refused():
    with pytest.raises(UnknownNameError, match="joint pinion-base, mimic: there is no joint 'weel"):
        coupled(pinion={"joint": "weel-base"})


def test_a_mimic_of_several_coordinates_is_refused():
    message = "joint 'sleeve-base' has 2 coordinates of its own, where a mimic needs one"
    with pytest.raises(CouplingError, match=message):
        coupled(sleeve={"joint": "wheel-base"})


def test_a_mimic_that_is_no_number_is_refused():
    with pytest.raises(BadValueError, match="multiplier=twice is not a finite number"):
        coupled(pinion={"joint": "wheel-base", "multiplier": "twice"})


def test_joints_of_one_name_in_one_assembly_cannot_be_told_apart():
    twins = [jointed(label, "base", "j", [turn()]) for label in ("a", "b")]
    wheel = jointed("wheel", "base", "wheel-base", [turn()])
    tree = assembly("pair", [part("base"), *twins, wheel], [gear(follower="j")])
    with pytest.raises(AmbiguousNameError, match="2 joints are called 'j'"):
        read_partcad(request(tree))
