"""The ledger of every format: nothing left out of it, nothing in it that was not said."""

import json
import math
from collections import Counter
from pathlib import Path

import pytest

import robocompiler as rc
from everything import CUT, KINDS, everything, geometry
from exporting import asked, exporting, files_of, write
from linkages.drawn_at_random import drawn_at_random, geared_at_random
from linkages.planar import braced_parallelogram, slider_crank
from linkages.spatial import delta, loop_with
from linkages.stewart import stewart
from mechanisms import four_bar
from robocompiler.errors import BadValueError, CouplingError, LossError, UnwritableError
from robocompiler.model.joint_kinds import JointKind
from robocompiler.write.fidelity import Fidelity, Property, closure_property, exact
from robocompiler.write.known_formats import FORMATS
from robocompiler.write.ledger import Ledger
from robocompiler.write.ledger_file import entry_data
from robocompiler.write.ledger_table import count_lines, loss_lines
from robocompiler.write.options import USD_PROFILES
from robocompiler.write.statements import Statement

GOLDEN = Path(__file__).parents[1] / "golden"
EVERY = pytest.mark.parametrize("name", FORMATS)
LINKAGES = {
    "four-bar": four_bar,
    "four-bar that is cut elsewhere": lambda: four_bar(joint={"C": {"effort": 1.0}}),
    "slider-crank": slider_crank,
    "braced parallelogram": braced_parallelogram,
    "delta": delta,
    "Stewart": stewart,
    **{f"loop with {kind.value}": lambda kind=kind: loop_with(kind) for kind in CUT},
}


@EVERY
def test_all_that_can_be_said_is_said_by_everything(name):
    """Else the tests below would prove nothing. What is cut of a loop is the compiler's choice."""
    export = exporting(name, everything(), geometry=geometry, **asked(name))
    stated = {statement.property for statement in export.ledger.statements}
    closures = {closure_property(kind) for kind in KINDS}
    assert set(Property) - stated - closures == {Property.TASK}
    assert len(stated & closures) >= 2


@EVERY
@pytest.mark.parametrize("of", ["everything", *LINKAGES])
def test_every_statement_has_one_entry_and_every_note_is_of_one(name, of):
    mechanism = everything() if of == "everything" else LINKAGES[of]()
    assert_accounted(name, mechanism, **asked(name))


@pytest.mark.parametrize("profile", USD_PROFILES)
@pytest.mark.parametrize("of", ["everything", "four-bar", "Stewart"])
def test_so_it_is_in_every_profile_of_usd(of, profile):
    """Of which only one has screws."""
    kinds = [kind for kind in KINDS if kind is not JointKind.SCREW]
    mechanism = everything(kinds) if of == "everything" else LINKAGES[of]()
    assert_accounted("usd", mechanism, usd_profile=profile, intermediate_mass=0.001)


@EVERY
@pytest.mark.parametrize("of", ["fourbar", "fourbar_scene", "gripper", "stewart"])
def test_so_it_is_of_what_partcad_draws(name, of, kinematics):
    request = json.loads((GOLDEN / f"{of}.json").read_text())
    assert_accounted(name, rc.read_partcad(request), **asked(name))


@EVERY
@pytest.mark.parametrize("seed", range(1, 13))
def test_so_it_is_of_what_is_drawn_at_random(name, seed):
    """Loops, gears, rotors and springs on joints of every kind, crossed either way."""
    mechanism = drawn_at_random(seed)
    mechanism = geared_at_random(mechanism, seed) if seed % 2 else mechanism
    try:
        assert_accounted(name, mechanism, **asked(name))
    except (CouplingError, UnwritableError):
        pytest.skip("cannot be cut in this format, or has joints that it lacks")


def assert_accounted(name, mechanism, **options):
    export = exporting(name, mechanism, geometry=geometry, **options)
    FORMATS[name].contents(export)
    said = [(entry.property, entry.where, entry.what) for entry in export.ledger.entries]
    assert Counter(said) == Counter(dict.fromkeys(map(tuple, export.ledger.statements), 1))
    assert not set(export.ledger.noted) - set(export.ledger.statements)
    for entry in export.ledger.entries:
        exactly = entry.fidelity is Fidelity.EXACT
        assert exactly or entry.how, f"{entry} says not why"
        assert (entry.error is not None) == (entry.fidelity is Fidelity.APPROXIMATED), str(entry)
        assert entry.error is None or 1e-12 < entry.error < math.inf


@pytest.mark.parametrize(
    ("name", "profile", "named"),
    [
        ("mjcf", None, Fidelity.EXACT),
        ("urdf", None, Fidelity.EXACT),
        ("sdf", None, Fidelity.DROPPED),
        *(("usd", p, Fidelity.DROPPED) for p in ("generic", "physx", "newton")),
        ("usd", "mujoco", Fidelity.EXACT),
    ],
)
def test_where_it_stands_is_in_every_format_and_other_configurations_where_there_is_a_place(
    name, profile, named, tmp_path
):
    compiled = rc.compile(four_bar())
    options = {} if profile is None else {"usd_profile": profile}
    up = {"up": rc.assemble(compiled, {"A": 1.2})}
    result = rc.write(compiled, tmp_path / "m", format=name, configurations=up, **options)
    found = {e.where: e.fidelity for e in result.ledger if e.property is Property.CONFIGURATION}
    assert found == {"configuration 'assembled'": Fidelity.EXACT, "configuration 'up'": named}


