"""Whatever a file holds, it is read or refused in words; it never ends in a traceback."""

import warnings
from collections import Counter
from dataclasses import replace

import pytest
from mutations import mutated
from spoiled import attached

from mechanisms import bar, four_bar
from robocompiler.cli.main import main
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import Actuator, Coupling, Environment, Transmission
from robocompiler.model.text import to_json


def machine():
    """A four-bar, and a wheel and rack that a coupling ties."""
    mechanism = four_bar(joint={"A": {"limits": ((-4.0, 4.0),), "effort": 5.0, "damping": 0.1}})
    for name, kind in (("W", JointKind.REVOLUTE), ("R", JointKind.PRISMATIC)):
        mechanism = attached(mechanism, name, {"kind": kind}, "world.ground", bar(1.0, 1.0))
    return replace(
        mechanism,
        couplings=(
            Coupling.gear(name="k", leader="to W", follower="to R", ratio=0.01, source="here"),
        ),
        actuators=(
            Actuator(
                name="m",
                transmissions=(Transmission(coordinate="to W", ratio=50.0),),
                effort=2.0,
                velocity=3.0,
                armature=1e-5,
            ),
        ),
        environment=Environment(gravity=(0.0, 0.0, -9.81), density=1.2),
        warnings=("größer",),
    )


@pytest.mark.parametrize("block", range(10))
def test_a_spoiled_file_is_shown_or_refused_in_words(block, tmp_path, capsys):
    """500 files: a part is spoiled text, the others are JSON that says something else."""
    text, file = to_json(machine()), tmp_path / "m.json"
    ends = Counter()
    for number in range(block * 50, block * 50 + 50):
        file.write_text(mutated(text, number), encoding="utf-8")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            ends[main(["show", str(file)])] += 1
        said = capsys.readouterr()
        assert bool(said.out) != bool(said.err)
    assert sum(ends.values()) == 50
    assert ends[0] > 0
    assert ends[1] > 0


@pytest.mark.parametrize("block", range(4))
def test_a_spoiled_file_is_converted_or_refused_in_words_and_leaves_nothing(
    block, tmp_path, capsys
):
    text, file = to_json(machine()), tmp_path / "m.json"
    for number in range(block * 25, block * 25 + 25):
        out = tmp_path / str(number)
        out.mkdir()
        file.write_text(mutated(text, number), encoding="utf-8")
        done = main(["convert", str(file), "-o", str(out / "m.xml")])
        said = capsys.readouterr().err
        assert said.startswith("wrote " if done == 0 else "robocompiler: ")
        assert bool(list(out.iterdir())) == (done == 0)


@pytest.mark.parametrize(
    "content", [b"", b"\x00", b"\xff\xfe{\x00}\x00", b"\xef\xbb\xbf{}", b"\x80", b"{" * 10**6]
)
def test_bytes_that_are_no_text_are_refused_in_words(content, tmp_path, capsys):
    file = tmp_path / "m.json"
    file.write_bytes(content)
    assert main(["show", str(file)]) == 1
    assert capsys.readouterr().err.startswith("robocompiler: ")
