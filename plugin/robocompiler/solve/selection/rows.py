"""Rows over all speeds: what is to move how, and what may not move faster, by names."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.errors import BadValueError, DuplicateNameError, UnknownNameError
from robocompiler.model.joint_kinds import Factor
from robocompiler.model.mechanism import WORLD, Actuator, Joint
from robocompiler.solve.mass import body_columns
from robocompiler.solve.reduction.checks import floats, said
from robocompiler.solve.reduction.design import speed_rows
from robocompiler.solve.state import evaluate
from robocompiler.spatial import Array, Vec3, apply, skew

Components = tuple[float | None, float | None, float | None]
"""Along x, y and z; None where anything will do."""
WHERE = "Selecting a velocity"


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyVelocity:
    """How a body and a point of it are to move, along the world's axes."""

    body: str
    point: Vec3 = (0.0, 0.0, 0.0)
    """[m], in the body's frame."""
    linear: Components | None = None
    """Of the point [m/s]; None where anything will do."""
    angular: Components | None = None
    """Of the body [rad/s]."""
    name: str = ""
    """What it is called in results and errors; the body's where empty."""


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """low ≤ row · v ≤ high; a task where both are one number and it is meant as one."""

    name: str
    row: Array
    """Shape (nv,)."""
    low: float
    high: float
    unit: str
    """`m/s` or `rad/s`; empty where it has none that is known."""


def body_rows(compiled: CompiledMechanism, q: Array, targets: Sequence[BodyVelocity]) -> list[Row]:
    """What bodies are to do at q, shape (nq,).

    Raises:
        UnknownNameError: a body that does not exist.
        BadValueError: one that cannot move, or numbers that are not finite.
        DuplicateNameError: two targets of one name.
    """
    hosts = {welded.name: welded for welded in compiled.welded if welded.name != WORLD}
    state, found, taken = evaluate(compiled, q), list[Row](), set[str]()
    columns = body_columns(compiled, state)
    if isinstance(targets, (str, bytes)) or not isinstance(targets, Sequence):
        raise BadValueError(WHERE, "bodies", said(targets), "a sequence of `rc.BodyVelocity`s")
    for at, target in enumerate(targets):
        if not isinstance(target, BodyVelocity):
            raise BadValueError(WHERE, f"bodies[{at}]", said(target), "an `rc.BodyVelocity`")
        name = target.name or target.body
        if name in taken:
            raise DuplicateNameError("velocities of bodies", name)
        if target.body not in hosts:
            raise UnknownNameError(WHERE, "body that moves", target.body, hosts)
        taken.add(name)
        own, point = hosts[target.body], _three(name, "point", target.point)
        X = state.poses[own.host] @ own.pose
        twist = columns[own.host]
        at_point = twist[:3] - skew(apply(X.R, point) + X.p) @ twist[3:]
        linear = ("linear", target.linear, at_point, "m/s")
        for what, wanted, rows, unit in (
            linear,
            ("angular", target.angular, twist[3:], "rad/s"),
        ):
            for axis, value, row in zip("xyz", _three(name, what, wanted), rows, strict=True):
                if not math.isnan(value):
                    found.append(Row(f"{name} {what}.{axis}", row, value, value, unit))
    return found


def _three(name: str, what: str, given: Sequence[float | None] | None) -> Array:
    """Three numbers, NaN where anything will do."""
    if given is None:
        return np.full(3, math.nan)
    expected = "three finite numbers"
    numbers = floats(given, f"Velocity of '{name}'", what, expected)  # None is NaN there
    left_out = [x is None for x in given]
    if numbers.shape != (3,) or not np.all(np.isfinite(numbers) | left_out):
        raise BadValueError(f"Velocity of '{name}'", what, str(given), expected)
    return numbers


