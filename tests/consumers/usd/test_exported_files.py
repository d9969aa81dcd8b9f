"""What `pc` exports is what consumers' tests write for themselves from the exported mechanism."""

import pytest
from truth import EXAMPLES, sidecar

import robocompiler as rc
from robocompiler.write.known_formats import FORMATS

OPTIONS = {
    ("stewart", "urdf"): {"intermediate_mass": 0.001},
    ("stewart", "usd"): {"intermediate_mass": 0.001},
}
"""Of exports by `pc`, where they are not what `rc.write` has."""


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("name", EXAMPLES)
def test_what_pc_exports_is_what_is_written_of_the_mechanism_beside_it(name, form, tmp_path):
    source = sidecar(name)
    path = tmp_path / f"{name}{FORMATS[form].suffixes[0]}"
    options = OPTIONS.get((name, form), {})
    compiled = rc.compile(rc.read(source))
    geometry = rc.mesh_geometry(source.parent)
    result = rc.write(compiled, path, format=form, geometry=geometry, **options)
    for file in result.files:
        exported = source.parent / file.relative_to(tmp_path)
        assert exported.read_bytes() == file.read_bytes(), exported.name
