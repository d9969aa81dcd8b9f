import math
import warnings
from dataclasses import fields, is_dataclass, replace

import numpy as np
import pytest
from spoiled import hung, only, with_body, with_frame, with_joint

from mechanisms import four_bar
from robocompiler.errors import (
    BadValueError,
    FormatError,
    LimitsError,
    MechanismError,
    StartOutsideLimitsError,
)
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import (
    Actuator,
    Coupling,
    Environment,
    Mesh,
    Shape,
    Surface,
    Transmission,
)
from robocompiler.model.validity import faults_of

HALF = math.sqrt(0.5)


def full():
    """A valid mechanism that states something in every field that holds a number."""
    mechanism = four_bar(
        joint={
            "A": {
                "limits": ((-4.0, 4.0),),
                "effort": 5.0,
                "velocity": 2.0,
                "damping": 0.1,
                "armature": 0.1,
            },
            "B": {"friction": 0.1, "stiffness": 1.0, "spring_reference": 0.2},
            "C": {"closure_tolerance": (1e-3, 0.1)},
        }
    )
    mechanism = hung_on(mechanism, JointKind.SCREW, pitch=0.01)
    surface = Surface(friction=0.3, torsional_friction=0.1, rolling_friction=0.1, restitution=0.5)
    shape = Shape(name="s", mesh="m", position=(1.0, 2.0, 3.0), rotation=(HALF, HALF, 0.0, 0.0))
    shape = replace(shape, color=(0.1, 0.2, 0.3, 1.0), surface=surface)
    return replace(
        mechanism,
        bodies=(replace(mechanism.bodies[0], shapes=(shape,)), *mechanism.bodies[1:]),
        meshes=(Mesh(name="m"),),
        couplings=(Coupling.gear(name="k", leader="A", follower="to bob", ratio=2.0, offset=0.5),),
        actuators=(
            Actuator(
                name="m",
                transmissions=(Transmission(coordinate="A", ratio=50.0),),
                effort=2.0,
                velocity=3.0,
                armature=1e-5,
            ),
        ),
        environment=Environment(gravity=(0.0, 0.0, -9.81), density=1.2, viscosity=1e-5),
    )


def hung_on(mechanism, kind, **terms):
    bob = hung(kind, **terms)
    return replace(
        mechanism,
        bodies=(*mechanism.bodies, bob.bodies[-1]),
        frames=(*mechanism.frames, bob.frames[-1]),
        joints=(*mechanism.joints, bob.joints[-1]),
    )


def ways_to_numbers(value, way=()):
    """The way to every number below a record: our own walk, which knows nothing of fields."""
    if isinstance(value, float):
        yield way
    elif isinstance(value, tuple):
        for i, item in enumerate(value):
            yield from ways_to_numbers(item, (*way, i))
    elif is_dataclass(value):
        for field in fields(value):
            yield from ways_to_numbers(getattr(value, field.name), (*way, field.name))


def put(value, way, number):
    """A copy of a record with a number at the end of a way."""
    if not way:
        return number
    key, rest = way[0], way[1:]
    if isinstance(key, int):
        return (*value[:key], put(value[key], rest, number), *value[key + 1 :])
    return replace(value, **{key: put(getattr(value, key), rest, number)})


WAYS = list(ways_to_numbers(full()))


def test_the_mechanism_of_these_tests_is_valid_and_has_a_number_in_every_field():
    """But in `swing_limit`, which has a test of its own."""
    assert faults_of(full()) == []
    told = {key for way in WAYS for key in way if isinstance(key, str)}
    assert told >= {
        *("mass", "center", "moments", "products", "friction", "torsional_friction"),
        *("rolling_friction", "restitution", "position", "rotation", "color", "start", "limits"),
        *("pitch", "damping", "stiffness", "spring_reference", "effort", "velocity", "ratio"),
        *("closure_tolerance", "offset", "gravity", "density", "viscosity"),
    }


@pytest.mark.parametrize("way", WAYS, ids=lambda way: ".".join(map(str, way)))
@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf, 1e200], ids=str)
def test_what_is_no_finite_number_is_named_by_its_record_and_field(way, number):
    spoiled = put(full(), way, number)
    record = full()
    for key in way[:2]:
        record = record[key] if isinstance(key, int) else getattr(record, key)
    field = next(key for key in reversed(way) if isinstance(key, str))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        faults = faults_of(spoiled)
    if "limits" in way and math.isinf(number):
        open_end = (way[-1] == 0) == (number < 0.0)
        assert [type(fault) for fault in faults] == ([] if open_end else [LimitsError])
        return
    (fault,) = faults
    assert type(fault) is BadValueError
    assert f"{field}" in str(fault)
    assert f"={number} is not a " in str(fault)
    if hasattr(record, "name") and "shapes" not in way:
        assert str(fault).startswith(f"{type(record).__name__} '{record.name}': ")


