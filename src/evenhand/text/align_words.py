"""Which words of two outputs are the same, where each has its own tokens.

Words outside multi-word tokens are the same if they cover the same characters. The others are found in regions: the
lists of words are walked side by side, and where one of the two words is in a multi-word token, a region begins with it
(a plain word that begins earlier on the other side is skipped) and grows until no multi-word token of either side
crosses its end. In a region, words are aligned by a longest common subsequence of their lower-cased forms.

Source: Zeman et al. 2018, and the evaluation script of the task.
"""

from __future__ import annotations

from collections.abc import Iterator
from unicodedata import category

import numpy as np
import numpy.typing as npt

from evenhand.arrays import Bools, Ints, ints, ranges
from evenhand.dataclass import dataclass
from evenhand.text.tokens import equal
from evenhand.text.words import Words

Rows = tuple[Ints, Ints]
"""The words of the gold standard, and those of the system that they are aligned with."""


def align_words(gold: Words, system: Words) -> Rows:
    """The rows of words that are the same, in the order of the text; both sides must cover the same text."""
    plain = _plain_pairs(gold, system)
    if not gold.in_multiword.any() and not system.in_multiword.any():
        return plain
    mine, theirs = plain
    found = [plain]
    equal_pairs, hard = _equal_gaps(gold, system, *_gaps(gold, system, mine, theirs))
    found.append(equal_pairs)
    found += [_walk(gold, system, *gap) for gap in hard]
    rows, others = (np.concatenate(side) for side in zip(*found, strict=True))
    order = np.argsort(rows)
    return rows[order], others[order]


def _plain_pairs(gold: Words, system: Words) -> Rows:
    """Words outside multi-word tokens that cover the same characters.

    The walk always comes to both words of such a pair at once: no region reaches beyond the ends of its multi-word
    tokens. So they can be found without walking, and what stands between two of them can be walked for itself.
    """
    if (
        len(gold) == len(system)
        and not (gold.in_multiword | system.in_multiword).any()
        and np.array_equal(gold.end, system.end)
    ):
        rows = np.arange(len(gold))
        return rows, rows
    mine, theirs = np.flatnonzero(~gold.in_multiword), np.flatnonzero(~system.in_multiword)
    place = np.searchsorted(system.start[theirs], gold.start[mine])
    inside = place < len(theirs)
    mine, place = mine[inside], place[inside]
    theirs = theirs[place]
    same = (gold.start[mine] == system.start[theirs]) & (gold.end[mine] == system.end[theirs])
    return mine[same], theirs[same]


Gaps = tuple[Ints, Ints, Ints, Ints]
"""The first and the number of words between two pairs, on either side."""


def _gaps(gold: Words, system: Words, mine: Ints, theirs: Ints) -> Gaps:
    """The words between pairs, where there are some of a multi-word token."""
    first, others = np.append(0, mine + 1), np.append(0, theirs + 1)
    size, sizes = np.append(mine, len(gold)) - first, np.append(theirs, len(system)) - others
    marked = np.zeros(len(first), dtype=np.bool_)
    marked[np.searchsorted(mine, np.flatnonzero(gold.in_multiword))] = True
    marked[np.searchsorted(theirs, np.flatnonzero(system.in_multiword))] = True
    return first[marked], size[marked], others[marked], sizes[marked]


def _equal_gaps(
    gold: Words, system: Words, first: Ints, size: Ints, others: Ints, sizes: Ints
) -> tuple[Rows, Iterator[tuple[int, int, int, int]]]:
    """Pairs in gaps that hold the same words of the same multi-word tokens, which are most; and the other gaps."""
    maybe = np.flatnonzero(size == sizes)
    gap = np.repeat(maybe, size[maybe])
    mine, theirs = ranges(first[maybe], size[maybe]), ranges(others[maybe], size[maybe])
    same = _same_words(gold, system, mine, theirs)
    hard = size != sizes
    hard[gap[~same]] = True
    kept = ~hard[gap]
    rest = np.flatnonzero(hard & (size > 0) & (sizes > 0))
    edges = (first[rest], first[rest] + size[rest], others[rest], others[rest] + sizes[rest])
    return (mine[kept], theirs[kept]), zip(*(column.tolist() for column in edges), strict=True)


