"""A configuration that is kept up to date: only what a changed input touches is solved again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.errors import BadValueError, MechanismError, raise_all
from robocompiler.model.configuration import Configuration
from robocompiler.solve.assembly.assemble import put_loop_free
from robocompiler.solve.assembly.bringing import bring
from robocompiler.solve.describe import coordinates, describe
from robocompiler.solve.system import System, systems_of
from robocompiler.solve.values import Numbers, Values, read_values
from robocompiler.spatial import Array


@dataclass(frozen=True, slots=True, kw_only=True)
class Updated:
    """What one update did."""

    configuration: Configuration
    solved: tuple[str, ...]
    """Names of the modules that were solved."""
    skipped: tuple[str, ...]
    """Names of those whose inputs did not change."""


class Assembled:
    """A committed configuration of a mechanism, and the values its joints were given.

    `update` solves the modules whose inputs changed and commits when all of them succeed: a
    failure changes nothing.
    """

    def __init__(self, compiled: CompiledMechanism, configuration: Configuration) -> None:
        self.compiled = compiled
        self._configuration = configuration
        self._q = coordinates(compiled, configuration)
        self._systems = systems_of(compiled)
        self._asked: Numbers = {}

    @property
    def configuration(self) -> Configuration:
        """As last committed."""
        return self._configuration

    @property
    def q(self) -> Array:
        """Its tree coordinates, shape (nq,)."""
        return np.array(self._q)

    def update(self, values: Values) -> Updated:
        """Give joints new values; those given before and not now keep theirs.

        Raises:
            BadValueError: a `Want`: an update keeps what it is given.
            MechanismError: as `assemble`; what was committed stays.
        """
        must, want = read_values(self.compiled, values)
        if want:
            name = next(iter(want))
            raise BadValueError("Values to update", name, "a want", "a value to be met")
        asked = {**self._asked, **must}
        q, solved, faults = np.array(self._q), list[str](), list[MechanismError]()
        for system in self._systems:
            own = {name: asked[name] for name in asked if system.speeds_of(name)}
            if not self._changed(system, own):
                continue
            start = system.of(q)
            brought = bring(system, start, start, own, {})
            faults += brought.faults
            q = system.into(q, brought.q)
            solved.append(system.module.name)
        q = put_loop_free(self.compiled, q, must, {}, faults, [])
        raise_all(faults)
        drawn = {g.closure: (g.drawn_gap, g.drawn_angle) for g in self._configuration.gaps}
        drawn = {c.name: drawn.get(c.name, (0.0, 0.0)) for c in self.compiled.closures}
        configuration = describe(self.compiled, q, drawn)
        self._configuration, self._q, self._asked = configuration, q, asked
        names = [system.module.name for system in self._systems]
        skipped = tuple(name for name in names if name not in solved)
        return Updated(configuration=configuration, solved=tuple(solved), skipped=skipped)

    def _changed(self, system: System, own: Numbers) -> bool:
        """Whether any joint of a module is asked to be elsewhere than it is."""
        q = system.of(self._q)
        return any(
            not np.array_equal(q[t.q], own[t.edge.joint.name])
            for t in system.compiled.tree
            if t.edge.joint.name in own
        )
