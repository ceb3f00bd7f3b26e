"""Tags as numbers, as models are trained on them: arrays of ids, padded and with places to leave out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from evenhand.arguments import shown
from evenhand.arrays import Ints, ints
from evenhand.problems import InputError
from evenhand.text.codes import Mostly
from evenhand.text.corpus import Mask
from evenhand.text.list_checks import is_text, listed, lists, numbers
from evenhand.text.list_codes import COMMON, in_order

Ids = npt.NDArray[np.integer[Any]]
"""An array of ids, with a row a sentence."""
Names = Sequence[str] | Mapping[int, str]
"""The tags by id: a list, or a mapping such as a model's `id2label`."""
_IDS = "give a list of ids for each sentence, such as [[1, 0, -100]]"
_BEST = "take the best tag of each token: logits.argmax(axis=-1)"
_TABLE = 1 << 16
"""How far apart ids may be for a table that has a row for each."""
_NAMES = "give the tags in the order of their ids, or a mapping from ids to tags (id2label)"


def coded_ids(value: Any, names: Any, ignore: Any, name: str) -> tuple[Mostly, list[str], Ints, list[str], Mask]:
    """A code for each id but those to ignore, the tags by code, the bounds of sentences, all tags, and the mask.

    Codes are given to tags that occur, in the order in which they do.
    """
    tags = tags_by_id(names, name)
    if ignore is not None:
        numbers([ignore], "ignore", name, "give the id of places to leave out, or None")
    flat, bounds = _flat(value, name)
    common = next((each for each, tag in tags.items() if tag == COMMON), None)
    is_other = np.ones(len(flat), dtype=np.bool_) if common is None else flat != common
    kept = np.arange(len(flat)) if ignore is None else np.flatnonzero(flat != ignore)
    mask = Mask(kept, bounds)
    rows, bounds, size = np.flatnonzero(is_other[kept]), np.searchsorted(kept, bounds), len(kept)
    ids, known = flat[kept[rows]].astype(np.int64), ints(sorted(tags))
    place = _places(ids, known)
    strange = np.flatnonzero(known[place] != ids) if len(known) else rows
    if len(strange):
        sentence = int(np.searchsorted(bounds, rows[strange[0]], side="right"))
        finding = f"sentence {sentence} has the id {ids[strange[0]]}, which is none of the {len(tags)} in names"
        raise InputError(name, None, finding, f"{_NAMES} (ids equal to ignore, {shown(ignore)}, are left out)")
    first = np.full(len(known), size)
    first[place[::-1]] = rows[::-1]
    spelled = [tags[each] for each in known.tolist()]
    return *in_order(size, rows, place, spelled, first.tolist()), bounds, list(tags.values()), mask


def _places(flat: Ints, known: Ints) -> Ints:
    """The place of each id among the known ones, which are sorted; any place for other ids."""
    low, high = known[[0, -1]].tolist() if len(known) else (0, _TABLE + 1)
    if high - low > _TABLE:
        return np.minimum(np.searchsorted(known, flat), len(known) - 1)
    return np.searchsorted(known, np.arange(low, high + 1)).take(flat - low, mode="clip")


def _flat(value: Any, name: str) -> tuple[Ids, Ints]:
    """The ids of all sentences and the bounds of these, from an array with a row a sentence, or from lists."""
    if hasattr(value, "__array__") and not isinstance(value, np.ndarray):
        value = np.asarray(value)
    if isinstance(value, np.ndarray) and value.dtype != object:
        if value.ndim == 2 and np.issubdtype(value.dtype, np.integer):
            return value.ravel(), np.arange(len(value) + 1) * value.shape[1]
        _refuse_array(value, name)
    found = lists(value, "sentence", name, _IDS)
    flat = list(chain.from_iterable(found))
    if any(issubclass(kind, list | tuple | np.ndarray) for kind in set(map(type, flat))):
        raise InputError(name, None, "tokens have lists of numbers (logits) in place of ids", _BEST)
    return numbers(flat, "the id", name, _IDS), np.append(0, np.cumsum(ints(list(map(len, found)))))


def _refuse_array(array: np.ndarray[Any, Any], name: str) -> NoReturn:
    """The error for an array that is none of ids."""
    shape = f"an array of shape {array.shape} of {array.dtype}"
    if array.ndim == 3:
        raise InputError(name, None, f"found logits ({shape}) in place of ids", _BEST)
    raise InputError(name, None, f"found {shape}", "give whole numbers, with a row for each sentence")


def tags_by_id(names: Any, name: str) -> dict[int, str]:
    """The tags by id; a mapping's keys may be texts, as JSON has them."""
    if isinstance(names, Mapping):
        pairs = {int(key) if is_text(key) and key.isdecimal() else key: tag for key, tag in names.items()}
    else:
        pairs = dict(enumerate(listed(names, "names", name, _NAMES)))
    for key, tag in pairs.items():
        if isinstance(key, bool) or not isinstance(key, int | np.integer) or not is_text(tag):
            raise InputError(name, None, f"names has {shown(tag)} for the id {shown(key)}", _NAMES)
    if len(pairs) < len(names):
        raise InputError(name, None, "names has an id twice", _NAMES)
    return pairs
