"""Which words of two outputs are the same: cases by hand, and a slow walk over the whole text that must agree."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple
from unicodedata import category

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import evenhand as eh
from evenhand.alignment.words import Words, align_words, by_characters
from evenhand.arrays import ints
from evenhand.data.annotation import Annotation
from evenhand.data.corpus import Corpus, MultiWords
from evenhand.data.tokens import Tokens
from evenhand.formats.source import Source

Token = str | tuple[str, ...]
"""A plain word, or the form of a multi-word token and its words."""
Sides = tuple[list[Token], list[Token]]


def parsed(text: str) -> list[Token]:
    """Tokens with blanks between; `im=in+dem` is a multi-word token."""
    items: list[Token] = []
    for each in text.split(" "):
        form, is_multiword, rest = each.partition("=")
        items.append((form, *rest.split("+")) if is_multiword else form)
    return items


def words(tokens: Sequence[Token]) -> tuple[Words, bytes]:
    """The words of a text of one sentence, and its characters."""
    forms, first, multi = list[str](), list[int](), [token for token in tokens if isinstance(token, tuple)]
    for token in tokens:
        first += [len(forms)] if isinstance(token, tuple) else []
        forms += token[1:] if isinstance(token, tuple) else [token]
    cells = Tokens.of([*forms, *(token[0] for token in multi)])
    size = ints([len(token) - 1 for token in multi])
    multiwords = MultiWords(ints(first), size, cells.slice(len(forms), len(cells)))
    corpus = Corpus("test", 1, ints([0, len(forms)]), cells.slice(0, len(forms)), multiwords=multiwords)
    found, text = by_characters(Annotation(corpus, {}), 0)
    return found, text.tobytes()


def aligned(gold: str | Sequence[Token], system: str | Sequence[Token]) -> list[tuple[int, int]]:
    """The pairs of words, which count from 0."""
    (mine, text), (theirs, other) = (words(parsed(side) if isinstance(side, str) else side) for side in (gold, system))
    assert text == other
    rows, others = align_words(mine, theirs)
    return list(zip(rows.tolist(), others.tolist(), strict=True))


def test_words_outside_multi_word_tokens_are_the_same_if_they_cover_the_same_characters() -> None:
    assert aligned("we can not go", "we cannot go") == [(0, 0), (3, 2)]
    assert aligned("ab c", "a bc") == []


def test_the_same_multi_word_token() -> None:
    assert aligned("ich im=in+dem Haus", "ich im=in+dem Haus") == [(0, 0), (1, 1), (2, 2), (3, 3)]


def test_a_multi_word_token_against_plain_words() -> None:
    assert aligned("geh zum=zu+m Arzt", "geh zu m Arzt") == [(0, 0), (1, 1), (2, 2), (3, 3)]
    assert aligned("geh zu m Arzt", "geh zum=zu+m Arzt") == [(0, 0), (1, 1), (2, 2), (3, 3)]


def test_a_multi_word_token_against_one_plain_word() -> None:
    assert aligned("im=in+dem Haus", "im Haus") == [(2, 1)]
    assert aligned("im=in+im Haus", "im Haus") == [(1, 0), (2, 1)]


def test_a_multi_word_token_with_other_words() -> None:
    assert aligned("im=in+dem Haus", "im=in+der Haus") == [(0, 0), (2, 2)]
    assert aligned("dámelo=da+me+lo", "dámelo=dame+lo") == [(2, 1)]


def test_multi_word_tokens_that_overlap_are_one_region() -> None:
    """The second token of the system begins within the first of the gold standard and ends with its second."""
    assert aligned("dámelo=da+me+lo ya=y+a", "dáme=da+me loya=lo+y+a") == [(0, 0), (1, 1), (2, 2), (3, 3), (4, 4)]


def test_a_region_ends_where_no_multi_word_token_crosses() -> None:
    """`x` of the second token is not looked for in the first one."""
    assert aligned("ab=x+y cd=z+w", "ab=z+y cd=x+w") == [(1, 1), (3, 3)]
    assert aligned("abcd=x+y", "ab=z+y cd=x+w") == [(1, 1)]
    assert aligned("abcd=x+v", "ab=z+y cd=x+w") == [(0, 2)]


def test_a_plain_word_begun_before_a_multi_word_token_is_skipped() -> None:
    """The system's `in` begins with the word before the token, so it is not the token's `in`."""
    assert aligned("i nm=in+dem", "in m") == []
    assert aligned("in m", "i nm=in+dem") == []


def test_one_word_alone_is_skipped_and_the_others_are_in_the_region() -> None:
    """`abc` is passed, so that `a`, `b` and `c` wait where the token begins: `a` is skipped, `c` is found."""
    assert aligned("abc de=c+x", "a b c de") == [(1, 2)]
    assert aligned("abc de=a+x", "a b c de") == []


def test_a_word_that_crosses_the_end_of_a_region_is_not_in_it() -> None:
    assert aligned("a bc d", "ab=a+bc cd=bc+d") == [(0, 0), (2, 3)]


def test_a_word_that_begins_with_a_multi_word_token_and_crosses_its_end() -> None:
    """Words are taken gold standard first: its own word comes in before the token ends, the system's does not."""
    assert aligned("abc", "ab=abc+x c") == [(0, 0)]
    assert aligned("ab=abc+x c", "abc") == []


