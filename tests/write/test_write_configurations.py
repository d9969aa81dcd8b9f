"""Where a mechanism stands when it is written."""

from dataclasses import replace

import mujoco
import numpy as np
import pytest

import robocompiler as rc
from mechanisms import four_bar, four_bar_angles
from robocompiler.errors import (
    BadValueError,
    ClosureError,
    CouplingError,
    UnknownNameError,
)


@pytest.mark.parametrize("missing", "ABCD")
def test_a_configuration_without_a_joint_is_refused_even_if_that_joint_is_cut(tmp_path, missing):
    compiled = rc.compile(four_bar())
    whole = rc.assemble(compiled)
    part = replace(whole, values=tuple(v for v in whole.values if v[0] != missing))
    with pytest.raises(UnknownNameError, match=f"no value of joint '{missing}'"):
        rc.write(compiled, tmp_path / "m.xml", part)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("value", [(1.0, 2.0), (), (float("nan"),)])
def test_a_configuration_of_other_numbers_is_refused(tmp_path, value):
    compiled = rc.compile(four_bar())
    whole = rc.assemble(compiled)
    odd = replace(whole, values=tuple((n, value if n == "B" else v) for n, v in whole.values))
    with pytest.raises(BadValueError, match=r"The configuration: B=.* is not 1 finite"):
        rc.write(compiled, tmp_path / "m.xml", odd)


def test_an_open_configuration_is_refused_and_a_rounded_one_closed_again(tmp_path):
    compiled = rc.compile(four_bar())
    whole = rc.assemble(compiled)
    opened = replace(
        whole, values=tuple((n, (v[0] + 0.1,) if n == "B" else v) for n, v in whole.values)
    )
    with pytest.raises(ClosureError, match="Loop 'C'"):
        rc.write(compiled, tmp_path / "m.xml", opened)
    assert list(tmp_path.iterdir()) == []
    rounded = replace(whole, values=tuple((n, (round(v[0], 5),)) for n, v in whole.values))
    result = rc.write(compiled, tmp_path / "m.xml", rounded)
    assert result.warnings == ()
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "m.xml"))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    assert data.joint("A").qpos[0] == pytest.approx(0.7, abs=1e-5)
    site = [data.site(f"C/{side}").xpos for side in ("parent", "child")]
    np.testing.assert_allclose(site[0], site[1], atol=1e-15)


def test_a_configuration_off_its_coupling_is_refused(tmp_path):
    offset = four_bar_angles(0.7)[1] - 0.5 * 0.7
    gear = rc.Coupling.gear(name="gear", leader="A", follower="D", ratio=0.5, offset=offset)
    compiled = rc.compile(replace(four_bar(), couplings=(gear,)))
    apart = rc.assemble(rc.compile(four_bar()), {"A": 0.8})
    with pytest.raises(CouplingError, match="Coupling 'gear' is off by"):
        rc.write(compiled, tmp_path / "m.xml", apart)


@pytest.mark.parametrize("cuttable", [None, {rc.JointKind.REVOLUTE}, {rc.JointKind.BALL}])
def test_what_was_compiled_with_other_cuts_runs_as_it_was_written(tmp_path, cuttable):
    """Ball B is what MJCF alone would cut; the file says which joint was."""
    compiled = rc.compile(four_bar(kinds={"B": rc.JointKind.BALL}), cuttable)
    rc.write(compiled, tmp_path / "m.xml")
    (closure,) = compiled.closures
    after = rc.simulate(tmp_path / "m.xml", duration=0.01)["after"]
    assert list(after["closures"]) == [closure.name]
    assert set(after["joints"]) == set("ABCD")


def test_what_rounded_axes_leave_open_is_said_by_how_much(tmp_path):
    mechanism = four_bar()
    tilted = (np.cos(5e-7), np.sin(5e-7), 0.0, 0.0)
    frames = tuple(
        replace(f, rotation=tilted) if f.name == "coupler.C" else f for f in mechanism.frames
    )
    result = rc.write(rc.compile(replace(mechanism, frames=frames)), tmp_path / "m.xml")
    assert any("loop 'C' closes only to" in warning for warning in result.warnings)
    assert rc.write(rc.compile(mechanism), tmp_path / "m.xml").warnings == ()


def test_a_start_that_closing_moves_by_more_than_rounding_is_said(tmp_path):
    """The coupler drawn 0.3° off, 0.2 mm at its end: within tolerance, and worth a word."""
    mechanism = four_bar()
    joints = tuple(
        replace(j, start=(j.start[0] + np.radians(0.3),)) if j.name == "B" else j
        for j in mechanism.joints
    )
    off = rc.compile(replace(mechanism, joints=joints))
    tolerant = replace(
        off.mechanism,
        joints=tuple(
            replace(j, closure_tolerance=(0.005, 0.01)) if j.name == "C" else j
            for j in off.mechanism.joints
        ),
    )
    result = rc.write(rc.compile(tolerant), tmp_path / "m.xml")
    said = "joint 'B' starts 0.3° from where it is drawn"
    assert any(warning.startswith(said) for warning in result.warnings)
