"""Tallies and verdicts as tables: what queries add up is what the scores say."""

from __future__ import annotations

import sqlite3
from collections import Counter
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

import evenhand as eh
from arrow_files import TAGS, TOKENS, pyarrow, save
from conftest import ROOT
from evenhand.cli import main

EXAMPLES = ROOT / "src" / "evenhand" / "examples"
CASES = {
    "spans": ("ner", "gold.conll", ("crf.conll", "tagger.conll"), "fair"),
    "tags": ("tags", "gold.tsv", ("hmm.tsv", "neural.tsv"), "tags"),
    "trees": ("trees", "gold.conllu", ("rules.conllu", "neural.conllu"), "trees"),
    "chains": ("chains", "gold.conll", ("rules.conll", "neural.conll"), "arcs_any"),
}
Cells = Counter[tuple[Any, ...]]


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments], prog_name="evenhand")


def rows(path: Path) -> list[dict[str, Any]]:
    pyarrow()
    if path.suffix == ".parquet":
        table = import_module("pyarrow.parquet").read_table(path)
    else:
        table = import_module("pyarrow.feather").read_table(path)
    found: list[dict[str, Any]] = table.to_pylist()
    return found


def verdict_of(kind: str) -> str | None:
    """The verdict that a kind of a tally counts: words with two labels count twice, and boundary errors have edges."""
    side, _, rest = kind.rpartition(".")
    if side == "system":
        return None
    return rest if side == "gold" else kind.partition(".")[0]


def counted(tallies: list[dict[str, Any]], judge: str, group: str) -> Cells:
    """A query on tallies: the verdicts of a judge by system, group and labels."""
    counts: Cells = Counter()
    for row in tallies:
        verdict = verdict_of(row["kind"])
        if row["judge"] == judge and verdict is not None:
            counts[row["system"], row[group], row["gold_label"], row["system_label"], verdict] += row["count"]
    return counts


def listed(verdicts: list[dict[str, Any]], group: str) -> Cells:
    """The same query on verdicts."""
    columns = ("system", group, "gold_label", "system_label", "verdict")
    return Counter(tuple(row[name] for name in columns) for row in verdicts)


@pytest.mark.parametrize(
    ("task", "group"),
    [(task, group) for task in CASES for group in ("document", "sentence") if (task, group) != ("chains", "sentence")],
)
def test_verdicts_add_up_to_the_tallies(tmp_path: Path, task: str, group: str) -> None:
    folder, gold, systems, judge = CASES[task]
    pyarrow()
    paths = [EXAMPLES / folder / name for name in (gold, *systems)]
    tables = ("--verdicts", tmp_path / "v.parquet", "--tallies", tmp_path / "t.parquet", "--groups", group)
    assert run("score", *paths, "--task", task, *tables, "-q").exit_code == 0
    verdicts = rows(tmp_path / "v.parquet")
    assert {row["judge"] for row in verdicts} == {judge}
    wanted = counted(rows(tmp_path / "t.parquet"), judge, group)
    assert listed(verdicts, group) == wanted
    assert len(wanted) > 20


def test_verdicts_add_up_to_the_scores(tmp_path: Path) -> None:
    """As a data frame does it: recall and precision under fair evaluation, where half of an error counts on each side."""
    polars = pytest.importorskip("polars")
    pyarrow()
    paths = [EXAMPLES / "ner" / name for name in ("gold.conll", "crf.conll")]
    result = eh.score(*paths, engine=eh.engines.recording(tmp_path / "v.parquet"))
    frame = polars.read_parquet(tmp_path / "v.parquet")
    counts = dict(frame.group_by("verdict").len().iter_rows())
    assert counts == {kind: count for kind, count in result["fair"].overall.counts.items() if count and kind in counts}
    right, exact = counts["TP"], result["exact"]
    assert right / len(frame.filter(side="gold")) == pytest.approx(exact.overall.recall)
    by_label = dict(frame.filter(verdict="TP").group_by("gold_label").len().iter_rows())
    assert by_label == {label: row["TP"] for label, row in exact.labels.items()}