def test_equal_words_are_taken_at_once() -> None:
    assert aligned("t=a+b+a", "t=a+a+b") == [(0, 0), (2, 1)]
    assert aligned("t=a+b+a+b", "t=b+a+b") == [(1, 0), (2, 1), (3, 2)]


def test_a_word_of_the_gold_standard_is_skipped_first() -> None:
    """Either `a` or `x` can be aligned; skipping the gold standard's `x` loses nothing."""
    assert aligned("t=x+a", "t=a+x") == [(1, 0)]


def test_the_longest_common_subsequence_wins_over_the_first_word() -> None:
    assert aligned("t=c+a+b", "t=a+b+c") == [(1, 0), (2, 1)]
    assert aligned("t=a+b+c", "t=c+a+b") == [(0, 1), (1, 2)]


def test_case_does_not_count_in_multi_word_tokens() -> None:
    assert aligned("Im=In+DEM", "Im=in+dem") == [(0, 0), (1, 1)]
    assert aligned("ÀU=À+U", "À U") == [(0, 0), (1, 1)]
    assert aligned("aU=À+U", "aU=à+u") == [(0, 0), (1, 1)]


@pytest.mark.parametrize("space", [" ", "\u00a0", "\u2009", "\u202f", "\u3000"])
def test_spaces_are_no_characters(space: str) -> None:
    assert words([f"New{space}York"])[1] == b"NewYork"
    assert aligned([f"10{space}000", "€"], ["10000", "€"]) == [(0, 0), (1, 1)]
    assert aligned([f"10{space}000", "€"], ["10", "000", "€"]) == [(1, 2)]
    assert aligned([(f"d'{space}un", "de", "un"), "an"], [("d'un", "de", "un"), "an"]) == [(0, 0), (1, 1), (2, 2)]


@pytest.mark.parametrize("character", ["\u200b", "\u00ad", "\u2028"])
def test_what_is_no_space_separator_is_a_character(character: str) -> None:
    assert words([f"New{character}York"])[1] == f"New{character}York".encode()


def test_plain_words_are_compared_without_spaces_and_those_of_multi_word_tokens_with_them() -> None:
    assert aligned(["a b"], [("ab", "ab")]) == [(0, 0)]
    assert aligned(["ab"], [("ab", "a b")]) == []


def test_letters_of_several_bytes() -> None:
    assert aligned("ö𝒳 é=e+é ß", "ö 𝒳 é=é ß") == [(2, 2), (3, 3)]


class Word(NamedTuple):
    start: int
    end: int
    is_multi: bool
    form: str


def listed(tokens: Sequence[Token]) -> list[Word]:
    actual, start = [], 0
    for token in tokens:
        surface = token[0] if isinstance(token, tuple) else token
        plain = "".join(letter for letter in surface if category(letter) != "Zs")
        end = start + len(plain)
        forms = token[1:] if isinstance(token, tuple) else [plain]
        actual += [Word(start, end, isinstance(token, tuple), form.lower()) for form in forms]
        start = end
    return actual


def walked(gold: list[Word], system: list[Word]) -> list[tuple[int, int]]:
    """The alignment as its definition says it, word by word over the whole text."""
    actual, g, s = [], 0, 0
    while g < len(gold) and s < len(system):
        mine, other = gold[g], system[s]
        if not (mine.is_multi or other.is_multi):
            is_same = mine[:2] == other[:2]
            actual += [(g, s)] if is_same else []
            g, s = g + (is_same or mine.start <= other.start), s + (is_same or mine.start > other.start)
            continue
        end = mine.end if mine.is_multi else other.end
        g += not mine.is_multi and mine.start < other.start
        s += not other.is_multi and other.start < mine.start
        first, other_first = g, s
        while True:
            following = [(word, side) for side, words in enumerate((gold[g:], system[s:])) for word in words[:1]]
            if not any(word.start < end if word.is_multi else word.end <= end for word, _ in following):
                break
            word, side = min(following, key=lambda each: (each[0].start, each[1]))
            g, s = g + (side == 0), s + (side == 1)
            end = max(end, word.end) if word.is_multi else end
        mine_forms, other_forms = (tuple(word.form for word in part) for part in (gold[first:g], system[other_first:s]))
        actual += [(first + at, other_first + other) for at, other in common(mine_forms, other_forms)]
    return actual


