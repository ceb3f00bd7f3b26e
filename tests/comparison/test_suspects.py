"""Suspects on small texts: features by hand, rules, verdicts, reasons and edge cases."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import evenhand as eh
from evenhand.arrays import ints
from evenhand.comparison.suspects import (
    Candidates,
    Evidence,
    SpanTable,
    Words,
    average_precision,
    candidates_of,
    evidence_of,
)
from evenhand.data.annotation import Annotation
from evenhand.data.vocabulary import Vocabulary

Tags = list[list[str]]
TEXT = [
    ["Oslo", "beat", "Turin", "3", "-", "1"],
    ["Turin", "lost", "in", "Oslo"],
    ["Mayor", "of", "Oslo", "sues"],
    ["the", "mayor", "of", "turin"],
]
GOLD = [
    ["B-ORG", "O", "B-ORG", "O", "O", "O"],
    ["B-ORG", "O", "O", "B-LOC"],
    ["O", "O", "B-LOC", "O"],
    ["O", "O", "O", "O"],
]


def tagged(tags: Tags, documents: list[int] | None = None, words: list[list[str]] | None = None) -> Annotation:
    annotation = eh.tags(tags, tokens=words or TEXT, encoding="iob2")
    if documents is None:
        return annotation
    from dataclasses import replace

    return replace(annotation, corpus=replace(annotation.corpus, documents=ints(documents)))


def evidence_for(gold: Tags, *systems: Tags, documents: list[int]) -> tuple[Candidates, Evidence]:
    annotation, vocabulary = tagged(gold, documents), Vocabulary()
    sides = [tagged(side).spans().into(vocabulary) for side in systems]
    spans = annotation.spans().into(vocabulary)
    corpus = annotation.corpus
    document_of = corpus.document_of(np.arange(corpus.sentences))
    candidates = candidates_of(SpanTable.of(spans, sides), document_of)
    words = Words.of(corpus, candidates.spans)
    assert words is not None
    return candidates, evidence_of(candidates, words)


def row_of(candidates: Candidates, sentence: int, start: int, label: str) -> int:
    rows = [(scope, start, name) for name, scope, start, _ in candidates.spans.rows()]
    return rows.index((sentence, start, label))


def with_tag(sentence: int, token: int, tag: str) -> Tags:
    tags = [list(row) for row in GOLD]
    tags[sentence][token] = tag
    return tags


def test_other_occurrences_are_counted_in_the_document_and_in_the_corpus() -> None:
    """Oslo is ORG once and LOC twice; turin in the last sentence is free."""
    candidates, evidence = evidence_for(GOLD, with_tag(0, 0, "B-LOC"), with_tag(3, 3, "B-ORG"), documents=[0, 2])
    oslo = row_of(candidates, 0, 0, "LOC")
    assert (evidence.elsewhere[oslo], evidence.occurrences[oslo], evidence.unlabelled[oslo]) == (2, 2, 0)
    assert (evidence.doc_elsewhere[oslo], evidence.doc_occurrences[oslo]) == (1, 1)
    turin = row_of(candidates, 3, 3, "ORG")
    assert (evidence.elsewhere[turin], evidence.occurrences[turin]) == (2, 2)
    assert (evidence.doc_elsewhere[turin], evidence.doc_occurrences[turin]) == (0, 0)
    gold = row_of(candidates, 0, 2, "ORG")
    assert (evidence.elsewhere[gold], evidence.occurrences[gold], evidence.unlabelled[gold]) == (1, 2, 1)


def test_occurrences_inside_a_longer_gold_span_are_not_counted() -> None:
    gold = [list(row) for row in GOLD]
    gold[2] = ["B-PER", "I-PER", "I-PER", "O"]  # Mayor of Oslo
    candidates, evidence = evidence_for(gold, with_tag(0, 0, "B-LOC"), documents=[0])
    assert evidence.occurrences[row_of(candidates, 0, 0, "LOC")] == 1


def test_contexts_are_shapes_of_the_neighbours() -> None:
    """Oslo in sentence 0 and Turin in sentence 1 begin a sentence and precede a word in lower case."""
    candidates, evidence = evidence_for(GOLD, with_tag(0, 0, "B-LOC"), documents=[0])
    row = row_of(candidates, 0, 0, "ORG")
    assert (evidence.in_context[row], evidence.contexts[row]) == (1, 1)
    assert (evidence.in_context[row_of(candidates, 0, 0, "LOC")], evidence.contexts[row]) == (0, 1)


def test_capitals_around_a_candidate() -> None:
    words = [["In", "Red", "Oslo", "Bank"]]
    gold = eh.tags([["O", "O", "B-LOC", "O"]], tokens=words, encoding="iob2")
    spans, corpus = gold.spans(), gold.corpus
    found = Words.of(corpus, spans)
    assert found is not None
    evidence = evidence_of(candidates_of(SpanTable.of(spans, [spans]), ints([0])), found)
    assert (evidence.lcap.tolist(), evidence.rcap.tolist(), evidence.length.tolist()) == ([True], [True], [1])


@pytest.mark.parametrize("tag", ["B-ORG", "B-LOC", "O"])
def test_the_gold_label_at_its_own_position_is_no_evidence(tag: str) -> None:
    """The second leak: whatever the gold standard has at a place must not change the features of a candidate there."""
    columns = ("elsewhere", "occurrences", "doc_elsewhere", "doc_occurrences", "in_context", "contexts", "unlabelled")
    figures = []
    for gold in (GOLD, with_tag(0, 0, tag)):
        candidates, evidence = evidence_for(gold, with_tag(0, 0, "B-LOC"), with_tag(0, 0, "B-ORG"), documents=[0, 2])
        rows = [row_of(candidates, 0, 0, label) for label in ("LOC", "ORG")]
        figures.append([getattr(evidence, name)[rows].tolist() for name in columns])
    assert figures[0] == figures[1]


def test_a_longer_gold_span_at_its_place_is_no_context() -> None:
    longer = [list(row) for row in GOLD]
    longer[0][:2] = ["B-ORG", "I-ORG"]
    figures = []
    for gold in (GOLD, longer):
        candidates, evidence = evidence_for(gold, with_tag(0, 0, "B-LOC"), documents=[0])
        row = row_of(candidates, 0, 0, "LOC")
        figures.append((evidence.in_context[row], evidence.contexts[row]))
    assert figures[0] == figures[1]


def test_weights_are_log_odds_of_f1() -> None:
    gold = tagged(GOLD)
    good, weak = tagged(with_tag(3, 3, "B-LOC")), tagged([["O"] * len(row) for row in GOLD])
    suspects = eh.suspects(gold, {"good": good, "weak": weak})
    f1 = 2 * 5 / 11
    assert suspects.systems["good"].f1 == pytest.approx(f1)
    odds = np.log(f1 / (1 - f1))
    assert suspects.systems["good"].weight == pytest.approx(odds / (odds + 0.05))
    assert "system weak: its F1 is 0.0, so it votes with the least weight." in suspects.notes


def test_verdicts() -> None:
    words = [["Ada", "Keller", "flew"], ["to", "Oslo", "."], ["Red", "Cross", "."], ["See", "Rome", "."]]
    gold = [["B-PER", "O", "O"], ["O", "B-ORG", "O"], ["O", "O", "O"], ["B-ORG", "O", "O"]]
    system = [["B-PER", "I-PER", "O"], ["O", "B-LOC", "O"], ["B-ORG", "I-ORG", "O"], ["O", "O", "O"]]
    gold[3], system[3] = ["B-ORG", "B-LOC", "O"], ["O", "B-LOC", "O"]
    sides = {name: tagged(system, words=words) for name in ("a", "b")}
    sides["b"] = tagged([*system[:3], ["O", "B-LOC", "B-LOC"]], words=words)
    suspects = eh.suspects(tagged(gold, words=words), sides, rule="votes")
    found = {suspect.sentence: suspect for suspect in suspects.suspects if suspect.suspicion > -0.1}
    assert {number: suspect.verdict for number, suspect in found.items() if number < 4} == {
        1: "bounds",
        2: "label",
        3: "missing",
    }
    assert found[1].to == (0, 2, "PER")
    assert found[1].note.startswith("2 of 2 systems predict PER for 'Ada Keller'; ")
    spurious = [suspect for suspect in suspects.suspects if suspect.verdict == "spurious"]
    assert [(suspect.sentence, suspect.gold) for suspect in spurious] == [(4, (0, 1, "ORG"))]
    assert spurious[0].note.startswith("2 of 2 systems have nothing there; ")


def test_a_nested_gold_span_is_not_suspect_for_being_nested() -> None:
    nested = [[("ORG", 0, 3), ("LOC", 1, 2), ("PER", 4, 5)]]
    sides = {"a": spans_of(nested), "b": spans_of([[*nested[0], ("LOC", 3, 4)]])}
    suspects = eh.suspects(spans_of(nested), sides)
    assert [(suspect.verdict, suspect.to) for suspect in suspects.suspects] == [("missing", (3, 4, "LOC"))]


WORDS = ["University", "Oslo", "Press", "and", "Ada", "Keller"]


def spans_of(spans: Any, words: list[str] = WORDS) -> Annotation:
    return eh.spans(spans, tokens=[words] * len(spans), end="exclusive")


def test_spans_with_gaps_overlap_by_their_tokens() -> None:
    gold = eh.spans([[("ORG", 0, 3, [0, 2]), ("PER", 4, 6)]], tokens=[WORDS], end="exclusive")
    other = eh.spans([[("LOC", 1, 2), ("PER", 4, 6)]], tokens=[WORDS], end="exclusive")
    candidates = candidates_of(SpanTable.of(gold.spans(), [other.spans().into(gold.spans().vocabulary)]), ints([0]))
    left, right = candidates.rivals()
    assert (left.tolist(), right.tolist()) == ([], [])


def test_equal_systems_count_once() -> None:
    one, other = tagged(with_tag(0, 0, "B-LOC")), tagged(with_tag(3, 3, "B-LOC"))
    twice = eh.suspects(tagged(GOLD), {"a": one, "copy": one, "b": other})
    once = eh.suspects(tagged(GOLD), {"a": one, "b": other})
    assert twice.suspects == once.suspects
    assert "a and copy are equal, so copy does not vote." in twice.notes
    assert list(twice.systems) == ["a", "b"]


@pytest.mark.parametrize("systems", [["a"], ["a", "copy"]])
def test_one_system_needs_scores(systems: list[str]) -> None:
    system = tagged(with_tag(0, 0, "B-LOC"))
    with pytest.raises(eh.SettingError, match=r"^Expected two systems, or one with scores; got one without scores\.$"):
        eh.suspects(tagged(GOLD), dict.fromkeys(systems, system))


def test_one_system_votes_with_its_scores(tmp_path: Path) -> None:
    gold, system = tmp_path / "gold.jsonl", tmp_path / "system.jsonl"
    tokens = ["Oslo", "beat", "Turin", "in", "Rome"]
    spans = [{"start": 0, "end": 1, "label": "LOC", "score": 0.9}, {"start": 2, "end": 3, "label": "LOC", "score": 0.6}]
    system.write_text(json.dumps({"tokens": tokens, "spans": spans}) + "\n")
    gold.write_text(json.dumps({"tokens": tokens, "spans": [{"start": 4, "end": 5, "label": "LOC"}]}) + "\n")
    suspects = eh.suspects(gold, system, rule="votes")
    missing = [(suspect.to, suspect.suspicion) for suspect in suspects.suspects if suspect.verdict == "missing"]
    assert [to for to, _ in missing] == [(0, 1, "LOC"), (2, 3, "LOC")]
    assert missing[0][1] > missing[1][1]


def test_labels_that_the_gold_standard_never_has_are_left_out() -> None:
    foreign = tagged(with_tag(3, 1, "B-PER"))
    suspects = eh.suspects(tagged(GOLD), {"a": foreign, "b": tagged(with_tag(0, 0, "B-LOC"))})
    assert all(suspect.to is None or suspect.to.label != "PER" for suspect in suspects.suspects)
    assert "system a: 1 span with labels that the gold standard never has is left out." in suspects.notes


@pytest.mark.parametrize("rule", ["fit", "plain", "votes"])
def test_perfect_systems_have_no_suspects(rule: Any) -> None:
    gold = tagged(GOLD)
    suspects = eh.suspects(gold, {"a": gold, "b": tagged(GOLD)}, rule=rule)
    assert (suspects.suspects, suspects.found) == ((), 0)
    assert suspects.notes[-1] == "No suspects: the systems agree with the gold standard everywhere."
    assert suspects.to_overrides() == ""
    assert "No suspects." in suspects.to_html()


def test_few_data_are_not_fitted() -> None:
    sides = {"a": tagged(with_tag(0, 0, "B-LOC")), "b": tagged(with_tag(3, 3, "B-LOC"))}
    suspects = eh.suspects(tagged(GOLD), sides)
    assert suspects.rule == "plain"
    assert "Too few data (5 spans, 1 document, 4 sentences): the rule is plain, without fitting." in suspects.notes
    assert eh.suspects(tagged(GOLD), sides, rule="fit").rule == "fit"


def test_tags_without_text(tmp_path: Path) -> None:
    for name, tag, last in (("gold", "B-ORG", "O"), ("a", "B-LOC", "O"), ("b", "B-LOC", "B-ORG")):
        (tmp_path / name).write_text(f"{tag}\nO\nB-LOC\n\nO\nB-ORG\n{last}\n")
    suspects = eh.suspects(tmp_path / "gold", [tmp_path / "a", tmp_path / "b"])
    assert "The files have no text: words, contexts and capitals are not used." in suspects.notes
    assert [(suspect.verdict, suspect.gold_reading) for suspect in suspects.suspects] == [
        ("label", None),
        ("missing", None),
    ]


def test_a_label_per_token() -> None:
    words = [["the", "run", "ended"], ["they", "run", "home"], ["a", "run", "began"]]
    gold = eh.tags([["DT", "VB", "VB"], ["PR", "VB", "NN"], ["DT", "NN", "VB"]], tokens=words)
    a = eh.tags([["DT", "NN", "VB"], ["PR", "VB", "NN"], ["DT", "NN", "VB"]], tokens=words)
    b = eh.tags([["DT", "NN", "VB"], ["PR", "VB", "VB"], ["DT", "NN", "VB"]], tokens=words)
    suspects = eh.suspects(gold, {"a": a, "b": b}, task="tags")
    assert [(suspect.sentence, suspect.verdict) for suspect in suspects.suspects] == [(1, "label"), (2, "label")]
    first = suspects.suspects[0]
    assert (first.gold, first.to) == ((1, 2, "VB"), (1, 2, "NN"))
    assert first.note.startswith("2 of 2 systems predict NN; the gold standard labels it NN 1 time elsewhere")
    with pytest.raises(eh.SettingError, match=r"^Overrides correct spans; there are none for tags\."):
        suspects.to_overrides()


def test_a_text_without_tokens(tmp_path: Path) -> None:
    """Words are runs of letters and digits; positions of overrides are characters."""
    text = "Oslo beat Turin. Campus of Oslo."
    spans = {
        "gold": [(0, 4, "ORG"), (10, 15, "ORG")],
        "a": [(0, 4, "ORG"), (10, 15, "ORG"), (27, 31, "ORG")],
        "b": [(0, 4, "ORG"), (27, 31, "ORG")],
    }
    for name, rows in spans.items():
        record = {"text": text, "spans": [{"start": s, "end": e, "label": label} for s, e, label in rows]}
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(record) + "\n")
    files = [tmp_path / f"{name}.jsonl" for name in ("a", "b")]
    suspects = eh.suspects(tmp_path / "gold.jsonl", files)
    first = suspects.suspects[0]
    assert (first.verdict, first.to, first.positions) == ("missing", (27, 31, "ORG"), "characters")
    assert (
        first.note
        == "2 of 2 systems predict ORG; the gold standard labels it ORG 1 time elsewhere (1 in this document)"
    )
    suspects.to_overrides(tmp_path / "o.jsonl")
    result = eh.score(tmp_path / "gold.jsonl", files[1], overrides=tmp_path / "o.jsonl", accept_proposed=True)
    assert result["exact"].labels["ORG"].counts["FP"] == 0


def test_filters() -> None:
    sides = {"a": tagged(with_tag(0, 0, "B-LOC")), "b": tagged(with_tag(3, 3, "B-LOC"))}
    gold = tagged(GOLD)
    everything = eh.suspects(gold, sides)
    assert [suspect.verdict for suspect in eh.suspects(gold, sides, verdict="missing").suspects] == ["missing"]
    assert len(eh.suspects(gold, sides, first=1).suspects) == 1
    assert eh.suspects(gold, sides, first=1).found == everything.found == 2
    assert [suspect.verdict for suspect in eh.suspects(gold, sides, labels="ORG").suspects] == ["label"]
    with pytest.raises(eh.SettingError, match="verdict is 'wrong'"):
        eh.suspects(gold, sides, verdict="wrong")
    with pytest.raises(eh.SettingError, match="leave_out has no system 'c'"):
        eh.suspects(gold, sides, leave_out="c")
    with pytest.raises(eh.SettingError, match="Suspects are found by exact match"):
        eh.suspects(gold, sides, match="fair")


def test_a_left_out_system_does_not_vote() -> None:
    sides = {"a": tagged(with_tag(0, 0, "B-LOC")), "b": tagged(with_tag(3, 3, "B-LOC")), "c": tagged(GOLD)}
    suspects = eh.suspects(tagged(GOLD), sides, leave_out="a")
    assert list(suspects.systems) == ["b", "c"]
    assert "|voters:b+c|" in suspects.signature
    assert [suspect.verdict for suspect in suspects.suspects] == ["missing"]


def test_proposals_are_counted_per_system() -> None:
    sides = {"a": tagged(with_tag(0, 0, "B-LOC")), "b": tagged(with_tag(3, 3, "B-LOC"))}
    assert {name: voter.proposals for name, voter in eh.suspects(tagged(GOLD), sides).systems.items()} == {
        "a": 1,
        "b": 1,
    }


def test_weak_systems_are_a_warning() -> None:
    empty = [["O"] * len(row) for row in GOLD]
    sides = {"a": tagged(empty), "b": tagged([["B-LOC", *empty[0][1:]], *empty[1:]])}
    suspects = eh.suspects(tagged(GOLD), sides)
    assert suspects.notes[-2].endswith("the best system's F1 is 0.0; below 50, few proposals are right.")


def test_other_tasks_are_refused_by_name() -> None:
    tree = eh.trees([[(0, "root")]], tokens=[["a"]])
    with pytest.raises(eh.SettingError, match=r"^Suspects are defined for spans and tags, not for trees\.$"):
        eh.suspects(tree, {"a": tree, "b": tree})


def test_the_table_has_one_row_per_suspect(tmp_path: Path) -> None:
    sides = {"a": tagged(with_tag(0, 0, "B-LOC")), "b": tagged(with_tag(3, 3, "B-LOC"))}
    suspects = eh.suspects(tagged(GOLD), sides)
    assert [(row.rank, row.verdict, row.gold, row.to, row.to_string) for row in suspects.table] == [
        (1, "missing", None, "LOC", "turin"),
        (2, "label", "ORG", "LOC", "Oslo"),
    ]
    assert suspects.to_dict()["suspects"][1]["gold"] == {"start": 0, "end": 1, "label": "ORG"}


def test_ties_of_average_precision_are_taken_together() -> None:
    hit = np.array([True, False, True, False])
    assert average_precision(np.array([1.0, 1.0, 0.5, 0.1]), hit) == pytest.approx((0.5 + 2 / 3) / 2)
    assert average_precision(np.ones(4), hit) == pytest.approx(0.5)
    assert average_precision(np.ones(2), np.zeros(2, dtype=np.bool_)) is None
