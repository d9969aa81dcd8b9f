"""From a mechanism to a compiled one: everything that does not depend on the configuration."""

from __future__ import annotations

from collections.abc import Collection, Container, Sequence

from robocompiler.compiler.closures import cut_chords
from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.compiler.merge import merge_welded
from robocompiler.compiler.modules import compile_couplings, group_modules, leaders_first
from robocompiler.compiler.numbering import number_coordinates
from robocompiler.compiler.reasons import Terms
from robocompiler.compiler.spanning_tree import Cut, choose_cuts, given_cuts
from robocompiler.compiler.tasks import place_tasks
from robocompiler.errors import UnknownNameError, raise_all
from robocompiler.model.actuation import actuated_joints
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import Mechanism
from robocompiler.model.tasks import Task, task_faults, with_tasks
from robocompiler.model.validity import coordinate_names, faults_of


def compile_mechanism(
    mechanism: Mechanism,
    cuttable: Container[JointKind] | None = None,
    *,
    cuts: Collection[str] | None = None,
    keep: Collection[str] = (),
    tasks: Sequence[Task] = (),
    eliminate_couplings: bool = False,
) -> CompiledMechanism:
    """Choose a spanning tree and make every other joint a closure.

    Args:
        mechanism: as it was read.
        cuttable: kinds of joint that may be cut, as a format can write them; None for all.
        cuts: names of the joints to cut, whatever their kinds; None to have them chosen. A fixed
            joint among them becomes a closure of six rows; the others are merged.
        keep: names of joints that must not be cut, so that they have coordinates of their own.
        tasks: points and frames to hold at places in the world, each a closure more.
        eliminate_couplings: whether followers of couplings are put where their leaders say, and are
            no unknowns; otherwise each coupling is a row.

    Raises:
        MechanismError: what is wrong with the mechanism, all of it at once.
        UnknownNameError: `keep` names no joint that moves.
        KeptError: a loop all of whose joints that may be cut are to be kept.
        UnwritableError: a loop on which no joint of a `cuttable` kind lies.
        CutError: `cuts` are not joints that leave a spanning tree.
    """
    raise_all(faults_of(mechanism))
    raise_all(task_faults(mechanism, tasks))
    whole, holds = with_tasks(mechanism, tasks), [task.hold for task in tasks]
    graph = merge_welded(whole, {*(cuts or ()), *holds})
    edges = tuple(edge for edge in graph.edges if edge.joint.name not in holds)
    moving = [edge.joint.name for edge in edges]
    lost = sorted(set(keep) - set(moving))
    raise_all(UnknownNameError("Joints to keep", "joint", name, moving) for name in lost)
    if cuts is None:
        coupled = _coupled_joints(mechanism)
        terms = Terms(
            coupled=coupled,
            actuated=actuated_joints(mechanism),
            cuttable=cuttable,
            kept=frozenset(keep),
        )
        chosen = choose_cuts(edges, terms)
    else:
        chosen = given_cuts(edges, cuts, keep)
    held = [edge for name in holds for edge in graph.edges if edge.joint.name == name]
    chosen += tuple(Cut(edge, "it is a task") for edge in held)
    numbering = number_coordinates(graph.edges, {cut.edge.joint.name for cut in chosen})
    tree = place_tasks(numbering.tree, held, tasks)
    closures = cut_chords(whole, tree, chosen, holds)
    reasons = {cut.edge.joint.name: cut.reason for cut in chosen}
    couplings = compile_couplings(mechanism, tree, reasons)
    kept = () if eliminate_couplings else couplings
    eliminated = leaders_first(couplings) if eliminate_couplings else ()
    modules = group_modules(closures, kept, eliminated)
    return CompiledMechanism(
        mechanism=mechanism,
        bodies=graph.bodies,
        welded=graph.welded,
        tree=tree,
        closures=closures,
        couplings=kept,
        modules=modules,
        nq=numbering.nq,
        nv=numbering.nv,
        tasks=tuple(tasks),
        eliminated=eliminated,
    )


def _coupled_joints(mechanism: Mechanism) -> frozenset[str]:
    known = coordinate_names(mechanism)
    tied = (name for coupling in mechanism.couplings for name in coupling.coordinates)
    return frozenset(known[name][0].name for name in tied)
