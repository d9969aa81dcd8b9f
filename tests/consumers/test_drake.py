import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import JacobianWrtVariable
from pydrake.systems.analysis import Simulator


def without_meshes(path):
    """The file less its meshes, which Drake refuses; nothing else is touched."""
    root = ElementTree.parse(path).getroot()
    for parent in root.iter():
        for child in list(parent):
            if child.tag == "mesh" or (child.tag == "geom" and child.get("mesh")):
                parent.remove(child)
    return ElementTree.tostring(root, encoding="unicode")


def loaded(example, timestep=1e-3):
    plant = MultibodyPlant(timestep)
    Parser(plant).AddModelsFromString(without_meshes(example.path), "xml")
    plant.Finalize()
    context = plant.CreateDefaultContext()
    for name, value in example.values.items():
        joint = plant.GetJointByName(name)
        turns = joint.type_name() == "revolute"
        (joint.set_angle if turns else joint.set_translation)(context, value)
    return plant, context


def test_drake_reads_no_stl_mesh(example):
    """Why the meshes are taken out here: MuJoCo wants STL or OBJ, Drake's MJCF parser only OBJ."""
    plant = MultibodyPlant(1e-3)
    with pytest.raises(RuntimeError, match=r"only supports mesh files in .obj format"):
        Parser(plant).AddModels(str(example.path))


def test_drake_loads_the_example_and_agrees(example):
    plant, context = loaded(example)
    assert plant.num_constraints() == len(example.compiled.closures)
    assert plant.CalcTotalMass(context) == pytest.approx(example.mass(static=True), rel=1e-12)
    center = plant.CalcCenterOfMassPositionInWorld(context)
    np.testing.assert_allclose(center, example.center(static=True), atol=1e-12)
    world = plant.world_frame()
    rows = [np.zeros((0, plant.num_velocities()))]
    for body1, at1, body2, at2 in example.closures():
        ends, jacobians = [], []
        for body, at in ((body1, at1), (body2, at2)):
            frame = plant.GetBodyByName(body).body_frame()
            ends.append(plant.CalcPointsPositions(context, frame, at, world).ravel())
            jacobians.append(
                plant.CalcJacobianTranslationalVelocity(
                    context, JacobianWrtVariable.kV, frame, at, world, world
                )
            )
        assert np.linalg.norm(ends[0] - ends[1]) < 1e-9
        rows.append(jacobians[0] - jacobians[1])
    K = np.vstack(rows)
    rank = np.linalg.matrix_rank(K, tol=1e-8) if K.size else 0
    # Drake ignores equalities between joints: each coupling it does not see frees a speed.
    assert plant.num_velocities() - rank == example.mobility + len(example.compiled.couplings)


def test_drake_holds_the_loops_closed_while_the_example_moves(example):
    """Its own constraint, from the `connect`s it read, over a tenth of a second of free motion."""
    plant, context = loaded(example, timestep=1e-3)
    simulator = Simulator(plant, context)
    simulator.AdvanceTo(0.1)
    world = plant.world_frame()
    for body1, at1, body2, at2 in example.closures():
        ends = [
            plant.CalcPointsPositions(
                context, plant.GetBodyByName(b).body_frame(), at, world
            ).ravel()
            for b, at in ((body1, at1), (body2, at2))
        ]
        assert np.linalg.norm(ends[0] - ends[1]) < 1e-4
