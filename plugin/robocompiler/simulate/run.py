"""Run an exported scene in MuJoCo and report what happened."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from robocompiler.simulate.drive import drive_warnings
from robocompiler.simulate.motion import Motion, begin, engine_messages
from robocompiler.simulate.parameters import count, seconds, vector
from robocompiler.simulate.reading import Reading, largest_errors, largest_of
from robocompiler.simulate.scene import Scene, load_scene, with_timestep
from robocompiler.simulate.snapshot import draw_snapshots
from robocompiler.simulate.surfaces import stage_of
from robocompiler.simulate.timestep import gap_warnings


def simulate(
    path: str | Path,
    *,
    duration: float = 1.0,
    timestep: float | None = None,
    samples: int = 100,
    gravity: Sequence[float] | None = None,
    drive: Mapping[str, Any] | None = None,
    snapshot: Mapping[str, Any] | None = None,
    folder: str | Path | None = None,
    misspelt: Sequence[str] = (),
) -> Reading:
    """Run a scene that `write` exported as MJCF.

    Args:
        path: of the MJCF file, its `.mechanism.json` beside it.
        duration: of the run [s]; rounded up to whole timesteps.
        timestep: [s]; None for the scene's. The closures' time constants go along with it.
        samples: how many states to report, evenly spread from the first to the last.
        gravity: [m/s²]; None for the scene's.
        drive: joints with a prescribed speed, `{joint: {"velocity": deg/s or mm/s}}`.
        snapshot: pictures to draw, as PartCAD's `request["snapshot"]` says; None for none.
        folder: where they go; None for beside the scene.
        misspelt: warnings about what was asked for, to be passed on.

    Returns:
        `before`, `after`, `samples` (see `read_state`), `closures` and `couplings` (maxima),
        `warnings`.

    Raises:
        MechanismError: a parameter or a scene that cannot be run; a run that diverged.
    """
    with engine_messages() as messages:
        motion = begin(_scene(Path(path), gravity, timestep), drive)
        model = motion.scene.model
        stages = {"before": stage_of(model, motion.current())}
        result = _run(motion, seconds("duration", duration), count("samples", samples))
        stages["after"] = stage_of(model, motion.current())
        result["warnings"] = _warnings(motion, [*misspelt, *messages])
    if snapshot:
        into = Path(path).parent if folder is None else Path(folder)
        result["snapshots"] = draw_snapshots(model, stages, snapshot, into)
    return result


def _scene(path: Path, gravity: Sequence[float] | None, timestep: float | None) -> Scene:
    scene = load_scene(path, None if gravity is None else vector("gravity", gravity))
    return scene if timestep is None else with_timestep(scene, seconds("timestep", timestep))


def _warnings(motion: Motion, messages: list[str]) -> list[str]:
    """Each once; without what MuJoCo says while a shorter timestep is looked for."""
    said = [*drive_warnings(motion.drives, motion.efforts, motion.time), *messages]
    return list(dict.fromkeys([*said, *gap_warnings(motion)]))


def _run(motion: Motion, duration: float, samples: int) -> Reading:
    """The first state, those sampled, the last, and what was largest on the way."""
    steps = math.ceil(duration / float(motion.scene.model.opt.timestep) * (1.0 - 1e-12))
    last = max(samples - 1, 1)
    sampled = {round(i * steps / last) for i in range(samples)}
    before = motion.read()
    readings = [before] if 0 in sampled else []
    for index in range(1, steps + 1):
        motion.step()
        if index in sampled:
            readings.append(motion.read())
    motion.watch.observe(motion.current())
    return {
        "before": before,
        "after": motion.read(),
        "samples": readings,
        "closures": largest_of(motion.watch.closures),
        "couplings": largest_errors(motion.watch.ties),
    }
