"""Colours of types in the interface."""

from __future__ import annotations

import re

_HEX = re.compile(r"#(?:[0-9a-fA-F]{3,4}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})")


def normalised_color(color: object) -> str | None:
    """Return a CSS hex colour in lower case and its long form, or ``None`` when it is not one."""
    if not isinstance(color, str) or not _HEX.fullmatch(color):
        return None
    digits = color[1:].lower()
    return "#" + ("".join(digit * 2 for digit in digits) if len(digits) < 6 else digits)
