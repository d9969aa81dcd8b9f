import numpy as np
import pinocchio as pin
import pytest


def loaded(example):
    model, points, frames = pin.buildModelAndConstraintsFromMJCF(str(example.path))
    q = np.array(next(c.data() for c in model.referenceConfigurations if c.key() == "assembled"))
    return model, points, frames, q


def test_pinocchio_loads_the_example_and_agrees(example):
    model, points, frames, q = loaded(example)
    data = model.createData()
    assert len(frames) == 0
    assert len(points) == len(example.compiled.closures)
    pin.computeJointJacobians(model, data, q)
    center = pin.centerOfMass(model, data, q)
    # Pinocchio's total omits the static base: what is welded to the universe is no body of its.
    assert pin.computeTotalMass(model) == pytest.approx(example.mass(static=False), rel=1e-12)
    np.testing.assert_allclose(center, example.center(static=False), atol=1e-12)
    rows = [np.zeros((0, model.nv))]
    for point in points:
        own = point.createData()
        point.calc(model, data, own)
        assert np.abs(own.constraint_position_error).max() < 1e-9
        rows.append(np.array(point.jacobian(model, data, own)))
    K = np.vstack(rows)
    rank = np.linalg.matrix_rank(K, tol=1e-8) if K.size else 0
    # Pinocchio ignores equalities between joints: each coupling it does not see frees a speed.
    assert model.nv - rank == example.mobility + len(example.compiled.couplings)
