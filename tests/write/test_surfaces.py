"""Which way surfaces face, and what they enclose: by closed forms, and as MuJoCo weighs them."""

import json
from dataclasses import replace

import numpy as np
import pytest

import robocompiler as rc
from mechanisms import four_bar
from robocompiler.model.geometry import Triangles, hull_volume
from robocompiler.model.mechanism import Mesh, Shape
from robocompiler.write.fidelity import Property
from robocompiler.write.known_formats import FORMATS
from robocompiler.write.meshes import obj_bytes, write_meshes
from robocompiler.write.surfaces import encloses_nothing, facing_outwards, open_edges
from solids import box, bracket, joined, mirrored, moved, sheet, tube, turned

UNIT, BIG = box(1, 1, 1), box(3, 3, 3)
INNER = moved(UNIT, [1, 1, 1])
HOLLOW = joined(BIG, turned(INNER))
STRIP = Triangles(
    np.array(
        [
            [
                np.cos(t) * (2 + w * np.cos(t / 2)),
                np.sin(t) * (2 + w * np.cos(t / 2)),
                w * np.sin(t / 2),
            ]
            for t in np.arange(6) * np.pi / 3
            for w in (-0.5, 0.5)
        ]
    ),
    np.array(
        [[2 * i, 2 * i + 2, 2 * i + 1] for i in range(5)]
        + [[2 * i + 2, 2 * i + 3, 2 * i + 1] for i in range(5)]
        + [[10, 1, 11], [1, 0, 11]]
    ),
)
"""Möbius's."""


def weighed(obj):
    """Volume, centre and inertia tensor about it at density 1, as MuJoCo integrates the surface."""
    mujoco = pytest.importorskip("mujoco")
    text = """<mujoco><asset><mesh name="m" file="m.obj" inertia="exact"/></asset><worldbody><body>
      <geom type="mesh" mesh="m" density="1"/></body></worldbody></mujoco>"""
    model = mujoco.MjModel.from_xml_string(text, {"m.obj": obj})
    R = np.zeros(9)
    mujoco.mju_quat2Mat(R, model.body_iquat[1])
    R = R.reshape(3, 3)
    return model.body_mass[1], model.body_ipos[1], R @ np.diag(model.body_inertia[1]) @ R.T


def written(triangles):
    return write_meshes([Mesh(name="part")], lambda mesh, coarseness: triangles)


def bracket_by_hand():
    """Volume, centre and inertia of the bracket, of two boxes: 3 x 1 x ½ and, on it, 1 x 1 x ½."""
    volumes, sizes = np.array([1.5, 0.5]), np.array([[3, 1, 0.5], [1, 1, 0.5]])
    centres = np.array([[1.5, 0.5, 0.25], [0.5, 1.5, 0.25]])
    centre = volumes @ centres / 2.0
    inertia = np.zeros((3, 3))
    for volume, size, at in zip(volumes, sizes, centres, strict=True):
        d, squares = at - centre, size**2
        inertia += volume * (
            np.diag(squares.sum() - squares) / 12.0 + d @ d * np.eye(3) - np.outer(d, d)
        )
    return 2.0, centre, inertia


def test_mujoco_weighs_a_bracket_whichever_way_it_came():
    """MuJoCo refuses what is inside out; a mirror turns a surface inside out (R34)."""
    flip = np.diag([-1.0, 1.0, 1.0])
    volume, centre, inertia = bracket_by_hand()
    for given, expected, tensor in (
        (bracket(), centre, inertia),
        (turned(bracket()), centre, inertia),
        (mirrored(bracket()), flip @ centre, flip @ inertia @ flip),
    ):
        mass, at, own = weighed(written(given).contents["part.obj"])
        assert mass == pytest.approx(volume, rel=1e-6)
        np.testing.assert_allclose(at, expected, atol=1e-6)
        np.testing.assert_allclose(own, tensor, atol=1e-5)


def test_without_being_turned_mujoco_refuses_it():
    with pytest.raises(ValueError, match="volume is negative"):
        weighed(obj_bytes(mirrored(bracket())))


