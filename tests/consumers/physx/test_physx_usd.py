"""USD as PhysX reads it, by NVIDIA's ovphysx: under the licence of Omniverse, so only if asked for.

What its importer makes of a stage, as found by trying:
- coordinates start where `PhysicsJointStateAPI` says, else at 0, wherever the bodies stand;
- an articulation is fixed if it starts from the joint that fixes it; from its base it floats, held
  by that joint from outside;
- balls have to have their axis along x; joints of six freedoms must not move, and turn otherwise
  than about x and then y, so that such are hinges and slides with bodies between;
- a mimic needs finite limits on both joints, and a turn that a move mimics counts in degrees.

USD's own library and PhysX's cannot be in one process, so that the stages are those that were
exported, or written by another one.
"""

import os
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest
import usd_loops
from agreement import FLOAT_CHAINS, FLOAT_SUMS, FLOATS, agree_on_limits, agree_on_masses
from moving import DURATION, SAMPLES, moving
from truth import EXAMPLES, STATIC, truth
from usd_files import Stage

from robocompiler.spatial import Pose, rotation_of

ovphysx = pytest.importorskip("ovphysx", reason="PhysX is under NVIDIA's licence for Omniverse")
ovstage = pytest.importorskip("ovstage", reason="PhysX is under NVIDIA's licence for Omniverse")
from ovphysx.samples.python_samples.schema_support import physx_schema_paths  # noqa: E402
from ovphysx.types import TensorType  # noqa: E402

# Its tensors, which say more of an articulation than what is to replace them.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")
PHYSX = "PhysX (ovphysx 0.7)"
OPEN_END = 1e30
STEP = 1e-3
"""[s]"""


class Scene:
    """A stage in PhysX."""

    def __init__(self, physx, stage):
        self.physx, self.stage = physx, stage
        self.opened = ovstage.Stage(stage.path.stem)
        ovstage.population.open_usd(
            self.opened, str(stage.path), ordinal=1, domains=ovstage.PopulationDomain.ALL
        )
        self.opened.advance_write_floor(ordinal=1).wait()
        physx.wait_task(physx.attach_ovstage(self.opened, read_ordinal=1))
        physx.wait_all()
        self.pattern = stage.body(STATIC).rsplit("/", 1)[0] + "/*"

    def binding(self, kind):
        return self.physx.create_tensor_binding(pattern=self.pattern, tensor_type=kind)

    def read(self, kind):
        """Of the one articulation."""
        bound = self.binding(kind)
        found = np.zeros(bound.shape, dtype=np.float32)
        bound.read(found)
        bound.destroy()
        assert len(found) == 1
        return found[0].astype(float)

    def names(self):
        """Of its coordinates and of its bodies."""
        bound = self.binding(TensorType.ARTICULATION_LINK_POSE)
        found = list(bound.dof_names), list(bound.body_names)
        bound.destroy()
        return found

    def stand(self, values, speeds=None):
        """Put its coordinates and speeds, by the last part of their joints' paths.

        A ball's have paths of their own, and stay where they are.
        """
        dofs, _ = self.names()
        places = dict(zip(dofs, self.read(TensorType.ARTICULATION_DOF_POSITION), strict=True))
        self.write(TensorType.ARTICULATION_DOF_POSITION, [values.get(n, places[n]) for n in dofs])
        if speeds is not None:
            self.write(TensorType.ARTICULATION_DOF_VELOCITY, [speeds.get(n, 0.0) for n in dofs])

    def push(self, efforts):
        """Drive coordinates for a step [N or N m]."""
        dofs, _ = self.names()
        own = [efforts.get(name, 0.0) for name in dofs]
        self.write(TensorType.ARTICULATION_DOF_ACTUATION_FORCE, own)

    def write(self, kind, values):
        bound = self.binding(kind)
        bound.write(np.array([values], dtype=np.float32))
        bound.destroy()

    def poses(self):
        """X_WB by body of the mechanism."""
        return self.poses_of((*self.stage.truth.bodies, STATIC))

    def poses_of(self, bodies):
        _, links = self.names()
        places = self.read(TensorType.ARTICULATION_LINK_POSE)
        found = {}
        for body in bodies:
            x, y, z, qx, qy, qz, qw = places[links.index(last(self.stage.body(body)))]
            X = Pose(rotation_of((qw, qx, qy, qz)), np.array([x, y, z]))
            found[body] = self.stage.body_pose(body, X)
        return found

    def close(self):
        self.physx.wait_task(self.physx.detach_ovstage())
        self.opened.destroy()


