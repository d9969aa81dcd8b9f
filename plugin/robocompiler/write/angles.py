"""Rotations as the angles that URDF and SDFormat have them in."""

from __future__ import annotations

import numpy as np

from robocompiler.spatial import Array


def roll_pitch_yaw(R: Array) -> tuple[float, float, float]:
    """Angles r, p, y [rad] with R = Rz(y) Ry(p) Rx(r), exact to rounding where p is ±90° too.

    The yaw is taken out of R before the others are read: so it may be any where p is ±90°.
    """
    yaw = float(np.arctan2(R[1, 0], R[0, 0]))
    c, s = np.cos(yaw), np.sin(yaw)
    unturned = np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]]) @ R
    pitch = float(np.arctan2(-unturned[2, 0], unturned[0, 0]))
    roll = float(np.arctan2(-unturned[1, 2], unturned[1, 1]))
    return roll, pitch, yaw
