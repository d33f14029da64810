"""Every pair of kinds, allowed or not, against the table of the standard written out in full."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
from ssp_builder import component, connection, content_of, files_for, pack, structure, system

import sspsim
from sspsim.graph.direction import ALLOWED, End, Flow, Owner, flow, may_feed
from sspsim.structure import Kind

# source owner, source kind, destination owner, destination kind; * only in 2.0
TABLE = """
S structuralParameter -> S calculatedParameter *
S structuralParameter -> S output *
S structuralParameter -> S local *
S structuralParameter -> E structuralParameter *
S structuralParameter -> E parameter *
S structuralParameter -> E input *
S structuralParameter -> E inout *
S parameter -> S calculatedParameter
S parameter -> S output
S parameter -> S local *
S parameter -> E parameter
S parameter -> E input
S parameter -> E inout
S input -> S output
S input -> S local *
S input -> E input
S input -> E inout
E constant -> S constant *
E constant -> S calculatedParameter *
E constant -> S output *
E constant -> S local *
E constant -> E structuralParameter *
E constant -> E parameter *
E constant -> E input *
E constant -> E inout *
E calculatedParameter -> S calculatedParameter
E calculatedParameter -> S output
E calculatedParameter -> S local *
E calculatedParameter -> E parameter
E calculatedParameter -> E input
E calculatedParameter -> E inout
E output -> S output
E output -> S local *
E output -> E input
E output -> E inout
E local -> S output *
E local -> S local *
E local -> E input *
E local -> E inout *
E inout -> S output
E inout -> S local *
E inout -> E input
"""
OWNERS = {"S": Owner.SYSTEM, "E": Owner.ELEMENT}
SPECIFIED = [kind for kind in Kind if kind is not Kind.UNSPECIFIED]


def rows(version: str) -> set[tuple[End, End]]:
    found = set()
    for line in TABLE.strip().splitlines():
        source_owner, source, _, target_owner, target, *newer = line.split()
        if version == "2.0" or not newer:
            found.add((End(OWNERS[source_owner], Kind(source)), End(OWNERS[target_owner], Kind(target))))
    return found


ENDS = [End(owner, kind) for owner in Owner for kind in SPECIFIED]


@pytest.mark.parametrize(("version", "count"), [("1.0", 18), ("2.0", 42)])
def test_every_pair_of_kinds(version: str, count: int) -> None:
    allowed = rows(version)
    assert len(allowed) == count
    assert {pair for pair in product(ENDS, ENDS) if may_feed(*pair, version)} == allowed


@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_direction_does_not_depend_on_start_and_end(version: str) -> None:
    for source, target in rows(version):
        if (target, source) not in rows(version):
            assert flow(source, target, version) is Flow.START_TO_END
            assert flow(target, source, version) is Flow.END_TO_START


def test_no_pair_of_kinds_is_allowed_both_ways() -> None:
    assert not [pair for pair in rows("2.0") if pair[::-1] in rows("2.0")]
    assert len(ALLOWED) == 8


def test_unspecified_takes_the_direction_that_the_other_end_allows() -> None:
    anything = End(Owner.ELEMENT, Kind.UNSPECIFIED)
    assert flow(anything, End(Owner.ELEMENT, Kind.INPUT)) is Flow.START_TO_END
    assert flow(anything, End(Owner.ELEMENT, Kind.OUTPUT)) is Flow.END_TO_START
    assert flow(anything, End(Owner.SYSTEM, Kind.OUTPUT)) is Flow.START_TO_END
    assert flow(anything, anything) is Flow.UNDECIDED
    # Between an inout and something unspecified both directions make sense.
    assert flow(anything, End(Owner.ELEMENT, Kind.INOUT)) is Flow.UNDECIDED


def test_forbidden_pairs_are_reported_at_the_connection(tmp_path: Path) -> None:
    """All pairs of two components without implementation, in one system."""
    elements, connections, expected = [], [], 0
    pairs = list(product(SPECIFIED, SPECIFIED))
    for k, (a, b) in enumerate(pairs):
        elements += [component(f"a{k}", None, f"x:{a}"), component(f"b{k}", None, f"x:{b}")]
        connections.append(connection(f"a{k}.x -> b{k}.x"))
        ends = End(Owner.ELEMENT, a), End(Owner.ELEMENT, b)
        expected += not {ends, ends[::-1]} & rows("2.0")
    path = pack(tmp_path / "kinds.ssp", structure(system(*elements, *connections)))
    found = [d for d in sspsim.load(path, allow_missing=True).check() if d.code == "V07"]
    assert len(found) == expected
    assert len({d.origin for d in found}) == expected
    assert len(pairs) == 64


def test_version_1_0_forbids_what_came_with_2_0(tmp_path: Path) -> None:
    made = system(component("a", None, "x:local"), component("b", None, "x:input"), connection("a.x -> b.x"))
    for version, count in (("1.0", 1), ("2.0", 0)):
        written = content_of(structure(made)).replace(b'version="2.0"', f'version="{version}"'.encode())
        path = pack(tmp_path / f"{version}.ssp", written)
        found = [d for d in sspsim.load(path, allow_missing=True).check() if d.code == "V07"]
        assert len(found) == count
        assert all("version" in d.hint for d in found)


def test_unspecified_connector_of_an_fmu_has_the_fmus_causality(fmus: Path, tmp_path: Path) -> None:
    lag = fmus / "fmi2" / "Lag.fmu"
    made = system(
        component("a", lag, "y:unspecified"),
        component("b", lag, "u:unspecified"),
        connection("b.u -> a.y"),
    )
    flat = sspsim.load(pack(tmp_path / "a.ssp", made, files_for(lag))).flat
    assert [(link.source.variable, link.target.variable) for link in flat.links] == [("y", "u")]
    assert [flat.instances[link.source.instance].name for link in flat.links] == ["a"]
