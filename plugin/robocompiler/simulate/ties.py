"""How well couplings and screws hold while the mechanism runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from robocompiler.simulate.scene import Scene, number_of
from robocompiler.spatial import Array
from robocompiler.write.ties import Tie, ties


@dataclass(frozen=True, slots=True)
class _Ends:
    """Where MuJoCo keeps the two coordinates of a tie."""

    tie: Tie
    follower: int
    leader: int


class TieMonitor:
    """Reads the ties of a run, and keeps what was largest."""

    def __init__(self, scene: Scene) -> None:
        def at(name: str) -> int:
            return int(scene.model.jnt_qposadr[number_of(scene.model, "joint", name)])

        self._ends = [_Ends(tie, at(tie.follower), at(tie.leader)) for tie in ties(scene.compiled)]
        couplings = {tie.source for tie in ties(scene.compiled) if not tie.is_screw}
        self.ties: dict[str, Tie] = {
            end.tie.name
            if end.tie.is_screw and end.tie.source in couplings
            else end.tie.source: end.tie
            for end in self._ends
        }
        """By the name each is reported under: the coupling's or the screw's, or, where a coupling
        has the screw's, that of its thread."""
        self.largest = np.zeros(len(self._ends))
        """By how much each was off [m or rad] over all that was observed."""

    def observe(self, data: Any) -> Array:
        """Count what the data show in; returns by how much each is off now [m or rad]."""
        now = np.abs(self.read(data))
        np.maximum(self.largest, now, out=self.largest)
        return now

    def read(self, data: Any) -> Array:
        """By how much each follower is ahead of where its leader puts it [m or rad]."""
        return np.array(
            [
                data.qpos[end.follower] - end.tie.ratio * data.qpos[end.leader] - end.tie.offset
                for end in self._ends
            ]
        )


def weigh_ties(scene: Scene, M: Array) -> None:
    """Tell MuJoCo the inertia at each tie anew, where rotor inertias were added to its model.

    It sets the stiffness by it: with that of before, a tie to a joint held fast would be as soft as
    one to a light rotor.

    Args:
        scene: whose model is changed.
        M: its mass matrix, shape (nv, nv).
    """
    import mujoco

    for tie in ties(scene.compiled):
        row = np.zeros(scene.model.nv)
        for name, coefficient in ((tie.follower, 1.0), (tie.leader, -tie.ratio)):
            row[scene.model.jnt_dofadr[number_of(scene.model, "joint", name)]] = coefficient
        number = mujoco.mj_name2id(scene.model, mujoco.mjtObj.mjOBJ_TENDON, tie.name)
        scene.model.tendon_invweight0[number] = row @ np.linalg.solve(M, row)
