"""What did not change is not solved again, and a failure changes nothing."""

import numpy as np
import pytest

from linkages.crane import Strokes, crane, crane_solution
from robocompiler.compiler.compile import compile_mechanism
from robocompiler.errors import BadValueError, UnreachableError
from robocompiler.solve.assembly.assemble import assemble
from robocompiler.solve.assembly.update import Assembled
from robocompiler.solve.values import Want

S = Strokes()


@pytest.fixture
def standing():
    compiled = compile_mechanism(crane())
    return Assembled(compiled, assemble(compiled))


def modules_of(standing, joint):
    return {
        module.name
        for module in standing.compiled.modules
        if joint in {standing.compiled.tree[i].edge.joint.name for i in module.joints}
    }


def test_unchanged_inputs_solve_nothing(standing):
    assert standing.update({}).solved == ()
    same = standing.update({"lift": S.lift, "slew": S.slew})
    assert same.solved == ()
    assert len(same.skipped) == 2


def test_one_cylinder_solves_exactly_the_modules_it_touches(standing):
    done = standing.update({"lift": S.lift + 0.05})
    assert set(done.solved) == modules_of(standing, "lift")
    assert len(done.solved) == 1
    exact = crane_solution(S.lift + 0.05, S.fold)
    assert done.configuration.of("boom")[0] == pytest.approx(exact["boom"], abs=1e-13)
    assert standing.update({"lift": S.lift + 0.05}).solved == ()


def test_a_joint_on_no_loop_solves_nothing_and_moves(standing):
    done = standing.update({"slew": 1.0})
    assert done.solved == ()
    assert standing.configuration.of("slew") == (1.0,)


def test_a_failing_module_commits_nothing_of_any(standing):
    before, q = standing.configuration, standing.q
    with pytest.raises(UnreachableError):
        standing.update({"lift": S.lift + 0.05, "fold": 99.0, "slew": 0.9})
    assert standing.configuration == before
    np.testing.assert_array_equal(standing.q, q)
    assert standing.update({"lift": S.lift + 0.05}).solved != ()


def test_an_update_takes_no_wants(standing):
    with pytest.raises(BadValueError, match="a value to be met"):
        standing.update({"lift": Want(1.0)})
