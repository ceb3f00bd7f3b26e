"""Names of systems: NAME=FILE, the part of the paths that differs, and manifests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import evenhand as eh
from evenhand.cli.main import main
from evenhand.pipeline.inputs import unique_names

GOLD = "Ada B-PER\nsaw O\nRome B-LOC\n\nBen B-PER\n\n"
CRF = "Ada B-PER\nsaw O\nRome O\n\nBen B-PER\n\n"
BERT = "Ada B-PER\nsaw O\nRome B-LOC\n\nBen O\n\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two submissions with equal file names, and folders of two parts each."""
    monkeypatch.chdir(tmp_path)
    for name, text in (("gold", GOLD), ("crf", CRF), ("bert", BERT)):
        for path in (Path(name, "en", "test.conll"), *(Path("parts", name, f"{part}.conll") for part in "ab")):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    return tmp_path


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, list(map(str, arguments)))


def names(*arguments: object) -> list[str]:
    """The names of systems in the JSON of a command."""
    result = run(*arguments, "--as", "json")
    assert result.exit_code in (0, 1), result.output
    document: dict[str, Any] = json.loads(result.stdout)
    systems = document.get("systems") or document.get("annotators") or document["comparison"]["systems"]
    return [system["name"] if isinstance(system, dict) else system for system in systems]


G, C, B = "gold/en/test.conll", "crf/en/test.conll", "bert/en/test.conll"


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        (["x/florian.testb.tags", "x/chieu.testb.tags"], ["florian", "chieu"]),
        (["florian.testb", "chieu.testb"], ["florian", "chieu"]),
        (["florian.testa", "florian.testb"], ["florian.testa", "florian.testb"]),
        (["x.conll", "old/x.conll"], ["x", "old/x"]),
        (["a/x.conll", "b/x.conll", "c/y.conll"], ["a/x", "b/x", "c/y"]),
        (["crf-1.0", "bert-1.0"], ["crf-1.0", "bert-1.0"]),
        (["crf.en.json", "bert.de.json"], ["crf.en", "bert.de"]),
        (["/data/a/x.conll", "/data/b/x.conll"], ["a", "b"]),
        (["https://host/a/x.conll", "https://host/b/x.conll"], ["a", "b"]),
        (["a/*.conll", "b/*.conll"], ["a", "b"]),
        (["-", "a.conll"], ["stdin", "a"]),
        (["/data/x/y/z/a/test.conll", "/home/ada/b/test.conll"], ["a", "b"]),
        (["crf.testb.conll"], ["crf.testb"]),
    ],
)
def test_names_are_the_part_of_the_paths_that_differs(paths: list[str], expected: list[str]) -> None:
    assert unique_names(paths) == expected


def test_a_folder_keeps_its_ending() -> None:
    for version in ("v1.x", "v1.y"):
        Path("models", version).mkdir(parents=True)
    assert unique_names(["models/v1.x", "models/v1.y"]) == ["v1.x", "v1.y"]


def test_annotations_in_memory_with_equal_names_get_numbers() -> None:
    annotation = eh.tags([["B-PER"]])
    assert list(eh.score(annotation, [annotation, annotation])) == ["tags", "tags (2)"]


def test_a_file_that_is_given_twice_gets_a_number() -> None:
    assert names("compare", G, C, "./" + C, B) == ["crf", "crf (2)", "bert"]
    assert names("compare", G, f"one={C}", f"two={C}") == ["one", "two"]


@pytest.mark.parametrize("command", ["score", "rank", "compare"])
def test_a_name_before_the_file(command: str) -> None:
    assert set(names(command, G, f"our model={C}", B)) == {"our model", "test"}
    assert set(names(command, G, C, B)) == {"crf", "bert"}


def test_names_in_a_gate() -> None:
    result = json.loads(run("gate", G, f"old={C}", f"new={B}", "--as", "json").stdout)
    assert [result[side]["name"] for side in ("baseline", "candidate")] == ["old", "new"]
    assert eh.gate(G, {"old": C}, {"new": B}).candidate == "new"
    assert eh.gate(G, candidate={"new": B}, floor={"f1": 0}).candidate == "new"


def test_names_of_annotators() -> None:
    assert names("agree", f"ana={C}", f"ben={B}") == ["ana", "ben"]
    assert names("agree", C, B) == ["crf", "bert"]


def test_names_on_pages_and_figures() -> None:
    pytest.importorskip("matplotlib")
    assert run("report", G, f"our model={C}", B, "-o", "page.html", "--quiet").exit_code == 0
    assert "our model" in Path("page.html").read_text()
    assert run("plot", "errors", G, f"our model={C}", B, "-o", "figure.svg", "--quiet").exit_code == 0
    assert "our model" in Path("figure.svg").read_text()


