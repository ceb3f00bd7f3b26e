"""Tags as numbers, as models are trained on them: arrays of ids, padded and with places to leave out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from evenhand.arguments import shown
from evenhand.arrays import Ints, empty, ints
from evenhand.problems import InputError
from evenhand.text.list_checks import is_text, listed, lists, numbers

Ids = npt.NDArray[np.integer[Any]]
"""An array of ids, with a row a sentence."""
Names = Sequence[str] | Mapping[int, str]
"""The tags by id: a list, or a mapping such as a model's `id2label`."""
_IDS = "give a list of ids for each sentence, such as [[1, 0, -100]]"
_BEST = "take the best tag of each token: logits.argmax(axis=-1)"
_NAMES = "give the tags in the order of their ids, or a mapping from ids to tags (id2label)"


def named_ids(value: Any, names: Any, ignore: Any, name: str) -> tuple[list[Ints], dict[int, str]]:
    """The ids of each sentence without those to ignore, and the tags by id."""
    tags = tags_by_id(names, name)
    if ignore is not None:
        numbers([ignore], "ignore", name, "give the id of places to leave out, or None")
    sentences = [ids if ignore is None else ids[ids != ignore] for ids in _sentences(value, name)]
    known = np.fromiter(tags, dtype=np.int64, count=len(tags))
    flat = np.concatenate(sentences) if sentences else empty()
    strange = np.flatnonzero(~np.isin(flat, known))
    if len(strange):
        ends = np.cumsum([len(ids) for ids in sentences])
        sentence = int(np.searchsorted(ends, strange[0], side="right")) + 1
        finding = f"sentence {sentence} has the id {flat[strange[0]]}, which is none of the {len(tags)} in names"
        raise InputError(name, None, finding, f"{_NAMES} (ids equal to ignore, {shown(ignore)}, are left out)")
    return sentences, tags


def _sentences(value: Any, name: str) -> list[Ints]:
    """The ids of each sentence, from an array with a row a sentence, or from lists."""
    if hasattr(value, "__array__") and not isinstance(value, np.ndarray):
        value = np.asarray(value)
    if isinstance(value, np.ndarray) and value.dtype != object:
        if value.ndim == 2 and np.issubdtype(value.dtype, np.integer):
            return list(value.astype(np.int64, copy=False))
        _refuse_array(value, name)
    found = lists(value, "sentence", name, _IDS)
    flat = list(chain.from_iterable(found))
    if any(isinstance(each, list | tuple | np.ndarray) for each in flat):
        raise InputError(name, None, "tokens have lists of numbers (logits) in place of ids", _BEST)
    return np.split(numbers(flat, "the id", name, _IDS), np.cumsum([len(each) for each in found])[:-1]) if found else []


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


def coded_ids(sentences: Sequence[Ints], tags: Mapping[int, str]) -> tuple[Ints, list[str]]:
    """A code for each id, and the tags by code: those that occur, in the order in which they do."""
    flat = np.concatenate(sentences) if sentences else empty()
    met, first, place = np.unique(flat, return_index=True, return_inverse=True)
    names = [tags[each] for each in met[np.argsort(first)].tolist()]
    codes = {tag: code for code, tag in enumerate(dict.fromkeys(names))}
    return ints([codes[tags[each]] for each in met.tolist()])[place], list(codes)
