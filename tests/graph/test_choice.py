"""Which master is chosen, why, and what would be needed for a better one."""

from dataclasses import replace

from hand_made import description, system

from sspsim.graph.analysis import analyse
from sspsim.graph.choice import choose_masters
from sspsim.structure import Type

RING = ("zones.T -> heating.T", "heating.Q -> zones.Q")


def choices(flat):
    return choose_masters(flat, analyse(flat))


def test_one_choice_per_stage_and_one_pass_where_there_is_no_cycle():
    found = choices(system("a.y -> b.u"))
    assert [c.stage for c in found] == [0, 1]
    assert {(c.master, c.advice) for c in found} == {("gauss-seidel", "")}


def test_a_cycle_that_can_be_rolled_back_is_iterated():
    heating = description(["T"], {"Q": ()})
    (found,) = choices(system(*RING, heating=heating, rollback=True))
    assert (found.master, found.iterates, found.advice) == ("anderson", True, "")


def test_derivatives_would_help_with_an_algebraic_loop():
    (found,) = choices(system(*RING, rollback=True))
    assert (found.master, found.iterates) == ("anderson", True)
    assert found.advice.startswith("directional derivatives of heating and zones would")


def test_what_cannot_be_rolled_back_is_named():
    (found,) = choices(system(*RING, rollback=["heating"]))
    assert (found.master, found.iterates) == ("gauss-seidel", False)
    assert "zones cannot be rolled back, so cycle 1 is passed once" in found.why
    assert "heating" not in found.why
    assert found.advice.startswith("export zones with")
    assert "FMI 2 or 3" not in found.advice


def test_fmi_1_has_no_state_to_set():
    zones = description(["Q"], ["T"], fmi=1)
    (found,) = choices(system(*RING, zones=zones, rollback=["heating"]))
    assert "get and set the FMU state (FMI 2 or 3); then it can be iterated" in found.advice


def test_an_algebraic_loop_with_directional_derivatives():
    flat = system("a.y -> b.u", "b.y -> a.u", rollback=True)
    able = replace(flat.instances[0].interface, directional_derivatives=True)
    flat = replace(flat, instances=tuple(replace(c, interface=able) for c in flat.instances))
    (found,) = choices(flat)
    assert (found.master, found.iterates) == ("newton", True)
    integrators = tuple(replace(c, description=description("u", {"y": ()})) for c in flat.instances)
    (found,) = choices(replace(flat, instances=integrators))
    assert found.master == "anderson"


def test_a_component_that_feeds_itself_is_passed_once():
    (found,) = choices(system("a.y -> a.u", rollback=True))
    assert (found.master, found.iterates) == ("gauss-seidel", False)
    assert "a feeds itself" in found.why


def test_a_cycle_without_real_values():
    logic = description("u", ["y"], types={"u": Type.BOOLEAN, "y": Type.BOOLEAN})
    (found,) = choices(system("a.y -> b.u", "b.y -> a.u", a=logic, b=logic, rollback=True))
    assert (found.master, found.iterates) == ("gauss-seidel-iterated", True)
