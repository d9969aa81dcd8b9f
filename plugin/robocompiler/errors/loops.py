"""Loops that do not meet, do not close, or cannot be moved as asked."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from robocompiler.errors.base import MechanismError


class PortsApartError(MechanismError):
    """The two ports of a loop joint are drawn too far from each other."""

    def __init__(
        self,
        loop: str,
        ports: tuple[str, str],
        gap: float,
        angle: float,
        allowed: tuple[float, float],
    ) -> None:
        self.loop, self.ports, self.gap, self.angle, self.allowed = loop, ports, gap, angle, allowed
        if gap > allowed[0]:
            hint = (
                "Check where the two ports are, or allow more by `tolerance=` on the loop "
                "(mm and degrees)."
            )
        elif angle > math.radians(175.0):
            hint = (
                "Their z axes point the same way: ports that meet face each other, so turn "
                f"'{ports[1]}' over (by [1, 1, 0], 180)."
            )
        else:
            hint = (
                "Check which way their z axes point, or allow more by `tolerance=` on the loop "
                "(mm and degrees)."
            )
        super().__init__(
            f"Loop '{loop}' does not meet: '{ports[0]}' and '{ports[1]}' are drawn "
            f"{round(gap * 1e3, 6):.4g} mm and {round(math.degrees(angle), 6):.4g}° apart "
            f"(allowed: {allowed[0] * 1e3:.4g} mm, {math.degrees(allowed[1]):.4g}°). {hint}"
        )


class ClosureError(MechanismError):
    """A loop that cannot be closed."""

    def __init__(
        self,
        closure: str,
        sides: tuple[str, str],
        gap: float,
        angle: float,
        loop: Sequence[str],
    ) -> None:
        self.closure, self.sides, self.gap, self.angle = closure, sides, gap, angle
        self.loop = tuple(loop)
        super().__init__(
            f"Loop '{closure}' cannot be closed: '{sides[0]}' and '{sides[1]}' stay "
            f"{round(gap * 1e3, 6):.4g} mm and {round(math.degrees(angle), 6):.4g}° apart. The "
            f"joints of the loop: "
            f"{' - '.join(self.loop)}. Check the lengths between their ports, that their axes "
            "agree, and that no `limits` stand in the way."
        )


class UnreachableError(MechanismError):
    """A value that a joint cannot be moved to with its loops closed.

    `wanted` and `nearest` are its coordinates [m, rad, quaternion]; `said` is what people call
    the two.
    """

    def __init__(
        self,
        joint: str,
        wanted: Sequence[float],
        nearest: Sequence[float],
        said: tuple[str, str],
        why: str = "on this branch its loops let",
    ) -> None:
        self.joint, self.wanted, self.nearest = joint, tuple(wanted), tuple(nearest)
        super().__init__(
            f"Joint '{joint}' cannot be moved to {said[0]}: {why} it go as far as {said[1]}."
        )


class OverdeterminedError(MechanismError):
    """More joints of a loop are given values than it has freedoms.

    `leaders` are the joints that the joint follows by a coupling, if it does; `what` is what `loop`
    names: it may be a coupling.
    """

    def __init__(
        self,
        loop: str,
        joint: str,
        freedoms: int,
        taken: Sequence[str],
        leaders: Sequence[str] = (),
        what: str = "loop",
    ) -> None:
        self.loop, self.joint, self.freedoms = loop, joint, freedoms
        self.taken, self.leaders = tuple(taken), tuple(leaders)
        names, led = (" and ".join(f"'{name}'" for name in own) for own in (taken, leaders))
        others = " or ".join(f"'{name}'" for name in taken)
        follows = f"by a coupling it follows {led}, and " if led else ""
        has, remedy = "no freedom", "Leave the value out."
        if taken:
            has = f"{freedoms} freedom{'' if freedoms == 1 else 's'}, taken by {names}"
            remedy = f"Leave out its value, or that of {others}."
        super().__init__(
            f"Joint '{joint}' cannot be given a value of its own: {follows}{what} '{loop}' has "
            f"{has}. {remedy}"
        )


class AssembledOutsideLimitsError(MechanismError):
    """A joint that its closed loops, or a value asked for, put outside its limits."""

    def __init__(self, joint: str, value: float, limits: tuple[float, float], unit: str) -> None:
        self.joint, self.value, self.limits = joint, value, limits
        super().__init__(
            f"Joint '{joint}' comes to stand at {value:.6g} {unit}, outside its limits "
            f"[{limits[0]:.6g}, {limits[1]:.6g}] {unit}, where its loops are closed at the values "
            "asked for. Ask for other values, or check its limits and the lengths of its loop."
        )


class KeptError(MechanismError):
    """A loop that cannot be cut, since joints of it are to be kept whole."""

    def __init__(self, loop: Sequence[str], kept: Sequence[str]) -> None:
        self.loop, self.kept = tuple(loop), tuple(kept)
        joints, whole = (", ".join(f"'{n}'" for n in sorted(names)) for names in (loop, kept))
        super().__init__(
            f"The loop of {joints} has no joint left to cut: {whole} are asked for. One joint of "
            "each loop has no coordinate of its own and follows from the others: leave one out."
        )


class CutError(MechanismError):
    """Joints that were asked to be cut and do not leave a spanning tree."""

    def __init__(self, cuts: Iterable[str], faults: Sequence[str]) -> None:
        self.cuts, self.faults = tuple(sorted(cuts)), tuple(faults)
        shown = ", ".join(f"'{cut}'" for cut in self.cuts) or "no joint"
        super().__init__(
            f"Cutting {shown} does not leave a spanning tree: {'; '.join(self.faults)}. "
            "Name one joint of each loop, or leave the choice to the compiler."
        )
