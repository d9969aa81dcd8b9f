"""Couplings of several leaders, which no `mimic` has: Drake's tendons, that no other reads."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element, SubElement

from robocompiler.write.fidelity import Property
from robocompiler.write.numbers import exact
from robocompiler.write.tendons import WHY_TREES, spans_too_many_trees
from robocompiler.write.urdf.drives import DRAKE
from robocompiler.write.urdf.mimics import joint_at
from robocompiler.write.urdf.robot import Robot

# [N/m or N m/rad]. Its parser takes no infinity, and its solver none beyond what its step resolves.
RIGID = 1e300


def tendon_elements(robot: Robot) -> Iterator[Element]:
    """Σ coefficient · coordinate + offset from 0 to 0, for each; a warning says who reads it."""
    for coupling in robot.compiled.couplings:
        if len(coupling.leaders) == 1:
            continue
        if spans_too_many_trees(robot.compiled, coupling, robot.base is not None):
            why = f"`mimic` has one leader, and {WHY_TREES}"
            robot.export.ledger.drop(Property.SUM_COUPLING, coupling.name, "its coupling", why)
            continue
        robot.export.ledger.warn(
            f"coupling '{coupling.name}' has several leaders, and `mimic` has one: only Drake "
            f"reads it; elsewhere '{coupling.follower.name}' moves freely"
        )
        own = f"{DRAKE}tendon_constraint"
        element = Element(own, name=robot.names.tendons[coupling.name])
        for ref, coefficient in coupling.terms:
            name = robot.names.joints[joint_at(robot, ref).name]
            SubElement(element, f"{own}_joint", name=name, a=exact([coefficient]))
        for what, value in (
            ("offset", -coupling.offset),
            ("lower_limit", 0.0),
            ("upper_limit", 0.0),
            ("stiffness", RIGID),
            ("damping", 0.0),
        ):
            SubElement(element, f"{own}_{what}", value=exact([value]))
        yield element
