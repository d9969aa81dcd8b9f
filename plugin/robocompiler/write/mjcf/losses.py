"""What acts on a joint, and what of it MJCF cannot say: one table for all kinds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import Joint
from robocompiler.write.ledger import Ledger
from robocompiler.write.statements import BURDENS, burden_property, burdens

AXES = frozenset({"limits", "damping", "friction", "spring", "armature", "effort"})
"""What MJCF can say of a hinge and of a slide."""
SAYABLE: dict[JointKind, frozenset[str]] = {
    JointKind.BALL: frozenset({"swing", "damping", "friction", "spring", "armature"}),
    JointKind.FREE: frozenset(),
}
"""Of other kinds than those made of hinges and slides."""
AT_ZERO = frozenset({"swing", "spring"})
"""What MJCF counts from where a ball stands in `qpos0`, and we from its zero."""
# Rotations [rad] below are none.
NO_ROTATION = 1e-9


@dataclass(frozen=True, slots=True)
class Loss:
    """Something that acts on a joint and has no place in the model."""

    burden: str
    """As `AXES` and `SAYABLE` call it, or `velocity`, which no kind has."""
    what: str
    """In words, such as `its damping`."""
    why: str
    """Such as `this joint is cut`; "" where MJCF has no such thing at all."""

    def __str__(self) -> str:
        return f"{self.what}, since {self.why}" if self.why else self.what


def losses(joint: Joint, q: Sequence[float] | None) -> list[Loss]:
    """All that acts on a joint and that MJCF cannot say.

    Args:
        joint: of the tree, or cut.
        q: its coordinates where the mechanism stands; None for a cut joint, which has none.
    """
    acting = burdens(joint)
    return [
        Loss(burden, what, why)
        for burden, _, what in BURDENS
        if burden in acting and (why := _reason(joint, burden, q)) is not None
    ]


def _reason(joint: Joint, burden: str, q: Sequence[float] | None) -> str | None:
    """Why MJCF cannot say it; None where it can."""
    if q is None:
        return "this joint is cut"
    if burden == "velocity":
        return ""
    if burden not in SAYABLE.get(joint.kind, AXES):
        return f"MJCF has none for a {joint.kind.value} joint"
    if joint.kind is JointKind.BALL and burden in AT_ZERO:
        if 2.0 * math.hypot(*q[1:4]) > NO_ROTATION:
            return "this ball does not stand at its zero"
        if burden == "spring" and joint.spring_reference != 0.0:
            return "a ball's has no single reference"
    return None


def note_losses(ledger: Ledger, joint: Joint, q: Sequence[float] | None) -> list[Loss]:
    """Enter what is lost of a joint, and give it; `q` as `losses` has it."""
    lost = losses(joint, q)
    for loss in lost:
        ledger.drop(burden_property(loss.burden, q is None), joint.name, loss.what, loss.why)
    return lost
