"""A mechanism made ready for a format: cut, standing, its meshes written, its ledger opened."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.model.configuration import Configuration
from robocompiler.model.geometry import Geometry
from robocompiler.solve.assembly.carrying import carry_over
from robocompiler.write.cutting import cut_for
from robocompiler.write.export import ASSEMBLED, Export
from robocompiler.write.fidelity import Property
from robocompiler.write.formats import Format
from robocompiler.write.ledger import Ledger
from robocompiler.write.meshes import WrittenMeshes, write_meshes
from robocompiler.write.options import WriteOptions
from robocompiler.write.standing import note_gaps
from robocompiler.write.statements import statements, task_statements


def prepare(
    form: Format,
    compiled: CompiledMechanism,
    configurations: Mapping[str, Configuration],
    path: Path,
    options: WriteOptions,
    geometry: Geometry,
    ledger: Ledger,
) -> Export:
    """The mechanism cut and standing as the format has it, and its meshes.

    Args:
        form: the format.
        compiled: the mechanism as the user has it.
        configurations: closed, `ASSEMBLED` among them.
        path: of the model.
        options: what is asked for.
        geometry: gives the meshes' triangles.
        ledger: takes what to look at; its account is opened.
    """
    cut = cut_for(form.title, form.cuttable(options), compiled, ledger)
    if cut is not compiled:
        configurations = {name: carry_over(cut, own) for name, own in configurations.items()}
    note_gaps(configurations[ASSEMBLED], ledger)
    ledger.carries = form.carries(options)
    ledger.statements = (*statements(cut, tuple(configurations)), *task_statements(compiled))
    meshes = write_meshes(cut.mechanism.meshes, geometry, f"{path.stem}_meshes")
    _note_missing(meshes, ledger)
    return Export(cut, configurations, path.stem, path.suffix, meshes, options, ledger)


def _note_missing(meshes: WrittenMeshes, ledger: Ledger) -> None:
    for name, fault in meshes.faults.items():
        ledger.drop(Property.VISUAL, f"mesh {name}", "how it is seen", f"it {fault}")
        ledger.drop(Property.COLLISION, f"mesh {name}", "how it collides", f"it {fault}")
