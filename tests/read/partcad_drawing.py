"""Small requests, as PartCAD makes them: nodes of a shape tree, and joints as lists of steps.

Placements are PartCAD's packed form, [[mm], [axis], degrees]; they are composed by PartCAD's own
`kinematics`, so that what is drawn does not depend on the code that reads it.
"""

from __future__ import annotations

import functools
from typing import Any

Packed = list[Any]

HERE: Packed = [[0.0, 0.0, 0.0], [0.0, 0.0, 1.0], 0.0]
FACING: Packed = [[0.0, 0.0, 0.0], [0.71, 0.71, 0.0], 180.0]
OVER: Packed = [[0.0, 0.0, 0.0], [1.0, 1.0, 0.0], 180.0]


def at(x=0.0, y=0.0, z=0.0, axis=(0.0, 0.0, 1.0), angle=0.0) -> Packed:
    return [[x, y, z], list(axis), angle]


def product(*placements: Packed) -> Packed:
    import kinematics

    poses = [kinematics.pose_of(placement) for placement in placements]
    return list(kinematics.packed_of(functools.reduce(kinematics.compose, poses)) or HERE)


def inverse(placement: Packed) -> Packed:
    import kinematics

    return list(kinematics.packed_of(kinematics.inverse(kinematics.pose_of(placement))) or HERE)


def fixed(location: Packed, role: str = "adjustment") -> dict[str, Any]:
    return {"type": "fixed", "role": role, "location": location}


def turn(axis="z", value=0.0, lower=None, upper=None, name=None, coupling=None) -> dict[str, Any]:
    return _free("turn", axis, value, lower, upper, name, coupling)


def move(axis="z", value=0.0, lower=None, upper=None, name=None, coupling=None) -> dict[str, Any]:
    return _free("move", axis, value, lower, upper, name, coupling)


def _free(kind, axis, value, lower, upper, name, coupling) -> dict[str, Any]:
    directions = {"x": [1.0, 0.0, 0.0], "y": [0.0, 1.0, 0.0], "z": [0.0, 0.0, 1.0]}
    vector = directions.get(axis, axis) if isinstance(axis, str) else list(axis)
    name = name or f"{kind}{axis.upper() if isinstance(axis, str) else ''}"
    return {
        "type": "free",
        "kind": kind,
        "axis": vector,
        "lower": lower,
        "upper": upper,
        "value": value,
        "source": [{"parameter": name}],
        "coupling": coupling,
    }


def joint(name, parent, child, steps, **more) -> dict[str, Any]:
    return {"name": name, "parent": parent, "child": child, "steps": list(steps), **more}


def connected(to: Packed, steps, own: Packed) -> list[dict[str, Any]]:
    """The steps of a connection of a port of one's own to a port `to`."""
    return [
        fixed(to, "port"),
        fixed(FACING, "facing"),
        *steps,
        fixed(inverse(own), "sourcePort"),
    ]


def placed_by(steps) -> Packed:
    """Where the child of a joint is drawn, seen from its parent: PartCAD multiplies the steps."""
    import kinematics

    return list(kinematics.packed_of(kinematics.Joint({"steps": steps}).location()) or HERE)


def port(name, location: Packed = HERE, interface="//:axis") -> dict[str, Any]:
    return {"name": name, "location": location, "interface": interface, "instance": name}


def marker(kind, instance="", package="//rc", **values) -> dict[str, Any]:
    """An entry of `interfaces`, the parameters in the order of their names as PartCAD has them."""
    said = ",".join(f"{key}={value}" for key, value in sorted(values.items()))
    name = f"{package}:{kind}" + (f";{said}" if said else "")
    return {
        "name": name,
        "instance": instance,
        "ports": [f"{instance}-{kind}/" if instance else f"{kind}/"],
    }


def part(label, location: Packed = HERE, ports=(), name=None, **more) -> dict[str, Any]:
    return {
        "name": f"//:{name or label}",
        "label": label,
        "kind": "part",
        "location": location,
        "ports": list(ports),
        "brep": f"solid of {name or label}",
        **more,
    }


def assembly(label, children, markers=(), location: Packed = HERE, **more) -> dict[str, Any]:
    return {
        "name": f"//:{label}",
        "label": label,
        "kind": "assembly",
        "location": location,
        "interfaces": list(markers),
        "assembly": list(children),
        **more,
    }


def jointed(label, target, name, steps, on: Packed = HERE, ports=(), **more) -> dict[str, Any]:
    """A part held by a joint to a sibling that is itself placed at `on`."""
    extra = {
        key: more.pop(key) for key in ("physics", "mimic", "softLimits", "turnLimit") if key in more
    }
    return part(
        label,
        product(on, placed_by(steps)),
        ports,
        joint=joint(name, target, label, steps, **extra),
        **more,
    )


CUBE = {"mass": 0.5, "centerOfMass": [1.0, 2.0, 3.0]} | {
    "inertia": {"ixx": 1e-4, "ixy": 0.0, "ixz": 0.0, "iyy": 1e-4, "iyz": 0.0, "izz": 1e-4}
}


def request(tree, properties=None, **more) -> dict[str, Any]:
    """A request whose every part weighs half a kilogram, unless `properties` says otherwise."""
    index = {name: {"physics": CUBE} for name in _parts(tree)}
    return {
        "shape_name": tree["label"],
        "shape_tree": tree,
        "properties": {**index, **(properties or {})},
        "static": True,
        "closure_tolerance": 0.5,
        "closure_angle_tolerance": 0.5,
        **more,
    }


def _parts(node) -> list[str]:
    below = [name for child in node.get("assembly", ()) for name in _parts(child)]
    return [*([node["name"]] if "brep" in node else []), *below]