def test_a_file_with_an_equals_sign_wins() -> None:
    for folder in ("lang=de", "lang=en"):
        Path(folder).mkdir()
        Path(folder, "x.conll").write_text(CRF)
    Path("de").mkdir()
    Path("de", "x.conll").write_text(BERT)
    assert names("score", G, "lang=de/x.conll", "lang=en/x.conll") == ["lang=de", "lang=en"]
    assert names("score", G, "lang=d*/x.conll") == ["lang=d*"]
    assert names("score", G, "run=lang=de/x.conll") == ["run"]


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ("crf=", "crf= has no file; write NAME=FILE"),
        ("crf=absent.conll", "absent.conll"),
        ("=absent.conll", "=absent.conll"),
    ],
)
def test_a_name_without_a_file(argument: str, message: str) -> None:
    result = run("score", G, argument)
    assert result.exit_code == 2
    assert f"evenhand: {message}" in result.stderr


def test_two_systems_with_one_name() -> None:
    result = run("score", G, f"a={C}", f"a={B}")
    assert (result.exit_code, result.stderr) == (
        2,
        "evenhand: Two systems have the name 'a'; give each a different name.\n",
    )


@pytest.fixture
def pairs(folder: Path) -> Path:
    path = folder / "pairs.tsv"
    path.write_text("gold\tcrf\tbert\n" + "".join(f"parts/gold/{p}\tparts/crf/{p}\tparts/bert/{p}\n" for p in FILES))
    return path


FILES = ("a.conll", "b.conll")


@pytest.mark.parametrize("command", ["score", "rank", "compare", "gate"])
def test_a_manifest_in_every_command(command: str, pairs: Path) -> None:
    """A manifest gives the figures of the folders that it lists."""
    systems = ("crf=parts/crf", "bert=parts/bert")
    by_manifest = json.loads(run(command, "--manifest", pairs, "--as", "json").stdout)
    by_folder = json.loads(run(command, "parts/gold", *systems, "--as", "json").stdout)
    assert by_manifest == by_folder
    result = run(command, "parts/gold", "--manifest", pairs)
    assert result.exit_code == 2
    assert "--manifest" in result.stderr


def test_a_manifest_for_pages_figures_and_annotators(pairs: Path) -> None:
    pytest.importorskip("matplotlib")
    assert run("report", "--manifest", pairs, "-o", "page.html", "--quiet").exit_code == 0
    for kind in ("errors", "confusion", "comparison", "ranks"):
        result = run("plot", kind, "--manifest", pairs, "-o", f"{kind}.svg", "--quiet")
        assert (result.exit_code, result.output) == (0, "")
    Path("annotators.tsv").write_text("ana\tben\nparts/crf/a.conll\tparts/bert/a.conll\n")
    assert names("agree", "--manifest", "annotators.tsv") == ["ana", "ben"]
    result = run("agree", C, "--manifest", "annotators.tsv")
    assert "Specify ANNOTATOR files or a --manifest, but not both" in result.stderr
    assert "Specify ANNOTATOR files or a --manifest;" in run("agree").stderr


@pytest.mark.parametrize("cells", [("parts/gold", "parts/crf"), ("parts/gold/*.conll", "parts/crf/*.conll")])
def test_a_manifest_of_folders_and_patterns(cells: tuple[str, str]) -> None:
    Path("folders.tsv").write_text("gold\tcrf\n" + "\t".join(cells) + "\n")
    by_manifest = eh.score(*eh.manifest("folders.tsv"))["crf"]
    assert by_manifest["exact"].overall.counts == {"TP": 4, "FP": 0, "FN": 2}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (
            "parts/gold\tcrf/en/test.conll",
            "table.tsv:2: the row has several files (parts/gold) and one file (crf/en/test.conll); "
            "use folders or patterns in all cells of a row, or files in all.",
        ),
        ("parts/gold\tcrf/en", "crf/en: lacks the file 'a.conll', which parts/gold has; both sides must have files"),
        ("parts/*.x\tcrf/en", "table.tsv:2: the file 'parts/*.x', for 'gold', does not exist"),
    ],
)
def test_folders_that_do_not_match(row: str, message: str) -> None:
    Path("table.tsv").write_text(f"gold\tcrf\n{row}\n")
    with pytest.raises(eh.InputError) as raised:
        eh.manifest("table.tsv")
    assert message in str(raised.value)
