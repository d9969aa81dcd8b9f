"""SDFormat of our writing, as Drake reads it."""

from __future__ import annotations

from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import DiscreteContactApproximation, MultibodyPlant
from truth import STATIC, sidecar, truth

import robocompiler as rc
from robocompiler.write.sdf.format import SDF


class Written:
    """An example as SDFormat, and its truth."""

    def __init__(self, name, folder):
        self.truth = truth(name, "sdf")
        whole = rc.compile(rc.read(sidecar(name)))
        geometry = rc.mesh_geometry(sidecar(name).parent)
        self.path = folder / f"{name}.sdf"
        self.result = rc.write(whole, self.path, geometry=geometry)
        own = folder / f"{name}.drake.sdf"
        self.drake = own if own in self.result.files else self.path

    def called(self, kind, name):
        return self.result.names.get(kind, {}).get(name, name)

    def body(self, name):
        """The link of one of ours."""
        if name != STATIC:
            return self.called("body", name)
        fixed = [own.name for own in self.truth.compiled.welded if own.host == 0]
        return self.called("body", fixed[0])


def planted(plant, read):
    """A plant with the model; coupled joints and constraints need its newer solver."""
    plant.set_discrete_contact_approximation(DiscreteContactApproximation.kSap)
    read(Parser(plant))
    plant.Finalize()
    return plant, plant.CreateDefaultContext()


def loaded(written, timestep=1e-3):
    return planted(MultibodyPlant(timestep), lambda parser: parser.AddModels(str(written.drake)))


def loaded_text(text):
    return planted(MultibodyPlant(1e-3), lambda parser: parser.AddModelsFromString(text, "sdf"))


def texts_of(export):
    """The model's text, and what Drake reads: the same where that is one file."""
    texts = [text.decode() for file, text in SDF.contents(export).items() if file.endswith(".sdf")]
    return texts[0], texts[-1]


def moving_joints(plant):
    own = (plant.get_joint(index) for index in plant.GetJointIndices())
    return [joint for joint in own if joint.num_velocities()]


def set_coordinates(plant, context, joint, values):
    q = plant.GetPositions(context).copy()
    q[joint.position_start() : joint.position_start() + joint.num_positions()] = values
    plant.SetPositions(context, q)
