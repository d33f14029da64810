"""Signal dictionaries: shared, named signals."""

from __future__ import annotations

from dataclasses import dataclass

from sspsim.structure.base import Entity, FileHeader, MetaData, Signature
from sspsim.structure.types import Dimension, Enumeration, TypeSpec, Unit


@dataclass(frozen=True, slots=True, kw_only=True)
class DictionaryEntry(Entity):
    """One shared signal."""

    name: str
    type: TypeSpec
    dimensions: tuple[Dimension, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalDictionary(Entity):
    """The content of an .ssb file."""

    version: str
    entries: tuple[DictionaryEntry, ...] = ()
    units: tuple[Unit, ...] = ()
    enumerations: tuple[Enumeration, ...] = ()
    meta_data: tuple[MetaData, ...] = ()
    signatures: tuple[Signature, ...] = ()
    header: FileHeader = FileHeader()


@dataclass(frozen=True, slots=True, kw_only=True)
class DictionaryDefinition(Entity):
    """A dictionary that a system makes known under a name: inline, or in a file."""

    name: str
    type: str = "application/x-ssp-signal-dictionary"
    source: str | None = None
    inline: SignalDictionary | None = None
    meta_data: tuple[MetaData, ...] = ()
    signatures: tuple[Signature, ...] = ()
