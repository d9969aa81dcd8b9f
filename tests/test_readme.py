"""What the README shows is run as it is written."""

import re
from pathlib import Path

import numpy as np

import robocompiler as rc
from linkages.planar import GRASHOF, four_bar_of, four_bar_solution

README = Path(__file__).parent.parent / "README.md"
FOUR_BAR = GRASHOF["parallelogram"]
"""As the README's linkage is one."""


def test_every_line_on_generated_code_does_what_it_says(tmp_path, monkeypatch):
    (block,) = re.findall(r"```python\n(.*?)```", README.read_text("utf-8"), re.DOTALL)
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
