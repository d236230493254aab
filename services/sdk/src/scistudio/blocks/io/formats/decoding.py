"""Turning the bytes of a text file into UTF-8, without guessing and without losing anything."""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from pathlib import Path

# The longer ones first: the mark of UTF-16 is the beginning of that of UTF-32.
BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_PIECE_BYTES = 4 * 1024 * 1024


@dataclass(frozen=True)
class Decoded:
    """The content as UTF-8, and the encoding it was stored in."""

    data: bytes
    encoding: str


def read_text_file(path: Path, encoding: str | None = None) -> Decoded:
    """Read ``path`` as text.

    Parameters
    ----------
    encoding
        As the person set it. ``None``: what a byte order mark says, else UTF-8.

    Raises
    ------
    ValueError
        The bytes are no text in that encoding; the message names the first wrong byte and the setting.
    """
    raw = path.read_bytes()
    marked = next((name for mark, name in BYTE_ORDER_MARKS if raw.startswith(mark)), None)
    chosen = encoding or marked or "utf-8"
    try:
        codec = codecs.lookup(chosen)
    except LookupError as error:
        raise ValueError(f"Unknown encoding {chosen!r}; known are for example utf-8, utf-16, latin-1, cp1252.") from error
    if codec.name == "utf-8" and marked == "utf-8-sig":
        codec = codecs.lookup("utf-8-sig")
    if codec.name in ("utf-8", "utf-8-sig"):
        body = raw[3:] if codec.name == "utf-8-sig" and marked == "utf-8-sig" else raw
        _check_utf8(path, body)
        return Decoded(body, codec.name)
    try:
        return Decoded(codec.decode(raw)[0].encode(), codec.name)
    except UnicodeError as error:
        raise ValueError(_wrong_byte(path, codec.name, raw, getattr(error, "start", 0))) from error


def _check_utf8(path: Path, data: bytes) -> None:
    """Decode piece by piece, so that memory does not hold the text twice."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    for start in range(0, len(data), _PIECE_BYTES):
        piece = data[start : start + _PIECE_BYTES]
        pending = len(decoder.getstate()[0])
        try:
            decoder.decode(piece, final=start + _PIECE_BYTES >= len(data))
        except UnicodeDecodeError as error:
            raise ValueError(_wrong_byte(path, "utf-8", data, start - pending + error.start)) from error
    if b"\0" in data[:65536]:
        raise ValueError(f"{path} holds zero bytes: it is no UTF-8 text. Set 'encoding' (utf-16, for example) if it is a text.")


def _wrong_byte(path: Path, encoding: str, raw: bytes, offset: int) -> str:
    byte = f"0x{raw[offset]:02x}" if offset < len(raw) else "the end"
    line = raw.count(b"\n", 0, offset) + 1
    return (
        f"{path} is not {encoding}: {byte} at byte offset {offset} (line {line}) cannot be decoded. "
        "Set 'encoding' to the file's own, often cp1252 or latin-1."
    )
