"""What a USD stage says of a mechanism, whoever wrote it: in the world, in SI, by shown names.

Only `pxr` and its physics schemas are asked; what other schemas add is read as plain attributes.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass

import numpy as np
from pxr import Gf, Usd, UsdGeom, UsdPhysics, UsdShade

from usd_records import WORLD, ReadBody, ReadJoint, ReadShape, ReadStage


def read_stage(path) -> ReadStage:
    """Everything that physics is said of on a stage."""
    stage = Usd.Stage.Open(str(path))
    reader = _Reader(stage, UsdGeom.XformCache())
    prims = [
        prim for prim in stage.Traverse(Usd.TraverseInstanceProxies()) if not prim.IsAbstract()
    ]
    bodies = [prim for prim in prims if prim.HasAPI(UsdPhysics.RigidBodyAPI)]
    joints = [prim for prim in prims if prim.IsA(UsdPhysics.Joint)]
    shapes = {
        shown(prim): reader.shape(prim)
        for prim in prims
        if prim.IsA(UsdGeom.Mesh) and prim.HasAPI(UsdPhysics.CollisionAPI)
    }
    default = stage.GetDefaultPrim()
    frames = {
        shown(prim): (reader.body_name(prim), reader.pose(prim))
        for prim in prims
        if prim.IsA(UsdGeom.Xformable)
        and not prim.HasAPI(UsdPhysics.RigidBodyAPI)
        and not prim.HasAPI(UsdPhysics.CollisionAPI)
        and not prim.IsA(UsdGeom.Mesh)
        and prim != default
    }
    return ReadStage(
        units=(
            UsdGeom.GetStageMetersPerUnit(stage),
            UsdPhysics.GetStageKilogramsPerUnit(stage),
            str(UsdGeom.GetStageUpAxis(stage)),
        ),
        default=shown(default),
        gravity=reader.gravity(prims),
        bodies={shown(prim): reader.body(prim) for prim in bodies},
        joints={name: reader.joint(prim) for name, prim in named(joints).items()},
        shapes=shapes,
        colors={
            shown(prim): color
            for prim in prims
            if prim.IsA(UsdGeom.Mesh) and (color := reader.color(prim)) is not None
        },
        frames=frames,
    )


def named(prims):
    """By what they show; where several show the same, as a loop and a joint may, by their own."""
    shows = Counter(shown(prim) for prim in prims)
    return {prim.GetName() if shows[shown(prim)] > 1 else shown(prim): prim for prim in prims}


def shown(prim) -> str:
    """The name that people read: what a prim shows, or else its own."""
    return prim.GetMetadata("displayName") or prim.GetName()


@dataclass
class _Reader:
    stage: Usd.Stage
    cache: UsdGeom.XformCache

    def pose(self, prim) -> np.ndarray:
        return np.array(self.cache.GetLocalToWorldTransform(prim)).T

    def body_of(self, prim):
        """The rigid body that a prim is, or is part of; None in the world."""
        while prim and not prim.IsPseudoRoot():
            if prim.HasAPI(UsdPhysics.RigidBodyAPI):
                return prim
            prim = prim.GetParent()
        return None

    def body_name(self, prim) -> str:
        body = self.body_of(prim)
        return WORLD if body is None else shown(body)

    def gravity(self, prims) -> np.ndarray:
        (scene,) = (UsdPhysics.Scene(prim) for prim in prims if prim.IsA(UsdPhysics.Scene))
        way = np.array(scene.GetGravityDirectionAttr().Get(), dtype=float)
        size = scene.GetGravityMagnitudeAttr().Get()
        if size is None or math.isinf(size):
            size = 9.81 / UsdGeom.GetStageMetersPerUnit(self.stage)
        if not np.any(way):
            way = np.array([0.0, 0.0, -1.0])
        return size * way

    def body(self, prim) -> ReadBody:
        X = self.pose(prim)
        mass = UsdPhysics.MassAPI(prim)
        R = X[:3, :3] @ rotation(mass.GetPrincipalAxesAttr().Get())
        center = np.array(mass.GetCenterOfMassAttr().Get() or (0, 0, 0), dtype=float)
        diagonal = np.array(mass.GetDiagonalInertiaAttr().Get() or (0, 0, 0), dtype=float)
        pairs = UsdPhysics.FilteredPairsAPI(prim).GetFilteredPairsRel()
        others = pairs.GetTargets() if pairs else []
        return ReadBody(
            X_WB=X,
            mass=float(mass.GetMassAttr().Get() or 0.0),
            center=X[:3, :3] @ center + X[:3, 3],
            inertia=R @ np.diag(diagonal) @ R.T,
            exact_inertia=_exact_inertia(prim, X[:3, :3]),
            articulation=prim.HasAPI(UsdPhysics.ArticulationRootAPI),
            filtered=frozenset(shown(self.stage.GetPrimAtPath(path)) for path in others),
        )

    def shape(self, prim) -> ReadShape:
        mesh, X = UsdGeom.Mesh(prim), self.pose(prim)
        points = np.array(mesh.GetPointsAttr().Get(), dtype=float) @ X[:3, :3].T + X[:3, 3]
        faces = np.array(mesh.GetFaceVertexIndicesAttr().Get()).reshape(-1, 3)
        approximation = UsdPhysics.MeshCollisionAPI(prim).GetApproximationAttr().Get()
        friction, restitution = self.surface(prim)
        return ReadShape(
            body=self.body_name(prim),
            points=points[faces],
            approximation=str(approximation),
            friction=friction,
            restitution=restitution,
            right_handed=mesh.GetOrientationAttr().Get() == "rightHanded",
        )

    def color(self, prim) -> tuple[float, ...] | None:
        """Of the material it is drawn with, or its own; None of what is only a guide."""
        if UsdGeom.Imageable(prim).ComputePurpose() == UsdGeom.Tokens.guide:
            return None
        bound, _ = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial()
        shader = bound.ComputeSurfaceSource()[0] if bound else None
        if shader and shader.GetInput("diffuseColor"):
            opacity = _input(shader, "opacity")
            return (*_input(shader, "diffuseColor"), 1.0 if opacity is None else opacity)
        own = UsdGeom.Mesh(prim).GetDisplayColorAttr().Get()
        opacity = UsdGeom.Mesh(prim).GetDisplayOpacityAttr().Get()
        return None if not own else (*own[0], *(opacity or (1.0,)))

    def surface(self, prim) -> tuple[float | None, float | None]:
        bound, _ = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial("physics")
        if not bound:
            return None, None
        material = UsdPhysics.MaterialAPI(bound.GetPrim())
        return tuple(
            float(attribute.Get()) if attribute.HasAuthoredValue() else None
            for attribute in (material.GetDynamicFrictionAttr(), material.GetRestitutionAttr())
        )

    def joint(self, prim) -> ReadJoint:
        joint = UsdPhysics.Joint(prim)
        sides = [
            (joint.GetBody0Rel(), joint.GetLocalPos0Attr(), joint.GetLocalRot0Attr()),
            (joint.GetBody1Rel(), joint.GetLocalPos1Attr(), joint.GetLocalRot1Attr()),
        ]
        ends = [self.end(*side) for side in sides]
        kind = prim.GetTypeName().removeprefix("Physics").removesuffix("Joint")
        token = prim.GetAttribute("physics:axis").Get() or "X"
        turns = kind in ("Revolute", "Spherical")
        return ReadJoint(
            kind=kind,
            bodies=(ends[0][0], ends[1][0]),
            frames=(ends[0][1], ends[1][1]),
            axis=ends[1][1][:3, "XYZ".index(token)],
            limits=_limits(prim, kind),
            excluded=bool(joint.GetExcludeFromArticulationAttr().Get()),
            drives=_drives(prim),
            mimic=self.mimic(prim, turns),
            damping=_gain(prim, "newton:damping", turns),
            friction=_plain(prim, "newton:friction"),
            armature=_plain(prim, "newton:armature"),
            velocity=_velocity(prim, turns),
            reference=_plain(prim, "mjc:ref"),
        )

    def end(self, body, position, turn) -> tuple[str, np.ndarray]:
        """The body that a joint is on at one end, and its frame there, in the world."""
        targets = body.GetTargets()
        X = np.eye(4)
        X[:3, :3] = rotation(turn.Get())
        X[:3, 3] = position.Get()
        if not targets:
            return WORLD, X
        prim = self.stage.GetPrimAtPath(targets[0])
        return self.body_name(prim), self.pose(prim) @ X

    def mimic(self, prim, turns) -> tuple[str, float, float] | None:
        leaders = prim.GetRelationship("newton:mimicJoint")
        if not leaders or not leaders.GetTargets():
            return None
        leader = self.stage.GetPrimAtPath(leaders.GetTargets()[0])
        offset = _plain(prim, "newton:mimicCoef0")
        own = prim.GetAttribute("newton:mimicCoef1").Get()
        return (
            shown(leader),
            math.radians(offset) if turns else offset,
            1.0 if own is None else float(own),
        )


def _input(shader, name):
    """What a shader's input is, here or where it is connected to; None where it is not."""
    own = shader.GetInput(name)
    sources = own.GetValueProducingAttributes() if own else []
    return sources[0].Get() if sources else None


