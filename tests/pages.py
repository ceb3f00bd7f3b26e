"""Pages as tests make and ask them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from declared import EXAMPLES

ALWAYS = ("chains", "spans")
"""The tasks whose pages differ most; those of the others are looked at by `make test-long`."""
TASKS = [name if name in ALWAYS else pytest.param(name, marks=pytest.mark.long) for name in sorted(EXAMPLES)]
QUICK: dict[str, Any] = {"trials": 50, "resamples": 50}
"""Reports whose tests and intervals do not matter."""
Open = Callable[..., Any]
"""What the fixture `open_page` is."""
WIDTHS = ({"width": 1440, "height": 900}, {"width": 390, "height": 844})
VIOLATIONS = """() => axe.run(document, { resultTypes: ["violations"] }).then((found) =>
    found.violations.flatMap((each) => each.nodes.map((node) => `${each.id}: ${node.target.join(" ")} (${node.any.concat(node.all).map((one) => one.message).join("; ")})`)))"""
STUCK = """() => [...document.querySelectorAll("*")].filter((node) => {
    const { overflowX, overflowY } = getComputedStyle(node), can = (value) => ["auto", "scroll"].includes(value);
    const scrolls = (can(overflowX) && node.scrollWidth > node.clientWidth) || (can(overflowY) && node.scrollHeight > node.clientHeight);
    return scrolls && node !== document.documentElement && node.tabIndex < 0 && !node.querySelector("a, button, select, [tabindex='0']");
}).map((node) => node.outerHTML.slice(0, 80))"""


def axe() -> str:
    """The script of axe-core."""
    package = pytest.importorskip("axe_playwright_python", reason="axe-playwright-python is not installed")
    return (Path(package.__file__).parent / "axe.min.js").read_text(encoding="utf-8")


def status(page: Any) -> str:
    text: str = page.text_content("#status")
    return text


def count(page: Any) -> int:
    return int(status(page).split(" of ")[0].replace(",", ""))


def follow(page: Any, act: Callable[[], object]) -> None:
    """Do what changes the address; what it asks for is listed when this returns.

    Browsers tell a page of a new address some time after it changed, and the page lists its units only then.
    """
    page.evaluate(
        """() => {
            const mark = document.documentElement.dataset;
            delete mark.followed;
            window.addEventListener("hashchange", () => { mark.followed = "true"; }, { once: true });
        }"""
    )
    act()
    page.wait_for_selector("html[data-followed=true]", state="attached")


def go(page: Any, fragment: str) -> None:
    """Another fragment of the same page; its units are listed when this returns."""
    if fragment_of(page) != fragment:
        follow(page, lambda: page.evaluate("(fragment) => { location.hash = fragment; }", fragment))


def choose(page: Any, name: str, **option: Any) -> None:
    """Set a filter by the label or the index of an option; what it asks for is listed when this returns."""
    page.evaluate("document.querySelectorAll('#more-filters').forEach((more) => { more.open = true; })")
    follow(page, lambda: page.select_option(f"[name={name}]", **option))


def step_down(page: Any) -> None:
    """The next unit of the list; its name is in the address, which follows a moment behind the key."""
    before = fragment_of(page)
    page.locator("#list").press("j")
    until(page, lambda: fragment_of(page) != before)


def listed(page: Any) -> list[str]:
    """The rows in sight."""
    texts: list[str] = page.eval_on_selector_all("#list .unit", "rows => rows.map((row) => row.textContent)")
    return texts


def selected(page: Any) -> int:
    """The place of the selected unit in the list; -1 if there is none."""
    evaluated: int = page.evaluate(
        "Number((document.querySelector('#list [aria-selected=true]') ?? { id: '--1' }).id.replace('unit-', ''))"
    )
    return evaluated


WRONG_LINKS = """([selector, most]) => {
    const number = (text) => Number(text.trim().split(" of ")[0].replaceAll(",", ""));
    const wrong = [], seen = new Map();
    const said = (link) => {
        const label = link.getAttribute("aria-label");
        return label ? number(label.slice(label.lastIndexOf(":") + 1)) : number(link.textContent);
    };
    const isCount = (link) => Number.isInteger(said(link)) && !/[.%]/.test(link.textContent);
    const all = [...document.querySelectorAll(selector)].filter(isCount);
    const links = most ? all.filter((_, at) => Math.floor(at * most / all.length) !== Math.floor((at - 1) * most / all.length)) : all;
    for (const link of links) {
        const target = link.getAttribute("href"), wanted = said(link);
        if (!seen.has(target)) {
            history.replaceState(null, "", target);
            window.dispatchEvent(new HashChangeEvent("hashchange"));
            const listed = target.startsWith("#entities") ? document.getElementById("chains").dataset.count : document.getElementById("status").textContent;
            seen.set(target, number(listed));
        }
        if (seen.get(target) !== wanted) wrong.push(`${target}: ${wanted}, shown ${seen.get(target)}`);
    }
    return [most ? links.length : seen.size, wrong];
}"""


def wrong_links(page: Any, selector: str, most: int = 0) -> tuple[int, Sequence[str]]:
    """How many links lead to different units, and those that lead to another number of them than they say.

    With `most`, as many of all links, whether their units differ or not.
    """
    size, wrong = page.evaluate(WRONG_LINKS, [selector, most])
    return size, wrong


def until(page: Any, holds: Callable[[], bool]) -> None:
    """Wait for something, 30 seconds at most; the page's policy forbids what Playwright would do."""
    for _ in range(1500):
        if holds():
            return
        page.wait_for_timeout(20)
    raise AssertionError("it did not come to be")


def fragment_of(page: Any) -> str:
    fragment: str = page.evaluate("location.hash")
    return fragment
