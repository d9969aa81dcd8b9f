"""Trees that stand or float beside one another, and what ties them."""

from __future__ import annotations

from linkages.drawing import Drawing, at
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import WORLD, Mechanism


def two_trees(tie: str = "") -> Mechanism:
    """Two arms on the bare world that a `loop` ties, or a `gear`, or nothing."""
    drawing = Drawing(f"two trees {tie}".strip())
    for name, x in (("left", 0.0), ("right", 1.0)):
        drawing.body(name, at(x))
        drawing.revolute(f"{name} hinge", (WORLD, name), at(x))
    if tie == "loop":
        drawing.ball("tip", ("left", "right"), (0.5, 0.5, 0.0), closes_loop=True)
    elif tie == "gear":
        drawing.gear("gear", "left hinge", "right hinge", -2.0)
    return drawing.mechanism()


def geared_chain() -> Mechanism:
    """Three hinges one on the other; the second follows the first, and the third the second."""
    drawing = Drawing("geared chain")
    inner, start = WORLD, {"first": 0.2, "second": 0.5, "third": -0.6}
    for number, (name, value) in enumerate(start.items()):
        drawing.body(name, at(0.3 * number))
        drawing.revolute(name, (inner, name), at(0.3 * number), value)
        inner = name
    drawing.gear("near", "first", "second", 2.0, 0.1)
    drawing.gear("far", "second", "third", -1.0, -0.1)
    return drawing.mechanism()


def geared_and_floating() -> Mechanism:
    """A hinge on the world that drives one on a body that floats."""
    drawing = Drawing("geared and floating")
    drawing.body("arm", at())
    drawing.revolute("hinge", (WORLD, "arm"), at())
    drawing.body("hull", at(1.0))
    drawing.joint("float", JointKind.FREE, (WORLD, "hull"), at(1.0))
    drawing.body("fin", at(1.5))
    drawing.revolute("rudder", ("hull", "fin"), at(1.5))
    drawing.gear("gear", "hinge", "rudder", 3.0)
    return drawing.mechanism()
