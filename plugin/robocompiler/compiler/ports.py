"""Where efforts act: what drives the mechanism, as speeds of its tree and of its cut joints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.model.mechanism import Actuator


@dataclass(frozen=True, slots=True, kw_only=True)
class Port:
    """An actuator on speeds: ℓ̇ = Σ ratio · speed."""

    name: str
    tree: tuple[tuple[int, float], ...] = ()
    """Speeds of the tree, and their ratios."""
    cut: tuple[tuple[int, int, float], ...] = ()
    """Closures, which speed of their cut joint, and its ratio."""
    effort: float | None = None
    """The largest [N or N m]."""
    velocity: float | None = None
    """The largest speed [m/s or rad/s]."""
    armature: float = 0.0
    """[kg or kg m²], of ℓ."""


def ports_of(compiled: CompiledMechanism) -> tuple[Port, ...]:
    """The declared actuators in their order, then each coordinate of a joint that states an effort
    and that none of them moves, in the order of the tree and then of the closures.
    """
    places = _places(compiled)
    declared = compiled.mechanism.actuators
    moved = {t.coordinate for actuator in declared for t in actuator.transmissions}
    own = [
        _made(name, [(places[name], 1.0)], joint.effort, joint.velocity, 0.0)
        for joint in compiled.joints.values()
        if joint.effort is not None
        for name in joint.speed_names
        if name not in moved
    ]
    return (*(_port(actuator, places) for actuator in declared), *own)


def ports_on(names: Sequence[str], speeds: Sequence[int]) -> tuple[Port, ...]:
    """A port on each of some speeds of the tree, called as they are."""
    return tuple(
        Port(name=name, tree=((speed, 1.0),)) for name, speed in zip(names, speeds, strict=True)
    )


Place = tuple[int | None, int]
"""A closure, or None for the tree, and a speed of its cut joint or of the tree."""


def _places(compiled: CompiledMechanism) -> dict[str, Place]:
    """Of each single coordinate, by its name, where its speed is."""
    found: dict[str, Place] = {}
    for joint in compiled.tree:
        named = enumerate(joint.edge.joint.speed_names, joint.v.start)
        found |= {name: (None, speed) for speed, name in named}
    for index, closure in enumerate(compiled.closures):
        named = enumerate(closure.chord.joint.speed_names)
        found |= {name: (index, speed) for speed, name in named}
    return found


def _port(actuator: Actuator, places: dict[str, Place]) -> Port:
    terms = [(places[t.coordinate], t.ratio) for t in actuator.transmissions]
    return _made(actuator.name, terms, actuator.effort, actuator.velocity, actuator.armature)


def _made(
    name: str,
    terms: Sequence[tuple[Place, float]],
    effort: float | None,
    velocity: float | None,
    armature: float,
) -> Port:
    return Port(
        name=name,
        tree=tuple((speed, ratio) for (closure, speed), ratio in terms if closure is None),
        cut=tuple((closure, speed, r) for (closure, speed), r in terms if closure is not None),
        effort=effort,
        velocity=velocity,
        armature=armature,
    )
