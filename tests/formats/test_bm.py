"""Reading and writing block layouts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sspsim.errors import InputError
from sspsim.formats import bm

LAYOUT = b"""<?xml version="1.0" encoding="UTF-8"?>
<BlockMod>
  <!--Blocks-->
  <Blocks>
    <Block name="Prey">
      <Position>-16, 32.5</Position>
      <Size>128, 80</Size>
      <Properties><ShowPixmap>true</ShowPixmap></Properties>
      <Sockets>
        <Socket name="x">
          <Position>128, 16</Position>
          <Orientation>Horizontal</Orientation>
          <Inlet>false</Inlet>
        </Socket>
        <Socket name="y">
          <Position>0, 16</Position>
          <Orientation>Vertical</Orientation>
          <Inlet>true</Inlet>
        </Socket>
      </Sockets>
    </Block>
  </Blocks>
  <Connectors>
    <Connector name="auto-named">
      <Source>Prey.x</Source>
      <Target>Prey.y</Target>
      <Segments>
        <Segment><Orientation>Horizontal</Orientation><Offset>64</Offset></Segment>
        <Segment><Orientation>Vertical</Orientation><Offset>-16</Offset></Segment>
      </Segments>
    </Connector>
    <Connector name="straight"><Source>a.b</Source><Target>c.d</Target></Connector>
  </Connectors>
</BlockMod>
"""


def test_read() -> None:
    network, findings = bm.read(LAYOUT, "p.bm")
    assert findings == []
    sockets = (bm.Socket("x", 128, 16, inlet=False), bm.Socket("y", 0, 16, inlet=True, horizontal=False))
    assert network.blocks == (bm.Block("Prey", -16, 32.5, 128, 80, sockets, pixmap=True),)
    assert network.wires == (
        bm.Wire("Prey.x", "Prey.y", (bm.Segment(True, 64), bm.Segment(False, -16))),
        bm.Wire("a.b", "c.d", name="straight"),
    )


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (LAYOUT.replace(b"128, 80", b"128"), "Size is '128', not two numbers"),
        (LAYOUT.replace(b"<Position>-16, 32.5</Position>", b""), "Position is missing"),
        (
            LAYOUT.replace(b"Vertical</Orientation>\n", b"Up</Orientation>\n"),
            "neither Horizontal nor Vertical",
        ),
    ],
)
def test_block_that_is_not_understood_is_reported(broken: bytes, message: str) -> None:
    network, findings = bm.read(broken, "p.bm")
    assert network.blocks == ()
    assert len(network.wires) == 2
    assert [finding.origin and finding.origin.line for finding in findings] == [5]
    assert message in str(findings[0])


@pytest.mark.parametrize("data", [b"<BlockMod>", b"<Other/>", b"<!DOCTYPE a []><BlockMod/>", b""])
def test_file_that_is_no_layout(data: bytes) -> None:
    with pytest.raises(InputError, match=r"p\.bm: "):
        bm.read(data, "p.bm")


coordinates = st.integers(-10000, 10000).map(lambda value: value / 8)
texts = st.text("ab .<&\"'ä", max_size=8)
sockets = st.builds(bm.Socket, texts, coordinates, coordinates, st.booleans(), st.booleans())
blocks = st.builds(
    bm.Block,
    texts,
    *[coordinates] * 4,
    st.lists(sockets, max_size=3).map(tuple),
    st.booleans(),
)
wires = st.builds(
    bm.Wire,
    texts.map(str.strip),
    texts.map(str.strip),
    st.lists(st.builds(bm.Segment, st.booleans(), coordinates), max_size=4).map(tuple),
    texts,
)


@given(st.lists(blocks, max_size=3), st.lists(wires, max_size=3))
def test_round_trip(some_blocks: list[bm.Block], some_wires: list[bm.Wire]) -> None:
    network = bm.Network(tuple(some_blocks), tuple(some_wires))
    assert bm.read(bm.write(network), "p.bm") == (network, [])
