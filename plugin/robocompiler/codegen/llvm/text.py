"""Lines of LLVM's assembly, for one state or for several in the lanes of a register."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

Parameter = tuple[str, str, str]
"""Of a function: type, name and attributes."""


@dataclass(slots=True, eq=False)
class Text:
    """A function that is being written. Every value in it has `lanes` lanes, unless it says not."""

    lanes: int
    fused: bool
    """Whether the processor multiplies and adds with one rounding."""
    lines: list[str] = field(default_factory=list)
    block: str = "entry"
    """The block that is being written."""
    _count: int = 0

    @property
    def real(self) -> str:
        """The type of a number."""
        return self.kind("double")

    @property
    def test(self) -> str:
        """The type of what holds or not."""
        return self.kind("i1")

    def kind(self, element: str) -> str:
        """The type of as many elements as there are lanes."""
        return element if self.lanes == 1 else f"<{self.lanes} x {element}>"

    def constant(self, value: float) -> str:
        """A number, exactly, in every lane."""
        (bits,) = struct.unpack("<Q", struct.pack("<d", value))
        return self._every("double", f"0x{bits:016X}")

    def whole(self, value: int | str, element: str = "i64") -> str:
        """A whole number, or `true` or `false` as `i1`, in every lane."""
        return self._every(element, str(value))

    def name(self) -> str:
        """One that is not used yet."""
        self._count += 1
        return f"%v{self._count}"

    def put(self, text: str) -> str:
        """The name of what an instruction gives."""
        name = self.name()
        self.lines.append(f"  {name} = {text}")
        return name

    def line(self, text: str) -> None:
        """An instruction that gives nothing."""
        self.lines.append("  " + text)

    def label(self, block: str) -> None:
        """Begin a block."""
        self.block = block
        self.lines.append(f"{block}:")

    def real_operation(self, operation: str, a: str, b: str) -> str:
        """Such as `fadd`."""
        return self.put(f"{operation} {self.real} {a}, {b}")

    def both(self, a: str, b: str) -> str:
        """Where two tests hold."""
        return self.put(f"and {self.test} {a}, {b}")

    def unless(self, a: str) -> str:
        """Where a test does not hold."""
        return self.put(f"xor {self.test} {a}, {self.whole('true', 'i1')}")

    def compare(self, relation: str, a: str, b: str) -> str:
        """A test of numbers: `ole` does not hold for NaN, `uge` does."""
        return self.put(f"fcmp {relation} {self.real} {a}, {b}")

    def choose(self, test: str, yes: str, no: str, element: str = "double") -> str:
        """Lane by lane."""
        kind = self.kind(element)
        return self.put(f"select {self.test} {test}, {kind} {yes}, {kind} {no}")

    def call(self, function: str, *arguments: str) -> str:
        """What one of LLVM's own functions gives, such as `sqrt`."""
        lanes = "" if self.lanes == 1 else f"v{self.lanes}"
        given = ", ".join(f"{self.real} {argument}" for argument in arguments)
        return self.put(f"call {self.real} @llvm.{function}.{lanes}f64({given})")

    def multiply_add(self, a: str, b: str, c: str) -> str:
        """a·b + c, with one rounding where the processor can."""
        if self.fused:
            return self.call("fma", a, b, c)
        return self.real_operation("fadd", self.real_operation("fmul", a, b), c)

    def spread(self, value: str, element: str = "double") -> str:
        """One value in every lane."""
        if self.lanes == 1:
            return value
        kind = self.kind(element)
        first = self.put(f"insertelement {kind} poison, {element} {value}, i32 0")
        zeros = f"<{self.lanes} x i32> zeroinitializer"
        return self.put(f"shufflevector {kind} {first}, {kind} poison, {zeros}")

    def anywhere(self, test: str) -> str:
        """Whether it holds in any lane: one bit."""
        if self.lanes == 1:
            return test
        bits = self.put(f"bitcast {self.test} {test} to i{self.lanes}")
        return self.put(f"icmp ne i{self.lanes} {bits}, 0")

    def how_many(self, test: str) -> str:
        """In how many lanes it holds: one i64."""
        if self.lanes == 1:
            return self.put(f"zext i1 {test} to i64")
        bits = self.put(f"bitcast {self.test} {test} to i{self.lanes}")
        wide = self.put(f"zext i{self.lanes} {bits} to i64")
        return self.put(f"call i64 @llvm.ctpop.i64(i64 {wide})")

    def phis(self, place: int, merged: Sequence[tuple[str, str, dict[str, str]]]) -> None:
        """Values that come from several blocks, put in at a line: name, type, value by block."""
        self.lines[place:place] = [
            f"  {name} = phi {kind} "
            + ", ".join(f"[ {value}, %{block} ]" for block, value in origins.items())
            for name, kind, origins in merged
        ]

    def _every(self, element: str, value: str) -> str:
        if self.lanes == 1:
            return value
        return "<" + ", ".join([f"{element} {value}"] * self.lanes) + ">"


def signature(parameters: Sequence[Parameter]) -> str:
    """What stands between the parentheses of a definition."""
    return ", ".join(f"{kind} {also} {name}" for kind, name, also in parameters)


def passed(parameters: Sequence[Parameter]) -> str:
    """What stands between the parentheses of a call that hands them on."""
    return ", ".join(f"{kind} {name}" for kind, name, _ in parameters)


def declarations(several: Iterable[int]) -> str:
    """Of all functions that are called where there are one of several numbers of lanes."""
    lines = [
        "declare i64 @llvm.ctpop.i64(i64)",
        "declare void @llvm.prefetch.p0(ptr, i32, i32, i32)",
        "declare double @robocompiler_atan2(double, double)",
    ]
    for lanes in several:
        kind, name = ("double", "f64") if lanes == 1 else (f"<{lanes} x double>", f"v{lanes}f64")
        lines += [
            f"declare {kind} @llvm.fma.{name}({kind}, {kind}, {kind})",
            f"declare {kind} @llvm.copysign.{name}({kind}, {kind})",
            f"declare {kind} @llvm.sqrt.{name}({kind})",
            f"declare {kind} @llvm.fabs.{name}({kind})",
        ]
    return "\n".join(lines)
