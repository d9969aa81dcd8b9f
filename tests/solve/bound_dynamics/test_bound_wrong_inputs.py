"""What makes no sense to generated dynamics is refused by name before anything is generated."""

import numpy as np
import pytest

import robocompiler as rc
from linkages.drawing import driven_by
from linkages.planar import five_bar

COMPILED = rc.compile(driven_by(five_bar(), ["A", "E"]))
Q = rc.coordinates(COMPILED, rc.assemble(COMPILED))
BODY = COMPILED.mechanism.bodies[-1].name
NONSENSE = {
    "a number": 2.5,
    "text": "abc",
    "a set": {"A"},
    "numbers": [1.0, 2.0],
    "None among them": [None],
    "not a name of anything": ["nothing"],
}
ARGUMENTS = ("independent", "ports", "loads", "support")


@pytest.mark.parametrize("argument", ARGUMENTS)
@pytest.mark.parametrize("what", NONSENSE)
def test_nonsense_in_an_argument_is_said_to_be_none(argument, what):
    with pytest.raises(rc.MechanismError):
        rc.bind_dynamics(COMPILED, emitter="python", **{argument: NONSENSE[what]})


def test_what_is_not_compiled_has_no_dynamics():
    with pytest.raises(rc.MechanismError, match="compile"):
        rc.bind_dynamics(five_bar())


def test_a_load_is_named_once():
    with pytest.raises(rc.MechanismError, match=BODY):
        rc.bind_dynamics(COMPILED, loads=[BODY, BODY], emitter="python")


def test_ports_of_another_mechanism_are_refused_by_name():
    stray = rc.Port(name="stray", tree=((COMPILED.nv, 1.0),))
    with pytest.raises(rc.MechanismError, match="stray"):
        rc.bind_dynamics(COMPILED, ports=[stray], emitter="python")


@pytest.mark.parametrize("what", ["abc", {"A": 1.0}, [[1.0], [1.0, 2.0]], [1j, 0.0], [np.nan, 0.0]])
def test_derivatives_of_no_numbers_are_refused(what):
    for given in ({"u": what, "efforts": [0.0, 0.0]}, {"u": [0.0, 0.0], "efforts": what}):
        with pytest.raises(rc.MechanismError):
            rc.dynamics_derivatives(COMPILED, Q, **given)
