"""What a caller asks of joints: values that must be met, and values that would be nice."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.errors import BadValueError, MechanismError, UnknownNameError, raise_all
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import Joint
from robocompiler.spatial import Array


@dataclass(frozen=True, slots=True)
class Must:
    """A value that has to be met. A bare number is one."""

    value: float | Sequence[float]


@dataclass(frozen=True, slots=True)
class Want:
    """A value to come as near to as the others allow."""

    value: float | Sequence[float]


Values = Mapping[str, float | Sequence[float] | Must | Want]
Numbers = dict[str, tuple[float, ...]]


def read_values(compiled: CompiledMechanism, values: Values) -> tuple[Numbers, Numbers]:
    """The values that must be met, and those that are wanted, in the order given.

    Raises:
        UnknownNameError: a name that no joint has.
        BadValueError: other numbers, or a joint that was cut (see `keeping`).
    """
    cut = {closure.chord.joint.name for closure in compiled.closures}
    faults: list[MechanismError] = []
    for name in cut & values.keys():
        what = "to be set: the joint is cut, and follows from the others of its loop"
        faults.append(BadValueError("Values to assemble at", name, str(values[name]), what))
    return _read(compiled, values, "Values to assemble at", _coordinates, faults)


def read_speeds(compiled: CompiledMechanism, speeds: Values) -> tuple[Numbers, Numbers]:
    """The speeds that must be met, and those that are wanted, in the order given.

    Raises:
        UnknownNameError, BadValueError: a name that no joint has, or other numbers.
    """
    return _read(compiled, speeds, "Speeds to start at", _speeds, [])


def _read(
    compiled: CompiledMechanism,
    values: Values,
    where: str,
    read: Callable[[str, Joint, object, list[MechanismError]], tuple[float, ...]],
    faults: list[MechanismError],
) -> tuple[Numbers, Numbers]:
    """What must be met and what is wanted, by joint name; what none of it can be is a fault."""
    must: Numbers = {}
    want: Numbers = {}
    for name, given in values.items():
        plain = given.value if isinstance(given, (Must, Want)) else given
        if name not in compiled.joints:
            faults.append(UnknownNameError(where, "joint", name, compiled.joints))
            continue
        numbers = read(where, compiled.joints[name], plain, faults)
        (want if isinstance(given, Want) else must)[name] = numbers
    raise_all(faults)
    return must, want


def read_seed(
    compiled: CompiledMechanism, seed: Mapping[str, float | Sequence[float]], q: Array
) -> Array:
    """q with the coordinates of the joints in `seed` put in. Those of cut joints follow."""
    own = {t.edge.joint.name: t for t in compiled.tree}
    known = {joint.name: joint for joint in compiled.mechanism.joints}
    faults: list[MechanismError] = []
    started = q.copy()
    for name, given in seed.items():
        if name not in known:
            faults.append(UnknownNameError("Seed", "joint", name, known))
            continue
        numbers = _coordinates("Seed", known[name], given, faults)
        if name in own and len(numbers) == known[name].kind.nq:
            started[own[name].q] = numbers
    raise_all(faults)
    return started


def _numbers(
    where: str, joint: Joint, given: object, count: int, faults: list[MechanismError]
) -> tuple[float, ...]:
    """So many finite numbers for a joint, or () and a fault."""
    try:
        numbers = np.atleast_1d(np.asarray(() if isinstance(given, str) else given, dtype=float))
    except (TypeError, ValueError):
        numbers = np.zeros(0)
    if numbers.shape != (count,) or not np.all(np.isfinite(numbers)):
        what = f"{count} finite number" + ("s" if count != 1 else "")
        faults.append(BadValueError(where, joint.name, str(given), what))
        return ()
    return tuple(numbers.tolist())


def _speeds(
    where: str, joint: Joint, given: object, faults: list[MechanismError]
) -> tuple[float, ...]:
    """A joint's speeds as floats, or () and a fault."""
    return _numbers(where, joint, given, joint.kind.dof, faults)


def _coordinates(
    where: str, joint: Joint, given: object, faults: list[MechanismError]
) -> tuple[float, ...]:
    """A joint's coordinates as floats, a quaternion made unit, or () and a fault."""
    numbers = _numbers(where, joint, given, joint.kind.nq, faults)
    if not numbers or joint.kind not in (JointKind.BALL, JointKind.FREE):
        return numbers
    size = float(np.linalg.norm(numbers[-4:]))
    if size < 1e-6:
        faults.append(BadValueError(where, joint.name, str(given), "a quaternion"))
        return ()
    return (*numbers[:-4], *(x / size for x in numbers[-4:]))
