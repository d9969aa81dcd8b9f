"""Tessellation and STL reading, against OCCT's own measures and closed forms."""

import math
import struct

import numpy as np
import pytest

from robocompiler.errors import BadValueError, FormatError
from robocompiler.model.mechanism import Mesh
from robocompiler.read.geometry import read_geometry
from robocompiler.read.mesh_files import mesh_geometry
from robocompiler.read.partcad_meshes import mesh_names

TETRAHEDRON = [
    [(0, 0, 0), (0, 1, 0), (1, 0, 0)],
    [(0, 0, 0), (1, 0, 0), (0, 0, 1)],
    [(0, 0, 0), (0, 0, 1), (0, 1, 0)],
    [(1, 0, 0), (0, 1, 0), (0, 0, 1)],
]


@pytest.fixture(autouse=True, scope="session")
def _partcad_is_installed():
    """Nothing here needs PartCAD, unlike the other tests of this folder."""


def node(shape=None, brep="some", name="//:part"):
    made = {"name": name, "kind": "part", "brep": brep}
    return made if shape is None else {**made, "shape": shape}


def triangles_of(shape, coarseness=1.0, **parameters):
    request = {"shape_tree": node(shape), **parameters}
    return read_geometry(request)(Mesh(name="part"), coarseness)


def placed(shape, x, mirrored=False):
    from OCP.gp import gp_Ax2, gp_Dir, gp_Pnt, gp_Trsf, gp_Vec
    from OCP.TopLoc import TopLoc_Location

    moved, mirror = gp_Trsf(), gp_Trsf()
    moved.SetTranslation(gp_Vec(x, 0, 0))
    if mirrored:
        mirror.SetMirror(gp_Ax2(gp_Pnt(0, 0, 0), gp_Dir(1, 0, 0)))
        moved.Multiply(mirror)
    return shape.Located(TopLoc_Location(moved), False)


def compound(*shapes):
    from OCP.BRep import BRep_Builder
    from OCP.TopoDS import TopoDS_Compound

    made, builder = TopoDS_Compound(), BRep_Builder()
    builder.MakeCompound(made)
    for shape in shapes:
        builder.Add(made, shape)
    return made


@pytest.fixture(scope="module")
def make():
    return pytest.importorskip("OCP.BRepPrimAPI")


def test_a_box_of_20_by_30_by_40_mm_is_that_many_thousandths_of_a_metre(make):
    triangles = triangles_of(make.BRepPrimAPI_MakeBox(20.0, 30.0, 40.0).Shape())
    np.testing.assert_allclose(triangles.vertices.min(axis=0), 0.0, atol=1e-15)
    np.testing.assert_allclose(triangles.vertices.max(axis=0), [0.02, 0.03, 0.04], rtol=1e-12)
    assert triangles.volume() == pytest.approx(20 * 30 * 40 * 1e-9, rel=1e-12)
    assert (len(triangles.vertices), len(triangles.faces)) == (8, 12)


def test_a_cylinder_is_the_inscribed_prism_of_no_more_than_the_angle_per_side(make):
    """A regular n-gon of radius r has the area n/2 r² sin(2π/n)."""
    triangles = triangles_of(make.BRepPrimAPI_MakeCylinder(5.0, 20.0).Shape(), angularTolerance=0.2)
    sides = len(triangles.vertices) // 2
    assert 2 * math.pi / sides <= 0.2
    area = sides / 2 * 0.005**2 * math.sin(2 * math.pi / sides)
    assert triangles.volume() == pytest.approx(area * 0.02, rel=1e-9)


def test_no_facet_of_a_cylinder_leaves_it_by_more_than_the_tolerance(make):
    shape = make.BRepPrimAPI_MakeCylinder(100.0, 20.0).Shape()
    for tolerance in (1.0, 0.05):
        sides = len(triangles_of(shape, tolerance=tolerance, angularTolerance=1.0).vertices) // 2
        assert 100.0 * (1 - math.cos(math.pi / sides)) <= tolerance * 1.001


def test_a_coarser_cylinder_stays_within_a_tolerance_as_much_larger(make):
    """The angle has its widest already, so that only the tolerance makes a difference."""
    shape = make.BRepPrimAPI_MakeCylinder(100.0, 20.0).Shape()
    fine, coarse = (
        len(triangles_of(shape, factor, tolerance=0.05, angularTolerance=1.0).vertices) // 2
        for factor in (1.0, 16.0)
    )
    assert coarse < fine
    assert 100.0 * (1 - math.cos(math.pi / coarse)) <= 16 * 0.05 * 1.001


