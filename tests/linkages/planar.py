"""Planar linkages about z, with the closed form of every angle."""

from __future__ import annotations

import math

from linkages.drawing import Drawing, at, axis, planar
from robocompiler.model.mechanism import WORLD, Mechanism
from robocompiler.spatial import Pose

Bars = tuple[float, float, float, float]

GRASHOF: dict[str, Bars] = {
    "crank-rocker": (0.4, 0.1, 0.4, 0.25),
    "rocker-crank": (0.4, 0.25, 0.4, 0.1),
    "double-crank": (0.1, 0.3, 0.35, 0.25),
    "double-rocker": (0.4, 0.3, 0.15, 0.35),
    "triple-rocker": (0.4, 0.2, 0.25, 0.3),
    "change-point": (0.4, 0.15, 0.35, 0.2),
    "parallelogram": (0.4, 0.15, 0.4, 0.15),
    "deltoid": (0.4, 0.4, 0.15, 0.15),
}
"""Lengths [m] of ground, crank, coupler and rocker, one four-bar of each class."""


def meet(
    p: tuple[float, float], r: float, q: tuple[float, float], s: float, branch: int = 1
) -> tuple[float, float]:
    """Where circles of radius r about p and s about q meet, left (+1) or right of the way p to q.

    The height comes from Heron's product, which keeps its digits where the circles only touch.
    """
    dx, dy = q[0] - p[0], q[1] - p[1]
    d = math.hypot(dx, dy)
    along = ((r - s) * (r + s) / d + d) / 2.0
    heron = (r + s + d) * (r + s - d) * (d + r - s) * (d - r + s)
    if heron < -1e-14 * d**4:
        raise ValueError(f"circles of {r} and {s} about points {d} apart do not meet")
    height = branch * math.sqrt(max(heron, 0.0)) / (2.0 * d)
    ux, uy = dx / d, dy / d
    return p[0] + along * ux - height * uy, p[1] + along * uy + height * ux


def four_bar_solution(bars: Bars, crank: float, branch: int = 1) -> tuple[float, float]:
    """Directions of coupler and rocker [rad] for a crank angle; the pin C left of B to D on +1."""
    ground, a, b, c = bars
    bx, by = a * math.cos(crank), a * math.sin(crank)
    x, y = meet((bx, by), b, (ground, 0.0), c, branch)
    return math.atan2(y - by, x - bx), math.atan2(y, x - ground)


def four_bar_at(crank: float) -> tuple[float, float, float]:
    """Angles [rad] at A, B and D of `four_bar_of()` for a crank angle."""
    coupler, rocker = four_bar_solution(GRASHOF["crank-rocker"], crank)
    return crank, coupler - crank, rocker


def crank_range(bars: Bars) -> tuple[float, float]:
    """Least and greatest |crank angle| [rad] at which the loop closes, in [0, π]: the toggles.

    (0, π) for a crank that turns all the way.
    """
    d, a, b, c = bars

    def angle(across: float) -> float:
        return math.acos(max(-1.0, min(1.0, (a * a + d * d - across * across) / (2.0 * a * d))))

    return angle(abs(b - c)), angle(b + c)


def four_bar_of(
    bars: Bars = GRASHOF["crank-rocker"],
    crank: float = 0.7,
    branch: int = 1,
    ground: Pose | None = None,
) -> Mechanism:
    """A four-bar of any lengths [m] (ground, crank, coupler, rocker), pinned at A, B, C and D.

    A is the crank's angle and driven, D the rocker's; B and C are turned by the difference of the
    links they join. C is declared as closing the loop.
    """
    d, a, b, _ = bars
    coupler, rocker = four_bar_solution(bars, crank, branch)
    bx, by = a * math.cos(crank), a * math.sin(crank)
    cx, cy = bx + b * math.cos(coupler), by + b * math.sin(coupler)
    drawing = Drawing("four-bar", ground)
    drawing.body("crank", planar(0.0, 0.0, crank))
    drawing.body("coupler", planar(bx, by, coupler))
    drawing.body("rocker", planar(d, 0.0, rocker))
    drawing.revolute("A", (WORLD, "crank"), at(0.0), crank, effort=10.0)
    drawing.revolute("B", ("crank", "coupler"), planar(bx, by, crank), coupler - crank)
    drawing.revolute(
        "C", ("coupler", "rocker"), planar(cx, cy, coupler), rocker - coupler, closes_loop=True
    )
    drawing.revolute("D", (WORLD, "rocker"), at(d), rocker)
    return drawing.mechanism()


def slider_solution(
    crank: float, rod: float, offset: float, angle: float, branch: int = 1
) -> tuple[float, float]:
    """The rod's direction [rad] and the slider's place along x [m], for a crank angle [rad]."""
    rise = offset - crank * math.sin(angle)
    run = branch * math.sqrt((rod - rise) * (rod + rise))
    return math.atan2(rise, run), crank * math.cos(angle) + run


