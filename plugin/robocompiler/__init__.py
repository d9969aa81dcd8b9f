"""Compile a mechanism with closed loops, write it for a simulator, and run it.

The stages, each usable alone::

    mechanism = rc.read("fourbar.mechanism.json")      # or rc.read_partcad(request)
    compiled = rc.compile(mechanism)                   # tree, cuts, closures, modules
    configuration = rc.assemble(compiled)              # every loop closed
    rc.write(compiled, "fourbar.xml", configuration)   # .xml, .urdf, .sdf, .usda, .json or .c
    rc.simulate("fourbar.xml", duration=1.0)
"""

from robocompiler.compiler.compile import compile_mechanism as compile
from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.compiler.ports import Port
from robocompiler.errors import MechanismError, SeveralFaultsError
from robocompiler.model.configuration import Configuration
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import (
    WORLD,
    Actuator,
    Body,
    Coupling,
    Frame,
    Inertia,
    Joint,
    Leader,
    Mechanism,
    Transmission,
)
from robocompiler.model.tasks import Task
from robocompiler.model.text import from_json, to_json
from robocompiler.read.geometry import read_geometry
from robocompiler.read.mesh_files import mesh_geometry
from robocompiler.read.partcad import read_partcad
from robocompiler.read.read import read
from robocompiler.simulate.run import simulate
from robocompiler.solve.assembly.assemble import assemble
from robocompiler.solve.assembly.branches import branches
from robocompiler.solve.assembly.each import assemble_each
from robocompiler.solve.assembly.update import Assembled
from robocompiler.solve.bound_dynamics.bind import bind_dynamics
from robocompiler.solve.bound_dynamics.bound import BoundDynamics
from robocompiler.solve.bound_dynamics.derivatives import (
    BoundDerivatives,
    Derivatives,
    dynamics_derivatives,
)
from robocompiler.solve.describe import coordinates
from robocompiler.solve.dynamics.energy import Energy, energy
from robocompiler.solve.dynamics.forward import ForwardDynamics, forward_dynamics
from robocompiler.solve.dynamics.inverse import InverseDynamics, inverse_dynamics
from robocompiler.solve.dynamics.mixed import MixedDynamics, mixed_dynamics
from robocompiler.solve.dynamics.power import Power, power
from robocompiler.solve.dynamics.reduced import ReducedDynamics, reduced_dynamics
from robocompiler.solve.dynamics.regressor import (
    BaseParameters,
    Regressor,
    base_parameters,
    regressor,
)
from robocompiler.solve.dynamics.switching import Supports, Switched, momentum_consistent
from robocompiler.solve.generated.bind import bind
from robocompiler.solve.generated.bound import Bound
from robocompiler.solve.integration.integrate import integrate
from robocompiler.solve.integration.integrated import Integrated, Ledger
from robocompiler.solve.loads.loads import JointLoads, joint_loads
from robocompiler.solve.mobility.figures import Mobility
from robocompiler.solve.mobility.mobility import mobility
from robocompiler.solve.motion.driver_range import driver_range
from robocompiler.solve.motion.follow import follow
from robocompiler.solve.of_each import of_each
from robocompiler.solve.reduction.curvature import curvature
from robocompiler.solve.reduction.design import mechanical_advantage, transmission_angle
from robocompiler.solve.reduction.reduce import reduce
from robocompiler.solve.reduction.sensitivity import sensitivity
from robocompiler.solve.selection.rows import BodyVelocity
from robocompiler.solve.selection.select import SelectedVelocity, select_velocity
from robocompiler.solve.statics.equilibrium import Equilibrium, static_equilibrium
from robocompiler.solve.values import Must, Want
from robocompiler.write.result import WriteResult
from robocompiler.write.write import write

stl_geometry = mesh_geometry
"""As it was called while meshes were STL files only."""

__all__ = [
    "WORLD",
    "Actuator",
    "Assembled",
    "BaseParameters",
    "Body",
    "BodyVelocity",
    "Bound",
    "BoundDerivatives",
    "BoundDynamics",
    "CompiledMechanism",
    "Configuration",
    "Coupling",
    "Derivatives",
    "Energy",
    "Equilibrium",
    "ForwardDynamics",
    "Frame",
    "Inertia",
    "Integrated",
    "InverseDynamics",
    "Joint",
    "JointKind",
    "JointLoads",
    "Leader",
    "Ledger",
    "Mechanism",
    "MechanismError",
    "MixedDynamics",
    "Mobility",
    "Must",
    "Port",
    "Power",
    "ReducedDynamics",
    "Regressor",
    "SelectedVelocity",
    "SeveralFaultsError",
    "Supports",
    "Switched",
    "Task",
    "Transmission",
    "Want",
    "WriteResult",
    "assemble",
    "assemble_each",
    "base_parameters",
    "bind",
    "bind_dynamics",
    "branches",
    "compile",
    "coordinates",
    "curvature",
    "driver_range",
    "dynamics_derivatives",
    "energy",
    "follow",
    "forward_dynamics",
    "from_json",
    "integrate",
    "inverse_dynamics",
    "joint_loads",
    "mechanical_advantage",
    "mesh_geometry",
    "mixed_dynamics",
    "mobility",
    "momentum_consistent",
    "of_each",
    "power",
    "read",
    "read_geometry",
    "read_partcad",
    "reduce",
    "reduced_dynamics",
    "regressor",
    "select_velocity",
    "sensitivity",
    "simulate",
    "static_equilibrium",
    "stl_geometry",
    "to_json",
    "transmission_angle",
    "write",
]
