"""Tag encodings of spans: IO, IOB1, IOB2, IOE1, IOE2, BIOES (= BILOU = BMES), and plain labels.

One rule decodes all of them. A tag continues the span of the preceding token of its sentence if it has the same label,
does not begin a span (B, S), and the preceding token does not end one (E, S). This is the rule of conlleval with S, U
and W added. The encoding only determines which spans are ill-formed:

| encoding | well-formed                                                        |
| -------- | ------------------------------------------------------------------ |
| `io`     | tags are I- or O; neighbours with the same label are one span      |
| `iob1`   | B- only right after a span of the same label                       |
| `iob2`   | every span begins with B-                                          |
| `ioe1`   | E- only right before a span of the same label                      |
| `ioe2`   | every span ends with E-                                            |
| `bioes`  | S- for one token, else B-, any number of I-, and E-                |
| `bilou`  | the same, with L- for E- and U- for S-                             |
| `bmes`   | the same, with M- for I-                                           |
| `plain`  | labels without prefix; neighbours with the same label are one span |

The second half of the file detects columns that do not hold tags of spans.

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
HYPHENS = "\u00ad\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d"
"""Characters that editors and word processors write instead of a hyphen."""
SEPARATORS = f"-_:./+=~{HYPHENS}"
"""Characters between prefix and label. A bar separates levels."""
STACK = "|"
OUTSIDE_TAGS = frozenset({"O", "o", "", "_"})
JOINING = ("io", "plain")
"""Encodings in which neighbours with the same label are one span."""
UNNAMED = "_"
"""The label of spans whose tags are bare prefixes (B, I, O), which chunkers without types write."""
SETTLE = "use --encoding plain if these are labels of spans"
"""The remedy for labels that do not look like labels."""
Part = tuple[int, str]
_OUTSIDE_PART: Part = (OUTSIDE, "")
_PLAIN_PREFIXES = {BEGIN: "B", INSIDE: "I", END: "E", SINGLE: "S"}
_LETTERS = {"bilou": " BILU", "bmes": " BMES"}
"""Letters of the prefixes by code; other encodings have BIES."""

_ALLOWED = {
    "io": {INSIDE},
    "plain": {INSIDE},
    "iob1": {BEGIN, INSIDE},
    "iob2": {BEGIN, INSIDE},
    "ioe1": {INSIDE, END},
    "ioe2": {INSIDE, END},
}
_ALL = {BEGIN, INSIDE, END, SINGLE}

_NUMBER = re.compile(r"[-+]?[0-9]*[.,]?[0-9]+([eE][-+]?[0-9]+)?%?")
_PREFIX_LETTERS = "".join(PREFIXES)
_POSITIONS = "|".join((*_PREFIX_LETTERS, "beg", "begin", "beginning", "inside", "cont", "continue", "continuation"))
_BEGINS, _CONTINUES = ("start", "first"), ("in", "inner", "int", "mid", "middle")
_OTHERS = "|".join((*_BEGINS, *_CONTINUES, "end", "last", "single", "singleton", "unit", "whole"))
_SUFFIXED = re.compile(rf".+(?:[^\w\s(\[]|_)(?:{_POSITIONS})|.+[(\[](?:{_POSITIONS})[)\]]", re.IGNORECASE)
_PREFIXED = re.compile(
    rf"(?:({_POSITIONS})|({_OTHERS}))(?:[^\w\s(\[]|[\s_(\[])(\S.*)|[(\[<]({_POSITIONS})[)\]>](.*)", re.IGNORECASE
)
"""A tag with a word as prefix, or with an unknown separator: the position, a word that may be one, the label."""
_JOINED = re.compile(rf"[\s,;+/&:](?:[{_PREFIX_LETTERS}][{re.escape(SEPARATORS)}]\w|O$|O[\s,;+/&:])")
_CIRCLES = "\u039f\u041e\u0555\u0585\u03bf\u043e\uff2f\uff4f\u2c9e\u25cb\u3007\u00d8"
"""Letters and signs that look like O."""
_INVISIBLE = ("Cf", "Cc")
_NOTHING = frozenset(
    {
        *("-", "--", "*", "x", "none", "null", "nil", "nan", "n/a", "na", "out", "outside", "empty"),
        *("pad", "[pad]", "<pad>", "[cls]", "[sep]", "[unk]", "<unk>", "<s>", "</s>", "[ignore]", "ignore", "-x-"),
        *("no_label", "no-label", "nolabel", "unlabeled", "unlabelled", "background", "blank", "<none>", "[none]"),
    }
)
"""Lower-case values that mean "no label" in many tools."""
_FEW = 20
"""Up to this number of different labels is never suspicious."""
_REPEATS = 5
"""Minimum average frequency of a label if there are more."""
_QUOTED, _MAX_QUOTED = 3, 40


@dataclass(frozen=True)
class Segments:
    """Spans decoded by the common rule, as token ranges, with the prefixes that decide whether they are well-formed."""

    start: Ints
    end: Ints
    label: Ints
    first: Ints
    last: Ints
    follows: Bools
    """Whether a span of the same label ends right before, in the same sentence."""
    precedes: Bools


def plain_spelling(tag: str) -> str:
    """Return the normal form of a tag: O for outside, levels up to the last span, prefixes B, I, E and S."""
    levels = [_plain_level(level) for level in tag.split(STACK)]
    while len(levels) > 1 and levels[-1] == "O":
        levels.pop()
    return STACK.join(levels)


def _plain_level(tag: str) -> str:
    if tag in OUTSIDE_TAGS:
        return "O"
    part = parse(tag)
    return tag if part is None else f"{_PLAIN_PREFIXES[part[0]]}-{part[1]}"


def parse(tag: str) -> Part | None:
    """Return prefix and label of a tag (`B-PER`, `b_PER`, `B:PER`, `B/PER`, `B–PER`, `B`); None without a prefix.

    The prefix is one letter and ends at the separator, so the label of `B-creative-work` is `creative-work`.
    """
    prefix = PREFIXES.get(tag[:1].upper())
    if prefix is None:
        return None
    if len(tag) == 1:
        return prefix, UNNAMED
    return (prefix, tag[2:]) if tag[1] in SEPARATORS and len(tag) > 2 else None


def segment(inside: Ints, prefix: Ints, label: Ints, sentence_starts: Ints) -> Segments:
    """Decode the spans of a text, given the positions, prefixes and labels of all tokens that are not outside."""
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
    """Return which spans break the rules of the encoding (see the table above)."""
    if encoding == "iob1":
        return np.asarray((segments.first == BEGIN) & ~segments.follows)
    if encoding == "iob2":
        return np.asarray(segments.first != BEGIN)
    if encoding == "ioe1":
        return np.asarray((segments.last == END) & ~segments.precedes)
    if encoding == "ioe2":
        return np.asarray(segments.last != END)
    if encoding in JOINING:
        return np.zeros(len(segments.start), dtype=np.bool_)
    is_single = (segments.first == SINGLE) & (segments.last == SINGLE)
    return np.asarray(~is_single & ~((segments.first == BEGIN) & (segments.last == END)))


def allowed_prefixes(encoding: str) -> set[int]:
    return _ALLOWED.get(encoding, _ALL)


def detect_encoding(prefixes: Iterable[int], levels: Sequence[Segments]) -> str:
    """Return the encoding that fits best: by the prefixes that occur, then by the fewest ill-formed spans."""
    seen = set(prefixes)
    if seen <= {INSIDE}:
        return "iob1"
    candidates = ["iob2", "iob1"] if seen <= {BEGIN, INSIDE} else ["ioe2", "ioe1"] if seen <= {INSIDE, END} else []
    return min(
        candidates, key=lambda name: sum(int(ill_formed(level, name).sum()) for level in levels), default="bioes"
    )


def encode(
    encoding: str, start: Ints, end: Ints, label: Ints, names: Sequence[str], tokens: int, sentence_starts: Ints
) -> Tags:
    """Encode one level of flat spans, given as token ranges in the order of the text.

    This is the inverse of `segment`, except that `io` and `plain` join neighbours with the same label.
    """
    check_choice("encoding", encoding, ENCODINGS)
    if (start[1:] < end[:-1]).any():
        raise SettingError("These spans overlap, so one column of tags cannot encode them; use different levels.")
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
    return Tags(code, tuple(_spell(encoding, tag // width, tag % width, names) for tag in tags.tolist()))


def _spell(encoding: str, prefix: int, label: int, names: Sequence[str]) -> str:
    if prefix == OUTSIDE:
        return "O"
    return names[label] if encoding == "plain" else f"{_LETTERS.get(encoding, ' BIES')[prefix]}-{names[label]}"


def doubt(names: Sequence[str], tokens: int, outside: int) -> tuple[str, str] | None:
    """Return why these values may not be labels of spans, and what to do; None if they look like labels.

    `names` are the different values of some tokens, and `outside` is the number of tokens outside all spans.
    """
    labels = [name for name in names if name not in OUTSIDE_TAGS]
    finding = misspelled(labels, has_outside=outside > 0)
    if finding is not None:
        return finding
    if len(labels) > max(_FEW, (tokens - outside) / _REPEATS):
        return f"{len(labels)} different values in {counted(tokens, 'token')} ({_quote(labels)})", ""
    if not outside:
        return f"a label for every token ({_quote(labels)})", "score parts of speech with --task tags"
    return None


def misspelled(labels: Sequence[str], *, has_outside: bool) -> tuple[str, str] | None:
    """Return why values, other than outside tags, are not labels by their spelling alone, and what to do."""
    numbers = list(filter(_NUMBER.fullmatch, labels))
    if numbers:
        return f"numbers ({_quote(numbers)})", ""
    if all(map(_SUFFIXED.fullmatch, labels)):
        return f"tags with the prefix after the label ({_quote(labels)})", "write it before the label, as in B-PER"
    if _are_prefixed(labels) or _are_glued(labels):
        return f"tags with an unknown prefix or separator ({_quote(labels)})", "write them as in B-PER, I-PER"
    nothing = list(filter(means_nothing, labels))
    if nothing and has_outside:
        return f"{_quote(nothing)} beside O", "write O for all tokens outside of spans"
    return None


def means_nothing(name: str) -> bool:
    """Whether a value means "no label" in many tools: NONE, [PAD], -."""
    return name.lower() in _NOTHING


def oddity(tag: str, *, is_plain: bool) -> str | None:
    """Return the finding about a tag that is not what it looks like; None for other tags.

    A tag with blanks around it is a different label, a letter that looks like O is a label, and several tags joined by
    commas are one label.
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


