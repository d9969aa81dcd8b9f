"""Which processor code is generated for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

_WIDE = {8: {"avx512f", "avx512dq", "avx512vl"}, 4: {"avx"}}
"""How many lanes there are where a processor has some features; two otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A processor as LLVM knows it."""

    triple: str
    """Instruction set, vendor, operating system."""
    processor: str
    features: str
    """What it has and has not, such as `+avx,-avx512f`."""
    lanes: int
    """How many numbers its registers hold."""
    fused: bool
    """Whether it multiplies and adds with one rounding."""


@cache
def available() -> bool:
    """Whether code can be generated: whether there is llvmlite, and it can be imported."""
    try:
        import llvmlite.binding  # noqa: F401
    except (ImportError, OSError):
        return False
    return True


@cache
def this_machine() -> Target:
    """The processor that this runs on."""
    import llvmlite.binding as llvm

    triple, features = llvm.get_process_triple(), llvm.get_host_cpu_features()
    present = {name for name, there in features.items() if there}
    return Target(
        triple=triple,
        processor=llvm.get_host_cpu_name(),
        features=features.flatten(),
        lanes=next((lanes for lanes, needed in _WIDE.items() if needed <= present), 2),
        fused="fma" in present or triple.startswith(("aarch64", "arm64")),
    )
