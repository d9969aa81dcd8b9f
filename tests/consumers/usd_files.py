"""Each example as a USD stage for one importer, and what it calls what the truth speaks of."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from truth import STATIC, Array, Standing, Truth, sidecar, truth

import robocompiler as rc
from robocompiler.model.joint_kinds import JointKind
from robocompiler.spatial import Pose, exp_rotation
from robocompiler.write.base import base_name, base_pose
from robocompiler.write.links import axis_names, axis_values, turns_xyz
from robocompiler.write.usd.scene import legal

BETWEEN = 1e-3
"""[kg] of a body between two axes, where the importer needs one."""


@dataclass(frozen=True, eq=False)
class Stage:
    """An example's stage. No example has two names that become one."""

    truth: Truth
    path: Path

    def body(self, name: str) -> str:
        """Path of a body's prim."""
        own = base_name(self.truth.compiled) if name == STATIC else name
        return f"/{legal(self.truth.compiled.mechanism.name)}/{legal(str(own))}"

    def joint(self, name: str) -> str:
        """Path of a joint's prim, or of one axis' of a joint."""
        return f"/{legal(self.truth.compiled.mechanism.name)}/joints/{legal(name)}"

    def body_pose(self, name: str, X: Pose) -> Pose:
        """X_WB of a body of the mechanism, from where its prim is."""
        return X @ base_pose(self.truth.compiled).inverse() if name == STATIC else X

    def axes(self, standing: Standing) -> dict[str, float]:
        """The coordinate of each hinge and slide that the tree is, by its prim's path [m or rad].

        A ball is three hinges, about x, y and z, that stand at 0 where the example is assembled.
        """
        found: dict[str, float] = {}
        for joint in (t.edge.joint for t in self.truth.compiled.tree):
            if joint.kind is JointKind.BALL:
                start = _turned(self.truth.assembled, joint.name)
                values = turns_xyz(start.T @ _turned(standing, joint.name))
            else:
                values = axis_values(joint, np.array(standing.values[joint.name]))
            for name, value in zip(axis_names(joint), values, strict=True):
                found[self.joint(name)] = float(value)
        return found

    def speeds(self, standing: Standing) -> tuple[list[str], Array]:
        """What the truth's speeds are of the hinges' and slides': rows as `Truth.speeds`.

        Returns:
            The paths of the columns, and the matrix.
        """
        columns: list[str] = []
        blocks: list[tuple[list[int], Array]] = []
        rows = list(self.truth.speeds)
        for t in self.truth.compiled.tree:
            joint = t.edge.joint
            own = [rows.index(name) for name in joint.speed_names]
            names = [self.joint(name) for name in axis_names(joint)]
            columns += names
            E = np.eye(len(own))
            if joint.kind is JointKind.BALL:
                values = [self.axes(standing)[name] for name in names]
                E = t.edge.X_CM.R @ _hinges(values)
            blocks.append((own, E))
        matrix = np.zeros((len(rows), len(columns)))
        at = 0
        for own, E in blocks:
            matrix[own, at : at + E.shape[1]] = E
            at += E.shape[1]
        return columns, matrix


def _turned(standing: Standing, joint: str) -> Array:
    """R of frame M seen from F."""
    return rc.spatial.rotation_of(np.array(standing.values[joint]))


def _hinges(values: list[float]) -> Array:
    """Columns: what M turns by, along its own axes, for each hinge's speed."""
    x, y, z = np.eye(3)
    b, c = (exp_rotation(v * u) for v, u in ((values[1], y), (values[2], z)))
    return np.column_stack([(b @ c).T @ x, c.T @ y, z])


def written(name: str, profile: str, folder: Path) -> Stage:
    """An example's stage, from the mechanism and the meshes that were exported."""
    own = truth(name, "usd", usd_profile=profile)
    source = sidecar(name)
    path = folder / f"{name}.usda"
    rc.write(
        rc.compile(rc.read(source)),
        path,
        geometry=rc.mesh_geometry(source.parent),
        usd_profile=profile,
        intermediate_mass=None if profile == "mujoco" else BETWEEN,
    )
    return Stage(own, path)
