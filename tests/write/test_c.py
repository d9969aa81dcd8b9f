"""C of whole mechanisms, compiled without a warning and held against the reference."""

import ctypes
import re
import shutil
import subprocess
from dataclasses import replace

import numpy as np
import pytest

import robocompiler as rc
from linkages.many_loops import ackermann, module_chain, shared_crank
from linkages.planar import GRASHOF, five_bar, four_bar_of
from linkages.spatial import differential, loop_with
from linkages.stewart import leg_values, stewart, task_pose
from linkages.variants import scaled
from robocompiler.compiler.elimination import followed
from robocompiler.compiler.rows import linearize
from robocompiler.compiler.steps import step
from robocompiler.errors import OutputError, UnwritableError
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import Mechanism
from robocompiler.solve.state import starting_coordinates

GCC = shutil.which("gcc")
pytestmark = pytest.mark.skipif(GCC is None, reason="there is no gcc")
STRICT = "-std=c99 -O1 -Wall -Wextra -Werror -pedantic -Wconversion -Wdouble-promotion -Wshadow"


def built(source, *options):
    target = source.with_suffix("")
    subprocess.run([GCC, *STRICT.split(), *options, source, "-o", target, "-lm"], check=True)
    return target


class Library:
    """The functions of a C file, on arrays of doubles."""

    def __init__(self, compiled, folder, independent=()):
        path = folder / "mechanism.c"
        self.files = rc.write(compiled, path, independent=independent).files
        self.compiled = compiled
        self.library = ctypes.CDLL(built(self.files[0], "-shared", "-fPIC"))
        header = self.files[1].read_text()
        self.sizes = {
            name.lower(): int(size)
            for name, size in re.findall(r"#define MECHANISM_(\w+)_SIZE (\d+)", header)
        }
        self.arrays = {name: np.full(size, np.nan) for name, size in self.sizes.items()}

    def __call__(self, name, *arguments):
        given = (ctypes.c_void_p(self.arrays[a.lower()].ctypes.data) for a in arguments)
        return getattr(self.library, f"mechanism_{name}")(*given)

    @property
    def E(self):
        return self.arrays["e"].reshape(self.compiled.nv, -1)


def opened(compiled, q, free, size, seed=0):
    """q with its dependent joints moved at random."""
    delta = np.zeros(compiled.nv)
    delta[list(free)] = size * np.random.default_rng(seed).uniform(-1.0, 1.0, len(free))
    return step(compiled, q, delta)


def off(found, expected):
    scale = max(1.0, float(np.max(np.abs(expected), initial=0.0)))
    return float(np.max(np.abs(found - expected), initial=0.0)) / scale


MECHANISMS = {
    "Stewart": lambda: stewart(),
    "hand model": lambda: stewart(chart=True),
    "chain, whose modules differ": lambda: module_chain(3),
    "couplings": lambda: differential(bearings=True),
    "joints on no loop": lambda: ackermann(),
    "of a few millimetres": lambda: scaled(stewart(), 1e-3),
    **{
        f"cut {kind.value}": lambda kind=kind: loop_with(kind)
        for kind in (JointKind.FIXED, JointKind.SCREW, JointKind.PLANAR, JointKind.PRISMATIC)
    },
}
LARGE = ("Stewart", "hand model", "of a few millimetres")
ASKED = [
    pytest.param(name, marks=pytest.mark.thorough if name in LARGE else ()) for name in MECHANISMS
]
"""The fast part of the tests leaves out the largest, which one motion of its own has too."""


