"""Writes reference/definitions.md and the pages in reference/definitions/ from the templates beside them (`.in.md`).

A line `{{evenhand.tasks.spans.fair}}` is replaced by the docstring of that module, class or function, which must end
with its sources; `{{references}}` is replaced by the bibliography in src/evenhand/references.bib, and `{{sections}}`
by a list of the sections of all pages. `make docs` runs this; tests/test_docs.py fails if a page is outdated.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from inspect import cleandoc
from pathlib import Path
from pkgutil import resolve_name
from textwrap import wrap

from evenhand.registry import references
from evenhand.tasks.registry import TASKS, models_of

INDEX = Path(__file__).with_name("reference") / "definitions.in.md"
FOLDER = INDEX.with_name("definitions")
REFERENCES = "references"
"""The name of the page with the bibliography."""
WIDTH = 120
"""Of the lines of the bibliography."""
HEADING = re.compile(r"^(#+) (.+)$", re.MULTILINE)


def templates() -> dict[str, str]:
    """The templates of the pages by name, in the order of the index."""
    names = dict.fromkeys(re.findall(r"\(definitions/([\w-]+)\.md\)", INDEX.read_text(encoding="utf-8")))
    missing = {path.name.removesuffix(".in.md") for path in FOLDER.glob("*.in.md")} - names.keys()
    if missing:
        raise ValueError(f"definitions.in.md does not link to these pages of its folder: {', '.join(sorted(missing))}.")
    return {name: (FOLDER / f"{name}.in.md").read_text(encoding="utf-8") for name in names}


def written() -> dict[Path, str]:
    """All pages, by file."""
    pages = {name: fill(template) for name, template in templates().items()}
    index = INDEX.read_text(encoding="utf-8").replace("{{sections}}", "\n".join(_sections(pages)))
    return {FOLDER.with_suffix(".md"): index, **{FOLDER / f"{name}.md": text for name, text in pages.items()}}


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


def _sections(pages: Mapping[str, str]) -> Iterator[str]:
    """The headings of all pages as a list of links.

    Each has an anchor with the heading's name, because all definitions were once on one page, and links to it remain.
    """
    for name, text in pages.items():
        for level, heading in HEADING.findall(text):
            page = f"definitions/{name}.md"
            indent = "  " * (len(level) - 1)
            target = page if len(level) == 1 else f"{page}#{anchor(heading)}"
            title = re.sub(r" \(`.+\)$", "", heading)
            yield f'{indent}- <a id="{anchor(heading)}"></a>[{title}]({target})'


def anchor(heading: str) -> str:
    """The name of a heading in links: lower-case letters and digits, with hyphens for spaces."""
    return re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-")


def problems(pages: Mapping[str, str], templates: Mapping[str, str]) -> Iterator[str]:
    """Measures without a section on the page of their task, sections without a source, sources without a reference."""
    for task, model in ((name, each) for name in TASKS for each in models_of(name)):
        if f"{{{{{model.definition}}}}}" not in templates.get(task, ""):
            yield f"The definition of {model.name}, {model.definition}, is not in definitions/{task}.in.md."
        names = (f"`{model.name}`", f"`{model.name.partition('-')[0]}-…`")
        sections = pages.get(task, "").split("\n## ")[1:]
        section = next((each for each in sections if any(name in each.partition("\n")[0] for name in names)), None)
        if section is None:
            yield f"The match model {model.name} of {task} has no section; write a heading with `{model.name}` in it."
        elif not re.search("^Sources?: ", section, re.MULTILINE):
            yield f"The section of the match model {model.name} of {task} names no source."
    bibliography = pages[REFERENCES].split("\n- ")
    body = "\n".join(text for name, text in pages.items() if name != REFERENCES)
    for name, year in sorted(set(re.findall(r"([\w-]+)(?: et\s+al\.)?\s(\d{4})\b", body))):
        if not any(name in line and f"({year})" in line for line in bibliography):
            yield f"There is no reference for {name} {year}; add it to src/evenhand/references.bib."


def main() -> None:
    all_templates = templates()
    found = list(problems({name: fill(template) for name, template in all_templates.items()}, all_templates))
    if found:
        sys.exit("\n".join(found))
    for page, text in written().items():
        page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