def _are_prefixed(names: Sequence[str]) -> bool:
    """Whether all names begin with a position: Begin_PER, B>PER, or START-PER together with IN-PER.

    START and END are parts of many labels (START-DATE, END-DATE), so they only count together with a word for the
    inside.
    """
    matches = [match for match in map(_PREFIXED.fullmatch, names) if match is not None]
    if len(matches) < len(names):
        return False
    words = {(match[3], match[2].lower()) for match in matches if match[2]}
    is_pair = any((label, word) in words for label, begin in words if begin in _BEGINS for word in _CONTINUES)
    return is_pair or any(match[1] or match[4] for match in matches)


def _are_glued(names: Sequence[str]) -> bool:
    """Whether names differ in a first letter that is a prefix: BPER and IPER."""
    by_label: dict[str, set[str]] = {}
    for name in names:
        if len(name) > 2 and name[0] in "BIESMLU":
            by_label.setdefault(name[1:], set()).add(name[0])
    prefixes = by_label.values()
    return sum(map(len, prefixes)) == len(names) and any({"B", "I"} <= letters for letters in prefixes)


def _quote(names: Sequence[str]) -> str:
    quoted = (name if len(name) <= _MAX_QUOTED else f"{name[:_MAX_QUOTED]}…" for name in names[:_QUOTED])
    return ", ".join(map(repr, quoted))


