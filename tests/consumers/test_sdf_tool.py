"""SDFormat as libsdformat's own tool judges it."""

import shutil
import subprocess
import xml.etree.ElementTree as ElementTree

import pytest
from sdf_files import Written, texts_of
from test_sdf_joints import CLOSING, loop_of
from truth import EXAMPLES

from arms import MOVING, arm
from exporting import exporting
from robocompiler.model.joint_kinds import JointKind

TOOL = "ign sdf"


def tool(*arguments):
    if shutil.which("ign") is None:
        pytest.skip("no `ign`: apt install libsdformat-dev ignition-tools")
    return subprocess.run(["ign", "sdf", *arguments], capture_output=True, text=True, check=False)


def assert_valid(path):
    """Its version 12 knows SDFormat 1.9 and older: of what is newer it says so, and checks it."""
    version = ElementTree.parse(path).getroot().get("version")
    done = tool("-k", str(path))
    said = (done.stdout + done.stderr).splitlines()
    told = {line for line in said if "Error" in line or "Warning" in line}
    newer = f"Unable to convert from SDF version {version} to 1.9"
    assert done.returncode == 0
    assert "Valid." in done.stdout
    assert all(newer in line for line in told if "libignition-tools-backward" not in line)
    assert version == "1.9" or any(newer in line for line in told)


@pytest.mark.row(TOOL, "SDF", agrees="the model's file and Drake's are valid")
@pytest.mark.parametrize("name", EXAMPLES)
def test_libsdformat_finds_the_examples_valid(name, tmp_path):
    written = Written(name, tmp_path)
    for path in {written.path, written.drake}:
        assert_valid(path)


@pytest.mark.row(TOOL, "SDF", agrees="every kind of joint, in the tree or closing a loop, is valid")
@pytest.mark.parametrize("kind", MOVING)
def test_libsdformat_finds_each_kind_of_joint_valid(kind, tmp_path):
    exports = [exporting("sdf", arm(kind), intermediate_mass=0.1)]
    if kind in CLOSING:
        exports.append(exporting("sdf", loop_of(kind, reverse=False)))
    for export in exports:
        (tmp_path / "model.sdf").write_text(texts_of(export)[0])
        assert_valid(tmp_path / "model.sdf")


@pytest.mark.row(TOOL, "SDF", agrees="what is wrong it finds, so that its silence says something")
def test_libsdformat_finds_faults_where_they_are(tmp_path):
    text, _ = texts_of(exporting("sdf", arm(JointKind.REVOLUTE)))
    faults = {
        "a link that is not there": ("<parent>upper</parent>", "<parent>other</parent>"),
        "a kind that is none": ('type="continuous"', 'type="hinge"'),
        "two things of one name": ('<joint name="J"', '<joint name="lower"'),
    }
    for old, new in faults.values():
        assert old in text
        (tmp_path / "model.sdf").write_text(text.replace(old, new, 1))
        assert tool("-k", str(tmp_path / "model.sdf")).returncode != 0
