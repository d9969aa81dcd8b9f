"""Joints that URDF lacks, as chains of joints of one axis: by consent only."""

from __future__ import annotations

from robocompiler.errors import UnwritableError
from robocompiler.write.chains import note_chains
from robocompiler.write.export import Export
from robocompiler.write.urdf.names import URDF_NATIVE


def check_lowered(export: Export) -> None:
    """Whether links between axes may be written where they are needed; what they weigh is noted.

    Raises:
        UnwritableError: names all joints that need some, where nobody allowed them.
    """
    lowered = [t.edge.joint for t in export.compiled.tree if t.edge.joint.kind not in URDF_NATIVE]
    mass = export.options.intermediate_mass
    if lowered and mass is None:
        shown = ", ".join(f"'{joint.name}' ({joint.kind.value})" for joint in lowered)
        raise UnwritableError(
            f"URDF has joints of one axis only, and no {_several(len(lowered))} {shown}: links "
            "that are no bodies have to stand between axes. Pass `intermediate_mass`: 0 for links "
            "without inertia, which Pinocchio, Drake and ROS take and MuJoCo refuses; or a small "
            "mass [kg], which changes the dynamics a little and all simulators take. MJCF and SDF "
            "have more kinds."
        )
    note_chains(lowered, mass or 0.0, export.ledger)


def _several(count: int) -> str:
    return "such joint as" if count == 1 else "such joints as"
