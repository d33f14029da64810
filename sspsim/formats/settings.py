"""Master settings in an annotation of our own, on the default experiment of a system structure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from typing import Any
from urllib.parse import quote, unquote
from xml.sax.saxutils import quoteattr

from lxml import etree

from sspsim.formats.lexical import format_boolean, format_double, parse_boolean, parse_double
from sspsim.formats.xml import NAMESPACES
from sspsim.structure import Annotation, Diagnostic, Experiment
from sspsim.structure.diagnostic import warning
from sspsim.structure.settings import MasterSettings

TYPE = "org.sspsim.master-settings"
NAMESPACE = "http://sspsim.org/master-settings"
BAD_SETTING = "V31"
_TEXTS = ("master", "stepping", "time_unit")


def to_annotation(settings: MasterSettings) -> Annotation:
    """The settings that are given, as attributes.

    >>> "step=" in to_annotation(MasterSettings(step=0.1)).xml
    True
    """
    given = {field.name: getattr(settings, field.name) for field in fields(settings)}
    attributes = "".join(
        f" {_attribute(name)}={quoteattr(_text(value))}" for name, value in given.items() if value is not None
    )
    inner = f'<MasterSettings xmlns="{NAMESPACE}"{attributes}/>'
    return Annotation(
        TYPE, f'<ssc:Annotation xmlns:ssc="{NAMESPACES["ssc"]}" type="{TYPE}">{inner}</ssc:Annotation>'
    )


def from_experiment(experiment: Experiment | None) -> tuple[MasterSettings, list[Diagnostic]]:
    """The settings of a system structure."""
    annotations = experiment.annotations if experiment else ()
    return from_annotations(annotations)


def from_annotations(annotations: Iterable[Annotation]) -> tuple[MasterSettings, list[Diagnostic]]:
    """The settings in the annotation of our type; what is not understood is reported."""
    found: dict[str, Any] = {}
    diagnostics: list[Diagnostic] = []
    names = {_attribute(field.name): field.name for field in fields(MasterSettings)}
    for annotation in annotations:
        if annotation.type != TYPE:
            continue
        parser = etree.XMLParser(resolve_entities=False, no_network=True)
        for element in etree.fromstring(annotation.xml.encode(), parser).iter(
            f"{{{NAMESPACE}}}MasterSettings"
        ):
            for name, text in ((str(key), str(value)) for key, value in element.attrib.items()):
                try:
                    found[names[name]] = _value(names[name], text)
                except (KeyError, ValueError):
                    message = f"the master setting {name}={text!r} is not understood"
                    diagnostics.append(warning(BAD_SETTING, message))
    return MasterSettings(**found), diagnostics


def _attribute(name: str) -> str:
    """The name of a field as attributes are spelled: maxIterations."""
    first, *others = name.split("_")
    return first + "".join(part.capitalize() for part in others)


def _text(value: str | float | bool | tuple[str, ...]) -> str:
    if isinstance(value, tuple):
        return " ".join(quote(name) for name in value)
    if isinstance(value, bool):
        return format_boolean(value)
    return format_double(value) if isinstance(value, float) else str(value)


def _value(name: str, text: str) -> str | float | int | bool | tuple[str, ...]:
    if name == "order":
        return tuple(unquote(part) for part in text.split())
    if name in _TEXTS:
        return text
    if name == "record_all":
        return parse_boolean(text)
    return int(text) if name == "max_iterations" else parse_double(text)
