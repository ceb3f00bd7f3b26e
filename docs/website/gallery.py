"""The gallery: a picture of each kind of figure, and of each page that a command writes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import chdir
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import evenhand
from evenhand import Agreement, Report
from evenhand.cli.compare import plot
from evenhand.tasks.registry import TASKS
from evenhand.tasks.task import Example, Task
from website.camera import PATIENCE, opened
from website.staging import ROOT

EXAMPLES = ROOT / "src" / "evenhand" / "examples"
OF_CONFIDENCES = ("pr", "threshold", "calibration", "risk")
FIGURES = {
    "errors": ("spans", "trees"),
    "confusion": ("spans", "tags"),
    "comparison": ("spans",),
    "ranks": ("spans", "chains"),
    **dict.fromkeys(OF_CONFIDENCES, ("spans",)),
    "causes": ("spans",),
    "power": ("spans",),
    "suspects": ("spans",),
}
"""The kinds of figures, and the tasks that they are drawn for."""
ARGUMENTS = {
    **dict.fromkeys(OF_CONFIDENCES, "gold.conll scored.jsonl"),
    "causes": "gold.conll crf.conll",
    "power": "gold.conll crf.conll tagger.conll --by-sentence",
    "suspects": "draft.conll crf.conll tagger.conll --truth gold.conll",
}
"""The arguments of kinds that need confidences, two systems, or a corrected gold standard."""
HEAD = """# Gallery

Every picture and every page here was made by one command on the bundled examples (`src/evenhand/examples`).
[Figures for papers](how-to/figures.md) and [Reports](how-to/report.md) explain them.
"""
WINDOW = (1280, 900)


def write_gallery(source: Path, extra: Path, browser: Any | None) -> None:
    """Write the page with its pictures into the folder of sources, and the reports beside the site.

    Without a browser, pages have links only.
    """
    assert set(FIGURES) == set(plot.commands), "every kind of figure has a picture"
    (source / "gallery").mkdir()
    (extra / "reports").mkdir(parents=True)
    parts = [HEAD, "## Figures", *_figures(source), "## Pages", *_shown_pages(source, extra, browser)]
    (source / "gallery.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def _figures(source: Path) -> Iterator[str]:
    for kind, names in FIGURES.items():
        summary = plot.commands[kind].get_short_help_str(200).rstrip(".")
        begin = summary[0].lower() if summary[1:2].islower() else summary[0]
        yield f"### `{kind}`: {begin}{summary[1:]}"
        for name in names:
            task = TASKS[name]
            picture = f"gallery/{kind}-{name}.svg"
            files = ARGUMENTS.get(kind) or _files(task)
            command = f"evenhand plot {kind} {files} -o {kind}.svg"
            with chdir(EXAMPLES / task.example.folder):
                plot.main([kind, *files.split(), "-o", str(source / picture), "--quiet"], standalone_mode=False)
            yield f"```sh\n{command}\n```\n\n![{kind} of {task.title}]({picture})"


@dataclass(frozen=True)
class Page:
    """A page that a command writes: its name and title here, the command, and what has the page."""

    name: str
    title: str
    command: str
    result: Callable[[], Report | Agreement]


def _pages() -> Iterator[Page]:
    for task in TASKS.values():
        gold, *systems = (EXAMPLES / task.example.folder / file for file in _names(task.example))
        command = f"evenhand report {_files(task)} -o report.html"
        title = task.title[0].upper() + task.title[1:]
        yield Page(task.name, title, command, partial(evenhand.report, gold, systems, task=task.name))
    annotators = [EXAMPLES / "ner" / "crf.conll", EXAMPLES / "ner" / "tagger.conll"]
    command = "evenhand agree crf.conll tagger.conll --page agreement.html"
    yield Page("agreement", "Agreement of annotators", command, partial(evenhand.agree, annotators))


def _shown_pages(source: Path, extra: Path, browser: Any | None) -> Iterator[str]:
    """Every page with its command, a picture of its top if there is a browser, and a link."""
    for page in _pages():
        file = extra / "reports" / f"{page.name}.html"
        page.result().to_html(file)
        yield f"### {page.title}"
        yield f"```sh\n{page.command}\n```"
        if browser is not None:
            picture = f"gallery/page-{page.name}.png"
            photograph(browser, file, source / picture)
            yield f"![{page.title}: the top of the page]({picture})"
        yield f'<a href="reports/{page.name}.html">Open this page</a>'


def photograph(browser: Any, page: Path, picture: Path, patience: int = PATIENCE) -> None:
    """Draw the top of a page, in light colours."""
    with opened(browser, page, WINDOW, patience=patience) as tab:
        tab.screenshot(path=picture)


def _names(example: Example) -> tuple[str, ...]:
    return (example.gold, *example.systems)


def _files(task: Task) -> str:
    files = " ".join(_names(task.example))
    return f"{files} {task.example.options}".rstrip()
