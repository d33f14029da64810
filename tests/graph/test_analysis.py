"""Cycles, order and broken edges of hand-made systems, and what must hold for all systems."""

import random
from itertools import permutations

import networkx as nx
import pytest
from hand_made import arrows, description, names, system, words
from hypothesis import given, settings
from hypothesis import strategies as st

from sspsim.errors import UsageError
from sspsim.graph.analysis import analyse
from sspsim.graph.canonical import canonical
from sspsim.graph.flat import FlatSystem, Link, Port
from sspsim.plan import make_plan

ROOM = description(
    inputs=["Q"], outputs={"T_room": ("T",), "weather": ("time",)}, derivatives={"T": ("Q", "time")}
)


def cycles(flat, analysis):
    return [sorted(names(flat, [analysis.order[c]])[0]) for c in analysis.cycles]


def test_a_chain_is_put_in_order_and_nothing_is_broken():
    flat = system("b.y -> c.u", "a.y -> b.u")
    analysis = analyse(flat)
    assert names(flat, analysis.order) == [["a"], ["b"], ["c"]]
    assert (analysis.cycles, analysis.broken, analysis.held) == ((), (), ())


def test_a_cycle_disappears_with_its_time_only_edges():
    flat = system("room.weather -> heater.T", "heater.Q -> room.Q", room=ROOM)
    analysis = analyse(flat)
    assert names(flat, analysis.order) == [["heater"], ["room"]]
    assert analysis.cycles == ()
    assert analysis.broken == ()
    assert arrows(flat, analysis.held) == ["room.weather -> heater.T"]


def test_the_same_cycle_stays_if_the_output_hangs_on_the_driven_state():
    flat = system("room.T_room -> heater.T", "heater.Q -> room.Q", room=ROOM)
    analysis = analyse(flat)
    assert cycles(flat, analysis) == [["heater", "room"]]
    assert len(analysis.broken) == 1


def test_time_only_values_inside_a_cycle_are_held_only_if_nothing_is_gained_otherwise():
    """One value each way; the weather decides that the room goes first."""
    flat = system("room.T_room -> heater.T", "room.weather -> heater.w", "heater.Q -> room.Q", room=ROOM)
    analysis = analyse(flat)
    assert names(flat, analysis.order) == [["room", "heater"]]
    assert arrows(flat, analysis.broken) == ["heater.Q -> room.Q"]
    assert analysis.held == ()


def test_two_interleaved_cycles_are_one_and_broken_at_their_common_edge():
    flat = system("a.y -> b.u", "b.y -> c.u", "c.y -> a.u", "c.z -> d.u", "d.y -> b.v")
    analysis = analyse(flat)
    assert cycles(flat, analysis) == [["a", "b", "c", "d"]]
    assert names(flat, analysis.order) == [["c", "a", "d", "b"]]
    assert arrows(flat, analysis.broken) == ["b.y -> c.u"]


def test_two_cycles_in_a_row_stay_two():
    flat = system("a.y -> b.u", "b.y -> a.u", "b.z -> c.v", "c.y -> d.u", "d.y -> c.u")
    analysis = analyse(flat)
    assert cycles(flat, analysis) == [["a", "b"], ["c", "d"]]
    assert [sorted(stage) for stage in names(flat, analysis.order)] == [["a", "b"], ["c", "d"]]


def test_a_self_connection_is_a_cycle_of_one_and_always_broken():
    flat = system("a.y -> a.u", "a.y -> b.u")
    analysis = analyse(flat)
    assert names(flat, analysis.order) == [["a"], ["b"]]
    assert cycles(flat, analysis) == [["a"]]
    assert arrows(flat, analysis.broken) == ["a.y -> a.u"]
    assert [words(flat, loop) for loop in analysis.loops] == [["a.u", "a.y"]]


def test_127_coupling_variables_of_two_components():
    """A controller with 46 outputs and 81 inputs: the smaller side is assumed, whatever the names are."""
    for controller, plant in (("a", "z"), ("z", "a")):
        commands = [f"{controller}.y{k} -> {plant}.u{k}" for k in range(46)]
        flat = system(*commands, *(f"{plant}.y{k} -> {controller}.u{k}" for k in range(81)))
        analysis = analyse(flat)
        assert names(flat, analysis.order) == [[plant, controller]]
        assert len(analysis.broken) == 46
        assert [len(loop) for loop in analysis.loops] == [254]


