"""Reports in a browser: every number leads to its units, filters compose, addresses and keys work."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import evenhand as eh
from conftest import ROOT
from declared import EXAMPLES
from evenhand.report.html import unit_data
from evenhand.tasks import registry
from pages import (
    ALWAYS,
    QUICK,
    TASKS,
    Open,
    choose,
    count,
    follow,
    fragment_of,
    go,
    listed,
    selected,
    status,
    step_down,
    wrong_links,
)

NUMBERS = "td.number a, .parts a, #pair a, .slice-chart .number a, header p a"
"""The links of all numbers."""


def test_a_hundred_links_over_all_tasks(open_page: Open, example_pages: dict[str, Path]) -> None:
    """The same number of links of every page, evenly spread over it; `make test-long` follows all of them."""
    checked = 0
    for path in example_pages.values():
        size, wrong = wrong_links(open_page(path), NUMBERS, most=100 // len(example_pages) + 1)
        assert wrong == []
        checked += size
    assert checked >= 100


@pytest.mark.long
def test_five_hundred_links_over_all_tasks(
    open_page: Open, example_pages: dict[str, Path], one_system: dict[str, Path]
) -> None:
    checked = 0
    for path in (*example_pages.values(), *one_system.values()):
        size, wrong = wrong_links(open_page(path), NUMBERS, most=40)
        assert wrong == []
        checked += size
    assert checked >= 500


@pytest.mark.long
@pytest.mark.parametrize("task", list(registry.TASKS))
def test_every_number_leads_to_as_many_units(open_page: Open, example_pages: dict[str, Path], task: str) -> None:
    page = open_page(example_pages[task])
    size, wrong = wrong_links(page, NUMBERS)
    assert wrong == []
    assert size > 80


@pytest.fixture(scope="module")
def one_system(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """By task, the page of the first system of its example."""
    folder, pages = tmp_path_factory.mktemp("one"), dict[str, Path]()
    for task in registry.TASKS:
        example, pages[task] = registry.TASKS[task].example, folder / f"{task}.html"
        path = ROOT / "src" / "evenhand" / "examples" / example.folder
        eh.report(path / example.gold, path / example.systems[0], task=task, **QUICK).to_html(pages[task])
    return pages


UNLINKED = """() => [...document.querySelectorAll("main td.number")]
    .filter((cell) => /^[1-9][0-9,]*$/.test(cell.textContent.trim()))
    .filter((cell) => !cell.querySelector("a, .unlisted") && !cell.matches(".unlisted"))
    .map((cell) => `${cell.closest("table").querySelector("thead tr").textContent}: ${cell.parentNode.textContent}`)"""
"""Counts that look like totals, but are not links."""
UNLISTED = """() => [...new Set([...document.querySelectorAll("main td.unlisted, main .unlisted")]
    .filter((cell) => !cell.closest("#ranks, #other-errors, .other-measures"))
    .map((cell) => cell.closest("tr").cells[0].textContent))]"""
"""Counts of something else than units, by row: they are grey. Other measures have other errors than the page."""


@pytest.mark.parametrize("task", TASKS)
def test_every_count_is_a_link_or_grey(open_page: Open, example_pages: dict[str, Path], task: str) -> None:
    assert open_page(example_pages[task]).evaluate(UNLINKED) == []


@pytest.mark.parametrize("task", ["relations", "spans", "tags"])
def test_the_sentences_of_the_oracle_are_grey(open_page: Open, example_pages: dict[str, Path], task: str) -> None:
    page = open_page(example_pages[task])
    assert page.evaluate(UNLISTED) == ["sentences"]
    colours = "cell => getComputedStyle(cell).color"
    assert page.eval_on_selector("td.unlisted", colours) != page.eval_on_selector("td.number:not(.unlisted)", colours)


def test_the_units_of_the_gold_standard_are_a_link(open_page: Open, example_pages: dict[str, Path]) -> None:
    page = open_page(example_pages["spans"])
    link = page.locator("header p a")
    assert link.inner_text() == "285 spans"
    follow(page, link.click)
    assert count(page) == 285
    assert open_page(example_pages["chains"]).locator("header p a").count() == 0, "mentions without antecedents"


@pytest.mark.parametrize("task", TASKS)
def test_slices_lead_to_their_units(open_page: Open, example: Path, tmp_path: Path, task: str) -> None:
    """Scores on slices of several systems and of one, and the slices of the comparison."""
    folder, gold, systems = EXAMPLES[task]
    path = example.parent / folder
    slices = ["document"] if task == "records" else ["document", "sentence-length"]
    for number, chosen in enumerate((list(map(path.joinpath, systems)), path / systems[0])):
        report = eh.report(path / gold, chosen, task=task, slices=slices, **QUICK)  # type: ignore[arg-type]
        report.to_html(tmp_path / f"{number}.html")
        page = open_page(tmp_path / f"{number}.html")
        size, wrong = wrong_links(page, "#slices td.number a, [id*=Slice] td.number a")
        assert wrong == []
        assert size > 0 or task == "chains"  # whose scores count no units of the page
        assert page.evaluate(UNLINKED) == []


def headings(page: Any) -> list[str]:
    names: list[str] = page.locator("#slices h3").all_inner_texts()
    return names


SLICES = {
    "spans": ["label, the most frequent first: F1", "length", "sentence-length", "document"],
    "tags": ["tag, the most frequent first: F1", "sentence-length"],
    "trees": ["relation, the most frequent first: F1", "sentence-length", "document"],
    "chains": ["document"],
    "relations": ["type, the most frequent first: F1", "length", "sentence-length"],
    "links": ["label, the most frequent first: F1", "document"],
    "constituents": ["label, the most frequent first: F1", "length", "sentence-length"],
    "records": ["field, the most frequent first: F1"],
}
"""The slices of every page: its example has one document, or more than 20, if `document` is not among them."""


@pytest.mark.parametrize(
    "task", [task if task in ("spans", "chains") else pytest.param(task, marks=pytest.mark.long) for task in SLICES]
)
def test_a_page_has_slices_by_label_length_and_document(
    open_page: Open, example_pages: dict[str, Path], task: str
) -> None:
    page = open_page(example_pages[task])
    assert headings(page) == SLICES[task]
    size, wrong = wrong_links(page, ".slice-chart .number a")
    assert wrong == []
    assert size > 3 or task == "chains"


def test_slices_of_spans(open_page: Open, example_pages: dict[str, Path]) -> None:
    """285 spans: names lead to the errors of the best system, numbers to gold units."""
    page = open_page(example_pages["spans"])
    charts = page.locator("#slices .slice-chart")
    assert charts.nth(0).locator("li > a").all_inner_texts() == ["LOC", "PER", "MISC", "ORG"]
    assert charts.nth(0).locator(".number").all_inner_texts() == ["102", "72", "57", "54"]
    assert charts.nth(1).locator(".number").all_inner_texts() == ["147", "73", "46", "15", "4"]
    assert charts.nth(1).locator("li").nth(3).get_attribute("title") == "tagger 88.89, crf 0.00, gazetteer 12.50"
    follow(page, charts.nth(1).locator("li > a").nth(3).click)
    assert fragment_of(page) == "#units?system=tagger&right=0&slice=length%3D4"
    assert page.text_content("#slices .slice-legend").endswith("Line: tagger on all units. Numbers: gold spans.")
    assert page.locator("#slice-tables[open]").count() == 0


def test_rank_correlations_of_many_measures_are_those_with_the_measure_of_the_page(
    open_page: Open, example_pages: dict[str, Path]
) -> None:
    page = open_page(example_pages["constituents"])
    rows = page.locator("#ranks table").last.locator("tbody th").all_text_contents()
    assert len(rows) == 10
    assert all("labeled-all" in row.split(" and ") for row in rows)


def test_rare_labels_are_only_in_the_tables(open_page: Open, example_pages: dict[str, Path]) -> None:
    page = open_page(example_pages["trees"])
    chart = page.locator("#slices .slice-charts > div").first
    assert chart.locator("li").count() == 20
    assert chart.locator(".remark").inner_text() == "9 more in the tables"


def test_many_documents_are_no_slices_unless_requested(open_page: Open, tmp_path: Path) -> None:
    for name in ("gold", "one"):
        blocks = [f"-DOCSTART- O\n\nAda B-{'PER' if at % 2 or name == 'gold' else 'LOC'}\n\n" for at in range(30)]
        (tmp_path / f"{name}.conll").write_text("".join(blocks))
    for number, options in enumerate(({}, {"slices": "document"})):
        report = eh.report(tmp_path / "gold.conll", tmp_path / "one.conll", **options, **QUICK)  # type: ignore[arg-type]
        report.to_html(tmp_path / f"{number}.html")
    page = open_page(tmp_path / "0.html")
    assert page.locator("#slices").count() == 0, "one label, one length, thirty documents"
    page.evaluate("document.querySelector('#more-filters').open = true")
    assert page.locator("[name=slice] option").count() == 0 or "document" not in page.inner_text("[name=slice]")
    page = open_page(tmp_path / "1.html")
    assert headings(page) == ["document"]
    assert page.locator(".slice-chart li").count() == 20
    assert page.inner_text(".slice-charts .remark") == "10 more in the tables"


def test_errors_by_genre(open_page: Open, tmp_path: Path) -> None:
    """Metadata of documents are slices: their errors are one click away, and a column of the download."""
    (tmp_path / "gold.conll").write_text(
        "-DOCSTART- O\n\nAda B-PER\nwrote O\n\n-DOCSTART- O\n\nYork B-LOC\nis O\nold O\n\n-DOCSTART- O\n\nBo B-PER\n\n"
    )
    (tmp_path / "one.conll").write_text(
        "-DOCSTART- O\n\nAda O\nwrote O\n\n-DOCSTART- O\n\nYork B-LOC\nis O\nold B-LOC\n\n-DOCSTART- O\n\nBo B-LOC\n\n"
    )
    genres = {"genre": {"1": "news", "2": "chat", "3": "news"}}
    eh.report(tmp_path / "gold.conll", tmp_path / "one.conll", slices=genres, **QUICK).to_html(tmp_path / "page.html")
    page = open_page(tmp_path / "page.html")
    chart = page.locator("#slices h3:text-is('genre') + ul li")
    assert chart.locator("a bdi").all_inner_texts() == ["chat", "news"]
    assert chart.nth(0).locator("u").count() == 1
    follow(page, chart.nth(1).locator("a").first.click)
    assert count(page) == 2, "two errors in news"
    page.click("#slice-tables > summary")
    rows = page.locator("#slices table").first.locator("tbody tr")
    assert rows.locator("th").all_inner_texts() == ["chat", "news"]
    assert wrong_links(page, "#slices td.number a")[1] == []
    follow(page, rows.nth(1).locator("th a").click)
    assert fragment_of(page) == "#units?system=one&right=0&slice=genre%3Dnews"
    assert count(page) == 2, "Ada is missed, and Bo has a wrong label"
    assert page.input_value("[name=slice]") == "=genre=news"
    choose(page, "slice", label="genre: chat")
    assert listed(page)[0].startswith("old") or count(page) == 1
    go(page, "#units?slice=genre%3Dspoken")
    assert count(page) == 0


def test_the_total_of_errors_leads_to_the_errors(open_page: Open, example_pages: dict[str, Path]) -> None:
    page = open_page(example_pages["spans"])
    total = page.locator(".all-systems tbody tr").nth(1).locator(".number a")
    assert total.inner_text() == "110"
    follow(page, total.click)
    assert fragment_of(page) == "#units?system=crf&kind=LE%2CBES%2CBEL%2CBEO%2CLBE%2CFN%2CFP"
    assert count(page) == 110


def test_a_click_on_a_cell_lists_its_units(open_page: Open, example_pages: dict[str, Path]) -> None:
    page = open_page(example_pages["spans"])
    page.click("#systems details > summary >> nth=0")
    cell = page.locator("#systems > details:first-of-type td.heat a").first
    follow(page, cell.click)
    assert count(page) == int(cell.text_content())
    assert page.evaluate("document.activeElement.id") == "list"


def matching(data: dict[str, Any], system: int, kind: str, gold: str, text: str) -> int:
    total = 0
    for unit, sentence in enumerate(data["sentence"]):
        own_kind, own_gold, _ = data["classes"][data["class"][system][unit]]
        words = data["space"].join(data["sentences"][sentence]["t"]).lower()
        total += (
            data["kinds"][own_kind] == kind and own_gold >= 0 and data["labels"][own_gold] == gold and text in words
        )
    return total


def errors(data: dict[str, Any]) -> int:
    """How many units some system has wrong."""
    wrong = {code for code, (kind, *_) in enumerate(data["classes"]) if data["kinds"][kind] not in data["right"]}
    return sum(any(column[unit] in wrong for column in data["class"]) for unit in range(len(data["sentence"])))


def test_filters_compose(
    open_page: Open, example_pages: dict[str, Path], example_reports: dict[str, eh.Report]
) -> None:
    data = unit_data(example_reports["spans"])
    page = open_page(example_pages["spans"])
    assert status(page) == f"{errors(data)} of 305 units"
    choose(page, "system", label="crf")
    choose(page, "kind", label="FN")
    choose(page, "gold", label="LOC")
    assert count(page) == matching(data, 1, "FN", "LOC", "") == 32
    page.fill("[name=text]", "THE ")
    assert count(page) == matching(data, 1, "FN", "LOC", "the ")
    assert 0 < count(page) < 32
    follow(page, lambda: page.click("#filters button"))
    assert status(page) == f"{errors(data)} of 305 units"


def test_new_errors_of_one_system_against_another(
    open_page: Open, example_pages: dict[str, Path], example_reports: dict[str, eh.Report]
) -> None:
    comparison = example_reports["spans"].comparison
    assert comparison is not None
    page = open_page(example_pages["spans"])
    choose(page, "from", label="crf")
    choose(page, "to", label="tagger")
    choose(page, "change", label="new errors")
    assert count(page) == comparison.pair("crf", "tagger").new_errors.count == 20


@pytest.mark.parametrize("task", TASKS)
def test_the_address_restores_the_view(open_page: Open, example_pages: dict[str, Path], task: str) -> None:
    page = open_page(example_pages[task])
    choose(page, "system", index=2)
    page.fill("[name=text]", "a")
    for _ in range(3):
        step_down(page)
    other = open_page(example_pages[task], fragment_of(page))
    assert (status(other), listed(other), selected(other)) == (status(page), listed(page), 3)
    assert other.text_content("#detail") == page.text_content("#detail")
    assert other.input_value("[name=text]") == "a"


def test_back_and_forward(open_page: Open, example_pages: dict[str, Path]) -> None:
    page = open_page(example_pages["spans"])
    for fragment in ("#units?system=crf&kind=FN", "#units?system=crf&kind=LE"):
        go(page, fragment)
    assert status(page) == "8 of 305 units"
    follow(page, page.go_back)
    assert status(page).startswith("69 of 305")
    follow(page, page.go_forward)
    assert fragment_of(page).endswith("LE")
    assert status(page) == "8 of 305 units"


def test_keys(open_page: Open, example_pages: dict[str, Path], example_reports: dict[str, eh.Report]) -> None:
    page = open_page(example_pages["spans"], "#units?system=crf")
    press = page.keyboard.press
    places = []
    for key in ("j", "j", "k", "ArrowDown", "PageDown", "ArrowUp", "End", "j", "Home", "k"):
        press(key)
        places.append(selected(page))
    assert places == [1, 2, 1, 2, 12, 11, count(page) - 1, count(page) - 1, 0, 0]
    press("/")
    assert page.evaluate("document.activeElement.name") == "text"
    page.keyboard.type("jk")
    assert "text=jk" in fragment_of(page)
    follow(page, lambda: press("Escape"))
    assert status(page) == f"{errors(unit_data(example_reports['spans']))} of 305 units"
    assert page.evaluate("document.activeElement.name") != "text"


def test_the_focus_is_visible(open_page: Open, example_pages: dict[str, Path]) -> None:
    page = open_page(example_pages["spans"], "#units")
    page.keyboard.press("j")
    outline = "getComputedStyle(document.activeElement).outlineStyle"
    assert (page.evaluate("document.activeElement.id"), page.evaluate(outline)) == ("list", "solid")
    page.keyboard.press("Tab")
    assert page.evaluate(outline) == "solid"
    assert page.get_attribute("#list", "aria-activedescendant") == "unit-1"


@pytest.mark.parametrize("fragment", ["#units?system=nobody", "#units?from=crf&to=nobody", "#units?kind=XX"])
def test_what_is_unknown_has_no_units(open_page: Open, example_pages: dict[str, Path], fragment: str) -> None:
    page = open_page(example_pages["spans"], fragment)
    assert count(page) == 0
    assert page.text_content("#detail") == "No unit matches these filters."


@pytest.mark.parametrize("fragment", ["#%zz", "#units?text=%zz", "#units?unit=99999", "#units?unit=x&other=1"])
def test_a_broken_address_does_no_harm(open_page: Open, example_pages: dict[str, Path], fragment: str) -> None:
    page = open_page(example_pages["spans"], fragment)
    assert status(page).endswith("of 305 units")


@pytest.mark.parametrize(
    "task", [name if name in ALWAYS else pytest.param(name, marks=pytest.mark.long) for name in registry.TASKS]
)
def test_a_single_system(open_page: Open, one_system: dict[str, Path], task: str) -> None:
    page = open_page(one_system[task])
    assert wrong_links(page, NUMBERS)[1] == []
    assert page.evaluate(UNLINKED) == []
    assert page.query_selector("#differences") is None
    assert page.query_selector("[name=from]") is None


def test_the_name_of_one_system_is_over_its_column_on_a_phone(open_page: Open, one_system: dict[str, Path]) -> None:
    """Letters are for several systems."""
    page = open_page(one_system["spans"], "#units", viewport={"width": 390, "height": 844})
    assert page.locator("#head .verdict").inner_text() == "gazetteer"
    assert page.locator("#head .verdict .name").is_visible()


def test_a_limit_carries_errors_first_and_links_say_so(open_page: Open, tmp_path: Path, example: Path) -> None:
    systems = [example / "crf.conll", example / "tagger.conll"]
    report = eh.report(example / "gold.conll", systems, limit=20, **QUICK)
    report.to_html(tmp_path / "page.html")
    page = open_page(tmp_path / "page.html", "#units?right=0")
    total = report.units.total
    assert total > 285
    assert status(page) == "20 of 20 units"
    assert f"The page has the first 20 of {total} units" in page.text_content("#units")
    link = page.locator("#differences td.number a", has_text="82").first
    link.hover()
    assert link.get_attribute("title") == f"The page has the first 20 of {total} units."
    follow(page, link.click)
    assert status(page).endswith(f", counted 82: the page has the first 20 of {total} units")
    go(page, "#units?right=0")
    assert status(page) == "20 of 20 units"


def test_a_file_without_words_shows_positions_and_labels(open_page: Open, tmp_path: Path) -> None:
    """Files of tags alone: `sentence 2, tokens 2–3` and the gold labels, not the numbers of tokens."""
    (tmp_path / "gold.tags").write_text("O\nB-LOC\nO\n\nB-PER\nB-ORG\nI-ORG\nO\nB-LOC\n\n")
    (tmp_path / "system.tags").write_text("O\nB-LOC\nO\n\nB-PER\nB-LOC\nI-LOC\nO\nO\n\n")
    eh.report(tmp_path / "gold.tags", tmp_path / "system.tags", **QUICK).to_html(tmp_path / "page.html")
    page = open_page(tmp_path / "page.html")
    rows = [[page.inner_text(f"#unit-{row} .{name}") for name in ("before", "words", "after")] for row in (0, 1)]
    assert rows == [["PER", "sentence 2, tokens 2–3", "· LOC"], ["PER ORG ORG ·", "sentence 2, token 5", ""]]
    assert "sentence 2, tokens 2–3 PER ORG ORG · LOC" in page.inner_text("#fix-first").replace("\n", "")
    assert "matched with tokens 2–3" in page.inner_text("#detail")
    assert page.text_content("#detail dl dd") == "sentence 2, tokens 2–3"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("task", TASKS)
def test_the_page_does_not_scroll_sideways(
    open_page: Open, example_pages: dict[str, Path], task: str, scheme: str
) -> None:
    page = open_page(example_pages[task], "#units", viewport={"width": 400, "height": 800}, color_scheme=scheme)
    page.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    light = page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert light == (scheme == "light")


# The first screen of a page: who is better, the main errors, what to fix first, and the first erroneous se


@pytest.fixture(scope="module")
def wnut17(data: Path, browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder, path = data / "wnut17", tmp_path_factory.mktemp("wnut17") / "page.html"
    systems = [folder / "systems" / f"{name}.conll" for name in ("uh_ritual", "arcada", "mic-cis", "flytxt")]
    eh.report(folder / "gold.conll", systems, align="position").to_html(path)
    return path


def bottom(page: Any, selector: str) -> float:
    box = page.locator(selector).first.bounding_box()
    return float(box["y"] + box["height"])


def test_thirty_seconds_with_wnut17(open_page: Open, wnut17: Path) -> None:
    """All within 1440 x 900: the verdict, the kinds of errors, what to fix first, the first erroneous unit."""
    page = open_page(wnut17, viewport={"width": 1440, "height": 900})
    verdict = page.inner_text("#verdict")
    assert verdict.startswith(
        "uh_ritual leads arcada by 0.37 points, p = 0.78: not significant; this test set can detect "
    )
    assert "Both beat mic-cis." in verdict
    assert "13 spans are ill-formed" in page.inner_text("#cautions")
    assert "missing: person" in page.inner_text("#fix-first")
    for selector in ("#verdict", ".parts", ".fixes tbody tr:last-child", "#list .unit"):
        assert bottom(page, selector) <= 900, selector
    assert page.locator("#list .unit").first.inner_text().split() != []


def test_systems_stand_by_score_with_what_is_sure(open_page: Open, wnut17: Path) -> None:
    page = open_page(wnut17)
    rows = page.locator(".all-systems tbody tr")
    assert rows.locator("th").all_inner_texts() == ["uh_ritual", "arcada", "flytxt", "mic-cis"]
    assert rows.locator(".standing").all_inner_texts() == [
        "best",
        "not significant, p = 0.78; detectable: 4.7",
        "not significant, p = 0.16; detectable: 4.7",
        "lower, p = 0.028",
    ]
    assert rows.locator(".best").all_inner_texts() == ["46.56"]


def test_what_to_fix_first_leads_to_its_units(open_page: Open, wnut17: Path) -> None:
    page = open_page(wnut17)
    row = page.locator(".fixes:visible tbody tr").first
    assert row.locator("th, .number").all_inner_texts() == ["missing: person", "180", "+16.20"]
    assert row.locator(".example").count() == 3
    words = row.locator(".example mark").nth(1).inner_text()
    follow(page, row.locator(".number a").click)
    assert count(page) == 180
    follow(page, row.locator(".example a").nth(1).click)
    assert count(page) == 180
    assert page.inner_text(f"#unit-{selected(page)} .words") == words
    page.select_option("#fix-first select", label="mic-cis")
    assert page.locator(".fixes:visible").count() == 1
    follow(page, page.locator(".fixes:visible .number a").first.click)
    assert page.input_value("[name=system]") == "=mic-cis"


def test_one_system_has_its_score_and_no_rival(open_page: Open, tmp_path: Path, example: Path) -> None:
    eh.report(example / "gold.conll", example / "crf.conll", **QUICK).to_html(tmp_path / "page.html")
    page = open_page(tmp_path / "page.html")
    assert page.inner_text("#verdict").startswith("crf has 76.50 fair F1 (95 % interval ")
    assert "against the best" not in page.inner_text("#overview")
    assert page.locator("#fix-first select").count() == 0
    assert page.locator("#pair").count() == 0


def test_text_of_the_data_stays_text_on_the_first_screen(open_page: Open, tmp_path: Path) -> None:
    word, name = "<img/src=x>", "<s>&amp;"
    for file, tag in (("gold", "B-<b>"), (name, "O")):
        (tmp_path / f"{file.replace('/', '_')}.conll").write_text(f"{word} {tag}\nend O\n\n")
    systems = {name: tmp_path / f"{name}.conll"}
    eh.report(tmp_path / "gold.conll", systems, format="conll", **QUICK).to_html(tmp_path / "page.html")
    page = open_page(tmp_path / "page.html")
    assert name in page.inner_text("#verdict")
    assert page.inner_text("#fix-first mark") == word
    assert page.inner_text(".fixes tbody th") == "missing: <b>"
    go(page, "#units?right=any")
    assert page.inner_text("#list td.words") == word


# The table of errors: systems in the header, marks with short verdicts, units in their contexts, sorted as


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
    assert [page.locator("#head .verdict").nth(at).get_attribute("title") for at in range(5)] == [
        NAMES[at] for at in (2, 1, 3, 0, 4)
    ]
    assert page.locator("#head .name").nth(0).text_content() == "3", "the other words are those of all"
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


# The tables of two systems, which a page makes of its units: those of the comparison, whichever pair is chosen


CHANGES = {"correction": "corrections", "new_error": "new errors", "changed_error": "changed errors"}
MADE = """() => [...document.querySelectorAll("#pair details")].map((part) => [
    part.querySelector("summary").textContent,
    [...part.querySelectorAll("tbody tr")].map((row) => [...row.children].map((cell) => cell.textContent)),
])"""


def choose_pair_tables(page: Any, before: str, after: str) -> dict[str, list[list[str]]]:
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
        tables = choose_pair_tables(page, pair.before, pair.after)
        summaries = page.locator("#pair summary").all_text_contents()
        for kind, difference in pair.classes.items():
            if difference.count:
                said = f"{CHANGES[kind]}: {difference.count:,} of {pair.different:,} ({100 * difference.share:.2f} %)"
                assert any(summary.startswith(said) for summary in summaries)
                assert sum(int(row[-3]) for row in tables[CHANGES[kind]]) <= difference.count
        assert f"{'−' if pair.delta < 0 else '+'}{abs(100 * pair.delta):.2f} points" in page.inner_text("#pair p")


def test_transitions_of_spans_both_ways(
    open_page: Open, example_pages: dict[str, Path], example_reports: dict[str, eh.Report]
) -> None:
    comparison = example_reports["spans"].comparison
    assert comparison is not None
    pair = comparison.pair("crf", "tagger")
    page = open_page(example_pages["spans"])
    tables = choose_pair_tables(page, "crf", "tagger")
    wanted = [[each.gold or "–", each.before, each.after, str(each.count)] for each in pair.corrections.transitions]
    assert sorted(row[:4] for row in tables["corrections"]) == sorted(wanted)
    turned = choose_pair_tables(page, "tagger", "crf")["new errors"]
    assert sorted(row[:4] for row in turned) == sorted([gold, b, a, n] for gold, a, b, n in wanted)
    assert wrong_links(page, "#pair a")[1] == []


def test_the_same_system_twice_has_no_tables(open_page: Open, example_pages: dict[str, Path]) -> None:
    page = open_page(example_pages["spans"])
    assert choose_pair_tables(page, "crf", "crf") == {}
    assert page.inner_text("#pair").endswith("Choose two systems.")


# Pages by other measures


def test_a_page_by_exact_match(open_page: Open, tmp_path: Path, example: Path) -> None:
    systems = [example / "crf.conll", example / "tagger.conll"]
    report = eh.report(example / "gold.conll", systems, by="exact", **QUICK)
    report.to_html(tmp_path / "page.html")
    page = open_page(tmp_path / "page.html")
    lead = 100 * (report.results["tagger"]["exact"].f1 - report.results["crf"]["exact"].f1)
    assert page.inner_text("#verdict").startswith(f"tagger leads crf by {lead:.2f} points")
    assert sorted(page.locator("[name=kind] option").all_text_contents()) == ["FN", "FP", "TN", "TP", "any"]
    size, wrong = wrong_links(page, NUMBERS)
    assert wrong == []
    assert size > 50
    go(page, "#units?system=crf&kind=FN,FP")
    exact = report.results["crf"]["exact"].overall
    assert count(page) == exact["FN"] + exact["FP"]


def test_a_page_by_leakage_shows_what_a_reader_sees(open_page: Open, tmp_path: Path, example: Path) -> None:
    folder = example.parent / "letters"
    systems = [folder / "model.jsonl", folder / "rules.jsonl"]
    eh.report(folder / "gold.jsonl", systems, by="leak", **QUICK).to_html(tmp_path / "page.html")
    page = open_page(tmp_path / "page.html", "#units?system=rules&kind=partial")
    assert wrong_links(page, NUMBERS)[1] == []
    go(page, "#units?system=rules&kind=partial")
    seen = page.locator("#list .unit .verdict.bad:last-child bdi").all_inner_texts()
    assert seen[:3] == ["█ , Eastmere", "A. █", "Mr █"]
    assert "partial: a reader sees “█ , Eastmere”" in page.inner_text("#detail")


def test_relations_by_strict_match(open_page: Open, tmp_path: Path, example: Path) -> None:
    folder = example.parent / "relations"
    systems = [folder / "joint.jsonl", folder / "rules.jsonl"]
    eh.report(folder / "gold.jsonl", systems, by="strict", **QUICK).to_html(tmp_path / "page.html")
    size, wrong = wrong_links(open_page(tmp_path / "page.html"), NUMBERS)
    assert wrong == []
    assert size > 50


@pytest.mark.parametrize("task", TASKS)
def test_a_page_compares_by_every_measure_in_the_help(task: str, tmp_path: Path, example: Path) -> None:
    """`report --help` lists the measures of `compare`; a system without the annotation of a measure is refused."""
    folder, gold, systems = EXAMPLES[task]
    path = example.parent / folder
    for by in registry.TASKS[task].selection.compared:
        if registry.model(task, by).annotation:
            with pytest.raises(eh.SettingError, match="System rules has no DEPS"):
                eh.report(path / gold, path / systems[0], task=task, by=by)  # type: ignore[arg-type]
            continue
        report = eh.report(path / gold, path / systems[0], task=task, by=by, trials=0, resamples=0)  # type: ignore[arg-type]
        assert report.by == by
        assert report.to_html().startswith("<!DOCTYPE html>")


def test_the_worst_slices_lead_to_their_errors(open_page: Open, tmp_path: Path, data: Path) -> None:
    """Slices of attributes, of labels and of pairs; the chosen system is part of the address."""
    folder, path = data / "wnut17", tmp_path / "page.html"
    systems = [folder / "systems" / f"{name}.conll" for name in ("uh_ritual", "arcada")]
    report = eh.report(folder / "gold.conll", systems, train=folder / "train.conll", align="position", **QUICK)
    report.to_html(path)
    page = open_page(path)
    page.click("#worst-slices > summary")
    assert "This shows where the system fails, not why." in page.inner_text("#worst-slices")
    names = set()
    for name, causes in report.causes.items():
        page.select_option("#worst-slices select", label=name)
        assert fragment_of(page) == f"#worst-slices?system={name}"
        for number, found in enumerate(causes.found):
            link = page.locator(".fixes:visible >> nth=-1").locator("td.number a").nth(number)
            expected = int(link.inner_text().replace(",", ""))
            follow(page, link.click)
            assert count(page) == expected
            names.add(found.slice)
    assert any(" & " in name for name in names)