@EVERY
def test_tasks_are_lost_and_said(name, tmp_path):
    mechanism = four_bar()
    task = rc.Task(name="tip", body="coupler", position=(0.1, 0.0, 0.0))
    path = tmp_path / f"m{FORMATS[name].suffixes[0]}"
    result = rc.write(rc.compile(mechanism, tasks=[task]), path, format=name)
    (lost,) = (entry for entry in result.unsupported if entry.property is Property.TASK)
    assert str(lost).startswith("task 'tip': that it holds 'coupler', since a task is of the study")


@EVERY
def test_strict_refuses_with_all_that_is_lost_and_touches_no_file(name, tmp_path):
    lost = [str(entry) for entry in write(name, everything(), tmp_path).unsupported]
    assert lost
    before = files_of(tmp_path)
    with pytest.raises(LossError) as refused:
        write(name, everything(), tmp_path, strict=True)
    assert list(refused.value.lost) == lost
    assert all(what in str(refused.value) for what in lost)
    assert files_of(tmp_path) == before


@EVERY
@pytest.mark.parametrize("flag", ["strict", "ledger"])
def test_a_flag_that_is_no_flag_is_refused(name, flag, tmp_path):
    with pytest.raises(BadValueError, match=f"{flag}=yes is not true or false"):
        write(name, four_bar(), tmp_path, **{flag: "yes"})
    assert files_of(tmp_path) == {}


@EVERY
def test_the_file_of_an_export_before_is_brought_up_to_date(name, tmp_path):
    """Else it would stand beside another model than its own."""
    write(name, slider_crank(), tmp_path, ledger=True)
    assert len(write(name, four_bar(), tmp_path).files) == len(files_of(tmp_path))
    after = files_of(tmp_path)
    (file,) = (file for file in after if file.endswith(".ledger.json"))
    write(name, four_bar(), tmp_path, ledger=True)
    assert files_of(tmp_path)[file] == after[file]


@EVERY
def test_the_file_has_all_that_is_returned_under_keys_that_are_always_there(name, tmp_path):
    result = write(name, everything(), tmp_path, ledger=True)
    (path,) = (path for path in result.files if path.name.endswith(".ledger.json"))
    assert path.name == f"{result.files[0].name}.ledger.json"
    data = json.loads(path.read_text("utf-8"), parse_constant=pytest.fail)
    assert list(data) == ["version", "format", "file", "entries", "warnings", "names"]
    assert (data["version"], data["format"]) == (1, name)
    assert data["file"] == result.files[0].name
    assert data["warnings"] == list(result.warnings)
    assert data["names"] == result.names
    for own, entry in zip(data["entries"], result.ledger, strict=True):
        assert list(own) == ["property", "where", "what", "fidelity", "how", "error", "unit"]
        assert Property(own["property"]) is entry.property
        assert Fidelity(own["fidelity"]) is entry.fidelity
        assert (own["where"], own["what"], own["how"]) == (entry.where, entry.what, entry.how)
        assert own["error"] == entry.error


def test_an_error_without_an_end_is_no_number_of_json():
    """As of the hull of a mesh that encloses nothing."""
    ledger = ledger_of(Statement(Property.COLLISION, "mesh bar", "how it collides"))
    ledger.approximate(Property.COLLISION, "mesh bar", "how it collides", "hull", float("inf"))
    (entry,) = ledger.entries
    assert (entry_data(entry)["error"], entry_data(entry)["unit"]) == (None, None)
    assert str(entry) == "mesh bar: how it collides, off by more than any number, since hull"


def test_the_file_is_not_there_unless_it_is_asked_for(tmp_path):
    write("mjcf", four_bar(), tmp_path)
    assert set(files_of(tmp_path)) == {"m.xml", "m.mechanism.json"}


RULES = {of: exact("so") for of in Property}


def ledger_of(*statements):
    return Ledger(statements=statements, carries=RULES)


def test_what_is_noted_beyond_the_statements_shows():
    """A writer that uses other words than the statements is found by the tests above."""
    damping = Statement(Property.DAMPING, "J", "its damping")
    ledger = ledger_of(damping)
    ledger.drop(Property.DAMPING, "J", "its own damping", "it has none")
    assert [str(entry) for entry in ledger.entries] == [
        "J: its damping",
        "J: its own damping, since it has none",
    ]


def test_the_tables_count_and_list_what_is_not_exact():
    ledger = ledger_of(
        Statement(Property.DAMPING, "J", "its damping"),
        Statement(Property.DAMPING, "K", "its damping"),
        Statement(Property.LIMITS, "K", "its limits"),
        Statement(Property.COLLISION, "mesh bar", "how it collides"),
        Statement(Property.INERTIA, "arm", "its inertia"),
    )
    ledger.drop(Property.DAMPING, "K", "its damping", "it slides")
    ledger.approximate(Property.COLLISION, "mesh bar", "how it collides", "hull", 0.5)
    ledger.approximate(Property.INERTIA, "arm", "its inertia", "rounded", 1.25e-7, "kg m²")
    assert [line.split() for line in count_lines(ledger.entries)] == [
        ["property", "exact", "approximated", "dropped"],
        ["damping", "1", "-", "1"],
        ["limits", "1", "-", "-"],
        ["shape,", "as", "it", "collides", "-", "1", "-"],
        ["mass,", "centre", "of", "mass", "and", "inertia", "-", "1", "-"],
    ]
    title, *rows = loss_lines(ledger.entries)
    assert title == "of 5 things that the mechanism says, 1 is lost and 2 are approximated"
    assert rows == [
        "                of        what             off by          why",
        "  lost          K         its damping                      it slides",
        "  approximated  mesh bar  how it collides  50 %            hull",
        "  approximated  arm       its inertia      1.25e-07 kg m²  rounded",
    ]
    assert loss_lines(ledger_of(Statement(Property.LIMITS, "K", "its limits")).entries) == []
