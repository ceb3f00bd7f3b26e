"""`eh.ground`, and answers of language models as systems of every function."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import evenhand as eh
from conftest import EXAMPLE

GOLD, TAGGER, ANSWERS = EXAMPLE / "gold.conll", EXAMPLE / "tagger.conll", EXAMPLE / "prompted.jsonl"
TEXT = "Ada met Grace in Paris. Later, Ada left Paris."


def places(items: Any, **options: Any) -> list[tuple[str, str, int | None, int | None]]:
    """What becomes of items in the text: string, status and offsets."""
    return [(each.text, each.status, each.start, each.end) for each in eh.ground(TEXT, items, **options)]


def test_items_have_offsets_and_a_status() -> None:
    first, second = eh.ground(TEXT, [{"text": "Ada", "label": "PER"}, {"text": "Rome", "label": "LOC"}])
    assert first == ("Ada", "PER", "exact", 0, 3)
    assert (second.text, second.label, second.status, second.start, second.end) == ("Rome", "LOC", "absent", None, None)


def test_occurrences() -> None:
    items = [["Paris", "LOC"], ["Ada", "PER"]]
    assert [start for *_, start, _ in places(items)] == [17, 31]
    assert [start for *_, start, _ in places(items, occurrences="first")] == [17, 0]
    assert [start for *_, start, _ in places(items, occurrences="all")] == [17, 40, 0, 31]


def test_a_string_that_is_named_too_often_is_repeated() -> None:
    assert [status for _, status, *_ in places([["Grace", "PER"]] * 2)] == ["exact", "repeated"]
    assert [status for _, status, *_ in places([["Grace", "PER"]] * 2, occurrences="first")] == ["exact", "merged"]


@pytest.mark.parametrize(
    ("string", "status"), [("ada", "case"), ("Pari", "part"), ("Laterly", "absent"), ("in  Paris", "spaces")]
)
def test_steps(string: str, status: str) -> None:
    assert places([[string, "X"]])[0][1] == status


def test_fuzzy() -> None:
    assert places([["Later, Ada leftt Paris", "X"]])[0][1:] == ("fuzzy", 24, 45)
    assert places([["Later, Ada leftt Paris", "X"]], fuzzy="off")[0][1] == "absent"
    assert places([["Later, Ada leftt Paris", "X"]], fuzzy=2)[0][1] == "absent"


def test_shapes_are_recognised_or_named() -> None:
    assert places("PER: Grace", labels="PER")[0][2] == 8
    assert places("Ada met [Grace](PER) in Paris. Later, Ada left Paris.")[0][1:] == ("aligned", 8, 13)
    assert places("PER: Grace", labels=["PER"], shape="json") == []


def test_a_label_that_was_asked_for() -> None:
    assert [each.label for each in eh.ground(TEXT, ["Ada", "Grace"], label="PER")] == ["PER", "PER"]
    assert eh.ground(TEXT, ["Ada"]) == []


def test_labels_are_respelled_and_unknown_ones_kept_or_dropped() -> None:
    items = [["Ada", "per"], ["Paris", "City"]]
    assert [each.label for each in eh.ground(TEXT, items, labels="PER,LOC")] == ["PER", "City"]
    assert [each.label for each in eh.ground(TEXT, items, labels="PER,LOC", unknown_labels="drop")] == ["PER"]


@pytest.mark.parametrize("items", [None, "", "none", [], {}, 3, "[" * 100_000])
def test_whatever_a_model_writes_is_no_error(items: object) -> None:
    assert eh.ground(TEXT, items) == []


@pytest.mark.parametrize(
    ("arguments", "options", "sentence"),
    [
        (
            (TEXT, [object()]),
            {},
            "items has a value of type object, which cannot be read; pass the text that the model wrote, a list of items, or a dict.",
        ),
        ((3, []), {}, "text is 3; pass the text to search in."),
        ((TEXT, []), {"shape": "yaml"}, "shape is 'yaml'; choose one of json, xml, marks, markdown, lines."),
        ((TEXT, []), {"occurrences": "best"}, "occurrences is 'best'; choose one of in-order, first, all."),
        ((TEXT, []), {"fuzzy": 99}, "fuzzy is 99; use a share of characters in percent, up to 50, or off."),
        ((TEXT, []), {"unknown_labels": "x"}, "unknown_labels is 'x'; choose one of keep, drop."),
        ((TEXT, []), {"label": " "}, "label is ' '; pass the label of the prompt."),
        ((TEXT, []), {"label": 3}, "label is 3; pass the label of the prompt."),
        ((TEXT, []), {"lable": "x"}, "ground has no option 'lable'; did you mean label? See help(evenhand.ground)."),
    ],
)
def test_wrong_arguments_are_refused(arguments: tuple[Any, Any], options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(eh.SettingError) as caught:
        eh.ground(*arguments, **options)
    assert str(caught.value) == sentence


# Answers as systems


def test_a_tagger_keeps_its_figures_beside_answers() -> None:
    alone = eh.score(GOLD, TAGGER, match="exact,fair,overlap,ts,strings")
    beside = eh.score(GOLD, {"tagger": TAGGER, "gpt": ANSWERS}, match="exact,fair,overlap,ts,strings")["tagger"]
    assert dict(beside.scores) == dict(alone.scores)
    assert beside.grounding is None


def test_the_upper_bound_enters_no_score() -> None:
    result = eh.score(GOLD, ANSWERS, match="exact")
    assert result.grounding is not None
    assert result.grounding.upper_bound == pytest.approx(2 * 204 / (212 + 285))
    assert result["exact"].f1 == pytest.approx(2 * 202 / (212 + 285))
    assert result.to_dict()["systems"][0]["grounding"]["upper_bound"] == {
        "of": "exact",
        "TP": 204,
        "found": 212,
        "wanted": 285,
        "f1": result.grounding.upper_bound,
    }
    assert not any("bound" in name for name in result.metrics())


def test_what_is_saved_is_loaded(tmp_path: Path) -> None:
    results = eh.score(GOLD, {"tagger": TAGGER, "gpt": ANSWERS})
    results.to_json(tmp_path / "scores.json")
    again = eh.Results.from_json(tmp_path / "scores.json")
    assert str(again) == str(results)
    assert again["gpt"].grounding == results["gpt"].grounding


def test_settings_are_in_the_signature_where_there_are_answers() -> None:
    keys = "|occurrences:first|fuzzy:off|snap:strict|unplaced:drop|unknown-labels:drop"
    options = {"occurrences": "first", "fuzzy": "off", "snap": "strict", "unplaced": "drop", "unknown_labels": "drop"}
    assert eh.score(GOLD, ANSWERS, **options).signature.endswith(keys)
    assert "|system:extractions/json|" in eh.score(GOLD, ANSWERS).signature
    assert "occurrences" not in eh.score(GOLD, TAGGER).signature


@pytest.mark.parametrize("name", ["occurrences", "fuzzy", "snap", "unplaced", "unknown_labels", "shape"])
def test_settings_of_answers_are_refused_where_there_are_none(name: str) -> None:
    value = {"occurrences": "all", "fuzzy": 5, "snap": "strict", "shape": "json"}.get(name, "drop")
    with pytest.raises(
        eh.SettingError, match=f"--{name.replace('_', '-')} has no effect because no system is a file of"
    ):
        eh.score(GOLD, TAGGER, **{name: value})


def test_compare_rank_gate_and_report_take_answers() -> None:
    systems = {"tagger": TAGGER, "gpt": ANSWERS}
    f1 = eh.score(GOLD, ANSWERS, match="fair")["fair"].f1
    assert eh.compare(GOLD, systems, trials=0, resamples=0).scores["gpt"] == f1
    assert eh.rank(GOLD, systems, resamples=0)["fair"]["gpt"].score == f1
    assert not eh.gate(GOLD, TAGGER, ANSWERS, max_drop=1).passed
    page = eh.report(GOLD, systems, trials=0, resamples=0).to_html()
    assert "strings to look at" in page
    assert "London Stock Exchange" in page


def test_several_processes_give_the_same() -> None:
    assert eh.score(GOLD, {"tagger": TAGGER, "gpt": ANSWERS}, jobs=2).to_dict() == (
        eh.score(GOLD, {"tagger": TAGGER, "gpt": ANSWERS}).to_dict()
    )


def test_items_with_an_unknown_label_can_be_mapped() -> None:
    mapped = eh.score(GOLD, {"gpt": ANSWERS}, map="gpt:GROUP=ORG")["gpt"]
    assert mapped.grounding is not None
    assert mapped.grounding["unknown_labels"] == 0
    assert "GROUP" not in mapped.predicted_labels


def test_strict_snapping_has_no_place_for_parts_of_tokens() -> None:
    gold = eh.spans([[("PER", 0, 1)]], end="exclusive", tokens=[["Asante-Boyd", "slept"]])
    system = eh.extractions([[["Asante", "PER"]]])
    widened, strict = (eh.score(gold, system, match="exact", snap=snap) for snap in ("expand", "strict"))
    assert widened.grounding is not None
    assert strict.grounding is not None
    assert (widened["exact"].f1, widened.grounding["widened"]) == (1, 1)
    assert (strict["exact"].f1, strict.grounding["outside"], strict["exact"].overall["FP"]) == (0, 1, 1)
