"""Errors of solving that carry how far it went."""

from __future__ import annotations

import math
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
    """One of several samples that cannot be had: of a path or a table of values, out of reach on
    the branch that was begun on; of a batch of configurations, not closed.
    """

    def __init__(self, sample: int, count: int, cause: MechanismError) -> None:
        self.sample, self.cause = sample, cause
        self.nearest = cause.nearest if isinstance(cause, UnreachableError) else ()
        super().__init__(f"Sample {sample} of {count} (counted from 0): {cause}")


class NotClosedError(MechanismError):
    """Coordinates at which the loops do not meet."""

    def __init__(self, closure: str, gap: float, angle: float) -> None:
        self.closure, self.gap, self.angle = closure, gap, angle
        super().__init__(
            f"These coordinates leave '{closure}' open by {gap * 1e3:.3g} mm and "
            f"{math.degrees(angle):.3g}°. How a mechanism can move is a property of closed ones: "
            "get them by `assemble`."
        )


class SingularError(MechanismError):
    """A configuration in which the driven joints do not determine the others.

    `ways` are the motions that these can make meanwhile, each as people say it.
    """

    def __init__(
        self, loop: str, joints: Sequence[str], ways: Sequence[str], driven: bool = True
    ) -> None:
        self.loop, self.joints, self.ways = loop, tuple(joints), tuple(ways)
        can = (
            "with the driven joints at rest it can still begin to move"
            if driven
            else "branches meet, since unlike next to there it can also begin to move"
        )
        remedy = ", or drive one of these" if driven else ""
        super().__init__(
            f"Loop '{loop}' is singular where it stands: {can}: {'; or '.join(self.ways)}. Start "
            f"from another configuration{remedy}."
        )


class IllConditionedError(MechanismError):
    """A configuration so near a singular one that how the others follow is mostly rounding."""

    def __init__(self, module: str, condition: float) -> None:
        self.module, self.condition = module, condition
        super().__init__(
            f"Module '{module}' is next to a singular configuration: how its joints follow the "
            f"independent ones is known to {condition:.1g} of its digits only. Keep away from "
            "there, or make other joints independent."
        )


class FollowsError(MechanismError):
    """A joint that is given a value though it follows from others."""

    def __init__(self, joint: str, module: str, inputs: Sequence[str]) -> None:
        self.joint, self.module, self.inputs = joint, module, tuple(inputs)
        names = ", ".join(f"'{name}'" for name in self.inputs)
        follows = f"it follows from {names}" if names else "its loops do not let it move"
        remedy = "Give those values, or s" if names else "S"
        super().__init__(
            f"Joint '{joint}' cannot be given a value: {follows} (module '{module}'). {remedy}tart "
            f"anew from this configuration with '{joint}' among the `independent` joints."
        )


class SpeedError(MechanismError):
    """A speed that a joint cannot have, since it follows from the loops and from other speeds.

    `wanted` and `follows` are its speeds [m/s, rad/s]; `said` is what people call the two.
    """

    def __init__(
        self,
        joint: str,
        wanted: Sequence[float],
        follows: Sequence[float],
        said: tuple[str, str],
        given: Sequence[str],
        would_work: Sequence[str],
    ) -> None:
        self.joint, self.wanted, self.follows = joint, tuple(wanted), tuple(follows)
        self.given, self.would_work = tuple(given), tuple(would_work)
        names, others = (", ".join(f"'{n}'" for n in own) for own in (given, would_work))
        why = f"at the speeds asked of {names}, its loops" if given else "its loops, as they stand,"
        free = f" Still free to be given a speed: {others}." if others else ""
        super().__init__(
            f"Joint '{joint}' cannot move at {said[0]}: {why} let it move at {said[1]} only. Ask "
            f"for that, make it a want, or leave it{' or one of those' if given else ''} out.{free}"
        )


class SupportError(MechanismError):
    """Supports that hold a mechanism where it is held already.

    `held` is how many motions they are to hold, `free` how many of those there are to hold.
    """

    def __init__(
        self, supports: Sequence[str], rows: Sequence[tuple[str, str]], held: int, free: int
    ) -> None:
        self.supports, self.rows, self.held, self.free = tuple(supports), tuple(rows), held, free
        names = ", ".join(f"'{name}'" for name in self.supports)
        many = len(self.supports) > 1
        lost = {name: [row for of, row in self.rows if of == name] for name, _ in self.rows}
        which = "; ".join(f"{', '.join(rows)} of '{name}'" for name, rows in lost.items())
        super().__init__(
            f"Support{'s' if many else ''} {names} hold{'' if many else 's'} {held} motions, of "
            f"which the loops{' and each other' if many else ''} leave {free}: {held - free} too "
            f"many. Held already: {which}. Hold points instead of frames, fewer of "
            "them, or one frame of a `kind` that leaves the rest free: which of several that hold "
            "the same carries how much cannot be told."
        )


class StepError(MechanismError):
    """A motion that cannot be carried on: the mechanism cannot be closed, or has no acceleration.

    `time` [s], `q` and `u` are the last that are right.
    """

    def __init__(
        self,
        time: float,
        timestep: float,
        state: tuple[Sequence[float], Sequence[float]],
        cause: MechanismError,
    ) -> None:
        self.time, self.timestep, self.cause = time, timestep, cause
        self.q, self.u = state
        super().__init__(
            f"The motion cannot be carried on from t = {time:.6g} s, by whichever joints are "
            f"independent: {cause} If it does not end there by itself, take a smaller `timestep` "
            f"than {timestep:g} s."
        )


class DivergedError(MechanismError):
    """A motion whose speeds grew beyond what anything physical has."""

    def __init__(self, time: float, timestep: float, joint: str, speed: float) -> None:
        self.time, self.timestep, self.joint, self.speed = time, timestep, joint, speed
        reached = f"reached {speed:.3g} rad/s or m/s" if math.isfinite(speed) else "has no number"
        super().__init__(
            f"The motion diverged at t = {time:.6g} s: the speed of joint '{joint}' {reached}. "
            f"Take a smaller `timestep` than {timestep:g} s, or check masses, springs, dampers and "
            "efforts."
        )
