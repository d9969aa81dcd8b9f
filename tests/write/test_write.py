from dataclasses import replace

import mujoco
import numpy as np
import pytest

import robocompiler as rc
from mechanisms import four_bar
from robocompiler.errors import (
    BadValueError,
    FormatError,
    OutputError,
    UnwritableError,
)
from robocompiler.model.geometry import Triangles
from robocompiler.model.mechanism import Mesh, Shape, Surface
from robocompiler.write.fidelity import Fidelity, Property
from robocompiler.write.known_formats import FORMATS
from robocompiler.write.mjcf.names import MJCF_CUTTABLE

BOX = Triangles(
    np.array([[x, y, z] for x in (0.0, 0.1) for y in (0.0, 0.02) for z in (0.0, 0.01)]),
    np.array(
        [
            [0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1],
            [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3],
        ]
    ),
)  # fmt: skip


def with_shapes(mechanism):
    """The same box on crank and rocker, turned on the rocker."""
    crank = Shape(name="crank", mesh="bar")
    rocker = Shape(
        name="rocker", mesh="bar", position=(0.0, 0.0, 0.02), rotation=(0.0, 1.0, 0.0, 0.0)
    )
    shapes = {"crank": (crank,), "rocker": (rocker,)}
    bodies = tuple(replace(b, shapes=shapes.get(b.name, ())) for b in mechanism.bodies)
    return replace(mechanism, bodies=bodies, meshes=(Mesh(name="bar"),))


def test_the_format_goes_by_the_suffix_and_an_unknown_one_is_refused(tmp_path):
    compiled = rc.compile(four_bar())
    rc.write(compiled, tmp_path / "a.xml")
    rc.write(compiled, tmp_path / "a.json")
    assert rc.read(tmp_path / "a.json") == compiled.mechanism
    with pytest.raises(FormatError, match=r"suffix is one of \.xml"):
        rc.write(compiled, tmp_path / "a.step")
    with pytest.raises(FormatError, match="names no format"):
        rc.write(compiled, tmp_path / "a.xml", format="step")


def test_the_mechanism_beside_the_model_is_the_one_it_was_made_from(tmp_path):
    mechanism = four_bar()
    result = rc.write(rc.compile(mechanism), tmp_path / "four.bar.xml")
    assert [path.name for path in result.files] == ["four.bar.xml", "four.bar.mechanism.json"]
    assert rc.read(tmp_path / "four.bar.mechanism.json") == mechanism


def test_a_solid_used_twice_is_one_file_and_stands_where_each_part_is(tmp_path):
    compiled = rc.compile(with_shapes(four_bar()))
    rc.write(compiled, tmp_path / "m.xml", geometry=lambda mesh, coarseness: BOX)
    assert [p.name for p in (tmp_path / "m_meshes").iterdir()] == ["bar.obj"]
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "m.xml"))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    assert model.nmesh == 1
    for name, corners in (
        ("crank", BOX.vertices),
        ("rocker", BOX.vertices * [1, -1, -1] + [0, 0, 0.02]),
    ):
        geom = data.geom(name)
        seen = model.mesh_vert @ geom.xmat.reshape(3, 3).T + geom.xpos
        body = data.body(name)
        local = (seen - body.xpos) @ body.xmat.reshape(3, 3)
        np.testing.assert_allclose(local.min(axis=0), corners.min(axis=0), atol=1e-7)
        np.testing.assert_allclose(local.max(axis=0), corners.max(axis=0), atol=1e-7)


@pytest.mark.parametrize(
    ("surface", "friction", "condim"),
    [
        (Surface(), [1.0, 0.005, 0.0001], 3),
        (Surface(friction=0.3), [0.3, 0.005, 0.0001], 3),
        (Surface(friction=0.3, torsional_friction=0.01), [0.3, 0.01, 0.0001], 4),
        (Surface(friction=0.3, rolling_friction=0.0005), [0.3, 0.005, 0.0005], 6),
    ],
)
def test_friction_is_the_material_s_as_far_as_it_is_stated(tmp_path, surface, friction, condim):
    mechanism = with_shapes(four_bar())
    bodies = tuple(
        replace(b, shapes=tuple(replace(s, surface=surface) for s in b.shapes))
        for b in mechanism.bodies
    )
    compiled = rc.compile(replace(mechanism, bodies=bodies))
    rc.write(compiled, tmp_path / "m.xml", geometry=lambda mesh, coarseness: BOX)
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "m.xml"))
    assert model.geom("crank").friction.tolist() == friction
    assert model.geom("crank").condim[0] == condim


def test_geoms_add_no_mass(tmp_path):
    mechanism = with_shapes(four_bar())
    rc.write(rc.compile(mechanism), tmp_path / "m.xml", geometry=lambda mesh, coarseness: BOX)
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "m.xml"))
    stated = sum(body.inertia.mass for body in mechanism.bodies)
    assert model.body_mass.sum() == pytest.approx(stated, rel=1e-14)


def test_a_mechanism_read_back_with_its_meshes_writes_the_same_model(tmp_path):
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    mechanism = with_shapes(four_bar())
    rc.write(rc.compile(mechanism), tmp_path / "one/m.xml", geometry=lambda mesh, c: BOX)
    again = rc.read(tmp_path / "one/m.mechanism.json")
    rc.write(rc.compile(again), tmp_path / "two/m.xml", geometry=rc.mesh_geometry(tmp_path / "one"))
    for name in ("m.xml", "m.mechanism.json", "m_meshes/bar.obj"):
        first, second = ((tmp_path / d / name).read_bytes() for d in ("one", "two"))
        assert first == second


