"""Pass: choose which joints to cut, so that those left over reach every body exactly once."""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from robocompiler.compiler.compiled import Edge
from robocompiler.compiler.reasons import CutCost, Terms, why_cut
from robocompiler.errors import CutError, KeptError, UnwritableError


@dataclass(frozen=True, slots=True, eq=False)
class Cut:
    """A joint that was cut, and why no other of its loop was."""

    edge: Edge
    reason: str


def choose_cuts(edges: tuple[Edge, ...], terms: Terms) -> tuple[Cut, ...]:
    """Cut the joint of least cost until no loop is left.

    Reverse-delete: of all joints on a loop, the one of least `CutCost` goes first. The cost's loop
    length is that of the loops still there, so it can only grow; a heap re-examines a joint when
    its turn comes. Names are unique, so the order of the input does not matter.

    Args:
        edges: the joints, none fixed.
        terms: which joints are coupled, and which may be cut.

    Raises:
        KeptError: a loop on which no joint may be cut, since some are to be kept.
        UnwritableError: a loop on which no joint is of a kind that may be cut.
    """
    graph = _Graph(edges)
    waiting: list[tuple[CutCost, str]] = []
    for edge in edges:
        _push(waiting, graph, edge, terms)
    cuts: list[Cut] = []
    while waiting:
        cost, name = heapq.heappop(waiting)
        edge = graph.edges[name]
        length = graph.loop_length(edge)
        if length is None:
            continue
        if length != cost.loop_length:
            _push(waiting, graph, edge, terms)
            continue
        loop = [(e.joint, graph.loop_length(e) or length) for e in graph.shortest_loop(edge)]
        cuts.append(Cut(edge, why_cut(edge.joint, length, loop, terms)))
        graph.remove(edge)
    if left := [edge for edge in edges if graph.has(edge) and graph.loop_length(edge) is not None]:
        _refuse(left[0], graph, terms)
    return tuple(cuts)


def given_cuts(
    edges: tuple[Edge, ...], names: Collection[str], kept: Collection[str] = ()
) -> tuple[Cut, ...]:
    """The joints that are to be cut, exactly.

    Args:
        edges: the joints, none fixed.
        names: of those to cut.
        kept: of those that must not be.

    Raises:
        CutError: what is left does not lead to every body exactly once.
    """
    graph = _Graph(edges)
    faults = [f"there is no joint '{n}' that moves" for n in sorted(set(names) - set(graph.edges))]
    faults += [f"'{n}' is also asked to be kept" for n in sorted(set(names) & set(kept))]
    cuts: list[Cut] = []
    for edge in (graph.edges[name] for name in sorted(set(names) & set(graph.edges))):
        if graph.loop_length(edge) is None:
            faults.append(f"without '{edge.joint.name}' not every body is held")
        else:
            cuts.append(Cut(edge, "it was asked for"))
            graph.remove(edge)
    loops = (edge for edge in edges if graph.has(edge) and graph.loop_length(edge) is not None)
    if not faults and (left := next(loops, None)):
        joints = [left, *graph.shortest_loop(left)]
        faults.append(f"the loop of {_shown(sorted(e.joint.name for e in joints))} is not cut")
    if faults:
        raise CutError(names, faults)
    return tuple(cuts)


def _shown(names: Sequence[str]) -> str:
    return ", ".join(f"'{name}'" for name in names)


def _refuse(edge: Edge, graph: _Graph, terms: Terms) -> None:
    joints = [edge.joint, *(e.joint for e in graph.shortest_loop(edge))]
    if kept := [joint.name for joint in joints if joint.name in terms.kept]:
        raise KeptError([joint.name for joint in joints], kept)
    shown = ", ".join(f"'{joint.name}' ({joint.kind.value})" for joint in joints)
    raise UnwritableError(
        f"The loop of {shown} has no joint that this format can cut exactly. "
        "Make one of them a ball, revolute or universal joint."
    )


def _push(waiting: list[tuple[CutCost, str]], graph: _Graph, edge: Edge, terms: Terms) -> None:
    length = graph.loop_length(edge)
    if length is not None:
        cost = terms.cost(edge.joint, length)
        if not cost.barred:
            heapq.heappush(waiting, (cost, edge.joint.name))


class _Graph:
    """Bodies and the joints not yet cut, for questions about loops."""

    def __init__(self, edges: tuple[Edge, ...]) -> None:
        self.edges = {edge.joint.name: edge for edge in edges}
        self._near: dict[int, dict[str, int]] = {}
        """Of each body its joints in the order of their names, and where each leads."""
        for edge in sorted(edges, key=lambda edge: edge.joint.name):
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
            for name, other in self._near[body].items():
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
