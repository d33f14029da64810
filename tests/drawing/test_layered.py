"""Places in columns: nothing overlaps, and everything flows from left to right."""

from hypothesis import given, settings
from hypothesis import strategies as st

from sspsim.drawing.layered import Edge, layered


@st.composite
def graphs(draw):
    n = draw(st.integers(1, 25))
    sizes = [(draw(st.integers(20, 200)), draw(st.integers(20, 150))) for _ in range(n)]
    ends = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1))
    pairs = draw(st.sets(ends, max_size=40))
    wires = st.sets(st.sampled_from("xyz"), min_size=1)
    return sizes, [Edge(a, b, tuple(sorted(draw(wires)))) for a, b in sorted(pairs)]


def overlap(a, b):
    (x1, y1, w1, h1), (x2, y2, w2, h2) = a, b
    return x1 < x2 + w2 and x2 < x1 + w1 and y1 < y2 + h2 and y2 < y1 + h1


@settings(deadline=None, max_examples=60)
@given(graphs())
def test_boxes_do_not_overlap_and_no_lane_passes_through_one(graph):
    sizes, edges = graph
    layout = layered(sizes, edges, range(len(sizes)))
    boxes = [(*corner, *size) for corner, size in zip(layout.corners, sizes, strict=True)]
    assert not any(overlap(boxes[i], boxes[k]) for i in range(len(boxes)) for k in range(i))
    for lanes in layout.lanes:
        for lane in lanes:
            x = min(lane.start, lane.end)
            line = (x, lane.y, abs(lane.end - lane.start), 0.01)
            assert not any(overlap(line, box) for box in boxes)


@settings(deadline=None, max_examples=60)
@given(graphs())
def test_forward_edges_lead_to_the_right_within_a_row(graph):
    sizes, edges = graph
    layout = layered(sizes, edges, range(len(sizes)))
    for edge, lanes in zip(edges, layout.lanes, strict=True):
        is_folded = any(lane.start > lane.end for lane in lanes)
        if edge.source < edge.target and not is_folded:
            assert layout.corners[edge.source][0] + sizes[edge.source][0] <= layout.corners[edge.target][0]


def test_a_long_chain_is_folded_into_rows():
    sizes = [(140, 60)] * 100
    layout = layered(sizes, [Edge(i, i + 1) for i in range(99)], range(100))
    width, height = layout.size
    assert 1 < width / height < 4
    assert len({y for _, y in layout.corners}) > 5


def test_what_feeds_all_of_a_long_chain_runs_along_it_in_one_line():
    sizes = [(140, 60)] * 100
    weather = [Edge(0, i, ("T",)) for i in range(2, 100)]
    layout = layered(sizes, [*(Edge(i, i + 1) for i in range(99)), *weather], range(100))
    width, height = layout.size
    assert 1 < width / height < 4
    lanes = {lane for lanes in layout.lanes for lane in lanes if lane.wires == {"T"}}
    assert len(lanes) < 150


def test_the_same_graph_has_the_same_places():
    sizes = [(100, 50)] * 12
    edges = [Edge(i, (7 * i + 3) % 12) for i in range(12)]
    assert layered(sizes, edges, range(12)) == layered(sizes, edges, range(12))
