"""What stands between the axes of a joint weighs what the ledger says."""

import math
import re

import pytest

import robocompiler as rc
from acting import on_a_base
from arms import MOVING, arm
from robocompiler.model.joint_kinds import JointKind
from robocompiler.write.known_formats import FORMATS
from robocompiler.write.options import USD_PROFILES

MASSES = {
    "urdf": r'<mass value="([^"]+)"',
    "sdf": r"<mass>([^<]+)<",
    "usd": r"physics:mass = (\S+)",
}
WAYS = [("urdf", {}), ("sdf", {}), *(("usd", {"usd_profile": name}) for name in USD_PROFILES)]


@pytest.mark.parametrize(("form", "options"), WAYS)
@pytest.mark.parametrize("kind", MOVING)
def test_a_file_weighs_more_than_the_mechanism_by_what_its_ledger_says(
    kind, form, options, tmp_path
):
    if (form, kind, options.get("usd_profile")) == ("usd", JointKind.SCREW, "generic"):
        pytest.skip("refused, as another test shows")
    compiled = rc.compile(on_a_base(arm(kind)))
    path = tmp_path / f"m{FORMATS[form].suffixes[0]}"
    result = rc.write(compiled, path, intermediate_mass=0.125, **options)
    written = math.fsum(map(float, re.findall(MASSES[form], path.read_text())))
    own = math.fsum(body.inertia.mass for body in compiled.bodies)
    told = math.fsum(entry.error for entry in result.ledger if entry.unit == "kg")
    assert written - own == pytest.approx(told, abs=1e-6)


def test_one_body_between_two_axes_is_told(tmp_path):
    """So the sums above are not all nothing."""
    result = rc.write(
        rc.compile(on_a_base(arm(JointKind.UNIVERSAL))), tmp_path / "m.usda", intermediate_mass=1
    )
    assert [entry.error for entry in result.ledger if entry.unit == "kg"] == [1.0]
