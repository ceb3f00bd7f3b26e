"""A browser for all tests of pages, and the pages; skipped where there is no browser."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import evenhand as eh
from conftest import ROOT
from declared import EXAMPLES
from evenhand.tasks.registry import TASKS
from pages import QUICK, Open

ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-ipc-flooding-protection",
)
"""The last one lifts the bound on how often a script may change the address, which only tests reach."""


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Chromium, as Debian packages it."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        pytest.skip("chromium is not installed")
    with playwright.sync_playwright() as started:
        running = started.chromium.launch(executable_path=chromium, args=list(ARGUMENTS))
        yield running
        running.close()


@pytest.fixture(scope="session")
def example_reports() -> dict[str, eh.Report]:
    """Reports on the bundled examples, by task."""
    all_reports = {}
    for task in (*EXAMPLES, "constituents", "records"):
        example = TASKS[task].example
        path = ROOT / "src" / "evenhand" / "examples" / example.folder
        systems = [path / system for system in example.systems]
        all_reports[task] = eh.report(path / example.gold, systems, task=task, **QUICK)
    return all_reports


@pytest.fixture(scope="session")
def example_pages(
    browser: Any, example_reports: dict[str, eh.Report], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    for task, report in example_reports.items():
        report.to_html(folder / f"{task}.html")
    return {task: folder / f"{task}.html" for task in example_reports}


@pytest.fixture
def open_page(browser: Any) -> Iterator[Open]:
    """Opens a page, waits for its units, and in the end asks that nothing went wrong and nothing was fetched."""
    contexts, problems = [], list[str]()

    def opened(path: Path, fragment: str = "", **options: Any) -> Any:
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        contexts.append(context)
        page = context.new_page()
        address = path.as_uri()
        page.on("console", lambda message: problems.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: problems.append(f"error: {error}"))
        page.on("dialog", lambda dialog: (problems.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.on("request", lambda request: request.url.split("#")[0] == address or problems.append(request.url))
        page.goto(address + fragment)
        page.wait_for_selector("html[data-ready=true]", state="attached")
        return page

    yield opened
    for context in contexts:
        context.close()
    assert problems == []
