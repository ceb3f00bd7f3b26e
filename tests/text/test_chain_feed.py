"""The documents of a system in the order of the gold standard's: whatever their order and batches are."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import evenhand as eh
from build_chains import Row, annotation, clusters, rows
from declared import run_of, score_settings
from evenhand.alignment.mentions import ChainFeed
from evenhand.data.annotation import Annotation
from evenhand.data.vocabulary import Vocabulary

Documents = dict[str, list[Row]]
WORDS = ("the", "quick", "brown", "fox", "jumps", "over")


def batches(documents: Documents, cuts: Sequence[int], words: Sequence[str] | None = WORDS) -> list[Annotation]:
    """Documents in batches that end at some of them."""
    names = list(documents)
    edges = sorted({0, len(names), *(cut for cut in cuts if cut < len(names))})
    return [
        annotation([documents[name] for name in names[first:last]], names=names[first:last], words=words)
        for first, last in pairwise(edges)
    ]


def feed_of(system: Sequence[Annotation], gold: Sequence[Annotation], *, strict: bool = False) -> ChainFeed:
    return ChainFeed(lambda: iter(system), lambda: iter(gold), strict=strict)


def taken(feed: ChainFeed, gold: Sequence[Annotation]) -> list[list[list[tuple[int, ...]]]]:
    """The chains of every document of the gold standard, with inclusive ends."""
    found = [chains for batch in gold for chains in feed.take(batch).clusters(len(batch.corpus.names))]
    feed.finish()
    return [[[(start, end - 1) for start, end in chain] for chain in chains] for chains in found]


NAMES = st.lists(st.sampled_from("abcdefgh"), unique=True, min_size=1)
CUTS = st.lists(st.integers(1, 7))


@settings(max_examples=100)
@given(NAMES, NAMES, CUTS, CUTS, st.lists(rows(most=4), min_size=8, max_size=8), st.booleans())
def test_documents_are_matched_by_name(
    gold: list[str], system: list[str], cuts: list[int], others: list[int], mentions: list[list[Row]], strict: bool
) -> None:
    """Missing, extra, moved and renamed ones, in any batches."""
    chains = dict(zip("abcdefgh", mentions, strict=True))
    golds = batches({name: [] for name in gold}, cuts)
    feed = feed_of(batches({name: chains[name] for name in system}, others), golds, strict=strict)
    if not set(gold) & set(system):
        with pytest.raises(eh.InputError, match="no document of the gold standard is here"):
            taken(feed, golds)
        return
    assert taken(feed, golds) == [clusters(chains[name]) if name in system else [] for name in gold]
    assert feed.found.missing == [name for name in gold if name not in system]
    assert sorted(feed.found.extra) == sorted(set(system) - set(gold))
    assert feed.found.words == 0


@settings(max_examples=50)
@given(NAMES, CUTS, CUTS)
def test_words_that_differ_are_counted(names: list[str], cuts: list[int], others: list[int]) -> None:
    golds = batches({name: [] for name in names}, cuts)
    system = batches({name: [] for name in names[::-1]}, others, ("The", "quick", "brown", "fix", "jumps", "over"))
    feed = feed_of(system, golds)
    taken(feed, golds)
    assert feed.found.words == 2 * len(names)
    assert feed.found.first_word == "chains: found 'The' where the gold standard has 'the'"
    with pytest.raises(
        eh.InputError, match="chains: found 'The' where the gold standard has 'the'; give the same words"
    ):
        taken(feed_of(system, golds, strict=True), golds)


def test_the_first_word_that_differs_is_told() -> None:
    golds = batches({"a": [], "b": []}, [])
    others = [(*WORDS[:5], "under"), ("The", *WORDS[1:])]
    system = [annotation([[]], names=[name], words=words) for name, words in zip("ab", others, strict=True)]
    feed = feed_of(system, golds)
    taken(feed, golds)
    assert feed.found.first_word == "chains: found 'under' where the gold standard has 'over'"
    assert feed.found.words == 2


@pytest.mark.parametrize("side", ["gold", "system"])
def test_without_words_there_is_nothing_to_check(side: str) -> None:
    golds = batches({"a": []}, [], None if side == "gold" else WORDS)
    feed = feed_of(batches({"a": []}, [], None if side == "system" else WORDS[::-1]), golds, strict=True)
    taken(feed, golds)
    assert feed.found.words == 0


def test_other_numbers_of_tokens_are_an_error() -> None:
    golds = [annotation([[], []], names=["a", "b"], size=6)]
    system = [annotation([[]], names=["a"], size=6), annotation([[]], names=["b"], size=7)]
    with pytest.raises(eh.InputError, match="the document b has 7 tokens, in the gold standard 6"):
        taken(feed_of(system, golds), golds)


class _Watched:
    """Streams whose batches are counted as long as anybody keeps them."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._batches: list[weakref.ref[Annotation]] = []
        self.opened = 0
        self.most = 0

    def __call__(self) -> Iterator[Annotation]:
        self.opened += 1
        for name in self._names:
            batch = annotation([[(0, 0, 0), (0, 1, 2)]], names=[name], words=WORDS)
            self._batches.append(weakref.ref(batch))
            self.most = max(self.most, sum(each() is not None for each in self._batches))
            yield batch
            del batch


def _fed(system: _Watched, gold: _Watched) -> None:
    feed = ChainFeed(system, gold, strict=True)
    for batch in gold():
        assert len(feed.take(batch)) == 2
    feed.finish()


def _scored(system: _Watched, gold: _Watched) -> None:
    chosen = score_settings("chains", ("muc", "mela", "arcs_any"), "position")
    run = run_of(gold, {"system": system}, chosen, Vocabulary(), "document")
    assert run.documents == 30


@pytest.mark.parametrize("use", [_fed, _scored], ids=["feed", "run"])
def test_documents_in_the_same_order_are_let_go(use: Callable[[_Watched, _Watched], None]) -> None:
    names = [f"document {number}" for number in range(30)]
    system, gold = _Watched(names), _Watched(names)
    use(system, gold)
    assert max(system.most, gold.most) <= 3
    assert (system.opened, gold.opened) == (1, 1)


def test_only_documents_that_come_too_early_wait() -> None:
    """The last document comes first, and waits for its turn; all others go at once."""
    names = [f"document {number}" for number in range(30)]
    system, gold = _Watched([names[-1], *names[:-1]]), _Watched(names)
    _fed(system, gold)
    assert system.most <= 4
    assert (system.opened, gold.opened) == (2, 2)


def test_an_extra_document_does_not_wait() -> None:
    names = [f"document {number}" for number in range(30)]
    system, gold = _Watched(["another", *names]), _Watched(names)
    _fed(system, gold)
    assert system.most <= 3
