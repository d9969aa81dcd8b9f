"""What makes no sense is refused by name, in every verb that takes it."""

import math
from dataclasses import replace

import numpy as np
import pytest

from linkages.drawing import Drawing
from linkages.planar import four_bar_of
from robocompiler import (
    Assembled,
    JointKind,
    Task,
    assemble,
    assemble_each,
    branches,
    coordinates,
    curvature,
    driver_range,
    follow,
    mechanical_advantage,
    mobility,
    reduce,
    sensitivity,
    transmission_angle,
    write,
)
from robocompiler.compiler.compile import compile_mechanism
from robocompiler.errors import BadValueError, ClosureError, MechanismError, SeveralFaultsError
from robocompiler.model.mechanism import WORLD
from robocompiler.solve.reduction.curvature import lift_rate
from robocompiler.solve.reduction.design import ratio

TIP = Task(name="tip", body="coupler", position=(0.1, 0.05, 0.0), kind=JointKind.REVOLUTE)


@pytest.fixture(scope="module")
def four_bar():
    return compile_mechanism(four_bar_of())


@pytest.fixture(scope="module")
def q(four_bar):
    return coordinates(four_bar, assemble(four_bar))


@pytest.mark.parametrize(
    "ask",
    [
        lambda c, n: assemble(c, {n: 0.1}),
        lambda c, n: branches(c, {n: 0.1}),
        lambda c, n: follow(c, {n: [0.1, 0.2]}),
        lambda c, n: assemble_each(c, {n: [0.1, 0.2]}),
        lambda c, n: driver_range(c, n),
        lambda c, n: Assembled(c, assemble(c)).update({n: 0.1}),
    ],
)
def test_what_holds_a_task_takes_no_value(ask):
    compiled = compile_mechanism(four_bar_of(), tasks=[TIP])
    with pytest.raises(BadValueError, match="tip hold"):
        ask(compiled, "tip hold")


@pytest.mark.parametrize("ask", [follow, assemble_each])
def test_a_table_whose_quaternion_is_none_is_refused_with_the_sample(ask):
    drawing = Drawing("arm")
    drawing.body("arm")
    drawing.ball("ball", (WORLD, "arm"), (0.0, 0.0, 0.0))
    compiled = compile_mechanism(drawing.mechanism())
    with pytest.raises(BadValueError, match=r"sample 1: .* is not a quaternion"):
        ask(compiled, {"ball": [(2.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0)]})


@pytest.mark.parametrize("numbers", [(), (1.0, 2.0), (math.nan,), (math.inf,)])
@pytest.mark.parametrize(
    "ask",
    [
        lambda c, near: assemble(c, near=near),
        lambda c, near: follow(c, {"A": [0.7]}, start=near),
        lambda c, near: assemble_each(c, {"A": [0.7]}, near=near),
        lambda c, near: driver_range(c, "A", near=near),
        lambda c, near: Assembled(c, near),
    ],
)
def test_a_configuration_of_other_numbers_is_refused_by_joint(four_bar, ask, numbers):
    found = assemble(four_bar)
    values = tuple((name, numbers if name == "D" else own) for name, own in found.values)
    with pytest.raises(BadValueError, match="The configuration: D="):
        ask(four_bar, replace(found, values=values))


def test_updates_start_from_no_open_configuration(four_bar):
    found = assemble(four_bar)
    apart = tuple((name, (0.3,)) for name, _ in found.values)
    with pytest.raises(ClosureError, match="'C' cannot be closed"):
        Assembled(four_bar, replace(found, values=apart))


def test_a_rounded_quaternion_of_a_configuration_is_made_unit():
    drawing = Drawing("arm")
    drawing.body("arm")
    drawing.ball("ball", (WORLD, "arm"), (0.0, 0.0, 0.0))
    compiled = compile_mechanism(drawing.mechanism())
    found = assemble(compiled)
    rounded = replace(found, values=(("ball", (0.7071, 0.7071, 0.0, 0.0)),))
    turned = assemble(compiled, near=rounded).of("ball")
    assert turned == pytest.approx((math.sqrt(0.5), math.sqrt(0.5), 0.0, 0.0), abs=1e-15)


@pytest.mark.parametrize(
    "ask",
    [
        lambda c, q: reduce(c, q[:0]),
        lambda c, q: sensitivity(c, q[:0]),
        lambda c, q: ratio(c, q[:0], "A", "D"),
        lambda c, q: curvature(c, q, np.zeros(9)),
        lambda c, q: curvature(c, q, np.full(c.nv, np.nan)),
        lambda c, q: lift_rate(reduce(c, q), np.zeros(9)),
        lambda c, q: reduce(c, q).speeds(np.zeros(5)),
        lambda c, q: reduce(c, q).speeds(np.array([np.nan])),
        lambda c, q: branches(c, starts=-1),
    ],
)
def test_arrays_of_no_sense_are_refused(four_bar, q, ask):
    with pytest.raises(BadValueError):
        ask(four_bar, np.tile(q, (2, 1)))


@pytest.mark.parametrize(
    "ask",
    [
        mobility,
        reduce,
        sensitivity,
        lambda c, q: curvature(c, q, np.zeros(c.nv)),
        lambda c, q: mechanical_advantage(c, q, "A", "D"),
        lambda c, q: transmission_angle(c, q, "B", "C", "D"),
    ],
)
def test_a_configuration_in_the_place_of_coordinates_is_refused_with_what_gives_them(four_bar, ask):
    found = assemble(four_bar)
    with pytest.raises(BadValueError, match=r"q=a Configuration is not.*rc\.coordinates"):
        ask(four_bar, found)
    ask(four_bar, coordinates(four_bar, found))


@pytest.mark.parametrize(
    "ask",
    [
        lambda c, q: assemble(c, near=q),
        lambda c, q: assemble(c, {"C": 1.0}, near=q),
        lambda c, q: follow(c, {"A": [0.7]}, start=q),
        lambda c, q: assemble_each(c, {"A": [0.7]}, near=q),
        lambda c, q: driver_range(c, "A", near=q),
        Assembled,
        coordinates,
        lambda c, q: write(c, "four-bar.xml", q),
    ],
)
def test_coordinates_in_the_place_of_a_configuration_are_refused(four_bar, q, ask):
    with pytest.raises(BadValueError, match="ndarray is not a Configuration"):
        ask(four_bar, q)


@pytest.mark.parametrize("rate", [np.zeros(2), np.array([np.nan, 0.0, 0.0])])
def test_rates_of_places_of_no_sense_are_refused(rate):
    compiled = compile_mechanism(four_bar_of(), tasks=[replace(TIP, kind=JointKind.BALL)])
    reduction = reduce(compiled, coordinates(compiled, assemble(compiled)))
    with pytest.raises(BadValueError, match="Speeds of places: tip="):
        reduction.speeds(np.zeros(0), {"tip": rate})


@pytest.mark.parametrize(
    "wrong", [{"position": (0.0, 0.0)}, {"rotation": (1.0, 0.0, 0.0)}, {"kind": "ball"}]
)
def test_a_task_whose_fields_are_wrong_is_refused_beside_others(wrong):
    tasks = [replace(TIP, **wrong), replace(TIP, name="other", body="cupler")]
    with pytest.raises(SeveralFaultsError, match="Task 'tip'") as caught:
        compile_mechanism(four_bar_of(), tasks=tasks)
    assert len(caught.value.faults) == 2
    assert all(isinstance(fault, MechanismError) for fault in caught.value.faults)
