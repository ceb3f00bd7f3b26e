"""A task from outside has tables, figures and a page without a word about them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import evenhand as eh
from conftest import ROOT
from evenhand.report.comparison_tables import summary_of_comparison
from evenhand.report.document import document
from evenhand.report.html import SCRIPTS, one_function
from evenhand.tasks.registry import TASKS, models_of
from foreign import TOPICS
from pages import QUICK

EXAMPLE = ROOT / "src" / "evenhand" / "examples" / "ner"


@pytest.fixture(scope="module", autouse=True)
def topics() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(TASKS.__dict__, "_plugins", {"topics": TOPICS})
        yield


@pytest.fixture(scope="module")
def sides() -> tuple[eh.Annotation, dict[str, eh.Annotation]]:
    return eh.read(EXAMPLE / "gold.conll"), {name: eh.read(EXAMPLE / f"{name}.conll") for name in ("crf", "tagger")}


@pytest.fixture(scope="module")
def results(sides: tuple[eh.Annotation, dict[str, eh.Annotation]]) -> eh.Results:
    return eh.score(*sides, task="topics")


def test_tables_of_scores(results: eh.Results) -> None:
    shown = document(results)
    assert shown.opening == "gold standard gold: 87 sentences in 8 documents, 1,449 tokens"
    summary, crf, tagger = shown.sections
    (table,) = summary.tables
    assert [column.name for column in table.columns] == ["system", "sentences", "correct", "accuracy", "macro F1"]
    assert [row[:3] for row in table.rows] == [["crf", 87, 72], ["tagger", 87, 81]]
    assert (crf.heading, tagger.heading) == ("crf: 87 sentences", "tagger: 87 sentences")
    assert [table.title for table in crf.tables] == ["accuracy", "confusion (errors only)"]
    assert [row[0] for row in crf.tables[0].rows[:6]] == ["LOC", "MISC", "ORG", "PER", "none", "micro avg"]


def test_other_forms(results: eh.Results) -> None:
    assert "| crf | 87 | 72 | 82.76 | 82.23 |" in results.to_markdown()
    assert r"crf & 87 & 72 & 82.76 & 82.23 \\" in results.to_latex()
    assert results.to_pandas()["row"].tolist()[:4] == ["overall", "macro", "support", "label"]


def test_tables_of_a_comparison(sides: tuple[eh.Annotation, dict[str, eh.Annotation]]) -> None:
    comparison = eh.compare(*sides, task="topics", **QUICK)
    titles = [table.title or table.columns[0].name for table in summary_of_comparison(comparison)]
    assert titles == ["system", "from", "oracle", "systems correct", "agreement", "both correct"]
    headings = [section.heading for section in document(comparison).sections]
    assert headings[-1] == "crf to tagger, 19 of 87 units, by label:"


def test_figures(results: eh.Results, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    errors = results.plot("errors", path=tmp_path / "errors.svg")
    assert [text.get_text() for text in errors.texts] == [
        "Sentences with a wrong label, by their label in the gold standard."
    ]
    confusion = results.plot("confusion")
    assert [text.get_text() for text in confusion.texts] == ["Errors only."]


# Reports ask declarations: nothing in the room knows the name of a task or a match model


ROOM = ROOT / "src" / "evenhand" / "report"
BUILT_IN = ("spans", "tags", "trees", "chains")
NAMES = {*BUILT_IN, *(model.name for task in BUILT_IN for model in models_of(task))} - {"t"}
"""All but one that is too short to mean anything."""


def test_no_report_tells_tasks_or_models_by_name() -> None:
    assert set(BUILT_IN) <= set(TASKS)
    items = [
        (path.relative_to(ROOM).as_posix(), node.value)
        for path in sorted(ROOM.rglob("*.py"))
        if path.name != "entities.py"  # draws what only chains have
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in NAMES
    ]
    drawings = [("html/__init__.py", "spans"), ("html/__init__.py", "chains")]  # what a script draws
    layouts = [(f"figures/{name}.py", "constrained") for name in ("confidence", "plots", "power", "suspects")]
    assert items == [*layouts, *drawings]


def test_the_page_does_not_know_its_task() -> None:
    assert "data.task" not in one_function(SCRIPTS)
