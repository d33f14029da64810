"""Algebraic loops and the order of the initialisation."""

import networkx as nx
from hand_made import description, system, words
from hypothesis import given, settings

from sspsim.graph.analysis import analyse
from sspsim.graph.initial import initial_graph
from sspsim.graph.networks import variable_graph

from .test_analysis import systems


def loops(flat):
    analysis = analyse(flat)
    return [words(flat, k) for k in analysis.loops], [words(flat, k) for k in analysis.initial_loops]


def test_feedthrough_all_around_is_a_loop():
    gain = description("u", {"y": ("u",)})
    expected = [["a.u", "a.y", "b.u", "b.y"]]
    assert loops(system("a.y -> b.u", "b.y -> a.u", a=gain, b=gain)) == (expected, expected)


def test_a_state_in_between_is_none():
    gain, integrator = description("u", {"y": ("u",)}), description("u", {"y": ()})
    assert loops(system("a.y -> b.u", "b.y -> a.u", a=gain, b=integrator)) == ([], [])


def test_a_loop_may_exist_in_the_initialisation_alone():
    steady = description("u", {"y": ()}, initial={"y": ("u",)})
    gain = description("u", {"y": ("u",)})
    found = loops(system("a.y -> b.u", "b.y -> a.u", a=gain, b=steady))
    assert found == ([], [["a.u", "a.y", "b.u", "b.y"]])


def test_a_loop_may_exist_in_the_steps_alone():
    started = description("u", {"y": ("u",)}, initial={"y": ()})
    assert loops(system("a.y -> b.u", "b.y -> a.u", a=started, b=started))[1] == []
    assert len(loops(system("a.y -> b.u", "b.y -> a.u", a=started, b=started))[0]) == 1


def test_two_loops_through_the_same_components_stay_two():
    pair = description("uv", {"y": ("u",), "z": ("v",)})
    flat = system("a.y -> b.u", "b.y -> a.u", "a.z -> b.v", "b.z -> a.v", a=pair, b=pair)
    assert loops(flat)[0] == [["a.u", "a.y", "b.u", "b.y"], ["a.v", "a.z", "b.v", "b.z"]]


def test_a_link_to_a_parameter_can_close_an_initial_loop_only():
    flat = system("a.y -> b.p", "b.y -> a.u", b=description((), ["y"], parameters=["p"]))
    steps, initial = loops(flat)
    assert (steps, initial) == ([], [["a.u", "a.y", "b.p", "b.y"]])


def test_marked_outputs_close_no_loop_in_the_steps():
    flat = system("a.y -> b.u", "b.y -> a.u")
    analysis = analyse(flat, time_only=["a.y"])
    assert analysis.loops == ()
    assert len(analysis.initial_loops) == 1


def output_names(flat, block):
    return [f"{flat.instances[i].name}.{name}" for i, name in block.outputs]


def test_initial_values_follow_from_each_other():
    told = description("uv", {"y": ("u",), "z": ("v",)})
    flat = system("a.y -> b.v", "b.z -> a.u", "s.y -> a.v", "a.z -> b.u", a=told, b=told)
    found = initial_graph(flat)
    order = [output_names(flat, b) for b in found.blocks]
    assert order.index(["s.y"]) < order.index(["a.z"])
    assert [output_names(flat, b) for b in found.blocks if b.loop] == [["a.y", "b.z"]]
    assert found.needs == {(0, "y"): ("u",), (0, "z"): ("v",), (1, "z"): ("v",), (2, "y"): ()}


@settings(deadline=None, max_examples=200)
@given(systems())
def test_loops_and_initial_order_are_those_of_the_networkx_graph(flat):
    graph = variable_graph(flat, initial=True)
    expected = {frozenset(c) for c in nx.strongly_connected_components(graph) if len(c) > 1}
    assert {frozenset(words(flat, k)) for k in analyse(flat).initial_loops} == expected
    blocks = initial_graph(flat).blocks
    outputs = {name for name in graph if graph.nodes[name]["causality"] == "output"}
    assert {frozenset(output_names(flat, b)) for b in blocks if b.loop} == {c & outputs for c in expected}
    place = {name: k for k, block in enumerate(blocks) for name in output_names(flat, block)}
    assert set(place) == outputs
    reach = nx.transitive_closure(graph)
    assert all(place[a] <= place[b] for a, b in reach.edges if a in outputs and b in outputs)
