"""C99 of a mechanism's generated code, for controllers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from robocompiler.codegen.c.files import c_files
from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.errors import OutputError
from robocompiler.model.configuration import Configuration
from robocompiler.solve.generated.bind import bind
from robocompiler.solve.generated.c_program import c_program
from robocompiler.write.beside import check_beside
from robocompiler.write.comments import HEADER
from robocompiler.write.fidelity import Property
from robocompiler.write.files import write_files
from robocompiler.write.ledger import Ledger
from robocompiler.write.result import WriteResult
from robocompiler.write.statements import statements


def write_c(
    compiled: CompiledMechanism,
    path: Path,
    configuration: Configuration,
    independent: Sequence[str],
    ledger: Ledger,
) -> WriteResult:
    """A source file and its header, named after the file, in its folder.

    Raises:
        UnknownNameError, PartitionError: independent joints that cannot work.
        UnwritableError: nothing follows from anything.
        GenerationError: no code can be generated.
        OutputError: a file or folder that cannot be written, or a source with its header's name.
        ForeignFilesError: a header that would be replaced and is not ours.
    """
    program = replace(
        c_program(bind(compiled, near=configuration, independent=independent)), name=path.stem
    )
    files = c_files(program)
    header = f"{files.prefix}.h"
    if path.name.lower() == header:
        raise OutputError(path, "its header is called so; give the source the suffix .c")
    for of, where, what in statements(compiled, ()):
        if of in (Property.LIMITS, Property.CUT_LIMITS, Property.SWING):
            ledger.drop(of, where, what, "C code minds none")
    marked = f"/* {HEADER} */\n{files.header}"
    content = {path.name: files.source.encode(), header: marked.encode()}
    check_beside(path, content)
    written = write_files(path.parent, content)
    return WriteResult(files=written, ledger=ledger.entries, warnings=tuple(ledger.warnings))