@cache
def common(mine: tuple[str, ...], other: tuple[str, ...]) -> list[tuple[int, int]]:
    """The longest common subsequence; of several, the one that skips words of the gold standard first."""
    if not mine or not other:
        return []
    if mine[0] == other[0]:
        return [(0, 0), *((g + 1, s + 1) for g, s in common(mine[1:], other[1:]))]
    without, against = common(mine[1:], other), common(mine, other[1:])
    if len(without) >= len(against):
        return [(g + 1, s) for g, s in without]
    return [(g, s + 1) for g, s in against]


LETTERS = "abAé"


@st.composite
def tokenized(draw: st.DrawFn, text: str) -> list[Token]:
    """The text in tokens, of which some are multi-word tokens with its own letters or others, some with spaces."""
    cuts = sorted({0, len(text), *draw(st.sets(st.integers(0, len(text))))})
    items: list[Token] = []
    for start, end in pairwise(cuts):
        form = text[start:end] + draw(st.sampled_from(["", "", "", "\u3000"]))
        own = st.just(tuple(text[start:end]))
        others = st.lists(st.sampled_from([*LETTERS, "ab", "B"]), min_size=1, max_size=3).map(tuple)
        inner = draw(st.one_of(st.none(), own, others))
        items.append(form if inner is None else (form, *inner))
    return items


@st.composite
def two_sides(draw: st.DrawFn) -> Sides:
    text = draw(st.text(LETTERS, min_size=1, max_size=14))
    return draw(tokenized(text)), draw(tokenized(text))


@given(two_sides())
def test_the_alignment_is_what_the_walk_over_the_whole_text_finds(sides: Sides) -> None:
    gold, system = sides
    assert aligned(gold, system) == walked(listed(gold), listed(system))


def conllu(tokens: Sequence[Token], breaks: set[int]) -> str:
    """A file of these tokens, with a new sentence behind some characters: chains of words, every second one a det."""
    lines, number, end = [], 0, 0
    for token in tokens:
        surface, *forms = token if isinstance(token, tuple) else (token, token)
        if isinstance(token, tuple):
            lines.append("\t".join([f"{number + 1}-{number + len(forms)}", surface, *"_" * 8]))
        for form in forms:
            relation = "det" if number % 2 else "obj"
            lines.append("\t".join([str(number + 1), form, form, "X", "Y", "_", str(number), relation, "_", "_"]))
            number += 1
        end += len(surface.replace("\u3000", ""))
        if end in breaks:
            lines.append("")
            number = 0
    return "\n".join(lines) + "\n"


def tallied(gold: Path, system: Path, sizes: list[int], portion: int) -> dict[str, object]:
    """All counts, from blocks of so many bytes on either side, and portions of so many words."""
    size_of, blocks = dict(zip((gold, system), sizes, strict=True)), Source.blocks
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            Source, "blocks", lambda self, size, **how: blocks(self, size if how else size_of[self.path], **how)
        )
        patch.setattr("evenhand.tasks.words.evaluation.MANY_WORDS", portion)
        tallies = eh.score(gold, system).tallies
    return {judge: tally.total().cells() for judge, tally in tallies.items()}


SIZES = st.lists(st.sampled_from([1, 40, 90, 1 << 18]), min_size=2, max_size=2)
BREAKS = st.lists(st.sets(st.integers(1, 13), max_size=4), min_size=3, max_size=3)
WAITING = (parsed("abc de=c+x"), parsed("a b c de"))
"""The system's `c`, before a sentence end of both sides, is aligned with a word behind it."""


@example(WAITING, [{3}, set(), set()], [1, 1], 1)
@given(two_sides(), BREAKS, SIZES, st.sampled_from([1, 4, 20]))
def test_batches_of_any_size_give_the_same_tallies(
    tmp_path_factory: pytest.TempPathFactory, sides: Sides, breaks: list[set[int]], sizes: list[int], portion: int
) -> None:
    """Sentences end behind characters that both sides share, and behind others of each side."""
    folder, (shared, *own) = tmp_path_factory.mktemp("words"), breaks
    gold, system = folder / "gold.conllu", folder / "system.conllu"
    for path, tokens, others in zip((gold, system), sides, own, strict=True):
        path.write_text(conllu(tokens, shared | others))
    assert tallied(gold, system, sizes, portion) == tallied(gold, system, [1 << 18, 1 << 18], 1 << 14)
