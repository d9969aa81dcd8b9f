"""A mechanism's URDF as XML, for tests of what is in it."""

from xml.etree import ElementTree

import mujoco
import numpy as np

from exporting import exporting
from robocompiler.spatial import Pose, exp_rotation
from robocompiler.write.urdf.format import URDF

DRAKE = "{http://drake.mit.edu}"


class Written:
    """What was written, and what it was written from."""

    def __init__(self, mechanism, values=None, **options):
        self.export = exporting("urdf", mechanism, values, **options)
        self.files = URDF.contents(self.export)
        self.compiled, self.ledger = self.export.compiled, self.export.ledger
        self.text = self.files[self.export.file].decode()
        self.root = ElementTree.fromstring(self.text)
        self.srdf = ElementTree.fromstring(self.files[f"{self.export.stem}.srdf"])

    def link(self, name):
        return next(e for e in self.root.findall("link") if e.get("name") == name)

    def joint(self, name):
        return next(e for e in self.root.findall("joint") if e.get("name") == name)

    @property
    def links(self):
        return [e.get("name") for e in self.root.findall("link")]

    @property
    def joints(self):
        return [e.get("name") for e in self.root.findall("joint")]

    def entry(self, of, where):
        (found,) = [e for e in self.ledger.entries if e.property is of and e.where == where]
        return found

    def mujoco(self):
        model = mujoco.MjModel.from_xml_string(self.text)
        return model, mujoco.MjData(model)


def vector(text):
    return np.array([float(x) for x in text.split()])


def pose(element):
    """Of an `<origin>`: R = Rz(yaw) Ry(pitch) Rx(roll), as URDF says."""
    roll, pitch, yaw = vector(element.get("rpy"))
    x, y, z = np.eye(3)
    R = exp_rotation(yaw * z) @ exp_rotation(pitch * y) @ exp_rotation(roll * x)
    return Pose(R, vector(element.get("xyz")))


def inertia(link):
    """Mass, centre and tensor of a link."""
    own = link.find("inertial")
    moments = {k: float(v) for k, v in own.find("inertia").attrib.items()}
    tensor = np.array(
        [
            [moments["ixx"], moments["ixy"], moments["ixz"]],
            [moments["ixy"], moments["iyy"], moments["iyz"]],
            [moments["ixz"], moments["iyz"], moments["izz"]],
        ]
    )
    return float(own.find("mass").get("value")), vector(own.find("origin").get("xyz")), tensor
