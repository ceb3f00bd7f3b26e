"""Annotations from lists of chains: with and without words, POS and names, and what is wrong with them."""

from __future__ import annotations

import dataclasses
import json
import warnings
from decimal import Decimal
from enum import Enum
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest

import evenhand as eh
from evenhand.data.structures import Answer

CHAINS = [[[(0, 2), (5, 6)], [(3, 4)]], [], [[(0, 1)]]]
TOKENS = [["The", "cat", "saw", "Ada", "and", "it"], ["Rain"], ["Snow"]]
POS = [["DT", "NN", "VBD", "NNP", "CC", "PRP"], ["NN"], ["NN"]]


def test_ends_are_exclusive_unless_they_are_said_to_be_inclusive() -> None:
    exclusive, inclusive = eh.chains([[[(0, 2), (5, 6)]]]), eh.chains([[[(0, 1), (5, 5)]]], end="inclusive")
    for found in (exclusive, inclusive):
        assert found.chains().clusters(1) == [[[(0, 2), (5, 6)]]]
    assert eh.score(exclusive, inclusive)["mela"].f1 == 1


def test_documents_chains_and_mentions_keep_their_order() -> None:
    annotation = eh.chains([[[(5, 6), (0, 1)], [(0, 1)]], [], [[(2, 3)]]])
    assert annotation.chains().clusters(3) == [[[(5, 6), (0, 1)], [(0, 1)]], [], [[(2, 3)]]]
    assert annotation.chains().chain.tolist() == [0, 0, 1, 2]
    assert annotation.corpus.names == ("1", "2", "3")


def test_the_first_chain_of_a_list_keeps_a_repeated_span() -> None:
    key = eh.chains([[[(0, 1), (2, 3)], [(4, 5), (6, 7)]]])
    first = eh.chains([[[(0, 1), (2, 3)], [(2, 3), (4, 5), (6, 7)]]])
    other = eh.chains([[[(2, 3), (4, 5), (6, 7)], [(0, 1), (2, 3)]]])
    assert eh.score(key, first)["lea"].f1 == 1
    assert eh.score(key, other)["lea"].f1 < 1
    assert any("1 mention repeats the span of another" in note for note in eh.score(key, first).notes)


def test_without_words_any_text_will_do() -> None:
    bare, full = eh.chains(CHAINS), eh.chains(CHAINS, tokens=TOKENS)
    for key, response in ((bare, full), (full, bare), (bare, bare)):
        assert eh.score(key, response, align="strict")["mela"].f1 == 1
    assert "arcs_nom" not in eh.score(full, full).scores


def test_words_are_compared() -> None:
    other = [["A", *TOKENS[0][1:]], *TOKENS[1:]]
    key, response = eh.chains(CHAINS, tokens=TOKENS), eh.chains(CHAINS, tokens=other, name="mine")
    assert any("1 word differs from the gold standard" in note for note in eh.score(key, response).notes)
    with pytest.raises(eh.InputError, match="mine: found 'A' where the gold standard has 'The'"):
        eh.score(key, response, align="strict")
    with pytest.raises(eh.InputError, match="the document 2 has 2 tokens, in the gold standard 1"):
        eh.score(key, eh.chains(CHAINS, tokens=[TOKENS[0], ["More", "rain"], TOKENS[2]]))


def test_pos_tell_nouns_from_pronouns() -> None:
    found = eh.score(eh.chains(CHAINS, tokens=TOKENS, pos=POS), eh.chains(CHAINS))
    assert found.gold.labels == {"nouns": 3, "PRP": 1}
    assert (found["arcs_nom"].labels["PRP"]["tp"], found["arcs_nom"].labels["nouns"]["tp"]) == (1, 0)
    assert eh.chains(CHAINS, tokens=TOKENS, pos=POS)["pos"].to_list() == [tag for tags in POS for tag in tags]  # type: ignore[union-attr]


def test_documents_are_matched_by_names() -> None:
    key = eh.chains(CHAINS, names=["a", "b", "c"])
    moved = eh.chains([CHAINS[2], CHAINS[0], []], names=["c", "a", "b"])
    assert eh.score(key, moved)["mela"].f1 == 1
    assert eh.score(key, eh.chains(CHAINS))["mela"].f1 == 1  # by their order, as the other side has no names
    fewer = eh.score(key, eh.chains(CHAINS[:1], names=["a"]))
    assert "system chains: lacks documents b, c; they count as empty." in fewer.notes


