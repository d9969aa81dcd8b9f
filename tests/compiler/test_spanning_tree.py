from dataclasses import replace

import networkx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mechanisms import bar, four_bar
from robocompiler.compiler.compile import compile_mechanism
from robocompiler.errors import CouplingError, CutError, UnwritableError
from robocompiler.model.joint_kinds import JointKind
from robocompiler.model.mechanism import (
    WORLD,
    Actuator,
    Body,
    Coupling,
    Frame,
    Joint,
    Leader,
    Mechanism,
    Transmission,
)

MOVING = [kind for kind in JointKind if kind not in (JointKind.FIXED, JointKind.FREE)]


def cut_of(mechanism, cuttable=None):
    (closure,) = compile_mechanism(mechanism, cuttable).closures
    return closure.chord.joint.name


def test_on_equal_terms_the_declared_loop_joint_is_cut():
    assert cut_of(four_bar()) == "C"


def test_a_ball_is_cut_before_the_declared_revolute_for_its_fewer_rows():
    assert cut_of(four_bar(kinds={"B": JointKind.BALL})) == "B"


@pytest.mark.parametrize(
    "burden",
    [
        {"effort": 5.0},
        {"stiffness": 2.0},
        {"limits": ((-3.0, 3.0),)},
        {"effort": 5.0, "limits": ((-3.0, 3.0),)},
    ],
)
def test_a_burdened_loop_joint_stays_in_the_tree_and_names_the_loop(burden):
    compiled = compile_mechanism(four_bar(joint={"C": burden}))
    (closure,) = compiled.closures
    assert closure.chord.joint.name in {"A", "B", "D"}
    assert closure.name == "C"


def test_fewest_rows_give_way_to_freedom_from_limits():
    limited_ball = four_bar(kinds={"B": JointKind.BALL}, joint={"B": {"swing_limit": 2.0}})
    assert cut_of(limited_ball) == "C"


def test_a_coupled_joint_is_not_cut():
    coupled = replace(
        four_bar(), couplings=(Coupling.gear(name="gear", leader="A", follower="C", ratio=1.0),)
    )
    assert cut_of(coupled) in {"B", "D"}


def test_no_leader_of_a_coupling_is_cut():
    leaders = tuple(Leader(coordinate=name, ratio=0.5) for name in "ABC")
    differential = Coupling(name="sum", follower="D", leaders=leaders)
    for spared in range(3):
        tied = replace(differential, leaders=leaders[:spared] + leaders[spared + 1 :])
        assert cut_of(replace(four_bar(), couplings=(tied,))) == "ABC"[spared]


def test_where_every_joint_is_coupled_the_refusal_names_the_coupling():
    pairs = (("A", "B"), ("C", "D"))
    couplings = tuple(
        Coupling.gear(name=f"gear {a}", leader=a, follower=b, ratio=1.0) for a, b in pairs
    )
    said = r"gear .*had to be cut: every joint of its loop is actuated, coupled or sprung"
    with pytest.raises(CouplingError, match=said):
        compile_mechanism(replace(four_bar(), couplings=couplings))


def test_where_the_format_leaves_only_a_coupled_joint_the_refusal_says_that():
    kinds = dict.fromkeys("BCD", JointKind.CYLINDRICAL)
    wheel = Body(name="wheel", inertia=bar(1.0, 1.0))
    mechanism = four_bar(kinds=kinds)
    coupled = replace(
        mechanism,
        bodies=(*mechanism.bodies, wheel),
        frames=(*mechanism.frames, Frame(name="w", body=WORLD), Frame(name="wheel", body="wheel")),
        joints=(
            *mechanism.joints,
            Joint(name="W", kind=JointKind.REVOLUTE, parent="w", child="wheel"),
        ),
        couplings=(Coupling.gear(name="gear", leader="W", follower="A", ratio=1.0),),
    )
    said = "'A' had to be cut: no other joint of its loop can be cut in this format"
    with pytest.raises(CouplingError, match=said):
        compile_mechanism(coupled, {JointKind.REVOLUTE})


