"""Signal dictionaries (.ssb)."""

from __future__ import annotations

from sspsim.formats import document
from sspsim.formats.common import BASE, DIMENSIONS, annotated, definitions, root, type_choice
from sspsim.formats.shape import Shape, many, required
from sspsim.structure.diagnostic import Diagnostic
from sspsim.structure.dictionary import DictionaryEntry, SignalDictionary

ENTRY = Shape(
    "ssb:DictionaryEntry",
    DictionaryEntry,
    (*BASE, required("name")),
    (type_choice(must=True), DIMENSIONS, annotated("ssb")),
)
SIGNAL_DICTIONARY = root(
    "ssb:SignalDictionary", SignalDictionary, (), many("entries", ENTRY), *definitions("ssb")
)


def read(data: bytes, file: str) -> tuple[SignalDictionary, list[Diagnostic]]:
    """The dictionary in the bytes of an .ssb file."""
    return document.read(SIGNAL_DICTIONARY, data, file)


def write(dictionary: SignalDictionary) -> bytes:
    """The .ssb file of a dictionary."""
    return SIGNAL_DICTIONARY.document(dictionary)
