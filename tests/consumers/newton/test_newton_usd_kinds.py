"""Joints of every kind in Newton: those of several freedoms are one joint, some of it locked."""

import newton
import numpy as np
import pytest
import warp
from agreement import FLOATS
from in_newton import NEWTON, pose_of
from usd_kinds import KINDS, written

import robocompiler as rc
from linkages.apart import geared_and_floating, geared_chain, two_trees
from linkages.planar import slider_crank
from robocompiler.model.joint_kinds import JointKind
from robocompiler.solve.state import evaluate

FIRST = {
    JointKind.CYLINDRICAL: (1, 0),
    JointKind.UNIVERSAL: (0, 1),
    JointKind.PLANAR: (0, 1, 2),
    JointKind.TRANSLATION: (0, 1, 2),
}
"""The factors of each kind in Newton's order, moves first."""


@pytest.mark.row(NEWTON, "USD", agrees="profile `newton`: joints of every kind, crossed either way")
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_newton_moves_a_joint_of_any_kind_as_we_do(kind, reverse, tmp_path):
    path, samples = written(kind, reverse, "newton", tmp_path)
    builder = newton.ModelBuilder()
    builder.add_usd(str(path))
    model = builder.finalize(device="cpu")
    labels = [label.split("/")[-1] for label in builder.joint_label]
    bodies = [label.split("/")[-1] for label in builder.body_label]
    starts = model.joint_q_start.numpy()
    for moved in samples:
        q = model.joint_q.numpy()
        for name, value in coordinates(kind, reverse, moved, labels).items():
            joint, _, offset = name.partition("+")
            q[starts[labels.index(joint)] + int(offset or 0)] = value
        state = model.state()
        newton.eval_fk(model, warp.array(q, dtype=warp.float32), model.joint_qd, state)
        places = state.body_q.numpy()
        for body, X in moved.poses.items():
            own = pose_of(places[bodies.index(body)])
            np.testing.assert_allclose(own.p, X.p, atol=FLOATS)
            np.testing.assert_allclose(own.R, X.R, atol=FLOATS)


def coordinates(kind, reverse, moved, labels):
    """By joint and offset in it; what is crossed backwards has x and y in the other order."""
    if kind not in FIRST or "J" not in labels:
        return {name: value for name, value in moved.axes.items() if name in labels}
    order = FIRST[kind]
    if reverse and kind is not JointKind.CYLINDRICAL:
        order = (order[1], order[0], *order[2:])
    own = {f"J+{place}": moved.values["J"][factor] for place, factor in enumerate(order)}
    return {"S": moved.axes["S"], **own}


@pytest.mark.row(NEWTON, "USD", agrees="profile `newton`: screws and couplings, as mimics")
@pytest.mark.parametrize("reverse", [False, True])
def test_a_screws_advance_follows_its_turn(reverse, tmp_path):
    path, _ = written(JointKind.SCREW, reverse, "newton", tmp_path)
    builder = newton.ModelBuilder()
    builder.add_usd(str(path))
    model = builder.finalize(device="cpu")
    labels = [label.split("/")[-1] for label in builder.joint_label]
    follower = labels.index("J_advance")
    assert model.joint_mimic_joint.numpy()[follower] == labels.index("J")
    np.testing.assert_allclose(model.joint_mimic_coeffs.numpy()[follower], [0.0, 0.01], rtol=FLOATS)


TIED = {
    "a loop": two_trees("loop"),
    "a gear": two_trees("gear"),
    "slider and crank": slider_crank(),
    "a chain of gears": geared_chain(),
    "a gear to what floats": geared_and_floating(),
}


@pytest.mark.row(NEWTON, "USD", agrees="profiles `newton`, `generic`: what ties trees on the world")
@pytest.mark.parametrize("profile", ["newton", "generic"])
@pytest.mark.parametrize("name", TIED)
def test_newton_reads_loops_and_couplings_wherever_they_are(name, profile, tmp_path):
    """Ties from one articulation to another, or to what follows another, stop its import; and a
    joint at the world's origin, as the chain's first, is not to count from where it stands.
    """
    compiled = rc.compile(TIED[name])
    path = tmp_path / "m.usda"
    rc.write(compiled, path, usd_profile=profile)
    builder = newton.ModelBuilder()
    resolvers = [newton.usd.SchemaResolverNewton(), newton.usd.SchemaResolverPhysx()]
    builder.add_usd(str(path), schema_resolvers=resolvers)
    model = builder.finalize(device="cpu")
    state = model.state()
    newton.eval_fk(model, model.joint_q, model.joint_qd, state)
    bodies = [label.split("/")[-1] for label in builder.body_label]
    poses = evaluate(compiled, rc.coordinates(compiled, rc.assemble(compiled))).poses
    for body, X in zip(compiled.bodies[1:], poses[1:], strict=True):
        own = pose_of(state.body_q.numpy()[bodies.index(body.name)])
        np.testing.assert_allclose(own.p, X.p, atol=FLOATS)
        np.testing.assert_allclose(own.R, X.R, atol=FLOATS)
