"""A scene in motion: one step after another, and the end of it where it is no longer physical."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from robocompiler.errors import DivergenceError
from robocompiler.simulate.drive import Drive, hold, start_drives
from robocompiler.simulate.reading import Reading, read_state
from robocompiler.simulate.scene import Scene
from robocompiler.simulate.watch import Watch
from robocompiler.spatial import Array

FARTHEST = 1e3
"""How far from the origin a body may be [m]."""
FASTEST = 1e8
"""What no speed is beyond [m/s or rad/s]."""
STRETCH = 40
"""Steps between two states that are remembered: ten time constants of a closure and more."""


@dataclass(frozen=True, slots=True, eq=False)
class Moment:
    """A state to begin again from."""

    time: float
    state: Array


@dataclass(frozen=True, slots=True, eq=False)
class Worst:
    """What was furthest from what is allowed in a run, and from where it can be seen again."""

    index: int
    """Of what is watched."""
    off: float
    """Over what is allowed."""
    time: float
    before: Moment


class Motion:
    """A scene that is stepped, its drives kept up, its loops and couplings watched."""

    def __init__(self, scene: Scene, drives: tuple[Drive, ...], data: Any, time: float) -> None:
        import mujoco

        self.scene, self.drives, self.data = scene, drives, data
        self.watch = Watch(scene)
        self.efforts = {drive.name: 0.0 for drive in drives}
        """The largest effort each drive needed [N or N m]."""
        self._origin, self._steps = time, 0
        self._scratch = mujoco.MjData(scene.model)
        self._remembered = [self.remember()]
        self.worst = Worst(0, 0.0, time, self._remembered[0])
        self.opened: str | None = None
        """What was first further off than allowed, and when, in words."""

    @property
    def time(self) -> float:
        """[s], without the rounding that adding up steps makes."""
        return self._origin + self._steps * float(self.scene.model.opt.timestep)

    def step(self) -> float:
        """One step; returns how far off the worst of what is watched was, over what is allowed.

        Raises:
            DivergenceError: what comes out of it is no state of a mechanism.
        """
        import mujoco

        if self._steps % STRETCH == 0:
            self._remembered = [self._remembered[-1], self.remember()]
        mujoco.mj_step(self.scene.model, self.data)
        off = self._observe()
        for drive in self.drives:
            needed = abs(drive.effort(self.data))
            self.efforts[drive.name] = max(self.efforts[drive.name], needed)
        self._steps += 1
        hold(self.drives, self.data, self.time)
        self._check()
        return off

    def _observe(self) -> float:
        """How far off the worst is now, over what is allowed."""
        now = self.watch.observe(self.data)
        if not now.size:
            return 0.0
        index = int(now.argmax())
        off = float(now[index])
        if off > self.worst.off:
            self.worst = Worst(index, off, self.time, self._remembered[0])
        if off > 1.0 and self.opened is None:
            watched = self.watch.watched[index]
            allowed = watched.shown(watched.allowed)
            self.opened = f"{watched.what} by more than {allowed} from t = {self.time:.4g} s on"
        return off

    def read(self) -> Reading:
        """The present state, as it is reported. Does not disturb the run."""
        data = self.current()
        return read_state(self.scene, data, self.time, self.watch, self.drives)

    def current(self) -> Any:
        """The present state with poses and forces that belong to it.

        A step leaves behind the poses and forces that it began with.
        """
        import mujoco

        mujoco.mj_copyData(self._scratch, self.scene.model, self.data)
        mujoco.mj_forward(self.scene.model, self._scratch)
        return self._scratch

    def remember(self) -> Moment:
        """The present state, to begin again from."""
        import mujoco

        full = mujoco.mjtState.mjSTATE_FULLPHYSICS
        state = np.zeros(mujoco.mj_stateSize(self.scene.model, full))
        mujoco.mj_getState(self.scene.model, self.data, state, full)
        return Moment(self.time, state)

    def _check(self) -> None:
        """Whether every body is still somewhere: comparisons that a NaN fails too."""
        data = self.data
        reach = float(np.abs(data.xpos).max())
        speed = float(np.abs(data.qvel).max(initial=0.0))
        if reach < FARTHEST and speed < FASTEST:
            return
        strayed = ~(np.abs(data.xpos).max(axis=1) < FARTHEST)
        racing = ~(np.abs(data.qvel) < FASTEST)
        if strayed.any():
            body = int(np.flatnonzero(strayed)[0])
            known = np.isfinite(data.xpos[body]).all()
            what = "is more than 1 km away" if known else "has a position that is not a number"
        else:
            body = int(self.scene.model.dof_bodyid[np.flatnonzero(racing)[0]])
            what = "has a speed that is not a number, or none that anything has"
        if self.opened:
            what = f"{what}; {self.opened}"
        raise DivergenceError(self.time, self.scene.model.body(body).name, what)


def begin(scene: Scene, drive: Mapping[str, Any] | None) -> Motion:
    """The scene at its assembled configuration, its drives running."""
    import mujoco

    data = mujoco.MjData(scene.model)
    if scene.model.nkey:
        mujoco.mj_resetDataKeyframe(scene.model, data, 0)
    return Motion(scene, start_drives(scene, data, drive), data, 0.0)


def begin_again(scene: Scene, drives: tuple[Drive, ...], moment: Moment) -> Motion:
    """The scene at a state that was remembered, maybe with another timestep."""
    import mujoco

    data = mujoco.MjData(scene.model)
    mujoco.mj_setState(scene.model, data, moment.state, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    return Motion(scene, drives, data, moment.time)


@contextmanager
def engine_messages() -> Iterator[list[str]]:
    """Collect what MuJoCo warns of, which it would print and write into a file otherwise."""
    import mujoco

    messages: list[str] = []
    previous = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(lambda text: messages.append(str(text).strip()))
    try:
        yield messages
    finally:
        mujoco.set_mju_user_warning(previous)
