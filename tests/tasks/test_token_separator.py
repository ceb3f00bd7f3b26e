"""Tokens and separators: the contingency tables, and what they must agree with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import evenhand as eh
from build import Row, rows

LENGTH = 15
SENTENCES = st.lists(st.tuples(rows(), rows()), min_size=1, max_size=4)
WORDS = st.sampled_from(["O", "B-A", "I-A", "B-B", "I-B"])
TAGS = st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=12)


def annotation(sentences: Sequence[Sequence[Row]]) -> eh.Annotation:
    """Spans on sentences of fifteen tokens, as a file with the text would give them."""
    plain = [[(label, first - 1, last) for label, first, last, *_ in spans] for spans in sentences]
    return eh.spans(plain, end="exclusive", lengths=[LENGTH] * len(sentences))


def scored(sentences: list[tuple[list[Row], list[Row]]], **options: object) -> eh.Result:
    gold, system = annotation([t for t, _ in sentences]), annotation([s for _, s in sentences])
    return eh.score(gold, system, **{"match": "ts,t", **options})  # type: ignore[typeddict-item]


def by_definition(sentences: list[tuple[list[Row], list[Row]]], label: str) -> Counter[str]:
    """TP, FP, FN and TN of one label, unit by unit: tokens are even, separators odd."""
    outcome: Counter[str] = Counter()
    for sides in sentences:
        counts = []
        for spans in sides:
            mine = [range(2 * first, 2 * last + 1) for name, first, last, *_ in spans if name == label]
            counts.append(Counter(unit for span in mine for unit in span))
        for unit in range(2, 2 * LENGTH + 1):
            gold, system = counts[0][unit], counts[1][unit]
            outcome.update(TP=min(gold, system), FP=max(0, system - gold), FN=max(0, gold - system))
            outcome["TN"] += gold == system == 0
    return outcome


@given(SENTENCES)
def test_tables_are_what_the_definition_says(sentences: list[tuple[list[Row], list[Row]]]) -> None:
    """Nested, crossing and repeated spans of a tag among them: units count as often as spans are on them."""
    for label, row in scored(sentences)["ts"].labels.items():
        expected = by_definition(sentences, label)
        assert {kind: row[kind] for kind in ("TP", "FP", "FN", "TN")} == {
            kind: expected[kind] for kind in ("TP", "FP", "FN", "TN")
        }


@given(TAGS)
def test_a_table_sums_to_the_number_of_units(tags: list[tuple[str, str]]) -> None:
    """2n - 1 in a sentence of n tokens, where no two spans of a tag overlap."""
    gold, system = eh.tags([[t for t, _ in tags]]), eh.tags([[s for _, s in tags]])
    result = eh.score(gold, system, match="ts,t")
    for model, units in (("ts", 2 * len(tags) - 1), ("t", len(tags))):
        for row in result[model].labels.values():
            assert sum(row[kind] for kind in ("TP", "FP", "FN", "TN")) == units


@given(st.lists(st.tuples(st.sampled_from(["O", "B-A", "B-B"]), st.sampled_from(["O", "B-A", "B-B"])), min_size=1))
def test_ts_equals_t_where_all_spans_have_one_token(tags: list[tuple[str, str]]) -> None:
    result = eh.score(eh.tags([[t for t, _ in tags]]), eh.tags([[s for _, s in tags]]), match="ts,t")
    assume(result.gold.units)
    assert result["ts"].f1 == result["t"].f1
    assert result["ts"].overall.f1 == result["t"].overall.f1


@given(SENTENCES)
def test_several_spans_of_a_tag_on_a_unit_add_nothing_where_there_are_none(
    sentences: list[tuple[list[Row], list[Row]]],
) -> None:
    """The tables by presence and by multiplicity are equal where no two spans of a tag overlap."""
    apart = [tuple(_without_overlaps(side) for side in sides) for sides in sentences]
    tally = scored(apart).tallies["units"]  # type: ignore[arg-type]
    assert not [kind for *_, kind in tally.cells() if kind.endswith("+")]


def _without_overlaps(spans: list[Row]) -> list[Row]:
    kept: list[Row] = []
    for label, first, last, *_ in spans:
        if all(name != label or last < begin or first > end for name, begin, end, *_ in kept):
            kept.append((label, first, last))
    return kept


@given(SENTENCES)
def test_the_trivial_acceptor(sentences: list[tuple[list[Row], list[Row]]]) -> None:
    """2 f / (1 + f) for a share f of positive units, as a system that tags all of each sentence gets it."""
    labels = sorted({name for gold, _ in sentences for name, *_ in gold})
    everything = [(gold, [(label, 1, LENGTH) for label in labels]) for gold, _ in sentences]
    apart = [(_without_overlaps(gold), system) for gold, system in everything]
    score = scored(apart, baselines=True)["ts"]
    assert score.baselines["rejector"] == 0
    assert score.baselines["acceptor"] == (pytest.approx(score.f1) if labels else None)


def test_accuracy_specificity_and_kappa_by_hand() -> None:
    """TP 2, FP 1, FN 1, TN 6 tokens: p_o = .8, p_e = (3 · 3 + 7 · 7) / 100 = .58, kappa = .22 / .42."""
    gold = [["B-A", "B-A", "B-A", "O", "O", "O", "O", "O", "O", "O"]]
    system = [["B-A", "B-A", "O", "B-A", "O", "O", "O", "O", "O", "O"]]
    row = eh.score(eh.tags(gold), eh.tags(system), match="t")["t"].labels["A"]
    assert row["accuracy"] == pytest.approx(0.8)
    assert row["specificity"] == pytest.approx(6 / 7)
    assert row["false_positive_rate"] == pytest.approx(1 / 7)
    assert row["kappa"] == pytest.approx(0.22 / 0.42)
    assert row["positive"] == pytest.approx(0.3)


def test_without_lengths_there_are_no_true_negatives() -> None:
    gold, system = eh.spans([[("A", 0, 2)]], end="exclusive"), eh.spans([[("A", 0, 1)]], end="exclusive")
    result = eh.score(gold, system, match="ts", baselines=True)
    row = result["ts"].labels["A"]
    assert (row["TP"], row["FP"], row["FN"]) == (1, 0, 2)
    assert row.counts["TN"] is None
    assert row.more["kappa"] is None
    assert result["ts"].baselines["acceptor"] is None
    with pytest.raises(KeyError, match="lengths of sentences"):
        row["TN"]


def test_a_supertag_stands_beside_the_labels() -> None:
    """LOC for GPE is wrong by label and right as a PLACE; no average changes."""
    gold, system = eh.tags([["B-LOC", "O", "B-PER"]]), eh.tags([["B-GPE", "O", "B-PER"]])
    plain = eh.score(gold, system, match="exact,ts")
    result = eh.score(gold, system, match="exact,ts", supertag=["ENTITY", "PLACE=LOC,GPE"])
    for model in ("exact", "ts"):
        assert result[model].supertags["ENTITY"].f1 == 1
        assert result[model].supertags["PLACE"]["TP"] == 1
        assert (result[model].overall, result[model].macro) == (plain[model].overall, plain[model].macro)


def test_levels_that_are_separate_have_units_of_their_own() -> None:
    nested = eh.tags([["B-A|B-A", "I-A|O"]])
    row = eh.score(nested, nested, match="ts", levels="separate")["ts"].labels["A"]
    assert [row[kind] for kind in ("TP", "FP", "FN", "TN")] == [4, 0, 0, 2]


def test_a_gap_takes_its_token_and_the_separators_around_it() -> None:
    gold = eh.spans([[("A", 0, 4, (0, 1, 3))]], end="exclusive", lengths=[4])
    row = eh.score(gold, eh.spans([[("A", 0, 4)]], end="exclusive", lengths=[4]), match="ts")["ts"].labels["A"]
    assert [row[kind] for kind in ("TP", "FP", "FN", "TN")] == [4, 3, 0, 0]