def last(path):
    return path.split("/")[-1]


@pytest.fixture(scope="session")
def physx():
    schemas = [str(path) for path in physx_schema_paths()]
    try:
        schemas.append(str(ovphysx.newton_schema_root()))
    except FileNotFoundError:
        pytest.fail("Newton's schemas are missing: pip install newton-usd-schemas")
    ovphysx.PhysX.set_cpu_mode(True)
    own = ovphysx.PhysX()
    ovstage.population.register_usd_schemas(schemas)
    yield own
    own.destroy()


@pytest.fixture(params=[name for name in EXAMPLES if name != "stewart"])
def generic(request, physx):
    own = truth(request.param, "usd")
    found = Scene(physx, Stage(own, own.file(".usda")))
    yield found
    found.close()


@pytest.mark.row(PHYSX, "USD", agrees="profile `generic`: stands closed, on a base that is held")
def test_a_generic_stage_stands_closed_in_physx(generic):
    own = generic.stage.truth
    for _ in range(2):
        poses = generic.poses()
        assert all(meeting.gap(poses) < 1e-4 for meeting in own.closures)
        assert np.linalg.norm(poses[STATIC].p) < 1e-4
        for _ in range(100):  # in its first twenty it gives by up to 0.2 mm
            generic.physx.step_sync(STEP)
    # Its base is one more body that moves, in principle.
    freedoms = len(generic.read(TensorType.ARTICULATION_MASS_MATRIX))
    assert freedoms == 6 + len(own.speeds)


@pytest.fixture(params=EXAMPLES)
def scene(request, physx):
    own = truth(request.param, "usd", usd_profile="physx")
    found = Scene(physx, Stage(own, own.file(".physx.usda")))
    yield found
    found.close()


def axes(scene, standing):
    return {last(path): value for path, value in scene.stage.axes(standing).items()}


@pytest.mark.row(PHYSX, "USD", agrees="profile `physx`: bodies, joints, masses and limits")
def test_physx_has_the_examples_bodies_joints_masses_and_limits(scene):
    own = scene.stage.truth
    dofs, links = scene.names()
    weights = dict(zip(links, scene.read(TensorType.ARTICULATION_BODY_MASS), strict=True))
    masses = {body: float(weights[last(scene.stage.body(body))]) for body in own.masses}
    agree_on_masses(own, masses, FLOATS)
    between = set(links) - {last(scene.stage.body(body)) for body in (*own.bodies, STATIC)}
    assert all(name.endswith("_link") for name in between)
    assert len(between) == (6 if own.name == "stewart" else 0)
    assert len(dofs) == len(own.speeds)
    ends = dict(zip(dofs, scene.read(TensorType.ARTICULATION_DOF_LIMIT).tolist(), strict=True))
    found = {}
    for name in own.limits:
        low, high = ends[last(scene.stage.joint(name))]
        found[name] = (
            -np.inf if low < -OPEN_END else low,
            np.inf if high > OPEN_END else high,
        )
    tied = {ref.name for c in own.compiled.couplings for ref in (c.follower, *c.leaders)}
    for name in tied:  # which have limits in the file, whatever they state
        found[name] = own.limits[name]
    agree_on_limits(own, found, FLOATS)


