"""`make site`: the site from docs/, in build/site/html. Any warning fails the build, also a link that leads nowhere."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from sphinx.cmd.build import build_main

sys.path.insert(0, str(Path(__file__).parents[1]))

from website.api import api_pages
from website.commands import commands_page
from website.declarations import formats_page, models_page
from website.gallery import write_gallery
from website.links import dead_links
from website.pictures import draw_pictures
from website.staging import ROOT, add_contents, stage

SITE = ROOT / "build" / "site"
FROM_CODE = """
## From the code

| page | |
| --- | --- |
| [Commands](command-line.md) | every command with all of its options |
| [Python interface](api/index.md) | every function and class |
| [Measures](match-models.md) | the names that `--match` accepts, and their parameters |
| [Formats at a glance](format-table.md) | what each format can hold |
"""
MORE = """
## More

[Gallery](gallery.md) · [Changes](CHANGELOG.md) · [Contributing](CONTRIBUTING.md)
"""


def main() -> None:
    shutil.rmtree(SITE, ignore_errors=True)
    source, extra, html = SITE / "source", SITE / "extra", SITE / "html"
    stage(source)
    draw_pictures(source)
    _write(source / "reference" / "command-line.md", commands_page())
    _write(source / "reference" / "match-models.md", models_page())
    _write(source / "reference" / "format-table.md", formats_page())
    for name, text in api_pages().items():
        _write(source / "reference" / "api" / name, text)
    write_gallery(source, extra)
    _append(source / "reference" / "index.md", FROM_CODE)
    _append(source / "index.md", MORE)
    add_contents(source)
    settings = str(Path(__file__).parent)
    status = build_main(["-W", "--keep-going", "-n", "-q", "-b", "html", "-c", settings, str(source), str(html)])
    if status:
        sys.exit(status)
    dead = list(dead_links(html))
    if dead:
        sys.exit("\n".join(dead))
    sys.stdout.write(f"{html / 'index.html'}\n")


def _write(page: Path, text: str) -> None:
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(text, encoding="utf-8")


def _append(page: Path, text: str) -> None:
    page.write_text(page.read_text(encoding="utf-8") + text, encoding="utf-8")


if __name__ == "__main__":
    main()