def test_the_queries_of_the_documentation(tmp_path: Path) -> None:
    """As SQL has it; SQLite takes the tables from memory."""
    pyarrow()
    paths = [EXAMPLES / "ner" / name for name in ("gold.conll", "crf.conll", "tagger.conll")]
    results = eh.score(paths[0], paths[1:], engine=eh.engines.recording(tmp_path / "v.parquet"))
    database = sqlite3.connect(":memory:")
    for name, table in (("counts", results.tallies_to_arrow().to_pylist()), ("verdicts", rows(tmp_path / "v.parquet"))):
        columns = list(table[0])
        quoted = ", ".join(f'"{column}"' for column in columns)
        database.execute(f"CREATE TABLE '{name}.parquet' ({quoted})")
        marks = ", ".join("?" * len(columns))
        database.executemany(f"INSERT INTO '{name}.parquet' VALUES ({marks})", [tuple(row.values()) for row in table])
    page = (ROOT / "docs" / "reference" / "output.md").read_text(encoding="utf-8")
    recall, confused = page.split("```sql\n")[1].split("```")[0].split(";\n")[:2]
    assert dict(database.execute(recall)) == pytest.approx(
        {r.name: r["exact"].overall.recall for r in results.values()}
    )
    found = database.execute(confused).fetchall()
    database.close()
    assert sum(row[3] for row in found) == results["tagger"]["fair"].overall["LE"]


def test_a_row_says_where_a_unit_is_and_what_it_was_matched_with(tmp_path: Path) -> None:
    gold = save(tmp_path, {"document": ["a", "a", "b"], "tokens": TOKENS, "tags": TAGS}, name="gold")
    tags = [["O", "B-PER", "O"], [], ["B-LOC", "O"]]
    system = save(tmp_path, {"tokens": TOKENS, "tags": tags}, name="system")
    assert run("score", gold, system, "--verdicts", tmp_path / "v.arrow").exit_code == 0
    common = {"system": "system", "judge": "fair"}
    first = {"document": 1, "document_name": "a", "sentence": 1, "line": 1, "text": "Ada Lovelace"}
    last = {"document": 2, "document_name": "b", "sentence": 3, "line": 3}
    nothing = {"matched_start": None, "matched_end": None}
    unscored = {"score": None}
    items = [
        {**first, "start": 0, "end": 2, "gold_label": "PER", "system_label": "PER", "verdict": "BES", "side": "gold"}
        | {"matched_start": 1, "matched_end": 2},
        {**last, "start": 0, "end": 1, "text": "in", "gold_label": None, "system_label": "LOC", "verdict": "FP"}
        | {"side": "system", **nothing},
        {**last, "start": 1, "end": 2, "text": "“London”", "gold_label": "LOC", "system_label": None, "verdict": "FN"}
        | {"side": "gold", **nothing},
    ]
    assert rows(tmp_path / "v.arrow") == [
        common
        | unscored
        | each
        | {"positions": "tokens", "token_start": each["start"], "token_end": each["end"], "parts": None}
        for each in items
    ]


def test_names_of_documents_in_tallies(tmp_path: Path) -> None:
    path = save(tmp_path, {"document": ["a", "a", "b"], "tokens": TOKENS, "tags": TAGS})
    (other := tmp_path / "other.parquet").write_bytes(path.read_bytes())
    table = eh.score(path, {"data": other}, match="exact", groups="document")["data"].tallies_to_arrow()
    assert table.to_pylist() == [
        {"system": "data", "judge": "exact", "document": number, "document_name": name, "sentence": None}
        | {"gold_label": label, "system_label": label, "kind": "TP", "count": 1}
        for number, name, label in [(1, "a", "PER"), (2, "b", "LOC")]
    ]
    total = eh.score(path, other, match="exact").tallies_to_arrow()
    assert total.column("document").null_count == total.column("sentence").null_count == 2


def test_characters_and_words_that_only_one_side_has(tmp_path: Path) -> None:
    pyarrow()
    gold, system = tmp_path / "gold.jsonl", tmp_path / "system.jsonl"
    gold.write_text('{"text": "in “New York” now", "spans": [{"start": 4, "end": 12, "label": "LOC"}]}\n')
    system.write_text('{"text": "in “New York” now", "spans": [{"start": 8, "end": 12, "label": "LOC"}]}\n')
    eh.score(gold, system, engine=eh.engines.recording(tmp_path / "v.parquet"))
    (row,) = rows(tmp_path / "v.parquet")
    assert (row["text"], row["start"], row["end"], row["verdict"]) == ("New York", 4, 12, "BES")
    assert (row["matched_start"], row["line"], row["positions"]) == (8, 1, "characters")


SPAN = st.tuples(st.sampled_from("AB"), st.integers(0, 3), st.integers(1, 3)).map(lambda s: (s[0], s[1], s[1] + s[2]))
SIDE = st.lists(st.lists(SPAN, max_size=4), min_size=4, max_size=4)


