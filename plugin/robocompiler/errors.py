"""Every error this library raises on purpose: what is wrong, where, by how much, what to do."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Sequence
from pathlib import Path


class MechanismError(Exception):
    """Base of them all: catch this to catch what the input, not the library, did wrong."""

    def __str__(self) -> str:
        """What it says, with every character that cannot be printed escaped: it quotes input."""
        return "".join(
            c if c.isprintable() or c == "\n" else c.encode("unicode_escape").decode()
            for c in super().__str__()
        )


class SeveralFaultsError(MechanismError):
    """More than one thing is wrong with a mechanism; `faults` holds each."""

    def __init__(self, faults: Sequence[MechanismError]) -> None:
        self.faults = tuple(faults)
        lines = "\n".join(f"  {i}. {fault}" for i, fault in enumerate(self.faults, 1))
        super().__init__(f"{len(self.faults)} faults:\n{lines}")


def raise_all(faults: Iterable[MechanismError]) -> None:
    """Raise what was found: nothing, the only fault, or all of them as one error."""
    found = list(faults)
    if len(found) == 1:
        raise found[0]
    if found:
        raise SeveralFaultsError(found)


class FormatError(MechanismError):
    """A file or a request does not say what its format says."""


class UnknownNameError(MechanismError):
    """A name refers to nothing."""

    def __init__(self, where: str, what: str, name: str, known: Iterable[str]) -> None:
        self.where, self.what, self.name = where, what, name
        choices = sorted(set(known))
        self.nearest = tuple(difflib.get_close_matches(name, choices, n=1, cutoff=0.4))
        if self.nearest:
            hint = f"Did you mean '{self.nearest[0]}'?"
        elif choices:
            shown = ", ".join(f"'{choice}'" for choice in choices[:8])
            hint = f"There are: {shown}{', …' if len(choices) > 8 else ''}."
        else:
            hint = "There is none to choose from."
        super().__init__(f"{where}: there is no {what} '{name}'. {hint}")


class AmbiguousNameError(MechanismError):
    """A name refers to several things."""

    def __init__(self, where: str, what: str, name: str, count: int) -> None:
        self.where, self.what, self.name, self.count = where, what, name, count
        super().__init__(
            f"{where}: {count} {what}s are called '{name}', so which one is meant cannot be told. "
            "Give each a `name:` of its own."
        )


class DuplicateNameError(MechanismError):
    """Two things of one kind have one name."""

    def __init__(self, what: str, name: str, sources: Sequence[str] = ()) -> None:
        self.what, self.name = what, name
        said = f" ({'; '.join(s for s in sources if s)})" if any(sources) else ""
        super().__init__(f"Two {what} are called '{name}'{said}. Rename one of them.")


class UnknownKindError(MechanismError):
    """A joint kind that does not exist."""

    def __init__(self, where: str, kind: str, known: Iterable[str]) -> None:
        self.where, self.kind = where, kind
        super().__init__(
            f"{where}: there is no joint kind '{kind}'. There are: {', '.join(known)}."
        )


class BadValueError(MechanismError):
    """A value that cannot be read, or has the wrong dimension."""

    def __init__(self, where: str, parameter: str, value: str, expected: str) -> None:
        self.where, self.parameter, self.value = where, parameter, value
        super().__init__(f"{where}: {parameter}={value} is not {expected}.")


class SameBodyError(MechanismError):
    """A joint with both ends on one rigid body."""

    def __init__(self, joint: str, body: str, source: str = "") -> None:
        self.joint, self.body = joint, body
        super().__init__(
            f"{source or f'Joint {joint}'}: both ends of '{joint}' are on the rigid body '{body}', "
            "so it can neither move nor hold anything. Check the two links it names."
        )


class DuplicateJointError(MechanismError):
    """A loop joint that says again what a joint already says."""

    def __init__(self, loop: str, joint: str, bodies: tuple[str, str]) -> None:
        self.loop, self.joint, self.bodies = loop, joint, bodies
        super().__init__(
            f"Loop joint '{loop}' repeats joint '{joint}': both connect '{bodies[0]}' and "
            f"'{bodies[1]}' at the same place. Remove the loop, or name the two links that no "
            "`connect:` joins yet."
        )


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


class MassError(MechanismError):
    """A moving body that weighs nothing, or any that weighs less."""

    def __init__(self, body: str, mass: float | None) -> None:
        self.body, self.mass = body, mass
        said = "has no mass" if mass is None else f"has a mass of {mass:.6g} kg"
        super().__init__(
            f"Body '{body}' {said}; a body that moves needs a positive one. State "
            "`properties: {material: …}` or `physics: {mass: …}` on a part of it."
        )


class InertiaError(MechanismError):
    """An inertia no rigid body can have, or none about some axis of a body that moves."""

    def __init__(self, body: str, eigenvalues: Sequence[float], welded: Sequence[str] = ()) -> None:
        self.body, self.eigenvalues, self.welded = body, tuple(eigenvalues), tuple(welded)
        who = f"Body '{body}'"
        if self.welded:
            who += f", with {', '.join(repr(name) for name in self.welded)} welded to it"
        a, b, c = self.eigenvalues
        if c == 0.0:
            super().__init__(
                f"{who} is a point mass: its moments of inertia are 0, and a body that moves needs "
                "positive ones. State its `inertia` (kg m²), or weld it to a body that has one."
            )
            return
        shown = ", ".join(f"{value:.6g}" for value in self.eigenvalues)
        broken = f"{a:.6g} > 0" if a <= 0.0 else f"{a:.6g} + {b:.6g} ≥ {c:.6g}"
        rule = "be positive" if a <= 0.0 else "obey the triangle inequality"
        super().__init__(
            f"{who}: the principal moments of inertia {shown} kg m² must {rule}: "
            f"{broken} fails. Check the stated `inertia`, its units (kg m²) and its centre."
        )


class LimitsError(MechanismError):
    """Limits between which a joint cannot move."""

    def __init__(self, joint: str, coordinate: str, limits: tuple[float, float], unit: str) -> None:
        self.joint, self.coordinate, self.limits = joint, coordinate, limits
        low, high = limits
        what = "the lowest is above the highest" if low > high else "they are one and the same"
        advice = "Swap the two" if low > high else "Make it a fixed joint, or widen them"
        if math.isinf(low) or math.isinf(high):
            advice = "State -inf as the lowest or inf as the highest where it is open"
        super().__init__(
            f"Joint '{joint}': {coordinate} cannot move between its limits "
            f"[{low:.9g}, {high:.9g}] {unit}: {what}. {advice}."
        )


class StartOutsideLimitsError(MechanismError):
    """A joint that starts where its limits do not let it be."""

    def __init__(
        self, joint: str, coordinate: str, value: float, limits: tuple[float, float], unit: str
    ) -> None:
        self.joint, self.value, self.limits = joint, value, limits
        self.excess = max(limits[0] - value, value - limits[1])
        super().__init__(
            f"Joint '{joint}': {coordinate} starts at {value:.6g} {unit}, outside its limits "
            f"[{limits[0]:.6g}, {limits[1]:.6g}] {unit} by {self.excess:.3g} {unit}. "
            "Move the start or widen the limits."
        )


class DisconnectedError(MechanismError):
    """The mechanism falls into pieces: some bodies cannot be reached from the world."""

    def __init__(self, bodies: Sequence[str]) -> None:
        self.bodies = tuple(bodies)
        super().__init__(
            f"No joint leads from the world to: {', '.join(bodies)}. "
            "Connect them in the assembly, or give each piece a free joint."
        )


class CouplingCycleError(MechanismError):
    """Couplings that follow each other in a circle."""

    def __init__(self, cycle: Sequence[str]) -> None:
        self.cycle = tuple(cycle)
        super().__init__(
            f"Couplings follow each other in a circle: {' → '.join(self.cycle)}. "
            "Remove one: a follower must not lead, directly or through others, its own leader."
        )


class CouplingError(MechanismError):
    """A coupling that cannot work, and why."""


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
            f"{gap * 1e3:.4g} mm and {math.degrees(angle):.4g}° apart. The joints of the loop: "
            f"{' - '.join(self.loop)}. Check the lengths between their ports, that their axes "
            "agree, and that no `limits` stand in the way."
        )


class UnreachableError(MechanismError):
    """A value that a joint cannot be moved to with its loops closed."""

    def __init__(self, joint: str, wanted: Sequence[float], nearest: Sequence[float]) -> None:
        self.joint, self.wanted, self.nearest = joint, tuple(wanted), tuple(nearest)
        said, reached = (", ".join(f"{x:.6g}" for x in v) for v in (self.wanted, self.nearest))
        super().__init__(
            f"Joint '{joint}' cannot be moved to {said}: on this branch its loops let it go as "
            f"far as {reached} [m or rad]."
        )


class OverdeterminedError(MechanismError):
    """More joints of a loop are given values than it has freedoms."""

    def __init__(self, loop: str, joint: str, freedoms: int, taken: Sequence[str]) -> None:
        self.loop, self.joint, self.freedoms, self.taken = loop, joint, freedoms, tuple(taken)
        names = ", ".join(f"'{name}'" for name in self.taken) or "none"
        super().__init__(
            f"Joint '{joint}' cannot be given a value of its own: loop '{loop}' has {freedoms} "
            f"freedoms, taken by {names}."
        )


class UnsupportedJointError(MechanismError):
    """A joint that no kind of ours is."""

    def __init__(self, joint: str, what: str, advice: str) -> None:
        self.joint = joint
        super().__init__(f"Joint '{joint}' is {what}, which cannot be carried. {advice}")


class MappedPortError(MechanismError):
    """A connection to an assembly in which parts move, of which it cannot be told to which part."""

    def __init__(self, where: str, what: str, bodies: Sequence[str]) -> None:
        self.where, self.what, self.bodies = where, what, tuple(bodies)
        shown = ", ".join(f"'{body}'" for body in self.bodies)
        super().__init__(
            f"{where}: it cannot be told which body {what} is on: {shown}. PartCAD does not say "
            "what `map:` maps a port from, and the ports that meet here leave it open. Connect to "
            "the inner part itself, in one `links:` list, or without a `map:` offset and without "
            "an adjustment of the connection."
        )


class UnwritableError(MechanismError):
    """A mechanism of which some part has no exact encoding in a format."""


class OutputError(MechanismError):
    """A file or folder that cannot be written."""

    def __init__(self, path: Path, reason: str) -> None:
        self.path = path
        super().__init__(f"Cannot write '{path}': {reason}. Nothing was left there.")


class DriveError(MechanismError):
    """A joint that cannot be driven as asked."""


class DivergenceError(MechanismError):
    """A simulation that left what is physical."""

    def __init__(self, time: float, body: str, what: str) -> None:
        self.time, self.body = time, body
        super().__init__(
            f"The simulation diverged at t = {time:.6g} s: body '{body}' {what}. "
            "Try a smaller `timestep`, or check masses, limits and drives."
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


class CutError(MechanismError):
    """Joints that were asked to be cut and do not leave a spanning tree."""

    def __init__(self, cuts: Iterable[str], faults: Sequence[str]) -> None:
        self.cuts, self.faults = tuple(sorted(cuts)), tuple(faults)
        shown = ", ".join(f"'{cut}'" for cut in self.cuts) or "no joint"
        super().__init__(
            f"Cutting {shown} does not leave a spanning tree: {'; '.join(self.faults)}. "
            "Name one joint of each loop, or leave the choice to the compiler."
        )
