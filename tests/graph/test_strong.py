"""Own graph algorithms against networkx."""

import networkx as nx
from hypothesis import given
from hypothesis import strategies as st

from sspsim.graph.strong import condensed, strong_components, topological_order


@st.composite
def graphs(draw, largest=12):
    n = draw(st.integers(0, largest))
    nodes = st.integers(0, n - 1) if n else st.nothing()
    return [draw(st.lists(nodes, max_size=4)) for _ in range(n)]


def as_networkx(graph):
    return nx.DiGraph(dict(enumerate(graph)))


@given(graphs())
def test_components_are_those_of_networkx(graph):
    expected = {frozenset(c) for c in nx.strongly_connected_components(as_networkx(graph))}
    found = strong_components(graph)
    assert {frozenset(c) for c in found} == expected
    assert sum(map(len, found)) == len(graph)


@given(graphs())
def test_condensed_graph_is_that_of_networkx(graph):
    groups = strong_components(graph)
    expected = nx.condensation(as_networkx(graph), [set(g) for g in groups])
    assert {(a, b) for a, successors in enumerate(condensed(graph, groups)) for b in successors} == set(
        expected.edges
    )


@given(graphs(), st.randoms(use_true_random=False))
def test_topological_order_is_that_of_networkx_for_any_key(graph, generator):
    acyclic = condensed(graph, strong_components(graph))
    keys = list(range(len(acyclic)))
    generator.shuffle(keys)
    expected = list(nx.lexicographical_topological_sort(as_networkx(acyclic), key=keys.__getitem__))
    assert topological_order(acyclic, keys.__getitem__) == expected


def test_a_long_chain_needs_no_recursion():
    n = 100_000
    assert strong_components([[(i + 1) % n] for i in range(n)]) == [list(range(n))]
