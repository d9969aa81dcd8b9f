"""The command `motion`: what drives give and joints carry along a motion, and the worst of it."""

from __future__ import annotations

import argparse
import csv
import io
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from robocompiler.cli.loads import indeterminate_lines
from robocompiler.cli.plot import Picture, finish_axes
from robocompiler.cli.ports import SPEEDS, drive_warnings, table
from robocompiler.cli.read import read_file
from robocompiler.cli.samples import read_drive
from robocompiler.cli.state import add_conditions, check_bodies
from robocompiler.cli.track import Track, track
from robocompiler.cli.worst import load_rows, port_rows, summary_of, worst_ports
from robocompiler.compiler.compile import compile_mechanism
from robocompiler.errors import BadValueError
from robocompiler.solve.reduction.reduce import DEGRADED
from robocompiler.write.files import write_files

PARTS = (("force", "N", slice(0, 3)), ("torque", "N m", slice(3, 6)))


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
    _check_outputs(options)
    picture = None if options.plot is None else Picture(options.plot, "motion")
    given = compile_mechanism(read_file(options.file))
    check_bodies(given, [text.rpartition("=")[0] for text in options.wrench], "--wrench")
    found = track(given, read_drive(given, options.csv), options)
    made: dict[Path, dict[str, bytes]] = {}
    if options.output is not None:
        made.setdefault(options.output.parent, {})[options.output.name] = _csv(found).encode()
    if picture is not None:
        made.setdefault(picture.path.parent, {})[picture.path.name] = _draw(picture, found)
    for folder, files in made.items():
        write_files(folder, files)
    warnings = _warnings(found)
    if options.json:
        print(json.dumps({**summary_of(found), "warnings": warnings}, indent=1))
    else:
        print("\n".join(_lines(found)), flush=True)
    for warning in warnings:
        print(f"warning: {warning}", file=sys.stderr)


def _check_outputs(options: argparse.Namespace) -> None:
    """Refuse to write over what is read, or twice to one file."""
    taken = {options.file.resolve(): str(options.file), options.csv.resolve(): str(options.csv)}
    for option, path in (("--output", options.output), ("--plot", options.plot)):
        if path is None:
            continue
        if path.resolve() in taken:
            what = "a file of its own: it would replace what is read, or the other output"
            raise BadValueError("motion", option, str(path), what)
        taken[path.resolve()] = str(path)


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


def _csv(found: Track) -> str:
    """All of it, every digit kept, in SI."""
    columns, text = _columns(found), io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([title for title, _ in columns])
    rows = np.stack([values for _, values in columns], axis=-1) + 0.0
    writer.writerows([repr(x) for x in row] for row in rows.tolist())
    return text.getvalue()


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
        *table(port_rows(found)),
        "loads of joints, at their peaks",
        *table(load_rows(found)),
    ]
    if found.follow:
        lines.append(
            f"columns that follow from the driven ones, and agree: {_listed(found.follow)}"
        )
    return [*lines, *indeterminate_lines(dict(zip(found.joints, found.flags, strict=True)))]


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(names)


def _warnings(found: Track) -> list[str]:
    """What is to be known before a drive is bought."""
    warnings = [text for worst in worst_ports(found) for text in worst.warnings]
    warnings += drive_warnings(found.compiled, found.redundant, found.undriven)
    if found.motion.held:
        warnings.append(f"held where they stood: {_listed(found.motion.held)}")
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
