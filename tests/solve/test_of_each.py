"""Functions of one state, of each of several."""

import numpy as np
import pytest

import robocompiler as rc
from linkages.drawing import driven_by
from linkages.planar import five_bar
from robocompiler.errors import SampleError, SeveralFaultsError

COMPILED = rc.compile(driven_by(five_bar(), ["A", "E"]))
Q = rc.coordinates(COMPILED, rc.assemble(COMPILED))
UNIT = {"A": 1.0, "E": 1.0}


def test_each_sample_is_what_it_is_alone_whatever_the_others_are():
    wanted = [{"speeds": {"A": speed}} for speed in (0.1, -0.4, 2.0)]
    common = {"compiled": COMPILED, "q": Q, "weights": UNIT}
    found = rc.of_each(rc.select_velocity, wanted, **common)
    for own, given in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(own.u, rc.select_velocity(**common, **given).u)
    ways = [{"efforts": np.array([x, 0.0])} for x in (0.0, 1.0)]
    run = {"compiled": COMPILED, "q": Q, "u": np.zeros(2), "duration": 0.01, "timestep": 1e-3}
    led = rc.of_each(rc.integrate, ways, emitter="python", **run)
    assert led[1].u[-1, 0] != led[0].u[-1, 0]


def test_all_samples_that_fail_are_said_each_with_its_number():
    samples = [{"held": ["A", "E"]}, {"held": ["nothing"]}, {"held": ["A", "E"], "near": Q[:2]}]
    with pytest.raises(SeveralFaultsError) as caught:
        rc.of_each(rc.static_equilibrium, samples, compiled=COMPILED)
    assert [fault.sample for fault in caught.value.faults] == [1, 2]
    assert all(isinstance(fault, SampleError) for fault in caught.value.faults)


@pytest.mark.parametrize("samples", ["ab", 3, [1.0], {"near": Q}])
def test_what_is_no_sequence_of_arguments_is_refused(samples):
    with pytest.raises(rc.MechanismError, match="samples"):
        rc.of_each(rc.static_equilibrium, samples, compiled=COMPILED)
