"""The longest chain of occurrences in the order of the output, and which places are taken."""

from __future__ import annotations

from itertools import pairwise, product

from hypothesis import given
from hypothesis import strategies as st

from evenhand.grounding.placement import Occupancy, greedy_chain, longest_chain
from evenhand.grounding.search import Span


def test_as_many_items_as_possible_are_in_the_chain() -> None:
    assert longest_chain([[(20, 22)], [(0, 2), (30, 32)], [(4, 6)], [(8, 10)]]) == {1: (0, 2), 2: (4, 6), 3: (8, 10)}


def test_of_equally_long_chains_the_one_with_the_earliest_end_counts() -> None:
    assert longest_chain([[(0, 2), (10, 12)], [(4, 6), (20, 22)]]) == {0: (0, 2), 1: (4, 6)}


def test_only_a_strictly_earlier_end_replaces_a_chain() -> None:
    assert longest_chain([[(4, 6)], [(0, 6)]]) == {0: (4, 6)}


def test_an_item_is_in_the_chain_once() -> None:
    assert longest_chain([[(0, 2), (4, 6), (8, 10)]]) == {0: (0, 2)}


def test_the_greedy_chain_takes_the_first_occurrence_at_or_after_the_cursor() -> None:
    assert greedy_chain([[(4, 6)], [(0, 2), (6, 8)], [(0, 2)], [(8, 9)]]) == {0: (4, 6), 1: (6, 8), 3: (8, 9)}


spans = st.lists(st.integers(0, 7), unique=True, max_size=4).map(
    lambda starts: [(2 * start, 2 * start + 2) for start in sorted(starts)]
)


@given(st.lists(spans, max_size=5))
def test_no_chain_is_longer_and_none_as_long_ends_earlier(candidates: list[list[Span]]) -> None:
    chain = longest_chain(candidates)
    placed = [chain[number] for number in sorted(chain)]
    assert all(span in candidates[number] for number, span in chain.items())
    assert all(one[1] <= other[0] for one, other in pairwise(placed))
    possible = [[span for span in choice if span] for choice in product(*([None, *each] for each in candidates))]
    chains = [choice for choice in possible if all(one[1] <= other[0] for one, other in pairwise(choice))]
    longest = max(map(len, chains))
    assert len(placed) == longest
    if longest:
        assert placed[-1][1] == min(choice[-1][1] for choice in chains if len(choice) == longest)


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(1, 6)), max_size=8), st.integers(0, 25), st.integers(1, 5))
def test_occupancy_knows_all_overlaps(sizes: list[tuple[int, int]], start: int, size: int) -> None:
    placed = [(begin, begin + length) for begin, length in sizes]
    occupancy = Occupancy((span, "PER") for span in placed[::2])
    for span in placed[1::2]:
        occupancy.add(span, "PER")
    end = start + size
    assert occupancy.overlaps((start, end)) == any(begin < end and start < behind for begin, behind in placed)


def test_occupancy_chooses_free_spans_then_other_spans_then_other_labels() -> None:
    occupancy = Occupancy()
    choices = [(0, 4), (6, 8), (10, 12)]
    chosen = list[Span | None]()
    occupancy.add((0, 4), "PER")
    occupancy.add((7, 9), "PER")
    for label in ("PER", "PER", "LOC", "LOC", "PER"):
        span = occupancy.choose(choices, label, "key")
        chosen.append(span)
        if span:
            occupancy.add(span, label)
    assert chosen == [(10, 12), (6, 8), (0, 4), (6, 8), None]


def test_occupancy_chooses_within_rows() -> None:
    occupancy = Occupancy()
    choices = [(0, 4), (6, 8), (10, 12)]
    assert occupancy.choose(choices, "PER", "key", (1, 2)) == (6, 8)
    assert occupancy.choose(choices, "PER", "key", (2, 2)) is None
    assert occupancy.choose(choices, "PER", "key") == (0, 4)
