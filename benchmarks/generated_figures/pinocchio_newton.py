"""Newton on Pinocchio's residual and Jacobian, as one writes it in Python, and as fast as it gets.

Both: `computeJointJacobians`, `calc` of each constraint, its `c1Mc2.translation`,
`getConstraintsJacobian`; a step of the dependent speeds; E from the last Jacobian. What differs
from one way to another is how residuals are read, and what solves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg.lapack import dgesv

from generated_figures.problems import TOLERANCE, Problem
from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.model.joint_kinds import JointKind
from robocompiler.spatial import Array, Pose

Newton = Callable[[Array], tuple[Array, Array]]
"""From a start to the closed state and its lift, of dependent speeds by independent ones."""
MOST = 10
"""Steps."""


def missing() -> str | None:
    """Why there is no Pinocchio, if there is none."""
    try:
        import pinocchio
    except ImportError as error:
        return f"Pinocchio cannot be imported ({error}); `make bench` has it"
    return None if hasattr(pinocchio, "getConstraintsJacobian") else "another Pinocchio"


@dataclass(frozen=True)
class Model:
    """A mechanism in Pinocchio: its tree, its cut balls and pins as points that meet."""

    model: Any
    constraints: Any
    q: Array
    """Of each of its coordinates, where ours is."""
    v: Array
    """Likewise of its speeds. The linear ones of a free joint are in the moved frame's axes."""


def model_of(compiled: CompiledMechanism) -> Model:
    """Depth first, as Pinocchio numbers; every frame where it is in ours."""
    import pinocchio as pin

    model = pin.Model()
    on = {0: (0, Pose.identity())}  # of each body its joint, and its frame seen from there
    q: list[int] = []
    v: list[int] = []
    waiting = [t for t in reversed(compiled.tree) if t.inboard == 0]
    while waiting:
        joint = waiting.pop()
        parent, X = on[joint.inboard]
        kind, frame = joint.edge.joint.kind, _placement(X @ joint.edge.X_PF)
        own = model.addJoint(parent, _joint(kind), frame, joint.edge.joint.name)
        on[joint.outboard] = own, joint.edge.X_CM.inverse()
        numbers = list(range(joint.q.start, joint.q.stop))
        q += [*numbers[:3], *numbers[4:], numbers[3]] if kind is JointKind.FREE else numbers
        v += range(joint.v.start, joint.v.stop)
        waiting += [t for t in reversed(compiled.tree) if t.inboard == joint.outboard]
    constraints = pin.StdVec_RigidConstraintModel()
    for closure in compiled.closures:
        edge = closure.chord
        (a, X_a), (b, X_b) = on[edge.parent], on[edge.child]
        ends = (a, _placement(X_a @ edge.X_PF), b, _placement(X_b @ edge.X_CM))
        made = pin.RigidConstraintModel(
            pin.ContactType.CONTACT_3D, model, *ends, pin.ReferenceFrame.LOCAL
        )
        constraints.append(made)
    return Model(model, constraints, np.array(q), np.array(v))


def _placement(X: Pose) -> Any:
    import pinocchio as pin

    return pin.SE3(X.R, X.p)


def _joint(kind: JointKind) -> Any:
    import pinocchio as pin

    kinds = {
        JointKind.REVOLUTE: pin.JointModelRZ,
        JointKind.PRISMATIC: pin.JointModelPZ,
        JointKind.FREE: pin.JointModelFreeFlyer,
    }
    return kinds[kind]()


