"""What others' converters make of our MJCF and our URDF, against our USD, property by property.

Each difference is one of those explained here, or a fault; one of no use fails too.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest
from comparing import Difference, differences
from truth import EXAMPLES, EXPORTS, truth

from robocompiler.write.links import axis_names, axis_values
from usd_moving import moved
from usd_reading import read_stage
from usd_records import ReadStage

mujoco_usd_converter = pytest.importorskip("mujoco_usd_converter")
urdf_usd_converter = pytest.importorskip("urdf_usd_converter")

Applies = Callable[[Difference, ReadStage, ReadStage], bool]


@dataclass(frozen=True)
class Explanation:
    """Why two stages may differ in a property of some things."""

    of: tuple[str, ...]
    why: str
    applies: Applies


def explained(of: str, why: str, applies: Applies = lambda *_: True) -> Explanation:
    """An explanation of differences in some properties, separated by commas."""
    return Explanation(tuple(of.split(", ")), why, applies)


def is_closure(difference, ours, theirs):
    return difference.where in ours.closures()


def is_ball(difference, ours, theirs):
    return ours.joints[difference.where].kind == "Spherical"


def is_of_a_ball(difference, ours, theirs):
    """A ball, or one of the hinges that it is on the other stage, or a link between them."""
    name = difference.where.partition("_rotation.")[0]
    either = [stage.joints[name] for stage in (ours, theirs) if name in stage.joints]
    return any(joint.kind == "Spherical" for joint in either)


def is_of_a_cross(difference, ours, theirs):
    """A universal joint of ours, or one of the hinges that it is in theirs."""
    own = ours.joints.get(re.sub("_turn[XYZ]$", "", difference.where))
    return own is not None and own.kind == ""


def is_between_axes(difference, ours, theirs):
    """A link that is no body, or a joint on such a link."""
    joint = ours.joints.get(difference.where)
    return any(name.endswith("_link") for name in (joint.bodies if joint else [difference.where]))


def is_the_world(difference, ours, theirs):
    return difference.where == "world" and difference.said == "only theirs"


def only_ours(difference, ours, theirs):
    return difference.said == "only ours"


def only_ours_says(difference, ours, theirs):
    return not getattr(theirs.joints[difference.where], difference.of.removeprefix("joint "))


OF_MJCF = (
    explained(
        "joint zero",
        "MJCF counts from where it stands and adds `ref`: its frames meet there, with `mjc:ref` "
        "beside them, and ours where the coordinate is 0; with `mjc:ref` coordinates are equal",
    ),
    explained("joint axis", "a ball without limits turns about any axis alike", is_ball),
    explained(
        "body, joint bodies",
        "it puts the hinges of a universal joint between the same two bodies, as MJCF does, and "
        "profile `generic` one after the other, with a link between, which other readers need",
        is_between_axes,
    ),
    explained("joint drives", "it makes a `motor` an `MjcActuator`, MuJoCo's own", only_ours_says),
    explained(
        "joint mimic", "it drops tendons, which couplings are in MJCF, and warns", only_ours_says
    ),
    explained("color value", "it copies `rgba`, which is sRGB, where USD's colours are linear"),
)
OF_MUJOCO = (
    *OF_MJCF,
    explained(
        "body inertia, body exact inertia",
        "MuJoCo takes principal moments, in floats, or the tensor, in doubles, and not both: we "
        "write the tensor; it writes both, and the tensor in doubles is turned by poses in floats",
    ),
    explained(
        "joint coordinate",
        "MuJoCo reads `mjc:ref` and no frames, which say the same to others: they are not added",
    ),
    explained(
        "joint",
        "we write a ball as three hinges: MuJoCo's importer leaves out a ball of the tree",
        is_of_a_ball,
    ),
)
OF_NEWTON = (
    *OF_MJCF,
    explained("joint", "a universal joint is one joint of six freedoms", is_of_a_cross),
)
OF_PHYSX = (
    *OF_MJCF,
    explained(
        "body articulation",
        "PhysX starts an articulation that is fixed from the joint that fixes it",
        lambda d, ours, theirs: f"fixed {d.where}" in ours.joints,
    ),
)
OF_URDF = (
    explained("joint", "URDF has no loops: they are beside its tree", is_closure),
    explained("filtered pair", "URDF has none: they are in the SRDF", only_ours),
    explained("shape friction, shape restitution", "URDF has no surfaces"),
    explained("joint drives", "it drops transmissions, which are no joints'", only_ours_says),
    explained("body origin", "a link of URDF stands on the joint that leads to it"),
    explained(
        "body, joint, joint bodies",
        "URDF has no ball, and three hinges stand for one",
        is_of_a_ball,
    ),
    explained("frame", "URDF's root is the world, a link without mass", is_the_world),
)


def plainly(stage: ReadStage, collision: str = "") -> ReadStage:
    """By names that all formats can have; what fixes a body to the world is called by that body.

    Args:
        stage: any.
        collision: how names of shapes end that collide, where others are seen.
    """

    def plain(name: str) -> str:
        return re.sub("[^A-Za-z0-9.-]+", "_", name)

    def renamed(joint):
        return replace(joint, bodies=tuple(map(plain, joint.bodies)))

    return replace(
        stage,
        bodies={plain(name): body for name, body in stage.bodies.items()},
        joints={
            f"fixed {j.bodies[1]}"
            if j.kind == "Fixed" and not j.bodies[0]
            else plain(name): renamed(j)
            for name, j in stage.joints.items()
        },
        shapes={plain(name).removesuffix(collision): s for name, s in stage.shapes.items()},
        colors={plain(name): color for name, color in stage.colors.items()},
        frames={plain(name): frame for name, frame in stage.frames.items()},
    )


def from_mjcf(name, folder) -> ReadStage:
    """Where it stands, as the file has it."""
    converter = mujoco_usd_converter.Converter(layer_structure=False)
    return plainly(
        read_stage(converter.convert(str(EXPORTS / name / f"{name}.xml"), str(folder)).path)
    )


def from_urdf(name, folder) -> ReadStage:
    """Moved from where coordinates are 0, which is all that URDF says, to where ours stands."""
    converter = urdf_usd_converter.Converter(layer_structure=False)
    made = converter.convert(str(EXPORTS / name / f"{name}.urdf"), str(folder))
    own = truth(name, "urdf")
    values = dict(own.assembled.values)
    at = {
        axis: value
        for tree_joint in own.compiled.tree
        for joint in [tree_joint.edge.joint]
        for axis, value in zip(
            axis_names(joint), axis_values(joint, values[joint.name]), strict=True
        )
    }
    return plainly(moved(read_stage(made.path), at), "_collision")


CASES = {
    "generic as of MJCF": (from_mjcf, ".usda", OF_MJCF),
    "generic as of URDF": (from_urdf, ".usda", OF_URDF),
    "mujoco as of MJCF": (from_mjcf, ".mujoco.usda", OF_MUJOCO),
    "newton as of MJCF": (from_mjcf, ".newton.usda", OF_NEWTON),
    "physx as of MJCF": (from_mjcf, ".physx.usda", OF_PHYSX),
}
"""A profile of ours, and the file that theirs is made of."""
ROWS = [
    pytest.param(
        case,
        marks=pytest.mark.row(
            "USD converters",
            case.split()[-1],
            agrees=f"with our USD of profile `{case.split()[0]}`, but for what is explained",
        ),
    )
    for case in CASES
]


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """All differences, by case and example, with both stages."""
    everything = {}
    for case, (convert, suffix, _) in CASES.items():
        for name in EXAMPLES:
            theirs = convert(name, tmp_path_factory.mktemp("converted"))
            ours = plainly(read_stage(EXPORTS / name / f"{name}{suffix}"))
            everything[case, name] = (differences(ours, theirs), ours, theirs)
    return everything


def explains(own, difference, ours, theirs):
    return difference.of in own.of and own.applies(difference, ours, theirs)


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize("case", ROWS)
def test_our_usd_is_what_a_converter_makes_of_our_other_file_but_for_what_is_explained(
    case, name, found
):
    _, _, explanations = CASES[case]
    here, *stages = found[case, name]
    left = [d for d in here if not any(explains(own, d, *stages) for own in explanations)]
    assert not left, "\n".join(map(str, left))


@pytest.mark.parametrize(
    "own", sorted({e for *_, table in CASES.values() for e in table}, key=lambda own: own.why)
)
def test_every_explanation_explains_something(own, found):
    cases = {case for case, (*_, table) in CASES.items() if own in table}
    here = [differs for (case, _), differs in found.items() if case in cases]
    assert any(explains(own, d, *stages) for differs, *stages in here for d in differs), own.why
