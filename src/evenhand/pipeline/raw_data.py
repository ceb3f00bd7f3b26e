"""Plain Python data where a side should be: which function makes an annotation of it."""

from __future__ import annotations

from collections.abc import Mapping, ValuesView
from itertools import islice
from numbers import Integral
from typing import Any

import numpy as np

_MOST = 1000
"""How many members are looked at for one that shows what the data are."""
_OTHERS = "give a path, or what eh.read, eh.tags or eh.spans made"


def remedy_for(value: Any) -> str:
    """What to do with a value that is neither a file nor an annotation."""
    made = wrapping(value)
    return f"give {made}" if made else _OTHERS


def wrapping(value: Any) -> str | None:
    """The call that makes an annotation of plain data, in words; None where the data do not show what they are."""
    if isinstance(value, Mapping):
        is_text = {"text", "tokens", "spans", "tags"} & {key for key in value if isinstance(key, str)}
        inner = [] if is_text else [item for each in _members(value.values()) for item in _members(each)]
        return "eh.spans(…), which takes spans by document" if any(map(_is_span, inner)) else None
    if isinstance(value, np.ndarray) and value.ndim > 1 and value.dtype.kind in "iuf":
        return "eh.tags(ids, names=[…])" + (" with the ids of the best tags" if value.dtype.kind == "f" else "")
    sentences = _members(value)
    items = [item for each in sentences for item in _members(each)]
    if any(map(_is_span, items)):
        return "eh.spans(…)"
    if any(_is_pair(item, (Integral, str)) for item in items):
        return "eh.trees(…)"
    if any(_is_pair(pair, (Integral, Integral)) for chain in items for pair in _members(chain)):
        return "eh.chains(…)"
    if any(isinstance(item, Integral) for item in items):
        return "eh.tags(ids, names=[…])"
    if any(isinstance(item, str) for item in items):
        return "eh.tags(…)"
    return None


def _members(value: Any) -> list[Any]:
    """The first members of a list, a tuple or an array; nothing else has any here."""
    return list(islice(value, _MOST)) if isinstance(value, list | tuple | ValuesView | np.ndarray) else []


def _is_span(item: Any) -> bool:
    return isinstance(item, list | tuple) and len(item) in (3, 4) and _is_pair(item[:2], (str, Integral))


def _is_pair(item: Any, kinds: tuple[type, type]) -> bool:
    return isinstance(item, list | tuple) and len(item) == 2 and all(map(isinstance, item, kinds))
