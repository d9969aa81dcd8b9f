"""The worst of a motion: peaks and means of what drives give, peaks of what joints carry."""

from __future__ import annotations

from typing import Any

import numpy as np

from robocompiler.cli.loads import PARTS, marked
from robocompiler.cli.ports import PortState, show_speed
from robocompiler.cli.rounding import rounded
from robocompiler.cli.track import Track
from robocompiler.spatial import Array


def _root_mean_square(time: Array, values: Array) -> Array:
    """Over time, by the trapezoidal rule, of values (samples, columns)."""
    if len(time) < 2:
        return np.asarray(np.abs(values[0]))
    squares, steps = values * values, np.diff(time)[:, None]
    mean = np.sum(0.5 * (squares[1:] + squares[:-1]) * steps, axis=0) / np.sum(steps)
    return np.asarray(np.sqrt(mean))


def _peak(values: Array) -> tuple[int, float]:
    """Where a value is the farthest from 0, and that value."""
    at = int(np.argmax(np.abs(values)))
    return at, float(values[at]) + 0.0


def worst_ports(found: Track) -> list[PortState]:
    """Peaks of effort, speed and power of each port, whenever each is."""
    return [
        PortState(
            name=port.name,
            unit=found.units[port.name],
            effort=_peak(found.efforts[:, i])[1],
            speed=_peak(found.speeds[:, i])[1],
            power=_peak(found.powers[:, i])[1],
            limit=port.effort,
            speed_limit=port.velocity,
        )
        for i, port in enumerate(found.ports)
    ]


def worst_port_rows(found: Track) -> list[list[str]]:
    """As lines of a table, its title first."""
    rows = [
        ["drive", "peak effort", "at", "limit", "used", "RMS effort", "peak speed", "peak power"]
    ]
    means = _root_mean_square(found.time, found.efforts)
    for i, own in enumerate(worst_ports(found)):
        name, effort, limit, share, _, power = own.cells
        at = found.time[_peak(found.efforts[:, i])[0]]
        mean = f"{means[i]:.6g} {own.unit}"
        speed = show_speed(own.speed, own.unit)
        rows.append([name, effort, f"{at:.6g} s", limit, share, mean, speed, power])
    return rows


def worst_load_rows(found: Track) -> list[list[str]]:
    """As lines of a table, its title first; of what is not determined also the part that is."""
    unsure = not all(all(own) for own in found.flags)
    part = ["determined part"] if unsure else []
    rows = [["joint", "|force| [N]", "at", *part, "|torque| [N m]", "at", *part]]
    for i, name in enumerate(found.joints):
        cells = [_load_cells(found, i, which, unsure) for *_, which in PARTS]
        rows.append([name, *cells[0], *cells[1]])
    return rows


def _load_cells(found: Track, joint: int, which: slice, unsure: bool) -> list[str]:
    """A joint's peak force or torque, when that is, and if asked for its determinate part's."""
    size = float(np.max(np.abs(found.wrenches), initial=0.0))
    whole, sure = (rounded(found.sizes(which, own)[:, joint], size) for own in (False, True))
    at, most = _peak(whole)
    cells = [marked(most, found.is_sure(which)[joint]), f"{found.time[at]:.6g} s"]
    return [*cells, f"{_peak(sure)[1]:.6g}"] if unsure else cells


def worst_data(found: Track) -> dict[str, Any]:
    """All of it as JSON has it, in SI."""
    means = _root_mean_square(found.time, found.efforts)
    ports = [
        {**own.data, "at": float(found.time[_peak(found.efforts[:, i])[0]]), "rms": float(means[i])}
        for i, own in enumerate(worst_ports(found))
    ]
    loads = []
    for i, name in enumerate(found.joints):
        own: dict[str, Any] = {"name": name, "determinate": list(found.flags[i])}
        for what, _, part in PARTS:
            at, most = _peak(found.sizes(part)[:, i])
            sure = _peak(found.sizes(part, sure=True)[:, i])[1]
            own |= {what: most, f"{what}_at": float(found.time[at]), f"{what}_determined": sure}
        loads.append(own)
    return {
        "name": found.compiled.mechanism.name,
        "samples": len(found.time),
        "drivers": list(found.drivers),
        "follow": list(found.follow),
        "held": list(found.motion.held),
        "ports": ports,
        "loads": loads,
        "undriven": dict(found.undriven),
        "redundant": found.redundant,
    }
