"""Systems that are answers of a language model: what counts, what has no place, and who is scored beside them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import evenhand as eh

TOKENS = [["Ada", "met", "Bob", "in", "Rome", "."], ["Ada", "left", "."]]
GOLD = [[("PER", 0, 1), ("PER", 2, 3), ("LOC", 4, 5)], [("PER", 0, 1)]]
SIDES: dict[str, Any] = {"tokens": TOKENS}


def gold(spans: Sequence[Any] = GOLD, **options: Any) -> eh.Annotation:
    return eh.spans(spans, **(SIDES | options))


def people(*names: str, label: str = "PER") -> list[dict[str, str]]:
    return [{"text": name, "label": label} for name in names]


def counts(result: eh.Result, model: str = "exact") -> tuple[float | None, ...]:
    return tuple(result[model].overall[kind] for kind in ("TP", "FP", "FN"))


def test_strings_become_spans_where_they_stand() -> None:
    result = eh.score(gold(), eh.extractions([people("Ada", "Bob"), people("Ada")]))
    assert counts(result) == (3, 0, 1)
    assert result.reading.format == "extractions"
    assert result.grounding is not None
    assert result.grounding["exact"] == 3
    assert "occurrences:in-order|fuzzy:15|snap:expand|unplaced:fp|unknown-labels:keep" in result.signature


def test_what_has_no_place_is_wrong_under_models_of_spans_and_nothing_under_those_of_tokens() -> None:
    answers = eh.extractions([[*people("Ada", "Bob", "Eve"), *people("Rome", label="LOC")], people("Ada", "Ada")])
    result = eh.score(gold(), answers, match="exact,fair,overlap,semeval,ts,t,accuracy")
    assert counts(result) == (4, 2, 0)
    assert result["fair"].overall["FP"] == 2
    assert (result["overlap"].overall["system"], result["overlap"].overall["system_hits"]) == (6, 4)
    assert result["semeval-partial"].overall["SPU"] == 2
    for model in ("ts", "t"):
        assert (result[model].overall["FP"], result[model].overall["FN"]) == (0, 0)
    assert result["accuracy"].headline == 1
    assert any(
        "2 of 6 items have no place in the text (1 not in it, 1 named more often" in note for note in result.notes
    )


def test_what_has_no_place_can_be_left_out() -> None:
    answers = eh.extractions([people("Eve"), people("Ada")])
    assert counts(eh.score(gold(), answers)) == (1, 1, 3)
    dropped = eh.score(gold(), answers, unplaced="drop", match="exact,strings")
    assert counts(dropped) == (1, 0, 3)
    assert counts(dropped, "string-multiset") == (1, 1, 3)
    assert any("inflates precision" in note for note in dropped.notes)


def test_the_same_invented_string_is_one_unit_for_all_systems() -> None:
    answers = {"a": [people("Eve"), []], "b": [people("Eve"), []], "c": [people("Dan"), []]}
    systems = {name: eh.extractions(each) for name, each in answers.items()}
    compared = eh.compare(gold(), systems, by="exact", trials=10, resamples=10)
    assert compared.pair("a", "b").different == 0
    assert compared.pair("a", "c").different == 2


def test_spans_grow_to_whole_tokens_or_have_no_place() -> None:
    answers = eh.extractions([people("Ro", "Rom", label="LOC"), []])
    result = eh.score(gold(), answers)
    assert counts(result) == (1, 1, 3)
    assert result.grounding is not None
    assert (result.grounding["part"], result.grounding["absent"], result.grounding["widened"]) == (1, 1, 1)
    strict = eh.score(gold(), answers, snap="strict")
    assert counts(strict) == (0, 2, 4)
    assert strict.grounding is not None
    assert (strict.grounding["outside"], strict.grounding["widened"]) == (1, 0)


def test_unknown_labels_are_wrong_or_left_out() -> None:
    answers = eh.extractions([people("Rome", label="CITY"), people("Ada", label="per")])
    result = eh.score(gold(), answers)
    assert counts(result) == (1, 1, 3)
    assert result.grounding is not None
    assert (result.grounding["unknown_labels"], result.grounding["respelled"]) == (1, 1)
    assert result.grounding.labels == {"CITY": 1}
    assert counts(eh.score(gold(), answers, unknown_labels="drop")) == (1, 0, 3)
    mapped = eh.score(gold(), answers, map=["system:CITY=LOC"])
    assert counts(mapped) == (2, 0, 2)


def test_labels_are_chosen_among_items_without_a_place_too() -> None:
    answers = eh.extractions([[*people("Eve"), *people("Oz", label="LOC")], []])
    assert counts(eh.score(gold(), answers, labels="LOC")) == (0, 1, 1)


def test_the_upper_bound_is_no_score() -> None:
    twice = eh.spans([[("PER", 3, 4)]], tokens=[["Ada", "met", ".", "Ada"]])
    result = eh.score(twice, eh.extractions([people("Ada")]))
    assert counts(result) == (0, 1, 1)
    assert result["exact"].f1 == 0
    assert result.grounding is not None
    assert result.grounding.upper_bound == 1
    assert 1.0 not in [value for name, value in result.metrics().items() if not name.endswith(("FP", "FN"))]
    assert result.to_dict()["systems"][0]["grounding"]["upper_bound"]["f1"] == 1
    assert result.to_dict()["systems"][0]["scores"]["exact"]["headline"] == 0


def test_there_is_no_upper_bound_where_all_occurrences_count() -> None:
    result = eh.score(gold(), eh.extractions([people("Ada"), people("Ada")]), occurrences="all")
    assert result.grounding is not None
    assert result.grounding.upper_bound is None
    assert "upper bound" not in str(result)


def test_a_tagger_keeps_its_figures_beside_a_language_model(tmp_path: Path) -> None:
    tagger = eh.spans([[("PER", 0, 1), ("LOC", 2, 3)], []], **SIDES)
    models = "exact,fair,overlap,semeval,ts,t,accuracy,strings"
    alone = eh.score(gold(), tagger, match=models)
    beside = eh.score(gold(), {"spans": tagger, "model": eh.extractions([people("Eve"), []])}, match=models)["spans"]
    assert alone.scores == beside.scores
    assert alone.signature == beside.signature


@pytest.mark.parametrize("align", ["strict", "characters"])
def test_texts_of_characters(align: str) -> None:
    texts = ["Ada  met Bob in Rome.", "Ada left."]
    spans = eh.spans([[("PER", 0, 3), ("PER", 9, 12), ("LOC", 16, 20)], [("PER", 0, 3)]], text=texts)
    answers = eh.extractions([[*people("Ada", "Bob"), *people("Rome", "Oz", label="LOC")], people("Ada")])
    result = eh.score(spans, answers, align=align, match="exact,strings")
    assert counts(result) == (4, 1, 0)
    assert counts(result, "string-set") == (4, 1, 0)


def test_tokens_as_characters() -> None:
    answers = eh.extractions([people("Ada", "Bob"), people("A")])
    result = eh.score(gold(), answers, align="characters")
    assert counts(result) == (2, 1, 2)


def test_answers_about_documents_or_sentences(tmp_path: Path) -> None:
    path = tmp_path / "gold.conll"
    path.write_text("-DOCSTART- O\n\nAda B-PER\n\nBob B-PER\n\n-DOCSTART- O\n\nAda B-PER\n\n")
    by_document = eh.score(path, eh.extractions([people("Ada", "Bob"), people("Ada")]))
    by_sentence = eh.score(path, eh.extractions([people("Ada"), people("Bob"), people("Ada")]))
    assert counts(by_document) == counts(by_sentence) == (3, 0, 0)
    with pytest.raises(eh.InputError) as caught:
        eh.score(path, eh.extractions([[]]))
    assert str(caught.value) == (
        "extractions: there is 1 answer, but the gold standard has 2 documents and 3 sentences; "
        "write one for each, or use ids on both sides."
    )


def test_answers_by_id() -> None:
    documents = eh.spans({"a": [("PER", 0, 1)], "b": [("PER", 0, 1)]}, tokens={"a": ["Ada"], "b": ["Bob"]})
    result = eh.score(documents, eh.extractions({"b": people("Bob"), "a": people("Ada")}))
    assert counts(result) == (2, 0, 0)
    missing = eh.score(documents, eh.extractions({"b": people("Bob")}))
    assert counts(missing) == (1, 0, 1)
    assert missing.grounding is not None
    assert missing.grounding["missing"] == 1
    with pytest.raises(eh.InputError, match="the gold standard has no document with the id 'c'"):
        eh.score(documents, eh.extractions({"a": [], "b": [], "c": []}))


def test_strings_are_compared_by_documents_where_there_are_several(tmp_path: Path) -> None:
    path, other = tmp_path / "gold.conll", tmp_path / "system.conll"
    text = "-DOCSTART- O\n\nAda B-PER\n\nBob {}\n\n-DOCSTART- O\n\nAda B-PER\n\n"
    path.write_text(text.format("O"))
    other.write_text(text.format("O").replace("Ada B-PER\n\nBob O", "Ada O\n\nBob O", 1))
    result = eh.score(path, other, match="strings")
    assert counts(result, "string-multiset") == (1, 0, 1)
    one = eh.score(eh.spans([[("PER", 0, 1)], []], tokens=[["Ada"], ["Ada"]]), eh.extractions([[], people("Ada")]))
    assert counts(eh.score(path, path, match="strings"), "string-set") == (2, 0, 0)
    assert one["exact"].f1 == 0


def test_strings_are_normalised_in_sets_only() -> None:
    texts = eh.spans([[("ORG", 0, 3)]], tokens=[["The", "Vitamin", "A"]])
    answers = eh.extractions([people("vitamin.", label="ORG")], label="ORG")
    result = eh.score(texts, answers, match="strings")
    assert counts(result, "string-set") == (1, 0, 0)
    assert counts(result, "string-multiset") == (0, 1, 1)


def test_settings_of_placing_are_refused_where_nothing_is_placed() -> None:
    with pytest.raises(eh.SettingError, match="--occurrences has no effect because no system is a file of extractions"):
        eh.score(gold(), gold(), occurrences="first")


def test_answers_are_no_gold_standard() -> None:
    with pytest.raises(eh.InputError, match="contains answers of a language model, which have no text"):
        eh.score(eh.extractions([[]]), gold(), task="spans")
    with pytest.raises(eh.InputError, match="has no text in which to find the strings of a language model"):
        eh.score(eh.spans(GOLD), eh.extractions([[], []]))


def test_results_are_saved_with_what_became_of_items(tmp_path: Path) -> None:
    result = eh.score(gold(), eh.extractions([people("Eve", "Ada"), people("Ada")]))
    path = tmp_path / "result.json"
    result.to_json(path)
    loaded = eh.Result.from_json(path)
    assert loaded.grounding == result.grounding
    assert str(loaded) == str(result)
    saved = json.loads(path.read_text())["systems"][0]["grounding"]
    assert (saved["absent"], saved["items"]) == (1, 3)
    assert saved["listed"] == [{"document": "spans", "text": "Eve", "label": "PER", "status": "absent"}]


def test_the_report_lists_what_has_no_place(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    eh.report(gold(), eh.extractions([people("Eve <b>", "Ada"), people("Ada")]), trials=10, resamples=10).to_html(page)
    text = page.read_text()
    assert "strings to look at" in text
    assert "Eve &lt;b&gt;" in text


def test_verdicts_have_the_strings_that_stand_nowhere(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "verdicts.parquet"
    engine = eh.engines.recording(path)
    eh.score(gold(), eh.extractions([people("Eve", "Ada"), people("Ada")]), engine=engine)
    rows = pyarrow.read_table(path).to_pylist()
    found = next(row for row in rows if row["text"] == "Eve")
    assert (found["start"], found["end"], found["verdict"]) == (None, None, "FP")


def test_slices_have_a_place_for_what_has_none() -> None:
    answers = {"a": eh.extractions([people("Eve", "Ada"), []]), "b": eh.extractions([[], []])}
    compared = eh.compare(gold(), answers, slices=["length", "document"], trials=10, resamples=10)
    assert "no place" in json.dumps(compared.to_dict())


@pytest.mark.parametrize("align", ["strict", "characters"])
def test_a_tag_over_two_sentences_belongs_where_it_begins(tmp_path: Path, align: str) -> None:
    path = tmp_path / "gold.conll"
    path.write_text("-DOCSTART- O\n\nAda B-PER\nLove I-PER\n\nlace O\nwrote O\n\n-DOCSTART- O\n\nEve O\n\n")
    answers = eh.extractions(["Ada <PER>Love lace</PER> wrote", "Eve"])
    result = eh.score(path, answers, match="exact,fair,overlap,ts,t", align=align)
    assert counts(result) == (0, 1, 1)
    assert result["overlap"].overall["system_hits"] == 1
    assert result["t"].overall["TP"] == (1 if align == "strict" else 4)


def test_answers_that_mostly_cannot_be_read_are_a_warning() -> None:
    three = eh.tags([["B-PER"]] * 3, tokens=[["Ada"]] * 3)
    result = eh.score(three, eh.extractions(["I cannot say.", "Nor can I.", [["Ada", "PER"]]]))
    assert result.notes[0].startswith("Warning: ")
    assert "most answers could not be read" in result.notes[0]
    some = eh.score(three, eh.extractions(["I cannot say.", "[]", [["Ada", "PER"]]]))
    assert not any("most answers" in note for note in some.notes)
