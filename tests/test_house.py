"""The order of the house, and what is loaded when."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import ROOT
from evenhand.formats.format import FORMATS
from evenhand.tasks.registry import TASKS, models_of

SOURCE = ROOT / "src" / "evenhand"
ROOMS = (
    "__version__",
    "versions",
    "dataclass",
    "registry",
    "plugins",
    "errors",
    "files",
    "tables",
    "parameters",
    "settings",
    "keywords",
    "arrays",
    "data",
    "alignment",
    "grounding",
    "formats",
    "scoring",
    "statistics",
    "tasks",
    "pipeline",
    "engines",
    "comparison",
    "agreement",
    "results",
    "report",
    "api",
    "integrations",
    "cli",
    "__main__",
)
"""From the bottom up: a module imports only from its own room and those before it."""


def room(module: str) -> str:
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else ""


def imports(path: Path) -> list[str]:
    """The modules of this package that a module imports when it is loaded."""
    all_imports = []
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.Import):
            all_imports += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            all_imports += [
                f"{node.module}.{alias.name}" if node.module == "evenhand" else node.module for alias in node.names
            ]
    return [name for name in all_imports if name.startswith("evenhand.")]


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=lambda path: str(path.relative_to(SOURCE)))
def test_modules_import_only_from_rooms_before_their_own(path: Path) -> None:
    own = path.relative_to(SOURCE).with_suffix("").parts[0]
    if own == "__init__":
        return
    place = ROOMS.index(own)
    for name in imports(path):
        assert ROOMS.index(room(name)) <= place, f"{path.name} imports {name}"


DECLARING = ("tasks", "formats", "examples", "data", "alignment")
"""The rooms that may know tasks, match models and formats by name: where they are declared, and layers have names."""


def names_in(path: Path) -> set[str]:
    """The texts that a module compares something with, or looks something up by."""
    members: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            parts = [part for side in sides for part in (side.elts if isinstance(side, ast.Tuple) else [side])]
            members |= {part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)}
    return members


@pytest.mark.parametrize(
    "path",
    [path for path in sorted(SOURCE.rglob("*.py")) if path.relative_to(SOURCE).parts[0] not in DECLARING],
    ids=lambda path: str(path.relative_to(SOURCE)),
)
def test_nobody_branches_on_the_name_of_a_task_match_model_or_format(path: Path) -> None:
    words = {"accuracy", "all", "strict", "documents"}  # of ours, too, and of seqeval
    models = {model.name for task in TASKS for model in models_of(task)} - words
    formats = {*FORMATS} - {"csv", "json", "jsonl"}  # which are forms of output, too
    assert not names_in(path) & {*TASKS, *models, *formats}


def loaded_by(statement: str) -> set[str]:
    code = f"import sys; {statement}; print(*sys.modules)"
    return set(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split())


@pytest.mark.parametrize("statement", ["import evenhand", "import evenhand.cli", "import evenhand.cli.score"])
def test_help_is_instant_because_nothing_heavy_is_loaded(statement: str) -> None:
    assert not loaded_by(statement) & {"numpy", "msgspec", "tempfile"}


def test_a_score_of_a_small_file_loads_nothing_that_it_does_not_need(tmp_path: Path) -> None:
    paths = [tmp_path / "gold.conll", tmp_path / "system.conll"]
    for path in paths:
        path.write_text("Ada B-PER\n")
    command = ["score", *map(str, paths), "-q", "-o", str(tmp_path / "scores.txt")]
    loaded = loaded_by(f"from evenhand.cli import main; main({command}, standalone_mode=False)")
    assert not loaded & {"hashlib", "importlib.metadata", "jinja2", "numpy.ma", "shutil", "tempfile"}
    pinned = set((ROOT / "tests" / "modules_of_a_small_score.txt").read_text().split())
    assert sorted(name for name in loaded if name.startswith("evenhand") and name not in pinned) == []


def test_data_classes_are_those_that_are_quick_to_load() -> None:
    """`from evenhand.dataclass import dataclass`; all else of `dataclasses` is the standard library's."""
    slow = re.compile(r"^\s*from dataclasses import .*\bdataclass\b", re.MULTILINE)
    assert [path.name for path in SOURCE.rglob("*.py") if slow.search(path.read_text())] == ["dataclass.py"]


def test_public_names() -> None:
    code = "import evenhand; print(all(getattr(evenhand, name) is not None for name in evenhand.__all__))"
    assert subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout == "True\n"
    import evenhand

    with pytest.raises(AttributeError, match="no 'nothing'"):
        evenhand.nothing  # noqa: B018
