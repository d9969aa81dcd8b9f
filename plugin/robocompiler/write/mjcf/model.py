"""Write a compiled mechanism as MJCF, MuJoCo's own format."""

from __future__ import annotations

import json
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.solve.mobility.mobility import mobility_at
from robocompiler.solve.state import State
from robocompiler.spatial import Array
from robocompiler.write.base import base_name, base_pose
from robocompiler.write.comments import comment
from robocompiler.write.export import ASSEMBLED, Export
from robocompiler.write.ledger import Ledger
from robocompiler.write.loops import SHORTEST_LEVER
from robocompiler.write.mjcf.actuators import motor_elements, motor_tendons, rotor_inertias
from robocompiler.write.mjcf.bodies import Scene, scene_elements, world_elements
from robocompiler.write.mjcf.check import check_names
from robocompiler.write.mjcf.closures import (
    equality_elements,
    exclude_elements,
    tendon_elements,
)
from robocompiler.write.mjcf.inertias import check_weights
from robocompiler.write.mjcf.keys import key_elements
from robocompiler.write.mjcf.names import CLOSURE_CLASS, CUTS
from robocompiler.write.mjcf.stiffness import IMPEDANCE, Stiffness, closure_stiffness
from robocompiler.write.mjcf.ties import tie_tendons
from robocompiler.write.numbers import number, numbers


def mjcf_text(export: Export) -> str:
    """The MJCF model: where it stands becomes `qpos0`.

    Raises:
        UnwritableError: names, masses or inertias that MJCF cannot hold.
    """
    compiled, ledger, options = export.compiled, export.ledger, export.options
    check_weights(compiled)
    q, state, meshes = export.q, export.state, export.meshes.files
    stiffness = closure_stiffness(compiled, state, options.timestep)
    _note_stiffness(stiffness, ledger)
    scene = Scene(compiled, state, q, frozenset(meshes), rotor_inertias(compiled), ledger)
    bodies, order = world_elements(scene)
    root = Element("mujoco", model=compiled.mechanism.name)
    root.append(comment(f"{compiled.mechanism.name}: {_size(compiled, q)}"))
    root.append(comment(f"joint coordinates as in the CAD; key '{ASSEMBLED}' is closed"))
    SubElement(root, "compiler", angle="radian", autolimits="true", inertiafromgeom="false")
    root.append(_custom(compiled))
    root.append(_option(compiled, stiffness))
    root.append(_defaults(stiffness))
    root.append(_assets(meshes))
    worldbody = SubElement(root, "worldbody")
    scene_elements(worldbody, options.ground_plane, options.light)
    worldbody.extend(bodies)
    _constraints(root, compiled, state, ledger)
    if keys := list(key_elements(export, order)):
        SubElement(root, "keyframe").extend(keys)
    check_names(root, compiled)
    indent(root)
    return tostring(root, encoding="unicode") + "\n"


def _size(compiled: CompiledMechanism, q: Array) -> str:
    counts = {
        "body": len(compiled.mechanism.bodies),
        "loop": len(compiled.closures),
        "coupling": len(compiled.couplings),
    }
    plural = {"body": "bodies"}
    said = [f"{n} {what if n == 1 else plural.get(what, f'{what}s')}" for what, n in counts.items()]
    return f"{', '.join(said)}, mobility {mobility_at(compiled, q)}"


def _custom(compiled: CompiledMechanism) -> Element:
    """Which joints were cut, so that whoever reads the mechanism beside it cuts the same."""
    cuts = sorted(closure.chord.joint.name for closure in compiled.closures)
    custom = Element("custom")
    SubElement(custom, "text", name=CUTS, data=json.dumps(cuts))
    return custom


def _constraints(root: Element, compiled: CompiledMechanism, state: State, ledger: Ledger) -> None:
    sections = {
        "contact": list(exclude_elements(compiled)),
        "equality": list(equality_elements(compiled, state, ledger)),
        "tendon": _tendons(root, compiled),
        "actuator": list(motor_elements(compiled, ledger)),
    }
    for tag, elements in sections.items():
        if elements:
            SubElement(root, tag).extend(elements)


def _tendons(root: Element, compiled: CompiledMechanism) -> list[Element]:
    """The tendons, with their sites added to the bodies they are on."""
    tendons: list[Element] = []
    named = {element.get("name"): element for element in root.iter("body")}
    worldbody = root.find("worldbody")
    for tendon, sites in tendon_elements(compiled, 10.0 * SHORTEST_LEVER):
        tendons.append(tendon)
        for index, name, X in sites:
            moved = base_pose(compiled).inverse() @ X if index == 0 else X
            host = named.get(_host_name(compiled, index), worldbody)
            site = Element("site", name=name, pos=numbers(moved.position))
            if host is not None:
                host.append(site)
    return [*tendons, *tie_tendons(compiled), *motor_tendons(compiled)]


def _host_name(compiled: CompiledMechanism, index: int) -> str | None:
    return base_name(compiled) if index == 0 else compiled.bodies[index].name


def _option(compiled: CompiledMechanism, stiffness: Stiffness) -> Element:
    """The integrator that holds stiff closures, and what surrounds the mechanism."""
    option = Element("option", timestep=number(stiffness.timestep), integrator="discrete")
    environment = compiled.mechanism.environment
    if environment.gravity is not None:
        option.set("gravity", numbers(environment.gravity))
    if environment.density:
        option.set("density", number(environment.density))
    if environment.viscosity:
        option.set("viscosity", number(environment.viscosity))
    return option


def _defaults(stiffness: Stiffness) -> Element:
    """A class of its own for closures, so that a user can retune them in one place.

    Limits are as stiff: MuJoCo's own would give way to the efforts that the closures withstand.
    """
    reference = numbers((stiffness.time_constant, 1.0))
    impedance = numbers((IMPEDANCE, IMPEDANCE, 0.001))
    defaults = Element("default")
    SubElement(defaults, "geom", type="mesh", mass="0")
    SubElement(defaults, "joint", solreflimit=reference, solimplimit=impedance)
    closure = SubElement(defaults, "default", {"class": CLOSURE_CLASS})
    SubElement(closure, "equality", solref=reference, solimp=impedance)
    return defaults


def _assets(meshes: dict[str, str]) -> Element:
    """The meshes; their mass properties are never asked for, so a thin sheet is no problem."""
    assets = Element("asset")
    for name, file in meshes.items():
        SubElement(assets, "mesh", name=name, file=file, inertia="shell")
    return assets


def _note_stiffness(stiffness: Stiffness, ledger: Ledger) -> None:
    if not stiffness.meets_rest_gap:
        ledger.warn(
            f"a timestep of {stiffness.timestep:g} s is too long to hold loops and couplings "
            "within 0.1 mm and 0.1° at rest with the declared efforts; "
            f"{stiffness.wanted_timestep:.2g} s would"
        )
