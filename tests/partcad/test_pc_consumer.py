"""A consumer's package outside the repository: exported, loaded in MuJoCo, simulated."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import mujoco
import numpy as np
import pytest
import yaml
from exported import Export, export
from linkage import (
    ARMS,
    BENCH,
    BOXES,
    C_PORTS,
    FOURBAR,
    HALVES,
    LOOP_C,
    MAPPED,
    RACK,
    STARTS,
    actuator,
    bench,
    box_inertia,
    coupling,
    fourbar,
    loop,
    write_package,
)
from pc import ROOT, simulate

pytestmark = pytest.mark.partcad

ALONG_Y = [0, -9.81, 0]


def run(scene: str | None, **params: object) -> dict[str, object]:
    """One entry of `simulate:`; what it must show is for the test to say."""
    entry = {"simulation": "rc:mujoco", "params": params, "validation": "True"}
    return entry if scene is None else {"scene": scene, **entry}


ASSEMBLIES = {
    "fourbar": fourbar(
        LOOP_C,
        simulate={
            "driven": run("bench", duration=1.0, samples=11, drive={"A": {"velocity": 90}}),
            "free": run(None, duration=0.2, samples=3),
            "weightless": run(None, duration=0.2, samples=3, gravity=[0, 0, 0]),
        },
    ),
    "misspelt": fourbar(LOOP_C, simulate={"run": run("bench", duration=0.1, drives={})}),
    "rounded": fourbar(LOOP_C, skew=0.28),
    "limited": fourbar(
        loop("C", *C_PORTS, lower=-200, upper=200),
        simulate={
            "driven": run("bench", duration=0.5, samples=3, drive={"C": {"velocity": -90}}),
            "free": run(None, duration=0.2, samples=3),
        },
    ),
    "ball": fourbar(loop("C", *C_PORTS, joint="ball")),
    "cylindrical": fourbar(loop("C", *C_PORTS, joint="cylindrical")),
    "universal": fourbar(loop("C", *C_PORTS, joint="universal")),
    "halves": {
        "type": "assy",
        "path": "halves.assy",
        "implements": loop("middle", "left.socket-axis", "right.plug-axis", joint="fixed"),
    },
    "mapped": {
        "type": "assy",
        "path": "mapped.assy",
        "implements": loop("C", "arms.right-axis", C_PORTS[1]),
    },
    "motors": fourbar(
        LOOP_C,
        actuator("crank", "A", ratio="-50", effort=2, velocity="3000rev/min", armature="1e-4"),
        actuator("wrist", "A,B", ratio="0.5,0.5", armature=0.01),
        actuator("kept", "C"),
    ),
    "floored": fourbar(LOOP_C, export={"mjcf": {"ground_plane": True}}),
    "lit": fourbar(LOOP_C, export={"mjcf": {"light": True}}),
}
FORMS = {"bare": "0.5", "units": "0.5mm/deg", "turns": "180mm/turn", "fraction": "18/36mm/deg"}
RACKS = {
    name: {
        "type": "assy",
        "path": "rack.assy",
        "implements": coupling("mesh", "turn", "lift", ratio=ratio, offset="0.5cm"),
    }
    for name, ratio in FORMS.items()
}
HALF_BACK = coupling("sum", "A,D", "B", ratio="-0.5,-0.5")
DIFFERENTIALS = {
    "differential": fourbar(
        HALF_BACK,
        simulate={
            "driven": run(
                "bench",
                duration=0.5,
                samples=2,
                drive={"A": {"velocity": 60}, "D": {"velocity": -20}},
            )
        },
    )
}
SUB_ASSEMBLIES = {
    "arms": {
        "type": "assy",
        "path": "arms.assy",
        "map": {"left": ["crank", "bore", "tip"], "right": ["rocker", "bore", "tip"]},
    }
}
RACKS["bare"]["simulate"] = {
    "driven": run("bench", duration=0.5, samples=2, drive={"turn": {"velocity": 60}})
}
LOOPED = (*(name for name in ASSEMBLIES if name not in {"halves", "misspelt"}),)


@pytest.fixture(scope="session")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_package(
        tmp_path_factory.mktemp("consumer") / "linkage",
        {
            "fourbar.assy": FOURBAR,
            "halves.assy": HALVES,
            "arms.assy": ARMS,
            "mapped.assy": MAPPED,
            "rack.assy": RACK,
            "bench.assy": BENCH,
        },
        assemblies={**ASSEMBLIES, **RACKS, **DIFFERENTIALS, **SUB_ASSEMBLIES},
        scenes={"bench": bench(ALONG_Y)},
    )


@pytest.fixture(scope="session")
def exported(package: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Export]:
    """Exports an assembly, once."""

    @cache
    def once(name: str, *arguments: str, stem: str = "") -> Export:
        done = export(package, tmp_path_factory.mktemp("out"), name, *arguments, stem=stem)
        assert done.code == 0, done.log
        return done

    return once


def test_the_package_is_outside_the_repository(package: Path):
    assert ROOT not in package.parents


@pytest.mark.parametrize("name", [*LOOPED, "halves", *RACKS, *DIFFERENTIALS])
def test_mujoco_loads_an_export_without_a_warning(exported, name, capfd):
    model = mujoco.MjModel.from_xml_path(str(exported(name).path))
    mujoco.mj_forward(model, mujoco.MjData(model))
    said = capfd.readouterr()
    assert said.out + said.err == ""


@pytest.mark.parametrize("name", LOOPED)
def test_a_four_bar_has_one_freedom_and_its_ports_meet(exported, name):
    """Whatever the kind of its loop joint, wherever it is cut, however it was rounded."""
    made = exported(name)
    assert made.mobility() == 1
    assert made.residual() < 1e-9
    apart = made.place("rocker", 40, 0, 10) - made.place("coupler", 100, 0, 0)
    assert np.linalg.norm(apart) < 1e-9


@pytest.mark.parametrize("box", ["bar", "coupler", "ground"])
def test_masses_and_meshes_are_those_of_the_boxes_in_metres(exported, box):
    made = exported("fourbar")
    body = made.model.body({"bar": "crank", "ground": "fourbar"}.get(box, box))
    mass, center, tensor = box_inertia(box)
    np.testing.assert_allclose(body.mass, mass, rtol=1e-9)
    np.testing.assert_allclose(body.ipos, center, atol=1e-9)
    R = np.zeros(9)
    mujoco.mju_quat2Mat(R, body.iquat)
    R = R.reshape(3, 3)
    np.testing.assert_allclose(R @ np.diag(body.inertia) @ R.T, tensor, rtol=1e-6, atol=1e-12)
    corners = _corners(made, int(body.geomadr[0]))
    length, width, height = BOXES[box]
    start = STARTS[box]
    low, high = [start, -width / 2, 0], [start + length, width / 2, height]
    np.testing.assert_allclose(corners * 1e3, [low, high], atol=1e-4)


def _corners(made: Export, geom: int) -> np.ndarray:
    """The bounding box of a mesh geom in its body's frame [m]."""
    model, R = made.model, np.zeros(9)
    mesh = model.geom_dataid[geom]
    first = model.mesh_vertadr[mesh]
    points = model.mesh_vert[first : first + model.mesh_vertnum[mesh]]
    mujoco.mju_quat2Mat(R, model.geom_quat[geom])
    placed = points @ R.reshape(3, 3).T + model.geom_pos[geom]
    return np.array([placed.min(axis=0), placed.max(axis=0)])


