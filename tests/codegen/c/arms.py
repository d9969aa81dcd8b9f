"""Two arms in C, compiled as strictly as can be; what calls them on arrays, and samples of them."""

import ctypes
import math
import shutil
import subprocess

import numpy as np
import pytest

from codegen import arm
from robocompiler.codegen.c.files import c_files
from robocompiler.codegen.c.records import CArray, CCall, CFunction, CProgram, CSample
from robocompiler.codegen.kernels import Settings
from robocompiler.codegen.python.functions import compile_kernel
from robocompiler.codegen.python.run import prepare

GCC, GXX = shutil.which("gcc"), shutil.which("g++")
STRICT = "-Wall -Wextra -Werror -pedantic -Wconversion -Wdouble-promotion -Wshadow".split()
needs_gcc = pytest.mark.skipif(GCC is None, reason="there is no C compiler")
needs_gxx = pytest.mark.skipif(GXX is None, reason="there is no C++ compiler")

SINGLE = Settings(
    tolerance=1e-6, contraction=0.25, noise=1e-5, longest=0.5, most=12, reach=0.5, leap=0.5
)
"""Of numbers near 1 with 6e-8 between them, of which the rows add up a few."""
BOTH = (arm.SETTINGS, SINGLE)
POINTS, ANGLES = ((0, 1), (2, 3)), ((4, 5), (6, 7))
TABLE = tuple(
    (*p, *a, *range(4 * k, 4 * k + 4)) for k, (p, a) in enumerate(zip(POINTS, ANGLES, strict=True))
)
ARRAYS = (
    CArray(name="p", size=4, doc="x and y of each point [m]"),
    CArray(name="angles", size=4, doc="both angles of each arm [rad]"),
    CArray(name="E", size=8, doc="how the angles follow [rad/m], row by row, arm by arm"),
    CArray(name="t", size=4, doc="where each point goes [m]: y, then x"),
    CArray(name="values", size=12, doc="results of each arm"),
)


def arms(name="two arms", **more):
    """Two arms: solved, led one knot, and evaluated."""
    led = arm.continued()
    rows = tuple((*line[:4], *range(6 * k, 6 * k + 6)) for k, line in enumerate(TABLE))
    goals = tuple((*line, 2 * k + 1, 2 * k) for k, line in enumerate(TABLE))
    on = {"x": ("p", "angles"), "y": ("E",)}
    calls = (
        CCall(kernel=led.iterated, table=TABLE, settings=BOTH),
        CCall(kernel=led, table=goals, settings=BOTH),
        CCall(kernel=arm.straight(), table=rows),
    )
    functions = (
        CFunction(name="correct", doc="Both arms reach.", calls=calls[:1], **on),
        CFunction(name="follow", doc="One knot.", calls=calls[1:2], **on, targets=("t",)),
        CFunction(name="evaluate", doc="Rows.", calls=calls[2:], x=on["x"], y=("values",)),
    )
    return CProgram(name=name, doc="For tests.", arrays=ARRAYS, functions=functions, **more)


def written(program, folder):
    """The text of a program, and the path of its source file."""
    folder.mkdir(exist_ok=True)
    files = c_files(program)
    (folder / f"{files.prefix}.h").write_text(files.header, encoding="utf-8")
    source = folder / f"{files.prefix}.c"
    source.write_text(files.source, encoding="utf-8")
    return files, source


def compiled(source, *flags, output):
    """What gcc makes of a source file, which must be nothing to warn of."""
    command = [GCC, "-std=c99", *STRICT, *flags, "-o", output, source, "-lm"]
    done = subprocess.run([*map(str, command)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    return output


def library(program, folder, single=False):
    """What calls its functions on NumPy arrays."""
    files, source = written(program, folder)
    flags = [f"-D{files.prefix.upper()}_FLOAT"] if single else []
    built = compiled(source, *flags, "-O2", "-shared", "-fPIC", output=folder / "lib.so")
    loaded, kind = ctypes.CDLL(str(built)), np.float32 if single else np.float64

    def call(name, *arrays):
        copies = [np.array(array, dtype=kind, order="C") for array in arrays]
        given = [ctypes.c_void_p(array.ctypes.data) for array in copies]
        return loaded[f"{files.prefix}_{name}"](*given), *copies

    return call


def start(seed):
    """Two points, and angles near those that reach them."""
    rng = np.random.default_rng(seed)
    r, phi = rng.uniform(0.4, 1.1, 2), rng.uniform(-2.5, 2.5, 2)
    points = np.array([r * np.cos(phi), r * np.sin(phi)])
    solved = np.array(arm.closed_form(*points))
    return points.T.ravel(), (solved + rng.uniform(-0.03, 0.03, (2, 2))).T.ravel(), solved


def by_python(kernel, p, angles, table=TABLE):
    """x, y, status and failures of the Python emitter."""
    x, y = np.concatenate([p, angles])[:, None], np.full((12, 1), -7.0)
    status = np.zeros((2, 1), dtype=np.int32)
    run = prepare(compile_kernel(kernel), x, y, status, np.array(table), arm.SETTINGS)
    run()
    return x[:, 0], y[:, 0], status[:, 0]


def samples(wrong=0.0):
    """States of every function; one of them fails. Angles wanted may be wrong."""
    p, angles, solved = start(5)
    y = by_python(arm.iterated(), p, angles)[1]
    given = {"p": tuple(p), "angles": tuple(angles), "E": (0.0,) * 8}
    after = {"angles": tuple(solved.T.ravel() + wrong), "E": tuple(y[:8])}
    lost = {"p": (math.nan, *p[1:]), "angles": tuple(angles), "E": (0.0,) * 8}
    nothing = {"E": (*[math.nan] * 4, *y[4:8])}
    rows = np.array([(*line[:4], *range(6 * k, 6 * k + 6)) for k, line in enumerate(TABLE)])
    evaluated = by_python(arm.straight(), p, angles, rows)[1]
    led = {"p": given["p"], "t": tuple(p[[1, 0, 3, 2]]), **after}
    return (
        CSample(function="correct", before=given, after=after),
        CSample(function="correct", before=lost, after=nothing, fails=True),
        CSample(
            function="evaluate",
            before={"p": given["p"], "angles": given["angles"], "values": (0.0,) * 12},
            after={"values": tuple(evaluated)},
        ),
        CSample(function="follow", before=led, after=after),
    )


def self_test(program, folder, *flags):
    """The self-test of a program, compiled and run."""
    files, source = written(program, folder)
    flags = [f"-D{files.prefix.upper()}_SELF_TEST", *flags]
    built = compiled(source, *flags, output=folder / "test")
    return subprocess.run([str(built)], capture_output=True, text=True)
