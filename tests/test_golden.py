"""Requests as PartCAD hands them to an exporter, dumped once, through the whole library."""

import json
import math
from pathlib import Path

import mujoco
import numpy as np
import pytest

import robocompiler as rc
from robocompiler.compiler.rows import linearize
from robocompiler.errors import PortsApartError
from robocompiler.solve.describe import coordinates

GOLDEN = Path(__file__).parent / "golden"
NAMES = sorted(path.stem for path in GOLDEN.glob("*.json"))


@pytest.fixture
def compiled(request, kinematics):
    return rc.compile(rc.read_partcad(json.loads((GOLDEN / f"{request.param}.json").read_text())))


def golden(*names):
    return pytest.mark.parametrize("compiled", names, indirect=True)


@golden(*NAMES)
def test_every_loop_closes_to_rounding(compiled):
    q = coordinates(compiled, rc.assemble(compiled))
    assert np.abs(linearize(compiled, q).residual).max() < 1e-13


@pytest.mark.parametrize(
    ("compiled", "expected"),
    [("fourbar", 1), ("fourbar_scene", 1), ("gripper", 1), ("stewart", 6)],
    indirect=["compiled"],
)
def test_mobility_is_what_the_mechanism_is_known_for(compiled, expected):
    assert int(rc.mobility(compiled, coordinates(compiled, rc.assemble(compiled)))) == expected


@golden("stewart")
def test_the_stewart_platform_has_the_papers_structure(compiled):
    """RoboCompiler, table I: 21 tree coordinates, 5 cuts, each a ball; one module."""
    assert compiled.nv == 21
    assert [closure.kind for closure in compiled.closures] == [rc.JointKind.BALL] * 5
    assert len(compiled.modules) == 1


@golden("stewart")
def test_the_stewart_legs_have_the_length_of_their_anchors_distance(compiled):
    """From the published numbers: base and platform radii and angles, height 0.6 m."""
    configuration = rc.assemble(compiled)
    base, platform = math.radians(-10.0), math.radians(-50.0)
    across = np.array([0.35 * math.cos(platform), 0.35 * math.sin(platform), 0.6])
    length = np.linalg.norm(across - [0.55 * math.cos(base), 0.55 * math.sin(base), 0.0])
    slides = [configuration.of(f"slide-{i}")[0] for i in range(1, 7)]
    np.testing.assert_allclose(slides, length, atol=1e-12)


@golden(*NAMES)
def test_mujoco_loads_it_closed_at_qpos0_without_a_word(compiled, tmp_path, capfd):
    rc.write(compiled, tmp_path / "m.xml")
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "m.xml"))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    equality = data.efc_type == mujoco.mjtConstraint.mjCNSTR_EQUALITY
    assert np.abs(data.efc_pos[equality]).max() < 1e-14
    np.testing.assert_array_equal(model.key_qpos[0], model.qpos0)
    said = capfd.readouterr()
    assert said.out + said.err == ""


@golden("fourbar")
def test_the_four_bar_is_drawn_where_its_closed_form_is(compiled):
    """The cosine rule in the triangle D-B-C, with bars of 100, 40, 120 and 80 mm."""
    configuration = rc.assemble(compiled, {"crank-ground": math.radians(200.0)})
    f = 40.0 * np.exp(1j * math.radians(200.0)) - 100.0
    k = math.acos((80.0**2 + abs(f) ** 2 - 120.0**2) / (2 * 80.0 * abs(f)))
    expected = np.angle(f * np.exp(-1j * k))
    found = configuration.of("rocker-ground")[0]
    assert math.remainder(found - expected, 2 * math.pi) == pytest.approx(0.0, abs=1e-12)


@golden(*NAMES)
def test_reading_twice_gives_one_mechanism_and_its_text_comes_back(compiled):
    assert rc.from_json(rc.to_json(compiled.mechanism)) == compiled.mechanism


def test_a_tolerance_of_the_export_reaches_the_assembly(kinematics):
    """The coupler drawn half a degree off: 1 mm at its far end, past the default of 0.5 mm."""
    request = json.loads((GOLDEN / "fourbar.json").read_text())
    coupler = next(n for n in request["shape_tree"]["assembly"] if n["label"] == "coupler")
    (turn,) = (step for step in coupler["joint"]["steps"] if step["type"] == "free")
    turn["value"] += 0.5
    (at, axis, angle) = coupler["location"]
    coupler["location"] = [at, axis, angle - 0.5 * np.sign(axis[2])]
    with pytest.raises(PortsApartError, match=r"drawn 1\.047 mm"):
        rc.read_partcad(request)
    configuration = rc.assemble(rc.compile(rc.read_partcad({**request, "closure_tolerance": 2.0})))
    assert configuration.gaps[0].drawn_gap == pytest.approx(0.12 * math.radians(0.5), rel=1e-4)
    assert configuration.gaps[0].gap < 1e-15
