"""Tests' own reading of an SDFormat text: poses by scipy, elements by name."""

from xml.etree import ElementTree

import numpy as np
from scipy.spatial.transform import Rotation

from exporting import exporting
from robocompiler.spatial import Pose
from robocompiler.write.sdf.format import SDF


def files(mechanism, **options):
    """What is written, by file, the model's text first; and the export with its ledger."""
    export = exporting("sdf", mechanism, **options)
    return SDF.contents(export), export


def model_of(contents, file=None):
    text = contents[file or next(iter(contents))]
    return ElementTree.fromstring(text.decode()).find("world/model[link]")


def written(mechanism, **options):
    """The model's element, and the export with its ledger."""
    contents, export = files(mechanism, **options)
    return model_of(contents), export


def pose_of(element):
    """SDFormat's `x y z roll pitch yaw`: turned about the fixed x, then y, then z."""
    entries = [float(entry) for entry in element.find("pose").text.split()]
    return Pose(Rotation.from_euler("xyz", entries[3:]).as_matrix(), np.array(entries[:3]))


def link_pose(model, name):
    """In the world: the model's pose is none, and links' are counted from it."""
    return pose_of(model.find(f"link[@name='{name}']"))


def number(element, path):
    found = element.find(path)
    return None if found is None else float(found.text)


def joint(model, name):
    return model.find(f"joint[@name='{name}']")


def noted(export, where):
    """What is exact as no rule says, approximated or lost: by what, and of which."""
    return {
        entry.what: entry for entry in export.ledger.entries if entry.where == where and entry.how
    }
