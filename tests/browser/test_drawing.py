"""How a unit is drawn: entities, wrong arcs and ghosts, the sentence that stays, and text that wraps on a phone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import evenhand as eh
from conftest import ROOT
from evenhand.tasks.registry import TASKS as TASKS_FOREIGN_TASK
from foreign import TOPICS
from pages import QUICK, TASKS, Open, count, go, wrong_links

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
    evaluated = page.evaluate(
        """() => {
            const sides = [...document.querySelectorAll("#detail .side")].slice(1).map((node) => node.getBoundingClientRect());
            const all = [...document.querySelectorAll("#detail .bar")].map((node) => [node.getBoundingClientRect().top, Number(node.style.gridColumnStart) - 2, node.textContent, node.style.background]);
            return sides.map((box) => all.filter(([top]) => top >= box.top - 1 && top < box.bottom).map(([, ...bar]) => bar));
        }"""
    )
    return [sorted(tuple(bar) for bar in side) for side in evaluated]


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
        """[...document.querySelectorAll("#detail svg.arcs")].filter((_, at) => at % 3 === 0).map((lane) =>
            ["wrong", "wrong-label", "ghost"].map((name) => lane.querySelectorAll(`.${name} > .tip`).length))"""
    )
    assert counts == [[0, 0, 0], [heads, relations, heads]]
    assert heads > 1
    label = page.get_attribute("#detail svg.arcs >> nth=3", "aria-label")
    assert "and is cc of Crumble (wrong head)" in label
    assert "not: and is cc of Oat" in label
    assert page.locator("#detail .wrong text").first.text_content().startswith("✗ "), "marked without colour, too"


def test_wrong_links_are_marked(open_page: Open, example_pages: dict[str, Path]) -> None:
    page = open_page(example_pages["relations"], "#units?right=any")
    marked = page.eval_on_selector_all(
        "#detail svg.arcs",
        "all => all.map((lane) => [...lane.querySelectorAll('.wrong text')].map((node) => node.textContent))",
    )
    assert marked == [[], [], [], ["✗ lives_in", "✗ ALB founded"]]


def test_only_the_arguments_of_a_relation_are_marked(open_page: Open, example_pages: dict[str, Path]) -> None:
    page = open_page(example_pages["relations"], "#units")
    marked = page.locator("#detail .token.here").all_inner_texts()
    assert marked == ["Mira", "Okafor", "Lumen", "Works"], "not the words between them"
    example = page.locator(".fixes:not([hidden]) .example", has_text="is printed in").first
    assert example.locator("mark").all_text_contents() == ["Oke Times", "Ibadan"]
    assert example.locator(".between").text_content() == " is printed in "


def test_dashed_lines_have_one_meaning(open_page: Open, example_pages: dict[str, Path]) -> None:
    """They are in the gold standard, but missing; the match of a unit has a double border, cut bars a dotted one."""
    page = open_page(example_pages["spans"], "#units?system=crf&kind=BES")
    partner = page.locator("#detail .bar.partner").first
    assert partner.evaluate("(bar) => getComputedStyle(bar).borderTopStyle") == "double"
    assert "dashed" not in page.locator("style").first.text_content()
    dashes = "(lane, name) => [...new Set([...lane.querySelectorAll(name)].map((node) => getComputedStyle(node).strokeDasharray))]"
    page = open_page(example_pages["trees"], "#units?system=rules")
    lane = page.locator("#detail svg.arcs").nth(3)
    assert lane.evaluate(dashes, ".ghost .arc") == ["5px, 3px"]
    assert lane.evaluate(dashes, ".wrong .arc") == ["none"]
    page = open_page(example_pages["constituents"], "#units")
    gold, chunks = (page.locator("#detail svg.tree").nth(at) for at in (0, 3))
    assert gold.evaluate(dashes, ".wrong .arc") == ["5px, 3px"], "brackets that a system has missed"
    assert chunks.evaluate(dashes, ".wrong .arc") == ["none"]


TOUCHING = """() => [...document.querySelectorAll("#detail svg.arcs")].flatMap((lane) => {
    const boxes = [...lane.querySelectorAll("text:not(.leaf)")].map((node) => [node.textContent, node.getBoundingClientRect()]);
    return boxes.flatMap(([text, one], at) => boxes.slice(at + 1).filter(([, other]) =>
        one.left < other.right && one.right > other.left && one.top + 3 < other.bottom && one.bottom - 3 > other.top).map(([beside]) => `${text} ${beside}`));
})"""
"""Labels of arcs that overlap; the boxes of texts have some pixels of space above and below."""


@pytest.mark.parametrize("task", ["trees", "relations", "constituents"])
def test_labels_of_arcs_do_not_touch(open_page: Open, example_pages: dict[str, Path], task: str) -> None:
    page = open_page(example_pages[task], "#units")
    for _ in range(25):
        assert page.evaluate(TOUCHING) == [], page.text_content("#detail .place")
        page.keyboard.press("j")


def test_labels_over_narrow_words_do_not_touch(open_page: Open, tmp_path: Path) -> None:
    (tmp_path / "gold.mrg").write_text(
        "(TOP (S (WHADVP (X a)) (WHADJP (X b)) (CONJP (X c)) (UNFINISHED (X d) (X e))))\n"
    )
    (tmp_path / "one.mrg").write_text(
        "(TOP (S (CONJP (X a)) (WHADVP (X b)) (WHADJP (X c)) (UNFINISHED (X d) (X e))))\n"
    )
    eh.report(tmp_path / "gold.mrg", tmp_path / "one.mrg", **QUICK).to_html(tmp_path / "trees.html")
    page = open_page(tmp_path / "trees.html", "#units")
    assert page.locator("svg.tree").first.locator("text:not(.leaf)").count() == 5
    assert page.evaluate(TOUCHING) == []
    words = ((2, "複合語の関係"), (3, "WWWWWWWWWW"), (0, "root"), (3, "WWWWWWWWWW"), (4, "複合語の関係"))
    rows = [f"{at}\tw\t_\tX\t_\t_\t{head}\t{relation}\t_\t_" for at, (head, relation) in enumerate(words, 1)]
    (tmp_path / "gold.conllu").write_text("\n".join(rows) + "\n\n", encoding="utf-8")
    rows[3] = rows[3].replace("3\tW", "1\tW")
    (tmp_path / "one.conllu").write_text("\n".join(rows) + "\n\n", encoding="utf-8")
    eh.report(tmp_path / "gold.conllu", tmp_path / "one.conllu", **QUICK).to_html(tmp_path / "words.html")
    page = open_page(tmp_path / "words.html", "#units")
    assert page.locator("svg.arcs").last.locator("text").count() == 6, "five words, and a missing head"
    assert page.evaluate(TOUCHING) == []


def test_no_line_crosses_a_label(open_page: Open, example_pages: dict[str, Path]) -> None:
    """Labels are after all lines, each on a ground as wide as its text."""
    for task in ("trees", "relations"):
        page = open_page(example_pages[task], "#units")
        lanes = page.eval_on_selector_all(
            "#detail svg.arcs",
            """all => all.map((svg) => {
                const groups = [...svg.children].map((group) => group.querySelector("text") ? "label" : "line");
                const narrow = [...svg.querySelectorAll("text")].filter((text) => text.getBoundingClientRect().width > text.previousSibling.getBoundingClientRect().width);
                return [groups.lastIndexOf("line") < groups.indexOf("label"), narrow.length];
            })""",
        )
        assert lanes == [[True, 0]] * 4


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


# The page of constituents: every number leads to its units, and trees are drawn with their wrong brackets


FOLDER = ROOT / "src" / "evenhand" / "examples" / "constituents"
SYSTEMS = ("chunks", "pcfg", "neural")


@pytest.fixture(scope="module")
def page_of_trees(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "constituents.html"
    systems = [FOLDER / f"{name}.mrg" for name in SYSTEMS]
    eh.report(FOLDER / "gold.mrg", systems, task="constituents", **QUICK).to_html(path)
    return path


@pytest.mark.long
def test_every_number_leads_to_as_many_units(open_page: Open, page_of_trees: Path) -> None:
    page = open_page(page_of_trees)
    size, wrong = wrong_links(page, "td.number a")
    assert wrong == []
    assert size > 100
    size, wrong = wrong_links(page, ".parts a")
    assert wrong == []
    assert size >= 3


def test_trees_are_drawn_side_by_side(open_page: Open, page_of_trees: Path) -> None:
    """Sentence 1: pcfg has both phrases under VP, so that NP is missing and PP too narrow."""
    page = open_page(page_of_trees)
    go(page, "#units?system=pcfg&kind=BES&gold=PP")
    drawings = page.eval_on_selector_all("svg.tree", "all => all.map((each) => each.getAttribute('aria-label'))")
    assert len(drawings) == 4
    gold, _, pcfg, _ = drawings
    assert "NP over “a rock off the coast” (missed by 3 of 3 systems)" in gold
    assert "PP over “on a rock” (wrong)" in pcfg
    marked = page.eval_on_selector_all(
        "svg.tree:nth-of-type(1) .wrong text", "all => all.map((each) => each.textContent)"
    )
    assert "PP" in marked
    assert page.locator("svg.tree .here").count() == 1


# The page of enhanced dependencies: units are edges, and all edges of a sentence are drawn


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


@pytest.mark.long
def test_every_number_leads_to_as_many_edges(open_page: Open, page_of_edges: Path) -> None:
    page = open_page(page_of_edges)
    size, wrong = wrong_links(page, "td.number a")
    assert wrong == []
    assert size > 10


@pytest.mark.long
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
    assert "She is nsubj of and" in next(drawing for drawing in drawings if drawing.startswith("two: "))
    assert "of “and”" in page.text_content("#detail")


# Relations in a page: arguments as bars, relations as arcs with the verdict on the one that a unit is about


def test_arguments_types_and_verdicts_are_drawn(open_page: Open, example_pages: dict[str, Path]) -> None:
    page = open_page(example_pages["relations"], "#units?system=joint&kind=DE")
    assert page.text_content("#status").startswith("1 of ")
    assert page.locator(".arcs").count() == 4  # gold standard and three systems
    assert page.locator("#detail dd").first.text_content() == "Bergen → Norway"
    own = page.locator(".arcs .here text").all_text_contents()
    assert own[0] == "located_in"
    assert "✗ DE located_in" in own
    names = page.locator(".arcs").evaluate_all("nodes => nodes.map((node) => node.getAttribute('aria-label'))")
    assert names[0] == "gold: Bergen located_in Norway"
    assert names[1] == "joint: Norway DE located_in Bergen (wrong)"
    assert page.locator(".bar.here").count() >= 4


def test_missing_relations_have_no_arc_under_the_system(open_page: Open, example_pages: dict[str, Path]) -> None:
    page = open_page(example_pages["relations"], "#units?system=rules&kind=AM")
    svg = page.locator(".arcs").nth(3)
    assert svg.locator(".here").count() == 0
    assert page.locator(".arcs").nth(0).locator(".here text").count() == 1


# The page of a task from outside: every number leads to its units, which are drawn as labelled spans


@pytest.mark.long
def test_numbers_lead_to_units(open_page: Open, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, example: Path) -> None:
    monkeypatch.setitem(TASKS_FOREIGN_TASK.__dict__, "_plugins", {"topics": TOPICS})
    systems = {name: eh.read(example / f"{name}.conll") for name in ("gazetteer", "crf", "tagger")}
    eh.report(eh.read(example / "gold.conll"), systems, task="topics", **QUICK).to_html(tmp_path / "page.html")
    page = open_page(tmp_path / "page.html", "#units?system=crf&gold=LOC&predicted=PER")
    assert page.text_content("#status") == "1 of 87 units"
    assert page.text_content("#list .unit .verdict >> nth=1") == "✗ PER"
    assert page.locator(".bar.here").all_text_contents() == ["LOC", "LOC", "LOC"]
    assert page.locator(".bar").all_text_contents() == ["LOC", "LOC", "PER", "LOC"]
    size, wrong = wrong_links(page, "td.number a, .parts a")
    assert wrong == []
    assert size > 50


# A page on a gold standard with overrides: errors of the gold standard lead to their units


@pytest.mark.long
def test_every_count_leads_to_as_many_units_with_overrides(open_page: Open, tmp_path: Path, example: Path) -> None:
    gold, systems = example / "gold.conll", [example / "crf.conll", example / "tagger.conll"]
    rows = eh.read(gold).spans().rows()
    records = [
        {"sentence": scope + 1, "start": start, "end": end, "label": label, "verdict": "spurious"}
        for label, scope, start, end in rows[::5]
    ]
    path = tmp_path / "overrides.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    report = eh.report(gold, systems, overrides=path, overrides_as="kind", match="exact,fair", **QUICK)
    report.to_html(tmp_path / "page.html")
    page = open_page(tmp_path / "page.html", "#units?system=crf&kind=GE")
    assert count(page) == report.results["crf"]["fair"].overall["GE"] > 0
    assert "GE" in page.locator("#list .verdict.bad").first.text_content()
    size, wrong = wrong_links(page, "td.number a, figure svg a")
    assert wrong == []
    assert size > 50
