"""Export and simulate examples/fourbar as a user would, and show what came of it."""

from __future__ import annotations

import shutil
import sys
import time
from pathlib import Path

from pc import ROOT, STATE, pc, simulate, stop

EXAMPLE = ROOT / "examples" / "fourbar"
OUTPUT = ROOT / "build" / "demo"


def main() -> int:
    """0 where everything that is claimed holds."""
    OUTPUT.mkdir(parents=True, exist_ok=True)
    if not (STATE / "state" / "sandbox").exists():
        say("Installing PartCAD's sandbox (once, one to five minutes) ...")
    say("$ pc export -t rc:mjcf -a fourbar")
    exported = pc("export", "-t", "rc:mjcf", "-O", OUTPUT, "-a", "fourbar", cwd=EXAMPLE)
    if exported.returncode:
        say(exported.stdout)
        if "No module named" in exported.stdout:
            say(
                f"PartCAD's sandbox is incomplete: delete {STATE / 'state' / 'sandbox'}; try again."
            )
        return 1
    for file in sorted(OUTPUT.rglob("*")):
        if file.suffix in {".xml", ".json", ".obj"}:
            say(f"  wrote {file.relative_to(ROOT)}")
    say("$ pc sim -a fourbar")
    started = time.perf_counter()
    simulations = simulate(EXAMPLE, "fourbar")
    for run in simulations:
        report(run)
    say(f"  ({time.perf_counter() - started:.1f} s)")
    return 0 if all(run["passed"] for run in simulations) else 1


def report(run: dict) -> None:
    """The verdict of one simulation, its gaps, and its pictures."""
    say(f"  {run['simulation']}: {'PASSED' if run['passed'] else 'FAILED'}")
    result = run.get("result") or {}
    if run.get("error"):
        say(f"    {run['error']}")
    for name, worst in (result.get("closures") or {}).items():
        say(
            f"    loop {name}: gap at most {worst['max_gap']:.2e} mm, "
            f"{worst['max_angle']:.2e}°, force at most {worst['max_force']:.3g} N"
        )
    for when, picture in pictures(run).items():
        target = OUTPUT / f"{run['simulation']}-{when}.png"
        shutil.copyfile(picture, target)
        say(f"    picture {when}: {target.relative_to(ROOT)}")


def pictures(run: dict) -> dict[str, Path]:
    """The pictures of a simulation, wherever PartCAD put them."""
    named = run.get("snapshots") or (run.get("result") or {}).get("snapshots") or {}
    return {when: Path(path) for when, path in named.items() if Path(path).is_file()}


def say(line: str) -> None:
    """Print at once."""
    print(line, flush=True)


if __name__ == "__main__":
    try:
        code = main()
    finally:
        stop()
    sys.exit(code)
