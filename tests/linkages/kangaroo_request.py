"""What Kangaroo's twelve motors are asked to do while its pelvis is held (appendix A.2).

4 s of all motors swinging about `KANGAROO_HOME`, out of rest and back into it; the paper's times
and amplitudes. With it the mechanism as it is simulated there: rotors weigh, joints are damped.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from linkages.robots import KANGAROO_HOME, KANGAROO_MOTORS, kangaroo
from robocompiler.model.mechanism import Mechanism
from robocompiler.spatial import Array

DURATION = 4.0
AMPLITUDES = np.array([0.003, 0.004, 0.004, 0.018, 0.003, 0.003] * 2)
PHASES = np.array([0.0, 0.5, 1.0, 0.0, 0.5, -0.5, 0.3, 1.3, -0.5, 1.0, 0.2, 0.7])
ARMATURE = 0.01
"""Of each motor [kg]."""


def requested(t: Array) -> tuple[Array, Array, Array]:
    """What `KANGAROO_MOTORS` are to be at [m], their speeds and the rates of these.

    Args:
        t: times [s], shape (n,).

    Returns:
        Three arrays of shape (n, 12).
    """
    home = np.array([KANGAROO_HOME[name] for name in KANGAROO_MOTORS])
    t = np.asarray(t, dtype=float)[:, None]
    (a, da, dda), (b, db, ddb) = _smooth(t), _smooth(DURATION - t)
    r, dr, ddr = a * b, da * b - a * db, dda * b - 2.0 * da * db + a * ddb
    angle = np.pi * t + PHASES
    s, ds, dds = np.sin(angle), np.pi * np.cos(angle), -(np.pi**2) * np.sin(angle)
    swing = (r * s, dr * s + r * ds, ddr * s + 2.0 * dr * ds + r * dds)
    return home + AMPLITUDES * swing[0], AMPLITUDES * swing[1], AMPLITUDES * swing[2]


def _smooth(s: Array) -> tuple[Array, Array, Array]:
    """10 s³ - 15 s⁴ + 6 s⁵ of s within 0 and 1, and its two derivatives."""
    s = np.clip(s, 0.0, 1.0)
    value = s**3 * (10.0 - 15.0 * s + 6.0 * s**2)
    return value, 30.0 * (s * (1.0 - s)) ** 2, 60.0 * s * (1.0 - s) * (1.0 - 2.0 * s)


def held_kangaroo() -> Mechanism:
    """Kangaroo with its pelvis held, at home: as the record has it, but for dry friction.

    It damps the 76 joints of its tree by 3 N s/m and N m s/rad, and those that close loops by none,
    for which MuJoCo has no coordinate.
    """
    mechanism = kangaroo(floating=False, motors=KANGAROO_HOME)
    joints = tuple(
        replace(
            joint,
            friction=0.0,
            armature=ARMATURE if joint.name in KANGAROO_MOTORS else 0.0,
        )
        for joint in mechanism.joints
    )
    return replace(mechanism, joints=joints)
