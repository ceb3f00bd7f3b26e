"""Spans that reach beyond the text they begin in: what is left of them behind its end.

A system may break sentences elsewhere, so that a span of its own goes on in the next portion of the gold standard. It
belongs where it begins; but models that count tokens count the rest, too, where it is.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from evenhand.text.layers import Spans


def overhang(spans: Spans, size: int) -> Spans:
    """What spans cover behind the first `size` tokens, counted from there; they are counted from the first token."""
    rest = spans.take(np.flatnonzero(spans.end > size))
    start, end = np.maximum(rest.start - size, 0), rest.end - size
    shape = rest.shape.copy()
    shapes = rest.vocabulary.shapes
    for row in np.flatnonzero(shape).tolist():
        first = int(rest.start[row]) - size
        gaps = {first + gap for gap in shapes[int(shape[row])]}
        covered = [token for token in range(int(start[row]), int(end[row])) if token not in gaps]
        start[row] = covered[0]
        shape[row] = shapes.code(tuple(gap - covered[0] for gap in sorted(gaps) if gap > covered[0]))
    return replace(rest, scope=np.zeros_like(start), start=start, end=end, shape=shape)