def test_coarser_means_fewer_triangles_after_finer_and_finer_after_coarser(make):
    """OCCT keeps a finer meshing that lies on the shape already, unless it is removed."""
    sphere = make.BRepPrimAPI_MakeSphere(10.0).Shape()
    geometry = read_geometry({"shape_tree": node(sphere)})
    first, coarse = geometry(Mesh(name="part"), 1.0), geometry(Mesh(name="part"), 4.0)
    assert len(coarse.faces) < len(first.faces) / 4
    again = triangles_of(sphere)
    assert np.array_equal(again.vertices, first.vertices)
    assert np.array_equal(again.faces, first.faces)


def test_all_solids_of_a_part_are_in_its_mesh_where_they_are_placed(make):
    """Including a mirrored one, whose triangles must not be inside out (R26)."""
    from OCP.gp import gp_Pnt

    box = make.BRepPrimAPI_MakeBox(gp_Pnt(0, 0, 0), 10.0, 10.0, 10.0).Shape()
    pair = compound(box, compound(placed(box, 50.0), placed(box, -30.0, mirrored=True)))
    triangles = triangles_of(pair)
    assert triangles.volume() == pytest.approx(3e-6, rel=1e-12)
    assert triangles.vertices[:, 0].min() == pytest.approx(-0.04)
    assert triangles.vertices[:, 0].max() == pytest.approx(0.06)
    assert len(triangles.faces) == 36


@pytest.mark.parametrize("how", ["by its placement", "in its geometry"])
def test_a_mirrored_part_is_a_mesh_of_its_own_and_not_inside_out(make, how):
    """PartCAD's placements are turns and moves: a mirror can only be inside a part's shape.

    An L of 30 x 20 less 20 x 10 by 5 mm, in the plane x = 0: its twin has the other hand.
    """
    from OCP.BRepAlgoAPI import BRepAlgoAPI_Fuse
    from OCP.BRepBuilderAPI import BRepBuilderAPI_Transform
    from OCP.gp import gp_Ax2, gp_Dir, gp_Pnt, gp_Trsf

    foot = make.BRepPrimAPI_MakeBox(30.0, 10.0, 5.0).Shape()
    own = BRepAlgoAPI_Fuse(foot, make.BRepPrimAPI_MakeBox(10.0, 20.0, 5.0).Shape()).Shape()
    mirror = gp_Trsf()
    mirror.SetMirror(gp_Ax2(gp_Pnt(0, 0, 0), gp_Dir(1, 0, 0)))
    twin = (
        placed(own, 0.0, mirrored=True)
        if how == "by its placement"
        else BRepBuilderAPI_Transform(own, mirror, True).Shape()
    )
    left, right = node(own, "left", "//:left"), node(twin, "right", "//:right")
    geometry = read_geometry({"shape_tree": {"name": "//:pair", "assembly": [left, right]}})
    ours, theirs = (geometry(Mesh(name=name), 1.0) for name in ("left", "right"))
    assert ours.volume() == pytest.approx(2e-6, rel=1e-12) == theirs.volume()
    tips = theirs.vertices[theirs.vertices[:, 1] > 0.015][:, 0]
    assert theirs.vertices[:, 0].min() == pytest.approx(-0.03)
    assert (tips.min(), tips.max()) == (pytest.approx(-0.01), pytest.approx(0.0, abs=1e-12))


def test_a_solid_that_is_reversed_is_inside_out_as_the_cad_has_it(make):
    """What writes it turns it, and says so."""
    solid = make.BRepPrimAPI_MakeBox(10.0, 20.0, 30.0).Shape()
    assert triangles_of(solid.Reversed()).volume() == pytest.approx(-6e-6, rel=1e-12)


def test_a_bore_is_taken_out_of_the_volume(make):
    from OCP.BRepAlgoAPI import BRepAlgoAPI_Cut

    outside = make.BRepPrimAPI_MakeCylinder(10.0, 30.0).Shape()
    bore = make.BRepPrimAPI_MakeCylinder(6.0, 30.0).Shape()
    triangles = triangles_of(BRepAlgoAPI_Cut(outside, bore).Shape(), angularTolerance=0.02)
    exact = math.pi * (0.010**2 - 0.006**2) * 0.030
    assert triangles.volume() == pytest.approx(exact, rel=2e-4)


def test_an_imported_mesh_that_is_only_triangles_keeps_them(make):
    """Removing an earlier meshing must not remove what is not one."""
    from OCP.BRep import BRep_Builder
    from OCP.gp import gp_Pnt
    from OCP.Poly import Poly_Triangle, Poly_Triangulation
    from OCP.TopoDS import TopoDS_Face

    mesh = Poly_Triangulation(4, 4, False)
    for i, point in enumerate([(0, 0, 0), (30, 0, 0), (0, 30, 0), (0, 0, 30)], 1):
        mesh.SetNode(i, gp_Pnt(*point))
    for i, corners in enumerate([(1, 3, 2), (1, 2, 4), (1, 4, 3), (2, 3, 4)], 1):
        mesh.SetTriangle(i, Poly_Triangle(*corners))
    face = TopoDS_Face()
    BRep_Builder().MakeFace(face, mesh)
    assert triangles_of(face).volume() == pytest.approx(0.03**3 / 6)


