"""Leakage: which atoms, spans, values and documents the spans of a system cover."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import evenhand as eh
from divided import check_same
from evenhand.arrays import ints
from evenhand.data.tokens import Tokens
from evenhand.errors import SettingError
from evenhand.tasks.spans import values as value_keys
from evenhand.tasks.spans.values import Keys, words_in_lower_case

WORDS = ["Dr.", "Ada", "Lovelace", "met", "ADA", "in", "London"]
Listed = list[tuple[str, int, int]]


def leak(gold: Any, system: Any, **options: Any) -> dict[str, Any]:
    """The figures of the match model, as JSON has them."""
    (scored,) = eh.score(gold, {"system": system}, match="leak", **options).to_dict()["systems"]
    return dict(scored["scores"]["leak"])


def sentences(*rows: Listed, words: list[list[str]] | None = None) -> Any:
    return eh.spans(list(rows), tokens=words or [WORDS] * len(rows), end="inclusive")


def overall(gold: Listed, system: Listed) -> dict[str, Any]:
    return dict(leak(sentences(gold), sentences(system))["overall"])


def test_a_span_is_covered_partial_or_exposed() -> None:
    """Any label covers, and several spans may cover one together."""
    gold = [("PER", 0, 2), ("PER", 4, 4), ("LOC", 6, 6), ("ORG", 3, 5)]
    found = overall(gold, [("LOC", 0, 0), ("ORG", 1, 2), ("X", 4, 4)])
    assert {name: found[name] for name in ("spans", "covered", "partial", "exposed", "recall")} == {
        "spans": 4,
        "covered": 2,
        "partial": 1,
        "exposed": 1,
        "recall": 0.5,
    }


def test_atoms_that_leak_and_atoms_that_are_covered_needlessly() -> None:
    found = overall([("PER", 0, 2)], [("PER", 1, 4)])
    assert (found["sensitive"], found["leaked"], found["leak_rate"]) == (3, 1, 1 / 3)
    assert (found["redacted"], found["over"], found["over_rate"], found["over_text"]) == (4, 2, 0.5, 0.5)


def test_an_atom_under_two_labels_counts_for_both_and_once_overall() -> None:
    scores = leak(sentences([("PER", 0, 2), ("TITLE", 0, 0), ("PER", 1, 2)]), sentences([("PER", 1, 1)]))
    assert {label: (row["sensitive"], row["leaked"]) for label, row in scores["labels"].items()} == {
        "PER": (3, 2),
        "TITLE": (1, 1),
    }
    assert (scores["overall"]["sensitive"], scores["overall"]["leaked"]) == (3, 2)


def test_labels_lack_what_no_label_has() -> None:
    scores = leak(sentences([("PER", 0, 2)]), sentences([("LOC", 6, 6)]))
    assert list(scores) == ["headline", "overall", "labels"]
    assert list(scores["labels"]) == ["PER"]
    counts = ["spans", "covered", "partial", "exposed", "values", "values_safe", "sensitive", "leaked"]
    assert list(scores["labels"]["PER"]) == [*counts, "recall", "leak_rate"]


def test_a_value_is_safe_if_all_of_its_mentions_are_covered() -> None:
    """Ada and ADA are one value; the same words with another label are another one."""
    gold = [("PER", 1, 1), ("PER", 4, 4), ("SHIP", 1, 1), ("LOC", 6, 6)]
    found = overall(gold, [("PER", 1, 1), ("PER", 6, 6)])
    assert (found["values"], found["values_safe"]) == (3, 2)


def test_gaps_do_not_belong_to_a_span() -> None:
    gold = eh.spans([[("PER", 0, 2, [0, 2])]], tokens=[WORDS], end="inclusive")
    found = leak(gold, sentences([("PER", 0, 0), ("PER", 2, 2)]))["overall"]
    assert (found["covered"], found["sensitive"], found["over"]) == (1, 2, 0)


def test_documents_are_told_apart(tmp_path: Path) -> None:
    """The same name in two documents is two values; a document without gold spans does not count."""
    gold, system = tmp_path / "gold.jsonl", tmp_path / "system.jsonl"
    texts = ["Ada came", "Ada came", "Nobody came"]
    spans = [[[0, 3, "PER"]], [[0, 3, "PER"]], []]
    for path, found in ((gold, spans), (system, [spans[0], [], []])):
        rows = [{"id": i, "text": text, "label": each} for i, (text, each) in enumerate(zip(texts, found, strict=True))]
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    scores = leak(gold, system)["overall"]
    assert (scores["values"], scores["values_safe"], scores["documents"], scores["documents_safe"]) == (2, 1, 2, 1)


def test_recall_is_undefined_if_nothing_is_sensitive() -> None:
    found = overall([], [("PER", 0, 0)])
    assert (found["recall"], found["leak_rate"], found["over_rate"], found["values"]) == (None, None, 1, 0)


def test_spans_without_text_have_no_values() -> None:
    """A table of spans has no words and no lengths: null, not 0."""
    scores = leak(eh.spans([[("PER", 0, 2)]]), eh.spans([[("PER", 0, 1)]]))
    assert (scores["overall"]["values"], scores["overall"]["over_text"]) == (None, None)
    assert scores["labels"]["PER"]["values_safe"] is None
    assert scores["overall"]["leak_rate"] == 1 / 2


def test_values_are_remembered_from_portion_to_portion(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However the text is cut, a value that is exposed once is not safe, and none is counted twice."""
    gold, system = tmp_path / "gold.conll", tmp_path / "system.conll"
    names = ["Ada", "Bob", "ada", "Cyd", "bob", "Ada"]
    gold.write_text("".join(f"{name}\tB-PER\n.\tO\n\n" for name in names))
    system.write_text("".join(f"{name}\t{'O' if name == 'ada' else 'B-X'}\n.\tO\n\n" for name in names))
    whole = leak(gold, system)
    assert (whole["overall"]["values"], whole["overall"]["values_safe"]) == (3, 2)
    monkeypatch.setattr("evenhand.tasks.spans.evaluation.PART_SPANS", 1)
    monkeypatch.setattr("evenhand.settings.ReadSettings.block_size", 8)
    assert leak(gold, system) == whole


