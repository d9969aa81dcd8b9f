"""OBJ files as other programs write them; STL files are in test_geometry."""

import numpy as np
import pytest

import robocompiler as rc
from robocompiler.errors import FormatError
from robocompiler.model.mechanism import Mesh

PYRAMID = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0.5 0.5 1\n"
SIDES = "f 1 2 5\nf 2 3 5\nf 3 4 5\nf 4 1 5\n"


def read(tmp_path, text, name="m.obj"):
    (tmp_path / name).write_text(text)
    return rc.mesh_geometry(tmp_path)(Mesh(name="m", file=name), 1.0)


@pytest.mark.parametrize(
    "text",
    [
        f"{PYRAMID}{SIDES}f 1 4 3 2\n",
        f"# by\nmtllib a.mtl\no m\n{PYRAMID}vn 0 0 1\nvt 0 0\n{SIDES}f 1/1/1 4//1 3/1 2\n",
        f"{PYRAMID}{SIDES}f -5 -2 \\\n-3 -4\n",
        f"{PYRAMID.replace('v 1 0 0', 'v 1 0 0 1.0')}{SIDES}f 1 4 3\nf 1 3 2\n",
    ],
    ids=["quad", "with textures and normals", "from the end, continued", "weights, triangles"],
)
def test_an_obj_file_of_a_pyramid_holds_a_third(tmp_path, text):
    triangles = read(tmp_path, text)
    assert triangles.volume() == pytest.approx(1.0 / 3.0)
    assert len(triangles.faces) == 6


def test_vertices_that_were_parted_for_their_normals_are_one(tmp_path):
    again = "".join(f"v {x} {y} 0\n" for x, y in ((0, 0), (1, 0), (1, 1), (0, 1)))
    triangles = read(tmp_path, f"{PYRAMID}{again}{SIDES}f 6 9 8 7\n")
    assert len(triangles.vertices) == 5
    np.testing.assert_array_equal(triangles.vertices[1], [1.0, 0.0, 0.0])
    assert triangles.volume() == pytest.approx(1.0 / 3.0)


@pytest.mark.parametrize(
    "text",
    [
        "",
        PYRAMID,
        f"{PYRAMID}f 1 2 6\n",
        f"{PYRAMID}f 0 1 2\n",
        f"{PYRAMID}f -6 1 2\n",
        f"{PYRAMID}f 1 2\n",
        f"{PYRAMID}f 1 two 3\n",
        "v 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n",
        "v 0 0 nan\nv 1 0 0\nv 0 1 0\nf 1 2 3\n",
    ],
)
def test_what_is_no_whole_obj_file_is_refused_by_name(tmp_path, text):
    with pytest.raises(FormatError, match=r"m\.obj"):
        read(tmp_path, text)


def test_a_mesh_file_that_is_not_there_is_told_with_how_to_say_where_it_is(tmp_path):
    mesh = Mesh(name="m", file="m_meshes/m.obj")
    with pytest.raises(FormatError, match=r"no mesh file '.*m\.obj'.*rc\.mesh_geometry\(FOLDER\)"):
        rc.mesh_geometry(str(tmp_path))(mesh, 1.0)
