"""How far a driven joint can travel on its branch, and what stops it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.errors import BadValueError, UnknownNameError, raise_all
from robocompiler.model.configuration import Configuration
from robocompiler.solve.assembly.assemble import assemble
from robocompiler.solve.assembly.carrying import carry_over, keeping
from robocompiler.solve.assembly.singular import singular_fault
from robocompiler.solve.closure import relative_motion
from robocompiler.solve.continuation.arc import ArcPoint, Ray, along, begin, march, toggle_between
from robocompiler.solve.continuation.constants import CONTROL
from robocompiler.solve.continuation.holding import held_place
from robocompiler.solve.describe import coordinates, describe
from robocompiler.solve.limits import excess
from robocompiler.solve.system import System, systems_of
from robocompiler.solve.values import refuse_following
from robocompiler.spatial import Array, apply

MOVES = 1e-6
"""Share of the motion at a toggle below which a joint stands still there."""
FAR = 100.0
"""Travel of a sliding joint, over the module's size, after which nothing is taken to stop it."""


class Stop(Enum):
    """What stops a driven joint."""

    TOGGLE = "toggle"
    """The loop is stretched or folded: the driver turns back, or could not be turned back."""
    LIMIT = "limit"
    """A joint, perhaps itself, is at its limit."""
    NOTHING = "nothing"
    """A turning joint goes all the way round; a sliding one on and on."""
    RIGID = "rigid"
    """Its loops do not let it move at all."""
    LOST = "lost"
    """The motion could not be followed further, and it cannot be said why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """One end of a driver's range."""

    value: float
    """Coordinate of the driver there [m or rad]; infinite where nothing stops it."""
    stop: Stop
    joints: tuple[str, ...] = ()
    """At a toggle those that can move though the driver stands still, cut ones too: they are in
    line. At a limit the one that is at it."""
    configuration: Configuration | None = None
    """Where everything stands there."""
    misfit: float = 0.0
    """Largest row of the module's closures there, lengths over its size."""
    crossed: tuple[float, ...] = ()
    """Values of the driver on the way at which two branches meet, passed straight on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DriverRange:
    """How far a joint can be driven from where it is, on its branch."""

    joint: str
    value: float
    """Where it is [m or rad]."""
    lowest: End
    highest: End
    held: tuple[str, ...] = ()
    """Other independent joints, held where they stand."""

    @property
    def endless(self) -> bool:
        """Whether nothing stops it either way."""
        return self.lowest.stop is Stop.NOTHING and self.highest.stop is Stop.NOTHING


def driver_range(
    compiled: CompiledMechanism, joint: str, *, near: Configuration | None = None
) -> DriverRange:
    """Drive a joint of one coordinate both ways until something stops it.

    Along the branch by its arc length, so that a toggle is passed and found to rounding: there
    φ = 0, K_p w = 0, wᵀw = 1.

    Args:
        compiled: the mechanism.
        joint: of one coordinate; where it was cut, its loop is solved with another joint cut.
        near: where to start, and the branch; as drawn where None.

    Raises:
        UnknownNameError, BadValueError: no joint that moves, or one of several coordinates.
        SingularError: it starts where its loop is singular, with what could move and which way.
    """
    if joint not in compiled.joints:
        raise UnknownNameError("Driver range", "joint", joint, compiled.joints)
    if (kind := compiled.joints[joint].kind).nq != 1:
        raise BadValueError("Driver range", joint, kind.value, "of one coordinate")
    asked = keeping(compiled, [joint])
    raise_all(refuse_following(asked, [joint], "Driver range"))
    if asked is not compiled:
        found = driver_range(asked, joint, near=assemble(compiled, near=near))
        ends = [_carried(compiled, end) for end in (found.lowest, found.highest)]
        return replace(found, lowest=ends[0], highest=ends[1])
    own = compiled.tree_joint(joint)
    q = coordinates(compiled, assemble(compiled, near=near))
    value = float(q[own.q.start])
    for system in systems_of(compiled):
        if system.speeds_of(joint):
            return _in_loop(compiled, system, joint, q)
    low, high = own.edge.joint.limits[0] if own.edge.joint.limits else (-np.inf, np.inf)
    ends = [
        End(value=x, stop=Stop.LIMIT if np.isfinite(x) else Stop.NOTHING, joints=(joint,))
        for x in (low, high)
    ]
    return DriverRange(joint=joint, value=value, lowest=ends[0], highest=ends[1])


def _carried(compiled: CompiledMechanism, end: End) -> End:
    """An end of the range with its configuration as another compilation has it."""
    if end.configuration is None:
        return end
    return replace(end, configuration=carry_over(compiled, end.configuration))


def _in_loop(compiled: CompiledMechanism, system: System, joint: str, q: Array) -> DriverRange:
    start = system.of(q)
    (driver,) = system.speeds_of(joint)
    place = held_place(system, start, [joint])
    value = float(start[_coordinate(system, driver)])
    fault = singular_fault(system, start, [driver])
    if fault is not None:
        raise fault
    if driver not in place.hold.held:
        end = End(value=value, stop=Stop.RIGID)
        return DriverRange(joint=joint, value=value, lowest=end, highest=end)
    ends = []
    for sign in (-1.0, 1.0):
        direction = np.zeros(system.compiled.nv)
        direction[driver] = sign
        ends.append(_end(compiled, system, Ray(place.hold, direction), driver, q))
    held = system.own_joints(i for i in place.hold.held if i != driver)
    return DriverRange(joint=joint, value=value, lowest=ends[0], highest=ends[1], held=held)


def _coordinate(system: System, speed: int) -> int:
    tree = system.compiled.tree
    return int(next(t.q.start for t in tree if t.v.start == speed < t.v.stop))


def _end(compiled: CompiledMechanism, system: System, ray: Ray, driver: int, q: Array) -> End:
    """The end in the ray's direction; its sign is that of the driver's part."""
    sign, coordinate = float(ray.direction[driver]), _coordinate(system, driver)
    turns = {
        t.v.start: t.edge.joint.kind.factors[0].is_turn
        for t in system.compiled.tree
        if t.v.stop > t.v.start
    }
    far = 2.0 * np.pi if turns[driver] else FAR
    chords, crossed = system.chords(system.of(q)), list[float]()
    reached = begin(system, ray, system.of(q))
    stop, joints = Stop.LOST, tuple[str, ...]()
    for at, ahead in march(system, ray, reached):
        toggled = ahead.tangent[-1] <= 0.0
        reached = toggle_between(system, ray, at, ahead) if toggled else ahead
        after = system.chords(reached.q, chords)
        if ahead.crossed:
            crossed.append(float(at.q[coordinate]))
        if _over(system, reached.q, after)[0] > CONTROL.slack:
            reached, name = _at_limit(system, ray, at, reached, chords)
            stop, joints = Stop.LIMIT, (name,)
        elif toggled:
            stop, joints = Stop.TOGGLE, _moving(system, ray, reached)
        elif reached.driven >= far:
            return End(value=sign * np.inf, stop=Stop.NOTHING, crossed=tuple(crossed))
        if stop is not Stop.LOST:
            break
        chords = after
    drawn = {c.name: (0.0, 0.0) for c in compiled.closures}
    return End(
        value=float(reached.q[coordinate]),
        stop=stop,
        joints=joints,
        configuration=describe(compiled, system.into(q, reached.q), drawn),
        misfit=system.misfit(reached.q),
        crossed=tuple(crossed),
    )


def _over(system: System, q: Array, chords: dict[str, tuple[float, ...]]) -> tuple[float, str]:
    """How far the joint that is furthest beyond its limits is, and its name."""
    worst = (0.0, "")
    beyond = system.beyond(q)
    for t in system.compiled.tree:
        worst = max(worst, (float(np.max(beyond[t.q], initial=0.0)), t.edge.joint.name))
    for closure in system.compiled.closures:
        joint = closure.chord.joint
        worst = max(worst, (excess(joint, chords[joint.name]), joint.name))
    return worst


def _at_limit(
    system: System,
    ray: Ray,
    at: ArcPoint,
    ahead: ArcPoint,
    chords: dict[str, tuple[float, ...]],
) -> tuple[ArcPoint, str]:
    """The last state within all limits between two, by halving."""
    low, high, inside = 0.0, ahead.length - at.length, at
    name = _over(system, ahead.q, system.chords(ahead.q, chords))[1]
    for _ in range(60):
        if high - low <= 1e-14:
            break
        middle = along(system, ray, at, (low + high) / 2.0)
        if middle is None:
            break
        over, who = _over(system, middle.q, system.chords(middle.q, chords))
        if over > 0.0:
            high, name = (low + high) / 2.0, who
        else:
            low, inside = (low + high) / 2.0, middle
    return inside, name


def _moving(system: System, ray: Ray, toggle: ArcPoint) -> tuple[str, ...]:
    """Joints that move at a toggle though the driver stands still, cut ones too."""
    w = ray.step(toggle.tangent)
    names = [system.joint_of(int(i)) for i in np.flatnonzero(np.abs(w) > MOVES)]
    for closure in system.compiled.closures:
        _, relative = relative_motion(system.compiled, toggle.q, closure)
        rate = apply(relative, w / system.speeds)
        rate[:3] /= system.length
        if float(np.max(np.abs(rate))) > MOVES:
            names.append(closure.chord.joint.name)
    return tuple(dict.fromkeys(names))
