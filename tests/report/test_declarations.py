"""Reports ask declarations: nothing in the room knows the name of a task or a match model."""

from __future__ import annotations

import ast

from conftest import ROOT
from evenhand.report.html import script
from evenhand.tasks.registry import TASKS, models_of

ROOM = ROOT / "src" / "evenhand" / "report"
BUILT_IN = ("spans", "tags", "trees", "chains")
NAMES = {*BUILT_IN, *(model.name for task in BUILT_IN for model in models_of(task))} - {"t"}
"""All but one that is too short to mean anything."""


def test_no_report_tells_tasks_or_models_by_name() -> None:
    assert set(BUILT_IN) <= set(TASKS)
    found = [
        (path.relative_to(ROOM).as_posix(), node.value)
        for path in sorted(ROOM.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in NAMES
    ]
    drawings = [("html/__init__.py", "spans"), ("html/__init__.py", "chains")]  # what a script draws
    assert found == [("figures/canvas.py", "constrained"), *drawings]  # a layout


def test_the_page_does_not_know_its_task() -> None:
    assert "data.task" not in script()
