"""Overrides of single spans of a gold standard: what they change, and which of them are refused."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import evenhand as eh
from evenhand.tasks.registry import models_of

TOKENS = [["Ada", "met", "Bob", "Ray", "in", "Rome", "."], ["Eve", "left", "."], ["It", "rains"]]
GOLD = [[("PER", 0, 1), ("PER", 2, 4), ("LOC", 5, 6)], [("ORG", 0, 1)], []]
MODELS = [model.name for model in models_of("spans")]
Record = dict[str, Any]


def at(sentence: int, start: int, end: int, label: str, verdict: str, **more: Any) -> Record:
    return {"sentence": sentence, "start": start, "end": end, "label": label, "verdict": verdict, **more}


def missing(sentence: int, start: int, end: int, label: str) -> Record:
    return {"sentence": sentence, "verdict": "missing", "to": {"start": start, "end": end, "label": label}}


def written(folder: Path, *records: Record, name: str = "overrides.jsonl") -> Path:
    path = folder / name
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def spans(found: Sequence[Any], **options: Any) -> eh.Annotation:
    return eh.spans(found, **{"tokens": TOKENS, **options})


def score(folder: Path, system: Sequence[Any], *records: Record, **options: Any) -> eh.Result:
    return eh.score(spans(GOLD), spans(system), overrides=written(folder, *records), **options)


def counts(result: eh.Result, model: str = "exact", kinds: str = "TP FP FN") -> tuple[float, ...]:
    return tuple(result[model].overall[kind] for kind in kinds.split())


def test_spurious_spans_are_removed(tmp_path: Path) -> None:
    result = score(tmp_path, [[], [], []], at(1, 0, 1, "PER", "spurious"))
    assert counts(result) == (0, 0, 3)
    assert result.before["exact"].overall["FN"] == 4
    assert result.gold.labels == {"LOC": 1, "ORG": 1, "PER": 1}


def test_to_replaces_what_it_names(tmp_path: Path) -> None:
    system = [[("PER", 0, 1), ("PER", 2, 3), ("LOC", 5, 6)], [("PER", 0, 1)], []]
    label, bounds = at(2, 0, 1, "ORG", "label", to={"label": "PER"}), at(1, 2, 4, "PER", "bounds", to={"end": 3})
    assert counts(score(tmp_path, system, label)) == (3, 1, 1)
    assert counts(score(tmp_path, system, label, bounds)) == (4, 0, 0)
    both = at(1, 2, 4, "PER", "bounds", to={"start": 3, "label": "LOC"})
    assert counts(score(tmp_path, [[("LOC", 3, 4)], [], []], both)) == (1, 0, 3)


def test_missing_spans_are_added(tmp_path: Path) -> None:
    system = [*GOLD[:2], [("MISC", 0, 2)]]
    assert counts(score(tmp_path, system, missing(3, 0, 2, "MISC"))) == (5, 0, 0)


def test_unclear_spans_are_left_out_on_both_sides(tmp_path: Path) -> None:
    """A system span that overlaps one counts only if it equals another gold span."""
    nested = [[*GOLD[0], ("PER", 2, 3)], *GOLD[1:]]
    system = [[("ORG", 3, 5), ("PER", 2, 3), ("LOC", 5, 6)], [], []]
    path = written(tmp_path, at(1, 2, 4, "PER", "unclear"))
    result = eh.score(spans(nested), spans(system), overrides=path)
    assert counts(result) == (2, 0, 2)
    assert result.predicted == 2
    assert result.before["exact"].overall["FP"] == 1


def test_overrides_act_before_labels_are_renamed_and_chosen(tmp_path: Path) -> None:
    system = [[], [("PER", 0, 1)], []]
    record = at(2, 0, 1, "ORG", "label", to={"label": "PERSON"})
    assert counts(score(tmp_path, system, record, map={"PERSON": "PER"}, labels="PER")) == (1, 0, 2)


def test_an_unclear_span_is_so_whatever_labels_are_chosen(tmp_path: Path) -> None:
    system = [[], [("PER", 0, 1)], []]
    assert counts(score(tmp_path, system, at(2, 0, 1, "ORG", "unclear"), labels="PER")) == (0, 0, 2)


KIND_SYSTEM = [[("PER", 0, 1), ("PER", 2, 3), ("LOC", 5, 6)], [("PER", 0, 1)], [("MISC", 0, 1), ("MISC", 1, 2)]]
KIND = (
    at(1, 0, 1, "PER", "spurious"),
    at(1, 2, 4, "PER", "bounds", to={"end": 3}),
    at(2, 0, 1, "ORG", "label", to={"label": "LOC"}),
    missing(3, 0, 1, "MISC"),
)


def test_errors_of_the_gold_standard_are_a_kind(tmp_path: Path) -> None:
    """A TP stays; LE, BE and FN of wrong gold spans and FP that should be gold are GE."""
    result = score(tmp_path, KIND_SYSTEM, *KIND, overrides_as="kind")
    assert counts(result, "fair", "TP LE BE FN FP GE") == (2, 0, 0, 0, 1, 3)
    assert {label: row["GE"] for label, row in result["fair"].labels.items()} == {
        "LOC": 0,
        "MISC": 1,
        "ORG": 1,
        "PER": 1,
    }
    assert counts(result, "exact", "TP FP FN GE") == (2, 2, 0, 4)
    assert result["fair"].precision == pytest.approx(2 / 3)
    assert "GE" not in result.before["fair"].overall.counts
    assert "|overrides-as:kind" in result.signature
    assert result["fair"].confusion == {"": {"MISC": 1}}


def test_weights_say_what_errors_of_the_gold_standard_count_for(tmp_path: Path) -> None:
    options = {"overrides_as": "kind", "weights": "GE = 1 TP"}
    result = score(tmp_path, KIND_SYSTEM, *KIND, **options)
    assert result["weighted"].precision == pytest.approx(5 / 6)
    assert result["weighted"].recall == 1
    assert "GE=1TP" in result.signature


def test_supertags_have_the_kind_too(tmp_path: Path) -> None:
    result = score(tmp_path, KIND_SYSTEM, *KIND, overrides_as="kind", supertag="NAME=PER,MISC,LOC,ORG")
    assert result["fair"].supertags["NAME"]["GE"] == 2  # the wrong label is none here


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"overrides_as": "kind"}, "overrides-as has no effect without overrides; specify a file of overrides."),
        ({"weights": "GE = 1 TP"}, "GE in the weights has no effect unless overrides-as is kind; remove it."),
    ],
)
def test_settings_that_do_nothing_are_refused(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(eh.SettingError) as error:
        eh.score(spans(GOLD), spans(GOLD), **options)
    assert str(error.value) == sentence


def test_models_without_kinds_refuse_the_kind(tmp_path: Path) -> None:
    with pytest.raises(eh.SettingError, match="but ts has no error types for spans; choose"):
        score(tmp_path, GOLD, *KIND, overrides_as="kind", match="fair,ts")


def test_other_tasks_refuse_overrides(tmp_path: Path) -> None:
    path = written(tmp_path, at(1, 0, 1, "PER", "right"))
    tagged = tmp_path / "tagged.conll"
    tagged.write_text("Ada NE\nsees VB\n")
    with pytest.raises(eh.SettingError, match="overrides has no effect on tags; remove it, or choose the task spans"):
        eh.score(tagged, tagged, task="tags", overrides=path)
    with pytest.raises(eh.SettingError, match="overrides has no effect when annotators are compared"):
        eh.agree({"a": spans(GOLD), "b": spans(GOLD)}, overrides=path)


@pytest.mark.parametrize(
    ("records", "line", "finding"),
    [
        (
            [at(1, 0, 1, "LOC", "right")],
            1,
            "sentence 1 has no gold span 'LOC' from 0 to 1 (the nearest one is 'PER' from 0",
        ),
        ([at(3, 0, 1, "PER", "right")], 1, "(the nearest one is 'ORG' from 0 to 1, in sentence 2)"),
        ([at(9, 0, 1, "PER", "right")], 1, "sentence 9 does not exist: the gold standard has 3"),
        ([missing(1, 0, 1, "PER")], 1, "the span 'PER' from 0 to 1 is not missing from sentence 1"),
        ([missing(3, 0, 1, "PER"), missing(3, 0, 1, "PER")], 2, "has another override in line 1"),
        ([missing(3, 1, 3, "PER")], 1, "`to` ends at 3, and sentence 3 at 2"),
        (
            [at(2, 0, 1, "ORG", "label", to={"label": "ORG"})],
            1,
            "`to` makes the span 'ORG' from 0 to 1, which sentence 2 already has",
        ),
        ([at(1, 2, 4, "PER", "bounds", to={"start": 0, "end": 1})], 1, "which sentence 1 already has"),
        ([at(2, 0, 1, "ORG", "label", to={"label": "A"}), missing(2, 0, 1, "A")], 2, "is also made by "),
        (
            [{"document": "d", "verdict": "missing", "to": {"start": 0, "end": 1, "label": "A"}}],
            1,
            "has no document 'd'",
        ),
        ([{**missing(3, 0, 1, "A"), "document": 9}], 1, "sentence 3 is in document"),
    ],
)
def test_overrides_that_do_not_fit_are_refused(tmp_path: Path, records: list[Record], line: int, finding: str) -> None:
    with pytest.raises(eh.InputError) as error:
        score(tmp_path, GOLD, *records)
    assert f"overrides.jsonl:{line}: " in str(error.value)
    assert finding in str(error.value)


@pytest.mark.parametrize(
    ("line", "finding"),
    [
        ("{", "is not JSON (Input data was truncated)"),
        ("[1]", "is not an object"),
        ('{"sentence": 1, "verdict": "wrong"}', "the verdict is 'wrong'; choose one of spurious, label, bounds,"),
        ('{"verdict": "right"}', "start and end of the gold span are None and None"),
        ('{"start": 0, "end": 1, "label": "A", "verdict": "right"}', "has neither a sentence nor a document"),
        ('{"sentence": 0, "start": 0, "end": 1, "label": "A", "verdict": "right"}', "sentence is 0; use its number"),
        (
            '{"document": 1.5, "start": 0, "end": 1, "label": "A", "verdict": "right"}',
            "document is 1.5; use its name",
        ),
        ('{"sentence": 1, "start": 1, "end": 1, "label": "A", "verdict": "right"}', "the gold span are 1 and 1; count"),
        ('{"sentence": 1, "start": 0, "end": 1, "label": 7, "verdict": "right"}', "the label of the gold span is 7"),
        (f'{{"sentence": 1, "start": 0, "end": {10**30}, "label": "A", "verdict": "right"}}', f"are 0 and {10**30}"),
        (
            f'{{"sentence": 1, "start": 0, "end": 1, "label": "{"A" * 20_000}", "verdict": "right"}}',
            "a label has more than",
        ),
        ('{"sentence": 1, "verdict": "missing"}', "has the verdict 'missing' but no `to`"),
        ('{"sentence": 1, "verdict": "missing", "to": {"start": 0, "end": 1}}', "the label of `to` is None"),
        ('{"sentence": 1, "verdict": "missing", "to": {"lable": "A"}}', "`to` has 'lable'"),
        ('{"sentence": 1, "start": 0, "end": 1, "label": "A", "verdict": "label", "to": {"end": 2}}', "lacks label"),
        ('{"sentence": 1, "start": 0, "end": 1, "label": "A", "verdict": "right", "to": {"end": 2}}', "does not use"),
        (
            '{"sentence": 1, "start": 2, "end": 3, "label": "A", "verdict": "bounds", "to": {"end": 2}}',
            "`to` are 2 and 2",
        ),
    ],
)
def test_lines_that_are_no_overrides_are_refused(tmp_path: Path, line: str, finding: str) -> None:
    path = tmp_path / "overrides.jsonl"
    path.write_text(f"\n{line}\n")
    with pytest.raises(eh.InputError) as error:
        eh.score(spans(GOLD), spans(GOLD), overrides=path)
    assert str(error.value).startswith(f"{path}:2: ")
    assert finding in str(error.value)


TEXT_GOLD = [
    {"id": "a", "text": " Ada  met\nBob Ray 😀.", "spans": [{"start": 1, "end": 4, "label": "PER"}]},
    {"id": "b", "text": "é Eve left.", "spans": [{"start": 2, "end": 5, "label": "ORG"}]},
]


def text_gold(folder: Path) -> Path:
    path = folder / "gold.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in TEXT_GOLD))
    return path


def test_positions_can_be_characters_of_the_text(tmp_path: Path) -> None:
    gold = text_gold(tmp_path)
    wrong = {"document": "a", "positions": "characters", "start": 1, "end": 4, "label": "PER", "verdict": "spurious"}
    added = {"sentence": 1, "positions": "characters", "verdict": "missing"}
    added["to"] = {"start": 10, "end": 17, "label": "PER"}
    renamed = {"document": "b", "positions": "characters", "start": 2, "end": 5, "label": "ORG", "verdict": "bounds"}
    renamed["to"] = {"end": 10, "label": "PER"}
    eh.adjudicate(gold, written(tmp_path, wrong, added, renamed)).apply(tmp_path / "better.jsonl")
    found = [json.loads(line) for line in (tmp_path / "better.jsonl").read_text().splitlines()]
    assert [[each["text"][span["start"] : span["end"]] for span in each["spans"]] for each in found] == [
        ["Bob Ray"],
        ["Eve left"],
    ]


def test_units_can_be_written_as_overrides(tmp_path: Path) -> None:
    """A unit in JSON has all that an override needs: document or sentence, positions, and what they count."""
    gold = text_gold(tmp_path)
    nothing = tmp_path / "nothing.jsonl"
    nothing.write_text("".join(json.dumps({**record, "spans": []}) + "\n" for record in TEXT_GOLD))
    units = eh.compare(gold, {"x": nothing, "y": nothing}, show="unsolved", trials=0, resamples=0).shown_units
    keys = ("sentence", "start", "end", "positions")
    records = [
        {**{key: unit.to_dict()[key] for key in keys}, "label": unit.gold, "verdict": "spurious"} for unit in units
    ]
    assert eh.adjudicate(gold, written(tmp_path, *records)).after == {}


def test_merged_overrides_state_what_positions_count(tmp_path: Path) -> None:
    gold = text_gold(tmp_path)
    old = {"document": "b", "start": 1, "end": 4, "label": "ORG", "verdict": "bounds", "to": {"end": 8}}
    (line,) = eh.adjudicate(gold, written(tmp_path, old)).merge().splitlines()
    new = {**old, "start": 2, "end": 5, "to": {"end": 10}, "positions": "characters"}
    assert json.loads(line) == new
    both = [written(tmp_path, old), written(tmp_path, new, name="new.jsonl")]
    assert len(eh.adjudicate(gold, both).overrides) == 1


@pytest.mark.parametrize(
    ("record", "finding"),
    [
        ({"positions": "words"}, "positions is 'words'; choose one of characters, tokens, or remove it"),
        ({"positions": "tokens"}, "positions are tokens, but the gold standard has a text without tokens"),
        ({"end": 99}, "the text has no characters from 1 to 99"),
        ({"start": 4, "end": 6}, "the text has no characters from 4 to 6"),
        ({"end": 9}, "document 'a' has no gold span 'PER' from 1 to 9 (the nearest one is 'PER' from 1 to 4)"),
        ({"document": "c"}, "the gold standard has no document 'c'"),
        ({"positions": None}, 'add "positions": "characters", which fits'),
    ],
)
def test_positions_that_do_not_fit(tmp_path: Path, record: Record, finding: str) -> None:
    line = {"document": "a", "positions": "characters", "start": 1, "end": 4, "label": "PER", "verdict": "right"}
    gold = text_gold(tmp_path)
    with pytest.raises(eh.EvenhandError) as error:
        eh.score(gold, gold, overrides=written(tmp_path, {**line, **record}))
    assert finding in str(error.value)


def test_characters_need_a_text(tmp_path: Path) -> None:
    wrong = at(1, 0, 3, "PER", "spurious", positions="characters")
    with pytest.raises(eh.InputError, match="positions are characters, but the gold standard has no text"):
        score(tmp_path, GOLD, wrong)
    assert counts(score(tmp_path, GOLD, at(1, 0, 1, "PER", "spurious", positions="tokens"))) == (3, 1, 0)


def test_documents_of_spacy_take_tokens_and_characters(tmp_path: Path) -> None:
    tokens = pytest.importorskip("spacy.tokens")
    vocab = pytest.importorskip("spacy.vocab").Vocab()
    doc = tokens.Doc(vocab, words=["Ada", "left", ".", "Eve", "too"], sent_starts=[True, False, False, True, False])
    doc.ents = [tokens.Span(doc, 0, 1, label="PER"), tokens.Span(doc, 3, 4, label="PER")]
    lines = [
        {"document": 1, "start": 11, "end": 14, "label": "PER", "verdict": "spurious", "positions": "characters"},
        at(1, 0, 1, "PER", "label", to={"label": "ORG"}, positions="tokens"),
    ]
    assert eh.adjudicate(eh.docs([doc]), written(tmp_path, *lines)).after == {"ORG": 1}
    torn = {**lines[0], "end": 13}
    with pytest.raises(eh.InputError, match="no characters from 11 to 13 that are whole tokens"):
        eh.score(eh.docs([doc]), eh.docs([doc]), overrides=written(tmp_path, torn))


def test_documents_are_named_by_id_and_by_number(tmp_path: Path) -> None:
    """In texts, positions count the characters that are not spaces, unless a line says otherwise."""
    texts = tmp_path / "gold.jsonl"
    records: list[Record] = [
        {"id": "a", "text": "Ada met Bob.", "spans": [{"start": 0, "end": 3, "label": "PER"}]},
        {"id": "b", "text": "Eve left.", "spans": []},
    ]
    texts.write_text("".join(json.dumps(record) + "\n" for record in records))
    added = {"verdict": "missing", "to": {"start": 6, "end": 9, "label": "PER"}}
    wrong = {"document": 1, "start": 0, "end": 3, "label": "PER", "verdict": "spurious"}
    result = eh.score(texts, texts, overrides=written(tmp_path, {"document": "a", **added}, wrong))
    assert counts(result) == (0, 1, 1)
    other = {"document": "b", "sentence": 1, **added}
    with pytest.raises(eh.InputError, match="sentence 1 is in document 'a', not in 'b'"):
        eh.score(texts, texts, overrides=written(tmp_path, other))


def test_documents_of_brat_are_named_by_their_files(tmp_path: Path) -> None:
    for name in ("x/one", "x/two", "y/one"):
        path = tmp_path / "gold" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.with_suffix(".txt").write_text("Ada met Bob.")
        path.with_suffix(".ann").write_text("T1\tPER 0 3\tAda\n")
    gold, record = str(tmp_path / "gold" / "*" / "*.ann"), {"start": 0, "end": 3, "label": "PER", "verdict": "spurious"}
    for name in ("two", "x/one", "two.ann"):
        result = eh.score(gold, gold, overrides=written(tmp_path, {"document": name, **record}))
        assert counts(result) == (2, 1, 0)
    with pytest.raises(eh.InputError, match="two documents are called 'one'"):
        eh.score(gold, gold, overrides=written(tmp_path, {"document": "one", **record}))


def test_a_document_with_several_sentences_takes_the_number_of_one(tmp_path: Path) -> None:
    path = tmp_path / "gold.conll"
    path.write_text("-DOCSTART- O\n\nAda B-PER\n\nBob B-PER\n\n-DOCSTART- O\n\nEve B-PER\n")
    record = {"start": 0, "end": 1, "label": "PER", "verdict": "spurious"}
    assert counts(eh.score(path, path, overrides=written(tmp_path, {"document": 2, **record}))) == (2, 1, 0)
    with pytest.raises(eh.InputError, match="the document 1 has several sentences; also specify the sentence"):
        eh.score(path, path, overrides=written(tmp_path, {"document": 1, **record}))
    named = written(tmp_path, {"document": 1, "sentence": 2, **record})
    assert counts(eh.score(path, path, overrides=named)) == (2, 1, 0)


def test_positions_are_those_of_the_gold_standard_whatever_systems_count(tmp_path: Path) -> None:
    gold, system = tmp_path / "gold.conll", tmp_path / "system.jsonl"
    gold.write_text("Ada B-PER\nmet O\nBob O\n")
    system.write_text(json.dumps({"text": "Ada met Bob", "spans": [{"start": 8, "end": 11, "label": "PER"}]}) + "\n")
    result = eh.score(gold, system, overrides=written(tmp_path, missing(1, 2, 3, "PER")))
    assert counts(result) == (1, 0, 1)


def test_gold_and_prediction_in_one_file(tmp_path: Path) -> None:
    both = tmp_path / "both.conll"
    both.write_text("Ada B-PER B-PER\nmet O O\nBob O B-PER\n")
    result = eh.score(both, overrides=written(tmp_path, missing(1, 2, 3, "PER")), match="exact,accuracy")
    assert counts(result) == (2, 0, 0)
    assert (result["accuracy"].headline, result.before["accuracy"].headline) == (1, pytest.approx(2 / 3))


def test_a_span_that_a_file_repeats_is_overridden_as_a_whole(tmp_path: Path) -> None:
    gold = spans([[("PER", 0, 1), ("PER", 0, 1)], [], []])
    result = eh.score(gold, spans(GOLD), overrides=written(tmp_path, at(1, 0, 1, "PER", "spurious")))
    assert result.gold.units == 0


def test_results_are_saved_and_loaded(tmp_path: Path) -> None:
    path = written(tmp_path, *KIND)
    result = eh.score(spans(GOLD), spans(KIND_SYSTEM), overrides=path, overrides_as="kind")
    loaded = eh.Result.from_json(result.to_json())
    assert loaded.to_json() == result.to_json()
    assert str(loaded) == str(result)
    assert loaded.settings["overrides"].sha256 == sha256(path.read_bytes()).hexdigest()
    assert f"|overrides:{sha256(path.read_bytes()).hexdigest()}" in result.signature
    note = "the gold standard has 4 overrides (overrides.jsonl: 1 spurious, 1 label, 1 bounds, 1 missing)"
    assert any(each.startswith(note) for each in loaded.notes)


def test_comparisons_leave_out_what_is_an_error_of_the_gold_standard(tmp_path: Path) -> None:
    systems = {"a": spans(KIND_SYSTEM), "b": spans(GOLD)}
    path = written(tmp_path, *KIND)
    comparison = eh.compare(spans(GOLD), systems, overrides=path, overrides_as="kind", trials=10, resamples=10)
    assert comparison.pair("a", "b").different == 1  # the surplus span that is wrong
    assert comparison.left_out == 2
    assert "2 spans of the gold standard are not compared because some system has a GE there." in comparison.notes
    assert comparison.before == {"a": pytest.approx(4 / 8), "b": 1}
    assert eh.Comparison.from_json(comparison.to_json()).to_json() == comparison.to_json()
    corrected = eh.compare(spans(GOLD), systems, overrides=path, trials=10, resamples=10)
    assert corrected.scores["a"] > comparison.before["a"]


def test_rankings_have_scores_before(tmp_path: Path) -> None:
    systems = {"a": spans(KIND_SYSTEM), "b": spans(GOLD)}
    ranking = eh.rank(spans(GOLD), systems, overrides=written(tmp_path, *KIND), resamples=0)
    assert ranking.before["exact"]["b"] == 1
    assert ranking["exact"]["b"].score < 1
    assert eh.Ranking.from_json(ranking.to_json()).to_json() == ranking.to_json()
    assert "before overrides" in str(ranking)


def test_a_gate_takes_overrides(tmp_path: Path) -> None:
    path = written(tmp_path, at(2, 0, 1, "ORG", "spurious"))
    system = spans([*GOLD[:1], [], []])
    assert not eh.gate(spans(GOLD), candidate=system, floor={"exact": 1}).passed
    assert eh.gate(spans(GOLD), candidate=system, floor={"exact": 1}, overrides=path).passed


def test_a_report_has_the_kind(tmp_path: Path) -> None:
    systems = {"a": spans(KIND_SYSTEM), "b": spans(GOLD)}
    page = eh.report(
        spans(GOLD), systems, overrides=written(tmp_path, *KIND), overrides_as="kind", trials=0, resamples=0
    )
    assert "GE: error of the gold standard" in page.to_html()


def test_strings_of_language_models_have_no_place_to_be_unclear_at(tmp_path: Path) -> None:
    path, answers = written(tmp_path, at(2, 0, 1, "ORG", "unclear")), eh.extractions([[], [], []])
    with pytest.raises(eh.SettingError, match="cannot be left out of the strings of a language model"):
        eh.score(spans(GOLD), answers, overrides=path, match="strings")
    with pytest.warns(eh.EvenhandWarning, match="no answer has a readable span"):
        found = eh.score(spans(GOLD), answers, overrides=path)
    assert counts(found) == (0, 0, 3)


VALUES = st.none() | st.booleans() | st.integers(-1, 3) | st.sampled_from(["PER", "ORG", "A", "", 1.5, 10**20, []])
PARTS = {"start": VALUES, "end": VALUES, "label": VALUES}
RECORDS = st.fixed_dictionaries(
    {"verdict": st.sampled_from(["spurious", "label", "bounds", "missing", "unclear", "right", None])},
    optional={
        **PARTS,
        "sentence": VALUES,
        "document": VALUES,
        "to": VALUES | st.fixed_dictionaries({}, optional=PARTS),
    },
)


@given(records=st.lists(RECORDS, max_size=3))
def test_any_file_is_scored_or_refused(records: list[Record]) -> None:
    with TemporaryDirectory() as folder:
        path = written(Path(folder), *records)
        try:
            before = eh.score(spans(GOLD), spans(GOLD), overrides=path).before["exact"].f1
        except eh.InputError as error:
            before = float(str(error).startswith(f"{path}:"))
    assert before == 1


LENGTH, LABELS = 6, ("A", "B")
SPANS = st.lists(
    st.tuples(st.sampled_from(LABELS), st.integers(0, LENGTH - 1), st.integers(1, LENGTH)).filter(
        lambda s: s[1] < s[2]
    ),
    max_size=5,
    unique=True,
)
TEXTS = st.lists(st.tuples(SPANS, SPANS), min_size=1, max_size=3)


def overlap(one: Any, other: Any) -> bool:
    return bool(one[1] < other[2] and other[1] < one[2])


@given(texts=TEXTS, choices=st.randoms(use_true_random=False))
def test_scores_are_those_of_sides_corrected_by_hand(texts: list[tuple[list[Any], list[Any]]], choices: Any) -> None:
    """Under every match model, for spans that nest, cross and touch."""
    records, gold, system = list[Record](), list[list[Any]](), list[list[Any]]()
    for number, (mine, theirs) in enumerate(texts, 1):
        kept, unclear = list(mine), list[Any]()
        for span in mine:
            verdict = choices.choice(("spurious", "label", "bounds", "unclear", "right", None, None))
            new = (choices.choice(("A", "B", "C")), choices.randrange(3), choices.randrange(3, LENGTH + 1))
            new = span if verdict not in ("label", "bounds") else (new[0], *span[1:]) if verdict == "label" else new
            if verdict is None or (verdict in ("label", "bounds") and new in (*mine, *kept)):
                continue
            to = dict(zip(("label", "start", "end"), new, strict=True)) if new != span else {}
            records.append(at(number, *span[1:], span[0], verdict, **({"to": to} if to else {})))
            if verdict != "right":
                kept = [new if their == span else their for their in kept if their != span or new != span]
            unclear += [span] if verdict == "unclear" else []
        added = ("C", 0, choices.randrange(1, LENGTH + 1))
        if choices.random() < 0.5 and added not in (*mine, *kept):
            records.append(missing(number, *added[1:], added[0]))
            kept.append(added)
        gold.append(kept)
        system.append(
            [their for their in theirs if their in kept or not any(overlap(their, other) for other in unclear)]
        )
    tokens = [[f"w{at}" for at in range(LENGTH)] for _ in texts]
    sides = [[mine for mine, _ in texts], [theirs for _, theirs in texts], gold, system]
    read, answer, hand, rest = (eh.spans(side, tokens=tokens) for side in sides)
    with TemporaryDirectory() as folder:
        data = eh.score(read, answer, overrides=written(Path(folder), *records), match=MODELS).to_dict()
    by_hand, plain = eh.score(hand, rest, match=MODELS).to_dict(), eh.score(read, answer, match=MODELS).to_dict()
    (mine_found,), (mine_by_hand,), (mine_plain,) = data["systems"], by_hand["systems"], plain["systems"]
    assert data["gold"] == by_hand["gold"]
    assert mine_found["scores"] == mine_by_hand["scores"]
    assert mine_found["before"] == mine_plain["scores"]


@given(texts=TEXTS, choices=st.randoms(use_true_random=False))
def test_the_kind_only_renames_errors(texts: list[tuple[list[Any], list[Any]]], choices: Any) -> None:
    """Units and TP stay the same; under exact match, GE are the wrong gold spans that the system does not have."""
    wrong = [(number, span) for number, (mine, _) in enumerate(texts) for span in mine if choices.random() < 0.5]
    records = [at(number + 1, start, end, label, "spurious") for number, (label, start, end) in wrong]
    tokens = [[f"w{at}" for at in range(LENGTH)] for _ in texts]
    gold, system = (eh.spans([both[side] for both in texts], tokens=tokens) for side in (0, 1))
    with TemporaryDirectory() as folder:
        kind = eh.score(gold, system, overrides=written(Path(folder), *records), overrides_as="kind")
    plain, others = eh.score(gold, system), "LE BES BEL BEO LBE FN FP"
    assert counts(kind, "fair", "TP") == counts(plain, "fair", "TP")
    assert sum(counts(kind, "fair", f"GE {others}")) == sum(counts(plain, "fair", others))
    assert counts(kind, "exact", "TP FP") == counts(plain, "exact", "TP FP")
    missed = [span for number, span in wrong if span not in texts[number][1]]
    assert counts(kind, "exact", "GE") == (len(missed),)


# Proposals


def proposed(record: Record, **more: Any) -> Record:
    return {**record, "status": "proposed", "voters": ["crf", "lm"], **more}


def test_unreviewed_proposals_are_refused(tmp_path: Path) -> None:
    lines = [proposed(missing(3, 0, 1, "ORG")), proposed(at(1, 0, 1, "PER", "spurious"))]
    message = "2 overrides are unreviewed proposals. Review them on the suspects page, or use --accept-proposed."
    with pytest.raises(eh.SettingError) as error:
        score(tmp_path, GOLD, *lines)
    assert str(error.value) == message
    message = "1 override is an unreviewed proposal. Review it on the suspects page, or use --accept-proposed."
    with pytest.raises(eh.SettingError) as error:
        score(tmp_path, GOLD, lines[0], {**lines[1], "status": "accepted"})
    assert str(error.value) == message


def test_accepted_proposals_are_applied(tmp_path: Path) -> None:
    line = proposed(at(2, 0, 1, "ORG", "label", to={"label": "PER"}))
    result = score(tmp_path, GOLD, {**line, "status": "accepted"})
    assert counts(result) == (3, 1, 1)
    assert score(tmp_path, GOLD, line, accept_proposed=True).gold.labels == result.gold.labels


def test_the_signature_names_the_voters(tmp_path: Path) -> None:
    line = proposed(at(2, 0, 1, "ORG", "spurious"), status="accepted")
    assert "/voters-crf+lm" in score(tmp_path, GOLD, line).signature
    assert "voters" not in score(tmp_path, GOLD, at(2, 0, 1, "ORG", "spurious")).signature


def test_a_proposal_whose_verdict_becomes_right_is_reviewed(tmp_path: Path) -> None:
    """A reviewer may change nothing but the verdict."""
    lines = [
        proposed(at(2, 0, 1, "ORG", "right", to={"label": "PER"})),
        proposed({**missing(3, 0, 1, "ORG"), "verdict": "right"}),
    ]
    result = score(tmp_path, GOLD, *lines)
    assert counts(result) == (4, 0, 0)
    adjudication = eh.adjudicate(spans(GOLD), tmp_path / "overrides.jsonl")
    assert adjudication.states == {"proposed": 0, "accepted": 0, "right": 2}
    assert adjudication.before == adjudication.after


def test_an_unclear_proposal_ignores_system_spans_there(tmp_path: Path) -> None:
    system = [*GOLD[:2], [("ORG", 0, 1)]]
    line = proposed({**missing(3, 0, 1, "ORG"), "verdict": "unclear"})
    assert counts(score(tmp_path, system)) == (4, 1, 0)
    assert counts(score(tmp_path, system, line)) == (4, 0, 0)


def test_a_reviewed_missing_span_must_not_exist(tmp_path: Path) -> None:
    line = proposed({**missing(2, 0, 1, "ORG"), "verdict": "right"})
    with pytest.raises(eh.InputError, match="the span 'ORG' from 0 to 1 is not missing from sentence 2"):
        score(tmp_path, GOLD, line)


@pytest.mark.parametrize(
    ("more", "finding"),
    [
        ({"status": "done"}, "the status is 'done'; choose one of proposed, accepted, or remove it"),
        ({"voters": "crf"}, "voters is 'crf'; use a list of names of systems, or remove it"),
    ],
)
def test_unknown_states_and_voters_are_refused(tmp_path: Path, more: Record, finding: str) -> None:
    with pytest.raises(eh.InputError, match=re.escape(finding)):
        score(tmp_path, GOLD, {**at(1, 0, 1, "PER", "spurious"), **more})


def test_accept_proposed_needs_overrides() -> None:
    with pytest.raises(eh.SettingError, match=r"^accept-proposed has no effect without overrides"):
        eh.score(spans(GOLD), spans(GOLD), accept_proposed=True)


def test_adjudicate_counts_states_and_applies_no_proposal(tmp_path: Path) -> None:
    lines = [
        proposed(missing(3, 0, 1, "ORG")),
        proposed(at(1, 0, 1, "PER", "spurious"), status="accepted"),
        at(1, 5, 6, "LOC", "right"),
    ]
    path = written(tmp_path, *lines)
    adjudication = eh.adjudicate(spans(GOLD), path)
    assert adjudication.states == {"proposed": 1, "accepted": 1, "right": 1}
    assert adjudication.notes == ("Review: 1 proposed, 1 accepted, 1 right.",)
    assert adjudication.after == {"LOC": 1, "ORG": 1, "PER": 1}
    with pytest.raises(eh.SettingError, match=r"^1 override is an unreviewed proposal\."):
        adjudication.apply(tmp_path / "better.conll")
    accepting = eh.adjudicate(spans(GOLD), path, accept_proposed=True)
    assert accepting.after == {"LOC": 1, "ORG": 2, "PER": 1}
    accepting.apply(tmp_path / "better.conll")
    assert eh.read(tmp_path / "better.conll").spans().rows()[-1] == ("ORG", 2, 0, 1)
    assert eh.adjudicate(spans(GOLD), written(tmp_path, lines[2])).states == {}
