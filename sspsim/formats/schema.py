"""Validity after the XML schemas of the standard, each file after those of its own version.

The schemas come with other packages: SSP 1.0 with fmpy, SSP 2.0 with pyssp_standard; neither is imported.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from lxml import etree

from sspsim.errors import InputError
from sspsim.formats.refusal import findings_of
from sspsim.formats.xml import NAMESPACES, OPAQUE, parse
from sspsim.structure.diagnostic import Diagnostic, Origin, error, info, warning

INVALID = "V01"
MAX_REPORTS = 50

_FOLDERS = {"1": ("fmpy", "ssp/schema"), "2": ("pyssp_standard", "resources/ssp2")}
_ROOTS = {
    f"{{{NAMESPACES[prefix]}}}{root}": f"{NAMESPACES[prefix].rpartition('/')[2]}.xsd"
    for prefix, root in {
        "ssd": "SystemStructureDescription",
        "ssv": "ParameterSet",
        "ssm": "ParameterMapping",
        "ssb": "SignalDictionary",
    }.items()
}
_OPAQUE = frozenset(f"{{{NAMESPACES['ssc']}}}{tag.partition(':')[2]}" for tag in OPAQUE)
_INLINE = tuple(_ROOTS)[1:]
_COMMON = "SystemStructureCommon.xsd"


def validate(data: bytes, file: str) -> list[Diagnostic]:
    """What in a file, and in the parameter sets, mappings and dictionaries in it, violates the schema."""
    try:
        parse(data, file)
    except InputError as problem:
        return findings_of(problem)
    return validate_safe(data, file)


def validate_safe(data: bytes, file: str) -> list[Diagnostic]:
    """As `validate`, of a file that has been read already, which only safe ones can be."""
    try:
        root = etree.fromstring(data, safe_parser())
    except etree.XMLSyntaxError as problem:
        return [error(INVALID, str(problem), Origin(file, problem.lineno or 0))]
    findings = list(_own_violations(root, file))
    for part in root.iter(*_INLINE):
        if part is not root and not any(outer.tag in _OPAQUE for outer in part.iterancestors()):
            findings += _own_violations(part, file)
    return findings


def _own_violations(root: etree._Element, file: str) -> Iterator[Diagnostic]:
    name = _ROOTS.get(root.tag)
    if name is None:
        yield warning(INVALID, f"{root.tag!r} is no root element of the standard", Origin(file, 1))
        return
    version = "2" if root.get("version", "").startswith("2") else "1"
    schema = _schema(version, name)
    if schema is None:
        package = _FOLDERS[version][0]
        yield info(INVALID, f"not validated: the schema of version {version}.0 is in {package}", Origin(file))
        return
    yield from violations(schema, root, file, INVALID)


def violations(
    schema: etree.XMLSchema, root: etree._Element, file: str, code: str, most: int = MAX_REPORTS
) -> Iterator[Diagnostic]:
    """A warning for each of the first violations, and one that counts the others."""
    if schema.validate(root):
        return
    errors = [(entry.line, entry.message) for entry in schema.error_log]  # type: ignore[attr-defined]
    for line, message in errors[:most]:
        yield warning(code, _readable(message), Origin(file, line))
    if len(errors) > most:
        yield warning(code, f"{len(errors) - most} more violations of the schema", Origin(file))


def _readable(message: str) -> str:
    """The message of the validator with the usual prefixes instead of namespaces."""
    for prefix, uri in NAMESPACES.items():
        message = message.replace(f"{{{uri}}}", f"{prefix}:")
    return message


def safe_parser() -> etree.XMLParser:
    """Reads nothing but the text that it is given."""
    return etree.XMLParser(resolve_entities=False, load_dtd=False, no_network=True, huge_tree=False)


@cache
def _schema(version: str, name: str) -> etree.XMLSchema | None:
    package, folder = _FOLDERS[version]
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        return None
    parser = safe_parser()
    path = Path(spec.origin).parent / folder
    if version == "2":
        parser.resolvers.add(_LongItems(path / _COMMON))
    return etree.XMLSchema(etree.parse(str(path / name), parser))


class _LongItems(etree.Resolver):
    """Gives enumeration items 64 bits, the only change from the schemas of 2.0 to those of 2.0.1."""

    def __init__(self, common: Path) -> None:
        self.text = common.read_text("utf-8").replace(
            'name="value" type="xs:int"', 'name="value" type="xs:long"'
        )

    def resolve(self, url: str, _public_id: str, context: Any) -> Any:  # type: ignore[override]
        """The changed text instead of the file."""
        return self.resolve_string(self.text, context, base_url=url) if url.endswith(_COMMON) else None
