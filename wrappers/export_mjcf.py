"""Run by PartCAD for `pc export -t rc:mjcf`, in its sandbox."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "plugin"))

# Raised with every change of what an export writes or says.
CACHE_VERSION = 4


def process(path, request):
    """Export the request's shape to `path`, its meshes and its mechanism beside it."""
    import robocompiler as rc

    result = rc.write(
        rc.compile(rc.read_partcad(request)),
        path,
        format="mjcf",
        geometry=rc.read_geometry(request),
        timestep=request.get("timestep"),
        ground_plane=request.get("ground_plane", False),
        light=request.get("light", False),
    )
    return {
        "success": True,
        "exception": None,
        "warnings": list(result.warnings),
        "unsupported": [str(entry) for entry in result.unsupported],
    }
