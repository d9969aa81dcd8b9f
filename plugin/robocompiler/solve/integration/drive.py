"""What acts while a mechanism moves: efforts and wrenches, constant, by steps or as functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from robocompiler.errors import BadValueError
from robocompiler.solve.bound_dynamics.bound import BoundDynamics
from robocompiler.solve.dynamics.reduced import named_numbers
from robocompiler.solve.integration.moment import Moment
from robocompiler.spatial import Array

Efforts = Array | Mapping[str, Array | float]
"""Of the ports [N or N m], in their order, (ports,), or by name, 0 for those not given."""
Control = Callable[[float, Moment], Efforts]
"""Efforts at a time [s], by how the mechanism moves then."""
Push = Callable[[float, Moment], Array]
"""A wrench likewise, shape (6,)."""


class Drive:
    """Efforts and wrenches as they are given, written where bound dynamics reads them.

    Attributes:
        tables: whether something is given for each step.
        functions: whether something is to be asked at every stage.
    """

    def __init__(
        self,
        ports: Sequence[str],
        efforts: Efforts | Control | None,
        wrenches: Mapping[str, Array | Push],
        steps: int,
    ) -> None:
        """Read what is constant and what is given for each step.

        Raises:
            BadValueError, UnknownNameError: efforts or wrenches of no sense.
        """
        self.ports, self._steps = tuple(ports), steps
        self._control = efforts if callable(efforts) else None
        given = {} if efforts is None or callable(efforts) else efforts
        self._efforts = self._table(named_numbers(given, self.ports, "port", "efforts"), "efforts")
        self._pushes = {name: own for name, own in wrenches.items() if callable(own)}
        self._wrenches = {
            name: self._table(_wrench(name, own), name)
            for name, own in wrenches.items()
            if not callable(own)
        }
        tables = [self._efforts, *self._wrenches.values()]
        self.tables = any(table.ndim == 2 for table in tables)
        self.functions = self._control is not None or bool(self._pushes)

    def _table(self, given: Array, name: str) -> Array:
        if given.ndim > 2 or (given.ndim == 2 and len(given) != self._steps):
            expected = f"one of each, or a line for each of the {self._steps} steps"
            raise BadValueError("Integration", name, f"an array of shape {given.shape}", expected)
        return given

    def at_step(self, dynamics: BoundDynamics, step: int) -> None:
        """Write what holds during a step, counted from 0."""
        row = min(step, self._steps - 1)  # where it ends, what was last
        if self._control is None:
            dynamics.efforts[...] = self._efforts if self._efforts.ndim == 1 else self._efforts[row]
        for name, own in self._wrenches.items():
            dynamics.wrenches[name][...] = own if own.ndim == 1 else own[row]

    def at_stage(self, dynamics: BoundDynamics, time: float, moment: Moment) -> None:
        """Ask the functions, and write what they say.

        Raises:
            BadValueError, UnknownNameError: what they say makes no sense.
        """
        if self._control is not None:
            f = self._control(time, moment)
            if isinstance(f, Mapping):
                f = named_numbers(f, self.ports, "port", "efforts")
            if np.shape(f) != dynamics.efforts.shape:
                expected = f"of shape {dynamics.efforts.shape}"
                raise BadValueError(
                    "Integration", "efforts", f"an array of shape {np.shape(f)}", expected
                )
            dynamics.efforts[...] = f
        for name, push in self._pushes.items():
            wrench = push(time, moment)
            if np.shape(wrench) != (6,):
                raise _no_wrench(name, np.shape(wrench))
            dynamics.wrenches[name][...] = wrench

    def refuse_infinite(self, dynamics: BoundDynamics, time: float) -> None:
        """An error where what acts is no number: a motion could not but diverge.

        Raises:
            BadValueError: with the port or the body.
        """
        acting = dict(zip(self.ports, dynamics.efforts, strict=True)) | dict(dynamics.wrenches)
        for name, own in acting.items():
            if not np.all(np.isfinite(own)):
                where = f"What acts on '{name}'"
                raise BadValueError(where, "value", f"{own} at t = {time:.6g} s", "a finite number")


def _wrench(name: str, given: Array) -> Array:
    wrench = np.asarray(given, dtype=float)
    if not wrench.ndim or wrench.shape[-1] != 6 or not np.all(np.isfinite(wrench)):
        raise _no_wrench(name, wrench.shape)
    return wrench


def _no_wrench(name: str, shape: tuple[int, ...]) -> BadValueError:
    expected = "of shape (6,), or (steps, 6), finite: force and torque"
    return BadValueError("Wrenches", name, f"an array of shape {shape}", expected)