def test_two_bars_of_one_solid_share_a_mesh(exported):
    assert exported("fourbar").files() == {
        "fourbar.xml",
        "fourbar.mechanism.json",
        "fourbar_meshes/bar.obj",
        "fourbar_meshes/coupler.obj",
        "fourbar_meshes/ground.obj",
    }


def test_a_parameter_moves_the_drawn_pose(exported):
    """Clockwise from above: the tip of the crank at 35 degrees."""
    made = exported("fourbar", "-p", "angle=35", stem="fourbar_angle_35")
    angle = np.radians(35)
    assert made.coordinate("A") == pytest.approx(35)
    np.testing.assert_allclose(
        made.place("crank", 40, 0, 0),
        [0.04 * np.cos(angle), -0.04 * np.sin(angle), 0.01],
        atol=1e-9,
    )
    np.testing.assert_allclose(
        made.place("coupler", 0, 0, 0), made.place("crank", 40, 0, 10), atol=1e-9
    )
    assert made.mobility() == 1
    assert made.residual() < 1e-9


def test_a_rounded_drawing_is_closed_with_the_first_crank_where_it_was(exported):
    """Drawn 0.195 mm open, by 0.28 degrees of the rocker."""
    made = exported("rounded")
    assert made.coordinate("A") == pytest.approx(60, abs=1e-6)
    assert made.coordinate("D") == pytest.approx(60, abs=1e-6)