def test_a_mesh_without_geometry_is_listed_and_its_shape_left_out(tmp_path):
    compiled = rc.compile(with_shapes(four_bar()))
    result = rc.write(compiled, tmp_path / "m.xml", geometry=lambda mesh, coarseness: None)
    assert any("mesh bar" in str(entry) for entry in result.unsupported)
    assert mujoco.MjModel.from_xml_path(str(tmp_path / "m.xml")).ngeom == 0


@pytest.mark.parametrize("name", FORMATS)
def test_what_a_hull_adds_is_said_once(name, tmp_path):
    """R33, R54. Two boxes a box's length apart: their hull holds three."""
    far = BOX.vertices + np.array([0.2, 0.0, 0.0])
    both = Triangles(np.vstack([BOX.vertices, far]), np.vstack([BOX.faces, BOX.faces + 8]))
    compiled = rc.compile(with_shapes(four_bar()))
    made = rc.write(compiled, tmp_path / "m", format=name, geometry=lambda m, c: both)
    (entry,) = (own for own in made.ledger if own.property is Property.COLLISION)
    hulls = [told for told in made.warnings if "convex hulls" in told]
    if name in ("mjcf", "usd"):
        assert (entry.fidelity, entry.error) == (Fidelity.APPROXIMATED, pytest.approx(0.5))
        assert not hulls
    else:
        assert entry.fidelity is Fidelity.EXACT
        assert len(hulls) == 1
        assert hulls[0].endswith("which add to their volumes: bar +50 %")


def test_a_cut_that_mjcf_cannot_close_is_moved_and_said_with_the_configuration_kept(tmp_path):
    mechanism = four_bar(kinds={"C": rc.JointKind.CYLINDRICAL})
    compiled = rc.compile(mechanism)
    assert compiled.closures[0].kind not in MJCF_CUTTABLE
    configuration = rc.assemble(compiled, {"A": 1.9})
    result = rc.write(compiled, tmp_path / "m.xml", configuration)
    said = "loop 'C': MJCF cannot close a cylindrical joint exactly"
    assert any(warning.startswith(said) for warning in result.warnings)
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "m.xml"))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    assert data.joint("D").qpos[0] == pytest.approx(configuration.of("D")[0], abs=1e-13)
    assert data.joint("C/turnZ").qpos[0] == pytest.approx(configuration.of("C")[0], abs=1e-12)
    np.testing.assert_allclose(data.efc_pos, 0.0, atol=1e-14)


def test_a_loop_cut_at_another_joint_says_so_and_why(tmp_path):
    compiled = rc.compile(four_bar(joint={"C": {"limits": ((-9.0, 9.0),)}}))
    (warning,) = rc.write(compiled, tmp_path / "m.xml").warnings
    assert warning == (
        "loop 'C' is opened at 'A', not at 'C', because 'C' has limits; "
        "'A' is first by name among equals"
    )


def test_a_refusal_leaves_no_file(tmp_path):
    rigid = four_bar(kinds=dict.fromkeys("ABCD", rc.JointKind.CYLINDRICAL))
    with pytest.raises(UnwritableError):
        rc.write(rc.compile(rigid), tmp_path / "m.xml")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there_is_an_error_that_says_so(tmp_path):
    with pytest.raises(OutputError, match="no such folder"):
        rc.write(rc.compile(four_bar()), tmp_path / "nowhere" / "m.xml")
    assert list(tmp_path.iterdir()) == []


def test_the_same_mechanism_gives_the_same_bytes_in_any_order_of_declaration(tmp_path):
    mechanism = with_shapes(four_bar())
    rc.write(rc.compile(mechanism), tmp_path / "a.xml", geometry=lambda mesh, c: BOX)
    turned = replace(
        mechanism,
        bodies=(mechanism.bodies[0], *mechanism.bodies[:0:-1]),
        joints=mechanism.joints[::-1],
        frames=mechanism.frames[::-1],
    )
    rc.write(rc.compile(turned), tmp_path / "b.xml", geometry=lambda mesh, c: BOX)
    a, b = ((tmp_path / f"{n}.xml").read_text().replace(f"{n}_meshes", "m") for n in "ab")
    assert a == b


@pytest.mark.parametrize("timestep", [0.0, -1e-3, "fast", float("nan"), True])
def test_a_timestep_that_is_none_is_refused(tmp_path, timestep):
    with pytest.raises(BadValueError, match=r"timestep=.* is not a positive number of seconds"):
        rc.write(rc.compile(four_bar()), tmp_path / "m.xml", timestep=timestep)
    assert list(tmp_path.iterdir()) == []


def test_a_timestep_may_be_text_as_yaml_makes_of_small_numbers(tmp_path):
    rc.write(rc.compile(four_bar()), tmp_path / "m.xml", timestep="5e-4")
    assert mujoco.MjModel.from_xml_path(str(tmp_path / "m.xml")).opt.timestep == 5e-4


def test_a_flag_that_is_text_is_refused(tmp_path):
    with pytest.raises(BadValueError, match="ground_plane=no is not true or false"):
        rc.write(rc.compile(four_bar()), tmp_path / "m.xml", ground_plane="no")


def test_a_mechanism_that_is_not_compiled_is_refused_with_what_compiles_it(tmp_path):
    with pytest.raises(BadValueError, match=r"a Mechanism is not compiled: `rc\.compile"):
        rc.write(four_bar(), tmp_path / "m.xml")
