"""What runs inside a block's process, and what the process it is forked from has ready.

Nothing is imported here: the parent calls ``preload``, a fresh interpreter only what it needs.
"""

from __future__ import annotations


def preload() -> None:
    """Import everything that children of this process will need, so that no child pays for it.

    Only imports and reads: it starts no thread, opens no store and touches no descriptor.
    """
    from scistudio.worker import warmth

    warmth.warm()