def slider_crank(
    crank: float = 0.1,
    rod: float = 0.3,
    offset: float = 0.02,
    angle: float = 0.7,
    branch: int = 1,
    ground: Pose | None = None,
) -> Mechanism:
    """Crank A, rod B, pin C and a slider S along x, `offset` [m] above the crank's axis."""
    direction, x = slider_solution(crank, rod, offset, angle, branch)
    bx, by = crank * math.cos(angle), crank * math.sin(angle)
    drawing = Drawing("slider-crank", ground)
    drawing.body("crank", planar(0.0, 0.0, angle))
    drawing.body("rod", planar(bx, by, direction))
    drawing.body("slider", at(x, offset))
    drawing.revolute("A", (WORLD, "crank"), at(0.0), angle, effort=10.0)
    drawing.revolute("B", ("crank", "rod"), planar(bx, by, angle), direction - angle)
    drawing.revolute(
        "C", ("rod", "slider"), planar(x, offset, direction), -direction, closes_loop=True
    )
    drawing.prismatic("S", (WORLD, "slider"), axis((0.0, offset, 0.0), (1.0, 0.0, 0.0)), x)
    return drawing.mechanism()


def five_bar_solution(
    bars: tuple[float, float, float, float, float], angles: tuple[float, float], branch: int = 1
) -> tuple[float, float]:
    """Directions [rad] of both couplers for both crank angles; their pin left of the way on +1."""
    d, a, b, c, e = bars
    p = a * math.cos(angles[0]), a * math.sin(angles[0])
    q = d + e * math.cos(angles[1]), e * math.sin(angles[1])
    x, y = meet(p, b, q, c, branch)
    return math.atan2(y - p[1], x - p[0]), math.atan2(y - q[1], x - q[0])


def five_bar(
    bars: tuple[float, float, float, float, float] = (0.3, 0.2, 0.35, 0.4, 0.25),
    angles: tuple[float, float] = (2.0, 1.0),
    branch: int = 1,
    ground: Pose | None = None,
) -> Mechanism:
    """Ground, left crank, left and right coupler, right crank [m]; both cranks A and E driven."""
    d, a, b, _, e = bars
    left, right = five_bar_solution(bars, angles, branch)
    px, py = a * math.cos(angles[0]), a * math.sin(angles[0])
    qx, qy = d + e * math.cos(angles[1]), e * math.sin(angles[1])
    x, y = px + b * math.cos(left), py + b * math.sin(left)
    drawing = Drawing("five-bar", ground)
    drawing.body("left crank", planar(0.0, 0.0, angles[0]))
    drawing.body("left coupler", planar(px, py, left))
    drawing.body("right coupler", planar(qx, qy, right))
    drawing.body("right crank", planar(d, 0.0, angles[1]))
    drawing.revolute("A", (WORLD, "left crank"), at(0.0), angles[0], effort=10.0)
    drawing.revolute(
        "B", ("left crank", "left coupler"), planar(px, py, angles[0]), left - angles[0]
    )
    drawing.revolute(
        "C", ("left coupler", "right coupler"), planar(x, y, left), right - left, closes_loop=True
    )
    drawing.revolute(
        "D", ("right crank", "right coupler"), planar(qx, qy, angles[1]), right - angles[1]
    )
    drawing.revolute("E", (WORLD, "right crank"), at(d), angles[1], effort=10.0)
    return drawing.mechanism()


def braced_parallelogram(
    ground_length: float = 0.4,
    crank: float = 0.15,
    angle: float = 0.7,
    extra: tuple[float, ...] = (0.5,),
    ground: Pose | None = None,
) -> Mechanism:
    """A parallelogram with more cranks between ground and coupler than it needs: redundant.

    Cranks stand at 0, at `ground_length` and at each share of it in `extra`; `foot i` is the angle
    of each, `head i` its pin on the coupler. Mobility 1, though Grübler counts 1 - len(extra).
    """
    shares = (0.0, 1.0, *extra)
    rise = (crank * math.cos(angle), crank * math.sin(angle))
    drawing = Drawing("braced parallelogram", ground)
    drawing.body("coupler", at(*rise))
    for i, share in enumerate(shares):
        x = share * ground_length
        drawing.body(f"crank {i}", planar(x, 0.0, angle))
        driven = {"effort": 10.0} if i == 0 else {}
        drawing.revolute(f"foot {i}", (WORLD, f"crank {i}"), at(x), angle, **driven)
        where = planar(x + rise[0], rise[1], angle)
        drawing.revolute(f"head {i}", (f"crank {i}", "coupler"), where, -angle)
    return drawing.mechanism()
