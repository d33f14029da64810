"""The public networkx graphs."""

import networkx as nx
import pytest
from hand_made import description, system

from sspsim.graph.networks import component_graph, variable_graph


def test_nodes_and_edges_of_the_component_graph():
    flat = system("w.y -> b.u", "a.y -> b.v", "a.z -> b.w", "b.y -> a.u", rollback=["a"])
    graph = component_graph(flat)
    assert graph.nodes["a"] == {
        "fmi": 2, "kind": "co-simulation", "model": "model", "stage": 2, "cycle": 1,
        "rollback": True, "variable_step": False, "directional_derivatives": False,
    }  # fmt: skip
    assert graph.nodes["w"]["cycle"] == 0
    assert graph.edges["a", "b"] == {
        "variables": 2, "live": 2, "broken": False, "time_only": False,
        "connections": "y -> v; z -> w",
    }  # fmt: skip
    assert graph.edges["b", "a"]["broken"]
    assert graph.edges["w", "b"]["time_only"]
    assert not graph.edges["w", "b"]["broken"]


def test_the_variable_graph_has_connections_and_feedthrough():
    flat = system("a.y -> b.u", "b.y -> a.u", a=description("u", {"y": ("u",)}))
    graph = variable_graph(flat)
    assert set(graph.edges) == {("a.y", "b.u"), ("b.y", "a.u"), ("a.u", "a.y"), ("b.u", "b.y")}
    assert graph.edges["a.y", "b.u"] == {"kind": "connection", "factor": 1.0, "offset": 0.0}
    assert graph.edges["a.u", "a.y"] == {"kind": "feedthrough", "told": True}
    assert graph.edges["b.u", "b.y"] == {"kind": "feedthrough", "told": False}
    assert graph.nodes["a.u"] == {
        "component": "a", "variable": "u", "causality": "input", "type": "Real", "unit": "", "time_only": False,
    }  # fmt: skip
    assert [sorted(c) for c in nx.simple_cycles(graph)] == [["a.u", "a.y", "b.u", "b.y"]]


def test_unknown_dependencies_count_as_all():
    graph = variable_graph(system("a.y -> b.u", "a.z -> b.v", "b.y -> a.u", "b.z -> a.v"))
    assert {e for e in graph.edges if graph.edges[e]["kind"] == "feedthrough"} == {
        (f"{c}.{u}", f"{c}.{y}") for c in "ab" for u in "uv" for y in "yz"
    }


def test_the_initial_graph_has_the_initial_dependencies():
    flat = system("a.y -> b.u", "b.y -> a.u", a=description("u", {"y": ()}, initial={"y": ("u",)}))
    assert not variable_graph(flat).has_edge("a.u", "a.y")
    assert variable_graph(flat, initial=True).has_edge("a.u", "a.y")


@pytest.mark.parametrize("ending", ["graphml", "gml", "gexf"])
@pytest.mark.parametrize("graph_of", [component_graph, variable_graph])
def test_networkx_writes_the_graphs_into_files_and_reads_them_again(tmp_path, graph_of, ending):
    graph = graph_of(system("w.y -> b.u", "a.y -> b.v", "b.y -> a.u"))
    path = tmp_path / f"graph.{ending}"
    getattr(nx, f"write_{ending}")(graph, path)
    assert set(getattr(nx, f"read_{ending}")(path).edges) == set(graph.edges)
