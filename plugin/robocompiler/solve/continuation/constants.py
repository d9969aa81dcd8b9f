"""Every constant of acquisition and continuation, in one place.

Lengths are over the module's size and angles in rad wherever it says "in one unit". Where a value
differs from the table of the source, the field says why.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

MISFIT = 1e-5
"""What rounded geometry may leave of a closure's rows [rad, or m over the module's size]."""
AT_SWING = 1e-12
"""A ball this near [rad] to the limit of its swing stands at it: a swing is rounded."""
ROUNDING = 1e-15
"""Residual in one unit at which nothing is left but rounding."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Damping:
    """How the corrector is damped: μ = (share · σ₁)², σ₁ the largest singular value in one unit.

    Source: M. Dastranj, J. Mattila, arXiv 2609.11338, table 1: μ from 1e-6, ten times less or more,
    between 1e-12 and 1e12.
    """

    first: float = 1e-3
    least: float = 1e-6
    most: float = 1e6
    factor: float = 10.0**0.5
    """Less by it after a step that helped, more after one that did not."""
    iterations: int = 100
    no_step: float = 1e-14
    """A step in one unit that changes nothing any more."""


DAMPING = Damping()


@dataclass(frozen=True, slots=True, kw_only=True)
class Control:
    """Every constant of homotopy and continuation, steps in one unit.

    Source: M. Dastranj, J. Mattila, arXiv 2609.11338, table 1, for those of λ and the iterations.
    They stop at a residual of 1e-9: going on to rounding costs one more iteration. Their λ never
    steps further than 0.1, without a predictor; ours has one of first order.
    """

    first_share: float = 0.1
    """First step of λ."""
    least_share: float = 1e-5
    most_share: float = 0.5
    contraction: float = 0.25
    """The second correction is at most this share of the first."""
    leap: float = 0.5
    """All corrections together are at most this share of the predicted step."""
    change: float = 0.6
    """|D' D⁻¹ - 1| over a step. Below 1 no singularity lies on the way."""
    iterations: int = 8
    noise: float = 1e-11
    """Corrections this small need not contract."""
    closed: float = 4e-15
    """Residual at which Newton stops."""
    left: float = 1e-15
    """A correction is the last where its square, over the dependent block, is at most this."""
    slack: float = 1e-9
    """How far a joint may be beyond a limit."""
    longest: float = 0.25
    """Step of a driven joint."""
    shortest: float = 1e-7
    """Step at which the way counts as barred."""
    crossing: float = 1e-4
    """Step below which a change point may lie ahead; branches that pass each other further apart
    than this are told apart."""
    leverage: float = 100.0
    """Motion per driven motion above which a barred way is a toggle, not a change point."""
    singular: float = 1e-6
    """Share of the dependent block's singular values below which its lift is noise."""


CONTROL = Control()
NEAR = 0.05
"""Motion in one unit over which a corrector cannot have changed branch unnoticed."""
FURTHEST = 2000.0 * math.pi
"""Way [rad, or m over the module's size] to a value that is still walked: a thousand turns take
thousands of steps."""
SAME_TURN = 1e-14
"""Rotations this near [rad] are one: what is left between them is rounding."""
BALANCED = 1e-12
"""Share of what rows could pull [1] at which they pull nowhere: what is left is rounding."""
NUDGE, NUDGES = 1e-4, 4
"""How far [rad, or m over its size] a module is moved out of such a state, and how many ways."""
