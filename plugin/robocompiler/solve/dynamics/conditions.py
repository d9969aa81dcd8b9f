"""What dynamics minds besides the motion: read once, refused by name where it makes no sense."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypedDict

import numpy as np

from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.compiler.ports import Port
from robocompiler.errors import (
    BadValueError,
    DuplicateNameError,
    MechanismError,
    UnknownNameError,
    raise_all,
)
from robocompiler.model.tasks import Task
from robocompiler.solve.dynamics.wrenches import Wrenches
from robocompiler.solve.reduction.checks import read_names, said
from robocompiler.solve.reduction.partition import Partition
from robocompiler.spatial import Vec3

WHERE = "Dynamics"


class Conditions(TypedDict, total=False):
    """What dynamics minds besides the motion, by keyword; all of it may be left out."""

    wrenches: Wrenches | None
    """On bodies, by name: force [N] and torque [N m] about the body's origin, along the world's
    axes, shape (…, 6). A frame's name stands for a wrench about its origin."""
    support: Sequence[Task]
    """Points and frames of bodies that are held where they are at q. The independent speeds are
    then those of the mechanism so held."""
    independent: Sequence[str] | Partition
    """Which speeds are independent, see `reduce`; of a batch they are chosen at its first."""
    ports: Sequence[Port] | None
    """What drives it; None for the declared actuators and the joints that state an effort, or,
    where there are none, for each independent speed by itself."""
    gravity: Vec3 | None
    """[m/s²]; None for the mechanism's own, or where it states none for 9.81 down."""
    dry_friction: bool
    """Whether joints that move are held back by their dry friction; what is at rest is not."""


def read_conditions(given: Mapping[str, object] | Conditions) -> Conditions:
    """Conditions as they were given, their sequences as tuples.

    Numbers, and names of bodies and speeds, are checked where the mechanism is at hand.

    Raises:
        UnknownNameError, BadValueError, DuplicateNameError: keywords that mean nothing, and values
            of other kinds than theirs, all of it at once.
    """
    raise_all(_faults(given))
    found: Conditions = Conditions(**given)  # type: ignore[typeddict-item]
    found["support"] = tuple(found.get("support") or ())
    if (ports := found.get("ports")) is not None:
        found["ports"] = tuple(ports)
    if not isinstance(wanted := found.get("independent", ()), Partition):
        found["independent"] = read_names(wanted, WHERE, "independent")
    return found


def _faults(given: Mapping[str, object]) -> Iterator[MechanismError]:
    for name in given:
        if name not in Conditions.__annotations__:
            yield UnknownNameError(WHERE, "keyword", name, Conditions.__annotations__)
    wrenches, friction = given.get("wrenches"), given.get("dry_friction", False)
    if wrenches is not None and not isinstance(wrenches, Mapping):
        expected = "a mapping of bodies or frames to arrays of shape (…, 6)"
        yield BadValueError(WHERE, "wrenches", said(wrenches), expected)
    if not isinstance(friction, (bool, np.bool_)):
        yield BadValueError(WHERE, "dry_friction", said(friction), "True or False")
    yield from faults_of_all("support", given.get("support", ()), Task, "`rc.Task`s")
    if (ports := given.get("ports")) is not None:
        expected = "ports, such as `rc.reduced_dynamics(…).ports` are, or None"
        yield from faults_of_all("ports", ports, Port, expected)


def refuse_foreign(compiled: CompiledMechanism, ports: Sequence[Port]) -> None:
    """Refuse ports on speeds and closures that a mechanism does not have.

    Raises:
        BadValueError: with the port; they are another mechanism's, or of other cuts or supports.
    """
    dofs = [closure.kind.dof for closure in compiled.closures]
    expected = "on speeds of this mechanism, as it is cut and supported here"
    raise_all(
        BadValueError(WHERE, "ports", f"that of '{port.name}'", expected)
        for port in ports
        if not all(0 <= speed < compiled.nv for speed, _ in port.tree)
        or not all(0 <= i < len(dofs) and 0 <= k < dofs[i] for i, k, _ in port.cut)
    )


def faults_of_all(
    parameter: str, given: object, kind: type[Task | Port], expected: str
) -> Iterator[MechanismError]:
    """What makes something no sequence of a kind of records, each of a name of its own."""
    if isinstance(given, (str, bytes)) or not isinstance(given, Sequence):
        yield BadValueError(WHERE, parameter, said(given), f"a sequence of {expected}")
        return
    for at, own in enumerate(given):
        if not isinstance(own, kind):
            yield BadValueError(WHERE, f"{parameter}[{at}]", said(own), f"one of {expected}")
    names = [own.name for own in given if isinstance(own, kind)]
    twice = dict.fromkeys(name for name in names if names.count(name) > 1)
    yield from (DuplicateNameError("supports" if kind is Task else "ports", n) for n in twice)
