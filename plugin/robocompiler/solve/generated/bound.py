"""A mechanism bound to its generated code and to buffers: closed and lifted in microseconds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from robocompiler.codegen.kernels import Call
from robocompiler.errors import BadValueError
from robocompiler.solve.generated.code import Code
from robocompiler.solve.generated.failures import Failures
from robocompiler.solve.generated.following import Led, follow_table, refuse_dependent
from robocompiler.solve.generated.settings import settings_of
from robocompiler.solve.generated.sharing import (
    in_threads,
    refuse_counts,
    shares,
    spread,
    together,
)
from robocompiler.solve.reduction.partition import speed_names
from robocompiler.solve.values import Tables, read_tables
from robocompiler.spatial import Array


class Bound:
    """A mechanism's generated code, bound to buffers that it works in.

    Write coordinates into `q`, call, and read: nothing is allocated. Independent coordinates are
    kept; the others are where Newton starts, so that they have to be near: those of the last call,
    say; a cut screw within half a turn. Limits are not minded. A state of which the code cannot be
    sure, since Newton does not contract, since a pivot has shrunk or since a row that it did not
    solve is not met, is done again by the reference, which takes 5 ms to 500 ms and is right, or
    raises.

    It may be copied and pickled; a copy has buffers of its own. One Bound is for one thread at a
    time; others of the same code (`batch`, copies) may run in other threads meanwhile.

    Attributes:
        compiled: the mechanism.
        q: coordinates, shape (nq,); of a batch (nq, states), and so on.
        v: speeds, shape (nv,).
        c: curvature, v̇ = E u̇ + c, shape (nv,).
        E: the lift, v = E u, shape (nv, m).
        residual: φ of all closures, then of couplings, shape (rows,); see `evaluate`.
        jacobian: K = ∂φ/∂v, shape (rows, nv).
        home: coordinates where it was bound, closed, shape (nq,); it is read-only.
        recovered: how many states the reference had to do.
    """

    def __init__(
        self,
        code: Code,
        q: Array,
        tolerance: float,
        states: int | None,
        threads: int,
        further: int = 0,
    ) -> None:
        """See `bind`. So many further rows of the buffer are for others."""
        layout, count = code.layout, 1 if states is None else states
        self.code, self.compiled, self.recovered = code, layout.compiled, 0
        self._tolerance, self._states, self._threads = tolerance, states, threads
        self._further = further
        self.home = q.view()  # where batches start too, so that nobody may write to it
        self.home.flags.writeable = False
        self.whole = layout.empty_state(spread(count), further)
        self.buffer = self.whole[:, :count]
        """Rows as `Layout` has them, a column a state; what code works in is `whole`."""
        self._status = self.statuses([len(kind.plans) for kind in layout.types])
        nq, nv, m = layout.compiled.nq, layout.compiled.nv, len(layout.partition.independent)
        self._q = self.seen(self.buffer[:nq], nq)
        self._v = self.seen(self.buffer[layout.v], nv)
        self._c = self.seen(self.buffer[layout.c], nv)
        self._E = self.seen(self.buffer[layout.E], nv, m)
        self.buffer[:nq] = q[:, None]
        self._evaluated: Array | None = None
        self._correct: Call
        self._lift: Call
        self._motion: Call
        self._evaluate: Call
        # Each is prepared when it is first called, and takes its own place here.
        self._correct, self._lift, self._motion, self._evaluate = (
            partial(self._first, name) for name in ("correct", "lift", "motion", "evaluate")
        )

    def __reduce__(self) -> tuple[Any, ...]:
        """For `copy` and `pickle`: what it is made of, and what stands in its buffers."""
        home = self.home, self._tolerance, self._states, self._threads, self._further
        return _again, (self.code, home, self.buffer, self._evaluated)

    def statuses(self, counts: Sequence[int]) -> list[Array]:
        """What is said of so many instances at each state, for several calls."""
        return [np.zeros((count, self.whole.shape[1]), dtype=np.int32) for count in counts]

    def seen(self, rows: Array, *shape: int) -> Array:
        """Rows of a buffer as callers see them, by default one entry a row."""
        shape = shape or (len(rows),)
        rows = rows[:, : self.buffer.shape[1]]
        return rows.reshape(shape if self._states is None else (*shape, rows.shape[-1]))

    @property
    def q(self) -> Array:
        """Coordinates. What is assigned is copied in."""
        return self._q

    @q.setter
    def q(self, given: Array) -> None:
        put(self._q, "q", given)

    @property
    def v(self) -> Array:
        """Speeds. What is assigned is copied in."""
        return self._v

    @v.setter
    def v(self, given: Array) -> None:
        put(self._v, "v", given)

    @property
    def c(self) -> Array:
        """Curvature, as `motion` gives it."""
        return self._c

    @property
    def E(self) -> Array:
        """The lift, NaN where it is not known."""
        return self._E

    @property
    def independent(self) -> tuple[str, ...]:
        """What the entries of u are called."""
        names = speed_names(self.compiled)
        return tuple(names[i] for i in self.code.layout.partition.independent)

    @property
    def emitter(self) -> str:
        """What the code runs as."""
        return self.code.emitter.name

    @property
    def residual(self) -> Array:
        """φ as last evaluated, NaN before."""
        return self.seen(self._evaluation()[: self.code.layout.rows], self.code.layout.rows)

    @property
    def jacobian(self) -> Array:
        """K as last evaluated, NaN before."""
        layout = self.code.layout
        return self.seen(self._evaluation()[layout.rows :], layout.rows, layout.compiled.nv)

    def correct(self) -> None:
        """Close the loops at `q`, the independent coordinates kept, and give `E` there.

        Raises:
            BadValueError: a coordinate is not finite.
            ClosureError, CouplingError: nothing closed was found. The module's `q` is as it was.
            SingularError, IllConditionedError: closed, but the lift is not determined there.
            SampleError: of a batch, those of all states that failed; the others are done.
        """
        if self._correct():
            self._recover(speeds=False)

    def lift(self) -> None:
        """`E` at `q`, which is closed and left as it is.

        Raises:
            NotClosedError: it is open.
            SingularError, IllConditionedError: as `correct`.
        """
        if self._lift():
            self._recover(speeds=False, closed=True)

    def motion(self) -> None:
        """As `correct`; then the dependent ones of `v` by the independent ones and those of tasks'
        places, and `c`.

        Raises:
            BadValueError, ClosureError, CouplingError, SingularError, IllConditionedError,
            SampleError: as `correct`.
        """
        if self._motion():
            self.recover()

    def recover(self) -> None:
        """Do by the reference what calls of `motion` among others have failed at, if they have.

        Raises:
            as `motion`.
        """
        self._recover(speeds=True)

    def _recover(self, speeds: bool, closed: bool = False) -> None:
        failures = Failures(self.code.layout, self.buffer, self._status, self._states)
        try:
            failures.recover(speeds, closed)
        finally:
            self.recovered += failures.recovered

    def calls(self, name: str, states: range, releasing: bool) -> list[Call]:
        """Kernels of a name over some states, at this tolerance; see `Code`."""
        settings, x = settings_of(self._tolerance), self.whole
        return self.code.prepare(name, x, x, self._status, settings, states, releasing)

    def evaluate(self) -> None:
        """`residual` and `jacobian` at `q` as it stands, closed or not."""
        self._evaluate()

    def follow(self, path: Tables, lifts: bool = False) -> Led:
        """Lead independent joints along a table from `q`, which ends at its last knot.

        Each knot is predicted by the lift and corrected by Newton, all of them within one call.
        Knots further apart than the code may go at once are done by the reference.

        Args:
            path: for each joint its values [m, rad, quaternion], shape (knots,) or (knots, its
                coordinates). Other independent joints stand still.
            lifts: whether `E` at each knot is wanted.

        Raises:
            SampleError: a knot that cannot be reached, with the nearest value that can. `q` is then
                where it started.
            FollowsError: a joint that is not independent.
            UnknownNameError, BadValueError: no joint, or another table; or a batch.
            ClosureError, SingularError and others: as `correct`, where it starts.
        """
        if self._states is not None:
            raise BadValueError("Bound code", "follow", "a batch", "one state: `rc.bind` gives it")
        tables = read_tables(self.compiled, path, "Path to follow")
        refuse_dependent(self.compiled, self.code.layout.partition, tables)
        self.correct()
        targets = np.tile(self.buffer[: self.compiled.nq, 0], (len(next(iter(tables.values()))), 1))
        for name, table in tables.items():
            targets[:, self.compiled.tree_joint(name).q] = table
        own = self.buffer[: self.code.layout.E.stop]
        led = follow_table(self.code, own, targets, self._tolerance, lifts)
        self.recovered += led.recovered
        return led

    def batch(self, states: int, threads: int = 1) -> Bound:
        """The same code on many states, each a column: `q` of shape (nq, states), and so on.

        Args:
            states: how many.
            threads: how many share the work, where the code is machine code.

        Raises:
            BadValueError: no whole number above zero.
        """
        refuse_counts(states, threads, self.buffer.itemsize * len(self.buffer))
        return Bound(
            self.code, self.home, self._tolerance, int(states), min(threads, states), self._further
        )

    def _evaluation(self) -> Array:
        if self._evaluated is None:
            layout, width = self.code.layout, self.whole.shape[1]
            self._evaluated = np.full((layout.rows * (1 + self.compiled.nv), width), np.nan)
        return self._evaluated

    def prepared(self, prepare: Callable[[range, bool], Sequence[Call]]) -> Call:
        """Calls over all states as one, shared out among the threads.

        Args:
            prepare: gives those over some states, and whether other threads run meanwhile.
        """
        emitter = self.code.emitter
        parts = shares(self.buffer.shape[1], self._threads, emitter)
        calls = [together(prepare(part, len(parts) > 1), emitter) for part in parts]
        return calls[0] if len(calls) == 1 else partial(in_threads, {}, calls)

    def _first(self, name: str) -> int:
        """Prepare a call, which is then called directly, and call it."""
        call = self._prepared(name)
        setattr(self, f"_{name}", call)
        return call()

    def _prepared(self, name: str) -> Call:
        x = y = self.whole
        if name == "evaluate":
            y = self._evaluation()
            y[...] = 0.0  # what no state changes
        settings = settings_of(self._tolerance)
        if name == "lift":  # what stands is not moved
            types = self.code.layout.types
            allowed = max((p.allowed for kind in types for p in kind.plans), default=0.0)
            settings = settings_of(allowed, most=0)
        kernel = "correct" if name == "lift" else name

        def prepare(states: range, releasing: bool) -> Sequence[Call]:
            return self.code.prepare(kernel, x, y, self._status, settings, states, releasing)

        return self.prepared(prepare)


def put(buffer: Array, name: str, given: Array) -> None:
    """Copy what is assigned into a buffer, which stays the one that code works in."""
    if given is buffer:  # as after `q += …`
        return
    array = np.asarray(given, dtype=float)
    if array.shape != buffer.shape:
        raise BadValueError("Bound code", name, f"shape {array.shape}", f"of shape {buffer.shape}")
    buffer[...] = array


def _again(
    code: Code,
    home: tuple[Array, float, int | None, int, int],
    buffer: Array,
    evaluated: Array | None,
) -> Bound:
    """A copy of bound code, from what `Bound.__reduce__` keeps."""
    made = Bound(code, *home)
    made.buffer[...] = buffer
    if evaluated is not None:
        made._evaluation()[...] = evaluated
    return made
