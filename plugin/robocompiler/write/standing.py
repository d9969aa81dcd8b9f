"""What to say of where a mechanism stands when it is written."""

from __future__ import annotations

import math

from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.model.configuration import Configuration
from robocompiler.units import degrees, millimetres
from robocompiler.write.ledger import Ledger

# Loops of exact geometry close to less than this [m, rad].
CLOSED = 1e-10
# What closing the loops may move a joint by [m, rad] before a word is due.
MOVED_LENGTH, MOVED_ANGLE = 1e-4, math.radians(0.1)


def note_gaps(configuration: Configuration, ledger: Ledger) -> None:
    """Loops that cannot close to rounding."""
    for gap in configuration.gaps:
        if max(gap.gap, gap.angle) > CLOSED:
            ledger.warn(
                f"loop '{gap.closure}' closes only to {millimetres(gap.gap):.2g} mm and "
                f"{degrees(gap.angle):.2g}°: its lengths or axes are rounded, and it has no "
                "freedom to make up for that"
            )


def note_moved(compiled: CompiledMechanism, configuration: Configuration, ledger: Ledger) -> None:
    """Joints that closing the loops moved by more than a drawing's rounding."""
    kinds = {t.edge.joint.name: t.edge.joint.kind for t in compiled.tree}
    for name, by in configuration.moved:
        turns = any(factor.is_turn for factor in kinds[name].factors)
        said = f"{degrees(by):.3g}°" if turns else f"{millimetres(by):.3g} mm"
        if by > (MOVED_ANGLE if turns else MOVED_LENGTH):
            ledger.warn(f"joint '{name}' starts {said} from where it is drawn, so that loops close")
