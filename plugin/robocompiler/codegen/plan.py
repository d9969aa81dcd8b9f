"""What every emitter asks of a kernel: its table's parts, what moves, what is computed where."""

from __future__ import annotations

from dataclasses import dataclass

from robocompiler.codegen.expressions import Language, Writer, section
from robocompiler.codegen.kernels import (
    RESULTS,
    STATE,
    TARGETS,
    Continued,
    Iterated,
    Kernel,
    Straight,
)

SOURCES = {STATE: "x", RESULTS: "y", TARGETS: "target"}
"""What variables of inputs are called."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """How many entries a line of a kernel's table has, and of what."""

    kind: str
    """`straight`, `iterated` or `continued`."""
    inputs: int
    results: int
    targets: int = 0

    @property
    def width(self) -> int:
        """How many there are."""
        return self.inputs + self.results + self.targets

    @property
    def ends(self) -> tuple[int, int]:
        """Where inputs end and results begin; where those end and targets begin."""
        return self.inputs, self.inputs + self.results


def outline(kernel: Kernel) -> Outline:
    """Of a kernel."""
    inner = plain(kernel)
    kind = "iterated" if isinstance(inner, Iterated) else "straight"
    targets = 0
    if isinstance(kernel, Continued):
        kind, targets = "continued", kernel.targets
    return Outline(kind=kind, inputs=inner.inputs, results=len(inner.results), targets=targets)


def plain(kernel: Kernel) -> Straight | Iterated:
    """A kernel without its predictions."""
    return kernel.iterated if isinstance(kernel, Continued) else kernel


def moving(kernel: Iterated) -> list[int]:
    """The slots that a step changes."""
    return [
        slot
        for slot, symbol in enumerate(kernel.following)
        if (node := symbol.node).operation != "input" or (node.source, node.slot) != (STATE, slot)
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A turn of an iteration as text: how far from done it is, then one of two."""

    size: Writer
    done: Writer
    """Whether it is sound, and the results."""
    further: Writer
    """The step."""
    shared: list[str]
    """Variables of the first that the others use."""


def write_turn(kernel: Iterated, language: Language) -> Turn:
    """Write what a turn computes."""
    following = [kernel.following[slot] for slot in moving(kernel)]
    first = section(kernel.graph, [kernel.size])
    finish = section(kernel.graph, [kernel.sound, *kernel.results], first.order)
    step = section(kernel.graph, [kernel.moved, *following], first.order)
    size = Writer(kernel.graph, language)
    size.write(first, [finish, step])
    done, further = size.after(), size.after()
    done.write(finish)
    further.write(step)
    shared = size.variables(first, [finish, step])
    return Turn(size=size, done=done, further=further, shared=shared)
