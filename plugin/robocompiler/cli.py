"""The command line: `python -m robocompiler show | convert FILE`."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from robocompiler.compiler.compile import compile_mechanism
from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.errors import MechanismError
from robocompiler.model.configuration import Configuration
from robocompiler.read.geometry import stl_geometry
from robocompiler.read.read import read
from robocompiler.solve.assemble import assemble, coordinates
from robocompiler.solve.closure import mobility
from robocompiler.units import degrees, millimetres
from robocompiler.write.write import write


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; 0 where it worked, 1 where the input is wrong, 2 where the call is."""
    options = _parser().parse_args(arguments)
    try:
        options.run(options)
    except MechanismError as error:
        print(f"robocompiler: {error}", file=sys.stderr)
        return 1
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
    return parser


def _convert(options: argparse.Namespace) -> None:
    compiled = compile_mechanism(read(options.file))
    result = write(compiled, options.output, geometry=stl_geometry(options.file.parent))
    for line in (*result.warnings, *map(str, result.unsupported)):
        print(line, file=sys.stderr)


def _show(options: argparse.Namespace) -> None:
    compiled = compile_mechanism(read(options.file))
    summary = summarize(compiled, assemble(compiled))
    print(json.dumps(summary, indent=1) if options.json else as_text(summary))


def summarize(compiled: CompiledMechanism, configuration: Configuration) -> dict[str, Any]:
    """What a compiled mechanism is, as plain data: lengths in m, angles in rad, masses in kg."""
    bodies = [b.inertia.mass if b.inertia else 0.0 for b in compiled.mechanism.bodies]
    tree = [(t.edge.joint, t.inboard, t.outboard) for t in compiled.tree]
    chords = [(c.chord.joint, c.chord.parent, c.chord.child) for c in compiled.closures]
    gaps = {gap.closure: gap for gap in configuration.gaps}
    return {
        "name": compiled.mechanism.name,
        "mobility": mobility(compiled, coordinates(compiled, configuration)),
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
        "couplings": [
            {"name": c.name, "leader": c.leader, "follower": c.follower, "ratio": c.ratio}
            for c in compiled.mechanism.couplings
        ],
    }


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
        lines.append("couplings")
        lines += [
            f"  {c['name']}: {c['follower']} = {c['ratio']:.6g} · {c['leader']} + …"
            for c in summary["couplings"]
        ]
    return "\n".join(lines)


def _joint_line(joint: dict[str, Any]) -> str:
    return f"  {joint['name']}: {joint['kind']}, {joint['from']} - {joint['to']}"


def _closure_line(closure: dict[str, Any]) -> str:
    return (
        f"  {closure['name']}: cut at {closure['cut']} ({closure['kind']}, {closure['rows']} "
        f"rows), since {closure['reason']}; drawn open by "
        f"{millimetres(closure['drawn_gap']):.3g} mm, {degrees(closure['drawn_angle']):.3g}°; "
        f"closed to {millimetres(closure['gap']):.1e} mm, {degrees(closure['angle']):.1e}°"
    )
