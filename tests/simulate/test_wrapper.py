"""The script that PartCAD runs, run as PartCAD runs it."""

import json
import subprocess
import sys
from pathlib import Path

from scenes import written

from mechanisms import four_bar

WRAPPER = Path(__file__).resolve().parents[2] / "wrappers" / "simulate_mujoco.py"
CALL = """
import json, runpy, sys
request = json.loads(sys.stdin.read())
script = runpy.run_path(sys.argv[1], {"request": request}, "__partcad_simulate__")
print(json.dumps(script["process"](sys.argv[2], request)))
"""


def test_the_wrapper_answers_in_plain_json_and_prints_nothing_else(tmp_path):
    scene = written(tmp_path, four_bar(0.7))
    request = {
        "scene_file": str(scene),
        "scene_format": "mjcf",
        "duration": 0.2,
        "timestep": None,
        "samples": 3,
        "gravity": [0, -9.81, 0],
        "drive": {"A": {"velocity": 90}},
        "snapshot": {
            "format": "png",
            "files": {"before": "a.png", "after": "b.png"},
            "width": 64,
            "height": 64,
        },
    }
    command = [sys.executable, "-sOOu", "-c", CALL, str(WRAPPER), str(tmp_path)]
    done = subprocess.run(
        command, input=json.dumps(request), capture_output=True, text=True, cwd=tmp_path, check=True
    )
    answer = json.loads(done.stdout)
    assert done.stderr == ""
    assert answer["success"] is True
    assert answer["after"]["time"] == 0.2
    assert [sample["time"] for sample in answer["samples"]] == [0.0, 0.1, 0.2]
    assert set(answer["closures"]["C"]) == {"max_gap", "max_angle", "max_force", "max_torque"}
    assert (tmp_path / "a.png").is_file()
    assert (tmp_path / "b.png").is_file()


def test_the_wrapper_is_thin():
    lines = WRAPPER.read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 40
    assert not any(line.lstrip().startswith(("if ", "for ", "while ", "try")) for line in lines)
