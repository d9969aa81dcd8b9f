"""Errors of solving that carry how far it went."""

from __future__ import annotations

from collections.abc import Sequence

from robocompiler.errors.base import MechanismError
from robocompiler.errors.loops import ClosureError, UnreachableError


class StoppedError(UnreachableError):
    """A value that a joint cannot be moved to, since another joint, or itself, is at its limit."""

    def __init__(
        self,
        joint: str,
        wanted: Sequence[float],
        nearest: Sequence[float],
        said: tuple[str, str],
        stop: str,
    ) -> None:
        whose = "its own limit" if stop == joint else f"the limit of joint '{stop}'"
        super().__init__(joint, wanted, nearest, said, f"{whose} lets")
        self.stop = stop


class NothingFoundError(ClosureError):
    """A start from which no closed configuration was found."""

    def __init__(self, cause: ClosureError, tried: str) -> None:
        super().__init__(cause.closure, cause.sides, cause.gap, cause.angle, cause.loop)
        self.tried = tried
        self.args = (f"{cause} Tried: {tried}.",)


class SampleError(MechanismError):
    """A sample of a path that cannot be reached on the branch the path began on."""

    def __init__(self, sample: int, count: int, cause: MechanismError) -> None:
        self.sample, self.cause = sample, cause
        self.nearest = cause.nearest if isinstance(cause, UnreachableError) else ()
        super().__init__(f"Sample {sample} of {count} (counted from 0): {cause}")


class SingularError(MechanismError):
    """A configuration in which the driven joints do not determine the others."""

    def __init__(self, loop: str, joints: Sequence[str]) -> None:
        self.loop, self.joints = loop, tuple(joints)
        names = ", ".join(f"'{name}'" for name in self.joints)
        super().__init__(
            f"Loop '{loop}' is singular where it stands: with the driven joints at rest these can "
            f"still move: {names}. Start from another configuration."
        )
