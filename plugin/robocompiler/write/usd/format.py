"""USD as one of the formats: what it carries, and the files of a model."""

from __future__ import annotations

from robocompiler.write.export import Export
from robocompiler.write.formats import Format
from robocompiler.write.usd.carries import carries
from robocompiler.write.usd.layer import layer_bytes
from robocompiler.write.usd.losses import note_losses
from robocompiler.write.usd.lowering import check_joints
from robocompiler.write.usd.model import stage_prims
from robocompiler.write.usd.profiles import PROFILES
from robocompiler.write.usd.scene import Scene


def contents(export: Export) -> dict[str, bytes]:
    """The stage."""
    scene = Scene(export, PROFILES[export.options.usd_profile])
    check_joints(scene)
    note_losses(scene)
    return {export.file: layer_bytes(stage_prims(scene), scene.model, export.suffix)}


USD = Format(
    name="usd",
    title="USD",
    suffixes=(".usda", ".usd", ".usdc"),
    options=frozenset({"intermediate_mass", "usd_profile"}),
    cuttable=lambda options: PROFILES[options.usd_profile].cuttable,
    carries=lambda options: carries(PROFILES[options.usd_profile]),
    contents=contents,
)
