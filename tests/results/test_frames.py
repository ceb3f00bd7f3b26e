"""Results as data frames: the rows of the CSV, with types."""

from __future__ import annotations

import csv
import io
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import evenhand as eh
from conftest import ROOT
from evenhand.formats.arrow import arrow
from evenhand.report import data as csv_report

EXAMPLES = ROOT / "src" / "evenhand" / "examples"
pandas = pytest.importorskip("pandas")
polars = pytest.importorskip("polars")
pyarrow = pytest.importorskip("pyarrow")


FOLDERS = {
    "spans": ("ner", "conll"),
    "tags": ("tags", "tsv"),
    "trees": ("trees", "conllu"),
    "chains": ("chains", "conll"),
}


def files(task: str, *names: str) -> tuple[Path, list[Path]]:
    folder, ending = FOLDERS[task]
    return EXAMPLES / folder / f"gold.{ending}", [EXAMPLES / folder / f"{name}.{ending}" for name in names]


SPANS, TAGS = files("spans", "crf", "tagger"), files("tags", "hmm", "neural")
TREES, CHAINS = files("trees", "rules", "neural"), files("chains", "rules", "neural")
FEW = {"trials": 10, "resamples": 10}
MODELS = "exact,weighted,ts,overlap,semeval,accuracy"
MADE = {
    "spans": lambda: eh.score(*SPANS, match=MODELS, supertag="ENTITY", beta=2.0),
    "one": lambda: eh.score(SPANS[0], SPANS[1][0]),
    "tags": lambda: eh.score(*TAGS, task="tags"),
    "trees": lambda: eh.score(*TREES),
    "chains": lambda: eh.score(*CHAINS),
    "transitions": lambda: eh.compare(*TREES, **FEW),
    "untested": lambda: eh.compare(*SPANS, trials=0, resamples=0),
    "units": lambda: eh.compare(*TAGS, task="tags", show="new_error", **FEW),
    "ranking": lambda: eh.rank(*SPANS, resamples=10),
    "ranking without intervals": lambda: eh.rank(*SPANS, resamples=0),
}


@cache
def made(name: str) -> Any:
    return MADE[name]()


def written(subject: Any) -> list[list[str]]:
    """The CSV, cell by cell."""
    return list(csv.reader(io.StringIO(csv_report.render(subject))))


def is_written(rows: list[list[Any]], texts: list[list[str]]) -> bool:
    """Whether these values stand in the CSV: none as nothing, numbers as such, text as it is."""
    return len(rows) == len(texts) and all(
        text == "" if value is None else text == value if isinstance(value, str) else float(text) == value
        for row, cells in zip(rows, texts, strict=True)
        for value, text in zip(row, cells, strict=True)
    )


@pytest.mark.parametrize("name", MADE)
def test_frames_have_the_rows_of_the_csv(name: str) -> None:
    (*header, last), *signed = written(made(name))
    assert last == "signature"
    assert {row[-1] for row in signed} == {made(name).signature}, "files have the signature, frames do not"
    rows = [row[:-1] for row in signed]
    frame, table = made(name).to_polars(), made(name).to_arrow()
    assert frame.columns == table.column_names == header
    assert is_written(list(map(list, frame.iter_rows())), rows)
    assert is_written([list(row.values()) for row in table.to_pylist()], rows)
    panda = made(name).to_pandas()
    assert list(panda.columns) == header
    assert is_written(panda.astype(object).where(panda.notna(), None).values.tolist(), rows)


@pytest.mark.parametrize("name", MADE)
def test_a_column_has_one_name(name: str) -> None:
    (header, *_) = written(made(name))
    assert len(set(header)) == len(header)


def test_numbers_are_numbers_and_missing_ones_are_null() -> None:
    results = made("spans")
    frame = results.to_pandas()
    assert [str(frame[name].dtype) for name in ("system", "label")] == ["string"] * 2
    assert [str(frame[name].dtype) for name in ("gold", "TP", "TN")] == ["Int64"] * 3
    assert [str(frame[name].dtype) for name in ("f1", "kappa")] == ["float64"] * 2
    (overall,) = frame[(frame.system == "tagger") & (frame.model == "exact") & (frame.row == "overall")].to_dict(
        "records"
    )
    assert (overall["TP"], overall["f1"]) == (243, results["tagger"]["exact"].f1)
    assert pandas.isna(overall["label"])
    assert pandas.isna(overall["kappa"])
    assert pandas.isna(overall["TN"])
    schema = results.to_polars().schema
    assert (schema["label"], schema["TN"], schema["kappa"]) == (polars.String, polars.Int64, polars.Float64)
    assert results.to_arrow().schema.field("TP").type == pyarrow.int64()
    assert results.to_arrow().column("TN").null_count > 0


