"""Attributes of units: what the slice of a unit follows from, other than columns and metadata.

- `length`: spans by the number of tokens, or of characters if these are compared (1, 2, 3, 4, 5+).
- `sentence-length`: units by the number of tokens in their sentence (1-10, 11-20, 21-40, 41+).
- `document-length`: units by the number of words in their document (four quantile bins).
- `vocabulary`: *seen* if the unit's text is a line of a word list, else *unseen*.
- `document`: units by their document: its name, or its number from 1.
- `position`: *first* if the unit begins with the first word of its sentence, else *last* if it ends with the last word,
  else *middle*.
- `part`: the quarter of the document in which the unit begins, 1 to 4: ⌊4i / n⌋ + 1 for word i (from 0) of n words.
- `density`: words in gold spans / words of the sentence (four quantile bins).
- `capitals`: *none* (no capital letter), *all* (no small letter), *first* (a capital letter at the beginning, and
  others only at the beginning of words), or *mixed*.
- `digits`: whether *none*, *some* or *all* of the letters and digits are digits.
- `script`: the Unicode script of the letters (Latin, Cyrillic, Han, …), *mixed* or *none*.
- `nested`: *inside* another gold span (with other bounds), else *around* one, else *neither*.
- `neighbour`: *yes* if another gold span of the sentence (with other bounds) overlaps the unit or has at most two words
  between, else *no*.

`comparison.training` defines the attributes that need training data or count strings. A unit that is not in the text is
in the slice *no place*.

Sources: Liu et al. 2021 for scores by the length of spans and sentences and by the vocabulary of the training data; Fu
et al. 2020 for density; this project for the others.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Collection, Mapping
from typing import Literal

import numpy as np

from evenhand.arrays import Bools, Ints, ints
from evenhand.comparison import training
from evenhand.comparison.training import Background, TextWords, Units, number_codes, places_of, words_of
from evenhand.data.layers import Spans
from evenhand.data.vocabulary import StringIndex, Vocabulary
from evenhand.dataclass import dataclass
from evenhand.errors import SettingError
from evenhand.settings import ScoreSettings
from evenhand.tasks.evaluation import LabelFilter
from evenhand.tasks.unit_rows import Places
from evenhand.tasks.units import Locations

NO_PLACE = "no place"
Level = Literal["unit", "sentence", "document"]
"""What has the attribute: all units of a sentence, or of a document, share its slice."""
Needs = Literal["", "words", "gold", "train"]
"""What an attribute needs in addition to units: a word list, an index of the gold standard, or training data."""
CLOSE = 2
"""The maximum number of words between neighbours."""


@dataclass(frozen=True)
class SliceContext:
    """Further input of attributes."""

    words: Collection[str] | None = None
    """The word list of the slice `vocabulary`."""
    labels: StringIndex[str] | None = None
    """The labels of the run."""
    background: Background | None = None
    """The gold standard's strings, and the training data."""
    settings: ScoreSettings | None = None
    """Which labels of gold spans count."""


@dataclass(frozen=True)
class Attribute:
    """An attribute by which units are sliced."""

    function: Callable[..., Ints]
    """Takes units, their locations, a table of the names of slices, and the context.

    It adds new names to the table, and returns the code of the slice of each unit. The function of an attribute of
    sentences or documents takes no units, and returns the code of the slice of each sentence.
    """
    level: Level = "unit"
    bins: str = ""
    """The default bins of numbers."""
    order: tuple[str, ...] = ()
    """The order of its slices, if it is not the natural one."""
    needs: Needs = ""
    is_searched: bool = False
    """Whether `causes` searches its slices by default."""
    of_documents: Callable[..., Ints] | None = None
    """The same by document, if documents may have no sentence: takes their numbers, locations, names and context."""


def _by_length(units: Units, locations: Locations, names: StringIndex[str], context: SliceContext) -> Ints:
    return _placed(number_codes(units.end - units.start, names), units, locations, names)


def _by_sentence_length(locations: Locations, names: StringIndex[str], context: SliceContext) -> Ints:
    lengths = locations.lengths
    if lengths is None:
        raise SettingError("The gold standard does not have the lengths of sentences; remove 'sentence-length'.")
    return number_codes(lengths, names)


