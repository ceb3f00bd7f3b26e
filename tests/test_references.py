"""The bibliography, and what definitions call its entries."""

from __future__ import annotations

from pkgutil import resolve_name

import pytest

from evenhand.registry import named_in, references
from evenhand.tasks.registry import TASKS, models_of


def test_an_entry_is_called_by_its_authors_and_year() -> None:
    labels = {each.key: each.label for each in references()}
    assert labels["ortmann2022"] == "Ortmann 2022"
    assert labels["esuli2010"] == "Esuli and Sebastiani 2010"
    assert labels["vilain1995"] == "Vilain et al. 1995"
    assert labels["germeval2014"] == "GermEval 2014"
    assert len(set(labels.values())) == len(references())


def test_a_longer_name_does_not_name_the_shorter_one() -> None:
    assert [each.key for each in named_in("Source: Sekine and Collins 1997.")] == ["sekine1997"]
    assert [each.key for each in named_in("Sources: Sekine and\nCollins 1997; Collins 1997, p. 17.")] == [
        "collins1997",
        "sekine1997",
    ]


def test_entries_can_be_named_with_all_authors() -> None:
    assert [each.key for each in named_in("Mathet, Widlöcher and Métivier 2015")] == ["mathet2015"]


def test_entries_are_shown_as_lines() -> None:
    lines = {each.key: each.line for each in references()}
    assert (
        lines["kendall1945"]
        == "Kendall, Maurice G. (1945). The treatment of ties in ranking problems. Biometrika 33(3), 239-251."
    )
    assert (
        lines["efron1993"]
        == "Efron, Bradley and Tibshirani, Robert J. (1993). An introduction to the bootstrap. Chapman & Hall."
    )
    assert lines["gwet2014"].endswith("Handbook of inter-rater reliability. Fourth edition, Advanced Analytics.")
    assert lines["taille2020"].endswith("relation extraction! EMNLP 2020, 3689-3701.")


@pytest.mark.parametrize("task", list(TASKS))
def test_every_match_model_has_a_paper(task: str) -> None:
    assert [each.name for each in models_of(task) if not named_in(resolve_name(each.definition).__doc__ or "")] == []


def test_every_entry_has_what_bibtex_asks_for() -> None:
    needed = {
        "article": {"author", "title", "journal", "year"},
        "inproceedings": {"author", "title", "booktitle", "year"},
        "book": {"author", "title", "publisher", "year"},
        "misc": {"author", "title", "year"},
    }
    for reference in references():
        kind = reference.bibtex[1:].partition("{")[0]
        assert needed[kind] <= reference.fields.keys(), reference.key
        assert reference.bibtex.count("{") == reference.bibtex.count("}"), reference.key


INITIALS = ("van Rijsbergen, C. J.", "Jawahar, C. V.", "Young, S. Stanley")
"""Authors who publish under their initials."""


def test_authors_have_their_full_names_and_dois_are_not_addresses() -> None:
    for reference in references():
        doi = reference.fields.get("doi", "10.")
        assert doi.startswith("10."), reference.key
        for author in reference.fields["author"].strip("{}").split(" and "):
            _, _, first = author.partition(", ")
            assert not first or len(first.split()[0].rstrip(".")) > 1 or author in INITIALS, author
