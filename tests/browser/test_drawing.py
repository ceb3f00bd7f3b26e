"""How a unit is drawn: entities, wrong arcs and ghosts, the sentence that stays, and text that wraps on a phone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import evenhand as eh
from conftest import ROOT
from pages import QUICK, TASKS, Open, go

PHONE = {"width": 390, "height": 844}
COPIED = """() => {
    getSelection().selectAllChildren(document.querySelector("#detail .grid-lanes, #detail .inline"));
    const event = new ClipboardEvent("copy", { clipboardData: new DataTransfer(), bubbles: true, cancelable: true });
    document.dispatchEvent(event);
    return event.clipboardData.getData("text/plain");
}"""


def coreference(path: Path, chains: list[str]) -> Path:
    rows = [f"doc 0 {at} w{at} NN * - - - - * {chain}" for at, chain in enumerate(chains)]
    path.write_text("#begin document (doc); part 000\n" + "\n".join(rows) + "\n\n#end document\n")
    return path


def bars(page: Any) -> list[list[tuple[int, str, str]]]:
    """For every lane the place, text and colour of its bars."""
    found = page.evaluate(
        """() => {
            const sides = [...document.querySelectorAll("#detail .side")].slice(1).map((node) => node.getBoundingClientRect());
            const all = [...document.querySelectorAll("#detail .bar")].map((node) => [node.getBoundingClientRect().top, Number(node.style.gridColumnStart) - 2, node.textContent, node.style.background]);
            return sides.map((box) => all.filter(([top]) => top >= box.top - 1 && top < box.bottom).map(([, ...bar]) => bar));
        }"""
    )
    return [sorted(tuple(bar) for bar in side) for side in found]


def test_one_entity_has_one_colour_on_all_lanes(open_page: Open, tmp_path: Path) -> None:
    gold = coreference(tmp_path / "gold.conll", ["(1)", "(2)", "(1)", "(2)", "(1)", "(3)", "(3)"])
    other = coreference(tmp_path / "other.conll", ["(7)", "(1)", "(7)", "(1)", "(5)", "(5)", "(7)"])
    eh.report(gold, other, **QUICK).to_html(tmp_path / "page.html")
    page = open_page(tmp_path / "page.html", "#units")
    lanes = bars(page)
    color = {text: shade for _, text, shade in lanes[0]}
    assert [text for _, text, _ in lanes[0]] == ["1", "2", "1", "2", "1", "3", "3"]
    assert [text for _, text, _ in lanes[1]] == ["1", "2", "1", "2", "3", "3", "1"], "chains 7, 1 and 5 of the file"
    assert all(color[text] == shade for _, text, shade in lanes[1])
    assert len(set(color.values())) == 3


def test_chains_that_are_no_entity_have_colours_of_their_own(open_page: Open, tmp_path: Path) -> None:
    gold = coreference(tmp_path / "gold.conll", ["(1)", "(1)", "(1)", "-", "-"])
    other = coreference(tmp_path / "other.conll", ["(1)", "(1)", "-", "(2)", "(2)"])
    eh.report(gold, other, **QUICK).to_html(tmp_path / "page.html")
    page = open_page(tmp_path / "page.html", "#units")
    entity, further = {bar[1:] for bar in bars(page)[1]}
    assert sorted(text for text, _ in (entity, further)) == ["+2", "1"]
    assert entity[1] != further[1]


def words(name: str, sentence: int) -> list[tuple[int, str]]:
    """Heads and relations of a sentence of the bundled trees, by a plain loop."""
    text = (ROOT / "src" / "evenhand" / "examples" / "trees" / f"{name}.conllu").read_text(encoding="utf-8")
    block = text.strip().split("\n\n")[sentence]
    rows = [line.split("\t") for line in block.splitlines() if line[0].isdigit()]
    return [(int(row[6]), row[7].partition(":")[0]) for row in rows if row[0].isdigit()]


def test_wrong_arcs_are_marked_and_gold_heads_are_ghosts(open_page: Open, example_pages: dict[str, Path]) -> None:
    page = open_page(example_pages["trees"], "#units?system=rules")
    gold, rules = words("gold", 0), words("rules", 0)
    heads = sum(mine[0] != theirs[0] for mine, theirs in zip(gold, rules, strict=True))
    relations = sum(mine[1] != theirs[1] for mine, theirs in zip(gold, rules, strict=True))
    counts = page.evaluate(
        """[...document.querySelectorAll("#detail svg.arcs")].slice(0, 2).map((lane) =>
            ["wrong", "wrong-label", "ghost"].map((name) => lane.getElementsByClassName(name).length))"""
    )
    assert counts == [[0, 0, 0], [heads, relations, heads]]
    assert heads > 1
    label = page.get_attribute("#detail svg.arcs >> nth=1", "aria-label")
    assert "and is cc of Crumble (wrong head)" in label
    assert "not: and is cc of Oat" in label
    dashes = "(name) => getComputedStyle(document.querySelector(`#detail .${name} .arc`)).strokeDasharray"
    assert "none" not in [page.evaluate(dashes, name) for name in ("wrong", "ghost")], "marked without colour, too"


def test_wrong_links_are_marked(open_page: Open, example_pages: dict[str, Path]) -> None:
    page = open_page(example_pages["relations"], "#units?right=any")
    marked = page.eval_on_selector_all(
        "#detail svg.arcs",
        "all => all.map((lane) => [...lane.querySelectorAll('.wrong text')].map((node) => node.textContent))",
    )
    assert marked == [[], ["lives_in", "ALB founded"], [], []]


def test_the_sentence_stays_while_lanes_scroll(open_page: Open, example_pages: dict[str, Path]) -> None:
    page = open_page(example_pages["trees"], "#units", viewport={"width": 1280, "height": 320})
    top = "document.querySelector('#detail .token').getBoundingClientRect().top - document.querySelector('.lanes').getBoundingClientRect().top"
    before = page.evaluate(top)
    assert (
        page.evaluate(
            "(() => { const lanes = document.querySelector('.lanes'); lanes.scrollTop = 100; return lanes.scrollTop; })()"
        )
        == 100
    )
    assert page.evaluate(top) == pytest.approx(before, abs=1)


@pytest.mark.parametrize("task", TASKS)
def test_text_wraps_with_inline_labels_on_a_phone(open_page: Open, example_pages: dict[str, Path], task: str) -> None:
    page = open_page(example_pages[task], "#units?right=any", viewport=PHONE)
    assert page.locator("#detail .grid-lanes").count() == 0
    assert page.locator("#detail .lanes").evaluate("node => node.scrollWidth <= node.clientWidth")
    texts = page.eval_on_selector_all(
        "#detail .inline:not(.link)",
        "all => all.map((side) => [...side.querySelectorAll('.token')].map((node) => node.textContent).join(' '))",
    )
    assert len(texts) == 4
    assert len(set(texts)) == 1
    assert page.locator("#detail .inline .chip").count() > 0


@pytest.mark.parametrize("viewport", [{"width": 1280, "height": 900}, pytest.param(PHONE, marks=pytest.mark.long)])
def test_copying_a_sentence_gives_the_sentence(
    open_page: Open, example_pages: dict[str, Path], viewport: dict[str, int]
) -> None:
    page = open_page(example_pages["spans"], "#units", viewport=viewport)
    assert page.evaluate(COPIED) == "Silver Gannet sails home to Lisbon"


def test_a_phone_that_is_turned_gets_lanes(open_page: Open, example_pages: dict[str, Path]) -> None:
    page = open_page(example_pages["spans"], "#units", viewport=PHONE)
    page.set_viewport_size({"width": 844, "height": 390})
    page.wait_for_selector("#detail .grid-lanes", state="attached")
    go(page, "#units?right=any")
    assert page.locator("#detail .inline").count() == 0
