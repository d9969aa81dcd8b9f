"""Planar platforms on three legs: 3-RPR with its six assemblies, 3-RRR."""

from __future__ import annotations

import math

import numpy as np

from linkages.drawing import Drawing, at, axis, planar
from linkages.planar import meet
from robocompiler.model.mechanism import WORLD, Mechanism
from robocompiler.spatial import Array, Pose

Triangle = tuple[tuple[float, float], tuple[float, float], tuple[float, float]]


def _triangle(a: float, b: float, c: float) -> Triangle:
    """Corners with |12| = a, |23| = b and |13| = c, the first at the origin, the second on x."""
    x = (a * a + c * c - b * b) / (2.0 * a)
    return (0.0, 0.0), (a, 0.0), (x, math.sqrt(c * c - x * x))


# The example of Innocenti and Merlet, at a twentieth of its size: six real assemblies.
BASE: Triangle = ((0.0, 0.0), (15.91 / 20, 0.0), (0.0, 10.0 / 20))
PLATFORM: Triangle = _triangle(17.04 / 20, 16.54 / 20, 20.84 / 20)
LEGS = (14.98 / 20, 15.38 / 20, 12.0 / 20)


def _place(base: Triangle, platform: Triangle, legs: tuple[float, ...], angle: Array):
    """Numerators and denominator of the platform's place, that the differences of legs fix.

    |B₁ - A₁|² = l₁² from |Bᵢ - Aᵢ|² = lᵢ² leaves two equations linear in x and y.
    """
    c, s = np.cos(angle), np.sin(angle)
    rows = []
    for (ax, ay), (bx, by), length in zip(base[1:], platform[1:], legs[1:], strict=True):
        dx, dy = c * bx - s * by - ax, s * bx + c * by - ay
        rows.append((2 * dx, 2 * dy, length**2 - legs[0] ** 2 - dx * dx - dy * dy))
    (a, b, e), (p, q, r) = rows
    return e * q - b * r, a * r - e * p, a * q - b * p


def three_rpr_assemblies(
    legs: tuple[float, ...] = LEGS, base: Triangle = BASE, platform: Triangle = PLATFORM
) -> list[tuple[float, float, float]]:
    """Every pose x, y [m], angle [rad] of the platform for given legs [m]; at most six.

    By elimination: x and y from the two linear equations, put into the first leg's, leave a
    trigonometric polynomial in the angle alone. Its roots are those of a polynomial in e^{i angle}
    on the unit circle; each is then polished by Newton's method.
    """

    def leg(angle: Array) -> Array:
        x, y, w = _place(base, platform, legs, angle)
        return np.asarray(x * x + y * y - (legs[0] * w) ** 2)

    count = 32
    samples = np.fft.fft(leg(2.0 * np.pi * np.arange(count) / count)) / count
    degree = 6
    coefficients = [samples[k] for k in range(degree, -degree - 1, -1)]
    keep = np.flatnonzero(np.abs(coefficients) > 1e-10 * np.max(np.abs(coefficients)))
    roots = np.roots(np.array(coefficients)[keep[0] : keep[-1] + 1])
    found = [math.atan2(z.imag, z.real) for z in roots if abs(abs(z) - 1.0) < 1e-4]
    return sorted(_polished(angle, legs, base, platform) for angle in found)


def _polished(
    angle: float, legs: tuple[float, ...], base: Triangle, platform: Triangle
) -> tuple[float, float, float]:
    x, y, w = _place(base, platform, legs, np.array(angle))
    pose = np.array([x / w, y / w, angle])
    for _ in range(20):
        pose = pose - np.linalg.solve(*_leg_equations(pose, legs, base, platform))
    return float(pose[0]), float(pose[1]), math.remainder(float(pose[2]), 2.0 * math.pi)


def _leg_equations(pose: Array, legs: tuple[float, ...], base: Triangle, platform: Triangle):
    c, s = math.cos(pose[2]), math.sin(pose[2])
    J, f = np.zeros((3, 3)), np.zeros(3)
    for i in range(3):
        (ax, ay), (bx, by) = base[i], platform[i]
        dx, dy = pose[0] + c * bx - s * by - ax, pose[1] + s * bx + c * by - ay
        J[i] = 2 * dx, 2 * dy, 2 * (dx * (-s * bx - c * by) + dy * (c * bx - s * by))
        f[i] = dx * dx + dy * dy - legs[i] ** 2
    return J, f


