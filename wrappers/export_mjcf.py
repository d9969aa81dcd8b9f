"""Run by PartCAD for `pc export -t rc:mjcf`, in its sandbox."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "plugin"))

CACHE_VERSION = 1


def process(path, request):
    """Export the request's shape to `path`, its meshes and its mechanism beside it."""
    import robocompiler as rc

    compiled = rc.compile(rc.read_partcad(request))
    result = rc.write(
        compiled,
        path,
        rc.assemble(compiled),
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
