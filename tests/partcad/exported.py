"""What `pc export` made, and what MuJoCo makes of it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import mujoco
import numpy as np
from pc import pc

# Singular values below this share of the largest are no constraint [1].
RANK_TOLERANCE = 1e-8


@dataclass(frozen=True)
class Export:
    """One run of `pc export`."""

    folder: Path
    stem: str
    log: str
    code: int

    @property
    def path(self) -> Path:
        return self.folder / f"{self.stem}.xml"

    @cached_property
    def root(self) -> ElementTree.Element:
        return ElementTree.parse(self.path).getroot()

    @cached_property
    def model(self) -> Any:
        return mujoco.MjModel.from_xml_path(str(self.path))

    @cached_property
    def data(self) -> Any:
        """At `qpos0`."""
        data = mujoco.MjData(self.model)
        mujoco.mj_forward(self.model, data)
        return data

    @property
    def warnings(self) -> list[str]:
        """Those of the log, without the table of what is lost."""
        lines = [line for line in self.log.splitlines() if "WARNING:partcad:" in line]
        return [
            line.partition("WARNING:partcad:")[2]
            for line in lines
            if "things that the mechanism says" not in line
        ]

    @property
    def errors(self) -> str:
        """What the user reads at the end: PartCAD says it several times."""
        said = re.search(r"ERROR:partcad:Render MJCF failed for (.*?)\n\d{4}-", self.log, re.DOTALL)
        return said[1] if said else ""

    def files(self) -> set[str]:
        return {str(f.relative_to(self.folder)) for f in self.folder.rglob("*") if f.is_file()}

    def place(self, body: str, *point: float) -> np.ndarray:
        """In the world [m], of a point in a body's frame [mm]."""
        at = self.data.body(body)
        return at.xpos + at.xmat.reshape(3, 3) @ (np.array(point) * 1e-3)

    def coordinate(self, joint: str) -> float:
        """In degrees or metres, at `qpos0`."""
        at = self.model.joint(joint)
        value = float(self.model.qpos0[at.qposadr[0]])
        return np.degrees(value) if at.type[0] == mujoco.mjtJoint.mjJNT_HINGE else value

    def mobility(self) -> int:
        """nv less the rank of the equality constraints."""
        sizes = np.linalg.svd(self._rows(), compute_uv=False)
        return int(self.model.nv - np.sum(sizes > RANK_TOLERANCE * sizes.max(initial=0.0)))

    def free_speeds(self) -> np.ndarray:
        """How fast each freedom goes, of a mechanism of one: the equalities' null vector."""
        return np.linalg.svd(self._rows())[2][-1]

    def _rows(self) -> np.ndarray:
        """The Jacobian of the equality constraints, shape (rows, nv)."""
        rows = self.data.efc_type == mujoco.mjtConstraint.mjCNSTR_EQUALITY
        return self.data.efc_J.reshape(-1, self.model.nv)[rows]

    def residual(self) -> float:
        """How far the equality constraints are from holding at `qpos0`."""
        rows = self.data.efc_type == mujoco.mjtConstraint.mjCNSTR_EQUALITY
        return float(np.abs(self.data.efc_pos[rows]).max(initial=0.0))


def export(
    package: Path, folder: Path, name: str, *arguments: str, stem: str = "", plugin: str = "rc"
) -> Export:
    """Run `pc export -t rc:mjcf -a NAME` into a folder."""
    target = ("-t", f"{plugin}:mjcf", "-O", folder)
    done = pc("export", *target, *arguments, "-a", name, cwd=package)
    return Export(folder, stem or name, done.stdout, done.returncode)
