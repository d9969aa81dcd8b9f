"""Which dimension matters: how joints and gaps answer to where each joint's frames are placed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from robocompiler.compiler.compiled import Closure, CompiledMechanism, Edge
from robocompiler.equations.residuals import closure_gradient, row_is_length
from robocompiler.model.mechanism import WORLD
from robocompiler.model.tasks import with_tasks
from robocompiler.solve.closure import length_scale, path_columns, seen_at_chord
from robocompiler.solve.reduction.checks import first_of
from robocompiler.solve.reduction.logarithm import (
    chart_coordinates,
    chart_follow,
    chart_slices,
)
from robocompiler.solve.reduction.partition import Partition
from robocompiler.solve.reduction.reduce import reduce
from robocompiler.solve.state import State, evaluate, joint_pose
from robocompiler.spatial import Array, Pose, cross

AXES = ("x", "y", "z", "turn x", "turn y", "turn z")
# Influences below this share of the greatest, in units of the mechanism's size, are rounding.
NONE = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Dimension:
    """One number that says where a joint's frame is on its body."""

    frame: str
    joint: str
    """The first joint that uses the frame."""
    body: str
    along: str
    """`x`, `y` or `z` [m], or `turn x` and so on [rad] about the frame's origin, along the axes of
    the body that the frame is drawn on."""

    @property
    def is_length(self) -> bool:
        """Whether it is a length [m]; otherwise an angle [rad]."""
        return not self.along.startswith("turn")


@dataclass(frozen=True, slots=True, kw_only=True)
class Influence:
    """What one dimension does to one joint or closure, the worst of a batch."""

    dimension: Dimension
    affected: str
    """Name of a speed (see `speed_names`), or of a closure whose misfit it is."""
    is_misfit: bool
    is_length: bool
    value: float
    """[m or rad per m or rad]; of a misfit, its size."""
    share: float
    """The same in units of the mechanism's size, by which influences compare."""

    def __str__(self) -> str:
        """As people say it: mm or degrees, for each mm or degree."""
        scale = (1e3 if self.is_length else math.degrees(1.0)) / (
            1e3 if self.dimension.is_length else math.degrees(1.0)
        )
        unit = f"{'mm' if self.is_length else 'deg'} per {_unit(self.dimension)}"
        what = f"misfit of {self.affected}" if self.is_misfit else self.affected
        where = f"{self.dimension.frame} {self.dimension.along}"
        return f"{where:<28} {what:<28} {self.value * scale:+10.4f} {unit}"


def _unit(dimension: Dimension) -> str:
    return "mm" if dimension.is_length else "deg"


@dataclass(frozen=True, slots=True, eq=False)
class Sensitivity:
    """First derivatives by every dimension, the independent joints held where they are."""

    dimensions: tuple[Dimension, ...]
    independent: tuple[str, ...]
    """Speeds that are held."""
    speeds: tuple[str, ...]
    """All speeds by name: the tree's, then those of the cut joints."""
    motion: Array
    """How each speed's coordinate answers, shape (…, speeds, dimensions); 0 for those held."""
    closures: tuple[str, ...]
    """For each row of `misfit`, its closure or coupling."""
    misfit: Array
    """What no joint can make good [m or rad], shape (…, rows, dimensions)."""
    speed_is_length: tuple[bool, ...]
    row_is_length: tuple[bool, ...]
    size: float
    """The mechanism's [m], by which lengths and angles compare."""

    def of(self, speed: str, frame: str, along: str) -> Array:
        """How one speed's coordinate answers to one dimension, shape (…)."""
        at = [(d.frame, d.along) for d in self.dimensions].index((frame, along))
        return np.asarray(self.motion[..., self.speeds.index(speed), at])

    def influences(self, most: int | None = None) -> tuple[Influence, ...]:
        """What matters, the greatest first, or the `most` greatest; for a batch, at its worst."""
        gaps, names, lengths = self._gaps()
        values = _worst(np.concatenate([self.motion, gaps], axis=-2))
        affected = [*self.speeds, *names]
        is_length = np.array([*self.speed_is_length, *lengths], dtype=bool)
        by_length = np.array([d.is_length for d in self.dimensions], dtype=bool)
        shares = values / np.where(is_length, self.size, 1.0)[:, None]
        shares = shares * np.where(by_length, self.size, 1.0)
        sizes = np.abs(shares) / max(float(np.abs(shares).max(initial=0.0)), np.finfo(float).tiny)
        # Rounded, so that equals stay in the order of joints and frames.
        order = np.argsort(-np.round(sizes, 9), axis=None, kind="stable")
        order = order[: np.count_nonzero(sizes > NONE)][:most]
        return tuple(
            Influence(
                dimension=self.dimensions[j],
                affected=affected[i],
                is_misfit=bool(i >= len(self.speeds)),
                is_length=bool(is_length[i]),
                value=float(values[i, j]),
                share=float(shares[i, j]),
            )
            for i, j in zip(*np.unravel_index(order, sizes.shape), strict=True)
        )

    def table(self, lines: int = 20) -> str:
        """The greatest influences, one a line, in mm and degrees."""
        held = ", ".join(self.independent)
        return "\n".join([f"with {held} held:", *map(str, self.influences(lines))])

    def _gaps(self) -> tuple[Array, list[str], list[bool]]:
        """Sizes of each closure's misfit: of its lengths and of its angles."""
        kinds = list(zip(self.closures, self.row_is_length, strict=True))
        names = list(dict.fromkeys(kinds))
        sizes = [
            np.linalg.norm(self.misfit[..., [k == kind for k in kinds], :], axis=-2)
            for kind in names
        ]
        gaps = np.stack(sizes, axis=-2) if sizes else self.misfit
        return gaps, [name for name, _ in names], [is_length for _, is_length in names]


