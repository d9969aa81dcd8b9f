"""The mechanism beside a model, where that is the user's own description of it."""

from dataclasses import replace

import pytest

import robocompiler as rc
from exporting import files_of
from mechanisms import four_bar
from robocompiler.model.mechanism import Mesh, Shape
from robocompiler.write.known_formats import FORMATS

FLAT = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 2 4 3\n"
SOLID = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"
SUFFIXES = [form.suffixes[0] for form in FORMATS.values()]


def described(folder, obj):
    """A description with a mesh, written by its user: by other words than ours."""
    (folder / "parts").mkdir()
    (folder / "parts" / "bar.obj").write_text(obj)
    mechanism = four_bar()
    first, *others = mechanism.bodies
    bodies = (replace(first, shapes=(Shape(name="bar", mesh="bar"),)), *others)
    mesh = Mesh(name="bar", file="parts/bar.obj")
    path = folder / "m.mechanism.json"
    path.write_text(rc.to_json(replace(mechanism, bodies=bodies, meshes=(mesh,))) + "\n\n")
    return path


def export(path, suffix, **more):
    geometry = rc.mesh_geometry(path.parent)
    model = path.with_name(f"m{suffix}")
    return rc.write(rc.compile(rc.read(path)), model, geometry=geometry, **more)


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("obj", [FLAT, SOLID], ids=["a mesh that is lost", "a mesh"])
def test_a_description_beside_which_its_model_is_written_is_not_touched(suffix, obj, tmp_path):
    source = described(tmp_path, obj)
    before = files_of(tmp_path)
    result = export(source, suffix)
    assert source in result.files
    assert {name: files_of(tmp_path)[name] for name in before} == before


def test_the_mechanism_of_another_export_is_replaced(tmp_path):
    path = tmp_path / "m.mechanism.json"
    rc.write(rc.compile(four_bar()), tmp_path / "m.xml")
    other = replace(four_bar(), name="other")
    rc.write(rc.compile(other), tmp_path / "m.xml")
    assert rc.read(path) == other


def test_an_empty_file_is_replaced_by_the_mechanism(tmp_path):
    path = tmp_path / "m.mechanism.json"
    path.write_bytes(b"")
    rc.write(rc.compile(four_bar()), tmp_path / "m.xml")
    assert rc.read(path) == four_bar()


@pytest.mark.parametrize("named", ["parts/none.obj", None])
def test_a_mesh_whose_file_is_not_there_gets_that_which_is_written(named, tmp_path):
    source = described(tmp_path, SOLID)
    mechanism = rc.read(source)
    geometry = rc.mesh_geometry(tmp_path)
    elsewhere = replace(mechanism, meshes=(Mesh(name="bar", file=named),))
    source.write_text(rc.to_json(elsewhere))
    rc.write(rc.compile(mechanism), tmp_path / "m.xml", geometry=geometry)
    assert rc.read(source).meshes == (Mesh(name="bar", file="m_meshes/bar.obj"),)
