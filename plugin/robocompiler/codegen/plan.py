"""In which sections a kernel that is iterated is computed, and which of its slots move."""

from __future__ import annotations

from robocompiler.codegen.expressions import Section, section
from robocompiler.codegen.kernels import STATE, Iterated


def moving(kernel: Iterated) -> list[int]:
    """The slots that a step changes."""
    return [
        slot
        for slot, symbol in enumerate(kernel.following)
        if (node := symbol.node).operation != "input" or (node.source, node.slot) != (STATE, slot)
    ]


def sections(kernel: Iterated) -> tuple[Section, Section, Section]:
    """What is computed for the size; then for the results; or else for the step."""
    first = section(kernel.graph, [kernel.size])
    finish = section(kernel.graph, [kernel.sound, *kernel.results], first.order)
    following = [kernel.following[slot] for slot in moving(kernel)]
    step = section(kernel.graph, [kernel.moved, *following], first.order)
    return first, finish, step
