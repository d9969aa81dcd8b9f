"""An exported scene, loaded: MuJoCo's model, and the mechanism it was written from."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

from robocompiler.compiler.compile import compile_mechanism
from robocompiler.compiler.compiled import CompiledMechanism, Edge
from robocompiler.errors import CutError, FormatError, UnknownNameError
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import Mechanism
from robocompiler.model.text import from_json
from robocompiler.spatial import Array, Pose, Vec3, cross
from robocompiler.write.export import SIDECAR
from robocompiler.write.mjcf.names import CUTS, MJCF_CUTTABLE, joint_names


@dataclass(frozen=True, slots=True)
class Coordinate:
    """Where MuJoCo keeps a single coordinate of a tree joint."""

    q: int
    """Index into `qpos`."""
    v: int
    """Index into `qvel`."""


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """A model to be stepped. MuJoCo's types are `Any`: the library must import without it."""

    compiled: CompiledMechanism
    model: Any
    """`mujoco.MjModel`. `with_timestep` copies it; nothing else here changes it but a drive."""
    bodies: tuple[int, ...]
    """MuJoCo's number of every compiled body."""
    coordinates: dict[str, Coordinate]
    """By joint, or `joint/label` where the joint has several. Balls and free joints have none:
    theirs are taken from the poses of their bodies."""

    def pose(self, data: Any, body: int) -> Pose:
        """Where a compiled body is in the world."""
        at = self.bodies[body]
        return Pose(data.xmat[at].reshape(3, 3).copy(), data.xpos[at].copy())

    def joint_pose(self, data: Any, edge: Edge) -> Pose:
        """X_FM of a joint, whether the tree has it or it was cut."""
        X_WF = self.pose(data, edge.parent) @ edge.X_PF
        return X_WF.inverse() @ (self.pose(data, edge.child) @ edge.X_CM)

    def joint_twist(self, data: Any, edge: Edge) -> Array:
        """The spatial twist of M against F, seen from F, shape (6,)."""
        X_WF = self.pose(data, edge.parent) @ edge.X_PF
        (v, w), (v_F, w_F) = (self._twist(data, b, X_WF.p) for b in (edge.child, edge.parent))
        return np.concatenate([X_WF.R.T @ (v - v_F), X_WF.R.T @ (w - w_F)])

    def _twist(self, data: Any, body: int, at: Array) -> tuple[Array, Array]:
        """Linear velocity of the body's point that passes `at`, and angular velocity, in world."""
        import mujoco

        number, twist = self.bodies[body], np.zeros(6)
        kind = mujoco.mjtObj.mjOBJ_XBODY
        mujoco.mj_objectVelocity(self.model, data, kind, number, twist, 0)
        w, v = twist[:3], twist[3:]
        return v + cross(w, at - data.xpos[number]), w


_FROM_MJCF = (
    "A scene is simulated from the MJCF that this package exports, with the '{}' it writes beside "
    "it: export again, as MJCF."
)


def load_scene(path: Path, gravity: Vec3 | None = None) -> Scene:
    """The scene that the MJCF writer put at `path`, with the mechanism from its sidecar.

    Args:
        path: of the MJCF file; `<name>.mechanism.json` is beside it.
        gravity: [m/s²] in place of the scene's.

    Raises:
        FormatError: a file that is missing, unreadable, no MJCF, or not of the other's making.
    """
    import mujoco

    sidecar = path.with_suffix(SIDECAR)
    if not path.is_file():
        raise FormatError(f"There is no '{path}'. {_FROM_MJCF.format(sidecar.name)}")
    if not _is_mjcf(path):
        raise FormatError(f"'{path}' is no MJCF. {_FROM_MJCF.format(sidecar.name)}")
    if not sidecar.is_file():
        raise FormatError(f"There is no '{sidecar}'. {_FROM_MJCF.format(sidecar.name)}")
    mechanism = from_json(sidecar.read_text(encoding="utf-8"), str(sidecar))
    try:
        model = mujoco.MjModel.from_xml_path(str(path))
    except ValueError as error:
        raise FormatError(f"MuJoCo cannot load '{path}': {error}") from error
    compiled = _compiled(mechanism, model)
    if gravity is not None:
        model.opt.gravity[:] = gravity
    model.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
    # A state that is no longer physical must end the run, not be reset behind its back.
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_AUTORESET
    bodies = (0, *(number_of(model, "body", body.name) for body in compiled.bodies[1:]))
    return Scene(compiled, model, bodies, dict(_coordinates(compiled, model)))


