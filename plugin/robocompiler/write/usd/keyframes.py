"""Where the mechanism stands, as MuJoCo has it: a keyframe for each configuration."""

from __future__ import annotations

from collections.abc import Iterator

from robocompiler.compiler.compiled import TreeJoint
from robocompiler.equations.kinematics import joint_motion
from robocompiler.model.joint_kinds import JointKind
from robocompiler.solve.describe import coordinates
from robocompiler.solve.state import evaluate
from robocompiler.spatial import Array
from robocompiler.write.links import axis_values, turns_xyz
from robocompiler.write.usd.prims import Prim, doubles
from robocompiler.write.usd.scene import Scene, display, holds


def keyframe_prims(scene: Scene) -> Iterator[Prim]:
    """A keyframe for each configuration, where it stands first."""
    for name, configuration in scene.export.configurations.items():
        given = scene.keyframes[name]
        qpos = _qpos(scene, coordinates(scene.compiled, configuration))
        yield Prim(
            name=given,
            type="MjcKeyframe",
            display=display(name, given),
            attributes={"mjc:qpos": doubles(qpos, uniform=False)},
        )


def _qpos(scene: Scene, q: Array) -> list[float]:
    """Coordinates in MuJoCo's order: body by body, depth first, as their prims stand."""
    compiled = scene.compiled
    poses = evaluate(compiled, q).poses
    found: list[float] = []
    for body in _depth_first(scene):
        index = next(i for i, t in enumerate(compiled.tree) if t.outboard == body)
        tree_joint = compiled.tree[index]
        joint, own = tree_joint.edge.joint, q[tree_joint.q]
        if joint.kind is JointKind.FREE:
            found += [*poses[body].position, *poses[body].quaternion]
            continue
        is_ball = joint.kind is JointKind.BALL
        values = ball_turns(scene, tree_joint, q) if is_ball else axis_values(joint, own)
        parts = [j.part or 0 for j in scene.tree.joints if j.source == index]
        found += [float(values[part]) for part in parts]
    return found


def ball_turns(scene: Scene, ball: TreeJoint, q: Array) -> list[float]:
    """The angles [rad] of the three hinges that are a ball, from where it stands."""
    start, end = (joint_motion(JointKind.BALL, at[ball.q], 0.0) for at in (scene.export.q, q))
    return turns_xyz((start.inverse() @ end).R)


def _depth_first(scene: Scene) -> list[int]:
    """Bodies that move, each before what it carries, as MuJoCo numbers them: in the order of their
    prims, which is the tree's, but for what hangs on a base, which comes with that, first.
    """
    carried: dict[int, list[int]] = {}
    roots: list[TreeJoint] = []
    for tree_joint in scene.compiled.tree:
        if tree_joint.inboard == 0 or not holds(tree_joint.edge.joint.kind):
            roots.append(tree_joint)
        else:
            carried.setdefault(tree_joint.inboard, []).append(tree_joint.outboard)
    if scene.base_is_rigid:
        roots.sort(key=lambda own: not holds(own.edge.joint.kind))
    order: list[int] = []
    waiting = [own.outboard for own in reversed(roots)]
    while waiting:
        body = waiting.pop()
        order.append(body)
        waiting += carried.get(body, [])[::-1]
    return order
