"""What each joint carries: wrenches in bearings, and which of them the motion determines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Unpack

import numpy as np

from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.errors import UnknownNameError
from robocompiler.solve.dynamics.conditions import Conditions
from robocompiler.solve.dynamics.given import Efforts, given_motion
from robocompiler.solve.dynamics.tree import Tree
from robocompiler.solve.loads.joint_wrenches import (
    loads_of_motion,
    loads_of_nothing,
    to_be_held,
)
from robocompiler.solve.loads.multipliers import Holds, holds_at, multipliers
from robocompiler.solve.loads.sharing import (
    are_determinate,
    least_share,
    load_sizes,
    load_weights,
)
from robocompiler.spatial import Array, apply

Flags = tuple[bool, bool, bool, bool, bool, bool]


@dataclass(frozen=True, slots=True, eq=False)
class JointLoads:
    """The wrench that each joint carries, at one state or at each of a batch.

    Where loops hold more than they need to, a load is shared between joints in a way that only
    play, tolerances and elasticity settle: a motion does not determine it. What is given then is
    the least in the weights that were stated, to have one number, and its component is flagged
    False. **Do not size a bearing, a pin or a bolt on a component that is not determinate**: built
    from real parts it may carry any share, and besides it what the parts are forced into. Free
    such a component by another kind of joint (a ball, a cylinder in place of a hinge), or model
    the elasticity. All of it goes with `efforts`: where ports share the work, other efforts make
    other loads.
    """

    names: tuple[str, ...]
    """Joints: of the tree, then cut ones; a support is called as its task."""
    wrenches: Array
    """Force [N] and torque [N m] on the child (M's side) from the parent (F's side), along F's
    axes, about M's origin. Along free axes it is what drives, springs, dampers, rotors and
    couplings give there. Shape (…, joints, 6)."""
    flags: tuple[Flags, ...]
    """Of each joint which components are determinate, at every state of a batch."""
    couplings: tuple[str, ...]
    """As rows, then eliminated ones."""
    coupling_efforts: Array
    """The effort along its follower by which each drives it [N or N m]: its leaders feel -ratio
    times that. Shape (…, couplings)."""
    coupling_flags: tuple[bool, ...]
    """Which of these are determinate."""
    efforts: Array
    """f of each port [N or N m], shape (…, ports)."""
    missing: Array
    """What of the motion no effort gives, shape (…, m), zero but for rounding if all is driven. It
    is counted as if it acted along the independent speeds themselves."""
    unbalanced: Array
    """What no joint can carry either, the most along any speed [N or N m], shape (…): rounding, or
    what rounded geometry makes of redundant rows."""

    def of(self, joint: str) -> Array:
        """The wrench of the joint of that name, shape (…, 6)."""
        return np.asarray(self.wrenches[..., self._at(joint), :])

    def determinate(self, joint: str) -> Flags:
        """Which components of its wrench the motion determines."""
        return self.flags[self._at(joint)]

    @property
    def indeterminate(self) -> tuple[str, ...]:
        """Joints with a component that the motion does not determine."""
        return tuple(n for n, own in zip(self.names, self.flags, strict=True) if not all(own))

    def peak(self, joint: str) -> Array:
        """The largest of each component's size over a batch, shape (6,)."""
        own = self.of(joint)
        return np.asarray(np.max(np.abs(own.reshape(-1, 6)), axis=0, initial=0.0))

    def coupling(self, name: str) -> Array:
        """The effort of the coupling of that name, shape (…)."""
        if name not in self.couplings:
            raise UnknownNameError("Joint loads", "coupling", name, self.couplings)
        return np.asarray(self.coupling_efforts[..., self.couplings.index(name)])

    def _at(self, joint: str) -> int:
        if joint not in self.names:
            raise UnknownNameError("Joint loads", "joint", joint, self.names)
        return self.names.index(joint)


def joint_loads(
    compiled: CompiledMechanism,
    q: Array,
    u: Array,
    u_dot: Array,
    efforts: Efforts | None = None,
    weights: Mapping[str, float] | None = None,
    **conditions: Unpack[Conditions],
) -> JointLoads:
    """The wrench that each joint carries in a motion, and what of it is determinate.

    Loops hold with a λ of Kᵀ λ = r, where r is what the bodies' motion, springs, dampers and
    wrenches take of the tree's speeds besides the efforts. Where several do, it is the one that
    makes Σ weight · (force² + (torque / L)²) over all joints and couplings the least, L the size
    [m] of what is tied together there; which joints are cut makes no difference. Joints that are
    welded have none, unless they were cut. See `JointLoads` before a bearing is sized on a result.

    Args:
        compiled: the mechanism.
        q: where it stands closed, shape (…, nq).
        u: independent speeds, shape (…, m).
        u_dot: their rates, shape (…, m).
        efforts: of the ports [N or N m]; None for those of `inverse_dynamics`. With efforts that
            do not make the motion, see `missing`.
        weights: of joints and couplings that share a load, by name; 1 for those not given. One
            with a larger weight carries less.
        **conditions: see `Conditions`.

    Raises:
        BadValueError, UnknownNameError, NotClosedError, PartitionError, SupportError: as
            `reduced_dynamics`.
    """
    given = given_motion(compiled, q, u, u_dot, efforts, **conditions)
    tree = given.dynamics.tree
    holds = holds_at(tree.compiled, tree.q)
    needed = to_be_held(given)
    found = multipliers(holds, needed)
    couplings = [coupling.name for coupling in holds.couplings]
    names = _names(tree.compiled)
    stated, size = load_weights(names, couplings, weights), load_sizes(holds)
    loads = loads_of_motion(given, holds, found.some)
    free = loads_of_nothing(tree, holds, found.free)
    share = least_share(loads / size, free / size, stated)
    loads = loads + np.einsum("k...,k...i->...i", share, free)
    count, flags = 6 * len(names), are_determinate(free / size)
    return JointLoads(
        names=names,
        wrenches=loads[..., :count].reshape(*loads.shape[:-1], len(names), 6),
        flags=tuple(tuple(own) for own in flags[:count].reshape(-1, 6).tolist()),
        couplings=tuple(couplings),
        coupling_efforts=loads[..., count:],
        coupling_flags=tuple(flags[count:].tolist()),
        efforts=given.efforts,
        missing=given.missing,
        unbalanced=_unbalanced(tree, holds, needed, found.some),
    )


def _names(compiled: CompiledMechanism) -> tuple[str, ...]:
    tasks = {task.hold: task.name for task in compiled.tasks}
    chords = [closure.chord.joint.name for closure in compiled.closures]
    own = [joint.edge.joint.name for joint in compiled.tree if not joint.prescribed]
    return (*own, *(tasks.get(name, name) for name in chords))


def _unbalanced(tree: Tree, holds: Holds, needed: Array, multipliers: Array) -> Array:
    """The most of r - Kᵀ λ along any speed that is not prescribed, shape (…)."""
    left = needed - apply(np.swapaxes(holds.K, -1, -2), multipliers)
    left[..., list(tree.compiled.prescribed)] = 0.0
    return np.asarray(np.max(np.abs(left), axis=-1, initial=0.0))
