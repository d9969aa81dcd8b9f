"""Mobility as a person would explain it, and as plain data."""

from __future__ import annotations

from typing import Any

from robocompiler.solve.mobility.figures import Mobility, ModuleMobility, Motion
from robocompiler.units import millimetres

# A gap of singular values below this leaves it open which of them count.
CLEAR = 100.0
# A misfit above this is that of rounded geometry, not of arithmetic.
ROUNDED = 1e-11
# So many redundant rows are named, and the rest counted.
NAMED = 8


def explain(mobility: Mobility) -> tuple[str, ...]:
    """What each module's figure rests on, and what else moves: lines, indented by depth."""
    lines: list[str] = []
    for module in mobility.modules:
        lines.append(f"{module.name}: {_figure(module)}; {_counted(module)}")
        lines += [f"  {said}" for said in _remarks(module, mobility.geometry_tolerance)]
    if mobility.open and mobility.modules:
        lines.append(f"joints on no loop: {mobility.open}")
    if mobility.floating:
        lines.append(f"floating freely: {mobility.floating}")
    return (*lines, *(f"idle: {freedom} spins about itself" for freedom in mobility.idle))


def _figure(module: ModuleMobility) -> str:
    own, idle = module.generic - len(module.idle), len(module.idle)
    return f"{own} (+{idle} idle)" if idle else str(own)


def _counted(module: ModuleMobility) -> str:
    counted = f"Grübler counts {module.grubler}"
    if not (count := len(module.redundant)):
        return counted
    rows = ", ".join(map(str, module.redundant[:NAMED]))
    more = f", and {count - NAMED} more" if count > NAMED else ""
    follow = "row follows" if count == 1 else "rows follow"
    return f"{counted}, but {count} {follow} from the others ({rows}{more})"


def _remarks(module: ModuleMobility, tolerance: float) -> list[str]:
    said: list[str] = []
    if module.misfit > ROUNDED:
        said.append(
            f"taken as its makers meant it: its numbers are rounded, and leave gaps of "
            f"{module.misfit:.1e} of its size of {millimetres(module.size):.4g} mm (allowed: "
            f"{tolerance:.0e}); to their last digit it has {module.strict}"
        )
    if module.singular:
        said.append(
            f"singular here: it could begin to move in {module.at_tolerance} ways, and goes on in "
            f"{module.generic}; only here: {_each(module.singular)}"
        )
    if module.dead:
        said.append(f"dead point: with every drive held, this still moves: {_each(module.dead)}")
    if module.gap is not None and module.gap < CLEAR:
        said.append(
            f"not clear: the least motion held is held only {module.gap:.3g} times as well as the "
            "best that is not; see what another geometry tolerance gives"
        )
    return said


def _each(motions: tuple[Motion, ...]) -> str:
    return "; or ".join(map(str, motions))


def as_data(mobility: Mobility) -> dict[str, Any]:
    """Every figure by its name, the whole's and each module's: m, rad."""
    return {
        "text": str(mobility),
        "geometry_tolerance": mobility.geometry_tolerance,
        "floating": mobility.floating,
        "open": mobility.open,
        **_figures(mobility),
        "explanation": list(explain(mobility)),
        "modules": [
            {"name": module.name, "size": module.size, **_figures(module)}
            for module in mobility.modules
        ],
    }


def _figures(of: Mobility | ModuleMobility) -> dict[str, Any]:
    return {
        "strict": of.strict,
        "at_tolerance": of.at_tolerance,
        "generic": of.generic,
        "idle": [{"bodies": list(i.bodies), "joints": list(i.joints)} for i in of.idle],
        "grubler": of.grubler,
        "gap": of.gap,
        "misfit": of.misfit,
        "redundant": [
            {"closure": r.closure, "row": r.row, "misfit": r.misfit} for r in of.redundant
        ],
        "singular": [_motion(motion) for motion in of.singular],
        "dead": [_motion(motion) for motion in of.dead],
    }


def _motion(motion: Motion) -> dict[str, float]:
    return {rate.coordinate: rate.amount for rate in motion.rates}
