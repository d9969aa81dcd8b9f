"""What a caller asks of joints: values that must be met, and values that would be nice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
        UnknownNameError, BadValueError: a name that no tree joint has, or other numbers.
    """
    joints = {t.edge.joint.name: t.edge.joint for t in compiled.tree}
    cut = {closure.chord.joint.name for closure in compiled.closures}
    must: Numbers = {}
    want: Numbers = {}
    faults: list[MechanismError] = []
    for name, given in values.items():
        plain = given.value if isinstance(given, (Must, Want)) else given
        if name in cut:
            what = "to be set: the joint is cut, and follows from the others of its loop"
            faults.append(BadValueError("Values to assemble at", name, str(plain), what))
            continue
        if name not in joints:
            faults.append(UnknownNameError("Values to assemble at", "joint", name, joints))
            continue
        numbers = _numbers("Values to assemble at", joints[name], plain, faults)
        (want if isinstance(given, Want) else must)[name] = numbers
    raise_all(faults)
    return must, want


def read_seed(
    compiled: CompiledMechanism, seed: Mapping[str, float | Sequence[float]], q: Array
) -> Array:
    """q with the coordinates of the joints in `seed` put in. Those of cut joints follow."""
    own = {t.edge.joint.name: t for t in compiled.tree}
    edges = [*(t.edge for t in compiled.tree), *(c.chord for c in compiled.closures)]
    known = {edge.joint.name: edge.joint for edge in edges}
    faults: list[MechanismError] = []
    started = q.copy()
    for name, given in seed.items():
        if name not in known:
            faults.append(UnknownNameError("Seed", "joint", name, known))
            continue
        numbers = _numbers("Seed", known[name], given, faults)
        if name in own and len(numbers) == known[name].kind.nq:
            started[own[name].q] = numbers
    raise_all(faults)
    return started


def _numbers(
    where: str, joint: Joint, given: object, faults: list[MechanismError]
) -> tuple[float, ...]:
    """A joint's coordinates as floats, or () and a fault."""
    try:
        numbers = np.atleast_1d(np.asarray(() if isinstance(given, str) else given, dtype=float))
    except (TypeError, ValueError):
        numbers = np.zeros(0)
    count = joint.kind.nq
    if numbers.shape != (count,) or not np.all(np.isfinite(numbers)):
        what = f"{count} finite number" + ("s" if count != 1 else "")
        faults.append(BadValueError(where, joint.name, str(given), what))
        return ()
    if joint.kind in (JointKind.BALL, JointKind.FREE):
        size = float(np.linalg.norm(numbers[-4:]))
        if size < 1e-6:
            faults.append(BadValueError(where, joint.name, str(given), "a quaternion"))
            return ()
        numbers = np.append(numbers[:-4], numbers[-4:] / size)
    return tuple(numbers.tolist())
