"""What a format is to the rest: a table's column, and a function that writes it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from robocompiler.model.joint_kinds import JointKind
from robocompiler.write.export import Export
from robocompiler.write.fidelity import Carries
from robocompiler.write.options import WriteOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """A format of files."""

    name: str
    """As users call it: `urdf`."""
    title: str
    """As texts call it: `URDF`."""
    suffixes: tuple[str, ...]
    """Of files in it, in lower case, with their dots; the first is the usual one."""
    options: frozenset[str]
    """Fields of `WriteOptions` that it reads."""
    cuttable: Callable[[WriteOptions], frozenset[JointKind]]
    """Kinds whose closure it can write exactly."""
    carries: Callable[[WriteOptions], Carries]
    """How it carries each property, as a rule."""
    contents: Callable[[Export], dict[str, bytes]]
    """The model's file, first, and what goes beside it but meshes: by path from the folder."""
    sometimes: tuple[str, ...] = ()
    """What `contents` has of some mechanisms only, in place of the model's suffix."""
