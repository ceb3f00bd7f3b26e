"""`make picture`: docs/report.png, the report on the bundled example, as the README shows it."""

from __future__ import annotations

import sys
from contextlib import chdir
from importlib.resources import as_file, files
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from website.camera import find_chromium, opened, started

PICTURE = Path(__file__).parent / "report.png"
SIZE = (1280, 1250)
UNITS = "#units?from=crf&to=tagger&change=correction&before=BES%20ORG"
SHOWN = """() => {
    for (const section of document.querySelectorAll("main > section"))
        if (!["overview", "units"].includes(section.id)) section.hidden = true;
    document.activeElement.blur();
    window.scrollTo(0, 0);
}"""
"""The overview, and below it the error browser."""


def main() -> None:
    if find_spec("playwright") is None:
        sys.exit("The picture needs playwright: pip install playwright.")
    chromium = find_chromium()
    if chromium is None:
        sys.exit("The picture needs chromium, which is not installed.")
    with started(chromium) as browser:
        photograph(browser, PICTURE)


def photograph(browser: Any, picture: Path, scheme: str = "light") -> None:
    """Draw the report on the bundled example."""
    with TemporaryDirectory() as folder:
        page = write_page(Path(folder) / "report.html")
        with opened(browser, page, SIZE, scheme, UNITS) as tab:
            tab.evaluate(SHOWN)
            box = tab.locator("#browser").bounding_box()
            bottom = box["y"] + box["height"] + 8
            tab.screenshot(path=picture, full_page=True, clip={"x": 0, "y": 0, "width": SIZE[0], "height": bottom})


def write_page(path: Path) -> Path:
    import evenhand
    from evenhand.tasks.registry import TASKS

    example = TASKS["spans"].example
    with as_file(files(example.package) / "examples" / example.folder) as folder, chdir(folder):
        evenhand.report(example.gold, list(example.systems)).to_html(path)
    return path


if __name__ == "__main__":
    main()
