"""Time-only outputs: what proves them, what does not, and what follows from them."""

import pytest
from hand_made import description, system, words

from sspsim.errors import UsageError
from sspsim.graph.flat import Port
from sspsim.graph.time_only import marked_outputs, time_only_outputs
from sspsim.structure import Type

ROOM = description(
    inputs=["Q"],
    outputs={"T_room": ("T",), "T_ambient": ("time",), "radiation": ()},
    derivatives={"T": ("Q", "T", "time")},
)


def found(flat, marked=()):
    return words(flat, time_only_outputs(flat, marked_outputs(flat, marked)))


def test_a_component_that_nothing_enters():
    """What it feeds is none the less moved by what enters."""
    assert found(system("source.y -> sink.u", sink=description("u", ["z"]))) == ["source.y"]


def test_an_unconnected_input_does_not_matter():
    flat = system("a.y -> b.u", a=description("uv", ["y"]))
    assert found(flat) == ["a.y"]


def test_the_model_structure_proves_the_weather_but_not_the_room():
    flat = system("room.T_room -> heater.T", "heater.Q -> room.Q", room=ROOM)
    assert found(flat) == ["room.T_ambient", "room.radiation"]


def test_an_integrator_without_direct_feedthrough_is_not_time_only():
    for structure in (
        description("u", {"y": ()}),  # nothing is said of states
        description("u", {"y": ("x",)}, derivatives={"x": ("u",)}),
        description("u", {"y": ("x1",)}, derivatives={"x1": ("x2",), "x2": ("u",)}),  # only transitively
        description("u", {"y": ()}, derivatives={"y": ("u",)}),  # the output is the state
        description("u", {"y": ("x",)}, derivatives={"x": None}),
        description("u", {"y": ()}, derivatives={"x": ("u",)}),  # no list names a state: they are left out
        description("u", {"y": ("u",), "z": ()}, derivatives={"x": ("u",)}),
    ):
        assert found(system("a.y -> b.u", "b.y -> a.u", a=structure)) == []
        assert found(system("source.y -> a.u", "a.y -> b.u", a=structure)) == ["source.y"]


def test_lists_without_states_prove_something_if_no_hidden_state_is_driven():
    shown = description("u", {"x": (), "y": ()}, derivatives={"x": ("u",)})
    free = description("u", {"x": ("u",), "y": ()}, derivatives={"s": ()})
    for structure in (shown, free):
        assert found(system("a.x -> b.u", "b.y -> a.u", a=structure)) == ["a.y"]


def test_a_free_state_beside_a_driven_one_is_time_only():
    clock = description("u", {"y": ("x",), "z": ("s",)}, derivatives={"x": ("u",), "s": ("s",)})
    assert found(system("a.y -> b.u", "b.y -> a.u", a=clock)) == ["a.z"]


def test_discrete_outputs_may_hang_on_states_that_no_structure_names():
    sampled = description(
        "u", {"x": ("x",), "y": (), "n": ()}, derivatives={"x": ("u",)}, types={"n": Type.INTEGER}
    )
    assert found(system("a.n -> b.u", "b.y -> a.u", a=sampled)) == ["a.y"]


def test_chains_of_what_time_only_outputs_feed_are_not_time_only():
    flat = system("w.y -> f.u", "f.y -> g.u", "g.y -> a.w", "a.y -> b.u", "b.y -> a.u")
    assert found(flat) == ["w.y"]


def test_one_live_input_is_enough():
    flat = system("w.y -> a.w", "a.y -> b.u", "b.y -> a.u")
    assert found(flat) == ["w.y"]


def test_a_closed_ring_is_not_time_only_though_nothing_enters_it():
    assert found(system("a.y -> b.u", "b.y -> c.u", "c.y -> a.u")) == []


def test_marks_of_the_user():
    flat = system("a.y -> b.u", "b.y -> a.u")
    assert found(flat, ["a.y"]) == ["a.y"]


def test_an_unknown_mark_is_refused_with_a_hint():
    flat = system("zone.T_room -> b.u")
    with pytest.raises(UsageError, match=r"no output 'zone.T_roam'.*did you mean 'zone.T_room'\?"):
        marked_outputs(flat, ["zone.T_roam"])


def test_a_link_to_a_parameter_enters_before_the_steps_and_not_during_them():
    flat = system("a.y -> b.p", b=description("u", ["y"], parameters=["p"]))
    assert found(flat) == ["a.y", "b.y"]


def test_arrays_are_time_only_as_a_whole():
    assert time_only_outputs(system("a.y -> b.u")) == {Port(0, "y")}
