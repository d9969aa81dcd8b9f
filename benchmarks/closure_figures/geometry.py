"""What stays open after `assemble`, what rounding leaves, and what the papers count."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from figure import Figure, at_least, at_most, equal, skipped

import robocompiler as rc
from linkages.drawing import drawn_values, rounded
from linkages.known import MOVES, ROUNDED, SOMEWHERE, TABLE
from linkages.oracle import standing_at
from linkages.papers_table import PAPERS_TABLE
from linkages.robots import KANGAROO_HOME, SUPPORTS, go2, kangaroo
from linkages.stewart import leg_values, stewart, task_pose
from linkages.structure import residual_of
from robocompiler.model.mechanism import Mechanism
from robocompiler.solve.assembly.update import Assembled
from robocompiler.solve.describe import coordinates


def exact_geometry() -> Iterator[Figure]:
    """All rows after `assemble` of every mechanism of `tests/linkages`.

    Their geometry is exact, so that every row is retained. As drawn, and driven to where the same
    mechanism drawn elsewhere is; the loops with a joint of each kind by ± 0.3 rad.
    """
    worst, open_by, where, count = 0.0, 0.0, "", 0
    for name, mechanism, values in _postures():
        compiled = rc.compile(mechanism)
        q = coordinates(compiled, rc.assemble(compiled, values))
        found, count = residual_of(compiled, q), count + 1
        open_by = max(open_by, *standing_at(compiled, q).gaps)
        if not found <= worst:
            worst, where = found, name
    reference = f"papers 1e-9; {count} assemblies, worst {where}"
    yield at_most("rows after assemble [rad, m/size]", worst, 1e-13, reference)
    yield at_most("gaps of the records there [rad, m]", open_by, 1e-13, "poses by 4 x 4 matrices")
    yield from _robots("rows after assemble, Kangaroo and Go2", _robot_rows)


def _postures() -> Iterator[tuple[str, Mechanism, dict[str, float]]]:
    for name, (mechanism, _) in TABLE.items():
        yield name, mechanism, {}
        if name.startswith("loop with"):
            drive = drawn_values(mechanism)["drive"][0]
            yield from ((name, mechanism, {"drive": drive + by}) for by in (-0.3, 0.3))
    for name, ((here, there), drivers) in MOVES.items():
        expected = drawn_values(there)
        yield name, here, {driver: expected[driver][0] for driver in drivers}
    for t in (5.7, 10.6, 16.9, 20.8):
        lengths = leg_values(task_pose(t))
        yield "Stewart", stewart(), {n: x for n, x in lengths.items() if n.endswith("length")}


def _robots(name: str, measure: Callable[[str], Figure]) -> Iterator[Figure]:
    """A figure of the robots' records, or that they are not there."""
    try:
        yield measure(name)
    except pytest.skip.Exception:
        yield skipped(name, "no record")


def _robot_rows(name: str) -> Figure:
    worst, found = 0.0, [kangaroo(), *(kangaroo(soles=s) for s in (("left",), ("left", "right")))]
    for mechanism in (*found, *(go2(feet) for feet in SUPPORTS)):
        compiled = rc.compile(mechanism)
        q = coordinates(compiled, rc.assemble(compiled))
        worst = max(worst, residual_of(compiled, q))
    compiled = rc.compile(kangaroo())
    q = coordinates(compiled, rc.assemble(compiled, KANGAROO_HOME))
    return at_most(name, max(worst, residual_of(compiled, q)), 1e-13, "papers 1e-9")


def rounded_geometry() -> Iterator[Figure]:
    """Frames to six decimals: the loops meet to about that, and move as the exact ones do."""
    misfits, unequal = [], []
    for name, build in ROUNDED.items():
        exact, file = (build(ground=SOMEWHERE) for _ in range(2))
        counted = []
        for mechanism in (exact, rounded(file)):
            compiled = rc.compile(mechanism)
            q = coordinates(compiled, rc.assemble(compiled))
            counted.append((rc.mobility(compiled, q), residual_of(compiled, q)))
        (meant, _), (found, left) = counted
        misfits.append(left)
        if (found.at_tolerance, found.generic) != (meant.at_tolerance, meant.generic):
            unequal.append(name)
        if not found.misfit >= 0.1 * left:
            unequal.append(f"{name}: misfit of {left:.1g} said to be {found.misfit:.1g}")
    count = len(misfits)
    yield equal(
        "6 decimals: another mobility, or misfit untold",
        unequal,
        [],
        f"{count} linkages against their exact geometry",
    )
    yield at_least("6 decimals: least misfit [rad, m/size]", min(misfits), 1e-9, "all are open")
    yield at_most("6 decimals: greatest misfit [rad, m/size]", max(misfits), 1e-5, "tolerance")


def structure() -> Iterator[Figure]:
    """Table 3.1: every count, which must be equal."""
    for name, (count, expected) in PAPERS_TABLE.items():
        own = name.startswith("excavator")
        reference = "papers; their record is not public" if own else "papers"
        try:
            yield equal(f"structure: {name}", count(), expected, reference)
        except pytest.skip.Exception:
            yield skipped(f"structure: {name}", "no record")


def one_motor() -> Iterator[Figure]:
    """Kangaroo, one of twelve motors moved by 2 mm: which modules are solved again."""
    yield from _robots("Kangaroo, one motor: others than its own solved", _wrong_modules)


def _wrong_modules(name: str) -> Figure:
    compiled = rc.compile(kangaroo())
    names = list(KANGAROO_HOME)
    wrong = []
    standing = Assembled(compiled, rc.assemble(compiled))
    for motor in names:
        value = standing.configuration.of(motor)[0]
        done = standing.update({motor: value + 0.002})
        touched = _touched(compiled, motor, names)
        first = next(c.name for c in compiled.closures if c.name in touched)
        if done.solved != (first,):
            wrong.append(motor)
    return equal(name, wrong, [], "papers: exactly one of six, for each of 12")


def _touched(compiled: rc.CompiledMechanism, motor: str, motors: list[str]) -> set[str]:
    """Closures that a motor reaches through joints that are no motors, from their paths alone.

    A module is called after the first of its closures.
    """
    paths = {c.name: {compiled.tree[i].edge.joint.name for i in c.path} for c in compiled.closures}
    reached = {name for name, path in paths.items() if motor in path}
    while True:
        joints = set().union(*(paths[name] for name in reached)) - set(motors)
        more = {name for name, path in paths.items() if path & joints}
        if more <= reached:
            return reached
        reached |= more
