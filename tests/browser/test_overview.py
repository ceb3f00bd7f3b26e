"""The first screen of a page: all systems with their scores, names that can be read, and no words of commands."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import evenhand as eh
from conftest import ROOT
from evenhand.tasks.registry import TASKS as DECLARED
from pages import QUICK, TASKS, Open, go


def many(example: Path, number: int) -> dict[str, Path]:
    """Systems named s01, s02 …, in turn the files of three."""
    files = [example / f"{name}.conll" for name in ("gazetteer", "crf", "tagger")]
    return {f"s{at:02}": files[at % 3] for at in range(number)}


@pytest.fixture(scope="module")
def sixteen(data: Path, browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder, path = data / "conll2003", tmp_path_factory.mktemp("sixteen") / "page.html"
    eh.report(folder / "gold.testb.tags", sorted((folder / "systems").glob("*.tags")), **QUICK).to_html(path)
    return path


@pytest.mark.long
def test_sixteen_systems_are_in_sight_without_scrolling(open_page: Open, sixteen: Path) -> None:
    page = open_page(sixteen, viewport={"width": 1440, "height": 900})
    rows = page.locator(".all-systems tbody tr")
    assert rows.count() == 16
    for selector in (".all-systems tbody tr:last-child", "#fix-first .fixes:not([hidden]) tbody tr:last-child"):
        box = page.locator(selector).bounding_box()
        assert box["y"] + box["height"] <= 900, selector
    region = page.locator(".all-systems")
    assert region.evaluate("(node) => node.scrollHeight <= node.clientHeight")
    assert page.locator("#more-systems").count() == 0


@pytest.mark.long
def test_sixteen_systems_are_under_4_mb_and_40_000_elements(open_page: Open, sixteen: Path) -> None:
    assert sixteen.stat().st_size < 4_000_000
    page = open_page(sixteen)
    page.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
    assert page.evaluate("document.querySelectorAll('*').length") < 40_000


FIRST = {
    "spans": "tagger leads crf by 14.52 points, p = 0.",
    "tags": "neural leads hmm by 5.41 points, p = 0.",
    "trees": "neural leads transition by 12.05 points, p = 0.",
    "chains": "neural leads pairs by 20.68 points, p = 0.",
    "relations": "joint leads pipeline by 11.13 points, p = 0.",
    "links": "reranker leads context by 12.74 points, p = 0.",
    "constituents": "neural leads pcfg by 6.54 points, p = 0.",
    "records": "large leads small by 6.97 points, p = 0.",
}
"""The first words of the page of three systems, by task."""


@pytest.mark.parametrize(
    "task", [name if name in ("spans", "records") else pytest.param(name, marks=pytest.mark.long) for name in FIRST]
)
@pytest.mark.parametrize("number", [1, 3, 16])
def test_the_first_screen_answers_three_questions(open_page: Open, tmp_path: Path, task: str, number: int) -> None:
    """Which system is better, whether that is certain, and what to fix first, without scrolling."""
    example = DECLARED[task].example
    folder = ROOT / "src" / "evenhand" / "examples" / example.folder
    files = [folder / name for name in example.systems]
    systems = {files[-1 - at % 3].stem + (f"-{at}" if at > 2 else ""): files[-1 - at % 3] for at in range(number)}
    eh.report(folder / example.gold, systems, task=task, trials=200, resamples=50).to_html(tmp_path / "page.html")
    page = open_page(tmp_path / "page.html", viewport={"width": 1440, "height": 900})
    assert page.evaluate("scrollY") == 0
    assert page.inner_text("#verdict").startswith(FIRST[task] if number == 3 else next(iter(systems)))
    for selector in ("#verdict", ".all-systems tbody tr:last-child", "#fix-first .fixes:not([hidden]) tbody tr"):
        box = page.locator(selector).first.bounding_box()
        assert box["y"] + box["height"] <= 900, selector
    assert page.locator(".all-systems tbody tr").count() == number
    assert page.locator("#verdict").bounding_box()["height"] < 110, "four lines of 25 pixels"


def test_warnings_of_several_systems_are_one_sentence(open_page: Open, tmp_path: Path) -> None:
    folder = ROOT / "src" / "evenhand" / "examples" / "records"
    systems = dict.fromkeys(("a", "b"), folder / "small.jsonl") | {"c": folder / "large.jsonl"}
    eh.report(folder / "gold.jsonl", systems, **QUICK).to_html(tmp_path / "page.html")
    text = open_page(tmp_path / "page.html").inner_text("#verdict")
    assert "a, b: 1 of 24 answers is unparsable and counts as empty." in text
    assert text.count("unparsable") == 1


def test_a_note_of_the_verdict_is_not_repeated_as_a_caution(open_page: Open, tmp_path: Path, example: Path) -> None:
    eh.report(example / "gold.conll", many(example, 6), trials=50, resamples=0, of="sentences").to_html(
        tmp_path / "page.html"
    )
    page = open_page(tmp_path / "page.html")
    assert "50 trials allow no p-value below 5 %." in page.inner_text("#verdict")
    assert "trials allow" not in page.inner_text("#cautions")


def test_differences_below_a_hundredth_point_are_ties(open_page: Open, tmp_path: Path) -> None:
    """One more right tag of 30,000 is 0.003 points."""
    rows = ["w\tA\n"] * 30_000
    (tmp_path / "gold.tsv").write_text("".join(rows))
    for name, wrong in (("one", 2), ("two", 3)):
        (tmp_path / f"{name}.tsv").write_text("".join(["w\tB\n"] * wrong + rows[wrong:]))
    sides = [tmp_path / f"{name}.tsv" for name in ("one", "two")]
    eh.report(tmp_path / "gold.tsv", sides, task="tags", trials=0, resamples=0).to_html(tmp_path / "page.html")
    text = open_page(tmp_path / "page.html").inner_text("#verdict")
    assert text.startswith("one and two are tied: their scores differ by less than 0.01 points")
    assert "0.00 points" not in text


def test_measures_by_which_another_system_leads_have_names(open_page: Open, example_pages: dict[str, Path]) -> None:
    text = open_page(example_pages["trees"]).inner_text("#verdict")
    assert "By Tokens F1, Sentences F1 and Words F1, rules leads." in text


def test_constituents_have_labeled_f1(open_page: Open, tmp_path: Path) -> None:
    """Where no sentence has errors, `labeled-all` is EVALB's labeled F1; elsewhere EVALB's figure is beside it."""
    folder = ROOT / "src" / "evenhand" / "examples" / "constituents"
    gold, systems = folder / "gold.mrg", [folder / "pcfg.mrg", folder / "chunks.mrg"]
    eh.report(gold, systems, **QUICK).to_html(tmp_path / "all.html")
    page = open_page(tmp_path / "all.html")
    assert page.locator(".systems thead .number").all_inner_texts()[:2] == ["labeled-all F1", "labeled"]
    assert page.locator(".systems tbody .number").all_inner_texts()[:2] == ["88.36", "91.51"]
    page.set_viewport_size({"width": 390, "height": 844})
    assert not page.locator(".systems tbody .further").first.is_visible(), "a telephone shows no headings"
    eh.report(gold, {"same": gold, "again": gold}, **QUICK).to_html(tmp_path / "same.html")
    page = open_page(tmp_path / "same.html")
    assert page.locator(".systems thead .number").all_inner_texts()[0] == "labeled F1"
    assert "Points of labeled F1." in page.inner_text("#verdict")


def test_chains_have_the_conll_average(open_page: Open, example_pages: dict[str, Path]) -> None:
    head = open_page(example_pages["chains"]).locator(".systems thead .number").first
    assert head.inner_text() == "MELA F1"
    assert head.get_attribute("title").endswith("the CoNLL score.")


def test_a_leak_page_shows_what_a_reader_sees(open_page: Open, tmp_path: Path, example: Path) -> None:
    systems = [example / "crf.conll", example / "gazetteer.conll"]
    eh.report(example / "gold.conll", systems, by="leak", **QUICK).to_html(tmp_path / "page.html")
    page = open_page(tmp_path / "page.html", "#units?system=crf&kind=partial&gold=ORG")
    assert page.locator(".systems thead .number").all_inner_texts()[0] == "leak recall"
    assert "Points of leak recall, gold spans that are fully covered." in page.inner_text("#verdict")
    assert page.inner_text(".legend").split() == ["partial:", "partly", "legible", "exposed:", "legible"]
    assert page.locator("#rows .unit").first.locator("td").all_inner_texts()[-2:] == [
        "✗ █ Ltd",
        "✗ Almeida & Daughters Ltd",
    ]
    facts = page.locator("#detail dl dd").all_inner_texts()
    assert "partial: a reader sees “█ Ltd”" in facts
    assert "exposed: a reader sees “Almeida & Daughters Ltd”" in facts


def test_further_measures_are_beside_the_score(open_page: Open, example_pages: dict[str, Path]) -> None:
    page = open_page(example_pages["chains"], viewport={"width": 1440, "height": 900})
    assert page.locator(".systems th.further").all_inner_texts() == ["MUC", "B³", "CEAFe", "LEA"]
    assert page.locator(".systems tbody tr").first.bounding_box()["height"] < 40


@pytest.mark.long
def test_an_outlier_is_marked_at_the_edge_of_the_scale(open_page: Open, sixteen: Path) -> None:
    """Hammerton's network has 67.39; the 15 others lie between 84.07 and 92.67."""
    page = open_page(sixteen)
    last = page.locator(".all-systems tbody tr").last
    assert last.locator("th").inner_text().startswith("hammerton")
    assert last.locator(".beyond.low").inner_text() == "◀ 67.39"
    assert last.locator(".scale .unseen").text_content().endswith(", beyond the scale")
    assert page.locator(".beyond").count() == 1
    low, high = (float(text) for text in page.locator("th.scale span").all_inner_texts())
    assert 80 < low < 84 < 93 < high < 95
    box = page.locator(".all-systems tbody tr").first.locator(".scale i").bounding_box()
    assert box["width"] > 10, "an interval, not a dot"


