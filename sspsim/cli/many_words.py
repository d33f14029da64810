"""An option that takes any number of words: `--isolate`, `--isolate plant`, `--isolate plant controller`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from typer.core import TyperCommand

OPTION = "--isolate"
NO_WORD = "all"
SYSTEMS = (".ssp", ".ssd", ".msim")


class ManyWords(TyperCommand):
    """A command whose `--isolate` takes all words up to the next option, and means `all` without any."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """The parser of the command line knows only options with one word each: this is what it gets."""
        rest: list[str] = super().parse_args(ctx, list(one_word_each(args)))
        return rest


def one_word_each(arguments: Sequence[str]) -> Iterator[str]:
    """Repeats `--isolate` before each of its words.

    >>> list(one_word_each(["a.ssp", "--isolate", "plant", "controller", "--json"]))
    ['a.ssp', '--isolate', 'plant', '--isolate', 'controller', '--json']
    >>> list(one_word_each(["--isolate", "a.ssp"]))
    ['--isolate', 'all', 'a.ssp']
    """
    position = 0
    while position < len(arguments):
        argument = arguments[position]
        position += 1
        if argument != OPTION:
            yield argument
            continue
        first = position
        while position < len(arguments) and _is_name(arguments[position]):
            position += 1
        for word in arguments[first:position] or (NO_WORD,):
            yield from (OPTION, word)


def _is_name(word: str) -> bool:
    """Neither an option nor the file of a system, which may follow."""
    return not word.startswith("-") and not word.endswith(SYSTEMS) and "/" not in word and "\\" not in word