def test_a_value_that_is_used_twice_counts_once():
    fan_out = [f"a.y -> b.u{k}" for k in range(5)]
    flat = system(*fan_out, "b.y0 -> a.u0", "b.y1 -> a.u1")
    assert names(flat, analyse(flat).order) == [["b", "a"]]


def test_what_nothing_enters_comes_first_then_goes_the_name():
    flat = system("z.y -> m.u", "b.y -> a.u", "a.y -> b.u", "a.z -> m.v", c=description((), ["y"]))
    assert names(flat, analyse(flat).order) == [["c"], ["z"], ["a", "b"], ["m"]]


def test_chains_of_time_functions_are_in_order():
    flat = system("w.y -> f.u", "f.y -> e.u", "e.y -> a.w", "a.y -> b.u", "b.y -> a.u")
    assert names(flat, analyse(flat).order) == [["w"], ["f"], ["e"], ["a", "b"]]


def test_time_only_values_of_a_later_cycle_are_not_held_where_the_order_can_respect_them():
    """Nothing live leads from the room to the display, so only the time-only value says who is first."""
    flat = system("room.weather -> a.u", "heater.Q -> room.Q", "room.T_room -> heater.T", room=ROOM)
    analysis = analyse(flat)
    assert names(flat, analysis.order)[-1] == ["a"]
    assert analysis.held == ()


def test_the_user_marks_outputs():
    flat = system("a.y -> b.u", "b.y -> a.u", "a.z -> b.v")
    assert cycles(flat, analyse(flat, time_only=["a.y"])) == [["a", "b"]]
    analysis = analyse(flat, time_only=["a.y", "a.z"])
    assert cycles(flat, analysis) == []
    assert words(flat, analysis.time_only) == ["a.y", "a.z"]


def test_the_user_orders_a_cycle():
    flat = system("a.y -> b.u", "b.y -> c.u", "c.y -> a.u", "s.y -> a.v")
    for order in permutations("abc"):
        analysis = analyse(flat, order=order)
        assert names(flat, analysis.order) == [["s"], list(order)]


@pytest.mark.parametrize(
    ("order", "message"),
    [
        (["a", "x"], "names 'x', which is no component"),
        (["a"], "names 'a', but not all of its cycle; add b"),
        (["a", "b", "a"], "named twice"),
    ],
)
def test_an_impossible_order_is_refused(order, message):
    with pytest.raises(UsageError, match=message):
        analyse(system("a.y -> b.u", "b.y -> a.u"), order=order)


def test_a_component_alone():
    flat = system(a=description((), ["y"]))
    assert analyse(flat).order == ((0,),)


def test_no_component_at_all():
    assert analyse(FlatSystem("empty", (), ())).order == ()


# ---- for all systems ----

KINDS = {
    "told": description(["u0", "u1"], {"y0": ("u0",), "y1": ("x",)}, derivatives={"x": ("u1",)}),
    "mixed": description(["u0", "u1"], {"y0": ("u0",), "y1": ("time",)}, derivatives={"x": ("u1",)}),
    "silent": description(["u0", "u1"], ["y0", "y1"]),
}


@st.composite
def systems(draw, largest=7):
    n = draw(st.integers(1, largest))
    components = {f"c{i}": KINDS[draw(st.sampled_from(sorted(KINDS)))] for i in range(n)}
    fed = draw(st.sets(st.tuples(st.integers(0, n - 1), st.integers(0, 1))))
    sources = st.tuples(st.integers(0, n - 1), st.integers(0, 1))
    connections = []
    for i, k in sorted(fed):
        j, m = draw(sources)
        connections.append(f"c{j}.y{m} -> c{i}.u{k}")
    return system(*connections, recorded=True, **components)


def shuffled(flat, generator):
    """The same system from another file."""
    places = list(range(len(flat.instances)))
    generator.shuffle(places)
    instances = [flat.instances[i] for i in places]

    def moved(port):
        return Port(places.index(port.instance), port.variable, port.element)

    links = [Link(moved(k.source), moved(k.target)) for k in flat.links]
    generator.shuffle(links)
    return FlatSystem(flat.name, tuple(instances), tuple(links))


def live_graph(flat, analysis):
    graph = nx.DiGraph()
    graph.add_nodes_from(range(len(flat.instances)))
    graph.add_edges_from(
        (k.source.instance, k.target.instance) for k in flat.links if not analysis.is_time_only(k.source)
    )
    return graph