class Speeds:
    """Rows of single speeds by their names, of the tree and of cut joints, and of actuators.

    An actuator that is called as a joint or a speed is, is `NAME actuator` here.
    """

    def __init__(self, compiled: CompiledMechanism, q: Array) -> None:
        self._compiled, self._rows = compiled, speed_rows(compiled, q)
        joints = compiled.joints.values()
        self._own = {joint.name: tuple(joint.speed_names) for joint in joints}
        self._units = {name: unit for joint in joints for name, unit in _units(joint)}
        self._actuators = dict[str, Array]()
        self._fastest = dict[str, float]()
        for own in compiled.mechanism.actuators:
            called = f"{own.name} actuator" if self.has(own.name) else own.name
            self._actuators[called] = self._of_actuator(own)
            if own.velocity is not None:
                self._fastest[called] = own.velocity

    def _of_actuator(self, own: Actuator) -> Array:
        row = np.zeros(self._compiled.nv)
        for moved in own.transmissions:
            if moved.coordinate not in self._rows:
                where = f"Actuator '{own.name}'"
                raise UnknownNameError(where, "coordinate", moved.coordinate, self._rows)
            row = row + moved.ratio * self._rows[moved.coordinate]
        return row

    def has(self, name: str) -> bool:
        """Whether it means anything."""
        return name in self._own or name in self._rows or name in self._actuators

    def names(self, name: str) -> tuple[str, ...]:
        """The single speeds that a name means: all of a joint's, or one.

        Raises:
            UnknownNameError: it means nothing.
        """
        if name in self._own:
            return self._own[name]
        if not self.has(name):
            known = {*self._own, *self._rows, *self._actuators}
            raise UnknownNameError(WHERE, "joint, speed or actuator", name, known)
        return (name,)

    def row(self, name: str, low: float, high: float) -> Row:
        """Of one speed, or of an actuator."""
        own = self._rows.get(name)
        row = self._actuators[name] if own is None else own
        return Row(name, row, low, high, self._units.get(name, ""))

    def wanted(self, speeds: Mapping[str, object]) -> list[Row]:
        """Speeds that are to be met.

        Raises:
            UnknownNameError: a name that means nothing.
            BadValueError: other numbers than there are speeds, or such that are not finite.
        """
        found = list[Row]()
        for name, given in speeds.items():
            names, where = self.names(name), f"Speed of '{name}'"
            numbers = np.atleast_1d(floats(given, where, "speed", "a number of each speed"))
            if numbers.shape != (len(names),) or not np.all(np.isfinite(numbers)):
                expected = f"{len(names)} finite numbers" if len(names) > 1 else "a finite number"
                raise BadValueError(where, "speed", str(given), expected)
            pairs = zip(names, numbers.tolist(), strict=True)
            found += [self.row(own, value, value) for own, value in pairs]
        return found

    def limited(self, limits: Mapping[str, object]) -> list[Row]:
        """The limits of speeds: those given, and of others what joints and actuators state.

        A ball states none that is a number of each of its speeds.

        Raises:
            UnknownNameError: a name that means nothing.
            BadValueError: limits that are no two numbers, the lower first.
        """
        stated = dict(self._stated())
        for name, given in limits.items():
            where, expected = f"Speed of '{name}'", "two numbers, the lower first"
            pair = floats(given, where, "limits", expected)
            if pair.shape != (2,) or not pair[0] <= pair[1]:
                raise BadValueError(where, "limits", str(given), expected)
            stated.update({own: (float(pair[0]), float(pair[1])) for own in self.names(name)})
        return [self.row(name, *pair) for name, pair in stated.items()]

    def _stated(self) -> Iterator[tuple[str, tuple[float, float]]]:
        for joint in self._compiled.joints.values():
            if joint.velocity is not None:
                for name, factor in zip(joint.full_names, joint.kind.factors, strict=False):
                    if factor is not Factor.ROTATION:
                        yield name, (-joint.velocity, joint.velocity)
        for name, fastest in self._fastest.items():
            yield name, (-fastest, fastest)


def _units(joint: Joint) -> Iterator[tuple[str, str]]:
    units = [
        "rad/s" if factor.is_turn else "m/s"
        for factor in joint.kind.factors
        for _ in range(factor.nv)
    ]
    yield from zip(joint.speed_names, units, strict=True)