def _by_document_length(locations: Locations, names: StringIndex[str], context: SliceContext) -> Ints:
    assert context.background is not None
    gold = context.background.gold
    if not gold.has_lengths:
        raise SettingError("The gold standard does not have the lengths of sentences; remove 'document-length'.")
    return number_codes(gold.document_lengths[locations.document_of], names)


def _document_lengths(documents: Ints, locations: Locations, names: StringIndex[str], context: SliceContext) -> Ints:
    assert context.background is not None
    return number_codes(context.background.gold.document_lengths[documents], names)


def _by_document(locations: Locations, names: StringIndex[str], context: SliceContext) -> Ints:
    documents, index = np.unique(locations.document_of, return_inverse=True)
    return _documents(documents, locations, names, context)[index]


def _documents(documents: Ints, locations: Locations, names: StringIndex[str], context: SliceContext) -> Ints:
    return ints([names.code(locations.document(document)) for document in documents.tolist()])


def _by_vocabulary(units: Units, locations: Locations, names: StringIndex[str], context: SliceContext) -> Ints:
    words = context.words
    assert words is not None
    if len(units) and locations.text(0) is None:
        raise SettingError("The gold standard has no words to look for in a word list; remove 'vocabulary'.")
    rows = zip(units.sentence.tolist(), units.start.tolist(), units.end.tolist(), strict=True)
    seen = names.code("seen")
    unseen = names.code("unseen")
    is_seen = [sentence >= 0 and locations.words(sentence, start, end) in words for sentence, start, end in rows]
    return _placed(np.where(np.array(is_seen, dtype=np.bool_), seen, unseen), units, locations, names)


def by_column(column: str, units: Units, locations: Locations, names: StringIndex[str], context: SliceContext) -> Ints:
    """The value of a column of the gold standard at the first token of each unit."""
    layer = locations.layer(column)
    if layer is None:
        raise SettingError(f"The gold standard has no column {column!r} to slice by.")
    code_of_token, texts, first_token = layer
    start = np.where(locations.has_no_place(units.start), 0, units.start)
    values, index = np.unique(code_of_token[first_token[units.sentence] + start], return_inverse=True)
    return _placed(ints([names.code(texts[value]) for value in values.tolist()])[index], units, locations, names)


def _placed(codes: Ints, units: Units, locations: Locations, names: StringIndex[str]) -> Ints:
    """The codes of slices, where units that are not in the text get the code of `NO_PLACE`."""
    has_no_place = locations.has_no_place(units.start)
    return np.where(has_no_place, names.code(NO_PLACE), codes) if has_no_place.any() else codes


def placed(function: Callable[..., Ints]) -> Callable[..., Ints]:
    """An attribute of units in the text; others get the slice `NO_PLACE`."""

    def attribute(units: Units, locations: Locations, names: StringIndex[str], context: SliceContext) -> Ints:
        has_no_place = locations.has_no_place(units.start)
        if not len(units):
            return np.zeros(0, dtype=np.int64)
        if not has_no_place.any():
            return function(units, locations, names, context)
        codes = function(units, locations, names, context)
        return np.where(has_no_place, names.code(NO_PLACE), codes)

    return attribute


# Place in the sentence and in the document


def _bounds(units: Units, locations: Locations, context: SliceContext) -> tuple[TextWords, Ints, Ints, Ints]:
    """The words of the text; the sentence of each unit, its first word and the end. Units without a place have 0."""
    words = words_of(locations, context.background)
    (place, *_), _ = places_of(units)
    place = place.take(np.arange(len(place)))
    known = ~locations.has_no_place(place.start)
    rows = np.flatnonzero(known)
    sentence, first, end = np.zeros((3, len(units)), dtype=np.int64)
    sentence[rows] = place.sentence[rows]
    first[rows], end[rows] = words.of_units(place.take(rows))
    return words, sentence, first, end


def _by_position(units: Units, locations: Locations, names: StringIndex[str], context: SliceContext) -> Ints:
    words, sentence, first, end = _bounds(units, locations, context)
    begins, ends = first == words.bounds[sentence], end >= words.bounds[sentence + 1]
    return names.codes(POSITIONS)[ints(np.select([begins, ends], [0, 2], 1))]


