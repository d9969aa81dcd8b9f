"""The command `dynamics`: what drives give, how joints accelerate and what they carry, at once."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from robocompiler.cli.answer import Answer, Asked, answer_data, answer_lines
from robocompiler.cli.output import print_answer
from robocompiler.cli.ports import ACCELERATION_UNITS, EFFORT_UNITS, port_units
from robocompiler.cli.read import read_file
from robocompiler.cli.state import (
    add_conditions,
    check_wrenches,
    independent_among,
    place_at,
    read_conditions,
    read_supports,
)
from robocompiler.cli.values import read_assignments, read_quantity, split_assignments
from robocompiler.compiler.compile import compile_mechanism
from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.compiler.ports import ports_of, ports_on
from robocompiler.errors import BadValueError, UnknownNameError
from robocompiler.model.shown import acceleration_units, speed_units
from robocompiler.solve.assembly.assemble import assemble
from robocompiler.solve.assembly.carrying import keeping
from robocompiler.solve.describe import coordinates
from robocompiler.solve.dynamics.forward import forward_dynamics
from robocompiler.solve.dynamics.inverse import inverse_dynamics
from robocompiler.solve.dynamics.mixed import mixed_dynamics
from robocompiler.solve.dynamics.support import supported
from robocompiler.solve.loads.loads import JointLoads, joint_loads
from robocompiler.solve.reduction.partition import choose_partition, speed_names
from robocompiler.spatial import Array

Numbers = dict[str, tuple[float, ...]]


def add_dynamics(commands: Any) -> None:
    """Add `dynamics` to the command line."""
    parser = commands.add_parser("dynamics", help="print what drives give and joints carry")
    parser.add_argument("file", type=Path)
    add_conditions(parser)
    parser.add_argument(
        "--support",
        action="append",
        default=[],
        metavar="BODY[@X,Y,Z]",
        help="a point of a body that is held, its origin or another: foot@0,0,-50mm",
    )
    for option, example, what in (
        ("--speeds", "crank=2rad/s", "others that are independent rest"),
        ("--accelerations", "crank=5rad/s^2", "others that are independent have none"),
        ("--efforts", "crank=2N*m", "of actuators: print the accelerations that these make"),
    ):
        parser.add_argument(
            option,
            nargs="+",
            action="extend",
            default=[],
            metavar=f"{'PORT' if option == '--efforts' else 'JOINT'}=VALUE",
            help=f"such as {example}; {what}",
        )
    parser.add_argument("--json", action="store_true", help="print one JSON object, in SI")
    parser.set_defaults(run=_dynamics)


def _dynamics(options: argparse.Namespace) -> None:
    given = compile_mechanism(read_file(options.file))
    check_wrenches(given, options.wrench)
    moved: Numbers = {}
    if not options.efforts:
        moved = read_assignments(
            given, options.accelerations, "--accelerations", acceleration_units
        )
    speeds = read_assignments(given, options.speeds, "--speeds", speed_units)
    named = [*_pushed_joints(given, options), *speeds]
    asked = _asked(keeping(given, [*moved, *named]), options, moved, speeds, named)
    answer = _pushed(asked, options) if options.efforts else _moved(asked, moved)
    data = answer_data(asked, answer)
    print_answer(options, data, answer_lines(asked, answer), data["warnings"])


def _pushed_joints(compiled: CompiledMechanism, options: argparse.Namespace) -> list[str]:
    """Joints along which efforts act where no drive is declared: the ports are then theirs."""
    if not options.efforts or ports_of(compiled):
        return []
    texts = [*options.efforts, *options.accelerations]
    names = [text.rpartition("=")[0] for text in texts]
    joints = [joint.edge.joint for joint in compiled.tree]
    joints += [closure.chord.joint for closure in compiled.closures]
    owners = {speed: joint.name for joint in joints for speed in (*joint.speed_names, joint.name)}
    return list(dict.fromkeys(owners[name] for name in names if name in owners))


def _asked(
    compiled: CompiledMechanism,
    options: argparse.Namespace,
    moved: Numbers,
    speeds: Numbers,
    named: Sequence[str],
) -> Asked:
    """The state that is asked about; joints that are named are independent as far as they can."""
    conditions = read_conditions(compiled, options)
    at = place_at(compiled, options.at)
    support = read_supports(compiled, options.support)
    conditions["support"] = support
    held = supported(compiled, support).compiled
    q = coordinates(held, at)
    names = [*moved, *independent_among(held, q, named, list(moved))]
    partition = choose_partition(held, q, names)
    conditions["independent"] = partition
    v = np.zeros(held.nv)
    if speeds:
        moving = assemble(held, near=at, speeds=speeds)
        for joint in held.tree:
            v[joint.v] = moving.speeds_of(joint.edge.joint.name)
    return Asked(
        compiled=compiled,
        held=held,
        at=at,
        partition=partition,
        u=v[list(partition.independent)],
        conditions=conditions,
    )


def _moved(asked: Asked, accelerations: Numbers) -> Answer:
    """Inverse dynamics: what the accelerations of the named joints take."""
    v_dot = np.zeros(asked.held.nv)
    for name, values in accelerations.items():
        v_dot[asked.held.tree_joint(name).v] = values
    u_dot = v_dot[list(asked.partition.independent)]
    found = inverse_dynamics(asked.compiled, asked.q, asked.u, u_dot, **asked.conditions)
    lacking = dict(zip(found.names, np.abs(found.missing).tolist(), strict=True))
    return Answer(
        dynamics=found.dynamics,
        efforts=found.efforts,
        u_dot=u_dot,
        loads=_loads(asked, u_dot, found.efforts),
        redundant=found.redundant,
        undriven=tuple((name, lacking[name]) for name in found.undriven),
    )


def _pushed(asked: Asked, options: argparse.Namespace) -> Answer:
    """Forward dynamics: what the efforts make; of ports whose accelerations are given too, mixed.

    Raises:
        UnknownNameError, BadValueError: a port that there is not, or a value of another unit.
    """
    efforts = _by_port(asked, options.efforts, "--efforts", EFFORT_UNITS)
    rates = _by_port(asked, options.accelerations, "--accelerations", ACCELERATION_UNITS)
    at = (asked.compiled, asked.q, asked.u)
    if rates:
        mixed = mixed_dynamics(*at, rates, efforts, **asked.conditions)
        dynamics, f, u_dot = mixed.dynamics, mixed.efforts, mixed.u_dot
    else:
        free = forward_dynamics(*at, efforts, **asked.conditions)
        dynamics, f, u_dot = free.dynamics, free.efforts, free.u_dot
    return Answer(dynamics=dynamics, efforts=f, u_dot=u_dot, loads=_loads(asked, u_dot, f))


def _loads(asked: Asked, u_dot: Array, efforts: Array) -> JointLoads:
    return joint_loads(asked.compiled, asked.q, asked.u, u_dot, efforts, **asked.conditions)


def _by_port(
    asked: Asked, given: Sequence[str], option: str, units: Mapping[str, str]
) -> dict[str, float]:
    """Efforts or accelerations of ports, by name, in SI; units by that of a port's effort."""
    names, independent = speed_names(asked.held), asked.partition.independent
    ports = ports_of(asked.held) or ports_on([names[i] for i in independent], independent)
    known = port_units(asked.held, ports)
    found = {}
    for name, text in split_assignments(given, option, "port=2N*m"):
        if name not in known:
            raise UnknownNameError(option, "port", name, known)
        # Either unit is taken where the description does not say which it has.
        own = units.get(known[name])
        found[name] = _in_any(text, [own] if own else list(units.values()), option, name)
    return found


def _in_any(text: str, units: Sequence[str], where: str, what: str) -> float:
    """A number in whichever of some units it has; what has none of them lacks the first."""
    for unit in units[1:]:
        with suppress(BadValueError):
            return read_quantity(text, unit, where, what)
    return read_quantity(text, units[0], where, what)
