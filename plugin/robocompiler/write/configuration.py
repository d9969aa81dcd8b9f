"""Whether a configuration that was handed over can be written as it is."""

from __future__ import annotations

import math
from collections.abc import Iterator

from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.errors import (
    BadValueError,
    CouplingError,
    MechanismError,
    UnknownNameError,
    raise_all,
)
from robocompiler.model.configuration import Configuration
from robocompiler.solve.assembly.carrying import carry_over
from robocompiler.solve.assembly.still_open import TOLERANCE
from robocompiler.solve.describe import check_is_configuration, coordinates
from robocompiler.units import degrees, millimetres


def check_complete(compiled: CompiledMechanism, configuration: Configuration) -> None:
    """Whether every joint that moves, cut ones too, has its coordinates.

    Cut ones too, since a format may cut another joint of the loop; not what tasks have added.

    Raises:
        UnknownNameError, BadValueError: all that are missing, or are no coordinates.
    """
    check_is_configuration(configuration)
    raise_all(_faults(compiled, configuration))


def _faults(compiled: CompiledMechanism, configuration: Configuration) -> Iterator[MechanismError]:
    where, values = "The configuration", dict(configuration.values)
    added = {name for task in compiled.tasks for name in (task.name, task.hold)} - values.keys()
    for joint in sorted(compiled.joints.values(), key=lambda joint: joint.name):
        if joint.name in added:
            continue
        own = values.get(joint.name)
        if own is None:
            yield UnknownNameError(where, "value of joint", joint.name, values)
        elif len(own) != joint.kind.nq or not all(map(math.isfinite, own)):
            expected = f"{joint.kind.nq} finite numbers [m, rad, unit quaternion]"
            yield BadValueError(where, joint.name, str(own), expected)


def closed_again(compiled: CompiledMechanism, configuration: Configuration) -> Configuration:
    """The same configuration closed to rounding: someone may have rounded its numbers.

    Raises:
        ClosureError, CouplingError: it is open by more than the tolerance of a drawing.
    """
    q = coordinates(compiled, configuration)
    faults: list[MechanismError] = []
    for coupling in (*compiled.couplings, *compiled.eliminated):
        off, turns = coupling.off(q), coupling.follower_turns
        if abs(off) > TOLERANCE[1 if turns else 0]:
            said = f"{degrees(off):.4g}°" if turns else f"{millimetres(off):.4g} mm"
            faults.append(
                CouplingError(
                    f"Coupling '{coupling.name}' is off by {said} in the configuration given. "
                    "Assemble the mechanism at the values wanted: that meets couplings too."
                )
            )
    raise_all(faults)
    return carry_over(compiled, configuration)
