"""Write a compiled mechanism in any of the formats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.errors import BadValueError, LossError
from robocompiler.model.configuration import Configuration
from robocompiler.model.geometry import Geometry
from robocompiler.model.text import to_json
from robocompiler.parameters import EXPORT
from robocompiler.read.mesh_files import mesh_geometry
from robocompiler.solve.assembly.assemble import assemble
from robocompiler.write.beside import check_beside, left_over
from robocompiler.write.configuration import check_complete, closed_again
from robocompiler.write.export import ASSEMBLED, LEDGER, SIDECAR
from robocompiler.write.files import write_files
from robocompiler.write.known_formats import FORMATS, format_name
from robocompiler.write.ledger import Ledger
from robocompiler.write.ledger_file import ledger_file
from robocompiler.write.options import checked_options
from robocompiler.write.prepare import prepare
from robocompiler.write.result import WriteResult
from robocompiler.write.sidecar import sidecar_bytes
from robocompiler.write.standing import note_moved
from robocompiler.write.statements import OF_A_STUDY, task_statements

OF_MODELS = frozenset({"ledger", "strict", "configurations"})
"""Options of every format of models."""


class _Other(NamedTuple):
    """What is written and is no model."""

    title: str
    options: frozenset[str]


NO_MODELS = {
    "json": _Other("a mechanism", frozenset()),
    "c": _Other("C code", frozenset({"independent"})),
}


def write(
    compiled: CompiledMechanism,
    path: str | Path,
    configuration: Configuration | None = None,
    *,
    format: str | None = None,
    geometry: Geometry | None = None,
    configurations: Mapping[str, Configuration] | None = None,
    ledger: bool = False,
    strict: bool = False,
    timestep: float | str | None = None,
    ground_plane: bool = False,
    light: bool = False,
    root: str | None = None,
    intermediate_mass: float | str | None = None,
    usd_profile: str = "generic",
    independent: Sequence[str] = (),
) -> WriteResult:
    """Write a mechanism where it stands. All files of it, or none.

    Where the format cannot close a cut joint exactly, the mechanism is compiled again with the
    kinds that it can, and the configuration carried over by joint names. So it is where couplings
    are eliminated: a simulator has its own coordinates for followers, and has to be told of them.

    Beside a model go its meshes in a folder `<stem>_meshes`, and the mechanism as
    `<stem>.mechanism.json`; models of one stem in one folder share both. Where that file says the
    same mechanism already, as the description does that the model is made from, it is kept.

    Args:
        compiled: the mechanism.
        path: of the model; the folder must be there.
        configuration: where it stands, closed again to rounding; None to assemble it.
        format: `mjcf`, `urdf`, `sdf`, `usd`, `json` (the mechanism's own) or `c` (generated code
            and its header, for controllers); None to go by the suffix.
        geometry: gives the meshes' triangles; None for the files they name, from here.
        configurations: others to write too, by name, each closed again to rounding. Like `ledger`
            and `strict` they are of models: neither `json` nor `c` has them.
        ledger: whether to write what became of all that the mechanism says, as JSON, to
            `<file>.ledger.json`; one that is there is brought up to date in any case.
        strict: whether to refuse to write where anything is lost.
        timestep: mjcf: of the simulation [s]; None to have it derived from the masses at the cuts.
        ground_plane: mjcf, sdf: whether there is a floor at z = 0.
        light: mjcf, sdf: whether there is a light overhead.
        root: urdf: `base_footprint` for a link of that name without mass above the first.
        intermediate_mass: urdf, sdf, usd: mass [kg] of links that stand between the axes of a joint
            that the format lacks; 0 for none, None to refuse such joints.
        usd_profile: usd: whose importer it is for: `generic`, `mujoco`, `physx`, `newton`.
        independent: for `c`, joints or single speeds that drive the others, as `rc.bind` has them.

    Raises:
        FormatError: no such format.
        BadValueError: a mechanism that is not compiled; options' values that are none, or options
            that the format has not: all of them at once.
        UnwritableError: a loop that has no joint the format can close exactly, or a joint that it
            lacks; names, masses or inertias that it cannot hold; for `c`, nothing that follows from
            anything.
        LossError: with `strict`, all that would be lost.
        GenerationError, PartitionError: for `c`, as `rc.bind`.
        UnknownNameError, BadValueError: a configuration without a joint, or with no number of it.
        ClosureError, CouplingError: a configuration in which a loop or a coupling is open.
        OutputError: a file or folder that cannot be written.
        ForeignFilesError: files beside the model that would be replaced and are not ours.
    """
    if not isinstance(compiled, CompiledMechanism):
        given = f"a {type(compiled).__name__}"
        raise BadValueError("The mechanism", "given", given, "compiled: `rc.compile(mechanism)` is")
    path = Path(path)
    name = format_name(path, format)
    form = FORMATS.get(name)
    options, more = checked_options(
        {
            "timestep": timestep,
            "ground_plane": ground_plane,
            "light": light,
            "root": root,
            "intermediate_mass": intermediate_mass,
            "usd_profile": usd_profile,
            "ledger": ledger,
            "strict": strict,
            "configurations": configurations,
            "independent": independent,
        },
        form.options | OF_MODELS if form else NO_MODELS[name].options,
        form.title if form else NO_MODELS[name].title,
    )
    if name == "json":
        return _write_json(compiled, path)
    notes = Ledger()
    standing = _closed(compiled, configuration, notes)
    if form is None:
        from robocompiler.write.c_code import write_c  # who writes no C need not load the emitter

        return write_c(compiled, path, standing, more.independent, notes)
    named = {ASSEMBLED: standing, **_named(compiled, more.configurations)}
    export = prepare(form, compiled, named, path, options, geometry or mesh_geometry(Path()), notes)
    contents = form.contents(export)
    if more.strict and notes.unsupported:
        raise LossError(form.title, [str(entry) for entry in notes.unsupported])
    warnings = (
        *compiled.mechanism.warnings,
        *export.meshes.warnings,
        *notes.warnings,
        *left_over(path, form.sometimes, contents),
    )
    if more.ledger or (path.parent / f"{path.name}{LEDGER}").exists():  # that of an export before
        contents |= ledger_file(form, export, warnings)
    sidecar = path.stem + SIDECAR
    beside = sidecar_bytes(path.parent / sidecar, compiled.mechanism, export.meshes.files)
    contents |= {sidecar: beside, **export.meshes.contents}
    check_beside(path, contents, shared=export.meshes.contents)
    return WriteResult(
        files=write_files(path.parent, contents),
        ledger=notes.entries,
        warnings=warnings,
        names=export.names,
    )


def _write_json(compiled: CompiledMechanism, path: Path) -> WriteResult:
    """The mechanism's own form says all of it, but what is of a study."""
    files = write_files(path.parent, {path.name: to_json(compiled.mechanism).encode()})
    ledger = Ledger()
    for statement in task_statements(compiled):
        ledger.drop(*statement, OF_A_STUDY)
    return WriteResult(files=files, ledger=ledger.entries, warnings=())


def _closed(
    compiled: CompiledMechanism, configuration: Configuration | None, ledger: Ledger
) -> Configuration:
    """Where it is to stand: as asked for, or assembled, which may move what is drawn."""
    if configuration is not None:
        check_complete(compiled, configuration)
        return closed_again(compiled, configuration)
    assembled = assemble(compiled)
    note_moved(compiled, assembled, ledger)
    return assembled


def _named(
    compiled: CompiledMechanism, configurations: Mapping[str, Configuration]
) -> dict[str, Configuration]:
    if ASSEMBLED in configurations:
        told = "another name: this one is of where the mechanism stands"
        raise BadValueError(EXPORT, "configurations", ASSEMBLED, told)
    for configuration in configurations.values():
        check_complete(compiled, configuration)
    return {name: closed_again(compiled, own) for name, own in configurations.items()}
