"""Masses and inertias as MuJoCo takes them."""

from __future__ import annotations

import numpy as np

from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.errors import UnwritableError
from robocompiler.model.validity import inertia_tensor

LEAST_MASS = 1e-15
"""[kg]. MuJoCo refuses a moving body of less."""
LEAST_MOMENT = 1.001e-14
"""[kg m²]. MuJoCo takes a principal moment below 1e-14 for none."""


def check_weights(compiled: CompiledMechanism) -> None:
    """Whether every body is heavy enough for MuJoCo.

    Raises:
        UnwritableError: names those that are not.
    """
    faults: list[str] = []
    for index, body in enumerate(compiled.bodies):
        if body.inertia is None:
            continue
        moment = float(np.linalg.eigvalsh(inertia_tensor(body.inertia))[0])
        if index and body.inertia.mass < LEAST_MASS:
            faults.append(f"'{body.name}' has a mass of {body.inertia.mass:.3g} kg")
        if moment < LEAST_MOMENT:
            faults.append(f"'{body.name}' has a principal moment of inertia of {moment:.3g} kg m²")
    if faults:
        raise UnwritableError(
            f"MuJoCo takes no mass below {LEAST_MASS:g} kg and no moment of inertia below "
            f"{LEAST_MOMENT:.0e} kg m², and body {', body '.join(faults)}. Weld what is so small "
            "to its neighbour, or check its units."
        )
