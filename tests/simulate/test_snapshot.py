"""Pictures, checked by the pixels they must have."""

import struct
import zlib

import mujoco
import numpy as np
import pytest
from scenes import held, written

from robocompiler.errors import BadValueError
from robocompiler.model.joint_kinds import JointKind
from robocompiler.simulate.run import simulate
from robocompiler.simulate.snapshot import draw_snapshots
from robocompiler.simulate.surfaces import stage_of, surfaces_of

RED, BLUE = "1 0 0 1", "0 0 1 1"


def stage(body, **moved):
    model = mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{body}</worldbody></mujoco>")
    data = mujoco.MjData(model)
    data.qpos[: len(moved.get("qpos", ()))] = moved.get("qpos", ())
    mujoco.mj_forward(model, data)
    return model, stage_of(model, data)


def box(position, color, size="0.1 0.1 0.1", inside=""):
    return f'<geom type="box" size="{size}" pos="{position}" rgba="{color}"/>{inside}'


def read_png(path):
    """Pixels of a PNG of eight bits and unfiltered rows, by the specification."""
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, packed, size = 8, b"", (0, 0)
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at : at + 8])
        body = data[at + 8 : at + 8 + length]
        (check,) = struct.unpack(">I", data[at + 8 + length : at + 12 + length])
        assert check == zlib.crc32(kind + body)
        packed += body if kind == b"IDAT" else b""
        size = struct.unpack(">II", body[:8]) if kind == b"IHDR" else size
        at += 12 + length
    rows = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(size[1], 1 + 3 * size[0])
    assert not rows[:, 0].any()
    return rows[:, 1:].reshape(size[1], size[0], 3).astype(int)


def picture(folder, scene, **request):
    model, at = scene
    asked = {"files": {"before": "a.png"}, "width": 80, "height": 60, **request}
    assert draw_snapshots(model, {"before": at}, asked, folder) == {"before": "a.png"}
    return read_png(folder / "a.png")


def place_of(pixels, channel):
    """The middle of what is mostly red (0) or blue (2): column and row, and how many pixels."""
    strong = pixels[:, :, channel] > 2 * pixels[:, :, (2 - channel)] + 20
    rows, columns = np.nonzero(strong)
    return columns.mean(), rows.mean(), len(rows)


def test_a_picture_has_the_size_and_the_viewpoint_asked_for(tmp_path):
    """From above with y up: what is at +x is to the right, what is at +y further up."""
    scene = stage(box("0.5 0 0", RED) + box("0 0.5 0", BLUE))
    top = {"viewport_origin": [0, 0, 1], "viewport_up": [0, 1, 0]}
    pixels = picture(tmp_path, scene, **top)
    assert pixels.shape == (60, 80, 3)
    red, blue = place_of(pixels, 0), place_of(pixels, 2)
    assert red[0] > 40 + 5 > 40 - 5 > blue[0]
    assert red[1] > 30 + 5 > 30 - 5 > blue[1]
    pixels = picture(tmp_path, scene, viewport_origin=[0, 0, -1], viewport_up=[0, 1, 0])
    assert place_of(pixels, 0)[0] < place_of(pixels, 2)[0]


def test_the_nearer_part_hides_the_other(tmp_path):
    front, back = box("0 -1 0", RED), box("0 1 0", BLUE)
    for scene, shown in ((stage(front + back), 0), (stage(back + front), 0)):
        pixels = picture(tmp_path, scene, viewport_origin=[0, -1, 0])
        assert pixels[30, 40].argmax() == shown
    pixels = picture(tmp_path, stage(front + back), viewport_origin=[0, 1, 0])
    assert pixels[30, 40].argmax() == 2


def test_a_thin_part_in_front_of_a_large_triangle_is_seen(tmp_path):
    """Sorting triangles by their middles gets this wrong."""
    wall = box("0.9 0.11 0", BLUE, size="1 0.1 1")
    needle = box("0 0 0", RED, size="0.02 0.005 0.8")
    pixels = picture(tmp_path, stage(wall + needle), viewport_origin=[0.3, -1, 0.2])
    assert place_of(pixels, 0)[2] > 30


def test_both_pictures_are_framed_alike(tmp_path):
    """What does not move stays where it is in the picture."""
    still = box("0 0 0", RED)
    slide = f'<body><joint type="slide" axis="1 0 0"/>{box("1 0 0", BLUE)}</body>'
    model, before = stage(still + slide)
    _, after = stage(still + slide, qpos=[3.0])
    request = {"files": {"before": "a.png", "after": "b.png"}, "width": 100, "height": 50}
    draw_snapshots(model, {"before": before, "after": after}, request, tmp_path)
    a, b = (read_png(tmp_path / name) for name in ("a.png", "b.png"))
    assert place_of(a, 0) == place_of(b, 0)
    assert place_of(b, 2)[0] > place_of(a, 2)[0] + 10


def test_a_floor_without_end_does_not_shrink_the_rest(tmp_path):
    floor = '<geom type="plane" size="0 0 1" pos="0 0 -0.1" rgba="0.5 0.5 0.5 1"/>'
    alone = place_of(picture(tmp_path, stage(box("0 0 0", RED))), 0)
    assert place_of(picture(tmp_path, stage(floor + box("0 0 0", RED))), 0) == pytest.approx(
        alone, rel=0.01
    )


def test_a_part_that_is_transparent_or_in_a_hidden_group_is_not_drawn():
    hidden = '<geom type="sphere" size="1" group="3"/><geom type="sphere" size="1" rgba="1 1 1 0"/>'
    model, at = stage(hidden + box("0 0 0", RED))
    assert [s.color for s in surfaces_of(model, at)] == [(1.0, 0.0, 0.0)]


@pytest.mark.parametrize(
    ("geom", "volume"),
    [
        ('type="box" size="1 2 3"', 48.0),
        ('type="sphere" size="2"', 4.0 / 3.0 * np.pi * 8.0),
        ('type="ellipsoid" size="1 2 3"', 4.0 / 3.0 * np.pi * 6.0),
        ('type="cylinder" size="1 2"', np.pi * 4.0),
        ('type="capsule" size="1 2"', np.pi * 4.0 + 4.0 / 3.0 * np.pi),
    ],
)
def test_a_solid_is_closed_and_has_its_volume(geom, volume):
    (surface,) = surfaces_of(*stage(f'<geom {geom} pos="3 4 5" quat="0.5 0.5 0.5 0.5"/>'))
    a, b, c = (surface.triangles[:, i] for i in range(3))
    assert np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0 == pytest.approx(volume, rel=0.02)
    assert np.cross(b - a, c - a).sum(axis=0) == pytest.approx(np.zeros(3), abs=1e-9)


def test_an_empty_scene_and_another_format(tmp_path):
    assert picture(tmp_path, stage("")).min() > 200
    with pytest.raises(BadValueError, match="format=svg is not png"):
        picture(tmp_path, stage(""), format="svg")


def test_a_run_draws_before_and_after_where_it_is_told(tmp_path):
    scene = written(tmp_path, held(JointKind.REVOLUTE))
    (tmp_path / "out").mkdir()
    files = {"before": "snapshot-before.png", "after": "snapshot-after.png"}
    snapshot = {"format": "png", "files": files, "width": 32, "height": 32}
    result = simulate(scene, duration=0.01, snapshot=snapshot, folder=tmp_path / "out")
    assert result["snapshots"] == files
    assert {path.name for path in (tmp_path / "out").iterdir()} == set(files.values())
    assert "snapshots" not in simulate(scene, duration=0.01)
