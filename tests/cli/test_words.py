"""Words that users of other tools know: aliases of tasks, measures and encodings, hints, help."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import evenhand as eh
from conftest import ROOT
from evenhand.cli.main import main
from evenhand.tasks.registry import TASKS, model_names

EXAMPLES = ROOT / "src" / "evenhand" / "examples"
GOLD, CRF, TAGGER = (EXAMPLES / "ner" / f"{name}.conll" for name in ("gold", "crf", "tagger"))


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, list(map(str, arguments)))


@pytest.mark.parametrize(
    ("task", "word", "names"),
    [
        ("spans", "strict", ("semeval-strict",)),
        ("spans", "partial", ("semeval-partial",)),
        ("spans", "type", ("semeval-type",)),
        ("spans", "exact", ("exact",)),
        ("spans", "conll", ("exact",)),
        ("spans", "nervaluate", ("semeval-strict", "semeval-exact", "semeval-partial", "semeval-type")),
        ("chains", "conll", ("mela",)),
        ("relations", "strict", ("strict",)),
    ],
)
def test_aliases_of_measures(task: str, word: str, names: tuple[str, ...]) -> None:
    assert model_names(task, [word]) == names


@pytest.mark.parametrize(
    ("word", "task"),
    [
        *(("ner", "spans"), ("pos", "tags"), ("dep", "trees"), ("coref", "chains"), ("re", "relations")),
        *(("el", "links"), ("parsing", "trees"), ("Entity-Linking", "links"), ("NER", "spans")),
        ("constituency", "constituents"),
    ],
)
def test_aliases_of_tasks(word: str, task: str) -> None:
    example = TASKS[task].example
    files = [EXAMPLES / example.folder / file for file in (example.gold, example.systems[0])]
    result = run(
        "score", *files, "--task", word, *example.options.replace(f"--task {task}", "").split(), "--as", "json"
    )
    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout)["task"] == task
    options: Any = {} if task != "tags" else {"column": 2}
    assert eh.score(*files, task=word, **options).settings.task == task


def test_no_alias_is_ambiguous() -> None:
    words = [word for task in TASKS.values() for word in (task.name, *task.aliases)]
    assert len(words) == len(set(words))


def test_an_unknown_task() -> None:
    with pytest.raises(eh.SettingError, match=r"task is 'corefs'; did you mean chains\? Choose one of spans, tags"):
        eh.score(GOLD, CRF, task="corefs")
    assert "did you mean spans?" in run("score", GOLD, CRF, "--task", "span").stderr


@pytest.mark.parametrize(
    ("word", "encoding"),
    [("BIO", "iob2"), ("bio2", "iob2"), ("IOB2", "iob2"), ("IOBES", "bioes"), ("BILOU", "bilou"), ("biluo", "bilou")],
)
def test_aliases_of_encodings(word: str, encoding: str, tmp_path: Path) -> None:
    tags = {"iob2": "B-X I-X O", "bioes": "B-X E-X O", "bilou": "B-X L-X O"}[encoding].split()
    assert eh.tags([tags], encoding=word).reading.encoding == encoding
    path, other = tmp_path / "gold.conll", tmp_path / "system.conll"
    for file in (path, other):
        file.write_text("".join(f"w {tag}\n" for tag in tags))
    assert eh.read(path, encoding=word).reading.encoding == encoding
    assert f"|gold:conll/{encoding}/" in eh.score(path, other, encoding={"gold": word}, task="ner").signature
    result = run("score", path, other, "--encoding", f"gold:{word}", "--as", "json")
    assert json.loads(result.stdout)["reading"]["encoding"] == encoding
    assert run("convert", path, tmp_path / "out.conll", "--to-encoding", word, "--quiet").exit_code == 0


def test_compare_and_gate_accept_match() -> None:
    quick = ("--trials", 0, "--resamples", 0, "--as", "json")
    by, match = (
        json.loads(run("compare", GOLD, CRF, TAGGER, option, "exact", *quick).stdout) for option in ("--by", "--match")
    )
    assert by == match
    assert by["by"] == "exact"
    assert json.loads(run("gate", GOLD, CRF, TAGGER, "--match", "exact", "--as", "json").stdout)["by"] == "exact"
    assert eh.compare(GOLD, [CRF, TAGGER], match="exact", trials=0, resamples=0).by == "exact"
    with pytest.raises(eh.SettingError, match="Systems are compared by one measure, got fair and exact; choose one"):
        eh.compare(GOLD, [CRF, TAGGER], by="fair", match="exact")


@pytest.mark.parametrize("option", ["average", "scheme", "mode", "zero_division", "suffix", "digits"])
def test_hints_for_options_of_other_tools(option: str) -> None:
    with pytest.raises(eh.SettingError) as raised:
        eh.score(GOLD, CRF, **{option: "macro"})  # type: ignore[call-overload]
    assert str(raised.value).startswith(f"score has no option '{option}'; ")
    assert "help(" not in str(raised.value)


def test_hints_on_the_command_line() -> None:
    assert "No such option --scheme; specify the tag encoding with --encoding" in run("score", "--scheme", "x").stderr


def test_models_and_formats() -> None:
    models = eh.models("ner")
    assert [measure.name for measure in models][:2] == ["exact", "fair"]
    assert {measure.task for measure in eh.models()} == set(TASKS)
    assert str(models).splitlines()[0].split() == ["name", "task", "summary", "aliases"]
    assert "<td>exact</td>" in models._repr_html_()
    assert [format["name"] for format in json.loads(run("formats", "--as", "json").stdout)] == [
        format.name for format in eh.formats()
    ]


def test_the_nearest_name_for_a_missing_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("gold.conll").write_text(GOLD.read_text())
    result = run("score", "gold.conl", "gold.conll")
    assert result.stderr == "evenhand: gold.conl: there is no such file; did you mean gold.conll? Check the path.\n"
    for other in ("other.txt", "late.conll"):  # an ending alone is not similar
        assert "there is no such file; check the path." in run("score", other, "gold.conll").stderr
    Path("pairs.tsv").write_text("gold\tcrf\ngold.conll\tgold.cnll\n")
    with pytest.raises(eh.InputError, match=r"pairs.tsv:2: .* did you mean gold.conll\? Check the path, which is rel"):
        eh.manifest("pairs.tsv")


def test_help_of_a_command() -> None:
    assert run("help", "score").stdout == run("score", "--help").stdout
    assert run("help", "plot", "errors").stdout == run("plot", "errors", "--help").stdout
    assert run("help").stdout == run("--help").stdout
    assert "did you mean score?" in run("help", "scor").stderr
    assert "score has no command 'x'" in run("help", "score", "x").stderr