def test_a_coupled_joint_is_seen_whatever_slashes_are_in_its_name():
    """As joints of a sub-assembly are called."""
    mechanism = four_bar()
    renamed = {"C": "arm/sub/C", "A": "arm/A"}
    joints = tuple(replace(j, name=renamed.get(j.name, j.name)) for j in mechanism.joints)
    gear = Coupling.gear(name="gear", leader="arm/A", follower="arm/sub/C", ratio=1.0)
    assert cut_of(replace(mechanism, joints=joints, couplings=(gear,))) in {"B", "D"}


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({}, "'C' is declared as closing the loop"),
        ({"joint": {"C": {"effort": 5.0}}}, "'C' is actuated; 'A' is first by name among equals"),
        (
            {"joint": {"C": {"stiffness": 5.0}}},
            "'C' has a spring; 'A' is first by name among equals",
        ),
        (
            {
                "joint": {
                    "C": {"limits": ((-9.0, 9.0),)},
                    "B": {"effort": 1.0},
                    "A": {"effort": 1.0},
                }
            },
            "'C' has limits",
        ),
        ({"joint": {n: {"limits": ((-9.0, 9.0),)} for n in "ABD"}}, "'C' has no limits"),
        ({"kinds": {"B": JointKind.BALL}}, "'C' needs 5 rows, 'B' 3"),
        ({"kinds": {"C": JointKind.BALL}}, "'C' needs the fewest rows (3)"),
        ({"kinds": {"C": JointKind.FIXED}}, "'C' is fixed; 'A' is first by name among equals"),
        (
            {"joint": {n: {"effort": 1.0} for n in "ABCD"}},
            "every joint of its loop is actuated, coupled or sprung",
        ),
    ],
)
def test_the_reason_is_the_deciding_thing_only(fields, reason):
    (closure,) = compile_mechanism(four_bar(**fields)).closures
    assert closure.reason == reason


def test_the_reason_says_what_the_format_cannot_cut():
    (closure,) = compile_mechanism(
        four_bar(kinds={"C": JointKind.CYLINDRICAL}), {JointKind.REVOLUTE}
    ).closures
    assert closure.reason == (
        "'C' is a cylindrical joint, which this format cannot cut; "
        "'A' is first by name among equals"
    )


@pytest.mark.parametrize("name", "ABCD")
def test_the_joints_to_cut_can_be_given_whatever_they_cost(name):
    mechanism = four_bar(joint={name: {"effort": 1.0}})
    (closure,) = compile_mechanism(mechanism, cuts=[name]).closures
    assert (closure.chord.joint.name, closure.name) == (name, "C")


@pytest.mark.parametrize(
    ("cuts", "message"),
    [
        ([], "Cutting no joint .*the loop of 'A', 'B', 'C', 'D' is not cut"),
        (["A", "B"], "without 'B' not every body is held"),
        (["A", "X"], "no joint 'X' that moves"),
        (["ground-world"], "without .ground-world. not every body is held"),
    ],
)
def test_cuts_that_leave_no_spanning_tree_are_refused(cuts, message):
    with pytest.raises(CutError, match=message):
        compile_mechanism(four_bar(), cuts=cuts)


@given(st.deferred(lambda: graphs()))
def test_the_cuts_that_were_chosen_give_the_same_tree_when_given(mechanism):
    chosen = compile_mechanism(mechanism)
    again = compile_mechanism(mechanism, cuts=[c.chord.joint.name for c in chosen.closures])
    for a, b in zip(chosen.tree, again.tree, strict=True):
        assert (a.edge.joint, a.q, a.v) == (b.edge.joint, b.q, b.v)
    assert [(c.name, c.path) for c in chosen.closures] == [(c.name, c.path) for c in again.closures]


def test_only_cuttable_kinds_are_cut():
    mechanism = four_bar(kinds={"B": JointKind.CYLINDRICAL})
    assert cut_of(mechanism) == "B"
    assert cut_of(mechanism, {JointKind.REVOLUTE}) == "C"


