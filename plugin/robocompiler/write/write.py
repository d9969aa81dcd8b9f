"""Write a compiled mechanism in any of the formats."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from robocompiler.compiler.compile import compile_mechanism
from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.errors import FormatError
from robocompiler.model.configuration import Configuration
from robocompiler.model.geometry import Geometry
from robocompiler.solve.assemble import assemble, carry_over
from robocompiler.write.json import write_json
from robocompiler.write.mjcf_files import write_mjcf
from robocompiler.write.mjcf_names import MJCF_CUTTABLE
from robocompiler.write.result import Ledger, WriteResult
