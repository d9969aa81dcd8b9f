"""The command `convert`: a mechanism in another format, and what became of all that it says."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from robocompiler.cli.read import read_file
from robocompiler.cli.show import moved, moved_line
from robocompiler.cli.values import read_assignments, read_quantity
from robocompiler.compiler.compile import compile_mechanism
from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.errors import BadValueError, made_of_each, raise_all
from robocompiler.model.configuration import Configuration
from robocompiler.read.mesh_files import mesh_geometry
from robocompiler.solve.assembly.assemble import assemble
from robocompiler.write.ledger_file import entry_data
from robocompiler.write.ledger_table import count_lines, loss_lines, renamed_lines
from robocompiler.write.options import ROOTS, USD_PROFILES
from robocompiler.write.result import WriteResult
from robocompiler.write.write import write

CONFIGURATION = "NAME:JOINT=VALUE,..."


def add_convert(commands: Any) -> None:
    """Add `convert` to the command line."""
    parser = commands.add_parser("convert", help="compile a description and write it")
    parser.add_argument("file", type=Path)
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        required=True,
        help="the format by its suffix: .xml (MJCF), .urdf, .sdf, .usda, .json, .c",
    )
    parser.add_argument(
        "--ledger", action="store_true", help="write what became of all that is said, as JSON"
    )
    parser.add_argument(
        "--strict", action="store_true", help="refuse to write where anything is lost"
    )
    parser.add_argument(
        "--configuration",
        action="append",
        default=[],
        metavar=CONFIGURATION,
        help="one to write too, under a name: low:crank=35deg,slide=10mm",
    )
    _add_options(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(run=_convert)


def _add_options(parser: argparse.ArgumentParser) -> None:
    """What `write` hands on to the format."""
    parser.add_argument("--timestep", metavar="VALUE", help="mjcf: of the simulation: 0.5ms")
    parser.add_argument("--ground-plane", action="store_true", help="mjcf, sdf: a floor at z = 0")
    parser.add_argument("--light", action="store_true", help="mjcf, sdf: a light overhead")
    parser.add_argument("--root", choices=ROOTS, help="urdf: a root link above the first")
    parser.add_argument(
        "--intermediate-mass",
        metavar="VALUE",
        help="urdf, sdf, usd: of links between the axes of a joint that the format lacks: 1g",
    )
    parser.add_argument(
        "--usd-profile", choices=USD_PROFILES, default=USD_PROFILES[0], help="usd: for whom it is"
    )


def _convert(options: argparse.Namespace) -> None:
    compiled = compile_mechanism(read_file(options.file))
    asked = _asked(compiled, options)
    # The mechanism's own JSON says what is drawn, so that it need not close.
    standing = None if options.output.suffix.lower() == ".json" else assemble(compiled)
    result = write(
        compiled,
        options.output,
        standing,
        geometry=mesh_geometry(options.file.parent),
        ledger=options.ledger,
        strict=options.strict,
        ground_plane=options.ground_plane,
        light=options.light,
        root=options.root,
        usd_profile=options.usd_profile,
        **asked,
    )
    moves = moved(compiled, standing)
    if options.json:
        print(json.dumps(_data(result, moves), indent=1), flush=True)
    elif result.ledger:
        print("\n".join(_lines(result)), flush=True)
    for line in (
        f"wrote {_listed([str(path) for path in result.files])}",
        *(f"warning: {warning}" for warning in result.warnings),
        *(f"moved: {moved_line(move)}" for move in moves),
        *(f"renamed: {line}" for line in renamed_lines(result.names)),
    ):
        print(line, file=sys.stderr)


def _asked(compiled: CompiledMechanism, options: argparse.Namespace) -> dict[str, Any]:
    """What has to be read from text, with all that is wrong about it told at once."""
    makers: dict[str, Callable[[], Any]] = {
        "timestep": partial(_quantity, "--timestep", options.timestep, "second"),
        "intermediate_mass": partial(
            _quantity, "--intermediate-mass", options.intermediate_mass, "kilogram"
        ),
        "configurations": partial(_configurations, compiled, options.configuration),
    }
    return made_of_each(makers)


def _quantity(option: str, text: str | None, unit: str) -> float | None:
    return None if text is None else read_quantity(text, unit, option, "value")


def _configurations(
    compiled: CompiledMechanism, given: Sequence[str]
) -> Mapping[str, Configuration]:
    """Those asked for by name, each on the branch that is drawn."""

    def assembled(values: Sequence[str]) -> Configuration:
        return assemble(compiled, read_assignments(compiled, values, "--configuration"))

    return made_of_each(
        {name: partial(assembled, values) for name, values in read_configurations(given).items()}
    )


def read_configurations(given: Sequence[str]) -> dict[str, list[str]]:
    """Names, and what is said of each joint, of texts such as `low:crank=35deg,ball=1,0,0,0`.

    A comma may stand between the values of one joint: what has no sign goes on with the one before.

    Raises:
        BadValueError: one without a name or without values, or a name that comes twice.
    """
    found: dict[str, list[str]] = {}
    faults: list[BadValueError] = []
    for text in given:
        name, _, values = text.partition(":")
        if not (name and "=" in values.partition(",")[0]):
            form = f"of the form {CONFIGURATION}"
            faults.append(BadValueError("--configuration", "value", text, form))
            continue
        if name in found:
            faults.append(BadValueError("--configuration", "name", name, "a name that comes once"))
        own = found[name] = list[str]()
        for part in values.split(","):
            if "=" in part:
                own.append(part)
            else:
                own[-1] += f",{part}"
    raise_all(faults)
    return found


def _data(result: WriteResult, moves: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "files": [str(path) for path in result.files],
        "ledger": [entry_data(entry) for entry in result.ledger],
        "warnings": list(result.warnings),
        "names": result.names,
        "moved": moves,
    }


def _lines(result: WriteResult) -> list[str]:
    """What became of all that the mechanism says, in numbers, and what is less than exact."""
    return [*count_lines(result.ledger), *loss_lines(result.ledger)]


def _listed(names: list[str]) -> str:
    shown, more = names[:5], len(names) - 5
    return ", ".join(shown) + (f" and {more} more" if more > 0 else "")
