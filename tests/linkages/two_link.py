"""An arm of two links in a plane, whose tip can be held: known by the law of cosines."""

from __future__ import annotations

import math

from linkages.drawing import Drawing, at, planar
from robocompiler import Mechanism, Task
from robocompiler.model.mechanism import WORLD

UPPER, LOWER = 0.5, 0.4
TIP = Task(name="tip", body="lower", position=(LOWER, 0.0, 0.0))


def arm(first: float = 0.4, second: float = 0.9) -> Mechanism:
    """Two links in a plane, driven at both joints, the first on the world's origin."""
    drawing = Drawing("arm")
    drawing.body("upper", planar(0.0, 0.0, first))
    elbow = planar(UPPER * math.cos(first), UPPER * math.sin(first), first)
    drawing.body("lower", elbow @ planar(0.0, 0.0, second))
    drawing.revolute("shoulder", (WORLD, "upper"), at(), first, effort=1.0)
    drawing.revolute("elbow", ("upper", "lower"), elbow, second, effort=1.0)
    return drawing.mechanism()


def arm_angles(x: float, y: float, lower: float = LOWER) -> tuple[float, float]:
    """Shoulder and elbow with the tip at a point, by the law of cosines; elbow on the right."""
    c = (x * x + y * y - UPPER**2 - lower**2) / (2.0 * UPPER * lower)
    elbow = math.acos(c)
    inner = math.atan2(lower * math.sin(elbow), UPPER + lower * c)
    return math.atan2(y, x) - inner, elbow