def test_more_than_twenty_systems_are_folded(open_page: Open, tmp_path: Path, example: Path) -> None:
    eh.report(example / "gold.conll", many(example, 32), trials=0, resamples=0).to_html(tmp_path / "page.html")
    page = open_page(tmp_path / "page.html")
    assert page.locator(".all-systems").first.locator("tbody tr").count() == 20
    assert page.locator("#more-systems > summary").inner_text() == "12 more"
    assert page.locator("#more-systems tbody tr").count() == 12


@pytest.mark.parametrize("task", TASKS)
def test_systems_are_in_one_order_everywhere(
    open_page: Open, example_pages: dict[str, Path], example_reports: dict[str, eh.Report], task: str
) -> None:
    names = list(example_reports[task].ordered)
    page = open_page(example_pages[task], "#units")
    assert page.inner_text("h1").startswith(", ".join(names))
    lists = {
        "rows": page.locator(".all-systems tbody th").all_inner_texts(),
        "errors": page.locator("#head .name").all_inner_texts(),
        "lanes": page.locator("#detail .side").all_inner_texts()[2:],
        "facts": page.locator("#detail dl").last.locator("dt").all_inner_texts(),
        "sections": page.locator("#systems > details > summary > bdi").all_inner_texts(),
        "ranks": page.locator("#ranks table").first.locator("tbody th").all_text_contents(),
        "oracle": page.locator("[id='differences-Oracle'] thead th").all_text_contents()[2:5],
        "filter": page.locator("[name=system] option").all_text_contents()[1:],
        "fix first": page.locator("#fix-first option").all_text_contents(),
    }
    assert {place: shown for place, shown in lists.items() if shown != names} == {}


