"""A written SDFormat model, read as XML: what reads it well is no package for Python."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
from scipy.spatial.transform import Rotation

from written_records import Axis, Weight, Written, bounds_of, pose_of


def read_sdf(path: Path, at: Mapping[str, float]) -> Written:
    """Where it stands."""
    model = ElementTree.parse(path).getroot().find(".//model")
    own = {e.get("name"): e for e in model if e.tag in ("link", "joint", "frame")}

    def placed(name: str) -> np.ndarray:
        """X_W of a link, a joint or a frame; of nothing, the model's, which is the world's."""
        if name not in own:
            return np.eye(4)
        element = own[name]
        pose = element.find("pose")
        on = element.get("attached_to") or element.findtext("child") or ""
        if pose is not None:
            on = pose.get("relative_to", on)
        return placed(on) @ _sdf_pose(pose)

    links = {name: e for name, e in own.items() if e.tag == "link"}
    joints = {name: e for name, e in own.items() if e.tag == "joint"}
    children = Counter(e.findtext("child") for e in joints.values())
    closing = {
        name: e
        for name, e in joints.items()
        if e.find("physics/simbody/must_be_loop_joint") is not None
    }
    assert set(children) <= set(links)
    return Written(
        bodies={
            name: _sdf_weight(e.find("inertial"), placed(name))
            for name, e in links.items()
            if e.find("inertial") is not None
        },
        joints={
            name: _sdf_axis(e, placed(name)[:3, :3])
            for name, e in joints.items()
            if e.get("type") in ("revolute", "continuous", "prismatic") and name not in closing
        },
        closures={
            name: (
                (e.findtext("parent"), placed(f"{name}/parent")[:3, 3]),
                (e.findtext("child"), placed(f"{name}/child")[:3, 3]),
            )
            for name, e in closing.items()
        },
        shapes={
            collision.get("name").removesuffix("_collision"): bounds_of(
                _points(path.parent / collision.findtext(".//uri")),
                placed(name) @ _sdf_pose(collision.find("pose")),
            )
            for name, e in links.items()
            for collision in e.iter("collision")
        },
        frames={name: placed(name) for name, e in own.items() if e.tag == "frame"},
        ties={
            name: (
                mimic.get("joint"),
                float(mimic.findtext("multiplier")),
                float(mimic.findtext("offset")),
            )
            for name, e in joints.items()
            if (mimic := e.find("axis/mimic")) is not None
        },
    )


def _sdf_pose(pose) -> np.ndarray:
    """Roll, pitch and yaw about fixed axes."""
    if pose is None:
        return np.eye(4)
    x, y, z, *turns = (float(value) for value in pose.text.split())
    return pose_of(Rotation.from_euler("xyz", turns).as_matrix(), (x, y, z))


def _sdf_weight(inertial, X) -> Weight:
    own = X @ _sdf_pose(inertial.find("pose"))
    xx, yy, zz, xy, xz, yz = (
        float(inertial.findtext(f"inertia/i{entry}"))
        for entry in ("xx", "yy", "zz", "xy", "xz", "yz")
    )
    tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    R = own[:3, :3]
    return Weight(float(inertial.findtext("mass")), own[:3, 3], R @ tensor @ R.T)


def _sdf_axis(joint, R) -> Axis:
    limit = joint.find("axis/limit")
    ends = None if limit is None else [limit.findtext(end) for end in ("lower", "upper")]
    along = np.array([float(x) for x in joint.findtext("axis/xyz").split()])
    limits = (float(ends[0]), float(ends[1])) if ends and None not in ends else None
    return Axis(joint.get("type") != "prismatic", limits, R @ along)


def _points(path: Path) -> np.ndarray:
    lines = [line.split() for line in path.read_text().splitlines()]
    return np.array([line[1:] for line in lines if line[0] == "v"], dtype=float)
