"""Pass: group what must be solved together. Modules share no coordinate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from robocompiler.compiler.compiled import (
    Closure,
    CompiledCoupling,
    CoordinateRef,
    Module,
    TreeJoint,
)
from robocompiler.errors import CouplingError
from robocompiler.model.mechanism import Coupling, Mechanism
from robocompiler.model.validity import coordinate_names


def compile_couplings(
    mechanism: Mechanism, tree: tuple[TreeJoint, ...], reasons: Mapping[str, str]
) -> tuple[CompiledCoupling, ...]:
    """The couplings, on coordinates of the tree.

    Args:
        mechanism: whose couplings they are.
        tree: joints that were not cut.
        reasons: why each other one was, by its name.

    Raises:
        CouplingError: a coupled joint had to be cut, so that it has no coordinate.
    """
    known = coordinate_names(mechanism)
    index = {joint.edge.joint.name: i for i, joint in enumerate(tree)}

    def ref(coupling: Coupling, name: str) -> CoordinateRef:
        joint, factor = known[name]
        if joint.name not in index:
            raise CouplingError(
                f"Coupling '{coupling.name}': joint '{joint.name}' had to be cut: "
                f"{reasons[joint.name]}. Couple a joint of another loop, or make one of this loop "
                "that nothing acts on a ball, revolute or universal joint."
            )
        at = index[joint.name]
        q, v = tree[at].q.start + factor, tree[at].v.start + factor
        return CoordinateRef(name, at, q, v, joint.kind.factors[factor].is_turn)

    return tuple(
        CompiledCoupling(
            name=c.name,
            follower=ref(c, c.follower),
            leaders=tuple(ref(c, leader.coordinate) for leader in c.leaders),
            ratios=tuple(leader.ratio for leader in c.leaders),
            offset=c.offset,
        )
        for c in sorted(mechanism.couplings, key=lambda c: c.name)
    )


def leaders_first(couplings: tuple[CompiledCoupling, ...]) -> tuple[CompiledCoupling, ...]:
    """Couplings in such an order that none comes before one that its leaders follow by."""
    waiting, ordered = list(couplings), list[CompiledCoupling]()
    while waiting:  # a circle was refused before
        followers = {coupling.follower.v for coupling in waiting}
        ready = [c for c in waiting if not followers & {leader.v for leader in c.leaders}]
        ordered += ready
        waiting = [c for c in waiting if c not in ready]
    return tuple(ordered)


def group_modules(
    closures: tuple[Closure, ...],
    couplings: tuple[CompiledCoupling, ...],
    eliminated: tuple[CompiledCoupling, ...] = (),
) -> tuple[Module, ...]:
    """Connected components of closures and couplings over the tree joints they touch.

    Eliminated couplings join what they tie. Alone they make a module of no rows, so that a leader
    stops where a follower does. A module is named after its first closure, or its first coupling
    where it has none.
    """
    supports = [set(closure.path) for closure in closures]
    tied = (*couplings, *eliminated)
    supports += [{ref.tree_joint for ref, _ in c.terms} for c in tied]
    modules: list[Module] = []
    for joints, items in connected(supports):
        own = tuple(i for i in items if i < len(closures))
        rows = range(len(closures), len(closures) + len(couplings))
        coupled = tuple(i - len(closures) for i in items if i in rows)
        name = closures[own[0]].name if own else tied[items[0] - len(closures)].name
        modules.append(Module(name, own, coupled, tuple(sorted(joints))))
    return tuple(modules)


def connected(supports: Sequence[set[int]]) -> list[tuple[set[int], list[int]]]:
    """Connected components of items over what they touch: what each touches, and its items.

    In the order of their first items; an item that touches nothing is one by itself.
    """
    groups: list[tuple[set[int], list[int]]] = []
    for item, support in enumerate(supports):
        touching = [group for group in groups if group[0] & support]
        groups = [group for group in groups if group not in touching]
        touched = support.union(*(group[0] for group in touching))
        groups.append((touched, [*sorted(i for group in touching for i in group[1]), item]))
    return sorted(groups, key=lambda group: group[1])
