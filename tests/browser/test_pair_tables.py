"""The tables of two systems, which a page makes of its units: those of the comparison, whichever pair is chosen."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import evenhand as eh
from pages import TASKS, Open, wrong_links

CHANGES = {"correction": "corrections", "new_error": "new errors", "changed_error": "changed errors"}
MADE = """() => [...document.querySelectorAll("#pair details")].map((part) => [
    part.querySelector("summary").textContent,
    [...part.querySelectorAll("tbody tr")].map((row) => [...row.children].map((cell) => cell.textContent)),
])"""


def choose(page: Any, before: str, after: str) -> dict[str, list[list[str]]]:
    """The tables by what their headings begin with."""
    page.select_option("#pair select >> nth=0", label=before)
    page.select_option("#pair select >> nth=1", label=after)
    return {heading.partition(":")[0]: rows for heading, rows in page.evaluate(MADE)}


@pytest.mark.parametrize("task", TASKS)
def test_counts_are_those_of_the_comparison(
    open_page: Open, example_pages: dict[str, Path], example_reports: dict[str, eh.Report], task: str
) -> None:
    comparison = example_reports[task].comparison
    assert comparison is not None
    page = open_page(example_pages[task])
    for pair in comparison.pairs.values():
        tables = choose(page, pair.before, pair.after)
        summaries = page.locator("#pair summary").all_text_contents()
        for kind, found in pair.classes.items():
            if found.count:
                said = f"{CHANGES[kind]}: {found.count:,} of {pair.different:,} ({100 * found.share:.2f} %)"
                assert said in summaries
                assert sum(int(row[-3]) for row in tables[CHANGES[kind]]) <= found.count
        assert f"{'−' if pair.delta < 0 else '+'}{abs(100 * pair.delta):.2f} points" in page.inner_text("#pair p")


def test_transitions_of_spans_both_ways(
    open_page: Open, example_pages: dict[str, Path], example_reports: dict[str, eh.Report]
) -> None:
    comparison = example_reports["spans"].comparison
    assert comparison is not None
    pair = comparison.pair("crf", "tagger")
    page = open_page(example_pages["spans"])
    tables = choose(page, "crf", "tagger")
    wanted = [[each.gold or "–", each.before, each.after, str(each.count)] for each in pair.corrections.transitions]
    assert sorted(row[:4] for row in tables["corrections"]) == sorted(wanted)
    turned = choose(page, "tagger", "crf")["new errors"]
    assert sorted(row[:4] for row in turned) == sorted([gold, b, a, n] for gold, a, b, n in wanted)
    assert wrong_links(page, "#pair a")[1] == []


def test_the_same_system_twice_has_no_tables(open_page: Open, example_pages: dict[str, Path]) -> None:
    page = open_page(example_pages["spans"])
    assert choose(page, "crf", "crf") == {}
    assert page.inner_text("#pair").endswith("Choose two systems.")
