"""What a user may ask of an export."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from robocompiler.errors import BadValueError
from robocompiler.parameters import EXPORT, SECONDS, number, positive

USD_PROFILES = ("generic", "mujoco", "physx", "newton")
ROOTS = ("base_footprint",)
HEAVIEST = 1e6
"""[kg]. A link that is there only for the format's sake weighs little; far more overflows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteOptions:
    """Of all formats; each reads its own, and refuses what another has (`check_options`)."""

    timestep: float | None = None
    """mjcf: of the simulation [s]; None to have it derived from the masses at the cuts."""
    ground_plane: bool = False
    """mjcf, sdf: whether there is a floor at z = 0."""
    light: bool = False
    """mjcf, sdf: whether there is a light overhead."""
    root: str | None = None
    """urdf: the name of a root link without mass above the first, or None for none."""
    intermediate_mass: float | None = None
    """urdf, sdf, usd: of a link that is there only because the format has no joint of several
    freedoms [kg]; 0 for links without inertia; None to refuse such joints."""
    usd_profile: str = "generic"
    """usd: whose importer it is for; one of `USD_PROFILES`."""


def checked_options(given: dict[str, Any]) -> WriteOptions:
    """The options as given, numbers perhaps as text.

    Raises:
        BadValueError: a value that is none.
    """
    timestep, mass = given["timestep"], given["intermediate_mass"]
    return WriteOptions(
        timestep=None if timestep is None else positive(EXPORT, "timestep", timestep, SECONDS),
        ground_plane=flag("ground_plane", given["ground_plane"]),
        light=flag("light", given["light"]),
        root=None if given["root"] is None else _one_of("root", given["root"], ROOTS),
        intermediate_mass=None if mass is None else _mass(mass),
        usd_profile=_one_of("usd_profile", given["usd_profile"], USD_PROFILES),
    )


def refuse_options(options: WriteOptions, known: frozenset[str], title: str) -> None:
    """Whether every option that was set is one of the format's.

    Raises:
        BadValueError: the first that is not.
    """
    for option in fields(WriteOptions):
        value = getattr(options, option.name)
        if value != option.default and option.name not in known:
            told = f"left out: {title} has no such thing"
            raise BadValueError(EXPORT, option.name, str(value), told)


def flag(parameter: str, value: Any) -> bool:
    """A yes or no as given; text such as `no` is neither.

    Raises:
        BadValueError: anything else.
    """
    if not isinstance(value, bool):
        raise BadValueError(EXPORT, parameter, str(value), "true or false")
    return value


def _one_of(parameter: str, value: Any, allowed: tuple[str, ...]) -> str:
    if value not in allowed:
        raise BadValueError(EXPORT, parameter, str(value), f"one of {', '.join(allowed)}")
    return str(value)


def _mass(value: Any) -> float:
    stated = number(value)
    if not 0.0 <= stated <= HEAVIEST:
        told = f"a mass [kg] of at most {HEAVIEST:g}, 0 for none"
        raise BadValueError(EXPORT, "intermediate_mass", str(value), told)
    return stated
