import numpy as np
import pinocchio as pin
import pytest
from agreement import (
    DOUBLES,
    agree_on_centers,
    agree_on_limits,
    agree_on_mass_matrix,
    agree_on_masses,
    rank,
)

from robocompiler.spatial import quaternion_of


def loaded(example):
    return pin.buildModelAndConstraintsFromMJCF(str(example.file()))


def joint_of(model, names):
    """Its joint of ours with these speeds; several hinges of one body are a composite."""
    own = names[0].split("/rotation")[0]
    index = model.getJointId(own if model.existJointName(own) else f"Composite_{own}")
    return model.joints[index]


def joints(model, example):
    """Ours and its, joint by joint."""
    for t in example.compiled.tree:
        names = example.speeds[t.v]
        yield t.edge.joint, names, joint_of(model, names)


def speed_names(model, example):
    found = [""] * model.nv
    for _, names, own in joints(model, example):
        assert own.nv == len(names)
        found[own.idx_v : own.idx_v + own.nv] = names
    return found


def place(model, example, standing):
    q = pin.neutral(model)
    for joint, names, own in joints(model, example):
        if joint.name in standing.turned:
            start = example.assembled.turned[joint.name]
            w, x, y, z = quaternion_of(start.T @ standing.turned[joint.name])
            q[own.idx_q : own.idx_q + 4] = x, y, z, w
        else:
            q[own.idx_q : own.idx_q + own.nq] = [standing.coordinates[name] for name in names]
    return q


def limits(model, example):
    found = {}
    for joint, names, own in joints(model, example):
        if joint.name not in example.assembled.turned:
            at = slice(own.idx_q, own.idx_q + own.nq)
            ends = zip(model.lowerPositionLimit[at], model.upperPositionLimit[at], strict=True)
            found |= dict(zip(names, ends, strict=True))
    return found


@pytest.mark.row("Pinocchio 4.1", "MJCF", agrees="bodies, joints, masses and closures")
def test_pinocchio_has_the_examples_bodies_and_joints(example):
    model, points, frames = loaded(example)
    assert len(frames) == 0
    assert len(points) == len(example.closures)
    assert sorted(speed_names(model, example)) == sorted(example.speeds)
    assert model.njoints - 1 == len(example.compiled.tree)
    bodies = {frame.name for frame in model.frames if frame.type == pin.FrameType.BODY}
    assert bodies >= set(example.bodies)
    # The static base is no body of its: what is welded to the universe has no mass there.
    masses = {body: inertia_of(model, body).mass for body in example.bodies}
    agree_on_masses(example, masses, static=False)


def inertia_of(model, body):
    frame = model.frames[model.getBodyId(body)]
    return model.inertias[frame.parentJoint]


@pytest.mark.row(
    "Pinocchio 4.1", "MJCF", cannot="takes `ref` off the limits, though its coordinates start there"
)
def test_pinocchio_takes_the_coordinate_where_the_file_stands_off_its_limits(example):
    """Its own fault, seen in 4.1: its coordinates start at `ref`, its limits as if they did not."""
    model, _, _ = loaded(example)
    start = example.assembled.coordinates
    found = {
        name: tuple(end + start[name] for end in ends)
        for name, ends in limits(model, example).items()
    }
    agree_on_limits(example, found)


@pytest.mark.row(
    "Pinocchio 4.1",
    "MJCF",
    agrees="places, mass matrix, mobility and gap in three closed configurations",
)
def test_pinocchio_agrees_in_three_closed_configurations(example):
    model, points, _ = loaded(example)
    data = model.createData()
    for standing in example.standings:
        q = place(model, example, standing)
        pin.computeJointJacobians(model, data, q)
        pin.updateFramePlacements(model, data)
        centers = {
            body: data.oMf[model.getBodyId(body)].act(
                model.frames[model.getBodyId(body)].placement.actInv(inertia_of(model, body).lever)
            )
            for body in example.bodies
        }
        agree_on_centers(standing, centers)
        center = pin.centerOfMass(model, data, q)
        assert np.linalg.norm(center - example.center(standing, static=False)) < DOUBLES
        M = np.array(pin.crba(model, data, q))
        M = np.triu(M) + np.triu(M, 1).T
        agree_on_mass_matrix(example, standing, M, speed_names(model, example))
        pin.computeJointJacobians(model, data, q)
        rows = [np.zeros((0, model.nv))]
        for point in points:
            own = point.createData()
            point.calc(model, data, own)
            assert np.abs(own.constraint_position_error).max() < DOUBLES
            rows.append(np.array(point.jacobian(model, data, own)))
        freedoms = model.nv - rank(np.vstack(rows))
        # Pinocchio ignores equalities between joints: each coupling it does not see frees a speed.
        assert freedoms == standing.mobility + len(example.compiled.couplings)
