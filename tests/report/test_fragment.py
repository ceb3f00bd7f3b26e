"""Results in notebooks: pieces of HTML that are well-formed, carry no script, and keep data apart from markup."""

from __future__ import annotations

import re
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import evenhand as eh
from conftest import ROOT
from evenhand.report import notebook as fragment
from evenhand.results.display import Displayed

EXAMPLES = ROOT / "src" / "evenhand" / "examples"
ALLOWED = {
    *("div", "p", "pre", "small", "strong", "code", "details", "summary"),
    *("table", "thead", "tbody", "tr", "th", "td"),
}


class Page(HTMLParser):
    """Reads a fragment and complains where a browser would mend."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.rows: list[int] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        assert tag in ALLOWED, tag
        assert len(dict(attributes)) == len(attributes)
        self.open.append(tag)
        self.tags.append((tag, dict(attributes)))
        if tag == "tr":
            self.rows.append(0)
        if tag in ("td", "th"):
            self.rows[-1] += 1

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def refuse(self, data: str) -> None:
        raise AssertionError(f"{data!r} is no part of a fragment")

    handle_comment = handle_decl = handle_pi = unknown_decl = refuse

    def named(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


def page(subject: Any) -> Page:
    return Page(subject._repr_html_())


def files(task: str, *names: str) -> tuple[Path, list[Path]]:
    ending = {"ner": "conll", "tags": "tsv", "trees": "conllu", "chains": "conll"}[task]
    return EXAMPLES / task / f"gold.{ending}", [EXAMPLES / task / f"{name}.{ending}" for name in names]


FEW = {"trials": 10, "resamples": 10}
MADE = {
    "one": lambda: eh.score(*files("ner", "crf"))["crf"],
    "several": lambda: eh.score(*files("ner", "crf", "tagger", "gazetteer"), match="exact,fair,ts,semeval"),
    "tags": lambda: eh.score(*files("tags", "hmm", "neural"), task="tags"),
    "trees": lambda: eh.score(*files("trees", "rules", "neural")),
    "chains": lambda: eh.score(*files("chains", "rules", "neural")),
    "comparison": lambda: eh.compare(*files("trees", "rules", "neural"), show="new_error", **FEW),
    "comparison of chains": lambda: eh.compare(*files("chains", "rules", "neural"), **FEW),
    "ranking": lambda: eh.rank(*files("ner", "crf", "tagger"), resamples=10),
    "gate": lambda: eh.gate(files("ner")[0], *files("ner", "crf", "tagger")[1], trials=50),
}


@cache
def made(name: str) -> Any:
    return MADE[name]()


@pytest.mark.parametrize("name", MADE)
def test_fragments_are_well_formed(name: str) -> None:
    found = page(made(name))
    assert found.named("table")
    for attributes in (each for _, each in found.tags):
        assert set(attributes) <= {"class", "style", "scope", "dir", "open", "cellpadding", "aria-hidden", "tabindex"}
        assert "url" not in (attributes.get("style") or "")


@pytest.mark.parametrize("name", MADE)
def test_fragments_say_what_the_text_says(name: str) -> None:
    subject = made(name)
    words = " ".join(" ".join(page(subject).texts).split())
    for line in re.sub("─+", "", str(subject)).splitlines():
        for part in re.split(r"  +", line.strip()):
            assert " ".join(part.split()).rstrip(":") in words


def test_every_row_of_a_table_has_as_many_cells() -> None:
    text = made("several")._repr_html_()
    for table in re.findall(r"<table.*?</table>", text, re.DOTALL):
        assert len(set(Page(table).rows)) == 1


def test_one_system_is_open_and_several_are_folded() -> None:
    assert [set(each) for each in page(made("one")).named("details")] == [{"open"}]
    assert [set(each) for each in page(made("several")).named("details")] == [set()] * 3
    before, *_ = made("several")._repr_html_().partition("<details>")
    assert "semeval-strict" in before, "the summary stands above what is folded"


def test_units_are_shown_below_the_pairs() -> None:
    assert "units: new error" in page(made("comparison")).texts


ODD = (
    *("<script>alert(1)</script>", "</script>", "]]>", "{{x}}", "&lt;", "<!-- x", '"><img src=x onerror=alert(1)>'),
    *("' onclick='x", "$x^2$", "</table></div>", "שלום עולם", "人名"),
)


@pytest.mark.parametrize("label", ODD)
def test_text_from_data_stays_text(label: str) -> None:
    """Labels and names of systems, in tables, headings and notes."""
    gold, system = eh.spans([[(label, 0, 1), ("A", 2, 3)]], name=label), eh.spans([[("A", 0, 1), (label, 2, 4)]])
    results = eh.score(gold, {label: system, "other": gold})
    comparison = eh.compare(gold, {label: system, "other": gold}, show="unsolved", **FEW)
    ranking = eh.rank(gold, {label: system, "other": gold}, resamples=0)
    for subject in (results, results[label], comparison, ranking):
        assert any(label in text for text in page(subject).texts)
    mapped = eh.score(gold, system, map={"A": label})
    assert any(f"|map:A={label}|" in text for text in page(mapped).texts), "the signature"


CONTROLS = {
    "\x1b[31m": r"\x1b[31m",
    "\0": r"\x00",
    "a\rb": r"a\rb",
    "\x9b": r"\x9b",
    "\u202ex": r"\u202ex",
    "\x7f": r"\x7f",
}


@pytest.mark.parametrize("label", CONTROLS, ids=CONTROLS.values())
def test_control_characters_are_spelled_out(label: str) -> None:
    gold = eh.spans([[(label, 0, 1)]])
    text = eh.score(gold, {label: gold})._repr_html_()
    assert CONTROLS[label] in Page(text).texts
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]", text)


def test_text_from_right_to_left_has_its_direction() -> None:
    gold = eh.spans([[("שלום", 0, 1)]])
    assert {each.get("dir") for each in page(eh.score(gold, gold)).named("td")} == {None, "auto"}


def test_formulas_are_not_typeset() -> None:
    """MathJax leaves elements of these classes alone."""
    (first, *_) = page(made("one")).named("div")
    assert first["class"] == "evenhand tex2jax_ignore mathjax_ignore"


def test_long_tables_are_cut_and_say_so() -> None:
    labels = [f"L{number:03}" for number in range(fragment.MAX_ROWS + 20)]
    gold = eh.spans([[(label, place, place + 1) for place, label in enumerate(labels)]])
    html = page(eh.score(gold, gold, match="exact"))
    assert "L099" in html.texts
    assert "L100" not in html.texts
    assert "macro avg" in html.texts, "rows that sum up are there"
    assert any(text.endswith("The first 100 of 120 rows; to_pandas() returns all of them.") for text in html.texts)


def test_germeval(tmp_path: Path) -> None:
    path = tmp_path / "both.tsv"
    path.write_text("1\tAda\tB-PER\tO\tI-PER\tO\n2\tsees\tO\tO\tO\tO\n")
    html = page(eh.germeval(path))
    assert "strict, combined" in html.texts
    assert "LOCderiv" in html.texts
    assert any(text.startswith("Predictions right on the other level: 0; Repaired tags: 1 (") for text in html.texts)


def test_what_has_no_tables_is_shown_as_text() -> None:
    class Other(Displayed):
        def __str__(self) -> str:
            return "a <b>\n\x1b[0mc\n"

    assert fragment.render(Other()) == (
        '<div class="evenhand tex2jax_ignore mathjax_ignore">\n<pre>a &lt;b&gt;\n\\x1b[0mc</pre>\n</div>\n'
    )
