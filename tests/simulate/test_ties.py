"""Couplings and screws under load, against statics and against the exact ratio."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scenes import G, Load, held, on_axes, written

from robocompiler.compiler.compile import compile_mechanism
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import WORLD, Body, Coupling, Frame, Inertia, Joint, Leader
from robocompiler.simulate.run import simulate
from robocompiler.simulate.scene import load_scene
from robocompiler.simulate.ties import weigh_ties
from robocompiler.solve.state import evaluate, starting_coordinates
from robocompiler.write.mjcf.stiffness import (
    LONGEST_TIMESTEP,
    REST_ANGLE,
    closure_stiffness,
    tie_openings,
)
from robocompiler.write.mjcf.ties import opened, ties

PITCH = 0.002 / (2.0 * math.pi)
DOWN_Z = (0.0, 0.0, -G)


def screw(mass=10.0, inertia=1e-4, **fields):
    """A nut of that mass that turns on a vertical thread of 2 mm."""
    mechanism = held(JointKind.SCREW, center=(0.0, 0.0, 0.0), pitch=PITCH, **fields)
    weight = Inertia(mass=mass, moments=(inertia, inertia, inertia))
    return replace(mechanism, bodies=(Body(name="load", inertia=weight),))


def two(
    leader, follower, ratio, offset=0.0, masses=(1.0, 1.0), spins=(1e-3, 1e-3), lever=0.0, **fields
):
    """Two bodies on joints of their own, along and about z, coupled; `lever` is the follower's."""
    coupling = Coupling.gear(
        name="tie", leader="leader", follower="follower", ratio=ratio, offset=offset
    )
    loads = {
        "leader": Load(kind=leader, mass=masses[0], spin=spins[0]),
        "follower": Load(kind=follower, mass=masses[1], spin=spins[1], lever=lever),
    }
    return on_axes(loads, (0.3, ratio * 0.3 + offset), coupling, **fields)


@pytest.mark.parametrize("inertia", [1e-4, 1e-7])
def test_a_screw_holds_a_load_of_ten_kilograms_where_it_is_held(tmp_path, inertia):
    scene = written(tmp_path, screw(inertia=inertia), gravity=DOWN_Z)
    result = simulate(scene, duration=0.5, drive={"hold": {"velocity": 0}})
    assert result["after"]["bodies"]["load"]["pos"][2] == pytest.approx(0.0, abs=1e-3)
    effort = result["after"]["joints"]["hold"]["effort"]
    assert effort == pytest.approx(10.0 * G * PITCH, rel=1e-3)
    assert result["couplings"]["hold"]["max_error"] < 1e-3
    assert result["warnings"] == []


def test_a_load_on_a_screw_that_nothing_holds_turns_it_as_energy_says(tmp_path):
    """m p² and the spin in one: the load falls with m g / (m + I / p²)."""
    result = simulate(written(tmp_path, screw(), gravity=DOWN_Z), duration=0.5)
    falls = 10.0 * G / (10.0 + 1e-4 / PITCH**2)
    after = result["after"]
    assert after["joints"]["hold"]["vel"] == pytest.approx(
        -math.degrees(falls * 0.5 / PITCH), rel=1e-3
    )
    fallen = after["bodies"]["load"]["pos"][2] / 1e3
    turned = math.radians(after["joints"]["hold"]["pos"])
    assert fallen == pytest.approx(PITCH * turned, abs=1e-7)
    assert after["couplings"]["hold"]["error"] == pytest.approx(
        1e3 * (fallen - PITCH * turned), abs=1e-6
    )


def test_a_driven_screw_lifts_its_load(tmp_path):
    scene = written(tmp_path, screw(start=(1.0,)), gravity=DOWN_Z)
    result = simulate(scene, duration=1.0, drive={"hold": {"velocity": 3600}})
    risen = [result[at]["bodies"]["load"]["pos"][2] for at in ("before", "after")]
    assert risen[1] - risen[0] == pytest.approx(20.0, abs=1e-3)
    assert result["couplings"]["hold"]["max_error"] < 1e-3
    assert result["warnings"] == []


