"""Custom match: functions of the user as measures of spans."""

from __future__ import annotations

import pickle
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import evenhand as eh
from conftest import ROOT

GOLD, CRF, TAGGER = (
    ROOT / "src" / "evenhand" / "examples" / "ner" / f"{name}.conll" for name in ("gold", "crf", "tagger")
)
Spans = list[tuple[str, int, int]]


def same_span(gold: eh.Span, system: eh.Span) -> bool:
    return (gold.label, gold.start, gold.end) == (system.label, system.start, system.end)


def shared_tokens(gold: eh.Span, system: eh.Span) -> float:
    """The shared share of the longer span, for equal labels."""
    shared = min(gold.end, system.end) - max(gold.start, system.start)
    return (gold.label == system.label) * max(shared, 0) / max(gold.end - gold.start, system.end - system.start)


def same_text(gold: eh.Span, system: eh.Span) -> bool:
    return gold.text == system.text


def counts(gold: Spans, system: Spans, match: Any, **options: Any) -> dict[str, float]:
    """The overall counts of one sentence of 12 tokens."""
    tokens = [[f"w{number}" for number in range(12)]]
    sides = (eh.spans([spans], tokens=tokens, end="exclusive") for spans in (gold, system))
    result = eh.score(*sides, match=match, **options)
    return dict(result[match.__name__].overall.counts)


def test_a_function_that_accepts_equal_spans_is_exact_match() -> None:
    results = eh.score(GOLD, [CRF, TAGGER], match=["exact", same_span])
    for result in results.values():
        exact, custom = result["exact"], result["same_span"]
        assert (custom.precision, custom.recall, custom.f1) == (exact.precision, exact.recall, exact.f1)
        assert {label: row.f1 for label, row in custom.labels.items()} == {
            label: row.f1 for label, row in exact.labels.items()
        }


def test_partial_credit() -> None:
    """Two of three tokens: credit 2/3 and no error on either side; a span without a partner is missing or spurious."""
    gold, system = [("A", 0, 3), ("A", 4, 5), ("B", 6, 7)], [("A", 1, 3), ("A", 4, 5), ("B", 8, 9)]
    found = counts(gold, system, shared_tokens)
    assert {kind: found[kind] for kind in ("TP", "PAR", "FP", "FN")} == {"TP": 1, "PAR": 1, "FP": 1, "FN": 1}
    assert found["credit"] == pytest.approx(1 + 2 / 3, abs=1e-9)


def test_the_assignment_is_one_to_one_and_has_the_largest_sum() -> None:
    """The first pair alone has the most credit (0.6), but the other two together have more (0.5 + 0.5)."""
    credit = {("A", "A"): 0.6, ("A", "B"): 0.5, ("B", "A"): 0.5, ("B", "B"): 0.0}

    def by_label(gold: eh.Span, system: eh.Span) -> float:
        return credit[gold.label, system.label]

    spans = [("A", 0, 4), ("B", 0, 4)]
    assert counts(spans, spans, by_label) == {"TP": 0, "PAR": 2, "FP": 0, "FN": 0, "credit": 1}


def test_only_spans_that_share_a_token_are_asked_about() -> None:
    asked = []

    def remember(gold: eh.Span, system: eh.Span) -> bool:
        asked.append((gold.start, system.start))
        return True

    spans = [("A", 0, 2), ("A", 3, 5)]
    counts(spans, [("A", 1, 2), ("A", 4, 6)], remember)
    assert asked == [(0, 1), (3, 4)]
    remember.all_pairs = True  # type: ignore[attr-defined]
    asked.clear()
    counts(spans, [("A", 1, 2), ("A", 4, 6)], remember)
    assert sorted(asked) == [(0, 1), (0, 4), (3, 1), (3, 4)]