def test_a_loop_without_a_cuttable_joint_is_refused_by_its_joints():
    with pytest.raises(UnwritableError, match=r"'A' .*revolute"):
        compile_mechanism(four_bar(), {JointKind.BALL})


@given(st.randoms())
def test_the_cut_does_not_depend_on_the_order_of_declarations(random):
    mechanism = four_bar()
    shuffled = [list(mechanism.joints), list(mechanism.bodies), list(mechanism.frames)]
    for items in shuffled:
        random.shuffle(items)
    joints, bodies, frames = map(tuple, shuffled)
    other = replace(mechanism, joints=joints, bodies=bodies, frames=frames)
    a, b = compile_mechanism(mechanism), compile_mechanism(other)
    assert [t.edge.joint for t in a.tree] == [t.edge.joint for t in b.tree]
    assert [c.chord.joint for c in a.closures] == [c.chord.joint for c in b.closures]
    assert [c.reason for c in a.closures] == [c.reason for c in b.closures]


TERMS = [{}, {}, {"effort": 1.0}, {"stiffness": 1.0}, {"armature": 1.0}]


@st.composite
def graphs(draw):
    """A connected mechanism of up to 12 bodies, with loops, all joints at the body origins."""
    n = draw(st.integers(2, 12))
    edges = [(draw(st.integers(0, i - 1)), i) for i in range(1, n)]
    extra = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda e: e[0] != e[1])
    edges += draw(st.lists(extra, max_size=8))
    name = [WORLD, *(f"body{i}" for i in range(1, n))]
    joints = []
    for i, (a, b) in enumerate(edges):
        kind = draw(st.sampled_from(MOVING))
        given = dict(draw(st.sampled_from(TERMS)))
        if kind is JointKind.SCREW:
            given["pitch"] = 0.01
        joints.append(Joint(name=f"j{i}", kind=kind, parent=name[a], child=name[b], **given))
    single = [joint.name for joint in joints if joint.kind.nq == 1]
    moved = draw(st.sets(st.sampled_from(single), max_size=3)) if single else set()
    transmissions = tuple(Transmission(coordinate=name) for name in sorted(moved))
    return Mechanism(
        name="random",
        bodies=tuple(Body(name=b, inertia=bar(1.0, 1.0)) for b in name[1:]),
        frames=tuple(Frame(name=b, body=b) for b in name),
        joints=tuple(joints),
        actuators=(Actuator(name="m", transmissions=transmissions),) if moved else (),
    )


def is_burdened(mechanism, joint):
    moved = {t.coordinate for actuator in mechanism.actuators for t in actuator.transmissions}
    terms = (joint.effort or 0.0, joint.armature, joint.stiffness)
    return any(terms) or joint.name in moved


@given(graphs())
@settings(max_examples=200)
def test_what_is_cut_costs_as_little_as_any_choice_could(mechanism):
    """networkx is the oracle: with weights that order as the costs do, its maximum spanning tree
    leaves out the cheapest joints there are."""
    ends = {frame.name: frame.body for frame in mechanism.frames}
    graph = networkx.MultiGraph()
    for joint in mechanism.joints:
        weight = 1000.0 * is_burdened(mechanism, joint) + joint.kind.rows
        graph.add_edge(ends[joint.parent], ends[joint.child], weight=weight)
    kept = networkx.maximum_spanning_tree(graph).size(weight="weight")
    compiled = compile_mechanism(mechanism)
    ours = sum(
        1000.0 * is_burdened(mechanism, t.edge.joint) + t.edge.joint.kind.rows
        for t in compiled.tree
    )
    assert ours == kept
    assert len(compiled.tree) == len(mechanism.bodies)
    assert len(compiled.tree) + len(compiled.closures) == len(mechanism.joints)


@given(graphs())
def test_coordinates_are_numbered_inboard_before_outboard_without_gaps(mechanism):
    compiled = compile_mechanism(mechanism)
    reached, q, v = {0}, 0, 0
    for tree_joint in compiled.tree:
        assert tree_joint.inboard in reached
        reached.add(tree_joint.outboard)
        assert (tree_joint.q.start, tree_joint.v.start) == (q, v)
        q, v = tree_joint.q.stop, tree_joint.v.stop
    assert (compiled.nq, compiled.nv) == (q, v)


