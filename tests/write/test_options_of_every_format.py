"""Options of any value, in every format: a model that can be read, or an error of ours."""

import math

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import robocompiler as rc
from arms import arm
from mechanisms import four_bar
from robocompiler.errors import LossError, MechanismError
from robocompiler.model.joint_kinds import JointKind
from robocompiler.write.known_formats import FORMATS
from written import READERS

ODD = [
    *(
        None,
        True,
        False,
        0,
        -1,
        1,
        0.0,
        -0.0,
        1e-300,
        1e300,
        math.inf,
        -math.inf,
        math.nan,
        10**400,
    ),
    *("", "0", "1e-3", "nan", "inf", "no", "true", "1 kg", "base_footprint", "generic", "mujoco"),
    *("physx", "newton", "GENERIC", "\x00", "x" * 300, [], [1.0], {}, {"a": 1}, ("a",), b"1", 1j),
]
"""What YAML or a script may hand over."""
OPTIONS = (
    *("timestep", "ground_plane", "light", "root", "intermediate_mass", "usd_profile"),
    *("ledger", "strict"),
)
MECHANISMS = {"four-bar": four_bar(), "universal": arm(JointKind.UNIVERSAL)}
GIVEN = st.dictionaries(st.sampled_from(OPTIONS), st.sampled_from(ODD), max_size=3)


@pytest.mark.parametrize("form", FORMATS)
@settings(
    max_examples=120,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(options=GIVEN, which=st.sampled_from(sorted(MECHANISMS)))
@example(options={"intermediate_mass": "1e-3"}, which="universal")
@example(options={"intermediate_mass": 0}, which="universal")
@example(options={"intermediate_mass": 1e300}, which="universal")
@example(options={"intermediate_mass": 10**400}, which="four-bar")
@example(options={"timestep": 10**400}, which="four-bar")
@example(options={"root": "base_footprint"}, which="four-bar")
@example(options={"usd_profile": "newton", "ledger": True}, which="universal")
def test_options_are_followed_or_refused_by_name(form, options, which, tmp_path_factory):
    folder = tmp_path_factory.mktemp("options")
    path = folder / f"m{FORMATS[form].suffixes[0]}"
    compiled = rc.compile(MECHANISMS[which])
    refusal, result = None, None
    try:
        result = rc.write(compiled, path, format=form, **options)
    except MechanismError as error:
        refusal = error
    if result is None:
        assert not list(folder.iterdir())
        told = any(option in str(refusal) for option in options)
        assert told or isinstance(refusal, LossError) or which == "universal"
        return
    assert all(file.is_file() for file in result.files)
    if options.get("intermediate_mass") or form == "mjcf":
        model = READERS[form](path, {})
        assert len(model.closures) == (which == "four-bar")


WRONG = {
    "timestep": "x",
    "ground_plane": "no",
    "root": "top",
    "intermediate_mass": -1.0,
    "usd_profile": "blender",
    "strict": 1,
    "ledger": "yes",
    "configurations": ["low"],
    "independent": 3,
}


@pytest.mark.parametrize("form", [*FORMATS, "json", "c"])
def test_all_wrong_options_are_told_at_once(form, tmp_path):
    with pytest.raises(MechanismError) as refused:
        rc.write(rc.compile(four_bar()), tmp_path / "m", format=form, **WRONG)
    for option in WRONG:
        assert f"{option}=" in str(refused.value)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("form", FORMATS)
def test_all_options_of_others_are_told_at_once_with_those_that_are_wrong(form, tmp_path):
    others = {"timestep": 1e-3, "root": "base_footprint", "usd_profile": "physx"}
    others = {name: value for name, value in others.items() if name not in FORMATS[form].options}
    others["independent"] = ["A"]
    with pytest.raises(MechanismError) as refused:
        rc.write(rc.compile(four_bar()), tmp_path / "m", format=form, strict=1, **others)
    assert str(refused.value).count(" is not left out: ") == len(others)
    assert "strict=1 is not true or false" in str(refused.value)


@pytest.mark.parametrize("names", [3, None, ("a", 1)])
def test_configurations_have_names(names, tmp_path):
    compiled = rc.compile(four_bar())
    given = dict.fromkeys(names, rc.assemble(compiled)) if isinstance(names, tuple) else names
    if names is None:
        rc.write(compiled, tmp_path / "m.xml", configurations=None)
        return
    with pytest.raises(MechanismError, match=r"configurations=.* is not a mapping from names"):
        rc.write(compiled, tmp_path / "m.xml", configurations=given)


@pytest.mark.parametrize("timestep", [1e-20, 1e200])
def test_a_timestep_that_no_simulation_has_is_refused(timestep, tmp_path):
    """Of the one the file would say 0."""
    with pytest.raises(MechanismError, match=r"timestep=.* is not a number of seconds from"):
        rc.write(rc.compile(four_bar()), tmp_path / "m.xml", timestep=timestep)
