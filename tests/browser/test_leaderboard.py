"""Leaderboards in a browser: sorted and filtered tables, tracks as tabs, and no page wider than a phone."""

from __future__ import annotations

from pathlib import Path

import pytest

import evenhand as eh
from evenhand.files import whole_folder
from evenhand.report.html.leaderboard import write_board
from pages import VIOLATIONS, WIDTHS, Open, axe

WORDS = ("Ada", "saw", "Bo", "in", "Rome")


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ten teams: each misses one more name than the one before."""
    folder = tmp_path_factory.mktemp("board")
    names = [f"{word} B-PER\nsaw O\n" for word in WORDS * 2]
    for track in ("closed", "open"):
        (folder / f"{track}.conll").write_text("\n".join(names))
        for number in range(10):
            path = folder / "submissions" / f"team{9 - number}" / f"{track}.conll"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(
                "\n".join(text.replace("B-PER", "O") if at < number else text for at, text in enumerate(names))
            )
    data = "".join(
        f'[[data]]\nname = "{name}"\ntrack = "{name}"\ngold = "{name}.conll"\n' for name in ("closed", "open")
    )
    (folder / "task.toml").write_text(f'submissions = "submissions/{{team}}/{{data}}.conll"\n{data}')
    with whole_folder(folder / "board") as write:
        write_board(eh.leaderboard(folder / "task.toml", resamples=50, trials=50), write)
    return folder / "board"


def test_sorting_and_filtering(open_page: Open, board: Path) -> None:
    page = open_page(board / "index.html")
    table = page.locator("#track-closed table")
    teams = table.locator("tbody tr td[data-label=Team]")
    assert teams.all_inner_texts() == [f"team{number}" for number in range(9, -1, -1)]
    table.get_by_role("button", name="Team").click()
    assert teams.all_inner_texts() == [f"team{number}" for number in range(10)]
    assert table.locator("th[aria-sort]").inner_text().startswith("Team")
    table.get_by_role("button", name="closed (exact)").click()
    assert teams.first.inner_text() == "team9"
    page.locator("#track-closed .filter").fill("team3")
    assert table.locator("tbody tr:visible").count() == 1


def test_tracks_are_tabs(open_page: Open, board: Path) -> None:
    page = open_page(board / "index.html")
    assert [page.locator(f"#track-{name}").is_visible() for name in ("closed", "open")] == [True, False]
    page.locator(".tabs a", has_text="open").click()
    page.locator("#track-closed").wait_for(state="hidden")
    assert [page.locator(f"#track-{name}").is_visible() for name in ("closed", "open")] == [False, True]


NAMES = ["index.html", "closed.html", "about.html", "systems/team9.html"]


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_axe_finds_no_violation(open_page: Open, board: Path, name: str) -> None:
    for viewport, scheme in zip(WIDTHS, ("light", "dark"), strict=True):
        page = open_page(board / name, viewport=viewport, color_scheme=scheme)
        page.evaluate(axe())
        assert page.evaluate(VIOLATIONS) == [], scheme


@pytest.mark.parametrize("name", NAMES)
def test_pages_fit_a_phone(open_page: Open, board: Path, name: str) -> None:
    page = open_page(board / name, viewport={"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