@pytest.mark.row(
    PHYSX, "USD", agrees="profile `physx`: places and mass matrix in three closed configurations"
)
def test_physx_agrees_in_three_closed_configurations(scene):
    own = scene.stage.truth
    if own.name == "stewart":
        return  # see below: a ball's coordinates are not ours, and bodies between weigh something
    dofs, _ = scene.names()
    order = [dofs.index(last(scene.stage.joint(name))) for name in own.speeds]
    for standing in own.standings:
        scene.stand(axes(scene, standing))
        poses = scene.poses()
        for body, X in poses.items():
            off = np.linalg.norm(X.p - standing.poses[body].p)
            assert off < FLOAT_CHAINS, body
        M = scene.read(TensorType.ARTICULATION_MASS_MATRIX)[np.ix_(order, order)]
        size = np.sqrt(np.diag(standing.mass_matrix))
        off = np.abs(M - standing.mass_matrix) / np.outer(size, size)
        assert off.max() < FLOAT_SUMS
        assert all(m.gap(poses) < FLOAT_CHAINS for m in own.closures)


@pytest.mark.row(
    PHYSX, "USD", agrees="profile `physx`: a second of motion within 3 %, loops closed to 0.1 mm"
)
def test_a_second_in_physx_is_ours_and_loops_stay_closed(scene):
    own = scene.stage.truth
    for body, X in scene.poses().items():
        assert np.linalg.norm(X.p - own.assembled.poses[body].p) < 1e-5
    motion = moving(own)
    dofs, _ = scene.names()
    friction = scene.read(TensorType.ARTICULATION_DOF_FRICTION_PROPERTIES)
    friction[:, :2] = 0.0  # dry friction: static and dynamic
    scene.write(TensorType.ARTICULATION_DOF_FRICTION_PROPERTIES, friction)
    scene.stand(axes(scene, own.assembled), dict.fromkeys(dofs, 0.0) | speeds(scene, motion))
    at = [dofs.index(last(scene.stage.joint(name))) for name in motion.drivers]
    found, gaps = [], [0.0]
    for sample in range(SAMPLES + 1):
        found.append(scene.read(TensorType.ARTICULATION_DOF_POSITION)[at])
        gaps += [meeting.gap(scene.poses()) for meeting in own.closures]
        for _ in range(round(DURATION / SAMPLES / STEP) if sample < SAMPLES else 0):
            scene.push({last(scene.stage.joint(n)): f for n, f in motion.efforts.items()})
            scene.physx.step_sync(STEP)
    assert max(gaps) < 1e-4
    # Six bodies between axes weigh a fifth of what Stewart's legs are pushed with.
    assert own.name == "stewart" or motion.off(np.array(found)) < 0.03


def speeds(scene, motion):
    return {last(scene.stage.joint(name)): speed for name, speed in motion.speeds.items()}


@pytest.mark.row(PHYSX, "USD", agrees="profile `physx`: loops cut at joints of any kind but screws")
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("kind", usd_loops.HELD)
def test_physx_closes_a_joint_of_any_kind(kind, reverse, physx, tmp_path):
    path = tmp_path / "loop.usda"
    code = f"import usd_loops; usd_loops.write({kind.value!r}, {reverse}, {str(path)!r})"
    apart = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", code], env=apart, check=True)
    whole = usd_loops.compiled(kind, reverse)
    found = Scene(physx, Stage(SimpleNamespace(compiled=whole), path))
    try:
        moved = found.read(TensorType.ARTICULATION_DOF_POSITION)
        for _ in range(300):
            physx.step_sync(STEP)
        moved = moved - found.read(TensorType.ARTICULATION_DOF_POSITION)
        bodies = [body.name for body in whole.bodies[1:]]
        poses = found.poses_of(bodies)
    finally:
        found.close()
    assert usd_loops.off(whole, poses) < 1e-4
    assert np.abs(moved).max() > 0.05
