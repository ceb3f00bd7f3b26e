"""The order of the house, and what is loaded when."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import ROOT

SOURCE = ROOT / "src" / "evenhand"
ROOMS = (
    "version",
    "names",
    "registry",
    "problems",
    "limits",
    "memory",
    "files",
    "relabeling",
    "settings",
    "arguments",
    "parameters",
    "arrays",
    "bits",
    "text",
    "formats",
    "tally",
    "scores",
    "statistics",
    "tasks",
    "pipeline",
    "comparison",
    "result",
    "report",
    "engines",
    "api",
    "cli",
)
"""From the bottom up: a module imports only from its own room and those before it."""


IN_TRANSIT = (
    *("scores/model_score.py", "scores/system_scores.py"),
    *(
        f"tasks/{task}/{name}.py"
        for task in ("spans", "words", "chains")
        for name in ("comparison", "judging", "passage", "tables", "comparison_tables")
    ),
)
"""Modules that are still on their way to rooms of their own."""


def room(module: str) -> str:
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else ""


def imports(path: Path) -> list[str]:
    """The modules of this package that a module imports when it is loaded."""
    found = []
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            found += [
                f"{node.module}.{alias.name}" if node.module == "evenhand" else node.module for alias in node.names
            ]
    return [name for name in found if name.startswith("evenhand.")]


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=lambda path: str(path.relative_to(SOURCE)))
def test_modules_import_only_from_rooms_before_their_own(path: Path) -> None:
    own = path.relative_to(SOURCE).with_suffix("").parts[0]
    if own == "__init__" or path.relative_to(SOURCE).as_posix() in IN_TRANSIT:
        return
    place = ROOMS.index(own)
    for name in imports(path):
        assert ROOMS.index(room(name)) <= place, f"{path.name} imports {name}"


def loaded_by(statement: str) -> set[str]:
    code = f"import sys; {statement}; print(*sys.modules)"
    return set(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split())


@pytest.mark.parametrize("statement", ["import evenhand", "import evenhand.cli", "import evenhand.cli.score"])
def test_help_is_instant_because_nothing_heavy_is_loaded(statement: str) -> None:
    assert not loaded_by(statement) & {"numpy", "msgspec", "tempfile"}


def test_public_names() -> None:
    code = "import evenhand; print(all(getattr(evenhand, name) is not None for name in evenhand.__all__))"
    assert subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout == "True\n"
    import evenhand

    with pytest.raises(AttributeError, match="no 'nothing'"):
        evenhand.nothing  # noqa: B018