def platform_joints(pose: tuple[float, float, float], platform: Triangle) -> Triangle:
    """Where the corners of the platform are in the world."""
    x, y, angle = pose
    c, s = math.cos(angle), math.sin(angle)
    one, two, three = ((x + c * bx - s * by, y + s * bx + c * by) for bx, by in platform)
    return one, two, three


def three_rpr(
    assembly: int = 0,
    legs: tuple[float, float, float] = LEGS,
    base: Triangle = BASE,
    platform: Triangle = PLATFORM,
    pose: tuple[float, float, float] | None = None,
    ground: Pose | None = None,
) -> Mechanism:
    """Three driven legs `P i` between revolutes `A i` on the ground and `B i` on the platform.

    Drawn in the assembly of that number (see `three_rpr_assemblies`), or at a pose, the legs then
    being as long as that takes. Mobility 3.
    """
    x, y, angle = pose or three_rpr_assemblies(legs, base, platform)[assembly]
    drawing = Drawing("3-RPR", ground)
    drawing.body("platform", planar(x, y, angle))
    for i, (px, py) in enumerate(platform_joints((x, y, angle), platform)):
        ax, ay = base[i]
        bearing, length = math.atan2(py - ay, px - ax), math.hypot(py - ay, px - ax)
        drawing.body(f"cylinder {i}", planar(ax, ay, bearing))
        drawing.body(f"rod {i}", planar(px, py, bearing))
        along = axis((ax, ay, 0.0), (math.cos(bearing), math.sin(bearing), 0.0), (0.0, 0.0, 1.0))
        drawing.revolute(f"A {i}", (WORLD, f"cylinder {i}"), at(ax, ay), bearing)
        drawing.prismatic(f"P {i}", (f"cylinder {i}", f"rod {i}"), along, length, effort=100.0)
        drawing.revolute(
            f"B {i}", (f"rod {i}", "platform"), planar(px, py, bearing), angle - bearing
        )
    return drawing.mechanism()


EQUILATERAL: Triangle = ((0.0, 0.0), (0.6, 0.0), (0.3, 0.3 * math.sqrt(3.0)))
SMALL: Triangle = ((-0.1, -0.1 / math.sqrt(3.0)), (0.1, -0.1 / math.sqrt(3.0)), (0.0, 0.2 / 3**0.5))


def three_rrr_angles(
    pose: tuple[float, float, float],
    upper: float = 0.25,
    lower: float = 0.25,
    elbows: tuple[int, int, int] = (1, 1, 1),
    base: Triangle = EQUILATERAL,
    platform: Triangle = SMALL,
) -> list[tuple[float, float]]:
    """Directions [rad] of both links of each leg at a pose of the platform, in closed form."""
    angles = []
    for a, b, elbow in zip(base, platform_joints(pose, platform), elbows, strict=True):
        x, y = meet(a, upper, b, lower, elbow)
        angles.append((math.atan2(y - a[1], x - a[0]), math.atan2(b[1] - y, b[0] - x)))
    return angles


def three_rrr(
    pose: tuple[float, float, float] = (0.32, 0.15, 0.2),
    upper: float = 0.25,
    lower: float = 0.25,
    elbows: tuple[int, int, int] = (1, 1, 1),
    base: Triangle = EQUILATERAL,
    platform: Triangle = SMALL,
    ground: Pose | None = None,
) -> Mechanism:
    """Three legs of two links on revolutes `A i` (driven), `B i` and `C i`; mobility 3.

    Each elbow is left (+1) or right of the way from A to C.
    """
    angles = three_rrr_angles(pose, upper, lower, elbows, base, platform)
    drawing = Drawing("3-RRR", ground)
    drawing.body("platform", planar(*pose))
    for i, (px, py) in enumerate(platform_joints(pose, platform)):
        (ax, ay), (first, second) = base[i], angles[i]
        ex, ey = ax + upper * math.cos(first), ay + upper * math.sin(first)
        drawing.body(f"upper {i}", planar(ax, ay, first))
        drawing.body(f"lower {i}", planar(ex, ey, second))
        drawing.revolute(f"A {i}", (WORLD, f"upper {i}"), at(ax, ay), first, effort=10.0)
        drawing.revolute(
            f"B {i}", (f"upper {i}", f"lower {i}"), planar(ex, ey, first), second - first
        )
        drawing.revolute(
            f"C {i}", (f"lower {i}", "platform"), planar(px, py, second), pose[2] - second
        )
    return drawing.mechanism()