def _same_words(gold: Words, system: Words, mine: Ints, theirs: Ints) -> Bools:
    assert gold.corpus.tokens is not None
    assert system.corpus.tokens is not None
    same = equal(gold.corpus.tokens.take(mine), system.corpus.tokens.take(theirs))
    same &= gold.in_multiword[mine] & system.in_multiword[theirs]
    same &= (gold.start[mine] == system.start[theirs]) & (gold.end[mine] == system.end[theirs])
    return same


@dataclass(frozen=True)
class _Word:
    start: int
    end: int
    in_multiword: bool
    form: str

    def is_beyond(self, end: int) -> bool:
        return self.start >= end if self.in_multiword else self.end > end


def _walk(gold: Words, system: Words, first: int, last: int, other_first: int, other_last: int) -> Rows:
    """The alignment of words between two pairs; a loop, as regions are few, and each depends on the one before."""
    mine, theirs = _listed(gold, first, last), _listed(system, other_first, other_last)
    rows, others = list[int](), list[int]()
    g = s = 0
    while g < len(mine) and s < len(theirs):
        if mine[g].in_multiword or theirs[s].in_multiword:
            end = mine[g].end if mine[g].in_multiword else theirs[s].end
            if theirs[s].start < mine[g].start and not theirs[s].in_multiword:
                s += 1
            elif mine[g].start < theirs[s].start and not mine[g].in_multiword:
                g += 1
            behind_g, behind_s = _region(mine, theirs, g, s, end)
            for at, other in _common([word.form for word in mine[g:behind_g]], [w.form for w in theirs[s:behind_s]]):
                rows.append(first + g + at)
                others.append(other_first + s + other)
            g, s = behind_g, behind_s
        elif mine[g].start <= theirs[s].start:  # words with equal characters are pairs, and not here
            g += 1
        else:
            s += 1
    return ints(rows), ints(others)


def _listed(words: Words, first: int, last: int) -> list[_Word]:
    """Words with their forms, lower-cased; those outside multi-word tokens without spaces."""
    tokens = words.corpus.tokens
    assert tokens is not None
    found = []
    for row in range(first, last):
        form, in_multiword = tokens[row].lower(), bool(words.in_multiword[row])
        if not in_multiword:
            form = "".join(char for char in form if category(char) != "Zs")
        found.append(_Word(int(words.start[row]), int(words.end[row]), in_multiword, form))
    return found


def _region(mine: list[_Word], theirs: list[_Word], g: int, s: int, end: int) -> tuple[int, int]:
    """The words behind a region that begins with two words and reaches to `end` at least, on either side."""
    while (g < len(mine) and not mine[g].is_beyond(end)) or (s < len(theirs) and not theirs[s].is_beyond(end)):
        if g < len(mine) and (s >= len(theirs) or mine[g].start <= theirs[s].start):
            word, g = mine[g], g + 1
        else:
            word, s = theirs[s], s + 1
        if word.in_multiword:
            end = max(end, word.end)
    return g, s


def _common(mine: list[str], theirs: list[str]) -> Iterator[tuple[int, int]]:
    """A longest common subsequence: equal forms are taken at once, else a word of the gold standard is skipped if that
    loses nothing, else one of the system."""
    if not mine or not theirs:
        return
    longest = _longest(mine, theirs)
    g = s = 0
    while g < len(mine) and s < len(theirs):
        if mine[g] == theirs[s]:
            yield g, s
            g, s = g + 1, s + 1
        elif longest[g, s] == longest[g + 1, s]:
            g += 1
        else:
            s += 1


def _longest(mine: list[str], theirs: list[str]) -> npt.NDArray[np.int32]:
    """How long a common subsequence can be of what stands from each two words on."""
    codes: dict[str, int] = {}
    one, other = (ints([codes.setdefault(form, len(codes)) for form in side]) for side in (mine, theirs))
    table = np.zeros((len(one) + 1, len(other) + 1), dtype=np.int32)
    for row in range(len(one) - 1, -1, -1):
        below = table[row + 1]
        taken = np.where(other == one[row], below[1:] + 1, below[:-1])
        # The entries of a row grow to the left, by one at most: the running maximum from the right fills them.
        table[row, :-1] = np.maximum.accumulate(np.maximum(taken, below[:-1])[::-1])[::-1]
    return table
