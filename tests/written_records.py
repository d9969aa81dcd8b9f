"""What is read of a written model, whatever its format."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

Ends = tuple[tuple[str, np.ndarray], ...]
"""Bodies, each with a point on it, in the world [m]."""


@dataclass(frozen=True)
class Weight:
    """What a body weighs."""

    mass: float
    center: np.ndarray
    """In the world [m]."""
    inertia: np.ndarray
    """About its centre, along the world's axes [kg m²]."""


@dataclass(frozen=True)
class Axis:
    """A hinge or a slide."""

    turns: bool
    limits: tuple[float, float] | None
    """[rad or m]"""
    direction: np.ndarray
    """In the world."""


@dataclass(frozen=True)
class Written:
    """A model where it stands."""

    bodies: dict[str, Weight]
    joints: dict[str, Axis]
    closures: dict[str, Ends]
    """Of each closing joint, both bodies and where its point is on either, in the world [m]."""
    shapes: dict[str, np.ndarray]
    """Lowest and highest corner in the world [m], shape (2, 3)."""
    frames: dict[str, np.ndarray]
    """X_W, shape (4, 4)."""
    ties: dict[str, tuple[str, float, float]]
    """By follower: its leader, how many times it follows that, and how far off [rad or m], in the
    file's coordinates."""


def pose_of(R, p) -> np.ndarray:
    """Shape (4, 4)."""
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = R, p
    return X


def bounds_of(points, X) -> np.ndarray:
    """Lowest and highest corner of points that are placed, shape (2, 3)."""
    placed = points @ X[:3, :3].T + X[:3, 3]
    return np.array([placed.min(axis=0), placed.max(axis=0)])
