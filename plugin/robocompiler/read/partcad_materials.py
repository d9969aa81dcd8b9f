"""What parts are made of, where what PartCAD hands over does not follow from what they state.

PartCAD keeps what it derived from one run to the next, and does not always see that a part's
material was edited; what states nothing it weighs as aluminium.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from robocompiler.read.materials import PACKAGE, catalogue, quantity, same_density
from robocompiler.read.partcad_findings import Findings
from robocompiler.read.partcad_tree import Node

DEFAULT_DENSITY = 2700.0
"""[kg/m³] What an export weighs a part at that states nothing and is made of nothing known."""
TYPING_ERROR = 0.8
"""Names at least so alike (`difflib`) are one and its typing error."""


@dataclass(slots=True)
class Materials:
    """Checks the materials of one request's parts."""

    packages: frozenset[str]
    """What this package is mounted as, as far as it is known."""
    weighed: frozenset[int]
    """The `id` of each node that an assembly around it weighs."""
    findings: Findings
    unstated: dict[str, float] = field(default_factory=dict)
    """The density of each part that does not say what it is made of."""

    @classmethod
    def of(cls, tree: Node, packages: frozenset[str], findings: Findings) -> Materials:
        """For the parts of a tree."""
        return cls(packages, frozenset(_weighed(tree, False)), findings)

    def check(
        self, node: Node, part: str, material: str | None, physics: Mapping[str, Any]
    ) -> None:
        """Warn of a material that is not in the catalogue, or is not what the part weighs.

        Args:
            node: the part.
            part: what it is called.
            material: as it states it.
            physics: as PartCAD resolved it.
        """
        own = node.get("properties") or {}
        if own.get("physics", {}).keys() & {"density", "mass"} or id(node) in self.weighed:
            return
        density = physics.get("density")
        if not material:
            if density is not None:
                self.unstated[part] = density
            return
        package, _, name = material.rpartition(":")
        if package.rpartition("/")[2] != PACKAGE or not self._may_be_ours(package, node):
            return
        entry = catalogue().get(name)
        if entry is None:
            self._unknown(part, material, density)
            return
        said = quantity(entry, "density")
        if density is not None and not same_density(density, said):
            self.findings.warn(
                f"Part '{part}': material {material} has {said:g} kg/m³, but PartCAD hands over "
                f"{density:g}: a stale cache? Stop the daemon (`pc daemon stop --all`) and delete "
                "the folder `cache` of PartCAD's state."
            )

    def _unknown(self, part: str, material: str, density: float | None) -> None:
        name = material.rpartition(":")[2]
        names = sorted(catalogue())
        near = difflib.get_close_matches(name, names, n=1, cutoff=0.4)
        typed = difflib.get_close_matches(name, names, n=1, cutoff=TYPING_ERROR)
        if names and (self.packages or typed or density in (None, DEFAULT_DENSITY)):
            hint = f" Did you mean '{near[0]}'?" if near else ""
            self.findings.warn(f"Part '{part}': there is no material {material}.{hint}")

    def _may_be_ours(self, package: str, node: Node) -> bool:
        """Whether a package is, or for all we know could be, the catalogue's."""
        within = str(node.get("name") or "").partition(";")[0].rpartition(":")[0].strip("/")
        absolute = package if package.startswith("//") else f"//{within}/{package}"
        ours = {_plain(f"{mount}/{PACKAGE}") for mount in self.packages}
        return not ours or _plain(absolute) in ours

    def tell_unstated(self) -> None:
        """Warn once of all parts that do not say what they are made of."""
        for density in sorted(set(self.unstated.values())):
            parts = sorted(part for part, d in self.unstated.items() if d == density)
            named = ", ".join(f"'{part}'" for part in parts)
            states = "Part {} states" if len(parts) == 1 else "Parts {} state"
            self.findings.warn(
                f"{states.format(named)} no material: PartCAD's default of {density:g} kg/m³ is "
                "used."
            )


def _plain(package: str) -> str:
    return "/".join(name for name in package.split("/") if name)


def _weighed(node: Node, inside: bool) -> Iterator[int]:
    """The nodes in an assembly that states its own mass."""
    if inside:
        yield id(node)
    physics = (node.get("properties") or {}).get("physics") or {}
    for child in node.get("assembly") or ():
        yield from _weighed(child, inside or "mass" in physics)