def _by_part(units: Units, locations: Locations, names: StringIndex[str], context: SliceContext) -> Ints:
    words, sentence, first, _ = _bounds(units, locations, context)
    assert context.background is not None
    gold = context.background.gold
    word = gold.words_before[locations.before + sentence] + first - words.bounds[sentence]
    size = gold.document_lengths[locations.document_of[sentence]]
    return number_codes(4 * word // np.maximum(size, 1) + 1, names)


# Other gold spans of the sentence


class _GoldSpans:
    """The gold spans of a part that count, ordered by sentence, start and end.

    `start` and `end` are words of the part, plus a gap after each sentence, so spans of two sentences are never close.
    """

    def __init__(self, spans: Spans, words: TextWords) -> None:
        self.words = words
        self._spans = spans
        shape = np.asarray(spans.shape)
        self._places = Places.of(spans.scope, spans.start, spans.end, shape)
        first, end = words.of_units(self._places)
        start, end = self.spread(spans.scope, first, end)
        order = np.lexsort((end, start))
        self.start, self.end = start[order], end[order]
        self.furthest = np.maximum.accumulate(np.append(-CLOSE - 2, self.end))
        """The furthest end of the spans before each row."""
        self.nearest = np.minimum.accumulate(np.append(self.end, np.iinfo(np.int64).max)[::-1])[::-1]
        """The nearest end of the spans from each row on."""

    @staticmethod
    def spread(sentence: Ints, *positions: Ints) -> list[Ints]:
        """Positions with a gap of more than `CLOSE` words between sentences."""
        return [position + (CLOSE + 2) * sentence for position in positions]

    def density(self) -> np.ndarray:
        """The share of the words of each sentence that are in spans."""
        rows, _ = self.words.rows_of_units(self._places, self._spans.vocabulary.shapes.values)
        is_inside = np.zeros(int(self.words.bounds[-1]), dtype=np.int64)
        is_inside[rows] = 1
        before = np.append(0, np.cumsum(is_inside))
        inside = before[self.words.bounds[1:]] - before[self.words.bounds[:-1]]
        density: np.ndarray = inside / np.maximum(self.words.lengths, 1)
        return density

    def others(self, start: Ints, end: Ints) -> tuple[Bools, Bools, Bools]:
        """Which units are inside a span, around one, and close to one; spans with their own bounds do not count."""
        low, high = (np.searchsorted(self.start, start, side=side) for side in ("left", "right"))
        has_same_start = high > low
        ends = np.append(self.end, 0)
        shortest, longest = ends[low], ends[high - 1]
        inside = (self.furthest[low] >= end) | (has_same_start & (longest > end))
        around = (self.nearest[high] <= end) | (has_same_start & (shortest < end))
        starts = np.append(self.start, np.iinfo(np.int64).max)
        close = (starts[high] <= end + CLOSE) | (self.furthest[low] >= start - CLOSE)
        close |= has_same_start & ((shortest != end) | (longest != end))
        return inside, around, close


def _gold_spans(locations: Locations, context: SliceContext) -> _GoldSpans:
    """The gold spans of a part, after labels are renamed and left out."""
    assert context.settings is not None
    settings, background = context.settings, context.background

    def spans() -> _GoldSpans:
        layer = locations.spans(Vocabulary())
        if layer is None:
            raise SettingError("The gold standard has no spans, so 'density', 'nested' and 'neighbour' are undefined.")
        return _GoldSpans(LabelFilter(settings, "gold", "gold")(layer), words_of(locations, background))

    built: _GoldSpans = locations.once("gold spans", spans)
    return built


def _by_density(locations: Locations, names: StringIndex[str], context: SliceContext) -> Ints:
    return number_codes(_gold_spans(locations, context).density(), names)


def _others(units: Units, locations: Locations, context: SliceContext) -> tuple[Bools, Bools, Bools]:
    _, sentence, first, end = _bounds(units, locations, context)
    return _gold_spans(locations, context).others(*_GoldSpans.spread(sentence, first, end))


def _by_nested(units: Units, locations: Locations, names: StringIndex[str], context: SliceContext) -> Ints:
    inside, around, _ = _others(units, locations, context)
    return names.codes(NESTED)[ints(np.select([inside, around], [0, 1], 2))]


def _by_neighbour(units: Units, locations: Locations, names: StringIndex[str], context: SliceContext) -> Ints:
    _, _, close = _others(units, locations, context)
    return names.codes(NEIGHBOUR)[close.astype(np.int64)]


# Characters


def _by_characters(classify: Callable[[str], str]) -> Callable[..., Ints]:
    """An attribute of the string of a unit; each distinct string is classified once."""

    def attribute(units: Units, locations: Locations, names: StringIndex[str], context: SliceContext) -> Ints:
        (place, *_), shapes = places_of(units)
        if len(units) and locations.text(0) is None:
            raise SettingError("The gold standard has no text, so 'capitals', 'digits' and 'script' are undefined.")
        strings = [string or "" for string in locations.strings(place, shapes)]
        code_of = {string: names.code(classify(string)) for string in dict.fromkeys(strings)}
        return ints([code_of[string] for string in strings])

    return attribute


def capitals(string: str) -> str:
    """The slice of `capitals`."""
    if not any(map(_is_capital, string)):
        return "none"
    if not any(character.islower() for character in string):
        return "all"
    is_first = [not before.isalpha() for before in f" {string[:-1]}"]
    only_first = all(first for character, first in zip(string, is_first, strict=True) if _is_capital(character))
    letter = next(character for character in string if character.isalpha())
    return "first" if only_first and _is_capital(letter) else "mixed"


def _is_capital(character: str) -> bool:
    return character.isupper() or character.istitle()


def digits(string: str) -> str:
    """The slice of `digits`."""
    are_digits = [character.isdigit() for character in string if character.isalnum()]
    return "all" if are_digits and all(are_digits) else "some" if any(are_digits) else "none"


def script(string: str) -> str:
    """The slice of `script`."""
    scripts = {_script(character) for character in string if character.isalpha()}
    return "none" if not scripts else scripts.pop() if len(scripts) == 1 else "mixed"


_OTHER_NAMES = {"Cjk": "Han", "Ideographic": "Han", "Hangul": "Hangul", "Micro": "Greek", "Ohm": "Greek"}
"""Scripts whose characters have other names."""
_LATIN = ("Feminine", "Masculine", "Kelvin", "Angstrom")
_WIDTHS = ("FULLWIDTH ", "HALFWIDTH ")


def _script(character: str) -> str:
    """The script of a letter, from its Unicode name."""
    name = unicodedata.name(character, "UNKNOWN")
    for width in _WIDTHS:
        name = name.removeprefix(width)
    first = name.split()[0].split("-")[0].capitalize()
    return "Latin" if first in _LATIN else _OTHER_NAMES.get(first, first)


POSITIONS = ("first", "middle", "last")
NESTED = ("inside", "around", "neither")
NEIGHBOUR = ("no", "yes")

ATTRIBUTES: Mapping[str, Attribute] = {
    "length": Attribute(_by_length, bins="1,2,3,4,5+", is_searched=True),
    "sentence-length": Attribute(_by_sentence_length, "sentence", "1-10,11-20,21-40,41+", is_searched=True),
    "document-length": Attribute(_by_document_length, "document", "q4", needs="gold", of_documents=_document_lengths),
    "vocabulary": Attribute(_by_vocabulary, needs="words"),
    "document": Attribute(_by_document, "document", of_documents=_documents),
    "position": Attribute(placed(_by_position), order=POSITIONS, is_searched=True),
    "part": Attribute(placed(_by_part), needs="gold"),
    "density": Attribute(_by_density, "sentence", "q4"),
    "capitals": Attribute(placed(_by_characters(capitals)), order=("all", "first", "mixed", "none"), is_searched=True),
    "digits": Attribute(placed(_by_characters(digits)), order=training.SHARES),
    "script": Attribute(placed(_by_characters(script))),
    "nested": Attribute(placed(_by_nested), order=NESTED),
    "neighbour": Attribute(placed(_by_neighbour), order=NEIGHBOUR),
    "seen": Attribute(placed(training.by_seen), order=training.SEEN, needs="train", is_searched=True),
    "oov": Attribute(placed(training.by_oov), order=training.SHARES, needs="train"),
    "consistency": Attribute(placed(training.by_consistency), order=training.CONSISTENCY, needs="train"),
    "frequency": Attribute(placed(training.by_frequency), bins="0,1,2-4,5-19,20+", needs="gold"),
    "ambiguity": Attribute(placed(training.by_ambiguity), bins="0,1,2,3+", needs="gold"),
    "oov-density": Attribute(training.by_oov_density, "sentence", "0,q3", needs="train"),
    "leaked": Attribute(training.by_leaked, "sentence", order=training.LEAKED, needs="train"),
}
"""The slices that are not columns. Tasks declare others, and which of these they have, in `ComparisonSpec`."""
