"""C99 for controllers as text: names of any kind, what it must not hold, and what is refused."""

import re
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codegen import arm
from codegen.c.arms import (
    ARRAYS,
    BOTH,
    GCC,
    GXX,
    STRICT,
    TABLE,
    arms,
    compiled,
    needs_gcc,
    needs_gxx,
    samples,
    self_test,
    written,
)
from robocompiler.codegen.c.files import c_files
from robocompiler.codegen.c.names import comment, identifiers, string
from robocompiler.codegen.c.records import CArray, CCall, CFunction, CNumber, CProgram, CSample
from robocompiler.codegen.kernels import Straight
from robocompiler.errors import GenerationError


@needs_gcc
@pytest.mark.parametrize("flags", [(), ("-DTWO_ARMS_FLOAT",)])
def test_the_self_test_passes_and_fails_as_it_must(tmp_path, flags):
    done = self_test(arms(samples=samples()), tmp_path, *flags)
    assert done.returncode == 0, done.stdout
    assert "0 of 4 samples failed" in done.stdout
    done = self_test(arms(samples=samples(wrong=0.01)), tmp_path, *flags)
    assert done.returncode == 1
    assert "2 of 4 samples failed" in done.stdout  # of what was wanted, both have it
    well, lost, *_ = samples()
    turned = CSample(function="correct", before=lost.before, after=lost.after)
    other = CSample(function="correct", before=well.before, after=well.after, fails=True)
    done = self_test(arms(samples=(turned, other)), tmp_path, *flags)
    assert "2 of 2 samples failed" in done.stdout


@needs_gcc
def test_nothing_is_undefined_or_out_of_bounds(tmp_path):
    flags = ("-fsanitize=undefined,address", "-fno-sanitize-recover=all", "-g")
    probe = tmp_path / "probe.c"
    probe.write_text("int main(void) { return 0; }\n")
    command = [GCC, *flags, "-o", str(tmp_path / "probe"), str(probe)]
    if subprocess.run(command, capture_output=True).returncode:
        pytest.skip("the sanitizers' libraries are missing")
    done = self_test(arms(samples=samples()), tmp_path, *flags)
    assert done.returncode == 0, done.stdout + done.stderr


@needs_gcc
@pytest.mark.parametrize("flags", [("-O0",), ("-O3",), ("-O2", "-DTWO_ARMS_FLOAT")])
def test_no_compiler_warns(tmp_path, flags):
    _, source = written(arms(samples=samples()), tmp_path)
    for more in ((), ("-DTWO_ARMS_SELF_TEST",)):
        compiled(source, *flags, *more, "-c", output=tmp_path / "out.o")


