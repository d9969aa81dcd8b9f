"""Table 3.1 of the acceptance numbers: what is counted, how to count it, and what it must be.

Counted by `structure`, independently of the library's own counts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from linkages.excavator import CYLINDER_SPACE, JOINT_SPACE, excavator
from linkages.robots import KANGAROO_MOTORS, SUPPORTS, go2, kangaroo, panda
from linkages.stewart import stewart, task_pose
from linkages.structure import (
    Structure,
    blocks,
    body_rows,
    drawn_structure,
    papers_rows,
    rank_of,
)
from robocompiler.compiler.compile import compile_mechanism
from robocompiler.solve.closure import scaled_jacobian
from robocompiler.solve.state import starting_coordinates


def kangaroo_structure() -> tuple[Structure, int, int]:
    """Its structure, its joints that turn or slide, and the most of them on one side of a path."""
    compiled = compile_mechanism(kangaroo(floating=False))
    sides = [side for c in compiled.closures for side in (c.to_parent, c.to_child)]
    found = drawn_structure(kangaroo(floating=False))
    return found, len(compiled.tree), max(map(len, sides))


def kangaroo_on(soles: Sequence[str]) -> tuple[int, int, int]:
    """Physical rows, a weld's six for each sole among them, their rank, and what is left free."""
    compiled = compile_mechanism(kangaroo())
    q = starting_coordinates(compiled)
    own = [scaled_jacobian(compiled, q, module) for module in compiled.modules]
    K = np.vstack([*own, *(body_rows(compiled, q, f"{side}_ankle_roll") for side in soles)])
    rank = rank_of(K)
    return K.shape[0], rank, compiled.nv - rank


def panda_with_tool(eliminated: bool) -> tuple[int, int, int, int]:
    """Unknowns, rows, rank and independents, the fingers' coupling a row of its own or eliminated.

    The papers write a coupling as six rows, of which five are zero.
    """
    compiled = compile_mechanism(panda(tool=True))
    K, (coupling,) = papers_rows(compiled, starting_coordinates(compiled)), compiled.couplings
    count, (leader,), (ratio,) = K.shape[1], coupling.leaders, coupling.ratios
    if eliminated:
        kept = np.delete(np.eye(count), coupling.follower.v, axis=1)
        kept[coupling.follower.v] = ratio * kept[leader.v]
        K = K @ kept
    else:
        rows = np.zeros((6, count))
        rows[0, [coupling.follower.v, leader.v]] = 1.0, -ratio
        K = np.vstack([K, rows])
    rank = rank_of(K)
    return K.shape[1], K.shape[0], rank, K.shape[1] - rank


def _blocks(mechanism_of: Callable[[], object], independent: Sequence[str]) -> list[int]:
    return blocks(compile_mechanism(mechanism_of()), independent)


def _go2(feet: Sequence[str]) -> Structure:
    count = len(feet)
    rows = 6 * count
    return Structure(18, count, 18 + 3 * count, rows, rows, (3 * count, 3 * count), 18 - 3 * count)


PAPERS_TABLE: dict[str, tuple[Callable[[], object], object]] = {
    "Stewart, compiled": (
        lambda: drawn_structure(stewart(task_pose(5.7))),
        Structure(21, 5, 36, 30, 30, (15, 15), 6),
    ),
    "Stewart, hand chart": (
        lambda: drawn_structure(stewart(task_pose(10.6), chart=True)),
        Structure(24, 6, 42, 36, 36, (18, 18), 6),
    ),
    # 54 physical rows there, of two points for each revolute; ours are 45, of the same rank.
    "excavator (self-made)": (
        lambda: drawn_structure(excavator()),
        Structure(23, 9, 32, 54, 25, (45, 16), 7),
    ),
    "excavator (self-made), blocks of joints": (
        lambda: _blocks(excavator, JOINT_SPACE),
        [3, 3, 3, 3, 3, 10],
    ),
    "excavator (self-made), blocks of cylinders": (
        lambda: _blocks(excavator, CYLINDER_SPACE),
        [3, 6, 6, 10],
    ),
    "Kangaroo; joints; most on a path's side": (
        kangaroo_structure,
        (Structure(76, 24, 140, 144, 128, (80, 64), 12), 76, 3),
    ),
    "Kangaroo, blocks": (
        lambda: _blocks(lambda: kangaroo(floating=False), KANGAROO_MOTORS),
        [5, 5, 12, 12, 47, 47],
    ),
    "Kangaroo, feet free": (lambda: kangaroo_on(()), (80, 64, 18)),
    "Kangaroo on its left sole": (lambda: kangaroo_on(("left",)), (86, 70, 12)),
    "Kangaroo on its right sole": (lambda: kangaroo_on(("right",)), (86, 70, 12)),
    "Kangaroo on both soles": (lambda: kangaroo_on(("left", "right")), (92, 76, 6)),
    **{
        f"Go2 on {'+'.join(feet)}": (lambda feet=feet: drawn_structure(go2(feet)), _go2(feet))
        for feet in SUPPORTS
    },
    "Panda, tool and coupling": (lambda: panda_with_tool(False), (15, 12, 7, 8)),
    "Panda, coupling eliminated": (lambda: panda_with_tool(True), (14, 6, 6, 8)),
}