@st.composite
def sides(draw: st.DrawFn) -> tuple[list[Listed], list[Listed]]:
    """Spans of two sides in some sentences of seven words; those of the gold standard may overlap."""
    span = st.tuples(st.sampled_from("ABC"), st.integers(0, 6), st.integers(0, 6)).map(
        lambda each: (each[0], min(each[1:]), max(each[1:]))
    )
    size = draw(st.integers(1, 3))
    rows = st.lists(st.lists(span, max_size=5, unique=True), min_size=size, max_size=size)
    return draw(rows), draw(rows)


def by_sets(gold: list[Listed], system: list[Listed]) -> dict[str, int]:
    """The definition, literally."""
    spans = [({(number, at) for at in range(first, last + 1)}, label, number, first, last)
             for number, row in enumerate(gold) for label, first, last in row]  # fmt: skip
    covered = {(number, at) for number, row in enumerate(system) for _, first, last in row
               for at in range(first, last + 1)}  # fmt: skip
    sensitive = set().union(*(atoms for atoms, *_ in spans))
    values: dict[tuple[str, str], bool] = {}
    for atoms, label, _, first, last in spans:
        key = label, " ".join(WORDS[first : last + 1]).lower()
        values[key] = values.get(key, True) and atoms <= covered
    return {
        "spans": len(spans),
        "covered": sum(atoms <= covered for atoms, *_ in spans),
        "partial": sum(bool(atoms & covered) and not atoms <= covered for atoms, *_ in spans),
        "exposed": sum(not atoms & covered for atoms, *_ in spans),
        "values": len(values),
        "values_safe": sum(values.values()),
        "sensitive": len(sensitive),
        "leaked": len(sensitive - covered),
        "redacted": len(covered),
        "over": len(covered - sensitive),
        "documents": int(bool(spans)),
        "documents_safe": int(bool(spans) and sensitive <= covered),
    }


@given(sides())
def test_counts_are_those_of_the_definition(drawn: tuple[list[Listed], list[Listed]]) -> None:
    scores = leak(*(sentences(*side) for side in drawn))["overall"]
    expected = by_sets(*drawn)
    assert {name: scores[name] for name in expected} == expected
    assert scores["covered"] + scores["partial"] + scores["exposed"] == scores["spans"]


@given(sides())
def test_atoms_of_a_label_are_those_of_its_spans(drawn: tuple[list[Listed], list[Listed]]) -> None:
    """Each counts once, however many spans of the label it is in."""
    gold, system = ([(n, *span) for n, row in enumerate(side) for span in row] for side in drawn)
    covered = {(number, at) for number, _, first, last in system for at in range(first, last + 1)}
    for label, row in leak(*(sentences(*side) for side in drawn))["labels"].items():
        atoms = {(n, at) for n, name, first, last in gold if name == label for at in range(first, last + 1)}
        assert (row["sensitive"], row["leaked"]) == (len(atoms), len(atoms - covered))


