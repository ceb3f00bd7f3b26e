"""Pages as tests make and ask them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

QUICK: dict[str, Any] = {"trials": 50, "resamples": 50}
"""Reports whose tests and intervals do not matter."""
Open = Callable[..., Any]
"""What the fixture `open_page` is."""


def status(page: Any) -> str:
    text: str = page.text_content("#status")
    return text


def count(page: Any) -> int:
    return int(status(page).split(" of ")[0].replace(",", ""))


def go(page: Any, fragment: str) -> None:
    """Another fragment of the same page; its units are listed when this returns."""
    page.evaluate(
        """(fragment) => new Promise((done) => {
            if (location.hash === fragment) return done();
            window.addEventListener("hashchange", () => done(), { once: true });
            location.hash = fragment;
        })""",
        fragment,
    )


def listed(page: Any) -> list[str]:
    """The rows in sight."""
    texts: list[str] = page.eval_on_selector_all("#list .unit", "rows => rows.map((row) => row.textContent)")
    return texts


def selected(page: Any) -> int:
    """The place of the selected unit in the list; -1 if there is none."""
    place: int = page.evaluate(
        "Number((document.querySelector('#list [aria-selected=true]') ?? { id: '--1' }).id.replace('unit-', ''))"
    )
    return place


WRONG_LINKS = """(selector) => {
    const number = (text) => Number(text.trim().split(" of ")[0].replaceAll(",", ""));
    const wrong = [], seen = new Map();
    const links = [...document.querySelectorAll(selector)];
    for (const link of links) {
        const target = link.getAttribute("href");
        const label = link.getAttribute("aria-label");
        const wanted = label ? number(label.slice(label.lastIndexOf(":") + 1)) : number(link.textContent);
        if (!Number.isInteger(wanted) || /[.%]/.test(link.textContent)) continue;
        if (!seen.has(target)) {
            history.replaceState(null, "", target);
            window.dispatchEvent(new HashChangeEvent("hashchange"));
            seen.set(target, number(document.getElementById("status").textContent));
        }
        if (seen.get(target) !== wanted) wrong.push(`${target}: ${wanted}, shown ${seen.get(target)}`);
    }
    return [seen.size, wrong];
}"""


def wrong_links(page: Any, selector: str) -> tuple[int, Sequence[str]]:
    """How many links lead to different units, and those that lead to another number of them than they say."""
    size, wrong = page.evaluate(WRONG_LINKS, selector)
    return size, wrong


def until(page: Any, holds: Callable[[], bool]) -> None:
    """Wait for something, five seconds at most; the page's policy forbids what Playwright would do."""
    for _ in range(250):
        if holds():
            return
        page.wait_for_timeout(20)
    raise AssertionError("it did not come to be")


def fragment_of(page: Any) -> str:
    fragment: str = page.evaluate("location.hash")
    return fragment
