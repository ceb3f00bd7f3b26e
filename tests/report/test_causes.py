"""The figures of slices, and the worst slices of a page."""

from __future__ import annotations

from pathlib import Path

import pytest

import evenhand as eh
from evenhand.report.figures.causes import _spread
from evenhand.report.html import unit_data
from evenhand.report.html.overview import worst_slices

NER = Path(eh.__file__).parent / "examples" / "ner"
GOLD, CRF, TAGGER, GAZETTEER = (NER / f"{name}.conll" for name in ("gold", "crf", "tagger", "gazetteer"))


def labels(axes) -> list[str]:
    return [label.get_text() for label in axes.get_yticklabels()]


def test_dots_are_error_rates_from_the_highest_to_the_lowest() -> None:
    causes = eh.causes(GOLD, CRF)
    axes = causes.plot().axes[0]
    rates = {row.slice: row.rates[0] for row in causes.slices}
    shown = labels(axes)
    assert [rates[name] for name in shown] == sorted((rates[name] for name in shown), reverse=True)
    assert {"label=MISC", "length=1"} <= set(shown)
    assert axes.lines[0].get_xdata()[0] == pytest.approx(100 * causes.wrong["crf"] / causes.size)


def test_slopes_join_the_error_rates_of_two_systems() -> None:
    causes = eh.causes(GOLD, TAGGER, CRF)
    axes = causes.plot().axes[0]
    first = next(row for row in causes.slices if row.slice == causes.found[0].slice)
    assert list(axes.lines[0].get_ydata()) == pytest.approx([100 * rate for rate in first.rates])
    assert [label.get_text() for label in axes.get_xticklabels()] == ["tagger", "crf"]


def test_labels_are_apart_and_in_order() -> None:
    assert _spread([1.0, 1.0, 5.0], 2.0, (-9, 9)) == [0.0, 2.0, 5.0]
    assert _spread([5.0, 1.0], 2.0, (-9, 9)) == [5.0, 1.0]
    assert _spread([1.0, 2.0, 3.0], 2.0, (-9, 9)) == [0.0, 2.0, 4.0]


def test_labels_stay_beside_the_axis() -> None:
    assert _spread([1.0, 1.0, 5.0], 2.0, (0, 9)) == [1.0, 3.0, 5.0]
    assert _spread([7.0, 9.0, 9.0], 2.0, (0, 9)) == [4.0, 6.0, 8.0]


def test_a_heat_map_has_the_differences_from_all_units() -> None:
    results = eh.score(GOLD, [CRF, TAGGER, GAZETTEER], slices="length", match="fair")
    axes = results.plot("slices").axes[0]
    assert labels(axes)[0] == f"length=1 ({results['crf'].slices['length']['1'].units})"
    assert all("length=4" not in label for label in labels(axes))  # fewer than 20 spans
    difference = 100 * (results["crf"].slices["length"]["1"]["fair"].f1 - results["crf"]["fair"].f1)
    assert axes.texts[0].get_text() == f"{difference:+.1f}".replace("-", "−")


def test_a_page_has_the_worst_slices_and_their_units() -> None:
    report = eh.report(GOLD, [CRF, TAGGER], trials=0, resamples=0)
    worst = worst_slices(report)
    (line,) = worst["crf"]
    assert (line["title"], line["count"], line["inside"], line["outside"]) == ("label=MISC", "33", "56.9", "33.3")
    assert line["href"] == "#units?system=crf&right=0&slice=label%3DMISC"
    assert line["examples"][0]["words"] == "Silver Gannet"
    assert worst["tagger"] == []
    slices = [name for name, *_ in unit_data(report)["slices"]]
    assert slices == ["length", "sentence-length", "document"], "those of every page; labels need no further column"


def test_pages_of_few_documents_and_of_other_tasks_have_no_worst_slices() -> None:
    trees = NER.parent / "trees"
    report = eh.report(trees / "gold.conllu", trees / "neural.conllu", trials=0, resamples=0)
    assert (report.causes, report.attributes) == ({}, {})
    assert 'id="worst-slices"' not in report.to_html()
    html = eh.report(GOLD, CRF, trials=0, resamples=0).to_html()
    assert "This shows where the system fails, not why." in html
