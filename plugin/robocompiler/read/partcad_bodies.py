"""PartCAD's rigid bodies as ours: mass, shapes, and how their surfaces behave."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from robocompiler.errors import BadValueError
from robocompiler.model.mechanism import Body, Inertia, Mesh, Shape, Surface
from robocompiler.read.materials import material_of, quantity
from robocompiler.read.partcad_findings import Findings, Names
from robocompiler.read.partcad_materials import Materials
from robocompiler.read.partcad_meshes import mesh_key, mesh_names
from robocompiler.read.partcad_tree import Node, pose_of
from robocompiler.spatial import Vec3
from robocompiler.units import metres

Color = tuple[float, float, float, float]

# Of a shape's physics. Mass properties are PartCAD's to combine; volumes are what it measured.
CARRIED = frozenset(
    {"mass", "density", "centerOfMass", "inertia", "inertiaOrientation", "friction"}
    | {"restitution", "volume", "centerOfVolume"}
)


@dataclass(slots=True)
class BodyReader:
    """Reads the bodies of one request."""

    properties: Mapping[str, Any] | None
    meshes: Mapping[str, str]
    """Name of the mesh of each distinct solid, by `mesh_key`."""
    colors: Mapping[int, str]
    """What each node is coloured, by its `id`, where it or what holds it says so."""
    names: Names
    """Of shapes."""
    materials: Materials
    """Checks what each part is made of."""
    findings: Findings

    def body(self, body: Any) -> Body:
        """A body of PartCAD's, its shapes in the order it lists them."""
        shapes = [self._shape(body, part) for part in body.parts]
        return Body(
            name=body.name,
            inertia=_inertia(body),
            shapes=tuple(shape for shape in shapes if shape is not None),
        )

    def _shape(self, body: Any, part: Any) -> Shape | None:
        where = "/".join(map(str, part.path)) or str(part.label or part.name or body.name)
        physics = part.physics or {}
        self.findings.not_carried(f"Part '{part.name or where}'", physics.keys() - CARRIED)
        stated = stated_properties(part.node, self.properties)
        self.materials.check(part.node, part.name or where, stated.get("material"), physics)
        mesh = self.meshes.get(mesh_key(part.node) or "")
        if mesh is None:
            self.findings.warn(f"Part '{part.name or where}' has no solid geometry: not written.")
            return None
        material = material_of(stated.get("material"), physics.get("density"))
        color = self.colors.get(id(part.node)) or quantity(material, "colour")
        X_BS = pose_of(part.placement)
        return Shape(
            name=self.names.claim(where),
            mesh=mesh,
            position=X_BS.position,
            rotation=X_BS.quaternion,
            color=self._color(where, color),
            surface=_surface(physics, material),
        )

    def _color(self, where: str, text: str | None) -> Color | None:
        if text is None:
            return None
        try:
            channels = bytes.fromhex(str(text).removeprefix("#"))
        except ValueError:
            channels = b""
        if len(channels) not in (3, 4):
            fault = BadValueError(f"Part '{where}'", "color", str(text), "#RRGGBB or #RRGGBBAA")
            self.findings.faults.append(fault)
            return None
        r, g, b, a = (channel / 255.0 for channel in (*channels, 255)[:4])
        return (r, g, b, a)


def read_bodies(
    bodies: Sequence[Any],
    tree: Node,
    properties: Mapping[str, Any] | None,
    packages: frozenset[str],
    findings: Findings,
) -> tuple[tuple[Body, ...], tuple[Mesh, ...]]:
    """The bodies, and the meshes of their distinct solids.

    Args:
        bodies: what `kinematics.bodies` made of the tree.
        tree: the request's shape tree.
        properties: the request's index of what each object states and PartCAD derived.
        packages: what this package is mounted as, as far as it is known.
        findings: takes what is wrong, what is not carried, and what a part weighs for no reason.
    """
    meshes = mesh_names(tree)
    colors = dict(_colors(tree, properties, None))
    materials = Materials.of(tree, packages, findings)
    reader = BodyReader(properties, meshes, colors, Names(), materials, findings)
    read = tuple(reader.body(body) for body in bodies)
    materials.tell_unstated()
    return read, tuple(Mesh(name=name) for name in meshes.values())


def stated_properties(node: Node, properties: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """What an object says of itself, and PartCAD derived; without an index, what the node says."""
    import kinematics

    if properties is None:
        return node.get("properties") or {}
    return kinematics.properties_of(properties, node) or {}


def _colors(
    node: Node, properties: Mapping[str, Any] | None, inherited: str | None
) -> Iterator[tuple[int, str]]:
    """An assembly that states a colour colours all below that states none."""
    color = stated_properties(node, properties).get("color") or inherited
    if color:
        yield id(node), str(color)
    for child in node.get("assembly") or ():
        yield from _colors(child, properties, color)


def _inertia(body: Any) -> Inertia | None:
    """Combined from the parts; a negative mass, which PartCAD leaves out, is kept as such."""
    import mass_properties

    wrong = [m for m in (_mass(part.physics) for part in body.parts) if m is not None and m < 0.0]
    if wrong:
        return Inertia(mass=wrong[0])
    if not body.physics:
        return None
    center = body.physics.get("centerOfMass") or (0.0, 0.0, 0.0)
    t = mass_properties.tensor_of(body.physics) or [[0.0] * 3] * 3
    return Inertia(
        mass=float(body.physics["mass"]),
        center=vector([metres(c) for c in map(float, center)]),
        moments=(t[0][0], t[1][1], t[2][2]),
        products=(t[0][1], t[0][2], t[1][2]),
    )


def _mass(physics: Mapping[str, Any] | None) -> float | None:
    """What a part states or weighs [kg]; None where it is no number."""
    mass = (physics or {}).get("mass")
    is_number = isinstance(mass, (int, float)) and math.isfinite(mass)
    return float(mass) if is_number and mass is not None else None


def vector(values: Iterable[float]) -> Vec3:
    """Three numbers."""
    x, y, z = map(float, values)
    return (x, y, z)


def _surface(physics: Mapping[str, Any], material: Mapping[str, Any]) -> Surface:
    """What the part states and PartCAD resolved, before what the catalogue knows."""

    def first(stated: object, key: str) -> float | None:
        value = quantity(material, key) if stated is None else stated
        return float(value) if isinstance(value, (int, float)) else None

    return Surface(
        friction=first(physics.get("friction"), "kinetic_friction"),
        torsional_friction=first(None, "torsional_friction"),
        rolling_friction=first(None, "rolling_friction"),
        restitution=first(physics.get("restitution"), "restitution"),
    )
