"""How stiff MuJoCo must hold closures, from the masses at the cuts.

MuJoCo softens a constraint: at rest it gives by r = (1 - d)/d · a₀ · T², with a₀ the acceleration
at which the cut would open if nothing held it, T the time constant (`solref`) and d the impedance
(`solimp`). The impedance is fixed near 1 and T chosen so that r stays below `REST_GAP`; the
timestep follows, since T must be twice as long at least.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.solve.closure import relative_motion
from robocompiler.solve.mass import gravity_effort, mass_matrix
from robocompiler.solve.state import State
from robocompiler.spatial import Array

IMPEDANCE = 0.9999
# What a closure may give at rest [m]. A tenth of the 0.1 mm promised: MuJoCo estimates the
# inertia at the cut by the diagonal of its inverse, which is off by several times in long chains.
REST_GAP = 1e-5
LONGEST_TIMESTEP = 1e-3
SHORTEST_TIMESTEP = 2e-5
STANDARD_GRAVITY = (0.0, 0.0, -9.81)


@dataclass(frozen=True, slots=True)
class Stiffness:
    """Timestep of the simulation and time constant of its closures [s]."""

    timestep: float
    time_constant: float
    meets_rest_gap: bool
    """Whether a given timestep is short enough for `REST_GAP`."""
    wanted_timestep: float


def closure_stiffness(
    compiled: CompiledMechanism, state: State, timestep: float | None
) -> Stiffness:
    """The longest timestep, and its time constant, that keep every closure within `REST_GAP`.

    Args:
        compiled: the mechanism.
        state: where it stands.
        timestep: what the user asked for [s]; None to have it derived.
    """
    opening = max((opening_accelerations(compiled, state)), default=0.0)
    softness = (1.0 - IMPEDANCE) / IMPEDANCE
    longest = np.sqrt(REST_GAP / (softness * opening)) if opening > 0.0 else np.inf
    wanted = float(np.clip(longest / 2.0, SHORTEST_TIMESTEP, LONGEST_TIMESTEP))
    wanted = _rounded_down(wanted)
    used = wanted if timestep is None else timestep
    return Stiffness(used, 2.0 * used, used <= wanted, wanted)


def _rounded_down(value: float) -> float:
    """1, 2 or 5 times a power of ten, none longer."""
    power = 10.0 ** np.floor(np.log10(value) + 1e-9)
    step = max(step for step in (1.0, 2.0, 5.0) if step * power <= value * (1.0 + 1e-9))
    return float(f"{step * power:.1e}")


def opening_accelerations(compiled: CompiledMechanism, state: State) -> list[float]:
    """How fast each cut would open [m/s²] under gravity and all declared efforts, none held."""
    if not compiled.closures:
        return []
    M = mass_matrix(compiled, state)
    gravity = np.array(compiled.mechanism.environment.gravity or STANDARD_GRAVITY)
    loads = [gravity_effort(compiled, state, gravity), *_efforts(compiled)]
    moves = np.linalg.lstsq(M, np.stack(loads, axis=1), rcond=None)[0]
    openings: list[float] = []
    for closure in compiled.closures:
        rows = relative_motion(compiled, state, closure)[1][:3]
        openings.append(float(np.sum(np.linalg.norm(rows @ moves, axis=0))))
    return openings


def _efforts(compiled: CompiledMechanism) -> list[Array]:
    """The generalized effort of each coordinate of an actuated joint at its largest."""
    efforts: list[Array] = []
    for tree_joint in compiled.tree:
        effort = tree_joint.edge.joint.effort
        for speed in range(tree_joint.v.start, tree_joint.v.stop if effort else tree_joint.v.start):
            own = np.zeros(compiled.nv)
            own[speed] = effort or 0.0
            efforts.append(own)
    return efforts
