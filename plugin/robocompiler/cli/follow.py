"""The commands `assemble` and `follow`."""

from __future__ import annotations

import argparse
import csv
import io
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from robocompiler.cli.plot import Picture, finish_axes, shown
from robocompiler.cli.read import read_file
from robocompiler.cli.values import read_assignments, read_quantity
from robocompiler.compiler.compile import compile_mechanism
from robocompiler.errors import BadValueError, UnknownNameError
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import Joint
from robocompiler.model.shown import coordinate_units, show_coordinates, show_speeds, speed_units
from robocompiler.solve.assembly.assemble import assemble
from robocompiler.solve.motion.follow import follow
from robocompiler.solve.motion.motion import Motion
from robocompiler.solve.values import Values, Want
from robocompiler.units import degrees, millimetres
from robocompiler.write.files import write_files

QUIET = 1.0
"""Seconds of work before progress is told, and between one time and the next."""


def add_commands(commands: Any) -> None:
    """Add `assemble` and `follow` to the command line."""
    close = commands.add_parser("assemble", help="close every loop with joints at given values")
    close.add_argument("file", type=Path)
    close.add_argument(
        "--set", action="append", default=[], metavar="JOINT=VALUE", help="must be met: crank=35deg"
    )
    close.add_argument(
        "--want", action="append", default=[], metavar="JOINT=VALUE", help="as near as can be"
    )
    close.add_argument(
        "--speed", action="append", default=[], metavar="JOINT=VALUE", help="such as crank=0.3rad/s"
    )
    close.add_argument("--json", action="store_true", help="print one JSON object, in SI")
    close.set_defaults(run=_assemble)
    along = commands.add_parser("follow", help="drive a joint and print or plot all others")
    along.add_argument("file", type=Path)
    along.add_argument("--driver", required=True, metavar="JOINT")
    along.add_argument("--from", dest="start", required=True, metavar="VALUE", help="such as 0deg")
    along.add_argument("--to", dest="end", required=True, metavar="VALUE")
    along.add_argument("--samples", type=int, default=361, help="both ends included (361)")
    along.add_argument("--set", action="append", default=[], metavar="JOINT=VALUE")
    along.add_argument("--csv", type=Path, help="write every joint at every sample, in SI")
    along.add_argument("--plot", type=Path, help="write a picture: .png, .svg or .pdf")
    along.set_defaults(run=_follow)


def _assemble(options: argparse.Namespace) -> None:
    compiled = compile_mechanism(read_file(options.file))
    values: dict[str, Any] = dict(read_assignments(compiled, options.set, "--set"))
    wants = read_assignments(compiled, options.want, "--want")
    values.update({name: Want(value) for name, value in wants.items()})
    asked: Values = values
    speeds = read_assignments(compiled, options.speed, "--speed", speed_units)
    found = assemble(compiled, asked, speeds=speeds)
    if options.json:
        data = {
            "name": compiled.mechanism.name,
            "joints": {name: list(value) for name, value in found.values},
            "speeds": {name: list(value) for name, value in found.speeds},
            "gaps": {g.closure: {"gap": g.gap, "angle": g.angle} for g in found.gaps},
            "moved": dict(found.moved),
            "missed": dict(found.missed),
        }
        print(json.dumps(data, indent=1))
        return
    joints = {joint.name: joint for joint in compiled.mechanism.joints}
    moving = {name: f"; {show_speeds(joints[name], value)}" for name, value in found.speeds}
    for name, value in found.values:
        print(f"{name}: {show_coordinates(joints[name], value)}{moving.get(name, '')}")
    for gap in found.gaps:
        size = f"{millimetres(gap.gap):.1e} mm, {degrees(gap.angle):.1e}°"
        print(f"loop {gap.closure}: closed to {size}")
    for name, off in found.missed:
        slides = "meter" in coordinate_units(joints[name])
        how, unit = (millimetres(off), " mm") if slides else (degrees(off), "°")
        print(f"{name} stays {how:.6g}{unit} from where it was wanted", file=sys.stderr)


