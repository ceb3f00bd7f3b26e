"""The layer of chains: parts of it, several as one, and which mentions cover the same tokens."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from build_chains import Row, layer, rows
from evenhand.data.structures import Chains, mention_spans
from evenhand.data.vocabulary import Vocabulary

DOCUMENTS = st.lists(rows(most=5), min_size=1, max_size=5)


def columns(chains: Chains) -> list[tuple[int, int, int]]:
    return list(zip(*(each.tolist() for each in (chains.document, chains.start, chains.end)), strict=True))


@settings(max_examples=60)
@given(DOCUMENTS)
def test_clusters_are_plain_lists(documents: list[list[Row]]) -> None:
    expected = []
    for mentions in documents:
        by_chain: dict[int, list[tuple[int, int]]] = {}
        for chain, first, last in mentions:
            by_chain.setdefault(chain, []).append((first, last + 1))
        expected.append(list(by_chain.values()))
    assert layer(documents).clusters(len(documents)) == expected


@settings(max_examples=60)
@given(DOCUMENTS, st.data())
def test_some_documents_in_another_order(documents: list[list[Row]], data: st.DataObject) -> None:
    """They are numbered anew; -1 stands for an empty one."""
    chosen = [*data.draw(st.permutations(range(len(documents)))), -1]
    actual = layer(documents).documents(np.array(chosen))
    expected = layer([documents[place] if place >= 0 else [] for place in chosen])
    assert columns(actual) == columns(expected)
    assert actual.clusters(len(chosen)) == expected.clusters(len(chosen))


@settings(max_examples=60)
@given(st.lists(DOCUMENTS, min_size=1, max_size=3))
def test_several_as_one(parts: list[list[list[Row]]]) -> None:
    """No chain of one part becomes one with a chain of another."""
    before = np.cumsum([0, *map(len, parts)]).tolist()
    joined = Chains.concatenate([layer(part) for part in parts], before[:-1])
    whole = layer([document for part in parts for document in part])
    assert columns(joined) == columns(whole)
    assert joined.clusters(before[-1]) == whole.clusters(before[-1])


@settings(max_examples=60)
@given(DOCUMENTS, DOCUMENTS)
def test_numbers_of_spans_are_equal_where_tokens_are(left: list[list[Row]], right: list[list[Row]]) -> None:
    """And sorted as documents, first and last tokens are."""
    sides = layer(left), layer(right)
    numbers = np.concatenate(mention_spans(*sides)).tolist()
    mentions = [mention for side in sides for mention in columns(side)]
    assert [len(each) for each in mention_spans(*sides)] == [len(side) for side in sides]
    order = {mention: place for place, mention in enumerate(sorted(set(mentions)))}
    ranks = {number: place for place, number in enumerate(sorted(set(numbers)))}
    assert [ranks[number] for number in numbers] == [order[mention] for mention in mentions]


def test_gaps_are_kept_in_another_vocabulary() -> None:
    first, second = Vocabulary(), Vocabulary()
    second.shapes.code((2,))
    plain = layer([[(0, 0, 3)]], first)
    gapped = Chains(first, plain.document, plain.start, plain.end, plain.chain, np.array([first.shapes.code((1,))]))
    moved = gapped.into(second)
    assert moved.vocabulary is second
    assert [second.shapes[code] for code in moved.shape.tolist()] == [(1,)]
    joined = Chains.concatenate([layer([[(0, 0, 3)]], second), gapped], [0, 0])
    assert [second.shapes[code] for code in joined.shape.tolist()] == [(), (1,)]
    one, other = mention_spans(plain, gapped)
    assert one.tolist() != other.tolist()


def test_no_mentions() -> None:
    nothing = Chains.none(Vocabulary())
    assert (len(nothing), nothing.clusters(2)) == (0, [[], []])
    assert len(nothing.documents(np.array([0, -1, 1]))) == 0
    assert [len(each) for each in mention_spans(nothing, layer([[(0, 0, 0)]]))] == [0, 1]
