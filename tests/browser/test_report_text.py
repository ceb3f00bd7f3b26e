"""Text from the data in a page: it never becomes markup, and it can be read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import evenhand as eh
from pages import QUICK, Open, choose, count, follow, status

NASTY = (
    "<script>alert(1)</script>",
    "]]>",
    "</script>",
    "{{x}}",
    "<img/src=x/onerror=alert(1)>",
    "<!--",
    "&amp;",
    "\u202eevil",
    "שלום",
    "a\x01b",
    "c\x1b[31md",
)


def shown(text: str) -> str:
    return text.replace("\x01", "\\x01").replace("\x1b", "\\x1b").replace("\u202e", "\\u202e")


def columns(path: Path, tags: list[str]) -> Path:
    lines = [f"{token}\t{tag}" for token, tag in zip(NASTY, tags, strict=True)]
    path.write_text("\n".join(lines) + "\n\n", encoding="utf-8", newline="\n")
    return path


@pytest.fixture
def nasty(tmp_path: Path) -> Path:
    """A page whose words, labels, systems and title are markup, one label a word."""
    gold = columns(tmp_path / "gold.conll", [f"B-{token}" for token in NASTY])
    wrong = [f"B-{token}" for token in (*NASTY[1:], NASTY[0])]
    sides = {name: columns(tmp_path / f"{number}.conll", wrong) for number, name in enumerate(NASTY)}
    path = tmp_path / "page.html"
    eh.report(gold, sides, title=" ".join(NASTY), format="conll", encoding="iob2", **QUICK).to_html(path)  # type: ignore[arg-type]
    return path


@pytest.fixture
def elements() -> str:
    return "['script', 'img', 'style', 'iframe'].map((name) => document.getElementsByTagName(name).length)"


def test_markup_is_shown_as_text(open_page: Open, nasty: Path, elements: str) -> None:
    page = open_page(nasty, "#units")
    assert page.evaluate(elements) == [2, 0, 1, 0]
    assert page.text_content("h1") == page.title() == shown(" ".join(NASTY))
    tokens = page.eval_on_selector_all("#detail .token", "nodes => nodes.map((node) => node.textContent)")
    assert tokens == [shown(token) for token in NASTY]
    bars = page.eval_on_selector_all("#detail .bar", "nodes => nodes.map((node) => node.textContent)")
    assert set(bars) == {shown(token) for token in NASTY}
    names = page.eval_on_selector_all("#detail .side", "nodes => nodes.map((node) => node.textContent)")
    assert names == ["", "gold", *(shown(token) for token in NASTY)]


@pytest.mark.long
def test_names_that_are_markup_can_be_filtered_by(open_page: Open, nasty: Path, elements: str) -> None:
    page = open_page(nasty, "#units")
    for number in range(1, len(NASTY) + 1):
        choose(page, "system", index=number)
        choose(page, "gold", label=shown(NASTY[number - 1]))
        assert count(page) == 1
    page.fill("[name=text]", "<script>alert(1)")
    assert count(page) == 1
    follow(page, lambda: page.keyboard.press("Escape"))
    assert page.evaluate(elements) == [2, 0, 1, 0]


def test_documents_are_named_as_text(open_page: Open, tmp_path: Path) -> None:
    for name, chain in (("gold", "(1"), ("system", "(2")):
        rows = [
            f"<b>x</b> 0 {at} <i>{at}</i> NN * - - - - * {mark}" for at, mark in enumerate((f"{chain})", f"{chain})"))
        ]
        text = "#begin document (<b>x</b>); part 000\n" + "\n".join(rows) + "\n\n#end document\n"
        (tmp_path / f"{name}.conll").write_text(text)
    eh.report(tmp_path / "gold.conll", tmp_path / "system.conll", **QUICK).to_html(tmp_path / "page.html")
    page = open_page(tmp_path / "page.html", "#units")
    assert "document <b>x</b>" in page.text_content("#detail .place")
    assert page.evaluate("document.querySelectorAll('#units b').length") == 0


def bars(page: Any, side: int) -> list[tuple[str, float, float, float]]:
    """Text, left, right and top of the bars of a side (0: gold)."""
    evaluated = page.evaluate(
        """(side) => {
            const names = [...document.querySelectorAll("#detail .side")].slice(1).map((node) => node.getBoundingClientRect());
            const box = names[side];
            return [...document.querySelectorAll("#detail .bar")].map((node) => [node.textContent, node.getBoundingClientRect()])
                .filter(([_, at]) => at.top >= box.top - 1 && at.bottom <= box.bottom + 1)
                .map(([text, at]) => [text, at.left, at.right, at.top]);
        }""",
        side,
    )
    return [tuple(bar) for bar in evaluated]


def record(path: Path, spans: list[tuple[str, int, int]], **content: Any) -> Path:
    given = [{"label": label, "start": start, "end": end} for label, start, end in spans]
    path.write_text(json.dumps({**content, "spans": given}) + "\n")
    return path


def test_nested_spans_are_stacked_and_crossing_ones_in_lanes(open_page: Open, tmp_path: Path) -> None:
    text = "The University of Porto Alegre rowing club won."
    gold = record(tmp_path / "gold.jsonl", [("ORG", 4, 42), ("ORG", 4, 30), ("LOC", 18, 30)], text=text)
    system = record(tmp_path / "system.jsonl", [("ORG", 4, 30), ("ORG", 18, 42)], text=text)
    eh.report(gold, system, **QUICK).to_html(tmp_path / "page.html")
    page = open_page(tmp_path / "page.html", "#units")
    nested, crossing = bars(page, 0), bars(page, 1)
    assert [bar[0] for bar in nested] == ["ORG", "ORG", "LOC"]
    assert len({bar[3] for bar in nested}) == 3
    assert nested[0][2] > nested[1][2] == pytest.approx(nested[2][2], abs=1)
    assert len({bar[3] for bar in crossing}) == 2
    assert crossing[0][1] < crossing[1][1] < crossing[0][2] < crossing[1][2]
    tokens = page.eval_on_selector_all("#detail .token", "nodes => nodes.map((node) => node.textContent)")
    assert "".join(tokens) == text


def test_gaps_are_visible(open_page: Open, tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("left and right arms hurt")
    (tmp_path / "text.ann").write_text("T1\tPART 0 4;15 19\tleft arms\n")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "text.txt").write_text("left and right arms hurt")
    (tmp_path / "other" / "text.ann").write_text("T1\tPART 9 19\tright arms\n")
    eh.report(tmp_path / "text.ann", tmp_path / "other" / "text.ann", **QUICK).to_html(tmp_path / "page.html")
    page = open_page(tmp_path / "page.html", "#units")
    tokens, gaps = (
        page.eval_on_selector_all(f"#detail {name}", "nodes => nodes.map((node) => node.getBoundingClientRect().left)")
        for name in (".token", ".gap")
    )
    assert gaps == pytest.approx(tokens[1:3], abs=1), "and, right"


def test_a_long_text_is_drawn_around_the_unit(open_page: Open, tmp_path: Path) -> None:
    text = " ".join(f"w{number}" for number in range(3000))
    start = text.index("w1500")
    gold = record(tmp_path / "gold.jsonl", [("X", start, start + 5), ("Y", 0, len(text))], text=text)
    eh.report(gold, record(tmp_path / "system.jsonl", [], text=text), **QUICK).to_html(tmp_path / "page.html")
    page = open_page(tmp_path / "page.html", "#units?gold=X")
    assert status(page).startswith("1 of 2")
    tokens = page.eval_on_selector_all("#detail .token", "nodes => nodes.map((node) => node.textContent)")
    assert (len(tokens), tokens[0], tokens[-1]) == (400, "…", "…")
    assert page.text_content("#detail .token.here").strip() == "w1500"
    assert page.eval_on_selector_all("#detail .bar.cut-left.cut-right", "nodes => nodes.length") == 1


def test_a_file_without_text_has_bars(open_page: Open, tmp_path: Path) -> None:
    (tmp_path / "gold.tsv").write_text("PER\t1\t2\nLOC\t5\t5\n\n")
    (tmp_path / "system.tsv").write_text("PER\t1\t3\n\n")
    eh.report(tmp_path / "gold.tsv", tmp_path / "system.tsv", format="spans", **QUICK).to_html(tmp_path / "page.html")
    page = open_page(tmp_path / "page.html", "#units")
    assert [bar[0] for bar in bars(page, 0)] == ["PER", "LOC"]


def test_arcs_of_every_side(open_page: Open, example_pages: dict[str, Path]) -> None:
    page = open_page(example_pages["trees"], "#units?system=neural")
    words = page.eval_on_selector_all("#detail .token", "nodes => nodes.length")
    arcs = page.eval_on_selector_all(
        "#detail svg", "nodes => nodes.map((node) => node.querySelectorAll('g:not(.ghost) .arc').length)"
    )
    assert arcs == [words] * 4
    assert page.eval_on_selector_all("#detail g.here:not(.ghost):has(.arc)", "nodes => nodes.length") == 4


def test_colours_of_chains(open_page: Open, example_pages: dict[str, Path]) -> None:
    page = open_page(example_pages["chains"], "#units")
    colors = page.eval_on_selector_all(
        "#detail .bar", "nodes => nodes.map((node) => [node.textContent, node.style.background])"
    )
    by_chain = {chain: {color for name, color in colors if name == chain} for chain, _ in colors}
    assert len(by_chain) > 1
    assert all(len(found) == 1 for found in by_chain.values())
    assert len(set.union(*by_chain.values())) == len(by_chain)
