"""The order inside a cycle against brute force."""

from itertools import permutations

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sspsim.graph import feedback
from sspsim.graph.feedback import arrange, backward_weight


@st.composite
def weighted(draw, smallest=1, largest=6):
    n = draw(st.integers(smallest, largest))
    targets = st.dictionaries(st.integers(0, n - 1), st.integers(1, 9), max_size=5)
    return [draw(targets) for _ in range(n)]


@settings(deadline=None)
@given(weighted())
def test_small_cycles_are_solved_exactly_and_ties_go_by_place(weights):
    nodes = range(len(weights))
    best = min(permutations(nodes), key=lambda order: (backward_weight(order, weights), order))
    assert arrange(list(nodes), weights) == list(best)


@settings(deadline=None)
@given(weighted(feedback.EXACT + 1, 25))
def test_large_cycles_keep_all_nodes_and_break_at_most_half(weights):
    nodes = list(range(len(weights)))
    order = arrange(nodes, weights)
    assert sorted(order) == nodes
    without_loops = [{v: w for v, w in out.items() if v != u} for u, out in enumerate(weights)]
    assert 2 * backward_weight(order, without_loops) <= sum(sum(out.values()) for out in without_loops)


@settings(deadline=None)
@given(weighted(feedback.EXACT + 1, 25))
def test_an_acyclic_graph_is_not_broken_by_the_way_for_large_cycles(weights):
    acyclic = [{v: w for v, w in out.items() if v > u} for u, out in enumerate(weights)]
    order = arrange(list(range(len(acyclic))), acyclic)
    assert backward_weight(order, acyclic) == 0


@pytest.mark.parametrize("n", [3, 9, 10, 60])
def test_a_ring_is_broken_once_at_its_cheapest_edge(n):
    weights = [{(i + 1) % n: 5} for i in range(n)]
    weights[n // 2] = {(n // 2 + 1) % n: 2}
    order = arrange(list(range(n)), weights)
    assert order[0] == (n // 2 + 1) % n
    assert backward_weight(order, weights) == 2


def test_two_rings_that_share_a_node_are_broken_once_where_they_meet():
    ring = nx.DiGraph()
    nx.add_cycle(ring, [0, *range(1, 8)])
    nx.add_cycle(ring, [0, *range(8, 15)])
    weights = [dict.fromkeys(ring[node], 1) for node in range(15)]
    assert backward_weight(arrange(list(range(15)), weights), weights) == 2


def test_the_large_way_is_near_the_exact_one(monkeypatch):
    graphs = [nx.gnp_random_graph(9, 0.35, seed=seed, directed=True) for seed in range(30)]
    weights = [[dict.fromkeys(graph[node], 1) for node in range(9)] for graph in graphs]
    exact = sum(backward_weight(arrange(list(range(9)), w), w) for w in weights)
    monkeypatch.setattr(feedback, "EXACT", 0)
    heuristic = sum(backward_weight(arrange(list(range(9)), w), w) for w in weights)
    assert exact <= heuristic <= 1.1 * exact
