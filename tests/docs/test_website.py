"""The site: its pages are all listed, its links hold, and its reference has everything that the code declares."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest

import evenhand as eh
from conftest import ROOT
from evenhand.cli.compare import plot
from evenhand.cli.main import COMMANDS, main
from evenhand.formats.format import FORMATS
from evenhand.tasks.registry import TASKS, models_of, parameters_of
from website.api import GROUPS, api_pages
from website.commands import command_pages
from website.declarations import formats_page, models_page
from website.docstrings import fields, markdown, table
from website.gallery import FIGURES
from website.links import dead_links
from website.pictures import missing_pictures
from website.search import WORDS, read_words, words_of
from website.staging import contents, indexes, pages, relinked, with_contents

DOCS = ROOT / "docs"
INDEXES = indexes(DOCS)


def test_every_page_is_listed_in_the_index_of_its_folder() -> None:
    listed = {(index.parent / name).resolve() for index in INDEXES for name in contents(index)}
    assert {page for page, _ in pages() if page.is_relative_to(DOCS)} - listed == {DOCS / "index.md"}


def test_the_index_of_a_folder_may_be_the_page_of_its_name() -> None:
    assert DOCS / "reference" / "definitions.md" in INDEXES
    assert all(index.exists() for index in INDEXES)


def test_the_four_kinds_of_pages_are_the_contents_of_the_home_page() -> None:
    home = contents(DOCS / "index.md")
    assert home == [f"{kind}/index.md" for kind in ("tutorials", "how-to", "reference", "explanation")]


def test_the_bars_of_the_home_page_are_the_measured_ratios() -> None:
    home, measured = ((DOCS / name).read_text(encoding="utf-8") for name in ("index.md", "explanation/performance.md"))
    bars = re.findall(r'<dt>(.+)</dt><dd style="--length: ([\d.]+)%">(\d+)</dd>', home)
    (row,) = re.findall(r"^\| two columns \| 43 \| (\d+) \| (\d+) \| (\d+) \|", measured, re.MULTILINE)
    assert [(name, ratio) for name, _, ratio in bars] == [
        ("Evenhand", "1"),
        *zip(("conlleval loop", "nervaluate", "seqeval"), reversed(row), strict=True),
    ]
    assert [float(length) for _, length, _ in bars] == [round(100 * int(ratio) / 68, 1) for *_, ratio in bars]


def test_an_index_ends_with_hidden_contents(tmp_path: Path) -> None:
    links = "# Title\n\n[a](a.md), [b](b/index.md#x), [c](b/c.md), [d](../d.md), [a](a.md)\n"
    (tmp_path / "index.md").write_text(links)
    assert with_contents(tmp_path / "index.md").endswith("```{toctree}\n:hidden:\n\na\nb/index\n```\n")
    (tmp_path / "b.md").write_text(links)
    assert with_contents(tmp_path / "b.md").endswith("```{toctree}\n:hidden:\n\nb/index\nb/c\n```\n")


def test_links_of_the_repository_hold_on_the_site() -> None:
    text = "[a](../CONTRIBUTING.md#set-up) [b](how-to/ci.md) [c](../Makefile) [d](https://x.org/a) `[e](PER)`"
    found = relinked(text, DOCS / "index.md", Path("index.md"))
    github = "https://github.com/evenhand/evenhand/blob/main/Makefile"
    assert found == f"[a](CONTRIBUTING.md#set-up) [b](how-to/ci.md) [c]({github}) [d](https://x.org/a) `[e](PER)`"
    changes = relinked("[ci](docs/how-to/ci.md)", ROOT / "CHANGELOG.md", Path("CHANGELOG.md"))
    assert changes == "[ci](how-to/ci.md)"


def test_names_in_headings_of_measures_and_formats_are_index_entries() -> None:
    pages = {
        "reference/definitions/trees.md": "# Trees\n\n## Enhanced (`elas`, `eulas`)\n\n## Shared (`same`)\n\n## S (`s-…`)\n",
        "reference/definitions/tags.md": "# Tags\n\n## Tags (`same`)\n",
        "how-to/a.md": "# A `name`\n",
    }
    derived = {word: place for word, place in words_of(pages).items() if word not in WORDS}
    enhanced = "reference/definitions/trees.md#Enhanced (`elas`, `eulas`)"
    assert derived == {"elas": enhanced, "eulas": enhanced, "s": "reference/definitions/trees.md#S (`s-…`)"}


def test_the_words_of_the_search_lead_to_pages_and_headings(tmp_path: Path) -> None:
    assert WORDS.items() <= read_words(DOCS).items()
    with pytest.raises(AssertionError, match=r"bootstrap: there is no reference/definitions/statistics\.md#Bootstrap"):
        read_words(tmp_path)


def test_a_picture_that_is_not_beside_its_page_is_drawn() -> None:
    text = "![a](../report.png) ![b](errors.svg) `![c](code.svg)`"
    assert missing_pictures(text, DOCS / "tutorials" / "fair.md") == ["errors.svg"]


def test_dead_links_and_anchors_are_found(tmp_path: Path) -> None:
    (tmp_path / "how-to").mkdir()
    (tmp_path / "index.html").write_text(
        '<h2 id="a">A</h2><a href="how-to/b.html#c"></a><a href="#a"></a><img src="d.png">'
    )
    (tmp_path / "how-to" / "b.html").write_text('<a href="../index.html#%61"></a><a href="https://x.org/#y"></a>')
    assert list(dead_links(tmp_path)) == [
        "index.html: how-to/b.html#c has no such anchor",
        "index.html: there is no d.png",
    ]


def test_every_public_name_is_in_the_reference() -> None:
    described = {name for _, names in GROUPS.values() for name in names if ":" not in name}
    assert described == set(eh.__all__) - {"__version__"}
    written = "".join(api_pages().values())
    assert [name for name in described if f"\n## {name}\n" not in written] == []


def test_a_function_has_its_hints_defaults_and_parameters() -> None:
    page = api_pages()["functions.md"]
    assert '\n    repair: Repair = "begin",\n' in page
    assert "\n    *,\n    match: Match = None,\n" in page
    assert "\n| `beta` | the weight of recall in F-beta |\n" in page


def test_a_class_has_its_fields_with_what_they_are() -> None:
    page = api_pages()["results.md"]
    assert "| `predicted` | `int` | The number of units that the system predicts. |" in page
    assert "| `chains` | `int \\| None` |" in page
    assert page.count("\n### to_latex\n") == 1


@pytest.fixture(scope="module")
def sections() -> dict[str, str]:
    """The pages of commands."""
    return command_pages()


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_of_a_command_is_in_the_reference(name: str, sections: dict[str, str]) -> None:
    section = sections[f"{name}.md"]
    command = main.get_command(click.Context(main), name)
    assert command is not None
    options = [each for each in command.params if isinstance(each, click.Option) and not each.hidden]
    asked = [each.opts[-1] for each in options if each.name not in ("help", "help_all")]
    assert [option for option in asked if option not in section] == []


def test_every_match_model_and_parameter_is_in_the_reference() -> None:
    page = models_page()
    names = [each.name for task in TASKS for each in (*models_of(task), *parameters_of(task))]
    assert [name for name in names if f"\n| `{name}` | " not in page] == []


def test_every_format_is_in_the_reference() -> None:
    page = formats_page()
    assert [name for name in FORMATS if f"\n| `{name}` | " not in page] == []


def test_every_kind_of_figure_is_in_the_gallery() -> None:
    assert set(FIGURES) == set(plot.commands)


def test_the_decision_tables_name_match_models_that_exist() -> None:
    tables = (DOCS / "explanation" / "measures.md").read_text(encoding="utf-8").partition("## One example")[0]
    advised = [
        name
        for cell in re.findall(r"^\| [^|]+ \| ([^|]+) \|", tables, re.MULTILINE)
        for name in re.findall("`([^`]+)`", cell)
    ]
    models = [each for task in TASKS for each in models_of(task)]
    known = {each.name for each in models} | {each.family for each in models}
    assert len(advised) > 25
    assert [name for name in advised if name.partition("@")[0] not in known] == []


def test_a_list_of_parameters_becomes_a_table() -> None:
    text = 'Do it.\n\nof         what is drawn: "documents"\n           or "sentences"\nseed       of the draws\nskip_broken\n           go on'
    rows = '| `of` | what is drawn: "documents" or "sentences" |\n| `seed` | of the draws |\n| `skip_broken` | go on |'
    assert markdown(text) == f"Do it.\n\n| parameter |  |\n| --- | --- |\n{rows}"


def test_other_indented_text_stays_as_it_is() -> None:
    assert markdown("Say:\n\nThis:\n\n    x = 1\n") == "Say:\n\nThis:\n\n```text\nx = 1\n```"
    assert markdown("\b\nExamples:\n  evenhand demo") == "```text\nExamples:\n  evenhand demo\n```"


def test_bars_in_cells_do_not_end_them() -> None:
    assert table(("a",), [("`int | None`",)]) == "| a |\n| --- |\n| `int \\| None` |"


def test_docstrings_below_fields_are_theirs() -> None:
    assert fields(eh.Result)["predicted"] == "The number of units that the system predicts."
    assert fields(eh.Result)["name"] == ""


def test_the_readme_fits_on_a_page() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 120