@pytest.mark.parametrize("driven", ["leader", "follower"])
def test_a_rack_carries_its_load_on_a_light_pinion(tmp_path, driven):
    """40 kg on a rack, hung from a pinion of 20 mm that is held, and the other way round."""
    rack = two(
        JointKind.REVOLUTE,
        JointKind.PRISMATIC,
        0.02,
        offset=0.05,
        masses=(0.1, 40.0),
        spins=(1e-6,) * 2,
    )
    result = simulate(
        written(tmp_path, rack, gravity=DOWN_Z), duration=0.5, drive={driven: {"velocity": 10}}
    )
    turn, rise = (result["after"]["joints"][name]["pos"] for name in ("leader", "follower"))
    assert rise == pytest.approx(20.0 * math.radians(turn) + 50.0, abs=1e-2)
    load = 40.0 * G * (0.02 if driven == "leader" else 1.0)
    assert result["after"]["joints"][driven]["effort"] == pytest.approx(load, rel=1e-3)
    assert result["couplings"]["tie"]["max_error"] < 1e-2
    assert result["warnings"] == []


@pytest.mark.parametrize("driven", ["leader", "follower"])
@pytest.mark.parametrize("ratio", [1000.0, 1e-3, -1000.0])
def test_a_ratio_of_a_thousand_holds_under_load(tmp_path, ratio, driven):
    """The follower's weight is 100 mm off its axis, and reaches the leader by the ratio."""
    pair = two(JointKind.REVOLUTE, JointKind.REVOLUTE, ratio, lever=0.1)
    speed = 90.0 * (min(1.0, 1.0 / abs(ratio)) if driven == "leader" else min(1.0, abs(ratio)))
    scene = written(tmp_path, pair, gravity=(0.0, -G, 0.0))
    result = simulate(scene, duration=0.5, drive={driven: {"velocity": speed}})
    joints = result["after"]["joints"]
    follower = joints["follower"]["pos"]
    assert follower == pytest.approx(ratio * joints["leader"]["pos"], abs=0.05)
    load = 1.0 * G * 0.1 * math.cos(math.radians(follower))
    if driven == "leader":
        load *= ratio
    assert joints[driven]["effort"] == pytest.approx(load, rel=1e-2)
    assert result["couplings"]["tie"]["max_error"] < 0.05
    assert result["warnings"] == []


@pytest.mark.parametrize("spin", [1e-6, 1e-8, 1e-10])
def test_gears_with_tiny_rotors_hold_their_ratio_under_their_effort(tmp_path, spin):
    """A motor's rotor against a load: the tie is as stiff as the effort asks."""
    gears = two(
        JointKind.REVOLUTE, JointKind.REVOLUTE, -0.1, spins=(spin, 1e-2), lever=0.1, effort=0.5
    )
    scene = written(tmp_path, gears, gravity=(0.0, -G, 0.0))
    result = simulate(scene, duration=0.2, drive={"leader": {"velocity": 360}})
    assert result["couplings"]["tie"]["max_error"] < 0.1
    assert result["after"]["joints"]["follower"]["vel"] == pytest.approx(-36.0, abs=0.1)
    assert not any("off by" in warning for warning in result["warnings"])


def three(ratios, levers=(0.0, 0.0, 0.0), offset=0.0, spins=(1e-3, 1e-3, 1e-3), **fields):
    """Wheels of 1 kg on axes of their own: `cage` = Σ ratio · `left`, `right` + offset."""
    names = ("left", "right")
    leaders = tuple(
        Leader(coordinate=name, ratio=ratio) for name, ratio in zip(names, ratios, strict=True)
    )
    coupling = Coupling(name="tie", follower="cage", leaders=leaders, offset=offset)
    starts = (ratios[0] * 0.3 - ratios[1] * 0.2 + offset, 0.3, -0.2)
    loads = {
        name: Load(lever=lever, spin=spin)
        for name, lever, spin in zip(("cage", *names), levers, spins, strict=True)
    }
    return on_axes(loads, starts, coupling, **fields)


RATIOS = [(0.5, 0.5), (0.2, 0.8), (-3.0, 4.0), (0.01, -2.0)]


@pytest.mark.parametrize("ratios", RATIOS)
def test_a_differentials_shafts_carry_the_load_on_its_cage_by_their_ratios(tmp_path, ratios):
    scene = written(tmp_path, three(ratios, (0.1, 0.0, 0.0), offset=0.4), gravity=(0.0, -G, 0.0))
    drive = {"left": {"velocity": 30}, "right": {"velocity": -20}}
    result = simulate(scene, duration=0.5, drive=drive)
    joints = result["after"]["joints"]
    left, right, cage = (joints[name]["pos"] for name in ("left", "right", "cage"))
    assert left == pytest.approx(math.degrees(0.3) + 15.0, abs=1e-3)
    assert right == pytest.approx(math.degrees(-0.2) - 10.0, abs=1e-3)
    expected = ratios[0] * left + ratios[1] * right + math.degrees(0.4)
    assert cage == pytest.approx(expected, abs=0.02)
    load = G * 0.1 * math.cos(math.radians(expected))
    efforts = [joints[name]["effort"] for name in ("left", "right")]
    assert efforts == pytest.approx([ratio * load for ratio in ratios], rel=1e-2, abs=1e-4)
    assert result["couplings"]["tie"]["max_error"] < 0.05
    assert result["after"]["couplings"]["tie"]["error"] == pytest.approx(cage - expected, abs=1e-9)
    assert result["warnings"] == []