def test_a_mirrored_bracket_is_the_other_hand_and_not_the_same():
    """Where its foot points to -x its back still points to y, which no turn in the plane does."""
    made = written(mirrored(bracket())).triangles["part"]
    corner = made.vertices[made.vertices[:, 1] == 2.0][:, 0]
    assert (made.vertices[:, 0].min(), corner.min(), corner.max()) == (-3.0, -1.0, 0.0)


def test_what_is_inside_out_is_turned_and_named():
    made = written(turned(UNIT))
    assert made.contents == written(UNIT).contents
    (said,) = made.warnings
    assert said.startswith("Mesh 'part' is inside out: all of its 12 triangles face inwards")
    assert written(UNIT).warnings == ()


@pytest.mark.parametrize("seed", range(5))
def test_triangles_that_disagree_are_made_to_agree(seed):
    """As in scans, whose triangles face any way."""
    flips = np.random.default_rng(seed).permutation(len(bracket().faces))[: 3 + 2 * seed]
    mixed = turned(bracket(), flips)
    outward, number = facing_outwards(mixed)
    assert outward.volume() == pytest.approx(2.0)
    assert number == len(flips)
    assert open_edges(mixed) > 0 == open_edges(outward)
    (said,) = written(mixed).warnings
    assert f"partly inside out: {number} of its 20 triangles" in said


@pytest.mark.parametrize(
    ("given", "volume"),
    [
        (HOLLOW, 26.0),
        (turned(HOLLOW), 26.0),
        (joined(turned(UNIT), moved(UNIT, [5, 0, 0])), 2.0),
        (joined(UNIT, turned(moved(UNIT, [0, 1, 0]))), 2.0),
        (joined(UNIT, turned(moved(UNIT, [1, 1, 0]))), 2.0),
        (joined(turned(HOLLOW), moved(UNIT, [9, 0, 0])), 27.0),
        (joined(HOLLOW, moved(box(0.5, 0.5, 0.5), [1.2, 1.2, 1.2])), 26.125),
        (turned(joined(HOLLOW, moved(box(0.5, 0.5, 0.5), [1.2, 1.2, 1.2]))), 26.125),
        (joined(bracket(), turned(moved(box(0.5, 0.5, 0.1), [1.5, 1.2, 0.2]))), 2.025),
        (turned(joined(tube(2, 1, 1, 12), moved(box(0.5, 0.5, 0.5), [0, 0, 0.2]))), None),
    ],
    ids=[
        "a cavity's wall faces inwards",
        "a cavity's wall turns with what surrounds it",
        "apart",
        "face to face",
        "edge to edge",
        "beside a hollow one",
        "loose in a cavity",
        "loose in a cavity, all inside out",
        "in the corner of an L, within its box and outside it",
        "in a bore, which is outside",
    ],
)
def test_each_piece_faces_outwards_by_what_surrounds_it(given, volume):
    outward, _ = facing_outwards(given)
    if volume is None:
        volume = tube(2, 1, 1, 12).volume() + 0.125
    assert outward.volume() == pytest.approx(volume)
    assert facing_outwards(outward)[1] == 0


