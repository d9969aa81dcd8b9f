"""Pictures that commands draw, refused before any work where they could not be drawn."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np

from robocompiler.errors import BadValueError, MechanismError


class Picture:
    """A picture that is to be drawn, its format told by the file's suffix."""

    def __init__(self, path: Path, command: str) -> None:
        """Check that it can be drawn.

        Raises:
            BadValueError: a suffix of no picture.
            MechanismError: Matplotlib is not installed.
        """
        self.path, self.kind = path, path.suffix.lower().lstrip(".")
        if self.kind not in ("png", "svg", "pdf"):
            raise BadValueError(command, "--plot", str(path), "a .png, .svg or .pdf file")
        try:
            from matplotlib.backends.backend_agg import FigureCanvasAgg
            from matplotlib.figure import Figure
        except ImportError as error:
            raise MechanismError(
                "--plot needs matplotlib: `pip install partcad-robocompiler[cli]`."
            ) from error
        self._figure: Any = Figure(layout="constrained")
        FigureCanvasAgg(self._figure)

    def axes(self, count: int) -> list[Any]:
        """Some axes below each other, that share what they are over."""
        self._figure.set_size_inches(8.0, 3.2 * max(count, 1) + 0.6)
        return list(self._figure.subplots(max(count, 1), 1, sharex=True, squeeze=False)[:, 0])

    def content(self) -> bytes:
        """What was drawn, as the file has it."""
        made = io.BytesIO()
        self._figure.savefig(made, format=self.kind)
        return made.getvalue()


def finish_axes(ax: Any, label: str) -> None:
    """What all axes have."""
    ax.set_ylabel(label)
    ax.grid(visible=True, alpha=0.3)
    ax.legend(fontsize="small")


def shown(values: Any, unit: str) -> tuple[Any, str]:
    """Values [rad or m] as people read them, and in what."""
    turns = unit == "radian"
    return (np.degrees(values), "°") if turns else (np.asarray(values) * 1e3, "mm")
