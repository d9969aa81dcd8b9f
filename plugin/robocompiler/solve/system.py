"""One module as a system of its own: its closures over its own coordinates, in one unit.

A closure sees only the joints of its loop, so what a module does can be asked without walking the
rest of the tree. Residuals and steps are angles [rad] and lengths over the module's size.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from robocompiler.compiler.compiled import CompiledMechanism, Module, coordinates_of, speeds_of
from robocompiler.compiler.elimination import followed
from robocompiler.compiler.restriction import restricted
from robocompiler.compiler.rows import linearize
from robocompiler.compiler.steps import difference, step
from robocompiler.equations.residuals import is_turned_over
from robocompiler.model.joint_motion import held_swing, joint_coordinates, swing_of
from robocompiler.solve.closure import length_scale, row_scales, speed_scales
from robocompiler.solve.limits import excess, single_limits
from robocompiler.solve.state import evaluate, joint_pose, starting_coordinates
from robocompiler.spatial import Array


@dataclass(slots=True, eq=False)
class Work:
    """How much was computed."""

    residuals: int = 0
    """Fresh evaluations of a module's residual, its Jacobian with it."""
    homotopies: int = 0
    """Times a defect had to be traced away."""
    halvings: int = 0
    """Steps that were refused, and taken shorter."""


@dataclass(frozen=True, slots=True)
class Swing:
    """How far a ball of the tree may turn from its zero."""

    q: slice
    """Its quaternion."""
    v: slice
    limit: float
    """[rad]"""


@dataclass(frozen=True, slots=True, eq=False)
class System:
    """A module over its own coordinates q (…, nq) and speeds (…, nv)."""

    compiled: CompiledMechanism
    """Of the module's joints alone."""
    length: float
    """Size of the module [m]: what makes a length a number."""
    rows: Array
    """What a row is multiplied by, shape (rows,)."""
    speeds: Array
    """What a speed is multiplied by, shape (nv,)."""
    coordinates: Array
    """Where its coordinates are in those of the whole mechanism, shape (nq,)."""
    whole: Array
    """Where its speeds are in those of the whole mechanism, shape (nv,)."""
    lowest: Array
    """Limits of each coordinate, infinite where nothing stops it, shape (nq,). Those of a ball's
    swing stand at its quaternion's first number, see `measured`."""
    highest: Array
    least: Array
    """The same, but that a leader stops where what follows it alone does."""
    most: Array
    swings: tuple[Swing, ...]
    work: Work = field(default_factory=Work)

    @property
    def module(self) -> Module:
        """The module, over the system's own indices."""
        return self.compiled.modules[0]

    def linear(self, q: Array) -> tuple[Array, Array]:
        """Residual φ (…, rows) and Jacobian K (…, rows, nv), both in one unit."""
        self.work.residuals += int(np.prod(q.shape[:-1], dtype=int))
        own = linearize(self.compiled, q)
        jacobian = self.rows[:, None] * own.jacobian / self.speeds
        return self.rows * own.residual, jacobian

    def misfit(self, q: Array) -> float:
        """The largest residual of any row, in one unit."""
        return float(np.max(np.abs(self.linear(q)[0]), initial=0.0))

    def move(self, q: Array, delta: Array) -> Array:
        """q after a step δ (…, nv) in one unit."""
        return np.asarray(step(self.compiled, q, delta / self.speeds))

    def apart(self, start: Array, end: Array) -> Array:
        """The step from one q to another, in one unit, shape (…, nv)."""
        return np.asarray(difference(self.compiled, start, end) * self.speeds)

    def of(self, whole: Array) -> Array:
        """Its coordinates among those of the whole mechanism."""
        return np.array(whole[..., self.coordinates])

    def into(self, whole: Array, q: Array) -> Array:
        """The whole mechanism's coordinates with its own replaced."""
        moved = np.array(whole)
        moved[..., self.coordinates] = q
        return moved

    def measured(self, q: Array) -> Array:
        """What limits speak of: q, but for balls that have one their swing [rad] as the first."""
        if not self.swings:
            return q
        measured = np.array(q)
        for swing in self.swings:
            measured[..., swing.q.start] = swing_of(q[..., swing.q])
        return measured

    def beyond(self, q: Array) -> Array:
        """How far each coordinate is beyond its limits, in its own unit, shape (…, nq)."""
        x = self.measured(q)
        return np.asarray(np.maximum(np.maximum(self.lowest - x, x - self.highest), 0.0))

    def within(self, q: Array) -> Array:
        """The nearest coordinates within all limits, shape (…, nq)."""
        nearest = np.clip(q, self.least, self.most)
        for swing in self.swings:
            nearest[..., swing.q] = held_swing(q[..., swing.q], swing.limit)
        return followed(self.compiled, nearest)

    def cut_at_limit(self, q: Array, slack: float) -> str | None:
        """Name of a cut joint that is beyond its limits, if any is."""
        limited = [c.chord.joint for c in self.compiled.closures if c.chord.joint.limited]
        found = self.chords(q) if limited else {}
        beyond = (joint.name for joint in limited if excess(joint, found[joint.name]) > slack)
        return next(beyond, None)

    def turned_over(self, q: Array) -> bool:
        """Whether at any q an axis is held the wrong way round, which its rows cannot see."""
        state = evaluate(self.compiled, q)
        return any(
            is_turned_over(c.kind, joint_pose(state, c.chord)) for c in self.compiled.closures
        )

    def joint_of(self, speed: int) -> str:
        """Name of the joint a speed belongs to."""
        tree = self.compiled.tree
        return next(t.edge.joint.name for t in tree if t.v.start <= speed < t.v.stop)

    def own(self, speeds: Iterable[int]) -> list[int]:
        """Those that are the mechanism's own, not prescribed from outside."""
        movable = set(self.compiled.movable)
        return [i for i in speeds if i in movable]

    def own_joints(self, speeds: Iterable[int]) -> tuple[str, ...]:
        """Names of the mechanism's own joints that these belong to, each once."""
        return tuple(dict.fromkeys(self.joint_of(i) for i in self.own(speeds)))

    def speeds_of(self, joint: str) -> list[int]:
        """Its speeds of a joint, none where the joint is another module's."""
        return speeds_of(t for t in self.compiled.tree if t.edge.joint.name == joint)

    def chords(
        self, q: Array, near: Mapping[str, tuple[float, ...]] | None = None
    ) -> dict[str, tuple[float, ...]]:
        """Coordinates of the cut joints, turns counted from those in `near`, or as drawn."""
        state = evaluate(self.compiled, q)
        known = near or {}
        found: dict[str, tuple[float, ...]] = {}
        for closure in self.compiled.closures:
            joint = closure.chord.joint
            before = known.get(joint.name, joint.initial)
            X_FM = joint_pose(state, closure.chord)
            found[joint.name] = joint_coordinates(joint.kind, X_FM, before, joint.pitch)
        return found

    def turn_counter(self, chords: dict[str, tuple[float, ...]]) -> Callable[[Array], None]:
        """What brings cut joints' coordinates along, told every q of a way, their turns counted."""
        factors = {factor for c in self.compiled.closures for factor in c.kind.factors}
        winds = any(factor.is_turn and factor.nq == 1 for factor in factors)

        def seen(q: Array) -> None:
            chords.update(self.chords(q, chords) if winds else {})

        return seen


