import json
import math
from dataclasses import replace

import numpy as np
import pytest

from mechanisms import four_bar
from robocompiler.errors import FormatError
from robocompiler.model.mechanism import (
    Actuator,
    Coupling,
    Environment,
    Mesh,
    Shape,
    Surface,
    Transmission,
)
from robocompiler.model.text import from_json, to_json


def everything():
    """A mechanism with every kind of record and awkward numbers."""
    mechanism = four_bar(
        1.0 / 3.0,
        joint={
            "A": {"limits": ((-math.inf, 0.1 + 0.2),), "armature": 5e-324, "labels": ("turnZ",)},
            "C": {"closure_tolerance": (1e-3, 0.1), "source": "fourbar: rc:loop C"},
        },
    )
    shape = Shape(name="s", mesh="m", color=(0.1, 0.2, 0.3, 1.0), surface=Surface(friction=0.3))
    bodies = (replace(mechanism.bodies[0], shapes=(shape,)), *mechanism.bodies[1:])
    return replace(
        mechanism,
        bodies=bodies,
        meshes=(Mesh(name="m", file="meshes/m.stl"),),
        couplings=(
            Coupling.gear(name="k", leader="A", follower="B", ratio=-1e-17, offset=math.pi),
        ),
        actuators=(
            Actuator(
                name="m",
                transmissions=(Transmission(coordinate="A", ratio=-1.0 / 3.0),),
                effort=2.0,
                velocity=3.0,
                armature=1e-5,
            ),
        ),
        environment=Environment(gravity=(0.0, -0.0, -9.81), density=998.2),
        warnings=("größer",),
    )


def test_a_mechanism_comes_back_as_it_was_to_the_last_bit():
    mechanism = everything()
    text = to_json(mechanism)
    assert from_json(text) == mechanism
    assert to_json(from_json(text)) == text
    assert json.loads(text)["version"] == 1


def test_a_file_from_before_actuators_is_read_as_one_without():
    """A version 1 file says nothing of them where there are none, and so did older releases."""
    text = to_json(four_bar())
    assert not any(word in text for word in ("actuator", "armature", "transmission"))
    read = from_json(text)
    assert (read.actuators, {joint.armature for joint in read.joints}) == ((), {0.0})


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


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<mujoco/>", "is not JSON"),
        ("", "is not JSON"),
        ("[" * 100_000, "is nested deeper than a mechanism can be"),
        ('{"a":' * 100_000, "is nested deeper than a mechanism can be"),
        ('{"mass": %s}' % ("9" * 5000), "is not JSON"),
        ("\ufeff{}", "begins with a byte order mark: save it as UTF-8 without one"),
        ("[NaN]", "NaN is no number of JSON"),
        ("[-Infinity]", '-Infinity is no number of JSON; an open limit is "inf"'),
        ("[1e999]", "1e999 is too large for a number"),
        ('{"a": 1, "b": 2, "a": 1}', "an object says 'a' twice"),
        ('{"name": "crank", "a": 1, "a": 2}', "an object 'crank' says 'a' twice"),
        ("[]", "is not a mechanism"),
        ('"robocompiler-mechanism"', "is not a mechanism"),
        ('{"format": "robocompiler-mechanism"}', "has version None"),
        ('{"format": "robocompiler-mechanism", "version": true}', "has version True"),
        ('{"format": "robocompiler-mechanism", "version": 1.0}', r"has version 1\.0"),
        ('{"format": "robocompiler-mechanism", "version": [[1]]}', "has version a list of 1"),
    ],
)
def test_text_that_is_not_json_or_not_a_mechanism_is_refused(text, said):
    with pytest.raises(FormatError, match=said) as caught:
        from_json(text, "m.json")
    assert str(caught.value).startswith("m.json")
    assert len(str(caught.value)) < 200


def nested(depth):
    return [] if depth == 0 else [nested(depth - 1)]


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (10**400, "mass: a whole number of 1329 bits is too large for a number"),
        (-(10**400), "mass: a whole number of 1329 bits is too large for a number"),
        (True, "mass: expected a number, not True"),
        (None, "mass: expected a number, not None"),
        ("nan", "mass: expected a number, not 'nan'"),
        ("\ud800" * 500, r"mass: expected a number, not '\\ud800"),
        ({}, "mass: expected a number, not a dict of 0"),
        (nested(900), "mass: expected a number, not a list of 1"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_a_number_that_is_none_is_refused_by_its_place(value, said):
    data = json.loads(to_json(everything()))
    data["bodies"][0]["inertia"]["mass"] = value
    with pytest.raises(FormatError, match=said) as caught:
        from_json(json.dumps(data))
    assert len(str(caught.value)) < 300


def with_damping(value):
    mechanism = everything()
    return replace(mechanism, joints=(replace(mechanism.joints[0], damping=value),))


@pytest.mark.parametrize(
    "value", [np.float64(0.1), np.float32(0.1), np.int64(3), 3, np.float64(math.inf)]
)
def test_numbers_of_numpy_come_back_as_plain_ones(value):
    (joint,) = from_json(to_json(with_damping(value))).joints
    assert type(joint.damping) is float
    assert joint.damping == value


def test_a_flag_of_numpy_comes_back_as_a_plain_one():
    mechanism = everything()
    joints = tuple(
        replace(joint, closes_loop=np.bool_(joint.closes_loop)) for joint in mechanism.joints
    )
    assert from_json(to_json(replace(mechanism, joints=joints))) == mechanism


@pytest.mark.parametrize(
    "value",
    [
        math.nan,
        np.float32("nan"),
        np.zeros(1),
        np.zeros(3),
        [1.0],
        1j,
        10**400,
        pytest.param(object(), id="an object"),
        b"1",
    ],
    ids=str,
)
def test_what_would_not_come_back_is_not_written(value):
    with pytest.raises(
        FormatError, match=r"The mechanism, joints\[0\], damping: .* cannot be writ"
    ):
        to_json(with_damping(value))
