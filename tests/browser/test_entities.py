"""Entities on a page: coloured threads through key and response, rows, the map, and text without scripts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import evenhand as eh
from ada import ADA, CHARLES, HE, KEY, SHE, WORK, document
from pages import QUICK, Open

RESPONSE = [[ADA, SHE, CHARLES, HE], [WORK, (2, 3), (15, 16)]]
"""The first two entities are conflated, `her` and `his` are missing, `wrote` is invented, `machine` is a part of a span."""
PHONE = {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def page_of_ada(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ada")
    key, response = document(folder / "key.conll", KEY), document(folder / "response.conll", RESPONSE)
    eh.report(key, {"joined": response}, **QUICK).to_html(folder / "page.html")
    return folder / "page.html"


def marks(page: Any, side: str) -> list[tuple[str, str]]:
    """The number of every mention of a side with its colour."""
    found: list[list[str]] = page.evaluate(
        """(side) => [...document.querySelectorAll(`#document p[data-side=${side}] sup`)].map((node) => [node.textContent, node.className])""",
        side,
    )
    return [(text, color) for text, color in found]


def texts(page: Any, side: str, kind: str) -> str:
    """The tokens of a side with a class."""
    return " ".join(
        page.locator(f"#document p[data-side={side}] .tk.{kind}").evaluate_all(
            """(nodes) => nodes.map((node) => [...node.childNodes].filter((part) => part.nodeType === Node.TEXT_NODE).map((part) => part.data.trim()).join(""))"""
        )
    )


def token(page: Any, side: str, word: str) -> Any:
    return page.locator(f"#document p[data-side={side}] .tk", has_text=word).first


def test_mentions_of_the_response_have_the_colour_of_their_entity(open_page: Open, page_of_ada: Path) -> None:
    page = open_page(page_of_ada)
    key = [("1", "e1"), ("1", "e1"), ("2", "e2"), ("2", "e2"), ("3", "e3"), ("1", "e1"), ("3", "e3"), ("2", "e2")]
    assert marks(page, "key") == key
    assert marks(page, "response") == [
        *(("1", "e1"), ("+2", "e0"), ("1", "e1"), ("2", "e2"), ("2", "e2")),
        *(("1?", "e1"), ("3", "e3"), ("2?", "e2"), ("3", "e3")),
    ]


def test_a_thread_of_conflated_entities_has_two_colours(open_page: Open, page_of_ada: Path) -> None:
    page = open_page(page_of_ada)
    dots = """() => [...document.querySelectorAll("#document .pairrow")].flatMap((row) => [...row.lastElementChild.firstElementChild.children]).map((node) => node.className)"""
    assert page.evaluate(dots) == ["e1", "e1", "e2", "e2"]


def test_missing_mentions_are_dashed_and_invented_ones_hatched(open_page: Open, page_of_ada: Path) -> None:
    page = open_page(page_of_ada)
    assert texts(page, "response", "absent") == "her his"
    border = "(node) => getComputedStyle(node).borderBottomStyle"
    assert token(page, "response", "her").evaluate(border) == "dashed"
    image = "(node) => getComputedStyle(node).backgroundImage"
    assert token(page, "response", "wrote").evaluate(image).startswith("repeating-linear-gradient(135deg")
    assert token(page, "response", "Lovelace").evaluate(image).startswith("linear-gradient")


def test_a_corrected_span_has_a_double_bar_where_it_differs(open_page: Open, page_of_ada: Path) -> None:
    page = open_page(page_of_ada)
    assert texts(page, "key", "differs") == "his"
    style = "(node) => getComputedStyle(node).textDecorationStyle"
    assert page.locator("#document .tk.differs").evaluate(style) == "double"


def test_pointing_at_a_mention_highlights_its_chain_on_both_sides(open_page: Open, page_of_ada: Path) -> None:
    """In the response, the chain of the response; of nested mentions, the innermost."""
    page = open_page(page_of_ada)
    token(page, "key", "She").hover()
    assert texts(page, "key", "lit") == "Ada Lovelace She her"
    assert texts(page, "response", "lit") == "Ada Lovelace She her"
    token(page, "response", "He").hover()
    assert texts(page, "response", "lit") == texts(page, "key", "lit") == "Ada Lovelace She Charles Babbage He"
    his = token(page, "key", "his")
    his.hover(position={"x": his.bounding_box()["width"] - 8, "y": 10})  # beyond the numbers
    assert texts(page, "key", "lit") == "Charles Babbage He his"
    page.locator("h1").hover()
    assert texts(page, "key", "lit") == ""


def test_keys_move_along_the_chain_that_the_pointer_is_on_or_the_chosen_one(open_page: Open, page_of_ada: Path) -> None:
    page = open_page(page_of_ada)
    token(page, "key", "She").hover()
    page.keyboard.press("n")
    assert texts(page, "key", "now") == "her"
    page.keyboard.press("n")
    assert texts(page, "key", "now") == "Ada Lovelace"
    token(page, "key", "Charles").click()
    page.locator("h1").hover()
    page.keyboard.press("n")
    assert texts(page, "key", "now") == texts(page, "response", "now") == "He"
    page.keyboard.press("p")
    page.keyboard.press("p")
    assert texts(page, "key", "now") == "his"
    assert "chain=2&side=key" in page.url


def test_nested_mentions_are_stacked_underlines(open_page: Open, page_of_ada: Path) -> None:
    page = open_page(page_of_ada)
    style = token(page, "key", "his").evaluate("(node) => getComputedStyle(node).backgroundPosition")
    assert len(style.split(",")) == len({*style.split(", ")}) == 2


def test_rows_are_filtered_by_verdict_and_type(open_page: Open, page_of_ada: Path) -> None:
    page = open_page(page_of_ada)
    names = page.locator("#chains tbody td:first-child")
    assert sorted(names.all_inner_texts()) == ["Ada Lovelace", "Charles Babbage", "her work"]
    verdict, kind = (page.locator("#entity-controls select").nth(number) for number in (1, 2))
    kind.select_option("nominal")
    assert names.all_inner_texts() == ["her work"]
    kind.select_option("")
    verdict.select_option("span")
    assert names.all_inner_texts() == ["her work"]


def test_counts_of_error_types_open_as_many_errors(open_page: Open, page_of_ada: Path) -> None:
    page = open_page(page_of_ada)
    page.locator("#cost tr", has_text="missing mention").get_by_role("link").click()
    assert page.locator("#chains tbody td:first-child").all_inner_texts() == ["her", "his"]
    page.get_by_role("button", name="Show entities").click()
    assert page.locator("#chains tbody tr").count() == 3


def test_the_map_has_forty_rows_at_most(open_page: Open, tmp_path: Path) -> None:
    cells = [f"({number})" for number in range(45)] * 2
    rows = "".join(f"a 0 {at} w{at} NN * - - - - * {cell}\n\n" for at, cell in enumerate(cells))
    (tmp_path / "key.conll").write_text(f"#begin document (a); part 000\n{rows}#end document\n")
    nothing = rows.replace("(0)", "-")
    (tmp_path / "response.conll").write_text(f"#begin document (a); part 000\n{nothing}#end document\n")
    eh.report(tmp_path / "key.conll", tmp_path / "response.conll", **QUICK).to_html(tmp_path / "page.html")
    page = open_page(tmp_path / "page.html")
    assert page.locator("#map g").count() == 40
    assert page.locator("#map g").first.locator("title").text_content() == "w0", "the most expensive one"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_page_of_entities_fits_a_phone(open_page: Open, page_of_ada: Path, scheme: str) -> None:
    page = open_page(page_of_ada, viewport=PHONE, color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    sides = page.locator("#document .pairrow").first.locator("p")
    boxes = [sides.nth(number).bounding_box() for number in range(2)]
    assert boxes[0]["y"] + boxes[0]["height"] <= boxes[1]["y"] + 1, "the response is below the key"


def test_without_scripts_the_text_is_coloured_and_has_a_legend(browser: Any, page_of_ada: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(page_of_ada.as_uri())
    cells = page.locator("#entities table.threads tr").last.locator("td").all_inner_texts()
    color = "(node) => getComputedStyle(node).borderBottomColor"
    colors = [page.locator(f"table.threads .m.e{number}").first.evaluate(color) for number in (1, 2, 3)]
    legend, keys = page.locator(".key-of-threads").inner_text(), page.locator("#thread-keys").is_visible()
    context.close()
    assert cells == [
        "2[He] admired 3[1[her] work] and 3[2[his] machine] .",
        "2[He] admired 3[1?[her] work] and 2?[his] 3[machine] .",
    ]
    assert len({*colors}) == 3
    assert "dashed outline: missing" in legend
    assert not keys


def test_a_chosen_entity_has_its_partner_and_the_mentions_that_either_lacks(open_page: Open, page_of_ada: Path) -> None:
    page = open_page(page_of_ada, "#entities?system=joined&document=a_0&chain=3&side=key")
    assert page.locator("#thread").inner_text() == (
        "Entity 3 is aligned with chain 2 of the response (φ 0.40); missing: his machine; foreign: wrote | machine."
    )