def test_the_heading_names_the_system_to_fix(
    open_page: Open, example_pages: dict[str, Path], tmp_path: Path, example: Path
) -> None:
    page = open_page(example_pages["spans"])
    assert re.sub(r"\s+", " ", page.inner_text("#fix-first h3")).startswith("What to fix first in tagger")
    page.select_option("#fix-first select", label="crf")
    assert page.text_content(".fixes:not([hidden]) caption") == "What crf should fix first"
    eh.report(example / "gold.conll", example / "crf.conll", **QUICK).to_html(tmp_path / "page.html")
    assert open_page(tmp_path / "page.html").inner_text("#fix-first h3") == "What to fix first in crf"


@pytest.mark.parametrize("task", TASKS)
def test_a_page_has_no_options_no_escapes_and_one_minus_sign(
    open_page: Open, example_pages: dict[str, Path], task: str
) -> None:
    page = open_page(example_pages[task])
    page.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
    text = re.sub(r"evenhand:\S+", "", page.inner_text("body"))
    assert re.findall(r"--[a-z]\S*", text) == []
    assert "\\n" not in text
    assert re.findall(r"(?<![\w.:–-])-\d\S*", text) == []


def test_negative_numbers_have_a_minus_sign(open_page: Open, example_pages: dict[str, Path]) -> None:
    page = open_page(example_pages["relations"], "#differences?from=joint&to=rules")
    assert "−31.32 points (−" in page.inner_text("#pair p")
    assert page.locator("#differences td.number", has_text="−").count() > 0


