"""A mechanism made ready for a format, for tests of what writers make of it."""

from pathlib import Path

import robocompiler as rc
from everything import geometry
from robocompiler.write.export import ASSEMBLED
from robocompiler.write.known_formats import FORMATS
from robocompiler.write.ledger import Ledger
from robocompiler.write.options import WriteOptions
from robocompiler.write.prepare import prepare


def exporting(name, mechanism, values=None, geometry=None, configurations=None, **options):
    """The `Export` that a format's writer is given of a mechanism, assembled at values."""
    asked = WriteOptions(**options)
    compiled = rc.compile(mechanism, FORMATS[name].cuttable(asked))
    standing = {ASSEMBLED: rc.assemble(compiled, values), **(configurations or {})}
    path = Path(f"{mechanism.name}{FORMATS[name].suffixes[0]}")
    own = geometry or rc.mesh_geometry(Path())
    return prepare(FORMATS[name], compiled, standing, path, asked, own, Ledger())


def asked(name):
    """Options with which a format writes as much as it can."""
    most = {"intermediate_mass": 0.001, "usd_profile": "mujoco"}
    return {option: most[option] for option in most if option in FORMATS[name].options}


def write(name, mechanism, folder, stem="m", **more):
    """Written in a format into a folder, with the geometry of `everything`."""
    path = folder / f"{stem}{FORMATS[name].suffixes[0]}"
    options = {"geometry": geometry, **asked(name), **more}
    return rc.write(rc.compile(mechanism), path, format=name, **options)


def files_of(folder):
    """Every file by path, and what is in it."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }
