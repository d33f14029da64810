"""Arrays: shapes, elements in row-major order, and sizes that structural parameters decide."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product
from math import prod

from sspsim.fmi.description import Description, Variable
from sspsim.graph.signal import Index, Sizes


def shape(variable: Variable) -> tuple[int, ...]:
    """The sizes of a variable's dimensions, once they are known."""
    sizes = variable.dimensions
    return tuple(size for size in sizes if isinstance(size, int)) if sizes else ()


def may_agree(a: Sizes, b: Sizes) -> bool:
    """Whether two shapes are the same, as far as their sizes are known.

    >>> may_agree((2, "n"), (2, 3)), may_agree((2,), (3,))
    (True, False)
    """
    known = (x == y for x, y in zip(a, b, strict=False) if isinstance(x, int) and isinstance(y, int))
    return len(a) == len(b) and all(known)


def in_words(sizes: Sizes) -> str:
    """A shape for a message.

    >>> in_words((2, 3)), in_words(())
    ('an array of 2 x 3', 'a single value')
    """
    names = ["?" if size is None else str(size) for size in sizes]
    return f"an array of {' x '.join(names)}" if sizes else "a single value"


def flat_index(index: Index, sizes: tuple[int, ...]) -> int:
    """The position of an element in row-major order; raises ValueError if there is none.

    >>> flat_index((2, 1), (3, 4))
    4
    """
    if len(index) != len(sizes) or any(not 1 <= i <= n for i, n in zip(index, sizes, strict=False)):
        shown = " x ".join(map(str, sizes)) or "a scalar"
        raise ValueError(f"there is no element {' '.join(map(str, index))} in {shown} (indices count from 1)")
    position = 0
    for i, n in zip(index, sizes, strict=True):
        position = position * n + i - 1
    return position


def all_indices(sizes: tuple[int, ...]) -> Iterator[Index]:
    """All elements in row-major order.

    >>> list(all_indices((2, 2)))
    [(1, 1), (1, 2), (2, 1), (2, 2)]
    """
    return product(*(range(1, n + 1) for n in sizes))


def count(variable: Variable) -> int:
    """How many scalars a variable holds."""
    return prod(shape(variable))


def has_open_sizes(description: Description) -> bool:
    """Whether structural parameters decide on the size of an array."""
    return any(isinstance(size, str) for variable in description.variables for size in variable.dimensions)


def with_sizes(description: Description, sizes: Mapping[str, int]) -> Description:
    """The description with numbers instead of structural parameters as sizes."""
    return replace(
        description,
        variables=tuple(
            replace(v, dimensions=tuple(d if isinstance(d, int) else sizes.get(d, 1) for d in v.dimensions))
            if v.dimensions
            else v
            for v in description.variables
        ),
    )
