"""Relations in a page: arguments as bars, relations as arcs with the verdict on the one that a unit is about."""

from __future__ import annotations

from pathlib import Path

from pages import Open


def test_arguments_types_and_verdicts_are_drawn(open_page: Open, example_pages: dict[str, Path]) -> None:
    page = open_page(example_pages["relations"], "#units?system=joint&kind=DE")
    assert page.text_content("#status").startswith("1 of ")
    assert page.locator(".arcs").count() == 4  # gold standard and three systems
    assert page.locator("#detail dd").first.text_content() == "Bergen → Norway"
    own = page.locator(".arcs .here text").all_text_contents()
    assert own[0] == "located_in"
    assert "DE located_in" in own
    names = page.locator(".arcs").evaluate_all("nodes => nodes.map((node) => node.getAttribute('aria-label'))")
    assert names[0] == "gold: Bergen located_in Norway"
    assert names[-1] == "joint: Norway DE located_in Bergen (wrong)"
    assert page.locator(".bar.here").count() >= 4


def test_missing_relations_have_no_arc_under_the_system(open_page: Open, example_pages: dict[str, Path]) -> None:
    page = open_page(example_pages["relations"], "#units?system=rules&kind=AM")
    svg = page.locator(".arcs").nth(1)
    assert svg.locator(".here").count() == 0
    assert page.locator(".arcs").nth(0).locator(".here").count() == 1