def test_line_breaks_are_signs(open_page: Open, tmp_path: Path, example: Path) -> None:
    folder = example.parent / "letters"
    eh.report(folder / "gold.jsonl", [folder / "rules.jsonl", folder / "model.jsonl"], **QUICK).to_html(
        tmp_path / "page.html"
    )
    page = open_page(tmp_path / "page.html")
    texts = page.inner_text("#fix-first") + page.inner_text("#list")
    assert "\\n" not in page.content().split('id="data"')[0]
    assert "↵" in texts


def test_long_names_lose_common_parts_and_their_middle(open_page: Open, tmp_path: Path, example: Path) -> None:
    names = [f"experiment-2024-05-{day}-roberta-large-finetuned-on-news-and-blogs-seed-{day}" for day in (11, 12, 13)]
    systems = dict(zip(names, many(example, 3).values(), strict=True))
    eh.report(example / "gold.conll", systems, **QUICK).to_html(tmp_path / "page.html")
    page = open_page(tmp_path / "page.html", "#units", viewport={"width": 1440, "height": 900})
    short = page.locator(".all-systems tbody th bdi").all_inner_texts()
    assert [f"{name[:3]}…{name[-8:]}" for name in short] == ["13-…-seed-13", "12-…-seed-12", "11-…-seed-11"]
    assert all("…" in name and len(name) < 29 for name in short)
    assert page.locator(".all-systems tbody th bdi").first.get_attribute("title") == names[2]
    assert page.locator(f"#verdict span[title='{names[2]}']").first.inner_text() == short[0]
    height = "(node) => node.getBoundingClientRect().height / parseFloat(getComputedStyle(node).lineHeight)"
    assert page.locator("#verdict").evaluate(height) < 4
    assert all(row.evaluate(height) < 2 for row in page.locator(".all-systems tbody th").all())
    for heading in page.locator("#head button, #systems > details > summary").all():
        assert heading.evaluate(height) < 3.5, heading.inner_text()


def test_folded_boxes_have_a_summary(
    open_page: Open, example_pages: dict[str, Path], example_reports: dict[str, eh.Report]
) -> None:
    comparison = example_reports["spans"].comparison
    assert comparison is not None
    none, every = comparison.difficulty[0], comparison.difficulty[3]
    page = open_page(example_pages["spans"])
    boxes = page.locator("main > section > details:not([open], .quiet) > summary")
    texts = {box.locator("bdi").first.inner_text(): box.locator("small").inner_text() for box in boxes.all()}
    assert len(texts) > 10
    assert all(texts.values())
    pair = page.locator("#pair details:not([open]) > summary")
    assert pair.locator("small").all_inner_texts() == [
        "LOC: FN → TP LOC (29), MISC: FN → TP MISC (11), PER: BEL PER → TP PER (8)",
        "MISC: TP MISC → BEL MISC (3), –: TN → FP LOC (2), ORG: TP ORG → FN (2)",
        "MISC: FN → BES MISC (3), LOC: LBE PER → LE ORG (1), MISC: BEL MISC → BEO MISC (1)",
        "MISC +24.91, LOC +15.82, ORG +13.08",
    ]
    assert texts["Systems correct"] == f"{none} units of 305 that no system gets right, {every} that all get right"
    assert texts["Tests of all pairs"].endswith("of 3 pairs differ significantly")
    assert texts["tagger"] == "fair F1 91.01; to fix first: missing: PER (7)"


@pytest.mark.parametrize("task", TASKS)
def test_every_closed_box_has_a_summary(open_page: Open, example_pages: dict[str, Path], task: str) -> None:
    page = open_page(example_pages[task])
    boxes = page.locator("main details:not([open], .quiet, #cautions details) > summary")
    assert [box.inner_text() for box in boxes.all() if not box.locator("small").count()] == []
    assert boxes.count() > 10


def test_marked_words_are_whole_and_spaces_are_outside(open_page: Open, example_pages: dict[str, Path]) -> None:
    page = open_page(example_pages["relations"], viewport={"width": 1440, "height": 900})
    example = page.locator(".fixes:not([hidden]) .example").nth(2)
    assert example.locator("mark").all_text_contents() == ["Its", "Daily Lamp"]
    cut = "(node) => node.scrollWidth > Math.ceil(node.getBoundingClientRect().width)"
    assert [mark.evaluate(cut) for mark in example.locator("mark").all()] == [False, False]
    first = page.locator(".fixes:not([hidden]) .example").first
    assert first.text_content() == "Hanne Dahl came from Blue Current , a start-up in Oslo ."
    page = open_page(example_pages["links"])
    assert page.locator(".fixes:not([hidden]) .example").first.text_content() == (
        "The river leaves Georgia behind and reaches the sea near"
    )
    assert page.locator(".fixes:not([hidden]) mark").first.text_content() == "Georgia"


