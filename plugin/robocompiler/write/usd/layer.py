"""A tree of prims as a layer of USD, in text or binary: the one place that meets its library."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from robocompiler.errors import UnwritableError
from robocompiler.write.usd.prims import Prim, Value

TEXT = ".usda"


def layer_bytes(roots: list[Prim], default: str, suffix: str) -> bytes:
    """The file: metres, kilograms, z up; the same bytes for the same prims.

    Args:
        roots: prims at the top.
        default: name of the one that the file stands for.
        suffix: `.usda` for text, in capitals or not; else it is binary.

    Raises:
        UnwritableError: USD's library is not installed.
    """
    Sdf, Gf, Vt = _library()
    writer = _Writer(Sdf, Gf, Vt)
    layer = Sdf.Layer.CreateAnonymous(TEXT)
    with Sdf.ChangeBlock():
        top = layer.pseudoRoot
        top.SetInfo("defaultPrim", default)
        top.SetInfo("metersPerUnit", 1.0)
        top.SetInfo("kilogramsPerUnit", 1.0)
        top.SetInfo("upAxis", "Z")
        for root in roots:
            writer.write(layer, root)
    if suffix.lower() == TEXT:  # USD goes by the suffix too, in capitals or not
        return str(layer.ExportToString()).encode()
    with tempfile.TemporaryDirectory() as folder:  # USD writes binary files by their path only
        path = Path(folder) / "model.usdc"
        layer.Export(str(path))
        return path.read_bytes()


def _library() -> tuple[Any, Any, Any]:
    try:
        from pxr import Gf, Sdf, Vt  # 0.1 s
    except ImportError as error:
        raise UnwritableError(
            "USD is written by its own library, which is not installed: "
            "`pip install 'partcad-robocompiler[usd]'`."
        ) from error
    return Sdf, Gf, Vt


class _Writer:
    """Writes prims into a layer."""

    def __init__(self, Sdf: Any, Gf: Any, Vt: Any) -> None:
        self.Sdf = Sdf
        self.types = {name: Sdf.ValueTypeNames.Find(name) for name in _TYPES}
        self.makers: dict[str, Callable[[Any], Any]] = {
            "float3": lambda v: Gf.Vec3f(*v),
            "vector3f": lambda v: Gf.Vec3f(*v),
            "point3f": lambda v: Gf.Vec3f(*v),
            "color3f": lambda v: Gf.Vec3f(*v),
            "double3": lambda v: Gf.Vec3d(*v),
            "quatf": lambda v: Gf.Quatf(v[0], Gf.Vec3f(*v[1:])),
            "quatd": lambda v: Gf.Quatd(v[0], Gf.Vec3d(*v[1:])),
            "token[]": Vt.TokenArray,
            "double[]": Vt.DoubleArray,
            "int[]": lambda v: Vt.IntArray.FromNumpy(np.ascontiguousarray(v, dtype=np.int32)),
            "point3f[]": lambda v: Vt.Vec3fArray.FromNumpy(np.ascontiguousarray(v, np.float32)),
            "float3[]": lambda v: Vt.Vec3fArray.FromNumpy(np.ascontiguousarray(v, np.float32)),
            "color3f[]": lambda v: Vt.Vec3fArray.FromNumpy(np.ascontiguousarray(v, np.float32)),
            "float[]": lambda v: Vt.FloatArray.FromNumpy(np.ascontiguousarray(v, np.float32)),
        }

    def write(self, parent: Any, prim: Prim) -> None:
        """A prim and all below it."""
        Sdf = self.Sdf
        specifier = Sdf.SpecifierClass if prim.is_class else Sdf.SpecifierDef
        spec = Sdf.PrimSpec(parent, prim.name, specifier, prim.type)
        if prim.schemas:
            schemas = Sdf.TokenListOp.Create(prependedItems=list(prim.schemas))
            spec.SetInfo("apiSchemas", schemas)
        if prim.display:
            spec.SetInfo("displayName", prim.display)
        if prim.kind:
            spec.SetInfo("kind", prim.kind)
        if prim.reference:
            spec.referenceList.Prepend(Sdf.Reference("", prim.reference))
        for name, value in prim.attributes.items():
            self._attribute(spec, name, value)
        for name, (kind, source) in prim.connections.items():
            attribute = Sdf.AttributeSpec(spec, name, self.types[kind])
            attribute.connectionPathList.Prepend(source)
        for name, targets in prim.relations.items():
            relation = Sdf.RelationshipSpec(spec, name, custom=False)
            for target in targets:
                relation.targetPathList.explicitItems.append(target)
        for child in prim.children:
            self.write(spec, child)

    def _attribute(self, spec: Any, name: str, value: Value) -> None:
        Sdf = self.Sdf
        variability = Sdf.VariabilityUniform if value.uniform else Sdf.VariabilityVarying
        attribute = Sdf.AttributeSpec(spec, name, self.types[value.type], variability)
        if value.value is not None:
            make = self.makers.get(value.type)
            attribute.default = value.value if make is None else make(value.value)


_TYPES = (
    "bool",
    "int",
    "float",
    "double",
    "token",
    "float3",
    "vector3f",
    "point3f",
    "color3f",
    "double3",
    "quatf",
    "quatd",
    "token[]",
    "double[]",
    "int[]",
    "point3f[]",
    "float3[]",
    "color3f[]",
    "float[]",
)
