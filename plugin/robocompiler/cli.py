"""The command line: `python -m robocompiler show | convert | assemble | follow FILE`."""

from __future__ import annotations

import argparse
import io
import json
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from robocompiler.cli_motion import add_commands
from robocompiler.compiler.compile import compile_mechanism
from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.equations.kinematics import joint_difference
from robocompiler.errors import FormatError, MechanismError
from robocompiler.model.configuration import Configuration
from robocompiler.model.mechanism import Coupling, Joint, Mechanism
from robocompiler.model.validity import coordinate_names
from robocompiler.read.geometry import stl_geometry
from robocompiler.read.read import read
from robocompiler.solve.assemble import assemble
from robocompiler.solve.describe import coordinates
from robocompiler.solve.mobility import mobility
from robocompiler.units import degrees, millimetres
from robocompiler.write.mjcf_names import SIDECAR
from robocompiler.write.write import write


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    Returns:
        0 where it worked, 1 where the input is wrong, 2 where the call is; 141 where whoever reads
        what is printed stopped reading, as a shell has it.
    """
    options = _parser().parse_args(arguments)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        options.run(options)
    except MechanismError as error:
        print(f"robocompiler: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        # So that the interpreter has somewhere to flush to as it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="robocompiler", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    show = commands.add_parser("show", help="print bodies, joints, loops, mobility and masses")
    show.add_argument("file", type=Path)
    show.add_argument("--json", action="store_true", help="print one JSON object")
    show.set_defaults(run=_show)
    convert = commands.add_parser("convert", help="compile a description and write it")
    convert.add_argument("file", type=Path)
    convert.add_argument("-o", "--output", type=Path, required=True)
    convert.set_defaults(run=_convert)
    add_commands(commands)
    return parser


def _read(path: Path) -> Mechanism:
    """The mechanism in a file. A model says less than what it was written from."""
    sidecar = path.with_suffix(SIDECAR) if path.name else path
    if path.suffix != ".json" and sidecar.is_file():
        raise FormatError(
            f"'{path}' is a model, not a mechanism. What it was written from is beside it: "
            f"'{sidecar}'."
        )
    return read(path)


def _convert(options: argparse.Namespace) -> None:
    compiled = compile_mechanism(_read(options.file))
    # The mechanism's own JSON says what is drawn, so that it need not close.
    configuration = None if options.output.suffix == ".json" else assemble(compiled)
    geometry = stl_geometry(options.file.parent)
    result = write(compiled, options.output, configuration, geometry=geometry)
    for line in (
        f"wrote {_listed([str(path) for path in result.files])}",
        *(f"warning: {warning}" for warning in result.warnings),
        *(f"cannot be said: {what}" for what in result.unsupported),
        *(f"moved: {_moved_line(move)}" for move in _moved(compiled, configuration)),
    ):
        print(line, file=sys.stderr)


def _listed(names: list[str]) -> str:
    shown, more = names[:5], len(names) - 5
    return ", ".join(shown) + (f" and {more} more" if more > 0 else "")


def _show(options: argparse.Namespace) -> None:
    compiled = compile_mechanism(_read(options.file))
    summary = summarize(compiled, assemble(compiled))
    said = json.dumps(summary, indent=1) if options.json else as_text(summary)
    print(said, flush=True)  # so that a reader that has left is noticed here


def summarize(compiled: CompiledMechanism, configuration: Configuration) -> dict[str, Any]:
    """What a compiled mechanism is, as plain data: lengths in m, angles in rad, masses in kg."""
    bodies = [b.inertia.mass if b.inertia else 0.0 for b in compiled.mechanism.bodies]
    tree = [(t.edge.joint, t.inboard, t.outboard) for t in compiled.tree]
    chords = [(c.chord.joint, c.chord.parent, c.chord.child) for c in compiled.closures]
    gaps = {gap.closure: gap for gap in configuration.gaps}
    return {
        "name": compiled.mechanism.name,
        "mobility": int(mobility(compiled, coordinates(compiled, configuration))),
        "mass": sum(bodies),
        "bodies": [
            {"name": body.name, "mass": mass, "part_of": compiled.bodies[welded.host].name}
            for body, mass, welded in zip(
                compiled.mechanism.bodies, bodies, compiled.welded, strict=True
            )
        ],
        "joints": [_joint(compiled, configuration, *edge) for edge in tree],
        "chords": [_joint(compiled, configuration, *edge) for edge in chords],
        "closures": [
            {
                "name": closure.name,
                "cut": closure.chord.joint.name,
                "kind": closure.kind.value,
                "rows": closure.rows,
                "reason": closure.reason,
                "loop": [compiled.tree[i].edge.joint.name for i in closure.path],
                "gap": gaps[closure.name].gap,
                "angle": gaps[closure.name].angle,
                "drawn_gap": gaps[closure.name].drawn_gap,
                "drawn_angle": gaps[closure.name].drawn_angle,
            }
            for closure in compiled.closures
        ],
        "modules": [
            {
                "name": module.name,
                "closures": [compiled.closures[i].name for i in module.closures],
                "couplings": [compiled.couplings[i].name for i in module.couplings],
                "joints": [compiled.tree[i].edge.joint.name for i in module.joints],
            }
            for module in compiled.modules
        ],
        "couplings": [_coupling(compiled.mechanism, c) for c in compiled.mechanism.couplings],
        "moved": _moved(compiled, configuration),
    }


def _coupling(mechanism: Mechanism, coupling: Coupling) -> dict[str, Any]:
    known = coordinate_names(mechanism)
    units = {
        f"{end}_unit": "rad" if joint.kind.factors[index].is_turn else "m"
        for end, (joint, index) in (
            ("leader", known[coupling.leader]),
            ("follower", known[coupling.follower]),
        )
    }
    return {
        "name": coupling.name,
        "leader": coupling.leader,
        "follower": coupling.follower,
        "ratio": coupling.ratio,
        "offset": coupling.offset,
        **units,
    }


def _moved(
    compiled: CompiledMechanism, configuration: Configuration | None
) -> list[dict[str, Any]]:
    """The coordinates of joints that could not stay as drawn, and by how much they moved."""
    if configuration is None:
        return []
    joints = {joint.name: joint for joint in compiled.mechanism.joints}
    return [
        {"name": name, **move}
        for name, _ in configuration.moved
        for move in _moves(joints[name], configuration.of(name))
    ]


def _moves(joint: Joint, values: Sequence[float]) -> Iterator[dict[str, Any]]:
    """For each coordinate that moved: its name, by how much [m or rad], and that unit."""
    step = joint_difference(joint.kind, np.array(joint.initial), np.array(values))
    at = 0
    for factor, label in zip(joint.kind.factors, joint.names, strict=True):
        own = step[at : at + factor.nv]
        by = float(own[0]) if factor.nv == 1 else float(np.linalg.norm(own))
        if by:
            unit = "rad" if factor.is_turn else "m"
            yield {"coordinate": label, "by": by, "unit": unit}
        at += factor.nv


def _joint(
    compiled: CompiledMechanism, configuration: Configuration, joint: Any, a: int, b: int
) -> dict[str, Any]:
    return {
        "name": joint.name,
        "kind": joint.kind.value,
        "from": compiled.bodies[a].name,
        "to": compiled.bodies[b].name,
        "value": list(configuration.of(joint.name)),
    }


def as_text(summary: dict[str, Any]) -> str:
    """A summary as a person reads it."""
    lines = [
        f"{summary['name']}: mobility {summary['mobility']}, mass {summary['mass']:.6g} kg",
        "bodies",
    ]
    for body in summary["bodies"]:
        part = "" if body["part_of"] == body["name"] else f", welded to {body['part_of']}"
        lines.append(f"  {body['name']}: {body['mass']:.6g} kg{part}")
    for title in ("joints", "chords"):
        lines += [title, *(_joint_line(joint) for joint in summary[title])]
    lines.append("closures")
    lines += [_closure_line(closure) for closure in summary["closures"]]
    lines.append("closure modules")
    for module in summary["modules"]:
        held = ", ".join([*module["closures"], *module["couplings"]])
        lines.append(f"  {module['name']}: {held} over {', '.join(module['joints'])}")
    if summary["couplings"]:
        lines += ["couplings", *(_coupling_line(c) for c in summary["couplings"])]
    if summary["moved"]:
        lines.append("moved from where they are drawn, so that loops close")
        lines += [f"  {_moved_line(move)}" for move in summary["moved"]]
    return "\n".join(lines)


def _said(value: float, unit: str) -> tuple[float, str]:
    """A value [m or rad] as people say it, and in what."""
    return (degrees(value), "deg") if unit == "rad" else (millimetres(value), "mm")


def _coupling_line(coupling: dict[str, Any]) -> str:
    """Such as `rack = 0.1 mm/deg · wheel + 173.205 mm`."""
    per, leader_unit = _said(1.0, coupling["leader_unit"])
    ratio, unit = _said(coupling["ratio"] / per, coupling["follower_unit"])
    offset = _said(coupling["offset"], coupling["follower_unit"])[0]
    in_units = "" if unit == leader_unit else f" {unit}/{leader_unit}"
    line = f"{coupling['follower']} = {ratio:.6g}{in_units} · {coupling['leader']}"
    if offset:
        line += f" {'-' if offset < 0.0 else '+'} {abs(offset):.6g} {unit}"
    return f"  {coupling['name']}: {line}"


def _moved_line(move: dict[str, Any]) -> str:
    by, unit = _said(move["by"], move["unit"])
    return f"{move['name']}: {move['coordinate']} by {by:.3g} {unit}"


def _joint_line(joint: dict[str, Any]) -> str:
    return f"  {joint['name']}: {joint['kind']}, {joint['from']} - {joint['to']}"


def _closure_line(closure: dict[str, Any]) -> str:
    return (
        f"  {closure['name']}: cut at {closure['cut']} ({closure['kind']}, {closure['rows']} "
        f"rows), since {closure['reason']}; drawn open by "
        f"{millimetres(closure['drawn_gap']):.3g} mm, {degrees(closure['drawn_angle']):.3g}°; "
        f"closed to {millimetres(closure['gap']):.1e} mm, {degrees(closure['angle']):.1e}°"
    )
