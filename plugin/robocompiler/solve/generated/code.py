"""The generated code of one mechanism: traced when it is needed, and not where it is known."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from threading import RLock
from typing import Any

from robocompiler.codegen.emitters import Emitter, Loaded
from robocompiler.codegen.kernels import Kernel, Made, Notes, Settings
from robocompiler.compiler.block_types import content_of
from robocompiler.compiler.generate import generate, jacobian
from robocompiler.compiler.tracing import Traced, trace
from robocompiler.solve.generated.layout import Layout
from robocompiler.spatial import Array

TRACED = ("spatial.py", "model", "equations", "codegen", "compiler")
"""What generated code is made by: of other sources it is another."""


class Code:
    """Kernels of a mechanism's blocks, by their names (see `generate`), bound to buffers."""

    def __init__(self, layout: Layout, emitter: Emitter) -> None:
        self.layout, self.emitter = layout, emitter
        self._lock = RLock()  # tracing is not for several threads, and copies share this
        self._traced: dict[int, Traced] = {}
        self._tables: dict[tuple[int, str], Array] = {}
        self._loaded: dict[tuple[int, str, bool], Loaded] = {}
        self._contents = [hashed(content_of(kind)) for kind in layout.types]

    def __reduce__(self) -> tuple[Any, ...]:
        """For `pickle`: it is loaded anew, from where it is kept."""
        return Code, (self.layout, self.emitter)

    def __deepcopy__(self, memo: dict[int, Any]) -> Code:
        """Itself: buffers are what copies must not share."""
        return self

    def traced(self, kind: int) -> Traced:
        """A type of block as symbols."""
        with self._lock:
            if kind not in self._traced:
                self._traced[kind] = trace(self.layout.types[kind])
            return self._traced[kind]

    def kernel(self, kind: int, name: str) -> Kernel:
        """One of a type's kernels."""
        with self._lock:
            return generate(self.traced(kind), name)

    def loaded(self, kind: int, name: str, many: bool = False) -> Loaded:
        """A kernel ready to be bound; `many` where it is for many states at once."""
        return self.loaded_as(kind, name, lambda: self._made(kind, name), many)

    def loaded_as(self, kind: int, name: str, make: Made, many: bool = True) -> Loaded:
        """What is made for a type, by a name of its own, ready to be bound."""
        at = (kind, name, many)
        with self._lock:
            if at not in self._loaded:
                key = f"{name}-{sources()}-{self._contents[kind]}"
                self._loaded[at] = self.emitter.load(key, many, make)
            return self._loaded[at]

    def _made(self, kind: int, name: str) -> tuple[Kernel, Notes]:
        notes: Notes = {}
        if name == "evaluate":
            entries, _ = jacobian(self.traced(kind))
            notes = {"entries": [list(entry) for entry in entries]}
        return self.kernel(kind, name), notes

    def table(self, kind: int, name: str) -> Array:
        """Which rows each block of a type uses."""
        if (kind, name) not in self._tables:
            self._tables[kind, name] = self._table(kind, name)
        return self._tables[kind, name]

    def _table(self, kind: int, name: str) -> Array:
        if name == "evaluate":
            entries = self.loaded(kind, name).notes["entries"]
            return self.layout.evaluation_table(kind, tuple((i, j) for i, j in entries))
        return self.layout.state_table(kind, speeds=name == "motion")

    def prepare(
        self,
        name: str,
        x: Array,
        y: Array,
        status: list[Array],
        settings: Settings | None,
        states: range,
        releasing: bool = False,
    ) -> list[Callable[[], int]]:
        """A kernel of every type bound to buffers; `status` of each type, (blocks, states)."""
        return [
            self.loaded(kind, name, len(states) > 1 or releasing).prepare(
                x, y, own, self.table(kind, name), settings, states, releasing
            )
            for kind, own in enumerate(status)
        ]

    def prepare_following(
        self,
        kind: int,
        table: Array,
        x: Array,
        status: Array,
        targets: Array,
        out: tuple[Array, bool],
        settings: Settings,
    ) -> Callable[[], int]:
        """Some blocks of a type, lines of its `following_table`, led along targets (knots, nq),
        `out` taking the state at each knot, and with it the results where it says so.
        """
        states = x if out[1] else x[: out[0].shape[1]]
        return self.loaded(kind, "follow").prepare_continued(
            states, x, status, targets, out[0], out[0] if out[1] else None, table, settings
        )


def hashed(content: bytes) -> str:
    """Of what code is made of."""
    return hashlib.sha256(content).hexdigest()


@cache
def sources() -> str:
    """A hash of the sources that generated code is made by."""
    root = Path(__file__).parents[2]
    digest = hashlib.sha256()
    for name in TRACED:
        for file in _files(root / name):
            digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def _files(place: Path) -> list[Path]:
    """The sources of a folder; where only what Python made of them is installed, that."""
    if not place.is_dir():
        return [place if place.exists() else place.with_suffix(".pyc")]
    # Walked rather than globbed, which takes twice as long, since this is done at each start.
    found = [Path(folder, name) for folder, _, names in os.walk(place) for name in names]
    return sorted(f for f in found if f.suffix == ".py") or sorted(
        f for f in found if f.suffix == ".pyc"
    )
