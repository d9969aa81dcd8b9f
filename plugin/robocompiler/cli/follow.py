"""The command `follow`: all joints of a mechanism as one of them is driven."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import numpy as np

from robocompiler.cli.output import check_outputs, csv_content, write_outputs
from robocompiler.cli.plot import Picture, finish_axes, shown
from robocompiler.cli.progress import told
from robocompiler.cli.read import read_file
from robocompiler.cli.values import read_assignments, read_quantity
from robocompiler.compiler.compile import compile_mechanism
from robocompiler.compiler.compiled import CompiledMechanism
from robocompiler.errors import BadValueError, UnknownNameError
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import Joint
from robocompiler.model.shown import coordinate_units
from robocompiler.solve.assembly.assemble import assemble
from robocompiler.solve.motion.follow import follow
from robocompiler.solve.motion.motion import Motion


def add_follow(commands: Any) -> None:
    """Add `follow` to the command line."""
    parser = commands.add_parser("follow", help="drive a joint and print or plot all others")
    parser.add_argument("file", type=Path)
    parser.add_argument("--driver", required=True, metavar="JOINT")
    parser.add_argument("--from", dest="start", required=True, metavar="VALUE", help="such as 0deg")
    parser.add_argument("--to", dest="end", required=True, metavar="VALUE")
    parser.add_argument("--samples", type=int, default=361, help="both ends included (361)")
    parser.add_argument("--set", action="append", default=[], metavar="JOINT=VALUE")
    parser.add_argument("--csv", type=Path, help="write every joint at every sample, in SI")
    parser.add_argument("--plot", type=Path, help="write a picture: .png, .svg or .pdf")
    parser.set_defaults(run=_follow)


def _follow(options: argparse.Namespace) -> None:
    check_outputs("follow", [options.file], {"--csv": options.csv, "--plot": options.plot})
    compiled = compile_mechanism(read_file(options.file))
    driver = _driver(compiled, options.driver)
    if options.samples < 2:
        raise BadValueError("follow", "--samples", str(options.samples), "2 or more")
    (unit,) = coordinate_units(driver)
    start = read_quantity(options.start, unit, "--from", driver.name)
    end = read_quantity(options.end, unit, "--to", driver.name)
    picture = None if options.plot is None else Picture(options.plot, "follow")
    near = assemble(compiled, read_assignments(compiled, options.set, "--set"))
    path = {driver.name: np.linspace(start, end, options.samples)}
    motion = follow(compiled, path, start=near, progress=told())
    made: dict[Path, bytes] = {}
    if options.csv is not None:
        made[options.csv] = _csv(motion)
    if picture is not None:
        made[picture.path] = _draw(picture, motion, driver)
    write_outputs(made)
    _summarize(motion, driver)


def _driver(compiled: CompiledMechanism, name: str) -> Joint:
    if name not in compiled.joints:
        raise UnknownNameError("--driver", "joint", name, compiled.joints)
    driver = compiled.joints[name]
    if driver.kind.nq != 1:
        raise BadValueError("--driver", driver.name, driver.kind.value, "of one coordinate")
    return driver


def _columns(motion: Motion) -> list[tuple[str, str, Joint, Any]]:
    """Title, unit, joint and values of each single coordinate, the joints in the model's order."""
    found = []
    for joint in motion.compiled.mechanism.joints:
        if joint.kind is JointKind.FIXED:
            continue
        table = np.asarray(motion.of(joint.name)).reshape(len(motion), joint.kind.nq)
        for i, unit in enumerate(coordinate_units(joint)):
            title = joint.name if joint.kind.nq == 1 else f"{joint.name}/{i}"
            found.append((title, unit, joint, table[:, i]))
    return found


def _csv(motion: Motion) -> bytes:
    """Every coordinate at every sample, in SI."""
    short = {"radian": " [rad]", "meter": " [m]", "": ""}
    found = _columns(motion)
    titles = ["sample", *(f"{title}{short[unit]}" for title, unit, _, _ in found)]
    columns = [range(len(motion)), *(values.tolist() for *_, values in found)]
    return csv_content(titles, zip(*columns, strict=True))


def _draw(picture: Picture, motion: Motion, driver: Joint) -> bytes:
    """A motion over its driver."""
    found = [c for c in _columns(motion) if c[2].name != driver.name and c[1]]
    units = [unit for unit in ("radian", "meter") if any(c[1] == unit for c in found)]
    axes = picture.axes(len(units))
    x, x_unit = shown(motion.of(driver.name), coordinate_units(driver)[0])
    for ax, unit in zip(axes, units, strict=False):
        for title, own, _, values in found:
            if own == unit:
                ax.plot(x, shown(values, unit)[0], label=title)
        finish_axes(ax, "angle [°]" if unit == "radian" else "travel [mm]")
    axes[-1].set_xlabel(f"{driver.name} [{x_unit}]")
    axes[0].set_title(motion.compiled.mechanism.name)
    return picture.content()


def _summarize(motion: Motion, driver: Joint) -> None:
    print(f"{len(motion)} samples, closed to {motion.misfit:.1e} of the loops' size")
    for title, unit, joint, values in _columns(motion):
        if unit and joint.name != driver.name:
            (low, high), mark = shown(np.array([values.min(), values.max()]), unit)
            print(f"{title}: {low:.6g} to {high:.6g} {mark}")
    if motion.held:
        print(f"held where they stood: {', '.join(motion.held)}", file=sys.stderr)
    if motion.crossed:
        at = ", ".join(map(str, motion.crossed))
        print(
            f"two branches meet before sample {at}: passed straight on, which a real mechanism "
            "need not do",
            file=sys.stderr,
        )
    if motion.elsewhere:
        first, again = motion.elsewhere[0]
        print(
            f"'{driver.name}' stands in sample {again} where it does in {first}, and others stand "
            "elsewhere: its value alone does not say how the mechanism is assembled",
            file=sys.stderr,
        )
