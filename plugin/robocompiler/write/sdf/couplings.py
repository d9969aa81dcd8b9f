"""Couplings: `<mimic>` of SDFormat 1.11 for one leader, and beside it what Drake reads.

Not a `gearbox`: that is a second joint to the follower's link, and Drake refuses a file with one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from robocompiler.compiler.compiled import CompiledCoupling, CompiledMechanism, CoordinateRef
from robocompiler.model.joint_kinds import JointKind
from robocompiler.spatial import Array
from robocompiler.write.fidelity import Property
from robocompiler.write.ledger import Ledger
from robocompiler.write.names import unused
from robocompiler.write.numbers import exact
from robocompiler.write.sdf.elements import coordinate, nested, scalar, value
from robocompiler.write.sdf.names import Names, has_base
from robocompiler.write.tendons import WHY_TREES, spans_too_many_trees


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ties:
    """The elements of couplings."""

    mimics: Mapping[str, Element]
    """By follower: for its axis."""
    drake_mimics: Mapping[str, Element]
    """By follower: for its joint."""
    tendons: tuple[Element, ...]
    """For the model."""


def ties(compiled: CompiledMechanism, q: Array, names: Names, ledger: Ledger) -> Ties:
    """The elements of all couplings, between coordinates counted from where the links stand."""
    mimics: dict[str, Element] = {}
    drake_mimics: dict[str, Element] = {}
    tendons: list[Element] = []
    used = set(names.used)
    for own in compiled.couplings:
        single = all(_joint_kind(compiled, ref) is not JointKind.UNIVERSAL for ref, _ in own.terms)
        if len(own.leaders) == 1:
            mimics[own.follower.name] = _mimic(compiled, own, q, names)
            if single:
                drake_mimics[own.follower.name] = _drake_mimic(own, q, names)
        elif _note_sum(compiled, own, single, ledger):
            name = unused(f"{names.joints[own.follower.name]}_coupling", used)
            used.add(name)
            tendons.append(_drake_tendon(name, own, q, names))
    if mimics:
        ledger.warn(
            "gz-sim's default engine, DART, holds no joint to its `mimic`, so there followers move "
            "freely; its Bullet Featherstone does"
        )
    return Ties(mimics=mimics, drake_mimics=drake_mimics, tendons=tuple(tendons))


def _joint_kind(compiled: CompiledMechanism, ref: CoordinateRef) -> JointKind:
    return compiled.tree[ref.tree_joint].edge.joint.kind


def _offset(own: CompiledCoupling, q: Array) -> float:
    """Of the follower where all leaders stand at 0 in the file: what rounding leaves, if closed."""
    return -own.off(q)


def _mimic(compiled: CompiledMechanism, own: CompiledCoupling, q: Array, names: Names) -> Element:
    joint, axis = _axis_of(compiled, own.leaders[0], names)
    return nested(
        "mimic",
        scalar("multiplier", own.ratios[0]),
        coordinate("offset", _offset(own, q)),
        coordinate("reference", 0.0),
        joint=joint,
        axis=axis,
    )


def _axis_of(compiled: CompiledMechanism, ref: CoordinateRef, names: Names) -> tuple[str, str]:
    """The joint and which axis of it a coordinate is."""
    if _joint_kind(compiled, ref) is not JointKind.UNIVERSAL:
        return names.joints[ref.name], "axis"
    own = compiled.tree[ref.tree_joint]
    first = (ref.v == own.v.start) != own.reversed
    return names.joints[own.edge.joint.name], "axis" if first else "axis2"


def _drake_mimic(own: CompiledCoupling, q: Array, names: Names) -> Element:
    return Element(
        "drake:mimic",
        joint=names.joints[own.leaders[0].name],
        multiplier=exact(own.ratios),
        offset=exact([_offset(own, q)]),
    )


def _drake_tendon(name: str, own: CompiledCoupling, q: Array, names: Names) -> Element:
    """A tendon that has no slack: Σ coefficient · coordinate stays as long as it is."""
    element = Element("drake:tendon_constraint", name=name)
    for ref, coefficient in own.terms:
        told = {"name": names.joints[ref.name], "a": exact([coefficient])}
        element.append(Element("drake:tendon_constraint_joint", told))
    for what, text in (
        ("offset", exact([own.off(q)])),
        ("lower_limit", "0"),
        ("upper_limit", "0"),
        ("stiffness", "inf"),
        ("damping", "0"),
    ):
        element.append(value(f"drake:tendon_constraint_{what}", text))
    return element


def _note_sum(
    compiled: CompiledMechanism, own: CompiledCoupling, single: bool, ledger: Ledger
) -> bool:
    """Whether at least Drake can be told of a coupling of several leaders."""
    why = ""
    if not single:
        why = "Drake's tendons take no universal joints"
    elif spans_too_many_trees(compiled, own, has_base(compiled)):
        why = WHY_TREES
    if why:
        told = f"SDFormat's `mimic` has one leader, and {why}"
        ledger.drop(Property.SUM_COUPLING, own.name, "its coupling", told)
        return False
    ledger.warn(
        f"coupling '{own.name}' has several leaders, and SDFormat's `mimic` has one: only "
        f"Drake reads it; elsewhere '{own.follower.name}' moves freely"
    )
    return True
