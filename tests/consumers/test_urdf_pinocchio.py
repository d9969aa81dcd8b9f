"""URDFs of our writing, as Pinocchio reads them."""

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
from agreement import DOUBLES, agree_on_centers, agree_on_masses, rank
from truth import EXAMPLES, sidecar
from urdf_files import written

import robocompiler as rc
from arms import arm
from reported import FOLLOWING, fingers
from robocompiler.spatial import Pose
from robocompiler.write.urdf.mimics import UNLIMITED


@pytest.fixture(params=EXAMPLES)
def urdf(request, tmp_path):
    return written(request.param, tmp_path)


def pinocchio(urdf, **options):
    return pin.buildModelFromUrdf(str(urdf.path), **options)


def placed(model, urdf, standing, but=None):
    q = pin.neutral(model)
    for axis in (axis for axis in urdf.axes if axis.name != but):
        own = model.joints[model.getJointId(axis.name)]
        value = axis.value(standing)
        # Where nothing stops a hinge, its coordinates are its cosine and sine.
        q[own.idx_q : own.idx_q + own.nq] = value if own.nq == 1 else (np.cos(value), np.sin(value))
    return q


def speed_names(model):
    own = sorted((joint.idx_v, name) for joint, name in zip(model.joints, model.names, strict=True))
    return [name for _, name in own[1:]]


def pose_of(model, data, link):
    X = data.oMf[model.getFrameId(link, pin.FrameType.BODY)]
    return Pose(X.rotation, X.translation)


def inertia_of(model, link):
    """Of the joint that leads to a link: its frame is the link's, and welds add to it."""
    return model.inertias[model.frames[model.getFrameId(link, pin.FrameType.BODY)].parentJoint]


@pytest.mark.row("Pinocchio 4.1", "URDF", agrees="bodies, joints, masses and limits")
def test_pinocchio_has_the_bodies_joints_masses_and_limits(urdf):
    model = pinocchio(urdf)
    assert sorted(speed_names(model)) == sorted(axis.name for axis in urdf.axes)
    # What does not move is no body of its: what is welded to the universe has no mass there.
    masses = {body: inertia_of(model, urdf.bodies[body]).mass for body in urdf.truth.bodies}
    agree_on_masses(urdf.truth, masses, static=False)
    for name, (low, high) in urdf.limits.items():
        own = model.joints[model.getJointId(name)]
        if np.isinf(low) and np.isinf(high) and own.nq == 2:
            continue
        ends = (model.lowerPositionLimit[own.idx_q], model.upperPositionLimit[own.idx_q])
        assert ends == (max(low, -UNLIMITED), min(high, UNLIMITED))


@pytest.mark.row(
    "Pinocchio 4.1",
    "URDF",
    agrees="places, mass matrix, mobility and gap at our closure frames in three configurations",
)
def test_pinocchio_agrees_in_three_closed_configurations(urdf):
    model = pinocchio(urdf)
    data, truth = model.createData(), urdf.truth
    for standing in truth.standings:
        q = placed(model, urdf, standing)
        pin.forwardKinematics(model, data, q)
        pin.updateFramePlacements(model, data)
        centers = {}
        for body, link in urdf.bodies.items():
            X_WL = pose_of(model, data, link)
            if body in truth.bodies:
                centers[body] = X_WL.R @ inertia_of(model, link).lever + X_WL.p
            X_WB = urdf.body_pose(body, X_WL)
            np.testing.assert_allclose(X_WB.p, standing.poses[body].p, atol=DOUBLES)
            np.testing.assert_allclose(X_WB.R, standing.poses[body].R, atol=DOUBLES)
        agree_on_centers(standing, centers)
        M = np.array(pin.crba(model, data, q))
        M = np.triu(M) + np.triu(M, 1).T
        urdf.agree_on_mass_matrix(standing, M, speed_names(model))
        K, gaps = met(model, data, q, urdf)
        assert all(gap < DOUBLES for gap in gaps)
        assert model.nv - rank(K) == standing.mobility + len(truth.compiled.couplings)


def met(model, data, q, urdf):
    """Rows of the points that meet at the frames named after the loops, and how far apart."""
    pin.computeJointJacobians(model, data, q)
    pin.updateFramePlacements(model, data)
    rows, gaps = [np.zeros((0, model.nv))], []
    for closure in urdf.truth.compiled.closures:
        ends = [model.getFrameId(f"{closure.name}_{end}") for end in ("parent", "child")]
        gaps.append(np.linalg.norm(data.oMf[ends[0]].translation - data.oMf[ends[1]].translation))
        own = [
            pin.getFrameJacobian(model, data, end, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED)[:3]
            for end in ends
        ]
        rows.append(own[0] - own[1])
    return np.vstack(rows), gaps


