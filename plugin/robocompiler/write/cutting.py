"""Cutting the loops where a format can close them."""

from __future__ import annotations

from collections.abc import Sequence

from robocompiler.compiler.compile import compile_mechanism
from robocompiler.compiler.compiled import Closure, CompiledMechanism
from robocompiler.compiler.reasons import Terms
from robocompiler.model.actuation import actuated_joints
from robocompiler.model.joint_kinds import JointKind
from robocompiler.write.ledger import Ledger


def cut_for(
    title: str, cuttable: frozenset[JointKind], compiled: CompiledMechanism, ledger: Ledger
) -> CompiledMechanism:
    """The mechanism, cut at joints that the format can close exactly.

    Compiled again where it is cut otherwise, or has what no file has: tasks, and followers that are
    no unknowns.

    Args:
        title: of the format, for warnings.
        cuttable: kinds it can close.
        compiled: as the user has it.
        ledger: takes what to look at.
    """
    closed = all(closure.kind in cuttable for closure in compiled.closures)
    if closed and not compiled.tasks and not compiled.eliminated:
        _note_cuts(compiled.closures, ledger)
        return compiled
    again = compile_mechanism(compiled.mechanism, cuttable)
    cuts = {closure.name: closure for closure in again.closures}
    tasks = {task.hold for task in compiled.tasks}
    for closure in compiled.closures:
        if closure.kind not in cuttable and closure.name not in tasks:
            moved = cuts.pop(closure.name, None)
            instead = f"'{moved.chord.joint.name}'" if moved else "another joint of it"
            ledger.warn(
                f"loop '{closure.name}': {title} cannot close a {closure.kind.value} joint "
                f"exactly, so {instead} is cut instead of '{closure.chord.joint.name}'"
            )
    _note_cuts([closure for closure in again.closures if closure.name in cuts], ledger)
    return again


def _note_cuts(closures: Sequence[Closure], ledger: Ledger) -> None:
    """Where another joint was cut than the one a user declared."""
    for closure in closures:
        name, cut = closure.name, closure.chord.joint.name
        if cut != name:
            ledger.warn(
                f"loop '{name}' is opened at '{cut}', not at '{name}', because {closure.reason}"
            )


def why_cut_there(
    compiled: CompiledMechanism, closure: Closure, cuttable: frozenset[JointKind]
) -> str:
    """Why a loop is cut at a joint that loses something by it, and what would move the cut.

    Args:
        compiled: the mechanism, cut as the format has it.
        closure: of the loop.
        cuttable: kinds that the format can close.
    """
    coupled = {
        compiled.tree[ref.tree_joint].edge.joint.name
        for own in compiled.couplings
        for ref, _ in own.terms
    }
    actuated = actuated_joints(compiled.mechanism)
    terms = Terms(coupled=frozenset(coupled), actuated=actuated, cuttable=cuttable)
    cut = closure.chord.joint
    others = [compiled.tree[index].edge.joint for index in closure.path]
    free = [joint for joint in others if not terms.bar(joint)]
    instead = [joint.name for joint in free if not terms.burden(joint)]
    if not free:
        return f"{closure.reason}; another format may cut another joint"
    if terms.burden(cut) or not instead:
        return (
            f"{closure.reason}; a joint that can be cut and has no actuator, effort limit, "
            "armature, coupling or spring would be cut before it"
        )
    shown = " or ".join(f"'{name}'" for name in sorted(instead))
    return (
        f"{closure.reason}; with an effort limit or an actuator on '{cut.name}', {shown} would be "
        "cut instead"
    )
