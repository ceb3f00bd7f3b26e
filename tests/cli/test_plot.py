"""`evenhand plot` as a user calls it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import evenhand as eh
from conftest import ROOT
from evenhand.cli import main
from evenhand.report.figures import canvas

pytest.importorskip("matplotlib")
EXAMPLES = ROOT / "src" / "evenhand" / "examples"
SPANS = tuple(EXAMPLES / "ner" / f"{name}.conll" for name in ("gold", "gazetteer", "crf", "tagger"))
TAGS = tuple(EXAMPLES / "tags" / f"{name}.tsv" for name in ("gold", "hmm", "neural"))
TREES = tuple(EXAMPLES / "trees" / f"{name}.conllu" for name in ("gold", "rules", "neural"))
CHAINS = tuple(EXAMPLES / "chains" / f"{name}.conll" for name in ("gold", "rules", "neural"))


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments], prog_name="evenhand")


@pytest.fixture
def figure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path / "figure.svg"


@pytest.mark.parametrize(
    "arguments",
    [
        ("errors", *SPANS),
        ("errors", *TAGS, "--task", "tags"),
        ("errors", *TREES, "--punctuation", "relation"),
        ("errors", *CHAINS, "--no-singletons"),
        ("confusion", *SPANS),
        ("confusion", *TAGS, "--task", "tags"),
        ("confusion", *TREES, "--subtypes"),
        ("comparison", *SPANS, "--trials", "10", "--resamples", "10"),
        ("comparison", *TAGS, "--task", "tags", "--trials", "0", "--resamples", "0"),
        ("comparison", *TREES, "--by", "uas", "--trials", "10", "--interval", "bca"),
        ("comparison", *CHAINS, "--by", "arcs_nom", "--trials", "10"),
        ("ranks", *SPANS, "--match", "exact,fair", "--resamples", "10"),
        ("ranks", *TAGS, "--task", "tags", "--resamples", "0"),
        ("ranks", *TREES, "--resamples", "10"),
        ("ranks", *CHAINS, "--resamples", "10"),
    ],
    ids=lambda arguments: f"{arguments[0]}-{Path(arguments[1]).parent.name}",
)
def test_every_figure_of_every_task(figure: Path, arguments: tuple[object, ...]) -> None:
    result = run("plot", *arguments, "-o", figure, "-q")
    assert (result.exit_code, result.output) == (0, "")
    assert figure.read_text(encoding="utf-8").startswith("<?xml")
    assert [each.name for each in figure.parent.iterdir()] == ["figure.svg"]


@pytest.mark.parametrize("form", ["svg", "pdf", "png"])
def test_a_file_is_what_python_writes(figure: Path, form: str) -> None:
    run("plot", "errors", *SPANS, "--counts", "--width", 5, "--height", 3, "-o", f"a.{form}")
    eh.score(SPANS[0], SPANS[1:]).plot("errors", counts=True, width=5, height=3, path=f"b.{form}")
    assert Path(f"a.{form}").read_bytes() == Path(f"b.{form}").read_bytes()


def test_options_reach_the_results(figure: Path) -> None:
    def shown(*arguments: object) -> str:
        run("plot", *arguments, "-o", figure, "-q")
        return figure.read_text(encoding="utf-8")

    assert ">PER<" not in shown("confusion", *SPANS, "--exclude", "PER")
    assert ">crf<" not in shown("confusion", *SPANS, "--system", "gazetteer", "--system", "tagger")
    assert "crf → gazetteer" in shown("comparison", *SPANS, "--baseline", "crf", "--trials", 0)
    assert "gazetteer → tagger" not in shown("comparison", *SPANS, "--sequence", "--trials", 0)
    assert "90% intervals (20 resamples of documents)" in shown("ranks", *SPANS, "--level", 0.9, "--resamples", 20)
    assert "seed:3" in shown("ranks", *SPANS, "--match", "exact", "--resamples", 20, "--seed", 3)


def test_gold_and_prediction_in_one_file(figure: Path) -> None:
    Path("both.conll").write_text("Ada B-PER B-PER\nLovelace I-PER O\n\nBern B-LOC B-PER\n")
    assert run("plot", "errors", "both.conll", "-o", figure).exit_code == 0
    assert ">n = 2<" in figure.read_text(encoding="utf-8")


def test_notes_go_to_standard_error_unless_quiet(figure: Path) -> None:
    result = run("plot", "errors", SPANS[0], SPANS[3], "-o", figure)
    assert result.stdout == ""
    assert result.stderr.startswith("Note: system tagger: 2 spans are ill-formed in IOB2")
    assert run("plot", "errors", SPANS[0], SPANS[3], "-o", figure, "--quiet").stderr == ""


def test_characters_that_no_font_has_are_a_note(figure: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(canvas, "_families", lambda unknown: iter(()))
    for name in ("gold.conll", "system.conll"):
        Path(name).write_text("Ada B-人\n", encoding="utf-8")
    result = run("plot", "confusion", "gold.conll", "system.conll", "-o", "figure.png")
    assert "Note: No installed font has the characters 人; install one" in result.stderr
    assert Path("figure.png").exists()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((), "Missing command; see evenhand plot --help."),
        (("pie", *SPANS, "-o", "a.svg"), "No such command 'pie'; see evenhand plot --help."),
        (("errors", *SPANS), "Missing option '-o' / '--output'; see evenhand plot errors --help."),
        (("errors", *SPANS, "-o", "a.jpg"), "Unsupported figure format 'a.jpg'. Use .svg, .pdf or .png."),
        (("errors", *SPANS, "-o", "svg"), "Unsupported figure format 'svg'. Use .svg, .pdf or .png."),
        (
            ("errors", "absent.conll", "-o", "a.jpg"),
            "Unsupported figure format 'a.jpg'. Use .svg, .pdf or .png.",
        ),
        (("ranks", *SPANS, "-o", "a.svg", "--width", "0.5"), "The width is 0.5 inches; it must be from 1 to 100."),
        (("confusion", *CHAINS, "-o", "a.svg"), "Chains have no labels to confuse; draw the figure errors instead."),
        (("comparison", *SPANS[:2], "-o", "a.svg"), "A comparison needs at least two systems."),
        (
            ("errors", *SPANS, "-o", "no/a.svg"),
            "no/a.svg: cannot be written (no such file or directory); check the folder.",
        ),
    ],
)
def test_problems_are_sentences(figure: Path, arguments: tuple[object, ...], sentence: str) -> None:
    result = run("plot", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"evenhand: {sentence}\n"
    assert list(figure.parent.iterdir()) == []


def test_without_matplotlib_nothing_is_read(figure: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    result = run("plot", "errors", "absent.conll", "absent.conll", "-o", figure)
    assert (result.exit_code, result.stderr) == (
        2,
        "evenhand: Figures need matplotlib: pip install 'evenhand[plot]'\n",
    )


def test_options_that_would_do_nothing_are_refused(figure: Path) -> None:
    for kind, option in (
        ("errors", "--beta"),
        ("confusion", "--counts"),
        ("confusion", "--no-singletons"),
        ("confusion", "--nominal"),
        ("ranks", "--system"),
    ):
        result = run("plot", kind, *SPANS, option, "1", "-o", figure)
        assert result.exit_code == 2
        assert "No such option" in result.stderr


def test_help_names_the_kinds() -> None:
    shown = run("plot", "--help").stdout
    assert all(kind in shown for kind in ("errors", "confusion", "comparison", "ranks"))
    assert "--by" in run("plot", "comparison", "--help").stdout
    assert "--by" not in run("plot", "errors", "--help").stdout
