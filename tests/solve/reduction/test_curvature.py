import numpy as np
import pytest

from mechanisms import open_chain_loop
from robocompiler.compiler.compile import compile_mechanism
from robocompiler.compiler.rows import curvature_rows, linearize
from robocompiler.compiler.steps import step
from robocompiler.model.joint_kinds import JointKind
from robocompiler.solve.state import starting_coordinates

KINDS = [kind for kind in JointKind if kind is not JointKind.FIXED]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("reverse", [False, True])
def test_curvature_is_the_rate_of_the_jacobian_for_every_kind_even_off_closure(kind, reverse):
    """Against Richardson-extrapolated differences of K along the motion."""
    compiled = compile_mechanism(open_chain_loop(kind, reverse=reverse), {kind})
    random = np.random.default_rng(3)
    q = starting_coordinates(compiled)
    v = random.uniform(-1.0, 1.0, compiled.nv)

    def slope(h):
        ahead, behind = (
            linearize(compiled, step(compiled, q, s * h * v)).jacobian for s in (1, -1)
        )
        return (ahead - behind) @ v / (2 * h)

    expected = (4.0 * slope(1e-3) - slope(2e-3)) / 3.0
    np.testing.assert_allclose(curvature_rows(compiled, q, v), expected, atol=2e-10)


@pytest.mark.parametrize("kind", KINDS)
def test_a_batch_gives_what_each_of_it_gives(kind):
    compiled = compile_mechanism(open_chain_loop(kind), {kind})
    random = np.random.default_rng(4)
    q0 = starting_coordinates(compiled)
    deltas = random.uniform(-0.3, 0.3, (5, compiled.nv))
    v = random.uniform(-1.0, 1.0, (5, compiled.nv))
    q = step(compiled, np.broadcast_to(q0, (5, compiled.nq)), deltas)
    together = linearize(compiled, q)
    bent = curvature_rows(compiled, q, v)
    for i in range(5):
        alone = linearize(compiled, q[i])
        np.testing.assert_allclose(together.residual[i], alone.residual, atol=1e-15)
        np.testing.assert_allclose(together.jacobian[i], alone.jacobian, atol=1e-15)
        np.testing.assert_allclose(bent[i], curvature_rows(compiled, q[i], v[i]), atol=1e-14)
