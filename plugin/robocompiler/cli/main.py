"""The command line: `python -m robocompiler COMMAND FILE`, a command being `show`, `convert`,
`assemble`, `follow`, `dynamics` or `motion`.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from robocompiler.cli.assemble import add_assemble
from robocompiler.cli.convert import add_convert
from robocompiler.cli.dynamics import add_dynamics
from robocompiler.cli.follow import add_follow
from robocompiler.cli.motion import add_motion
from robocompiler.cli.read import read_file
from robocompiler.cli.show import as_text, summarize
from robocompiler.compiler.compile import compile_mechanism
from robocompiler.errors import MechanismError
from robocompiler.solve.assembly.assemble import assemble


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    Returns:
        0 where it worked, 1 where the input is wrong, 2 where the call is; 141 where whoever reads
        what is printed stopped reading, as a shell has it.
    """
    options = _parser().parse_args(arguments)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        options.run(options)
    except MechanismError as error:
        print(f"robocompiler: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        # So that the interpreter has somewhere to flush to as it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="robocompiler", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    show = commands.add_parser("show", help="print bodies, joints, loops, mobility and masses")
    show.add_argument("file", type=Path)
    show.add_argument("--json", action="store_true", help="print one JSON object")
    show.set_defaults(run=_show)
    add_convert(commands)
    add_assemble(commands)
    add_follow(commands)
    add_dynamics(commands)
    add_motion(commands)
    return parser


def _show(options: argparse.Namespace) -> None:
    compiled = compile_mechanism(read_file(options.file))
    summary = summarize(compiled, assemble(compiled))
    said = json.dumps(summary, indent=1) if options.json else as_text(summary)
    print(said, flush=True)  # so that a reader that has left is noticed here
