"""Nothing that is changed on a stage escapes the comparison."""

import math
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("pxr")

from comparing import differences
from truth import EXPORTS

from usd_reading import read_stage

STAGE = "gripper"
SHIFT = np.eye(4)
SHIFT[0, 3] = 1e-5
TURN = np.eye(4)
TURN[:2, :2] = [[math.cos(1e-5), -math.sin(1e-5)], [math.sin(1e-5), math.cos(1e-5)]]


@pytest.fixture(scope="module")
def stage():
    return read_stage(EXPORTS / STAGE / f"{STAGE}.usda")


def changed(stage, group, name, **values):
    """A stage on which one thing has other values; functions of what it had."""
    own = getattr(stage, group)[name]
    new = {of: value(getattr(own, of)) for of, value in values.items()}
    return replace(stage, **{group: {**getattr(stage, group), name: replace(own, **new)}})


def without(stage, kind, name):
    left = {own: value for own, value in getattr(stage, kind).items() if own != name}
    return replace(stage, **{kind: left})


DRIVER, LOOP = "left-driver", "left"
CHANGES = {
    "units": lambda s: replace(s, units=(0.01, 1.0, "Z")),
    "default prim": lambda s: replace(s, default="other"),
    "gravity": lambda s: replace(s, gravity=-s.gravity),
    "filtered pair": lambda s: changed(s, "bodies", DRIVER, filtered=lambda _: frozenset()),
    "body": lambda s: without(s, "bodies", DRIVER),
    "body origin": lambda s: changed(s, "bodies", DRIVER, X_WB=lambda X: SHIFT @ X),
    "body orientation": lambda s: changed(s, "bodies", DRIVER, X_WB=lambda X: X @ TURN),
    "body mass": lambda s: changed(s, "bodies", DRIVER, mass=lambda m: m * (1.0 + 1e-5)),
    "body center": lambda s: changed(s, "bodies", DRIVER, center=lambda p: p + 1e-5),
    "body inertia": lambda s: changed(
        s,
        "bodies",
        "left-finger",
        inertia=lambda own: TURN[:3, :3].T @ own @ TURN[:3, :3] * (1 + 1e-5),
    ),
    "body articulation": lambda s: changed(s, "bodies", DRIVER, articulation=lambda _: True),
    "joint": lambda s: without(s, "joints", LOOP),
    "joint kind": lambda s: changed(s, "joints", DRIVER, kind=lambda _: "Prismatic"),
    "joint bodies": lambda s: changed(s, "joints", DRIVER, bodies=lambda b: b[::-1]),
    "joint place": lambda s: changed(s, "joints", LOOP, frames=lambda f: (f[0], SHIFT @ f[1])),
    "joint gap": lambda s: changed(s, "joints", LOOP, frames=lambda f: (SHIFT @ f[0], f[1])),
    "joint axis": lambda s: changed(s, "joints", DRIVER, axis=lambda z: -z),
    "joint excluded": lambda s: changed(s, "joints", LOOP, excluded=lambda _: False),
    "joint zero": lambda s: changed(s, "joints", DRIVER, frames=lambda f: (f[0], f[1] @ TURN)),
    "joint coordinate": lambda s: changed(s, "joints", DRIVER, reference=lambda _: 0.1),
    "joint limits": lambda s: changed(
        s,
        "joints",
        DRIVER,
        limits=lambda own: {axis: tuple(map(math.radians, ends)) for axis, ends in own.items()},
    ),
    "joint drives": lambda s: changed(s, "joints", DRIVER, drives=lambda _: {}),
    "joint mimic": lambda s: changed(
        s, "joints", DRIVER, mimic=lambda own: (own[0], math.degrees(own[1]), own[2])
    ),
    "joint damping": lambda s: changed(s, "joints", DRIVER, damping=lambda _: 1.0),
    "shape": lambda s: without(s, "shapes", "palm"),
    "shape body": lambda s: changed(s, "shapes", "palm", body=lambda _: DRIVER),
    "shape triangles": lambda s: changed(s, "shapes", "palm", points=lambda p: p[:-1]),
    "shape high corner": lambda s: changed(s, "shapes", "palm", points=lambda p: p * 1000.0),
    "shape volume": lambda s: changed(s, "shapes", "palm", points=lambda p: p[:, ::-1]),
    "shape approximation": lambda s: changed(s, "shapes", "palm", approximation=lambda _: "none"),
    "shape friction": lambda s: changed(s, "shapes", "palm", friction=lambda _: None),
    "color value": lambda s: replace(s, colors={**s.colors, "palm": (1.0, 0.0, 0.0, 1.0)}),
    "frame": lambda s: without(s, "frames", "left/child"),
}


@pytest.mark.parametrize("of", CHANGES)
def test_what_is_changed_is_found(of, stage):
    assert differences(stage, stage) == []
    assert of in {difference.of for difference in differences(stage, CHANGES[of](stage))}
    assert of in {difference.of for difference in differences(CHANGES[of](stage), stage)}
