"""The page of a report, without a browser: one file, well formed, with the units behind its numbers."""

from __future__ import annotations

import gzip
import json
import random
import re
import subprocess
import sys
from base64 import b64decode
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import msgspec
import pytest

import evenhand as eh
from conftest import ROOT
from declared import EXAMPLES
from evenhand.report.html import unit_data
from evenhand.report.html.sections import address, html_table
from evenhand.tables import Column, DisplayTable, Query
from pages import QUICK

VOID = ("meta", "link", "br", "img", "input", "hr")


class Parsed(HTMLParser):
    """What is in a page; a tag that is closed in the wrong order is an error."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.attributes: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.cells: list[tuple[str, str]] = []
        """The targets and texts of links in cells of numbers."""
        self._href: str | None = None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes.append((tag, dict(attrs)))
        if tag == "a" and self.open[-1] == "td" and "data-unit" not in dict(attrs):
            self._href = dict(attrs)["href"]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, self.getpos()
        if tag == "a":
            self._href = None

    def handle_data(self, text: str) -> None:
        if self.open and self.open[-1] == "script":
            self.scripts.append(text)
        if self._href is not None and text.strip():
            self.cells.append((self._href, text.strip()))


@pytest.fixture(scope="module")
def reports() -> dict[str, eh.Report]:
    all_reports = {}
    for task, (folder, gold, systems) in EXAMPLES.items():
        path = ROOT / "src" / "evenhand" / "examples" / folder
        all_reports[task] = eh.report(path / gold, [path / system for system in systems], task=task, **QUICK)  # type: ignore[arg-type]
    return all_reports


@pytest.fixture(scope="module")
def pages(reports: dict[str, eh.Report]) -> dict[str, str]:
    return {task: report.to_html() for task, report in reports.items()}


@pytest.mark.parametrize("task", EXAMPLES)
def test_the_page_is_well_formed_and_loads_nothing(pages: dict[str, str], task: str) -> None:
    text = pages[task]
    page = Parsed(text)
    assert page.open == []
    policy = [attribute["content"] for tag, attribute in page.attributes if tag == "meta" and "http-equiv" in attribute]
    assert policy == ["default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"]
    assert [tag for tag, _ in page.attributes if tag in ("img", "link", "iframe")] == []
    assert not any("src" in attribute for _, attribute in page.attributes)
    assert set(re.findall(r"https?://[^\"' ]*", text)) == {"http://www.w3.org/2000/svg"}
    assert all((attribute["href"] or "").startswith("#") for tag, attribute in page.attributes if tag == "a")


@pytest.mark.parametrize("task", EXAMPLES)
def test_the_data_is_what_the_units_are(reports: dict[str, eh.Report], pages: dict[str, str], task: str) -> None:
    scripts = Parsed(pages[task]).scripts
    assert len(scripts) == 2
    assert re.fullmatch(r"[A-Za-z0-9+/=]+", scripts[0])
    data = json.loads(gzip.decompress(b64decode(scripts[0])))
    assert data == json.loads(json.dumps(unit_data(reports[task])))


def test_the_page_is_the_same_each_time(pages: dict[str, str], example: Path) -> None:
    systems = [example / name for name in EXAMPLES["spans"][2]]
    assert eh.report(example / "gold.conll", systems, task="spans", **QUICK).to_html() == pages["spans"]


def verdicts(data: dict[str, Any], wanted: dict[str, str], *, is_of_entities: bool = False) -> int:
    """How many units have a verdict of a kind, and the labels, that an address asks for."""
    system = data["systems"].index(wanted["system"])
    if is_of_entities:
        kinds = [name for name, *_ in data["entities"]["errors"][system]]
        errors = [error for document in data["entities"]["documents"] for error in document["s"][system]["e"]]
        return sum(kinds[error[0]] in wanted["kind"].split(",") for error in errors)
    total = 0
    for code in data["class"][system]:
        kind, *codes = data["classes"][code]
        labels = ["" if each < 0 else data["labels"][each] for each in codes]
        name = data["kinds"][kind]
        right = name in data["right"]
        total += (
            name in wanted.get("kind", name).split(",")
            and labels[0] == wanted.get("gold", labels[0])
            and labels[1] == wanted.get("predicted", labels[1])
            and int(right) == int(wanted.get("right", right))
        )
    return total


@pytest.mark.parametrize("task", EXAMPLES)
def test_cells_count_the_units_they_lead_to(reports: dict[str, eh.Report], pages: dict[str, str], task: str) -> None:
    data = unit_data(reports[task])
    checked = 0
    for href, text in Parsed(pages[task]).cells:
        given = parse_qs(href.partition("?")[2], keep_blank_values=True)
        wanted = {name: value[0] for name, value in given.items()}
        if re.fullmatch(r"[\d,]+", text) and set(wanted) <= {"system", "kind", "gold", "predicted", "right"}:
            found = verdicts(data, wanted, is_of_entities=href.startswith("#entities"))
            assert found == int(text.replace(",", "")), href
            checked += 1
    assert checked > 30


def test_a_limit_keeps_errors_first(example: Path) -> None:
    report = eh.report(example / "gold.conll", example / "crf.conll", limit=20, **QUICK)
    data = unit_data(report)
    kinds = {data["kinds"][data["classes"][code][0]] for code in data["class"][0]}
    assert (len(data["sentence"]), report.units.included) == (20, 20)
    assert report.units.total > 20
    assert "TP" not in kinds
    with pytest.raises(eh.SettingError, match="limit is -1"):
        eh.report(example / "gold.conll", example / "crf.conll", limit=-1)


def test_the_function_is_not_hidden_by_the_folder_of_the_same_name(example: Path) -> None:
    str(eh.score(example / "gold.conll", example / "crf.conll"))
    assert callable(eh.report)


@pytest.mark.long
def test_fifty_thousand_units_are_under_4_mb(tmp_path: Path) -> None:
    chance = random.Random(1)
    files = [(tmp_path / name).open("w") for name in ("gold.conll", "a.conll", "b.conll")]
    for _ in range(17_000):
        words = [f"word{chance.randrange(20_000)}" for _ in range(18)]
        tags = ["O"] * 18
        for place in (2, 7, 13):
            tags[place] = f"B-{chance.choice(('PER', 'ORG', 'LOC', 'MISC'))}"
        for file in files:
            wrong = [tag if file is files[0] or chance.random() < 0.8 else "O" for tag in tags]
            file.write("".join(f"{word} {tag}\n" for word, tag in zip(words, wrong, strict=True)) + "\n")
    for file in files:
        file.close()
    report = eh.report(tmp_path / "gold.conll", [tmp_path / "a.conll", tmp_path / "b.conll"], **QUICK)
    assert len(report.units.units()) == 50_000
    assert len(report.to_html().encode()) < 4_000_000


# Queries as addresses of a page


@pytest.mark.parametrize(
    ("query", "spelled"),
    [
        (Query("crf", kind="LE", gold="PER"), "#units?system=crf&kind=LE&gold=PER"),
        (Query("crf", right=False, gold="", predicted="a&b=c"), "#units?system=crf&right=0&gold=&predicted=a%26b%3Dc"),
        (Query(from_="a", to="b", different=True, label="É"), "#units?from=a&to=b&different=1&label=%C3%89"),
        (Query(of="gold", solved="some"), "#units?of=gold&solved=some"),
    ],
)
def test_what_is_asked_for_is_spelled_in_one_order(query: Query, spelled: str) -> None:
    assert address(query, "fair") == spelled


def test_verdicts_of_another_score_are_not_in_the_page() -> None:
    query = Query("crf", kind="wl", by="arcs_any")
    assert address(query, "arcs_any") == "#units?system=crf&kind=wl"
    assert address(query, "arcs_nom") is None
    assert address(None, "arcs_any") is None


def test_cells_without_a_figure_have_no_link() -> None:
    columns = [Column("label", "text"), Column("a", "count"), Column("b", "bar"), Column("c", "percent")]
    asked = [Query(label=name) for name in "wxyz"]
    table = html_table(DisplayTable("", columns, [["PER", 0, 0.5, 0.5]], queries=[asked]), "fair")
    assert [(cell.text, cell.href) for cell in table.rows[0]] == [
        ("PER", "#units?label=w"),
        ("0", None),
        ("50.00", "#units?label=z"),
    ]


def test_pages_do_not_need_matplotlib() -> None:
    code = "import sys; sys.modules['matplotlib'] = None; import evenhand.report.html"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_units_have_the_confidences_of_systems(tmp_path: Path) -> None:
    """One row per system, in the order of the page; None for units without a score, and for systems without any."""
    words = [["Ada", "met", "Babbage", "in", "Rome"]]
    gold = eh.spans([[("PER", 0, 1), ("PER", 2, 3), ("LOC", 4, 5)]], tokens=words, end="exclusive")
    sure = eh.spans([[("PER", 0, 1, 0.9), ("ORG", 2, 3, 0.25), ("PER", 1, 2, 0.5)]], tokens=words, end="exclusive")
    bare = eh.spans([[("PER", 0, 1), ("PER", 2, 3), ("LOC", 4, 5)]], tokens=words, end="exclusive")
    data = unit_data(eh.report(gold, {"sure": sure, "bare": bare}, **QUICK))
    assert data["systems"] == ["bare", "sure"]
    units = zip(data["start"], *msgspec.json.decode(msgspec.json.encode(data["score"])), strict=True)
    assert sorted(units) == [(0, None, 0.9), (1, None, 0.5), (2, None, 0.25), (4, None, None)]
    assert unit_data(eh.report(gold, {"bare": bare}, **QUICK))["score"] is None


def test_words_and_relations_have_confidences_in_a_page(tmp_path: Path) -> None:
    gold, system = tmp_path / "gold.tsv", tmp_path / "system.tsv"
    gold.write_text("Ada\tNOUN\nmet\tVERB\n")
    system.write_text("Ada\tNOUN\t0.75\nmet\tNOUN\t_\n")
    data = unit_data(eh.report(gold, system, task="tags", column=2, score=3, missing_score="lowest", **QUICK))
    assert msgspec.json.decode(msgspec.json.encode(data["score"])) == [[0.75, None]]
    record: dict[str, Any] = {"tokens": ["Ada", "met", "Babbage"]}
    record["spans"] = [{"id": at, "start": at, "end": at + 1, "label": "PER"} for at in (0, 2)]
    relations = [
        {"head": 0, "tail": 2, "label": "met", "score": 0.5},
        {"head": 2, "tail": 0, "label": "saw", "score": 1},
    ]
    for name, listed in (("gold", relations[:1]), ("system", relations)):
        (tmp_path / f"{name}.jsonl").write_text(json.dumps({**record, "relations": listed}))
    data = unit_data(eh.report(tmp_path / "gold.jsonl", tmp_path / "system.jsonl", **QUICK))
    assert sorted(zip(data["surplus"], *data["score"], strict=True)) == [(0, 0.5), (1, 1.0)]
