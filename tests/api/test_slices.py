"""Scores on slices: metadata of documents and sentences, attributes of units, bins, gates, saved results."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import evenhand as eh
from conftest import ROOT
from evenhand.comparison.slices import ATTRIBUTES, Bins, natural_order
from evenhand.report import data as csv_report
from evenhand.tasks.registry import TASKS

EXAMPLES = ROOT / "src" / "evenhand" / "examples"
GOLD, CRF, TAGGER = (EXAMPLES / "ner" / f"{name}.conll" for name in ("gold", "crf", "tagger"))
GENRES = {"genre": {str(number): "news" if number % 2 else "chat" for number in range(1, 9)}}


WITH_EXAMPLES = [task.name for task in TASKS.values() if (EXAMPLES / task.example.folder / task.example.gold).exists()]


WITHOUT = "records"
"""The task whose units have no positions in a text."""


def example(task: str) -> tuple[Path, Path]:
    declared = TASKS[task].example
    folder = EXAMPLES / declared.folder
    return folder / declared.gold, folder / declared.systems[0]


def overall_counts(score: Any) -> dict[str, float]:
    return {name: count for name, count in score.overall.counts.items() if count is not None}


def assert_adds_up(result: eh.Result, slicing: str) -> None:
    """The counts of all slices are those of the total, for every measure that has the slices."""
    slices = result.slices[slicing]
    for measure in next(iter(slices.values())):
        total = overall_counts(result[measure])
        for name, count in total.items():
            parts = [piece[measure].overall.counts[name] for piece in slices.values()]
            assert sum(part or 0 for part in parts) == pytest.approx(count), (measure, name)
        labels = {label for piece in slices.values() for label in piece[measure].labels}
        for label in labels & set(result[measure].labels):
            whole = result[measure].labels[label]
            for name in total:
                rows = [piece[measure].labels.get(label) for piece in slices.values()]
                counts = [row.counts.get(name) for row in rows if row is not None]
                if whole.counts.get(name) is not None:
                    assert sum(count or 0 for count in counts) == pytest.approx(whole.counts[name]), (measure, label)


# Every task


@pytest.mark.parametrize("task", WITH_EXAMPLES)
def test_slices_of_every_task_change_no_score_and_can_be_saved(task: str) -> None:
    gold, system = example(task)
    plain = eh.score(gold, system, task=task)
    result = eh.score(
        gold, system, task=task, slices=["document", *([] if task == WITHOUT else ["sentence-length", "length"])]
    )
    assert result.to_dict()["systems"][0]["scores"] == plain.to_dict()["systems"][0]["scores"]
    assert result.signature == plain.signature
    assert sum(piece.units for piece in result.slices["document"].values()) == result.gold.units
    loaded = eh.Result.from_json(result.to_json())
    assert loaded.to_json() == result.to_json()
    assert list(loaded.slices["document"]) == list(result.slices["document"])


@pytest.mark.property
@pytest.mark.parametrize("task", WITH_EXAMPLES)
@settings(max_examples=5, deadline=None)
@given(data=st.data())
def test_the_slices_of_a_partition_add_up(task: str, data: st.DataObject) -> None:
    """Whichever documents have which value: counts of all measures, and of all labels, are sums over slices."""
    gold, system = example(task)
    names = [*eh.score(gold, system, task=task, slices="document").slices["document"]]
    values = data.draw(st.dictionaries(st.sampled_from(names), st.sampled_from(["a", "b", "c"]), min_size=1))
    result = eh.score(gold, system, task=task, slices={"value": values})
    assert set(result.slices["value"]) <= {"a", "b", "c", "(none)"}
    assert sum(piece.units for piece in result.slices["value"].values()) == result.gold.units
    assert_adds_up(result, "value")


@pytest.mark.parametrize("task", [task for task in WITH_EXAMPLES if task != WITHOUT])
@pytest.mark.parametrize("name", ["document", "sentence-length=q3", "length=1,2,3+"])
def test_attributes_add_up(task: str, name: str) -> None:
    """Slices of units are counted for the measures that systems can be compared by, unless these count entities."""
    gold, system = example(task)
    result = eh.score(gold, system, task=task, slices=name)
    (slicing,) = result.slices
    slices = result.slices[slicing]
    measures = set(next(iter(slices.values())))
    if slicing == "length" or (slicing == "sentence-length" and TASKS[task].evaluation.by_document):
        counted = set(TASKS[task].selection.compared) - set(TASKS[task].compared_units)
        assert set(result) & counted <= measures <= set(result)
    else:
        assert measures == set(result)
    assert_adds_up(result, slicing)


def test_measures_without_units_are_named() -> None:
    with pytest.raises(
        eh.SettingError, match=r"The slice 'length' needs units, but exact, .* cannot be counted by unit"
    ):
        eh.score(*example(WITHOUT), task=WITHOUT, slices="length")
    gold, system = example("chains")
    result = eh.score(gold, system, match="muc,arcs_any", slices="length")
    assert set(result.slices["length"]["1"]) == {"arcs_any"}
    assert "The slice length needs units, which muc does not count one by one." in result.notes
    with pytest.raises(eh.SettingError) as error:
        eh.score(gold, system, match="muc", slices="length")
    assert str(error.value) == "The slice 'length' needs units, but muc cannot be counted by unit."
    with pytest.raises(eh.SettingError) as error:
        eh.gate(gold, candidate=system, floor={"length=2/muc": 0.5})
    assert str(error.value) == "The slice 'length' needs units, but mela, muc cannot be counted by unit."


def test_every_measure_of_spans_has_slices_of_documents() -> None:
    result = eh.score(GOLD, CRF, match="exact,ts,semeval,accuracy,string-set,leak", slices=GENRES)
    assert set(result.slices["genre"]["chat"]) == set(result)
    assert_adds_up(result, "genre")


# Metadata


def rows(result: eh.Result, name: str) -> dict[str, tuple[int, float]]:
    return {value: (piece.units, piece["exact"].overall["TP"]) for value, piece in result.slices[name].items()}


EXPECTED = {"chat": (153, 98), "news": (132, 81)}


def write(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def test_metadata_in_every_form(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    pairs = list(GENRES["genre"].items())
    lines = "".join(f"{name},{genre}\n" for name, genre in pairs)
    forms: list[Any] = [
        GENRES,
        {"genre": pandas.Series(GENRES["genre"])},
        {"genre": pandas.Series({int(name): genre for name, genre in pairs})},
        pandas.DataFrame({"document": [name for name, _ in pairs], "genre": [genre for _, genre in pairs]}),
        polars.DataFrame({"doc_id": [int(name) for name, _ in pairs], "genre": [genre for _, genre in pairs]}),
        write(tmp_path / "meta.csv", f"document,genre\n{lines}"),
        str(write(tmp_path / "semicolons.csv", f"\ufeffnumber;genre\n\n{lines.replace(',', ';')}")),
        write(
            tmp_path / "meta.tsv",
            f"genre\tDocument\n{''.join(f'{genre}	{name}' + chr(10) for name, genre in pairs)}",
        ),
        write(
            tmp_path / "lines.jsonl", "".join(json.dumps({"id": name, "genre": genre}) + "\n" for name, genre in pairs)
        ),
        write(tmp_path / "list.json", json.dumps([{"document": int(name), "genre": genre} for name, genre in pairs])),
    ]
    for form in forms:
        assert rows(eh.score(GOLD, CRF, slices=form), "genre") == EXPECTED


def test_documents_and_tables_that_lack_something(tmp_path: Path) -> None:
    table = write(tmp_path / "meta.csv", "document,genre,year\n1,news,\n2,chat,1999\n9,chat,2000\n10,x,1\n")
    result = eh.score(GOLD, CRF, slices=table)
    assert list(result.slices["genre"]) == ["chat", "news", "(none)"]
    assert list(result.slices["year"]) == ["1999", "(none)"]
    assert result.notes == (
        f"{table}: 6 of 8 documents of {GOLD} are not in it; see (none).",
        f"{table}: 2 documents ('9', …) are not in {GOLD}.",
        f"{table}: 1 of 8 documents has no year; see (none).",
    )
    one = eh.score(GOLD, CRF, slices={"genre": {**GENRES["genre"], "9": "x"}})
    assert one.notes == (f"slices: 1 document ('9') is not in {GOLD}.",)


def test_nothing_in_common() -> None:
    with pytest.raises(eh.SettingError) as error:
        eh.score(GOLD, CRF, slices={"genre": {"a17": "news"}})
    assert str(error.value) == f"slices: no document ('a17', …) is in {GOLD} ('1', …)."
    with pytest.raises(eh.SettingError, match="no document"):
        eh.compare(GOLD, [CRF, TAGGER], slices={"genre": {"a17": "news"}}, trials=0, resamples=0)


MESSAGES = {
    "no delimiter": ("document\n1\n", ":1: found no tabs, commas or semicolons between names of columns;"),
    "one column": ('{"document": "1"}\n', ": the table has only the column 'document'; add a column for each slice."),
    "no rows": ("document,genre\n", ": the table has no rows; write one row per document."),
    "a short line": ("document,genre\n1\n", ":2: expected 2 cells as in the header, got 1;"),
    "a column twice": ("document,genre,genre\n1,a,b\n", ":1: found several columns called 'genre';"),
    "a column without a name": ("document,\n1,a\n", ":1: found a column without a name;"),
    "no id": ("document,genre\n1,a\n,b\n", ":3: found no id in 'document'; add the id of the document."),
    "two values": ("document,genre\n1,a\n1,b\n", ":3: '1' has the genre 'b' here, and 'a' before; keep one value."),
    "not JSON": ('{"document": "1"\n', ":1: the line is not JSON"),
    "not objects": ("[1]", ":1: expected an object with fields, got 1; write one per line."),
}


@pytest.mark.parametrize(("text", "message"), MESSAGES.values(), ids=MESSAGES)
def test_broken_tables(text: str, message: str, tmp_path: Path) -> None:
    table = write(tmp_path / ("meta.jsonl" if text[0] in "{[" else "meta.csv"), text)
    with pytest.raises(eh.InputError) as error:
        eh.score(GOLD, CRF, slices=table)
    assert str(error.value).startswith(f"{table}{message}")


def test_a_repeated_id_with_the_same_value(tmp_path: Path) -> None:
    table = write(tmp_path / "meta.csv", "document,genre\n1,a\n1,a\n")
    assert eh.score(GOLD, CRF, slices=table).slices["genre"]["a"].units == 33


@pytest.mark.parametrize(
    ("slices", "message"),
    [
        (3, "slices is 3; pass names, a table, a frame, or a mapping from names to mappings from ids to values."),
        ({"genre": ["a"]}, "slices['genre'] is ['a']; pass a mapping (or a Series) from ids to values."),
        ({1: {"1": "a"}}, "slices has the name 1; the name of a slice must be a string."),
        ("length=a", "The slice 'length' has the bins 'a'; use numbers, ranges and quantiles,"),
        ("length=", "'length=' is not a slice; write NAME, or NAME=BINS such as length=1,2,3,4+."),
        ("pronoun", "The slice 'pronoun' is for chains; remove it."),
        ("vocabulary", "The slice 'vocabulary' needs a word list; specify it with --vocabulary FILE."),
    ],
)
def test_wrong_slices(slices: Any, message: str) -> None:
    with pytest.raises(eh.SettingError) as error:
        eh.score(GOLD, CRF, slices=slices)
    assert str(error.value).startswith(message)


def test_other_options_with_slices() -> None:
    for options in ({"jobs": 2}, {"show": "leaked", "match": "leak"}):
        with pytest.raises(eh.SettingError, match="Slices are counted in one process"):
            eh.score(GOLD, CRF, slices="length", **options)  # type: ignore[call-overload]
    with pytest.raises(eh.SettingError, match="groups is 'sentence'; with slices, choose total or finest"):
        eh.score(GOLD, CRF, slices="length", groups="sentence")
    with pytest.raises(eh.SettingError, match="A word list is for the slice 'vocabulary'"):
        eh.score(GOLD, CRF, vocabulary=["Ada"])
    finest = eh.score(GOLD, CRF, slices="length", groups="finest")
    assert finest.groups == "document"
    assert finest.slices["length"]["2"]["exact"].overall["TP"] == 54
    seen = eh.score(GOLD, CRF, slices="vocabulary", vocabulary=["Silver Gannet"]).slices["vocabulary"]
    assert seen["seen"].units > 0


def test_sentences_by_id() -> None:
    gold = eh.spans({"s1": [("PER", 0, 1)], "s2": [("LOC", 0, 1)], "s3": []}, lengths={"s1": 2, "s2": 2, "s3": 2})
    result = eh.score(gold, gold, slices={"genre": {"s1": "a", "s3": "b"}})
    assert {name: piece.units for name, piece in result.slices["genre"].items()} == {"a": 1, "b": 0, "(none)": 1}


def test_sentences_of_a_frame_by_id(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        {
            "sentence": [1, 1, 2],
            "token": ["Ada", "wrote", "Paris"],
            "tag": ["B-PER", "O", "B-LOC"],
            "genre": ["a", "a", "b"],
        }
    )
    table = write(tmp_path / "meta.csv", "sentence,genre\n1,a\n2,b\n")
    for slices in ({"genre": {1: "a", 2: "b"}}, table, frame[["sentence", "genre"]], "genre"):
        result = eh.score(frame, frame, slices=slices)
        assert {name: piece.units for name, piece in result.slices["genre"].items()} == {"a": 1, "b": 1}
    with pytest.raises(eh.SettingError, match="has ids of sentences, which the gold standard does not have"):
        eh.score(GOLD, CRF, slices=table)


def test_chains_take_metadata_of_documents(tmp_path: Path) -> None:
    gold, system = example("chains")
    table = write(tmp_path / "meta.csv", "sentence,genre\n1,a\n")
    with pytest.raises(eh.SettingError, match="has ids of sentences; use values by document for this task"):
        eh.score(gold, system, slices=table)


def test_fields_of_json_records(tmp_path: Path) -> None:
    records = [
        {"id": f"d{number}", "text": "Ada wrote", "spans": [{"start": 0, "end": 3, "label": "PER"}],
         "genre": "news" if number % 2 else "chat", "meta": {"source": f"s{number // 2}"}}
        for number in range(4)
    ]  # fmt: skip
    gold = write(tmp_path / "gold.jsonl", "".join(json.dumps(record) + "\n" for record in records))
    system = write(tmp_path / "system.jsonl", "".join(json.dumps({**record, "spans": []}) + "\n" for record in records))
    result = eh.score(gold, system, slices="genre,meta.source")
    assert {name: piece.units for name, piece in result.slices["genre"].items()} == {"chat": 2, "news": 2}
    assert list(result.slices["meta.source"]) == ["s0", "s1"]
    without = [{name: value for name, value in record.items() if name != "id"} for record in records]
    for path in (gold, system):
        path.write_text("".join(json.dumps(record) + "\n" for record in without))
    assert eh.score(gold, system, slices="genre").slices["genre"]["chat"].units == 2
    with pytest.raises(eh.SettingError, match="The gold standard has no column 'mood' to slice by"):
        eh.score(gold, system, slices="mood")


def test_documents_named_by_files(tmp_path: Path) -> None:
    for folder in ("gold", "system"):
        (tmp_path / folder).mkdir()
        for name in ("one", "two"):
            (tmp_path / folder / f"{name}.txt").write_text("Ada wrote")
            (tmp_path / folder / f"{name}.ann").write_text("T1\tPER 0 3\tAda\n")
    result = eh.score(tmp_path / "gold", tmp_path / "system", slices={"genre": {"one": "a", "two": "b"}})
    assert {name: piece.units for name, piece in result.slices["genre"].items()} == {"a": 1, "b": 1}


# Bins and order


def test_natural_order() -> None:
    names = ["10", "9", "(none)", "5+", "chat 2", "Chat 10", "b", "a", "(other)", "1-10", "no place", "2.5", "2.25"]
    ordered = ["1-10", "2.25", "2.5", "5+", "9", "10", "a", "b", "chat 2", "Chat 10", "no place", "(other)", "(none)"]
    assert sorted(names, key=natural_order) == ordered


@pytest.mark.parametrize(
    ("text", "values", "units", "expected"),
    [
        ("1,2,3+", [1, 2, 3, 9], [1, 1, 1, 1], ["1", "2", "3+", "3+"]),
        ("1-2,5", [1, 2, 3, 5], [1, 1, 1, 1], ["1-2", "1-2", "(other)", "5"]),
        ("q2", [1, 2, 3, 4], [3, 1, 1, 1], ["1-2", "1-2", "3-4", "3-4"]),
        ("0,q2", [0, 1, 2, 3], [100, 3, 1, 1], ["0", "1", "2-3", "2-3"]),
        ("q4", [1], [7], ["1"]),
        ("q2", [0.5, 0.25], [1, 3], ["0.5", "0.25"]),
    ],
)
def test_bins(text: str, values: list[float], units: list[int], expected: list[str]) -> None:
    import numpy as np

    assert Bins.parse(text, "x").names(values, np.array(units)) == expected


def test_many_numbers_and_many_texts_get_bins() -> None:
    gold = eh.spans({f"d{number}": [("A", 0, 1)] for number in range(60)}, lengths={f"d{n}": 1 for n in range(60)})
    numbers = {"year": {f"d{number}": 1900 + number for number in range(60)}}
    result = eh.score(gold, gold, slices=numbers)
    assert {name: piece.units for name, piece in result.slices["year"].items()} == {
        "1900-1915": 16,
        "1916-1931": 16,
        "1932-1947": 16,
        "1948-1959": 12,
    }
    assert result.notes[-1] == "year has 60 different numbers, which are grouped into quantile bins (q4)."
    texts = {"author": {f"d{number}": f"a{number % 55}" for number in range(60)}}
    result = eh.score(gold, gold, slices=texts)
    slices = result.slices["author"]
    assert (len(slices), [*slices][-1], slices["(other)"].units) == (21, "(other)", 35)
    assert result.notes[-1] == "author has 55 different values; the 20 most frequent ones are shown."
    few = eh.score(gold, gold, slices=["year=1900-1929,1930+", numbers]).slices["year"]
    assert {name: piece.units for name, piece in few.items()} == {"1900-1929": 30, "1930+": 30}


# Other commands


def test_the_same_slices_in_a_comparison_and_a_report() -> None:
    scored = eh.score(GOLD, {"crf": CRF, "tagger": TAGGER}, slices=[GENRES, "length"])
    compared = eh.compare(GOLD, {"crf": CRF, "tagger": TAGGER}, slices=[GENRES, "length"], trials=0, resamples=0)
    report = eh.report(GOLD, {"crf": CRF, "tagger": TAGGER}, slices=[GENRES, "length"], trials=0, resamples=0)
    assert report.comparison is not None
    for name in ("genre", "length"):
        for value, piece in compared.slices[name].items():
            sliced = {system: scored[system].slices[name][value] for system in scored}
            assert piece.units == sliced["crf"].units
            assert piece.scores == pytest.approx({system: part["fair"].f1 for system, part in sliced.items()})
        assert report.comparison.slices[name] == compared.slices[name]
        assert report.results["crf"].slices[name] == scored["crf"].slices[name]
    page = report.to_html()
    assert "slice: genre" in page
    assert 'id="slices"' in page


def test_tables_and_rows() -> None:
    one = eh.score(GOLD, CRF, slices=GENRES)
    assert "slice: genre  gold  TP  FP  FN  prec.  recall     F1   fair\n" in str(one)
    assert "chat           153  98  16  55  85.96   64.05  73.41  77.17\n" in str(one)
    two = str(eh.score(GOLD, {"crf": CRF, "tagger": TAGGER}, slices=GENRES))
    assert "slice: genre (exact)  gold    crf  tagger\n" in two
    columns, *rows = csv.reader(io.StringIO(csv_report.render(one)))
    chat = dict(zip(columns, next(row for row in rows if row[2:4] == ["slice", "genre=chat"]), strict=True))
    assert (chat["model"], chat["gold"], chat["TP"], chat["headline"]) == (
        "exact",
        "153",
        "98",
        str(one.slices["genre"]["chat"]["exact"].f1),
    )


def test_limits_of_slices() -> None:
    gate = eh.gate(
        GOLD, candidate=CRF, floor={"genre=chat/exact.recall": 0.6, "PER:genre=news/fair.f1": 0.99}, slices=GENRES
    )
    assert [(criterion.title, criterion.passed) for criterion in gate.criteria] == [
        ("floor genre=chat/exact.recall", True),
        ("floor PER:genre=news/fair.f1", False),
    ]
    assert gate.criteria[0].value == 98 / 153
    drop = eh.gate(GOLD, CRF, TAGGER, max_drop={"length=2/recall": 1}, only=True)
    assert drop.passed
    assert drop.criteria[0].title == "max-drop length=2/recall"
    encoded = {"genre": {name: "a/b:c=d" if genre == "chat" else genre for name, genre in GENRES["genre"].items()}}
    assert eh.gate(GOLD, candidate=CRF, floor={"genre=a%2Fb%3Ac=d/exact.recall": 0.6}, slices=encoded).passed


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("length=5+/recall", {}, "length=5+: expected at least 20 units for a floor, got 4."),
        (
            "genre=x/recall",
            {"slices": GENRES},
            "'genre=x/recall' is not a score: genre has no slice 'x', only chat, news.",
        ),
        ("recall", {"slices": GENRES}, "slices have no effect in this gate because no limit uses one;"),
        ("genre=chat/recal", {"slices": GENRES}, "'genre=chat/recal' is not a score: fair has no figure 'recal'"),
    ],
)
def test_limits_that_cannot_be_checked(name: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(eh.SettingError) as error:
        eh.gate(GOLD, candidate=CRF, floor={name: 0.5}, **options)
    assert str(error.value).startswith(message)


def test_a_smaller_slice_is_allowed() -> None:
    assert not eh.gate(GOLD, candidate=CRF, floor={"length=5+/recall": 0.5}, slice_min=4).passed


def test_tasks_declare_attributes_that_exist() -> None:
    declared = {name for task in TASKS.values() for name in task.comparison.attributes}
    assert declared == {*ATTRIBUTES}


def test_errors_of_a_slice() -> None:
    """The errors of all slices are the errors of the system; values of slices are columns."""
    everything = eh.errors(GOLD, CRF, slices=GENRES)
    chat = eh.errors(GOLD, CRF, slices=GENRES, slice="genre=chat")
    news = eh.errors(GOLD, CRF, slices=GENRES, slice="genre=news")
    assert len(chat) + len(news) == len(everything)
    rows = eh.score(GOLD, CRF).errors(slices=GENRES).to_arrow().column("genre").to_pylist()
    assert (rows.count("chat"), rows.count("news")) == (len(chat), len(news))
    lengths = [len(eh.errors(GOLD, CRF, slice=f"length={value}", match="exact")) for value in ("1", "2", "3+")]
    assert sum(lengths) == len(eh.errors(GOLD, CRF, match="exact"))
    with pytest.raises(eh.SettingError, match="The slice 'genre' has no value 'chats'; did you mean chat"):
        eh.errors(GOLD, CRF, slices=GENRES, slice="genre=chats")
    with pytest.raises(eh.SettingError, match="no document"):
        eh.errors(GOLD, CRF, slices={"genre": {"a17": "news"}}, slice="genre=news")
