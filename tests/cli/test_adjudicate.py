"""`evenhand adjudicate`, and `--overrides` of other commands, as a user calls them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import evenhand as eh
from evenhand.cli import main

GOLD = "Ada I-PER\nmet O\nBob I-PER\nRay I-PER\n. O\n\nEve I-ORG\nleft O\n"
SPURIOUS = {"sentence": 1, "start": 0, "end": 1, "label": "PER", "verdict": "spurious", "by": "ana"}
LABEL = {"sentence": 2, "start": 0, "end": 1, "label": "ORG", "verdict": "label", "to": {"label": "PER"}, "note": "é"}


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments], prog_name="evenhand")


@pytest.fixture
def gold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("gold.conll").write_text(GOLD)
    return Path("gold.conll")


def write(name: str, *records: dict[str, Any]) -> Path:
    path = Path(name)
    path.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records))
    return path


def test_overrides_are_counted_by_label(gold: Path) -> None:
    result = run("adjudicate", gold, write("ana.jsonl", SPURIOUS, LABEL))
    assert result.exit_code == 0
    assert result.stdout.startswith(
        "2 overrides of the gold standard gold (ana.jsonl)\n\n"
        "overrides  before  spurious  label  bounds  missing  unclear  right  after\n"
        "──────────────────────────────────────────────────────────────────────────\n"
        "ORG             1         0      1       0        0        0      0      0\n"
        "PER             2         1      0       0        0        0      0      2\n"
        "──────────────────────────────────────────────────────────────────────────\n"
        "overall         3         1      1       0        0        0      0      2\n"
    )


def test_the_corrected_gold_standard_keeps_its_encoding(gold: Path) -> None:
    assert run("adjudicate", gold, write("ana.jsonl", SPURIOUS, LABEL), "--apply", "better.conll").exit_code == 0
    assert Path("better.conll").read_text().split() == GOLD.replace("Ada I-PER", "Ada O").replace("ORG", "PER").split()
    other = ("--apply", "better.txt", "--to", "conll", "--to-encoding", "bioes", "-o", "out.json")
    assert run("adjudicate", gold, "ana.jsonl", *other).exit_code == 0
    assert "Ray\tE-PER" in Path("better.txt").read_text()
    assert json.loads(Path("out.json").read_text())["verdicts"]["label"] == 1


def test_corrected_documents_of_brat_keep_their_names(gold: Path) -> None:
    Path("brat/x").mkdir(parents=True)
    for name in ("one", "x/two"):
        Path("brat", f"{name}.txt").write_text("Ada met Bob.")
        Path("brat", f"{name}.ann").write_text("T1\tPER 0 3\tAda\n")
    added = {"document": "two", "verdict": "missing", "to": {"start": 6, "end": 9, "label": "PER"}}
    assert run("adjudicate", "brat", write("ana.jsonl", added), "--apply", "out", "--to", "brat").exit_code == 0
    assert Path("out/one.ann").read_text() == Path("brat/one.ann").read_text()
    assert "T2\tPER 8 11\tBob" in Path("out/x/two.ann").read_text()


def test_files_are_merged_in_the_order_of_the_text(gold: Path) -> None:
    """What two files say alike is there once, with all keys of the first."""
    ana, ben = write("ana.jsonl", LABEL, SPURIOUS), write("ben.jsonl", {**SPURIOUS, "by": "ben"})
    assert run("adjudicate", gold, ana, ben, "--merge", "all.jsonl").exit_code == 0
    assert [json.loads(line) for line in Path("all.jsonl").read_text().splitlines()] == [
        {**SPURIOUS, "positions": "tokens"},
        {**LABEL, "positions": "tokens"},
    ]
    assert "é" in Path("all.jsonl").read_text()


def test_every_problem_is_listed_and_nothing_is_written(gold: Path) -> None:
    ana = write("ana.jsonl", SPURIOUS, {**LABEL, "sentence": 7})
    ben = write("ben.jsonl", {**SPURIOUS, "verdict": "right"}, {**LABEL, "end": 2})
    result = run("adjudicate", gold, ana, ben, "--merge", "all.jsonl", "--apply", "better.conll")
    assert result.exit_code == 1
    assert result.stdout == (
        "ben.jsonl:1: the span 'PER' from 0 to 1 of sentence 1 has another override in ana.jsonl:1; "
        "correct the line, or remove it.\n"
        "ben.jsonl:2: sentence 2 has no gold span 'ORG' from 0 to 2 (the nearest one is 'ORG' from 0 to 1); "
        "correct the line, or remove it.\n"
        "ana.jsonl:2: there is no sentence 7, as the gold standard has 2; correct the line, or remove it.\n"
        "3 problems\n"
    )
    assert not Path("all.jsonl").exists()
    assert not Path("better.conll").exists()


def test_unclear_spans_are_said_to_be_left_out(gold: Path) -> None:
    result = run("adjudicate", gold, write("ana.jsonl", {**SPURIOUS, "verdict": "unclear"}))
    note = (
        "Note: 1 unclear span is not in the corrected gold standard; only with --overrides, system spans that overlap"
    )
    assert note in result.stdout


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--to", "conll"], "--to and --to-encoding are for --apply; name its file"),
        (["--merge", "ana.jsonl"], "ana.jsonl: is one of the input files and would be overwritten"),
        (["--apply", "gold.conll"], "gold.conll: is one of the input files and would be overwritten"),
    ],
)
def test_wrong_usage_is_refused(gold: Path, arguments: list[str], sentence: str) -> None:
    result = run("adjudicate", gold, write("ana.jsonl", SPURIOUS), *arguments)
    assert result.exit_code == 2
    assert sentence in result.stderr


def test_a_format_that_cannot_hold_the_corrected_spans_is_refused(gold: Path) -> None:
    found = eh.adjudicate(gold, write("ana.jsonl", {**SPURIOUS, "verdict": "bounds", "to": {"end": 4}}))
    with pytest.raises(eh.SettingError, match="write another format, such as jsonl"):
        found.apply("corrected.conll")
    found.apply("corrected.jsonl")
    assert len(eh.read("corrected.jsonl").spans()) == 3


def test_overrides_must_be_no_output(gold: Path) -> None:
    path = write("ana.jsonl", SPURIOUS)
    result = run("score", gold, gold, "--overrides", path, "-o", path)
    assert result.exit_code == 2
    assert json.loads(path.read_text()) == SPURIOUS


@pytest.mark.parametrize(
    "arguments",
    [
        ("score", "gold.conll", "gold.conll"),
        ("rank", "gold.conll", "gold.conll", "other.conll"),
        ("compare", "gold.conll", "gold.conll", "other.conll"),
        ("gate", "gold.conll", "gold.conll", "other.conll"),
    ],
)
def test_commands_say_which_overrides_there_are(gold: Path, arguments: tuple[str, ...]) -> None:
    Path("other.conll").write_text(GOLD.replace("ORG", "PER"))
    path = write("ana.jsonl", SPURIOUS, LABEL)
    result = run(*arguments, "--overrides", path)
    assert result.exit_code == 0
    assert "the gold standard has 2 overrides (ana.jsonl: 1 spurious, 1 label); it is corrected." in result.stdout
    assert f"|overrides:{eh.score(gold, gold, overrides=path).settings['overrides'].sha256}" in result.stdout


def test_an_adjudication_in_python(gold: Path) -> None:
    found = eh.adjudicate(gold, [write("ana.jsonl", SPURIOUS), write("ben.jsonl", LABEL)])
    assert found.verdicts == {"spurious": 1, "label": 1, "bounds": 0, "missing": 0, "unclear": 0, "right": 0}
    assert (found.before, found.after) == ({"ORG": 1, "PER": 2}, {"PER": 2})
    assert "overrides" in found._repr_html_()
    broken = eh.adjudicate(gold, write("ana.jsonl", {**SPURIOUS, "start": 1, "end": 2}))
    assert len(broken.problems) == 1
    with pytest.raises(eh.InputError, match=r"ana\.jsonl:1: sentence 1 has no gold span"):
        broken.merge()


@pytest.mark.parametrize("overrides", [None, 5, [None]])
def test_overrides_that_are_no_files_are_refused(gold: Path, overrides: Any) -> None:
    with pytest.raises(eh.SettingError, match="give the path of a file, or a list of such paths"):
        eh.adjudicate(gold, overrides)


@pytest.mark.parametrize("option", [{"match": "fair"}, {"task": "tags"}, {"labels": "PER"}, {"jobs": 2}])
def test_options_that_do_not_say_how_the_gold_standard_is_read_are_refused(gold: Path, option: dict[str, Any]) -> None:
    with pytest.raises(eh.SettingError, match=f"adjudicate has no option '{next(iter(option))}'"):
        eh.adjudicate(gold, write("ana.jsonl", SPURIOUS), **option)


def test_problems_name_the_place_as_the_override_does(tmp_path: Path) -> None:
    gold = tmp_path / "gold.jsonl"
    gold.write_text(json.dumps({"id": "d7", "text": "Ada", "spans": [{"start": 0, "end": 3, "label": "PER"}]}) + "\n")
    path = tmp_path / "overrides.jsonl"
    path.write_text(json.dumps({"document": "d7", "start": 0, "end": 2, "label": "PER", "verdict": "right"}) + "\n")
    (problem,) = eh.adjudicate(gold, path).problems
    assert problem.finding == "document 'd7' has no gold span 'PER' from 0 to 2 (the nearest one is 'PER' from 0 to 3)"
