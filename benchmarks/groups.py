"""Groups of figures from the command line: measured, printed, judged."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from figure import Figure, table, write_json

Group = Callable[[], Iterator[Figure]]


def run(
    about: str | None,
    groups: Mapping[str, Group],
    arguments: Sequence[str] | None,
    whole: Callable[[bool], None] | None = None,
) -> int:
    """Measure, print, and judge: 1 where a figure falls short.

    Args:
        about: what `--help` says.
        groups: by their names, in their order.
        arguments: of the command line; the process's own where None.
        whole: what is told whether all is to be measured (`--all`) or a sample; None where there
            is no sample.
    """
    parser = argparse.ArgumentParser(
        description=about, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--only", nargs="+", choices=groups, default=list(groups), metavar="GROUP")
    if whole is not None:
        parser.add_argument("--all", action="store_true", help="every state, not a sample of them")
    options = parser.parse_args(arguments)
    if whole is not None:
        whole(options.all)
    figures: list[Figure] = []
    for name in options.only:
        began = time.perf_counter()
        figures += groups[name]()
        print(f"{name}: {time.perf_counter() - began:.1f} s", file=sys.stderr)
    print(table(figures))
    if options.json:
        write_json(figures, options.json)
    short = [figure.name for figure in figures if figure.holds is False]
    if short:
        print(f"{len(short)} of {len(figures)} fall short: {'; '.join(short)}")
    return int(bool(short))
