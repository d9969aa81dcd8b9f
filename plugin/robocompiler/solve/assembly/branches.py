"""The ways a mechanism can be assembled with some joints at given values."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.compiler.elimination import followed
from robocompiler.errors import BadValueError, MechanismError, raise_all
from robocompiler.model.configuration import Configuration
from robocompiler.solve.assembly.assemble import assemble, put_loop_free
from robocompiler.solve.assembly.branch_search import Found, search
from robocompiler.solve.assembly.carrying import carry_over, keeping
from robocompiler.solve.describe import coordinates, describe
from robocompiler.solve.system import systems_of
from robocompiler.solve.values import Values, read_values
from robocompiler.spatial import Array

Progress = Callable[[int, int], None]

MOST = 4096
"""So many combinations of the modules' assemblies are given at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Branches:
    """Assemblies of a mechanism."""

    configurations: tuple[Configuration, ...]
    """Those found, the one on the drawn branch first where the values are in its reach."""
    starts: int
    """How many starts were tried."""
    converged: int
    """How many of them closed, those counted that ended on an assembly found before."""
    beyond_limits: int
    """Assemblies found that no limit of a joint allows, and that are left out."""
    complete: bool
    """Whether these are all there are: claimed only where a closed form says how many."""
    held: tuple[str, ...]
    """Independent joints, held at their values or where they stand."""
    tried: str
    """What was tried, in words."""


def branches(
    compiled: CompiledMechanism,
    values: Values | None = None,
    *,
    starts: int = 256,
    progress: Progress | None = None,
) -> Branches:
    """Find assemblies with the independent joints at their values.

    Every module by itself: damped Newton from many starts of the dependent joints at once, spread
    by Kronecker's sequence of the generalized golden ratio, and from each assembly found with its
    joints mirrored, at most 4096 more. The same starts on every call.

    Args:
        compiled: the mechanism.
        values: coordinates of joints [m, rad, quaternion], by name; other independent joints stay
            where they are as drawn.
        starts: how many starts for each module.
        progress: told how many modules of how many are done.

    Raises:
        OverdeterminedError: more values than the loops have freedoms.
        UnreachableError: a value of a joint on no loop that is outside its limits.
        UnknownNameError, BadValueError: as `assemble`, or a number of starts that is none.
    """
    if not isinstance(starts, int) or starts < 1:
        raise BadValueError("branches", "starts", str(starts), "a whole number, 1 or more")
    wanted = keeping(compiled, values or {})
    if wanted is not compiled:
        other = branches(wanted, values, starts=starts, progress=progress)
        carried = tuple(carry_over(compiled, own) for own in other.configurations)
        return replace(other, configurations=carried)
    must, want = read_values(compiled, values or {})
    asked = {**want, **must}
    drawn = coordinates(compiled, assemble(compiled))
    faults = list[MechanismError]()
    q = put_loop_free(compiled, drawn, must, want, faults, [])
    raise_all(faults)
    for tree_joint in (compiled.tree[i] for m in compiled.modules for i in m.joints):
        if tree_joint.edge.joint.name in asked:
            q[tree_joint.q] = asked[tree_joint.edge.joint.name]
    q = followed(compiled, q)
    found = list[Found]()
    for s in systems_of(compiled):
        found.append(search(s, s.of(drawn), s.of(q), asked, starts))
        if progress is not None:
            progress(len(found), len(compiled.modules))
    return Branches(
        configurations=_combined(compiled, q, found),
        starts=sum(f.starts for f in found),
        converged=sum(f.converged for f in found),
        beyond_limits=sum(f.beyond for f in found),
        complete=_ways(found) <= MOST and all(f.complete for f in found),
        held=tuple(dict.fromkeys(name for f in found for name in f.held)),
        tried=_said(found),
    )


def _combined(
    compiled: CompiledMechanism, q: Array, found: Sequence[Found]
) -> tuple[Configuration, ...]:
    """The first `MOST` combinations of the modules' assemblies, what is on no loop as at q.

    Modules share no joint: what an assembly of one looks like is found once for all combinations.
    """
    base = _described(compiled, q)
    own = [[_described(f.system.compiled, at) for at in f.assemblies] for f in found]
    looped = {compiled.tree[i].edge.joint.name for m in compiled.modules for i in m.joints}
    order = {t.edge.joint.name: i for i, t in enumerate(compiled.tree)}
    still = [entry for entry in base.moved if entry[0] not in looped]
    configurations = list[Configuration]()
    for choice in itertools.islice(itertools.product(*own), MOST):
        values = {entry[0]: entry for part in (base, *choice) for entry in part.values}
        gaps = {gap.closure: gap for part in choice for gap in part.gaps}
        moved = itertools.chain(still, *(part.moved for part in choice))
        configurations.append(
            Configuration(
                values=tuple(values[name] for name, _ in base.values),
                gaps=tuple(gaps[closure.name] for closure in compiled.closures),
                moved=tuple(sorted(moved, key=lambda entry: order[entry[0]])),
            )
        )
    return tuple(configurations)


def _described(compiled: CompiledMechanism, q: Array) -> Configuration:
    return describe(compiled, q, {c.name: (0.0, 0.0) for c in compiled.closures})


def _said(found: Sequence[Found]) -> str:
    lines = [
        f"loop '{f.system.module.name}': {f.starts} starts, {f.converged} closed, "
        f"{len(f.assemblies)} assemblies"
        + (f", {f.beyond} more beyond limits" if f.beyond else "")
        + (", which are all" if f.complete else ", there may be more")
        for f in found
    ]
    if _ways(found) > MOST:
        lines.append(f"of their {_ways(found):.6g} combinations only {MOST} are given")
    return "; ".join(lines)


def _ways(found: Sequence[Found]) -> int:
    """In how many ways the modules' assemblies combine."""
    return math.prod(len(f.assemblies) for f in found)
