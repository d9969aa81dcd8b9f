"""However a mechanism says what drives it, by efforts, rotors or actuators, it is treated alike."""

from dataclasses import replace

import pytest

from linkages.drawing import Drawing, at
from linkages.planar import five_bar
from linkages.stewart import stewart
from mechanisms import four_bar
from robocompiler.compiler.compile import compile_mechanism
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import WORLD, Actuator, Transmission
from robocompiler.solve.assembly.assemble import assemble
from robocompiler.solve.continuation.holding import held_speeds
from robocompiler.solve.describe import coordinates
from robocompiler.solve.mobility.mobility import mobility_at
from robocompiler.solve.reduction.partition import choose_partition
from robocompiler.solve.system import systems_of

WAYS = ("armature", "actuator", "actuators")


def said(mechanism, way):
    """The same mechanism, what its joints' efforts say said in another way."""
    driven = [joint.name for joint in mechanism.joints if joint.effort is not None]
    joints = [replace(joint, effort=None) for joint in mechanism.joints]
    if way == "armature":
        joints = [replace(j, armature=0.1 if j.name in driven else 0.0) for j in joints]
        return replace(mechanism, joints=tuple(joints))
    moved = [Transmission(coordinate=name, ratio=2.0) for name in driven]
    groups = [(one,) for one in moved] if way == "actuators" else [tuple(moved)]
    motors = tuple(
        Actuator(name=f"motor {i}", transmissions=group) for i, group in enumerate(groups)
    )
    return replace(mechanism, joints=tuple(joints), actuators=motors)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", ["stewart", "five_bar", "four_bar", "rocker"])
def test_cuts_independent_speeds_and_what_is_held_are_those_of_efforts(name, way):
    mechanism = {
        "stewart": stewart,
        "five_bar": five_bar,
        "rocker": lambda: four_bar(joint={"D": {"effort": 1.0}}),
        "four_bar": lambda: four_bar(joint={"C": {"effort": 1.0}}),
    }[name]()
    found = []
    for told in (mechanism, said(mechanism, way)):
        compiled = compile_mechanism(told)
        q = coordinates(compiled, assemble(compiled))
        found.append(
            (
                [(c.chord.joint.name, c.reason) for c in compiled.closures],
                compiled.actuated,
                choose_partition(compiled, q).independent,
                [held_speeds(part, q[part.coordinates], {}) for part in systems_of(compiled)],
                mobility_at(compiled, q),
            )
        )
    assert found[0] == found[1]
    bare = compile_mechanism(replace(said(mechanism, "actuator"), actuators=()))
    assert bare.actuated == frozenset()


@pytest.mark.parametrize("way", WAYS)
def test_a_shaft_that_something_drives_does_not_idle(way):
    """As `test_a_shaft_in_two_bearings_idles_unless_something_drives_it` has it."""
    drawing = Drawing("shaft")
    drawing.body("shaft")
    drawing.revolute("front", (WORLD, "shaft"), at(0.0), effort=1.0)
    drawing.revolute("back", (WORLD, "shaft"), at(0.0, 0.0, 0.3))
    compiled = compile_mechanism(said(drawing.mechanism(), way))
    assert mobility_at(compiled, coordinates(compiled, assemble(compiled))).idle == ()


def test_of_a_joint_with_several_coordinates_those_are_actuated_that_are_moved():
    """A pen that turns and slides, whose slide alone has a motor: the joint stays whole, and the
    slide is the one that is independent."""
    mechanism = four_bar(kinds={"B": JointKind.CYLINDRICAL, "C": JointKind.CYLINDRICAL})
    motor = Actuator(name="m", transmissions=(Transmission(coordinate="C/moveZ"),))
    compiled = compile_mechanism(replace(mechanism, actuators=(motor,)))
    pen = compiled.tree_joint("C")
    assert compiled.actuated == {pen.v.start + 1}
    q = coordinates(compiled, assemble(compiled))
    assert choose_partition(compiled, q).independent[0] == pen.v.start + 1