def test_a_load_on_one_shaft_is_carried_by_the_cage_and_the_other_shaft(tmp_path):
    """right = 2 cage - left: virtual work gives twice the load, and its opposite."""
    scene = written(tmp_path, three((0.5, 0.5), (0.0, 0.0, 0.1)), gravity=(0.0, -G, 0.0))
    drive = {"cage": {"velocity": 20}, "left": {"velocity": 0}}
    result = simulate(scene, duration=0.5, drive=drive)
    joints = result["after"]["joints"]
    right = math.degrees(-0.2) + 20.0
    assert joints["right"]["pos"] == pytest.approx(right, abs=0.02)
    load = G * 0.1 * math.cos(math.radians(right))
    assert joints["cage"]["effort"] == pytest.approx(2.0 * load, rel=1e-2)
    assert joints["left"]["effort"] == pytest.approx(-load, rel=1e-2)
    assert result["couplings"]["tie"]["max_error"] < 0.05
    assert result["warnings"] == []


def test_a_differential_that_nothing_holds_shares_its_cages_fall_out_alike(tmp_path):
    """Energy of all three turning as one, the cage's inertia 1e-3 + 1 kg (0.1 m)²."""
    scene = written(tmp_path, three((0.5, 0.5), (0.1, 0.0, 0.0)), gravity=(0.0, -G, 0.0))
    result = simulate(scene, duration=0.15, timestep=1e-4)
    at = (result["before"], result["after"])
    before, after = ({name: j["pos"] for name, j in end["joints"].items()} for end in at)
    moved = {name: math.radians(after[name] - before[name]) for name in after}
    assert moved["left"] == pytest.approx(moved["right"], abs=1e-6)
    assert moved["left"] == pytest.approx(moved["cage"], abs=1e-5)
    start = math.radians(before["cage"])
    fallen = math.sin(start) - math.sin(start + moved["cage"])
    energy = 0.5 * (1e-3 + 0.01 + 2e-3)
    speed = math.sqrt(G * 0.1 * fallen / energy)
    assert math.radians(result["after"]["joints"]["cage"]["vel"]) == pytest.approx(-speed, rel=1e-3)


def test_mujoco_is_told_the_inertia_at_a_tie_of_all_that_it_ties(tmp_path):
    """Σ c² / I, with the rotor inertias that drives add."""
    scene = load_scene(written(tmp_path, three((0.5, -3.0))))
    rotors = {"cage": 1e-3, "left": 2e-2, "right": 5.0}
    M = np.zeros((3, 3))
    for name, inertia in rotors.items():
        at = scene.coordinates[name].v
        M[at, at] = inertia
    weigh_ties(scene, M)
    expected = 1.0 / 1e-3 + 0.25 / 2e-2 + 9.0 / 5.0
    assert scene.model.tendon_invweight0 == pytest.approx([expected], rel=1e-12)


def test_a_tie_is_as_stiff_as_all_that_it_ties_asks():
    """By the closed form: λ = e / |c| on the joint of least lever, and Σ c² / I opens it by λ."""
    spins, ratios = (1e-3, 2e-2, 1e-5), (0.5, -0.2)
    compiled = compile_mechanism(three(ratios, spins=spins, effort=0.5))
    state = evaluate(compiled, starting_coordinates(compiled))
    yields = sum(c * c / inertia for c, inertia in zip((1.0, *ratios), spins, strict=True))
    expected = 0.5 / 0.2 * yields / REST_ANGLE
    assert tie_openings(*opened(compiled, state), ties(compiled)) == pytest.approx(
        [expected], rel=1e-12
    )


