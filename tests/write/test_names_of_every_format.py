"""Names of any kind, in every format: a file that its parser reads back, or an error of ours."""

import contextlib
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import robocompiler as rc
from mechanisms import four_bar
from robocompiler.errors import MechanismError
from robocompiler.model.mechanism import Mesh, Shape
from robocompiler.write.known_formats import FORMATS
from solids import box
from written import READERS

BODIES = ("ground", "crank", "coupler", "rocker")
JOINTS = ("A", "B", "C", "D")
ALIKE = ["a b", "a_b", "a.b", "a-b", "A_B", "a__b", "a/b", "a:b", "a+b", "_a_b", "a_b_2", "a_2"]
"""Names that become one where only letters and digits may stay."""
SPECIAL = [
    *ALIKE,
    *(
        "<&\"'>",
        "]]>",
        "-->",
        "--",
        "&amp;",
        "%s",
        "{}",
        "..",
        ".",
        "/",
        "//",
        "#",
        "=",
        "@x@",
        "\\",
    ),
    *("world", "base", "fixed", "joints", "materials", "meshes", "default", "main", "physicsScene"),
    *(
        "__model__",
        "base_footprint",
        "static",
        "name",
        "nan",
        "0",
        "1e5",
        "9lives",
        "true",
        "class",
    ),
    *(
        "größer",
        "🦾",
        "關節",
        "e\u0301",
        "x" * 500,
        "⌀",
        "\ufb01",
        "\u212a",
        "ſ",
        " lead",
        "trail ",
    ),
]
PRINTABLE = st.characters(categories=("L", "M", "N", "P", "S", "Zs")).filter(str.isprintable)
NAMES = st.one_of(
    st.sampled_from(SPECIAL),
    st.text(PRINTABLE, min_size=1, max_size=12),
    st.text("aA_ ./-1", min_size=1, max_size=4),
)
FOUR = st.lists(NAMES, min_size=4, max_size=4, unique=True)
LONG = ["x" * 500 + str(number) for number in range(4)]


def drawn(names):
    """A four-bar with these names: the mechanism's, four bodies', four joints', one mesh's."""
    mechanism, of_bodies, of_joints, mesh = names
    bodies = dict(zip(BODIES, of_bodies, strict=True))
    joints = dict(zip(JOINTS, of_joints, strict=True))
    whole = four_bar()
    return replace(
        whole,
        name=mechanism,
        bodies=tuple(
            replace(
                body,
                name=bodies[body.name],
                shapes=(Shape(name=bodies[body.name], mesh=mesh),),
            )
            for body in whole.bodies
        ),
        frames=tuple(
            replace(frame, body=bodies.get(frame.body, frame.body)) for frame in whole.frames
        ),
        joints=tuple(
            replace(joint, name=joints.get(joint.name, joint.name)) for joint in whole.joints
        ),
        meshes=(Mesh(name=mesh),),
    )


def parsed(files):
    """Every file of a format that has a parser is what that parser takes."""
    for path in files:
        if path.suffix in (".xml", ".urdf", ".sdf", ".srdf", ".config"):
            ElementTree.parse(path)
        elif path.suffix in (".yaml", ".yml"):
            yaml = pytest.importorskip("yaml")
            yaml.safe_load(path.read_text())


@pytest.mark.parametrize("form", FORMATS)
@settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(names=st.tuples(NAMES, FOUR, FOUR, NAMES))
@example(names=("m", ALIKE[:4], ALIKE[4:8], ALIKE[8]))
@example(names=("m", ["a b", "a_b", "a_b_2", "a.b"], ["a_b", "a b", "a.b", "a-b"], "a b"))
@example(names=("m", ["world_", "base", "fixed", "joints"], ["meshes", "fixed", "m", "J"], "m"))
@example(names=("<&\"'>", ["<", ">", "&", '"'], ["<", ">", "&", "'"], "<&>"))
@example(names=("x" * 500, LONG, LONG, "x" * 500))
@example(names=("關節", ["關", "節", "機", "構"], ["軸", "桿", "腕", "肘"], "關"))
@example(names=("m", ["\x07", "a", "b", "c"], ["\ud800", "a", "b", "c"], "\x00"))
def test_a_model_holds_any_names_or_says_which_it_cannot(form, names, tmp_path_factory):
    folder = tmp_path_factory.mktemp("named")
    known = FORMATS[form]
    path = folder / f"m{known.suffixes[0]}"
    with contextlib.suppress(MechanismError):
        compiled = rc.compile(drawn(names))
        result = rc.write(
            compiled, path, format=form, geometry=lambda mesh, c: box(0.01, 0.02, 0.03)
        )
        parsed(result.files)
        _, bodies, joints, _ = names
        model = READERS[form](path, {})
        assert len(model.bodies) == 4
        assert len(model.joints) == 3
        assert len(model.closures) == 1
        assert len(model.shapes) == 4
        for changes in result.names.values():
            assert len(set(changes.values())) == len(changes)
        for found, own in (
            (model.bodies, bodies),
            ({**model.joints, **model.closures}, joints),
        ):
            for name in own:
                given = {name, *(c[name] for c in result.names.values() if name in c)}
                assert given & set(found)
        return
    assert not list(folder.iterdir())
