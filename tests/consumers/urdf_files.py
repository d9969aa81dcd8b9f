"""Each example as a URDF of our own writing, and what its joints are of ours."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from truth import STATIC, Array, Standing, Truth, sidecar, truth

import robocompiler as rc
from robocompiler.model.mechanism import OPEN, Joint
from robocompiler.spatial import Pose, exp_rotation
from robocompiler.write.base import base_name, base_pose
from robocompiler.write.links import axis_names, axis_values, link_tree
from robocompiler.write.result import WriteResult
from robocompiler.write.urdf.names import URDF_NATIVE

Change = Callable[[rc.Mechanism], rc.Mechanism]


@dataclass(frozen=True, eq=False)
class Axis:
    """A joint of the file: all of a joint of ours, or one axis of it."""

    name: str
    """In the file."""
    joint: Joint
    part: int

    def value(self, standing: Standing) -> float:
        """Its coordinate [m or rad]."""
        return axis_values(self.joint, np.array(standing.values[self.joint.name]))[self.part]


@dataclass(frozen=True, eq=False)
class Written:
    """An example's URDF."""

    truth: Truth
    path: Path
    result: WriteResult
    axes: tuple[Axis, ...]
    links: dict[str, Pose]
    """Frame of each body's link, on the body."""

    def speeds(self, standing: Standing) -> Array:
        """What the truth's speeds are of the file's: rows as `Truth.speeds`, columns as `axes`."""
        E = np.zeros((len(self.truth.speeds), len(self.axes)))
        for column, axis in enumerate(self.axes):
            names = axis.joint.speed_names
            if axis.joint.name in standing.turned:
                rows = [self.truth.speeds.index(name) for name in names]
                E[rows, column] = _turning(self, axis, standing)
            else:
                E[self.truth.speeds.index(names[axis.part]), column] = 1.0
        return E

    def mass_matrix(self, standing: Standing) -> Array:
        """Of the tree, over the file's speeds."""
        E = self.speeds(standing)
        return E.T @ standing.mass_matrix @ E

    def agree_on_mass_matrix(self, standing: Standing, M: Array, names: list[str]) -> None:
        """Each entry to 1e-9 of what the speeds' own inertias make of it."""
        order = [names.index(axis.name) for axis in self.axes]
        expected = self.mass_matrix(standing)
        size = np.sqrt(np.diag(expected))
        off = np.abs(M[np.ix_(order, order)] - expected) / np.outer(size, size)
        assert off.max(initial=0.0) <= 1e-9

    def body_pose(self, body: str, X_WL: Pose) -> Pose:
        """X_WB, from where a consumer has the link."""
        return X_WL @ self.links[body].inverse()

    @property
    def bodies(self) -> dict[str, str]:
        """The file's link of each body, the static one's too."""
        base = base_name(self.truth.compiled)
        return {**({STATIC: base} if base else {}), **{name: name for name in self.truth.bodies}}

    @property
    def limits(self) -> dict[str, tuple[float, float]]:
        """Of the file's joints: a ball's have none."""
        single = {axis.name: axis for axis in self.axes}
        return {name: self._limits(axis) for name, axis in single.items()}

    def _limits(self, axis: Axis) -> tuple[float, float]:
        names = axis.joint.full_names
        known = self.truth.limits
        return known.get(names[axis.part], OPEN) if axis.part < len(names) else OPEN


def _turning(own: Written, axis: Axis, standing: Standing) -> Array:
    """A ball's turn about the child body's axes for a unit speed of one of its three hinges."""
    _, b, c = axis_values(axis.joint, np.array(standing.values[axis.joint.name]))
    y, z = exp_rotation(np.array([0.0, b, 0.0])), exp_rotation(np.array([0.0, 0.0, c]))
    after = (z.T @ y.T, z.T, np.eye(3))[axis.part]
    edge = own.truth.compiled.tree_joint(axis.joint.name).edge
    return np.asarray(edge.X_CM.R @ after[:, axis.part])


def written(name: str, folder: Path, mass: float = 0.0, change: Change | None = None) -> Written:
    """An example written as URDF, with links between axes that weigh so much [kg], its mechanism
    changed to one that moves alike.
    """
    own = truth(name, "urdf")
    path = folder / f"{name}.urdf"
    source = sidecar(name)
    result = rc.write(
        rc.compile(change(rc.read(source)) if change else rc.read(source)),
        path,
        geometry=rc.mesh_geometry(source.parent),
        intermediate_mass=mass,
    )
    compiled, known = own.compiled, result.names.get("joint", {})
    tree = link_tree(compiled, rc.coordinates(compiled, rc.assemble(compiled)), URDF_NATIVE, True)
    links = {link.name: link.X_BL for link in tree.links if link.body}
    axes = tuple(
        Axis(
            name=known.get(joint.name, joint.name),
            joint=compiled.tree[joint.source].edge.joint,
            part=axis_names(compiled.tree[joint.source].edge.joint).index(joint.name),
        )
        for joint in tree.joints
    )
    return Written(own, path, result, axes, {STATIC: base_pose(compiled), **links})
