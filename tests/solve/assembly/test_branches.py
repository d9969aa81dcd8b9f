"""All the ways to assemble a mechanism, against those that are known."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

from linkages.many_loops import chain_crank, module_chain
from linkages.planar import GRASHOF, four_bar_of, four_bar_solution, slider_crank, slider_solution
from linkages.planar_parallel import three_rpr, three_rpr_assemblies
from robocompiler.compiler.compile import compile_mechanism
from robocompiler.errors import BadValueError, OverdeterminedError
from robocompiler.solve.assembly.branches import branches
from robocompiler.solve.describe import coordinates, describe


def wrapped(angle):
    return math.remainder(angle, 2 * math.pi)


@pytest.mark.parametrize("name", ["crank-rocker", "double-crank", "rocker-crank"])
@pytest.mark.parametrize("branch", [1, -1])
def test_a_four_bar_has_two_assemblies_and_these_are_all(name, branch):
    compiled = compile_mechanism(four_bar_of(GRASHOF[name], 1.2, branch))
    found = branches(compiled, {"A": 1.5}, starts=32)
    rockers = sorted(wrapped(c.of("D")[0]) for c in found.configurations)
    exact = sorted(four_bar_solution(GRASHOF[name], 1.5, b)[1] for b in (1, -1))
    np.testing.assert_allclose(rockers, exact, atol=1e-12)
    assert found.complete
    assert all(c.of("A") == (1.5,) for c in found.configurations)
    first = wrapped(found.configurations[0].of("D")[0])
    assert first == pytest.approx(four_bar_solution(GRASHOF[name], 1.5, branch)[1], abs=1e-12)


def test_a_slider_crank_has_two_assemblies_and_these_are_all():
    found = branches(compile_mechanism(slider_crank()), starts=32)
    places = sorted(c.of("S")[0] for c in found.configurations)
    exact = sorted(slider_solution(0.1, 0.3, 0.02, 0.7, b)[1] for b in (1, -1))
    np.testing.assert_allclose(places, exact, atol=1e-13)
    assert found.complete


def test_the_six_assemblies_of_a_3_rpr_are_found_and_not_claimed_to_be_all():
    compiled = compile_mechanism(three_rpr())
    found = branches(compiled, starts=128)
    assert len(found.configurations) == len(three_rpr_assemblies()) == 6
    assert not found.complete
    assert set(found.held) == {"P 0", "P 1", "P 2"}
    assert "there may be more" in found.tried
    assert found.starts >= 128
    assert max(g.gap for c in found.configurations for g in c.gaps) < 1e-13
    again = branches(compiled, starts=128)
    assert again.configurations == found.configurations


def test_assemblies_beyond_a_limit_are_left_out_and_counted():
    mechanism = slider_crank()
    joints = tuple(
        replace(j, limits=((0.0, 1.0),)) if j.name == "S" else j for j in mechanism.joints
    )
    found = branches(compile_mechanism(replace(mechanism, joints=joints)), starts=32)
    assert (len(found.configurations), found.beyond_limits) == (1, 1)


def test_values_out_of_reach_leave_no_assembly_and_no_claim():
    compiled = compile_mechanism(four_bar_of(GRASHOF["rocker-crank"], 1.2))
    found = branches(compiled, {"A": 3.0}, starts=16)
    assert found.configurations == ()
    assert not found.complete


def test_more_values_than_freedoms_are_refused():
    compiled = compile_mechanism(four_bar_of())
    with pytest.raises(OverdeterminedError):
        branches(compiled, {"A": 0.7, "D": 1.0})


def test_not_all_combinations_of_many_loops_are_given_and_that_is_said(monkeypatch):
    """Three four-bars of two assemblies each: eight ways."""
    told = []
    compiled = compile_mechanism(module_chain(3))

    def find():
        return branches(compiled, starts=1, progress=lambda *done: told.append(done))

    every = find()
    assert told == [(1, 3), (2, 3), (3, 3)]
    assert every.complete
    assert len(every.configurations) == 8
    monkeypatch.setattr("robocompiler.solve.assembly.branches.MOST", 7)
    most = find()
    assert most.configurations == every.configurations[:7]
    assert not most.complete
    assert most.tried.endswith("of their 8 combinations only 7 are given")


@pytest.mark.parametrize("starts", [0, -1, 2.5])
def test_no_starts_are_refused(starts):
    with pytest.raises(BadValueError, match="starts"):
        branches(compile_mechanism(four_bar_of()), starts=starts)


def test_every_combination_of_modules_is_the_closed_form_and_as_the_whole_describes_it():
    compiled = compile_mechanism(module_chain(3))
    found = branches(compiled, starts=8).configurations
    rockers = {tuple(wrapped(c.of(f"{k:03d}.D")[0]) for k in range(3)) for c in found}
    ways = itertools.product((1, -1), repeat=3)
    bars = GRASHOF["crank-rocker"]
    exact = [[four_bar_solution(bars, chain_crank(k), b)[1] for k, b in enumerate(w)] for w in ways]
    np.testing.assert_allclose(sorted(rockers), sorted(exact), atol=1e-12)
    drawn = {closure.name: (0.0, 0.0) for closure in compiled.closures}
    for one in found:
        whole = describe(compiled, coordinates(compiled, one), drawn)
        assert [n for n, _ in one.values] == [n for n, _ in whole.values]
        assert [n for n, _ in one.moved] == [n for n, _ in whole.moved]
        assert [g.closure for g in one.gaps] == [g.closure for g in whole.gaps]
        for name, value in whole.values:
            assert one.of(name) == pytest.approx(value, abs=1e-12)
    assert found[0].moved == ()
    assert len(found[-1].moved) > 3


def test_an_assembly_is_described_once_whatever_its_combinations(monkeypatch):
    """Ten four-bars: 1024 combinations of 20 assemblies."""
    asked = []

    def counted(*given):
        asked.append(given)
        return describe(*given)

    monkeypatch.setattr("robocompiler.solve.assembly.branches.describe", counted)
    assert len(branches(compile_mechanism(module_chain(10)), starts=1).configurations) == 1024
    assert len(asked) == 1 + 20


def test_mirrored_starts_are_bounded(monkeypatch):
    monkeypatch.setattr("robocompiler.solve.assembly.branch_search.MIRRORED", 5)
    assert branches(compile_mechanism(three_rpr()), starts=64).starts == 1 + 64 + 5
