"""Machine code on disk: used where only this user can have written it, and whole."""

import os
import stat
import subprocess
import sys
import time
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import robocompiler
from codegen import arm
from codegen.llvm.generated import needs_llvm
from robocompiler.codegen.llvm import cache, calls, jit
from robocompiler.errors import CacheWarning

pytestmark = [
    needs_llvm,
    pytest.mark.skipif(not hasattr(os, "getuid"), reason="there is no cache on this system"),
]
KEY = "ab" * 32
ENTRY = cache.Entry(metadata={"names": ["a", "ü"], "depth": 3}, code=bytes(range(256)) * 9)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    place = tmp_path / "caches" / "robocompiler"
    monkeypatch.setenv("ROBOCOMPILER_CACHE", str(place))
    monkeypatch.setattr(cache, "_said", set())
    return place


@pytest.fixture
def compiles(monkeypatch):
    """What was compiled, one entry each time."""
    seen, original = [], jit._compiled
    monkeypatch.setattr(jit, "_compiled", lambda *given: (seen.append(given), original(*given))[1])
    return seen


def _file(folder):
    (found,) = folder.iterdir()
    return found


def _works(library):
    exact = np.array(arm.closed_form(0.9, 0.1))
    x = np.array([0.9, 0.1, *(exact + 0.02)])[:, None]
    y, status = np.zeros((4, 1)), np.zeros((1, 1), dtype=np.int32)
    run = calls.over_states(
        library,
        "arm",
        x=x,
        y=y,
        table=np.array([[0, 1, 2, 3, 0, 1, 2, 3]]),
        status=status,
        settings=arm.SETTINGS,
    )
    assert run() == 0
    np.testing.assert_allclose(x[2:, 0], exact, atol=1e-11)


def _load(**given):
    return jit.load(lambda: ([arm.iterated()], {"rows": (3, 1)}), **{"key": "arm", **given})


def test_what_is_written_is_read_again(folder):
    assert cache.read(KEY) is None
    cache.write(KEY, ENTRY)
    assert cache.read(KEY) == ENTRY
    assert cache.read("cd" * 32) is None
    assert _file(folder).name == f"{KEY}.object"


def test_the_folder_and_its_files_are_for_this_user_alone(folder):
    previous = os.umask(0)
    try:
        cache.write(KEY, ENTRY)
    finally:
        os.umask(previous)
    assert folder.stat().st_mode & 0o777 == 0o700
    assert _file(folder).stat().st_mode & 0o777 == 0o600


def test_the_folder_is_where_the_users_caches_are(monkeypatch, tmp_path):
    monkeypatch.delenv("ROBOCOMPILER_CACHE", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", "not/absolute")
    assert cache.folder() == tmp_path / ".cache" / "robocompiler"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "x"))
    assert cache.folder() == tmp_path / "x" / "robocompiler"


def test_a_second_start_neither_traces_nor_compiles(folder, compiles):
    first = _load()
    again = jit.load(lambda: pytest.fail("traced"), key="arm")
    assert (first.compiled, again.compiled, len(compiles)) == (True, False, 1)
    assert first.metadata == again.metadata == {"rows": [3, 1]}
    assert first.outlines == again.outlines
    _works(first)
    _works(again)


def test_without_a_key_equal_kernels_are_compiled_once(folder, compiles):
    assert [_load(key=None).compiled for _ in range(3)] == [True, False, False]
    other = jit.load(lambda: ([arm.iterated()], {"rows": []}), key=None)
    assert (other.compiled, other.metadata) == (True, {"rows": []})
    assert jit.load(lambda: ([arm.straight()], {"rows": []}), key=None).compiled


def test_code_for_other_keys_lanes_processors_and_versions_is_not_used(
    folder, compiles, monkeypatch
):
    import llvmlite

    here = jit.this_machine()
    _load(lanes=2)
    assert _load(lanes=4).compiled
    assert _load(lanes=2, key="arm, other").compiled
    assert _load(lanes=2, target=replace(here, fused=False)).compiled
    assert _load(lanes=2, target=replace(here, features="", fused=False)).compiled
    assert not _load(lanes=2).compiled
    monkeypatch.setattr(jit, "VERSION", -1)
    assert _load(lanes=2).compiled
    monkeypatch.setattr(llvmlite, "__version__", "other")
    assert _load(lanes=2).compiled