def _worst(values: Array) -> Array:
    """Of a batch, shape (…, i, j), each entry where it is greatest, shape (i, j)."""
    flat = values.reshape(math.prod(values.shape[:-2]), *values.shape[-2:])
    at = np.argmax(np.abs(flat), axis=0)
    return np.asarray(np.take_along_axis(flat, at[None], axis=0)[0])


def sensitivity(
    compiled: CompiledMechanism, q: Array, independent: Sequence[str] | Partition = ()
) -> Sensitivity:
    """How joints and gaps answer to each dimension, at closed configurations of shape (…, nq).

    A frame displaced on its body displaces everything beyond it by one more spatial twist on the
    path; so ∂φ/∂π is assembled like a joint's column, and ∂q/∂π = -K⁺ ∂φ/∂π with no differences.
    What is left of ∂φ/∂π is misfit. Both frames of every joint count; what is welded stays.

    Args:
        compiled: the mechanism.
        q: where it stands.
        independent: what is held (see `reduce`).
    """
    reduction = reduce(compiled, q, independent)
    state = evaluate(compiled, reduction.q)
    dimensions, displaced = _displacements(compiled, state)
    spatial = [_between(compiled, state, c, displaced) for c in compiled.closures]
    rows = [_rows(state, c, twists) for c, twists in zip(compiled.closures, spatial, strict=True)]
    coupled = np.zeros((*reduction.q.shape[:-1], len(compiled.couplings), len(dimensions)))
    d_phi = np.concatenate([*rows, coupled], axis=-2)
    moved = -reduction.inverse @ d_phi
    misfit = d_phi + reduction.jacobian @ moved
    chart = _chart(compiled, state, reduction.q, spatial, moved)
    closures = [c.name for c in compiled.closures for _ in range(c.rows)]
    lengths = [length for c in compiled.closures for length in row_is_length(c.kind)]
    edges = _edges(compiled)
    speed_is_length = tuple(length for edge in edges for length in _lengths(edge))
    first = evaluate(compiled, first_of(reduction.q, "sensitivity"))
    return Sensitivity(
        dimensions=dimensions,
        independent=reduction.names,
        speeds=tuple(name for edge in edges for name in edge.joint.speed_names),
        motion=np.concatenate([moved, chart], axis=-2),
        closures=(*closures, *(c.name for c in compiled.couplings)),
        misfit=misfit,
        speed_is_length=speed_is_length,
        row_is_length=(*lengths, *(speed_is_length[c.follower.v] for c in compiled.couplings)),
        size=max((length_scale(compiled, first, m) for m in compiled.modules), default=1.0),
    )


_Displaced = dict[str, tuple[list[int], Array]]
"""For each joint: indices of its frames' dimensions, and the twists its child side moves by."""


