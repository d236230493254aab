"""Paths in which every segment may be any text: routing sees `%2F` and `%25` where a caller encoded them."""

from __future__ import annotations

from urllib.parse import unquote


def routed_path(raw_path: bytes) -> str:
    """Return the path for routing: decoded, but for slashes and percent signs inside a segment.

    Servers decode the whole path first, and an id with an encoded slash becomes two segments. Routes decode the rest (``Segment``).
    """
    segments = raw_path.partition(b"?")[0].decode("ascii", "replace").split("/")
    return "/".join(unquote(segment).replace("%", "%25").replace("/", "%2F") for segment in segments)