@needs_gcc
@needs_gxx
def test_the_header_is_also_cpp_s(tmp_path):
    _, source = written(arms(), tmp_path)
    built = compiled(source, "-c", output=tmp_path / "arms.o")
    caller = tmp_path / "caller.cpp"
    caller.write_text(
        '#include "two_arms.h"\n#include "two_arms.h"\n'
        "int main() {\n    two_arms_real p[TWO_ARMS_P_SIZE] = {0.5, 0.5, 0.5, 0.5};\n"
        "    two_arms_real a[4] = {0, 1, 0, 1}, rows[TWO_ARMS_VALUES_SIZE];\n"
        "    two_arms_evaluate(p, a, rows);\n    return rows[5] == 2.0 ? 0 : 1;\n}\n"
    )
    command = [GXX, "-std=c++11", *STRICT, "-o", tmp_path / "main", caller, built]
    done = subprocess.run([*map(str, command)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert subprocess.run([str(tmp_path / "main")]).returncode == 0


@needs_gcc
def test_two_mechanisms_may_be_one_file(tmp_path):
    for name in ("left", "right"):
        written(arms(name), tmp_path)
    both = tmp_path / "both.c"
    both.write_text('#include "left.c"\n#include "right.c"\n')
    compiled(both, "-DLEFT_FLOAT", "-c", output=tmp_path / "both.o")


NASTY = [
    "*/ int main(void) { return 7; } /*",
    "??/",
    "a\\\nb",
    "双臂",
    "\u202eright\u202c",
    "int",
    "real",
    "in",
    "NAN",
    "%n%s",
    "",
    "q",
    "Q",
    "ä",
    "a",
    '"',
    "\ud800",
    "kernel_0",
    "sample_0",
    "p_size",
]


@needs_gcc
@pytest.mark.parametrize("name", [*NASTY, "math", "Zwei Ärme", "7 of 9"])
def test_names_of_any_kind_are_safe(tmp_path, name):
    """As the mechanism's, as arrays', functions' and numbers', and in every text."""
    kernel = Straight(
        **{f: getattr(arm.straight(), f) for f in Straight.__slots__} | {"name": name}
    )
    names = [*NASTY, f"{name}_x", f"{name}_f", f"{name} kernel 0"]
    arrays = tuple(CArray(name=n, size=12, doc=n) for n in names)
    call = CCall(kernel=kernel, table=((*range(4), *range(6)),))
    functions = tuple(
        CFunction(name=n, doc=f"{n} {n}", calls=(call,), x=(n,), y=tuple(names)) for n in NASTY
    )
    before = dict.fromkeys(names, (0.5,) * 12)
    after = {NASTY[1]: (0.5,) * 12}
    program = CProgram(
        name=name,
        doc=name,
        arrays=arrays,
        functions=functions,
        numbers=tuple(CNumber(name=n, value=3, doc=n) for n in [*NASTY, "FLOAT", "H", "q_size"]),
        samples=tuple(CSample(function=n, before=before, after=after) for n in NASTY),
    )
    done = self_test(program, tmp_path)
    assert done.returncode == 0, done.stdout
    assert f"0 of {len(NASTY)} samples failed" in done.stdout


def test_identifiers_differ_whatever_their_case():
    names = identifiers([*NASTY, "Int", "INT"], {"taken", "q"})
    assert len({name.lower() for name in names.values()}) == len(names)
    assert all(re.fullmatch("[A-Za-z][A-Za-z0-9_]*", name) for name in names.values())
    assert "q" not in names.values()


@given(st.text(st.characters() | st.sampled_from('*/\\?\n%"'), max_size=200))
def test_no_text_ends_a_comment_or_a_string(text):
    lines = comment(text, f"before {text}")
    whole = "\n".join(lines)
    assert whole.count("*/") == whole.count("/*") == 1
    assert whole.startswith("/*")
    assert whole.endswith("*/")
    assert "??" not in whole
    assert not any(line.endswith("\\") for line in lines)
    assert all(line.isprintable() for line in lines)
    assert re.fullmatch(r'"([A-Za-z0-9 _\-+.,:;()\[\]=/]|\\[0-7]{3})*"', string(text))


def test_nothing_is_allocated_written_elsewhere_or_called_but_libm():
    files = c_files(arms())
    text = re.sub(r"/\*.*?\*/", "", files.source, flags=re.DOTALL)
    assert not re.search(r"\b(malloc|calloc|realloc|free|alloca|memcpy|goto)\b", text)
    statics = re.findall(r"\bstatic\s+(\w+)[^;{=]*([;{=])", text)
    assert {kind for kind, end in statics if end != "{"} == {"const"}
    own = {"C", "SIN", "COS", "SQRT", "ATAN2", "RINT", "if", "for"}
    called = set(re.findall(r"\b(\w+)\(", text)) - own
    libm = {f"{name}{end}" for name in ("sin", "cos", "sqrt", "atan2", "rint") for end in ("", "f")}
    assert {name for name in called if not name.startswith("two_arms_")} == libm
    assert set(re.findall(r"#include [<\"](.*)[>\"]", text)) == {"two_arms.h", "math.h"}


def test_what_is_only_read_is_const_and_every_argument_is_documented():
    header = c_files(arms()).header
    declared = re.findall(r"two_arms_(\w+)\(\n(.*?)\);", header, flags=re.DOTALL)
    writes = {
        name: re.findall(r"^    two_arms_real (\w+)", given, re.M) for name, given in declared
    }
    assert writes == {
        "correct": ["angles", "E"],
        "follow": ["p", "angles", "E"],
        "evaluate": ["values"],
    }
    assert "E[TWO_ARMS_E_SIZE] (out): how the angles follow" in header
    assert "E[TWO_ARMS_E_SIZE] (in and out): how the angles follow" in header
    assert "#define TWO_ARMS_E_SIZE 8" in header


def test_kernels_called_twice_are_there_once():
    files = c_files(arms())
    assert files.source.count("static int two_arms_kernel_") == 1


CALL = CCall(kernel=arm.iterated(), table=TABLE, settings=BOTH)
GOOD = {"name": "f", "doc": "", "x": ("p", "angles"), "y": ("E",)}


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"calls": (CCall(kernel=arm.iterated(), table=TABLE),)}, "settings"),
        ({"calls": (CCall(kernel=arm.iterated(), table=(), settings=BOTH),)}, "no instance"),
        ({"calls": (CCall(kernel=arm.iterated(), table=((0, 1),), settings=BOTH),)}, "takes 8"),
        ({"calls": (CALL,), "y": ("values", "q")}, "'q'"),
        ({"calls": (CALL,), "x": ("p",)}, "outside"),
        ({"calls": (CALL,), "y": ("t",)}, "outside"),
    ],
)
def test_what_does_not_fit_is_refused(changed, said):
    function = CFunction(**(GOOD | changed))
    with pytest.raises(GenerationError, match=said):
        c_files(CProgram(name="m", doc="", arrays=ARRAYS, functions=(function,)))


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"arrays": (*ARRAYS, ARRAYS[0])}, "'p' is there twice"),
        ({"arrays": (*ARRAYS, CArray(name="none", size=0, doc=""))}, "no entry"),
        ({"samples": (CSample(function="g", before={}, after={}),)}, "'g'"),
        ({"samples": (CSample(function="f", before={}, after={"p": (1.0,)}),)}, "gives"),
        (
            {
                "samples": (
                    CSample(
                        function="f",
                        before={"p": (1.0,) * 4, "angles": (1.0,) * 3, "E": (1.0,) * 8},
                        after={"E": (1.0,) * 8},
                    ),
                )
            },
            "3 entries of 'angles'",
        ),
        (
            {
                "samples": (
                    CSample(
                        function="f",
                        before={"p": (1.0,) * 4, "angles": (1.0,) * 4, "E": (1.0,) * 8},
                        after={},
                    ),
                )
            },
            "nothing to compare",
        ),
    ],
)
def test_programs_that_do_not_fit_are_refused(more, said):
    fields = {"arrays": ARRAYS, "functions": (CFunction(**GOOD, calls=(CALL,)),)} | more
    with pytest.raises(GenerationError, match=said):
        c_files(CProgram(name="m", doc="", **fields))
