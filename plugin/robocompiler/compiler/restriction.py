"""The joints of one module as a mechanism of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from robocompiler.compiler.compiled import (
    Closure,
    CompiledCoupling,
    CompiledMechanism,
    CoordinateRef,
    Edge,
    Module,
    TreeJoint,
)
from robocompiler.equations.loops import Loop


def restricted(compiled: CompiledMechanism, module: Module) -> CompiledMechanism:
    """The module's joints alone. Where a path starts stands at the origin: nobody can tell."""
    index = {joint: i for i, joint in enumerate(module.joints)}
    tree = _renumbered(compiled, module)

    def ref(old: CoordinateRef) -> CoordinateRef:
        at, was = tree[index[old.tree_joint]], compiled.tree[old.tree_joint]
        q, v = old.q - was.q.start + at.q.start, old.v - was.v.start + at.v.start
        return replace(old, tree_joint=index[old.tree_joint], q=q, v=v)

    def tied(c: CompiledCoupling) -> CompiledCoupling:
        return replace(c, follower=ref(c.follower), leaders=tuple(map(ref, c.leaders)))

    closures = tuple(
        replace(
            c,
            to_parent=tuple(index[i] for i in c.to_parent),
            to_child=tuple(index[i] for i in c.to_child),
            loop=_renumbered_loop(c, [tree[index[i]] for i in (*c.to_parent[::-1], *c.to_child)]),
        )
        for c in (compiled.closures[i] for i in module.closures)
    )
    couplings = tuple(tied(compiled.couplings[i]) for i in module.couplings)
    eliminated = (c for c in compiled.eliminated if c.follower.tree_joint in index)
    whole = replace(
        module,
        closures=tuple(range(len(closures))),
        couplings=tuple(range(len(couplings))),
        joints=tuple(range(len(tree))),
    )
    return replace(
        compiled,
        tree=tree,
        closures=closures,
        couplings=couplings,
        eliminated=tuple(map(tied, eliminated)),
        modules=(whole,),
        nq=tree[-1].q.stop,
        nv=tree[-1].v.stop,
    )


def unlimited(compiled: CompiledMechanism) -> CompiledMechanism:
    """The same mechanism with no joint's limits."""

    def free(edge: Edge) -> Edge:
        return replace(edge, joint=replace(edge.joint, limits=(), swing_limit=None))

    return replace(
        compiled,
        tree=tuple(replace(t, edge=free(t.edge)) for t in compiled.tree),
        closures=tuple(replace(c, chord=free(c.chord)) for c in compiled.closures),
    )


def _renumbered_loop(closure: Closure, met: Sequence[TreeJoint]) -> Loop:
    """Its loop over the joints as they are numbered now, in the order they are met."""
    crossings = zip(closure.loop.crossings, met, strict=True)
    own = tuple(replace(crossing, q=joint.q, v=joint.v) for crossing, joint in crossings)
    return replace(closure.loop, crossings=own)


def _renumbered(compiled: CompiledMechanism, module: Module) -> tuple[TreeJoint, ...]:
    tree: list[TreeJoint] = []
    nq = nv = 0
    for joint in module.joints:
        own = compiled.tree[joint]
        kind = own.edge.joint.kind
        q, v = slice(nq, nq + kind.nq), slice(nv, nv + kind.dof)
        tree.append(replace(own, q=q, v=v))
        nq, nv = q.stop, v.stop
    return tuple(tree)