def test_without_a_cache_nothing_is_written(folder, compiles):
    for _ in range(2):
        assert _load(kept=False).compiled
    assert not folder.exists()


@pytest.mark.parametrize("place", [0, 9, 15, 50, 70, 100, 150, -1])
def test_a_file_with_a_flipped_bit_is_made_again(folder, compiles, place):
    _load()
    file = _file(folder)
    data = bytearray(file.read_bytes())
    data[place] ^= 4
    file.write_bytes(data)
    again = _load()
    assert again.compiled
    _works(again)
    assert not _load().compiled


@pytest.mark.parametrize("left", [0, 5, 90, 200, -1])
def test_a_file_that_is_cut_off_is_made_again(folder, compiles, left):
    _load()
    file = _file(folder)
    file.write_bytes(file.read_bytes()[:left])
    assert _load().compiled
    assert not _load().compiled


def test_a_file_of_another_key_is_deleted(folder):
    cache.write(KEY, ENTRY)
    _file(folder).rename(folder / f"{'cd' * 32}.object")
    assert cache.read("cd" * 32) is None
    assert not [*folder.iterdir()]


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_a_file_that_others_may_write_is_made_again(folder, compiles, mode):
    _load()
    _file(folder).chmod(mode)
    assert _load().compiled
    assert _file(folder).stat().st_mode & 0o777 == 0o600


def test_a_file_that_is_a_link_is_not_followed(folder, tmp_path, compiles):
    _load()
    file = _file(folder)
    away = tmp_path / "away"
    file.rename(away)
    file.symlink_to(away)
    assert _load().compiled
    assert away.exists()
    assert not file.is_symlink()


def test_a_file_that_is_a_pipe_does_not_hold_it_up(folder):
    cache.write(KEY, ENTRY)
    file = _file(folder)
    file.unlink()
    os.mkfifo(file)
    assert cache.read(KEY) is None
    assert not [*folder.iterdir()]


def _as_if_of_another_user(monkeypatch, which):
    """`os.fstat` that says so of folders or of files."""
    original = os.fstat

    def foreign(descriptor):
        status = original(descriptor)
        fields = list(status)
        if which(status.st_mode):
            fields[4] = status.st_uid + 1
        return os.stat_result(fields)

    monkeypatch.setattr(os, "fstat", foreign)


def test_a_file_of_another_user_is_made_again(folder, compiles, monkeypatch):
    _load()
    _as_if_of_another_user(monkeypatch, stat.S_ISREG)
    assert _load().compiled


