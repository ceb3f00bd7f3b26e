"""Figures: what they show are the results' numbers, and files hold nothing that changes by itself."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections import Counter
from itertools import combinations, zip_longest
from pathlib import Path
from typing import Any
from xml.dom import minidom

import numpy as np
import pytest

import evenhand as eh
from conftest import ROOT

matplotlib = pytest.importorskip("matplotlib")
from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: E402
from matplotlib.markers import CARETLEFT  # noqa: E402

from evenhand.report.figures import canvas  # noqa: E402
from evenhand.report.figures.canvas import FORMS, render  # noqa: E402
from evenhand.tasks.tables import errors_by_label  # noqa: E402

EXAMPLES = ROOT / "src" / "evenhand" / "examples"
SYSTEMS = {
    "spans": ("ner", "conll", ("gazetteer", "crf", "tagger")),
    "tags": ("tags", "tsv", ("lexicon", "hmm", "neural")),
    "trees": ("trees", "conllu", ("rules", "transition", "neural")),
    "chains": ("chains", "conll", ("rules", "pairs", "neural")),
}


def files(task: str) -> tuple[Path, list[Path]]:
    folder, suffix, names = SYSTEMS[task]
    return EXAMPLES / folder / f"gold.{suffix}", [EXAMPLES / folder / f"{name}.{suffix}" for name in names]


@pytest.fixture(scope="module")
def results() -> dict[str, eh.Results]:
    return {task: eh.score(*files(task), task=task) for task in SYSTEMS}


@pytest.fixture(scope="module")
def comparisons() -> dict[str, eh.Comparison]:
    return {task: eh.compare(*files(task), task=task, trials=200, resamples=100) for task in SYSTEMS}


@pytest.fixture(scope="module")
def rankings() -> dict[str, eh.Ranking]:
    return {task: eh.rank(*files(task), task=task, resamples=100) for task in SYSTEMS}


def bars(axes) -> dict[str, list[float]]:
    """The lengths of bars, by the name of their kind."""
    return {each.get_label(): [float(bar.get_width()) for bar in each] for each in axes.containers}


def rows(axes) -> list[str]:
    return [label.get_text() for label in axes.get_yticklabels()]


def batched(lengths: list[float]) -> list[tuple[float, float]]:
    """Those of each two bars."""
    return list(zip(lengths[::2], lengths[1::2], strict=True))


def texts(figure) -> list[str]:
    return [text.get_text() for text in figure.findobj(matplotlib.text.Text)]


def words(path: Path) -> list[list[str]]:
    """The words of a table, by a plain loop."""
    lines = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines() if line and line[0] != "#"]
    return lines if path.suffix == ".tsv" else [line for line in lines if line[0].isdecimal()]


# Errors


def test_errors_of_spans_are_types_beside_exact_match(results: dict[str, eh.Results]) -> None:
    """Figure 1 of Ortmann 2022."""
    axes = results["spans"].plot("errors", counts=True).axes[0]
    assert rows(axes) == ["gazetteer   exact", "fair", "crf   exact", "fair", "tagger   exact", "fair"]
    for label, lengths in bars(axes).items():
        kind = label.partition(":")[0]
        for (name, result), (exact, fair) in zip(results["spans"].items(), batched(lengths), strict=True):
            assert fair == result["fair"].overall[kind], (name, kind)
            assert exact == (result["exact"].overall[kind] if kind in ("FN", "FP") else 0)
    assert [label.partition(":")[0] for label in bars(axes)] == ["LE", "BES", "BEL", "BEO", "LBE", "FN", "FP"]


def test_errors_are_shares_unless_counts_are_asked_for(results: dict[str, eh.Results]) -> None:
    figure = results["spans"].plot()
    lengths = bars(figure.axes[0])
    assert np.allclose(np.sum(list(lengths.values()), axis=0), 100)
    fair = results["spans"]["crf"]["fair"].overall
    assert lengths["FN: missing"][3] == pytest.approx(100 * fair["FN"] / 110)
    assert {"n = 139", "n = 110", "63", "% of the errors"} <= set(texts(figure))
    assert "n = 110" in texts(results["spans"].plot(counts=True))


def test_errors_of_one_result_without_exact_match() -> None:
    gold, systems = files("spans")
    result = eh.score(gold, systems[1], match="weighted")
    axes = result.plot(counts=True).axes[0]
    assert rows(axes) == ["crf   weighted"]
    assert bars(axes)["LE: wrong label"] == [result["weighted"].overall["LE"]]


def test_errors_of_tags_are_by_the_tags_with_the_most(results: dict[str, eh.Results]) -> None:
    gold, systems = files("tags")
    wrong = [
        Counter(mine[-1] for mine, theirs in zip(words(gold), words(system), strict=True) if mine[-1] != theirs[-1])
        for system in systems
    ]
    together = wrong[0] + wrong[1] + wrong[2]
    most = sorted(together, key=lambda tag: (-together[tag], tag))[:6]
    figure = results["tags"].plot("errors", counts=True)
    assert bars(figure.axes[0]) == {
        **{tag: [float(system[tag]) for system in wrong] for tag in most},
        "other tags": [float(sum(system.values()) - sum(system[tag] for tag in most)) for system in wrong],
    }
    assert rows(figure.axes[0]) == ["lexicon", "hmm", "neural"]
    assert "Words with a wrong tag, by their tag in the gold standard." in texts(figure)


def test_errors_of_trees_are_heads_and_relations(results: dict[str, eh.Results]) -> None:
    gold, systems = files("trees")
    kinds: Counter[str] = Counter()
    for mine, theirs in zip(words(gold), words(systems[0]), strict=True):
        head, relation = mine[6] == theirs[6], mine[7].partition(":")[0] == theirs[7].partition(":")[0]
        kinds[
            "right" if head and relation else "wrong relation" if head else "wrong head" if relation else "both wrong"
        ] += 1
    drawn_bars = bars(results["trees"].plot("errors", counts=True).axes[0])
    assert {kind: drawn_bars[kind][0] for kind in ("wrong head", "wrong relation", "both wrong")} == {
        kind: kinds[kind] for kind in ("wrong head", "wrong relation", "both wrong")
    }
    for place, result in enumerate(results["trees"].values()):
        las = result["las"].overall
        mine = {kind: lengths[place] for kind, lengths in drawn_bars.items()}
        assert sum(mine.values()) - mine["extra words"] == las["gold"] - las["correct"]
        assert mine["extra words"] - mine["missing words"] == las["system"] - las["gold"]


def test_words_that_only_one_side_has_are_shown_only_where_there_are_any() -> None:
    gold, systems = files("trees")
    assert list(bars(eh.score(gold, systems[0]).plot().axes[0])) == ["wrong head", "wrong relation", "both wrong"]


def test_errors_of_chains_are_antecedents(results: dict[str, eh.Results]) -> None:
    axes = results["chains"].plot("errors", counts=True).axes[0]
    assert rows(axes)[:2] == ["rules   ARCS any", "ARCS nom"]
    for label, lengths in bars(axes).items():
        kind = label.partition(":")[0]
        assert lengths == [
            result[model].overall[kind] for result in results["chains"].values() for model in ("arcs_any", "arcs_nom")
        ]


def test_a_system_without_errors_has_an_empty_bar(tmp_path: Path) -> None:
    gold, _ = files("spans")
    result = eh.score(gold, shutil.copy(gold, tmp_path / "perfect.conll"))
    figure = result.plot("errors")
    assert texts(figure).count("n = 0") == 2
    assert np.sum(list(bars(figure.axes[0]).values())) == 0
    result.plot("errors", counts=True)
    result.plot("confusion")


# Confusion


def cells(axes) -> np.ndarray:
    """The counts behind the shades, 0 where there are none."""
    return np.ma.filled(axes.collections[1].get_array(), 0)


def test_confusion_of_spans_is_the_matrix_with_fn_and_fp(results: dict[str, eh.Results]) -> None:
    """Figure 2 of Ortmann 2022."""
    result = results["spans"]["crf"]
    axes = result.plot("confusion").axes[0]
    labels = ["LOC", "MISC", "ORG", "PER"]
    assert rows(axes) == [*labels, "∅ (FP)"]
    assert [label.get_text() for label in axes.get_xticklabels()] == [*labels, "∅ (FN)"]
    expected = [[result["fair"].confusion.get(g, {}).get(s, 0) for s in (*labels, "")] for g in (*labels, "")]
    assert cells(axes).tolist() == expected
    assert sorted(text.get_text() for text in axes.texts) == sorted(str(n) for row in expected for n in row if n)


@pytest.mark.parametrize(("task", "system"), [("spans", "crf"), ("tags", "hmm"), ("trees", "transition")])
def test_rows_with_correct_counts_add_up_to_the_gold_standard(
    results: dict[str, eh.Results], task: str, system: str
) -> None:
    result = results[task][system]
    score = {"spans": "fair", "tags": "accuracy", "trees": "ls"}[task]
    axes = result.plot("confusion", correct=True).axes[0]
    golds, columns = rows(axes), [label.get_text() for label in axes.get_xticklabels()]
    shown = {(round(text.get_position()[1] - 0.5), round(text.get_position()[0] - 0.5)): text for text in axes.texts}
    errors = result[score].confusion
    for row, gold in enumerate(golds):
        if gold.startswith("∅"):
            continue
        counts = [int(shown[row, column].get_text()) for column in range(len(columns)) if (row, column) in shown]
        left_out = sum(count for other, count in errors.get(gold, {}).items() if other and other not in columns)
        assert sum(counts) + left_out == result[score].labels[gold].gold


def test_correct_counts_are_grey(results: dict[str, eh.Results]) -> None:
    axes = results["spans"]["tagger"].plot("confusion", correct=True).axes[0]
    grey = {patch.get_xy() for patch in axes.patches if patch.get_facecolor()[:3] == (221 / 255,) * 3}
    assert grey == {(0, 0), (1, 1), (2, 2), (3, 3)}
    assert [text.get_text() for text in axes.texts][:4] == ["97", "52", "45", "63"]


def blank_bands(figure) -> list[float]:
    """The heights of bands without ink, in inches."""
    drawing = FigureCanvasAgg(figure)
    drawing.draw()
    is_blank = (np.asarray(drawing.buffer_rgba())[:, :, :3] > 250).all(axis=(1, 2))
    runs = "".join("x" if blank else " " for blank in is_blank).split()
    return [len(run) / 100 for run in runs]


@pytest.mark.parametrize("correct", [False, True])
def test_matrices_have_no_blank_bands(results: dict[str, eh.Results], correct: bool) -> None:
    for task, width in (("spans", 6.3), ("spans", 3.03), ("trees", 6.3), ("tags", None)):
        figure = results[task].plot("confusion", width=width, correct=correct)
        assert max(blank_bands(figure)) < 0.2
    assert results["spans"]["crf"].plot("confusion").get_figwidth() < 3.1, "as wide as its matrix"


def test_confusion_of_words_shows_the_15_labels_with_the_most_errors(results: dict[str, eh.Results]) -> None:
    result = results["trees"]["rules"]
    figure = result.plot("confusion")
    matrix = result["ls"].confusion
    errors: Counter[str] = Counter()
    for gold, row in matrix.items():
        for system, count in row.items():
            errors.update({gold: count, system: count})
    most = sorted(errors, key=lambda label: (-errors[label], label))[:15]
    golds, systems = rows(figure.axes[0]), [label.get_text() for label in figure.axes[0].get_xticklabels()]
    assert golds == sorted(gold for gold in most if any(matrix.get(gold, {}).get(each) for each in most))
    assert systems == sorted(each for each in most if any(matrix.get(gold, {}).get(each) for gold in most))
    assert len(golds) < 15, "rows and columns without errors are left out"
    assert cells(figure.axes[0]).tolist() == [[matrix.get(g, {}).get(s, 0) for s in systems] for g in golds]
    assert any(
        text.endswith(f"The 15 labels with the most errors of {len(result['ls'].labels)}.") for text in texts(figure)
    )


def test_several_systems_share_labels_and_shades(results: dict[str, eh.Results]) -> None:
    figure = results["trees"].plot("confusion")
    assert [axes.get_title() for axes in figure.axes] == ["rules", "transition", "neural"]
    assert len({cells(axes).shape for axes in figure.axes}) == 1
    assert [bool(rows(axes)) for axes in figure.axes] == [True, False, True], "two columns, named on the left"
    assert rows(figure.axes[0])[-1] == "∅ (extra)"
    assert len({axes.collections[1].norm.vmax for axes in figure.axes}) == 1


def test_systems_of_a_confusion_can_be_chosen(results: dict[str, eh.Results]) -> None:
    figure = results["tags"].plot("confusion", systems=["neural", "hmm"])
    assert [axes.get_title() for axes in figure.axes] == ["neural", "hmm"]
    assert len(results["tags"].plot("confusion", systems="neural").axes) == 1


def test_labels_with_most_errors_count_both_sides(results: dict[str, eh.Results]) -> None:
    score = results["spans"]["crf"]["fair"]
    cells = [(gold, system, count) for gold, row in score.confusion.items() for system, count in row.items()]
    assert errors_by_label([score]) == {
        label: sum(count for gold, system, count in cells if label in (gold, system))
        for label in ("LOC", "MISC", "ORG", "PER")
    }


# Comparison


@pytest.mark.parametrize("task", list(SYSTEMS))
@pytest.mark.parametrize("width", [6.3, 3.03])
def test_comparison_shows_classes_and_the_change_of_the_score(
    comparisons: dict[str, eh.Comparison], task: str, width: float
) -> None:
    comparison = comparisons[task]
    pairs = list(comparison.pairs.values())
    figure = comparison.plot("comparison", width=width)
    left, middle, right = figure.axes
    found = bars(left) | bars(middle)
    assert found == {
        "new errors": [-pair.new_errors.count for pair in pairs],
        "corrections": [pair.corrections.count for pair in pairs],
        "changed errors": [pair.changed_errors.count for pair in pairs],
    }
    assert [name.replace("\n", " ") for name in rows(left)] == [f"{pair.before} → {pair.after}" for pair in pairs]
    _, *lines, points = right.lines
    assert np.allclose(points.get_xdata(), [100 * pair.delta for pair in pairs])
    for line, pair in zip_longest(lines, pairs):
        assert np.allclose(line.get_xdata(), np.multiply(100, pair.interval))
    shown = [text.get_text() for text in right.texts]
    for text, pair in zip(shown, pairs, strict=True):
        assert text.rstrip("*").replace("−", "-") == f"{100 * pair.delta:+.2f}"
        p = pair.significance.p_holm
        assert text.count("*") == (p < 0.05) + (p < 0.01)


def test_a_comparison_without_tests_and_intervals_has_neither_marks_nor_lines() -> None:
    figure = eh.compare(*files("spans"), trials=0, resamples=0).plot()
    assert len(figure.axes[2].lines) == 2
    assert not any("*" in text or "interval" in text for text in texts(figure))


def test_of_many_pairs_only_neighbours_are_shown() -> None:
    gold, systems = files("tags")
    many = {f"{each.stem} {copy}": each for each in systems for copy in (1, 2, 3)}
    comparison = eh.compare(gold, many, task="tags", trials=0, resamples=0)
    figure = comparison.plot()
    assert len(comparison.pairs) == 36
    assert len(rows(figure.axes[0])) == 8
    assert any(text.startswith("Neighbours by score, of 36 pairs.") for text in texts(figure))


# Ranks


@pytest.mark.parametrize("task", list(SYSTEMS))
def test_ranks_show_scores_intervals_and_ranks(rankings: dict[str, eh.Ranking], task: str) -> None:
    ranking = rankings[task]
    figure = ranking.plot("ranks")
    assert len(figure.axes) == len(ranking.models)
    assert rows(figure.axes[0]) == list(ranking.systems)
    for axes, model in zip(figure.axes, ranking.models, strict=True):
        standings = [ranking[model][system] for system in ranking.systems]
        lines = [line for line in axes.lines if line.get_color() == "black"]
        (points,) = (line for line in axes.lines if line.get_marker() == "o")
        assert np.allclose(points.get_xdata(), [100 * standing.score for standing in standings])
        for line, standing in zip(lines, standings, strict=True):
            assert np.allclose(line.get_xdata(), np.multiply(100, standing.interval))
        changes = [
            f"{'▲' if standing.change > 0 else '▼'}{abs(standing.change)}" for standing in standings if standing.change
        ]
        shown = [text.get_text() for text in axes.texts]
        assert [text for text in shown if text.isdecimal()] == [str(standing.rank) for standing in standings]
        assert [text for text in shown if not text.isdecimal()] == changes
    assert any("ranks" in text for text in texts(figure))


def test_panels_have_the_names_of_the_literature(rankings: dict[str, eh.Ranking]) -> None:
    assert [axes.get_title("left") for axes in rankings["trees"].plot().axes] == ["LAS", "MLAS", "BLEX"]
    assert [axes.get_title("left") for axes in rankings["chains"].plot().axes] == [
        "MELA",
        "LEA",
        "ARCS any",
        "ARCS nom",
    ]


def test_many_models_stand_in_rows() -> None:
    ranking = eh.rank(*files("spans"), match="exact,fair,overlap,semeval", resamples=0)
    figure = ranking.plot()
    assert len(figure.axes) == 7
    assert len({round(axes.get_position().x0, 3) for axes in figure.axes}) == 4
    assert "interval" not in " ".join(texts(figure))


# One look


def fills_by_kind(figure) -> dict[str, tuple]:
    return {
        each.get_label().partition(":")[0]: (each[0].get_facecolor(), each[0].get_hatch())
        for each in figure.axes[0].containers
    }


def test_one_error_type_has_one_colour_in_all_tasks(results: dict[str, eh.Results]) -> None:
    spans, trees, chains = (fills_by_kind(results[task].plot("errors")) for task in ("spans", "trees", "chains"))
    assert spans["FN"] == trees["missing words"] == chains["fn"]
    assert spans["FP"] == trees["extra words"] == chains["fp"]
    assert (spans["LE"], spans["LBE"]) == (trees["wrong relation"], trees["both wrong"])
    assert not {trees["wrong head"], chains["wl"]} & set(spans.values())
    tags = fills_by_kind(results["tags"].plot("errors"))
    assert not {spans["FN"], spans["FP"]} & set(tags.values()), "tags are no error types"
    for found in (spans, trees, chains, tags):
        assert len(set(found.values())) == len(found)


def test_error_types_that_no_system_has_are_left_out() -> None:
    gold = eh.spans([[("A", 0, 1), ("B", 1, 2)]], end="exclusive")
    results = eh.score(gold, eh.spans([[("A", 0, 1), ("C", 1, 2)]], end="exclusive"))
    assert list(bars(results.plot("errors").axes[0])) == ["LE: wrong label", "FN: missing", "FP: spurious"]
    axes = results.plot("confusion").axes[0]
    assert (rows(axes), [label.get_text() for label in axes.get_xticklabels()]) == (["B"], ["C"])


def tick_labels(figure) -> list[Any]:
    """The visible labels of ticks."""
    figure.draw_without_rendering()
    return [
        label
        for axes in figure.axes
        for places, names, limits in (
            (axes.get_xticks(), axes.get_xticklabels(), axes.get_xlim()),
            (axes.get_yticks(), axes.get_yticklabels(), axes.get_ylim()),
        )
        for place, label in zip(places, names, strict=False)
        if min(limits) <= place <= max(limits) and label.get_visible() and label.get_text()
    ]


def collisions(figure) -> list[tuple[str, str]]:
    """Labels of ticks that lie on others."""
    boxes = [(label.get_text(), label.get_window_extent()) for label in tick_labels(figure)]
    return [(one, other) for (one, box), (other, beside) in combinations(boxes, 2) if box.overlaps(beside)]


def outside(figure) -> list[str]:
    """Texts that the edge of the figure cuts."""
    figure.draw_without_rendering()
    width, height = figure.canvas.get_width_height()
    labels = {label for axes in figure.axes for axis in (axes.xaxis, axes.yaxis) for label in axis.get_ticklabels()}
    others = [text for text in figure.findobj(matplotlib.text.Text) if text not in labels and text.get_visible()]
    boxes = [(text.get_text(), text.get_window_extent()) for text in (*tick_labels(figure), *others) if text.get_text()]
    return [text for text, box in boxes if box.x0 < -1 or box.y0 < -1 or box.x1 > width + 1 or box.y1 > height + 1]


def check_figure(figure) -> None:
    """What holds for every figure: texts are readable, whole and apart, and it fits onto a page."""
    assert collisions(figure) == []
    assert outside(figure) == []
    assert min(text.get_fontsize() for text in figure.findobj(matplotlib.text.Text) if text.get_text()) >= 7
    assert figure.get_figheight() <= 9


@pytest.mark.parametrize("width", [pytest.param(6.3, marks=pytest.mark.long), 3.03])
@pytest.mark.parametrize(
    "task", [*("spans", "trees"), *(pytest.param(each, marks=pytest.mark.long) for each in ("tags", "chains"))]
)
def test_ticks_do_not_collide_and_no_text_is_small(
    results: dict[str, eh.Results],
    comparisons: dict[str, eh.Comparison],
    rankings: dict[str, eh.Ranking],
    task: str,
    width: float,
) -> None:
    figures = [subject.plot(width=width) for subject in (comparisons[task], rankings[task])]
    figures += [results[task].plot("errors", width=width, counts=counts) for counts in (False, True)]
    if task != "chains":
        figures += [results[task].plot("confusion", width=width, correct=correct) for correct in (False, True)]
    for figure in figures:
        check_figure(figure)


LONG = "experiments/bert-base-multilingual-cased-finetuned-conll03/seed-{:02}/checkpoint-best/predictions"
KINDS = ["http://example.org/ontology/PopulatedPlace/" + letter * 9 for letter in "ABCDEFGHIJKLMNOPQRST"]


def many_spans(system: int) -> eh.Annotation:
    """Every 7 + system spans have another label, and every 11 + system are missing; system 0 is the gold standard."""
    scores = np.random.default_rng(system).uniform(0.2, 1, 400)
    sentences = []
    for start in range(0, 400, 4):
        spans: list[tuple[Any, ...]] = []
        for place in range(start, start + 4):
            kind = place + (system > 0 and place % (7 + system) == 0)
            if not system or place % (11 + system):
                span = (KINDS[kind % 20], place - start, place - start + 1)
                spans.append((*span, None, float(scores[place])) if system else span)
        sentences.append(spans)
    return eh.spans(sentences, end="exclusive")


@pytest.mark.parametrize("width", [2.5, pytest.param(6.3, marks=pytest.mark.long)])
@pytest.mark.parametrize("number", [1, *(pytest.param(some, marks=pytest.mark.long) for some in (2, 16, 25))])
def test_ticks_never_touch_with_long_names(number: int, width: float) -> None:
    gold, systems = many_spans(0), {LONG.format(system): many_spans(system) for system in range(1, number + 1)}
    results = eh.score(gold, systems, slices="length")
    some = list(systems)[:4]
    figures = [
        results.plot("errors", width=width),
        results.plot("errors", width=width, counts=True),
        results.plot("confusion", width=width, systems=some),
        results.plot("confusion", width=width, systems=some, correct=True),
        results.plot("slices", width=width),
        eh.rank(gold, systems, trials=0, resamples=0).plot(width=width),
    ]
    if number > 1:
        figures.append(eh.compare(gold, systems, trials=0, resamples=0).plot(width=width))
    if number <= 2:
        confidence = eh.confidence(gold, systems)
        figures += [confidence.plot(kind, width=width) for kind in ("pr", "threshold", "risk", "calibration")]
        figures.append(eh.causes(gold, systems).plot(width=width))
        figures.append(eh.power(gold, systems, delta=0.05 if number == 1 else None).plot(width=width))
    for figure in figures:
        check_figure(figure)
        for axes in figure.axes:
            for labels in (axes.get_xticklabels(), axes.get_yticklabels()):
                shown = [label.get_text() for label in labels if len(label.get_text()) > 4]
                assert len(set(shown)) == len(shown)


def test_figures_of_many_systems_keep_to_a_page_and_say_what_they_leave_out() -> None:
    gold, systems = files("spans")
    many = {f"{number:02} {each.stem}": each for number in range(20) for each in systems}
    results = eh.score(gold, many)
    figure = results.plot("errors")
    shown = len(rows(figure.axes[0])) // 2
    assert figure.get_figheight() <= 9
    assert 10 < shown < 60
    assert f"The first {shown} systems; {60 - shown} more." in texts(figure)
    ranking = eh.rank(gold, many, resamples=0, trials=0)
    figure = ranking.plot(width=3.03)
    shown = len(rows(figure.axes[0]))
    assert figure.get_figheight() <= 9
    assert shown >= 20
    assert any(text.startswith(f"The best {shown} systems; {60 - shown} more.") for text in texts(figure))
    assert rows(figure.axes[0])[0] == ranking.systems[0]
    figure = eh.compare(gold, dict(list(many.items())[:15]), trials=0, resamples=0).plot(width=3.03)
    assert figure.get_figheight() <= 9
    said = "Neighbours by score, of 105 pairs. The first 11 pairs; 3 more."
    assert said in [text.replace("\n", " ") for text in texts(figure)]


def test_match_models_under_which_all_systems_have_nothing_are_left_out() -> None:
    gold = eh.spans([[("A", 0, 2)]], end="exclusive")
    figure = eh.rank(gold, {"a": eh.spans([[("A", 0, 1)]], end="exclusive")}, match="exact,overlap", resamples=0).plot()
    assert [axes.get_title("left") for axes in figure.axes] == ["overlap"]
    assert any(text.endswith("All scores are 0 under exact.") for text in texts(figure))


# Files


@pytest.mark.parametrize("form", FORMS)
def test_the_same_figure_is_the_same_bytes(results: dict[str, eh.Results], tmp_path: Path, form: str) -> None:
    first, second = tmp_path / f"a.{form}", tmp_path / f"b.{form.upper()}"
    results["spans"].plot("errors", path=first)
    results["spans"].plot("errors", path=second)
    assert first.read_bytes() == second.read_bytes()
    beginning = {"svg": b"<?xml", "pdf": b"%PDF", "png": b"\x89PNG"}[form]
    assert first.read_bytes().startswith(beginning)
    assert b"Date" not in first.read_bytes()


@pytest.mark.long
def test_bytes_do_not_depend_on_the_process_or_the_users_settings(
    results: dict[str, eh.Results], tmp_path: Path
) -> None:
    (tmp_path / "matplotlibrc").write_text("font.size: 20\nsvg.fonttype: path\nfigure.facecolor: black\n")
    code = (
        "import sys, evenhand as eh; g, *s = sys.argv[1:];"
        "r = eh.score(g, s);"
        "[r.plot(kind, path=f'{kind}.{form}') for kind in ('errors', 'confusion') for form in ('svg', 'pdf')]"
    )
    gold, systems = files("spans")
    settings = os.environ | {"MATPLOTLIBRC": str(tmp_path), "PYTHONHASHSEED": "7", "DISPLAY": "", "MPLBACKEND": "Agg"}
    subprocess.run([sys.executable, "-c", code, gold, *systems], cwd=tmp_path, env=settings, check=True)
    for kind in ("errors", "confusion"):
        for form in ("svg", "pdf"):
            figure = results["spans"].plot(kind)
            content = render(figure, form, results["spans"].signature)
            assert (tmp_path / f"{kind}.{form}").read_bytes() == content


def test_texts_stay_texts_in_svg_and_fonts_are_embedded_in_pdf(results: dict[str, eh.Results]) -> None:
    figure = results["spans"].plot("errors")
    shown = render(figure, "svg", "the signature").decode()
    assert ">gazetteer   exact<" in shown
    assert "<dc:description>the signature</dc:description>" in shown
    assert b"/FontFile2" in render(figure, "pdf", "")
    assert b"/Type3" not in render(figure, "pdf", "")


def test_nothing_is_left_behind(results: dict[str, eh.Results]) -> None:
    before = dict(matplotlib.rcParams)
    render(results["spans"].plot("errors"), "svg", "")
    assert dict(matplotlib.rcParams) == before
    code = (
        "import sys, evenhand as eh; r = eh.score(*sys.argv[1:]); before = 'matplotlib' in sys.modules;"
        "r.plot(); print(before, 'matplotlib.pyplot' in sys.modules)"
    )
    gold, systems = files("spans")
    shown = subprocess.run([sys.executable, "-c", code, gold, systems[0]], check=True, capture_output=True, text=True)
    assert shown.stdout == "False False\n"


def test_size(results: dict[str, eh.Results], rankings: dict[str, eh.Ranking]) -> None:
    assert results["spans"].plot("errors", width=3.03, height=4).get_size_inches().tolist() == [3.03, 4]
    assert rankings["spans"].plot().get_figwidth() == 6.3


def test_a_saved_result_has_the_same_figures(results: dict[str, eh.Results]) -> None:
    for task in ("spans", "tags", "trees", "chains"):
        loaded = eh.Results.from_json(results[task].to_json())
        assert bars(loaded.plot("errors").axes[0]) == bars(results[task].plot("errors").axes[0])


# Texts from the data

ODD = ["$x^2$", "a_b", "人名", "اسم", "שם", "<b>&amp;", "ctrl\x0bx", "\u202eturned", "\\frac{1}{2}"]


def odd(labels: list[str]) -> eh.Annotation:
    return eh.spans([[(label, 0, 2)] for label in labels], end="exclusive")


@pytest.mark.filterwarnings("ignore:No installed font")
def test_labels_and_names_are_shown_as_they_are() -> None:
    systems = {"$\\alpha$": odd(ODD[1:] + ODD[:1]), "מערכת": odd(ODD[2:] + ODD[:2]), "half\ud800": odd(ODD)}
    results = eh.score(odd(ODD), systems)
    comparison = eh.compare(odd(ODD), systems, trials=0, resamples=0)
    ranking = eh.rank(odd(ODD), systems, resamples=0)
    shown = {}
    for kind, subject in (("errors", results), ("confusion", results), ("comparison", comparison), ("ranks", ranking)):
        figure = subject.plot(kind)
        shown[kind] = render(figure, "svg", subject.signature).decode()
        minidom.parseString(shown[kind])
        render(figure, "pdf", subject.signature)
    for label in (
        "$x^2$",
        "a_b",
        "人名",
        "اسم",
        "שם",
        "&lt;b&gt;&amp;amp;",
        "ctrl\ufffdx",
        "\ufffdturned",
        "\\frac{1}{2}",
    ):
        assert f">{label}<" in shown["confusion"]
    assert all(">$\\alpha$" in each or "$\\alpha$ →" in each or "\u200e$\\alpha$" in each for each in shown.values())
    assert "\u200e$\\alpha$\u200e \u200e→\u200e \u200eמערכת" in shown["comparison"]


def test_characters_that_no_font_has_are_said_but_not_in_svg(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(canvas, "_families", lambda unknown: iter(()))
    figure = eh.score(odd(["人名"]), odd(["地名"])).plot("confusion")
    render(figure, "svg", "")
    with pytest.warns(UserWarning, match="No installed font has the characters 人名地; install one"):
        render(figure, "png", "")


def test_fonts_that_cannot_be_read_have_no_characters(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(path: object) -> None:
        raise RuntimeError(path)

    canvas.characters.cache_clear()
    monkeypatch.setattr("matplotlib.font_manager.get_font", broken)
    assert canvas.characters("DejaVu Sans") == frozenset()
    canvas.characters.cache_clear()


def test_long_names_lose_their_middle() -> None:
    assert canvas.named("short", 1.0) == "short"
    assert canvas.named("x" * 60, 1.0) == "x" * 4 + "…" + "x" * 10
    assert canvas.named("人" * 60, 1.0) == "人" * 2 + "…" + "人" * 6
    assert canvas.clean("a\tb\nc\x00") == "a b c\ufffd"


def test_names_are_whole_if_all_fit() -> None:
    names = ["run-1.spert", "run-2.spert"]
    assert canvas.distinct_names(names, 1.0) == dict(zip(names, names, strict=True))


@pytest.mark.parametrize(
    ("names", "short"),
    [
        (["Vicomtech-run1.spert", "ExSim-run1.spert"], ["Vicomtech", "ExSim"]),
        (["Vicomtech-run1.spert", "Vicomtech-run2.spert"], ["run1", "run2"]),
        (["bert-base-german-cased", "bert-base-german-cased-crf"], ["cased", "cased-crf"]),
        (["bert-base-german-cased"], ["ber…an-cased"]),
        # the difference is in the middle
        ([f"{'a' * 30}{number}{'b' * 30}" for number in (1, 2)], ["…1…", "…2…"]),
        ([f"{'a' * 30}{number * 30}{'b' * 30}" for number in "12"], ["…11…111111…", "…22…222222…"]),
        # the difference is too wide, or invisible
        ([f"x{'a' * length}" for length in (60, 61, 62)], ["…a…", "…aa…", "…aaa…"]),
        (["a\x00", "a\x01"], ["a\ufffd (1)", "a\ufffd (2)"]),
    ],
)
def test_wide_names_show_where_they_differ(names: list[str], short: list[str]) -> None:
    assert list(canvas.distinct_names(names, 0.8).values()) == short


@pytest.mark.parametrize("inches", [0.3, 0.8, 1.5])
def test_short_names_are_distinct(inches: float) -> None:
    letters = [f"{'x' * 40}{number:02}{'y' * 40}-{number % 3}" for number in range(25)]
    words = [f"runs/bert-base-german-cased-{size}-lr{rate}/{seed}" for size in "ab" for rate in "12" for seed in "345"]
    for names in (letters, words, ["x" * 60, "x" * 61], ["人" * 40, "人" * 39 + "地"]):
        short = canvas.distinct_names(names, inches)
        assert len(set(short.values())) == len(names)


# What cannot be drawn


@pytest.mark.parametrize(
    ("kind", "options", "sentence"),
    [
        ("pie", {}, "Unknown figure 'pie'; choose one of errors, confusion, slices, comparison, ranks."),
        ("ranks", {}, "The figure 'ranks' comes from evenhand.rank; this result has errors and confusion and slices."),
        ("confusion", {"counts": True}, "counts has no effect on the figure 'confusion'; remove it."),
        ("errors", {"correct": True}, "correct has no effect on the figure 'errors'; remove it."),
        ("errors", {"systems": "crf"}, "systems has no effect on the figure 'errors'; remove it."),
        ("confusion", {"systems": ["crf", "no"]}, "Unknown system 'no'; choose from gazetteer, crf, tagger."),
        ("errors", {"path": "figure.jpg"}, "Unsupported figure format 'figure.jpg'. Use .svg, .pdf or .png."),
        ("errors", {"width": 0}, "The width is 0 inches; it must be from 1 to 100."),
        ("errors", {"height": 1e9}, "The height is 1e+09 inches; it must be from 1 to 100."),
        ("errors", {"width": 1, "height": 1}, "1 x 1 inches are too small for this figure; make it larger."),
    ],
)
def test_what_is_refused(results: dict[str, eh.Results], kind: str, options: dict, sentence: str) -> None:
    with pytest.raises(eh.SettingError) as error:
        results["spans"].plot(kind, **options)
    assert str(error.value) == sentence


def test_chains_have_no_confusion(results: dict[str, eh.Results]) -> None:
    with pytest.raises(eh.SettingError, match=r"Chains have no labels to confuse; draw the figure errors instead\."):
        results["chains"].plot("confusion")


@pytest.mark.parametrize(
    ("task", "match", "kind", "needed"),
    [
        ("spans", "exact", "errors", "the measure fair"),
        ("spans", "exact", "confusion", "the measure fair"),
        ("trees", "las", "errors", "the score uas"),
        ("trees", "las", "confusion", "the measure ls"),
        ("chains", "mela", "errors", "the scores arcs_any and arcs_nom"),
    ],
)
def test_figures_say_which_scores_they_take(task: str, match: str, kind: str, needed: str) -> None:
    gold, systems = files(task)
    with pytest.raises(eh.SettingError, match=needed):
        eh.score(gold, systems[0], match=match).plot(kind)


def test_more_than_four_matrices_are_too_many() -> None:
    gold, systems = files("spans")
    results = eh.score(gold, {str(number): systems[0] for number in range(5)})
    with pytest.raises(eh.SettingError, match="the matrices of at most 4 systems, and there are 5; name some"):
        results.plot("confusion")
    assert len(results.plot("confusion", systems=["0", "4"]).axes) == 2


def test_without_matplotlib_there_is_a_sentence(
    results: dict[str, eh.Results], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(eh.SettingError) as error:
        results["spans"].plot("errors")
    assert str(error.value) == "Figures need matplotlib: pip install 'evenhand[plot]'"


def test_outliers_are_triangles_at_the_edge_and_do_not_squeeze_the_axis(data: Path) -> None:
    """Hammerton's network has 60.15 points, 16 less than the next of the 15 others (Tjong Kim Sang and De Meulder)."""
    folder = data / "conll2003"
    systems = sorted((folder / "systems").glob("*.tags"))
    ranks = eh.rank(folder / "gold.testb.tags", systems, trials=0, resamples=20).plot("ranks")
    assert outliers(ranks.axes[0]) == ["60.15"]
    assert [len(outliers(axes)) for axes in ranks.axes] == [1] * 4
    assert ranks.axes[0].get_xlim()[0] > 70
    changes = eh.compare(folder / "gold.testb.tags", systems, trials=0, resamples=20).plot("comparison")
    assert [line.get_marker() for line in changes.axes[-1].lines].count(CARETLEFT) == 1
    assert "−16.67" in texts(changes)
    assert changes.axes[-1].get_xlim()[0] > -5
    assert [len(rows(figure.axes[0])) for figure in (ranks, changes)] == [16, 15]


