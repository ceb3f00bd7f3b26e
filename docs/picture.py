"""`make picture`: docs/report.png, the report on the bundled example, as the README shows it."""

from __future__ import annotations

import shutil
import sys
from contextlib import chdir
from importlib.resources import as_file, files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

PICTURE = Path(__file__).parent / "report.png"
ARGUMENTS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run")
UNITS = "#units?from=crf&to=tagger&change=correction&before=BES%20ORG"
SHOWN = """() => {
    for (const section of document.querySelectorAll("main > section"))
        if (!["overview", "units"].includes(section.id)) section.hidden = true;
    document.activeElement.blur();
    window.scrollTo(0, 0);
}"""
"""The overview, and below it the error browser."""


def main() -> None:
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        sys.exit("The picture needs playwright: pip install playwright.")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        sys.exit("The picture needs chromium, which is not installed.")
    with TemporaryDirectory() as folder, sync_playwright() as started:
        path = write_page(Path(folder) / "report.html")
        browser = started.chromium.launch(executable_path=chromium, args=list(ARGUMENTS))
        photograph(browser, path)
        browser.close()


def write_page(path: Path) -> Path:
    import evenhand
    from evenhand.tasks.registry import TASKS

    example = TASKS["spans"].example
    with as_file(files(example.package) / "examples" / example.folder) as folder, chdir(folder):
        evenhand.report(example.gold, list(example.systems)).to_html(path)
    return path


def photograph(browser: Any, path: Path) -> None:
    page = browser.new_page(viewport={"width": 1280, "height": 1250}, color_scheme="light")
    page.goto(path.as_uri() + UNITS)
    page.wait_for_selector("html[data-ready=true]", state="attached")
    page.evaluate(SHOWN)
    box = page.locator("#browser").bounding_box()
    bottom = box["y"] + box["height"] + 8
    page.screenshot(path=PICTURE, full_page=True, clip={"x": 0, "y": 0, "width": 1280, "height": bottom})


if __name__ == "__main__":
    main()
