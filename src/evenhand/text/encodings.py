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

from collections.abc import Iterable, Sequence

import numpy as np

from evenhand.arrays import Bools, Ints, ranges
from evenhand.dataclass import dataclass
from evenhand.problems import SettingError
from evenhand.settings import ENCODINGS, Repair, choose
from evenhand.text.layers import Tags

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


def discarded(ill_formed: Bools, encoding: str, repair: Repair) -> Bools:
    """Which of the ill-formed spans the repair policy leaves out: under `discard`, those whose bounds are in doubt.

    A superfluous B- (iob1) or E- (ioe1) leaves no doubt.
    """
    doubtful = repair == "discard" and encoding not in ("iob1", "ioe1")
    return ill_formed if doubtful else np.zeros_like(ill_formed)


def allowed(encoding: str) -> set[int]:
    """The prefixes that an encoding has."""
    return _ALLOWED.get(encoding, _ALL)


def recognise(prefixes: Iterable[int], levels: Sequence[Segments]) -> str:
    """The encoding that fits best: by the prefixes that occur, then by the fewest ill-formed spans."""
    seen = set(prefixes)
    if seen <= {INSIDE}:
        return "iob1"
    candidates = ["iob2", "iob1"] if seen <= {BEGIN, INSIDE} else ["ioe2", "ioe1"] if seen <= {INSIDE, END} else []
    return min(candidates, key=lambda name: sum(int(ill_formed(each, name).sum()) for each in levels), default="bioes")


_LETTERS = {"bilou": " BILU", "bmes": " BMES"}
"""How a prefix is written, by its code."""


def encode(
    encoding: str, start: Ints, end: Ints, label: Ints, names: Sequence[str], tokens: int, sentence_starts: Ints
) -> Tags:
    """The tags of one level of flat spans, given as token ranges in the order of the text.

    The inverse of `segment`, but for what an encoding cannot say: `io` and `plain` join neighbours with one label.
    """
    choose("encoding", encoding, ENCODINGS)
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
