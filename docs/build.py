"""Writes reference/definitions.md: reference/definitions.in.md, filled with the docstrings that define the numbers.

A line `{{evenhand.tasks.spans.fair}}` is replaced by the docstring of that module, class or function, which must end
with its sources; `{{references}}` is replaced by the bibliography in src/evenhand/references.bib. `make docs` runs
this; tests/test_docs.py fails if the page is outdated.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from inspect import cleandoc
from pathlib import Path
from pkgutil import resolve_name
from textwrap import wrap

from evenhand.registry import references
from evenhand.tasks.registry import TASKS, models_of

TEMPLATE = Path(__file__).with_name("reference") / "definitions.in.md"
PAGE = Path(__file__).with_name("reference") / "definitions.md"
REFERENCES = "\n## References\n"
WIDTH = 120
"""Of the lines of the bibliography."""


def fill(template: str) -> str:
    """The template with a docstring in every place, and the bibliography."""
    whole = template.replace("{{references}}", "\n".join(_lines()))
    return re.sub(r"^\{\{(.+)\}\}$", lambda place: definition(place[1]), whole, flags=re.MULTILINE)


def _lines() -> Iterator[str]:
    """The references as a list."""
    for each in references():
        yield from wrap(each.line, WIDTH, initial_indent="- ", subsequent_indent="  ", break_on_hyphens=False)


def definition(name: str) -> str:
    """The docstring of a module, class or function; its last paragraph names the sources."""
    text = cleandoc(resolve_name(name).__doc__ or "")
    if not text.rpartition("\n\n")[2].startswith(("Source: ", "Sources: ")):
        raise ValueError(f"The docstring of {name} does not end with its sources; add a paragraph 'Source: …'.")
    return text


def problems(page: str, template: str) -> Iterator[str]:
    """Match models without a section, sections of match models without a source, sources without a reference."""
    body, _, bibliography = page.partition(REFERENCES)
    sections = body.split("\n## ")[1:]
    for model in (model for task in TASKS for model in models_of(task)):
        if f"{{{{{model.definition}}}}}" not in template:
            yield f"The definition of the match model {model.name}, {model.definition}, is not in definitions.in.md."
    for model in (model.name for task in TASKS for model in models_of(task)):
        names = (f"`{model}`", f"`{model.partition('-')[0]}-…`")
        section = next((each for each in sections if any(name in each.partition("\n")[0] for name in names)), None)
        if section is None:
            yield f"The match model {model} has no section; write a heading with `{model}` in it."
        elif not re.search("^Sources?: ", section, re.MULTILINE):
            yield f"The section of the match model {model} names no source."
    for name, year in sorted(set(re.findall(r"([\w-]+)(?: et\s+al\.)?\s(\d{4})\b", body))):
        if not any(name in line and f"({year})" in line for line in bibliography.split("\n- ")):
            yield f"There is no reference for {name} {year}; add it to src/evenhand/references.bib."


def main() -> None:
    page = fill(TEMPLATE.read_text(encoding="utf-8"))
    found = list(problems(page, TEMPLATE.read_text(encoding="utf-8")))
    if found:
        sys.exit("\n".join(found))
    PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