def outliers(axes: Any) -> list[str]:
    """The values at the left edge."""
    assert [line.get_marker() for line in axes.lines].count(CARETLEFT) == 1
    return [text.get_text() for text in axes.texts if "." in text.get_text()]


@pytest.mark.parametrize(
    ("values", "usual"),
    [
        ([0.9, 0.5], (0.5, 0.9)),  # too few to tell
        ([0.90, 0.90, 0.90, 0.901, 0.899], (0.899, 0.901)),  # less than two points apart
        ([0.92, 0.91, 0.90, 0.89, 0.88, 0.67], (0.88, 0.92)),
        ([0.9, 0.7, 0.5, 0.3, 0.1], (0.1, 0.9)),
        ([], (0.0, 1.0)),
    ],
)
def test_axes_leave_out_outliers(values: list[float], usual: tuple[float, float]) -> None:
    assert canvas.axis_limits((value, None) for value in values) == usual


def test_axes_have_room_for_intervals() -> None:
    """A value is not an outlier if it is less than three widths of an interval away from the others."""
    narrow, wide = (
        [(value, (value - width, value + width)) for value in (0.92, 0.91, 0.90, 0.89, 0.88, 0.67)]
        for width in (0.01, 0.05)
    )
    assert canvas.axis_limits(narrow) == (0.87, 0.93)
    assert canvas.axis_limits(wide) == pytest.approx((0.62, 0.97))
    assert canvas.axis_limits([*narrow, (float("nan"), None)]) == (0.87, 0.93)
