"""A slider-crank by its angle, for tests that know its forces."""

import numpy as np

import robocompiler as rc
from linkages.drawing import Drawing, at, axis, planar
from robocompiler.model.mechanism import WORLD, Inertia

CRANK, ROD = 0.05, 0.15
"""[m]"""


def standing(mechanism, **options):
    """Compiled, and its coordinates as assembled."""
    compiled = rc.compile(mechanism, **options)
    return compiled, rc.coordinates(compiled, rc.assemble(compiled))


def slider_crank(angle):
    """Crank A, rod B to C, piston P along x; in the plane."""
    drawing = Drawing("slider-crank")
    x = CRANK * np.cos(angle) + np.sqrt(ROD**2 - (CRANK * np.sin(angle)) ** 2)
    lean = -np.arcsin(CRANK / ROD * np.sin(angle))
    pin = CRANK * np.cos(angle), CRANK * np.sin(angle)
    weight = Inertia(mass=0.1, moments=(1e-4,) * 3)
    drawing.body("crank", planar(0, 0, angle), weight)
    drawing.body("rod", planar(*pin, lean), weight)
    drawing.body("piston", at(x), weight)
    drawing.revolute("A", (WORLD, "crank"), at(), angle)
    drawing.revolute("B", ("crank", "rod"), planar(*pin, angle), lean - angle)
    drawing.revolute("C", ("rod", "piston"), planar(x, 0, lean), -lean)
    drawing.prismatic("P", (WORLD, "piston"), axis((0, 0, 0), (1, 0, 0)), x)
    return drawing.mechanism()
