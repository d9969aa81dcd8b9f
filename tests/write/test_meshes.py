"""The mesh files as MuJoCo loads them, and hulls against closed forms."""

import gc
import math
import subprocess
import sys
import weakref

import numpy as np
import pytest

from robocompiler.model.geometry import Triangles
from robocompiler.model.mechanism import Mesh
from robocompiler.write import meshes
from robocompiler.write.meshes import (
    MOST_FACES,
    convex_hull_excess,
    mesh_fault,
    obj_bytes,
    write_meshes,
)
from robocompiler.write.surfaces import open_edges
from solids import box, joined, moved, prism, sheet, tube, turned


def shown(triangles):
    return lambda mesh, coarseness: triangles


def load(obj):
    """As the MJCF writer states a mesh: to collide, and not to be weighed."""
    mujoco = pytest.importorskip("mujoco")
    text = """<mujoco><asset><mesh name="m" file="m.obj" inertia="shell"/></asset><worldbody><body>
      <freejoint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
      <geom type="mesh" mesh="m" mass="0"/></body></worldbody></mujoco>"""
    return mujoco.MjModel.from_xml_string(text, {"m.obj": obj})


def loaded_bounds(model):
    """Lowest and highest vertex in the frame of the file: MuJoCo moves a mesh to its centre."""
    import mujoco

    R = np.zeros(9)
    mujoco.mju_quat2Mat(R, model.mesh_quat[0])
    points = model.mesh_vert @ R.reshape(3, 3).T + model.mesh_pos[0]
    return points.min(axis=0), points.max(axis=0)


def test_mujoco_sees_the_box_where_it_was_drawn_in_metres():
    """A file in millimetres would be a thousand times larger (R35)."""
    low, high = loaded_bounds(load(obj_bytes(moved(box(0.02, 0.03, 0.04), [0.1, -0.2, 0.3]))))
    np.testing.assert_allclose(low, [0.1, -0.2, 0.3], atol=1e-7)
    np.testing.assert_allclose(high, [0.12, -0.17, 0.34], atol=1e-7)


def test_mujoco_sees_the_bounding_box_that_occt_measures():
    make = pytest.importorskip("OCP.BRepPrimAPI")
    from OCP.Bnd import Bnd_Box
    from OCP.BRepBndLib import BRepBndLib
    from OCP.gp import gp_Ax2, gp_Dir, gp_Pnt

    from robocompiler.read.geometry import read_geometry

    axes = gp_Ax2(gp_Pnt(10, 20, 30), gp_Dir(1, 0, 0))
    shape = make.BRepPrimAPI_MakeCylinder(axes, 10.0, 40.0).Shape()
    bounds = Bnd_Box()
    BRepBndLib.AddOptimal_s(shape, bounds, False, False)
    tree = {"name": "//:rod", "brep": "-", "shape": shape}
    geometry = read_geometry({"shape_tree": tree, "angularTolerance": 0.02})
    written = write_meshes([Mesh(name="rod")], geometry, "rod_meshes")
    low, high = loaded_bounds(load(written.contents["rod_meshes/rod.obj"]))
    np.testing.assert_allclose([*low, *high], np.array(bounds.Get()) * 1e-3, atol=3e-6)


def test_mujoco_finds_the_volume_of_a_tube_from_its_outside():
    """Its mass at density 1, integrated over the file: `exact` refuses an inside-out mesh."""
    mujoco = pytest.importorskip("mujoco")
    text = """<mujoco><asset><mesh name="m" file="m.obj" inertia="exact"/></asset><worldbody><body>
      <geom type="mesh" mesh="m" density="1"/></body></worldbody></mujoco>"""
    files = {"m.obj": obj_bytes(tube(0.5, 0.4, 2.0, 200))}
    model = mujoco.MjModel.from_xml_string(text, files)
    exact = 100 * math.sin(2 * math.pi / 200) * (0.5**2 - 0.4**2) * 2.0
    assert model.body_mass[1] == pytest.approx(exact, rel=1e-6)


def test_the_faces_in_the_file_turn_outwards_and_count_from_one(tmp_path):
    (tmp_path / "m.obj").write_bytes(obj_bytes(box(1, 1, 1)))
    lines = [line.split() for line in (tmp_path / "m.obj").read_text().splitlines()]
    points = np.array([line[1:] for line in lines if line[0] == "v"], dtype=float)
    faces = np.array([line[1:] for line in lines if line[0] == "f"], dtype=int)
    assert (faces.min(), faces.max()) == (1, len(points))
    for a, b, c in points[faces - 1]:
        assert np.cross(b - a, c - a) @ ((a + b + c) / 3.0 - 0.5) > 0


def test_degenerate_triangles_are_left_out():
    whole = box(1, 1, 1)
    points = np.vstack([whole.vertices, [[0.5, 0, 0]]])
    extra = np.array([[0, 0, 1], [0, 8, 1], [2, 2, 2]])
    padded = Triangles(points, np.vstack([whole.faces, extra]))
    assert obj_bytes(padded) == obj_bytes(whole)


