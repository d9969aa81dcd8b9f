"""Kernels as LLVM's assembly.

A state has the same bits whether it is computed alone, beside others, or among those that do not
fill a register: what is done to each lane is the same, and nothing is reordered.
"""

from __future__ import annotations

from collections.abc import Sequence

from robocompiler.codegen.kernels import Continued, Kernel
from robocompiler.codegen.llvm import continued, loops, packed
from robocompiler.codegen.llvm.functions import ABREAST
from robocompiler.codegen.llvm.rest import write_alone, write_whole
from robocompiler.codegen.llvm.text import declarations


def llvm_assembly(kernels: Sequence[Kernel], lanes: int, fused: bool) -> str:
    """A module with a function of each kernel, of its name, in the ways of `packed` too.

    Args:
        kernels: of different names.
        lanes: how many states are computed at once, a power of 2. A continued kernel has but one.
        fused: whether the processor multiplies and adds with one rounding.
    """
    parts = [declarations(sorted({1, ABREAST, lanes})), packed.DECLARATIONS]
    for kernel in kernels:
        if isinstance(kernel, Continued):
            parts.append(continued.write_continued(kernel, fused))
            parts.append(packed.write_calls(kernel.name, continued.PARAMETERS))
        else:
            parts.append(loops.write_function(kernel, f"{kernel.name}.full", lanes, fused))
            parts.append(write_alone(kernel) if lanes == 1 else write_whole(kernel, lanes))
            parts.append(packed.write_calls(kernel.name, loops.PARAMETERS))
    return "\n".join(parts) + "\n"
