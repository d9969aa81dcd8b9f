"""The arrays that C functions take, and which rows of the buffer they are."""

from __future__ import annotations

from robocompiler.solve.generated.layout import Layout

ARGUMENTS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "correct": (("q", "parameters", "signs"), ("q", "E", "signs")),
    "motion": (("q", "parameters", "signs", "v"), ("q", "v", "c", "E", "signs")),
    "evaluate": (("q", "parameters"), ("residual", "jacobian")),
    "follow": (("q", "parameters", "pivots", "target"), ("q", "E", "pivots")),
}
"""Of each function, the arrays whose entries are the rows of `x`, and those of `y`."""


def there(layout: Layout, names: tuple[str, ...]) -> tuple[str, ...]:
    """Of some arrays, those that have entries."""
    return tuple(name for name in names if len(span(layout, name)))


def span(layout: Layout, name: str, results: bool = False) -> range:
    """The rows of an array in its buffer; of pivots, as they were or, of results, as they are."""
    nq, rows, nv = layout.compiled.nq, layout.rows, layout.compiled.nv
    own = nq + layout.parameters
    return {
        "q": range(nq),
        "parameters": range(nq, own),
        "signs": range(own, own + layout.blocks),
        "pivots": range(layout.E.stop, layout.E.stop + layout.pivots)
        if results
        else range(layout.v.start - layout.pivots, layout.v.start),
        "v": range(layout.v.start, layout.v.stop),
        "c": range(layout.c.start, layout.c.stop),
        "E": range(layout.E.start, layout.E.stop),
        "residual": range(rows),
        "jacobian": range(rows, rows * (1 + nv)),
        "target": range(layout.E.stop + layout.pivots, layout.E.stop + layout.pivots + nq),
    }[name]
