"""A mechanism at each of a table of values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.errors import UnknownNameError
from robocompiler.model.configuration import Configuration
from robocompiler.solve.describe import describe
from robocompiler.spatial import Array


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Samples:
    """Where every joint of a mechanism stands at each of some samples."""

    compiled: CompiledMechanism
    q: Array
    """Tree coordinates at every sample, shape (samples, nq)."""
    chords: Mapping[str, Array]
    """Coordinates of each cut joint, turns counted, shape (samples, its coordinates)."""

    def __len__(self) -> int:
        return len(self.q)

    def of(self, joint: str) -> Array:
        """The coordinates of a joint at every sample, (samples,) or (samples, its coordinates)."""
        table = self.table(joint)
        return table[:, 0] if table.shape[1] == 1 else table

    def table(self, joint: str) -> Array:
        """The coordinates of a joint at every sample, (samples, its coordinates)."""
        for tree_joint in self.compiled.tree:
            if tree_joint.edge.joint.name == joint:
                return self.q[:, tree_joint.q]
        if joint not in self.chords:
            raise UnknownNameError("Samples", "joint", joint, self.compiled.joints)
        return self.chords[joint]

    def configuration(self, sample: int) -> Configuration:
        """All joints at one sample, by name."""
        drawn = {c.name: (0.0, 0.0) for c in self.compiled.closures}
        near = {name: tuple(table[sample].tolist()) for name, table in self.chords.items()}
        return describe(self.compiled, self.q[sample], drawn, near=near)