def test_a_limited_loop_joint_is_a_joint_of_the_tree_and_another_is_cut(exported):
    made = exported("limited")
    np.testing.assert_allclose(np.degrees(made.model.joint("C").range), [-200, 200])
    assert made.coordinate("C") == pytest.approx(-60)
    cut = ({"A", "B", "D"} - {made.model.joint(i).name for i in range(made.model.njnt)}).pop()
    assert any("'C'" in warning and f"'{cut}'" in warning for warning in made.warnings)
    assert made.model.equality(0).name == "C"


def test_where_the_format_has_no_such_closure_another_joint_is_cut(exported):
    made = exported("cylindrical")
    assert {made.model.joint(i).name for i in range(made.model.njnt)} >= {"C/turnZ", "C/moveZ"}
    assert any("MJCF cannot close a cylindrical joint" in warning for warning in made.warnings)
    assert made.model.equality(0).name == "C"


def test_a_planar_closure_of_any_kind_has_the_fewest_rows(exported):
    """Three for a point; a cross is a point and a tendon."""
    for name, types in {"fourbar": ["connect"], "ball": ["connect"], "universal": None}.items():
        elements = [element.tag for element in exported(name).root.find("equality")]
        assert elements == (types or ["connect", "tendon"])


def test_a_port_mapped_from_a_part_that_moves_is_on_that_part(exported):
    """Both the connection B and the loop C: PartCAD by itself welds to the ground."""
    made = exported("mapped")
    parents = made.model.body_parentid
    assert made.model.body(parents[made.model.body("coupler").id]).name == "crank"
    assert any("joint B" in warning and "'crank'" in warning for warning in made.warnings)


def test_a_fixed_loop_joint_makes_one_body_of_two(exported):
    """The two halves of the coupler are bolted together: what is left is the four-bar."""
    made = exported("halves")
    assert made.mobility() == 1
    assert made.residual() < 1e-9
    assert made.model.nv == 3
    assert [made.model.equality(i).name for i in range(made.model.neq)] == ["middle"]
    np.testing.assert_allclose(
        made.place("left", 100, 0, 0), made.place("rocker", 40, 0, 10), atol=1e-9
    )


def test_a_floor_and_a_light_where_the_object_asks_for_it(exported):
    made = exported("floored")
    assert made.model.geom("ground_plane").type == mujoco.mjtGeom.mjGEOM_PLANE
    assert made.model.nlight == 0
    assert exported("lit").model.nlight == 1
    assert exported("fourbar").model.nlight == 0


@pytest.mark.parametrize("name", FORMS)
def test_a_ratio_means_the_same_in_every_form(exported, name):
    """0.5 mm per degree, 5 mm ahead: at 20 degrees the rack is at 15 mm."""
    made = exported(name)
    speeds = made.free_speeds()
    lift, turn = (speeds[made.model.joint(name).dofadr[0]] for name in ("lift", "turn"))
    assert lift / turn == pytest.approx(0.5e-3 * 180 / np.pi)
    assert made.coordinate("turn") == pytest.approx(20)
    assert made.coordinate("lift") == pytest.approx(0.015)
    assert made.mobility() == 1


def test_actuators_arrive_with_their_gears_and_keep_their_joints(exported):
    """A, B and C have one each, so that D is cut; two numbers are in MuJoCo's units, SI."""
    made = exported("motors")
    model = made.model
    assert {model.joint(i).name for i in range(model.njnt)} == {"A", "B", "C"}
    crank = model.actuator("crank")
    assert (crank.gear[0], list(crank.forcerange)) == (-50.0, [-2.0, 2.0])
    assert model.dof_armature[model.joint("A").dofadr[0]] == pytest.approx(50.0**2 * 1e-4)
    made.data.ctrl[:] = [{"wrist": 8.0}.get(model.actuator(i).name, 0.0) for i in range(model.nu)]
    mujoco.mj_forward(model, made.data)
    efforts = {n: made.data.qfrc_actuator[model.joint(n).dofadr[0]] for n in "ABC"}
    assert efforts == {"A": 4.0, "B": 4.0, "C": 0.0}
    (tendon,) = model.tendon_armature
    assert tendon == 0.01


