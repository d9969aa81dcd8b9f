"""The files of an MJCF export: the model, its meshes, and the mechanism it was made from."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.model.configuration import Configuration
from robocompiler.model.geometry import Geometry
from robocompiler.model.mechanism import Mechanism
from robocompiler.model.text import to_json
from robocompiler.write.files import write_files
from robocompiler.write.meshes import WrittenMeshes, convex_hull_excess, write_meshes
from robocompiler.write.mjcf.model import MjcfOptions, mjcf_text
from robocompiler.write.mjcf.names import SIDECAR
from robocompiler.write.result import Ledger, WriteResult

# Convex hulls that add more than this share of a part's volume are worth a word.
HULL_EXCESS = 0.05


def write_mjcf(
    compiled: CompiledMechanism,
    path: Path,
    configuration: Configuration,
    geometry: Geometry,
    options: MjcfOptions,
    ledger: Ledger,
) -> WriteResult:
    """Write `path`, meshes in a folder of its name beside it, and `<stem>.mechanism.json`.

    All files or none. The mechanism is what `simulate` needs to name and measure things.
    """
    meshes = write_meshes(compiled.mechanism.meshes, geometry, f"{path.stem}_meshes")
    _note_meshes(compiled.mechanism, meshes, ledger)
    text = mjcf_text(compiled, configuration, meshes.files, options, ledger)
    sidecar = to_json(_with_files(compiled.mechanism, meshes.files))
    contents = {
        **meshes.contents,
        f"{path.stem}{SIDECAR}": sidecar.encode(),
        path.name: text.encode(),
    }
    files = write_files(path.parent, contents)
    return WriteResult(
        files=files[::-1],
        unsupported=tuple(ledger.unsupported),
        warnings=(*compiled.mechanism.warnings, *meshes.warnings, *ledger.warnings),
    )


def _with_files(mechanism: Mechanism, files: dict[str, str]) -> Mechanism:
    named = tuple(replace(mesh, file=files.get(mesh.name)) for mesh in mechanism.meshes)
    return replace(mechanism, meshes=named)


def _note_meshes(mechanism: Mechanism, meshes: WrittenMeshes, ledger: Ledger) -> None:
    for name, fault in meshes.faults.items():
        ledger.cannot_say(f"mesh {name}", f"{fault}: it is neither seen nor does it collide")
    hulls = {name: convex_hull_excess(shape) for name, shape in meshes.triangles.items()}
    if large := {name: excess for name, excess in hulls.items() if excess > HULL_EXCESS}:
        shown = ", ".join(f"{name} +{100.0 * excess:.0f} %" for name, excess in large.items())
        ledger.warn(f"parts collide as their convex hulls, which add to their volumes: {shown}")
