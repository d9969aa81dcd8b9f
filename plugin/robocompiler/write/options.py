"""What a user may ask of an export."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, field, fields
from functools import partial
from typing import Any

from robocompiler.errors import BadValueError, made_of_each
from robocompiler.parameters import EXPORT, SECONDS, number, positive

USD_PROFILES = ("generic", "mujoco", "physx", "newton")
ROOTS = ("base_footprint",)
HEAVIEST = 1e6
"""[kg]. A link that is there only for the format's sake weighs little; far more overflows."""
SHORTEST, LONGEST = 1e-9, 1e3
"""[s]. What simulates with steps beyond these loses them to rounding, or is nobody's wish."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteOptions:
    """Of all formats; each reads its own, and refuses what another has (`checked_options`)."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class MoreOptions:
    """What no format reads: what to write beside a model, and when to write none."""

    ledger: bool = False
    """Whether to write what became of all that is said, as JSON."""
    strict: bool = False
    """Whether to refuse to write where anything is lost."""
    configurations: Mapping[str, Any] = field(default_factory=dict)
    """Others to write too, by name."""
    independent: tuple[Any, ...] = ()
    """Of code: what drives the others."""


def checked_options(
    given: Mapping[str, Any], known: Container[str], title: str
) -> tuple[WriteOptions, MoreOptions]:
    """The options as given, numbers perhaps as text.

    Args:
        given: all of them, by name.
        known: those of the format.
        title: of the format.

    Raises:
        BadValueError: values that are none, and options that were set and are not the format's: all
            of them at once.
    """
    found = made_of_each(
        {name: partial(_checked, name, value, known, title) for name, value in given.items()}
    )
    more = {option.name: found.pop(option.name) for option in fields(MoreOptions)}
    return WriteOptions(**found), MoreOptions(**more)


def _checked(name: str, value: Any, known: Container[str], title: str) -> Any:
    unset = UNSET[name]
    if value is None and name in ("root", "timestep", "intermediate_mass", "configurations"):
        return unset
    read = READERS[name](name, value)
    if read != unset and name not in known:
        raise BadValueError(EXPORT, name, _shown(read), f"left out: {title} has no such thing")
    return read


def _shown(value: Any) -> str:
    return ", ".join(value) if isinstance(value, Mapping) else str(value)


def _flag(parameter: str, value: Any) -> bool:
    """A yes or no as given; text such as `no` is neither."""
    if not isinstance(value, bool):
        raise BadValueError(EXPORT, parameter, str(value), "true or false")
    return value


def _timestep(parameter: str, value: Any) -> float:
    stated = positive(EXPORT, parameter, value, SECONDS)
    if not SHORTEST <= stated <= LONGEST:
        told = f"a number of seconds from {SHORTEST:g} to {LONGEST:g}"
        raise BadValueError(EXPORT, parameter, str(value), told)
    return stated


def _configurations(parameter: str, value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping) or not all(isinstance(name, str) for name in value):
        raise BadValueError(EXPORT, parameter, str(value), "a mapping from names to configurations")
    return value


def _one_of(allowed: tuple[str, ...], parameter: str, value: Any) -> str:
    if value not in allowed:
        raise BadValueError(EXPORT, parameter, str(value), f"one of {', '.join(allowed)}")
    return str(value)


def _mass(parameter: str, value: Any) -> float:
    stated = number(value)
    if not 0.0 <= stated <= HEAVIEST:
        told = f"a mass [kg] of at most {HEAVIEST:g}, 0 for none"
        raise BadValueError(EXPORT, parameter, str(value), told)
    return stated


def _several(parameter: str, value: Any) -> tuple[Any, ...]:
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise BadValueError(EXPORT, parameter, str(value), "a list of names")
    return tuple(value)


READERS: Mapping[str, Callable[[str, Any], Any]] = {
    "timestep": _timestep,
    "ground_plane": _flag,
    "light": _flag,
    "root": partial(_one_of, ROOTS),
    "intermediate_mass": _mass,
    "usd_profile": partial(_one_of, USD_PROFILES),
    "ledger": _flag,
    "strict": _flag,
    "configurations": _configurations,
    "independent": _several,
}
"""What makes an option of what was given, by its name."""
UNSET = {
    option.name: getattr(defaults, option.name)
    for defaults in (WriteOptions(), MoreOptions())
    for option in fields(defaults)
}
"""What an option is that nobody sets."""