def test_an_export_over_an_older_one_leaves_nothing_behind(package, exported, tmp_path):
    for _ in range(2):
        again = export(package, tmp_path, "fourbar")
        assert again.code == 0, again.log
        assert again.files() == exported("fourbar").files()
    assert again.path.read_bytes() == exported("fourbar").path.read_bytes()


@dataclass(frozen=True)
class Run:
    """One simulation, and the scene it ran."""

    result: dict[str, Any]
    scene: ElementTree.Element


@pytest.fixture(scope="session")
def runs(package: Path) -> Callable[[str], dict[str, Run]]:
    """Simulates an assembly, once; its runs by the simulation's name."""

    @cache
    def once(name: str) -> dict[str, Run]:
        done = simulate(package, name)
        assert all(entry["passed"] for entry in done), [entry["error"] for entry in done]
        scenes = [Path(entry["snapshots"]["before"]).parent / "scene.xml" for entry in done]
        return {
            entry["simulation"]: Run(entry["result"], ElementTree.parse(scene).getroot())
            for entry, scene in zip(done, scenes, strict=True)
        }

    return once


def test_a_driven_parallelogram_stays_one(runs):
    """Against the closed form: the rocker turns as the crank does, the coupler never turns."""
    result = runs("fourbar")["driven"].result
    assert len(result["samples"]) == 11
    for state in result["samples"]:
        joints = state["joints"]
        assert joints["A"]["pos"] == pytest.approx(60 + 90 * state["time"], abs=1e-6)
        assert joints["D"]["pos"] == pytest.approx(joints["A"]["pos"], abs=0.01)
        assert joints["C"]["pos"] == pytest.approx(-joints["A"]["pos"], abs=0.01)
        assert abs(state["bodies"]["coupler"]["quat"][0]) > 1 - 1e-8
    assert result["closures"]["C"]["max_gap"] < 0.1


def test_a_subject_that_nothing_holds_falls_as_one(runs):
    """With semi-implicit steps of 1 ms it has fallen g t (t + h) / 2."""
    result = runs("fourbar")["free"].result
    fallen = [-9810 * 0.2 * (0.2 + h) / 2 for h in (0.0, 0.001)]
    height = result["after"]["bodies"]["subject"]["pos"][2]
    assert min(fallen) - 0.01 < height < max(fallen) + 0.01
    assert result["after"]["joints"]["A"]["pos"] == pytest.approx(60, abs=1e-6)
    assert result["closures"]["C"]["max_gap"] < 1e-6


@pytest.mark.parametrize("name", ["fourbar", "limited"])
def test_a_subject_that_nothing_holds_is_a_free_body_at_the_top(runs, name):
    """And one that the scene bolts down is a body without a joint."""
    free, held = (
        runs(name)[run].scene.find("worldbody/body[@name='subject']") for run in ("free", "driven")
    )
    assert [element.tag for element in free if "joint" in element.tag] == ["freejoint"]
    assert [element.tag for element in held if "joint" in element.tag] == []


def test_without_gravity_it_stays_where_it_is(runs):
    after = runs("fourbar")["weightless"].result["after"]
    np.testing.assert_allclose(after["bodies"]["subject"]["pos"], [0, 0, 0], atol=1e-6)
    assert after["energy"]["kinetic"] < 1e-12


def test_results_name_the_declared_joint_wherever_the_loop_is_cut(runs):
    result = runs("limited")["driven"].result
    assert set(result["closures"]) == {"C"}
    assert result["closures"]["C"]["max_gap"] < 0.1
    assert result["after"]["joints"]["C"]["pos"] == pytest.approx(-105, abs=1e-6)
    assert result["after"]["joints"]["A"]["pos"] == pytest.approx(105, abs=0.01)


def test_a_free_base_falls_with_its_loop_cut_elsewhere(runs):
    result = runs("limited")["free"].result
    assert -198 < result["after"]["bodies"]["subject"]["pos"][2] < -196
    assert result["after"]["joints"]["C"]["pos"] == pytest.approx(-60, abs=1e-6)
    assert result["closures"]["C"]["max_gap"] < 1e-6


