"""A cut joint moves as it does where it is a joint of the tree: its speed and its acceleration."""

import numpy as np
import pytest

from linkages.spatial import KINDS, loop_with
from robocompiler.compiler.compile import compile_mechanism
from robocompiler.model.joint_kinds import JointKind
from robocompiler.solve.assembly.assemble import assemble
from robocompiler.solve.describe import coordinates
from robocompiler.solve.reduction.curvature import curvature
from robocompiler.solve.reduction.logarithm import chart_curvature, chart_lift
from robocompiler.solve.reduction.reduce import reduce

MOVING = [kind for kind in KINDS if kind not in (JointKind.FIXED, JointKind.FREE)]


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("kind", MOVING)
def test_a_cut_joint_has_the_speeds_and_accelerations_it_has_in_the_tree(kind, reverse):
    mechanism = loop_with(kind, reverse=reverse)
    moved = []
    for cut in ("kind", "other 1"):
        compiled = compile_mechanism(mechanism, cuts=[cut])
        q = coordinates(compiled, assemble(compiled))
        reduction = reduce(compiled, q, ["drive"])
        v = reduction.E @ np.array([1.7])
        c = curvature(compiled, q, v, reduction)
        if cut == "kind":
            moved.append((chart_lift(compiled, q) @ v, chart_curvature(compiled, q, v, c)))
        else:
            own = next(t.v for t in compiled.tree if t.edge.joint.name == "kind")
            moved.append((v[own], c[own]))
    (speed, bent), (tree_speed, tree_bent) = moved
    size = max(1.0, np.abs(tree_bent).max())
    assert np.abs(tree_bent).max() > 1e-3
    np.testing.assert_allclose(speed, tree_speed, rtol=0, atol=1e-12 * size)
    np.testing.assert_allclose(bent, tree_bent, rtol=0, atol=1e-11 * size)
