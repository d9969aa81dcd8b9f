"""From a mechanism to a compiled one: everything that does not depend on the configuration."""

from __future__ import annotations

from collections.abc import Container

from robocompiler.compiler.closures import cut_chords
from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.compiler.merge import merge_welded
from robocompiler.compiler.modules import compile_couplings, group_modules
from robocompiler.compiler.numbering import number_coordinates
from robocompiler.compiler.spanning_tree import choose_cuts
from robocompiler.errors import raise_all
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import Mechanism
from robocompiler.model.validity import faults_of


def compile_mechanism(
    mechanism: Mechanism, cuttable: Container[JointKind] | None = None
) -> CompiledMechanism:
    """Choose a spanning tree and make every other joint a closure.

    Args:
        mechanism: as it was read.
        cuttable: kinds of joint that may be cut, as a format can write them; None for all.

    Raises:
        MechanismError: what is wrong with the mechanism, all of it at once.
        UnwritableError: a loop on which no joint of a `cuttable` kind lies.
    """
    raise_all(faults_of(mechanism))
    graph = merge_welded(mechanism)
    cuts = choose_cuts(graph.edges, mechanism.couplings, cuttable)
    numbering = number_coordinates(graph.edges, {cut.edge.joint.name for cut in cuts})
    closures = cut_chords(mechanism, numbering.tree, cuts)
    couplings = compile_couplings(mechanism, numbering.tree)
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
