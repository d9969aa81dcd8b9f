"""PartCAD's own example packages: real STEP parts, no materials, no joints.

The dependency on this package is added to them, and nothing else is changed: the public index that
their root names (`pub`) stays, since PartCAD resolves it only where something names it.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path

import mujoco
import numpy as np
import pytest
import yaml
from exported import Export, export
from pc import ROOT, simulate

PACKAGES = ROOT.parent / "shared" / "data" / "partcad_examples"

pytestmark = [
    pytest.mark.partcad,
    pytest.mark.skipif(not PACKAGES.is_dir(), reason=f"PartCAD's examples are not at {PACKAGES}"),
]

DEPENDENCY = f"  rc:\n    type: local\n    path: {ROOT}\n"
AERO = "AeroAssembly_assy_example/AeroAssembly"
ASSEMBLIES = {
    "connect-mates": "feature_interface",
    "connect-ports": "feature_interface",
    "connect-interfaces": "feature_interface",
    AERO: "feature_import",
}

PARTCAD_DENSITY = 2700.0
"""[kg/m³] What PartCAD takes where nothing states a material."""

MISSED = {AERO: 0.025}
"""How much of the mass [1] PartCAD's quick integration of OCCT's misses: 4.3 % of the two parts
`…AeroFrameAssembly_solid3`, 81621 mm³ for 85326 (adaptive, 1e-5, and the limit of finer meshes)."""

MOTOR_WIDTH, MOTOR_LENGTH = 42.3, 60.0 + 24.0
"""[mm] Of a NEMA 17 motor, and of this one of 60 mm with its shaft: its ports, its product page."""

WRAPPER = """\
desc: PartCAD's bracket and motor, let go
manufacturable: false
dependencies:
  rc: {{type: local, path: {rc}}}
  examples: {{type: local, path: {examples}}}
assemblies:
  let-go:
    type: assy
    simulate:
      falls: {{simulation: rc:mujoco, params: {{duration: 0.1, samples: 3}}, validation: "True"}}
      lands:
        scene: floor
        simulation: rc:mujoco
        params: {{duration: 1.0, samples: 3}}
        validation: "True"
scenes:
  floor:
    type: assy
    gravity: [0, 0, -9.81]
    export: {{mjcf: {{ground_plane: true}}}}
    parameters:
      subject: {{type: string, default: let-go}}
      subject_kind: {{type: string, default: assembly}}
"""
LET_GO = "links:\n  - assembly: examples/feature_interface:connect-mates\n    name: unit\n"
FLOOR = """\
links:
  - {{ param_subject_kind }}: "{{ param_subject }}"
    name: subject
    location: [[0, 0, 100], [0, 0, 1], 0]
