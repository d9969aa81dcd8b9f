"""The steps of an iterated kernel as LLVM's assembly: lanes that are done wait for the others."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from robocompiler.codegen.kernels import NOT_CONTRACTING, STATE, TOO_MANY, UNSOUND, Iterated
from robocompiler.codegen.llvm.nodes import Scope, scope
from robocompiler.codegen.llvm.text import Text
from robocompiler.codegen.plan import moving


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What settings are called, in every lane; `most` in one."""

    tolerance: str
    contraction: str
    noise: str
    longest: str
    most: str
    whole: str | None = None
    """What all steps together may be, where that is limited."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Finished:
    """Where no lane is active any more, as the block is called that is begun."""

    scope: Scope
    """All that `size` needs is known in it."""
    inputs: tuple[str, ...]
    """What the input slots are: of lanes that fail, not what they were."""
    status: str
    """How many steps, or a failure; what it is does not mind whether it is sound."""


@dataclass(slots=True, kw_only=True, eq=False)
class _Turn:
    """What one turn has when it begins, and what it gives the next."""

    steps: str
    last: str
    total: str
    active: str
    status: str
    inputs: dict[int, str]
    """Of slots that move."""


def write_steps(text: Text, kernel: Iterated, inputs: Sequence[str], limits: Limits) -> Finished:
    """Write turns from the end of the present block on, up to the beginning of `finish`."""
    before = text.block
    text.line("br label %turn")
    text.label("turn")
    place = len(text.lines)
    turn = _begun(text, kernel)
    values = [turn.inputs.get(slot, name) for slot, name in enumerate(inputs)]
    known = scope(text, kernel.graph, {STATE: values})
    known.compute(
        [kernel.size], later=(kernel.moved, *kernel.following, *kernel.results, kernel.sound)
    )
    left, done_status = _write_check(text, known.real(kernel.size.index), turn, limits)
    checked = text.block
    text.label("step")
    following = _write_step(known.within(), kernel, turn, left, done_status, limits)
    text.phis(place, _merged(text, turn, following, {before: inputs}, moving(kernel)))
    text.label("finish")
    status = text.name()
    ends = {checked: done_status, "step": following.status}
    text.phis(len(text.lines), [(status, text.kind("i32"), ends)])
    return Finished(scope=known.within(), inputs=tuple(values), status=status)


def write_soundness(kernel: Iterated, finished: Finished) -> tuple[str, str]:
    """Write the results, and give the status, and a test of where they can be relied upon."""
    text, known = finished.scope.text, finished.scope
    known.compute([*kernel.results, kernel.sound])
    zero = text.whole(0, "i32")
    done = text.put(f"icmp sge {text.kind('i32')} {finished.status}, {zero}")
    good = text.both(done, known.test(kernel.sound.index, "one"))
    unsound = text.choose(done, text.whole(UNSOUND, "i32"), finished.status, "i32")
    return text.choose(good, finished.status, unsound, "i32"), good


def _begun(text: Text, kernel: Iterated) -> _Turn:
    return _Turn(
        steps=text.name(),
        last=text.name(),
        total=text.name(),
        active="true" if text.lanes == 1 else text.name(),
        status=text.name(),
        inputs={slot: text.name() for slot in moving(kernel)},
    )


def _write_check(text: Text, size: str, turn: _Turn, limits: Limits) -> tuple[str, str]:
    """Write up to `step` who is done: who is left, and the status of all."""
    within = text.compare("ole", size, limits.tolerance)
    now = text.both(turn.active, within)
    steps = text.spread(turn.steps, "i32")
    status = text.choose(now, steps, turn.status, "i32")
    left = text.both(turn.active, text.unless(within))
    count = text.put(f"sitofp i32 {turn.steps} to double")
    fewer = text.put(f"fcmp olt double {count}, {limits.most}")
    again = text.put(f"and i1 {text.anywhere(left)}, {fewer}")
    text.line(f"br i1 {again}, label %step, label %finish")
    return left, status


def _write_step(
    known: Scope, kernel: Iterated, turn: _Turn, left: str, status: str, limits: Limits
) -> _Turn:
    """Write a step of who is left, up to the end of `advance`."""
    text = known.text
    known.compute([kernel.moved, *kernel.following])
    moved = known.real(kernel.moved.index)
    least = text.real_operation("fmul", limits.contraction, turn.last)
    allowed = text.choose(text.compare("ogt", least, limits.noise), least, limits.noise)
    good = text.both(
        text.compare("ole", moved, allowed), text.compare("ole", moved, limits.longest)
    )
    total = text.real_operation("fadd", turn.total, moved)
    if limits.whole is not None:
        good = text.both(good, text.compare("ole", total, limits.whole))
    active = text.both(left, good)
    lost = text.both(left, text.unless(good))
    status = text.choose(lost, text.whole(NOT_CONTRACTING, "i32"), status, "i32")
    text.line(f"br i1 {text.anywhere(active)}, label %advance, label %finish")
    text.label("advance")
    following = {
        slot: _where(text, active, known.real(kernel.following[slot].index), name)
        for slot, name in turn.inputs.items()
    }
    steps = text.put(f"add i32 {turn.steps}, 1")
    text.line("br label %turn")
    return _Turn(
        steps=steps, last=moved, total=total, active=active, status=status, inputs=following
    )


def _where(text: Text, active: str, new: str, old: str) -> str:
    """One lane that is not active does not advance at all."""
    return new if text.lanes == 1 else text.choose(active, new, old)


def _merged(
    text: Text,
    turn: _Turn,
    following: _Turn,
    origin: dict[str, Sequence[str]],
    slots: Sequence[int],
) -> list[tuple[str, str, dict[str, str]]]:
    """What a turn begins with: from where it came before the first, and from the turn before."""
    ((before, inputs),) = origin.items()

    def merged(name: str, kind: str, first: str, then: str) -> tuple[str, str, dict[str, str]]:
        return name, kind, {before: first, "advance": then}

    zero, none = text.constant(0.0), text.whole(TOO_MANY, "i32")
    found = [
        merged(turn.steps, "i32", "0", following.steps),
        merged(turn.last, text.real, text.constant(math.inf), following.last),
        merged(turn.total, text.real, zero, following.total),
        merged(turn.status, text.kind("i32"), none, following.status),
    ]
    if text.lanes > 1:
        ones = text.whole("true", "i1")
        found.append(merged(turn.active, text.test, ones, following.active))
    for slot in slots:
        found.append(merged(turn.inputs[slot], text.real, inputs[slot], following.inputs[slot]))
    return found
