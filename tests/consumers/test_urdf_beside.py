"""What stands beside a URDF of our writing: the Extended URDF's list of loops, and the SRDF."""

import numpy as np
import pinocchio as pin
import pytest
import yaml
from agreement import DOUBLES, rank
from test_urdf_pinocchio import pinocchio, placed
from truth import EXAMPLES
from urdf_files import written


@pytest.fixture(params=EXAMPLES)
def urdf(request, tmp_path):
    return written(request.param, tmp_path)


def constraints(model, listed):
    """As the readers of these lists make them: by the frames' joints, in three rows or six."""
    kinds = {"3d": pin.ContactType.CONTACT_3D, "6d": pin.ContactType.CONTACT_6D}
    for names, kind in zip(listed["closed_loop"], listed["type"], strict=True):
        a, b = (model.frames[model.getFrameId(name)] for name in names)
        ends = (a.parentJoint, a.placement, b.parentJoint, b.placement)
        frame = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        yield pin.RigidConstraintModel(kinds[kind], model, *ends, frame)


@pytest.mark.row(
    "Pinocchio 4.1", "Extended URDF", agrees="closures, drives and mobility, by `robot.yaml`"
)
def test_the_list_of_loops_closes_them_and_leaves_our_mobility(urdf):
    path = urdf.path.with_suffix(".robot.yaml")
    truth = urdf.truth
    if not truth.closures:
        assert not path.exists()
        return
    listed = yaml.safe_load(path.read_text())
    model = pinocchio(urdf)
    data = model.createData()
    own = list(constraints(model, listed))
    for standing in truth.standings:
        q = placed(model, urdf, standing)
        pin.computeJointJacobians(model, data, q)
        rows = [pin.getConstraintJacobian(model, data, one, one.createData()) for one in own]
        K = np.vstack(rows)
        assert model.nv - rank(K) == standing.mobility + len(truth.compiled.couplings)
        for one in own:
            ends = (
                data.oMi[one.joint1_id] * one.joint1_placement,
                data.oMi[one.joint2_id] * one.joint2_placement,
            )
            assert np.linalg.norm(ends[0].translation - ends[1].translation) < DOUBLES
    assert set(listed["name_mot"]) == {
        axis.name for axis in urdf.axes if axis.joint.effort is not None
    }


@pytest.mark.row("Pinocchio 4.1", "SRDF", agrees="bodies that touch by their joints do not collide")
def test_what_joints_and_loops_hold_together_is_no_pair_that_collides(urdf):
    model = pinocchio(urdf)
    own = pin.buildGeomFromUrdf(
        model, str(urdf.path), pin.GeometryType.COLLISION, package_dirs=str(urdf.path.parent)
    )
    own.addAllCollisionPairs()
    pin.removeCollisionPairs(model, own, str(urdf.path.with_suffix(".srdf")))
    links = [model.frames[geom.parentFrame].name for geom in own.geometryObjects]
    left = {frozenset((links[p.first], links[p.second])) for p in own.collisionPairs}
    compiled = urdf.truth.compiled
    names = [urdf.bodies["world"], *urdf.truth.bodies]
    edges = [t.edge for t in compiled.tree] + [c.chord for c in compiled.closures]
    held = {frozenset((names[edge.parent], names[edge.child])) for edge in edges}
    assert left.isdisjoint(held)
    every = {frozenset((a, b)) for a in links for b in links if a != b}
    assert left >= every - held
