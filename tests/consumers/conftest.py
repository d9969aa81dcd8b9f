"""Every exported example, as our own compiler sees it, and what consumers are to agree on."""

from __future__ import annotations

import os
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

import robocompiler as rc
from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.solve.describe import coordinates
from robocompiler.solve.mobility.mobility import mobility
from robocompiler.solve.state import evaluate
from robocompiler.write.base import base_name
from robocompiler.write.mjcf.names import MJCF_CUTTABLE, joint_names

EXPORTS = Path(os.environ.get("RC_EXPORTS", "build/exports"))
EXAMPLES = ("fourbar", "gate", "gripper", "pendulum", "slider_crank", "stewart")


@dataclass(frozen=True)
class Example:
    """An export, and the truth about it from the mechanism it was written from."""

    path: Path
    compiled: CompiledMechanism
    configuration: rc.Configuration
    mobility: int
    masses: dict[str, float]
    centers: dict[str, np.ndarray]
    """Of each body of the model, in the world [m]; the static base among them."""
    base: str
    values: dict[str, float] = field(default_factory=dict)
    """qpos of each hinge and slide of the file."""

    def mass(self, static: bool) -> float:
        return sum(m for name, m in self.masses.items() if static or name != self.base)

    def center(self, static: bool) -> np.ndarray:
        names = [name for name in self.masses if static or name != self.base]
        weighed = sum(self.masses[name] * self.centers[name] for name in names)
        return weighed / self.mass(static)

    def closures(self) -> list[tuple[str, np.ndarray, str, np.ndarray]]:
        """Both ends of each closure's point: body and place in it [m], read from the file."""
        root = ElementTree.parse(self.path).getroot()
        site = {
            s.get("name"): (b.get("name"), place(s))
            for b in root.iter("body")
            for s in b
            if s.tag == "site"
        }
        names = [closure.name for closure in self.compiled.closures]
        return [(*site[f"{name}/parent"], *site[f"{name}/child"]) for name in names]


def place(element: ElementTree.Element) -> np.ndarray:
    return np.array([float(x) for x in element.get("pos", "0 0 0").split()])


def load(name: str) -> Example:
    path = EXPORTS / name / f"{name}.xml"
    mechanism = rc.read(path.with_suffix(".mechanism.json"))
    compiled = rc.compile(mechanism, MJCF_CUTTABLE)
    configuration = rc.assemble(compiled)
    q = coordinates(compiled, configuration)
    state = evaluate(compiled, q)
    base = base_name(compiled) or "world"
    masses, centers = {}, {}
    for body, X in zip(compiled.bodies, state.poses, strict=True):
        if body.inertia is not None:
            key = base if body is compiled.bodies[0] else body.name
            masses[key] = body.inertia.mass
            centers[key] = X.R @ np.array(body.inertia.center) + X.p
    values = {
        name: float(value)
        for t in compiled.tree
        if t.edge.joint.kind is not rc.JointKind.BALL
        for name, value in zip(joint_names(t.edge.joint), q[t.q], strict=True)
    }
    return Example(
        path, compiled, configuration, int(mobility(compiled, q)), masses, centers, base, values
    )


@pytest.fixture(params=EXAMPLES)
def example(request: pytest.FixtureRequest) -> Example:
    return load(request.param)
