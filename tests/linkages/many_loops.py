"""Linkages of many loops: a scissor lift, chains, a shared crank; and Ackermann's steering."""

from __future__ import annotations

import math

from linkages.drawing import Drawing, at, axis, planar
from linkages.planar import GRASHOF, Bars, four_bar_solution
from robocompiler.model.mechanism import WORLD, Mechanism
from robocompiler.spatial import Pose


def scissor_lift(
    loops: int = 10, arm: float = 0.25, angle: float = 0.6, ground: Pose | None = None
) -> Mechanism:
    """Crossed bars of 2 `arm` [m] on one another, as many stages as loops; mobility 1.

    `foot` is the angle [rad] of the first bar above the ground, and driven; `S` the slider of the
    other bar along x. Every bar stands at ± `angle`: the top is 2 · loops · arm · sin(angle) high.
    """
    reach, rise = arm * math.cos(angle), arm * math.sin(angle)
    drawing = Drawing("scissor lift", ground)
    drawing.body("slider", at(2 * reach))
    drawing.prismatic("S", (WORLD, "slider"), axis((0, 0, 0), (1, 0, 0), (0, 0, 1)), 2 * reach)
    for k in range(loops):
        y = (2 * k + 1) * rise
        drawing.body(f"up {k}", planar(reach, y, angle))
        drawing.body(f"down {k}", planar(reach, y, -angle))
        drawing.revolute(
            f"middle {k}", (f"up {k}", f"down {k}"), planar(reach, y, angle), -2 * angle
        )
        left, right = (0.0, 2 * k * rise), (2 * reach, 2 * k * rise)
        if k == 0:
            drawing.revolute("foot", (WORLD, "up 0"), at(*left), angle, effort=100.0)
            drawing.revolute("heel", ("slider", "down 0"), at(*right), -angle)
        else:
            drawing.revolute(
                f"left {k}", (f"down {k - 1}", f"up {k}"), planar(*left, -angle), 2 * angle
            )
            drawing.revolute(
                f"right {k}", (f"up {k - 1}", f"down {k}"), planar(*right, angle), -2 * angle
            )
    return drawing.mechanism()


def module_chain(
    modules: int = 128,
    bars: Bars = GRASHOF["crank-rocker"],
    crank: float = 0.7,
    scale: float = 0.1,
    ground: Pose | None = None,
) -> Mechanism:
    """Four-bars in a row, each with its ground on the rocker of the one before.

    Module k has joints `k.A` (driven), `k.B`, `k.C`, `k.D`, as `four_bar_of`, and its own crank
    angle (`chain_crank`); the next one's ground is at its pin C. Mobility: as many as modules.
    """
    d, a, _, c = (scale * length for length in bars)
    drawing = Drawing("chain", ground)
    base, x0, y0, tilt = WORLD, 0.0, 0.0, 0.0

    def there(x: float, y: float) -> tuple[float, float]:
        cos, sin = math.cos(tilt), math.sin(tilt)
        return x0 + cos * x - sin * y, y0 + sin * x + cos * y

    for k in range(modules):
        angle = chain_crank(k, crank)
        coupler, rocker = four_bar_solution(bars, angle)
        pin_b = there(a * math.cos(angle), a * math.sin(angle))
        pin_c = there(d + c * math.cos(rocker), c * math.sin(rocker))
        pin_d, name = there(d, 0.0), f"{k:03d}"
        drawing.body(f"{name}.crank", planar(x0, y0, tilt + angle))
        drawing.body(f"{name}.coupler", planar(*pin_b, tilt + coupler))
        drawing.body(f"{name}.rocker", planar(*pin_d, tilt + rocker))
        ends = {
            "A": (base, "crank", (x0, y0), tilt, angle),
            "B": ("crank", "coupler", pin_b, tilt + angle, coupler - angle),
            "C": ("coupler", "rocker", pin_c, tilt + coupler, rocker - coupler),
            "D": (base, "rocker", pin_d, tilt, rocker),
        }
        for pin, (inner, outer, point, direction, value) in ends.items():
            inboard = inner if inner == base else f"{name}.{inner}"
            fields = {"A": {"effort": 10.0}, "C": {"closes_loop": True}}.get(pin, {})
            where, between = planar(*point, direction), (inboard, f"{name}.{outer}")
            drawing.revolute(f"{name}.{pin}", between, where, value, **fields)
        base, (x0, y0), tilt = f"{name}.rocker", pin_c, tilt + rocker
    return drawing.mechanism()


def chain_crank(module: int, crank: float = 0.7) -> float:
    """The crank angle [rad] of a module of the chain: no two neighbours alike."""
    return crank + 0.1 * math.sin(1.0 + module)


