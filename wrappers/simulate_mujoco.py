"""What PartCAD runs for `simulation: mujoco`: a scene's MJCF in, what became of it out."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "plugin"))

from robocompiler.simulate.parameters import parameters_of
from robocompiler.simulate.run import simulate

# Raised with every change of what a run reports.
CACHE_VERSION = 4


def process(path, request):
    """Run the scene; a failure is an exception, which PartCAD reports."""
    result = simulate(
        request["scene_file"],
        **parameters_of(request),
        snapshot=request.get("snapshot"),
        folder=path,
    )
    return {"success": True, **result}
