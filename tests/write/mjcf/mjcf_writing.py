"""A mechanism written as MJCF, as MuJoCo loads it."""

import mujoco

from exporting import exporting
from robocompiler.write.mjcf.model import mjcf_text


def written(mechanism, values=None, **options):
    export = exporting("mjcf", mechanism, values, **options)
    text = mjcf_text(export)
    return export.compiled, export.configuration, text, export.ledger


def loaded(text):
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return model, data