@pytest.mark.parametrize("number", [np.float32("nan"), np.float64("nan"), np.float32("inf")])
def test_numbers_of_numpy_are_judged_as_well(number):
    assert "damping" in only(with_joint(four_bar(), "A", damping=number), BadValueError)


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("damping", -0.1, "damping=-0.1 is not 0 or more"),
        ("friction", -0.1, "friction=-0.1 is not 0 or more"),
        ("stiffness", -1.0, "stiffness=-1.0 is not 0 or more"),
        ("effort", 0.0, "effort=0.0 is not more than 0: leave it out where nothing limits it"),
        ("effort", -1.0, "effort=-1.0 is not more than 0"),
        ("velocity", 0.0, "velocity=0.0 is not more than 0"),
        ("velocity", -1.0, "velocity=-1.0 is not more than 0"),
        ("closure_tolerance", (1e-3, -0.1), "closure_tolerance[1]=-0.1 is not 0 or more"),
        ("pitch", 0.01, "pitch=0.01 is not something a revolute joint has: only a screw"),
        ("swing_limit", 0.5, "swing_limit=0.5 is not something a revolute joint has: only a ball"),
    ],
)
def test_a_joint_s_number_of_the_wrong_sign_or_kind_is_named(field, value, said):
    assert only(with_joint(four_bar(), "A", **{field: value}), BadValueError).startswith(
        f"Joint 'A': {said}"
    )


@pytest.mark.parametrize(
    ("record", "said"),
    [
        (Surface(friction=-0.1), "Shape 's': surface.friction=-0.1 is not 0 or more"),
        (Surface(torsional_friction=-1.0), "surface.torsional_friction=-1.0 is not 0 or more"),
        (Surface(rolling_friction=-1.0), "surface.rolling_friction=-1.0 is not 0 or more"),
        (Surface(restitution=1.5), "surface.restitution=1.5 is not from 0 to 1"),
    ],
)
def test_a_surface_that_cannot_be_is_named_by_its_shape(record, said):
    mechanism = four_bar()
    shape = Shape(name="s", mesh="m", surface=record)
    bodies = (replace(mechanism.bodies[0], shapes=(shape,)), *mechanism.bodies[1:])
    spoiled = replace(mechanism, bodies=bodies, meshes=(Mesh(name="m"),))
    assert said in only(spoiled, BadValueError)


@pytest.mark.parametrize("field", ["density", "viscosity"])
def test_a_medium_that_cannot_be_is_named(field):
    spoiled = replace(four_bar(), environment=Environment(**{field: -1.0}))
    said = f"Mechanism 'fourbar': environment.{field}=-1.0 is not 0 or more"
    assert only(spoiled, BadValueError).startswith(said)


@pytest.mark.parametrize(
    ("rotation", "length"),
    [((0.0, 0.0, 0.0, 0.0), "0"), ((2.0, 0.0, 0.0, 0.0), "2"), ((0.5, 0.5, 0.0, 0.0), "0.707")],
)
def test_a_rotation_that_is_no_unit_quaternion_is_named_with_its_length(rotation, length):
    said = only(with_frame(four_bar(), "crank.B", rotation=rotation), BadValueError)
    assert said.startswith("Frame 'crank.B': rotation=(")
    assert f"its length is {length}" in said


def test_a_rotation_rounded_to_three_digits_is_still_one():
    assert faults_of(with_frame(four_bar(), "world.ground", rotation=(0.707, 0.707, 0, 0))) == []


@pytest.mark.parametrize("kind", [JointKind.BALL, JointKind.FREE])
def test_a_start_that_is_no_unit_quaternion_is_refused_with_its_length(kind):
    start = (0.0,) * (kind.nq - 4)
    assert faults_of(hung(kind, start=(*start, HALF, HALF, 0.0, 0.0))) == []
    said = only(hung(kind, start=(*start, 0.7, 0.7, 0.0, 0.0)), BadValueError)
    assert "Joint 'to bob': start=(0.7, 0.7, 0, 0)" in said
    assert "its length is 0.989949494" in said


@pytest.mark.parametrize("swing", [0.0, -1.0])
def test_a_ball_that_cannot_swing_is_named(swing):
    said = only(hung(JointKind.BALL, swing_limit=swing), BadValueError)
    assert f"swing_limit={swing} is not more than 0" in said


def test_a_screw_that_does_not_advance_is_named():
    said = only(hung(JointKind.SCREW), BadValueError)
    assert "pitch=0 is not a screw's pitch [m/rad]: make a joint that does not advance rev" in said


