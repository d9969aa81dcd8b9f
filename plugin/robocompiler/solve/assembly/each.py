"""A mechanism assembled at each of a table of values, none depending on the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.errors import MechanismError, SampleError, SeveralFaultsError, raise_all
from robocompiler.model.configuration import Configuration
from robocompiler.solve.assembly.assemble import assemble, put_loop_free
from robocompiler.solve.assembly.bringing import Brought, branch_faults, bring, excess_faults
from robocompiler.solve.assembly.carrying import carry_samples, chord_samples, keeping
from robocompiler.solve.assembly.samples import Samples
from robocompiler.solve.continuation.holding import held_place
from robocompiler.solve.continuation.tracking import Place
from robocompiler.solve.describe import coordinates, distance
from robocompiler.solve.system import System, systems_of
from robocompiler.solve.values import Numbers, Tables, read_tables
from robocompiler.spatial import Array

REGULAR = 1e-3
"""Share of the dependent block's singular values below which no other sample is reached by way of
this one: at a change point the branch is told by the way one comes."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Assemblies(Samples):
    """A mechanism at each of a table of values. What was not reached is NaN."""

    reached: Array
    """Which samples were, shape (samples,)."""
    failures: tuple[SampleError, ...]
    """Why the others were not."""


def assemble_each(
    compiled: CompiledMechanism,
    tables: Tables,
    *,
    near: Configuration | None = None,
    partial: bool = False,
) -> Assemblies:
    """Bring joints to each of a table of values, every time from the same start.

    So a sample is what `assemble` makes of it alone, on the branch of the start, whatever the
    order and whichever other samples there are. Where a module has one freedom, samples are
    reached by way of others that lie between them and the start, which is the same way.

    Args:
        compiled: the mechanism.
        tables: for each joint its values [m, rad, quaternion], shape (samples,) or (samples, its
            coordinates); of cut joints too.
        near: the start; assembled as drawn where None. Turns of cut joints are counted from it.
        partial: whether samples out of reach are left NaN, with their errors in
            `Assemblies.failures`, instead of all those errors being raised.

    Raises:
        SampleError: samples that cannot be reached, all of them at once.
        SingularError: as `assemble`, of the start.
        OverdeterminedError, KeptError, UnknownNameError, BadValueError: as `assemble`.
    """
    asked = keeping(compiled, tables)
    if asked is not compiled:
        start = assemble(compiled, near=near)
        return _carried(compiled, assemble_each(asked, tables, near=start, partial=partial))
    read = read_tables(compiled, tables, "Values of each sample")
    began = assemble(compiled, near=near)
    start_q = coordinates(compiled, began)
    count = len(next(iter(read.values())))
    q, faults = np.tile(start_q, (count, 1)), [list[MechanismError]() for _ in range(count)]
    known = dict(began.values)
    chords = {name: np.tile(values, (count, 1)) for name, values in began.values}
    for system in systems_of(compiled):
        own = {name: table for name, table in read.items() if system.speeds_of(name)}
        found = _brought(system, system.of(start_q), own, known) if own else ()
        for i, brought in enumerate(found):
            q[i] = system.into(q[i], brought.q)
            faults[i] += brought.faults
            for name, values in brought.chords.items():
                chords[name][i] = values
    for i in range(count):
        q[i] = put_loop_free(compiled, q[i], _values(read, i), {}, faults[i], [])
    failures = tuple(
        SampleError(i, count, own[0] if len(own) == 1 else SeveralFaultsError(own))
        for i, own in enumerate(faults)
        if own
    )
    if not partial:
        raise_all(failures)
    q[[failure.sample for failure in failures]] = np.nan
    return Assemblies(
        compiled=compiled,
        q=q,
        chords=chord_samples(compiled, q, chords),
        reached=np.array([not own for own in faults]),
        failures=failures,
    )


def _carried(compiled: CompiledMechanism, found: Assemblies) -> Assemblies:
    """The same as another compilation has it."""
    q, chords = carry_samples(compiled, {n: found.table(n) for n in found.compiled.joints})
    return replace(found, compiled=compiled, q=q, chords=chords)


def _values(tables: Mapping[str, Array], sample: int) -> Numbers:
    return {name: tuple(table[sample].tolist()) for name, table in tables.items()}


def _brought(
    system: System,
    start: Array,
    tables: Mapping[str, Array],
    known: Mapping[str, tuple[float, ...]],
) -> Sequence[Brought]:
    """A module at each sample, in their order; `known` has the cut joints at the start."""
    leaving = {name: _furthest(system, start, name, table) for name, table in tables.items()}
    raise_all(branch_faults(system, start, leaving))
    place = held_place(system, start, list(tables))
    raise_all(excess_faults(system, place, list(tables)))
    count = len(next(iter(tables.values())))
    found: dict[int, Brought] = {}
    for way in _ways(system, place, tables) or [[i] for i in range(count)]:
        base, near = start, known
        for i in way:
            found[i] = bring(system, base, start, _values(tables, i), {}, near)
            if not found[i].faults and _is_regular(system, place, found[i].q):
                base, near = found[i].q, found[i].chords
    return [found[i] for i in range(count)]


def _furthest(system: System, start: Array, name: str, table: Array) -> tuple[float, ...]:
    """Of a joint's values the one furthest from where it stands."""
    own = system.compiled.tree_joint(name)
    far = [distance(own.edge.joint, start[own.q], values) for values in table]
    return tuple(table[int(np.argmax(far))].tolist())


def _ways(system: System, place: Place, tables: Mapping[str, Array]) -> list[list[int]]:
    """Where a module has one freedom, the samples ahead of the start and those behind, each from
    the nearest to the furthest; otherwise none.
    """
    if len(place.hold.held) != 1:
        return []
    ((name, table),) = tables.items()
    own = system.compiled.tree_joint(name)
    away = table[:, 0] - float(place.point.q[own.q.start])
    order = np.argsort(np.abs(away), kind="stable")
    return [[int(i) for i in order if away[i] >= 0.0], [int(i) for i in order if away[i] < 0.0]]


def _is_regular(system: System, place: Place, q: Array) -> bool:
    """Whether a driver determines the rest of its module well at q."""
    block = place.hold.rows.T @ system.linear(q)[1][:, list(place.hold.free)]
    s = np.linalg.svd(block, compute_uv=False)
    return not s.size or bool(s[-1] > REGULAR * s[0])
