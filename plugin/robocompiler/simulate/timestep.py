"""Which timestep would keep the loops closed, where the one of a run did not."""

from __future__ import annotations

import math

from robocompiler.errors import DivergenceError
from robocompiler.simulate.motion import ALLOWED_GAP, Motion, begin_again
from robocompiler.simulate.scene import with_timestep
from robocompiler.units import millimetres

SHORTEST = 1e-6
"""Timestep below which no run is worth its time [s]."""
ATTEMPTS = 4


def gap_warnings(motion: Motion) -> list[str]:
    """One warning where a loop gaped wider than allowed, with the timestep that prevents it."""
    if motion.worst.gap <= ALLOWED_GAP:
        return []
    largest = motion.monitor.largest[:, 0].tolist()
    name = motion.monitor.closures[largest.index(max(largest))].name
    timestep = float(motion.scene.model.opt.timestep)
    wanted = sufficient_timestep(motion)
    advice = (
        f"A timestep of {wanted:.2g} s keeps it below {millimetres(ALLOWED_GAP):.2g} mm."
        if wanted
        else "No shorter timestep was found to help: look for a dead point, a drive against a "
        "limit or another drive, or lengths that do not close the loop."
    )
    return [
        f"Loop '{name}' gaped by {millimetres(motion.worst.gap):.3g} mm at "
        f"t = {motion.worst.time:.4g} s with a timestep of {timestep:.2g} s. {advice}"
    ]


def sufficient_timestep(motion: Motion) -> float | None:
    """A timestep [s] with which the widest gap of a run stays below what is allowed.

    The gap falls with the square of the timestep (measured on a four-bar: by 3.9 to 4.0 for each
    halving). That gives the guess; the stretch that leads to the widest gap is then run again with
    it, and the guess made shorter until it holds. None where it does not.
    """
    timestep = float(motion.scene.model.opt.timestep)
    gap = motion.worst.gap
    for _ in range(ATTEMPTS):
        timestep = _rounded_down(timestep * min(0.7, 0.95 * math.sqrt(ALLOWED_GAP / gap)))
        if timestep < SHORTEST:
            return None
        gap = _gap_again(motion, timestep)
        if gap <= ALLOWED_GAP:
            return timestep
    return None


def _gap_again(motion: Motion, timestep: float) -> float:
    """The widest gap [m] of the second half of the stretch up to the widest gap of the run.

    In the first half the gap that the stretch begins with dies away.
    """
    worst = motion.worst
    half = 0.5 * (worst.before.time + worst.time)
    again = begin_again(with_timestep(motion.scene, timestep), motion.drives, worst.before)
    widest = 0.0
    try:
        while again.time <= worst.time:
            gap = again.step()
            widest = max(widest, gap if again.time > half else 0.0)
    except DivergenceError:
        return math.inf
    return widest


def _rounded_down(value: float) -> float:
    """To two digits."""
    if not value > 0.0:
        return 0.0
    unit = 10.0 ** (math.floor(math.log10(value)) - 1)
    return float(f"{math.floor(value / unit * (1.0 + 1e-12)) * unit:.2g}")
