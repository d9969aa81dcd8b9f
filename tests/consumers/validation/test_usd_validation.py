"""The exported stages, by the validators of USD itself."""

import pytest
from pxr import Usd, UsdValidation
from truth import EXAMPLES, EXPORTS

from robocompiler.write.options import USD_PROFILES


@pytest.mark.row("UsdValidation", "USD", agrees="every validator is silent, of each profile")
@pytest.mark.parametrize("profile", USD_PROFILES)
@pytest.mark.parametrize("name", EXAMPLES)
def test_every_validator_of_usd_is_silent(name, profile):
    file = f"{name}.usda" if profile == "generic" else f"{name}.{profile}.usda"
    validators = UsdValidation.ValidationRegistry().GetOrLoadAllValidators()
    known = {validator.GetMetadata().name.split(":")[1] for validator in validators}
    assert known >= {"RigidBodyChecker", "ColliderChecker", "PhysicsJointChecker"}
    stage = Usd.Stage.Open(str(EXPORTS / name / file))
    errors = UsdValidation.ValidationContext(validators).Validate(stage)
    assert [error.GetMessage() for error in errors] == []
