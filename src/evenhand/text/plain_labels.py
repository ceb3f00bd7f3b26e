"""Labels without prefixes: whether the values of a column look like them, or like something else.

Tags without a prefix mark spans only if neighbours with one label are one span. Many columns hold values that could be
such labels but are not: parts of speech, lemmas, probabilities, tags with an unknown prefix. They would give a
plausible score, so labels are accepted only if they are few, not numbers, and some tokens have none. A value that looks
like `O` (a Cyrillic letter, `NONE`, `[PAD]`) beside `O` is not a label either.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from evenhand.problems import counted
from evenhand.text.encodings import OUTSIDE_TAGS, PREFIXES, SEPARATORS

_NUMBER = re.compile(r"[-+]?[0-9]*[.,]?[0-9]+([eE][-+]?[0-9]+)?%?")
_LETTERS = "".join(PREFIXES)
_POSITIONS = "|".join((*_LETTERS, "beg", "begin", "beginning", "inside", "cont", "continue", "continuation"))
_BEGINS, _GOES_ON = ("start", "first"), ("in", "inner", "int", "mid", "middle")
_OTHERS = "|".join((*_BEGINS, *_GOES_ON, "end", "last", "single", "singleton", "unit", "whole"))
_SUFFIXED = re.compile(rf".+(?:[^\w\s(\[]|_)(?:{_POSITIONS})|.+[(\[](?:{_POSITIONS})[)\]]", re.IGNORECASE)
_PREFIXED = re.compile(
    rf"(?:({_POSITIONS})|({_OTHERS}))(?:[^\w\s(\[]|[\s_(\[])(\S.*)|[(\[<]({_POSITIONS})[)\]>](.*)", re.IGNORECASE
)
"""A tag with a prefix that is a word, or with an unknown separator: the position, a word that may be one, the label."""
_JOINED = re.compile(rf"[\s,;+/&:](?:[{_LETTERS}][{re.escape(SEPARATORS)}]\w|O$|O[\s,;+/&:])")
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
