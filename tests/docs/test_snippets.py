"""Every command and every line of Python in README and docs is run, and gives the output that the page shows."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from conftest import ROOT
from snippets import Block, Session, blocks, matches, shown

PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")])
FILES = Path(__file__).parent / "files"
"""Small files beside those of the bundled examples, by folder."""


@pytest.fixture
def examples(tmp_path: Path) -> Path:
    """A copy of the bundled examples, with the files that pages use besides."""
    shutil.copytree(ROOT / "src" / "evenhand" / "examples", tmp_path / "examples")
    shutil.copytree(FILES, tmp_path / "examples", dirs_exist_ok=True)
    return tmp_path / "examples"


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_block_is_run_or_says_why_not(path: Path) -> None:
    for block in blocks(path.read_text(encoding="utf-8")):
        if block.is_code and not block.is_run:
            place = f"{path.name}:{block.start}"
            assert {"not run", "file"} & block.marks.keys(), f"{place}: the block is neither run nor marked as not run"


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_pages_show_what_their_code_gives(path: Path, examples: Path, renews: bool) -> None:
    page = path.read_text(encoding="utf-8")
    lines, session = page.splitlines(), Session(examples, examples)
    grown = 0
    for block in blocks(page):
        followed = session.follow(block)
        if not renews:
            assert "\n".join(followed) == block.text, (
                f"{path.name}:{block.start}: the output is another one (make golden)"
            )
        start = block.start + grown
        lines[start : start + len(block.lines)] = [line and block.indent + line for line in followed]
        grown += len(followed) - len(block.lines)
    if "\n".join(lines) != page.rstrip("\n"):
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.mark.heavy
@pytest.mark.parametrize("name", ["how-to/have.md", "reference/python.md"])
def test_blocks_that_need_large_packages(name: str, examples: Path) -> None:
    page, session = (ROOT / "docs" / name).read_text(encoding="utf-8"), Session(examples, examples)
    needed = {block.marks["needs"] for block in blocks(page) if "needs" in block.marks}
    for package in sorted(needed):
        pytest.importorskip(package)
    for block in blocks(page):
        assert "\n".join(session.follow(block)) == block.text, f"{name}:{block.start}: the output is another one"


# How blocks are found, run and compared


def page(*parts: str) -> Block:
    (block,) = blocks("\n".join(parts))
    return block


def test_comments_above_a_block_belong_to_it() -> None:
    marked = page("<!-- not run: needs a cluster -->", "", "```sh", "evenhand score", "```")
    assert marked.marks == {"not run": "needs a cluster"}
    assert marked.is_code
    assert not marked.is_run
    assert page("<!-- not run: no -->", "Text between.", "```sh", "evenhand score", "```").is_run


def test_a_block_in_a_list_is_a_block() -> None:
    block = page("1. Do this:", "", "   ```python", "   if x:", "       y()", "   ```")
    assert (block.lines, block.indent) == (("if x:", "    y()"), "   ")
    assert block.is_run


def test_a_block_without_a_language_is_code_where_it_has_a_command() -> None:
    assert page("```", "evenhand score gold.conll", "```").is_code
    assert not page("```", "-DOCSTART-", "```").is_code


def test_an_ellipsis_stands_for_lines_and_for_parts_of_lines() -> None:
    assert matches(["a", "…", "d 1…3"], ["a", "b", "c", "d 1.5.3"])
    assert matches(["…"], [])
    assert not matches(["a", "d"], ["a", "b", "d"])
    assert not matches(["a"], ["a", "b"])


def test_new_output_is_elided_as_the_old_one_was() -> None:
    assert shown(["…", "F1 70", "…"], ["x", "F1 70", "y"]) == ["…", "F1 70", "…"]
    assert shown(["x", "…", "F1", "70", "…"], ["x", "y", "F1", "71", "z"]) == ["x", "…", "F1", "71", "…"]
    assert shown(["F1", "70"], ["F1", "71"]) == ["F1", "71"]


def test_a_wrong_value_is_put_right(tmp_path: Path) -> None:
    block = page("```python", "1 / 3  # a third → 0.3334…", "2 + 2  # → 4", "int('x')", "# → ValueError: …", "```")
    found = Session(tmp_path, tmp_path).follow(block)
    assert found == ["1 / 3  # a third → 0.3333…", "2 + 2  # → 4", "int('x')", "# → ValueError: …"]


def test_a_wrong_command_is_no_output(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="No such option"):
        Session(tmp_path, tmp_path).follow(page("```sh", "evenhand score --nothing", "```"))
