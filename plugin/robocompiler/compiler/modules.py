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
        return CoordinateRef(at, tree[at].q.start + factor, tree[at].v.start + factor)

    return tuple(
        CompiledCoupling(
            c.name,
            ref(c, c.leader),
            ref(c, c.follower),
            c.ratio,
            c.offset,
            known[c.follower][0].kind.factors[known[c.follower][1]].is_turn,
        )
        for c in sorted(mechanism.couplings, key=lambda c: c.name)
    )


def group_modules(
    closures: tuple[Closure, ...], couplings: tuple[CompiledCoupling, ...]
) -> tuple[Module, ...]:
    """Connected components of closures and couplings over the tree joints they touch.

    A module is named after its first closure, or its first coupling where it has none.
    """
    supports = [set(closure.path) for closure in closures]
    supports += [{c.leader.tree_joint, c.follower.tree_joint} for c in couplings]
    modules: list[Module] = []
    for joints, items in connected(supports):
        own = tuple(i for i in items if i < len(closures))
        coupled = tuple(i - len(closures) for i in items if i >= len(closures))
        name = closures[own[0]].name if own else couplings[coupled[0]].name
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
