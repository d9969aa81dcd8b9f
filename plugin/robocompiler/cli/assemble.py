"""The command `assemble`: every joint where loops close, and how fast it moves there."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from robocompiler.cli.read import read_file
from robocompiler.cli.values import read_assignments
from robocompiler.compiler.compile import compile_mechanism
from robocompiler.model.configuration import Configuration
from robocompiler.model.mechanism import Joint
from robocompiler.model.shown import coordinate_units, show_coordinates, show_speeds, speed_units
from robocompiler.solve.assembly.assemble import assemble
from robocompiler.solve.values import Values, Want
from robocompiler.units import degrees, millimetres


def add_assemble(commands: Any) -> None:
    """Add `assemble` to the command line."""
    parser = commands.add_parser("assemble", help="close every loop with joints at given values")
    parser.add_argument("file", type=Path)
    parser.add_argument(
        "--set", action="append", default=[], metavar="JOINT=VALUE", help="must be met: crank=35deg"
    )
    parser.add_argument(
        "--want", action="append", default=[], metavar="JOINT=VALUE", help="as near as can be"
    )
    parser.add_argument(
        "--speed", action="append", default=[], metavar="JOINT=VALUE", help="such as crank=0.3rad/s"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object, in SI")
    parser.set_defaults(run=_assemble)


def _assemble(options: argparse.Namespace) -> None:
    compiled = compile_mechanism(read_file(options.file))
    values: dict[str, Any] = dict(read_assignments(compiled, options.set, "--set"))
    wants = read_assignments(compiled, options.want, "--want")
    values.update({name: Want(value) for name, value in wants.items()})
    asked: Values = values
    speeds = read_assignments(compiled, options.speed, "--speed", speed_units)
    found = assemble(compiled, asked, speeds=speeds)
    if options.json:
        print(json.dumps({"name": compiled.mechanism.name, **_data(found)}, indent=1))
    else:
        _print(compiled.joints, found)


def _data(found: Configuration) -> dict[str, Any]:
    """As JSON has it, in SI."""
    return {
        "joints": {name: list(value) for name, value in found.values},
        "speeds": {name: list(value) for name, value in found.speeds},
        "gaps": {g.closure: {"gap": g.gap, "angle": g.angle} for g in found.gaps},
        "moved": dict(found.moved),
        "missed": dict(found.missed),
    }


def _print(joints: Mapping[str, Joint], found: Configuration) -> None:
    """As a person reads it; on stderr what stays from where it was wanted."""
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