def test_lists_may_be_anything_that_can_be_looped_over() -> None:
    annotation = eh.chains(
        (((span for span in chain) for chain in document) for document in CHAINS),  # type: ignore[misc]
        tokens=(tuple(words) for words in TOKENS),
    )
    assert annotation.chains().clusters(3) == CHAINS


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        ({"documents": [[[(0, 0)]]]}, r"covers \[0, 0\)"),
        ({"documents": [[[(2, 1)]]]}, r"covers \[2, 1\)"),
        ({"documents": [[], [[(-1, 1)]]]}, r"covers \[-1, 1\)"),
        ({"documents": [[[(0, 2)]]], "tokens": [["a"]]}, r"covers \[0, 2\)"),
        ({"documents": [[]], "tokens": [["a"], ["b"]]}, "got 2 lists of tokens for 1 document; pass one for each"),
        ({"documents": [[]], "pos": [["X"]]}, "there are POS but no tokens; pass both"),
        (
            {"documents": [[]], "tokens": [["a"]], "pos": [["X", "Y"]]},
            "document 1 has the length 1, but a list of POS of length 2",
        ),
        ({"documents": [[]], "names": ["a", "b"]}, "names and documents do not match"),
        ({"documents": [[], []], "names": ["a", "a"]}, "names and documents do not match"),
    ],
    ids=["empty", "backwards", "negative", "outside", "tokens", "pos", "lengths", "names", "twice"],
)
def test_what_is_wrong(arguments: dict[str, Any], what: str) -> None:
    with pytest.raises(eh.InputError, match=f"^mine: .*{what}"):
        eh.chains(**arguments, name="mine")


def test_ends_are_one_of_two() -> None:
    with pytest.raises(eh.SettingError, match="end is 'last'; choose one of exclusive, inclusive"):
        eh.chains([[]], end="last")  # type: ignore[arg-type]


# `eh.extractions`: what a language model wrote, as plain Python


TEXTS = ["Ada met Grace in Paris.", "Paris slept."]
GOLD = [[("PER", 0, 3), ("PER", 8, 13), ("LOC", 17, 22)], [("LOC", 0, 5)]]


@pytest.fixture
def gold() -> eh.Annotation:
    return eh.spans(GOLD, end="exclusive", text=TEXTS)


def test_an_answer_for_each_document() -> None:
    annotation = eh.extractions(["PER: Ada", [{"text": "Paris", "label": "LOC"}], None])
    assert annotation.extractions is not None
    assert annotation.extractions.answers[0] == (Answer("PER: Ada"),)
    assert (annotation.corpus.sentences, len(annotation.corpus.documents), annotation.corpus.ids) == (3, 3, None)
    assert (annotation.name, annotation.reading.format) == ("extractions", "extractions")


def test_a_mapping_has_ids() -> None:
    annotation = eh.extractions({"b": [], 7: "[]"}, label="PER", name="gpt")
    assert annotation.extractions is not None
    assert annotation.corpus.ids is not None
    assert annotation.corpus.ids.texts(0, 2) == ["b", "7"]
    assert annotation.extractions.answers == ((Answer([], "PER"),), (Answer("[]", "PER"),))
    assert annotation.name == "gpt"


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
    assert "system extractions: 1 document without an answer counts as empty." in part.notes


@pytest.mark.parametrize("answer", ["PER: A\ud83d", [["A\ud83d", "PER"]], {"P\ud83d": ["Ada"]}, ("A\ud83d", "PER")])
def test_half_a_surrogate_becomes_a_replacement_character(gold: eh.Annotation, answer: object) -> None:
    result = eh.score(gold, eh.extractions([answer, []]))
    assert "\ufffd" in result.to_json()
    assert "\ufffd" in str(eh.ground(TEXTS[0], answer, labels="PER"))


def test_values_that_are_nested_too_deeply_are_malformed(gold: eh.Annotation) -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    result = eh.score(gold, eh.extractions([deep, [["Paris", "LOC"]]]))
    assert result.grounding is not None
    assert result.grounding["malformed"] == 1


# Objects and messages


class Kind(Enum):
    PERSON = "PER"


