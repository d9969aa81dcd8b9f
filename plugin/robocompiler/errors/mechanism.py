"""What is wrong with a mechanism as it is described."""

from __future__ import annotations

import math
from collections.abc import Sequence

from robocompiler.errors.base import MechanismError


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


class ActuatorError(MechanismError):
    """An actuator that cannot work, and why."""


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
