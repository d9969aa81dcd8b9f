"""What the prims of a stage are made from: the export, its links, and what they are called."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from robocompiler.compiler.compiled import Closure, CompiledMechanism, TreeJoint
from robocompiler.equations.kinematics import joint_motion
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import WORLD, Joint, Surface
from robocompiler.solve.state import State
from robocompiler.spatial import Array, Pose
from robocompiler.write.base import base_pose
from robocompiler.write.export import Export
from robocompiler.write.ledger import Ledger
from robocompiler.write.links import Link, LinkJoint, LinkTree, link_tree
from robocompiler.write.names import changed, legal_names
from robocompiler.write.usd.profiles import Profile

TITLE = "USD"
ROOT = "PhysicsArticulationRootAPI"
JOINTS, MATERIALS, ACTUATORS, KEYFRAMES = "joints", "materials", "actuators", "keyframes"
"""Scopes below the model, whose names no body can have."""

Stuff = tuple[tuple[float, float, float, float] | None, Surface]
"""What a shape looks like, and what it feels like."""


@dataclass(frozen=True, eq=False)
class Scene:
    """What the elements are made from."""

    export: Export
    profile: Profile

    @property
    def compiled(self) -> CompiledMechanism:
        """The mechanism, cut."""
        return self.export.compiled

    @property
    def ledger(self) -> Ledger:
        """Takes what USD cannot say."""
        return self.export.ledger

    @cached_property
    def state(self) -> State:
        """The poses of its bodies where it stands."""
        return self.export.state

    @cached_property
    def rebased(self) -> tuple[CompiledMechanism, Array]:
        """The mechanism with its balls counting from where they stand, and where it stands then.

        No importer lets a ball stand anywhere but at its zero, and hinges in place of a ball are
        farthest there from where they lock.
        """
        compiled, q = self.compiled, self.export.q.copy()
        tree = []
        for joint in compiled.tree:
            if joint.edge.joint.kind is JointKind.BALL:
                stands = joint_motion(JointKind.BALL, q[joint.q], 0.0)
                edge = replace(joint.edge, X_PF=joint.edge.X_PF @ stands)
                joint = replace(joint, edge=edge)
                q[joint.q] = JointKind.BALL.zero
            tree.append(joint)
        return replace(compiled, tree=tuple(tree)), q

    @cached_property
    def native(self) -> frozenset[JointKind]:
        """Kinds that are one joint each; none that cannot be crossed backwards where one is."""
        back = {t.edge.joint.kind for t in self.compiled.tree if t.reversed}
        return self.profile.native - (back & {JointKind.PLANAR})

    @cached_property
    def tree(self) -> LinkTree:
        """The bodies, and what stands between axes, with the joints between them."""
        compiled, q = self.rebased
        return link_tree(compiled, q, self.native, zero=False)

    @cached_property
    def base(self) -> str:
        """What does not move, by the name of the first body of it, or `world` for bare joints."""
        fixed = [welded.name for welded in self.compiled.welded if welded.host == 0]
        return fixed[0] if fixed else WORLD

    @cached_property
    def base_pose(self) -> Pose:
        """Where the base's own frame stands in the world."""
        return base_pose(self.compiled)

    @cached_property
    def base_is_rigid(self) -> bool:
        """Whether the base is a rigid body, fixed to the world: if it weighs something.

        For PhysX also if it carries anything, since joints on the bare world have no coordinate;
        and for all but MuJoCo if it carries trees that a loop or a coupling ties: they are to be
        one articulation, or Newton reads no such file.
        """
        weighs = self.compiled.bodies[0].inertia is not None
        return weighs or (self.profile.physx and self.carries) or self._ties_trees

    @cached_property
    def carries(self) -> bool:
        """Whether a joint holds anything to what does not move."""
        return any(t.inboard == 0 and holds(t.edge.joint.kind) for t in self.compiled.tree)

    @cached_property
    def _ties_trees(self) -> bool:
        """Whether a loop or a coupling ties trees that are on the world next to one another."""
        tree, closures = self.compiled.tree, self.compiled.closures
        tied = [(c.chord.parent, c.chord.child) for c in closures if holds(c.kind)]
        tied += [
            (tree[coupling.follower.tree_joint].outboard, tree[leader.tree_joint].outboard)
            for coupling in self.compiled.couplings
            for leader in coupling.leaders
        ]
        trees = [{self._tree_on_world(body) for body in pair} - {0} for pair in tied]
        return not self.profile.mujoco and any(len(pair) > 1 for pair in trees)

    def _tree_on_world(self, body: int) -> int:
        """The first body of the tree on the world that a body is of; 0 where that floats."""
        return next((b for b, t in self._way(body) if t.inboard == 0 and not _floats(t)), 0)

    def articulation(self, body: int) -> int:
        """The body that floats and carries a body, or is it; 0 where it is on the world."""
        return next((b for b, t in self._way(body) if _floats(t)), 0)

    def _way(self, body: int) -> Iterator[tuple[int, TreeJoint]]:
        """Bodies from one to the world, or to the first that floats, and the joint to each."""
        leads_to = {t.outboard: t for t in self.compiled.tree}
        while body:
            joint = leads_to[body]
            yield body, joint
            body = 0 if _floats(joint) else joint.inboard

    @cached_property
    def model(self) -> str:
        """The prim that the file stands for."""
        return self._named("model", [self.compiled.mechanism.name])[self.compiled.mechanism.name]

    @cached_property
    def links(self) -> dict[str, str]:
        """Names of the prims of links, by the links'; the world's is the base's."""
        links = [link.name for link in self.written_links if link.body != 0]
        names = self._named("body", [self.base, *links])
        return {self.tree.links[0].name: names[self.base], **names}

    @cached_property
    def written_links(self) -> tuple[Link, ...]:
        """The links that are prims: bodies, and what stands between axes where there must be."""
        stacked = self.profile.stacked
        return tuple(link for link in self.tree.links if link.body is not None or not stacked)

    @cached_property
    def joints(self) -> dict[str, str]:
        """Names of the prims of joints, by the joints'."""
        return self._named("joint", [joint.name for joint in self.tree.joints], ("fixed",))

    @cached_property
    def closures(self) -> dict[str, str]:
        """Names of the prims of closures, by `closure_names`: a loop may be called as a joint of
        the tree, where another joint than the one that was to close it is cut.
        """
        names = [name for closure in self.compiled.closures for name in closure_names(closure)]
        return self._named("loop", names, ("fixed", *self.joints.values()))

    @cached_property
    def meshes(self) -> dict[str, str]:
        """Names of the prims at the top that hold meshes, by the meshes'."""
        prefixed = {name: f"_mesh_{name}" for name in self.export.meshes.triangles}
        given = legal_names("mesh", prefixed.values(), legal, TITLE, (self.model,))
        return {name: given[long] for name, long in prefixed.items()}

    @cached_property
    def materials(self) -> dict[Stuff, str]:
        """A name for each material that any shape states something of, in the order of shapes."""
        meshes = self.export.meshes.files
        shapes = [s for body in self.compiled.bodies for s in body.shapes if s.mesh in meshes]
        stated = dict.fromkeys((s.color, s.surface) for s in shapes)
        stated.pop((None, Surface()), None)
        return {stuff: f"material_{number}" for number, stuff in enumerate(stated, 1)}

    @cached_property
    def actuators(self) -> dict[str, str]:
        """Names of the prims of actuators, and of the tendons of those that move several joints."""
        own = self.compiled.mechanism.actuators
        tendons = [f"{a.name}/gears" for a in own if len(a.transmissions) > 1]
        return self._named("actuator", [*(a.name for a in own), *tendons])

    @cached_property
    def keyframes(self) -> dict[str, str]:
        """Names of the prims of configurations."""
        return self._named("configuration", list(self.export.configurations))

    @cached_property
    def at(self) -> dict[str, Pose]:
        """Where each link's frame is in the world."""
        state = self.state
        links = {link.name: link for link in self.tree.links}
        found = {self.tree.links[0].name: Pose.identity()}
        for joint in self.tree.joints:
            link = links[joint.child]
            if link.body is None:
                found[link.name] = found[joint.parent] @ joint.X_PC
            else:
                found[link.name] = state.poses[link.body] @ link.X_BL
        return found

    @cached_property
    def stands(self) -> dict[str, Pose]:
        """Where each link's prim is in the world: a body's where its own frame is, the base's where
        that of the first body of it is.
        """
        world, *links = self.tree.links
        found = {link.name: self.at[link.name] @ link.X_BL.inverse() for link in links}
        return {world.name: self.base_pose, **found}

    def outer_link(self, joint: LinkJoint) -> str:
        """The link whose prim a joint leads to: after all of them, where joints are stacked."""
        if not self.profile.stacked:
            return joint.child
        return [j.child for j in self.tree.joints if j.source == joint.source][-1]

    def inner_link(self, joint: LinkJoint) -> str:
        """The link whose prim a joint leads from."""
        if not self.profile.stacked:
            return joint.parent
        return next(j.parent for j in self.tree.joints if j.source == joint.source)

    def link_of(self, body: int) -> str:
        """The name of a compiled body's link."""
        return self.tree.of_body(body).name

    def path(self, link: str) -> str:
        """Of a link's prim."""
        return f"/{self.model}/{self.links[link]}"

    def joint_end(self, link: str) -> tuple[str, Pose]:
        """What a joint at a link is at: the path of a rigid body and where that stands, or "" and
        the world, which a base without weight is part of.
        """
        if link == self.tree.links[0].name and not self.base_is_rigid:
            return "", Pose.identity()
        return self.path(link), self.stands[link]

    def joint_path(self, joint: str) -> str:
        """Of a joint's prim."""
        return f"/{self.model}/{JOINTS}/{self.joints[joint]}"

    def actuator_path(self, prim: str) -> str:
        """Of an actuator's prim, or its tendon's, by the prim's name."""
        return f"/{self.model}/{ACTUATORS}/{prim}"

    def joint_of(self, source: int) -> Joint:
        """The joint of the mechanism that a tree joint is."""
        return self.compiled.tree[source].edge.joint

    def _named(self, kind: str, names: list[str], taken: tuple[str, ...] = ()) -> dict[str, str]:
        reserved = (JOINTS, MATERIALS, ACTUATORS, KEYFRAMES) if kind == "body" else taken
        given = legal_names(kind, names, legal, TITLE, reserved)
        if other := changed(given):
            self.export.names[kind] = self.export.names.get(kind, {}) | other
        return given


def closure_names(closure: Closure) -> tuple[str, str]:
    """Of its joint, and of a second one along the axis of a spatial hinge."""
    return closure.name, f"{closure.name}/axis"


def legal(name: str) -> str:
    """A name of letters, digits and underscores that begins with no digit; "" of none."""
    if not re.search("[A-Za-z0-9]", name):
        return ""
    plain = re.sub("[^A-Za-z0-9_]+", "_", name)
    return f"_{plain}" if plain[0].isdigit() else plain


def display(name: str, given: str) -> str:
    """What a prim shows as its name: nothing where it has it."""
    return "" if name == given else name


def in_degrees(angle: float) -> float:
    """From radians, in which everything but USD's joints has its angles."""
    return math.degrees(angle)


def _floats(joint: TreeJoint) -> bool:
    return not holds(joint.edge.joint.kind)


def holds(kind: JointKind) -> bool:
    """Whether a joint holds anything at all."""
    return kind is not JointKind.FREE


FLIP = np.array([[0.0, -1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, -1.0]])
"""Half a turn: z becomes -z, x becomes -y and y becomes -x, so that a joint crossed backwards, its
motions inverted and in reverse order, has them again with their signs."""