@dataclass(frozen=True)
class Decoded:
    """Spans, and the first tokens of ill-formed spans."""

    spans: Spans
    ill_formed: Ints


class TagTable:
    """The distinct tags of a file by code, parsed once, and the decoder of spans.

    A tag may be a stack (`B-ORG|B-LOC`), whose parts are the levels, the outermost first.
    """

    def __init__(self, vocabulary: Vocabulary, *, plain: bool) -> None:
        self.vocabulary = vocabulary
        self.plain = plain
        self.names: list[str] = []
        self.levels = 1
        self.prefixes: set[int] = set()
        """The prefixes seen."""
        self._parts: list[list[Part]] = []
        self._columns: dict[int, tuple[Ints, Ints]] = {}

    def add(self, tag: str) -> str | None:
        """Give `tag` the next code, and return its problem or None. A wrong tag counts as outside."""
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
                finding = f"the tag {text!r} is not a prefix such as B- or I- with a label after it"
            parts.append(part or _OUTSIDE_PART)
        self.names.append(tag)
        self._parts.append(parts)
        self.levels = max(self.levels, len(parts))
        self.prefixes |= self.prefixes_of(len(self.names) - 1)
        return finding

    def extend(self, tags: Iterable[str]) -> list[str | None]:
        """Give each tag the next code, and return the problems."""
        return [self.add(tag) for tag in tags]

    def codes_not_in(self, encoding: str, first: int) -> set[int]:
        """Return the codes from `first` on whose prefixes do not occur in `encoding`."""
        allowed = allowed_prefixes(encoding)
        return {code for code in range(first, len(self.names)) if self.prefixes_of(code) - allowed}

    def prefixes_of(self, code: int) -> set[int]:
        return {prefix for prefix, _ in self._parts[code]} - {OUTSIDE}

    def columns(self, level: int) -> tuple[Ints, Ints]:
        """Return prefix and label code of every tag on one level."""
        known = self._columns.get(level, (empty(), empty()))
        if len(known[0]) < len(self._parts):
            new = self._parts[len(known[0]) :]
            parts = [levels[level] if level < len(levels) else _OUTSIDE_PART for levels in new]
            labels = [self.vocabulary.labels.code(label) if prefix else -1 for prefix, label in parts]
            prefixes = [prefix for prefix, _ in parts]
            self._columns[level] = np.append(known[0], ints(prefixes)), np.append(known[1], ints(labels))
        return self._columns.get(level, known)

    def segments(self, code: SparseCodes, sentence_starts: Ints) -> list[Segments]:
        """Decode the spans of a text whose tokens have these tags, level by level."""
        levels = []
        for level in range(self.levels):
            prefix, label = self.columns(level)
            inside, tags = _inside(code, prefix)
            levels.append(segment(inside, prefix.take(tags), label.take(tags), sentence_starts))
        return levels

    def recognise(self, levels: Sequence[Segments], more: Iterable[int] = ()) -> str:
        """Return the encoding that fits these spans best; `more` are prefixes that occur elsewhere."""
        return "plain" if self.plain else detect_encoding(self.prefixes.union(more), levels)

    def decode(self, levels: Sequence[Segments], corpus: Corpus, encoding: str, repair: Repair) -> Decoded:
        """Return the spans of all levels, sorted by first token and level, repaired as requested."""
        bounds = corpus.bounds
        assert bounds is not None
        parts, wrong_starts = [], []
        for level, segments in enumerate(levels):
            wrong = ill_formed(segments, encoding)
            wrong_starts.append(segments.start[wrong])
            start, end, label = segments.start, segments.end, segments.label
            # A superfluous B- (iob1) or E- (ioe1) does not make bounds uncertain.
            if repair == "discard" and encoding not in ("iob1", "ioe1") and wrong.any():
                keep = np.flatnonzero(~wrong)
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
    """Return the tokens whose tags are not outside, and their tags."""
    tokens, tags = code.rows, code.codes
    if code.size > len(tokens) and prefix[code.common] != OUTSIDE:
        tokens, tags = np.arange(code.size), code.column()
    inside = prefix.take(tags) > OUTSIDE
    if inside.all():
        return tokens, tags
    rows = np.flatnonzero(inside)
    return tokens[rows], tags[rows]


def looks_plain(tags: list[str]) -> bool:
    """Whether these tags are labels without prefixes."""
    labels = [part for tag in tags for part in tag.split(STACK) if part not in OUTSIDE_TAGS]
    return bool(labels) and not any(parse(part) for part in labels)
