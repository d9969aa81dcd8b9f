"""Why a joint was cut and no other of its loop: the deciding thing only."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass, fields

from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import Joint

# On equal terms the first is cut: a ball is what every format can close.
PREFERENCE = (JointKind.BALL, JointKind.REVOLUTE)


@dataclass(frozen=True, slots=True, order=True)
class CutCost:
    """What it costs to cut a joint, compared field by field."""

    barred: bool
    """Whether it may not be cut: then it never is, and the cost only says so."""
    coupled: bool
    """Whether a coupling ties it: without a coordinate of the tree there is none."""
    burdened: bool
    """Actuated, coupled or sprung."""
    limited: bool
    rows: int
    loop_length: int
    """Joints of the shortest loop it is on."""
    undeclared: bool
    """Whether the description does not declare it as the joint that closes a loop."""
    preference: int
    name: str


FIELDS = tuple(field.name for field in fields(CutCost))


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What decides the cost of a joint besides the joint and its loops."""

    coupled: frozenset[str]
    """Names of the joints that a coupling ties."""
    actuated: Container[str]
    """Names of the joints that something drives."""
    cuttable: Container[JointKind] | None
    """Kinds that may be cut; None for every kind."""
    kept: Container[str] = ()
    """Names of joints that must not be cut, whatever their kinds."""

    @property
    def here(self) -> str:
        """Who it is that cannot cut, to be put after `can be cut`."""
        return "" if self.cuttable is None else " in this format"

    def bar(self, joint: Joint) -> str:
        """Why a joint may not be cut, in words; "" where it may."""
        if joint.name in self.kept:
            return "was asked to be kept"
        if self.cuttable is not None and joint.kind not in self.cuttable:
            return f"is a {joint.kind.value} joint, which this format cannot cut"
        return ""

    def cost(self, joint: Joint, loop_length: int) -> CutCost:
        """What it costs to cut a joint that is on a loop of that many joints."""
        known = joint.kind in PREFERENCE
        return CutCost(
            barred=bool(self.bar(joint)),
            coupled=joint.name in self.coupled,
            burdened=bool(self.burden(joint)),
            limited=joint.limited,
            rows=joint.kind.rows,
            loop_length=loop_length,
            undeclared=not joint.closes_loop,
            preference=PREFERENCE.index(joint.kind) if known else len(PREFERENCE),
            name=joint.name,
        )

    def burden(self, joint: Joint) -> str:
        """What would be lost with the joint's coordinate, in words; "" for nothing."""
        if joint.name in self.actuated:
            return "is actuated"
        if joint.name in self.coupled:
            return "is coupled"
        return "has a spring" if joint.stiffness != 0.0 else ""


def why_cut(joint: Joint, length: int, others: Sequence[tuple[Joint, int]], terms: Terms) -> str:
    """Against the declared loop joint where that was passed over, then the closest competitor.

    Args:
        joint: that is cut.
        length: joints of its loop.
        others: of the same loop, each with the length of its own shortest.
        terms: of the choice.
    """
    own = terms.cost(joint, length)
    free = [other for other, n in others if not terms.cost(other, n).barred]
    if others and not free:
        return f"no other joint of its loop can be cut{terms.here}"
    if own.burdened:
        which = "" if len(free) == len(others) else f" that can be cut{terms.here}"
        return f"every joint of its loop{which} is actuated, coupled or sprung"
    lost = [(other, _decider(own, terms.cost(other, n))) for other, n in others]
    declared = [(o, at) for o, at in lost if o.closes_loop and not joint.closes_loop]
    said = [_against(other, at, joint, terms) for other, at in declared]
    closest = max((at for other, at in lost if (other, at) not in declared), default=-1)
    if not said or closest > max(at for _, at in declared):
        said.append(_for(joint, closest, terms))
    return "; ".join(dict.fromkeys(said))


def _decider(own: CutCost, theirs: CutCost) -> int:
    """Which field is the first in which two costs differ."""
    return next(i for i, name in enumerate(FIELDS) if getattr(own, name) != getattr(theirs, name))


def _against(other: Joint, at: int, joint: Joint, terms: Terms) -> str:
    """What spoke against a joint that was not cut."""
    phrases = {
        "barred": f"'{other.name}' {terms.bar(other)}",
        "coupled": f"'{other.name}' is coupled",
        "burdened": f"'{other.name}' {terms.burden(other)}",
        "limited": f"'{other.name}' has limits",
        "rows": f"'{other.name}' needs {other.kind.rows} rows, '{joint.name}' {joint.kind.rows}",
    }
    return phrases.get(FIELDS[at]) or _for(joint, at, terms)


def _for(joint: Joint, at: int, terms: Terms) -> str:
    """What spoke for the joint that is cut."""
    if at < 0:
        return f"'{joint.name}' is the only joint of its loop"
    return {
        "barred": f"only '{joint.name}' can be cut{terms.here}",
        "coupled": f"'{joint.name}' is not coupled",
        "burdened": f"'{joint.name}' is not actuated, coupled or sprung",
        "limited": f"'{joint.name}' has no limits",
        "rows": f"'{joint.name}' needs the fewest rows ({joint.kind.rows})",
        "loop_length": f"'{joint.name}' is on the shortest loop",
        "undeclared": f"'{joint.name}' is declared as closing the loop",
        "preference": f"'{joint.name}' is a {joint.kind.value} joint",
        "name": f"'{joint.name}' is first by name among equals",
    }[FIELDS[at]]
