"""Tokens of spans as bits."""

from __future__ import annotations

from hypothesis import given

from build import pair, rows
from evenhand.tasks.spans.token_bits import shared_bits, token_bits


def test_a_bit_a_token_from_the_start_of_the_span() -> None:
    gold, _ = pair([("A", 3, 5), ("A", 2, 6, [2, 3, 6]), ("A", 2, 1)], [])
    assert token_bits(gold) == [0b111, 0b10011, 0]


@given(rows(), rows())
def test_shared_bits_are_the_tokens_of_both(target: list, system: list) -> None:
    gold, predicted = pair(target, system)
    for bits, tokens, start in zip(token_bits(gold), gold.token_sets(), gold.start.tolist(), strict=True):
        for other in range(len(predicted)):
            other_start, other_bits = int(predicted.start[other]), token_bits(predicted)[other]
            shared = shared_bits(bits, start, other_bits, other_start)
            both = {max(start, other_start) + place for place in range(shared.bit_length()) if shared >> place & 1}
            assert both == tokens & predicted.token_sets()[other]
