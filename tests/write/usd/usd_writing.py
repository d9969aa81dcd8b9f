"""A mechanism written as a stage, as USD's own library reads it."""

import robocompiler as rc
from usd_reading import read_stage

FLOATS = 1e-6


def written(mechanism, folder, suffix=".usda", cut=None, **options):
    path = folder / f"m{suffix}"
    compiled = rc.compile(mechanism) if cut is None else rc.compile(mechanism, frozenset({cut}))
    result = rc.write(compiled, path, **options)
    return read_stage(path), result


def lowered(profile):
    return {"usd_profile": profile, "intermediate_mass": 1e-3}
