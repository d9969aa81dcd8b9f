"""What makes no sense to dynamics is refused by name, in every verb and every argument of it."""

import math
import warnings
from dataclasses import replace

import numpy as np
import pytest
from accuracy_figures.states import excavator_a

import robocompiler as rc
from linkages.drawing import Drawing, at, axis, driven_by
from linkages.planar import five_bar, four_bar_of
from robocompiler.errors import BadValueError, DuplicateNameError, UnknownNameError
from robocompiler.model.mechanism import WORLD
from robocompiler.solve.dynamics.parting import PartingError

COMPILED = rc.compile(driven_by(five_bar(), ["A", "E"]))
Q = rc.coordinates(COMPILED, rc.assemble(COMPILED))
U, U_DOT = np.array([0.3, -0.2]), np.array([0.1, 0.2])
BODY = COMPILED.mechanism.bodies[-1].name
TIP = rc.Task(name="tip", body=BODY)
SUPPORTS = rc.Supports(COMPILED, [TIP])

VERBS = {
    "inverse": (rc.inverse_dynamics, {"q": Q, "u": U, "u_dot": U_DOT, "weights": None}),
    "forward": (rc.forward_dynamics, {"q": Q, "u": U, "efforts": {"A": 1.0}}),
    "mixed": (
        rc.mixed_dynamics,
        {"q": Q, "u": U, "accelerations": {"A": 1.0}, "efforts": {}, "weights": None},
    ),
    "loads": (
        rc.joint_loads,
        {"q": Q, "u": U, "u_dot": U_DOT, "efforts": None, "weights": None},
    ),
    "power": (rc.power, {"q": Q, "u": U, "u_dot": U_DOT, "efforts": None}),
    "energy": (rc.energy, {"q": Q, "u": U}),
    "regressor": (rc.regressor, {"q": Q, "u": U, "u_dot": U_DOT}),
    "blow": (rc.momentum_consistent, {"q": Q, "v": np.zeros(COMPILED.nv)}),
    "equilibrium": (rc.static_equilibrium, {"near": None, "efforts": None, "held": ["A", "E"]}),
    "switch": (
        lambda compiled, **given: SUPPORTS.switch(**given),
        {"q": Q, "v": np.zeros(COMPILED.nv), "names": ["tip"]},
    ),
}
CONDITIONS = ("wrenches", "support", "independent", "ports", "gravity", "dry_friction")
SELECTION = {
    "metric": np.eye(2),
    **dict.fromkeys(("weights", "speeds", "limits", "inequalities", "preferred", "covector")),
    "bodies": (),
    "reduction": None,
}
NONSENSE = {
    "a number": 2.5,
    "NaN": math.nan,
    "text": "abc",
    "numbers as text": ["1", "2"],
    "ragged": [[1.0], [1.0, 2.0]],
    "three": [1.0, 2.0, "3"],
    "complex": np.array([1j, 2.0]),
    "not finite": np.array([math.nan, 0.0]),
    "infinite": np.array([0.0, math.inf]),
    "no states": np.zeros((0, 2)),
    "other batch": np.zeros((4, 3, 5)),
    "an unknown name": {"zz": 1.0},
    "a number as a name": {1: 2.0},
    "NaN of a name": {"A": math.nan},
    "text of a name": {"A": "x"},
    "batches of names": {"A": np.zeros(5), "E": np.zeros(3)},
    "None of a name": {"A": None},
    "five of six": {BODY: np.zeros(5)},
    "a configuration": rc.assemble(COMPILED),
    "a task": TIP,
    "objects": [object()],
    "a mechanism": COMPILED.mechanism,
}