def _edges(compiled: CompiledMechanism) -> list[Edge]:
    """The joints of the tree, and then those cut."""
    return [*(t.edge for t in compiled.tree), *(c.chord for c in compiled.closures)]


def _lengths(edge: Edge) -> list[bool]:
    """Which of a joint's speeds are lengths."""
    return [not f.is_turn for f in edge.joint.kind.factors for _ in range(f.nv)]


def _displacements(
    compiled: CompiledMechanism, state: State
) -> tuple[tuple[Dimension, ...], _Displaced]:
    """Every dimension, and the spatial twist in the world that it gives a joint's child side
    against the parent's while the joint stands still: that of F, less that of M.
    """
    hosts = {welded.name: welded for welded in compiled.welded}
    whole = with_tasks(compiled.mechanism, compiled.tasks)
    bodies = {frame.name: frame.body for frame in whole.frames}
    at: dict[str, int] = {}
    dimensions: list[Dimension] = []
    displaced: _Displaced = {}
    for edge in _edges(compiled):
        indices: list[int] = []
        twists: list[Array] = []
        for frame, body, own, sign in (
            (edge.joint.parent, edge.parent, edge.X_PF, 1.0),
            (edge.joint.child, edge.child, edge.X_CM, -1.0),
        ):
            name = bodies[frame]
            X_WB = state.poses[body] @ hosts[name].pose if name != WORLD else Pose.identity()
            twists.append(sign * _moves(X_WB.R, (state.poses[body] @ own).p))
            if frame not in at:
                at[frame] = len(dimensions)
                dimensions += [
                    Dimension(frame=frame, joint=edge.joint.name, body=name, along=along)
                    for along in AXES
                ]
            indices += range(at[frame], at[frame] + len(AXES))
        shape = np.broadcast_shapes(*(t.shape for t in twists))
        both = np.concatenate([np.broadcast_to(t, shape) for t in twists], axis=-1)
        displaced[edge.joint.name] = (indices, both)
    return tuple(dimensions), displaced


def _moves(axes: Array, point: Array) -> Array:
    """The six twists of moving along and turning about axes through a point, shape (…, 6, 6)."""
    batch = np.broadcast_shapes(axes.shape[:-2], point.shape[:-1])
    twists = np.zeros((*batch, 6, 6))
    twists[..., :3, :3], twists[..., 3:, 3:] = axes, axes
    for k in range(3):
        twists[..., :3, 3 + k] = cross(point, axes[..., :, k])
    return twists


def _between(
    compiled: CompiledMechanism, state: State, closure: Closure, displaced: _Displaced
) -> Array:
    """The spatial twist of M against F for each dimension, shape (…, 6, dimensions)."""
    count = 1 + max(index for indices, _ in displaced.values() for index in indices)
    total = np.zeros((*state.columns.shape[:-1], count))
    steps = [(-1.0, closure.chord)]
    for sign, path in ((-1.0, closure.to_parent), (1.0, closure.to_child)):
        for tree_joint in (compiled.tree[i] for i in path):
            steps.append((-sign if tree_joint.reversed else sign, tree_joint.edge))
    for sign, edge in steps:
        indices, twists = displaced[edge.joint.name]
        for half in (slice(0, 6), slice(6, 12)):
            total[..., indices[half]] += sign * twists[..., half]
    return total


def _rows(state: State, closure: Closure, spatial: Array) -> Array:
    """What spatial twists of M against F make of a closure's rows, shape (…, rows, k)."""
    edge = closure.chord
    G = closure_gradient(closure.kind, joint_pose(state, edge), edge.joint.pitch)
    return np.asarray(G @ seen_at_chord(state, closure, spatial))


def _chart(
    compiled: CompiledMechanism, state: State, q: Array, spatial: list[Array], moved: Array
) -> Array:
    """How the cut joints' own coordinates answer, shape (…, chart speeds, dimensions)."""
    chart = chart_coordinates(compiled, q)
    rows = [moved[..., :0, :]]
    slices = chart_slices(compiled)
    for closure, (own, _), twists in zip(compiled.closures, slices, spatial, strict=True):
        total = path_columns(compiled, state, closure) @ moved + twists
        rows.append(chart_follow(state, closure, chart[..., own], total))
    return np.concatenate(rows, axis=-2)
