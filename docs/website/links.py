"""Links of the built pages: every file and every anchor that they name is there."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

OTHER = ("reports", "_static")
"""Folders of pages that the site does not write."""


class Names(HTMLParser):
    """What a page links to, and its anchors."""

    def __init__(self) -> None:
        super().__init__()
        self.targets: list[str] = []
        self.anchors: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.anchors.add(given.get("id") or "")
        target = given.get("href") or given.get("src")
        if target:
            self.targets.append(target)


@cache
def names_of(page: Path) -> Names:
    names = Names()
    names.feed(page.read_text(encoding="utf-8"))
    return names


def dead_links(site: Path) -> Iterator[str]:
    """Links between pages of a site that lead nowhere."""
    pages = (page for page in sorted(site.rglob("*.html")) if page.relative_to(site).parts[0] not in OTHER)
    for page in pages:
        for target in dict.fromkeys(names_of(page).targets):
            parts = urlsplit(target)
            file = page.parent / unquote(parts.path) if parts.path else page
            if parts.scheme or target.startswith("//"):
                continue
            if not file.exists():
                yield f"{page.relative_to(site)}: there is no {target}"
            elif parts.fragment and file.suffix == ".html" and unquote(parts.fragment) not in names_of(file).anchors:
                yield f"{page.relative_to(site)}: {target} has no such anchor"
