"""Pass: choose which joints to cut, so that those left over reach every body exactly once."""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Container, Iterable
from dataclasses import dataclass

from robocompiler.compiler.compiled import Edge
from robocompiler.errors import UnwritableError
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import Coupling, Joint

# On equal terms the first is cut: a ball is what every format can close.
PREFERENCE = (JointKind.BALL, JointKind.REVOLUTE)


@dataclass(frozen=True, slots=True, order=True)
class CutCost:
    """What it costs to cut a joint, compared field by field."""

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


@dataclass(frozen=True, slots=True, eq=False)
class Cut:
    """A joint that was cut, and why no other of its loop was."""

    edge: Edge
    reason: str


def choose_cuts(
    edges: tuple[Edge, ...],
    couplings: tuple[Coupling, ...],
    cuttable: Container[JointKind] | None = None,
) -> tuple[Cut, ...]:
    """Cut the joint of least cost until no loop is left.

    Reverse-delete: of all joints on a loop, the one of least `CutCost` goes first. The cost's loop
    length is that of the loops still there, so it can only grow; a heap re-examines a joint when
    its turn comes. Names are unique, so the order of the input does not matter.

    Args:
        edges: the joints, none fixed.
        couplings: what makes a joint coupled.
        cuttable: kinds that may be cut; None for every kind.

    Raises:
        UnwritableError: a loop on which no joint may be cut.
    """
    coupled = {name.split("/")[0] for c in couplings for name in (c.leader, c.follower)}
    graph = _Graph(edges)
    waiting: list[tuple[CutCost, str]] = []
    for edge in edges:
        if cuttable is None or edge.joint.kind in cuttable:
            _push(waiting, graph, edge, coupled)
    cuts: list[Cut] = []
    while waiting:
        cost, name = heapq.heappop(waiting)
        edge = graph.edges[name]
        length = graph.loop_length(edge)
        if length is None:
            continue
        if length != cost.loop_length:
            _push(waiting, graph, edge, coupled)
            continue
        loop = graph.shortest_loop(edge)
        cuts.append(Cut(edge, _reason(edge.joint, loop, coupled, cuttable)))
        graph.remove(edge)
    if left := [edge for edge in edges if graph.has(edge) and graph.loop_length(edge) is not None]:
        _refuse(left[0], graph)
    return tuple(cuts)


def _refuse(edge: Edge, graph: _Graph) -> None:
    joints = [edge.joint, *(e.joint for e in graph.shortest_loop(edge))]
    shown = ", ".join(f"'{joint.name}' ({joint.kind.value})" for joint in joints)
    raise UnwritableError(
        f"The loop of {shown} has no joint that this format can cut exactly. "
        "Make one of them a ball, revolute or universal joint."
    )


def _push(waiting: list[tuple[CutCost, str]], graph: _Graph, edge: Edge, coupled: set[str]) -> None:
    length = graph.loop_length(edge)
    if length is not None:
        heapq.heappush(waiting, (_cost(edge.joint, length, coupled), edge.joint.name))


def _cost(joint: Joint, loop_length: int, coupled: set[str]) -> CutCost:
    known = joint.kind in PREFERENCE
    return CutCost(
        burdened=is_burdened(joint, coupled),
        limited=joint.limited,
        rows=joint.kind.rows,
        loop_length=loop_length,
        undeclared=not joint.closes_loop,
        preference=PREFERENCE.index(joint.kind) if known else len(PREFERENCE),
        name=joint.name,
    )


def is_burdened(joint: Joint, coupled: Container[str]) -> bool:
    """Whether cutting the joint would lose what acts on its coordinate."""
    return joint.effort is not None or joint.stiffness != 0.0 or joint.name in coupled


def _reason(
    joint: Joint,
    others: Iterable[Edge],
    coupled: set[str],
    cuttable: Container[JointKind] | None,
) -> str:
    """What speaks for this joint against each other one of its loop, in the order of the cost."""
    said = [
        "the format can cut it",
        "nothing drives, couples or springs it",
        "it has no limits",
        f"it needs the fewest rows ({joint.kind.rows})",
        "it is declared as closing the loop",
        f"it is a {joint.kind.value} joint",
        "it is on the shorter loop or first by name",
    ]
    own = _comparable(joint, coupled, cuttable)
    decided = {
        next((i for i, (a, b) in enumerate(zip(own, theirs, strict=True)) if a != b), len(own))
        for theirs in (_comparable(edge.joint, coupled, cuttable) for edge in others)
    }
    return "; ".join(said[i] for i in sorted(decided)) or "it is the only joint of the loop"


def _comparable(
    joint: Joint, coupled: set[str], cuttable: Container[JointKind] | None
) -> tuple[object, ...]:
    """What a joint costs by itself, whatever loops it is on, the weightiest first."""
    cost = _cost(joint, 0, coupled)
    barred = cuttable is not None and joint.kind not in cuttable
    return (barred, cost.burdened, cost.limited, cost.rows, cost.undeclared, cost.preference)


class _Graph:
    """Bodies and the joints not yet cut, for questions about loops."""

    def __init__(self, edges: tuple[Edge, ...]) -> None:
        self.edges = {edge.joint.name: edge for edge in edges}
        self._near: dict[int, dict[str, int]] = {}
        for edge in edges:
            self._near.setdefault(edge.parent, {})[edge.joint.name] = edge.child
            self._near.setdefault(edge.child, {})[edge.joint.name] = edge.parent

    def has(self, edge: Edge) -> bool:
        return edge.joint.name in self._near[edge.parent]

    def remove(self, edge: Edge) -> None:
        del self._near[edge.parent][edge.joint.name]
        del self._near[edge.child][edge.joint.name]

    def loop_length(self, edge: Edge) -> int | None:
        """Joints of the shortest loop through `edge`; None where it is on none."""
        loop = self._way_back(edge)
        return None if loop is None else len(loop) + 1

    def shortest_loop(self, edge: Edge) -> list[Edge]:
        """The other joints of the shortest loop through `edge`."""
        return [self.edges[name] for name in self._way_back(edge) or []]

    def _way_back(self, edge: Edge) -> list[str] | None:
        """Breadth first from the child to the parent, not by `edge` itself, nearest names first."""
        came: dict[int, tuple[str, int] | None] = {edge.child: None}
        waiting = deque([edge.child])
        while waiting:
            body = waiting.popleft()
            if body == edge.parent:
                return _trace(came, body)
            for name, other in sorted(self._near[body].items()):
                if name != edge.joint.name and other not in came:
                    came[other] = (name, body)
                    waiting.append(other)
        return None


def _trace(came: dict[int, tuple[str, int] | None], body: int) -> list[str]:
    names: list[str] = []
    step = came[body]
    while step is not None:
        names.append(step[0])
        step = came[step[1]]
    return names
