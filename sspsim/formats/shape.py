"""The form of elements, described once for both directions.

A `Shape` says which attributes and children an element has and which object it stands for. From that follow
reading, writing in the order of the schema, and finding what needs version 2.0 of the standard.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields, is_dataclass, replace
from enum import Enum
from functools import cached_property
from operator import attrgetter
from typing import Any

from sspsim.errors import InputError
from sspsim.formats.lexical import STRING, Codec
from sspsim.formats.xml import NAMESPACES, Node, escape
from sspsim.structure.diagnostic import Diagnostic, Origin, Severity

INVALID = "V01"
_SCHEMA_INSTANCE = "http://www.w3.org/2001/XMLSchema-instance}"


@dataclass(slots=True)
class Report:
    """Collects what is noticed while a file is read."""

    file: str
    diagnostics: list[Diagnostic] = field(default_factory=list)

    def add(self, severity: Severity, message: str, line: int, hint: str = "", code: str = INVALID) -> None:
        """Notes a finding at a line of the file."""
        self.diagnostics.append(Diagnostic(code, severity, message, Origin(self.file, line), hint))

    def unknown(self, what: str, node: Node) -> None:
        """Notes that a part of the file has no meaning in the standard."""
        self.add(Severity.WARNING, f"unknown {what} in {node.tag} is ignored", node.line)


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute and the field that holds it, possibly in an inner object `group`."""

    name: str
    field: str
    codec: Codec
    get: Callable[[Any], Any]
    group: str
    default: Any
    fallback: Any
    always: bool
    newer: Callable[[Any], bool] | None
    blank: str = ""  # the code of the finding if it is empty, which then counts as missing

    @property
    def required(self) -> bool:
        """Whether the standard wants it to be there."""
        return self.default is MISSING


def attribute(
    name: str,
    codec: Codec = STRING,
    *,
    field: str = "",
    get: Callable[[Any], Any] | None = None,
    group: str = "",
    default: Any = None,
    always: bool = False,
    newer: Callable[[Any], bool] | None = None,
    blank: str = "",
) -> Attribute:
    """An optional attribute: not written if it has its default value, unless `always`."""
    field = field or name
    path = f"{group}.{field}" if group else field
    getter = get or attrgetter(path)
    return Attribute(name, field, codec, getter, group, default, MISSING, always, newer, blank)


def required(
    name: str,
    codec: Codec = STRING,
    *,
    field: str = "",
    get: Callable[[Any], Any] | None = None,
    fallback: Any = MISSING,
    newer: Callable[[Any], bool] | None = None,
) -> Attribute:
    """A required attribute: without it, and without a fallback, the element is left out."""
    field = field or name
    return Attribute(name, field, codec, get or attrgetter(field), "", MISSING, fallback, True, newer)


class Form:
    """What every kind of element can do; `newer` says which objects need version 2.0."""

    tag: str
    root: bool = False

    def read(self, node: Node, report: Report) -> Any:
        """The object that a node stands for, or None if nothing sensible can be made of it."""
        raise NotImplementedError

    def write(self, value: Any, out: list[str], indent: str, declarations: str = "") -> None:
        """Appends the lines of an object."""
        raise NotImplementedError

    def newer_parts(self, value: Any) -> Iterator[tuple[str, Origin | None]]:
        """The parts of an object that need version 2.0, with the place of the nearest entity."""
        raise NotImplementedError


@dataclass(frozen=True)
class Child:
    """Children and the field that holds them; `key` of an object tells which of several forms it has."""

    field: str
    variants: Mapping[Any, Form]
    key: Callable[[Any], Any]
    container: str
    many: bool
    required: bool
    keep_empty: bool
    get: Callable[[Any], Any]

    @cached_property
    def forms(self) -> dict[str, Form]:
        """The forms by tag."""
        return {form.tag: form for form in self.variants.values()}

    def items(self, parent: Any) -> tuple[Any, ...]:
        """The objects of this kind that the parent's object holds."""
        value = self.get(parent)
        if self.many:
            return tuple(value)
        return () if value is None else (value,)

    def form(self, value: Any) -> Form:
        """The form of one object."""
        try:
            return self.variants[self.key(value)]
        except KeyError:
            raise InputError(f"{value!r} has no place as {self.field} in SSP files") from None


def one(
    field: str,
    form: Form | Mapping[Any, Form],
    key: Callable[[Any], Any] = lambda _: None,
    *,
    container: str = "",
    required: bool = False,
    get: Callable[[Any], Any] | None = None,
) -> Child:
    """At most one child element."""
    return Child(field, _variants(form), key, container, False, required, False, get or attrgetter(field))


