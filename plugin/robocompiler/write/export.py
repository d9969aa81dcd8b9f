"""What a writer is given: the mechanism where it stands, its meshes, and what is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.model.configuration import Configuration
from robocompiler.solve.describe import coordinates
from robocompiler.solve.state import State, evaluate
from robocompiler.spatial import Array
from robocompiler.write.ledger import Ledger
from robocompiler.write.meshes import WrittenMeshes
from robocompiler.write.options import WriteOptions

ASSEMBLED = "assembled"
"""What the configuration that is written is called, beside those with names of their own."""

SIDECAR = ".mechanism.json"
"""In place of the model's suffix: the mechanism it was made from, beside it."""

LEDGER = ".ledger.json"
"""After the model's whole name: what became of all that the mechanism says."""


@dataclass(frozen=True, eq=False)
class Export:
    """A mechanism on its way into a file."""

    compiled: CompiledMechanism
    """Cut where the format can close."""
    configurations: Mapping[str, Configuration]
    """Where it stands, called `ASSEMBLED`, and then the named ones: all closed."""
    stem: str
    """The model's file without its suffix: what is written beside it begins so."""
    suffix: str
    """With its dot."""
    meshes: WrittenMeshes
    options: WriteOptions
    ledger: Ledger
    """Takes what the format cannot say, or only nearly."""
    names: dict[str, dict[str, str]] = field(default_factory=dict)
    """Takes names that had to change, by kind: from the mechanism's to the file's."""

    @property
    def configuration(self) -> Configuration:
        """Where it stands."""
        return self.configurations[ASSEMBLED]

    @cached_property
    def q(self) -> Array:
        """Its coordinates there."""
        return coordinates(self.compiled, self.configuration)

    @cached_property
    def state(self) -> State:
        """The poses of its bodies there."""
        return evaluate(self.compiled, self.q)

    @property
    def file(self) -> str:
        """The model's file."""
        return self.stem + self.suffix
