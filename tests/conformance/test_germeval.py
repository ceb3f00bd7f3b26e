"""GermEval 2014: Stanza's output has the figures that the official script prints (stanza.expected.txt)."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import evenhand as eh


@pytest.fixture(scope="module")
def folder(data: Path) -> Path:
    return data / "germeval2014"


def prf(result: eh.Result) -> tuple[float, float, float]:
    score = result["exact"]
    return tuple(round(100 * value, 2) for value in (score.precision, score.recall, score.f1))  # type: ignore[return-value]


def test_strict_combined_from_six_columns(folder: Path) -> None:
    result = eh.score(folder / "stanza.sixcol.tsv", levels="separate")
    assert (prf(result), result.predicted, result.gold.units) == ((74.45, 66.22, 70.09), 5953, 6178 + 515)


def test_strict_combined_from_two_files(folder: Path) -> None:
    result = eh.score(folder / "gold.tsv", folder / "stanza.sixcol.tsv", levels="separate")
    assert prf(result) == (74.45, 66.22, 70.09)
    assert result.notes[0] == "gold gold: skipped empty cells at the ends of lines (1).", "line 19728"


def test_outer_and_inner_level(folder: Path) -> None:
    paths = folder / "gold.tsv", folder / "stanza.sixcol.tsv"
    outer = eh.score(*paths, column={"gold": 3, "system": 5})
    inner = eh.score(*paths, column={"gold": 4, "system": 6})
    assert prf(outer) == (74.45, 71.74, 73.07)
    assert (prf(inner), inner.gold.units) == ((0.0, 0.0, 0.0), 515)


def test_gold_against_a_copy_of_itself(folder: Path, tmp_path: Path) -> None:
    copy = shutil.copy(folder / "gold.tsv", tmp_path / "copy.tsv")
    result = eh.score(folder / "gold.tsv", copy)
    assert result["exact"].f1 == result["fair"].f1 == 1.0


def test_gold_against_itself_is_refused(folder: Path) -> None:
    with pytest.raises(eh.InputError, match="gold standard and system are the same layer of one file"):
        eh.score(folder / "gold.tsv", folder / "gold.tsv")


# GermEval 2014: every figure that the official script prints for Stanza's output (stanza.expected.txt)


def said(text: str) -> list[str]:
    return [line for line in text.splitlines() if line]


@pytest.mark.parametrize("as_script", [False, True])
@pytest.mark.parametrize("files", [("stanza.sixcol.tsv",), ("gold.tsv", "stanza.sixcol.tsv")])
def test_every_line_of_the_script(folder: Path, files: tuple[str, ...], as_script: bool) -> None:
    expected = said((folder / "stanza.expected.txt").read_text())
    assert len(expected) == 80
    result = eh.germeval(*(folder / name for name in files), as_script=as_script)
    assert said(str(result))[:80] == expected
    assert not any("official script" in note for note in result.notes)


FIGURES = {
    "spacy": (("55.35", "62.88", "57.76", "0.00"), (54.64, 62.17, 56.99, 0.0)),
    "stanford_conll": (("47.61", "48.40", "49.90", "0.00"), (48.27, 49.05, 50.58, 0.0)),
}
"""F1 of the script (script_figures.tsv) and ours: strict, loose, outer, inner."""


@pytest.mark.parametrize("system", FIGURES)
def test_the_script_figures_of_systems_with_ill_formed_tags(folder: Path, system: str) -> None:
    script, ours = FIGURES[system]
    rows = [line.split("\t") for line in (folder / "script_figures.tsv").read_text().splitlines()]
    assert [f"{system}.sixcol.tsv", *script] in rows
    path = folder / f"{system}.sixcol.tsv"
    shown = str(eh.germeval(path, as_script=True))
    assert tuple(line.removeprefix("FB1: ").strip() for line in shown.splitlines() if line.startswith("FB1")) == script
    assert tuple(round(100 * metric.f1, 2) for metric in eh.germeval(path).metrics.values()) == ours


def test_the_default_says_where_and_by_how_much_the_script_differs(folder: Path) -> None:
    assert eh.germeval(folder / "spacy.sixcol.tsv").notes[-1] == (
        "The official script prints 55.35 (+0.71) for strict F1, 62.88 (+0.71) for loose F1 and 57.76 (+0.77) for "
        "outer F1, since it continues 188 entities over a change of label at I- and continues 1 entity over the end "
        "of a sentence; --as-script gives its figures."
    )


def test_the_four_metrics_and_their_accuracy(folder: Path) -> None:
    result = eh.germeval(folder / "stanza.sixcol.tsv")
    assert {
        name: (round(100 * metric.f1, 2), round(100 * metric.accuracy, 2)) for name, metric in result.metrics.items()
    } == {
        "strict": (70.09, 98.28),
        "loose": (81.59, 98.67),
        "outer": (73.07, 97.16),
        "inner": (0.0, 99.41),
    }
    assert result.repairs.count == 0, "so the differences from the script do not show here"


def test_predictions_on_the_other_level(folder: Path) -> None:
    """Counted by hand in plain Python over the same file."""
    assert eh.germeval(folder / "stanza.sixcol.tsv").other_level == 50


def test_the_official_file_against_itself(folder: Path) -> None:
    """With inner entities that cross or equal their outer one (lines 13919, 64385, 79514), and an empty column."""
    result = eh.germeval(folder / "gold.tsv", folder / "gold.tsv")
    assert (result.outer.correct, result.inner.correct, result.strict.f1, result.loose.accuracy) == (6178, 515, 1, 1)
    assert result.notes == (
        *[f"{folder / 'gold.tsv'}: dropped the empty columns at the end of 1 line."] * 2,
        f"{folder / 'gold.tsv'}: the prediction is identical to the gold standard. Is this the right file?",
    )


@pytest.mark.parametrize("system", ["stanza", "spacy", "stanford_conll"])
def test_the_measures_of_score_have_the_same_figures(folder: Path, system: str) -> None:
    path = folder / f"{system}.sixcol.tsv"
    scores, metrics = eh.score(path, match="germeval").scores, eh.germeval(path).metrics
    assert {name: score.headline for name, score in scores.items()} == {
        f"germeval-{name}": metric.f1 for name, metric in metrics.items()
    }


def test_ranks_of_three_systems(folder: Path) -> None:
    names = ("spacy", "stanford_conll", "stanza")
    paths = {name: folder / f"{name}.sixcol.tsv" for name in names}
    ranking = eh.rank(folder / "gold.tsv", paths, match="germeval", resamples=0)
    assert ranking.systems == ("stanza", "spacy", "stanford_conll")
    for name, path in paths.items():
        metrics = eh.germeval(path).metrics
        assert {measure: ranking[measure][name].score for measure in ranking} == {
            f"germeval-{metric}": metrics[metric].f1 for metric in ("strict", "loose", "outer", "inner")
        }
    assert round(100 * ranking["germeval-strict"]["stanza"].score, 2) == 70.09