@given(sides(), st.randoms(use_true_random=False))
def test_labels_of_the_system_change_nothing(drawn: tuple[list[Listed], list[Listed]], random: Any) -> None:
    gold, system = drawn
    swapped = [[(random.choice("ABCD"), first, last) for _, first, last in row] for row in system]
    assert leak(sentences(*gold), sentences(*swapped)) == leak(sentences(*gold), sentences(*system))


@given(sides())
def test_of_labels_without_overlaps_sums_are_overall(drawn: tuple[list[Listed], list[Listed]]) -> None:
    scores = leak(*(sentences(*side) for side in drawn))
    for name in ("spans", "covered", "partial", "exposed", "values", "values_safe"):
        assert sum(row[name] for row in scores["labels"].values()) == scores["overall"][name]


def listed(result: eh.Result) -> list[dict[str, Any]]:
    """The spans that leak, as JSON has them."""
    return list(result["leak"].further["leaked"]["spans"])


def leaked(gold: Listed, system: Listed, **options: Any) -> list[dict[str, Any]]:
    return listed(eh.score(sentences(gold), sentences(system), match="leak", show="leaked", **options))


def test_spans_that_leak_are_listed_with_what_is_visible() -> None:
    """Covered words are a block each; spans that are covered entirely are not listed."""
    gold = [("LOC", 6, 6), ("PER", 0, 2), ("PER", 4, 4)]
    first, second = leaked(gold, [("X", 1, 1), ("X", 4, 4)])
    assert first == {
        "place": "spans",
        "document": "1",
        "sentence": 1,
        "start": 0,
        "end": 3,
        "label": "PER",
        "words": "Dr. Ada Lovelace",
        "visible": "Dr. █ Lovelace",
        "state": "partial",
        "positions": "tokens",
        "token_start": 0,
        "token_end": 3,
        "parts": None,
        "text_place": None,
    }
    assert (second["words"], second["visible"], second["state"]) == ("London", "London", "exposed")


def test_of_characters_the_visible_ones_stay_together() -> None:
    text = "born 12/03/1984 in Vigo"
    sides = (eh.spans([[("DATE", 5, 15)]], text=[text]), eh.spans([[("DATE", 4, 11), ("X", 13, 14)]], text=[text]))
    (found,) = listed(eh.score(*sides, match="leak", show="leaked"))
    assert (found["words"], found["visible"]) == ("12/03/1984", "█19█4")


def test_only_the_first_spans_that_leak_are_kept() -> None:
    gold: Listed = [("PER", at, at) for at in range(5)]
    assert [each["start"] for each in leaked(gold, [], limit=2)] == [0, 1]
    assert leaked(gold, [], limit=0) == []
    assert leaked(gold, gold) == []


