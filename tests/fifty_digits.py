"""Numbers of fifty digits that the equations take as they take floats."""

from __future__ import annotations

from dataclasses import replace

import mpmath
import numpy as np

from robocompiler.compiler.closures import loop_of
from robocompiler.spatial import Pose, quaternion_of, rotation_of

mpmath.mp.dps = 50


class Digits:
    """A number of fifty digits, as an entry of an array of objects."""

    __slots__ = ("x",)

    def __init__(self, x):
        if isinstance(x, Digits):
            x = x.x
        self.x = x if isinstance(x, mpmath.mpf) else mpmath.mpf(x)

    def __add__(self, other):
        return Digits(self.x + _of(other))

    def __sub__(self, other):
        return Digits(self.x - _of(other))

    def __rsub__(self, other):
        return Digits(_of(other) - self.x)

    def __mul__(self, other):
        return Digits(self.x * _of(other))

    def __truediv__(self, other):
        return Digits(self.x / _of(other))

    def __rtruediv__(self, other):
        return Digits(_of(other) / self.x)

    def __pow__(self, other):
        return Digits(self.x**other)

    def __neg__(self):
        return Digits(-self.x)

    def __abs__(self):
        return Digits(abs(self.x))

    def __lt__(self, other):
        return self.x < _of(other)

    def __gt__(self, other):
        return self.x > _of(other)

    def __le__(self, other):
        return self.x <= _of(other)

    def __ge__(self, other):
        return self.x >= _of(other)

    def __float__(self):
        return float(self.x)

    __radd__, __rmul__ = __add__, __mul__

    def sin(self):
        return Digits(mpmath.sin(self.x))

    def cos(self):
        return Digits(mpmath.cos(self.x))

    def sqrt(self):
        return Digits(mpmath.sqrt(self.x))

    def arctan2(self, other):
        return Digits(mpmath.atan2(self.x, _of(other)))

    def rint(self):
        return Digits(mpmath.nint(self.x))


def _of(x):
    return x.x if isinstance(x, Digits) else mpmath.mpf(float(x))


def digits(array):
    """The same numbers, of fifty digits."""
    made = np.empty(np.shape(array), dtype=object)
    made[...] = np.vectorize(Digits, otypes=[object])(array) if np.size(array) else array
    return made


def floats(array):
    """Rounded to doubles."""
    return np.asarray(array).astype(float)


def to_fifty_digits(compiled):
    """The mechanism with its frames in fifty digits, their axes square to the last of them."""

    def exact(X):
        return Pose(rotation_of(quaternion_of(digits(X.R))), digits(X.p))

    def edge(e):
        return replace(e, X_PF=exact(e.X_PF), X_CM=exact(e.X_CM))

    tree = tuple(replace(t, edge=edge(t.edge)) for t in compiled.tree)

    def closure(c):
        chord = edge(c.chord)
        sides = ([tree[i] for i in path] for path in (c.to_parent, c.to_child))
        return replace(c, chord=chord, loop=loop_of(chord, *sides))

    return replace(compiled, tree=tree, closures=tuple(map(closure, compiled.closures)))
