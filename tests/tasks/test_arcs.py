"""ARCS: the definition taken literally, every cell of its table, and what is nominal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import nan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import evenhand as eh
import slow_arcs
from build_chains import TAGS, Row, Rows, annotation, clusters, layer, rows
from evenhand.tasks.chains.arcs import ArcMatches, Mentions, all_mentions, is_nominal, match_antecedents
from evenhand.tasks.chains.mentions import first_only
from evenhand.tasks.chains.task import ARCS_KINDS
from slow_chains import Chains
from slow_chains import first_only as slow_first_only

SIZE = 6
POS = st.lists(st.sampled_from(TAGS), min_size=SIZE, max_size=SIZE)
Classes = dict[tuple[int, ...], tuple[str, ...]]


def judged(key: Rows, responses: Sequence[Rows], mode: str, pos: Sequence[str] | None = None) -> Classes:
    """What each mention is under each response."""
    actual, verdicts = _verdicts(key, responses, mode, pos)
    return dict(
        zip(
            _spans(actual),
            (tuple(ARCS_KINDS[kind] for kind in column) for column in verdicts.kind.T.tolist()),
            strict=True,
        )
    )


def _verdicts(
    key: Rows, responses: Sequence[Rows], mode: str, pos: Sequence[str] | None = None
) -> tuple[Mentions, ArcMatches]:
    mentions = all_mentions(first_only(layer([key])), [layer([response]) for response in responses])
    if mode == "any":
        return mentions, match_antecedents(mentions)
    assert pos is not None
    code = np.array([TAGS.index(tag) for tag in pos])[mentions.mentions.start]
    is_noun = np.array([tag in slow_arcs.NOUNS for tag in TAGS])
    return mentions, match_antecedents(mentions, is_nominal(mentions.mentions, is_noun[code]))


def _spans(found: Mentions) -> list[tuple[int, ...]]:
    return [
        (start, end - 1) for start, end in zip(found.mentions.start.tolist(), found.mentions.end.tolist(), strict=True)
    ]


def slow(mentions: Rows) -> Chains:
    return slow_first_only(clusters(mentions))[0]


@pytest.mark.parametrize("mode", ["any", "nom"])
@given(key=rows(), responses=st.lists(rows(), min_size=1, max_size=3), pos=POS)
def test_fast_equals_slow(mode: str, key: list[Row], responses: list[list[Row]], pos: list[str]) -> None:
    expected = slow_arcs.arcs_classes(slow(key), [slow(each) for each in responses], mode, pos)
    assert judged(key, responses, mode, pos) == expected


@pytest.mark.parametrize("mode", ["any", "nom"])
@settings(max_examples=80)
@given(key=rows(), response=rows(), pos=POS)
def test_the_closest_antecedents(mode: str, key: list[Row], response: list[Row], pos: list[str]) -> None:
    """The last ones that count; of the response's under any, the last one that is right, if one is."""
    antecedents, verdicts = _verdicts(key, [response], mode, pos)
    spans = _spans(antecedents)

    def before(span: tuple[int, ...], chains: Chains) -> list[tuple[int, ...]]:
        antecedents = slow_arcs.antecedents(span, chains)
        return [antecedent for antecedent in antecedents if mode == "any" or slow_arcs.is_nominal(antecedent, pos)]

    for row, span in enumerate(spans):
        in_key, in_response = before(span, slow(key)), before(span, slow(response))
        right = [antecedent for antecedent in in_response if antecedent in in_key] if mode == "any" else []
        for item, expected in (
            (verdicts.key_antecedent[row], in_key),
            (verdicts.antecedent[0, row], right or in_response),
        ):
            assert (spans[item] if item >= 0 else None) == (expected[-1] if expected else None)


