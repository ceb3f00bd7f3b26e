"""The documentation: definitions come from the docstrings, have sources and references, and links lead somewhere."""

from __future__ import annotations

import re
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

from conftest import ROOT
from evenhand.grounding.grounder import COUNTS

TEMPLATE = (ROOT / "docs" / "reference" / "definitions.in.md").read_text(encoding="utf-8")
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


@pytest.fixture(scope="module")
def docs() -> ModuleType:
    """The script docs/build.py."""
    spec = spec_from_file_location("docs_build", ROOT / "docs" / "build.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_definitions_are_what_the_docstrings_say(docs: ModuleType) -> None:
    page = docs.fill(docs.TEMPLATE.read_text(encoding="utf-8"))
    assert docs.PAGE.read_text(encoding="utf-8") == page, (
        "docs/reference/definitions.md is out of date; run `make docs`"
    )


def test_every_match_model_has_a_section_and_every_source_a_reference(docs: ModuleType) -> None:
    assert list(docs.problems(docs.PAGE.read_text(encoding="utf-8"), TEMPLATE)) == []


def test_a_definition_ends_with_its_sources(docs: ModuleType) -> None:
    assert "\n\nSources: Ortmann 2022, Algorithm 1;" in docs.fill("{{evenhand.tasks.spans.fair.exact}}\n")
    with pytest.raises(ValueError, match=r"evenhand\.tasks\.spans\.matching does not end with its sources"):
        docs.fill("{{evenhand.tasks.spans.matching}}\n")


def test_a_match_model_without_a_section_is_a_problem(docs: ModuleType) -> None:
    page = docs.PAGE.read_text(encoding="utf-8").replace("## Weight tables (`weighted`)", "## Weight tables")
    assert any("weighted has no section" in problem for problem in docs.problems(page, TEMPLATE))


def test_a_section_without_a_source_is_a_problem(docs: ModuleType) -> None:
    page = docs.PAGE.read_text(encoding="utf-8").replace("Sources: Ortmann 2022, Algorithm 1", "Ortmann 2022")
    assert set(docs.problems(page, TEMPLATE)) == {"The section of the match model exact names no source."}


def test_a_source_without_a_reference_is_a_problem(docs: ModuleType) -> None:
    page = docs.PAGE.read_text(encoding="utf-8").replace("Source: Spearman 1904.", "Source: Spearman 1905.")
    assert list(docs.problems(page, TEMPLATE)) == [
        "There is no reference for Spearman 1905; add it to src/evenhand/references.bib."
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"`[^`\n]*`", "", page.read_text(encoding="utf-8"))  # code may look like a link
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if "://" not in target:
            file, _, heading = target.partition("#")
            path = page.parent / file if file else page
            assert path.exists() or f" -o {target} " in text, target  # a command of the page writes its picture
            assert not heading or heading in headings(path), target


def headings(page: Path) -> set[str]:
    """The names of a page's headings in links: small letters and digits, with hyphens for spaces."""
    found = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in found}


def test_a_match_model_whose_definition_is_left_out_is_a_problem(docs: ModuleType) -> None:
    page = docs.PAGE.read_text(encoding="utf-8")
    found = list(docs.problems(page, TEMPLATE.replace("{{evenhand.tasks.spans.overlap}}", "")))
    assert found[0].startswith("The definition of the match model overlap, evenhand.tasks.spans.overlap, is not in")


def test_every_count_of_grounding_is_defined() -> None:
    table = TEMPLATE.partition("\n### Counts\n")[2].partition("\n### ")[0]
    rows = re.findall(r"^\| (`.+?) \|", table, re.MULTILINE)
    assert sorted(name for row in rows for name in re.findall("`(.+?)`", row)) == sorted(COUNTS)


def test_the_architecture_page_names_modules_that_exist() -> None:
    text = (ROOT / "docs" / "explanation" / "architecture.md").read_text(encoding="utf-8")
    rooms = (
        "data|alignment|grounding|formats|scoring|statistics|tasks|pipeline|comparison|results|report|engines|api|cli"
    )
    named = set(re.findall(rf"`((?:{rooms})/[\w/]+)`", text))
    source = ROOT / "src" / "evenhand"
    assert len(named) > 50
    assert [name for name in sorted(named) if not ((source / f"{name}.py").exists() or (source / name).is_dir())] == []
