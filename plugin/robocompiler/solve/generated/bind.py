"""From a compiled mechanism to its generated code."""

from __future__ import annotations

from collections.abc import Sequence

from robocompiler.codegen.emitters import emitter_named
from robocompiler.compiler.block_types import block_types
from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.errors import BadValueError
from robocompiler.model.configuration import Configuration
from robocompiler.parameters import positive
from robocompiler.solve.assembly.assemble import assemble
from robocompiler.solve.continuation.constants import MISFIT
from robocompiler.solve.describe import coordinates
from robocompiler.solve.generated.bound import Bound
from robocompiler.solve.generated.code import Code
from robocompiler.solve.generated.layout import Layout
from robocompiler.solve.generated.plans import block_plans
from robocompiler.solve.generated.recovery import refuse_open
from robocompiler.solve.generated.settings import TOLERANCE
from robocompiler.solve.reduction.partition import choose_partition


def bind(
    compiled: CompiledMechanism,
    *,
    near: Configuration | None = None,
    independent: Sequence[str] = (),
    tolerance: float = TOLERANCE,
    emitter: str | None = None,
) -> Bound:
    """The mechanism's generated code, bound to buffers.

    Args:
        compiled: the mechanism.
        near: where it starts, and where pivots are chosen; assembled as drawn where None.
        independent: joints, or single speeds, that drive the others, completed as `reduce` does.
        tolerance: root sum of squares of a module's rows [rad, m over its size] that is closed; at
            most what rounded geometry may leave of one.
        emitter: `machine` or `python`; None for machine code where `llvmlite` is installed.

    Raises:
        UnknownNameError, PartitionError: independent joints that cannot work, as `reduce`.
        BadValueError: a tolerance that is none or too large, or an emitter that is not there.
        NotClosedError: it is not closed where it is to start.
        GenerationError: no code can be generated.
        ClosureError and others: as `assemble`.
    """
    chosen = emitter_named(emitter)
    allowed = positive("Bound code", "tolerance", tolerance)
    if allowed > MISFIT:  # what is open would be taken for closed
        raise BadValueError("Bound code", "tolerance", f"{allowed:g}", f"at most {MISFIT:g}")
    q = coordinates(compiled, assemble(compiled) if near is None else near)
    partition = choose_partition(compiled, q, tuple(independent))
    plans = block_plans(compiled, q, partition)
    for plan in plans:
        if not plan.misfit <= MISFIT:
            refuse_open(plan, plan.q)
    types = block_types(plans)
    return Bound(Code(Layout(compiled, partition, types), chosen), q, allowed, None, 1)