@settings(max_examples=60)
@given(st.lists(st.tuples(rows(), rows(), POS), min_size=1, max_size=3))
def test_scores_overall_and_by_type(documents: list[tuple[list[Row], list[Row], list[str]]]) -> None:
    keys, responses, pos = zip(*documents, strict=True)
    result = eh.score(annotation(keys, pos=pos), annotation(responses), match="arcs")
    for mode in ("any", "nom"):
        by_type: dict[str, Counter[str]] = {}
        for key, response, tags in documents:
            classes = slow_arcs.arcs_classes(slow(key), [slow(response)], mode, tags)
            for mention, (name,) in classes.items():
                kind = "nouns" if slow_arcs.is_nominal(mention, tags) else tags[mention[0]]
                by_type.setdefault(kind, Counter())[name] += 1
        actual = result[f"arcs_{mode}"]
        assert {kind: dict(row.counts) for kind, row in actual.labels.items()} == {
            kind: {name: counts[name] for name in ARCS_KINDS} for kind, counts in by_type.items()
        }
        total = sum(by_type.values(), Counter())
        assert dict(actual.overall.counts) == {name: total[name] for name in ARCS_KINDS}
        for row, counts in [(actual.overall, total), *((actual.labels[kind], by_type[kind]) for kind in by_type)]:
            is_undefined = row is actual.overall and not result.gold.units
            expected = (nan, nan, nan) if is_undefined else tuple(slow_arcs.arcs_prf([counts]))
            assert (row.precision, row.recall, row.f1) == pytest.approx(expected, nan_ok=True)


A, B, C, D = (0, 0), (1, 1), (2, 2), (3, 3)
TABLE: dict[str, tuple[Rows, Rows, dict[str, str]]] = {
    "tn: first in both": ([(0, *A), (0, *B)], [(0, *A), (0, *B)], {"any": "tn tp", "nom": "tn tp"}),
    "tn: alone in the key, absent in the response": ([(0, *A)], [], {"any": "tn", "nom": "tn"}),
    "tn: absent in the key, alone in the response": ([], [(0, *A)], {"any": "tn", "nom": "tn"}),
    "fp: first in the key": ([(0, *B)], [(0, *A), (0, *B)], {"any": "tn fp", "nom": "tn fp"}),
    "fp: absent in the key": ([(0, *A)], [(0, *A), (0, *B)], {"any": "tn fp", "nom": "tn fp"}),
    "fn: absent in the response": ([(0, *A), (0, *B)], [(0, *A)], {"any": "tn fn", "nom": "tn fn"}),
    "fn: first in the response": ([(0, *A), (0, *B)], [(0, *B), (0, *C)], {"any": "tn fn fp", "nom": "tn fn fp"}),
    "wl: another antecedent": ([(0, *A), (0, *C)], [(0, *B), (0, *C)], {"any": "tn tn wl", "nom": "tn tn wl"}),
    "the closest antecedent is wrong, another one right": (
        [(0, *A), (0, *C)],
        [(0, *A), (0, *B), (0, *C)],
        {"any": "tn fp tp", "nom": "tn fp wl"},
    ),
    "the closest antecedent is right, but not the key's closest": (
        [(0, *A), (0, *B), (0, *C)],
        [(0, *A), (0, *C)],
        {"any": "tn fn tp", "nom": "tn fn tp"},
    ),
}


@pytest.mark.parametrize("cell", TABLE)
def test_every_cell_of_the_table(cell: str) -> None:
    """All mentions are nouns, in the order of their places."""
    key, response, expected = TABLE[cell]
    for mode in ("any", "nom"):
        found = judged(key, [response], mode, ["NN"] * SIZE)
        assert " ".join(found[span][0] for span in sorted(found)) == expected[mode]


def test_antecedents_that_are_no_nouns_do_not_count_as_nominal() -> None:
    """She (0) … she (1) … Ada (2) … she (3): under nom only Ada is an antecedent."""
    chain, pos = [(0, *A), (0, *B), (0, *C), (0, *D)], ["PRP", "PRP", "NNP", "PRP", "DT", "DT"]
    assert [judged(chain, [chain], mode, pos)[B] for mode in ("any", "nom")] == [("tp",), ("tn",)]
    assert [judged(chain, [chain], mode, pos)[D] for mode in ("any", "nom")] == [("tp",), ("tp",)]
    other = [(0, *A), (0, *D)]
    assert [judged(chain, [other], mode, pos)[D] for mode in ("any", "nom")] == [("tp",), ("fn",)]


def test_an_antecedent_of_the_response_that_only_it_has_is_wrong() -> None:
    """Under nom: the closest nominal antecedent has no chain in the key at all."""
    assert judged([(0, *A), (0, *C)], [[(0, *B), (0, *C)]], "nom", ["NN"] * SIZE)[C] == ("wl",)