def test_a_coupling_of_two_leaders_arrives_with_both_and_their_ratios(exported, runs):
    """Between crank and rocker, 60 degrees each: the coupler turns back by half their sum."""
    made = exported("differential")
    tendon = made.root.find("tendon/fixed")
    assert {j.get("joint"): float(j.get("coef")) for j in tendon} == {"B": 1, "A": 0.5, "D": 0.5}
    assert (made.mobility(), made.model.nv) == (2, 3)
    result = runs("differential")["driven"].result
    joints = result["after"]["joints"]
    assert [joints[name]["pos"] for name in "AD"] == pytest.approx([90, 50], abs=1e-3)
    assert joints["B"]["pos"] == pytest.approx(-70, abs=0.01)
    assert result["couplings"]["sum"]["max_error"] < 0.05


def test_a_rack_follows_its_wheel(runs):
    after = runs("bare")["driven"].result["after"]
    assert after["joints"]["turn"]["pos"] == pytest.approx(50, abs=1e-6)
    assert after["joints"]["lift"]["pos"] == pytest.approx(30, abs=0.05)


def test_a_parameter_that_does_not_exist_is_never_silent(package):
    (done,) = simulate(package, "misspelt")
    said = f"{done['error']} {(done['result'] or {}).get('warnings')}"
    assert "drives" in said


TOP = """\
desc: Two linkages side by side
manufacturable: false
dependencies:
  machines: {{type: local, path: {machines}}}
  compiler: {{type: local, path: {compiler}}}
assemblies:
  pair:
    type: assy
    implements:
      "compiler:coupling;leader=near/A,follower=far/A,ratio=-1,offset=120": {{sync: }}
    simulate:
      driven:
        scene: bench
        simulation: compiler:mujoco
        params: {{duration: 0.5, samples: 3, drive: {{A: {{velocity: 90}}}}}}
        validation: "True"
  pairs: {{type: assy}}
scenes:
  bench:
{bench}
"""
PAIR = """\
links:
  - assembly: machines:fourbar
    name: near
  - assembly: machines:fourbar
    name: far
    location: [[0, 200, 0], [0, 0, 1], 30]
"""
PAIRS = """\
links:
  - assembly: pair
    name: left
  - assembly: pair
    name: right
    location: [[300, 0, 0], [0, 1, 0], 90]
"""


@pytest.fixture(scope="session")
def top(package: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A package that uses the linkage's, in which the plugin goes by another name."""
    folder = tmp_path_factory.mktemp("top")
    scene = bench(ALONG_Y)
    scene["parameters"]["subject"]["default"] = "machines:ground"
    shown = yaml.safe_dump(scene).replace("\n", "\n    ")
    text = TOP.format(machines=package, compiler=ROOT, bench=f"    {shown}")
    files = {"partcad.yaml": text, "pair.assy": PAIR, "pairs.assy": PAIRS, "bench.assy": BENCH}
    for name, content in files.items():
        (folder / name).write_text(content, encoding="utf-8")
    return folder


def test_loops_of_sub_assemblies_placed_twice_each_close(top, tmp_path):
    made = export(top, tmp_path, "pair", plugin="compiler")
    assert made.code == 0, made.log
    assert made.model.nv == 6
    assert made.mobility() == 1  # two linkages and a coupling
    assert made.residual() < 1e-9
    assert {loop.get("name") for loop in made.root.iter("connect")} == {"C", "C-2"}
    for end in ("", "-2"):
        apart = made.place(f"rocker{end}", 40, 0, 10) - made.place(f"coupler{end}", 100, 0, 0)
        assert np.linalg.norm(apart) < 1e-9
    turned = np.radians(30)
    np.testing.assert_allclose(
        made.place("rocker-2", 0, 0, 0),
        [0.1 * np.cos(turned), 0.2 + 0.1 * np.sin(turned), 0.01],
        atol=1e-9,
    )


def test_loops_two_levels_down_each_close(top, tmp_path):
    made = export(top, tmp_path, "pairs", plugin="compiler")
    assert made.code == 0, made.log
    assert made.mobility() == 2
    assert made.residual() < 1e-9
    loops = {loop.get("name") for loop in made.root.iter("connect")}
    assert loops == {"C", "C-2", "C-3", "C-4"}


def test_a_coupling_of_a_package_above_runs(top):
    (done,) = simulate(top, "pair")
    assert done["passed"], done["error"]
    result = done["result"]
    assert result["after"]["joints"]["A"]["pos"] == pytest.approx(105, abs=1e-6)
    assert result["after"]["joints"]["A-2"]["pos"] == pytest.approx(15, abs=0.01)
    assert {name: worst["max_gap"] < 0.1 for name, worst in result["closures"].items()} == {
        "C": True,
        "C-2": True,
    }