@pytest.mark.parametrize("name", ASKED)
def test_every_function_gives_what_the_reference_gives(name, tmp_path):
    compiled = rc.compile(MECHANISMS[name]())
    bound = rc.bind(compiled)
    own = Library(compiled, tmp_path)
    free = bound.code.layout.partition.dependent
    q = opened(compiled, bound.home, free, 0.02)
    v = np.random.default_rng(1).uniform(-1.0, 1.0, compiled.nv)

    own.arrays["q"][:] = q
    own("evaluate", "q", "residual", "jacobian")
    expected = linearize(compiled, q)
    assert off(own.arrays["residual"], expected.residual) < 1e-14
    jacobian = own.arrays["jacobian"].reshape(expected.jacobian.shape)
    assert off(jacobian, expected.jacobian) < 1e-14

    own.arrays["v"][:] = v
    assert own("motion", "q", "v", "c", "E") > 0
    closed = own.arrays["q"]
    assert np.max(np.abs(linearize(compiled, closed).residual)) < 1e-12
    reduction = rc.reduce(compiled, closed, bound.code.layout.partition)
    independent = list(reduction.independent)
    moved = reduction.E @ v[independent]
    assert off(own.E, reduction.E) < 1e-11
    assert off(own.arrays["v"], moved) < 1e-11
    assert off(own.arrays["c"], rc.curvature(compiled, closed, moved, reduction)) < 1e-10

    E = np.array(own.E)
    assert own("correct", "q", "E") == 0
    assert np.array_equal(own.E, E)


@pytest.mark.parametrize("name", ASKED)
@pytest.mark.parametrize("single", [False, True])
def test_the_self_test_passes_in_both_precisions(name, single, tmp_path):
    (source, _) = rc.write(rc.compile(MECHANISMS[name]()), tmp_path / "own.c").files
    program = built(source, "-DOWN_SELF_TEST", *(["-DOWN_FLOAT"] if single else []))
    run = subprocess.run([program], capture_output=True, text=True)
    assert run.returncode == 0, run.stdout
    assert "0 of 16 samples failed" in run.stdout


def test_a_stewart_platform_is_led_along_its_reference_motion(tmp_path):
    """Every leg against its closed form, a knot a call."""
    compiled = rc.compile(stewart())
    own = Library(compiled, tmp_path)
    home = rc.coordinates(compiled, rc.assemble(compiled))
    own.arrays["q"][:] = home
    assert own("correct", "q", "E") >= 0
    own.arrays["pivots"][:] = 0.0
    lengths = [f"leg {i} length" for i in range(6)]
    worst = 0.0
    for t in np.arange(0.0, 22.0, 0.05):
        expected = leg_values(task_pose(t))
        own.arrays["target"][:] = own.arrays["q"]
        for name in lengths:
            own.arrays["target"][compiled.tree_joint(name).q] = expected[name]
        assert own("follow", "target", "q", "pivots", "E") >= 0
        found = {n: own.arrays["q"][compiled.tree_joint(n).q][0] for n in expected}
        worst = max(worst, *(abs(found[n] - expected[n]) for n in expected))
    assert worst < 1e-12


def test_modules_that_share_a_crank_are_led_by_it_together(tmp_path):
    """Each from where it started, though the first moves the crank; all of them or none."""
    sides = dict.fromkeys(("left", "right"), GRASHOF["crank-rocker"])
    compiled = rc.compile(shared_crank(sides))
    own = Library(compiled, tmp_path)
    q = own.arrays["q"]
    q[:] = starting_coordinates(compiled)
    own.arrays["pivots"][:] = 0.0
    assert own("correct", "q", "E") >= 0
    crank, began = compiled.tree_joint("A").q, np.array(q)
    angles = began[crank] + np.linspace(0.1, 1.0, 10)
    expected = rc.follow(compiled, {"A": angles}).q
    for angle, there in zip(angles, expected, strict=True):
        own.arrays["target"][:] = q
        own.arrays["target"][crank] = angle
        assert own("follow", "target", "q", "pivots", "E") > 0
        np.testing.assert_allclose(q, there, atol=1e-12)
    before = np.array(q)
    own.arrays["target"][crank] = np.nan
    assert own("follow", "target", "q", "pivots", "E") < 0
    np.testing.assert_array_equal(q, before)


