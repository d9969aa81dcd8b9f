"""A consumer's package of simple boxes: parallelogram four-bars and what is built from them.

From above; the pins' own z axes point down, so that angles count clockwise. A parallelogram of bars
of 40 mm, 100 mm apart, closes at every angle of its crank.

      A ---- ground 100 ---- D
       \\ crank 40            \\ rocker 40
        B ---- coupler 100 --- C
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from pc import ROOT

Entry = dict[str, Any]

STEEL = 7850.0
"""[kg/m³] of `rc/materials:steel-s235`."""
BOXES = {
    "ground": (140, 20, 10),
    "bar": (50, 10, 10),
    "coupler": (110, 10, 10),
    "half": (60, 10, 10),
}
"""Length, width and height [mm]."""
STARTS = {"ground": -20, "bar": -5, "coupler": -5, "half": -5}
"""Where each begins [mm] along its x."""

BOX = """\
import cadquery as cq

length, width, height, start = {length}, {width}, {height}, {start}
corner = cq.Workplane("XY", origin=(start, -width / 2, 0))
show_object(corner.box(length, width, height, centered=False))
"""

UP, DOWN = [[0, 0, 1], 0], [[1, 1, 0], 180]


def at(x: float, y: float, z: float, turn: list[Any] = UP) -> list[Any]:
    """A port as PartCAD writes it."""
    return [[x, y, z], *turn]


KINDS = ("revolute", "prismatic", "cylindrical", "screw", "universal", "ball", "planar", "fixed")


def interfaces(mounted: str = "rc", **extra: Entry) -> Entry:
    """Aliases of the joints: `pin` and `bore` are the hinge's, the others carry their kind."""
    named = {
        "pin": {"alias": f"{mounted}:revolute-pin"},
        "bore": {"alias": f"{mounted}:revolute-bore"},
    }
    for kind in KINDS:
        for side in ("pin", "bore"):
            named[f"{kind}-{side}"] = {"alias": f"{mounted}:{kind}-{side}"}
    return {**named, **extra}


PORTS: dict[str, Entry] = {
    "ground": {
        "bore": {"A": at(0, 0, 10), "D": at(100, 0, 10)},
        "prismatic-bore": {"well": at(50, 0, 10)},
    },
    "bar": {
        "pin": {"end": at(0, 0, 0, DOWN)},
        "bore": {"tip": at(40, 0, 10)},
        "prismatic-pin": {"foot": at(0, 0, 0, DOWN)},
    },
    "coupler": {"pin": {"B": at(0, 0, 0, DOWN), "C": at(100, 0, 0, DOWN)}},
    # Two of these make a coupler: the second is the first turned by half a turn about z.
    "half": {
        "pin": {"end": at(0, 0, 0, DOWN)},
        "fixed-bore": {"socket": at(50, 0, 5, [[1, 1, 1], 120])},
        "fixed-pin": {"plug": at(50, 0, 5, [[1, 0, 1], 180])},
    },
}


def part(box: str, mounted: str = "rc", **properties: Any) -> Entry:
    """A box with its ports."""
    return {
        "type": "cadquery",
        "path": f"parts/{box}.py",
        "properties": {"material": f"{mounted}/materials:steel-s235", **properties},
        "implements": PORTS[box],
    }


def parts(mounted: str = "rc") -> dict[str, Entry]:
    """All the boxes."""
    return {box: part(box, mounted) for box in BOXES}


def loop(name: str | None, a: str, b: str, mounted: str = "rc", **terms: object) -> Entry:
    """A loop marker, as `implements:` has it."""
    said = ",".join(f"{key}={value}" for key, value in {**terms, "a": a, "b": b}.items())
    return {f"{mounted}:loop;{said}": {name: None} if name else None}


def coupling(name: str, leader: str, follower: str, **terms: object) -> Entry:
    """A coupling marker, likewise."""
    said = ",".join(
        f"{k}={v}" for k, v in {"leader": leader, "follower": follower, **terms}.items()
    )
    return {f"rc:coupling;{said}": {name: None}}


def actuator(name: str, joint: str, **terms: object) -> Entry:
    """An actuator marker, likewise."""
    said = ",".join(f"{k}={v}" for k, v in {"joint": joint, **terms}.items())
    return {f"rc:actuator;{said}": {name: None}}


C_PORTS = ("rocker.tip-axis", "coupler.C-axis")
LOOP_C = loop("C", *C_PORTS)

