"""What each format says it carries: all properties, and the same in the README."""

import carries_table
import pytest

from robocompiler.write.fidelity import Carried, Fidelity, Property
from robocompiler.write.known_formats import FORMATS
from robocompiler.write.options import USD_PROFILES, WriteOptions

ASKED = [
    WriteOptions(),
    WriteOptions(intermediate_mass=0.001),
    *(WriteOptions(usd_profile=profile) for profile in USD_PROFILES),
]


@pytest.mark.parametrize("options", ASKED)
@pytest.mark.parametrize("name", FORMATS)
def test_a_format_says_of_every_property_how_it_carries_it(name, options):
    carries = FORMATS[name].carries(options)
    assert set(carries) == set(Property)
    for carried in carries.values():
        assert isinstance(carried, Carried)
        assert carried.how
        assert not {"\n", "|"} & set(carried.how)


@pytest.mark.parametrize("name", FORMATS)
def test_a_kind_whose_closure_is_exact_can_be_cut_and_another_cannot(name):
    """What may be cut is one thing with what the table says of it."""
    form = FORMATS[name]
    for options in ASKED:
        carries = form.carries(options)
        exact = {
            of.value.removeprefix("closure of a ").removesuffix(" joint")
            for of, carried in carries.items()
            if of.value.startswith("closure of") and carried.fidelity is not Fidelity.DROPPED
        }
        assert exact == {kind.value for kind in form.cuttable(options)}


def test_the_readme_has_the_table_that_the_formats_have():
    """`python tools/carries_table.py` rewrites it."""
    text = carries_table.README.read_text(encoding="utf-8")
    assert carries_table.readme(text) == text


def test_what_is_said_in_full_is_what_the_formats_say():
    assert carries_table.DETAILS.read_text(encoding="utf-8") == carries_table.details()


def test_the_table_has_a_row_for_each_property_and_a_column_for_each_format():
    rows = carries_table.overview().splitlines()
    assert len({row.count(" |") for row in rows if "---" not in row}) == 1
    named = [row.split(" | ")[0].removeprefix("| ") for row in rows]
    assert [name for name in named if name in {of.value for of in Property}] == [
        of.value for of in Property
    ]
