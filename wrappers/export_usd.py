"""Run by PartCAD for `pc export -t rc:usd`, in its sandbox."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "plugin"))

# Raised with every change of what an export writes or says.
CACHE_VERSION = 4


def process(path, request):
    """Export the request's shape to `path`, its meshes and its mechanism beside it."""
    import robocompiler as rc
    from robocompiler.write.partcad import answer, options_of, unread

    options = options_of(request, "usd")
    compiled = rc.compile(rc.read_partcad(request))
    geometry = rc.read_geometry(request)
    result = rc.write(compiled, path, geometry=geometry, **options)
    return answer(result, unread(request, "usd"))
