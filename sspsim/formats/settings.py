"""Master settings in annotations: our own, and what other tools leave in theirs.

Ours is on the default experiment or the outermost system (`MasterSettings`), and on components
(`ComponentSettings`). The experiment wins over the system, and both over what other tools wrote.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields, replace
from typing import Any
from urllib.parse import quote, unquote

from lxml import etree

from sspsim.formats import vendor_settings
from sspsim.formats.lexical import format_boolean, format_double, parse_boolean, parse_double
from sspsim.formats.xml import NAMESPACES, escape
from sspsim.structure import Annotation, Component, Diagnostic, Experiment, Origin, System, SystemStructure
from sspsim.structure.diagnostic import warning
from sspsim.structure.settings import MasterSettings
from sspsim.structure.time import known_time_unit

TYPE = "io.github.sspsim"
NAMESPACE = "https://sspsim.github.io/settings"
BAD_SETTING = "V31"

_TEXTS = ("master", "stepping")
_LISTS = ("record", "time_only", "order")


# ---- reading ---------------------------------------------------------------------------------------------


def of_structure(structure: SystemStructure) -> tuple[MasterSettings, list[Diagnostic]]:
    """The settings that a system structure brings along; what is not understood is reported."""
    findings: list[Diagnostic] = []
    experiment = structure.experiment
    own = MasterSettings()
    for place in (experiment.annotations if experiment else (), structure.system.annotations):
        own = own.over(from_annotations(place, findings, structure.origin))
    marked = tuple(_marked_outputs(structure.system, (), findings))
    if marked:
        own = replace(own, time_only=(*(own.time_only or ()), *marked))
    return own.over(vendor_settings.of_structure(structure)), findings


def from_annotations(
    annotations: Iterable[Annotation], findings: list[Diagnostic], origin: Origin | None = None
) -> MasterSettings:
    """The settings in annotations of our type."""
    found: dict[str, Any] = {}
    names = {_attribute(field.name): field.name for field in fields(MasterSettings)}
    for name, text in _attributes(annotations, "MasterSettings"):
        try:
            found[names[name]] = _value(names[name], text)
        except (KeyError, ValueError):
            findings.append(_misunderstood(name, text, origin))
    return MasterSettings(**found)


def _marked_outputs(system: System, path: tuple[str, ...], findings: list[Diagnostic]) -> Iterator[str]:
    """Outputs that components say depend on time alone."""
    for element in system.elements:
        here = (*path, element.name)
        if isinstance(element, System):
            yield from _marked_outputs(element, here, findings)
        elif isinstance(element, Component):
            for name, text in _attributes(element.annotations, "ComponentSettings"):
                if name != "timeOnly":
                    findings.append(_misunderstood(name, text, element.origin))
                    continue
                yield from (".".join((*here, output)) for output in _listed(text))


def _attributes(annotations: Iterable[Annotation], tag: str) -> Iterator[tuple[str, str]]:
    parser = etree.XMLParser(resolve_entities=False, no_network=True)
    for annotation in annotations:
        if annotation.type == TYPE:
            root = etree.fromstring(annotation.xml.encode(), parser)
            for element in root.iterchildren(f"{{{NAMESPACE}}}{tag}"):
                yield from ((str(key), str(value)) for key, value in element.attrib.items())


def _misunderstood(name: str, text: str, origin: Origin | None) -> Diagnostic:
    return warning(BAD_SETTING, f"the setting {name}={text!r} is not understood", origin)


def _value(name: str, text: str) -> str | float | int | bool | tuple[str, ...]:
    if name in _LISTS:
        return _listed(text)
    if name in _TEXTS:
        return text
    if name == "time_unit":
        return known_time_unit(text)
    if name == "record_all":
        return parse_boolean(text)
    return int(text) if name == "max_iterations" else parse_double(text)


def _listed(text: str) -> tuple[str, ...]:
    return tuple(unquote(part) for part in text.split())


# ---- writing ---------------------------------------------------------------------------------------------


def to_annotation(settings: MasterSettings) -> Annotation:
    """The settings that are given, as attributes.

    >>> "step=" in to_annotation(MasterSettings(step=0.1)).xml
    True
    """
    given = {field.name: getattr(settings, field.name) for field in fields(settings)}
    attributes = "".join(
        f' {_attribute(name)}="{escape(_text(value))}"' for name, value in given.items() if value is not None
    )
    inner = f'<MasterSettings xmlns="{NAMESPACE}"{attributes}/>'
    return Annotation(
        TYPE, f'<ssc:Annotation xmlns:ssc="{NAMESPACES["ssc"]}" type="{TYPE}">{inner}</ssc:Annotation>'
    )


def with_settings(structure: SystemStructure, settings: MasterSettings) -> SystemStructure:
    """A system structure that brings settings along, instead of those it had; other annotations stay."""
    experiment = structure.experiment or Experiment()
    kept = tuple(annotation for annotation in experiment.annotations if annotation.type != TYPE)
    return replace(structure, experiment=replace(experiment, annotations=(*kept, to_annotation(settings))))


def _attribute(name: str) -> str:
    """The name of a field as attributes are spelled: maxIterations."""
    first, *others = name.split("_")
    return first + "".join(part.capitalize() for part in others)


def _text(value: str | float | bool | tuple[str, ...]) -> str:
    if isinstance(value, tuple):
        return " ".join(quote(name, safe="*?[]/") for name in value)
    if isinstance(value, bool):
        return format_boolean(value)
    return format_double(value) if isinstance(value, float) else str(value)
