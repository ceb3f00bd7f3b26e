"""The page of an agreement: places in conflict first, a lane for each annotator, numbers that lead to places."""

from __future__ import annotations

from pathlib import Path

import pytest

import evenhand as eh
from pages import Open, choose, follow, fragment_of, go


@pytest.fixture(scope="module")
def agreement_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three annotators of two documents, one of which cyd lacks."""
    spans = {
        "ana": {"d1": [("PER", 0, 2), ("LOC", 4, 5)], "d2": [("ORG", 0, 1)]},
        "ben": {"d1": [("PER", 0, 2), ("ORG", 4, 5)], "d2": []},
        "cyd": {"d1": [("PER", 0, 2), ("ORG", 4, 5)]},
    }
    words = {"d1": ["Ada", "Keller", "flew", "to", "<b>Oslo", "."], "d2": ["Nordic", "sued", "."]}
    sides = {
        name: eh.spans(given, tokens={each: words[each] for each in given}, name=name) for name, given in spans.items()
    }
    path = tmp_path_factory.mktemp("agreement") / "page.html"
    eh.agree(sides, resamples=0).to_html(path)
    return path


def test_the_first_screen_has_a_sentence_and_three_figures(open_page: Open, data: Path, tmp_path: Path) -> None:
    folder = data / "agreement" / "brat4"
    eh.agree(sorted(path for path in folder.iterdir() if path.is_dir()), resamples=50).to_html(tmp_path / "page.html")
    page = open_page(tmp_path / "page.html", viewport={"width": 1440, "height": 900})
    sentence = "Four annotators agree well: alpha 0.97, exact F1 89.0; weakest label: LOC."
    assert page.inner_text("#verdict") == sentence
    assert page.locator(".headlines dd b").all_inner_texts() == ["0.97", "89.0", "LOC"]
    assert page.locator(".headlines dt").all_inner_texts() == [
        "Krippendorff's alpha",
        "exact F1, mean of pairs",
        "weakest label",
    ]
    assert page.locator(".headlines small").first.inner_text().startswith("95 % interval 0.97 to 0.98")
    assert page.locator(".headlines").bounding_box()["y"] < 200
    assert page.inner_text("header p") == "7 documents; none of the annotators is the gold standard."
    assert page.locator("#conflicts > p").first.inner_text() == "66 of 364 places are in conflict."
    assert page.locator("#places").bounding_box()["y"] < 900
    assert page.locator("#figures").bounding_box()["y"] < 5000
    follow(page, page.locator(".headlines a").click)
    assert fragment_of(page) == "#places?label=LOC"


@pytest.mark.parametrize(("wrong", "word"), [(0, "well"), (5, "moderately"), (12, "poorly")])
def test_alpha_decides_how_well_annotators_agree(tmp_path: Path, wrong: int, word: str) -> None:
    """Krippendorff's limits: 0.8 and 0.667."""
    for name, others in (("ana", 0), ("ben", wrong)):
        rows = (f"w{at}\t{'A' if at % 2 == (at < others) else 'B'}\n" for at in range(40))
        (tmp_path / f"{name}.tsv").write_text("".join(rows) + "\n")
    sides = [tmp_path / "ana.tsv", tmp_path / "ben.tsv"]
    assert f"Two annotators agree {word}: alpha " in eh.agree(sides, task="tags", resamples=0).to_html()


def test_long_tables_of_conflicts_fold(open_page: Open, tmp_path: Path) -> None:
    """Six annotators are fifteen pairs; labels and documents with most conflicts come first."""
    words = {f"d{at:02}": ["w"] * 24 for at in range(12)}
    same = [(f"L{at:02}", 2 * at, 2 * at + 1) for at in range(12)]
    names = [
        f"project-north-annotator-with-a-long-name-{name}-final" for name in ("ana", "ben", "cyd", "dan", "eve", "fay")
    ]
    spans = {name: {document: list(same) for document in words} for name in names}
    spans[names[0]]["d07"][3] = ("L09", 6, 7)
    sides = {name: eh.spans(given, tokens=words, name=name) for name, given in spans.items()}
    eh.agree(sides, resamples=0).to_html(tmp_path / "page.html")
    page = open_page(tmp_path / "page.html", viewport={"width": 1440, "height": 900})
    assert page.inner_text("h1") == "Agreement of 6 annotators"
    tables = page.locator(".counts > div")
    assert tables.locator("summary").all_inner_texts() == ["5 more", "2 more", "2 more"]
    first = [table.locator("tbody tr th").first.inner_text() for table in tables.all()]
    assert first == ["all", "ana – ben", "L03", "d07"]
    assert tables.nth(1).locator("tbody th bdi").first.get_attribute("title") == f"{names[0]} – {names[1]}"
    assert page.locator(".place").first.locator(".side").all_text_contents()[1:4] == ["ana", "ben", "cyd"]
    assert page.locator("#places").bounding_box()["y"] < 900