def _follow(options: argparse.Namespace) -> None:
    compiled = compile_mechanism(read_file(options.file))
    joints = compiled.joints
    if options.driver not in joints:
        raise UnknownNameError("--driver", "joint", options.driver, joints)
    driver = joints[options.driver]
    if driver.kind.nq != 1:
        raise BadValueError("--driver", driver.name, driver.kind.value, "of one coordinate")
    if options.samples < 2:
        raise BadValueError("follow", "--samples", str(options.samples), "2 or more")
    (unit,) = coordinate_units(driver)
    start = read_quantity(options.start, unit, "--from", driver.name)
    end = read_quantity(options.end, unit, "--to", driver.name)
    pictured = None if options.plot is None else Picture(options.plot, "follow")
    near = assemble(compiled, read_assignments(compiled, options.set, "--set"))
    path = {driver.name: np.linspace(start, end, options.samples)}
    motion = follow(compiled, path, start=near, progress=told())
    for folder, files in _files(options, motion, driver, pictured):
        write_files(folder, files)
    _summarize(motion, driver)


def told() -> Callable[[int, int], None]:
    """Progress on stderr, once work takes long."""
    last = time.monotonic()

    def tell(done: int, count: int) -> None:
        nonlocal last
        if time.monotonic() - last >= QUIET:
            last = time.monotonic()
            print(f"robocompiler: {done} of {count} samples", file=sys.stderr)

    return tell


def _files(
    options: argparse.Namespace,
    motion: Motion,
    driver: Joint,
    pictured: Picture | None,
) -> list[tuple[Path, dict[str, bytes]]]:
    """What to write, by folder: all made before any is written."""
    made: dict[Path, dict[str, bytes]] = {}
    if options.csv is not None:
        made.setdefault(options.csv.parent, {})[options.csv.name] = table_of(motion).encode()
    if pictured is not None:
        made.setdefault(options.plot.parent, {})[options.plot.name] = _draw(
            pictured, motion, driver
        )
    return list(made.items())


def columns(motion: Motion) -> list[tuple[str, str, Joint, Any]]:
    """Title, unit, joint and values of each single coordinate, the joints in the model's order."""
    found = []
    for joint in motion.compiled.mechanism.joints:
        if joint.kind is JointKind.FIXED:
            continue
        table = np.asarray(motion.of(joint.name)).reshape(len(motion), joint.kind.nq)
        for i, unit in enumerate(coordinate_units(joint)):
            title = joint.name if joint.kind.nq == 1 else f"{joint.name}/{i}"
            found.append((title, unit, joint, table[:, i]))
    return found


def table_of(motion: Motion) -> str:
    """A motion as CSV, every digit kept, in SI."""
    short = {"radian": " [rad]", "meter": " [m]", "": ""}
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    found = columns(motion)
    writer.writerow(["sample", *(f"{title}{short[unit]}" for title, unit, _, _ in found)])
    for i in range(len(motion)):
        writer.writerow([i, *(repr(float(values[i])) for _, _, _, values in found)])
    return text.getvalue()


def _draw(picture: Picture, motion: Motion, driver: Joint) -> bytes:
    """A motion over its driver."""
    found = [c for c in columns(motion) if c[2].name != driver.name and c[1]]
    units = [unit for unit in ("radian", "meter") if any(c[1] == unit for c in found)]
    axes = picture.axes(len(units))
    x, x_unit = shown(motion.of(driver.name), coordinate_units(driver)[0])
    for ax, unit in zip(axes, units, strict=False):
        for title, own, _, values in found:
            if own == unit:
                ax.plot(x, shown(values, unit)[0], label=title)
        finish_axes(ax, "angle [°]" if unit == "radian" else "travel [mm]")
    axes[-1].set_xlabel(f"{driver.name} [{x_unit}]")
    axes[0].set_title(motion.compiled.mechanism.name)
    return picture.content()


def _summarize(motion: Motion, driver: Joint) -> None:
    print(f"{len(motion)} samples, closed to {motion.misfit:.1e} of the loops' size")
    for title, unit, joint, values in columns(motion):
        if unit and joint.name != driver.name:
            (low, high), mark = shown(np.array([values.min(), values.max()]), unit)
            print(f"{title}: {low:.6g} to {high:.6g} {mark}")
    if motion.held:
        print(f"held where they stood: {', '.join(motion.held)}", file=sys.stderr)
    if motion.crossed:
        at = ", ".join(map(str, motion.crossed))
        print(
            f"two branches meet before sample {at}: passed straight on, which a real mechanism "
            "need not do",
            file=sys.stderr,
        )
    if motion.elsewhere:
        first, again = motion.elsewhere[0]
        print(
            f"'{driver.name}' stands in sample {again} where it does in {first}, and others stand "
            "elsewhere: its value alone does not say how the mechanism is assembled",
            file=sys.stderr,
        )