@dataclasses.dataclass
class Entity:
    text: str
    label: Kind | str
    score: Decimal = Decimal("0.5")


class Named(NamedTuple):
    text: str
    label: str


class Pydantic2:
    """As pydantic 2 does it: iterable, with a method that lists the fields."""

    def __init__(self, **fields: Any) -> None:
        self.fields = fields

    def model_dump(self) -> dict[str, Any]:
        return self.fields

    def __iter__(self) -> Any:
        return iter(self.fields.items())


class Pydantic1:
    __fields__ = ("text", "label")
    text, label = "Ada", "PER"

    def dict(self) -> Any:
        return {"text": self.text, "label": self.label}


class Slotted:
    """A message of a package that lists no fields."""

    __slots__ = ("tool_calls",)

    def __init__(self, *calls: Any) -> None:
        self.tool_calls = list(calls)


ADA = {"text": "Ada", "label": "PER"}
ARGUMENTS = {"entities": [ADA]}
JSON = json.dumps(ARGUMENTS)
CALL = {"id": "call_1", "type": "function", "function": {"name": "extract", "arguments": JSON}}
BLOCK = {"type": "tool_use", "id": "toolu_1", "name": "extract", "input": ARGUMENTS}
ANSWERS = {
    "a dataclass": [Entity("Ada", Kind.PERSON)],
    "a dataclass around others": SimpleNamespace(entities=[Entity("Ada", "PER")]),
    "a named tuple": [Named("Ada", "PER")],
    "pydantic 2": Pydantic2(entities=[Pydantic2(**ADA)]),
    "pydantic 1": [Pydantic1()],
    "an array": np.array([["Ada", "PER"]]),
    "OpenAI": {"role": "assistant", "content": None, "tool_calls": [CALL]},
    "OpenAI, an object": Slotted(SimpleNamespace(function=SimpleNamespace(name="extract", arguments=JSON))),
    "OpenAI, a completion": Pydantic2(
        id="c", choices=[{"index": 0, "message": {"role": "assistant", "tool_calls": [CALL]}}]
    ),
    "OpenAI, legacy": {"role": "assistant", "content": None, "function_call": {"name": "extract", "arguments": JSON}},
    "OpenAI, responses": {"output": [{"type": "reasoning"}, {"type": "function_call", "name": "e", "arguments": JSON}]},
    "OpenAI, text of responses": {
        "output": [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": JSON}]}]
    },
    "OpenAI, parsed": {"role": "assistant", "content": "…", "parsed": ARGUMENTS, "tool_calls": None},
    "OpenAI, text": {"role": "assistant", "content": JSON, "tool_calls": None},
    "Anthropic": {"role": "assistant", "content": [{"type": "text", "text": "Let me see: []"}, BLOCK]},
    "Anthropic, blocks": [{"type": "thinking", "thinking": "[]"}, BLOCK],
    "Anthropic, objects": SimpleNamespace(role="assistant", content=[SimpleNamespace(**BLOCK)]),
    "Anthropic, text": {"role": "assistant", "content": [{"type": "text", "text": JSON}]},
    "LangChain": {
        "content": "",
        "type": "ai",
        "tool_calls": [{"name": "extract", "args": ARGUMENTS, "type": "tool_call"}],
    },
    "Gemini": {
        "candidates": [{"content": {"role": "model", "parts": [{"functionCall": {"name": "e", "args": ARGUMENTS}}]}}]
    },
    "a conversation": {"messages": [{"role": "user", "content": "[]"}, {"role": "assistant", "content": JSON}]},
}


@pytest.mark.parametrize("name", ANSWERS)
def test_objects_and_messages_are_answers(gold: eh.Annotation, name: str) -> None:
    result = eh.score(gold, eh.extractions([ANSWERS[name], None]), match="exact")
    assert (result["exact"].overall["TP"], result["exact"].overall["FP"]) == (1, 0)
    assert result.grounding is not None
    assert (result.grounding["ok"], result.grounding["malformed"]) == (2, 0)
    assert [each.text for each in eh.ground(TEXTS[0], ANSWERS[name])] == ["Ada"]


def test_several_tool_calls_are_one_answer(gold: eh.Annotation) -> None:
    calls = [
        {"type": "function", "function": {"name": "one", "arguments": json.dumps({"text": text, "label": label})}}
        for text, label in (("Ada", "PER"), ("Grace", "PER"), ("Paris", "LOC"))
    ]
    broken = {"type": "function", "function": {"name": "one", "arguments": '{"text": "Paris", "label": "LOC"'}}
    result = eh.score(
        gold, eh.extractions([{"tool_calls": calls}, {"tool_calls": [broken, *calls[2:]]}]), match="exact"
    )
    assert result["exact"].overall["TP"] == 4
    assert result.grounding is not None
    assert (result.grounding["ok"], result.grounding["several"]) == (1, 0)


@pytest.mark.parametrize(
    ("answer", "finding"),
    [
        (object(), "the answer for document 2 has a value of type object, which cannot be read"),
        ([{"text": "Ada", "label": object()}], "has a value of type object"),
        (Entity, "has a value of type class Entity"),
        (b"[]", "has a value of type bytes"),
        (5, "the answer for document 2 is 5, which does not specify a span"),
        (True, "is True, which does not specify a span"),
        (float("nan"), "is nan, which does not specify a span"),
    ],
)
def test_objects_that_cannot_be_read_are_refused(answer: object, finding: str) -> None:
    with pytest.raises(eh.InputError) as raised:
        eh.extractions([[], answer], name="gpt")
    assert str(raised.value).startswith("gpt: the answer for document 2 ")
    assert finding in str(raised.value)


@pytest.mark.parametrize("one", [ANSWERS["OpenAI"], ANSWERS["pydantic 2"], Entity("Ada", "PER")])
def test_one_answer_is_not_a_list_of_answers(one: Any) -> None:
    with pytest.raises(eh.InputError, match=r"got one answer, .*; pass a list of answers, one per document"):
        eh.extractions(one)


def test_a_system_without_a_readable_span_is_a_warning_in_python(gold: eh.Annotation) -> None:
    with pytest.warns(eh.EvenhandWarning, match="system gpt: no answer has a readable span") as shown:
        result = eh.score(gold, eh.extractions(["I cannot say.", "[]"], name="gpt"))
    assert [each.filename for each in shown] == [__file__]
    assert result.notes[0].startswith("Warning: system gpt: no answer has a readable span; ")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        eh.score(gold, eh.extractions(["I cannot say.", [["Paris", "LOC"]]]))


def test_an_id_that_the_gold_standard_lacks_is_refused() -> None:
    gold = eh.spans({"a": GOLD[0]}, end="exclusive", text={"a": TEXTS[0]})
    with pytest.raises(eh.InputError, match="the gold standard has no document with the id 'x'"):
        eh.score(gold, eh.extractions({"a": [], "x": []}))


def test_a_wrong_number_of_answers_is_refused(gold: eh.Annotation) -> None:
    with pytest.raises(eh.InputError) as caught:
        eh.score(gold, eh.extractions([[], [], []], name="gpt"))
    assert str(caught.value) == (
        "gpt: there are 3 answers, but the gold standard has 2 sentences; write one for each, or use ids on both sides."
    )


def test_answers_are_no_gold_standard(gold: eh.Annotation) -> None:
    with pytest.raises(eh.InputError, match="contains answers of a language model, which have no text"):
        eh.score(eh.extractions([[], []]), gold)


def test_a_gold_standard_without_a_text_is_refused() -> None:
    with pytest.raises(eh.InputError, match="has no text in which to find the strings of a language model"):
        eh.score(eh.spans([[("PER", 0, 1)]], end="exclusive"), eh.extractions([[]]))


@pytest.mark.parametrize(
    ("arguments", "options", "sentence"),
    [
        (
            (3,),
            {},
            'extractions: it is 3, not a list; pass the answer for each document, such as [[{"text": "A',
        ),
        (("PER: Ada",), {}, "extractions: it is 'PER: Ada', not a list; pass the answer for each document"),
        (([],), {"label": ""}, "extractions: label is ''; pass the label of the prompt."),
        (([],), {"label": 3}, "extractions: label is 3; pass the label of the prompt."),
    ],
)
def test_wrong_arguments_are_refused(arguments: tuple[Any], options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(eh.InputError) as caught:
        eh.extractions(*arguments, **options)
    assert str(caught.value).startswith(sentence)
