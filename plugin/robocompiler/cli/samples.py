"""A motion as a table of samples: `time [s], crank [rad], …`, read from CSV."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from robocompiler.cli.values import factor_of
from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.errors import (
    BadValueError,
    DuplicateNameError,
    FormatError,
    MechanismError,
    UnknownNameError,
    raise_all,
)
from robocompiler.model.joint_kinds import Factor
from robocompiler.model.mechanism import Joint
from robocompiler.model.shown import coordinate_units
from robocompiler.spatial import Array

FEWEST = 4
"""Samples that a cubic spline with no condition at its ends needs."""
MOST_TOLD = 8
"""Faults of entries that are told at once: a column of text has one on every line."""
_TITLE = re.compile(r"(.*?)\s*(?:\[([^\[\]]*)\])?\s*")
_TIMES = ("time", "t")
_PASSED_OVER = "sample"
_RATES = ("{}", "{} / second", "{} / second ** 2")


@dataclass(slots=True, kw_only=True, eq=False)
class Samples:
    """Joints at some times."""

    source: str
    """The file, for errors."""
    time: Array
    """[s], rising, shape (samples,)."""
    lines: Sequence[int]
    """Of the file, by sample."""
    columns: Mapping[str, Mapping[int, Array]]
    """By joint, then coordinate: where it stands [m, rad, quaternion], shape (samples,)."""
    given: tuple[Mapping[str, Mapping[int, Array]], ...] = field(default=())
    """Likewise its speeds, then accelerations, where columns give them."""

    def table(self, joint: Joint) -> Array:
        """Coordinates of a joint, shape (samples, its coordinates)."""
        own = self.columns[joint.name]
        return np.stack([own[i] for i in range(joint.kind.nq)], axis=-1)

    def rates(self, joint: Joint) -> tuple[Array, Array]:
        """Speeds and accelerations of a joint, (samples, its coordinates) each: of columns, or of
        cubic splines through what there is.
        """
        speeds, accelerations = [], []
        for i in range(joint.kind.nq):
            speed, acceleration = (own.get(joint.name, {}).get(i) for own in self.given)
            value = self.columns[joint.name][i]
            found = self._derivative(value, 1) if speed is None else speed
            if acceleration is None:
                one = speed is None
                acceleration = self._derivative(value, 2) if one else self._derivative(found, 1)
            speeds.append(found)
            accelerations.append(acceleration)
        return np.stack(speeds, axis=-1), np.stack(accelerations, axis=-1)

    def _derivative(self, values: Array, order: int) -> Array:
        if float(np.ptp(values)) == 0.0:
            return np.zeros_like(values)  # what stands still, to the last bit
        if len(values) < FEWEST:
            what = f"{FEWEST} or more; or give columns of speeds and accelerations"
            raise BadValueError(self.source, "samples", str(len(values)), what)
        from scipy.interpolate import CubicSpline

        return np.asarray(CubicSpline(self.time, values)(self.time, order))


def read_samples(compiled: CompiledMechanism, path: Path) -> Samples:
    """Read a motion.

    The first line names columns with their units: `time [s]`, and for joints `crank [rad]`,
    `crank [rad/s]`, `crank [rad/s^2]`, `slide [mm]`; `plate/0 [m]` or `plate/moveX [m]` where a
    joint has several coordinates, `ball/0` to `ball/3` of a quaternion. A column `sample` is
    passed over.

    Raises:
        FormatError: the file cannot be read, or is empty.
        UnknownNameError: a column that is no joint.
        BadValueError: no time, times that do not rise, what is no finite number, with its line.
        DuplicateNameError: two columns for one thing.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise FormatError(f"'{path}' cannot be read: {error}.") from error
    rows = csv.reader(text.splitlines())
    titles = next(rows, [])
    table, lines = _numbers(str(path), titles, rows)
    read = _Titles(compiled, str(path))
    for at, title in enumerate(titles):
        read.take(title, table[:, at])
    time = read.finish(lines)
    return Samples(
        source=str(path),
        time=time,
        lines=lines,
        columns=read.columns[0],
        given=(read.columns[1], read.columns[2]),
    )


