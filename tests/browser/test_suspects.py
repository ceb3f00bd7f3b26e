"""The page of suspects: decisions by keys and buttons, a reload, and the file that the page saves."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import evenhand as eh
from conftest import ROOT
from pages import Open

NER = ROOT / "src" / "evenhand" / "examples" / "ner"
SYSTEMS = {"tagger": NER / "tagger.conll", "crf": NER / "crf.conll"}


@pytest.fixture(scope="module")
def suspects() -> eh.Suspects:
    return eh.suspects(NER / "draft.conll", SYSTEMS, first=8)


@pytest.fixture(scope="module")
def suspects_page(suspects: eh.Suspects, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("suspects") / "page.html"
    suspects.to_html(path)
    return path


def decisions(page: Any) -> list[str | None]:
    return [card.get_attribute("data-decision") for card in page.locator(".card").all()]


def progress(page: Any) -> str:
    text: str = page.inner_text("#progress")
    return text


def saved(page: Any, path: Path) -> list[dict[str, Any]]:
    with page.expect_download() as download:
        page.click("#save")
    assert download.value.suggested_filename == "draft-overrides.jsonl"
    download.value.save_as(path)
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_both_readings_are_marked_in_the_sentence(open_page: Open, suspects_page: Path) -> None:
    page = open_page(suspects_page)
    card = page.locator(".card").nth(3)
    assert card.locator("h3 bdi").first.inner_text() == "ORG Estonia → LOC Estonia"
    assert card.locator("mark").all_inner_texts() == ["Estonia", "Estonia"]
    assert card.locator(".label").all_inner_texts() == ["ORG", "LOC"]
    colours = [mark.evaluate("node => getComputedStyle(node).backgroundColor") for mark in card.locator("mark").all()]
    assert colours[0] != colours[1]
    assert card.locator(".reason").inner_text().startswith("2 of 2 systems predict LOC; ")
    assert page.locator(".card").first.locator(".label").all_inner_texts() == ["nothing", "LOC"]


def test_keys_decide_and_go_on(open_page: Open, suspects_page: Path) -> None:
    page = open_page(suspects_page)
    assert progress(page) == "0 of 8 reviewed"
    for key in ("j", "a", "r", "j", "u"):
        page.keyboard.press(key)
    assert decisions(page)[:5] == ["accepted", "right", None, "unclear", None]
    assert progress(page) == "3 of 8 reviewed: 1 accepted, 1 right in the gold standard, 1 unclear"
    page.keyboard.press("k")
    page.keyboard.press("u")
    assert decisions(page)[3] is None
    page.click("#next")
    assert page.evaluate("document.activeElement.id") == "suspect-5"


def test_buttons_decide(open_page: Open, suspects_page: Path) -> None:
    page = open_page(suspects_page)
    button = page.locator("#suspect-2 button").nth(1)
    button.click()
    assert (decisions(page)[1], button.get_attribute("aria-pressed")) == ("right", "true")
    button.click()
    assert (decisions(page)[1], button.get_attribute("aria-pressed")) == (None, "false")


def test_decisions_survive_a_reload(open_page: Open, suspects_page: Path) -> None:
    page = open_page(suspects_page)
    for key in ("j", "a", "r"):
        page.keyboard.press(key)
    page.reload()
    page.wait_for_selector("html[data-ready=true]", state="attached")
    assert decisions(page)[:3] == ["accepted", "right", None]
    assert progress(page).startswith("2 of 8 reviewed")


def test_another_list_has_its_own_decisions(open_page: Open, suspects_page: Path, suspects: eh.Suspects) -> None:
    other = suspects_page.with_name("other.html")
    eh.suspects(NER / "draft.conll", SYSTEMS, first=7).to_html(other)
    first = open_page(suspects_page)
    first.keyboard.press("j")
    first.keyboard.press("a")
    assert decisions(open_page(other)) == [None] * 7


def test_the_saved_file_is_a_file_of_overrides(
    open_page: Open, suspects_page: Path, suspects: eh.Suspects, tmp_path: Path
) -> None:
    """Accepted, right (of a missing span and of a label) and unclear suspects; one is left as a proposal."""
    page = open_page(suspects_page)
    for key in ("j", "a", "r", "u", "a", "r", "u", "a"):
        page.keyboard.press(key)
    lines = saved(page, tmp_path / "reviewed.jsonl")
    assert [line["status"] for line in lines] == ["accepted"] * 7 + ["proposed"]
    assert [line["verdict"] for line in lines] == [
        *("missing", "right", "unclear", "label", "right", "unclear", "label"),
        "label",
    ]
    assert {**lines[7]} == json.loads(suspects.to_overrides().splitlines()[7])
    adjudication = eh.adjudicate(NER / "draft.conll", tmp_path / "reviewed.jsonl")
    assert (adjudication.problems, adjudication.states) == ([], {"proposed": 1, "accepted": 5, "right": 2})
    with pytest.raises(eh.SettingError, match=r"^1 override is an unreviewed proposal\."):
        eh.score(NER / "draft.conll", NER / "crf.conll", overrides=tmp_path / "reviewed.jsonl")
    page.keyboard.press("r")
    saved(page, tmp_path / "reviewed.jsonl")
    result = eh.score(NER / "draft.conll", NER / "crf.conll", overrides=tmp_path / "reviewed.jsonl")
    assert "/voters-crf+tagger" in result.signature


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_fits_a_phone(open_page: Open, suspects_page: Path, scheme: str) -> None:
    page = open_page(suspects_page, viewport={"width": 390, "height": 844}, color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_markup_in_data_is_text(open_page: Open, tmp_path: Path) -> None:
    words = ["<b>Oslo", "</script>", "Oslo"]
    gold = eh.tags([["B-LOC", "O", "B-ORG"]], tokens=[words], encoding="iob2")
    a = eh.tags([["B-ORG", "O", "B-ORG"]], tokens=[words], encoding="iob2")
    b = eh.tags([["B-ORG", "B-LOC", "B-ORG"]], tokens=[words], encoding="iob2")
    eh.suspects(gold, {"a": a, "b": b}).to_html(tmp_path / "page.html")
    page = open_page(tmp_path / "page.html")
    assert "<b>Oslo" in page.locator("mark").all_inner_texts()
    assert page.locator(".card").count() == 2


def test_tags_have_no_decisions(open_page: Open, tmp_path: Path) -> None:
    words = [["the", "run"], ["run", "the"]]
    gold, a, b = (eh.tags([first, ["NN", "DT"]], tokens=words) for first in (["DT", "VB"], ["DT", "NN"], ["NN", "NN"]))
    eh.suspects(gold, {"a": a, "b": b}, task="tags").to_html(tmp_path / "page.html")
    page = open_page(tmp_path / "page.html")
    assert page.locator(".card").count() == 2
    assert not page.locator("#review").is_visible()
    assert page.locator(".decide").count() == 0
