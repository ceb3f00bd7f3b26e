"""How tags spell spans: IO, IOB1, IOB2, IOE1, IOE2, BIOES (= BILOU = BMES), and plain labels.

One rule reads them all. A tag continues the span of the token before it, in the same sentence, if it has the same
label, does not itself begin a span (B, S), and the token before does not end one (E, S). This is conlleval's rule
with S, U and W added; what depends on the encoding is only which spans are ill-formed:

| encoding | well-formed                                                        |
| -------- | ------------------------------------------------------------------ |
| `io`     | tags are I- or O; neighbours with the same label are one span      |
| `iob1`   | B- only where a span of the same label ends just before            |
| `iob2`   | every span begins with B-                                          |
| `ioe1`   | E- only where a span of the same label begins just behind          |
| `ioe2`   | every span ends with E-                                            |
| `bioes`  | S- for one token, else B-, any number of I-, and E-                |
| `bilou`  | the same, with L- for E- and U- for S-                             |
| `bmes`   | the same, with M- for I-                                           |
| `plain`  | labels without prefix; neighbours with the same label are one span |

Sources: Ramshaw and Marcus 1995 (IOB1); Tjong Kim Sang and Veenstra 1999 (IOB2, IOE1, IOE2); Ratinov and Roth 2009
(BILOU); the behaviour of conlleval (Tjong Kim Sang and Buchholz 2000).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

import numpy as np

from evenhand.arrays import Bools, Ints, empty, ints, ranges
from evenhand.data.corpus import Corpus
from evenhand.data.layers import Spans, Tags
from evenhand.data.vocabulary import SparseCodes, Vocabulary
from evenhand.dataclass import dataclass
from evenhand.errors import LABEL, SettingError, counted, long_label
from evenhand.parameters import check_choice
from evenhand.settings import ENCODINGS, Repair

OUTSIDE, BEGIN, INSIDE, END, SINGLE = range(5)
PREFIXES = {"B": BEGIN, "I": INSIDE, "M": INSIDE, "E": END, "L": END, "S": SINGLE, "U": SINGLE, "W": SINGLE}
_PLAIN_PREFIXES = {BEGIN: "B", INSIDE: "I", END: "E", SINGLE: "S"}
HYPHENS = "\u00ad\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d"
"""Characters that editors and word processors put in place of a hyphen."""
SEPARATORS = f"-_:./+=~{HYPHENS}"
"""The characters between prefix and label; a bar is none, because it separates levels."""
OUTSIDE_TAGS = frozenset({"O", "o", "", "_"})
JOINING = ("io", "plain")
"""The encodings in which neighbours with one label are one span."""
UNNAMED = "_"
"""The label of spans whose tags are bare prefixes (B, I, O), as chunkers without types write them."""

_ALLOWED = {
    "io": {INSIDE},
    "plain": {INSIDE},
    "iob1": {BEGIN, INSIDE},
    "iob2": {BEGIN, INSIDE},
    "ioe1": {INSIDE, END},
    "ioe2": {INSIDE, END},
}
_ALL = {BEGIN, INSIDE, END, SINGLE}


@dataclass(frozen=True)
class Segments:
    """The spans that the common rule finds, as token ranges, with what tells whether they are well-formed."""

    start: Ints
    end: Ints
    label: Ints
    first: Ints
    last: Ints
    follows: Bools
    """Whether a span of the same label ends just before, in the same sentence."""
    precedes: Bools


def plain_spelling(tag: str) -> str:
    """One spelling for all tags that mean the same: O for outside, levels up to the last span, B, I, E and S."""
    levels = [_plain_level(level) for level in tag.split("|")]
    while len(levels) > 1 and levels[-1] == "O":
        levels.pop()
    return "|".join(levels)


def _plain_level(tag: str) -> str:
    if tag in OUTSIDE_TAGS:
        return "O"
    found = parse(tag)
    return tag if found is None else f"{_PLAIN_PREFIXES[found[0]]}-{found[1]}"


def parse(tag: str) -> tuple[int, str] | None:
    """Prefix and label of a tag (`B-PER`, `b_PER`, `B:PER`, `B/PER`, `B–PER`, `B`), or None if it has no prefix.

    The prefix is one letter and ends at the separator, so the label of `B-creative-work` is `creative-work`.
    """
    prefix = PREFIXES.get(tag[:1].upper())
    if prefix is None:
        return None
    if len(tag) == 1:
        return prefix, UNNAMED
    return (prefix, tag[2:]) if tag[1] in SEPARATORS and len(tag) > 2 else None


def segment(inside: Ints, prefix: Ints, label: Ints, sentence_starts: Ints) -> Segments:
    """The spans of a text, given the positions of its tokens that are not outside, their prefixes and labels."""
    first_of_sentence = np.zeros(int(inside[-1]) + 1 if len(inside) else 0, dtype=np.bool_)
    first_of_sentence[sentence_starts[sentence_starts < len(first_of_sentence)]] = True
    touches = (np.diff(inside) == 1) & ~first_of_sentence.take(inside[1:]) & (label[1:] == label[:-1])
    closed, opens = prefix[:-1] >= END, (prefix[1:] == BEGIN) | (prefix[1:] == SINGLE)
    begins = np.ones(len(inside), dtype=np.bool_)
    begins[1:] = ~touches | closed | opens
    first = np.flatnonzero(begins)
    last = np.append(first[1:], len(inside))[: len(first)] - 1
    follows = np.zeros(len(first), dtype=np.bool_)
    follows[1:] = touches[first[1:] - 1]
    precedes = np.append(follows[1:], False)[: len(first)]
    start, end = inside.take(first), inside.take(last) + 1
    return Segments(start, end, label.take(first), prefix.take(first), prefix.take(last), follows, precedes)


def ill_formed(segments: Segments, encoding: str) -> Bools:
    """Which spans break the rules of the encoding (see the table above)."""
    wrong: Bools
    if encoding == "iob1":
        wrong = (segments.first == BEGIN) & ~segments.follows
    elif encoding == "iob2":
        wrong = segments.first != BEGIN
    elif encoding == "ioe1":
        wrong = (segments.last == END) & ~segments.precedes
    elif encoding == "ioe2":
        wrong = segments.last != END
    elif encoding in ("io", "plain"):
        wrong = np.zeros(len(segments.start), dtype=np.bool_)
    else:
        single = (segments.first == SINGLE) & (segments.last == SINGLE)
        wrong = ~single & ~((segments.first == BEGIN) & (segments.last == END))
    return wrong


def discarded_spans(ill_formed: Bools, encoding: str, repair: Repair) -> Bools:
    """Which of the ill-formed spans the repair policy leaves out: under `discard`, those whose bounds are in doubt.

    A superfluous B- (iob1) or E- (ioe1) leaves no doubt.
    """
    doubtful = repair == "discard" and encoding not in ("iob1", "ioe1")
    return ill_formed if doubtful else np.zeros_like(ill_formed)


def allowed_prefixes(encoding: str) -> set[int]:
    """The prefixes that an encoding has."""
    return _ALLOWED.get(encoding, _ALL)


def detect_encoding(prefixes: Iterable[int], levels: Sequence[Segments]) -> str:
    """The encoding that fits best: by the prefixes that occur, then by the fewest ill-formed spans."""
    seen = set(prefixes)
    if seen <= {INSIDE}:
        return "iob1"
    candidates = ["iob2", "iob1"] if seen <= {BEGIN, INSIDE} else ["ioe2", "ioe1"] if seen <= {INSIDE, END} else []
    return min(
        candidates, key=lambda name: sum(int(ill_formed(level, name).sum()) for level in levels), default="bioes"
    )


_LETTERS = {"bilou": " BILU", "bmes": " BMES"}
"""How a prefix is written, by its code."""


def encode(
    encoding: str, start: Ints, end: Ints, label: Ints, names: Sequence[str], tokens: int, sentence_starts: Ints
) -> Tags:
    """The tags of one level of flat spans, given as token ranges in the order of the text.

    The inverse of `segment`, but for what an encoding cannot say: `io` and `plain` join neighbours with one label.
    """
    check_choice("encoding", encoding, ENCODINGS)
    if (start[1:] < end[:-1]).any():
        raise SettingError("These spans overlap, and one column of tags cannot say so; put them on different levels.")
    touches = (start[1:] == end[:-1]) & (label[1:] == label[:-1]) & ~np.isin(start[1:], sentence_starts)
    follows, precedes = np.append(False, touches)[: len(start)], np.append(touches, False)[: len(start)]
    prefix, label_of = np.zeros(tokens, dtype=np.int64), np.zeros(tokens, dtype=np.int64)
    inside = ranges(start, end - start)
    prefix[inside], label_of[inside] = INSIDE, np.repeat(label, end - start)
    if encoding in ("iob1", "iob2"):
        prefix[start if encoding == "iob2" else start[follows]] = BEGIN
    elif encoding in ("ioe1", "ioe2"):
        prefix[end - 1 if encoding == "ioe2" else end[precedes] - 1] = END
    elif encoding in ("bioes", "bilou", "bmes"):
        prefix[start], prefix[end - 1] = BEGIN, END
        prefix[start[end - start == 1]] = SINGLE
    width = max(len(names), 1)
    tags, code = np.unique(prefix * width + label_of, return_inverse=True)
    return Tags(code, tuple(_spelled(encoding, tag // width, tag % width, names) for tag in tags.tolist()))


def _spelled(encoding: str, prefix: int, label: int, names: Sequence[str]) -> str:
    if prefix == OUTSIDE:
        return "O"
    return names[label] if encoding == "plain" else f"{_LETTERS.get(encoding, ' BIES')[prefix]}-{names[label]}"


# == text/plain_labels.py: Labels without prefixes: whether the values of a column look


_NUMBER = re.compile(r"[-+]?[0-9]*[.,]?[0-9]+([eE][-+]?[0-9]+)?%?")
_LETTERS_PLAIN_LABELS = "".join(PREFIXES)
_POSITIONS = "|".join(
    (*_LETTERS_PLAIN_LABELS, "beg", "begin", "beginning", "inside", "cont", "continue", "continuation")
)
_BEGINS, _GOES_ON = ("start", "first"), ("in", "inner", "int", "mid", "middle")
_OTHERS = "|".join((*_BEGINS, *_GOES_ON, "end", "last", "single", "singleton", "unit", "whole"))
_SUFFIXED = re.compile(rf".+(?:[^\w\s(\[]|_)(?:{_POSITIONS})|.+[(\[](?:{_POSITIONS})[)\]]", re.IGNORECASE)
_PREFIXED = re.compile(
    rf"(?:({_POSITIONS})|({_OTHERS}))(?:[^\w\s(\[]|[\s_(\[])(\S.*)|[(\[<]({_POSITIONS})[)\]>](.*)", re.IGNORECASE
)
"""A tag with a prefix that is a word, or with an unknown separator: the position, a word that may be one, the label."""
_JOINED = re.compile(rf"[\s,;+/&:](?:[{_LETTERS_PLAIN_LABELS}][{re.escape(SEPARATORS)}]\w|O$|O[\s,;+/&:])")
_CIRCLES = "\u039f\u041e\u0555\u0585\u03bf\u043e\uff2f\uff4f\u2c9e\u25cb\u3007\u00d8"
"""Letters and signs that look like O."""
_NOTHING = frozenset(
    {
        *("-", "--", "*", "x", "none", "null", "nil", "nan", "n/a", "na", "out", "outside", "empty"),
        *("pad", "[pad]", "<pad>", "[cls]", "[sep]", "[unk]", "<unk>", "<s>", "</s>", "[ignore]", "ignore", "-x-"),
        *("no_label", "no-label", "nolabel", "unlabeled", "unlabelled", "background", "blank", "<none>", "[none]"),
    }
)
"""Values, in small letters, that mean no label in many tools."""
_FEW = 20
"""So many different labels are always few."""
_REPEATS = 5
"""How often a label occurs on average, at least, where there are more."""
_SHOWN, _LONGEST = 3, 40


SETTLE = "say --encoding plain if these are labels of spans"
"""What ends all doubt."""


def doubt(names: Sequence[str], tokens: int, outside: int) -> tuple[str, str] | None:
    """Why these values are no labels of spans, and what to do; None if they look like labels.

    `names` are the different values of some tokens, of which so many are `outside` all spans.
    """
    said = [name for name in names if name not in OUTSIDE_TAGS]
    found = misspelled(said, has_outside=outside > 0)
    if found is not None:
        return found
    if len(said) > max(_FEW, (tokens - outside) / _REPEATS):
        return f"{len(said)} different values in {counted(tokens, 'token')} ({_shown(said)})", ""
    if not outside:
        return f"a label for every token ({_shown(said)})", "score parts of speech with --task tags"
    return None


def misspelled(said: Sequence[str], *, has_outside: bool) -> tuple[str, str] | None:
    """Why these values are not labels, by their spelling alone, and what to do; none of them is outside."""
    numbers = list(filter(_NUMBER.fullmatch, said))
    if numbers:
        return f"numbers ({_shown(numbers)})", ""
    if all(map(_SUFFIXED.fullmatch, said)):
        return f"tags with the prefix behind the label ({_shown(said)})", "write it before the label, as in B-PER"
    if _are_prefixed(said) or _are_glued(said):
        return f"tags with an unknown prefix or separator ({_shown(said)})", "write them as in B-PER, I-PER"
    nothing = list(filter(means_nothing, said))
    if nothing and has_outside:
        return f"{_shown(nothing)} beside O", "write O for all tokens outside of spans"
    return None


def means_nothing(name: str) -> bool:
    """Whether a value means no label in many tools: NONE, [PAD], -."""
    return name.lower() in _NOTHING


def oddity(tag: str, *, is_plain: bool) -> str | None:
    """The finding about a tag that is not what it looks like; None for all others.

    Blanks around a tag make another label of it, letters that look like O make a label of nothing, and tags joined by
    commas make one label of two.
    """
    if tag != tag.strip() or unicodedata.category(tag[0]) in _INVISIBLE or unicodedata.category(tag[-1]) in _INVISIBLE:
        return f"the tag {tag!r} has a blank or an invisible character at an end"
    if not is_plain and tag[1:2] in SEPARATORS and tag[2:] in ("O", *_CIRCLES):
        return f"the tag {tag!r} is a span with the label O, which means outside of all spans"
    if tag in _CIRCLES:
        return f"the tag {tag!r} ({unicodedata.name(tag)}) looks like the letter O, but is not"
    if not is_plain and _JOINED.search(tag) is not None:
        return f"the tag {tag!r} joins several tags, which need a bar between them (B-ORG|B-LOC)"
    return None


_INVISIBLE = ("Cf", "Cc")


def _are_prefixed(names: Sequence[str]) -> bool:
    """Whether all names begin with a position: Begin_PER, B>PER, START-PER beside IN-PER.

    Words such as START and END are parts of many labels (START-DATE, END-DATE), so they need a word for the inside.
    """
    found = [match for match in map(_PREFIXED.fullmatch, names) if match is not None]
    if len(found) < len(names):
        return False
    words = {(match[3], match[2].lower()) for match in found if match[2]}
    is_pair = any((label, word) in words for label, begin in words if begin in _BEGINS for word in _GOES_ON)
    return is_pair or any(match[1] or match[4] for match in found)


def _are_glued(names: Sequence[str]) -> bool:
    """Whether names differ in a first letter that is a prefix: BPER and IPER."""
    first = {"B", "I", "E", "S", "M", "L", "U"}
    by_rest: dict[str, set[str]] = {}
    for name in names:
        if len(name) > 2 and name[0] in first:
            by_rest.setdefault(name[1:], set()).add(name[0])
    return sum(map(len, by_rest.values())) == len(names) and any({"B", "I"} <= each for each in by_rest.values())


def _shown(names: Sequence[str]) -> str:
    return ", ".join(repr(name if len(name) <= _LONGEST else f"{name[:_LONGEST]}…") for name in names[:_SHOWN])


# == text/tag_table.py: The distinct tags of a file, taken apart once, and the spans


STACK = "|"
Part = tuple[int, str]
_OUTSIDE_PART: Part = (OUTSIDE, "")


@dataclass(frozen=True)
class Decoded:
    """Spans, and the first tokens of those that were ill-formed."""

    spans: Spans
    ill_formed: Ints


class TagTable:
    """Tags by code. A tag may be a stack (`B-ORG|B-LOC`), whose parts are the levels, the outermost first."""

    def __init__(self, vocabulary: Vocabulary, *, plain: bool) -> None:
        self.vocabulary = vocabulary
        self.plain = plain
        self.names: list[str] = []
        self.levels = 1
        self.prefixes: set[int] = set()
        """Those that were met."""
        self._parts: list[list[Part]] = []
        self._columns: dict[int, tuple[Ints, Ints]] = {}

    def add(self, tag: str) -> str | None:
        """Give `tag` the next code; what is wrong with it, or None. What is wrong counts as outside."""
        parts, finding = [], None
        if len(tag) > LABEL.value:
            raise long_label(tag)
        for text in tag.split(STACK):
            if text in OUTSIDE_TAGS:
                parts.append(_OUTSIDE_PART)
                continue
            part = (INSIDE, text) if self.plain else parse(text)
            odd = oddity(text, is_plain=self.plain)
            if odd is not None:
                part, finding = None, odd
            elif part is None:
                finding = f"the tag {text!r} is not a prefix such as B- or I- with a label behind it"
            parts.append(part or _OUTSIDE_PART)
        self.names.append(tag)
        self._parts.append(parts)
        self.levels = max(self.levels, len(parts))
        self.prefixes |= self.prefixes_of(len(self.names) - 1)
        return finding

    def prefixes_of(self, code: int) -> set[int]:
        """The prefixes of one tag, that of what is outside aside."""
        return {prefix for prefix, _ in self._parts[code]} - {OUTSIDE}

    def columns(self, level: int) -> tuple[Ints, Ints]:
        """Prefix and label code of every tag on one level."""
        known = self._columns.get(level, (empty(), empty()))
        if len(known[0]) < len(self._parts):
            new = self._parts[len(known[0]) :]
            parts = [each[level] if level < len(each) else _OUTSIDE_PART for each in new]
            labels = [self.vocabulary.labels.code(label) if prefix else -1 for prefix, label in parts]
            prefixes = [prefix for prefix, _ in parts]
            self._columns[level] = np.append(known[0], ints(prefixes)), np.append(known[1], ints(labels))
        return self._columns.get(level, known)

    def segments(self, code: SparseCodes, sentence_starts: Ints) -> list[Segments]:
        """The spans of a text whose tokens have these tags, level by level."""
        return [self._segments(code, sentence_starts, *self.columns(level)) for level in range(self.levels)]

    @staticmethod
    def _segments(code: SparseCodes, sentence_starts: Ints, prefix: Ints, label: Ints) -> Segments:
        inside, tags = _inside(code, prefix)
        return segment(inside, prefix.take(tags), label.take(tags), sentence_starts)

    def recognise(self, levels: Sequence[Segments], more: Iterable[int] = ()) -> str:
        """The encoding that fits tags best that spell these spans; `more` are prefixes that occur elsewhere."""
        return "plain" if self.plain else detect_encoding(self.prefixes.union(more), levels)

    def decode(self, levels: Sequence[Segments], corpus: Corpus, encoding: str, repair: Repair) -> Decoded:
        """The spans that the tags of a text spell, by their first token, then by level."""
        bounds = corpus.bounds
        assert bounds is not None
        parts, wrong_starts = [], []
        for level, found in enumerate(levels):
            wrong = ill_formed(found, encoding)
            wrong_starts.append(found.start[wrong])
            start, end, label = found.start, found.end, found.label
            is_discarded = discarded_spans(wrong, encoding, repair)
            if is_discarded.any():
                keep = np.flatnonzero(~is_discarded)
                start, end, label = start[keep], end[keep], label[keep]
            scope = ints(corpus.sentence_of.take(start))
            first = bounds.take(scope)
            number = np.full(len(start), level, dtype=np.int64) if level else None
            parts.append(Spans.of(self.vocabulary, scope, start - first, end - first, label, number))
        spans = Spans.concatenate(parts, [0] * len(parts))
        if len(parts) > 1:
            spans = spans.take(np.lexsort((spans.level, spans.start, spans.scope)))
        return Decoded(spans, np.concatenate(wrong_starts))


def _inside(code: SparseCodes, prefix: Ints) -> tuple[Ints, Ints]:
    """The tokens whose tags are not outside, and their tags."""
    tokens, tags = code.rows, code.codes
    if code.size > len(tokens) and prefix[code.common] != OUTSIDE:
        tokens, tags = np.arange(code.size), code.column()
    inside = prefix.take(tags) > OUTSIDE
    if inside.all():
        return tokens, tags
    some = np.flatnonzero(inside)
    return tokens[some], tags[some]


def looks_plain(tags: list[str]) -> bool:
    """Whether these tags are labels without prefixes: none that says anything has one."""
    said = [part for tag in tags for part in tag.split(STACK) if part not in OUTSIDE_TAGS]
    return bool(said) and not any(parse(part) for part in said)
