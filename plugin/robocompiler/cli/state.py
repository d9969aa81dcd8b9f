"""Where a mechanism stands, how it moves and what acts on it, as dynamics commands are told."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import numpy as np

from robocompiler.cli.values import read_assignments, read_numbers, split_assignments
from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.errors import BadValueError, UnknownNameError, raise_all
from robocompiler.model.configuration import Configuration
from robocompiler.model.mechanism import WORLD
from robocompiler.model.tasks import Task
from robocompiler.solve.assembly.assemble import assemble
from robocompiler.solve.dynamics.conditions import Conditions
from robocompiler.solve.dynamics.tree import tree_at
from robocompiler.solve.reduction.reduce import reduce
from robocompiler.spatial import Array

HOME = ("home", "drawn", "as-drawn")
"""What `--at` calls the configuration as drawn, its loops closed."""
APART = 1e-6
"""How much of a joint's motion [1] others must leave for it to be independent of them."""
WRENCH = ("newton",) * 3 + ("newton * meter",) * 3


def add_conditions(parser: argparse.ArgumentParser) -> None:
    """Options on where it stands and what acts on it."""
    parser.add_argument(
        "--at",
        nargs="+",
        action="extend",
        default=[],
        metavar="JOINT=VALUE",
        help="where it stands: home, as drawn (the default), or joints such as crank=35deg",
    )
    parser.add_argument(
        "--wrench",
        action="append",
        default=[],
        metavar="BODY=FX,FY,FZ,TX,TY,TZ",
        help="on a body, about its origin along the world's axes: tool=0,0,-50N,0,0,2N*m",
    )
    parser.add_argument(
        "--gravity", metavar="X,Y,Z", help="such as 0,0,-1.62m/s^2; the mechanism's own, or 9.81"
    )
    parser.add_argument(
        "--dry-friction", action="store_true", help="what moves is held back by dry friction"
    )


def read_conditions(compiled: CompiledMechanism, options: argparse.Namespace) -> Conditions:
    """What acts on the mechanism."""
    found: Conditions = {"dry_friction": options.dry_friction}
    wrenches = {}
    for name, text in split_assignments(options.wrench, "--wrench", "body=fx,fy,fz,tx,ty,tz"):
        wrenches[name] = np.array(read_numbers(name, text, "--wrench", WRENCH))
    found["wrenches"] = wrenches
    if options.gravity is not None:
        units = ("meter / second ** 2",) * 3
        x, y, z = read_numbers("gravity", options.gravity, "--gravity", units)
        found["gravity"] = (x, y, z)
    return found


def read_supports(compiled: CompiledMechanism, given: Sequence[str]) -> tuple[Task, ...]:
    """Points that are held, of texts such as `foot` or `foot@0,0,-50mm`."""
    known = [body.name for body in compiled.mechanism.bodies]
    found: list[Task] = []
    for text in given:
        body, sign, point = text.rpartition("@")
        if not sign or (text in known and body not in known):
            body, point = text, "0,0,0"
        if body not in known:
            raise UnknownNameError("--support", "body", body, known)
        x, y, z = read_numbers(body, point, "--support", ("meter",) * 3)
        found.append(Task(name=f"support {text}", body=body, position=(x, y, z)))
    return tuple(found)


def place_at(compiled: CompiledMechanism, given: Sequence[str]) -> Configuration:
    """The configuration that `--at` says, its loops closed.

    Args:
        compiled: the mechanism.
        given: `home`, or joints with values.

    Raises:
        BadValueError, UnknownNameError: a text that says nothing of a joint.
        MechanismError: as `assemble`.
    """
    stated = [text for text in given if text not in HOME and text != "as drawn"]
    if stated and len(stated) < len(given):
        raise BadValueError("--at", "value", " ".join(given), "home alone, or joints with values")
    return assemble(compiled, read_assignments(compiled, stated, "--at"))


def independent_among(
    compiled: CompiledMechanism, q: Array, names: Sequence[str], taken: Sequence[str] = ()
) -> list[str]:
    """Of joints, in their order, those that can move freely of one another and of those taken.

    Cut joints count like others.

    Args:
        compiled: the mechanism.
        q: where it stands closed, shape (nq,).
        names: of joints.
        taken: of joints that are settled.
    """
    tree, E = tree_at(compiled, q, np.zeros(compiled.nv)), reduce(compiled, q).E
    rows = {cut.joint.name: cut.rows @ E for cut in tree.cut}
    rows |= {joint.edge.joint.name: E[joint.v] for joint in compiled.tree}
    basis, found = np.zeros((0, E.shape[1])), list[str]()
    for name in [*taken, *names]:
        own = rows[name] - (rows[name] @ basis.T) @ basis
        _, sizes, directions = np.linalg.svd(own, full_matrices=False)
        if not len(own) or np.sum(sizes > APART) < len(own):
            continue
        basis = np.vstack([basis, directions])
        if name not in taken and name not in found:
            found.append(name)
    return found


def check_wrenches(compiled: CompiledMechanism, given: Sequence[str]) -> None:
    """Refuse wrenches on no body or frame before any work."""
    known = [body.name for body in compiled.mechanism.bodies]
    known += [frame.name for frame in compiled.mechanism.frames]
    names = [text.rpartition("=")[0] for text in given]
    raise_all(
        UnknownNameError("--wrench", "body or frame", name, known)
        for name in names
        if name not in known and name != WORLD
    )
