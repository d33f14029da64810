"""Small files and archives for the tests."""

from __future__ import annotations

import io
import zipfile

NAMESPACES = " ".join(
    f'xmlns:{prefix}="http://ssp-standard.org/SSP1/SystemStructure{name}"'
    for prefix, name in {
        "ssd": "Description",
        "ssc": "Common",
        "ssv": "ParameterValues",
        "ssm": "ParameterMapping",
        "ssb": "SignalDictionary",
    }.items()
)


def ssd_file(content: str = "", *, version: str = "1.0", name: str = "test", after: str = "") -> bytes:
    """A system structure with `content` in its root system and `after` behind it."""
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<ssd:SystemStructureDescription {NAMESPACES} version="{version}" name="{name}">\n'
        f'<ssd:System name="root">\n{content}\n</ssd:System>\n{after}\n</ssd:SystemStructureDescription>\n'
    ).encode()


def ssv_file(parameters: str = "", *, version: str = "1.0") -> bytes:
    """A parameter set."""
    return (
        f'<ssv:ParameterSet {NAMESPACES} version="{version}" name="p">\n'
        f"<ssv:Parameters>\n{parameters}\n</ssv:Parameters>\n</ssv:ParameterSet>"
    ).encode()


def ssm_file(entries: str = "", *, version: str = "1.0") -> bytes:
    """A parameter mapping."""
    return f'<ssm:ParameterMapping {NAMESPACES} version="{version}">\n{entries}\n</ssm:ParameterMapping>'.encode()


def ssb_file(entries: str = "", *, version: str = "1.0") -> bytes:
    """A signal dictionary."""
    return f'<ssb:SignalDictionary {NAMESPACES} version="{version}">\n{entries}\n</ssb:SignalDictionary>'.encode()


def component(
    source: str, *, type: str = "application/x-fmu-sharedlibrary", inner: str = "", name: str = "c"
) -> str:
    """A component."""
    return f'<ssd:Component name="{name}" type="{type}" source="{source}">{inner}</ssd:Component>'


def elements(*content: str) -> str:
    """The elements of a system."""
    return f"<ssd:Elements>{''.join(content)}</ssd:Elements>"


def archive(files: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip archive."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as target:
        for name, data in files.items():
            target.writestr(name, data)
    return buffer.getvalue()