def _refused(compiles):
    """That code is compiled each time, and that this is said once."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        libraries = [_load(), _load()]
    assert [one.category for one in said] == [CacheWarning]
    assert "compiled each time" in str(said[0].message)
    assert [library.compiled for library in libraries] == [True, True]
    assert len(compiles) == 2
    _works(libraries[1])


def test_a_folder_of_another_user_is_not_used(folder, compiles, monkeypatch):
    _as_if_of_another_user(monkeypatch, stat.S_ISDIR)
    _refused(compiles)


@pytest.mark.parametrize("mode", [0o720, 0o702, 0o777, 0o1777])
def test_a_folder_that_others_may_write_to_is_not_used(folder, compiles, mode):
    folder.mkdir(parents=True)
    folder.chmod(mode)
    _refused(compiles)
    assert not [*folder.iterdir()]


def test_a_folder_that_is_a_link_is_not_used(folder, tmp_path, compiles):
    (tmp_path / "real").mkdir(mode=0o700)
    folder.parent.mkdir()
    folder.symlink_to(tmp_path / "real")
    _refused(compiles)
    assert not [*(tmp_path / "real").iterdir()]


def test_a_folder_that_cannot_be_made_is_not_used(folder, compiles):
    folder.parent.write_text("a file")
    _refused(compiles)


def test_a_user_without_a_home_has_no_cache(folder, compiles, monkeypatch):
    monkeypatch.delenv("ROBOCOMPILER_CACHE")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)

    def homeless(self):
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "expanduser", homeless)
    _refused(compiles)


@pytest.mark.parametrize("step", ["open", "write", "rename"])
def test_a_disk_that_is_full_or_read_only_means_no_cache(folder, compiles, monkeypatch, step):
    folder.mkdir(parents=True, mode=0o700)

    def full(*given, **also):
        raise OSError(28, "No space left on device")

    if step == "rename":
        monkeypatch.setattr(os, "rename", full)
    elif step == "write":
        original = os.fdopen

        def opened(descriptor, mode):
            file = original(descriptor, mode)
            return file if mode == "rb" else _Full(file)

        monkeypatch.setattr(os, "fdopen", opened)
    else:
        original_open = os.open

        def refused(path, flags, *given, **also):
            return (full if flags & os.O_CREAT else original_open)(path, flags, *given, **also)

        monkeypatch.setattr(os, "open", refused)
        monkeypatch.setattr(os, "supports_dir_fd", {*os.supports_dir_fd, refused})
    _refused(compiles)
    assert not [*folder.iterdir()]


class _Full:
    """A file on a disk that takes some bytes and no more."""

    def __init__(self, file):
        self.file = file

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()

    def write(self, data):
        self.file.write(data[:100])
        self.file.flush()
        raise OSError(28, "No space left on device")


def test_a_write_that_is_interrupted_leaves_nothing(folder, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "rename", interrupted)
    with pytest.raises(KeyboardInterrupt):
        cache.write(KEY, ENTRY)
    assert not [*folder.iterdir()]


_KILLED = """
import os, sys
sys.path[:0] = {paths!r}
from robocompiler.codegen.llvm import cache
os.rename = lambda *_, **__: os._exit(9)
cache.write({key!r}, cache.Entry(metadata={{}}, code=b"half"))
"""
_LOADING = """
import sys
sys.path[:0] = {paths!r}
import test_jit_cache as tests
library = tests._load()
tests._works(library)
print(library.compiled)
"""
FOLDERS = Path(robocompiler.__file__).parents[1], *(Path(__file__).parents[i] for i in (2, 0))
PATHS = [str(folder) for folder in FOLDERS]


def test_what_a_killed_process_leaves_is_not_taken_for_code_and_goes_in_time(folder):
    script = _KILLED.format(paths=PATHS, key=KEY)
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 9
    left = _file(folder)
    assert left.name.endswith(".temporary")
    assert cache.read(KEY) is None
    cache.write(KEY, ENTRY)
    assert left.exists()
    old = time.time() - 2 * cache.STALE
    os.utime(left, (old, old))
    cache.write(KEY, ENTRY)
    assert not left.exists()
    assert cache.read(KEY) == ENTRY


def test_processes_that_compile_the_same_at_once_do_not_disturb_one_another(folder):
    script = _LOADING.format(paths=PATHS)
    running = [
        subprocess.Popen(
            [sys.executable, "-W", "error", "-c", script],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(4)
    ]
    for process in running:
        said, faults = process.communicate(timeout=120)
        assert (process.returncode, faults) == (0, "")
        assert said.strip() in ("True", "False")
    assert _file(folder).name.endswith(".object")
    assert not _load().compiled


def test_what_was_not_used_for_longest_makes_room(folder, monkeypatch):
    monkeypatch.setattr(cache, "LARGEST", 10_000)
    keys = [f"{i:064x}" for i in range(4)]
    past = time.time() - 5000
    for i, key in enumerate(keys[:3]):
        cache.write(key, ENTRY)
        os.utime(folder / f"{key}.object", (past + i, past + i))
    assert cache.read(keys[0]) == ENTRY
    cache.write(keys[3], cache.Entry(metadata={}, code=b"." * 3000))
    assert [cache.read(key) is not None for key in keys] == [True, False, True, True]


def test_a_good_cache_is_not_spoken_of(folder):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(2):
            _load()
