"""Clusters of joints that are solved together, against the definition by sets of ancestors."""

from hypothesis import given
from hypothesis import strategies as st

from robocompiler.compiler.clusters.grouping import clusters_of
from robocompiler.equations.dynamics import BASE, Limb


def tree(*inboard):
    return [Limb(crossing=None, inboard=limb, inertia=None) for limb in inboard]


def joints_of(limbs, together):
    return [cluster.joints for cluster in clusters_of(limbs, together)]


def test_joints_of_a_tree_are_clusters_of_one_joint_nearer_the_base_first():
    assert joints_of(tree(BASE, 0, BASE, 1), []) == [(0,), (2,), (1,), (3,)]


def test_a_loop_on_the_world_is_a_cluster_that_hangs_on_it():
    (first,) = clusters_of(tree(BASE, 0, BASE), [[0, 1, 2]])
    assert (first.joints, first.inboard, first.parent, first.depth) == ((0, 1, 2), BASE, BASE, 0)


def test_all_joints_between_distant_ones_belong_to_their_cluster():
    """A gear from the tip of one branch to the tip of another, the branches on limb 0."""
    limbs = tree(BASE, 0, 1, 2, 0, 4)
    assert joints_of(limbs, [[3, 5]]) == [(0,), (1, 2, 3, 4, 5)]


def test_clusters_that_meet_are_one():
    """A gear across two loops, which hang one on the other."""
    limbs = tree(BASE, BASE, 1, 2, 3)
    assert joints_of(limbs, [[0, 1], [3, 4], [1, 4]]) == [(0, 1, 2, 3, 4)]


def test_two_clusters_on_one_limb_and_on_two_of_one_cluster_know_what_they_hang_on():
    limbs = tree(BASE, 0, 1, 1, 0)
    found = clusters_of(limbs, [[0, 1]])
    assert [(c.joints, c.inboard, c.parent) for c in found] == [
        ((0, 1), BASE, BASE),
        ((2,), 1, 0),
        ((3,), 1, 0),
        ((4,), 0, 0),
    ]


def test_no_joints_are_no_clusters():
    assert clusters_of([], []) == ()


@st.composite
def trees(draw):
    count = draw(st.integers(1, 12))
    inboard = [draw(st.integers(BASE, k - 1)) for k in range(count)]
    sets = st.lists(st.integers(0, count - 1), min_size=1, max_size=4)
    return inboard, draw(st.lists(sets, max_size=4))


def ancestors(inboard, joint):
    """What carries it, nearest first, BASE last."""
    found = []
    while joint != BASE:
        joint = inboard[joint]
        found.append(joint)
    return found


def closed(inboard, joints):
    """With all between them and the last limb that carries all of them."""
    shared = set.intersection(*(set(ancestors(inboard, joint)) for joint in joints))
    return set(joints) | {a for j in joints for a in ancestors(inboard, j) if a not in shared}


def finest(inboard, together):
    """The finest partition of which each set is in one part and each part is closed."""
    parts = [{joint} for joint in range(len(inboard))]
    sets = [set(own) for own in together]
    while sets:
        own = sets.pop()
        met = set().union(*(part for part in parts if part & own))
        merged = closed(inboard, met)
        parts = [part for part in parts if not part & met] + [met]
        if merged != met:
            sets.append(merged)
    return {frozenset(part) for part in parts}


@given(trees())
def test_clusters_are_the_finest_that_hang_on_one_limb_each(drawn):
    inboard, together = drawn
    found = clusters_of(tree(*inboard), together)
    assert {frozenset(cluster.joints) for cluster in found} == finest(inboard, together)
    assert sum(len(cluster.joints) for cluster in found) == len(inboard)
    for at, cluster in enumerate(found):
        outside = {inboard[joint] for joint in cluster.joints} - {*cluster.joints}
        assert outside == {cluster.inboard}
        assert list(cluster.joints) == sorted(cluster.joints)
        if cluster.inboard == BASE:
            assert (cluster.parent, cluster.depth) == (BASE, 0)
        else:
            assert cluster.parent < at
            assert cluster.inboard in found[cluster.parent].joints
            assert cluster.depth == found[cluster.parent].depth + 1
    depths = [cluster.depth for cluster in found]
    assert depths == sorted(depths)