@given(graphs())
def test_the_two_paths_of_a_closure_start_at_one_body_and_share_nothing(mechanism):
    compiled = compile_mechanism(mechanism)
    for closure in compiled.closures:
        assert not set(closure.to_parent) & set(closure.to_child)
        starts = set()
        for path, end in (
            (closure.to_parent, closure.chord.parent),
            (closure.to_child, closure.chord.child),
        ):
            first = compiled.tree[path[0]].inboard if path else end
            bodies = [first, *(compiled.tree[i].outboard for i in path)]
            assert [compiled.tree[i].inboard for i in path] == bodies[:-1]
            assert bodies[-1] == end
            starts.add(bodies[0])
        assert len(starts) == 1


@given(graphs())
def test_modules_hold_every_closure_once_and_share_no_coordinate(mechanism):
    compiled = compile_mechanism(mechanism)
    held = [i for module in compiled.modules for i in module.closures]
    assert sorted(held) == list(range(len(compiled.closures)))
    joints = [i for module in compiled.modules for i in module.joints]
    assert len(joints) == len(set(joints))


def test_a_chain_of_many_loops_is_cut_once_each():
    n = 40
    names = [WORLD, *(f"b{i}" for i in range(1, 3 * n + 1))]
    joints, at = [], 0
    for loop in range(n):
        a, b, c = (3 * loop + k for k in (1, 2, 3))
        for i, (p, q) in enumerate(((at, a), (a, b), (b, c), (at, c))):
            joints.append(
                Joint(
                    name=f"L{loop}.{i}",
                    kind=JointKind.REVOLUTE,
                    parent=names[p],
                    child=names[q],
                    closes_loop=i == 3,
                )
            )
        at = c
    mechanism = Mechanism(
        name="chain",
        bodies=tuple(Body(name=x, inertia=bar(1.0, 1.0)) for x in names[1:]),
        frames=tuple(Frame(name=x, body=x) for x in names),
        joints=tuple(joints),
    )
    compiled = compile_mechanism(mechanism)
    assert {c.chord.joint.name for c in compiled.closures} == {f"L{i}.3" for i in range(n)}
    assert len(compiled.modules) == n


def test_loops_are_named_by_their_declared_joints_wherever_they_are_cut():
    """Two loops that share a bar: each keeps its own name."""
    mechanism = four_bar(joint={"C": {"effort": 1.0}})
    frames = (
        *mechanism.frames,
        Frame(name="ground.E", body="ground", position=(0.2, 0.0, 0.0)),
        Frame(name="prop.E", body="prop"),
        Frame(name="prop.G", body="prop", position=(0.2, 0.0, 0.0)),
        Frame(name="coupler.G", body="coupler", position=(0.2, 0.0, 0.0)),
    )
    more = (
        Joint(name="E", kind=JointKind.REVOLUTE, parent="ground.E", child="prop.E"),
        Joint(
            name="G",
            kind=JointKind.REVOLUTE,
            parent="coupler.G",
            child="prop.G",
            closes_loop=True,
            effort=1.0,
        ),
    )
    both = replace(
        mechanism,
        bodies=(*mechanism.bodies, Body(name="prop", inertia=bar(0.1, 0.2))),
        frames=frames,
        joints=(*mechanism.joints, *more),
    )
    compiled = compile_mechanism(both)
    assert {closure.name for closure in compiled.closures} == {"C", "G"}
    assert not {closure.chord.joint.name for closure in compiled.closures} & {"C", "G"}


def test_a_fixed_joint_in_a_ring_takes_a_freedom_and_is_no_closure():
    compiled = compile_mechanism(four_bar(kinds={"C": JointKind.FIXED}))
    assert [c.name for c in compiled.closures] == ["C"]
    (closure,) = compiled.closures
    assert closure.kind is JointKind.REVOLUTE
    assert len(compiled.tree) == 2
    assert np.isclose(sum(b.inertia.mass for b in compiled.bodies if b.inertia), 1.15)
