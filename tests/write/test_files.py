"""All of an export's files, or none: every failure here is one the system really reports."""

import contextlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from robocompiler.errors import OutputError
from robocompiler.write.files import write_files


def everything(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
    }


@contextlib.contextmanager
def files_of_at_most(size):
    """A limit on the size of any file, as a full disk is one on all of them.

    Only as long as it is needed: pytest's own output may be going to a file.
    """
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_files_and_their_sub_folders_are_written(tmp_path):
    written = write_files(tmp_path, {"a.xml": b"one", "meshes/deep/b.stl": b"two"})
    assert written == (tmp_path / "a.xml", tmp_path / "meshes/deep/b.stl")
    assert everything(tmp_path) == {
        "a.xml": b"one",
        "meshes": None,
        "meshes/deep": None,
        "meshes/deep/b.stl": b"two",
    }


def test_files_of_the_same_names_are_replaced_and_others_kept(tmp_path):
    (tmp_path / "meshes").mkdir()
    (tmp_path / "meshes/old.stl").write_bytes(b"mine")
    (tmp_path / "a.xml").write_bytes(b"before")
    write_files(tmp_path, {"a.xml": b"after", "meshes/new.stl": b"new"})
    assert everything(tmp_path) == {
        "a.xml": b"after",
        "meshes": None,
        "meshes/new.stl": b"new",
        "meshes/old.stl": b"mine",
    }


def test_a_file_is_as_readable_as_any_other(tmp_path):
    (tmp_path / "usual").write_bytes(b"")
    write_files(tmp_path, {"a.xml": b""})
    assert (tmp_path / "a.xml").stat().st_mode == (tmp_path / "usual").stat().st_mode


@pytest.mark.parametrize("name", ["Gelenk größer ✓.xml", "a;b=1.xml", "-n.xml", " .xml", "n" * 250])
def test_odd_names_are_names(tmp_path, name):
    write_files(tmp_path, {name: b"x"})
    assert everything(tmp_path) == {name: b"x"}


def test_a_link_is_written_through(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "real/a.xml").write_bytes(b"before")
    (tmp_path / "a.xml").symlink_to(tmp_path / "real/a.xml")
    write_files(tmp_path, {"a.xml": b"after"})
    assert (tmp_path / "a.xml").is_symlink()
    assert everything(tmp_path / "real") == {"a.xml": b"after"}


def test_a_folder_that_does_not_exist_is_an_error_and_is_not_made(tmp_path):
    with pytest.raises(OutputError, match="no such folder"):
        write_files(tmp_path / "gone", {"a.xml": b""})
    assert everything(tmp_path) == {}


def test_a_file_in_place_of_the_folder_is_an_error(tmp_path):
    (tmp_path / "file").write_bytes(b"mine")
    with pytest.raises(OutputError, match=r"'.*file': it is not a folder"):
        write_files(tmp_path / "file", {"a.xml": b""})
    assert everything(tmp_path) == {"file": b"mine"}


def test_a_file_in_place_of_a_sub_folder_leaves_nothing_of_the_rest(tmp_path):
    (tmp_path / "meshes").write_bytes(b"mine")
    with pytest.raises(OutputError, match=r"meshes': .*exists"):
        write_files(tmp_path, {"a.xml": b"", "new/b.stl": b"", "meshes/c.stl": b""})
    assert everything(tmp_path) == {"meshes": b"mine"}


def test_a_folder_in_place_of_a_file_leaves_nothing_of_the_rest(tmp_path):
    (tmp_path / "a.xml").mkdir()
    with pytest.raises(OutputError, match="a folder of that name"):
        write_files(tmp_path, {"new/b.stl": b"", "a.xml": b""})
    assert everything(tmp_path) == {"a.xml": None}


def test_a_file_that_does_not_fit_leaves_nothing_and_what_was_there_stays(tmp_path):
    (tmp_path / "a.xml").write_bytes(b"mine")
    with files_of_at_most(1000), pytest.raises(OutputError, match="too large"):
        write_files(tmp_path, {"a.xml": b"new", "m/b.stl": b"x" * 1001})
    assert everything(tmp_path) == {"a.xml": b"mine"}


