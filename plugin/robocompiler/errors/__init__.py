"""Every error raised on purpose: what is wrong, where, by how much, what to do."""

from robocompiler.errors.base import (
    FormatError,
    MechanismError,
    SeveralFaultsError,
    raise_all,
)
from robocompiler.errors.loops import (
    AssembledOutsideLimitsError,
    ClosureError,
    CutError,
    KeptError,
    OverdeterminedError,
    PortsApartError,
    UnreachableError,
)
from robocompiler.errors.mechanism import (
    CouplingCycleError,
    CouplingError,
    DisconnectedError,
    DuplicateJointError,
    InertiaError,
    LimitsError,
    MappedPortError,
    MassError,
    SameBodyError,
    StartOutsideLimitsError,
    UnsupportedJointError,
)
from robocompiler.errors.names import (
    AmbiguousNameError,
    BadValueError,
    DuplicateNameError,
    UnknownKindError,
    UnknownNameError,
)
from robocompiler.errors.output import (
    DivergenceError,
    DriveError,
    OutputError,
    UnwritableError,
)
from robocompiler.errors.solving import (
    NothingFoundError,
    SampleError,
    SingularError,
    SpeedError,
    StoppedError,
)

__all__ = [
    "AmbiguousNameError",
    "AssembledOutsideLimitsError",
    "BadValueError",
    "ClosureError",
    "CouplingCycleError",
    "CouplingError",
    "CutError",
    "DisconnectedError",
    "DivergenceError",
    "DriveError",
    "DuplicateJointError",
    "DuplicateNameError",
    "FormatError",
    "InertiaError",
    "KeptError",
    "LimitsError",
    "MappedPortError",
    "MassError",
    "MechanismError",
    "NothingFoundError",
    "OutputError",
    "OverdeterminedError",
    "PortsApartError",
    "SameBodyError",
    "SampleError",
    "SeveralFaultsError",
    "SingularError",
    "SpeedError",
    "StartOutsideLimitsError",
    "StoppedError",
    "UnknownKindError",
    "UnknownNameError",
    "UnreachableError",
    "UnsupportedJointError",
    "UnwritableError",
    "raise_all",
]
