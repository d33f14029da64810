"""Patterns of names, as people type them: `plant.*`, `room?.T`."""

from __future__ import annotations

import re
from collections.abc import Callable


def matcher(pattern: str) -> Callable[[str], bool]:
    """A star stands for any text, a question mark for one character, everything else for itself.

    Brackets, unlike in shells: names such as x[1] are common.

    >>> matcher("plant.x[?]")("plant.x[2]"), matcher("plant.*")("plants.x")
    (True, False)
    """
    expression = re.escape(pattern).replace(r"\*", ".*").replace(r"\?", ".")
    compiled = re.compile(expression, re.DOTALL)
    return lambda name: compiled.fullmatch(name) is not None