FOURBAR = """\
links:
  - part: ground
  - part: bar
    name: crank
    connect:
      {with: pin, name: ground, to: bore, toInstance: A, joint: A,
       withParams: {turnZ: {{ param_angle }}}}
  - part: bar
    name: rocker
    connect:
      {with: pin, name: ground, to: bore, toInstance: D, joint: D,
       withParams: {turnZ: {{ param_angle + param_skew }}}}
  - part: coupler
    connect:
      {with: pin, withInstance: B, name: crank, to: bore, joint: B,
       withParams: {turnZ: {{ -param_angle }}}}
"""

HALVES = """\
links:
  - part: ground
  - part: bar
    name: crank
    connect:
      {with: pin, name: ground, to: bore, toInstance: A, joint: A,
       withParams: {turnZ: 60}}
  - part: bar
    name: rocker
    connect:
      {with: pin, name: ground, to: bore, toInstance: D, joint: D,
       withParams: {turnZ: 60}}
  - part: half
    name: left
    connect:
      {with: pin, name: crank, to: bore, joint: B,
       withParams: {turnZ: -60}}
  - part: half
    name: right
    connect:
      {with: pin, name: rocker, to: bore, joint: E,
       withParams: {turnZ: 120}}
"""


def fourbar(*markers: Entry, angle: float = 60.0, skew: float = 0.0, **more: Any) -> Entry:
    """A four-bar with these markers."""
    return {
        "type": "assy",
        "path": "fourbar.assy",
        "parameters": {
            "angle": {"type": "float", "default": angle},
            "skew": {"type": "float", "default": skew},
        },
        "implements": {key: value for marker in markers for key, value in marker.items()},
        **more,
    }


ARMS = """\
links:
  - part: ground
  - part: bar
    name: crank
    connect:
      {with: pin, name: ground, to: bore, toInstance: A, joint: A,
       withParams: {turnZ: 60}}
  - part: bar
    name: rocker
    connect:
      {with: pin, name: ground, to: bore, toInstance: D, joint: D,
       withParams: {turnZ: 60}}
"""

MAPPED = """\
links:
  - assembly: arms
  - part: coupler
    connect:
      {with: pin, withInstance: B, name: arms, to: bore, toInstance: left, joint: B,
       withParams: {turnZ: -60}}
"""

RACK = """\
links:
  - part: ground
  - part: bar
    name: wheel
    connect:
      {with: pin, name: ground, to: bore, toInstance: A, joint: turn,
       withParams: {turnZ: 20}}
  - part: bar
    name: rack
    connect:
      {with: prismatic-pin, name: ground, to: prismatic-bore, joint: lift,
       withParams: {moveZ: 15}}
"""

BENCH = """\
links:
  - {{ param_subject_kind }}: "{{ param_subject }}"
    name: subject
    fixed: true
"""


def bench(gravity: list[float], **more: Any) -> Entry:
    """A scene that the subject is bolted down in."""
    return {
        "type": "assy",
        "path": "bench.assy",
        "gravity": gravity,
        "parameters": {
            "subject": {"type": "string", "default": "ground"},
            "subject_kind": {"type": "string", "default": "part"},
        },
        **more,
    }


def write_package(folder: Path, files: Mapping[str, str], **sections: Any) -> Path:
    """A package of the boxes: its `partcad.yaml`, their scripts, and other files."""
    (folder / "parts").mkdir(parents=True)
    for box, (length, width, height) in BOXES.items():
        script = BOX.format(length=length, width=width, height=height, start=STARTS[box])
        (folder / "parts" / f"{box}.py").write_text(script, encoding="utf-8")
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    package = {
        "desc": "Linkages of boxes",
        "manufacturable": False,
        "dependencies": {"rc": {"type": "local", "path": str(ROOT)}},
        "interfaces": interfaces(),
        "parts": parts(),
        **sections,
    }
    text = yaml.safe_dump(package, sort_keys=False, width=1000)
    (folder / "partcad.yaml").write_text(text, encoding="utf-8")
    return folder


def box_inertia(box: str) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass [kg], centre of mass [m] and inertia about it [kg m²] of a box, by the closed form."""
    x, y, z = (size * 1e-3 for size in BOXES[box])
    mass = STEEL * x * y * z
    moments = mass / 12.0 * np.array([y * y + z * z, x * x + z * z, x * x + y * y])
    center = np.array([STARTS[box] * 1e-3 + x / 2.0, 0.0, z / 2.0])
    return mass, center, np.diag(moments)
