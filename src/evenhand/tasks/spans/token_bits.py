"""The tokens of spans as bits of whole numbers: bit i stands for the i-th token from the start of the span.

A span of thousands of tokens takes a bit for each, and one operation compares all of them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evenhand.arrays import distinct
from evenhand.text.layers import Spans


def token_bits(spans: Spans) -> list[int]:
    """The tokens of each span, those in its gaps left out."""
    bits = [(1 << size) - 1 for size in np.maximum(spans.end - spans.start, 0).tolist()]
    gapped = np.flatnonzero(spans.shape)
    gaps = {shape: _bits(spans.vocabulary.shapes[shape]) for shape in distinct(spans.shape[gapped]).tolist()}
    for row, shape in zip(gapped.tolist(), spans.shape[gapped].tolist(), strict=True):
        bits[row] ^= gaps[shape]
    return bits


def _bits(places: Sequence[int]) -> int:
    """The number with these bits."""
    marks = np.zeros(max(places) + 1, dtype=np.bool_)
    marks[list(places)] = True
    return int.from_bytes(np.packbits(marks, bitorder="little").tobytes(), "little")


def shared_bits(bits: int, start: int, other_bits: int, other_start: int) -> int:
    """The tokens that two spans share, counted from the start of the span that begins last."""
    if start < other_start:
        return bits >> other_start - start & other_bits
    return bits & other_bits >> start - other_start
