"""The rows of `dynamics.py`: calls, batches and chains, each beside its peers."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from accuracy_figures import mujoco_peer, pinocchio_peer
from figure import Figure, at_least, at_most, shown, skipped
from generated_figures.alone import measured
from timing import interleaved

import robocompiler as rc
from dynamics_figures.cases import (
    SIZES,
    Call,
    Case,
    MuJoCoAt,
    PinocchioAt,
    chain_case,
    stewart_case,
)
from robocompiler.compiler.steps import step

EXACT = 1e-12
"""δ_a of what is timed, at most."""
OFF = 0.01
"""How far [m, rad] dependent coordinates are off where closing takes steps."""
FORWARD = {
    "constraintDynamics": ("constraintDynamics", 0.0, 1, 0.2, "0.10"),
    "lcaba, mu 1e-6": ("lcaba", 1e-6, 10, 0.25, "0.13"),
}
"""Function of Pinocchio, its mu and iterations; what ours is to take of its time, and the
prototype's. Without mu `constraintDynamics` is fastest, where no row is redundant."""
STATES = 4096
MODULES = (8, 16, 32, 64, 128, 256)
PEERS = 64
"""Modules, at most, that Pinocchio is given: its memory grows with the cube of the coordinates."""
CHAIN = {
    "lcaba": ("lcaba", 1e-6, 10, 0.25, "0.125"),
    "constraintDynamics": ("constraintDynamics", 1e-12, 2, 0.02, "0.007"),
}
MEGABYTES = 100.0


def missing() -> str | None:
    """Why peers cannot be measured, if they cannot."""
    return pinocchio_peer.missing() or mujoco_peer.missing()


def calls() -> Iterator[Figure]:
    """The platform by one call: closed, lifted and accelerated, or the efforts that it takes."""
    for name in SIZES:
        if reason := missing():
            yield skipped(f"{name}, forward dynamics", reason)
            continue
        yield from _calls(name, stewart_case(name))


def _calls(name: str, own: Case) -> Iterator[Figure]:
    pinocchio, soft = PinocchioAt(own), MuJoCoAt(own)
    rigid = {title: pinocchio.call(*row[:3]) for title, row in FORWARD.items()}
    yield at_most(f"{name}, forward: delta_a", own.error(), EXACT, "fifty digits")
    yield at_most(f"{name}, inverse: efforts off", own.inverse_error(), EXACT, "fifty digits")
    own.set()
    candidates: dict[str, Call] = {title: call for title, (call, _) in rigid.items()}
    candidates |= {"mj_forward": soft.forward(), "mj_forward, set": soft.from_arrays()}
    candidates |= {"mj_inverse": soft.inverse(), "rnea": pinocchio.inverse()}
    ours = {"bound": own.bound.forward, "arrays": own.arrays(), "inverse": own.bound.inverse}
    times = interleaved({**candidates, **ours, "off": _off(own)})
    title = f"{name}, forward, bound call over"
    for peer, (_, _, _, most, prototype) in FORWARD.items():
        said = f"{1e6 * times[peer]:.1f} us, delta_a {rigid[peer][1]:.1e}; prototype {prototype}"
        yield at_most(f"{title} {peer}", times["bound"] / times[peer], most, said)
    said = f"{1e6 * times['mj_forward']:.1f} us, delta_a {soft.error:.1e}; prototype 0.15"
    yield at_most(f"{title} mj_forward alone", times["bound"] / times["mj_forward"], 0.25, said)
    title = f"{name}, forward, arrays in and out over"
    ratio = times["arrays"] / times["constraintDynamics"]
    yield at_most(f"{title} constraintDynamics", ratio, 0.4, "prototype 0.23")
    ratio = times["arrays"] / times["mj_forward, set"]
    yield shown(
        f"{title} mj_forward, arrays set", ratio, f"{1e6 * times['mj_forward, set']:.1f} us"
    )
    title = f"{name}, forward, loops {OFF} off at first, over"
    yield shown(f"{title} constraintDynamics", times["off"] / times["constraintDynamics"], "")
    for peer, what in (("mj_inverse", "soft loops"), ("rnea", "no loops")):
        ratio, said = times["inverse"] / times[peer], f"{1e6 * times[peer]:.1f} us; {what}"
        yield shown(f"{name}, inverse, bound call over {peer}", ratio, said)
    for what, call in (("bound", "forward, bound call"), ("arrays", "forward, arrays in and out")):
        yield shown(f"{name}, {call} [us]", 1e6 * times[what], own.bound.bound.emitter)
    yield shown(f"{name}, inverse, bound call [us]", 1e6 * times["inverse"], "")
    _refuse_help(own.bound)


def _off(own: Case) -> Call:
    """From a start of which loops are open."""
    bound, compiled = own.bound, own.compiled
    dependent = list(bound.bound.code.layout.partition.dependent)
    delta = np.zeros((1, compiled.nv))
    delta[:, dependent] = np.random.default_rng(1).uniform(-OFF, OFF, len(dependent))
    start, q = step(compiled, own.q[:1], delta)[0], bound.q

    def call() -> None:
        q[:] = start
        bound.forward()

    return call


