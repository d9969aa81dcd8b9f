"""A mechanism made ready for a format, for tests of what writers make of it."""

from pathlib import Path

import robocompiler as rc
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
    own = geometry or rc.stl_geometry(Path())
    return prepare(FORMATS[name], compiled, standing, path, asked, own, Ledger())
