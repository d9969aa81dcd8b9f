import json
import math
from dataclasses import replace

import pytest

from mechanisms import four_bar
from robocompiler.errors import FormatError
from robocompiler.model.mechanism import (
    Coupling,
    Environment,
    Mesh,
    Shape,
    Surface,
)
from robocompiler.model.text import from_json, to_json


def everything():
    """A mechanism with every kind of record and awkward numbers."""
    mechanism = four_bar(
        1.0 / 3.0,
        joint={
            "A": {"limits": ((-math.inf, 0.1 + 0.2),), "effort": 5e-324, "labels": ("turnZ",)},
            "C": {"closure_tolerance": (1e-3, 0.1), "source": "fourbar: rc:loop C"},
        },
    )
    shape = Shape(name="s", mesh="m", color=(0.1, 0.2, 0.3, 1.0), surface=Surface(friction=0.3))
    bodies = (replace(mechanism.bodies[0], shapes=(shape,)), *mechanism.bodies[1:])
    return replace(
        mechanism,
        bodies=bodies,
        meshes=(Mesh(name="m", file="meshes/m.stl"),),
        couplings=(Coupling(name="k", leader="A", follower="B", ratio=-1e-17, offset=math.pi),),
        environment=Environment(gravity=(0.0, -0.0, -9.81), density=998.2),
        warnings=("größer",),
    )


def test_a_mechanism_comes_back_as_it_was_to_the_last_bit():
    mechanism = everything()
    text = to_json(mechanism)
    assert from_json(text) == mechanism
    assert to_json(from_json(text)) == text
    assert json.loads(text)["version"] == 1


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda d: d.update(version=2), "version 2; this release reads version 1"),
        (lambda d: d.update(format="other"), '"format": "robocompiler-mechanism"'),
        (lambda d: d["joints"][1].update(kind="hinge"), "'hinge' is none of fixed, revolute"),
        (lambda d: d["joints"][1].update(colour="red"), "a Joint has no field 'colour'"),
        (lambda d: d["joints"][1].pop("parent"), "a Joint needs 'parent'"),
        (lambda d: d["bodies"][0]["inertia"].update(mass="3"), r"bodies\[0\], inertia, mass"),
        (lambda d: d["bodies"][0]["inertia"].update(center=[0, 0]), "expected 3 entries, not 2"),
    ],
)
def test_what_is_not_such_json_is_refused_by_its_place(change, said):
    data = json.loads(to_json(everything()))
    change(data)
    with pytest.raises(FormatError, match=said):
        from_json(json.dumps(data))


def test_text_that_is_not_json_is_refused():
    with pytest.raises(FormatError, match="is not JSON"):
        from_json("<mujoco/>")
