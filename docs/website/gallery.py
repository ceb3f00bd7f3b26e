"""The gallery: a picture of each kind of figure, and of the report on each bundled example."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path

import evenhand
from evenhand.cli.plot import plot
from evenhand.tasks.registry import TASKS
from evenhand.tasks.task import Example, Task
from website.staging import ROOT

EXAMPLES = ROOT / "src" / "evenhand" / "examples"
FIGURES = {
    "errors": ("spans", "trees"),
    "confusion": ("spans", "tags"),
    "comparison": ("spans",),
    "ranks": ("spans", "chains"),
}
"""The kinds of figures, and the tasks that they are drawn for."""
HEAD = """# Gallery

Every picture and every page here was made by one command on the bundled examples (`src/evenhand/examples`).
[Figures for papers](how-to/figures.md) and [Reports](how-to/report.md) explain them.
"""
WINDOW = (1280, 900)


def write_gallery(source: Path, extra: Path) -> None:
    """The page with its pictures into the folder of sources; the reports beside the site, as they are."""
    assert set(FIGURES) == set(plot.commands), "every kind of figure has a picture"
    (source / "gallery").mkdir()
    (extra / "reports").mkdir(parents=True)
    parts = [HEAD, "## Figures", *_figures(source), "## Reports", *_reports(source, extra)]
    (source / "gallery.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def _figures(source: Path) -> Iterator[str]:
    for kind, names in FIGURES.items():
        yield f"### {kind}"
        for name in names:
            task = TASKS[name]
            picture = f"gallery/{kind}-{name}.svg"
            command = f"evenhand plot {kind} {_files(task)} -o {kind}.svg"
            with chdir(EXAMPLES / task.example.folder):
                plot.main([kind, *_files(task).split(), "-o", str(source / picture), "--quiet"], standalone_mode=False)
            yield f"```sh\n{command}\n```\n\n![{kind} of {task.title}]({picture})"


def _reports(source: Path, extra: Path) -> Iterator[str]:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    for task in TASKS.values():
        page = extra / "reports" / f"{task.name}.html"
        gold, *systems = (EXAMPLES / task.example.folder / file for file in _names(task.example))
        evenhand.report(gold, systems, task=task.name).to_html(page)
        yield f"### {task.title[0].upper()}{task.title[1:]}"
        yield f"```sh\nevenhand report {_files(task)} -o report.html\n```"
        if chromium:
            picture = f"gallery/report-{task.name}.png"
            _photograph(chromium, page, source / picture)
            yield f"![The report on {task.title}]({picture})"
        yield f'<a href="reports/{task.name}.html">Open this report</a>'


def _photograph(chromium: str, page: Path, picture: Path) -> None:
    """A picture of the top of a page, in light colours."""
    settings = ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--force-device-scale-factor=1")
    size = f"--window-size={WINDOW[0]},{WINDOW[1]}"
    command = [chromium, *settings, size, f"--screenshot={picture}", page.as_uri()]
    subprocess.run(command, check=True, capture_output=True, timeout=120)


def _names(example: Example) -> tuple[str, ...]:
    return (example.gold, *example.systems)


def _files(task: Task) -> str:
    files = " ".join(_names(task.example))
    return f"{files} {task.example.options}".rstrip()
