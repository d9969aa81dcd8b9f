"""PACDM's protocol on the crane of seven freedoms: both cylinders along a smooth path."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import mpmath
import numpy as np
from figure import Figure, at_least, at_most, shown

import robocompiler as rc
from closure_figures.papers import LostError, Papers
from linkages import crane as own
from linkages.crane import PASSIVE, Strokes, crane
from robocompiler.solve.system import System, systems_of
from robocompiler.spatial import Array

SAMPLES = 401
COUNTED, STARTS = 80, 4
"""Of every so many samples one is also closed by the homotopy, and from how many fixed starts."""
OFF = (5.0, 45.0)
"""By how much [deg] each passive joint is guessed wrong."""
mpmath.mp.dps = 50


def paths() -> dict[str, Array]:
    """Both cylinders [m]."""
    turn = np.linspace(0.0, 2.0 * np.pi, SAMPLES)
    return {
        "lift": Strokes().lift + 0.12 * np.sin(turn),
        "fold": Strokes().fold - 0.08 + 0.08 * np.cos(turn),
    }


def trajectory() -> Iterator[Figure]:
    """Every passive coordinate at every sample against 50 digits; and what it took."""
    path = paths()
    compiled = rc.compile(crane())
    motion = rc.follow(compiled, path)
    off = {name: [] for joints in PASSIVE.values() for name in joints}
    for k in range(SAMPLES):
        exact = fifty_digits(path["lift"][k], path["fold"][k])
        for name, errors in off.items():
            errors.append(apart(motion.of(name)[k], exact[name]))
    for cylinder, joints in PASSIVE.items():
        errors = np.abs([off[name] for name in joints])
        paper = _PAPER[cylinder]
        title = f"crane, {len(joints)} joints that follow '{cylinder}'"
        yield at_most(f"{title}: worst [rad]", errors.max(), 1e-13, f"paper {paper[0]}")
        yield shown(f"{title}: RMSE", np.sqrt(np.mean(errors**2)), f"paper {paper[1]}")
        yield shown(f"{title}: 95th percentile", np.quantile(errors, 0.95), f"paper {paper[2]}")
    theirs = _homotopy_evaluations(compiled, path)
    ours = motion.work.residuals / SAMPLES
    yield shown("crane, evaluations a sample, `follow`", ours, f"{SAMPLES} samples, 2 modules")
    yield shown("crane, evaluations a sample, homotopy", theirs, f"{STARTS} starts 5 to 45 deg off")
    yield at_least("crane, homotopy over `follow`", theirs / ours, 40.0, "paper 45.8, in time")


_PAPER = {
    "lift": ("2.7336e-9", "8.4702e-10", "1.8264e-9"),
    "fold": ("3.0656e-9", "7.3249e-10", "1.9227e-9"),
}
"""Worst, RMSE and 95th percentile there."""


def _guess(values: Mapping[str, float], random: np.random.Generator) -> dict[str, float]:
    """Passive joints off by 5 to 45 degrees, to either side."""
    return {
        name: float(x) + np.radians(random.uniform(*OFF)) * random.choice((-1.0, 1.0))
        for name, x in values.items()
    }


def _homotopy_evaluations(compiled: rc.CompiledMechanism, path: Mapping[str, Array]) -> float:
    """What the papers' alternative evaluates a sample: from a fixed guess, every time anew.

    The mean of the first starts that lead to the closed form at every sample; others do not count.
    """
    random, total = np.random.default_rng(46), 0.0
    for system in systems_of(compiled):
        counts: list[float] = []
        while len(counts) < STARTS:
            start = _guess(fifty_digits(path["lift"][0], path["fold"][0]), random)
            try:
                counts.append(_homotopy_count(system, start, path))
            except LostError:
                continue
        total += float(np.mean(counts))
    return total


def _homotopy_count(system: System, start: Mapping[str, float], path: Mapping[str, Array]) -> float:
    """Evaluations a sample of one module, all from one start.

    Raises:
        LostError: it does not converge, or to another branch.
    """
    drivers = [name for name in path if system.speeds_of(name)]
    held = [i for name in drivers for i in system.speeds_of(name)]
    names = [t.edge.joint.name for t in system.compiled.tree]
    q = np.array([start.get(t.edge.joint.name, 0.0) for t in system.compiled.tree])
    chart = np.array([start[c.chord.joint.name] for c in system.compiled.closures])
    counted = range(0, SAMPLES, COUNTED)
    papers = Papers(system, held)
    for k in counted:
        q[held] = [path[name][k] for name in drivers]
        reached = papers.homotopy(q, chart).q
        exact = fifty_digits(path["lift"][k], path["fold"][k])
        off = [apart(x, exact[n]) for n, x in zip(names, reached, strict=True) if n in exact]
        if float(np.max(np.abs(off))) > 1e-6:
            raise LostError("another branch")
    return papers.residuals / len(counted)


def fixed() -> Iterator[Figure]:
    """Four configurations from guesses of the passive joints that are 5 to 45 degrees off."""
    compiled, random = rc.compile(crane()), np.random.default_rng(46)
    worst = 0.0
    for lift, fold in ((1.05, 1.35), (0.95, 1.25), (1.15, 1.30), (1.10, 1.20)):
        exact = fifty_digits(lift, fold)
        seed = _guess(exact, random)
        found = rc.assemble(compiled, {"lift": lift, "fold": fold}, seed=seed)
        worst = max(worst, *(abs(apart(found.of(n)[0], x)) for n, x in exact.items()))
    name = "crane, 4 configurations, guesses 5 to 45 deg off: worst [rad]"
    yield at_most(name, worst, 1e-13, "paper 1.150e-10")


def apart(found: float, exact: mpmath.mpf) -> float:
    """How far an angle is from one of fifty digits, but for whole turns."""
    off, turn = mpmath.mpf(float(found)) - exact, 2 * mpmath.pi
    return float(off - turn * mpmath.nint(off / turn))


Vector = tuple[mpmath.mpf, mpmath.mpf]


def fifty_digits(lift: float, fold: float) -> dict[str, mpmath.mpf]:
    """Every passive joint in closed form: triangles, and the four-bar from rocker to jib."""
    base, head, foot = (_vector(p) for p in (own.LIFT_BASE, own.LIFT_HEAD, own.ROCKER_FOOT))
    fold_base, eye, jib_eye = (_vector(p) for p in (own.FOLD_BASE, own.FOLD_EYE, own.JIB_EYE))
    knee = _vector((own.BOOM, 0.0))
    boom = _opening(base, head, lift) + _angle(base) - _angle(head)
    across = _plus(fold_base, foot, -1)
    rocker = _angle(across) - _opening(across, eye, fold) - _angle(eye)
    lifted = _angle(_plus(_turned(head, boom), base, -1))
    folded = _angle(_plus(_plus(foot, _turned(eye, rocker)), fold_base, -1))
    tip = _plus(foot, _turned(_vector((own.ROCKER, 0.0)), rocker))
    pin = _meet(tip, mpmath.mpf(own.LINK), knee, mpmath.hypot(*jib_eye))
    link = _angle(_plus(pin, tip, -1))
    jib = _angle(_plus(pin, knee, -1)) - _angle(jib_eye)
    return {
        "boom": boom,
        "lift base": lifted,
        "lift head": boom - lifted,
        "rocker": rocker,
        "fold base": folded,
        "fold head": rocker - folded,
        "link": link - rocker,
        "link head": jib - link,
        "jib": jib,
    }


def _vector(point: tuple[float, float]) -> Vector:
    return mpmath.mpf(point[0]), mpmath.mpf(point[1])


def _plus(a: Vector, b: Vector, sign: int = 1) -> Vector:
    return a[0] + sign * b[0], a[1] + sign * b[1]


def _angle(a: Vector) -> mpmath.mpf:
    return mpmath.atan2(a[1], a[0])


def _turned(a: Vector, angle: mpmath.mpf) -> Vector:
    c, s = mpmath.cos(angle), mpmath.sin(angle)
    return c * a[0] - s * a[1], s * a[0] + c * a[1]


def _opening(a: Vector, b: Vector, length: float) -> mpmath.mpf:
    """The angle between two sides of a triangle, by the third."""
    near, far = mpmath.hypot(*a), mpmath.hypot(*b)
    return mpmath.acos((near**2 + far**2 - mpmath.mpf(float(length)) ** 2) / (2 * near * far))


def _meet(p: Vector, r: mpmath.mpf, q: Vector, s: mpmath.mpf) -> Vector:
    """Where circles about p and q meet, left of the way from p to q."""
    d = _plus(q, p, -1)
    size = mpmath.hypot(*d)
    along = (size**2 + r**2 - s**2) / (2 * size)
    aside = mpmath.sqrt(r**2 - along**2)
    u = (d[0] / size, d[1] / size)
    return p[0] + along * u[0] - aside * u[1], p[1] + along * u[1] + aside * u[0]
