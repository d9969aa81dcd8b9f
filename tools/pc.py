"""Run PartCAD's `pc` with all of its state in one folder of the checkout.

`python tools/pc.py ARGS…` runs `pc ARGS…` in the current folder, whichever python this is;
`python tools/pc.py stop` stops the daemons that were started so. `PC_…` variables of yours hold.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
STATE = ROOT / ".partcad"
FOLDERS = (ROOT / ".venv" / "bin", Path(sys.executable).parent)
"""Where `pc` may be: what `make` installs comes before what this python has."""
PIP_CONFIGURATIONS = (".config/pip/pip.conf", ".pip/pip.conf")


def program() -> Path:
    """The `pc` of this checkout."""
    for folder in FOLDERS:
        if (folder / "pc").is_file():
            return folder / "pc"
    sys.exit(
        f"PartCAD is not installed in {ROOT}: there is no {FOLDERS[0] / 'pc'}.\n"
        f"Run `make -C {ROOT} install` once (or `make demo`), or use a `pc` of your own."
    )


def environment() -> dict[str, str]:
    """The environment for `pc`. Moving HOME hides pip's own configuration, so it is handed on."""
    for folder in ("home", "state"):
        (STATE / folder).mkdir(parents=True, exist_ok=True)
    found = [Path.home() / name for name in PIP_CONFIGURATIONS if (Path.home() / name).is_file()]
    pip = os.environ.get("PIP_CONFIG_FILE") or (str(found[0]) if found else "")
    return {
        "PC_OFFLINE": "1",
        "PC_PYTHON_SANDBOX": "venv",
        "PC_TELEMETRY_TYPE": "none",
        **os.environ,
        **({"PIP_CONFIG_FILE": pip} if pip else {}),
        "HOME": str(STATE / "home"),
        "PATH": f"{program().parent}{os.pathsep}{os.environ.get('PATH', '')}",
        "PC_INTERNAL_STATE_DIR": str(STATE / "state"),
    }


def pc(*arguments: str | Path, cwd: Path, **extra: str) -> subprocess.CompletedProcess[str]:
    """Run `pc --no-ansi ARGUMENTS`; its output is captured, stderr with it."""
    return subprocess.run(
        [program(), "--no-ansi", *map(str, arguments)],
        cwd=cwd,
        env={**environment(), **extra},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


def simulate(package: Path, assembly: str, *arguments: str) -> list[dict[str, Any]]:
    """Every simulation of an assembly, as `pc sim --json` reports it.

    Raises:
        RuntimeError: `pc` printed no report.
    """
    done = pc("sim", "--json", *arguments, "-a", assembly, cwd=package)
    start = done.stdout.find("\n{\n")
    if start < 0:
        raise RuntimeError(done.stdout)
    report, _ = json.JSONDecoder().raw_decode(done.stdout[start + 1 :])
    simulations: list[dict[str, Any]] = report["simulations"]
    return simulations


def stop() -> None:
    """Stop the daemons of this state; a warm one would serve stale files."""
    pc("daemon", "stop", "--all", cwd=ROOT)


if __name__ == "__main__":
    if sys.argv[1:] == ["stop"]:
        stop()
    else:
        sys.exit(subprocess.call([program(), *sys.argv[1:]], env=environment()))