def test_a_saved_result_keeps_spans_that_leak() -> None:
    result = eh.score(sentences([("PER", 0, 2)]), {"s": sentences([])}, match="leak", show="leaked")
    assert listed(eh.Results.from_json(result.to_json())["s"]) == listed(result["s"])
    assert "Dr. Ada Lovelace" in str(result)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"show": "leaked", "match": "exact"}, "show='leaked' needs the measure leak; add it to match"),
        ({"show": "leeked", "match": "leak"}, "show is 'leeked'; did you mean leaked"),
        ({"limit": 3, "match": "leak"}, "limit needs show"),
        ({"show": "leaked", "limit": -1, "match": "leak"}, "limit is -1"),
    ],
)
def test_what_cannot_be_shown(options: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        eh.score(sentences([]), sentences([]), **options)


def test_systems_are_compared_by_what_they_cover() -> None:
    """One span is no longer seen, one is seen now, one is seen in part; labels and surplus spans do not matter."""
    gold = sentences([("PER", 0, 0), ("PER", 1, 2), ("LOC", 4, 4), ("LOC", 6, 6)])
    old, new = sentences([("A", 0, 0), ("A", 6, 6)]), sentences([("B", 2, 4), ("B", 5, 6)])
    compared = eh.compare(gold, {"old": old, "new": new}, by="leak", trials=0, resamples=0)
    pair = compared.pair("old", "new")
    by_name = {
        name: [(each.gold, each.before, each.after) for each in differences.transitions]
        for name, differences in pair.classes.items()
    }
    assert by_name == {
        "correction": [("LOC", "exposed", "covered")],
        "new_error": [("PER", "covered", "exposed")],
        "changed_error": [("PER", "exposed", "partial")],
    }
    assert dict(compared.scores) == {"old": 0.5, "new": 0.5}


def test_a_gate_takes_no_drop_of_what_should_be_low() -> None:
    gold = sentences([("PER", 0, 0)])
    with pytest.raises(SettingError, match="leak_rate is better if it is low; use ceiling"):
        eh.gate(gold, gold, gold, max_drop={"leak_rate": 1})
    assert eh.gate(gold, gold, sentences([]), by="leak", max_drop=5).passed is False


def test_folders_are_divided_among_processes_and_files_are_not(tmp_path: Path) -> None:
    """A file is a document, which is judged as a whole; so the counts are the same, group by group."""
    for side, label in (("gold", "PER"), ("system", "X")):
        (tmp_path / side).mkdir()
        for number in range(6):
            names = ["Ada", "Bob", "ADA"] if number % 2 else ["Cyd", "cyd"]
            tags = [label if side == "gold" or (number + place) % 3 else None for place in range(len(names))]
            lines = [f"{name}\t{f'B-{tag}' if tag else 'O'}\n.\tO\n\n" for name, tag in zip(names, tags, strict=True)]
            (tmp_path / side / f"{number}.conll").write_text("".join(lines))
    gold, system = tmp_path / "gold", tmp_path / "system"
    for match in ("leak", "meddocan,i2b2"):
        engine = check_same(gold, system, 3, match=match, groups="sentence")
        assert (engine.parts > 1, engine.whole) == (True, False)
    engine = check_same(gold / "1.conll", system / "1.conll", 3, match="leak,exact")
    assert engine.parts == 1


# Values are told apart by a table as they are one by one, and their words are those of the text in lower case


KEYS = st.lists(
    st.tuples(
        st.integers(0, 2),
        st.integers(-1, 2),
        st.sampled_from(
            ["", "a", "b", "ab", "ada", "ada l", "12345678", "123456789", "12345678a", "é", "x" * 300, "x" * 301]
        ),
    ),
    max_size=30,
)
Row = tuple[int, int, str]


def keys(rows: list[Row]) -> Keys:
    documents, labels, words = ([row[at] for row in rows] for at in range(3))
    return Keys.of(ints(documents), ints(labels), Tokens.of([str(word) for word in words]))


def check(rows: list[Row]) -> None:
    """Equal keys have equal numbers, first come first."""
    distinct = list(dict.fromkeys(rows))
    for number, first in (keys(rows).numbered(), keys(rows).numbered_one_by_one()):
        assert number.tolist() == [distinct.index(row) for row in rows]
        assert first.tolist() == [rows.index(row) for row in distinct]


@pytest.mark.property
@given(KEYS)
def test_keys_are_numbered_as_they_come(rows: list[Row]) -> None:
    check(rows)


@pytest.mark.property
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(KEYS)
@pytest.mark.parametrize("kept", [0, 1 << 63, 3 << 62])
def test_keys_that_want_the_same_place_are_told_apart(
    monkeypatch: pytest.MonkeyPatch, kept: int, rows: list[Row]
) -> None:
    mixed = value_keys._mixed
    monkeypatch.setattr(value_keys, "_mixed", lambda numbers: mixed(numbers) & np.uint64(kept))
    check(rows)


WORD = st.sampled_from(
    ["Ada", "É", "ΣΑΣ", "ΑΣ", "Σ", "İ", "ß", "ẞ", "x y", "Ǆ", "Ö", "o'Σ", "Z[@`{", "字", "𐐀", "É\0a"]
)


@pytest.mark.property
@given(st.lists(st.lists(WORD, min_size=1, max_size=5), min_size=1, max_size=4), st.data())
def test_words_are_those_of_the_text_in_lower_case(sentences: list[list[str]], data: st.DataObject) -> None:
    rows: list[list[Any]] = []
    for words in sentences:
        place = st.integers(0, len(words) - 1)
        pairs = data.draw(st.lists(st.tuples(place, place), max_size=4))
        rows.append([("X", min(pair), max(pair)) for pair in pairs])
    annotation = eh.spans(rows, tokens=sentences, end="inclusive")
    outcome = words_in_lower_case([annotation], annotation.spans(), None)  # type: ignore[arg-type]
    assert outcome is not None
    spans = [(words, *span) for words, row in zip(sentences, rows, strict=True) for span in row]
    assert outcome.texts(0, len(outcome)) == [
        " ".join(words[first : last + 1]).lower() for words, _, first, last in spans
    ]