def _refuse_help(*bounds: rc.BoundDynamics) -> None:
    if any(bound.bound.recovered for bound in bounds):
        raise RuntimeError("the reference had to help")


def batch() -> Iterator[Figure]:
    """Many states of the platform, one thread, written into the buffers first."""
    title = f"Stewart, 24 coordinates, batch of {STATES}"
    if reason := mujoco_peer.missing():
        yield skipped(title, reason)
        return
    own = stewart_case("Stewart, 24 coordinates")
    many = own.bound.batch(STATES)
    given = [np.tile(x, (STATES // len(x), 1)).T.copy() for x in (own.q, own.v, own.efforts)]

    def called(run: Callable[[], None]) -> Call:
        def call() -> None:
            many.q[:], many.v[:], many.efforts[:] = given
            run()

        return call

    stepped, accelerated = MuJoCoAt(own).many(STATES)
    candidates = {"forward": called(many.forward), "inverse": called(many.inverse)}
    times = interleaved({**candidates, "step": stepped, "mujoco": accelerated}, rounds=30)
    each = {name: 1e6 * seconds / STATES for name, seconds in times.items()}
    said = f"{each['step']:.2f} us; prototype 28"
    name = f"{title}: a step of mujoco.batch over forward dynamics"
    yield at_least(name, each["step"] / each["forward"], 15.0, said)
    said = f"{each['mujoco']:.2f} us"
    name = f"{title}: its accelerations alone over forward dynamics"
    yield shown(name, each["mujoco"] / each["forward"], said)
    for name in candidates:
        yield shown(f"{title}, {name}, a state [us]", each[name], own.bound.bound.emitter)
    _refuse_help(many)


def chain() -> Iterator[Figure]:
    """Four-bars in a row: how time grows with them, and peers up to where they have memory."""
    cases = {modules: chain_case(modules) for modules in MODULES}
    for own in cases.values():
        own.set()
    for what in ("forward", "inverse"):
        candidates = {str(modules): getattr(own.bound, what) for modules, own in cases.items()}
        times = interleaved(candidates, rounds=30)
        each = [1e6 * times[str(modules)] / modules for modules in MODULES]
        title = f"Chain of {MODULES[0]} to {MODULES[-1]} four-bars, {what}"
        said = ", ".join(f"{modules}: {us:.3f}" for modules, us in zip(MODULES, each, strict=True))
        name = f"{title}: a module's longest time over its shortest"
        yield at_most(name, max(each) / min(each), 2.0, f"{said} us a module")
    _refuse_help(*(own.bound for own in cases.values()))
    if reason := missing():
        yield skipped(f"Chain of {PEERS}, forward, over Pinocchio", reason)
        return
    yield from _beside(cases[PEERS])


def _beside(own: Case) -> Iterator[Figure]:
    title, pinocchio, soft = f"Chain of {PEERS}, forward", PinocchioAt(own), MuJoCoAt(own)
    rigid = {peer: pinocchio.call(*row[:3]) for peer, row in CHAIN.items()}
    error = own.error()
    yield at_most(f"{title}: delta_a over lcaba's", error / rigid["lcaba"][1], 1.0, f"{error:.1e}")
    own.set()
    candidates: dict[str, Call] = {peer: call for peer, (call, _) in rigid.items()}
    ours = {"bound": own.bound.forward, "inverse": own.bound.inverse}
    others = {"rnea": pinocchio.inverse(), "mj_forward": soft.forward()}
    times = interleaved({**candidates, **ours, **others}, rounds=20)
    for peer, (_, _, _, most, prototype) in CHAIN.items():
        said = f"{1e6 * times[peer]:.0f} us, delta_a {rigid[peer][1]:.1e}; prototype {prototype}"
        yield at_most(f"{title}, bound call over {peer}", times["bound"] / times[peer], most, said)
    said = f"{1e6 * times['mj_forward']:.0f} us, delta_a {soft.error:.1e}"
    yield shown(f"{title}, bound call over mj_forward", times["bound"] / times["mj_forward"], said)
    ratio, said = times["inverse"] / times["rnea"], f"{1e6 * times['rnea']:.0f} us; no loops"
    yield shown(f"Chain of {PEERS}, inverse, bound call over rnea", ratio, said)
    yield shown(f"{title}, bound call [us]", 1e6 * times["bound"], own.bound.bound.emitter)


def memory() -> Iterator[Figure]:
    """Peak memory of fresh processes, forward and inverse."""
    title = f"Chain of {MODULES[-1]}: peak memory, dynamics bound and run, over compiled [MB]"
    grown = measured("chain-dynamics") - measured("chain")
    yield at_most(title, grown, MEGABYTES, "fresh processes")
    grown = measured("stewart-dynamics") - measured("stewart")
    title = "Stewart: peak memory, dynamics bound and run, over compiled [MB]"
    yield shown(title, grown, "fresh processes")
