"""Export every example in every format into a folder, `NAME/NAME.xml` and so on.

USD of one importer's profile, `NAME/NAME.mujoco.usda`, is written from the exported mechanism.
"""

from __future__ import annotations

import sys
from pathlib import Path

from pc import ROOT, pc, stop

import robocompiler as rc
from robocompiler.write.export import SIDECAR
from robocompiler.write.known_formats import FORMATS
from robocompiler.write.options import USD_PROFILES

BETWEEN_AXES = 0.001
"""Of a link between the axes of a joint that USD lacks [kg]: as examples/stewart has it."""


def main(folder: Path) -> int:
    """The number of files that could not be exported."""
    failed = 0
    for package in sorted(path.parent for path in ROOT.glob("examples/*/partcad.yaml")):
        target = folder / package.name
        target.mkdir(parents=True, exist_ok=True)
        failed += sum(not exported(package, target, form) for form in FORMATS)
        for profile in USD_PROFILES[1:]:
            write_usd(target, profile)
    return failed


def exported(package: Path, target: Path, form: str) -> bool:
    """Whether `pc` exported an example in a format."""
    done = pc("export", "-t", f"rc:{form}", "-O", target, "-a", package.name, cwd=package)
    if done.returncode:
        print(done.stdout, file=sys.stderr)
    return not done.returncode


def write_usd(target: Path, profile: str) -> None:
    """Write an example for one importer, from its exported mechanism and meshes."""
    compiled = rc.compile(rc.read(target / f"{target.name}{SIDECAR}"))
    rc.write(
        compiled,
        target / f"{target.name}.{profile}.usda",
        geometry=rc.mesh_geometry(target),
        usd_profile=profile,
        intermediate_mass=BETWEEN_AXES,
    )


if __name__ == "__main__":
    try:
        code = main(Path(sys.argv[1]).resolve())
    finally:
        stop()
    sys.exit(code)
