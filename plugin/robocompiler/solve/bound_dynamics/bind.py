"""From a compiled mechanism to its generated dynamics."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from robocompiler.compiler.block_types import BlockPlan
from robocompiler.compiler.clusters.grouping import clusters_of
from robocompiler.compiler.clusters.planning import cluster_plans
from robocompiler.compiler.clusters.types import cluster_types
from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.compiler.limbs import limb_frames, limbs_of
from robocompiler.compiler.ports import Port, ports_of, ports_on
from robocompiler.equations.dynamics import Limb, motions
from robocompiler.equations.moved import moved_masses
from robocompiler.errors import BadValueError, DuplicateNameError, raise_all
from robocompiler.model.configuration import Configuration
from robocompiler.model.tasks import Task
from robocompiler.solve.bound_dynamics.bound import BoundDynamics
from robocompiler.solve.bound_dynamics.code import DynamicsCode
from robocompiler.solve.bound_dynamics.places import Places
from robocompiler.solve.dynamics.conditions import (
    WHERE,
    Conditions,
    read_conditions,
    refuse_foreign,
)
from robocompiler.solve.dynamics.gravity import gravity_of
from robocompiler.solve.dynamics.overheld import refuse_overheld
from robocompiler.solve.dynamics.support import supported
from robocompiler.solve.dynamics.wrenches import attached
from robocompiler.solve.generated.bind import bind
from robocompiler.solve.generated.bound import Bound
from robocompiler.solve.generated.settings import TOLERANCE
from robocompiler.solve.reduction.checks import check_compiled, read_names
from robocompiler.solve.reduction.partition import speed_names
from robocompiler.solve.state import starting_coordinates
from robocompiler.spatial import Array, Vec3


def bind_dynamics(
    compiled: CompiledMechanism,
    *,
    near: Configuration | None = None,
    independent: Sequence[str] = (),
    ports: Sequence[Port] | None = None,
    loads: Sequence[str] = (),
    support: Sequence[Task] = (),
    gravity: Vec3 | None = None,
    tolerance: float = TOLERANCE,
    emitter: str | None = None,
) -> BoundDynamics:
    """The mechanism's generated dynamics, bound to buffers.

    Args:
        compiled: the mechanism.
        near: see `bind`.
        independent: see `bind`.
        ports: see `Conditions`.
        loads: bodies and frames on which wrenches may act.
        support: points and frames of bodies that are held where they stand in `near`. Coordinates
            and speeds are then those of the mechanism so held (`bound.compiled`).
        gravity: see `Conditions`.
        tolerance: see `bind`.
        emitter: see `bind`.

    Raises:
        UnknownNameError, BadValueError, PartitionError, NotClosedError, ClosureError,
        GenerationError and others: as `bind`, or a load on nothing that moves.
        SupportError: as `reduced_dynamics`.
    """
    check_compiled(compiled, WHERE)
    conditions: Conditions = {"support": support, "ports": ports, "independent": independent}
    given, loads = read_conditions(conditions), read_names(loads, WHERE, "loads")
    raise_all(DuplicateNameError("loads", n) for n in set(loads) if loads.count(n) > 1)
    held = supported(compiled, tuple(given["support"]))
    compiled = held.compiled
    bound = bind(compiled, near=near, independent=independent, tolerance=tolerance, emitter=emitter)
    refuse_overheld(held, bound.home)
    layout = bound.code.layout
    speeds = layout.partition.independent
    ports = given["ports"]
    if ports is None:
        names = speed_names(compiled)
        ports = ports_of(compiled) or ports_on([names[i] for i in speeds], speeds)
    refuse_foreign(compiled, ports)
    limbs = limbs_of(compiled)
    blocks = [plan for kind in layout.types for plan in kind.plans]
    clusters = clusters_of(limbs, _together(compiled, blocks, ports))
    where = [_load(compiled, name) for name in loads]
    pull = gravity_of(compiled, gravity)
    moved = _moved(compiled, limbs)
    plans = cluster_plans(compiled, limbs, clusters, blocks, speeds, ports, where, pull, moved)
    places = Places(layout, cluster_types(plans), plans, len(ports), len(loads))
    code = DynamicsCode(places, bound.code.emitter, pull)
    whole = Bound(bound.code, bound.home, tolerance, None, 1, code.rows)
    return BoundDynamics(code, whole, ports, loads)


def _together(
    compiled: CompiledMechanism, blocks: Sequence[BlockPlan], ports: Sequence[Port]
) -> list[list[int]]:
    """Joints that must be in one cluster: those of a block, and those that a port moves."""
    owners = [joint for joint, t in enumerate(compiled.tree) for _ in range(t.v.start, t.v.stop)]
    paths = [closure.path for closure in compiled.closures]
    return [
        *([owners[int(i)] for i in plan.whole] for plan in blocks),
        *(
            [owners[speed] for speed, _ in port.tree]
            + [joint for closure, _, _ in port.cut for joint in paths[closure]]
            for port in ports
        ),
    ]


def _moved(compiled: CompiledMechanism, limbs: Sequence[Limb]) -> Array:
    """What moves with each speed as the mechanism is drawn, its loops open, shape (nv,).

    Not where it is bound: code is kept by all numbers it is made of.
    """
    return moved_masses(limbs, motions(limbs, starting_coordinates(compiled)), compiled.nv)


def _load(compiled: CompiledMechanism, name: str) -> tuple[int, Array]:
    """The limb that a body or frame is on, and where its origin is, seen from that."""
    host, point = attached(compiled, name)
    limb = {joint.outboard: at for at, joint in enumerate(compiled.tree)}
    if host not in limb:
        raise BadValueError("Loads", "body", name, "a body that moves")
    return limb[host], np.asarray((limb_frames(compiled)[host].inverse() @ point).p)