def test_a_name_that_is_too_long_leaves_nothing(tmp_path):
    """Found only when the files before it have their names already."""
    (tmp_path / "a.xml").write_bytes(b"mine")
    with pytest.raises(OutputError, match="name too long"):
        write_files(tmp_path, {"a.xml": b"new", "m/b.stl": b"", "n" * 300: b""})
    assert everything(tmp_path) == {"a.xml": b"mine"}


@pytest.mark.parametrize("there_already", [False, True])
def test_a_renaming_that_fails_undoes_those_before_it(tmp_path, monkeypatch, there_already):
    (tmp_path / "a.xml").write_bytes(b"mine")
    if there_already:
        (tmp_path / "m").mkdir()
        (tmp_path / "m/z.stl").write_bytes(b"mine")
    before = everything(tmp_path)
    rename = Path.replace

    def busy(self, target):
        if Path(target).name == "z.stl":
            raise OSError(26, os.strerror(26))
        return rename(self, target)

    monkeypatch.setattr(Path, "replace", busy)
    with pytest.raises(OutputError, match=r"z\.stl"):
        write_files(tmp_path, {"a.xml": b"new", "b.xml": b"new", "m/z.stl": b"new"})
    assert everything(tmp_path) == before


def test_an_interruption_leaves_nothing(tmp_path, monkeypatch):
    (tmp_path / "a.xml").write_bytes(b"mine")

    def interrupted(self, target):
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_files(tmp_path, {"b/c.stl": b"new", "d.xml": b"new"})
    assert everything(tmp_path) == {"a.xml": b"mine"}


@pytest.mark.parametrize("path", ["../a.xml", "/a.xml", "m/../../a.xml", ""])
def test_nothing_is_written_outside_the_folder(tmp_path, path):
    inner = tmp_path / "inner"
    inner.mkdir()
    with pytest.raises(OutputError, match="not a file inside"):
        write_files(inner, {"b.xml": b"", path: b""})
    assert everything(tmp_path) == {"inner": None}


def test_a_folder_of_the_system_that_takes_no_files_is_an_error():
    proc = Path("/proc/self")
    if not proc.is_dir():
        pytest.skip("no /proc")
    with pytest.raises(OutputError, match=r"/proc/.*/a\.xml"):
        write_files(proc, {"a.xml": b""})


def test_a_device_is_not_replaced_by_a_file():
    """As root, a rename would put a plain file where /dev/null was."""
    if not Path("/dev/null").is_char_device():
        pytest.skip("no /dev/null")
    with pytest.raises(OutputError, match="a device of that name"):
        write_files(Path("/dev"), {"null": b""})


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root can mount")
def test_a_full_disk_leaves_nothing(tmp_path):
    """A disk of 64 KiB, in a mount namespace of its own."""
    code = (
        "import sys; from pathlib import Path; from robocompiler.write.files import write_files\n"
        "try: write_files(Path(sys.argv[1]), {'a.xml': b'x' * 30000, 'm/b.stl': b'x' * 90000})\n"
        "except Exception as error: print(error)\n"
        "print(sorted(p.name for p in Path(sys.argv[1]).rglob('*')))\n"
    )
    script = 'mount -t tmpfs -o size=64k none "$1" && exec "$2" -c "$3" "$1"'
    run = subprocess.run(
        ["unshare", "-m", "sh", "-c", script, "sh", str(tmp_path), sys.executable, code],
        env={**os.environ, "PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    if run.returncode:
        pytest.skip(f"no mount here: {run.stderr.strip()}")
    message, left = run.stdout.splitlines()
    assert "no space left on device" in message
    assert left == "[]"


@pytest.mark.parametrize("name", ["a\0b", "a\ud800b"])
def test_a_name_that_no_file_can_have_is_an_error(name, tmp_path):
    with pytest.raises(OutputError, match=r"embedded null|surrogates"):
        write_files(tmp_path, {name: b"1"})
    assert not [*tmp_path.iterdir()]


def test_a_folder_that_another_export_makes_at_the_same_time_is_used_and_left(
    tmp_path, monkeypatch
):
    make = Path.mkdir

    def late(self):
        make(self)
        raise FileExistsError(17, "File exists")

    monkeypatch.setattr(Path, "mkdir", late)
    write_files(tmp_path, {"meshes/a.obj": b"1"})
    assert (tmp_path / "meshes" / "a.obj").read_bytes() == b"1"
