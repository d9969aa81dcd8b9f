"""The command `motion`: what drives give and joints carry along a motion, and the worst of it."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np

from robocompiler.cli.loads import PARTS, indeterminate_lines
from robocompiler.cli.output import check_outputs, csv_content, print_answer, write_outputs
from robocompiler.cli.plot import Picture, finish_axes
from robocompiler.cli.ports import SPEEDS, drive_warnings
from robocompiler.cli.read import read_file
from robocompiler.cli.samples import read_samples
from robocompiler.cli.state import add_conditions, check_wrenches
from robocompiler.cli.track import Track, track
from robocompiler.cli.worst import worst_data, worst_load_rows, worst_port_rows, worst_ports
from robocompiler.compiler.compile import compile_mechanism
from robocompiler.solve.reduction.reduce import DEGRADED
from robocompiler.tables import table


def add_motion(commands: Any) -> None:
    """Add `motion` to the command line."""
    parser = commands.add_parser("motion", help="what drives give and joints carry along a motion")
    parser.add_argument("file", type=Path)
    parser.add_argument(
        "--csv",
        type=Path,
        required=True,
        help="the motion: `time [s]` and joints such as `crank [rad]`, with speeds `crank [rad/s]` "
        "and accelerations `crank [rad/s^2]` or without, by cubic splines then",
    )
    add_conditions(parser)
    parser.add_argument("-o", "--output", type=Path, help="write all of it as CSV, in SI")
    parser.add_argument("--plot", type=Path, help="write a picture: .png, .svg or .pdf")
    parser.add_argument("--json", action="store_true", help="print one JSON object, in SI")
    parser.set_defaults(run=_motion)


def _motion(options: argparse.Namespace) -> None:
    outputs = {"--output": options.output, "--plot": options.plot}
    check_outputs("motion", [options.file, options.csv], outputs)
    picture = None if options.plot is None else Picture(options.plot, "motion")
    given = compile_mechanism(read_file(options.file))
    check_wrenches(given, options.wrench)
    found = track(given, read_samples(given, options.csv), options)
    made: dict[Path, bytes] = {}
    if options.output is not None:
        made[options.output] = _csv(found)
    if picture is not None:
        made[picture.path] = _draw(picture, found)
    write_outputs(made)
    warnings = _warnings(found)
    data = {**worst_data(found), "warnings": warnings}
    print_answer(options, data, _lines(found), warnings)


def _columns(found: Track) -> list[tuple[str, Any]]:
    """Titles and values of all that is written."""
    columns: list[tuple[str, Any]] = [("time [s]", found.time)]
    for i, port in enumerate(found.ports):
        unit = found.units[port.name]
        columns += [
            (f"{port.name} effort [{unit}]", found.efforts[:, i]),
            (f"{port.name} speed [{SPEEDS[unit]}]", found.speeds[:, i]),
            (f"{port.name} power [W]", found.powers[:, i]),
        ]
    for i, name in enumerate(found.joints):
        for what, unit, part in PARTS:
            sure = found.is_sure(part)[i]
            said = what if sure else f"{what}, not determined, least share"
            columns.append((f"{name} {said} [{unit}]", found.sizes(part)[:, i]))
            if not sure:
                title = f"{name} {what}, determined part [{unit}]"
                columns.append((title, found.sizes(part, sure=True)[:, i]))
    return columns


def _csv(found: Track) -> bytes:
    """All of it, in SI."""
    columns = _columns(found)
    rows = np.stack([values for _, values in columns], axis=-1) + 0.0
    return csv_content([title for title, _ in columns], rows.tolist())


def _draw(picture: Picture, found: Track) -> bytes:
    """Efforts with their limits, and what joints carry, over time; dotted with the least share
    of what is not determined.
    """
    units = list(dict.fromkeys(found.units.values()))
    axes = picture.axes(len(units) + 2)
    for ax, unit in zip(axes, units, strict=False):
        for i, port in enumerate(found.ports):
            if found.units[port.name] != unit:
                continue
            (line,) = ax.plot(found.time, found.efforts[:, i], label=port.name)
            most = float(np.max(np.abs(found.efforts[:, i])))
            if port.effort is not None and port.effort <= 3.0 * most:
                for sign in (-1.0, 1.0):
                    ax.axhline(sign * port.effort, color=line.get_color(), linestyle="--", lw=0.8)
        finish_axes(ax, f"effort [{unit}]")
    for ax, (what, unit, part) in zip(axes[len(units) :], PARTS, strict=True):
        for i, name in enumerate(found.joints):
            sure = found.is_sure(part)[i]
            label = name if sure else f"{name}, determined part"
            (line,) = ax.plot(found.time, found.sizes(part, sure=True)[:, i], label=label)
            if not sure:
                ax.plot(found.time, found.sizes(part)[:, i], ":", color=line.get_color(), lw=0.8)
        finish_axes(ax, f"{what} in joints [{unit}]")
    axes[-1].set_xlabel("time [s]")
    axes[0].set_title(found.compiled.mechanism.name)
    return picture.content()


def _lines(found: Track) -> list[str]:
    """The worst of it, as a person reads it."""
    count, last = len(found.time), found.time[-1] - found.time[0]
    name = found.compiled.mechanism.name
    lines = [
        f"{name}: {count} samples over {last:.6g} s, driven at {', '.join(found.drivers)}, "
        f"closed to {found.motion.misfit:.1e} of the loops' size",
        "efforts",
        *table(worst_port_rows(found)),
        "loads of joints, at their peaks",
        *table(worst_load_rows(found)),
    ]
    if found.follow:
        follow = ", ".join(found.follow)
        lines.append(f"columns that follow from the driven ones, and agree: {follow}")
    return [*lines, *indeterminate_lines(dict(zip(found.joints, found.flags, strict=True)))]


def _warnings(found: Track) -> list[str]:
    """What is to be known before a drive is bought."""
    warnings = [text for worst in worst_ports(found) for text in worst.warnings]
    warnings += drive_warnings(found.compiled, found.redundant, found.undriven)
    if found.motion.held:
        warnings.append(f"held where they stood: {', '.join(found.motion.held)}")
    at = int(np.argmin(found.condition))
    if float(found.condition[at]) < DEGRADED:
        warnings.append(
            f"at {found.time[at]:.6g} s it is next to a singular configuration: efforts and loads "
            "there are large, and known to few digits"
        )
    if found.motion.crossed:
        when = ", ".join(f"{found.time[i]:.6g} s" for i in found.motion.crossed)
        warnings.append(f"two branches meet before {when}: passed straight on")
    return warnings
