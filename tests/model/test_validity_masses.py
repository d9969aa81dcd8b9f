import math
from dataclasses import replace

import mujoco
import numpy as np
import pytest
from spoiled import only, welded, with_body, with_frame

import robocompiler as rc
from mechanisms import bar, four_bar
from robocompiler.errors import BadValueError, InertiaError, MassError
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import WORLD, Body, Frame, Inertia, Joint
from robocompiler.model.validity import faults_of

POINT = Inertia(mass=1.0)
ROD = Inertia(mass=1.0, moments=(0.0, 0.1, 0.1))


def test_a_moving_body_without_mass_is_named():
    assert "'crank' has no mass" in only(with_body(four_bar(), "crank", None), MassError)
    massless = with_body(four_bar(), "crank", Inertia(mass=0.0))
    assert "'crank' has a mass of 0 kg" in only(massless, MassError)


def test_a_negative_mass_is_named_wherever_it_is():
    said = only(with_body(four_bar(), "ground", Inertia(mass=-2.0)), MassError)
    assert "'ground' has a mass of -2 kg" in said


def test_a_massless_body_may_be_welded_to_one_that_weighs():
    mechanism = four_bar()
    flange = replace(
        mechanism,
        bodies=(*mechanism.bodies, Body(name="flange")),
        frames=(*mechanism.frames, Frame(name="flange.o", body="flange")),
        joints=(
            *mechanism.joints,
            Joint(name="w", kind=JointKind.FIXED, parent="crank.B", child="flange.o"),
        ),
    )
    assert faults_of(flange) == []


def test_an_inertia_off_the_triangle_inequality_is_named_with_its_moments():
    stick = Inertia(mass=1.0, moments=(0.01, 1e-9, 1e-9))
    said = only(with_body(four_bar(), "rocker", stick), InertiaError)
    assert "'rocker'" in said
    assert "1e-09, 1e-09, 0.01" in said
    assert "1e-09 + 1e-09 ≥ 0.01 fails" in said


def test_the_triangle_is_judged_by_principal_moments_not_by_the_diagonal():
    """This diagonal obeys it; the principal moments are 1, 2 and 4."""
    turned = Inertia(mass=1.0, moments=(2.5, 2.5, 2.0), products=(1.5, 0.0, 0.0))
    assert "1, 2, 4" in only(with_body(four_bar(), "rocker", turned), InertiaError)


def test_a_flat_plate_is_on_the_edge_of_the_triangle_and_allowed():
    plate = Inertia(mass=1.0, moments=(0.1, 0.2, 0.1 + 0.2 + 1e-9))
    assert faults_of(with_body(four_bar(), "rocker", plate)) == []


def test_a_point_mass_that_moves_alone_is_refused_as_what_it_is():
    said = only(with_body(four_bar(), "crank", POINT), InertiaError)
    assert said == (
        "Body 'crank' is a point mass: its moments of inertia are 0, and a body that moves needs "
        "positive ones. State its `inertia` (kg m²), or weld it to a body that has one."
    )


@pytest.mark.parametrize("inertia", [POINT, ROD])
def test_a_point_mass_or_a_bare_rod_may_be_welded_to_a_body_with_inertia(inertia, tmp_path):
    """USER_REPORTS R28. MuJoCo then has the crank's inertia and that of the mass at its end."""
    mechanism = welded(four_bar(), "ballast", inertia)
    assert faults_of(mechanism) == []
    rc.write(rc.compile(mechanism), tmp_path / "m.xml")
    crank = mujoco.MjModel.from_xml_path(str(tmp_path / "m.xml")).body("crank")
    own = bar(0.1, 0.1)
    apart = 0.1 / 2.0  # the crank's centre from its end
    across = own.moments[1] + inertia.moments[1] + 0.1 * 1.0 / 1.1 * apart**2
    assert crank.mass[0] == pytest.approx(1.1)
    assert sorted(crank.inertia) == pytest.approx([own.moments[0], across, across])


def test_a_point_mass_may_be_welded_to_the_world(tmp_path):
    mechanism = welded(four_bar(), "anchor", POINT, parent="ground.D")
    assert faults_of(mechanism) == []
    rc.write(rc.compile(mechanism), tmp_path / "m.xml")
    mujoco.MjModel.from_xml_path(str(tmp_path / "m.xml"))


def test_the_world_alone_may_hold_nothing_but_a_point_mass(tmp_path):
    mechanism = rc.Mechanism(
        name="anchor",
        bodies=(Body(name="anchor", inertia=POINT),),
        frames=(Frame(name="w", body=WORLD), Frame(name="a", body="anchor")),
        joints=(Joint(name="weld", kind=JointKind.FIXED, parent="w", child="a"),),
    )
    assert faults_of(mechanism) == []


def test_point_masses_on_one_line_have_no_inertia_about_it_and_are_named():
    mechanism = with_body(four_bar(), "crank", POINT)
    said = only(welded(mechanism, "ballast", POINT), InertiaError)
    assert "Body 'crank', with 'ballast' welded to it: the principal moments of inertia 0, " in said
    assert "0 > 0 fails" in said


def test_point_masses_at_three_corners_have_inertia_about_every_axis():
    mechanism = welded(with_body(four_bar(), "crank", POINT), "ballast", POINT)
    third = welded(mechanism, "third", POINT, position=(0.0, 0.1, 0.0))
    assert faults_of(third) == []


def test_rods_across_each_other_have_inertia_about_every_axis():
    """Wherever they are: a quarter turn about z lays the second along the first one's y."""
    mechanism = with_body(four_bar(), "crank", ROD)
    turned = (math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5))
    assert faults_of(welded(mechanism, "across", ROD, rotation=turned)) == []
    assert "0 > 0 fails" in only(welded(mechanism, "along", ROD), InertiaError)


def test_an_inertia_no_body_can_have_is_refused_however_it_is_held():
    stick = Inertia(mass=1.0, moments=(0.01, 1e-9, 1e-9))
    assert "'stick'" in only(welded(four_bar(), "stick", stick), InertiaError)
    assert "'ground'" in only(with_body(four_bar(), "ground", stick), InertiaError)


def test_moments_without_a_mass_are_refused():
    said = only(
        welded(four_bar(), "ghost", Inertia(mass=0.0, moments=(1.0, 1.0, 1.0))), BadValueError
    )
    assert said.startswith("Body 'ghost': inertia.moments=(1, 1, 1) is not 0, as that of a body")


def test_a_group_is_not_judged_by_a_frame_that_is_no_place():
    mechanism = welded(with_body(four_bar(), "crank", POINT), "ballast", POINT)
    assert "ballast.o" in only(
        with_frame(mechanism, "ballast.o", position=(np.nan, 0, 0)), BadValueError
    )