"""


@pytest.fixture(scope="session")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("partcad") / "examples"
    shutil.copytree(PACKAGES, folder, copy_function=shutil.copyfile)
    folder.chmod(0o755)
    for inner in folder.rglob("*"):
        inner.chmod(0o755 if inner.is_dir() else 0o644)
    root = folder / "partcad.yaml"
    root.write_text(root.read_text().replace("dependencies:\n", f"dependencies:\n{DEPENDENCY}"))
    for name in set(ASSEMBLIES.values()):
        package = folder / name / "partcad.yaml"
        package.write_text(f"{package.read_text()}\ndependencies:\n{DEPENDENCY}")
    return folder


@pytest.fixture(scope="session")
def exported(packages: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Export]:
    @cache
    def once(name: str) -> Export:
        made = export(packages / ASSEMBLIES[name], tmp_path_factory.mktemp("out"), name)
        assert made.code == 0, made.log
        return made

    return once


def test_nothing_but_the_dependency_was_changed(packages):
    for path in ("partcad.yaml", "feature_interface/partcad.yaml", "feature_import/partcad.yaml"):
        ours, theirs = (yaml.safe_load((at / path).read_text()) for at in (packages, PACKAGES))
        assert ours["dependencies"].pop("rc")["path"] == str(ROOT)
        if not ours["dependencies"]:
            del ours["dependencies"]
        assert ours == theirs


@pytest.mark.parametrize("name", ASSEMBLIES)
def test_mujoco_loads_it_without_a_warning(exported, name, capfd):
    model = mujoco.MjModel.from_xml_path(str(exported(name).path))
    mujoco.mj_forward(model, mujoco.MjData(model))
    said = capfd.readouterr()
    assert said.out + said.err == ""
    assert (model.nbody, model.nv) == (2, 0)  # all of it is rigid


def obj_volume(path: Path) -> float:
    """[m³] By the divergence theorem."""
    lines = [line.split() for line in path.read_text().splitlines()]
    points = np.array([line[1:] for line in lines if line[0] == "v"], dtype=float)
    faces = np.array([line[1:] for line in lines if line[0] == "f"], dtype=int) - 1
    a, b, c = points[faces].transpose(1, 0, 2)
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6.0)


@pytest.mark.parametrize("name", ASSEMBLIES)
def test_it_weighs_what_partcad_takes_where_no_material_is_stated(exported, name):
    """Within what its meshes leave out of it: the volume of every geom's mesh."""
    made = exported(name)
    volumes = {
        mesh.get("name"): obj_volume(made.path.parent / mesh.get("file"))
        for mesh in made.root.iter("mesh")
    }
    geoms = [geom.get("mesh") for body in made.root.iter("body") for geom in body.iter("geom")]
    mass = PARTCAD_DENSITY * sum(volumes[mesh] for mesh in geoms)
    missed = MISSED.get(name, 1e-3)
    assert made.model.body_mass.sum() == pytest.approx(mass, rel=missed)


def test_a_part_without_a_material_is_not_weighed_without_a_word(exported):
    assert any("example-motor" in w and "2700" in w for w in exported("connect-mates").warnings)


def test_the_motor_is_as_large_as_a_motor(exported):
    made = exported("connect-mates")
    geom = made.model.geom("example-motor")
    mesh = made.model.geom_dataid[geom.id]
    first = made.model.mesh_vertadr[mesh]
    points = made.model.mesh_vert[first : first + made.model.mesh_vertnum[mesh]]
    R = made.data.geom_xmat[geom.id].reshape(3, 3)
    size = np.sort(np.ptp(points @ R.T, axis=0)) * 1e3
    assert size[0] == pytest.approx(MOTOR_WIDTH, abs=0.1)
    assert size[2] == pytest.approx(MOTOR_LENGTH, abs=0.1)


def test_the_three_ways_to_connect_say_one_thing(exported):
    mates, ports, faces = (
        exported(f"connect-{way}").model for way in ("mates", "ports", "interfaces")
    )
    for other in (ports, faces):
        np.testing.assert_allclose(other.body_mass, mates.body_mass, rtol=1e-9)
        assert other.ngeom == mates.ngeom == 8


def test_it_falls_and_lands_on_its_motor(packages, tmp_path):
    """Declared from outside. The motor reaches 60 mm below the bracket's frame."""
    files = {"let-go.assy": LET_GO, "floor.assy": FLOOR}
    files["partcad.yaml"] = WRAPPER.format(rc=ROOT, examples=packages)
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    runs = {entry["simulation"]: entry for entry in simulate(tmp_path, "let-go")}
    assert all(entry["passed"] for entry in runs.values()), [e["error"] for e in runs.values()]
    fallen = runs["falls"]["result"]["after"]["bodies"]["subject"]["pos"][2]
    assert fallen == pytest.approx(-9810 * 0.1 * (0.1 + 0.001) / 2, abs=0.01)
    landed = runs["lands"]["result"]["after"]["bodies"]["subject"]
    assert landed["pos"][2] == pytest.approx(60, abs=0.5)
    assert landed["quat"][0] > 0.99999
