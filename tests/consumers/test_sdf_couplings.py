"""Couplings in SDFormat, as Drake holds them."""

import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from in_drake import DRAKE
from pydrake.systems.analysis import Simulator
from sdf_files import loaded_text, texts_of

import robocompiler as rc
from exporting import exporting
from linkages.drawing import Drawing, turn
from linkages.spatial import housed, summing_differential


@pytest.mark.row(DRAKE, "SDF", agrees="couplings of one leader and of several, as they move")
@pytest.mark.parametrize("several", [False, True])
def test_drake_holds_couplings_while_the_mechanism_moves(several):
    """Also where ratios and offsets are neither 1 nor 0, and joints do not stand at their zero."""
    mechanism = summing_arm() if several else geared_arms(2.0, 0.1)
    export = exporting("sdf", mechanism)
    plant, context = loaded_text(texts_of(export)[1])
    couplings, tree = export.compiled.couplings, export.compiled.tree
    speeds = kept_by(couplings, export.compiled.nv)
    for t in tree:
        joint = plant.GetJointByName(t.edge.joint.name)
        joint.set_angular_rate(context, speeds[t.v][0])
    Simulator(plant, context).AdvanceTo(0.2)
    moves = {t: plant.GetJointByName(t.edge.joint.name).get_angle(context) for t in tree}
    q = export.q.copy()
    for t, by in moves.items():
        q[t.q] += by
    assert max(map(abs, moves.values())) > 0.05
    assert max(abs(coupling.off(q)) for coupling in couplings) < 1e-5


def kept_by(couplings, nv):
    """Speeds that the couplings allow."""
    C = np.zeros((len(couplings), nv))
    for row, coupling in zip(C, couplings, strict=True):
        for ref, coefficient in coupling.terms:
            row[ref.v] = coefficient
    anything = np.random.default_rng(2).uniform(0.3, 1.0, nv)
    return anything - np.linalg.pinv(C) @ (C @ anything)


def geared_arms(ratio, offset):
    """Two hinges on the world, one of which follows the other."""
    drawing = Drawing("geared", turn((0.3, 0.2, 0.1)))
    for name, value, place in (("a", 0.3, 0.0), ("b", ratio * 0.3 + offset, 0.5)):
        where = turn((0.0, 0.4, 0.2), (place, 0.0, 0.0))
        drawing.body(name, turn((0.1, 0.2, 0.3), (place, 0.1, 0.0)))
        drawing.revolute(f"hinge-{name}", (rc.WORLD, name), where, value)
    drawing.gear("gear", "hinge-a", "hinge-b", ratio, offset)
    return drawing.mechanism()


def summing_arm():
    """A chain of three hinges, of which the last turns by both others."""
    drawing, inboard = Drawing("summing", turn((0.3, 0.2, 0.1))), rc.WORLD
    for index, (name, value) in enumerate({"a": 0.3, "b": -0.2, "c": 0.5}.items()):
        where = turn((0.0, 0.4 * index, 0.2), (0.5 * index, 0.0, 0.0))
        drawing.body(name, turn((0.1, 0.2, 0.3), (0.5 * index, 0.1, 0.0)))
        drawing.revolute(f"hinge-{name}", (inboard, name), where, value)
        inboard = name
    drawing.couple("sum", "hinge-c", {"hinge-a": 2.0, "hinge-b": 1.0}, 0.1)
    return drawing.mechanism()


@pytest.mark.row(DRAKE, "SDF", cannot="holds no coupling of joints of over two trees")
def test_drake_fails_on_a_coupling_of_three_trees():
    """Which therefore it is not given: this one is made of one that it takes."""
    export = exporting("sdf", summing_differential())
    assert "cage_coupling" not in texts_of(export)[1]
    lost = [entry.where for entry in export.ledger.unsupported]
    assert lost == ["cage"]
    text = texts_of(exporting("sdf", summing_arm()))[1]
    for joint in ("hinge-b", "hinge-c"):
        element = ElementTree.fromstring(text).find(f".//joint[@name='{joint}']")
        parent = element.find("parent").text
        told = f'<joint name="{joint}" type="continuous">\n        <parent>{parent}</parent>'
        assert told in text
        text = text.replace(told, told.replace(f">{parent}<", ">world<"))
    plant, context = loaded_text(text)
    with pytest.raises(RuntimeError, match="more than two kinematic trees is not allowed"):
        Simulator(plant, context).AdvanceTo(0.01)


def test_on_a_base_drake_takes_what_is_of_three_branches():
    export = exporting("sdf", housed(summing_differential()))
    plant, context = loaded_text(texts_of(export)[0])
    Simulator(plant, context).AdvanceTo(0.1)
    assert plant.num_constraints() == len(export.compiled.couplings) == 3


@pytest.mark.row(DRAKE, "SDF", cannot="takes no gearbox, so that couplings are mimics")
def test_drake_refuses_a_gearbox():
    text = texts_of(exporting("sdf", summing_arm()))[0]
    geared = text.replace('name="hinge-b" type="continuous"', 'name="hinge-b" type="gearbox"')
    assert geared != text
    with pytest.raises(RuntimeError, match=r"Joint type \(gearbox\) not supported"):
        loaded_text(geared)


@pytest.mark.row(DRAKE, "SDF", cannot="reads no `mimic`, so that it is given `drake:mimic` too")
def test_drake_reads_no_mimic_but_its_own():
    text = texts_of(exporting("sdf", geared_arms(2.0, 0.1)))[0]
    assert loaded_text(text)[0].num_constraints() == 1
    own = next(line for line in text.splitlines(keepends=True) if "<drake:mimic" in line)
    assert loaded_text(text.replace(own, ""))[0].num_constraints() == 0
