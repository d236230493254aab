"""Arrays as pictures."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image


def grey_png(body: bytes, dtype: str, shape: Sequence[int]) -> bytes:
    """Return a plane as a PNG image, grey from its smallest to its largest finite value.

    Parameters
    ----------
    body : bytes
        Little-endian values in C order.
    dtype : str
        Their numpy type.
    shape : sequence of int
        At most two dimensions; one dimension becomes a line of pixels.
    """
    values = np.atleast_2d(np.frombuffer(body, dtype=np.dtype(dtype)).reshape(tuple(shape)))
    buffer = io.BytesIO()
    Image.fromarray(_grey(values)).save(buffer, format="PNG")
    return buffer.getvalue()


def _grey(values: NDArray[Any]) -> NDArray[np.uint8]:
    numbers = (np.abs(values) if np.iscomplexobj(values) else values).astype(np.float64)
    finite: NDArray[Any] = numbers[np.isfinite(numbers)]
    low, high = (float(np.min(finite)), float(np.max(finite))) if finite.size else (0.0, 1.0)
    scaled = (np.where(np.isfinite(numbers), numbers, low) - low) / ((high - low) or 1.0)
    return np.asarray(np.round(scaled * 255), dtype=np.uint8)
