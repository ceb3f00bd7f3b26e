"""Pages for everybody: no violation that axe-core finds, all that scrolls has the focus, and filters are near."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import evenhand as eh
from conftest import ROOT
from evenhand.tasks.registry import TASKS
from pages import STUCK, VIOLATIONS, WIDTHS, Open, axe

PAGES = [name if name == "spans" else pytest.param(name, marks=pytest.mark.long) for name in TASKS]
VIEWS = [
    pytest.param(
        *(name, viewport, scheme),
        marks=[] if (name, viewport["width"], scheme) == ("spans", 390, "dark") else pytest.mark.long,
        id=f"{name}-{viewport['width']}-{scheme}",
    )
    for name in TASKS
    for viewport in WIDTHS
    for scheme in ("light", "dark")
]
"""Eight pages, two widths, two themes; axe takes seconds for each."""
EXAMPLES = ROOT / "src" / "evenhand" / "examples"
NER = EXAMPLES / "ner"
GOLD, CRF, TAGGER = (NER / f"{name}.conll" for name in ("gold", "crf", "tagger"))
FEW: dict[str, Any] = {"trials": 20, "resamples": 20}


def of_one_system(task: str) -> Any:
    example = TASKS[task].example
    folder = EXAMPLES / example.folder
    return eh.report(folder / example.gold, folder / example.systems[0], task=task, **FEW)


def of_many_systems() -> Any:
    return eh.report(GOLD, {f"system {number}": (CRF, TAGGER)[number % 2] for number in range(16)}, **FEW)


OTHERS: dict[str, Callable[[], Any]] = {
    **{f"one-{task}": partial(of_one_system, task) for task in TASKS},
    "sixteen": of_many_systems,
    "leak": lambda: eh.report(
        EXAMPLES / "letters" / "gold.jsonl", EXAMPLES / "letters" / "model.jsonl", by="leak", **FEW
    ),
    "grounding": lambda: eh.report(GOLD, [NER / "prompted.jsonl", CRF], **FEW),
    "scored": lambda: eh.report(GOLD, NER / "scored.jsonl", **FEW),
    "slices": lambda: eh.report(GOLD, [CRF, TAGGER], slices=["capitals", "frequency", "neighbour"], **FEW),
    "comparison": lambda: eh.compare(GOLD, [CRF, TAGGER], **FEW),
    "agreement": lambda: eh.agree([CRF, TAGGER, GOLD], resamples=20),
    "suspects": lambda: eh.suspects(NER / "draft.conll", [CRF, TAGGER], first=12),
    "confidence": lambda: eh.confidence(GOLD, NER / "scored.jsonl", by_label=True, resamples=20),
}
"""Other pages than those of three systems."""
COMMANDS = {
    "score": f"score {GOLD} {CRF} {TAGGER}",
    "rank": f"rank {GOLD} {CRF} {TAGGER} --trials 20 --resamples 20",
    "gate": f"gate {GOLD} {CRF} {TAGGER}",
}
"""Commands whose tables can be written as a page without a script."""
OPENED = "document.querySelectorAll('details').forEach((part) => { part.open = true; })"


@pytest.mark.parametrize(("name", "viewport", "scheme"), VIEWS)
def test_axe_finds_no_violation(
    open_page: Open, example_pages: dict[str, Path], name: str, viewport: dict[str, int], scheme: str
) -> None:
    page = open_page(example_pages[name], "#units", viewport=viewport, color_scheme=scheme)
    page.evaluate(OPENED)
    page.evaluate(axe())
    assert page.evaluate(VIOLATIONS) == []


@pytest.mark.long
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_violation_in_a_leak_page(open_page: Open, tmp_path: Path, scheme: str) -> None:
    """With many systems and long names."""
    folder = ROOT / "src" / "evenhand" / "examples" / "ner"
    files = [folder / f"{name}.conll" for name in ("gazetteer", "crf", "tagger")]
    systems = {f"a-system-with-a-very-long-name-and-seed-{at:02}": files[at % 3] for at in range(22)}
    eh.report(folder / "gold.conll", systems, by="leak", trials=0, resamples=20).to_html(tmp_path / "page.html")
    page = open_page(tmp_path / "page.html", viewport=WIDTHS[1], color_scheme=scheme)
    page.evaluate("document.querySelectorAll('#overview details').forEach((part) => { part.open = true; })")
    page.evaluate("document.querySelector('#systems > details').open = true")
    page.evaluate(axe())
    assert page.evaluate(VIOLATIONS) == []
    assert page.evaluate(STUCK) == []


@pytest.mark.long
@pytest.mark.parametrize("name", OTHERS)
def test_axe_finds_no_violation_in_other_pages(open_page: Open, tmp_path: Path, name: str) -> None:
    """Each at both widths, one light and one dark."""
    OTHERS[name]().to_html(tmp_path / "page.html")
    for viewport, scheme in zip(WIDTHS, ("light", "dark"), strict=True):
        page = open_page(tmp_path / "page.html", viewport=viewport, color_scheme=scheme)
        page.evaluate(OPENED)
        page.evaluate(axe())
        assert page.evaluate(VIOLATIONS) == [], scheme
        assert page.evaluate(STUCK) == []
        assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"), viewport


@pytest.mark.long
@pytest.mark.parametrize("name", COMMANDS)
def test_axe_finds_no_violation_in_tables_of_commands(browser: Any, tmp_path: Path, name: str) -> None:
    command = [sys.executable, "-m", "evenhand", *COMMANDS[name].split(), "--as", "html"]
    subprocess.run([*command, "-o", str(tmp_path / "page.html")], check=True, capture_output=True)
    for scheme in ("light", "dark"):
        page = browser.new_page(viewport=WIDTHS[1], color_scheme=scheme)
        page.goto((tmp_path / "page.html").as_uri())
        page.evaluate(axe())
        assert page.evaluate(VIOLATIONS) == [], scheme
        page.close()


@pytest.mark.long
def test_the_skip_link_of_an_agreement_leads_to_its_filters(open_page: Open, tmp_path: Path) -> None:
    eh.agree([CRF, TAGGER], resamples=20).to_html(tmp_path / "page.html")
    page = open_page(tmp_path / "page.html", "#places")
    page.evaluate("document.querySelector('.skip').click()")
    assert page.evaluate("document.activeElement.name") == "state"


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.long)])
def test_axe_finds_no_violation_in_suspects(open_page: Open, tmp_path: Path, scheme: str) -> None:
    folder = ROOT / "src" / "evenhand" / "examples" / "ner"
    systems = [folder / f"{name}.conll" for name in ("crf", "tagger")]
    eh.suspects(folder / "draft.conll", systems, first=12).to_html(tmp_path / "page.html")
    page = open_page(tmp_path / "page.html", viewport=WIDTHS[1], color_scheme=scheme)
    for key in ("j", "a", "r", "u"):
        page.keyboard.press(key)
    page.evaluate(axe())
    assert page.evaluate(VIOLATIONS) == []
    assert page.evaluate(STUCK) == []


@pytest.mark.parametrize("name", PAGES)
def test_all_that_scrolls_can_have_the_focus(open_page: Open, example_pages: dict[str, Path], name: str) -> None:
    page = open_page(example_pages[name], "#units", viewport=WIDTHS[1])
    page.evaluate(OPENED)
    assert page.evaluate(STUCK) == []


@pytest.mark.parametrize("name", PAGES)
def test_filters_are_reached_with_few_keys(open_page: Open, example_pages: dict[str, Path], name: str) -> None:
    page = open_page(example_pages[name])
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the filters"
    assert page.evaluate("document.activeElement.getBoundingClientRect().top >= 0"), "it is seen while it has the focus"
    page.keyboard.press("Enter")
    controls = page.eval_on_selector_all("#filters select, #filters input", "all => all.map((each) => each.name)")
    items = [page.evaluate("document.activeElement.name")]
    while len(items) < 7:
        page.keyboard.press("Tab")
        items.append(page.evaluate("document.activeElement.name ?? document.activeElement.textContent"))
    assert items == ["right", "system", "kind", "gold", "text", "", "More filters"], "the empty one is the button Clear"
    page.keyboard.press("Enter")
    while len(items) < len(controls) + 2:
        page.keyboard.press("Tab")
        items.append(page.evaluate("document.activeElement.name"))
    assert items[7:] == controls[5:]
    assert page.evaluate("location.hash") == "", "the view stays as it is"


def sizes(page: Any) -> dict[str, str]:
    """The sizes of texts in charts and drawings."""
    evaluated: dict[str, str] = page.evaluate(
        """Object.fromEntries([".parts > *", "#detail svg text"].map((name) => [name, getComputedStyle(document.querySelector(name)).fontSize]))"""
    )
    return evaluated


def test_texts_of_charts_have_fixed_sizes(open_page: Open, example_pages: dict[str, Path]) -> None:
    wide, small = ({"width": width, "height": 900} for width in (1440, 700))
    page = open_page(example_pages["relations"], "#units", viewport=wide)
    assert sizes(page) == {".parts > *": "12px", "#detail svg text": "11px"}
    page.set_viewport_size(small)
    assert sizes(page) == {".parts > *": "12px", "#detail svg text": "11px"}
    assert page.locator("svg[viewBox]").count() == 0, "nothing that is scaled has text"
