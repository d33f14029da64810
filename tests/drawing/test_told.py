"""The rules of the standard for the places of elements, connectors and way points."""

import re

import pytest

from sspsim.drawing.diagram import BORDER, Box, Diagram, Port, Wire
from sspsim.drawing.place import place
from sspsim.drawing.svg import write_svg
from sspsim.structure import ConnectorGeometry, ElementGeometry, Note, SystemGeometry

INPUT = Port("u", True, geometry=ConnectorGeometry(0, 0.5))
OUTPUT = Port("y", False, geometry=ConnectorGeometry(1, 0.25))
CANVAS = SystemGeometry(0, 0, 400, 200)


def box(name, x1, y1, x2, y2, rotation=0.0):
    return Box((name,), "", (INPUT, OUTPUT), geometry=ElementGeometry(x1, y1, x2, y2, rotation))


def placed(*boxes, wires=(), **more):
    return place(Diagram("d", boxes, tuple(wires), geometry=CANVAS, **more))


def ports(picture):
    return {label.text: label.dot for label in picture.boxes[0].labels}


def test_y_points_up_in_the_file_and_down_in_the_picture():
    picture = placed(box("a", 100, 20, 200, 60))
    assert (picture.width, picture.height) == (400, 200)
    found = picture.boxes[0]
    assert (found.x, found.y, found.width, found.height) == (100, 140, 100, 40)
    assert ports(picture) == {"u": (100, 160), "y": (200, 170)}


def test_swapped_corners_flip_the_connectors():
    assert ports(placed(box("a", 200, 20, 100, 60))) == {"u": (200, 160), "y": (100, 170)}
    assert ports(placed(box("a", 100, 60, 200, 20))) == {"u": (100, 160), "y": (200, 150)}


def test_a_rotation_is_counter_clockwise_about_the_middle():
    found = ports(placed(box("a", 100, 20, 200, 60, rotation=90)))
    assert found["u"] == pytest.approx((150, 210))  # from the left to below
    assert found["y"] == pytest.approx((160, 110))


def test_connectors_beyond_the_border_are_left_there():
    port = Port("u", True, geometry=ConnectorGeometry(-0.02, 1.1))
    element = Box(("a",), "", (port,), geometry=ElementGeometry(100, 20, 200, 60))
    assert ports(placed(element))["u"] == pytest.approx((98, 136))


def test_way_points_without_those_that_repeat_the_connectors():
    boxes = box("a", 0, 20, 100, 60), box("b", 300, 120, 400, 160)
    told = Wire(0, "y", 1, "u", points=((101, 30.5), (200, 30), (200, 140), (299, 140)))
    (wire,) = placed(*boxes, wires=[told]).wires
    assert wire.points == [(100, 170), (200, 170), (200, 60), (300, 60)]


def test_connectors_of_the_system_have_another_place_inside():
    outer = Port("y", False, geometry=ConnectorGeometry(1, 0.5, 0.9, 0.1))
    wires = [Wire(0, "y", BORDER, "y")]
    (label,) = placed(box("a", 100, 20, 200, 60), wires=wires, ports=(outer,)).border
    assert label.dot == (360, 180)


def test_without_a_canvas_the_elements_are_the_canvas():
    diagram = Diagram("d", (box("a", -50, -20, 50, 20), box("b", 100, 0, 200, 40)), ())
    picture = place(diagram)
    assert (picture.width, picture.height) == (250, 60)


def test_the_whole_is_enlarged_until_a_small_system_inside_can_be_read():
    inner = Diagram("i", (box("c", 0, 0, 400, 200),), (), geometry=CANVAS)
    outer = Box(("s",), "", inner=inner, geometry=ElementGeometry(0, 0, 100, 50))
    picture = placed(outer)
    assert picture.width == 400  # as if there were nothing inside
    scale = picture.boxes[0].inner_at[2]
    width = float(re.search(r'width="([0-9.]+)"', write_svg(picture))[1])
    assert width == pytest.approx((400 + 48) * 0.7 / scale, abs=0.1)


def test_an_inner_system_is_drawn_inside_its_element():
    inner = Diagram("i", (box("c", 0, 0, 400, 200),), (), geometry=CANVAS)
    outer = Box(("s",), "", inner=inner, geometry=ElementGeometry(0, 0, 400, 200))
    (found,) = placed(outer).boxes
    x, y, scale = found.inner_at
    assert found.inner is not None
    assert found.x <= x
    assert x + scale * found.inner.width <= found.x + found.width
    assert found.y <= y
    assert y + scale * found.inner.height <= found.y + found.height


def test_one_element_without_a_place_sends_all_into_columns():
    lost = Box(("lost",), "")
    picture = placed(box("a", 100, 20, 200, 60), lost)
    assert all(label.side != "none" for b in picture.boxes for label in b.labels)
    a, b = picture.boxes
    assert a.y + a.height <= b.y or b.y + b.height <= a.y or a.x + a.width <= b.x


def test_the_text_of_a_note_stays_in_its_box():
    note = Note(x1=0, y1=0, x2=120, y2=80, text="a first paragraph, too long for a line\nthe second")
    text = write_svg(placed(box("a", 200, 20, 300, 60), notes=(note,)))
    lines = re.findall('class="note".*>(.*)</text>', text)
    assert lines == ["a first paragraph,", "too long for a line", "the second"]
