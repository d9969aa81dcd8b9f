"""What cannot be written, or run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from robocompiler.errors.base import MechanismError


class UnwritableError(MechanismError):
    """A mechanism of which some part has no exact encoding in a format."""


class LossError(UnwritableError):
    """A format would lose something of a mechanism, and that was not to be."""

    def __init__(self, title: str, lost: Sequence[str]) -> None:
        self.lost = tuple(lost)
        super().__init__(
            f"{title} cannot say {len(self.lost)} of the things that this mechanism says, and "
            f"`strict` asks for all: {'; '.join(self.lost)}. Nothing was written. Take them out of "
            "the description, choose another format, or leave `strict` out."
        )


class OutputError(MechanismError):
    """A file or folder that cannot be written."""

    def __init__(self, path: Path, reason: str) -> None:
        self.path = path
        super().__init__(f"Cannot write '{path}': {reason}. Nothing was left there.")


class ForeignFilesError(OutputError):
    """Files that stand beside a model under names of ours, and are not of our making."""

    def __init__(self, path: Path, files: Sequence[Path]) -> None:
        self.files = tuple(files)
        names = " and ".join(f"'{file.name}'" for file in files)
        are, them = ("is", "it") if len(files) == 1 else ("are", "them")
        super().__init__(
            path,
            f"beside it {names} would be replaced, which {are} not of RoboCompiler's making. Move "
            f"{them}, or give the model another name",
        )


class GenerationError(MechanismError):
    """Equations of which no code can be made."""

    def __init__(self, reason: str) -> None:
        super().__init__(
            f"No code can be generated: {reason}. Without generated code everything works as it "
            "is, more slowly; please report the mechanism."
        )


class UnfitArrayError(MechanismError):
    """An array that a generated function cannot run on."""

    def __init__(self, name: str, found: str, needed: str) -> None:
        self.name = name
        super().__init__(f"'{name}' of a generated function {found}; needed: {needed}.")


class CacheWarning(UserWarning):
    """Generated code cannot be kept on disk."""


class DriveError(MechanismError):
    """A joint that cannot be driven as asked."""


class DivergenceError(MechanismError):
    """A simulation that left what is physical."""

    def __init__(self, time: float, body: str, what: str) -> None:
        self.time, self.body = time, body
        super().__init__(
            f"The simulation diverged at t = {time:.6g} s: body '{body}' {what}. "
            "Try a smaller `timestep`, or check masses, limits and drives."
        )
