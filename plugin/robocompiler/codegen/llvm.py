"""Kernels as LLVM's assembly.

A state has the same bits whether it is computed alone, beside others, or among those that do not
fill a register: what is done to each lane is the same, and nothing is reordered.
"""

from __future__ import annotations

from collections.abc import Sequence

from robocompiler.codegen.kernels import Continued, Kernel
from robocompiler.codegen.llvm_loops import write_function
from robocompiler.codegen.llvm_rest import write_alone, write_whole
from robocompiler.codegen.llvm_text import declarations

VERSION = 1
"""Of what is written here: raise it with every change of it, so that no older object is used."""


def llvm_assembly(kernels: Sequence[Kernel], lanes: int, fused: bool) -> str:
    """A module with a function of each kernel, of its name.

    Args:
        kernels: of different names.
        lanes: how many states are computed at once, a power of 2.
        fused: whether the processor multiplies and adds with one rounding.
    """
    parts = [declarations(lanes)]
    for kernel in kernels:
        if isinstance(kernel, Continued):
            raise NotImplementedError
        parts.append(write_function(kernel, f"{kernel.name}.full", lanes, fused))
        parts.append(write_alone(kernel) if lanes == 1 else write_whole(kernel, lanes))
    return "\n".join(parts) + "\n"
