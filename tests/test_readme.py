"""What the README shows is run as it is written."""

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import robocompiler as rc
from linkages.planar import GRASHOF, four_bar_of, four_bar_solution

README = Path(__file__).parent.parent / "README.md"
FOUR_BAR = GRASHOF["parallelogram"]
"""As the README's linkage is one."""


def _block(start: str) -> str:
    """The lines of Python that begin so, or have such a line."""
    blocks = re.findall(r"```python\n(.*?)```", README.read_text("utf-8"), re.DOTALL)
    (found,) = (block for block in blocks if start in block)
    return found


def test_every_line_on_generated_code_does_what_it_says(tmp_path, monkeypatch):
    block = _block("bound = rc.bind(")
    text = rc.to_json(four_bar_of(FOUR_BAR, crank=1.0)).replace('"A"', '"crank"')
    names = {"rc": rc, "compiled": rc.compile(rc.from_json(text))}
    monkeypatch.chdir(tmp_path)
    exec(block, names)
    bound, led, many, compiled = (names[x] for x in ("bound", "led", "many", "compiled"))
    crank, rocker = (compiled.tree_joint(name) for name in ("crank", "D"))
    assert bound.independent == ("crank",)
    np.testing.assert_array_equal(led.q[:, crank.q.start], [1.2, 1.3, 1.4])
    np.testing.assert_array_equal(bound.q, led.q[-1])
    solved = [four_bar_solution(FOUR_BAR, angle)[1] for angle in (1.2, 1.3, 1.4)]
    np.testing.assert_allclose(led.q[:, rocker.q.start], solved, atol=1e-12)
    # Sides of a parallelogram are parallel: the rocker turns as the crank does.
    np.testing.assert_allclose(bound.v[[crank.v.start, rocker.v.start]], 1.0, atol=1e-12)
    np.testing.assert_allclose(bound.c[rocker.v], 0.0, atol=1e-12)
    assert many.q.shape == (compiled.nq, 8192)
    assert {file.name for file in tmp_path.iterdir()} == {"mechanism.c", "mechanism.h"}


def test_every_line_on_writing_does_what_it_says(tmp_path, monkeypatch):
    text = rc.to_json(four_bar_of(FOUR_BAR, crank=1.0)).replace('"A"', '"crank"')
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "linkage.mechanism.json").write_text(text, "utf-8")
    monkeypatch.chdir(tmp_path)
    names = {"rc": rc}
    exec(_block("done = rc.write("), names)
    assert names["done"].files[0] == Path("linkage.xml")
    model = ElementTree.parse("linkage.xml")
    assert float(model.find("option").get("timestep")) == 5e-4
    (up,) = (key for key in model.iter("key") if key.get("name") == "up")
    assert float(up.get("qpos").split()[0]) == pytest.approx(1.5708, abs=1e-12)


def _fourbar() -> rc.CompiledMechanism:
    """That of the example."""
    request = json.loads((README.parent / "tests" / "golden" / "fourbar.json").read_text())
    return rc.compile(rc.read_partcad(request))


def test_every_line_on_forces_says_what_they_are(kinematics):
    compiled = _fourbar()
    block = _block("needed = rc.inverse_dynamics(")
    names = {"rc": rc, "compiled": compiled}
    exec(block.partition("needed")[0], names)
    shown = re.findall(r"^(.*?)  # [\[(]?(.*?)[\])]?(?: [a-zN].*)?$", block, re.MULTILINE)
    exec("\n".join(line for line in block.splitlines() if "  # " not in line), names)
    values = {line: text for line, text in shown if line.startswith(("needed", "loads", "rc."))}
    assert len(values) == 4
    for line, text in values.items():
        said = re.split(r"[, ]+", text)
        if "determinate" in line:
            assert [str(own) for own in eval(line, names)] == said
        else:
            np.testing.assert_allclose(eval(line, names), [float(x) for x in said], atol=5e-5)


def test_every_line_on_generated_dynamics_does_what_it_says(kinematics):
    compiled = _fourbar()
    q = rc.coordinates(compiled, rc.assemble(compiled, {"crank-ground": 1.0}))
    names = {"rc": rc, "compiled": compiled, "q": q}
    exec(_block("dynamics = rc.bind_dynamics("), names)
    at = {"independent": ["crank-ground"]}
    expected = rc.forward_dynamics(compiled, q, [0.0], [0.01], **at)
    np.testing.assert_allclose(names["dynamics"].u_dot, expected.u_dot, rtol=1e-12)
    np.testing.assert_allclose(names["dynamics"].efforts, [0.01], rtol=1e-12)
    assert names["many"].q.shape == (compiled.nq, 4096)