def _is_mjcf(path: Path) -> bool:
    """By the element that holds all of it: MuJoCo reads URDF too, but none of its loops."""
    try:
        with path.open("rb") as file:
            _, root = next(ElementTree.iterparse(file, events=("start",)))
    except ElementTree.ParseError:
        return False
    tag: str = root.tag
    return tag == "mujoco"


def _compiled(mechanism: Mechanism, model: Any) -> CompiledMechanism:
    """The mechanism with the joints cut that the model says were; our own choice if it says none.

    Raises:
        FormatError: the mechanism has no such joints.
    """
    import mujoco

    number = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_TEXT, CUTS)
    if number < 0:
        return compile_mechanism(mechanism, cuttable=MJCF_CUTTABLE)
    start, size = int(model.text_adr[number]), int(model.text_size[number])
    text = bytes(model.text_data)[start : start + size - 1].decode(errors="replace")
    try:
        cuts = json.loads(text)
    except ValueError:
        cuts = None
    if not isinstance(cuts, list) or not all(isinstance(cut, str) for cut in cuts):
        raise FormatError(f"The scene's text '{CUTS}' is not a JSON list of joints: {text}")
    try:
        return compile_mechanism(mechanism, cuts=cuts)
    except CutError as error:
        raise FormatError(
            f"The MJCF is not what its sidecar says: export again. {error}"
        ) from error


def number_of(model: Any, what: str, name: str) -> int:
    """MuJoCo's number of a body, joint or equality.

    Raises:
        FormatError: the model has none of that name, so it is not the sidecar's.
    """
    import mujoco

    kind = getattr(mujoco.mjtObj, f"mjOBJ_{what.upper()}")
    number = int(mujoco.mj_name2id(model, kind, name))
    if number < 0:
        known = (
            mujoco.mj_id2name(model, kind, i) or "" for i in range(getattr(model, _COUNT[what]))
        )
        missing = UnknownNameError("The scene", what, name, known)
        raise FormatError(f"The MJCF is not what its sidecar says: export again. {missing}")
    return number


_COUNT = {"body": "nbody", "joint": "njnt", "equality": "neq"}


def _coordinates(compiled: CompiledMechanism, model: Any) -> Iterator[tuple[str, Coordinate]]:
    for joint in (tree_joint.edge.joint for tree_joint in compiled.tree):
        if joint.kind not in (JointKind.BALL, JointKind.FREE):
            # A screw's advance follows its turn: it is no coordinate of its own.
            for name in joint_names(joint)[: joint.kind.nq]:
                number = number_of(model, "joint", name)
                q, v = model.jnt_qposadr[number], model.jnt_dofadr[number]
                yield name, Coordinate(int(q), int(v))


def with_timestep(scene: Scene, timestep: float) -> Scene:
    """The same scene with steps of that many seconds.

    The time constants of its equalities and limits go along, as the writer derives them from the
    timestep: then what a loop gapes in motion falls with the square of it, not in proportion.
    """
    model = copy.deepcopy(scene.model)
    ratio = timestep / model.opt.timestep
    model.opt.timestep = timestep
    for solref in (model.eq_solref, model.jnt_solref):
        stated = solref[:, 0] > 0.0
        solref[stated, 0] *= ratio
        # Negative numbers are a stiffness [1/s²] and a damping [1/s].
        solref[~stated] /= np.array([ratio**2, ratio])
    return replace(scene, model=model)
