"""Docstrings as Markdown: paragraphs stay, lists of parameters in two columns become tables."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterable
from textwrap import dedent

BAR = r"\|"
NAMES = re.compile(r"\w+(, \w+)*")


def markdown(docstring: str | None) -> str:
    """A docstring, paragraph by paragraph."""
    return "\n\n".join(map(_paragraph, inspect.cleandoc(docstring or "").split("\n\n")))


def table(header: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """A table in Markdown; bars in cells are escaped."""
    lines = [header, ("---",) * len(header), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', BAR) for cell in line)} |" for line in lines)


def fields(kind: type) -> dict[str, str]:
    """Docstrings of the fields of a class, by name; the empty string for fields without one."""
    (definition,) = ast.parse(dedent(inspect.getsource(kind))).body
    assert isinstance(definition, ast.ClassDef)
    all_fields: dict[str, str] = {}
    name = ""
    for statement in definition.body:
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            name = statement.target.id
            all_fields[name] = ""
        elif name and isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
            all_fields[name] = " ".join(str(statement.value.value).split())
        else:
            name = ""
    return {name: text for name, text in all_fields.items() if not name.startswith("_")}


def _paragraph(text: str) -> str:
    lines = text.splitlines()
    if text.startswith("\b\n"):
        return _literal(dedent(text.removeprefix("\b\n")))
    if not any(line.startswith(" ") for line in lines) and not re.match(r"\w+(, \w+)* {2,}\S", text):
        return text
    return (not text.startswith(" ") and _parameters(lines)) or _literal(dedent(text))


def _literal(text: str) -> str:
    return f"```text\n{text}\n```"


def _parameters(lines: list[str]) -> str:
    """Names in the first column, what they are in the second one; empty if the lines are something else."""
    widths = [len(line) - len(line.lstrip()) for line in lines if line.startswith(" ")]
    first = re.match(r"\w+(, \w+)* +", lines[0])
    width = min(widths) if widths else first.end() if first else 0
    rows: list[tuple[str, str]] = []
    for line in lines:
        name, rest = line[:width].strip(), line[width:].strip()
        if NAMES.fullmatch(line.strip()) and not line.startswith(" "):
            name, rest = line.strip(), ""
        elif name and (line[width - 1] != " " or not NAMES.fullmatch(name)):
            return ""
        if name:
            rows.append((f"`{name}`", rest))
        else:
            rows[-1] = (rows[-1][0], f"{rows[-1][1]} {rest}".strip())
    return table(("parameter", ""), rows)
