"""Ports as the command line shows them: efforts, speeds and powers, and their limits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.compiler.ports import Port, ports_of
from robocompiler.model.joint_kinds import Factor
from robocompiler.units import degrees, millimetres

NEWTON, NEWTON_METRE, EITHER = "N", "N m", "N or N m"
SPEEDS = {NEWTON: "m/s", NEWTON_METRE: "rad/s", EITHER: "m/s or rad/s"}
"""The speed that goes with an effort, in SI."""
EFFORT_UNITS = {NEWTON: "newton", NEWTON_METRE: "newton * meter"}
"""Units of efforts as `cli.values` calls them."""
ACCELERATION_UNITS = {NEWTON: "meter / second ** 2", NEWTON_METRE: "radian / second ** 2"}
"""Those of the accelerations that go with them, likewise."""


def port_units(compiled: CompiledMechanism, ports: Sequence[Port]) -> dict[str, str]:
    """The unit of each port's effort, by its name.

    An actuator of several slides, or of one through a ratio, may itself turn, as a lead screw
    does, or not: that its description does not say.
    """
    return {port.name: _unit(compiled, port) for port in ports}


def _unit(compiled: CompiledMechanism, port: Port) -> str:
    turning = _turning(compiled, port)
    if all(turning):
        return NEWTON_METRE
    ratios = [abs(term[-1]) for term in (*port.tree, *port.cut)]
    return NEWTON if not any(turning) and abs(sum(ratios) - 1.0) < 1e-9 else EITHER


def _turning(compiled: CompiledMechanism, port: Port) -> list[bool]:
    """Of each speed that a port is on whether it turns."""
    own = [turn for joint in compiled.tree for turn in _turns(joint.edge.joint.kind.factors)]
    found = [own[speed] for speed, _ in port.tree]
    for closure, speed, _ in port.cut:
        factors = compiled.closures[closure].chord.joint.kind.factors
        found.append(_turns(factors)[speed])
    return found


def _turns(factors: Sequence[Factor]) -> list[bool]:
    """Of each speed of a joint whether it turns."""
    return [
        factor.is_turn or factor is Factor.ROTATION for factor in factors for _ in range(factor.nv)
    ]


def show_speed(value: float, unit: str) -> str:
    """A speed that goes with an effort of a unit: `30 °/s`, `10 mm/s`."""
    if unit == EITHER:
        return f"{value:.6g} [SI]"
    turns = unit == NEWTON_METRE
    return f"{degrees(value):.6g} °/s" if turns else f"{millimetres(value):.6g} mm/s"


@dataclass(frozen=True, slots=True, kw_only=True)
class PortState:
    """What a port gives at a moment, or at its worst."""

    name: str
    unit: str
    effort: float
    speed: float
    power: float
    limit: float | None
    speed_limit: float | None

    @property
    def share(self) -> float | None:
        """How much of its effort is used, of 1; None where none is stated."""
        if self.limit is None:
            return None
        if self.limit > 0.0:
            return abs(self.effort) / self.limit
        return 0.0 if self.effort == 0.0 else float("inf")

    @property
    def data(self) -> dict[str, object]:
        """As JSON has it, in SI."""
        share = self.share
        return {
            "name": self.name,
            "effort": self.effort,
            "unit": self.unit,
            "limit": self.limit,
            "share": None if share is None or share == float("inf") else share,
            "speed": self.speed,
            "speed_limit": self.speed_limit,
            "power": self.power,
        }

    @property
    def cells(self) -> list[str]:
        """As a line of a table."""
        limit = "none stated" if self.limit is None else f"{self.limit:.6g} {self.unit}"
        share = "" if self.share is None else f"{100.0 * self.share:.3g} %"
        return [
            self.name,
            f"{self.effort:.6g} {self.unit}",
            limit,
            share,
            show_speed(self.speed, self.unit),
            f"{self.power:.6g} W",
        ]

    @property
    def warnings(self) -> list[str]:
        """Where it is asked for more than it states."""
        found = []
        if self.limit is not None and abs(self.effort) > self.limit:
            found.append(
                f"'{self.name}' would have to give {abs(self.effort):.6g} {self.unit} and states "
                f"at most {self.limit:.6g} {self.unit}: take a stronger one, gear it, or move "
                "more slowly"
            )
        if self.speed_limit is not None and abs(self.speed) > self.speed_limit:
            found.append(
                f"'{self.name}' would have to move at {show_speed(abs(self.speed), self.unit)} "
                f"and states at most {show_speed(self.speed_limit, self.unit)}"
            )
        return found


def drive_warnings(
    compiled: CompiledMechanism,
    redundant: int,
    undriven: Sequence[tuple[str, float]],
) -> list[str]:
    """What is to be known of who drives, and of what nobody drives."""
    found = []
    if not ports_of(compiled):
        found.append(
            "no actuator is declared and no joint states an effort: these efforts are taken along "
            "the independent joints themselves. Declare what drives it to size that"
        )
    if redundant:
        found.append(
            f"{redundant} combination(s) of efforts do nothing, as the loops have fewer freedoms "
            "than it has drives: those of least Σ effort² are shown, not the only ones"
        )
    if undriven:
        units = {
            name: NEWTON_METRE if turns else NEWTON
            for joint in compiled.joints.values()
            for name, turns in zip(joint.speed_names, _turns(joint.kind.factors), strict=True)
        }
        names = ", ".join(f"'{name}' (up to {size:.6g} {units[name]})" for name, size in undriven)
        found.append(
            f"no drive can give what is missing along {names}: with the drives it has, it would "
            "not move so. Hold what is to stand, give an effort to a joint that moves then, or ask "
            "for accelerations that fit"
        )
    return found
