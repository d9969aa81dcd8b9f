"""What moves with each speed is the diagonal of the mass matrix, to the bit."""

import numpy as np
import pytest

import robocompiler as rc
from linkages.known import TABLE
from linkages.stewart import stewart
from robocompiler.compiler.limbs import limbs_of
from robocompiler.equations.dynamics import masses, motions
from robocompiler.equations.moved import moved_masses

MECHANISMS = {name: mechanism for name, (mechanism, _) in TABLE.items()}
MECHANISMS["Stewart, 24 coordinates"] = stewart(chart=True)


@pytest.mark.parametrize("name", MECHANISMS)
def test_what_moves_with_a_speed_is_its_entry_of_the_mass_matrix(name):
    compiled = rc.compile(MECHANISMS[name])
    limbs = limbs_of(compiled)
    at = motions(limbs, rc.coordinates(compiled, rc.assemble(compiled)))
    whole = masses(limbs, at, [limb.inertia for limb in limbs], compiled.nv).M
    np.testing.assert_array_equal(moved_masses(limbs, at, compiled.nv), np.diagonal(whole))
