"""Write a compiled mechanism in any of the formats."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from robocompiler.compiler.compile import compile_mechanism
from robocompiler.compiler.compiled import Closure, CompiledMechanism
from robocompiler.errors import BadValueError, FormatError
from robocompiler.model.configuration import Configuration
from robocompiler.model.geometry import Geometry
from robocompiler.model.text import to_json
from robocompiler.parameters import EXPORT, SECONDS, positive
from robocompiler.read.geometry import stl_geometry
from robocompiler.solve.assembly.assemble import assemble
from robocompiler.solve.assembly.carrying import carry_over
from robocompiler.units import degrees, millimetres
from robocompiler.write.configuration import check_complete, closed_again
from robocompiler.write.files import write_files
from robocompiler.write.mjcf.files import write_mjcf
from robocompiler.write.mjcf.model import MjcfOptions
from robocompiler.write.mjcf.names import MJCF_CUTTABLE
from robocompiler.write.result import Ledger, WriteResult

# Loops of exact geometry close to less than this [m, rad].
CLOSED = 1e-10
# What closing the loops may move a joint by [m, rad] before a word is due.
MOVED_LENGTH, MOVED_ANGLE = 1e-4, math.radians(0.1)
SUFFIXES = {".xml": "mjcf", ".mjcf": "mjcf", ".json": "json", ".c": "c"}


def write(
    compiled: CompiledMechanism,
    path: str | Path,
    configuration: Configuration | None = None,
    *,
    format: str | None = None,
    geometry: Geometry | None = None,
    timestep: float | str | None = None,
    ground_plane: bool = False,
    light: bool = False,
    independent: Sequence[str] = (),
) -> WriteResult:
    """Write a mechanism where it stands. All files of it, or none.

    Where the format cannot close a cut joint exactly, the mechanism is compiled again with the
    kinds that it can, and the configuration carried over by joint names. So it is where couplings
    are eliminated: a simulator has its own coordinates for followers, and has to be told of them.

    Args:
        compiled: the mechanism.
        path: of the model; the folder must be there.
        configuration: where it stands, closed again to rounding; None to assemble it.
        format: `mjcf`, `json` (the mechanism's own) or `c` (generated code and its header, for
            controllers); None to go by the suffix.
        geometry: gives the meshes' triangles; None for the STL files they name, from here.
        timestep: of the simulation [s]; None to have it derived from the masses at the cuts.
        ground_plane: whether there is a floor at z = 0.
        light: whether there is a light overhead.
        independent: for `c`, joints or single speeds that drive the others, as `rc.bind` has them.

    Raises:
        FormatError: no such format.
        BadValueError: a timestep that is none.
        UnwritableError: a loop that has no joint the format can close exactly; names, masses or
            inertias that it cannot hold; for `c`, nothing that follows from anything.
        GenerationError, PartitionError: for `c`, as `rc.bind`.
        UnknownNameError, BadValueError: a configuration without a joint, or with no number of it.
        ClosureError, CouplingError: a configuration in which a loop or a coupling is open.
        OutputError: a file or folder that cannot be written.
    """
    path = Path(path)
    written = format or SUFFIXES.get(path.suffix)
    ledger = Ledger()
    if written != "c":  # which is of a study, as tasks are
        _note_tasks(compiled, ledger)
    if written == "json":
        files = write_files(path.parent, {path.name: to_json(compiled.mechanism).encode()})
        return WriteResult(files=files, unsupported=tuple(ledger.unsupported), warnings=())
    if written not in ("mjcf", "c"):
        raise FormatError(
            f"'{path}' names no format: a suffix is one of {', '.join(SUFFIXES)}, "
            "`format` one of mjcf, json, c."
        )
    if configuration is None:
        configuration = assemble(compiled)
        _note_moved(compiled, configuration, ledger)
    else:
        check_complete(compiled, configuration)
        configuration = closed_again(compiled, configuration)
    if written == "c":
        from robocompiler.write.c_code import write_c  # who writes no C need not load the emitter

        return write_c(compiled, path, configuration, independent, ledger)
    if (
        compiled.tasks
        or compiled.eliminated
        or any(c.kind not in MJCF_CUTTABLE for c in compiled.closures)
    ):
        compiled, configuration = _cut_for_mjcf(compiled, configuration, ledger)
    else:
        _note_cuts(compiled, ledger)
    _note_gaps(configuration, ledger)
    options = MjcfOptions(
        timestep=None if timestep is None else positive(EXPORT, "timestep", timestep, SECONDS),
        ground_plane=_flag("ground_plane", ground_plane),
        light=_flag("light", light),
    )
    source = geometry or stl_geometry(Path())
    return write_mjcf(compiled, path, configuration, source, options, ledger)


def _note_tasks(compiled: CompiledMechanism, ledger: Ledger) -> None:
    for task in compiled.tasks:
        what = f"that it holds '{task.body}': a task is of the study, not of the mechanism"
        ledger.cannot_say(f"task '{task.name}'", what)


def _cut_for_mjcf(
    compiled: CompiledMechanism, configuration: Configuration, ledger: Ledger
) -> tuple[CompiledMechanism, Configuration]:
    again = compile_mechanism(compiled.mechanism, MJCF_CUTTABLE)
    cuts = {closure.name: closure for closure in again.closures}
    tasks = {task.hold for task in compiled.tasks}
    for closure in compiled.closures:
        if closure.kind not in MJCF_CUTTABLE and closure.name not in tasks:
            moved = cuts.pop(closure.name, None)
            instead = f"'{moved.chord.joint.name}'" if moved else "another joint of it"
            ledger.warn(
                f"loop '{closure.name}': MJCF cannot close a {closure.kind.value} joint exactly, "
                f"so {instead} is cut instead of '{closure.chord.joint.name}'"
            )
    _note_cuts(again, ledger, [closure for closure in again.closures if closure.name in cuts])
    return again, carry_over(again, configuration)


def _note_cuts(
    compiled: CompiledMechanism, ledger: Ledger, closures: Sequence[Closure] | None = None
) -> None:
    """Where another joint was cut than the one a user declared."""
    for closure in compiled.closures if closures is None else closures:
        name, cut = closure.name, closure.chord.joint.name
        if cut != name:
            ledger.warn(
                f"loop '{name}' is opened at '{cut}', not at '{name}', because {closure.reason}"
            )


def _note_gaps(configuration: Configuration, ledger: Ledger) -> None:
    for gap in configuration.gaps:
        if max(gap.gap, gap.angle) > CLOSED:
            ledger.warn(
                f"loop '{gap.closure}' closes only to {millimetres(gap.gap):.2g} mm and "
                f"{degrees(gap.angle):.2g}°: its lengths or axes are rounded, and it has no "
                "freedom to make up for that"
            )


def _note_moved(compiled: CompiledMechanism, configuration: Configuration, ledger: Ledger) -> None:
    """Joints that closing the loops moved by more than a drawing's rounding."""
    kinds = {t.edge.joint.name: t.edge.joint.kind for t in compiled.tree}
    for name, by in configuration.moved:
        turns = any(factor.is_turn for factor in kinds[name].factors)
        said = f"{degrees(by):.3g}°" if turns else f"{millimetres(by):.3g} mm"
        if by > (MOVED_ANGLE if turns else MOVED_LENGTH):
            ledger.warn(f"joint '{name}' starts {said} from where it is drawn, so that loops close")


def _flag(parameter: str, value: bool) -> bool:
    """A yes or no as given; text such as `no` is neither."""
    if not isinstance(value, bool):
        raise BadValueError(EXPORT, parameter, str(value), "true or false")
    return value
