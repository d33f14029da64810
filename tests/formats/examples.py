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
    root = "ssm:ParameterMapping"
    return f'<{root} {NAMESPACES} version="{version}">\n{entries}\n</{root}>'.encode()


def ssb_file(entries: str = "", *, version: str = "1.0") -> bytes:
    """A signal dictionary."""
    root = "ssb:SignalDictionary"
    return f'<{root} {NAMESPACES} version="{version}">\n{entries}\n</{root}>'.encode()


def component(
    source: str, *, type: str = "application/x-fmu-sharedlibrary", inner: str = "", name: str = "c"
) -> str:
    """A component."""
    return f'<ssd:Component name="{name}" type="{type}" source="{source}">{inner}</ssd:Component>'


def elements(*content: str) -> str:
    """The elements of a system."""
    return within("ssd:Elements", *content)


def connectors(*content: str) -> str:
    """The connectors of an element."""
    return within("ssd:Connectors", *content)


def connector(name: str = "u", kind: str = "input", inner: str = "<ssc:Real/>") -> str:
    """A connector."""
    return f'<ssd:Connector name="{name}" kind="{kind}">{inner}</ssd:Connector>'


def binding(attributes: str = "", inner: str = "") -> str:
    """The only parameter binding of an element."""
    return within(
        "ssd:ParameterBindings", f"<ssd:ParameterBinding {attributes}>{inner}</ssd:ParameterBinding>"
    )


def dictionary(attributes: str, inner: str = "") -> str:
    """The only signal dictionary of a system."""
    return within(
        "ssd:SignalDictionaries", f"<ssd:SignalDictionary {attributes}>{inner}</ssd:SignalDictionary>"
    )


def scaled(source: str, target: str) -> str:
    """An entry of a mapping that doubles the value."""
    attributes = f'source="{source}" target="{target}"'
    return f'<ssm:MappingEntry {attributes}><ssc:LinearTransformation factor="2"/></ssm:MappingEntry>'


def within(tag: str, *content: str) -> str:
    """An element around others."""
    return f"<{tag}>{''.join(content)}</{tag}>"


def archive(files: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip archive."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as target:
        for name, data in files.items():
            info = zipfile.ZipInfo(name)
            info.compress_type = method
            target.writestr(info, data)
    return buffer.getvalue()