class Peer:
    """A problem as Pinocchio has it."""

    def __init__(self, problem: Problem, rows: int | None = None) -> None:
        """`rows` are the first of its point that are solved, where not all are needed."""
        self.problem, self.rows, self.of = problem, rows, model_of(problem.compiled)
        partition = problem.bound.code.layout.partition
        places = {int(speed): at for at, speed in enumerate(self.of.v)}
        self.dependent = np.array(sorted(places[i] for i in partition.dependent))
        self.independent = np.array([places[i] for i in partition.independent])
        self.starts = problem.starts[:, self.of.q].copy()

    def ways(self) -> dict[str, Newton]:
        """The ways to write it."""
        return {
            "numpy.linalg.solve": self._newton(np.linalg.solve, fresh=True),
            "numpy.linalg.solve, residuals kept in sight": self._newton(np.linalg.solve),
            "LAPACK itself, residuals kept in sight": self._newton(_lapack),
            "numpy.linalg.lstsq, all rows": self._newton(_least, fresh=True, whole=True),
        }

    def _newton(
        self, solve: Callable[[Array, Array], Array], fresh: bool = False, whole: bool = False
    ) -> Newton:
        """One of them. What is looked up once is local, as who wants speed writes it."""
        import pinocchio as pin

        model, constraints = self.of.model, self.of.constraints
        data = model.createData()
        datas = pin.StdVec_RigidConstraintData([c.createData() for c in constraints])
        pairs = [(c.calc, d) for c, d in zip(constraints, datas, strict=True)]
        kinematics, jacobian = pin.computeJointJacobians, pin.getConstraintsJacobian
        integrate, dependent, independent = pin.integrate, self.dependent, self.independent
        rows = None if whole else self.rows
        read = _fresh(datas, rows) if fresh else _in_sight(datas, rows)
        allowed, delta = (TOLERANCE * self.problem.size) ** 2, np.zeros(model.nv)

        def newton(q: Array) -> tuple[Array, Array]:
            for _ in range(MOST):
                kinematics(model, data, q)
                for calc, own in pairs:
                    calc(model, data, own)
                residual = read()
                J = jacobian(model, data, constraints, datas)
                if rows:
                    J = J[:rows]
                block = J[:, dependent]
                if residual.dot(residual) <= allowed:
                    return q, -solve(block, J[:, independent])
                delta[dependent] = solve(block, residual)
                q = integrate(model, q, delta)
            raise RuntimeError("Newton on Pinocchio did not converge")

        return newton

    def agreement(self, newton: Newton) -> float:
        """The largest difference of a closed state or a lift from ours, over all starts."""
        worst, bound = 0.0, self.problem.bound
        for ours, theirs in zip(self.problem.starts, self.starts, strict=True):
            q, E = newton(theirs)
            bound.q[:] = ours
            bound.correct()
            worst = max(worst, float(np.max(np.abs(q - bound.q[self.of.q]))))
            lift = self._turned(bound.E[self.of.v])[self.dependent]
            worst = max(worst, float(np.max(np.abs(E - lift))))
        if bound.recovered:
            raise RuntimeError("the reference had to help")
        return worst

    def _turned(self, E: Array) -> Array:
        """Our lift, in Pinocchio's order, with the speeds of free joints in the moved axes."""
        turned = np.array(E)
        for joint in self.problem.compiled.tree:
            if joint.edge.joint.kind is JointKind.FREE:
                at = int(np.flatnonzero(self.of.v == joint.v.start)[0])
                w, x, y, z = self.problem.bound.q[joint.q][3:]
                R = Pose.of((0.0, 0.0, 0.0), (w, x, y, z)).R
                turned[at : at + 3] = R.T @ E[at : at + 3]
        return turned


def runs(newton: Newton, starts: Array) -> Callable[[], None]:
    """One after the other from each start."""
    each = list(starts)

    def call() -> None:
        for start in each:
            newton(start)

    return call


def _fresh(datas: Sequence[Any], rows: int | None) -> Callable[[], Array]:
    """The translations, asked for each time."""
    if len(datas) == 1:
        (only,) = datas
        return lambda: only.c1Mc2.translation[:rows]
    return lambda: np.concatenate([d.c1Mc2.translation for d in datas])


def _in_sight(datas: Sequence[Any], rows: int | None) -> Callable[[], Array]:
    """Views of Pinocchio's memory, taken once: undocumented, but it saves half of the time."""
    views = [d.c1Mc2.translation for d in datas]
    if len(views) == 1:
        only = views[0][:rows]
        return lambda: only
    return lambda: np.concatenate(views)


def _lapack(A: Array, b: Array) -> Array:
    """Without NumPy's checks."""
    _, _, x, _ = dgesv(A, b)
    return np.asarray(x)


def _least(A: Array, b: Array) -> Array:
    """For rows that are redundant, which nobody has told apart."""
    return np.asarray(np.linalg.lstsq(A, b, rcond=1e-10)[0])