def shared_crank(
    sides: dict[str, Bars], crank: float = 0.7, tilt: float = 2.0, ground: Pose | None = None
) -> Mechanism:
    """Four-bars on one crank `A`, driven, each with joints `NAME B`, `NAME C` and `NAME D`.

    The ground of each lies `tilt` [rad] further round than that of the one before, so that its own
    crank angle is less by that. All cranks are of one length. Mobility 1.
    """
    a = next(iter(sides.values()))[1]
    bx, by = a * math.cos(crank), a * math.sin(crank)
    drawing = Drawing("shared crank", ground)
    drawing.body("crank", planar(0.0, 0.0, crank))
    drawing.revolute("A", (WORLD, "crank"), at(0.0), crank, effort=10.0)
    for k, (name, bars) in enumerate(sides.items()):
        turned = k * tilt
        coupler, rocker = (turned + x for x in four_bar_solution(bars, crank - turned))
        dx, dy = bars[0] * math.cos(turned), bars[0] * math.sin(turned)
        cx, cy = bx + bars[2] * math.cos(coupler), by + bars[2] * math.sin(coupler)
        drawing.body(f"{name} coupler", planar(bx, by, coupler))
        drawing.body(f"{name} rocker", planar(dx, dy, rocker))
        drawing.revolute(
            f"{name} B", ("crank", f"{name} coupler"), planar(bx, by, crank), coupler - crank
        )
        drawing.revolute(
            f"{name} C",
            (f"{name} coupler", f"{name} rocker"),
            planar(cx, cy, coupler),
            rocker - coupler,
            closes_loop=True,
        )
        drawing.revolute(
            f"{name} D", (WORLD, f"{name} rocker"), planar(dx, dy, turned), rocker - turned
        )
    return drawing.mechanism()


def ackermann_bars(
    track: float = 1.4, wheelbase: float = 2.6, arm: float = 0.2
) -> tuple[Bars, float]:
    """The trapezoid as a four-bar (ground, left arm, tie rod, right arm) and the left arm's angle.

    Ackermann's rule: going straight, both arms point at the middle of the rear axle.
    """
    inward = math.atan2(track / 2.0, wheelbase)
    rod = track - 2.0 * arm * math.sin(inward)
    return (track, arm, rod, arm), -math.pi / 2.0 + inward


def ackermann_angle(
    steer: float, track: float = 1.4, wheelbase: float = 2.6, arm: float = 0.2
) -> float:
    """The right wheel's steering angle [rad] for the left one's, by the four-bar's closed form."""
    bars, straight = ackermann_bars(track, wheelbase, arm)
    right = four_bar_solution(bars, straight + steer, -_side(bars, straight))[1]
    return math.remainder(right - (-math.pi - straight), 2.0 * math.pi)


def _side(bars: Bars, straight: float) -> int:
    """Which side of the way from left arm's end to the right kingpin the tie rod's end is not."""
    end = bars[1] * math.cos(straight), bars[1] * math.sin(straight)
    pin = end[0] + bars[2], end[1]
    way = bars[0] - end[0], -end[1]
    left = way[0] * (pin[1] - end[1]) - way[1] * (pin[0] - end[0]) > 0.0
    return -1 if left else 1


def ackermann(
    steer: float = 0.2,
    track: float = 1.4,
    wheelbase: float = 2.6,
    arm: float = 0.2,
    ground: Pose | None = None,
) -> Mechanism:
    """A steered front axle: kingpins `left` (driven) and `right`, tie rod on pins `L` and `R`.

    Both kingpin coordinates are the wheels' steering angles, 0 going straight along y. Mobility 1,
    the wheels' own spins `left wheel` and `right wheel` beside it.
    """
    (d, a, _, _), straight = ackermann_bars(track, wheelbase, arm)
    other = ackermann_angle(steer, track, wheelbase, arm)
    first, last = straight + steer, -math.pi - straight + other
    left, right = (
        (a * math.cos(first), a * math.sin(first)),
        (
            d + a * math.cos(last),
            a * math.sin(last),
        ),
    )
    tie = math.atan2(right[1] - left[1], right[0] - left[0])
    drawing = Drawing("Ackermann steering", ground)
    drawing.body("left knuckle", planar(0.0, 0.0, steer))
    drawing.body("right knuckle", planar(d, 0.0, other))
    drawing.body("tie rod", planar(*left, tie))
    drawing.revolute("left", (WORLD, "left knuckle"), at(0.0), steer, effort=50.0)
    drawing.revolute("right", (WORLD, "right knuckle"), at(d), other)
    drawing.revolute("L", ("left knuckle", "tie rod"), planar(*left, steer), tie - steer)
    drawing.revolute(
        "R", ("tie rod", "right knuckle"), planar(*right, tie), other - tie, closes_loop=True
    )
    for side, x, angle in (("left", 0.0, steer), ("right", d, other)):
        hub = axis((x, 0.0, 0.0), (math.cos(angle), math.sin(angle), 0.0), (0.0, 0.0, 1.0))
        drawing.body(f"{side} wheel", hub)
        drawing.revolute(f"{side} wheel", (f"{side} knuckle", f"{side} wheel"), hub)
    return drawing.mechanism()
