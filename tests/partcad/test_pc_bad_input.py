"""What a user does wrong: `pc export` says what, where and by how much, and leaves nothing."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from exported import Export, export
from linkage import C_PORTS, FOURBAR, LOOP_C, coupling, fourbar, loop, part, parts, write_package

pytestmark = pytest.mark.partcad

CRANK = "part: bar\n    name: crank"
LIMITED = "joint: A, motion: {type: revolute, limits: {lower: -10, upper: 10}},"
FOLLOWER = "joint: D, motion: {type: revolute, limits: {lower: -90, upper: 90}},"
UNPHYSICAL: dict[str, dict[str, Any]] = {
    "weightless": {"mass": 0},
    "negative": {"mass": -1},
    "twisted": {"mass": 1, "inertia": {"ixx": 0.001, "iyy": 0.001, "izz": 0.005}},
}

# What is drawn, and what the message must say of it.
FAULTS: dict[str, tuple[dict[str, Any], list[str]]] = {
    "unknown-link": (
        fourbar(loop("C", "roker.tip-axis", C_PORTS[1])),
        ["rc:loop C", "no link 'roker'", "Did you mean 'rocker'?"],
    ),
    "unknown-port": (
        fourbar(loop("C", "rocker.tip", C_PORTS[1])),
        ["rc:loop C", "no port 'tip'", "Did you mean 'tip-axis'?"],
    ),
    "ports-apart": (
        fourbar(LOOP_C, skew=7.165),
        ["Loop 'C'", *C_PORTS, "4.999 mm", "0°", "allowed: 0.5 mm, 0.5°", "tolerance="],
    ),
    "ports-turned": (
        fourbar(loop("C", *C_PORTS, joint="fixed")),
        ["Loop 'C'", "0 mm and 60° apart"],
    ),
    "unknown-kind": (
        fourbar(loop("C", *C_PORTS, joint="hinge")),
        ["rc:loop C", "no joint kind 'hinge'", "revolute", "universal"],
    ),
    "two-loops-of-one-name": (
        fourbar(LOOP_C, loop("C", "rocker.tip-axis", "coupler.B-axis")),
        ["Two loops are called 'C'", "Rename one"],
    ),
    "two-couplings-of-one-name": (
        fourbar(LOOP_C, coupling("k", "A", "D"), coupling("k", "A", "B", ratio=-1)),
        ["Two couplings are called 'k'", "Rename one"],
    ),
    "loop-and-joint-of-one-name": (
        fourbar(loop("A", *C_PORTS)),
        ["Two joints are called 'A'", "Rename one"],
    ),
    "duplicate": (
        fourbar(loop("C", "crank.tip-axis", "coupler.B-axis")),
        ["Loop joint 'C' repeats joint 'B'", "'crank' and 'coupler'", "Remove the loop"],
    ),
    "two-links-of-one-label": (
        fourbar(loop("C", "crank.tip-axis", C_PORTS[1]), path="labels.assy"),
        ["2 links are called 'crank'", "`name:`"],
    ),
    "start-outside-limits": (
        fourbar(LOOP_C, path="limited.assy"),
        ["Joint 'A'", "60 deg", "[-10, 10] deg"],
    ),
    "loop-start-outside-limits": (
        fourbar(loop("C", *C_PORTS, lower=0, upper=10)),
        ["Joint 'C'", "-60 deg", "[0, 10] deg"],
    ),
    "wrong-dimension": (
        fourbar(LOOP_C, coupling("k", "A", "D", ratio="0.5mm/deg")),
        ["rc:coupling k", "ratio=0.5mm/deg is not a ratio of angle to angle"],
    ),
    "a-ratio-short": (
        fourbar(LOOP_C, coupling("k", "A,B", "D", ratio="0.5")),
        ["rc:coupling k", "ratio=0.5 is not a ratio for each of the 2 leaders"],
    ),
    "coupling-cycle": (
        fourbar(LOOP_C, coupling("k", "A", "D"), coupling("m", "D", "A")),
        ["circle", "A → D → A"],
    ),
    "coupled-as-not-drawn": (
        fourbar(LOOP_C, coupling("k", "A", "D", offset=30)),
        ["Coupling 'k'", "'D' is drawn at 60°", "90°", "offset=0"],
    ),
    "coupled-beyond-its-limits": (
        fourbar(coupling("k", "A", "D", offset=100), path="follower.assy"),
        ["Coupling 'k'", "'D' is drawn at 60°", "160°"],
    ),
    "weightless": (
        fourbar(LOOP_C, path="weightless.assy"),
        ["Body 'crank' has no mass", "physics: {mass: …}"],
    ),
    "negative": (fourbar(LOOP_C, path="negative.assy"), ["Body 'crank'", "-1 kg"]),
    "twisted": (
        fourbar(LOOP_C, path="twisted.assy"),
        [
            "Body 'crank'",
            "0.001, 0.001, 0.005",
            "triangle inequality",
            "0.001 + 0.001 ≥ 0.005 fails",
        ],
    ),
    "several": (
        fourbar(
            loop("C", "roker.tip-axis", C_PORTS[1]),
            loop("E", *C_PORTS, joint="hinge"),
            coupling("k", "A", "Q"),
        ),
        ["3 faults:", "'rocker'?", "no joint kind 'hinge'", "no joint 'Q'"],
    ),
    "one-body": (
        fourbar(loop("C", "crank.tip-axis", "crank.end-axis")),
        ["both ends of 'C' are on the rigid body 'crank'"],
    ),
    "one-loop-twice": (
        fourbar(LOOP_C, loop("E", *C_PORTS, lower=-90)),
        ["'E' repeats joint 'C'", "'rocker' and 'coupler'"],
    ),
    "two-terms-of-one-loop": (
        fourbar(LOOP_C, loop("C", *C_PORTS, lower=-90)),
        ["Two loops are called 'C'"],
    ),
    "two-ratios-of-one-coupling": (
        fourbar(coupling("k", "A", "D"), coupling("k", "A", "D", ratio=2)),
        ["Two couplings are called 'k'"],
    ),
    "timestep-below-zero": (
        fourbar(LOOP_C, export={"mjcf": {"timestep": -1}}),
        ["timestep=-1 is not a positive number"],
    ),
    "timestep-of-letters": (
        fourbar(LOOP_C, export={"mjcf": {"timestep": "fast"}}),
        ["timestep=fast is not a positive number"],
    ),
    "tolerance-of-letters": (
        fourbar(LOOP_C, export={"mjcf": {"closure_tolerance": "tight"}}),
        ["closure_tolerance=tight is not a positive number"],
    ),
}
# Drawn at 60 degrees; a screw of 2 mm per turn is a third of a millimetre open there.
SCREWED = fourbar(loop("C", *C_PORTS, joint="screw", pitch=2))


@pytest.fixture(scope="session")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    files = {"fourbar.assy": FOURBAR, "limited.assy": FOURBAR.replace("joint: A,", LIMITED)}
    files["follower.assy"] = FOURBAR.replace("joint: D,", FOLLOWER)
    files["labels.assy"] = FOURBAR.replace("name: rocker", "name: crank")
    for name in UNPHYSICAL:
        files[f"{name}.assy"] = FOURBAR.replace(CRANK, f"part: {name}\n    name: crank")
    odd = {name: part("bar", physics=physics) for name, physics in UNPHYSICAL.items()}
    assemblies = {name: assembly for name, (assembly, _) in FAULTS.items()}
    return write_package(
        tmp_path_factory.mktemp("faults") / "linkage",
        files,
        parts={**parts(), **odd},
        assemblies={**assemblies, "screwed": SCREWED, "sound": fourbar(LOOP_C)},
    )


def refused(made: Export) -> str:
    """The message, in one line."""
    assert made.code == 1
    return re.sub(r"\s+", " ", made.errors)


@pytest.mark.parametrize("name", FAULTS)
def test_what_is_wrong_is_said_and_nothing_is_left(package, tmp_path, name):
    made = export(package, tmp_path, name)
    message = refused(made)
    for said in FAULTS[name][1]:
        assert said in message
    assert list(tmp_path.iterdir()) == []


def test_a_pose_far_from_the_drawn_one_is_never_silent(package, tmp_path):
    """A parallelogram drawn at 60 degrees: with a screw in it, it cannot move at all."""
    made = export(package, tmp_path, "screwed")
    moved = made.code == 0 and abs(made.coordinate("D") - 60) > 1
    assert not moved or any("'D'" in warning for warning in made.warnings)


def test_a_folder_that_does_not_exist_is_not_made(package, tmp_path):
    made = export(package, tmp_path / "nowhere", "sound")
    assert made.code != 0
    assert "nowhere" in made.log
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("older", [True, False])
def test_what_cannot_be_written_leaves_everything_as_it_was(package, tmp_path, older):
    """A file where the meshes' folder should be, beside a model of another export, or none."""
    (tmp_path / "sound_meshes").write_text("mine")
    if older:
        (tmp_path / "sound.xml").write_text("older")
    before = sorted(path.name for path in tmp_path.iterdir())
    made = export(package, tmp_path, "sound")
    message = refused(made)
    assert "Cannot write" in message
    assert "sound_meshes" in message
    assert sorted(path.name for path in tmp_path.iterdir()) == before
    assert (tmp_path / "sound_meshes").read_text() == "mine"
    assert not older or (tmp_path / "sound.xml").read_text() == "older"
