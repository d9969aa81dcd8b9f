"""Which solids of a PartCAD tree are one mesh, and what each mesh is called.

Pure: needs neither OCP nor a live shape, so that a dumped request gives the same names.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any

LONGEST_NAME = 60


def geometry_nodes(tree: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The nodes that carry geometry of their own, depth first, in the order they are listed."""
    if mesh_key(tree) is not None:
        yield tree
        return
    for child in tree.get("assembly") or ():
        yield from geometry_nodes(child)


def mesh_key(node: Mapping[str, Any]) -> str | None:
    """A digest of a node's geometry, equal for equal solids; None where the node has none."""
    brep = node.get("brep")
    if not isinstance(brep, str) or not brep:
        return None
    return hashlib.sha256(brep.encode()).hexdigest()


def mesh_names(tree: Mapping[str, Any]) -> dict[str, str]:
    """The name of the mesh of each distinct solid of the tree, by `mesh_key`.

    The first node with that geometry gives the name: its object's, with the parameters, without
    the package. Names are at most 60 ASCII letters, digits, `_` and `-`, and differ in more than
    case, so that each can be a file's on any system; a second mesh of one name ends in `_2`.
    """
    names: dict[str, str] = {}
    taken: set[str] = set()
    for node in geometry_nodes(tree):
        key = mesh_key(node)
        if key is None or key in names:
            continue
        names[key] = unused_name(_plain(str(node.get("name") or node.get("label") or "")), taken)
        taken.add(names[key].lower())
    return names


def _plain(name: str) -> str:
    """The object's part of a full name, `<package>:<object>[;<parameters>]`, in plain letters."""
    full, semicolon, parameters = name.partition(";")
    said = full.rpartition(":")[2] + semicolon + parameters
    ascii_only = unicodedata.normalize("NFKD", said).encode("ascii", "ignore").decode()
    return re.sub(r"[^A-Za-z0-9-]+", "_", ascii_only).strip("_-")[:LONGEST_NAME] or "mesh"


def unused_name(name: str, taken: set[str]) -> str:
    """The name, numbered if need be so that it is not among those taken (in lower case)."""
    candidate, count = name, 1
    while candidate.lower() in taken:
        count += 1
        ending = f"_{count}"
        candidate = name[: LONGEST_NAME - len(ending)] + ending
    return candidate
