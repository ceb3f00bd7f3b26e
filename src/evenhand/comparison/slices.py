"""Slices: units by something else than their labels.

- `length`: spans by their tokens, or characters where these are compared (1, 2, 3, 4, 5+).
- `sentence-length`: units by the tokens of their sentence (1-10, 11-20, 21-40, 41+).
- `vocabulary`: *seen* if the unit's text is a line of a word list, else *unseen*.
- `document`: units by their document: its name, or its number from 1.
- `pronoun`, of mentions: the word of those that are not nominal (*he*, *their*), in small letters; the others are
  *nouns*.
- any column of the gold standard: units by its value at their first token.

By length and by columns, strings of a language model that the text does not have are in a slice *no place*.

Slices act after judging: a unit keeps its verdict, whatever slice it is in. Surplus belongs to slices as gold spans do.

Source: Liu et al. 2021 for scores by the length of spans and sentences and by what was seen in training.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

import numpy as np

from evenhand.arrays import Ints, ints
from evenhand.problems import SettingError
from evenhand.tasks.answers import Answers
from evenhand.tasks.places import Places
from evenhand.text.labels import Codes

_LENGTHS = ("1", "2", "3", "4", "5+")
_SENTENCES = ("1-10", "11-20", "21-40", "41+")
_NOWHERE = "no place"
SLICES = ("length", "sentence-length", "vocabulary", "document")
"""The slices of all tasks that are no columns."""
Slicer = Callable[[Answers, Places, Codes[str]], Ints]
"""The slice of every unit, as a code of a table of names."""


def slicer(
    name: str, words: Collection[str] | None, labels: Codes[str], of_task: Mapping[str, Callable[..., Ints]]
) -> Slicer:
    """The slicer of this name; `words` is the word list of `vocabulary`, `of_task` are slices of the task's own."""
    if name in of_task:
        return lambda answers, places, names: of_task[name](answers, places, names, labels)
    if name == "vocabulary":
        if words is None:
            raise SettingError("The slice 'vocabulary' takes a word list; name it with --vocabulary FILE.")
        return lambda answers, places, names: _by_vocabulary(answers, places, names, words)
    return _SLICERS.get(name) or (lambda answers, places, names: _by_column(name, answers, places, names))


def _by_length(answers: Answers, places: Places, names: Codes[str]) -> Ints:
    return _placed(_binned(answers.end - answers.start, (2, 3, 4, 5), _LENGTHS, names), answers, places, names)


def _by_sentence_length(answers: Answers, places: Places, names: Codes[str]) -> Ints:
    lengths = places.lengths
    if lengths is None:
        raise SettingError("The gold standard does not know how long its sentences are; leave out 'sentence-length'.")
    return _binned(lengths[answers.sentence], (11, 21, 41), _SENTENCES, names)


def _by_document(answers: Answers, places: Places, names: Codes[str]) -> Ints:
    number, place = np.unique(places.document_of[answers.sentence], return_inverse=True)
    return ints([names.code(places.document(each)) for each in number.tolist()])[place]


def _by_vocabulary(answers: Answers, places: Places, names: Codes[str], words: Collection[str]) -> Ints:
    if len(answers) and places.words(int(answers.sentence[0]), int(answers.start[0]), int(answers.end[0])) is None:
        raise SettingError("The gold standard has no words to look for in a word list; leave out 'vocabulary'.")
    rows = zip(answers.sentence.tolist(), answers.start.tolist(), answers.end.tolist(), strict=True)
    seen, unseen = names.code("seen"), names.code("unseen")
    return ints([seen if places.words(*row) in words else unseen for row in rows])


def _by_column(column: str, answers: Answers, places: Places, names: Codes[str]) -> Ints:
    found = places.layer(column)
    if found is None:
        raise SettingError(f"The gold standard has no column {column!r} to slice by.")
    code, texts, starts = found
    start = np.where(places.is_nowhere(answers.start), 0, answers.start)
    values, place = np.unique(code[starts[answers.sentence] + start], return_inverse=True)
    return _placed(ints([names.code(texts[value]) for value in values.tolist()])[place], answers, places, names)


def _placed(found: Ints, answers: Answers, places: Places, names: Codes[str]) -> Ints:
    """The slices of units, of which those that stand nowhere in the text have their own."""
    nowhere = places.is_nowhere(answers.start)
    return np.where(nowhere, names.code(_NOWHERE), found) if nowhere.any() else found


def _binned(values: Ints, least: tuple[int, ...], shown: tuple[str, ...], names: Codes[str]) -> Ints:
    codes = ints([names.code(name) for name in shown])
    found: Ints = codes[np.searchsorted(least, values, side="right")]
    return found


_SLICERS: dict[str, Slicer] = {
    "length": _by_length,
    "sentence-length": _by_sentence_length,
    "document": _by_document,
}
