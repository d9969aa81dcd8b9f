"""A mechanism's generated code as a C program: the same kernels, on arrays of doubles or floats."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from robocompiler.codegen.c.records import (
    CArray,
    CCall,
    CFunction,
    CNumber,
    CProgram,
)
from robocompiler.codegen.graph import Graph
from robocompiler.codegen.kernels import STATE, Settings, Straight
from robocompiler.codegen.plan import plain
from robocompiler.compiler.generate import generate, jacobian
from robocompiler.errors import UnwritableError
from robocompiler.solve.generated.bound import Bound
from robocompiler.solve.generated.c_arrays import ARGUMENTS, span, there
from robocompiler.solve.generated.c_samples import samples
from robocompiler.solve.generated.code import Code
from robocompiler.solve.generated.layout import Layout
from robocompiler.solve.generated.settings import TOLERANCE, settings_of
from robocompiler.solve.reduction.partition import speed_names
from robocompiler.spatial import Array

SINGLE_TOLERANCE, SINGLE_NOISE = 1e-5, 1e-4
"""As `Settings` has them, in single precision: fifty times what rounding leaves of a unit."""


def c_program(bound: Bound) -> CProgram:
    """Functions `correct`, `motion`, `follow` and, of rows, `evaluate` of the whole mechanism.

    Raises:
        UnwritableError: the mechanism has nothing that follows.
    """
    code, layout = bound.code, bound.code.layout
    if not layout.types:
        raise UnwritableError(
            f"C of '{layout.compiled.mechanism.name}' would be empty: it has no loop and no "
            "coupling, so that nothing follows from anything."
        )
    functions = tuple(_functions(code))
    return CProgram(
        name=layout.compiled.mechanism.name,
        doc=_doc(layout),
        arrays=tuple(_arrays(bound)),
        functions=functions,
        numbers=tuple(_numbers(layout)),
        samples=tuple(samples(bound, {function.name for function in functions})),
    )


def _doc(layout: Layout) -> str:
    names = speed_names(layout.compiled)
    driven = ", ".join(names[i] for i in layout.partition.independent) or "none"
    return (
        f"Closed loops of '{layout.compiled.mechanism.name}'. Independent: {driven}. Lengths in m, "
        "angles in rad, rotations as unit quaternions w x y z with angular velocities in the "
        "turned frame. Limits of joints are not minded."
    )


def _numbers(layout: Layout) -> Iterator[CNumber]:
    compiled = layout.compiled
    yield CNumber(name="NQ", value=compiled.nq, doc="Coordinates.")
    yield CNumber(name="NV", value=compiled.nv, doc="Speeds.")
    independent = len(layout.partition.independent)
    yield CNumber(name="NU", value=independent, doc="Independent speeds.")
    yield CNumber(name="ROWS", value=layout.rows, doc="Rows of closures and couplings.")


def _arrays(bound: Bound) -> Iterator[CArray]:
    layout = bound.code.layout
    compiled, nv = layout.compiled, layout.compiled.nv
    names = speed_names(compiled)
    driven = [names[i] for i in layout.partition.independent]
    places = (f"{t.edge.joint.name} from {t.q.start}" for t in compiled.tree)
    speeds = ", ".join(names)
    yield CArray(name="q", size=compiled.nq, doc=f"coordinates of joints: {', '.join(places)}")
    if layout.parameters:
        own = np.concatenate([kind.parameters.ravel() for kind in layout.types])
        doc = "lengths and directions in which modules of one type differ"
        values = tuple(own.tolist())
        yield CArray(name="parameters", size=layout.parameters, doc=doc, values=values)
    yield CArray(name="v", size=nv, doc=f"speeds: {speeds}")
    yield CArray(name="c", size=nv, doc="curvature: accelerations are E u' + c")
    if driven:
        doc = f"the lift, v = E u, row by row: NV x NU, for u of {', '.join(driven)}"
        yield CArray(name="E", size=nv * len(driven), doc=doc)
    if layout.rows:
        yield CArray(name="residual", size=layout.rows, doc="how far rows are from closed")
        yield CArray(name="jacobian", size=layout.rows * nv, doc="of rows by speeds: ROWS x NV")
    doc = "signs of the parts' determinants when the function begins"
    yield CArray(name="signs", size=layout.blocks, doc=doc, local=True)
    if layout.pivots:
        doc = "one over each pivot of the elimination, over its size; 0 where it is not known yet"
        yield CArray(name="pivots", size=layout.pivots, doc=doc)
    yield CArray(name="target", size=compiled.nq, doc="wanted q, of which independent ones count")


def _functions(code: Code) -> Iterator[CFunction]:
    docs = {
        "correct": "Closes the loops from near, independent coordinates kept, and gives the lift.",
        "motion": "As correct; also gives the speeds that follow from independent v, and c.",
        "evaluate": "Residual and Jacobian of all rows, closed or not.",
        "follow": "From a closed q and its E to other independent coordinates: predicts, closes. "
        "Fails where a pivot would change its sign: a singularity is not stepped over.",
    }
    if not code.layout.rows:  # where followers follow without a loop
        del docs["evaluate"]
    for name, doc in docs.items():
        calls = tuple(_calls(code, name))
        yield CFunction(
            name=name,
            doc=doc,
            calls=(*calls, *_still(code.layout, name, calls)),
            x=there(code.layout, ARGUMENTS[name][0]),
            y=there(code.layout, ARGUMENTS[name][1]),
            targets=("target",) if name == "follow" else (),
            cleared=() if name == "follow" else there(code.layout, CLEARED[name]),
        )


CLEARED = {"correct": ("E",), "motion": ("c", "E"), "evaluate": ("residual", "jacobian")}
"""What is mostly 0: modules put in what is not."""


def _numbered(layout: Layout, names: tuple[str, ...], results: bool) -> dict[int, int]:
    """What rows of the buffer are when some arrays alone stand one after another."""
    rows = [row for name in names for row in span(layout, name, results)]
    return {row: at for at, row in enumerate(rows)}


def _calls(code: Code, name: str) -> Iterator[CCall]:
    x, y = (_numbered(code.layout, names, bool(i)) for i, names in enumerate(ARGUMENTS[name]))
    for kind in range(len(code.layout.types)):
        kernel = generate(code.traced(kind), name, rounded=True)
        inputs = plain(kernel).inputs
        ends = inputs, inputs + len(plain(kernel).results)
        lines = [
            (
                *(x[row] for row in line[: ends[0]]),
                *(y[row] for row in line[ends[0] : ends[1]]),
                *line[ends[1] :],
            )
            for line in _table(code, kind, name).tolist()
        ]
        settings = None if isinstance(kernel, Straight) else _settings()
        yield CCall(kernel=kernel, table=tuple(lines), settings=settings)


def _table(code: Code, kind: int, name: str) -> Array:
    if name == "evaluate":
        return code.layout.evaluation_table(kind, jacobian(code.traced(kind))[0])
    if name == "follow":
        table = code.layout.following_table(kind)
        count = plain(code.kernel(kind, "evaluate")).inputs
        table[:, :count] = code.layout.state_table(kind, speeds=False, signs=False)[:, :count]
        return table
    return code.layout.state_table(kind, speeds=name == "motion")


def _settings() -> tuple[Settings, Settings]:
    double = settings_of(TOLERANCE)
    return double, replace(double, tolerance=SINGLE_TOLERANCE, noise=SINGLE_NOISE)


def _still(layout: Layout, name: str, calls: Sequence[CCall]) -> Iterator[CCall]:
    """What no module gives of a function's results and is not 0: the independent part of E; joints
    on no loop go where they are wanted.
    """
    names = ARGUMENTS[name][1]
    if name == "follow":
        yield from _led_alone(layout)
        return
    buffer = np.zeros(layout.rows * (1 + layout.compiled.nv))
    if name != "evaluate":
        buffer = layout.empty_state(1)[:, 0]
    given = {at for call in calls for line in call.table for at in _results(call, line)}
    wanted = [n for n in names if n in ("E", "c", "residual", "jacobian")]
    at = _numbered(layout, names, True)
    rows = [row for n in wanted for row in span(layout, n) if at[row] not in given]
    for value in sorted({float(buffer[row]) for row in rows} - {0.0}):
        graph = Graph()
        kernel = Straight(
            name=f"constant {value:g}", graph=graph, inputs=0, results=(graph.constant(value),)
        )
        yield CCall(kernel=kernel, table=tuple((at[i],) for i in rows if buffer[i] == value))


def _led_alone(layout: Layout) -> Iterator[CCall]:
    """Coordinates that are in no module are those of the targets."""
    held = {int(i) for kind in layout.types for plan in kind.plans for i in plan.coordinates}
    x = _numbered(layout, there(layout, ARGUMENTS["follow"][0]), False)
    wanted = span(layout, "target")
    lines = tuple((x[wanted[i]], i) for i in range(layout.compiled.nq) if i not in held)
    if lines:
        graph = Graph()
        kernel = Straight(name="wanted", graph=graph, inputs=1, results=(graph.input(STATE, 0),))
        yield CCall(kernel=kernel, table=lines)


def _results(call: CCall, line: Sequence[int]) -> Sequence[int]:
    """The part of a table's line that says where results go."""
    return line[plain(call.kernel).inputs :]