@pytest.mark.parametrize(
    ("kind", "limits"),
    [
        (JointKind.BALL, ((-1.0, 1.0),)),
        (JointKind.FREE, ((-1.0, 1.0),) * 4),
    ],
)
def test_a_rotation_takes_no_limits(kind, limits):
    said = only(hung(kind, limits=limits), FormatError)
    assert f"the rotation of a {kind.value} joint takes no lowest and highest value" in said


def test_a_rotation_may_have_limits_that_are_open():
    limits = ((-1.0, 1.0), (-1.0, 1.0), (-1.0, 1.0), (-math.inf, math.inf))
    assert faults_of(hung(JointKind.FREE, limits=limits)) == []


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        ((0.5, -0.5), "[28.6478898, -28.6478898] deg: the lowest is above the highest. Swap the"),
        ((0.5, 0.5), "[28.6478898, 28.6478898] deg: they are one and the same. Make it a fixed"),
        ((math.inf, math.inf), "State -inf as the lowest or inf as the highest where it is open"),
        ((-math.inf, -math.inf), "State -inf as the lowest or inf as the highest"),
        ((math.inf, -math.inf), "State -inf as the lowest or inf as the highest"),
    ],
)
def test_limits_between_which_nothing_moves_are_named_with_what_to_do(limits, said):
    """And not as a start outside them."""
    found = only(with_joint(four_bar(), "A", limits=(limits,)), LimitsError)
    assert found.startswith("Joint 'A': turnZ cannot move between its limits [")
    assert said in found


def test_limits_along_an_axis_are_said_in_millimetres():
    said = only(hung(JointKind.CYLINDRICAL, limits=((-1.0, 1.0), (0.2, 0.1))), LimitsError)
    assert "moveZ cannot move between its limits [200, 100] mm" in said


def test_a_start_that_is_no_number_is_no_start_outside_its_limits():
    spoiled = with_joint(four_bar(), "A", limits=((-4.0, 4.0),), start=(math.nan,))
    assert "start[0]=nan is not a finite number" in only(spoiled, BadValueError)
    spoiled = with_joint(four_bar(), "A", limits=((math.nan, 4.0),))
    assert "limits[0][0]=nan is not a finite number" in only(spoiled, BadValueError)


def test_a_start_outside_says_by_how_much_even_where_both_round_to_one_number():
    near = with_joint(four_bar(), "A", limits=((-4.0, 0.7 - 1e-8),))
    assert "outside its limits [-229.183, 40.107] deg by 5.73e-07 deg" in only(
        near, StartOutsideLimitsError
    )


@pytest.mark.parametrize("limits", [(-4.0, 0.7 - 1e-15), (0.7 + 1e-15, 4.0)])
def test_a_start_at_its_limit_but_for_rounding_is_within(limits):
    assert faults_of(with_joint(four_bar(), "A", limits=(limits,))) == []


@pytest.mark.parametrize(
    ("kind", "count", "expected"), [(JointKind.CYLINDRICAL, 1, 2), (JointKind.FREE, 1, 4)]
)
def test_too_few_limits_are_a_fault_and_no_traceback(kind, count, expected):
    said = only(hung(kind, limits=((-1.0, 1.0),) * count), FormatError)
    assert f"has {expected} limits, not {count}" in said


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("damping", "0.1", "damping='0.1' is not a number"),
        ("damping", None, "damping=None is not a number"),
        ("damping", True, "damping=True is not a number"),
        ("limits", [(-1.0, 1.0)], "limits=a list of 1 is not a tuple"),
        ("limits", ((-1.0, 1.0, 2.0),), "limits[0]=(-1.0, 1.0, 2.0) is not a tuple of 2"),
        ("kind", "revolute", "kind='revolute' is not of type JointKind"),
        ("closes_loop", 1, "closes_loop=1 is not True or False"),
        ("parent", 3, "parent=3 is not a text"),
        ("start", (np.zeros(2),), "start[0]=[0. 0.] is not a number"),
    ],
)
def test_a_value_of_the_wrong_type_is_named(field, value, said):
    """JSON is checked as it is read; code can say anything."""
    assert only(with_joint(four_bar(), "A", **{field: value}), BadValueError).startswith(
        f"Joint 'A': {said}"
    )


def test_a_record_of_the_wrong_type_is_named():
    assert "inertia=3.0 is not of type Inertia" in only(
        with_body(four_bar(), "crank", 3.0), BadValueError
    )
    with pytest.raises(MechanismError, match="is not of type Mechanism"):
        raise faults_of("fourbar")[0]
