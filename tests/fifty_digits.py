"""Numbers of fifty digits that the equations take as they take floats."""

from __future__ import annotations

from dataclasses import replace

import mpmath
import numpy as np

from robocompiler.compiler.closures import loop_of
from robocompiler.spatial import Pose, quaternion_of, rotation_of

try:
    import flint
except ImportError:
    flint = None  # ten times slower without it

mpmath.mp.dps = 50
if flint:
    flint.ctx.dps = 60


class Digits:
    """A number of fifty digits, as an entry of an array of objects.

    Of Arb where there is python-flint (a ball of sixty digits that holds what is exact), of mpmath
    otherwise.
    """

    __slots__ = ("x",)

    def __init__(self, x):
        self.x = x.x if isinstance(x, Digits) else _number(x)

    def __add__(self, other):
        return _made(self.x + _of(other))

    def __sub__(self, other):
        return _made(self.x - _of(other))

    def __rsub__(self, other):
        return _made(_of(other) - self.x)

    def __mul__(self, other):
        return _made(self.x * _of(other))

    def __truediv__(self, other):
        return _made(self.x / _of(other))

    def __rtruediv__(self, other):
        return _made(_of(other) / self.x)

    def __pow__(self, other):
        return _made(self.x**other)

    def __neg__(self):
        return _made(-self.x)

    def __abs__(self):
        return _made(abs(self.x))

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
        return _made(self.x.sin() if flint else mpmath.sin(self.x))

    def cos(self):
        return _made(self.x.cos() if flint else mpmath.cos(self.x))

    def sqrt(self):
        return _made(self.x.sqrt() if flint else mpmath.sqrt(self.x))

    def arctan2(self, other):
        y, x = self.x, _number(_of(other))
        return _made(flint.arb.atan2(y, x) if flint else mpmath.atan2(y, x))

    def rint(self):
        return _made((self.x + 0.5).floor() if flint else mpmath.nint(self.x))

    @property
    def middle(self):
        """The number without how far it may be off."""
        return _made(self.x.mid()) if flint else self

    @property
    def off(self):
        """By how much it may be off by rounding; 0 where nobody counts."""
        return float(self.x.rad()) if flint else 0.0


def _number(x):
    """A number of the library that computes."""
    if flint is None:
        return x if isinstance(x, mpmath.mpf) else mpmath.mpf(x)
    return x if isinstance(x, flint.arb) else flint.arb(x)


def _made(x):
    made = Digits.__new__(Digits)
    made.x = x
    return made


def _of(x):
    return x.x if isinstance(x, Digits) else float(x)


def digits(array):
    """The same numbers, of fifty digits."""
    made = np.empty(np.shape(array), dtype=object)
    made[...] = np.vectorize(Digits, otypes=[object])(array) if np.size(array) else array
    return made


def floats(array):
    """Rounded to doubles."""
    return np.asarray(array).astype(float)


def middle(array):
    """The same numbers without how far they may be off."""
    return np.vectorize(lambda x: x.middle, otypes=[object])(array)


def solved(A, B):
    """X with A X = B: square A (n, n), B (n, k), by elimination with pivots in the column."""
    if flint:
        rows = flint.arb_mat([[_number(_of(x)) for x in row] for row in A])
        right = flint.arb_mat([[_number(_of(x)) for x in row] for row in B])
        X = rows.solve(right).tolist() if B.shape[1] else [[] for _ in A]
        return np.array([[_made(x) for x in row] for row in X], dtype=object).reshape(B.shape)
    M, n = np.concatenate([digits(A), digits(B)], axis=1), len(A)
    for k in range(n):
        pivot = k + int(np.argmax(np.abs(floats(M[k:, k]))))
        M[[k, pivot]] = M[[pivot, k]]
        M[k, k:] = M[k, k:] / M[k, k]
        for i in range(n):
            if i != k and float(M[i, k]) != 0.0:
                M[i, k + 1 :] = M[i, k + 1 :] - M[k, k + 1 :] * M[i, k]
    return M[:, n:]


def product(A, B):
    """A B of matrices."""
    if not flint:
        return digits(A) @ digits(B)
    left, right = (flint.arb_mat([[_number(_of(x)) for x in row] for row in C]) for C in (A, B))
    if 0 in (*np.shape(A), *np.shape(B)):
        return digits(np.zeros((np.shape(A)[0], np.shape(B)[1])))
    return np.array([[_made(x) for x in row] for row in (left * right).tolist()], dtype=object)


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
