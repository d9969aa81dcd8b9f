"""Stages as USD's own library and validators see them: units, meshes, materials, names, bytes."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from pxr import Sdf, Usd, UsdGeom, UsdPhysics, UsdValidation

import robocompiler as rc
from arms import arm
from linkages.apart import geared_and_floating, geared_chain, two_trees
from linkages.stewart import stewart, task_pose
from mechanisms import four_bar
from robocompiler.errors import UnwritableError
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import (
    WORLD,
    Body,
    Environment,
    Frame,
    Inertia,
    Joint,
    Mechanism,
    Mesh,
    Shape,
    Surface,
)
from robocompiler.write.fidelity import Property
from robocompiler.write.options import USD_PROFILES
from solids import box
from usd_reading import read_stage

FLOATS = 1e-6
RED = (0.8, 0.1, 0.2, 0.5)
LINEAR_RED = (0.603827, 0.010023, 0.033105, 0.5)
"""The same as light: sRGB's numbers are for screens, USD's for what is lit (IEC 61966-2-1)."""


def shaped():
    """A four-bar, its bars one mesh, red and rough; with a frame, and gravity along -y."""
    whole = four_bar()
    surface = Surface(friction=0.4, torsional_friction=0.01, restitution=0.3)
    bodies = tuple(
        replace(
            body,
            shapes=(Shape(name=f"{body.name} bar", mesh="a bar", color=RED, surface=surface),),
        )
        for body in whole.bodies
    )
    grip = Frame(name="grip", body="coupler", position=(0.1, 0.2, 0.3))
    return replace(
        whole,
        bodies=bodies,
        frames=(*whole.frames, grip),
        meshes=(Mesh(name="a bar"),),
        environment=Environment(gravity=(0.0, -3.7, 0.0)),
    )


def written(mechanism, folder, suffix=".usda", **options):
    path = folder / f"m{suffix}"
    given = {"geometry": lambda mesh, coarseness: box(0.1, 0.02, 0.03), **options}
    return path, rc.write(rc.compile(mechanism), path, **given)


@pytest.mark.parametrize("profile", USD_PROFILES)
@pytest.mark.parametrize("mechanism", [shaped(), stewart(task_pose(5.7))], ids=["bars", "Stewart"])
def test_every_validator_of_usd_is_silent(profile, mechanism, tmp_path):
    path, _ = written(mechanism, tmp_path, usd_profile=profile, intermediate_mass=1e-3)
    registry = UsdValidation.ValidationRegistry()
    validators = registry.GetOrLoadAllValidators()
    known = {validator.GetMetadata().name for validator in validators}
    assert {
        "RigidBodyChecker",
        "ColliderChecker",
        "ArticulationChecker",
        "PhysicsJointChecker",
    } <= {name.split(":")[1] for name in known}
    errors = UsdValidation.ValidationContext(validators).Validate(Usd.Stage.Open(str(path)))
    assert [error.GetMessage() for error in errors] == []


def test_a_stage_is_in_metres_kilograms_and_z_up_and_stands_for_its_model(tmp_path):
    stage = read_stage(written(shaped(), tmp_path)[0])
    assert stage.units == (1.0, 1.0, "Z")
    assert stage.default == shaped().name
    np.testing.assert_allclose(stage.gravity, [0.0, -3.7, 0.0], rtol=FLOATS)


@pytest.mark.parametrize("suffix", [".usdc", ".usd"])
def test_a_binary_stage_says_what_the_text_says(suffix, tmp_path):
    text, _ = written(shaped(), tmp_path)
    binary, _ = written(shaped(), tmp_path, suffix)
    assert binary.read_bytes().startswith(b"PXR-USDC")
    layer = Sdf.Layer.FindOrOpen(str(binary))
    assert layer.ExportToString() == text.read_text()


@pytest.mark.parametrize("suffix", [".USDA", ".Usda", ".USDC", ".USD"])
def test_a_suffix_in_capitals_is_the_same_and_usd_opens_it(suffix, tmp_path):
    path, _ = written(shaped(), tmp_path, suffix)
    lower, _ = written(shaped(), tmp_path, suffix.lower())
    assert path.read_bytes() == lower.read_bytes()
    assert Usd.Stage.Open(str(path)).GetDefaultPrim().IsValid()


@pytest.mark.parametrize("suffix", [".usda", ".usdc"])
def test_the_same_mechanism_gives_the_same_bytes(suffix, tmp_path):
    first, _ = written(shaped(), tmp_path, suffix)
    content = first.read_bytes()
    assert written(shaped(), tmp_path, suffix)[0].read_bytes() == content


def test_a_mesh_is_in_the_stage_once_and_is_neither_scaled_nor_mirrored(tmp_path):
    path, _ = written(shaped(), tmp_path)
    assert path.read_text().count("point3f[] points") == 1
    stage = Usd.Stage.Open(str(path))
    prims = list(stage.Traverse())
    meshes = [UsdGeom.Mesh(prim) for prim in prims if prim.IsA(UsdGeom.Mesh)]
    assert len(meshes) == 4
    for mesh in meshes:
        low, high = mesh.GetExtentAttr().Get()
        np.testing.assert_allclose([low, high], [[0, 0, 0], [0.1, 0.02, 0.03]], atol=FLOATS)
        assert mesh.GetSubdivisionSchemeAttr().Get() == "none"
        collider = UsdPhysics.MeshCollisionAPI(mesh.GetPrim())
        assert collider.GetApproximationAttr().Get() == "convexHull"
    for prim in prims:
        if prim.IsA(UsdGeom.Xformable):
            operations = UsdGeom.Xformable(prim).GetOrderedXformOps()
            kinds = {operation.GetOpType() for operation in operations}
            assert kinds <= {UsdGeom.XformOp.TypeTranslate, UsdGeom.XformOp.TypeOrient}


@pytest.mark.parametrize("profile", USD_PROFILES)
def test_a_shape_looks_and_feels_as_its_part_does(profile, tmp_path):
    """MuJoCo takes friction from what is bound for all purposes, and no restitution."""
    path, _ = written(shaped(), tmp_path, usd_profile=profile)
    stage = read_stage(path)
    assert set(stage.shapes) == {f"{body.name} bar" for body in shaped().bodies}
    for name, shape in stage.shapes.items():
        assert stage.colors[name] == pytest.approx(LINEAR_RED, abs=1e-6)
        assert shape.friction == pytest.approx(0.4)
        assert shape.restitution == (None if profile == "mujoco" else pytest.approx(0.3))
        assert shape.volume == pytest.approx(0.1 * 0.02 * 0.03, rel=1e-5)


def test_a_surface_that_states_no_friction_is_not_smooth_in_usd_and_a_warning_says_so(tmp_path):
    whole = shaped()
    bodies = tuple(
        replace(
            body, shapes=tuple(replace(s, surface=Surface(restitution=0.3)) for s in body.shapes)
        )
        for body in whole.bodies
    )
    path, result = written(replace(whole, bodies=bodies), tmp_path)
    assert {shape.friction for shape in read_stage(path).shapes.values()} == {0.5}
    assert any("no friction" in warning for warning in result.warnings)


def test_bodies_that_are_held_together_do_not_collide(tmp_path):
    stage = read_stage(written(shaped(), tmp_path)[0])
    ring = ("ground", "crank", "coupler", "rocker")
    expected = {frozenset((a, b)) for a, b in zip(ring, (*ring[1:], ring[0]), strict=True)}
    assert stage.filtered() == expected


def test_named_frames_and_where_loops_close_are_prims(tmp_path):
    """R53: whoever closes loops by points finds them by name."""
    stage = read_stage(written(shaped(), tmp_path)[0])
    body, X = stage.frames["grip"]
    assert body == "coupler"
    own = np.linalg.inv(stage.bodies["coupler"].X_WB) @ X
    np.testing.assert_allclose(own[:3, 3], [0.1, 0.2, 0.3], atol=FLOATS)
    (name,) = stage.closures()
    ends = [stage.frames[f"{name}/{side}"][1][:3, 3] for side in ("parent", "child")]
    np.testing.assert_allclose(ends[0], ends[1], atol=FLOATS)


def test_the_tensor_is_in_double_precision_where_newton_and_mujoco_read_it(tmp_path):
    tensor = Inertia(
        mass=1.0, moments=(0.02, 0.03, 0.04), products=(1e-3 / 3.0, -2e-3 / 7.0, 3e-3 / 11.0)
    )
    whole = four_bar()
    bodies = tuple(replace(b, inertia=tensor) if b.name == "crank" else b for b in whole.bodies)
    for profile in ("mujoco", "newton"):
        path, _ = written(replace(whole, bodies=bodies), tmp_path, usd_profile=profile)
        stage = Usd.Stage.Open(str(path))
        prim = stage.GetPrimAtPath(f"{stage.GetDefaultPrim().GetPath()}/crank")
        found = tuple(prim.GetAttribute("newton:inertia").Get())
        assert found == (*tensor.moments, *tensor.products)


def test_a_flat_body_has_moments_that_single_precision_does_not_spoil(tmp_path):
    """Its largest is the sum of the others; rounded up, MuJoCo refuses it."""
    generator = np.random.default_rng(3)
    for number, (a, b) in enumerate(generator.uniform(1e-6, 1e-3, (20, 2))):
        whole = four_bar()
        flat = Inertia(mass=1.0, moments=(float(a), float(b), float(a + b)))
        bodies = tuple(
            replace(own, inertia=flat) if own.name == "crank" else own for own in whole.bodies
        )
        folder = tmp_path / str(number)  # USD keeps a layer by its path
        folder.mkdir()
        path, _ = written(replace(whole, bodies=bodies), folder)
        stage = Usd.Stage.Open(str(path))
        prim = stage.GetPrimAtPath(f"{stage.GetDefaultPrim().GetPath()}/crank")
        low, middle, high = sorted(UsdPhysics.MassAPI(prim).GetDiagonalInertiaAttr().Get())
        assert low + middle >= high
        np.testing.assert_allclose(sorted((low, middle, high)), sorted(flat.moments), rtol=FLOATS)


def test_what_weighs_too_little_for_single_precision_is_refused_by_name(tmp_path):
    whole = four_bar()
    light = Inertia(mass=1e-60, moments=(1e-60,) * 3)
    bodies = tuple(replace(b, inertia=light) if b.name == "crank" else b for b in whole.bodies)
    with pytest.raises(UnwritableError, match="'crank'"):
        written(replace(whole, bodies=bodies), tmp_path)


def test_trees_that_float_and_trees_on_the_world_are_articulations_of_their_own(tmp_path):
    """R4: no body is held that is free, and each tree starts at its own root."""
    inertia = Inertia(mass=1.0, moments=(0.1, 0.1, 0.1))
    names = ("hull", "fin", "mast", "arm")
    frames = tuple(Frame(name=f"{n}.{i}", body=n) for n in names for i in range(2))
    mechanism = Mechanism(
        name="two trees",
        bodies=tuple(Body(name=n, inertia=inertia) for n in names),
        frames=(Frame(name="w0", body=WORLD), Frame(name="w1", body=WORLD), *frames),
        joints=(
            Joint(name="float", kind=JointKind.FREE, parent="w0", child="hull.0"),
            Joint(name="rudder", kind=JointKind.REVOLUTE, parent="hull.1", child="fin.0"),
            Joint(name="step", kind=JointKind.REVOLUTE, parent="w1", child="mast.0"),
            Joint(name="elbow", kind=JointKind.REVOLUTE, parent="mast.1", child="arm.0"),
        ),
    )
    stage = read_stage(written(mechanism, tmp_path)[0])
    roots = {name for name, body in stage.bodies.items() if body.articulation}
    assert roots == {"hull", "mast"}
    assert set(stage.joints) == {"rudder", "step", "elbow"}
    assert stage.joints["step"].bodies[0] == ""


@pytest.mark.parametrize("profile", USD_PROFILES)
@pytest.mark.parametrize("tie", ["", "loop", "gear"])
def test_trees_on_the_world_that_are_tied_are_one_articulation(tie, profile, tmp_path):
    """But for MuJoCo, which has none. PhysX takes none on the bare world, tied or not."""
    path, result = written(two_trees(tie), tmp_path, usd_profile=profile)
    stage = read_stage(path)
    inner = {stage.joints[f"{name} hinge"].bodies[0] for name in ("left", "right")}
    is_rigid = profile == "physx" or (bool(tie) and profile != "mujoco")
    assert inner == ({"world"} if is_rigid else {""})
    assert is_rigid == any("'world' is a body of 1 kg, fixed" in w for w in result.warnings)
    assert is_rigid == (stage.joints.get("fixed") is not None)


@pytest.mark.parametrize("profile", USD_PROFILES)
def test_a_chain_of_followers_names_its_first_leader(profile, tmp_path):
    stage = read_stage(written(geared_chain(), tmp_path, usd_profile=profile)[0])
    for name, ratio, offset in (("second", 2.0, 0.1), ("third", -2.0, -0.2)):
        leader, off, times = stage.joints[name].mimic
        assert (leader, times) == ("first", pytest.approx(ratio))
        assert off == pytest.approx(0.0 if profile == "mujoco" else offset)


@pytest.mark.parametrize("profile", USD_PROFILES)
def test_what_follows_a_joint_of_another_articulation_is_lost_but_for_mujoco(profile, tmp_path):
    path, result = written(geared_and_floating(), tmp_path, usd_profile=profile)
    lost = [entry.where for entry in result.unsupported if entry.property is Property.COUPLING]
    assert (lost, read_stage(path).joints["rudder"].mimic is None) == (
        ([], False) if profile == "mujoco" else (["gear"], True)
    )


def test_configurations_are_keyframes_for_mujoco_and_said_to_be_lost_elsewhere(tmp_path):
    compiled = rc.compile(arm(JointKind.UNIVERSAL))
    bent = rc.assemble(compiled, {"S": 0.7, "J": (0.1, 0.2)})
    path = tmp_path / "m.usda"
    for profile in ("mujoco", "newton"):
        result = rc.write(compiled, path, configurations={"bent": bent}, usd_profile=profile)
        lost = [entry.where for entry in result.ledger if entry.fidelity.value == "dropped"]
        assert ("configuration 'bent'" in lost) == (profile == "newton")
        assert "configuration 'assembled'" not in lost
        if profile == "mujoco":
            stage = Usd.Stage.Open(str(path))
            key = stage.GetPrimAtPath("/arm/keyframes/bent")
            qpos = list(key.GetAttribute("mjc:qpos").Get())
            assert qpos == pytest.approx([0.7, 0.1, 0.2])


def test_nothing_of_pxr_is_imported_before_a_stage_is_written():
    """It takes a tenth of a second, and other formats need none of it."""
    import subprocess
    import sys

    code = "import sys, robocompiler.write.known_formats; assert 'pxr' not in sys.modules"
    plugin = Path(rc.__file__).parent.parent
    subprocess.run([sys.executable, "-c", code], check=True, cwd=plugin)