def systems_of(compiled: CompiledMechanism) -> tuple[System, ...]:
    """Every module of a mechanism, in its order."""
    q = starting_coordinates(compiled)
    return tuple(
        system_of(
            compiled,
            module,
            length_scale(compiled, evaluate(compiled, q, module.joints), module),
        )
        for module in compiled.modules
    )


def system_of(compiled: CompiledMechanism, module: Module, length: float) -> System:
    """One module of a mechanism, `length` its size [m]."""
    own = restricted(compiled, module)
    tree = [compiled.tree[i] for i in module.joints]
    lowest, highest = _limits(own)
    least, most = _stops(own, lowest, highest)
    return System(
        compiled=own,
        length=length,
        rows=row_scales(own, own.modules[0], length),
        speeds=speed_scales(own, length),
        coordinates=np.array(coordinates_of(tree), dtype=int),
        whole=np.array(speeds_of(tree), dtype=int),
        lowest=lowest,
        highest=highest,
        least=least,
        most=most,
        swings=_swings(own),
    )


def _swings(compiled: CompiledMechanism) -> tuple[Swing, ...]:
    """Of the balls that have a limit; the rotation is the last of a joint's coordinates."""
    return tuple(
        Swing(slice(t.q.stop - 4, t.q.stop), slice(t.v.stop - 3, t.v.stop), limit)
        for t in compiled.tree
        if (limit := t.edge.joint.swing_limit) is not None
    )


def _limits(compiled: CompiledMechanism) -> tuple[Array, Array]:
    lowest, highest = np.full(compiled.nq, -np.inf), np.full(compiled.nq, np.inf)
    for tree_joint in compiled.tree:
        start = tree_joint.q.start
        for at, (low, high) in single_limits(tree_joint.edge.joint):
            lowest[start + at], highest[start + at] = low, high
    for swing in _swings(compiled):
        highest[swing.q.start] = swing.limit
    return lowest, highest


def _stops(compiled: CompiledMechanism, lowest: Array, highest: Array) -> tuple[Array, Array]:
    """Limits with those of eliminated followers of one leader put on their leaders."""
    least, most = lowest.copy(), highest.copy()
    for coupling in reversed(compiled.eliminated):
        if len(coupling.leaders) == 1:
            (leader,), (ratio,), at = coupling.leaders, coupling.ratios, coupling.follower.q
            ends = sorted((x - coupling.offset) / ratio for x in (least[at], most[at]))
            least[leader.q] = max(least[leader.q], ends[0])
            most[leader.q] = min(most[leader.q], ends[1])
    return least, most
