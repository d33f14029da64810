"""Reading and analysing a large system without pauses for garbage collection.

Both make very many small objects that stay, and no garbage. Python's search for unreachable ones would look
through all of them again and again; that takes as long as the work itself.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_collection() -> Iterator[None]:
    """Switches the search off; as a decorator for the time of a call."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            if not gc.get_freeze_count():
                # Counts all that was made as old, without the look through it that would come now.
                gc.freeze()
                gc.unfreeze()
            gc.enable()