@settings(deadline=None, max_examples=300)
@given(systems())
def test_the_stages_are_the_strong_components_without_time_only_edges(flat):
    analysis = analyse(flat)
    graph = live_graph(flat, analysis)
    assert {frozenset(stage) for stage in analysis.order} == set(
        map(frozenset, nx.strongly_connected_components(graph))
    )
    cyclic = {i for i in graph if graph.has_edge(i, i)} | {i for s in analysis.order if len(s) > 1 for i in s}
    assert {i for c in analysis.cycles for i in analysis.order[c]} == cyclic


@settings(deadline=None, max_examples=300)
@given(systems())
def test_the_order_respects_every_edge_that_is_not_broken(flat):
    analysis = analyse(flat)
    place = {i: k for k, i in enumerate(i for stage in analysis.order for i in stage)}
    broken = set(analysis.broken) | set(analysis.held)
    for link in flat.links:
        assert (link in broken) == (place[link.source.instance] >= place[link.target.instance])
    stage = {i: s for s, members in enumerate(analysis.order) for i in members}
    assert all(stage[k.source.instance] == stage[k.target.instance] for k in analysis.broken)
    assert all(analysis.is_time_only(k.source) for k in analysis.held)


@settings(deadline=None, max_examples=300)
@given(systems())
def test_without_the_broken_edges_every_cycle_is_acyclic(flat):
    analysis = analyse(flat)
    graph = live_graph(flat, analysis)
    graph.remove_edges_from([(k.source.instance, k.target.instance) for k in analysis.broken])
    assert nx.is_directed_acyclic_graph(graph)


@settings(deadline=None, max_examples=150)
@given(systems(largest=5))
def test_no_order_breaks_fewer_coupling_variables(flat):
    analysis = analyse(flat)
    live = [k for k in flat.links if not analysis.is_time_only(k.source)]

    def broken(order):
        place = {i: k for k, i in enumerate(order)}
        return len(
            {
                (k.source, k.target.instance)
                for k in live
                if place[k.source.instance] >= place[k.target.instance]
            }
        )

    chosen = broken([i for stage in analysis.order for i in stage])
    assert chosen == min(broken(order) for order in permutations(range(len(flat.instances))))


@settings(deadline=None, max_examples=300)
@given(systems())
def test_time_only_outputs_are_those_that_no_connected_input_moves(flat):
    analysis = analyse(flat)
    connected = {(k.target.instance, k.target.variable) for k in flat.links}
    moves = {
        ("told", "y0"): ["u0"], ("told", "y1"): ["u1"], ("mixed", "y0"): ["u0"], ("mixed", "y1"): [],
        ("silent", "y0"): ["u0", "u1"], ("silent", "y1"): ["u0", "u1"],
    }  # fmt: skip
    kind = {id(d): name for name, d in KINDS.items()}
    for i, instance in enumerate(flat.instances):
        for output in ("y0", "y1"):
            movers = {(i, u) for u in moves[kind[id(instance.description)], output]}
            assert analysis.is_time_only(Port(i, output)) == connected.isdisjoint(movers)


@settings(deadline=None, max_examples=300)
@given(systems(), st.randoms(use_true_random=False))
def test_permuting_the_file_changes_neither_analysis_nor_plan(flat, generator):
    other = shuffled(flat, generator)
    a, b = analyse(flat), analyse(other)
    assert names(flat, a.order) == names(other, b.order)
    assert words(flat, a.time_only) == words(other, b.time_only)
    for field in ("broken", "held"):
        assert arrows(flat, getattr(a, field)) == arrows(other, getattr(b, field))
    for field in ("loops", "initial_loops"):
        assert [words(flat, k) for k in getattr(a, field)] == [words(other, k) for k in getattr(b, field)]
    one, two = canonical(flat), canonical(other)
    assert one == two
    assert make_plan(one, analyse(one)) == make_plan(two, analyse(two))


def test_permuting_a_large_cycle_changes_nothing_either():
    generator = random.Random(3)
    links = [f"c{generator.randrange(40)}.y -> c{i}.u{k}" for i in range(40) for k in range(3)]
    flat = system(*links)
    other = shuffled(flat, generator)
    a, b = analyse(flat), analyse(other)
    assert max(len(stage) for stage in a.order) > 20
    assert names(flat, a.order) == names(other, b.order)
