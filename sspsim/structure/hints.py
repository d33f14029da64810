"""What to do about a finding that brings no better advice of its own, by its code."""

from __future__ import annotations

from dataclasses import replace

from sspsim.structure.diagnostic import Diagnostic

HINTS = {
    "V01": "correct the file, or tell the maker of the tool that wrote it",
    "V02": 'change the version to "2.0"',
    "V03": "give every element of a system a name of its own",
    "V04": "give every connector of an element a name of its own",
    "V05": "correct the name of the element",
    "V06": "declare the connector, or correct its name",
    "V07": "correct the kinds; docs/ssp.md says which ones go together",
    "V08": "remove a connection",
    "V09": "remove the connectors, or correct their names",
    "V10": "declare the kind that the FMU has",
    "V11": "declare the type that the FMU has, or allow the conversion with --conversions all",
    "V12": "declare the unit that the FMU has, unless this one is meant",
    "V13": "define it in this file",
    "V14": "correct a unit, or set suppressUnitConversion",
    "V15": "correct the transformation or the value",
    "V16": "give either a source or inline content",
    "V17": "correct the sourceBase",
    "V18": "remove one of them",
    "V19": "check the spelling; there is nothing to do if other systems use the value",
    "V20": "remove the value",
    "V21": "make dimensions, indices and numbers of values agree",
    "V22": "name a structuralParameter or constant of the same element",
    "V23": "name a clock of the same element",
    "V24": "correct the name, or remove a writer",
    "V25": "export the FMU again, for this platform and for co-simulation or model exchange",
    "V26": "put the file where the reference says, or run without it: --allow-missing",
    "V27": "break the circle",
    "V28": "correct the coordinates; only pictures suffer",
    "V29": "pack the archive with another tool",
    "V30": "give it a source, or run without it: --allow-missing",
    "V31": "correct the setting; docs/settings-annotation.md lists them",
    "V32": "the file was changed, or is not the one that is described; write the meta data anew",
    "F01": "tell the maker of the tool that exported the FMU",
    "F02": "tell the maker of the tool that exported the FMU",
    "F03": "do not rely on what the component declares",
}


def with_hint(finding: Diagnostic) -> Diagnostic:
    """The finding, with general advice if it has none."""
    return finding if finding.hint else replace(finding, hint=HINTS.get(finding.code, ""))