def test_a_shape_without_faces_has_no_triangles(make):
    from OCP.BRepBuilderAPI import BRepBuilderAPI_MakeEdge
    from OCP.gp import gp_Pnt

    assert triangles_of(BRepBuilderAPI_MakeEdge(gp_Pnt(0, 0, 0), gp_Pnt(1, 0, 0)).Edge()) is None


def test_each_mesh_is_the_solid_of_its_own_node(make):
    small = node(make.BRepPrimAPI_MakeBox(1.0, 1.0, 1.0).Shape(), "a", "//:small")
    large = node(make.BRepPrimAPI_MakeBox(2.0, 2.0, 2.0).Shape(), "b", "//:large")
    geometry = read_geometry({"shape_tree": {"name": "//:both", "assembly": [small, large, small]}})
    assert geometry(Mesh(name="small"), 1.0).volume() == pytest.approx(1e-9)
    assert geometry(Mesh(name="large"), 1.0).volume() == pytest.approx(8e-9)
    assert geometry(Mesh(name="other"), 1.0) is None


def test_a_dumped_request_has_no_geometry():
    assert read_geometry({"shape_tree": node()})(Mesh(name="part"), 1.0) is None


@pytest.mark.parametrize("value", [0, -0.1, "fine", float("nan"), True])
def test_a_tolerance_that_is_no_positive_number_is_refused(value):
    with pytest.raises(BadValueError, match=r"tolerance=.* is not a positive number"):
        read_geometry({"shape_tree": node(), "tolerance": value})


def test_a_solid_used_twice_has_one_name_and_two_of_one_name_have_two():
    part = {"name": "//sub:Arm;length=10.0", "brep": "a"}
    other = {"name": "//:arm;length=10.0", "brep": "b"}
    odd = {"name": "//:" + "ü ⌀/" * 40, "brep": "c"}
    bare = {"name": "//:⌀", "brep": "d"}
    inner = {"name": "//:inner", "assembly": [part, other]}
    names = list(mesh_names({"name": "//:x", "assembly": [part, inner, odd, bare]}).values())
    assert names[:2] == ["Arm_length_10_0", "arm_length_10_0_2"]
    assert names[2].startswith("u_u_u")
    assert len(names[2]) <= 60
    assert names[3] == "mesh"


def binary(triangles, header=b""):
    data = header.ljust(80) + struct.pack("<I", len(triangles))
    for corners in triangles:
        data += struct.pack("<12fH", 0, 0, 0, *(x for corner in corners for x in corner), 0)
    return data


def ascii_text(triangles):
    lines = ["solid odd name"]
    for corners in triangles:
        lines += ["facet normal 0 0 0", " outer loop"]
        lines += ["  vertex {:e} {:e} {:e}".format(*corner) for corner in corners]
        lines += [" endloop", "endfacet"]
    return "\n".join([*lines, "endsolid odd name", ""]).encode()


@pytest.mark.parametrize(
    "data", [binary(TETRAHEDRON), binary(TETRAHEDRON, b"solid"), ascii_text(TETRAHEDRON)]
)
def test_an_stl_file_of_a_unit_tetrahedron_holds_a_sixth(tmp_path, data):
    """Binary, binary that begins like ASCII, and ASCII; coordinates are metres as they are."""
    (tmp_path / "t.stl").write_bytes(data)
    triangles = mesh_geometry(tmp_path)(Mesh(name="t", file="t.stl"), 1.0)
    assert triangles.volume() == pytest.approx(1 / 6)
    assert len(triangles.vertices) == 4


@pytest.mark.parametrize(
    "data",
    [
        b"",
        binary(TETRAHEDRON)[:-1],
        ascii_text(TETRAHEDRON)[:150],
        ascii_text(TETRAHEDRON[:2]).replace(b"endsolid odd name", b""),
        ascii_text(TETRAHEDRON).replace(b"1.000000e+00", b"one"),
        b"<html>",
    ],
)
def test_a_file_that_is_no_whole_stl_file_is_refused_by_name(tmp_path, data):
    (tmp_path / "t.stl").write_bytes(data)
    with pytest.raises(FormatError, match=r"t\.stl"):
        mesh_geometry(tmp_path)(Mesh(name="t", file="t.stl"), 1.0)


def test_a_missing_stl_file_is_named_and_a_mesh_without_one_has_no_triangles(tmp_path):
    geometry = mesh_geometry(tmp_path)
    assert geometry(Mesh(name="t"), 1.0) is None
    with pytest.raises(FormatError, match=r"gone\.stl"):
        geometry(Mesh(name="t", file="gone.stl"), 1.0)
