"""Whether a modelDescription.xml follows the schema of its FMI version; FMUs that do not are run all the same."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path

from lxml import etree

from sspsim.formats.schema import safe_parser, violations
from sspsim.structure.diagnostic import Diagnostic, Origin, info

INVALID = "F02"
MOST = 5  # of one description: exporters repeat their mistakes at every variable
FILES = {"1": "fmi1/fmiModelDescription.xsd", "2": "fmi2/fmi2ModelDescription.xsd"}
FILES["3"] = "fmi3/fmi3ModelDescription.xsd"


def validate(data: bytes, file: str) -> list[Diagnostic]:
    """What in a description, which is well-formed, violates the schema."""
    root = etree.fromstring(data, safe_parser())
    schema = _schema(root.get("fmiVersion", "")[:1])
    if schema is None:
        return [
            info(INVALID, "not validated: the schemas of FMI are in fmpy, which is missing", Origin(file))
        ]
    return list(violations(schema, root, file, INVALID, MOST))


@cache
def _schema(version: str) -> etree.XMLSchema | None:
    spec = find_spec("fmpy")
    if spec is None or spec.origin is None:
        return None
    path = Path(spec.origin).parent / "schema" / FILES[version]
    return etree.XMLSchema(etree.parse(str(path), safe_parser()))