def test_the_same_triangles_give_the_same_bytes_in_another_process():
    code = (
        "import numpy as np, hashlib;"
        "from robocompiler.model.geometry import Triangles;"
        "from robocompiler.write.meshes import obj_bytes;"
        "t = Triangles(np.eye(4, 3) * 0.1, np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]));"
        "print(hashlib.sha256(obj_bytes(t)).hexdigest())"
    )
    runs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONPATH": ":".join(sys.path), "PYTHONHASHSEED": s},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for s in ("1", "2")
    }
    assert len(runs) == 1


@pytest.mark.parametrize("faces", [MOST_FACES, MOST_FACES + 2])
def test_mujoco_loads_as_many_faces_as_are_written(faces):
    wavy = sheet(320, 0.1)
    many = Triangles(wavy.vertices, wavy.faces[:faces])
    assert len(many.faces) == faces
    if faces > MOST_FACES:
        assert f"{faces} triangles" in mesh_fault(many)
    else:
        assert mesh_fault(many) is None
        assert load(obj_bytes(many)).mesh_facenum[0] == faces


def test_a_mesh_of_too_many_faces_is_written_coarser_and_says_by_how_much():
    """R31: here a cylinder of 300 000 / coarseness triangles."""

    def geometry(mesh, coarseness):
        return tube(1.0, 0.5, 1.0, int(300_000 / 8 / coarseness))

    written = write_meshes([Mesh(name="helix")], geometry)
    assert len(written.triangles["helix"].faces) == 150_000
    (warning,) = written.warnings
    assert "'helix' has 300000 triangles" in warning
    assert "written with 150000, at 2 times" in warning
    assert "-0.00%" in warning


def test_a_mesh_that_does_not_get_coarser_has_a_fault_and_no_file():
    written = write_meshes([Mesh(name="scan")], shown(sheet(400, 0.1)))
    assert written.files == {} == written.contents
    assert "320000 triangles" in written.faults["scan"]


LOADABLE = {
    "washer of 0.1 mm": tube(0.02, 0.01, 1e-4, 60),
    "foil of 1 µm": box(0.1, 0.1, 1e-6),
    "tilted foil far from the origin": moved(box(0.1, 0.1, 1e-5), [3, 3, 3], 0.7),
    "cube of 1 µm": box(1e-6, 1e-6, 1e-6),
    "foil of 0.1 µm": box(0.1, 0.1, 1e-7),
    "needle": box(0.1, 1e-6, 1e-6),
    "open and curved": sheet(8, 0.1),
    "inside out": turned(box(1, 1, 1)),
    "two boxes": joined(box(1, 1, 1), moved(box(1, 1, 1), [5, 5, 5])),
}
REFUSED = {
    "flat": sheet(8),
    "flat and tilted": moved(sheet(8), [0, 0, 0], 0.7),
    "flat, tilted and far": moved(sheet(8), [30, 30, 30], 0.7),
    "one triangle": Triangles(np.eye(3), np.array([[0, 1, 2]])),
    "a line": Triangles(np.outer([0, 1, 2, 3], [1.0, 0, 0]), np.array([[0, 1, 2], [1, 2, 3]])),
    "empty": Triangles(np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int64)),
    "not a number": Triangles(box(1, 1, 1).vertices * math.nan, box(1, 1, 1).faces),
    "cube of 10 nm": box(1e-8, 1e-8, 1e-8),
}


@pytest.mark.parametrize("name", LOADABLE)
def test_mujoco_loads_without_a_word_what_has_no_fault(name, capfd):
    assert mesh_fault(LOADABLE[name]) is None
    load(obj_bytes(LOADABLE[name]))
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("name", REFUSED)
def test_mujoco_refuses_or_complains_of_what_has_a_fault(name, capfd):
    """Rounding may lift a tilted sheet out of its plane: then it is a hull of nothing but noise."""
    assert mesh_fault(REFUSED[name])
    try:
        model = load(obj_bytes(REFUSED[name]))
    except ValueError:
        return
    low, high = np.ptp(model.mesh_vert, axis=0).min(), np.ptp(model.mesh_vert, axis=0).max()
    assert "tilted" in name
    assert capfd.readouterr().err or low < 1e-5 * high


def test_a_faulty_mesh_gets_no_file_and_its_reason():
    meshes = [Mesh(name="ok"), Mesh(name="flat"), Mesh(name="none")]
    looks = {"ok": box(1, 1, 1), "flat": sheet(2), "none": None}
    written = write_meshes(meshes, lambda mesh, coarseness: looks[mesh.name], "m")
    assert written.files == {"ok": "m/ok.obj"}
    assert list(written.contents) == ["m/ok.obj"]
    assert "flat" in written.faults["flat"]
    assert "no geometry" in written.faults["none"]
    assert written.warnings == ()


