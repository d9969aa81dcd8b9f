"""From a mechanism to a compiled one: everything that does not depend on the configuration."""

from __future__ import annotations

from collections.abc import Collection, Container

from robocompiler.compiler.closures import cut_chords
from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.compiler.merge import merge_welded
from robocompiler.compiler.modules import compile_couplings, group_modules
from robocompiler.compiler.numbering import number_coordinates
from robocompiler.compiler.reasons import Terms
from robocompiler.compiler.spanning_tree import choose_cuts, given_cuts
from robocompiler.errors import UnknownNameError, raise_all
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import Mechanism
from robocompiler.model.validity import coordinate_names, faults_of


def compile_mechanism(
    mechanism: Mechanism,
    cuttable: Container[JointKind] | None = None,
    *,
    cuts: Collection[str] | None = None,
    keep: Collection[str] = (),
) -> CompiledMechanism:
    """Choose a spanning tree and make every other joint a closure.

    Args:
        mechanism: as it was read.
        cuttable: kinds of joint that may be cut, as a format can write them; None for all.
        cuts: names of the joints to cut, whatever their kinds; None to have them chosen.
        keep: names of joints that must not be cut, so that they have coordinates of their own.

    Raises:
        MechanismError: what is wrong with the mechanism, all of it at once.
        UnknownNameError: `keep` names no joint that moves.
        KeptError: a loop all of whose joints that may be cut are to be kept.
        UnwritableError: a loop on which no joint of a `cuttable` kind lies.
        CutError: `cuts` are not joints that leave a spanning tree.
    """
    raise_all(faults_of(mechanism))
    graph = merge_welded(mechanism)
    moving = [edge.joint.name for edge in graph.edges]
    lost = sorted(set(keep) - set(moving))
    raise_all(UnknownNameError("Joints to keep", "joint", name, moving) for name in lost)
    if cuts is None:
        coupled = _coupled_joints(mechanism)
        terms = Terms(coupled=coupled, cuttable=cuttable, kept=frozenset(keep))
        chosen = choose_cuts(graph.edges, terms)
    else:
        chosen = given_cuts(graph.edges, cuts, keep)
    numbering = number_coordinates(graph.edges, {cut.edge.joint.name for cut in chosen})
    closures = cut_chords(mechanism, numbering.tree, chosen)
    reasons = {cut.edge.joint.name: cut.reason for cut in chosen}
    couplings = compile_couplings(mechanism, numbering.tree, reasons)
    modules = group_modules(closures, couplings)
    return CompiledMechanism(
        mechanism=mechanism,
        bodies=graph.bodies,
        welded=graph.welded,
        tree=numbering.tree,
        closures=closures,
        couplings=couplings,
        modules=modules,
        nq=numbering.nq,
        nv=numbering.nv,
    )


def _coupled_joints(mechanism: Mechanism) -> frozenset[str]:
    known = coordinate_names(mechanism)
    ends = [name for c in mechanism.couplings for name in (c.leader, c.follower)]
    return frozenset(known[name][0].name for name in ends)