def _numbers(source: str, titles: Sequence[str], rows: Any) -> tuple[Array, list[int]]:
    """What stands under the titles, shape (samples, columns), and on which lines."""
    found, lines, faults = list[list[float]](), list[int](), list[MechanismError]()
    passed = [title.strip() == _PASSED_OVER for title in titles]
    for row in rows:
        line = int(rows.line_num)
        if not any(text.strip() for text in row):
            continue
        where = f"{source}, line {line}"
        if len(row) != len(titles):
            faults.append(BadValueError(where, "entries", str(len(row)), f"{len(titles)}"))
            continue
        numbers = [0.0 if over else _number(text) for text, over in zip(row, passed, strict=True)]
        faults += [
            BadValueError(where, title, text.strip(), "a finite number")
            for title, text, number in zip(titles, row, numbers, strict=True)
            if not np.isfinite(number)
        ]
        found.append(numbers)
        lines.append(line)
    raise_all(faults[:MOST_TOLD])
    if not found:
        raise FormatError(f"'{source}' has no samples: below a line of titles, one line for each.")
    return np.array(found), lines


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")


class _Titles:
    """Columns sorted by what their titles say."""

    def __init__(self, compiled: CompiledMechanism, source: str) -> None:
        self.compiled, self.source = compiled, source
        self.time: Array | None = None
        self.columns: tuple[dict[str, dict[int, Array]], ...] = ({}, {}, {})

    def take(self, title: str, values: Array) -> None:
        """Put a column where it belongs."""
        match = _TITLE.fullmatch(title.strip())
        name, unit = (match[1], match[2]) if match else (title, None)
        if name == _PASSED_OVER:
            return
        if name in _TIMES and name not in self.compiled.joints:
            factor = factor_of(unit.strip(), "second") if unit else 1.0
            if factor is None:
                raise BadValueError(self.source, "column", title, "a time such as 'time [s]'")
            if self.time is not None:
                raise DuplicateNameError("columns", name, [self.source])
            self.time = values * factor
            return
        joint, at = self._coordinate(name)
        order, factor = self._order(title, joint, at, unit)
        own = self.columns[order].setdefault(joint.name, {})
        if at in own:
            raise DuplicateNameError("columns", title, [self.source])
        own[at] = values * factor

    def _coordinate(self, name: str) -> tuple[Joint, int]:
        """The joint that a title names, and which of its coordinates."""
        known: dict[str, tuple[Joint, int]] = {}
        for joint in self.compiled.joints.values():
            if joint.kind.nq == 1:
                known[joint.name] = (joint, 0)
                continue
            known |= {f"{joint.name}/{i}": (joint, i) for i in range(joint.kind.nq)}
            if Factor.ROTATION not in joint.kind.factors:
                known |= {full: (joint, i) for i, full in enumerate(joint.full_names)}
        if name not in known:
            raise UnknownNameError(self.source, "joint for the column", name, known)
        return known[name]

    def _order(self, title: str, joint: Joint, at: int, unit: str | None) -> tuple[int, float]:
        """Whether a column is a value, a speed or an acceleration, and its unit in SI."""
        word = coordinate_units(joint)[at]
        if not word:
            if unit:
                raise BadValueError(self.source, "column", title, "of a quaternion, without a unit")
            return 0, 1.0
        for order, rate in enumerate(_RATES if unit else ()):
            factor = factor_of(str(unit).strip(), rate.format(word))
            if factor is not None:
                return order, factor
        short = "rad" if word == "radian" else "m"
        what = f"with a unit, such as '[{short}]', '[{short}/s]' or '[{short}/s^2]'"
        raise BadValueError(self.source, "column", title, what)

    def finish(self, lines: Sequence[int]) -> Array:
        """The times, once every column was taken and all of them are there."""
        if self.time is None:
            raise BadValueError(self.source, "columns", "no time", "a table with 'time [s]'")
        for at in np.flatnonzero(np.diff(self.time) <= 0.0)[:1]:
            where = f"{self.source}, line {lines[at + 1]}"
            after = f"above {self.time[at]:.9g} s, the time before it"
            raise BadValueError(where, "time", f"{self.time[at + 1]:.9g} s", after)
        if not self.columns[0]:
            raise BadValueError(self.source, "columns", "the time alone", "a table of joints")
        for name, own in self.columns[0].items():
            count = self.compiled.joints[name].kind.nq
            if len(own) != count:
                said = f"{len(own)} of its coordinates"
                raise BadValueError(self.source, name, said, f"all {count} of them")
        for order, what in ((1, "speeds"), (2, "accelerations")):
            for name in self.columns[order].keys() - self.columns[0].keys():
                raise BadValueError(self.source, name, what, "beside where it stands")
        return self.time
