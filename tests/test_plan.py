"""The plan: slots, calls, what is iterated and what is handed on."""

from hand_made import description, system

from sspsim.fmi.codes import Bank
from sspsim.graph.analysis import analyse
from sspsim.plan import make_plan
from sspsim.structure import Type

ROOM = description(
    inputs=["Q"], outputs={"T_room": ("T",), "weather": ("time",)}, derivatives={"T": ("Q", "time")}
)
HOUSE = ("room.T_room -> heater.T", "room.weather -> heater.w", "heater.Q -> room.Q")


def plan_of(flat, **wishes):
    return make_plan(flat, analyse(flat, **wishes))


def test_time_only_outputs_are_handed_on_and_not_iterated():
    plan = plan_of(system(*HOUSE, room=ROOM))
    (stage,) = plan.stages
    assert plan.slot_names == ("room.T_room", "heater.Q", "room.weather")
    assert (stage.first, stage.count, stage.cycle) == (0, 2, True)
    assert [call.count for call in plan.wirings[0].iterated] == [1]
    assert [call.first for call in plan.wirings[0].handed_on] == [2]


def test_the_assumed_values_are_known_by_slot():
    plan = plan_of(system(*HOUSE, room=ROOM))
    assert [plan.slot_names[slot] for slot in plan.stages[0].broken] == ["heater.Q"]
    other = plan_of(system(*HOUSE, room=ROOM), order=["heater", "room"])
    assert [other.slot_names[slot] for slot in other.stages[0].broken] == ["room.T_room"]


def test_each_cycle_has_its_values_in_one_piece():
    flat = system("a.y -> b.u", "b.y -> a.u", "b.z -> c.v", "c.y -> d.u", "d.y -> c.u")
    plan = plan_of(flat)
    values = [plan.slot_names[s.first : s.first + s.count] for s in plan.stages]
    assert [sorted(v) for v in values] == [["a.y", "b.y"], ["c.y", "d.y"]]
    assert "b.z" in plan.slot_names[4:]


def test_booleans_are_iterated_but_are_no_reals():
    switch = description("u", ["y"], types={"y": Type.BOOLEAN})
    plan = plan_of(system("a.y -> b.u", "b.y -> a.u", a=switch))
    assert plan.stages[0].count == 1
    assert plan.wirings[0].iterated[0].code.bank is Bank.INTEGER
    assert plan.integer_names == ("a.y",)
    assert all(plan.slot_names[slot] == "b.y" for slot in plan.stages[0].broken)


def test_127_coupling_variables():
    commands = [f"controller.y{k} -> plant.u{k}" for k in range(46)]
    plan = plan_of(system(*commands, *(f"plant.y{k} -> controller.u{k}" for k in range(81))))
    (stage,) = plan.stages
    assert (stage.count, len(stage.broken)) == (127, 46)


def test_a_plan_is_a_text():
    text = str(plan_of(system("s.y -> room.w", *HOUSE, room=description(["Q", "w"], ["T_room", "weather"]))))
    assert text.splitlines()[:5] == [
        "3 components in 2 stages",
        "4 reals, 0 integers, 0 texts",
        "stage 1: s",
        "  s: gives s.y",
        "cycle 2: room, heater",
    ]
    assert "  iterates room.T_room, room.weather, heater.Q" in text
    assert "  assumes heater.Q" in text


def test_plans_compare():
    assert plan_of(system(*HOUSE, room=ROOM)) == plan_of(system(*HOUSE, room=ROOM))
    assert plan_of(system(*HOUSE, room=ROOM)) != plan_of(system(*HOUSE, room=ROOM), order=["heater", "room"])
