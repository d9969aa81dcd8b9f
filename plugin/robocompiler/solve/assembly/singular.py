"""Whether loops are singular where they stand, so that no branch can be told."""

from __future__ import annotations

from collections.abc import Collection

from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.errors import MechanismError
from robocompiler.solve.continuation.corrector import module_speeds
from robocompiler.solve.mobility.mobility import mobility_at
from robocompiler.solve.reduction.reduce import RankChangedError
from robocompiler.spatial import Array


def singular_faults(
    compiled: CompiledMechanism, q: Array, names: Collection[str]
) -> list[MechanismError]:
    """An error for each module of joints in `names` that holds fewer motions than next to here.

    There two branches meet, and not every speed that the rows allow can be had.

    Args:
        compiled: the mechanism.
        q: where it stands, closed, shape (nq,).
        names: of joints, in the tree or cut.
    """
    faults = list[MechanismError]()
    for module, own in zip(compiled.modules, mobility_at(compiled, q).modules, strict=True):
        joints = [compiled.tree[i].edge.joint for i in module.joints]
        joints += [compiled.closures[i].chord.joint for i in module.closures]
        if own.at_tolerance > own.generic and {joint.name for joint in joints} & set(names):
            speeds = len(module_speeds(compiled, module))
            gained = dict.fromkeys(rate.coordinate for m in own.singular for rate in m.rates)
            before, now = speeds - own.generic, speeds - own.at_tolerance
            faults.append(RankChangedError(before, now, tuple(gained)))
    return faults