def rotation(quaternion) -> np.ndarray:
    """The matrix of a quaternion of USD's; of none or 0, which stands for none, the identity."""
    if quaternion is None or not quaternion.GetLength():
        return np.eye(3)
    return np.array(Gf.Matrix3d(Gf.Rotation(Gf.Quatd(quaternion)))).T


def _exact_inertia(prim, R) -> np.ndarray | None:
    given = prim.GetAttribute("newton:inertia").Get()
    if not given:
        return None
    xx, yy, zz, xy, xz, yz = given
    return R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.T


def _limits(prim, kind) -> dict[str, tuple[float, float]]:
    """Those that are stated: in USD none are infinite."""
    found: dict[str, tuple[float, float]] = {}
    if kind in ("Revolute", "Prismatic"):
        ends = [prim.GetAttribute(f"physics:{end}Limit").Get() for end in ("lower", "upper")]
        if not all(end is None or math.isinf(end) for end in ends):
            turns = kind == "Revolute"
            low, high = (math.radians(end) if turns else float(end) for end in ends)
            found["angular" if turns else "linear"] = (low, high)
    for schema in prim.GetAppliedSchemas():
        if schema.startswith("PhysicsLimitAPI:"):
            axis = schema.partition(":")[2]
            low, high = (
                prim.GetAttribute(f"limit:{axis}:physics:{e}").Get() for e in ("low", "high")
            )
            if low > high:
                found[axis] = (math.inf, -math.inf)  # locked
            else:
                turns = axis.startswith("rot")
                found[axis] = tuple(math.radians(e) if turns else float(e) for e in (low, high))
    return found


def _drives(prim) -> dict[str, dict[str, float]]:
    found = {}
    for schema in prim.GetAppliedSchemas():
        if schema.startswith("PhysicsDriveAPI:"):
            axis = schema.partition(":")[2]
            drive = UsdPhysics.DriveAPI(prim, axis)
            per = 180.0 / math.pi if axis == "angular" or axis.startswith("rot") else 1.0
            found[axis] = {
                "stiffness": per * float(drive.GetStiffnessAttr().Get() or 0.0),
                "damping": per * float(drive.GetDampingAttr().Get() or 0.0),
                "maxForce": float(drive.GetMaxForceAttr().Get()),
            }
    return found


def _plain(prim, name) -> float:
    return float(prim.GetAttribute(name).Get() or 0.0)


def _velocity(prim, turns) -> float:
    given = prim.GetAttribute("newton:velocityLimit").Get()
    if given is None or given < 0.0 or math.isinf(given):
        return math.inf
    return math.radians(given) if turns else float(given)


def _gain(prim, name, turns) -> float:
    """Per radian, of what is stated per degree."""
    return _plain(prim, name) * (180.0 / math.pi if turns else 1.0)