@pytest.mark.parametrize("corner", [-1, 8, 99])
def test_a_triangle_with_a_corner_that_is_no_vertex_is_a_fault(corner):
    whole = box(1, 1, 1)
    broken = Triangles(whole.vertices, np.vstack([whole.faces, [[0, 1, corner]]]))
    written = write_meshes([Mesh(name="m")], shown(broken))
    assert "corner that is none of its vertices" in written.faults["m"]


@pytest.mark.parametrize("stray", [math.nan, 1e20])
def test_a_vertex_that_is_no_triangle_s_is_not_there(stray):
    whole = box(1, 1, 1)
    with_stray = Triangles(np.vstack([whole.vertices, [[stray] * 3]]), whole.faces)
    written = write_meshes([Mesh(name="m")], shown(with_stray))
    assert written.contents == write_meshes([Mesh(name="m")], shown(whole)).contents
    assert written.warnings == ()


def test_names_that_no_two_files_can_have_are_told_apart():
    meshes = [Mesh(name=name) for name in ("Arm", "arm", "a/b", "a:b", "../x", "link.001")]
    written = write_meshes(meshes, shown(box(1, 1, 1)), "m")
    assert list(written.files.values()) == [
        "m/Arm.obj", "m/arm_2.obj", "m/a_b.obj", "m/a_b_2.obj", "m/x.obj", "m/link.001.obj",
    ]  # fmt: skip
    assert list(write_meshes(meshes[:1], shown(box(1, 1, 1))).contents) == ["Arm.obj"]


def test_a_hole_in_the_surface_is_warned_of():
    whole = box(1, 1, 1)
    assert open_edges(whole) == 0 == open_edges(tube(2, 1, 1, 12))
    written = write_meshes([Mesh(name="cut")], shown(Triangles(whole.vertices, whole.faces[2:])))
    assert "'cut' is not closed: 4 of its edges" in written.warnings[0]


def test_the_hull_of_an_l_shape_adds_a_sixth():
    """A square of 2 without its quarter: 3; its hull cuts the missing corner: 3.5."""
    shape = prism([(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)], 0.3)
    assert convex_hull_excess(shape) == pytest.approx(3.5 / 3 - 1, rel=1e-9)
    assert convex_hull_excess(moved(shape, [5, -7, 9], 0.4)) == pytest.approx(1 / 6, rel=1e-9)


def test_the_hull_of_a_tube_fills_its_bore():
    """Both circles are polygons of as many sides, so the ratio is that of the circles."""
    expected = 0.02**2 / (0.02**2 - 0.015**2) - 1
    assert convex_hull_excess(tube(0.02, 0.015, 0.1, 64)) == pytest.approx(expected, rel=1e-9)


def test_what_is_inside_out_or_open_is_measured_wherever_it_is():
    """A box of 1 x 1 x 1 without its lid, about its centre: five pyramids of six."""
    whole = box(1, 1, 1)
    assert convex_hull_excess(turned(whole)) == pytest.approx(0.0, abs=1e-12)
    side = Triangles(whole.vertices, whole.faces[2:])
    for offset in ([0, 0, 0], [9, -9, 9]):
        assert convex_hull_excess(moved(side, offset)) == pytest.approx(0.2, rel=1e-9)


def test_the_hull_of_a_convex_solid_adds_nothing():
    assert convex_hull_excess(box(1, 2, 3)) == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("name", ["empty", "flat", "flat and tilted", "one triangle", "a line"])
def test_the_hull_of_what_is_flat_adds_nothing(name):
    assert convex_hull_excess(REFUSED[name]) == 0.0


def test_a_surface_that_encloses_nothing_has_a_hull_infinitely_larger():
    both = sheet(4, 0.1)
    doubled = Triangles(both.vertices, np.vstack([both.faces, both.faces[:, ::-1]]))
    assert convex_hull_excess(doubled) == math.inf


def test_without_a_mesh_scipy_is_not_loaded():
    """It costs a quarter of a second."""
    code = (
        "import sys; from robocompiler.write.meshes import write_meshes;"
        "write_meshes([], lambda mesh, coarseness: None); print('scipy' in sys.modules)"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONPATH": ":".join(sys.path)},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert run.stdout.strip() == "False"


def test_the_same_triangles_are_measured_once_for_all_formats_and_forgotten_with_them(monkeypatch):
    """They cost more than all the rest of four files of a Stewart platform."""
    seen = []
    monkeypatch.setattr(meshes, "mesh_fault", lambda triangles: seen.append(1))
    whole = box(1, 1, 1)
    written = [write_meshes([Mesh(name="a")], shown(whole), folder) for folder in ("m", "n")]
    assert written[0].triangles["a"] is written[1].triangles["a"]
    assert seen == [1]
    kept = weakref.ref(whole)
    del whole, written
    gc.collect()
    assert kept() is None
