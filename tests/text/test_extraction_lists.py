"""`eh.extractions`: what a language model wrote, as plain Python."""

from __future__ import annotations

from typing import Any

import pytest

import evenhand as eh
from evenhand.text.extractions import Answer

TEXTS = ["Ada met Grace in Paris.", "Paris slept."]
GOLD = [[("PER", 0, 3), ("PER", 8, 13), ("LOC", 17, 22)], [("LOC", 0, 5)]]


@pytest.fixture
def gold() -> eh.Annotation:
    return eh.spans(GOLD, end="exclusive", text=TEXTS)


def test_an_answer_for_each_document() -> None:
    found = eh.extractions(["PER: Ada", [{"text": "Paris", "label": "LOC"}], None])
    assert found.extractions is not None
    assert found.extractions.answers[0] == (Answer("PER: Ada"),)
    assert (found.corpus.sentences, len(found.corpus.documents), found.corpus.ids) == (3, 3, None)
    assert (found.name, found.reading.format) == ("extractions", "extractions")


def test_a_mapping_has_ids() -> None:
    found = eh.extractions({"b": [], 7: "[]"}, label="PER", name="gpt")
    assert found.extractions is not None
    assert found.corpus.ids is not None
    assert found.corpus.ids.texts(0, 2) == ["b", "7"]
    assert found.extractions.answers == ((Answer([], "PER"),), (Answer("[]", "PER"),))
    assert found.name == "gpt"


@pytest.mark.parametrize(
    "answers",
    [
        [[["Ada", "PER"], ["Grace", "PER"], ["Paris", "LOC"]], [["Paris", "LOC"]]],
        [[{"text": "Ada", "type": "PER"}, {"Grace": "PER"}, {"Paris": "LOC"}], {"entities": [["Paris", "LOC"]]}],
        [{"PER": ["Ada", "Grace"], "LOC": "Paris"}, {"LOC": ["Paris"]}],
        ['{"PER": ["Ada", "Grace"], "LOC": "Paris"}', "```json\n[['Paris', 'LOC'],]\n```"],
        ["PER: Ada, Grace\nLOC: Paris", "- Paris (LOC)"],
        ["<PER>Ada</PER> met <PER>Grace</PER> in <LOC>Paris</LOC>.", "<LOC>Paris</LOC> slept."],
        ["[Ada](PER) met [Grace](PER) in [Paris](LOC).", "[Paris](LOC) slept."],
    ],
    ids=["pairs", "objects", "labels", "json", "lines", "xml", "markdown"],
)
def test_answers_of_every_shape_are_scored(gold: eh.Annotation, answers: list[Any]) -> None:
    result = eh.score(gold, eh.extractions(answers))
    assert result["exact"].f1 == 1
    assert result.grounding is not None
    assert (result.grounding["items"], result.grounding.unplaced, result.grounding.upper_bound) == (4, 0, 1)


def test_with_the_only_label_strings_will_do(gold: eh.Annotation) -> None:
    result = eh.score(gold, eh.extractions([["Ada", "Grace"], []], label="PER"), labels="PER")
    assert result["exact"].f1 == 1


def test_marks_need_the_label(gold: eh.Annotation) -> None:
    answers = ["@@Ada## met @@Grace## in Paris.", "Paris slept."]
    assert eh.score(gold, eh.extractions(answers, label="PER"), labels="PER")["exact"].f1 == 1


def test_ids_are_matched_in_any_order_and_missing_documents_are_empty() -> None:
    gold = eh.spans({"a": GOLD[0], "b": GOLD[1]}, end="exclusive", text=dict(zip("ab", TEXTS, strict=True)))
    whole = eh.score(gold, eh.extractions({"b": [["Paris", "LOC"]], "a": {"PER": ["Ada", "Grace"], "LOC": ["Paris"]}}))
    assert whole["exact"].f1 == 1
    part = eh.score(gold, eh.extractions({"b": [["Paris", "LOC"]]}))
    assert (part["exact"].precision, part["exact"].recall) == (1, 0.25)
    assert part.grounding is not None
    assert part.grounding["missing"] == 1
    assert "system extractions: 1 documents without an answer count as empty." in part.notes


@pytest.mark.parametrize("answer", ["PER: A\ud83d", [["A\ud83d", "PER"]], {"P\ud83d": ["Ada"]}, ("A\ud83d", "PER")])
def test_half_a_surrogate_becomes_a_replacement_character(gold: eh.Annotation, answer: object) -> None:
    result = eh.score(gold, eh.extractions([answer, []]))
    assert "\ufffd" in result.to_json()
    assert "\ufffd" in str(eh.ground(TEXTS[0], answer, labels="PER"))


def test_values_that_are_nested_too_deeply_are_malformed(gold: eh.Annotation) -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    result = eh.score(gold, eh.extractions([deep, []]))
    assert result.grounding is not None
    assert result.grounding["malformed"] == 1


def test_an_id_that_the_gold_standard_lacks_is_refused() -> None:
    gold = eh.spans({"a": GOLD[0]}, end="exclusive", text={"a": TEXTS[0]})
    with pytest.raises(eh.InputError, match="the gold standard has no document with the id 'x'"):
        eh.score(gold, eh.extractions({"a": [], "x": []}))


def test_a_wrong_number_of_answers_is_refused(gold: eh.Annotation) -> None:
    with pytest.raises(eh.InputError) as caught:
        eh.score(gold, eh.extractions([[], [], []], name="gpt"))
    assert str(caught.value) == (
        "gpt: there are 3 answers, where the gold standard has 2 sentences; give one for each, or give ids on both sides."
    )


def test_answers_are_no_gold_standard(gold: eh.Annotation) -> None:
    with pytest.raises(eh.InputError, match="holds answers of a language model, which have no text"):
        eh.score(eh.extractions([[], []]), gold)


def test_a_gold_standard_without_a_text_is_refused() -> None:
    with pytest.raises(eh.InputError, match="has no text in which the strings of a language model could be found"):
        eh.score(eh.spans([[("PER", 0, 1)]], end="exclusive"), eh.extractions([[]]))


@pytest.mark.parametrize(
    ("arguments", "options", "sentence"),
    [
        (
            (3,),
            {},
            'extractions: it is 3, which is no list; give the answer about each document, such as [[{"text": "A',
        ),
        (("PER: Ada",), {}, "extractions: it is 'PER: Ada', which is no list; give the answer about each document"),
        (([],), {"label": ""}, "extractions: label is ''; give the label that was asked for."),
        (([],), {"label": 3}, "extractions: label is 3; give the label that was asked for."),
    ],
)
def test_wrong_arguments_are_refused(arguments: tuple[Any], options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(eh.InputError) as caught:
        eh.extractions(*arguments, **options)
    assert str(caught.value).startswith(sentence)