def test_a_span_as_a_function_gets_it() -> None:
    """Tokens of the sentence in a file of tokens, characters in a text; sentences count from 1."""
    seen = []

    def remember(gold: eh.Span, system: eh.Span) -> bool:
        seen.append(gold)
        assert gold == system
        return True

    gold = eh.spans([[("PER", 0, 12)]], text=["Ada Lovelace wrote."], end="exclusive")
    eh.score(gold, gold, match=remember)
    tokens = [["Ada", "Lovelace", "wrote"], ["Ben", "read"]]
    tags = eh.tags([["B-PER", "I-PER", "O"], ["B-PER", "O"]], tokens=tokens)
    eh.score(tags, tags, match=remember)
    assert seen == [
        eh.Span("PER", 0, 12, "Ada Lovelace", 1, "1"),
        eh.Span("PER", 0, 2, "Ada Lovelace", 1, "1"),
        eh.Span("PER", 0, 1, "Ben", 2, "1"),
    ]


def test_separate_levels_are_matched_separately(tmp_path: Path) -> None:
    """The inner gold span is on the second level, the same span of the system on the first one."""
    gold, system = tmp_path / "gold.conll", tmp_path / "system.conll"
    gold.write_text("a B-A O\nb I-A B-A\nc I-A O\n")
    system.write_text("a O O\nb B-A O\nc O O\n")
    found = [eh.score(gold, system, match=same_span, column=[2, 3], levels=levels) for levels in ("pooled", "separate")]
    assert [result["same_span"].overall["TP"] for result in found] == [1, 0]


@pytest.mark.parametrize("value", [2, -0.5, 1.01, float("nan"), None, "yes", [True], np.float64("inf")], ids=repr)
def test_other_values_are_refused(value: Any) -> None:
    def wrong(gold: eh.Span, system: eh.Span) -> Any:
        return value

    with pytest.raises(eh.SettingError) as raised:
        counts([("A", 0, 2)], [("B", 1, 3)], wrong)
    spans = "the gold span A 0-2 'w0 w1' in sentence 1 and the system span B 1-3 'w1 w2' in sentence 1"
    assert f"for {spans}; expected True, False or a number from 0 to 1." in str(raised.value)


@pytest.mark.parametrize("value", [True, np.True_, 1, 1.0, np.float32(1)], ids=lambda value: type(value).__name__)
def test_values_that_are_accepted(value: Any) -> None:
    def accept(gold: eh.Span, system: eh.Span) -> Any:
        return value

    assert counts([("A", 0, 2)], [("B", 1, 3)], accept)["TP"] == 1


def exact(gold: eh.Span, system: eh.Span) -> bool:
    return True


def renamed(name: str) -> Any:
    def function(gold: eh.Span, system: eh.Span) -> bool:
        return True

    function.__name__ = name
    return function


@pytest.mark.parametrize(
    ("match", "message"),
    [
        (lambda gold, system: True, "match is a function without a name; define it with def, or set its __name__."),
        (exact, "The function exact has the name of the measure exact; rename it."),
        (renamed("semeval_strict"), "has the name of the measure semeval-strict"),
        ([same_span, renamed("same_span")], "Two functions in match have the name same_span"),
        ([same_span, 3], "it must be names of measures, functions, or a list of these"),
    ],
    ids=["lambda", "measure", "spelling", "two", "number"],
)
def test_functions_that_cannot_be_measures(match: Any, message: str) -> None:
    with pytest.raises(eh.SettingError) as raised:
        eh.score(GOLD, CRF, match=match)
    assert message in str(raised.value)


def test_functions_are_measures_of_spans_only() -> None:
    tags = eh.tags([["NOUN", "VERB"]])
    with pytest.raises(eh.SettingError, match="functions are measures of spans only, not of tags"):
        eh.score(tags, tags, task="tags", match=same_span)


def test_the_signature_and_a_note_name_the_function() -> None:
    result = eh.score(GOLD, CRF, match=["exact", shared_tokens])
    assert "|match:exact,custom:shared_tokens|" in result.signature
    assert "shared_tokens: defined by your code, so the signature alone does not reproduce the scores." in result.notes
    comparison = eh.compare(GOLD, [CRF, TAGGER], by=shared_tokens, trials=0, resamples=0)
    assert "|by:custom:shared_tokens|" in comparison.signature


