"""The table of errors: systems in the header, marks with short verdicts, units in their contexts, sorted as asked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import evenhand as eh
from evenhand.report.html import unit_data
from pages import QUICK, Open, choose, count, follow, fragment_of, go, status

NAMES = [f"a-parser-with-a-long-name-that-was-trained-on-corpus-{number}" for number in range(1, 6)]


def texts(page: Any, selector: str) -> list[str]:
    found: list[str] = page.locator(selector).all_inner_texts()
    return found


@pytest.fixture(scope="module")
def long_names(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Five systems with long names."""
    path = tmp_path_factory.mktemp("names") / "page.html"
    trees = Path(eh.__file__).parent / "examples" / "trees"
    files = ("rules", "transition", "neural", "transition", "rules")
    systems = {name: trees / f"{file}.conllu" for name, file in zip(NAMES, files, strict=True)}
    eh.report(trees / "gold.conllu", systems, **QUICK).to_html(path)
    return path


def test_only_errors_are_shown_unless_all_are_asked_for(
    open_page: Open, example_pages: dict[str, Path], example_reports: dict[str, eh.Report]
) -> None:
    size = len(unit_data(example_reports["spans"])["sentence"])
    page = open_page(example_pages["spans"])
    assert page.input_value("[name=right]") == "=0"
    errors = count(page)
    choose(page, "right", label="right units")
    assert 0 < count(page) < size
    choose(page, "right", label="all units")
    assert status(page) == f"{size} of {size} units"
    follow(page, lambda: page.keyboard.press("Escape"))
    assert 0 < errors == count(page) < size


def test_systems_stand_in_the_header_and_marks_in_the_cells(open_page: Open, example_pages: dict[str, Path]) -> None:
    page = open_page(example_pages["spans"], "#units?system=crf&kind=LE")
    assert texts(page, "#head .name") == ["tagger", "crf", "gazetteer"]
    assert all(text.startswith("✗ LE ") for text in texts(page, "#list .unit .verdict:nth-child(7)"))
    go(page, "#units?system=crf&kind=TP")
    assert set(texts(page, "#list .unit .verdict:nth-child(7)")) == {"✓"}
    assert page.get_attribute("#list .unit .verdict:nth-child(7) .mark", "aria-label") == "right"


def test_a_unit_stands_in_its_context(open_page: Open, example_pages: dict[str, Path]) -> None:
    page = open_page(example_pages["tags"], "#units?right=any")
    sentence = " ".join(texts(page, "#detail .token"))
    before, words, after = (page.inner_text(f"#unit-1 .{name}") for name in ("before", "words", "after"))
    assert before
    assert sentence.startswith(f"{before} {words} {after}"[:40])


def test_what_follows_stands_on_the_left_in_a_script_from_right_to_left(open_page: Open, tmp_path: Path) -> None:
    words = ["زار", "محمد", "القاهرة", "أمس"]
    for name, tag in (("gold", "B-LOC"), ("system", "O")):
        rows = "".join(f"{word} {tag if at == 2 else 'O'}\n" for at, word in enumerate(words))
        (tmp_path / f"{name}.conll").write_text(rows + "\n", "utf-8")
    eh.report(tmp_path / "gold.conll", tmp_path / "system.conll", **QUICK).to_html(tmp_path / "page.html")
    page = open_page(tmp_path / "page.html")
    assert [page.inner_text(f"#unit-0 .{name}") for name in ("before", "words", "after")] == [
        words[3],
        words[2],
        f"{words[0]} {words[1]}",
    ]


@pytest.mark.parametrize(
    ("width", "scheme"), [(1440, "light"), pytest.param(1024, "dark", marks=pytest.mark.long), (390, "light")]
)
def test_long_names_hide_no_verdict(open_page: Open, long_names: Path, width: int, scheme: str) -> None:
    """Each of the five marks is in sight, and none of the columns is narrower than its mark."""
    page = open_page(long_names, "#units", viewport={"width": width, "height": 900}, color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    right = page.locator("#list").bounding_box()
    for mark in page.locator("#unit-0 .mark, #unit-1 .mark").all():
        box, around = mark.bounding_box(), mark.locator("..").bounding_box()
        assert right["x"] <= box["x"]
        assert box["x"] + box["width"] <= min(right["x"] + right["width"], around["x"] + around["width"])
    assert page.locator("#unit-0 .mark").count() == 5
    names = "".join(page.inner_text("#letters" if width == 390 else "#head").split())
    assert all(name in names for name in NAMES)
    cut = "each.scrollHeight > each.clientHeight + 2 || each.scrollWidth > each.clientWidth + 1"
    names = "#head button, .all-systems tbody th, #letters"
    assert page.eval_on_selector_all(names, f"all => all.filter((each) => {cut}).length") == 0


def test_the_header_sorts(open_page: Open, example_pages: dict[str, Path]) -> None:
    page = open_page(example_pages["spans"])
    before = count(page)
    follow(page, lambda: page.click("#head .gold button"))
    assert "sort=gold" in fragment_of(page)
    assert page.get_attribute("#head .gold", "aria-sort") == "ascending"
    labels = texts(page, "#list .unit .gold")
    assert labels == sorted(labels, key=lambda label: label.replace("–", ""))
    follow(page, lambda: page.click("#head .verdict:nth-child(5) button"))
    marks = texts(page, "#list .unit .verdict:nth-child(7)")
    assert all(mark.startswith("✗") for mark in marks)
    assert count(page) == before


def test_where_systems_differ_most_comes_first(
    open_page: Open, example_pages: dict[str, Path], example_reports: dict[str, eh.Report]
) -> None:
    data = unit_data(example_reports["spans"])
    crf, tagger = data["systems"].index("crf"), data["systems"].index("tagger")
    different = [0] * len(data["sentences"])
    for unit, sentence in enumerate(data["sentence"]):
        different[sentence] += data["answer"][crf][unit] != data["answer"][tagger][unit]
    page = open_page(example_pages["spans"], "#units?from=crf&to=tagger&different=1")
    choose(page, "sort", label="most different first")
    first = page.inner_text("#detail .place")
    most = data["sentences"][different.index(max(different))]
    assert f"sentence {most['n']}," in first


@pytest.mark.long
def test_many_systems_have_columns_where_they_are_asked_for(open_page: Open, tmp_path: Path, example: Path) -> None:
    files = ("gazetteer", "crf", "tagger")
    systems = {f"{file}-{number}": example / f"{file}.conll" for file in files for number in range(3)}
    eh.report(example / "gold.conll", systems, **QUICK).to_html(tmp_path / "page.html")
    page = open_page(tmp_path / "page.html", "#units")
    assert texts(page, "#head .name") == ["tagger-0", "tagger-1", "tagger-2"]
    assert texts(page, "#head .solved") == ["right"]
    go(page, "#units?from=crf-1&to=gazetteer-2&different=1")
    assert texts(page, "#head .name") == ["crf-1", "gazetteer-2"]
