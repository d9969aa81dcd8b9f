"""How what lies at the end of a path moves: spatial twists, and accelerations that no v̇ makes.

Twists are spatial, linear first, of any leading axes and any kind of number.

Source: M. Dastranj, J. Mattila, arXiv 2609.11338, PACDM, with the exact curvature.
"""

from __future__ import annotations

import numpy as np

from robocompiler.spatial import Array, cross

Moving = tuple[Array, Array]
"""A spatial twist and its bias acceleration, (…, 6) each."""


def velocity_product(twist: Array, other: Array) -> Array:
    """The product ad_twist other of spatial twists, shape (…, 6)."""
    v, w, b, c = twist[..., :3], twist[..., 3:], other[..., :3], other[..., 3:]
    return np.concatenate([cross(w, b) + cross(v, c), cross(w, c)], axis=-1)


def carried_on(moving: Moving, part: Array) -> Moving:
    """One joint further along a path: V ← V + η v and A ← A + ad_V η v, for η v in `part`."""
    twist, bias = moving
    return twist + part, bias + velocity_product(twist, part)


def bias_apart(one: Moving, other: Moving) -> Array:
    """The spatial acceleration of the end of one path against that of another, at v̇ = 0."""
    return np.asarray(other[1] - one[1] - velocity_product(one[0], other[0] - one[0]))