def test_a_coefficient_below_zero_has_a_minus_sign(tmp_path: Path) -> None:
    for name, tags in (("ana", "AB"), ("ben", "BA")):
        (tmp_path / f"{name}.tsv").write_text("".join(f"w\t{tags[at % 2]}\n" for at in range(40)))
    page = eh.agree([tmp_path / "ana.tsv", tmp_path / "ben.tsv"], task="tags", resamples=0).to_html()
    assert "Two annotators agree poorly: alpha −0.9" in page


def test_an_undecided_place_has_no_filled_vote(open_page: Open, tmp_path: Path) -> None:
    """Two of three annotators have the second span, so the vote accepts it, but each has other spans there."""
    spans = {
        "ana": [("PER", 0, 2), ("LOC", 1, 2)],
        "ben": [("ORG", 0, 2), ("LOC", 1, 2)],
        "cyd": [("PER", 0, 1)],
    }
    words = [["New", "Oslo", "won", "."]]
    sides = {name: eh.spans([given], tokens=words, name=name, end="exclusive") for name, given in spans.items()}
    eh.agree(sides, resamples=0).to_html(tmp_path / "page.html")
    page = open_page(tmp_path / "page.html", "#places")
    locator = page.locator(".place.undecided")
    assert locator.locator(".side").last.inner_text() == "vote (undecided)"
    vote = locator.locator(".bar.open")
    assert vote.all_inner_texts() == ["LOC"]
    assert vote.evaluate("(bar) => getComputedStyle(bar).backgroundColor") == "rgba(0, 0, 0, 0)"
    assert locator.locator(".bar:not(.open)").all_inner_texts() == ["PER", "LOC", "ORG", "LOC", "PER"]


def test_places_in_conflict_come_first(open_page: Open, agreement_page: Path) -> None:
    page = open_page(agreement_page)
    assert page.text_content("#status") == "3 of 3 places"
    states = page.locator(".place .state").all_text_contents()
    assert states == ["undecided", "decided", "agreed"]
    assert page.locator(".place h3 bdi:first-child").all_text_contents() == ["Nordic", "<b>Oslo", "Ada Keller"]


def test_every_annotator_has_a_lane_and_nobody_is_the_gold_standard(open_page: Open, agreement_page: Path) -> None:
    page = open_page(agreement_page)
    lanes = page.locator(".place").first.locator(".side").all_text_contents()
    assert lanes == ["", "ana", "ben", "cyd (lacks it)", "vote (undecided)"]
    decided = page.locator(".place.decided")
    assert decided.locator(".bar.here").all_text_contents() == ["LOC", "ORG", "ORG", "ORG"]
    assert "gold" not in page.text_content("#places") + page.text_content("#figures")


def test_numbers_lead_to_as_many_places(open_page: Open, agreement_page: Path) -> None:
    page = open_page(agreement_page)
    links = page.locator("#conflicts td a")
    found = links.evaluate_all("nodes => nodes.map((node) => [node.textContent, node.getAttribute('href')])")
    assert len(found) > 10
    for number, address in found:
        go(page, address)
        assert page.locator(".place").count() == int(number), address


def test_figures_lead_to_places(open_page: Open, agreement_page: Path) -> None:
    page = open_page(agreement_page)
    follow(page, page.locator("#figures th a", has_text="ana – ben").click)
    assert page.text_content("#status") == "2 of 3 places"
    assert page.locator("select[name=pair]").input_value() == "ana\tben"
    follow(page, page.locator("#figures th a", has_text="ORG").click)
    assert page.locator(".place h3 bdi:first-child").all_text_contents() == ["Nordic", "<b>Oslo"]


def test_filters_change_the_address(open_page: Open, agreement_page: Path) -> None:
    page = open_page(agreement_page)
    choose(page, "state", label="agreed")
    assert fragment_of(page) == "#places?state=agreed"
    assert page.text_content("#status") == "1 of 3 places"


def test_a_page_fits_a_telephone(open_page: Open, agreement_page: Path) -> None:
    page = open_page(agreement_page, viewport={"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
