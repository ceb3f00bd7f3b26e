"""The page of enhanced dependencies: units are edges, and all edges of a sentence are drawn."""

from __future__ import annotations

from pathlib import Path

import pytest

import evenhand as eh
from pages import QUICK, Open, go, wrong_links

pytestmark = pytest.mark.long

DEPS = {
    "gold": ("2:nsubj|5:nsubj", "0:root", "2:obl:in", "5:cc", "2:conj:and"),
    "one": ("2:nsubj", "0:root", "2:obl:on", "3:cc", "2:conj:and|4:dep"),
    "two": ("2:nsubj|4:nsubj", "0:root", "2:obl:in", "5:cc", "2:obl:and"),
}
ROWS = (("She", 2, "nsubj"), ("sat", 0, "root"), ("outside", 2, "obl"), ("and", 5, "cc"), ("read", 2, "conj"))


@pytest.fixture(scope="module")
def page_of_edges(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("edges")
    for name, deps in DEPS.items():
        lines = [
            "\t".join((str(at), form, "_", "X", "_", "_", str(head), relation, cell, "_"))
            for at, ((form, head, relation), cell) in enumerate(zip(ROWS, deps, strict=True), 1)
        ]
        (folder / f"{name}.conllu").write_text("\n".join(lines) + "\n\n")
    gold, *systems = (folder / f"{name}.conllu" for name in DEPS)
    eh.report(gold, systems, by="elas", **QUICK).to_html(folder / "page.html")
    return folder / "page.html"


def test_every_number_leads_to_as_many_edges(open_page: Open, page_of_edges: Path) -> None:
    page = open_page(page_of_edges)
    size, wrong = wrong_links(page, "td.number a")
    assert wrong == []
    assert size > 10


def test_all_edges_are_drawn(open_page: Open, page_of_edges: Path) -> None:
    page = open_page(page_of_edges)
    go(page, "#units?right=any")
    assert page.text_content("#status") == "7 of 7 units"
    go(page, "#units?system=one&kind=extra")
    assert page.text_content("#status").startswith("1 of 7 units")
    assert "not in the gold standard" in page.text_content("#detail")
    go(page, "#units?system=two&kind=wrong_head")
    assert page.text_content("#status").startswith("1 of 7 units")
    drawings = page.eval_on_selector_all("svg.arcs", "all => all.map((each) => each.getAttribute('aria-label'))")
    assert drawings[0] == (
        "gold: She is nsubj of sat; She is nsubj of read; sat is root; outside is obl:in of sat; and is cc of read; "
        "read is conj:and of sat"
    )
    assert "She is nsubj of and" in drawings[2]
    assert "of “and”" in page.text_content("#detail")
