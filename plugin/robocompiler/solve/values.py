"""What a caller asks of joints: values that must be met, and values that would be nice."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
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


NO_QUATERNION = 1e-6
"""Four numbers whose length is less say no rotation."""

Values = Mapping[str, float | Sequence[float] | Must | Want]
Tables = Mapping[str, Sequence[float] | Sequence[Sequence[float]] | Array]
Numbers = dict[str, tuple[float, ...]]


def read_values(compiled: CompiledMechanism, values: Values) -> tuple[Numbers, Numbers]:
    """The values that must be met, and those that are wanted, in the order given.

    Raises:
        UnknownNameError: a name that no joint has.
        BadValueError: other numbers, or a joint that was cut (see `keeping`).
    """
    where = "Values to assemble at"
    faults = refuse_following(compiled, values, where)
    return _read(compiled, values, where, read_coordinates, faults)


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


def refuse_following(
    compiled: CompiledMechanism, names: Collection[str], where: str
) -> list[MechanismError]:
    """A fault for each joint that is cut, or follows others by a coupling that is eliminated."""
    what = "to be set: the joint is cut, and follows from the others of its loop"
    faults: list[MechanismError] = [
        BadValueError(where, closure.chord.joint.name, "a value", what)
        for closure in compiled.closures
        if closure.chord.joint.name in names
    ]
    for coupling in compiled.eliminated:
        joint = compiled.tree[coupling.follower.tree_joint].edge.joint.name
        if joint in names:
            leaders = ", ".join(f"'{leader.name}'" for leader in coupling.leaders)
            what = f"to be set: it follows {leaders} by coupling '{coupling.name}', eliminated"
            faults.append(BadValueError(where, joint, "a value", what))
    return faults


def read_seed(
    compiled: CompiledMechanism, seed: Mapping[str, float | Sequence[float]], q: Array
) -> Array:
    """q with the coordinates of the joints in `seed` put in. Those of cut joints follow."""
    own = {t.edge.joint.name: t for t in compiled.tree}
    known = compiled.joints
    faults: list[MechanismError] = []
    started = q.copy()
    for name, given in seed.items():
        if name not in known:
            faults.append(UnknownNameError("Seed", "joint", name, known))
            continue
        numbers = read_coordinates("Seed", known[name], given, faults)
        if name in own and len(numbers) == known[name].kind.nq:
            started[own[name].q] = numbers
    raise_all(faults)
    return started


def read_tables(compiled: CompiledMechanism, given: Tables, where: str) -> dict[str, Array]:
    """Coordinates of joints at some samples, (samples, its coordinates) each, quaternions unit.

    Raises:
        UnknownNameError, BadValueError: a name that no joint has, a joint that was cut (see
            `keeping`), other numbers, or not as many samples of each.
    """
    joints = compiled.joints
    faults = refuse_following(compiled, given, where)
    tables: dict[str, Array] = {}
    for name, own in given.items():
        if name not in joints:
            faults.append(UnknownNameError(where, "joint", name, joints))
            continue
        table = _table(where, joints[name], own, faults)
        if table is not None:
            tables[name] = table
    raise_all(faults)
    lengths = {name: len(table) for name, table in tables.items()}
    if len(set(lengths.values())) != 1:
        shown = ", ".join(f"'{n}': {k}" for n, k in lengths.items()) or "no driver"
        raise BadValueError(where, "samples", shown, "one number of samples for all")
    return tables


def _table(where: str, joint: Joint, given: object, faults: list[MechanismError]) -> Array | None:
    """A joint's coordinates at some samples, or None and a fault."""
    count, table = joint.kind.nq, np.zeros((0, 0))
    try:
        table = np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        pass
    table = table[:, None] if table.ndim == 1 else table
    if table.ndim != 2 or table.shape[1] != count or not len(table):
        expected = f"a table of {count} numbers for each sample"
        faults.append(BadValueError(where, joint.name, f"shape {table.shape}", expected))
        return None
    known, what = np.all(np.isfinite(table), axis=1), "finite numbers"
    if joint.kind in (JointKind.BALL, JointKind.FREE) and known.all():
        sizes = np.linalg.norm(table[:, -4:], axis=1, keepdims=True)
        known, what = sizes[:, 0] >= NO_QUATERNION, "a quaternion"
        table = np.concatenate([table[:, :-4], table[:, -4:] / np.maximum(sizes, 1e-300)], axis=1)
    if not known.all():
        bad = int(np.flatnonzero(~known)[0])
        said = f"sample {bad}: {np.asarray(given, dtype=float)[bad].tolist()}"
        faults.append(BadValueError(where, joint.name, said, what))
        return None
    return table


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


def read_coordinates(
    where: str, joint: Joint, given: object, faults: list[MechanismError]
) -> tuple[float, ...]:
    """A joint's coordinates as floats, a quaternion made unit, or () and a fault."""
    numbers = _numbers(where, joint, given, joint.kind.nq, faults)
    if not numbers or joint.kind not in (JointKind.BALL, JointKind.FREE):
        return numbers
    size = float(np.linalg.norm(numbers[-4:]))
    if size < NO_QUATERNION:
        faults.append(BadValueError(where, joint.name, str(given), "a quaternion"))
        return ()
    return (*numbers[:-4], *(x / size for x in numbers[-4:]))