@pytest.mark.parametrize("seed", range(4))
def test_many_solids_whose_triangles_face_anywhere_hold_what_they_did(seed):
    """On a grid, in any order. No cavity can be among them: nothing tells it from a solid."""
    random = np.random.default_rng(seed)
    kinds = [UNIT, bracket(), BIG, tube(2, 1, 1, 12)]
    solids = [kinds[i] for i in random.integers(0, len(kinds), 12)]
    placed = [
        moved(solid, [7.0 * (i % 4), 7.0 * (i // 4), 0.0], random.uniform(-3, 3))
        for i, solid in enumerate(solids)
    ]
    whole = joined(*placed)
    shuffled = Triangles(whole.vertices, random.permutation(whole.faces))
    mixed = turned(shuffled, random.random(len(whole.faces)) < 0.5)
    outward, _ = facing_outwards(mixed)
    assert outward.volume() == pytest.approx(sum(solid.volume() for solid in solids), rel=1e-9)


@pytest.mark.parametrize(
    "given", [sheet(4, 0.1), turned(sheet(4, 0.1)), turned(sheet(4, 0.1), [3, 7]), STRIP]
)
def test_what_has_no_outside_stays_as_it_is(given):
    outward, number = facing_outwards(given)
    assert number == 0
    assert np.array_equal(outward.faces, given.faces)
    assert "not closed" in written(given).warnings[0]


def test_a_sheet_with_two_sides_encloses_nothing_and_is_named():
    both = sheet(4, 0.1)
    double = Triangles(both.vertices, np.vstack([both.faces, both.faces[:, ::-1]]))
    assert encloses_nothing(double)
    assert written(double).warnings == (
        "Mesh 'part' encloses no volume: it is a surface and no solid.",
    )
    for solid in (UNIT, box(0.1, 0.1, 1e-7), box(0.1, 1e-6, 1e-6), moved(UNIT, [99, 99, 99])):
        assert not encloses_nothing(solid)


def test_what_is_remembered_of_a_mesh_is_what_its_file_holds(tmp_path):
    """Other formats write it again: no vertex that nothing uses, nothing finer than the file."""
    whole = turned(moved(box(1, 1, 1), [1e-9 / 3, 0.1, 0.2]))
    points = np.vstack([[[7.0, 7.0, 7.0]], whole.vertices, [[0.5, 0.1, 0.2]]])
    padded = Triangles(points, np.vstack([whole.faces + 1, [[1, 1, 2], [3, 3, 3]]]))
    made = written(padded)
    (tmp_path / "part.obj").write_bytes(made.contents["part.obj"])
    again = rc.mesh_geometry(tmp_path)(Mesh(name="part", file="part.obj"), 1.0)
    kept = made.triangles["part"]
    corners = [np.float32(own.vertices[own.faces]) for own in (kept, again)]
    np.testing.assert_array_equal(*corners)
    assert sorted(set(kept.faces.ravel().tolist())) == list(range(len(kept.vertices)))
    assert kept.volume() == pytest.approx(1.0)


def stl_file(triangles, normals):
    record = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
    records = np.zeros(len(triangles.faces), record)
    records["corners"] = triangles.vertices[triangles.faces]
    records["normal"] = normals
    return b"\0" * 80 + np.uint32(len(records)).tobytes() + records.tobytes()


@pytest.mark.parametrize(
    ("given", "normals", "told"),
    [
        (bracket(), [0.0, 0.0, -1.0], False),
        (bracket(), [0.0, 0.0, 0.0], False),
        (turned(bracket()), [0.0, 0.0, 1.0], True),
        (mirrored(bracket()), [0.0, 0.0, 0.0], True),
    ],
)
def test_an_stl_file_is_told_by_its_corners_and_never_by_its_normals(
    tmp_path, given, normals, told
):
    """Normals are often wrong or 0, and no simulator reads them."""
    (tmp_path / "part.stl").write_bytes(stl_file(given, normals))
    made = write_meshes([Mesh(name="part", file="part.stl")], rc.mesh_geometry(tmp_path))
    assert made.triangles["part"].volume() == pytest.approx(2.0)
    assert any("inside out" in warning for warning in made.warnings) == told


@pytest.mark.parametrize("name", FORMATS)
def test_the_hull_of_what_encloses_nothing_is_told_by_its_volume(name, tmp_path):
    """Its share of nothing would be no number, which JSON has no word for, nor people."""
    both = sheet(4, 0.1)
    double = Triangles(both.vertices, np.vstack([both.faces, both.faces[:, ::-1]]))
    mechanism = four_bar()
    bodies = tuple(replace(b, shapes=(Shape(name=b.name, mesh="m"),)) for b in mechanism.bodies)
    compiled = rc.compile(replace(mechanism, bodies=bodies, meshes=(Mesh(name="m"),)))
    made = rc.write(
        compiled, tmp_path / "m", format=name, geometry=lambda m, c: double, ledger=True
    )
    (entry,) = (own for own in made.ledger if own.property is Property.COLLISION)
    if name in ("mjcf", "usd"):
        assert entry.error == pytest.approx(hull_volume(double))
        assert str(entry).endswith("m³, since it encloses nothing, and its convex hull does")
    else:
        assert any(w.endswith("add to their volumes: m, which has none") for w in made.warnings)
    json.loads((tmp_path / "m.ledger.json").read_text(), parse_constant=pytest.fail)
