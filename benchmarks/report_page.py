"""What a page costs: its time beside that of `compare`, its size, and its first filter in a browser."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import corpus
from promises import bounded

MILLION = 70_000
"""So many sentences have a million tokens."""
SHORT = 20_000
ROUNDS = 3
CEILING = 8
SENTENCES = 60_000
OPENINGS = 5
ARGUMENTS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run")


@dataclass(frozen=True)
class Bound:
    """A measurement that is to stay below a bound."""

    what: str
    unit: str
    below: float


FILTERS = {
    Bound("first filter in a page with 50,000 units", "ms", 200): "#units?system=a&right=0&gold=LOC",
    Bound("the same, a search in all texts", "ms", 200): "#units?text=an",
}
"""Addresses that are asked for first, in pages that were just opened."""
SIZE = Bound("size of a page with 50,000 units", "MB", 15)


def beside_compare(folder: Path, sentences: int = MILLION) -> list[dict[str, Any]]:
    """The CPU time of a report, and of `compare --show`, by that of `compare`: commands on the same files, in turns."""
    gold, systems = corpus.write_pair(folder, sentences)
    files = [str(gold), *map(str, sorted(systems.glob("*.conll")))]
    commands = {
        "compare": ["compare", *files],
        "compare --show": ["compare", *files, "--show", "new_error"],
        "report": ["report", *files, "--quiet", "--output", str(folder / "report.html")],
    }
    seconds: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(ROUNDS):
        for name, command in commands.items():
            seconds[name].append(_cpu_seconds(command))
    once = median(seconds.pop("compare"))
    return [
        bounded(f"{name} of {sentences:,} sentences : compare", median(times) / once, ceiling=CEILING)
        for name, times in seconds.items()
    ]


def _cpu_seconds(command: list[str]) -> float:
    """The CPU time of a command, with its start."""
    program = str(Path(sys.executable).with_name("evenhand"))
    process = subprocess.Popen([program, *command], stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"failed: evenhand {' '.join(command)}")
    return used.ru_utime + used.ru_stime


def measure(folder: Path) -> list[dict[str, Any]] | None:
    """The measurements beside their bounds; None where there is no browser."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return None
    if chromium is None:
        return None
    page = write_page(folder)
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=chromium, args=list(ARGUMENTS))
        rows = [
            _row(bound, median(_first_filter(browser, page, address) for _ in range(OPENINGS)))
            for bound, address in FILTERS.items()
        ]
        browser.close()
    return [*rows, _row(SIZE, page.stat().st_size / 1e6)]


def write_page(folder: Path) -> Path:
    """A report on two systems, as large as the command makes it without another limit."""
    import evenhand

    gold, systems = corpus.write_pair(folder, SENTENCES)
    report = evenhand.report(gold, sorted(systems.glob("*.conll")), trials=100, resamples=100)
    assert len(report.units.units()) == 50_000
    path = folder / "report-50000.html"
    report.to_html(path)
    return path


def _first_filter(browser: Any, path: Path, address: str) -> float:
    """Milliseconds from the new address until its units are filtered, listed and the first one is drawn."""
    page = browser.new_page()
    page.goto(path.as_uri())
    page.wait_for_selector("html[data-ready=true]", state="attached", timeout=120_000)
    evaluated = page.evaluate(
        """(address) => new Promise((done) => {
            const answer = () => done(document.documentElement.dataset.filterMs);
            window.addEventListener("hashchange", answer, { once: true });
            location.hash = address;
        })""",
        address,
    )
    page.close()
    return float(evaluated)


def _row(bound: Bound, value: float) -> dict[str, Any]:
    wanted = f"< {bound.below:g} {bound.unit}"
    return {"what": bound.what, "value": value, "unit": bound.unit, "wanted": wanted, "kept": value < bound.below}