def test_joints_on_no_loop_go_where_they_are_led(tmp_path):
    """A car's wheels spin; nothing does where the steering cannot follow."""
    compiled = rc.compile(ackermann())
    bound = rc.bind(compiled)
    own = Library(compiled, tmp_path)
    q, target = own.arrays["q"], own.arrays["target"]
    q[:] = bound.home
    assert own("correct", "q", "E") == 0
    steered = bound.code.layout.types[0].plans[0].coordinates
    wheels = np.setdiff1d(np.arange(compiled.nq), steered)
    assert wheels.size
    target[:] = bound.home
    target[wheels] += [0.3, -7.0]
    own.arrays["pivots"][:] = 0.0
    assert own("follow", "target", "q", "pivots", "E") >= 0
    np.testing.assert_array_equal(q[wheels], target[wheels])
    np.testing.assert_allclose(q[steered], bound.home[steered], atol=1e-12)
    before = q.copy()
    target[:] += 2.0
    assert own("follow", "target", "q", "pivots", "E") < 0
    np.testing.assert_array_equal(q, before)


def test_what_cannot_be_vouched_for_is_said_and_leaves_the_state(tmp_path):
    compiled = rc.compile(stewart())
    own = Library(compiled, tmp_path)
    home = rc.coordinates(compiled, rc.assemble(compiled))
    for bad in (np.nan, np.inf, 1e3):
        own.arrays["q"][:] = home
        own.arrays["q"][compiled.tree_joint("leg 0 length").q] = bad
        before = np.array(own.arrays["q"])
        assert own("correct", "q", "E") < 0
        np.testing.assert_array_equal(own.arrays["q"], before)
        assert np.isnan(own.arrays["e"]).any()
    far = own.arrays["target"]
    own.arrays["pivots"][:] = 0.0
    own.arrays["q"][:] = home
    assert own("correct", "q", "E") >= 0
    far[:] = home
    far[compiled.tree_joint("leg 0 length").q] += 3.0
    assert own("follow", "target", "q", "pivots", "E") == -4
    np.testing.assert_allclose(own.arrays["q"], home, atol=1e-12)


def test_at_a_toggle_the_lift_is_no_number(tmp_path):
    """Where a crank is in line with its coupler, its rocker drives neither."""
    d, a, b, c = bars = GRASHOF["crank-rocker"]
    toggle = float(np.arccos(((a + b) ** 2 + d**2 - c**2) / (2.0 * (a + b) * d)))
    compiled = rc.compile(four_bar_of(bars, toggle + 1.0))
    own = Library(compiled, tmp_path, independent=["D"])
    own.arrays["q"][:] = starting_coordinates(compiled)
    assert own("correct", "q", "E") >= 0
    flat = starting_coordinates(rc.compile(four_bar_of(bars, toggle)))
    own.arrays["q"][:] = flat
    assert own("correct", "q", "E") == -3
    np.testing.assert_array_equal(own.arrays["q"], flat)
    assert np.isnan(own.arrays["e"]).any()


def test_newton_does_not_leap_over_a_singularity(tmp_path):
    """Near a flat parallelogram, whose crossed branch is as near: a determinant by NumPy tells."""
    compiled = rc.compile(four_bar_of(GRASHOF["parallelogram"], 0.31))
    own, home = Library(compiled, tmp_path), starting_coordinates(compiled)
    code = rc.bind(compiled).code
    dependent, rows = list(code.layout.partition.dependent), list(code.traced(0).retained)

    def side(q):
        K = linearize(compiled, q, closed=True).jacobian[rows][:, dependent]
        return np.sign(np.linalg.det(K))

    random, closed, unsound = np.random.default_rng(2), 0, 0
    for _ in range(1000):
        own.arrays["q"][:] = start = home + random.uniform(-0.6, 0.6, compiled.nq)
        status = own("correct", "q", "E")
        unsound += status == -3
        closed += status >= 0
        assert status < 0 or side(own.arrays["q"]) == side(start)
    assert closed > 50
    assert unsound > 10


def test_equal_modules_share_one_function(tmp_path):
    texts = [
        rc.write(rc.compile(module_chain(n)), tmp_path / f"chain{n}.c").files[0].read_text()
        for n in (2, 6)
    ]
    kernels = [len(re.findall(r"^static int chain\d_kernel_\d+\(", t, re.M)) for t in texts]
    assert kernels[0] == kernels[1]


def test_size_grows_with_joints_and_not_with_their_square(tmp_path):
    small, large = (
        rc.write(rc.compile(module_chain(n)), tmp_path / f"chain{n}.c").files[0].stat().st_size
        for n in (8, 24)
    )
    assert large < 3.2 * small


