"""Every body that passes validation loads, its inertia as stated to what MuJoCo accepts."""

import mujoco
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exporting import exporting
from robocompiler.errors import UnwritableError
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import WORLD, Body, Frame, Inertia, Joint, Mechanism
from robocompiler.spatial import exp_rotation
from robocompiler.write.inertias import writable_tensor
from robocompiler.write.mjcf.model import mjcf_text

unit = st.floats(-1.0, 1.0)


def model_of(tensor, mass=1.0):
    entries = np.asarray(tensor).tolist()
    inertia = Inertia(
        mass=mass,
        moments=(entries[0][0], entries[1][1], entries[2][2]),
        products=(entries[0][1], entries[0][2], entries[1][2]),
    )
    plate = Mechanism(
        name="plate",
        bodies=(Body(name="plate", inertia=inertia),),
        frames=(Frame(name="F", body=WORLD), Frame(name="M", body="plate")),
        joints=(Joint(name="J", kind=JointKind.REVOLUTE, parent="F", child="M"),),
    )
    return mujoco.MjModel.from_xml_string(mjcf_text(exporting("mjcf", plate)))


def tensor_in(model):
    R = np.zeros(9)
    mujoco.mju_quat2Mat(R, model.body("plate").iquat)
    R = R.reshape(3, 3)
    return R @ np.diag(model.body("plate").inertia) @ R.T


@given(
    st.tuples(unit, unit, unit),
    st.floats(1e-4, 1.0),
    st.floats(1e-4, 1.0),
    st.sampled_from([1e-9, 1e-4, 1.0, 1e3]),
    st.sampled_from([0.0, 1e-9, 9e-7]),
)
def test_a_flat_plate_loads_however_it_is_turned_and_rounded(turn, a, b, size, short):
    """a + b = c exactly, and short of it by what `validity` lets pass."""
    R = exp_rotation(3.0 * np.array(turn))
    flat = R @ np.diag([a, b, (a + b) / (1.0 - short)]) @ R.T * size
    flat = (flat + flat.T) / 2.0
    np.testing.assert_allclose(tensor_in(model_of(flat)), flat, atol=2e-6 * (a + b) * size)


def test_a_plate_of_six_digits_loads():
    R = exp_rotation(np.array([0.4, 0.3, -0.8]))
    for thinner in np.linspace(0.0011, 0.0013, 50):
        flat = R @ np.diag([thinner, 0.00345678, thinner + 0.00345678]) @ R.T
        rounded = np.vectorize(lambda x: float(f"{x:.6g}"))(flat)
        moments = np.linalg.eigvalsh(rounded)
        if moments[0] + moments[1] < moments[2] * (1.0 - 1e-8):
            break
    assert moments[0] + moments[1] < moments[2]
    with pytest.raises(ValueError, match="A \\+ B >= C"):
        _plain(rounded)
    np.testing.assert_allclose(tensor_in(model_of(rounded)), rounded, rtol=0, atol=1e-8)


def _plain(tensor):
    entries = " ".join(
        repr(float(tensor[i, j])) for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
    )
    mujoco.MjModel.from_xml_string(
        '<mujoco><worldbody><body><freejoint/><inertial pos="0 0 0" mass="1" '
        f'fullinertia="{entries}"/></body></worldbody></mujoco>'
    )


def test_a_solid_s_inertia_is_not_touched():
    tensor = np.diag([1.0, 2.0, 2.5])
    assert writable_tensor(tensor) is tensor


@pytest.mark.parametrize(
    ("moment", "mass", "said"),
    [(9e-15, 1.0, "moment of inertia of 9e-15 kg m²"), (1.0, 9e-16, "mass of 9e-16 kg")],
)
def test_what_is_too_light_for_mujoco_is_named(moment, mass, said):
    with pytest.raises(UnwritableError, match=f"body 'plate' has a .*{said}"):
        model_of(np.diag([moment] * 3), mass)


def test_what_is_as_light_as_mujoco_takes_loads():
    model_of(np.diag([1.01e-14] * 3), 1e-15)
