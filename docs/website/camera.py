"""Pictures of pages that commands write, taken with chromium when a page reports that it is ready."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ARGUMENTS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run")
READY = "html[data-ready=true]"
"""Set by the scripts of a page when all of its units are unpacked and shown."""
PATIENCE = 60_000
"""Milliseconds that a page has to become ready."""


def find_chromium() -> str | None:
    return shutil.which("chromium") or shutil.which("chromium-browser")


@contextmanager
def started(chromium: str) -> Iterator[Any]:
    """A running browser."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=list(ARGUMENTS))
        yield browser
        browser.close()


@contextmanager
def opened(
    browser: Any, page: Path, size: tuple[int, int], scheme: str = "light", fragment: str = "", patience: int = PATIENCE
) -> Iterator[Any]:
    """A page that is ready, in a window of this size; a TimeoutError if it does not become ready."""
    from playwright.sync_api import TimeoutError as PlaywrightTimeout

    tab = browser.new_page(viewport={"width": size[0], "height": size[1]}, color_scheme=scheme)
    try:
        tab.goto(page.as_uri() + fragment)
        try:
            tab.wait_for_selector(READY, state="attached", timeout=patience)
        except PlaywrightTimeout:
            raise TimeoutError(f"{page} was not ready after {patience / 1000:g} seconds") from None
        yield tab
    finally:
        tab.close()
