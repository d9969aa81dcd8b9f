"""Supports: points and frames of bodies that are held for a while, as feet and soles are.

Each set of them makes a mechanism of its own, compiled once: its loops are those of the mechanism
and of the supports.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from robocompiler.compiler.compile import compile_mechanism
from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.errors import DuplicateNameError, raise_all
from robocompiler.model.tasks import Task
from robocompiler.solve.state import evaluate, starting_coordinates
from robocompiler.spatial import Array, quaternion_of

MOST_KEPT = 256
"""How many sets of supports, of any mechanisms, are kept compiled."""


@dataclass(frozen=True, slots=True, eq=False)
class Supported:
    """A mechanism with a set of supports."""

    free: CompiledMechanism
    """Without them."""
    compiled: CompiledMechanism
    """With them: each is a closure more, and the place where it is held a coordinate."""
    support: tuple[Task, ...]
    q: Array
    """Where each coordinate of the mechanism without them is among those with them."""
    v: Array
    """Likewise each speed."""

    def coordinates(self, q: Array) -> Array:
        """The coordinates of the mechanism so held where its own are q, shape (…, nq): supports
        are where their frames stand.
        """
        if not self.support:
            return q
        start = starting_coordinates(self.compiled)  # a rotation of nothing is none
        whole = np.tile(start, (*q.shape[:-1], 1))
        whole[..., self.q] = q
        poses = evaluate(self.compiled, whole).poses
        chords = {closure.chord.joint.name: closure.chord for closure in self.compiled.closures}
        for task in self.support:
            hold, place = chords[task.hold], self.compiled.tree_joint(task.name)
            X = place.edge.X_PF.inverse() @ poses[hold.child] @ hold.X_CM
            turned = [quaternion_of(X.R)] if place.edge.joint.kind.nq == 7 else []
            whole[..., place.q] = np.concatenate([X.p, *turned], axis=-1)
        return whole

    def own(self, v: Array) -> Array:
        """Of speeds (…, nv) of the mechanism so held those of the mechanism itself."""
        return np.asarray(v[..., self.v])


@lru_cache(maxsize=MOST_KEPT)
def supported(compiled: CompiledMechanism, support: tuple[Task, ...]) -> Supported:
    """A mechanism held at some points and frames, its tree and cuts as they are.

    Raises:
        MechanismError: what is wrong with the supports, all of it at once.
    """
    refuse_duplicates(support)
    if not support:
        every = np.arange(compiled.nq), np.arange(compiled.nv)
        return Supported(compiled, compiled, (), *every)
    holds = {task.hold for task in compiled.tasks}
    cuts = [c.chord.joint.name for c in compiled.closures if c.chord.joint.name not in holds]
    held = compile_mechanism(
        compiled.mechanism,
        cuts=cuts,
        tasks=(*compiled.tasks, *support),
        eliminate_couplings=bool(compiled.eliminated),
    )
    joints = {joint.edge.joint.name: joint for joint in held.tree}
    own = [joints[joint.edge.joint.name] for joint in compiled.tree]
    q = [i for joint in own for i in range(joint.q.start, joint.q.stop)]
    v = [i for joint in own for i in range(joint.v.start, joint.v.stop)]
    return Supported(compiled, held, support, np.array(q, dtype=int), np.array(v, dtype=int))


def refuse_duplicates(support: Sequence[Task]) -> None:
    """Refuse supports of one name.

    Raises:
        DuplicateNameError: with that name.
    """
    names = [task.name for task in support]
    twice = dict.fromkeys(name for name in names if names.count(name) > 1)
    raise_all(DuplicateNameError("supports", name) for name in twice)