def test_mentions_are_sorted_by_first_and_last_token() -> None:
    """The shorter one of two that begin together comes first, however the file has them."""
    assert judged([(0, 0, 2), (0, 0, 0)], [[(0, 0, 2), (0, 0, 0)]], "any") == {(0, 0): ("tn",), (0, 2): ("tp",)}


def test_arcs_keeps_the_first_of_repeated_spans_in_the_key_or_not() -> None:
    response = [(0, *A), (0, *C), (1, *B), (1, *C)]
    assert judged([(0, *A), (0, *C)], [response], "any")[C] == ("tp",)
    assert judged([(0, *A), (0, *C)], [[*response[2:], *response[:2]]], "any")[C] == ("wl",)
    assert judged([(0, *A)], [response], "any") == {A: ("tn",), B: ("tn",), C: ("fp",)}


def test_several_responses_have_the_mentions_of_all() -> None:
    found = judged([(0, *A)], [[(0, *B)], [(0, *C), (0, *D)], []], "any")
    assert found == {A: ("tn",) * 3, B: ("tn",) * 3, C: ("tn",) * 3, D: ("tn", "fp", "tn")}


def _nominal_score(pos: Sequence[str], nominal: str | None = None, last: int = 0) -> tuple[dict, dict]:
    """The overall counts and the types of two mentions in one chain: tokens 0 to `last`, and token 3."""
    chain = [[(0, 0, last), (0, *D)]]
    result = eh.score(annotation(chain, pos=[pos]), annotation(chain), match="arcs_nom", nominal=nominal)["arcs_nom"]
    return {name: n for name, n in result.overall.counts.items() if n}, {
        kind: row["tp"] for kind, row in result.labels.items()
    }


@pytest.mark.parametrize("tag", ["NN", "NNS", "NNP", "NNPS", "NE"])
def test_one_token_is_nominal_if_it_is_a_noun(tag: str) -> None:
    assert _nominal_score([tag, "DT", "DT", "PRP", "DT", "DT"]) == ({"tp": 1, "tn": 1}, {"nouns": 0, "PRP": 1})


@pytest.mark.parametrize("tag", ["PRP", "PRP$", "DT", "-", "NNX", "nn"])
def test_one_token_is_not_nominal_if_it_is_none(tag: str) -> None:
    counts, types = _nominal_score([tag, "DT", "DT", "PRP", "DT", "DT"])
    assert (counts, "nouns" in types) == ({"tn": 2}, False)


def test_several_tokens_are_nominal_whatever_they_are() -> None:
    counts, types = _nominal_score(["DT", "DT", "DT", "PRP", "DT", "DT"], last=1)
    assert (counts, types) == ({"tp": 1, "tn": 1}, {"nouns": 0, "PRP": 1})


def test_a_user_can_say_what_nouns_are() -> None:
    pos = ["NN", "DT", "DT", "N", "DT", "DT"]
    assert _nominal_score(pos, nominal="N,PN") == ({"tn": 2}, {"NN": 0, "nouns": 0})
    assert _nominal_score(pos, nominal="NN") == ({"tp": 1, "tn": 1}, {"nouns": 0, "N": 1})


def test_the_pos_of_the_key_counts() -> None:
    chain = [[(0, *A), (0, *D)]]
    nouns, others = ([[tag] * SIZE] for tag in ("NN", "PRP"))
    items = [
        eh.score(annotation(chain, pos=key), annotation(chain, pos=response), match="arcs_nom")["arcs_nom"].overall[
            "tp"
        ]
        for key, response in ((nouns, others), (others, nouns))
    ]
    assert items == [1, 0]


def test_without_pos_there_are_no_types() -> None:
    chain = [[(0, *A), (0, *D)]]
    result = eh.score(annotation(chain), annotation(chain))
    assert result["arcs_any"].labels == {}
    assert "arcs_nom" not in result.scores


def test_nothing_at_all() -> None:
    verdicts = match_antecedents(all_mentions(layer([[]]), [layer([[]]), layer([[]])]))
    assert (verdicts.kind.shape, verdicts.antecedent.shape) == ((2, 0), (2, 0))
