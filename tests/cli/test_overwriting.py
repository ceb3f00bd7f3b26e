"""No command overwrites what it reads: an output that is an input is refused, whatever the spelling of its path."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import evenhand as eh
from arrow_files import pyarrow
from conftest import EXAMPLE
from evenhand.cli import main

FILES = {"gold.conll": "gold.conll", "crf.conll": "crf.conll", "tagger.conll": "tagger.conll"}
GOLD, SYSTEM, OTHER = FILES


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in FILES:
        shutil.copy(EXAMPLE / name, tmp_path)
        for suffix in ("svg", "parquet"):
            shutil.copy(EXAMPLE / name, tmp_path / f"{name}.{suffix}")
    for side in ("gold", "crf"):
        (tmp_path / side).mkdir()
        shutil.copy(EXAMPLE / f"{side}.conll", tmp_path / side / "a.conll")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def check_refused(folder: Path, output: str, *arguments: str, called: str = "") -> None:
    before = contents(folder)
    result = run(*arguments)
    sentence = (
        f"{output}: is one of the input files{called} and would be overwritten; choose another place for the output."
    )
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", f"evenhand: {sentence}\n")
    assert contents(folder) == before


@pytest.mark.parametrize(
    ("output", "arguments"),
    [
        (GOLD, ("score", GOLD, SYSTEM, "-o", GOLD)),
        (SYSTEM, ("score", "-o", SYSTEM, GOLD, SYSTEM)),
        ("gold.conll.parquet", ("score", "gold.conll.parquet", SYSTEM, "--verdicts", "gold.conll.parquet")),
        ("crf.conll.parquet", ("score", GOLD, "crf.conll.parquet", "--tallies", "crf.conll.parquet")),
        (OTHER, ("rank", GOLD, SYSTEM, OTHER, "-o", OTHER)),
        (OTHER, ("compare", GOLD, SYSTEM, OTHER, "-o", OTHER)),
        (SYSTEM, ("compare", GOLD, OTHER, OTHER, "--slice", "vocabulary", "--vocabulary", SYSTEM, "-o", SYSTEM)),
        (SYSTEM, ("report", GOLD, SYSTEM, "-o", SYSTEM)),
        (OTHER, ("gate", GOLD, SYSTEM, OTHER, "-o", OTHER)),
        (GOLD, ("germeval", GOLD, SYSTEM, "-o", GOLD)),
        (GOLD, ("convert", GOLD, GOLD)),
        *(
            ("crf.conll.svg", ("plot", kind, GOLD, OTHER, "crf.conll.svg", "-o", "crf.conll.svg"))
            for kind in ("errors", "confusion", "comparison", "ranks")
        ),
    ],
    ids=lambda each: " ".join(each) if isinstance(each, tuple) else "",
)
def test_every_command(folder: Path, output: str, arguments: tuple[str, ...]) -> None:
    check_refused(folder, output, *arguments)


def test_other_spellings_and_links(folder: Path) -> None:
    (folder / "link").symlink_to(GOLD)
    os.link(folder / GOLD, folder / "hard")
    whole = str(folder / GOLD)
    for output in ("./gold.conll", "crf/../gold.conll", whole, "link", "hard"):
        shown = str(Path(output))
        check_refused(folder, shown, "score", GOLD, SYSTEM, "-o", output, called="" if shown == GOLD else f" ({GOLD})")
    check_refused(folder, GOLD, "score", "link", SYSTEM, "-o", GOLD, called=" (link)")
    check_refused(folder, GOLD, "score", f"file://{whole}", SYSTEM, "-o", GOLD, called=f" ({whole})")


def test_files_of_folders_patterns_manifests_suites_and_weights(folder: Path) -> None:
    (folder / "pairs.tsv").write_text("gold\tcrf\ngold/a.conll\tcrf/a.conll\n")
    (folder / "suite.toml").write_text('[[data]]\ngold = "gold.conll"\nsystems = { crf = "crf.conll" }\n')
    (folder / "weights.txt").write_text("LE = FP")
    check_refused(folder, "crf/a.conll", "score", "gold", "crf", "-o", "crf/a.conll")
    check_refused(folder, "gold/a.conll", "score", "gold/*.conll", "crf", "-o", "gold/a.conll")
    check_refused(folder, "crf/a.conll", "score", "--manifest", "pairs.tsv", "-o", "crf/a.conll")
    check_refused(folder, "pairs.tsv", "rank", "--manifest", "pairs.tsv", "-o", "pairs.tsv")
    check_refused(folder, "suite.toml", "rank", "--suite", "suite.toml", "-o", "suite.toml")
    check_refused(folder, SYSTEM, "rank", "--suite", "suite.toml", "-o", SYSTEM)
    check_refused(folder, "weights.txt", "score", GOLD, SYSTEM, "--weights", "weights.txt", "-o", "weights.txt")


def test_both_files_of_brat(folder: Path) -> None:
    (folder / "brat").mkdir()
    (folder / "brat" / "00001.txt").write_text("Ada slept")
    (folder / "brat" / "00001.ann").write_text("T1\tPER 0 3\tAda\n")
    check_refused(folder, "brat/00001.txt", "convert", "brat/00001.ann", "brat/00001.txt", "--to", "spans", called="")
    check_refused(folder, "brat/00001.txt", "convert", "brat/00001.ann", "brat", "--to", "brat")
    shutil.copy(folder / GOLD, folder / "brat")
    assert run("convert", "brat/gold.conll", "brat", "--to", "brat", "--lossy").exit_code == 0  # which is beside them


def test_two_outputs_in_one_file(folder: Path) -> None:
    result = run("score", GOLD, SYSTEM, "--tallies", "t.parquet", "--verdicts", "./t.parquet")
    assert (result.exit_code, result.stderr) == (
        2,
        "evenhand: t.parquet: is named for two outputs; give each a file of its own.\n",
    )


def test_what_can_be_both(folder: Path) -> None:
    assert run("score", GOLD, SYSTEM, "-q", "-o", "/dev/null").exit_code == 0
    (folder / "old.json").write_text("old")
    assert run("score", GOLD, SYSTEM, "-q", "-o", "old.json").exit_code == 0
    assert (folder / "old.json").read_text() != "old"


def test_verdicts_in_python(folder: Path) -> None:
    pyarrow()
    before = contents(folder)
    with pytest.raises(eh.InputError, match=r"crf\.conll\.parquet: is one of the input files and would be overwritten"):
        eh.score(GOLD, "crf.conll.parquet", engine=eh.engines.recording("crf.conll.parquet"))
    assert contents(folder) == before
