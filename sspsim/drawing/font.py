"""How wide a text is, roughly and rather too wide: the fonts of the reader's computer are unknown."""

from __future__ import annotations

NARROW, SLIM, WIDE = frozenset("iljI.,:;'|! "), frozenset('ftr()[]{}/\\-"'), frozenset("mwMW@%—…")


def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """The width in pixels of a text in a sans-serif font."""
    return size * sum(map(_width, text)) * (1.1 if bold else 1.0)


def _width(letter: str) -> float:
    if letter in NARROW:
        return 0.33
    if letter in SLIM:
        return 0.43
    if letter in WIDE:
        return 0.97
    return 0.7 if letter.isupper() else 0.63


def shortened(text: str, letters: int) -> str:
    """At most so many letters; both ends of a name tell more than its middle.

    >>> shortened("a_very_long_variable_name", 12)
    'a_very…_name'
    """
    if len(text) <= letters:
        return text
    return f"{text[: letters // 2]}…{text[len(text) - (letters - letters // 2 - 1) :]}"


def wrapped(text: str, size: float, width: float) -> list[str]:
    """The lines of a text, broken between words where they would be too long.

    >>> wrapped("one two three\\nfour", 10, 55)
    ['one two', 'three', 'four']
    """
    lines = []
    for paragraph in text.splitlines():
        line = ""
        for word in paragraph.split():
            longer = f"{line} {word}" if line else word
            if line and text_width(longer, size) > width:
                lines.append(line)
                longer = word
            line = longer
        lines.append(line)
    return lines
