"""What `show` prints: a compiled mechanism as plain data, and as a person reads it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.equations.kinematics import joint_difference
from robocompiler.errors import GenerationError
from robocompiler.model.configuration import Configuration
from robocompiler.model.mechanism import Actuator, Coupling, Joint, Mechanism
from robocompiler.model.validity import coordinate_names
from robocompiler.solve.describe import coordinates
from robocompiler.solve.generated.bind import bind
from robocompiler.solve.generated.summary import summary_of
from robocompiler.solve.mobility.mobility import mobility_at
from robocompiler.solve.mobility.text import as_data
from robocompiler.solve.reduction.partition import choose_partition, named_blocks, names_of
from robocompiler.units import degrees, millimetres, shown_in


def summarize(compiled: CompiledMechanism, configuration: Configuration) -> dict[str, Any]:
    """What a compiled mechanism is, as plain data: lengths in m, angles in rad, masses in kg."""
    bodies = [b.inertia.mass if b.inertia else 0.0 for b in compiled.mechanism.bodies]
    tree = [(t.edge.joint, t.inboard, t.outboard) for t in compiled.tree]
    chords = [(c.chord.joint, c.chord.parent, c.chord.child) for c in compiled.closures]
    freedoms = mobility_at(compiled, coordinates(compiled, configuration))
    return {
        "name": compiled.mechanism.name,
        "mobility": int(freedoms),
        "mobility_details": as_data(freedoms),
        "mass": sum(bodies),
        "bodies": [
            {"name": body.name, "mass": mass, "part_of": compiled.bodies[welded.host].name}
            for body, mass, welded in zip(
                compiled.mechanism.bodies, bodies, compiled.welded, strict=True
            )
        ],
        "joints": [_joint(compiled, configuration, *edge) for edge in tree],
        "chords": [_joint(compiled, configuration, *edge) for edge in chords],
        "closures": _closures(compiled, configuration),
        "modules": _modules(compiled),
        "reduction": _reduction(compiled, configuration),
        "generated": _generated(compiled, configuration),
        "couplings": [_coupling(compiled.mechanism, c) for c in compiled.mechanism.couplings],
        "actuators": [_actuator(compiled.mechanism, a) for a in compiled.mechanism.actuators],
        "moved": moved(compiled, configuration),
    }


def _closures(compiled: CompiledMechanism, configuration: Configuration) -> list[dict[str, Any]]:
    gaps = {gap.closure: gap for gap in configuration.gaps}
    return [
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
    ]


def _modules(compiled: CompiledMechanism) -> list[dict[str, Any]]:
    return [
        {
            "name": module.name,
            "closures": [compiled.closures[i].name for i in module.closures],
            "couplings": [compiled.couplings[i].name for i in module.couplings],
            "joints": [compiled.tree[i].edge.joint.name for i in module.joints],
        }
        for module in compiled.modules
    ]


def _reduction(compiled: CompiledMechanism, configuration: Configuration) -> dict[str, Any]:
    """The independent speeds that are chosen where it stands, and what follows them together."""
    partition = choose_partition(compiled, coordinates(compiled, configuration))
    return {
        "independent": list(names_of(compiled, partition.independent)),
        "modules": [
            {**asdict(block), "text": str(block)} for block in named_blocks(compiled, partition)
        ],
    }


def _generated(compiled: CompiledMechanism, configuration: Configuration) -> dict[str, Any]:
    """The code that `rc.bind` gives; where none can be generated, why."""
    try:
        return summary_of(bind(compiled, near=configuration).code)
    except GenerationError as error:
        return {"emitter": None, "types": [], "reason": str(error)}


def _units(mechanism: Mechanism) -> dict[str, str]:
    """`rad` or `m`, by coordinate."""
    return {
        name: "rad" if joint.kind.factors[index].is_turn else "m"
        for name, (joint, index) in coordinate_names(mechanism).items()
    }


def _actuator(mechanism: Mechanism, actuator: Actuator) -> dict[str, Any]:
    units = _units(mechanism)
    return {
        "name": actuator.name,
        "transmissions": [
            {"name": t.coordinate, "unit": units[t.coordinate], "ratio": t.ratio}
            for t in actuator.transmissions
        ],
        "effort": actuator.effort,
        "velocity": actuator.velocity,
        "armature": actuator.armature,
    }


def _coupling(mechanism: Mechanism, coupling: Coupling) -> dict[str, Any]:
    units = _units(mechanism)
    return {
        "name": coupling.name,
        "follower": coupling.follower,
        "follower_unit": units[coupling.follower],
        "leaders": [
            {"name": leader.coordinate, "unit": units[leader.coordinate], "ratio": leader.ratio}
            for leader in coupling.leaders
        ],
        "offset": coupling.offset,
    }


def moved(compiled: CompiledMechanism, configuration: Configuration | None) -> list[dict[str, Any]]:
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
    freedoms = summary["mobility_details"]
    lines = [f"{summary['name']}: mobility {freedoms['text']}, mass {summary['mass']:.6g} kg"]
    if freedoms["explanation"]:
        lines += ["mobility", *(f"  {line}" for line in freedoms["explanation"])]
    lines.append("bodies")
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
    lines += _reduction_lines(summary["reduction"])
    lines += _generated_lines(summary["generated"])
    if summary["couplings"]:
        lines += ["couplings", *(_coupling_line(c) for c in summary["couplings"])]
    if summary["actuators"]:
        lines += ["actuators, in SI units", *(_actuator_line(a) for a in summary["actuators"])]
    if summary["moved"]:
        lines.append("moved from where they are drawn, so that loops close")
        lines += [f"  {moved_line(move)}" for move in summary["moved"]]
    return "\n".join(lines)


def _reduction_lines(reduction: dict[str, Any]) -> list[str]:
    """What follows what; nothing where no loop or coupling makes anything follow."""
    if not reduction["modules"]:
        return []
    title = f"solved together, independent being {', '.join(reduction['independent']) or 'none'}"
    return [title, *(f"  {module['text']}" for module in reduction["modules"])]


def _generated_lines(generated: dict[str, Any]) -> list[str]:
    """Such as `C: 58 operations a step, 66 with the lift; also of D, E`."""
    if generated["emitter"] is None:
        return [f"generated code: none. {generated['reason']}"]
    lines = [f"generated code: {generated['emitter']}"] if generated["types"] else []
    for kind in generated["types"]:
        line = f"  {kind['name']}: {kind['operations']} operations a step"
        line += f", {kind['operations_with_lift']} with the lift"
        others = kind["modules"][1:]
        lines.append(line + (f"; also of {', '.join(others)}" if others else ""))
    return lines


def _said(value: float, unit: str) -> tuple[float, str]:
    """A value [m or rad] as people say it, and in what."""
    shown, said = shown_in(unit == "rad")
    return shown(value), said


def _coupling_line(coupling: dict[str, Any]) -> str:
    """Such as `rack = 0.1 mm/deg · wheel + 173.205 mm`."""
    offset, unit = _said(coupling["offset"], coupling["follower_unit"])
    terms: list[tuple[float, str]] = []
    for leader in coupling["leaders"]:
        per, leader_unit = _said(1.0, leader["unit"])
        ratio = _said(leader["ratio"] / per, coupling["follower_unit"])[0]
        in_units = "" if unit == leader_unit else f" {unit}/{leader_unit}"
        terms.append((ratio, f"{in_units} · {leader['name']}"))
    (first, what), *rest = terms
    line = f"{coupling['follower']} = {first:.6g}{what}"
    for value, what in [*rest, *([(offset, f" {unit}")] if offset else [])]:
        line += f" {'-' if value < 0.0 else '+'} {abs(value):.6g}{what}"
    return f"  {coupling['name']}: {line}"


def _actuator_line(actuator: dict[str, Any]) -> str:
    """Such as `drive: 50 · crank; effort 2, armature 1e-05`: each on the actuator's side."""
    moves = " + ".join(f"{t['ratio']:.6g} · {t['name']}" for t in actuator["transmissions"])
    stated = [
        f"{what} {actuator[what]:.6g}"
        for what in ("effort", "velocity", "armature")
        if actuator[what]
    ]
    return f"  {actuator['name']}: {'; '.join([moves, *([', '.join(stated)] if stated else [])])}"


def moved_line(move: dict[str, Any]) -> str:
    """Such as `rocker: turnZ by 0.02 deg`."""
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
