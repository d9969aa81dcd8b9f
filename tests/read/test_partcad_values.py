import math

import pytest

from robocompiler.read.partcad_values import Quantity, parse_number, parse_quantity, parse_ratio

ANGLE, LENGTH = Quantity.ANGLE, Quantity.LENGTH


@pytest.mark.parametrize(
    ("text", "quantity", "si"),
    [
        ("180", ANGLE, math.pi),
        ("180deg", ANGLE, math.pi),
        ("0.25 turn", ANGLE, math.pi / 2),
        ("-0.5rev", ANGLE, -math.pi),
        ("1.5rad", ANGLE, 1.5),
        ("20", LENGTH, 0.02),
        ("20mm", LENGTH, 0.02),
        ("2cm", LENGTH, 0.02),
        ("1e-3m", LENGTH, 0.001),
        ("1in", LENGTH, 0.0254),
        ("1/4in", LENGTH, 0.00635),
    ],
)
def test_a_value_is_read_in_its_unit_or_partcads(text, quantity, si):
    assert parse_quantity(text, quantity) == pytest.approx(si, rel=1e-15)


@pytest.mark.parametrize(
    ("text", "of", "per", "si"),
    [
        ("2", ANGLE, ANGLE, 2.0),
        ("20/40", ANGLE, ANGLE, 0.5),
        ("-1.5turn/turn", ANGLE, ANGLE, -1.5),
        ("0.5", LENGTH, ANGLE, 0.5e-3 * 180 / math.pi),
        ("0.5mm/deg", LENGTH, ANGLE, 0.5e-3 * 180 / math.pi),
        ("2 mm/rad", LENGTH, ANGLE, 0.002),
        ("0.01m/rad", LENGTH, ANGLE, 0.01),
        ("2mm/turn", LENGTH, ANGLE, 0.002 / (2 * math.pi)),
        ("90deg/mm", ANGLE, LENGTH, math.pi / 2 * 1000),
        ("0.5mm/mm", LENGTH, LENGTH, 0.5),
        (".5cm/m", LENGTH, LENGTH, 0.005),
    ],
)
def test_a_ratio_is_read_in_its_units_or_partcads(text, of, per, si):
    assert parse_ratio(text, of, per) == pytest.approx(si, rel=1e-15)


@pytest.mark.parametrize("text", ["2mm/deg", "2mm", "2/mm", "2deg/deg/deg", "2kg/deg", "x", ""])
def test_a_ratio_of_another_dimension_is_none(text):
    assert parse_ratio(text, ANGLE, ANGLE) is None


@pytest.mark.parametrize(
    "text", ["10mm", "10deg/s", "ten", "nan", "inf", "1e999", "1/0", "", "1 2"]
)
def test_what_is_no_angle_is_none(text):
    assert parse_quantity(text, ANGLE) is None


def test_a_bare_number_has_no_unit():
    assert parse_number("1e-2") == 0.01
    assert parse_number("1mm") is None
