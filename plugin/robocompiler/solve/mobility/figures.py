"""What is known of how a mechanism can move, as figures and names."""

from __future__ import annotations

from dataclasses import dataclass

from robocompiler.units import millimetres


@dataclass(frozen=True, slots=True, kw_only=True)
class JointRate:
    """How far one coordinate moves in a motion."""

    coordinate: str
    """The joint's name, `joint/coordinate` where it has several."""
    amount: float
    """[m or rad], relative to the others of the motion."""
    is_length: bool

    def __str__(self) -> str:
        amount, unit = (millimetres(self.amount), "mm") if self.is_length else (self.amount, "rad")
        return f"{self.coordinate} {amount:+.3g} {unit}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Motion:
    """A direction in which a mechanism moves: its coordinates together, the furthest first.

    Scaled so that the coordinate that moves most moves by 1 rad, or by the module's size.
    """

    rates: tuple[JointRate, ...]

    def __str__(self) -> str:
        return ", ".join(map(str, self.rates))


@dataclass(frozen=True, slots=True, kw_only=True)
class IdleFreedom:
    """Bodies that spin together about a line while everything else stays, driven by nothing."""

    bodies: tuple[str, ...]
    joints: tuple[str, str]
    """At the two ends of the chain they make."""

    def __str__(self) -> str:
        return f"{' + '.join(self.bodies)} (between {' and '.join(self.joints)})"


@dataclass(frozen=True, slots=True, kw_only=True)
class RedundantRow:
    """A condition that the others of its module imply."""

    closure: str
    """Of the loop or the coupling."""
    row: str
    misfit: float
    """The most [m or rad] by which it was not met, where the others were and all of them share."""
    is_length: bool

    def __str__(self) -> str:
        return f"{self.closure}: {self.row}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModuleMobility:
    """Freedoms of the loops and couplings that are solved together."""

    name: str
    strict: int
    """Speeds less the rank at rounding: what the numbers say, were they exact."""
    at_tolerance: int
    """Speeds less the rank at the geometry tolerance, where the mechanism stands."""
    generic: int
    """Of those, what a finite move keeps: it closes within the tolerance, and no other move next
    to it has fewer."""
    idle: tuple[IdleFreedom, ...]
    """Counted in `generic`."""
    grubler: int
    """Speeds less rows, as Grübler counts."""
    size: float
    """[m], by which its lengths and angles are made one unit."""
    gap: float | None
    """Least singular value counted over the greatest that is not; None where all count."""
    misfit: float
    """The most by which any row was not met [rad, or m over the size], here or after a move."""
    redundant: tuple[RedundantRow, ...]
    singular: tuple[Motion, ...]
    """Motions that the loops let begin here, and that no finite move continues in general."""
    dead: tuple[Motion, ...]
    """Motions here with every actuated joint at rest, which these hold next to here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mobility:
    """How a mechanism can move. `int()` gives what a user means by it, `str()` says it.

    That figure is the generic one, what idles and a floating base among it.
    """

    geometry_tolerance: float
    """By how much the geometry may be off: of each module's size, and in rad."""
    modules: tuple[ModuleMobility, ...]
    floating: int
    """Speeds of bodies that float freely, on no loop."""
    open: int
    """Speeds of the other joints on no loop."""
    open_idle: tuple[IdleFreedom, ...]
    """Counted in `open`."""

    @property
    def strict(self) -> int:
        """The sum of the strict figures, with what is on no loop."""
        return self.floating + self.open + sum(m.strict for m in self.modules)

    @property
    def at_tolerance(self) -> int:
        """The sum of the figures at the geometry tolerance, with what is on no loop."""
        return self.floating + self.open + sum(m.at_tolerance for m in self.modules)

    @property
    def generic(self) -> int:
        """The sum of the generic figures, with what is on no loop."""
        return self.floating + self.open + sum(m.generic for m in self.modules)

    @property
    def grubler(self) -> int:
        """Grübler's count of the whole."""
        return self.floating + self.open + sum(m.grubler for m in self.modules)

    @property
    def idle(self) -> tuple[IdleFreedom, ...]:
        """Every idle freedom."""
        return (*self.open_idle, *(freedom for m in self.modules for freedom in m.idle))

    @property
    def gap(self) -> float | None:
        """The least gap of any module; None where none has one."""
        return min((m.gap for m in self.modules if m.gap is not None), default=None)

    @property
    def misfit(self) -> float:
        """The greatest misfit of any module."""
        return max((m.misfit for m in self.modules), default=0.0)

    @property
    def redundant(self) -> tuple[RedundantRow, ...]:
        """Every redundant row."""
        return tuple(row for m in self.modules for row in m.redundant)

    @property
    def singular(self) -> tuple[Motion, ...]:
        """Every motion that begins only here."""
        return tuple(motion for m in self.modules for motion in m.singular)

    @property
    def dead(self) -> tuple[Motion, ...]:
        """Every motion that the actuated joints hold nearby, and not here."""
        return tuple(motion for m in self.modules for motion in m.dead)

    def __int__(self) -> int:
        return self.generic

    def __index__(self) -> int:
        return self.generic

    def __str__(self) -> str:
        own = self.generic - len(self.idle) - self.floating
        beside = [(len(self.idle), "idle"), (self.floating, "floating")]
        said = ", ".join(f"+{count} {what}" for count, what in beside if count)
        figure = f"{own} ({said})" if said else str(own)
        return figure if own or self.floating else f"{figure}: a structure"
