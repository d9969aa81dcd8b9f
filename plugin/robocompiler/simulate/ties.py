"""How well couplings and screws hold while the mechanism runs."""

from __future__ import annotations

from typing import Any

import numpy as np

from robocompiler.simulate.scene import Scene, number_of
from robocompiler.spatial import Array
from robocompiler.write.mjcf.ties import Tie, ties


class TieMonitor:
    """Reads the ties of a run, and keeps what was largest."""

    def __init__(self, scene: Scene) -> None:
        found = ties(scene.compiled)
        self._terms = [(*_terms(tie, scene, scene.model.jnt_qposadr), tie.offset) for tie in found]
        couplings = {tie.source for tie in found if not tie.is_screw}
        self.ties: dict[str, Tie] = {
            tie.name if tie.is_screw and tie.source in couplings else tie.source: tie
            for tie in found
        }
        """By the name each is reported under: the coupling's or the screw's, or, where a coupling
        has the screw's, that of its thread."""
        self.largest = np.zeros(len(found))
        """By how much each was off [m or rad] over all that was observed."""

    def observe(self, data: Any) -> Array:
        """Count what the data show in; returns by how much each is off now [m or rad]."""
        now = np.abs(self.read(data))
        np.maximum(self.largest, now, out=self.largest)
        return now

    def read(self, data: Any) -> Array:
        """By how much each follower is ahead of where its leaders put it [m or rad]."""
        return np.array(
            [coefficients @ data.qpos[at] - offset for at, coefficients, offset in self._terms]
        )


def _terms(tie: Tie, scene: Scene, addresses: Array) -> tuple[Array, Array]:
    """Where MuJoCo keeps the coordinates, or the speeds, that a tie ties; and coefficients."""
    names, coefficients = zip(*tie.joints, strict=True)
    numbers = [number_of(scene.model, "joint", name) for name in names]
    return addresses[numbers], np.array(coefficients)


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
        at, coefficients = _terms(tie, scene, scene.model.jnt_dofadr)
        row[at] = coefficients
        number = mujoco.mj_name2id(scene.model, mujoco.mjtObj.mjOBJ_TENDON, tie.name)
        scene.model.tendon_invweight0[number] = row @ np.linalg.solve(M, row)
