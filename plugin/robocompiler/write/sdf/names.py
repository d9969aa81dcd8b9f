"""What an SDFormat model calls things: links, joints and frames share one scope.

Where several would have one name the joint has it, since it is what one commands.
"""

from __future__ import annotations

from dataclasses import dataclass

from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import WORLD
from robocompiler.write.links import LinkTree
from robocompiler.write.loops import closure_frames
from robocompiler.write.names import Legal, changed, legal_names, unused
from robocompiler.write.statements import named_frames

TITLE = "SDFormat"


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """By the mechanism's names."""

    links: dict[str, str]
    """Of links, `WORLD` for the base where there is one, and of bodies welded to others, which are
    frames."""
    joints: dict[str, str]
    """Of the links' joints and of those that were cut."""
    frames: dict[str, str]
    """Of frames that no joint has."""
    closures: dict[str, tuple[str, str]]
    """Of the frames F and M of each loop's cut joint."""
    used: frozenset[str]
    """All of them, and what Drake makes of joints' names: frames `<joint>_parent` and `_child`."""

    @property
    def changed(self) -> dict[str, dict[str, str]]:
        """Those that are not the mechanism's, by kind."""
        bodies = {name: given for name, given in self.links.items() if name != WORLD}
        kinds = {"body": bodies, "joint": self.joints, "frame": self.frames}
        return {kind: changed(names) for kind, names in kinds.items() if changed(names)}


def legal(name: str) -> str:
    """A name that SDFormat takes: `::` separates scopes, `__x__` and `world` are its own."""
    told = "".join(letter if letter.isprintable() else "_" for letter in name).strip()
    told = told.replace("::", "_")
    if told.startswith("__") and told.endswith("__"):
        told = told.strip("_")
    return f"{told}_" if told == WORLD else told


def sdf_names(compiled: CompiledMechanism, tree: LinkTree) -> Names:
    """Names for all that a model has.

    Raises:
        UnwritableError: names of which nothing can be written.
    """
    moving = [joint.name for joint in tree.joints if joint.kind is not JointKind.FREE]
    cut = [closure.chord.joint.name for closure in compiled.closures]
    joints = legal_names("joint", [*moving, *cut], legal, TITLE)
    used = set(joints.values())
    used |= {f"{joints[name]}_{side}" for name in moving for side in ("parent", "child")}
    first = [_base_name(compiled)] if has_base(compiled) else []
    bodies = [welded.name for welded in compiled.welded]
    own = [*first, *(link.name for link in tree.links[1:]), *bodies]
    links = legal_names("body", own, _apart("link", used), TITLE, used)
    if first:
        links[WORLD] = links[first[0]]
    used |= set(links.values())
    frames = legal_names("frame", named_frames(compiled), _apart("frame", used), TITLE, used)
    used |= set(frames.values())
    closures: dict[str, tuple[str, str]] = {}
    for closure in compiled.closures:
        parent, child = (unused(legal(name), used) for name in closure_frames(closure))
        closures[closure.name] = (parent, child)
        used |= {parent, child}
    return Names(links=links, joints=joints, frames=frames, closures=closures, used=frozenset(used))


def _apart(what: str, used: set[str]) -> Legal:
    """Legal names that say what they are of where another thing has the name."""
    taken = frozenset(used)

    def told(name: str) -> str:
        plain = legal(name)
        return f"{plain}_{what}" if plain in taken else plain

    return told


def _base_name(compiled: CompiledMechanism) -> str:
    """The first body that is welded to the world, or `base` where none is."""
    fixed = [welded.name for welded in compiled.welded if welded.host == 0]
    return fixed[0] if fixed else unused("base", {body.name for body in compiled.bodies})


def has_base(compiled: CompiledMechanism) -> bool:
    """Whether something stands on what does not move: SDFormat's own `world` takes none of it."""
    if compiled.bodies[0].inertia is not None or compiled.bodies[0].shapes:
        return True
    ends = {
        end for closure in compiled.closures for end in (closure.chord.parent, closure.chord.child)
    }
    if 0 in ends or any(welded.host == 0 and welded.name != WORLD for welded in compiled.welded):
        return True
    unused_frames = set(named_frames(compiled))
    return any(f.name in unused_frames and f.body == WORLD for f in compiled.mechanism.frames)
