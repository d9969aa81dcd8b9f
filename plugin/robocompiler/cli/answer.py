"""What `dynamics` prints: a motion, what makes it and what it loads, as data and as text."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from robocompiler.cli.loads import (
    coupling_data,
    coupling_lines,
    indeterminate_lines,
    load_data,
    load_rows,
)
from robocompiler.cli.ports import PortState, drive_warnings, port_units
from robocompiler.cli.rounding import rounded
from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.model.configuration import Configuration
from robocompiler.model.shown import show_accelerations, show_coordinates, show_speeds
from robocompiler.solve.describe import coordinates
from robocompiler.solve.dynamics.conditions import Conditions
from robocompiler.solve.dynamics.reduced import ReducedDynamics
from robocompiler.solve.loads.loads import JointLoads
from robocompiler.solve.reduction.partition import Partition, names_of
from robocompiler.spatial import Array, apply
from robocompiler.tables import table

STILL = 1e-12
"""Acceleration [m/s² or rad/s²] below which one is shown as 0."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Asked:
    """A mechanism where it stands and moves, and what acts on it."""

    compiled: CompiledMechanism
    """Joints that are named are not cut."""
    held: CompiledMechanism
    """With its supports."""
    at: Configuration
    partition: Partition
    """Of `held`."""
    u: Array
    conditions: Conditions

    @property
    def q(self) -> Array:
        """Shape (nq,)."""
        return coordinates(self.compiled, self.at)

    @property
    def independent(self) -> tuple[str, ...]:
        """Joints, or single speeds, that make up u."""
        return names_of(self.held, self.partition.independent)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Answer:
    """A motion and what makes it."""

    dynamics: ReducedDynamics
    efforts: Array
    u_dot: Array
    loads: JointLoads
    redundant: int = 0
    undriven: tuple[tuple[str, float], ...] = ()


def _rates(asked: Asked, answer: Answer) -> dict[str, tuple[Array, Array]]:
    """Speeds and accelerations of every joint, what is actuated first."""
    dynamics = answer.dynamics
    tree, v_dot = dynamics.tree, dynamics.accelerations(answer.u_dot)
    found = {
        joint.edge.joint.name: (tree.v[joint.v], v_dot[joint.v]) for joint in tree.compiled.tree
    }
    for cut in tree.cut:
        speeds, rates = apply(cut.rows, tree.v), apply(cut.rows, v_dot) + cut.bias
        found[cut.joint.name] = (speeds, rates)
    driven = set(dynamics.port_names)
    driven |= {t.coordinate for a in asked.compiled.mechanism.actuators for t in a.transmissions}
    own = asked.compiled.joints
    order = sorted(own, key=lambda name: driven.isdisjoint((name, *own[name].speed_names)))
    return {name: found[name] for name in order}


def _ports(asked: Asked, answer: Answer) -> list[PortState]:
    dynamics = answer.dynamics
    speeds = apply(dynamics.B, dynamics.v)
    units = port_units(dynamics.tree.compiled, dynamics.ports)
    return [
        PortState(
            name=port.name,
            unit=units[port.name],
            effort=float(f) + 0.0,
            speed=float(speed) + 0.0,
            power=float(f * speed) + 0.0,
            limit=port.effort,
            speed_limit=port.velocity,
        )
        for port, f, speed in zip(dynamics.ports, answer.efforts, speeds, strict=True)
    ]


def answer_data(asked: Asked, answer: Answer) -> dict[str, Any]:
    """All of it as JSON has it, in SI."""
    ports, loads = _ports(asked, answer), answer.loads
    warnings = drive_warnings(asked.compiled, answer.redundant, answer.undriven)
    return {
        "name": asked.compiled.mechanism.name,
        "independent": list(asked.independent),
        "ports": [port.data for port in ports],
        "joints": {
            name: {
                "value": list(asked.at.of(name)),
                "speed": speeds.tolist(),
                "acceleration": rates.tolist(),
            }
            for name, (speeds, rates) in _rates(asked, answer).items()
        },
        "loads": load_data(loads),
        "couplings": coupling_data(loads),
        "indeterminate": list(loads.indeterminate),
        "undriven": dict(answer.undriven),
        "redundant": answer.redundant,
        "warnings": [*(w for port in ports for w in port.warnings), *warnings],
    }


def answer_lines(asked: Asked, answer: Answer) -> list[str]:
    """All of it as a person reads it."""
    loads, couplings = answer.loads, coupling_data(answer.loads)
    sizes = [float(np.max(np.abs(x), initial=0.0)) for x in (answer.efforts, loads.wrenches)]
    shown = replace(answer, efforts=rounded(answer.efforts, max(sizes)))
    independent = ", ".join(asked.independent) or "none"
    title = ["drive", "effort", "limit", "used", "speed", "power"]
    lines = [
        f"{asked.compiled.mechanism.name}: independent are {independent}",
        "efforts",
        *table([title, *(port.cells for port in _ports(asked, shown))]),
        "motion",
        *table(_motion_rows(asked, answer)),
        "loads on the child's side of each joint, along its frame's axes on the parent",
        *table(load_rows(loads)),
    ]
    lines += coupling_lines(asked.compiled, loads)
    flags = dict(zip(loads.names, loads.flags, strict=True))
    unsure = [coupling["name"] for coupling in couplings if not coupling["determinate"]]
    return [*lines, *indeterminate_lines(flags, unsure)]


def _motion_rows(asked: Asked, answer: Answer) -> list[list[str]]:
    """Where every joint stands and how it moves, as lines of a table, its title first."""
    rows = [["joint", "stands at", "speed", "acceleration"]]
    for name, (speeds, rates) in _rates(asked, answer).items():
        joint = asked.compiled.joints[name]
        rates = np.where(np.abs(rates) > STILL, rates, 0.0)
        rows.append(
            [
                name,
                show_coordinates(joint, asked.at.of(name)),
                show_speeds(joint, speeds.tolist()),
                show_accelerations(joint, rates.tolist()),
            ]
        )
    return rows
