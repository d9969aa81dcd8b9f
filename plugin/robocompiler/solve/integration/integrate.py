"""Motions from efforts: the reduced system integrated in time, its loops closed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.compiler.ports import Port
from robocompiler.errors import BadValueError
from robocompiler.model.tasks import Task
from robocompiler.parameters import SECONDS, positive
from robocompiler.solve.bound_dynamics.bound import BoundDynamics
from robocompiler.solve.dynamics.gravity import gravity_of
from robocompiler.solve.dynamics.overheld import refuse_overheld
from robocompiler.solve.dynamics.support import Supported, supported
from robocompiler.solve.integration.charts import Binding
from robocompiler.solve.integration.drive import Control, Drive, Efforts, Push
from robocompiler.solve.integration.integrated import Integrated, Ledger
from robocompiler.solve.integration.run import Course, Run, Until
from robocompiler.solve.integration.stepping import METHODS
from robocompiler.solve.integration.work import Meter, Stages
from robocompiler.solve.reduction.checks import check_numbers, read_q
from robocompiler.spatial import Array, Vec3

_HERE = "Integration"
_WHOLE = 1e-6
"""By how much of a step a duration may miss a whole number of them."""


def integrate(
    compiled: CompiledMechanism,
    q: Array,
    u: Array,
    duration: float,
    timestep: float,
    *,
    efforts: Efforts | Control | None = None,
    method: str = "semi-implicit",
    wrenches: Mapping[str, Array | Push] | None = None,
    independent: Sequence[str] = (),
    ports: Sequence[Port] | None = None,
    gravity: Vec3 | None = None,
    support: Sequence[Task] = (),
    samples: int | None = None,
    until: Until | None = None,
    dry_friction: bool = False,
    emitter: str | None = None,
) -> Integrated:
    """The motion that efforts make, from where a mechanism stands closed and how it moves.

    Independent coordinates advance by the method, the others follow them: the loops are closed to
    rounding at every stage. Where these lose their hold on the others, as at a toggle or a dead
    centre, others are made independent (`Integrated.changes`); results stay as they were begun.

    Limits stop nothing: `until` can. Nor is a coordinate's spring minded that has been cut, beyond
    half a turn from where it is slack. Dry friction of joints is left out, and refused where it is
    asked for: it jumps where a joint comes to rest, which steps of a fixed size cannot meet.

    Args:
        compiled: the mechanism.
        q: where it stands closed, shape (nq,).
        u: independent speeds, in the order that `reduce` with these independent ones has, (m,).
        duration: [s], a whole number of steps.
        timestep: [s].
        efforts: of the ports [N or N m], (ports,) or by name; (steps, ports) for each step its own,
            held during it; or a function of time [s] and a `Moment`, asked at every stage, of
            which the semi-implicit method has one: it holds what it is told during the step.
        method: `semi-implicit`, of first order, or `rk4`, of fourth.
        wrenches: see `Conditions`; (6,), (steps, 6) or a function likewise.
        independent: see `bind`.
        ports: see `Conditions`.
        gravity: see `Conditions`.
        support: see `Conditions`; u is then of the mechanism so held.
        samples: how many there are after the first, evenly; None for one after each step.
        until: a function of time and a `Moment`, asked after each step: the motion ends, with a
            sample, where it says so.
        dry_friction: refused.
        emitter: see `bind`.

    Raises:
        StepError: a motion that cannot be carried on, as from where branches meet.
        DivergedError: speeds that nothing has: the timestep is too large.
        BadValueError, UnknownNameError: numbers or names that make no sense.
        NotClosedError, PartitionError, SupportError, MasslessError: as `forward_dynamics`.
    """
    if dry_friction:
        what = "False: it is not integrated, see `integrate`; model it by `damping`"
        raise BadValueError(_HERE, "dry_friction", "True", what)
    q = _single_q(compiled, q)
    course = _course(method, duration, timestep, samples, until)
    held, acting = supported(compiled, tuple(support)), wrenches or {}
    whole = held.coordinates(q)
    given = None if ports is None else tuple(ports)
    binding = Binding(
        compiled=held.compiled,
        ports=given,
        loads=tuple(acting),
        gravity=gravity,
        emitter=emitter,
    )
    dynamics = binding.at(whole, tuple(independent))
    refuse_overheld(held, whole)
    dynamics.v[dynamics.independent_speeds] = _single_u(dynamics, u)
    drive = Drive(dynamics.ports, efforts, acting, course.steps)
    return _integrated(held, binding.with_ports(dynamics.port_records), dynamics, drive, course)


def _integrated(
    held: Supported, binding: Binding, dynamics: BoundDynamics, drive: Drive, course: Course
) -> Integrated:
    """Do it, and put together what came of it."""
    compiled, names = held.compiled, dynamics.independent
    pull = gravity_of(compiled, binding.gravity)
    meter = Meter(compiled, dynamics.port_records, binding.loads, pull)
    widths = (compiled.nq, compiled.nv, len(dynamics.ports), 6 * len(binding.loads))
    stages = Stages(meter, [course.timestep * w for w in METHODS[course.method]], widths)
    first = list(dynamics.bound.code.layout.partition.independent)
    run = Run(held, binding, dynamics, drive, stages, course)
    run.go()
    kept = run.samples
    q, v, v_dot, f = (np.array(own) for own in (kept.q, kept.v, kept.v_dot, kept.efforts))
    return Integrated(
        names=names,
        times=course.timestep * np.array(kept.steps),
        q=q[:, held.q],
        u=v[:, first],
        v=v[:, held.v],
        u_dot=v_dot[:, first],
        v_dot=v_dot[:, held.v],
        efforts=f,
        ledger=_ledger(dynamics.ports, meter, stages, kept.steps, (q, v)),
        changes=tuple(run.changes),
        stopped=run.stopped,
    )


def _ledger(
    ports: tuple[str, ...],
    meter: Meter,
    stages: Stages,
    steps: Sequence[int],
    states: tuple[Array, Array],
) -> Ledger:
    stored, (given, pushed, lost) = meter.energy(*states), stages.work()
    return Ledger(
        port_names=ports,
        kinetic=stored.kinetic,
        gravity=stored.gravity,
        springs=stored.springs,
        ports=given[steps],
        wrenches=pushed[steps],
        dissipated=lost[steps],
    )


def _single_q(compiled: CompiledMechanism, q: Array) -> Array:
    found = read_q(compiled, q, _HERE)
    if found.ndim != 1:
        raise BadValueError(_HERE, "q", f"an array of shape {found.shape}", "a single state")
    return found


def _single_u(dynamics: BoundDynamics, u: Array) -> Array:
    found = np.asarray(u, dtype=float)
    check_numbers(found, dynamics.independent, _HERE, "u")
    if found.ndim != 1:
        raise BadValueError(_HERE, "u", f"an array of shape {found.shape}", "a single state")
    return found


def _course(
    method: str, duration: float, timestep: float, samples: int | None, until: Until | None
) -> Course:
    """How far and how, where that makes sense."""
    if method not in METHODS:
        raise BadValueError(_HERE, "method", str(method), f"one of {', '.join(METHODS)}")
    h = positive(_HERE, "timestep", timestep, SECONDS)
    ratio = positive(_HERE, "duration", duration, SECONDS) / h
    steps = round(ratio) if ratio < 1e12 else 0
    if not steps or abs(ratio - steps) > _WHOLE:
        expected = f"a whole number of timesteps of {h:g} s"
        raise BadValueError(_HERE, "duration", f"{duration:g} s", expected)
    kept = steps if samples is None else samples
    if isinstance(kept, bool) or not isinstance(kept, int) or kept < 1 or steps % kept:
        expected = f"a whole number that the {steps} steps can be divided by"
        raise BadValueError(_HERE, "samples", str(samples), expected)
    return Course(method=method, timestep=h, steps=steps, every=steps // kept, until=until)
