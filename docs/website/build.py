"""`make site`: the site from docs/, in build/site/html.

Any warning fails the build, and so do a link that leads nowhere, a page that does not become ready for its picture, and
a search that does not list the page that readers want first.
"""

from __future__ import annotations

import re
import shutil
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from sphinx.cmd.build import build_main

sys.path.insert(0, str(Path(__file__).parents[1]))

from picture import photograph
from website.api import api_pages
from website.camera import find_chromium, started
from website.commands import command_pages
from website.declarations import formats_page, models_page
from website.gallery import write_gallery
from website.links import dead_links
from website.pictures import draw_pictures
from website.search import misplaced
from website.staging import ROOT, add_contents, stage

SITE = ROOT / "build" / "site"
FROM_CODE = """
## From the code

| page | contents |
| --- | --- |
| [Commands](command-line/index.md) | every command with all of its options |
| [Python interface](api/index.md) | every function and class |
| [Measures at a glance](match-models.md) | the names that `--match` accepts, and their parameters |
| [Formats at a glance](format-table.md) | what each format can hold |
"""
WIDE = "---\nhtml_theme.sidebar_secondary.remove: true\n---\n\n"
"""Before the home page, which has no list of its sections beside it."""
MORE = """
## More

[Gallery](gallery.md) · [Changes](CHANGELOG.md) · [Numbers](NUMBERS.md) · [Contributing](CONTRIBUTING.md)
"""


def main() -> None:
    shutil.rmtree(SITE, ignore_errors=True)
    source, extra, html = SITE / "source", SITE / "extra", SITE / "html"
    stage(source)
    draw_pictures(source)
    for name, text in command_pages().items():
        _write(source / "reference" / "command-line" / name, text)
    _write(source / "reference" / "match-models.md", models_page())
    _write(source / "reference" / "format-table.md", formats_page())
    for name, text in api_pages().items():
        _write(source / "reference" / "api" / name, text)
    chromium = find_chromium()
    if chromium is None:
        sys.stderr.write("chromium is not installed, so the site has no pictures of pages.\n")
    with started(chromium) if chromium else nullcontext() as browser:
        write_gallery(source, extra, browser)
        if browser is not None:
            _show_both_schemes(source, browser)
    _append(source / "reference" / "index.md", FROM_CODE)
    home = source / "index.md"
    _write(home, WIDE + home.read_text(encoding="utf-8") + MORE)
    add_contents(source)
    settings = str(Path(__file__).parent)
    status = build_main(["-W", "--keep-going", "-n", "-q", "-b", "html", "-c", settings, str(source), str(html)])
    if status:
        sys.exit(status)
    problems = list(dead_links(html))
    if chromium:
        with started(chromium) as browser:
            problems += misplaced(browser, html)
    if problems:
        sys.exit("\n".join(problems))
    sys.stdout.write(f"{html / 'index.html'}\n")


def _show_both_schemes(source: Path, browser: Any) -> None:
    """Show the report on the home page in light and in dark colours."""
    home = source / "index.md"
    text = home.read_text(encoding="utf-8")
    (shown,) = re.finditer(r"^!\[([^\]]+)\]\(report\.png\)$", text, re.MULTILINE)
    images = []
    for scheme in ("light", "dark"):
        photograph(browser, source / f"report-{scheme}.png", scheme)
        images.append(f"```{{image}} report-{scheme}.png\n:alt: {shown[1]}\n:class: only-{scheme}\n```")
    home.write_text(text.replace(shown[0], "\n\n".join(images)), encoding="utf-8")


def _write(page: Path, text: str) -> None:
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(text, encoding="utf-8")


def _append(page: Path, text: str) -> None:
    page.write_text(page.read_text(encoding="utf-8") + text, encoding="utf-8")


if __name__ == "__main__":
    main()