def test_five_filters_and_more(open_page: Open, example_pages: dict[str, Path]) -> None:
    page = open_page(example_pages["spans"])
    visible = "#filters > label > :is(select, input)"
    assert page.eval_on_selector_all(visible, "all => all.map((each) => each.name)") == [
        "right",
        "system",
        "kind",
        "gold",
        "text",
    ]
    assert not page.locator("[name=change]").is_visible()
    go(page, "#units?from=crf&to=tagger&change=new_error")
    assert page.locator("[name=change]").is_visible(), "a filter in use is in sight"


# Colours


def luminance(color: str) -> float:
    """Relative luminance of WCAG 2.2."""
    parts = (int(color[start : start + 2], 16) / 255 for start in (1, 3, 5))
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


STYLES = Path(eh.__file__).parent / "report" / "html" / "templates"
SCHEMES = [
    dict(re.findall(r"(--[a-z-]+): (#[0-9a-f]{6})", part))
    for part in (STYLES / "styles" / "page.css").read_text().split("\n")[:2]
]
PALETTE = re.findall(r"#[0-9a-f]{6}", (STYLES / "scripts" / "lanes.js").read_text())


def test_every_colour_stands_out_on_both_backgrounds() -> None:
    """WCAG 2.2: text has a contrast of 4.5 (1.4.3), edges and signs of 3 (1.4.11); fills differ from the background."""
    from evenhand.report.figures.canvas import _COMMON, _FURTHER
    from evenhand.report.html.overview import _ink

    light, dark = SCHEMES[0], SCHEMES[0] | SCHEMES[1]
    fills = [color for color, _ in (*_COMMON.values(), *_FURTHER)]
    assert len(fills) == len(set(fills)) > 10
    for scheme in (light, dark):
        for background in (scheme["--page"], scheme["--panel"]):
            assert contrast(scheme["--edge"], background) >= 3
            assert all(
                contrast(scheme[name], background) >= 4.5 for name in ("--ink", "--soft", "--link", "--good", "--bad")
            )
            assert [color for color in (*fills, *PALETTE) if contrast(color, background) < 1.2] == []
    full = {"#000": "#000000", "#fff": "#ffffff"}
    assert [color for color in fills if contrast(color, full[_ink(color)]) < 4.5] == []
    assert [color for color in PALETTE if contrast(color, "#000000") < 4.5] == []


def test_every_error_type_of_every_task_stands_out(example_reports: dict[str, eh.Report]) -> None:
    """On bars, each type has a colour that no other type of its task has, and text that can be read."""
    from evenhand.report.figures.canvas import fills
    from evenhand.report.html.overview import _ink

    full = {"#000": "#000000", "#fff": "#ffffff"}
    assert set(example_reports) == set(FIRST)
    for name, report in example_reports.items():
        errors = DECLARED[name].display.errors(report.ordered)
        colors = [color for color, _ in fills(errors.kinds)]
        assert len(set(colors)) == len(colors) > 1, (name, colors)
        for color in colors:
            assert contrast(color, full[_ink(color)]) >= 4.5, (name, color)
            for scheme in (SCHEMES[0], SCHEMES[0] | SCHEMES[1]):
                assert contrast(color, scheme["--page"]) >= 1.2, (name, color)


def test_text_on_marks_can_be_read() -> None:
    for scheme in (SCHEMES[0], SCHEMES[0] | SCHEMES[1]):
        for name in ("--ink", "--soft", "--link", "--good", "--bad"):
            assert contrast(scheme[name], scheme["--mark"]) >= 4.5, name
            assert contrast(scheme[name], scheme["--caution"]) >= 4.5, name


def test_parts_of_bars_and_the_legend_have_edges(open_page: Open, example_pages: dict[str, Path]) -> None:
    """The relations page has an argument that is spurious, AS, which was white on white."""
    page = open_page(example_pages["relations"])
    part = page.locator(".parts a[aria-label*='AS: argument spurious']").first
    assert part.evaluate("(node) => getComputedStyle(node).backgroundColor") == "rgb(68, 170, 153)"
    assert "inset" in part.evaluate("(node) => getComputedStyle(node).boxShadow")
    assert page.locator(".legend i").first.evaluate("(node) => getComputedStyle(node).borderTopWidth") == "1px"