@pytest.mark.row(
    "Pinocchio 4.1", "URDF", cannot="reads no follower that is before its leader by name, as mimic"
)
@pytest.mark.parametrize(("leader", "follower", "met"), FOLLOWING)
def test_pinocchio_refuses_a_follower_that_it_meets_before_its_leader(
    leader, follower, met, tmp_path
):
    """It walks joints by name, depth first, and we say so where it matters."""
    path = tmp_path / "fingers.urdf"
    result = rc.write(rc.compile(fingers(leader, follower)), path)
    assert any("refuses to couple" in warning for warning in result.warnings) != met
    if met:
        assert pin.buildModelFromUrdf(str(path), mimic=True).nv == 3
    else:
        with pytest.raises(ValueError, match="not in the kinematic tree"):
            pin.buildModelFromUrdf(str(path), mimic=True)


def turned_about(mechanism):
    """The same mechanism, its coupling told from the other side."""
    (coupling,) = mechanism.couplings
    (leader,) = coupling.leaders
    other = rc.Coupling.gear(
        name=coupling.name,
        leader=coupling.follower,
        follower=leader.coordinate,
        ratio=1.0 / leader.ratio,
        offset=-coupling.offset / leader.ratio,
    )
    return replace(mechanism, couplings=(other,))


@pytest.mark.row("Pinocchio 4.1", "URDF", agrees="couplings, read as mimics, and mobility")
def test_pinocchio_reads_mimics_and_has_our_mobility(tmp_path):
    urdf = written("gripper", tmp_path, change=turned_about)
    model = pinocchio(urdf, mimic=True)
    data, standing = model.createData(), urdf.truth.assembled
    assert model.nv == len(urdf.axes) - 1
    q = placed(model, urdf, standing, but="right-driver")
    K, gaps = met(model, data, q, urdf)
    assert max(gaps) < DOUBLES
    assert model.nv - rank(K) == standing.mobility


@pytest.mark.row("Pinocchio 4.1", "SRDF", agrees="the assembled configuration, by name")
@pytest.mark.parametrize("name", ["gate", "pendulum", "stewart"])
def test_pinocchio_reads_the_srdf_s_assembled_state(name, tmp_path):
    urdf = written(name, tmp_path)
    model = pinocchio(urdf)
    pin.loadReferenceConfigurations(model, str(urdf.path.with_suffix(".srdf")))
    q = next(c.data() for c in model.referenceConfigurations if c.key() == "assembled")
    expected = placed(model, urdf, urdf.truth.assembled)
    for axis in urdf.axes:
        own = model.joints[model.getJointId(axis.name)]
        at = slice(own.idx_q, own.idx_q + own.nq)
        # It cannot read a hinge without limits that turns about no positive axis.
        if own.shortname() != "JointModelRevoluteUnboundedUnaligned":
            np.testing.assert_allclose(q[at], expected[at], atol=1e-15)


@pytest.mark.row("Pinocchio 4.1", "URDF", agrees="meshes, in metres")
def test_pinocchio_s_meshes_are_as_large_as_the_parts(urdf):
    """Each mesh's bounds are those of what was written, from CAD."""
    model = pinocchio(urdf)
    folder = str(urdf.path.parent)
    own = pin.buildGeomFromUrdf(
        model, str(urdf.path), pin.GeometryType.COLLISION, package_dirs=folder
    )
    bodies = urdf.truth.compiled.bodies
    shapes = {shape.name: shape for body in bodies for shape in body.shapes}
    source = sidecar(urdf.truth.name)
    geometry = rc.mesh_geometry(source.parent)
    meshes = {mesh.name: mesh for mesh in rc.read(source).meshes}
    assert own.ngeoms == len(shapes)
    for body in bodies:
        link = urdf.bodies["world" if body is bodies[0] else body.name]
        for i, shape in enumerate(body.shapes):
            geom = own.geometryObjects[own.getGeometryId(f"{link}_{i}")]
            geom.geometry.computeLocalAABB()
            box = geom.geometry.aabb_local
            vertices = geometry(meshes[shape.mesh], 1.0).vertices
            np.testing.assert_allclose(box.min_, vertices.min(axis=0), atol=1e-6)
            np.testing.assert_allclose(box.max_, vertices.max(axis=0), atol=1e-6)


@pytest.mark.row(
    "Pinocchio 4.1",
    "SRDF",
    cannot="reads no state of a hinge without limits about none of its link's axes",
)
def test_pinocchio_leaves_at_0_what_we_say_that_it_does(tmp_path):
    path = tmp_path / "arm.urdf"
    result = rc.write(rc.compile(arm(rc.JointKind.REVOLUTE)), path)
    model = pin.buildModelFromUrdf(str(path))
    pin.loadReferenceConfigurations(model, str(path.with_suffix(".srdf")))
    q = next(c.data() for c in model.referenceConfigurations if c.key() == "assembled")
    (told,) = [warning for warning in result.warnings if "Pinocchio leaves" in warning]
    left = [
        name
        for name, own in zip(model.names[1:], model.joints[1:], strict=True)
        if own.nq == 2 and q[own.idx_q] == 1.0
    ]
    assert left
    assert all((f"'{name}'" in told) == (name in left) for name in model.names[1:])
