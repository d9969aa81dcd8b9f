"""Which timestep would keep the loops closed, where the one of a run did not."""

from __future__ import annotations

import math

from robocompiler.errors import DivergenceError
from robocompiler.simulate.motion import Motion, begin_again
from robocompiler.simulate.scene import with_timestep

SHORTEST = 1e-6
"""Timestep below which no run is worth its time [s]."""
ATTEMPTS = 4


def gap_warnings(motion: Motion) -> list[str]:
    """A warning for all that was further off than allowed; the timestep that mends the worst."""
    worst, watch = motion.worst, motion.watch
    if worst.off <= 1.0:
        return []
    timestep = float(motion.scene.model.opt.timestep)
    wanted = sufficient_timestep(motion)
    said = watch.watched[worst.index]
    advice = (
        f"A timestep of {wanted:.2g} s keeps it below {said.shown(said.allowed)}."
        if wanted
        else "No shorter timestep was found to help: look for a dead point, a drive against a "
        "limit or another drive, or lengths that do not close the loop."
    )
    first = (
        f"{_sentence(said.what)} by {said.shown(worst.off * said.allowed)} at "
        f"t = {worst.time:.4g} s with a timestep of {timestep:.2g} s. {advice}"
    )
    others = [
        f"{_sentence(watched.what)} by up to {watched.shown(float(off))}."
        for index, (watched, off) in enumerate(zip(watch.watched, watch.largest, strict=True))
        if off > watched.allowed and index != worst.index
    ]
    return [first, *others]


def _sentence(what: str) -> str:
    return what[:1].upper() + what[1:]


def sufficient_timestep(motion: Motion) -> float | None:
    """A timestep [s] with which what was worst in a run stays within what is allowed.

    What gapes falls with the square of the timestep (measured on a four-bar: by 3.9 to 4.0 for each
    halving). That gives the guess; the stretch that leads to the worst is then run again with it,
    and the guess made shorter until it holds. None where it does not.
    """
    timestep = float(motion.scene.model.opt.timestep)
    off = motion.worst.off
    for _ in range(ATTEMPTS):
        timestep = _rounded_down(timestep * min(0.7, 0.95 / math.sqrt(off)))
        if timestep < SHORTEST:
            return None
        off = _off_again(motion, timestep)
        if off <= 1.0:
            return timestep
    return None


def _off_again(motion: Motion, timestep: float) -> float:
    """How far off the worst is, over what is allowed, in the second half of the stretch up to it.

    In the first half what the stretch begins with dies away.
    """
    worst = motion.worst
    half = 0.5 * (worst.before.time + worst.time)
    again = begin_again(with_timestep(motion.scene, timestep), motion.drives, worst.before)
    largest = 0.0
    try:
        while again.time <= worst.time:
            off = again.step()
            largest = max(largest, off if again.time > half else 0.0)
    except DivergenceError:
        return math.inf
    return largest


def _rounded_down(value: float) -> float:
    """To two digits."""
    if not value > 0.0:
        return 0.0
    unit = 10.0 ** (math.floor(math.log10(value)) - 1)
    return float(f"{math.floor(value / unit * (1.0 + 1e-12)) * unit:.2g}")
