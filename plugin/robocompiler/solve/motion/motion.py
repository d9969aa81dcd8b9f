"""A mechanism along a path."""

from __future__ import annotations

from dataclasses import dataclass

from robocompiler.solve.assembly.samples import Samples
from robocompiler.solve.system import Work


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Motion(Samples):
    """A mechanism along a path."""

    held: tuple[str, ...]
    """Joints that were held where they stood, since the drivers leave them free."""
    misfit: float
    """Largest row left at any sample, lengths over the module's size, from one last evaluation of
    all samples at once."""
    work: Work
    """What it took, that last evaluation aside."""
    crossed: tuple[int, ...] = ()
    """Samples on the way to which a change point was passed straight on: there two branches meet,
    and a real mechanism may take either."""
    elsewhere: tuple[tuple[int, int], ...] = ()
    """Pairs of samples with the same driver values and other joints elsewhere than by whole turns:
    the way there changed the assembly, without a singularity."""
