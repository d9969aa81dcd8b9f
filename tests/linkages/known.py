"""Every mechanism with its count and where it is driven to, for whatever holds of all of them."""

from __future__ import annotations

from linkages.crane import ACTIVE, Strokes, crane
from linkages.drawing import turn
from linkages.excavator import CYLINDER_SPACE, JOINT_SPACE, Posture, excavator
from linkages.many_loops import ackermann, module_chain, scissor_lift
from linkages.overconstrained import bennett, bricard, line_symmetric_bricard, sarrus
from linkages.planar import (
    GRASHOF,
    braced_parallelogram,
    crank_range,
    five_bar,
    four_bar_of,
    slider_crank,
)
from linkages.planar_parallel import three_rpr, three_rrr
from linkages.spatial import KINDS, delta, differential, loop_with, summing_differential
from linkages.stewart import stewart, task_pose
from robocompiler.model.joint_kinds import JointKind

SOMEWHERE = turn((0.3, -0.4, 0.9), (0.1, 0.2, 0.3))

TABLE = {
    **{
        f"four-bar {name} {branch:+d}": (
            four_bar_of(bars, sum(crank_range(bars)) / 2, branch, SOMEWHERE),
            (3, 1, 5, 2, 1),
        )
        for name, bars in GRASHOF.items()
        for branch in (1, -1)
    },
    "slider-crank": (slider_crank(ground=SOMEWHERE), (3, 1, 5, 2, 1)),
    "slider-crank, other branch": (slider_crank(branch=-1), (3, 1, 5, 2, 1)),
    "five-bar": (five_bar(ground=SOMEWHERE), (4, 1, 5, 2, 2)),
    "braced parallelogram": (braced_parallelogram(ground=SOMEWHERE), (4, 2, 10, 3, 1)),
    "3-RPR": (three_rpr(ground=SOMEWHERE), (7, 2, 10, 4, 3)),
    "3-RRR": (three_rrr(ground=SOMEWHERE), (7, 2, 10, 4, 3)),
    "scissor lift of ten loops": (scissor_lift(10, ground=SOMEWHERE), (21, 10, 50, 20, 1)),
    "Ackermann, wheels spinning": (ackermann(ground=SOMEWHERE), (5, 1, 5, 2, 3)),
    "chain of 16": (module_chain(16, ground=SOMEWHERE), (48, 16, 80, 32, 16)),
    "Bennett": (bennett(ground=SOMEWHERE), (3, 1, 5, 2, 1)),
    "Bricard": (bricard(ground=SOMEWHERE), (5, 1, 5, 4, 1)),
    "line-symmetric Bricard": (line_symmetric_bricard(), (5, 1, 5, 4, 1)),
    "Sarrus": (sarrus(ground=SOMEWHERE), (5, 1, 5, 4, 1)),
    "Sarrus, three sides": (sarrus(sides=(0.0, 2.0, 4.0)), (7, 2, 10, 6, 1)),
    "delta, six rods idle": (delta(ground=SOMEWHERE), (24, 5, 15, 15, 9)),
    "differential": (differential(ground=SOMEWHERE), (5, 0, 3, 3, 2)),
    "differential in bearings": (differential(bearings=True), (5, 2, 13, 3, 2)),
    "crane": (crane(), (13, 3, 15, 6, 7)),
    **{
        f"loop with {kind.value}": (loop_with(kind), None)
        for kind in KINDS
        if kind is not JointKind.FREE
    },
}
"""Speeds, cuts, minimal rows, their rank, mobility; None for a loop of rank 6 and mobility 1."""

POSTURES = (Posture(), Posture(boom=0.5, stick=-1.7, hitch=-0.3, pin=0.3, tilt=-0.1))
MOVES = {
    "four-bar": ([four_bar_of(crank=0.7), four_bar_of(crank=1.4)], ["A"]),
    "four-bar, other branch": (
        [four_bar_of(crank=0.7, branch=-1), four_bar_of(crank=1.4, branch=-1)],
        ["A"],
    ),
    "slider-crank": ([slider_crank(), slider_crank(angle=1.5)], ["A"]),
    "five-bar": ([five_bar(), five_bar(angles=(1.8, 1.3))], ["A", "E"]),
    "braced": ([braced_parallelogram(), braced_parallelogram(angle=1.2)], ["foot 0"]),
    "3-RRR": (
        [three_rrr(), three_rrr((0.28, 0.18, 0.1))],
        ["A 0", "A 1", "A 2"],
    ),
    "3-RPR": (
        [three_rpr(2), three_rpr(pose=(-0.4, 0.55, -0.9))],
        ["P 0", "P 1", "P 2"],
    ),
    "scissor lift": ([scissor_lift(10), scissor_lift(10, angle=0.8)], ["foot"]),
    "Ackermann": ([ackermann(0.2), ackermann(-0.3)], ["left"]),
    "Bennett": ([bennett(), bennett(angle=1.5)], ["1"]),
    "Bricard": ([bricard(), bricard(angle=1.5)], ["1"]),
    "Sarrus": ([sarrus(), sarrus(angle=1.1)], ["0.1"]),
    "differential": (
        [differential(bearings=True), differential(0.9, 0.1, bearings=True)],
        ["pinion", "planet"],
    ),
    "differential as a sum": (
        [summing_differential(), summing_differential(0.9, 0.1)],
        ["left", "right"],
    ),
    "excavator by its joints": ([excavator(p) for p in POSTURES], JOINT_SPACE),
    "excavator by its cylinders": ([excavator(p) for p in POSTURES], CYLINDER_SPACE),
    "crane": ([crane(), crane(Strokes(lift=1.1, fold=1.25, yaw=0.4))], ACTIVE),
    "delta": ([delta(), delta((-0.02, 0.03, -0.42))], ["0", "1", "2"]),
    "Stewart": (
        [stewart(), stewart(task_pose(5.7))],
        [f"leg {i} length" for i in range(6)],
    ),
}
"""The same mechanism drawn here and there, and what is driven to go from one to the other."""

ROUNDED = {
    "four-bar": four_bar_of,
    "slider-crank": slider_crank,
    "braced parallelogram": braced_parallelogram,
    "3-RRR": three_rrr,
    "scissor lift": scissor_lift,
    "Bennett": bennett,
    "Bricard": bricard,
    "line-symmetric Bricard": line_symmetric_bricard,
    "Sarrus": sarrus,
}
"""Builders, with `ground`, whose loops have more rows than rank: rounding opens them."""
