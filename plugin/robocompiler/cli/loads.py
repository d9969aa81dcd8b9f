"""What joints carry, as the command line shows it: what is not determined is never hidden."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from robocompiler.cli.rounding import rounded
from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.solve.loads.loads import Flags, JointLoads

PARTS = (("force", "N", slice(0, 3)), ("torque", "N m", slice(3, 6)))
"""Of a wrench: name, unit and where it is."""
COMPONENTS = ("force x", "force y", "force z", "torque x", "torque y", "torque z")
MARK = "?"
"""Beside a number that the motion does not determine."""


def load_data(loads: JointLoads) -> list[dict[str, Any]]:
    """What each joint carries at one state, as JSON has it, in SI."""
    return [
        {
            "name": name,
            "force": float(np.linalg.norm(loads.of(name)[:3])),
            "torque": float(np.linalg.norm(loads.of(name)[3:])),
            "wrench": loads.of(name).tolist(),
            "determinate": list(map(bool, loads.determinate(name))),
        }
        for name in loads.names
    ]


def load_rows(loads: JointLoads) -> list[list[str]]:
    """The same as lines of a table, its title first."""
    rows = [["joint", "|force| [N]", "x", "y", "z", "|torque| [N m]", "x", "y", "z"]]
    size = float(np.max(np.abs(loads.wrenches), initial=0.0))
    for name in loads.names:
        wrench, flags = loads.of(name), list(loads.determinate(name))
        wrench = rounded(wrench, size)
        row = [name]
        for _, _, part in PARTS:
            row.append(marked(float(np.linalg.norm(wrench[part])), all(flags[part])))
            row += [marked(*own) for own in zip(wrench[part].tolist(), flags[part], strict=True)]
        rows.append(row)
    return rows


def coupling_data(loads: JointLoads) -> list[dict[str, Any]]:
    """What couplings carry at one state."""
    return [
        {"name": name, "effort": float(loads.coupling(name)), "determinate": bool(own)}
        for name, own in zip(loads.couplings, loads.coupling_flags, strict=True)
    ]


def coupling_lines(compiled: CompiledMechanism, loads: JointLoads) -> list[str]:
    """The same as text, each in the unit of its follower's effort."""
    size = float(np.max(np.abs(loads.wrenches), initial=0.0))
    followers = {c.name: c.follower for c in compiled.mechanism.couplings}
    factors = {
        name: factor
        for joint in compiled.joints.values()
        for name, factor in zip(joint.full_names, joint.kind.factors, strict=False)
    }
    lines = []
    for name, own in zip(loads.couplings, loads.coupling_flags, strict=True):
        value = float(rounded(loads.coupling(name), size))
        unit = "N m" if factors[followers[name]].is_turn else "N"
        lines.append(f"  {name}: {marked(value, own)} {unit}, a coupling")
    return lines


def marked(value: float, determinate: bool) -> str:
    """A number, and whether it may be relied on."""
    return f"{value + 0.0:.6g}{'' if determinate else MARK}"


def undetermined(flags: Flags) -> str:
    """Such as `force z, torque x`; nothing where all of it is determined."""
    return ", ".join(name for name, own in zip(COMPONENTS, flags, strict=True) if not own)


def indeterminate_lines(flags: Mapping[str, Flags], couplings: Sequence[str] = ()) -> list[str]:
    """What is not determined, why, and what to do about it; none where all is.

    Args:
        flags: of each joint which components are determinate.
        couplings: whose effort is not.
    """
    shared = {name: said for name, own in flags.items() if (said := undetermined(own))}
    if not shared and not couplings:
        return []
    return [
        f"NOT DETERMINED (marked {MARK}): do not size a bearing, a pin or a bolt on these",
        *(f"  {name}: {said}" for name, said in shared.items()),
        *(f"  {name}: the effort of the coupling" for name in couplings),
        "  why: loops hold these directions more often than they need to, so that play, tolerances",
        "    and elasticity settle who carries how much; shown is the least share, and parts that",
        "    are forced together add to it",
        "  what to do: make one joint of each such loop a ball, a cylinder or a universal joint,",
        "    as the built one may be, or model the elasticity; what is not marked holds as it is",
    ]
