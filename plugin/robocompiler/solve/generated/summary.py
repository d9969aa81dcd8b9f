"""What generated code is, as plain data."""

from __future__ import annotations

from typing import Any

from robocompiler.codegen.kernels import Iterated
from robocompiler.solve.generated.code import Code


def summary_of(code: Code) -> dict[str, Any]:
    """What it runs as, and each type of module with its operations."""
    return {
        "emitter": code.emitter.name,
        "types": [_type(code, kind) for kind in range(len(code.layout.types))],
    }


def _type(code: Code, kind: int) -> dict[str, Any]:
    own, kernel = code.layout.types[kind], code.kernel(kind, "correct")
    if not isinstance(kernel, Iterated):
        raise TypeError(f"'{kernel.name}' is iterated")
    step = (kernel.size, kernel.moved, *kernel.following)
    return {
        "name": own.first.name,
        "modules": [plan.name for plan in own.plans],
        "parameters": len(own.varying),
        "operations": kernel.graph.operations(step),
        "operations_with_lift": kernel.graph.operations((*step, *kernel.results)),
    }