@settings(max_examples=40)
@given(SIDE, st.dictionaries(st.sampled_from(["a", "b"]), SIDE, min_size=1), st.sampled_from(["fair", "exact"]))
def test_every_count_has_its_verdicts(gold: Any, systems: Any, match: str) -> None:
    pyarrow()
    sides = {name: eh.spans(side, end="exclusive") for name, side in systems.items()}
    with TemporaryDirectory() as folder:
        path = Path(folder, "v.arrow")
        engine = eh.engines.recording(path)
        key = eh.spans(gold, end="exclusive")
        results = eh.score(key, sides, match=match, groups="sentence", engine=engine)
        assert listed(rows(path), "sentence") == counted(results.tallies_to_arrow().to_pylist(), match, "sentence")
        plain = eh.score(key, sides, match=match, groups="sentence")
    assert all(results[name].tallies == plain[name].tallies for name in sides)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--verdicts", "v.csv"), "Unsupported table format 'v.csv'. Use one of .parquet,"),
        (("--tallies", "t"), "Unsupported table format 't'. Use one of .parquet,"),
        (("--groups", "document"), "--groups needs --tallies"),
        (
            ("--match", "ts", "--verdicts", "v.parquet"),
            "Only exact, fair, weighted give verdicts on spans; add one of these measures.",
        ),
    ],
)
def test_options_that_do_not_fit(tmp_path: Path, options: tuple[str, ...], sentence: str) -> None:
    pyarrow()
    paths = [EXAMPLES / "ner" / name for name in ("gold.conll", "crf.conll")]
    result = run("score", *paths, *options)
    assert (result.exit_code, result.stdout) == (2, "")
    assert sentence in result.stderr


def test_a_failed_run_leaves_no_file_behind(tmp_path: Path) -> None:
    pyarrow()
    gold = tmp_path / "gold.conll"
    gold.write_text("Ada\tB-PER\n\n" * 3)
    system = tmp_path / "system.conll"
    system.write_text("Ada\tB-PER\n\nEva\tO\n\n")
    target = tmp_path / "v.parquet"
    target.write_text("old")
    assert run("score", gold, system, "--verdicts", target).exit_code == 2
    assert target.read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["gold.conll", "system.conll", "v.parquet"]


def test_a_full_disk_is_one_sentence() -> None:
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full on this system")
    pyarrow()
    result = eh.score(eh.tags([["B-A"]]), eh.tags([["B-A"]]))
    with TemporaryDirectory() as folder:
        link = Path(folder, "t.parquet")
        link.symlink_to("/dev/full")
        with pytest.raises(eh.InputError, match="cannot be written because the disk is full"):
            result.tallies_to_parquet(link)


@pytest.mark.parametrize("suffix", ["parquet", "arrow"])
def test_convert_writes_tags_or_spans(tmp_path: Path, suffix: str) -> None:
    pyarrow()
    flat, nested = tmp_path / "flat.conll", tmp_path / "nested.conll"
    flat.write_text("Ada\tB-PER\nlived\tO\n\n-DOCSTART-\tO\n\nin\tO\nLondon\tB-LOC\n\nParis\tB-LOC\n\n")
    nested.write_text("Bank\tB-ORG\nof\tI-ORG\nEngland\tI-ORG|B-LOC\n\n")
    target = tmp_path / f"out.{suffix}"
    assert run("convert", flat, target, "--to-encoding", "bioes").exit_code == 0
    assert rows(target) == [
        {"document": 1, "tokens": ["Ada", "lived"], "tags": ["S-PER", "O"]},
        {"document": 2, "tokens": ["in", "London"], "tags": ["O", "S-LOC"]},
        {"document": 2, "tokens": ["Paris"], "tags": ["S-LOC"]},
    ]
    assert "--to-encoding is not used" in run("convert", nested, target, "--to-encoding", "bioes").stderr
    assert run("convert", nested, target).exit_code == 0
    (row,) = rows(target)
    assert row["spans"] == [
        {"start": 0, "end": 3, "label": "ORG", "level": 0},
        {"start": 2, "end": 3, "label": "LOC", "level": 1},
    ]
    assert run("convert", nested, target, "--stacked").exit_code == 0
    assert rows(target)[0]["tags"] == ["B-ORG", "I-ORG", "I-ORG|B-LOC"]
    assert run("convert", target, tmp_path / "back.conll", "--stacked").exit_code == 0
    assert (tmp_path / "back.conll").read_text() == nested.read_text()
