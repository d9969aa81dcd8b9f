"""Coordinates and speeds of a joint as a person reads them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from robocompiler.model.joint_kinds import Factor
from robocompiler.model.mechanism import Joint
from robocompiler.units import degrees, millimetres


def coordinate_units(joint: Joint) -> tuple[str, ...]:
    """The SI unit of each coordinate, in words; a quaternion's numbers have none."""

    def units() -> Iterator[str]:
        for factor in joint.kind.factors:
            if factor is Factor.ROTATION:
                yield from ("",) * 4
            else:
                yield "radian" if factor.is_turn else "meter"

    return tuple(units())


def show_coordinates(joint: Joint, values: Sequence[float]) -> str:
    """Coordinates [m, rad, quaternion] in millimetres and degrees: `35°`, `10 mm, 5°`."""
    shown = []
    for unit, value in zip(coordinate_units(joint), values, strict=True):
        if unit == "radian":
            shown.append(f"{degrees(value):.6g}°")
        elif unit == "meter":
            shown.append(f"{millimetres(value):.6g} mm")
        else:
            shown.append(f"{value:.6g}")
    return ", ".join(shown) or "fixed"


def speed_units(joint: Joint) -> tuple[str, ...]:
    """The SI unit of each speed, in words."""
    return tuple(
        f"{'radian' if factor.is_turn else 'meter'} / second"
        for factor in joint.kind.factors
        for _ in range(factor.nv)
    )


def show_speeds(joint: Joint, values: Sequence[float]) -> str:
    """Speeds [m/s, rad/s] in millimetres and degrees per second: `30°/s`, `10 mm/s, 5°/s`."""
    shown = []
    for unit, value in zip(speed_units(joint), values, strict=True):
        turns = unit.startswith("radian")
        shown.append(f"{degrees(value):.6g}°/s" if turns else f"{millimetres(value):.6g} mm/s")
    return ", ".join(shown)


def acceleration_units(joint: Joint) -> tuple[str, ...]:
    """The SI unit of each acceleration, in words."""
    return tuple(f"{unit} ** 2" for unit in speed_units(joint))


def show_accelerations(joint: Joint, values: Sequence[float]) -> str:
    """Accelerations [m/s², rad/s²] in millimetres and degrees: `30°/s²`, `10 mm/s², 5°/s²`."""
    return ", ".join(f"{own}²" for own in show_speeds(joint, values).split(", ") if own)