def test_screws_beside_a_coupling_leave_it_as_stiff():
    """MuJoCo gives a screw two speeds, which moves those of the joints after it."""
    geared, loose = three((0.5, -0.2), spins=(1e-3, 2e-2, 1e-5), effort=500.0), screw(inertia=1.0)
    screws = [
        Joint(name=f"a{i}", kind=JointKind.SCREW, parent="hold.F", child=f"nut{i}", pitch=1.0)
        for i in range(3)
    ]
    nuts = [replace(loose.bodies[0], name=f"nut{i}") for i in range(3)]
    beside = replace(
        geared,
        bodies=(*nuts, *geared.bodies),
        frames=(
            Frame(name="hold.F", body=WORLD),
            *(Frame(name=nut.name, body=nut.name) for nut in nuts),
            *geared.frames,
        ),
        joints=(*screws, *geared.joints),
    )
    timesteps = []
    for mechanism in (geared, beside):
        compiled = compile_mechanism(mechanism)
        state = evaluate(compiled, starting_coordinates(compiled))
        timesteps.append(closure_stiffness(compiled, state, None).wanted_timestep)
    assert timesteps[0] == timesteps[1] < LONGEST_TIMESTEP


@pytest.mark.parametrize("light", ["left", "right"])
def test_a_differential_with_a_tiny_rotor_holds_under_its_effort(tmp_path, light):
    """Whichever shaft has it: at such an effort the tie opens the faster, the less it weighs."""
    spins = [1e-8 if name == light else 1e-2 for name in ("cage", "left", "right")]
    mechanism = three((0.5, 0.5), (0.1, 0.0, 0.0), spins=spins, effort=0.5)
    drive = {light: {"velocity": 360}}
    scene = written(tmp_path, mechanism, gravity=(0.0, -G, 0.0))
    result = simulate(scene, duration=0.2, drive=drive)
    assert result["couplings"]["tie"]["max_error"] < 0.1
    assert not any("off by" in warning for warning in result["warnings"])


def test_what_a_tie_was_off_is_warned_of_with_the_timestep_that_holds_it(tmp_path):
    """40 kg hung from a light pinion that stands at its limit, stepped far too coarsely."""
    pair = two(JointKind.REVOLUTE, JointKind.PRISMATIC, 0.02, masses=(0.1, 40.0), spins=(1e-6,) * 2)
    stopped = replace(pair.joints[0], limits=((0.3, 1.0),))
    pair = replace(pair, joints=(stopped, pair.joints[1]))
    scene = written(tmp_path, pair, gravity=DOWN_Z)
    assert simulate(scene, duration=0.5)["warnings"] == []
    result = simulate(scene, duration=0.5, timestep=0.01)
    (warning,) = result["warnings"]
    assert warning.startswith("Coupling 'tie' was off by")
    assert result["couplings"]["tie"]["max_error"] > 0.1
    wanted = float(warning.split("A timestep of ")[1].split(" s")[0])
    again = simulate(scene, duration=0.5, timestep=wanted)
    assert again["couplings"]["tie"]["max_error"] < 0.1
    assert again["warnings"] == []


def test_a_coupling_and_a_screw_of_one_name_are_both_reported(tmp_path):
    mechanism = screw()
    wheel = Body(name="wheel", inertia=Inertia(mass=1.0, moments=(1e-3, 1e-3, 1e-3)))
    frames = (Frame(name="W", body=WORLD), Frame(name="wheel.M", body="wheel"))
    turn = Joint(name="turn", kind=JointKind.REVOLUTE, parent="W", child="wheel.M")
    both = replace(
        mechanism,
        bodies=(*mechanism.bodies, wheel),
        frames=(*mechanism.frames, *frames),
        joints=(*mechanism.joints, turn),
        couplings=(Coupling.gear(name="hold", leader="turn", follower="hold", ratio=3.0),),
    )
    result = simulate(written(tmp_path, both, gravity=DOWN_Z), duration=0.1)
    assert set(result["couplings"]) == set(result["after"]["couplings"]) == {"hold", "hold/thread"}


@pytest.mark.parametrize("axis", [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0)])
def test_a_loop_that_is_tilted_is_warned_of_as_one_that_gapes_is(tmp_path, axis):
    """A gate whose hinge is cut, with a moment across it, stepped far too coarsely."""
    center = tuple(2.0 * x for x in axis)
    gate = held(JointKind.REVOLUTE, center=center, also=[JointKind.FREE])
    scene = written(tmp_path, gate, gravity=DOWN_Z)
    result = simulate(scene, duration=0.5, timestep=0.03)
    assert result["closures"]["hold"]["max_angle"] > 0.1
    assert any("Loop 'hold' was tilted by" in warning for warning in result["warnings"])