def test_a_saved_result_is_loaded_without_its_function() -> None:
    results = eh.score(GOLD, [CRF], match=["exact", shared_tokens])
    loaded = eh.Results.from_json(results.to_json())
    assert str(loaded) == str(results)
    assert loaded["crf"]["shared_tokens"].f1 == results["crf"]["shared_tokens"].f1
    comparison = eh.compare(GOLD, [CRF, TAGGER], by=shared_tokens, trials=100, resamples=100)
    assert str(eh.Comparison.from_json(comparison.to_json())) == str(comparison)


def test_rank_compare_gate_and_report_accept_functions() -> None:
    quick: Any = {"resamples": 50, "trials": 50}
    scores = {
        name: result["shared_tokens"].f1 for name, result in eh.score(GOLD, [CRF, TAGGER], match=shared_tokens).items()
    }
    ranking = eh.rank(GOLD, [CRF, TAGGER], match=["exact", shared_tokens], **quick)
    assert {name: standing.score for name, standing in ranking.standings["shared_tokens"].items()} == scores
    comparison = eh.compare(GOLD, [CRF, TAGGER], by=shared_tokens, **quick)
    assert comparison.pair("crf", "tagger").delta == pytest.approx(scores["tagger"] - scores["crf"])
    gate = eh.gate(GOLD, CRF, TAGGER, by=shared_tokens, floor={"shared_tokens": 0.8, "PER:recall": 0.5}, trials=1000)
    assert gate.passed
    page = eh.report(GOLD, [CRF, TAGGER], match=[shared_tokens], **quick)
    assert page.results["crf"]["shared_tokens"].f1 == scores["crf"]


def test_units_have_the_error_types_that_the_score_counts() -> None:
    units = eh.evaluate(GOLD, TAGGER, match=shared_tokens)
    score = eh.score(GOLD, TAGGER, match=shared_tokens)["shared_tokens"].overall
    for kind in ("TP", "PAR", "FP", "FN"):
        assert sum(unit.type == kind for unit in units) == score[kind]
        assert len(eh.errors(GOLD, TAGGER, match=shared_tokens, type=kind, all=True)) == score[kind]
    errors = eh.score(GOLD, TAGGER, match=["exact", shared_tokens]).errors("shared_tokens")
    assert len(errors) == sum(score[kind] or 0 for kind in ("PAR", "FP", "FN"))
    pair = eh.compare(GOLD, [CRF, TAGGER], by=shared_tokens, trials=0, resamples=0).pair("crf", "tagger")
    assert len(pair.corrections.units()) == pair.corrections.count


def test_functions_of_modules_can_be_passed_to_processes() -> None:
    assert pickle.loads(pickle.dumps(shared_tokens)) is shared_tokens
    alone = eh.score(GOLD, TAGGER, match=shared_tokens)
    assert eh.score(GOLD, TAGGER, match=shared_tokens, jobs=2)["shared_tokens"].f1 == alone["shared_tokens"].f1


def test_other_functions_cannot() -> None:
    def local(gold: eh.Span, system: eh.Span) -> bool:
        return True

    message = "The function local cannot be passed to other processes; define it in a module"
    with pytest.raises(eh.SettingError, match=message):
        eh.score(GOLD, TAGGER, match=local, jobs=2)


SENTENCE = st.lists(st.tuples(st.sampled_from("AB"), st.integers(0, 5), st.integers(1, 4)), max_size=4)


@given(SENTENCE, SENTENCE)
def test_the_sum_is_the_largest_of_all_assignments(gold: Any, system: Any) -> None:
    """Compared with all permutations; the order of spans does not matter."""
    gold, system = (sorted({(label, start, start + size) for label, start, size in side}) for side in (gold, system))
    outcome = counts(gold, system, shared_tokens)
    one, other = sorted((gold, system), key=len)
    best = max(
        sum(
            shared_tokens(eh.Span(*span, None, 1, "1"), eh.Span(*partner, None, 1, "1"))
            for span, partner in zip(one, partners, strict=True)
        )
        for partners in permutations(other, len(one))
    )
    assert outcome["credit"] == pytest.approx(best, abs=1e-8)
    assert outcome["TP"] + outcome["PAR"] + outcome["FN"] == len(gold)
    assert outcome["TP"] + outcome["PAR"] + outcome["FP"] == len(system)
    assert counts(gold[::-1], system[::-1], shared_tokens) == outcome
