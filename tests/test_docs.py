"""The documentation: definitions come from the docstrings, have sources and references, and links lead somewhere."""

from __future__ import annotations

import re
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

from conftest import ROOT
from evenhand.grounding.grounder import COUNTS
from evenhand.tasks.registry import TASKS

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


@pytest.fixture(scope="module")
def definitions(docs: ModuleType) -> dict[str, str]:
    """The pages of definitions by name."""
    return {path.stem: text for path, text in docs.written().items()}


def test_definitions_are_what_the_docstrings_say(docs: ModuleType) -> None:
    for path, text in docs.written().items():
        assert path.read_text(encoding="utf-8") == text, f"{path.name} is out of date; run `make docs`"


def test_every_task_has_a_page_of_definitions(definitions: dict[str, str]) -> None:
    assert set(TASKS) <= set(definitions)


def test_every_match_model_has_a_section_and_every_source_a_reference(
    docs: ModuleType, definitions: dict[str, str]
) -> None:
    assert list(docs.problems(definitions, docs.templates())) == []


def test_a_definition_ends_with_its_sources(docs: ModuleType) -> None:
    assert "\n\nSources: Ortmann 2022, Algorithm 1;" in docs.fill("{{evenhand.tasks.spans.fair.exact}}\n")
    with pytest.raises(ValueError, match=r"evenhand\.tasks\.spans\.matching does not end with its sources"):
        docs.fill("{{evenhand.tasks.spans.matching}}\n")


def test_a_match_model_without_a_section_is_a_problem(docs: ModuleType, definitions: dict[str, str]) -> None:
    page = definitions["spans"].replace("## Weight tables (`weighted`)", "## Weight tables")
    assert list(docs.problems({**definitions, "spans": page}, docs.templates())) == [
        "The match model weighted of spans has no section; write a heading with `weighted` in it."
    ]


def test_a_section_on_the_page_of_another_task_does_not_count(docs: ModuleType, definitions: dict[str, str]) -> None:
    page = definitions["tags"].replace("## Tags of words (`accuracy`)", "## Tags of words")
    assert list(docs.problems({**definitions, "tags": page}, docs.templates())) == [
        "The match model accuracy of tags has no section; write a heading with `accuracy` in it."
    ]


def test_a_section_without_a_source_is_a_problem(docs: ModuleType, definitions: dict[str, str]) -> None:
    page = definitions["spans"].replace("Sources: Ortmann 2022, Algorithm 1", "Ortmann 2022")
    assert list(docs.problems({**definitions, "spans": page}, docs.templates())) == [
        "The section of the match model exact of spans names no source."
    ]


def test_a_source_without_a_reference_is_a_problem(docs: ModuleType, definitions: dict[str, str]) -> None:
    page = definitions["statistics"].replace("Source: Spearman 1904.", "Source: Spearman 1905.")
    assert list(docs.problems({**definitions, "statistics": page}, docs.templates())) == [
        "There is no reference for Spearman 1905; add it to src/evenhand/references.bib."
    ]


def test_the_index_of_definitions_has_the_anchors_of_all_sections(
    docs: ModuleType, definitions: dict[str, str]
) -> None:
    link = '<a id="holms-correction"></a>[Holm\'s correction](definitions/statistics.md#holms-correction)'
    assert f"\n    - {link}\n" in definitions["definitions"]
    anchors = re.findall('<a id="(.+?)">', definitions["definitions"])
    assert len(anchors) == len(set(anchors)) > 120


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


def test_a_match_model_whose_definition_is_left_out_is_a_problem(docs: ModuleType, definitions: dict[str, str]) -> None:
    template = docs.templates()["spans"].replace("{{evenhand.tasks.spans.overlap}}", "")
    found = list(docs.problems(definitions, {**docs.templates(), "spans": template}))
    assert found[0].startswith("The definition of overlap, evenhand.tasks.spans.overlap, is not in")


def test_every_count_of_grounding_is_defined(definitions: dict[str, str]) -> None:
    table = definitions["grounding"].partition("\n## Counts\n")[2].partition("\n## ")[0]
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