def refused(verb, given, parameter, nonsense):
    """Whether an argument is refused by name; nothing else may come of it, nor a warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            verb(compiled=COMPILED, **{**given, parameter: nonsense})
        except rc.MechanismError:
            return True
    return False


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("nonsense", NONSENSE)
def test_nonsense_is_refused_in_every_argument(verb, nonsense):
    call, given = VERBS[verb]
    own = CONDITIONS if verb != "equilibrium" else (*CONDITIONS, "near")
    for parameter in dict.fromkeys((*given, *own)):
        known = nonsense == "a configuration" and parameter == "near"
        assert refused(call, given, parameter, NONSENSE[nonsense]) != known, parameter


@pytest.mark.parametrize("nonsense", NONSENSE)
def test_nonsense_is_refused_in_every_argument_of_selecting_a_velocity(nonsense):
    for parameter in SELECTION:
        given = {"q": Q, **SELECTION}
        assert refused(rc.select_velocity, given, parameter, NONSENSE[nonsense]), parameter


@pytest.mark.parametrize("verb", VERBS)
def test_a_misspelt_keyword_is_refused_with_the_one_that_is_meant(verb):
    call, given = VERBS[verb]
    with pytest.raises(UnknownNameError, match=r"no keyword 'gravty'\. Did you mean 'gravity'"):
        call(compiled=COMPILED, gravty=(0.0, 0.0, 0.0), **given)


@pytest.mark.parametrize("verb", [name for name in VERBS if name != "switch"])
def test_a_mechanism_that_is_not_compiled_is_refused_with_how_to(verb):
    call, given = VERBS[verb]
    with pytest.raises(BadValueError, match=r"`rc.compile\(mechanism\)` makes one"):
        call(compiled=COMPILED.mechanism, **given)


def test_all_that_is_wrong_with_conditions_is_said_at_once():
    given = {"wrenches": [1.0], "dry_friction": "yes", "ports": ("A",), "supports": ()}
    with pytest.raises(rc.SeveralFaultsError) as caught:
        rc.energy(COMPILED, Q, U, **given)
    assert len(caught.value.faults) == 4
    assert "Did you mean 'support'?" in str(caught.value)


def test_an_array_of_another_length_is_refused_with_the_order_of_its_entries():
    with pytest.raises(BadValueError, match=r"\(…, 2\), for each of: A, E"):
        rc.energy(COMPILED, Q, np.zeros(3))


def test_one_text_is_no_sequence_of_names():
    """It would be read letter by letter."""
    with pytest.raises(BadValueError, match=r"a sequence of names: \['AE'\]"):
        rc.energy(COMPILED, Q, U, independent="AE")
    with pytest.raises(BadValueError, match="a sequence of names"):
        SUPPORTS.of("tip")


def test_supports_are_named_by_their_names_alone():
    with pytest.raises(BadValueError, match="`names` says it"):
        SUPPORTS.reduced(Q, ["tip"], support=[TIP])


def test_ports_of_one_name_and_of_another_mechanism_are_refused():
    ports = rc.reduced_dynamics(COMPILED, Q, U).ports
    with pytest.raises(DuplicateNameError, match="Two ports are called 'A'"):
        rc.energy(COMPILED, Q, U, ports=(ports[0], ports[0]))
    pendulum = Drawing("pendulum")
    pendulum.body("arm")
    pendulum.revolute("A", (WORLD, "arm"), at())
    compiled = rc.compile(pendulum.mechanism())
    with pytest.raises(BadValueError, match="ports=that of 'E' is not on speeds of this"):
        rc.energy(compiled, [0.0], [0.0], ports=ports[1:])


def test_a_partition_of_another_mechanism_is_refused_whatever_its_size():
    """Four-bars and five-bars have as many rows; what followed was no motion of either."""
    four = rc.compile(driven_by(four_bar_of(crank=0.7), ["A"]))
    q = rc.coordinates(four, rc.assemble(four))
    one, two = rc.reduce(four, q).partition, rc.reduce(COMPILED, Q).partition
    for compiled, where, u, other in ((COMPILED, Q, [0.0], one), (four, q, U, two)):
        with pytest.raises(BadValueError, match="one of this mechanism"):
            rc.energy(compiled, where, u, independent=other)


@pytest.mark.parametrize("batch", ["u", "u_dot", "efforts", "named efforts", "wrenches"])
def test_a_batch_of_any_one_argument_is_as_good_as_one_of_all(batch):
    random = np.random.default_rng(3)
    many, wrench = random.normal(size=(3, 2)), random.normal(size=(3, 6))
    efforts = {"A": many[:, 0]} if batch == "named efforts" else many
    rows = {"A": many[0, 0]} if batch == "named efforts" else many[0]
    given = {"u": U, "u_dot": U_DOT, "efforts": None, "wrenches": {}}
    name = "efforts" if "efforts" in batch else batch
    given[name] = {"efforts": efforts, "wrenches": {BODY: wrench}}.get(name, many)
    one = given | {name: {"efforts": rows, "wrenches": {BODY: wrench[0]}}.get(name, many[0])}
    loads, power = (verb(COMPILED, Q, **given) for verb in (rc.joint_loads, rc.power))
    np.testing.assert_allclose(
        loads.wrenches[0], rc.joint_loads(COMPILED, Q, **one).wrenches, atol=1e-12
    )
    np.testing.assert_allclose(power.stored[0], rc.power(COMPILED, Q, **one).stored, atol=1e-12)
    assert loads.wrenches.shape == (3, 5, 6)


def flat_four_bar():
    """Its bars on one line, where it can begin to move in two ways."""
    drawing = Drawing("flat")
    for name, x in {"left": 0.0, "middle": 1.0, "right": 3.0}.items():
        drawing.body(name, at(x))
    drawing.revolute("A", (WORLD, "left"), at())
    drawing.revolute("B", ("left", "middle"), at(1.0))
    drawing.revolute("C", ("middle", "right"), at(3.0))
    drawing.revolute("D", (WORLD, "right"), at(2.0))
    return driven_by(drawing.mechanism(), ["A"])


def test_speeds_that_no_acceleration_keeps_closed_are_refused_with_the_loop():
    """Bars of 1, 2 and 1 on a ground of 2: ω_A + 2 ω_B = ω_D, and ω_A² + 2 ω_B² = ω_D² along the
    line. So it goes on as a parallelogram, ω_D = ω_A, or crossed, ω_D = -3 ω_A, and not otherwise.
    """
    compiled = rc.compile(flat_four_bar())
    q = rc.coordinates(compiled, rc.assemble(compiled))
    assert rc.reduce(compiled, q).names == ("A", "D")
    for u in ([1.0, 0.0], [0.0, 1.0], [1.0, -1.0]):
        with pytest.raises(PartingError, match=r"Loop '\w' is singular") as caught:
            rc.inverse_dynamics(compiled, q, u, [0.0, 0.0])
        opens = u[0] ** 2 + (u[1] - u[0]) ** 2 / 2.0 - u[1] ** 2
        assert caught.value.apart == pytest.approx(abs(opens))
        assert caught.value.joints == ("A", "D")
    for u in ([0.0, 0.0], [1.0, 1.0], [1.0, -3.0]):
        assert rc.forward_dynamics(compiled, q, u, {}).u_dot.shape == (2,)


def test_rows_across_the_plane_of_a_loop_do_not_part_by_rounding():
    """Their columns are rounding alone, and so is what they accelerate."""
    for state in excavator_a(8):
        given = (state.compiled, state.q, state.u, state.efforts)
        found = rc.forward_dynamics(*given, independent=state.independent)
        assert np.all(np.isfinite(found.u_dot))


def braced():
    drawing = Drawing("braced")
    drawing.body("left")
    drawing.body("right", at(1.0))
    drawing.revolute("A", (WORLD, "left"), at())
    drawing.revolute("B", (WORLD, "right"), at(1.0))
    drawing.revolute("C", ("left", "right"), at(0.5, 1.0))
    return drawing.mechanism()


def welded():
    drawing = Drawing("welded")
    drawing.body("plinth")
    drawing.joint("weld", rc.JointKind.FIXED, (WORLD, "plinth"), at())
    return drawing.mechanism()


@pytest.mark.parametrize("made", [braced, welded, lambda: rc.Mechanism(name="nothing")])
def test_what_cannot_move_has_dynamics_too(made):
    compiled = rc.compile(made())
    q, none = rc.coordinates(compiled, rc.assemble(compiled)), np.zeros(0)
    for where in (q, np.tile(q, (2, 1))):
        none = np.zeros((*where.shape[:-1], 0))
        found = rc.inverse_dynamics(compiled, where, none, none)
        assert found.efforts.shape == none.shape
        assert found.undriven == ()
        assert rc.forward_dynamics(compiled, where, none, {}).u_dot.shape == none.shape
        assert rc.mixed_dynamics(compiled, where, none).u_dot.shape == none.shape
        assert np.all(rc.power(compiled, where, none, none).balance == 0.0)
        assert len(rc.joint_loads(compiled, where, none, none).names) == len(compiled.joints)
        assert rc.base_parameters(rc.regressor(compiled, where, none, none)).names == ()
    assert rc.static_equilibrium(compiled, q).names == ()


def test_the_load_of_what_cannot_move_is_its_weight():
    mechanism = braced()
    compiled = rc.compile(mechanism)
    q = rc.coordinates(compiled, rc.assemble(compiled))
    found = rc.joint_loads(compiled, q, [], [], gravity=(0.0, -9.81, 0.0))
    weight = 9.81 * sum(body.inertia.mass for body in mechanism.bodies)
    assert found.of("A")[1] + found.of("B")[1] == pytest.approx(weight, rel=1e-12)


def test_a_support_of_an_unknown_body_is_refused_by_its_own_name():
    tasks = [replace(TIP, name="a", body="nobody"), replace(TIP, name="b", body=WORLD)]
    with pytest.raises(rc.SeveralFaultsError) as caught:
        rc.energy(COMPILED, Q, U, support=tasks)
    said = [str(fault) for fault in caught.value.faults]
    assert any("Task 'a': there is no body 'nobody'" in one for one in said)
    assert not any("place" in one for one in said)


def test_an_effort_is_asked_for_by_the_name_of_a_port():
    found = rc.inverse_dynamics(COMPILED, Q, U, U_DOT)
    with pytest.raises(UnknownNameError, match="no port 'Z'"):
        found.of("Z")
    with pytest.raises(BadValueError, match="a body that moves"):
        rc.energy(COMPILED, Q, U, wrenches={WORLD: np.zeros(6)})


def test_what_is_no_regressor_has_no_base_parameters():
    with pytest.raises(BadValueError, match=r"what `rc.regressor` returns"):
        rc.base_parameters(axis((0, 0, 0), (0, 0, 1)))
