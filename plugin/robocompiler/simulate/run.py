"""Run an exported scene in MuJoCo and report what happened."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from robocompiler.simulate.drive import drive_warnings
from robocompiler.simulate.motion import Motion, begin, engine_messages
from robocompiler.simulate.parameters import count, positive, vector
from robocompiler.simulate.reading import Reading, largest_of
from robocompiler.simulate.scene import load_scene, with_timestep
from robocompiler.simulate.snapshot import draw_snapshots, stage_of
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
) -> Reading:
    """Run a scene that `write` exported as MJCF.

    Args:
        path: of the MJCF file, its `.mechanism.json` beside it.
        duration: of the run [s]; rounded up to whole timesteps.
        timestep: [s]; None for the scene's. The closures' time constants go along with it.
        samples: how many states to report, evenly spread, the first and the last among them.
        gravity: [m/s²]; None for the scene's.
        drive: joints with a prescribed speed, `{joint: {"velocity": deg/s or mm/s}}`.
        snapshot: pictures to draw, as PartCAD's `request["snapshot"]` asks for them; None for none.
        folder: where they go; None for where the scene is.

    Returns:
        `before`, `after` and `samples` (see `read_state`), `closures` with their maxima over every
        step, `warnings`, and `snapshots` where some were asked for.

    Raises:
        MechanismError: a parameter that cannot be; a scene that is not this package's.
        DivergenceError: the run left what is physical.
    """
    path = Path(path)
    duration, samples = positive("duration", duration), count("samples", samples)
    with engine_messages() as messages:
        scene = load_scene(path, None if gravity is None else vector("gravity", gravity))
        if timestep is not None:
            scene = with_timestep(scene, positive("timestep", timestep))
        motion = begin(scene, drive)
        stages = {"before": stage_of(scene.model, motion.current())}
        before, readings, after = _run(motion, duration, samples)
        stages["after"] = stage_of(scene.model, motion.current())
        warnings = [*drive_warnings(motion.drives, motion.efforts, motion.time), *messages]
        warnings += gap_warnings(motion)
    result: Reading = {
        "before": before,
        "after": after,
        "samples": readings,
        "closures": largest_of(motion.monitor),
        "warnings": list(dict.fromkeys(warnings)),
    }
    if snapshot:
        into = path.parent if folder is None else Path(folder)
        result["snapshots"] = draw_snapshots(scene.model, stages, snapshot, into)
    return result


def _run(motion: Motion, duration: float, samples: int) -> tuple[Reading, list[Reading], Reading]:
    """The first state, those sampled, and the last."""
    steps = math.ceil(duration / float(motion.scene.model.opt.timestep) * (1.0 - 1e-12))
    last = max(samples - 1, 1)
    sampled = {round(i * steps / last) for i in range(samples)}
    before = motion.read()
    readings = [before] if 0 in sampled else []
    for index in range(1, steps + 1):
        motion.step()
        if index in sampled:
            readings.append(motion.read())
    motion.monitor.observe(motion.current())
    return before, readings, motion.read()
