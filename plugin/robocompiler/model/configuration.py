"""Where a mechanism stands: the coordinates of every joint, by name."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ClosureGap:
    """How far a closure is from closed, as drawn and after it was assembled."""

    closure: str
    drawn_gap: float
    """[m]"""
    drawn_angle: float
    """[rad]"""
    gap: float
    """[m]"""
    angle: float
    """[rad]"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """The coordinates of every joint, tree joints and cut ones alike.

    By name, so that it can be carried over to another compilation of the mechanism, in which
    other joints are cut.
    """

    values: tuple[tuple[str, tuple[float, ...]], ...]
    """Joint name and its coordinates [m, rad, quaternion]."""
    gaps: tuple[ClosureGap, ...] = ()
    moved: tuple[tuple[str, float], ...] = ()
    """Joints whose starting value could not be held, and by how much it moved [m or rad]."""
    missed: tuple[tuple[str, float], ...] = ()
    """Joints that were wanted elsewhere, and by how much they stay away from there [m or rad]."""

    speeds: tuple[tuple[str, tuple[float, ...]], ...] = ()
    """Joint name and its speeds [m/s, rad/s], a rotation's about the axes of the turned frame; ()
    where no speeds were asked for."""
    missed_speeds: tuple[tuple[str, float], ...] = ()
    """Joints that were wanted at other speeds, and by how much they differ [m/s or rad/s]."""

    def of(self, joint: str) -> tuple[float, ...]:
        """The coordinates of the joint of that name."""
        return dict(self.values)[joint]

    def speeds_of(self, joint: str) -> tuple[float, ...]:
        """The speeds of the joint of that name, where speeds were asked for."""
        return dict(self.speeds)[joint]