def test_one_system_has_the_rows_that_it_has_among_many() -> None:
    results = made("tags")
    both = results.to_polars()
    assert results["hmm"].to_polars().equals(both.filter(polars.col("system") == "hmm"))


def test_what_rows_there_are() -> None:
    """Types of mentions have no averages."""
    assert set(made("spans").to_polars()["row"]) == {"overall", "macro", "support", "label", "supertag"}
    assert set(made("trees").to_polars()["row"]) == {"overall", "macro", "support", "label", "distance", "sentences"}
    assert set(made("chains").to_polars()["row"]) == {"overall", "label", "part"}


def test_weighted_counts_are_fractions(tmp_path: Path) -> None:
    gold, system = tmp_path / "gold.conll", tmp_path / "system.conll"
    gold.write_text("Ada B-PER 0.5\nsees O 1\nBo B-PER 0.25\n")
    system.write_text("Ada B-PER 1\nsees O 1\nBo O 1\n")
    frame = eh.score(gold, system, match="t", token_weight=3, column=2).to_pandas()
    assert str(frame.TP.dtype) == "float64"
    assert frame.TP[0] == 0.5


def test_true_negatives_that_no_file_knows() -> None:
    gold, system = eh.spans([[("A", 0, 1)]]), eh.spans([[("A", 0, 2)]])
    frame = eh.score(gold, system, match="ts").to_polars()
    assert frame.schema["TN"] == polars.Int64
    assert frame["TN"].null_count() == len(frame)


def test_the_surplus_has_no_label_and_spans_no_change() -> None:
    """The empty string is a label that is none; what does not exist is null."""
    frame = made("untested").to_polars()
    assert "" in frame["gold"].to_list()
    assert frame["change"].null_count() == frame["p"].null_count() == frame["low"].null_count() == len(frame)
    assert frame["count"].sum() == frame["different"][0]


def test_no_difference_is_a_row_without_transitions() -> None:
    side = eh.tags([["B-A", "O"]])
    frame = eh.compare(side, {"a": side, "b": side}, trials=10, resamples=10).to_pandas()
    assert (len(frame), frame.different[0], frame.delta[0]) == (1, 0, 0.0)
    assert frame["class"].isna().all()


def test_units_that_are_none_have_columns() -> None:
    side = eh.tags([["B-A", "O"]])
    comparison = eh.compare(side, {"a": side, "b": side}, trials=0, resamples=0, show="new_error")
    for frame in (comparison.to_pandas(), comparison.to_polars()):
        assert len(frame) == 0
        assert list(frame.columns)[-3:] == ["a", "b", "text"]
    assert comparison.to_arrow().schema.field("start").type == pyarrow.int64()


def test_systems_called_like_other_columns() -> None:
    gold, other = eh.tags([["B-A", "O"]]), eh.tags([["O", "O"]])
    comparison = eh.compare(gold, {"gold": gold, "text": other}, trials=0, resamples=0, show="new_error")
    frame = comparison.to_polars()
    assert frame.columns[-3:] == ["system:gold", "system:text", "text"]
    assert frame.row(0)[-3:-1] == ("TP A", "FN")


def test_saved_results_have_the_same_frames() -> None:
    for subject in map(made, MADE):
        loaded = type(subject).from_json(subject.to_json())
        assert loaded.to_polars().equals(subject.to_polars())


@pytest.mark.parametrize(
    ("library", "method", "package"),
    [
        ("pandas", "to_pandas", "pandas"),
        ("polars", "to_polars", "polars"),
        ("pyarrow", "to_arrow", r"evenhand\[arrow\]"),
    ],
)
def test_a_library_that_is_absent(library: str, method: str, package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    vars(arrow).clear()  # what it loaded before
    with pytest.raises(eh.SettingError, match=rf"{library}.*: pip install '?{package}'?$"):
        getattr(made("one"), method)()