def many(
    field: str,
    form: Form | Mapping[Any, Form],
    key: Callable[[Any], Any] = lambda _: None,
    *,
    container: str = "",
    keep_empty: bool = False,
    get: Callable[[Any], Any] | None = None,
) -> Child:
    """Any number of child elements, directly or in a container, which is left out if empty, as a rule."""
    return Child(field, _variants(form), key, container, True, False, keep_empty, get or attrgetter(field))


def _variants(form: Form | Mapping[Any, Form]) -> Mapping[Any, Form]:
    return {None: form} if isinstance(form, Form) else form


@dataclass(frozen=True)
class Shape(Form):
    """An element that stands for `build(**fields)`; a cosmetic one cannot change what a system does."""

    tag: str
    build: Callable[..., Any]
    attributes: tuple[Attribute, ...] = ()
    children: tuple[Child, ...] = ()
    groups: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    newer: Callable[[Any], bool] | None = None
    root: bool = False
    cosmetic: bool = False
    located: bool = False

    @cached_property
    def _attributes(self) -> dict[str, Attribute]:
        return {attribute.name: attribute for attribute in self.attributes}

    @cached_property
    def _required(self) -> tuple[Attribute, ...]:
        return tuple(attribute for attribute in self.attributes if attribute.required)

    @cached_property
    def _required_children(self) -> tuple[Child, ...]:
        return tuple(child for child in self.children if child.required)

    @cached_property
    def _slots(self) -> dict[str, tuple[Child, Form | None]]:
        slots: dict[str, tuple[Child, Form | None]] = {}
        for child in self.children:
            if child.container:
                slots[child.container] = (child, None)
            else:
                slots.update({tag: (child, form) for tag, form in child.forms.items()})
        return slots

    @cached_property
    def _has_origin(self) -> bool:
        return self.located or (
            is_dataclass(self.build) and any(f.name == "origin" for f in fields(self.build))
        )

    @cached_property
    def _not_written(self) -> list[tuple[str, Any]]:
        """The fields of the object for which this element has no place, and their defaults."""
        if not is_dataclass(self.build):
            return []
        known = {a.group or a.field for a in self.attributes} | {c.field for c in self.children} | {"origin"}
        return [(f.name, f.default) for f in fields(self.build) if f.name not in known]

    @cached_property
    def _initial(self) -> dict[str, Any]:
        """What an element leaves out although the object has no default for it."""
        if not is_dataclass(self.build):
            return {}
        needed = {f.name for f in fields(self.build) if f.default is MISSING}
        return {
            **{a.field: a.default for a in self.attributes if a.field in needed and not a.required},
            **{c.field: () for c in self.children if c.field in needed and c.many},
        }

    # Reading

    def read(self, node: Node, report: Report) -> Any:
        """The object that a node stands for, or None if nothing sensible can be made of it."""
        severity = Severity.WARNING if self.cosmetic else Severity.ERROR
        values = self._read_attributes(node, report, severity)
        complete = self._complete(values, node, report, severity)
        if node.children:
            self._read_children(node, values, report, severity)
        if node.text_line:
            report.add(Severity.WARNING, f"text in {node.tag} is ignored", node.text_line)
        for child in self._required_children:
            if child.field not in values:
                complete = False
                if not any(inner.tag in child.forms for inner in node.children):  # else it has been reported
                    message = f"{node.tag} lacks {' or '.join(child.forms)} and is left out"
                    report.add(severity, message, node.line)
        if not complete:
            return None
        if self._has_origin:
            values["origin"] = Origin(report.file, node.line)
        try:
            return self.build(**values)
        except ValueError as problem:
            report.add(severity, f"{node.tag} is left out: {problem}", node.line)
            return None

    def _read_attributes(self, node: Node, report: Report, severity: Severity) -> dict[str, Any]:
        values = self._initial.copy()
        known = self._attributes
        for name, text in node.attributes.items():
            attribute = known.get(name)
            if attribute is None:
                if not name.startswith(_SCHEMA_INSTANCE):
                    report.unknown(f"attribute {name}", node)
                continue
            if not text and attribute.blank:
                message = f"an empty {name} is taken as a missing one"
                report.add(Severity.WARNING, message, node.line, "leave it out", attribute.blank)
                continue
            try:
                values[attribute.field] = attribute.codec.parse(text)
            except ValueError as problem:
                report.add(severity, f"{node.tag}: {name}={text[:80]!r} is {problem}", node.line)
        for group, build in self.groups.items():
            inner = [a.field for a in self.attributes if a.group == group and a.field in values]
            values[group] = build(**{name: values.pop(name) for name in inner})
        return values

    def _complete(self, values: dict[str, Any], node: Node, report: Report, severity: Severity) -> bool:
        """Whether all required attributes are there, with fallbacks for those that have one."""
        complete = True
        for attribute in self._required:
            if attribute.field in values:
                continue
            usable = attribute.fallback is not MISSING
            if attribute.name not in node.attributes or not usable:
                outcome = "" if usable else " and is left out"
                weight = Severity.WARNING if usable and self.root else severity
                report.add(weight, f"{node.tag} lacks a usable {attribute.name}{outcome}", node.line)
            values[attribute.field] = attribute.fallback
            complete &= usable
        return complete

    def _read_children(self, node: Node, values: dict[str, Any], report: Report, severity: Severity) -> None:
        slots = self._slots
        lists: dict[str, list[Any]] = {}
        for inner in node.children:
            slot = slots.get(inner.tag)
            if slot is None:
                report.unknown(f"element {inner.tag}", node)
                continue
            child, form = slot
            found = _read_container(child, inner, report) if form is None else [form.read(inner, report)]
            for value in found:
                if value is None:
                    continue
                if child.many:
                    lists.setdefault(child.field, []).append(value)
                elif child.field in values:
                    report.add(severity, f"a second {inner.tag} in {node.tag} is ignored", inner.line)
                else:
                    values[child.field] = value
        for name, items in lists.items():
            values[name] = tuple(items)

    # Writing

    def write(self, value: Any, out: list[str], indent: str, declarations: str = "") -> None:
        """Appends the lines of an object."""
        if self.root:
            value = replace(value, version=self.needed_version(value))
        self._refuse_loss(value)
        head = f"{indent}<{self.tag}{declarations}{self._written_attributes(value)}"
        body: list[str] = []
        for child in self.children:
            _write_children(child, value, body, indent + "  ")
        if body:
            out += (head + ">", *body, f"{indent}</{self.tag}>")
        else:
            out.append(head + "/>")

    def _written_attributes(self, value: Any) -> str:
        text = ""
        for attribute in self.attributes:
            content = attribute.get(value)
            if content is not None and (attribute.always or content != attribute.default):
                text += f' {attribute.name}="{escape(attribute.codec.format(content))}"'
        return text

    def _refuse_loss(self, value: Any) -> None:
        for name, default in self._not_written:
            if getattr(value, name) != default:
                raise InputError(
                    f"{self.tag} has no place for {name}={getattr(value, name)!r} in SSP files; remove it"
                )

    # Versions

    def needed_version(self, value: Any) -> str:
        """The version to write: that of the object, or 2.0 if a part needs it."""
        version: str = value.version
        if version.startswith("1.") and any(self.newer_parts(value)):
            return "2.0"
        return version

    def newer_parts(self, value: Any) -> Iterator[tuple[str, Origin | None]]:
        """The parts of an object that need version 2.0, with the place of the nearest entity."""
        origin = getattr(value, "origin", None)
        if self.newer and self.newer(value):
            yield self.tag, origin
        for attribute in self.attributes:
            if attribute.newer and attribute.newer(content := attribute.get(value)):
                shown = "without " if content is None else "with "
                word = f'="{content}"' if isinstance(content, Enum) else ""
                yield f"{self.tag} {shown}{attribute.name}{word}", origin
        for child in self.children:
            for inner in child.items(value):
                form = child.form(inner)
                if not form.root:
                    yield from ((what, place or origin) for what, place in form.newer_parts(inner))
                elif isinstance(form, Shape) and form.needed_version(inner).startswith("2."):
                    # An inline document has a version of its own, but a file of 1.0 is no place for 2.0.
                    yield f"an inline {form.tag} of version 2.0", inner.origin or origin

    def document(self, value: Any) -> bytes:
        """The whole file."""
        declarations = "".join(f' xmlns:{prefix}="{uri}"' for prefix, uri in NAMESPACES.items())
        lines = ['<?xml version="1.0" encoding="UTF-8"?>']
        self.write(value, lines, "", declarations)
        return ("\n".join(lines) + "\n").encode()


def _read_container(child: Child, node: Node, report: Report) -> list[Any]:
    for name in node.attributes:
        report.unknown(f"attribute {name}", node)
    if node.text_line:
        report.add(Severity.WARNING, f"text in {node.tag} is ignored", node.text_line)
    values = []
    for inner in node.children:
        form = child.forms.get(inner.tag)
        if form is None:
            report.unknown(f"element {inner.tag}", node)
        else:
            values.append(form.read(inner, report))
    return values


def _write_children(child: Child, parent: Any, out: list[str], indent: str) -> None:
    items = child.items(parent)
    if not child.container:
        for item in items:
            child.form(item).write(item, out, indent)
    elif items:
        out.append(f"{indent}<{child.container}>")
        for item in items:
            child.form(item).write(item, out, indent + "  ")
        out.append(f"{indent}</{child.container}>")
    elif child.keep_empty:
        out.append(f"{indent}<{child.container}/>")