def test_nothing_is_allocated_and_nothing_but_arguments_is_written(tmp_path):
    text = rc.write(rc.compile(stewart()), tmp_path / "own.c").files[0].read_text()
    assert not re.search(r"\b(malloc|calloc|realloc|free|alloca)\s*\(", text)
    assert not re.findall(r"^\s*static (?!const\b|int\b|void\b|real\b|double\b)", text, re.M)
    code = built(tmp_path / "own.c", "-c", "-fno-builtin")
    symbols = subprocess.run(["nm", code], capture_output=True, text=True, check=True).stdout
    assert not re.findall(r" [BbDdC] ", symbols)
    needed = {line.split()[-1] for line in symbols.splitlines() if " U " in line}
    assert needed <= {"sin", "cos", "sqrt", "atan2", "rint", "_GLOBAL_OFFSET_TABLE_"}


def test_names_of_any_language_are_safe(tmp_path):
    mechanism = four_bar_of((1.0, 0.4, 1.1, 0.8), 0.7)
    strange = replace(mechanism, name='bras */ "à droite" #error ??/')
    source = rc.write(rc.compile(strange), tmp_path / "2 brás-droit.c").files[0]
    built(source, "-c")


def test_no_half_of_it_is_left_where_it_cannot_be_written(tmp_path):
    (tmp_path / "own.h").mkdir()
    with pytest.raises(OutputError, match=r"own\.h"):
        rc.write(rc.compile(four_bar_of((1.0, 0.4, 1.1, 0.8), 0.7)), tmp_path / "own.c")
    assert [path.name for path in tmp_path.iterdir()] == ["own.h"]


def test_limits_are_said_to_be_left_out(tmp_path):
    result = rc.write(rc.compile(stewart(limits=True)), tmp_path / "own.c")
    assert any("limits" in str(entry) for entry in result.unsupported)


def test_a_tree_has_no_code(tmp_path):
    arm = Mechanism(name="rod", bodies=(), frames=(), joints=())
    with pytest.raises(UnwritableError, match="nothing follows"):
        rc.write(rc.compile(arm), tmp_path / "own.c")


def test_followers_without_a_loop_have_code_of_no_rows(tmp_path):
    """Two wheels on a cage: each coupling eliminated, so that nothing can be open."""
    compiled = rc.compile(differential(), eliminate_couplings=True)
    own, bound = Library(compiled, tmp_path), rc.bind(compiled)
    assert not own.sizes.keys() & {"residual", "jacobian"}
    independent = [compiled.tree_joint(name).q.start for name in bound.independent]
    own.arrays["q"][:] = starting_coordinates(compiled)
    own.arrays["q"][independent] += 0.3, -0.2
    expected = followed(compiled, np.array(own.arrays["q"]))
    assert own("correct", "q", "E") == 0
    np.testing.assert_allclose(own.arrays["q"], expected, atol=1e-14)
    q, E = starting_coordinates(compiled), rc.reduce(compiled, expected).E
    np.testing.assert_allclose(own.arrays["q"] - q, own.E @ [0.3, -0.2], atol=1e-14)
    np.testing.assert_allclose(own.E, E, atol=1e-14)
    program = built(own.files[0], "-DMECHANISM_SELF_TEST")
    assert subprocess.run([program], capture_output=True).returncode == 0


def test_a_source_is_not_written_over_by_its_header(tmp_path):
    compiled = rc.compile(four_bar_of())
    with pytest.raises(OutputError, match="its header"):
        rc.write(compiled, tmp_path / "Own.h", format="c")
    assert not [*tmp_path.iterdir()]


def test_what_tasks_hold_is_in_the_code_and_not_said_to_be_left_out(tmp_path):
    mechanism = five_bar()
    tip = rc.Task(name="tip", body=mechanism.bodies[1].name, position=(0.1, 0.0, 0.0))
    compiled = rc.compile(mechanism, tasks=[tip])
    result = rc.write(compiled, tmp_path / "own.c")
    assert not result.unsupported
    rows = rc.bind(compiled).residual.size
    assert rows > rc.bind(rc.compile(mechanism)).residual.size
    assert f"#define OWN_ROWS {rows}\n" in result.files[1].read_text()
