import numpy as np
import pytest

from robocompiler.model.geometry import Triangles
from robocompiler.read.mesh_store import MeshStore

TETRAHEDRON = Triangles(
    np.array([[0.0, 0, 0], [1.0, 0, 0], [0.0, 1.0, 0], [0.0, 0, 1.0]]),
    np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]),
)


def count_of(made):
    def make():
        made.append(1)
        return TETRAHEDRON

    return make


def test_what_is_stored_is_not_made_again_and_knows_its_hull(tmp_path):
    made = []
    first = MeshStore(tmp_path).get(("a", 0.1, 0.1), count_of(made))
    again = MeshStore(tmp_path).get(("a", 0.1, 0.1), count_of(made))
    assert len(made) == 1
    np.testing.assert_array_equal(again.vertices, TETRAHEDRON.vertices)
    np.testing.assert_array_equal(again.faces, TETRAHEDRON.faces)
    assert first.hull == again.hull == pytest.approx(1.0 / 6.0)


@pytest.mark.parametrize("other", [("b", 0.1, 0.1), ("a", 0.2, 0.1), ("a", 0.1, 0.2)])
def test_another_solid_or_fineness_is_another_entry(tmp_path, other):
    made = []
    MeshStore(tmp_path).get(("a", 0.1, 0.1), count_of(made))
    MeshStore(tmp_path).get(other, count_of(made))
    assert len(made) == 2


def test_a_damaged_entry_is_made_again(tmp_path):
    made = []
    MeshStore(tmp_path).get(("a",), count_of(made))
    (entry,) = tmp_path.iterdir()
    entry.write_bytes(entry.read_bytes()[:100])
    assert MeshStore(tmp_path).get(("a",), count_of(made)).hull is not None
    assert len(made) == 2


def test_a_folder_that_cannot_be_written_stops_nothing(tmp_path):
    (tmp_path / "file").write_text("in the way")
    made = []
    store = MeshStore.of({"cache_dir": str(tmp_path / "file")})
    assert store.get(("a",), count_of(made)) is not None
    assert MeshStore.of({}).get(("a",), count_of(made)) is TETRAHEDRON
