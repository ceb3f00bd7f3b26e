"""The documents of a system with links, in the order of the gold standard's."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import evenhand as eh
from evenhand.alignment.documents import LinkFeed, names_of
from evenhand.data.annotation import Annotation
from evenhand.data.names import LAYER_LINK_NAMES


def taken(gold: Annotation, system: Annotation, *, strict: bool = True) -> tuple[list[tuple[int, int, int]], LinkFeed]:
    """Document, start and end of the system's spans, and the feed at its end."""

    def opened(side: Annotation) -> Iterator[Annotation]:
        return iter([side])

    feed = LinkFeed(lambda: opened(system), lambda: opened(gold), strict=strict)
    spans = feed.take(gold)
    feed.finish()
    return [row[1:] for row in spans.rows()], feed


def test_documents_by_name_in_any_order() -> None:
    gold = eh.links({"a": [], "b": [], "c": []})
    system = eh.links({"c": [("X", 5, 6, "Q1")], "x": [("X", 0, 1, "Q1")], "a": [("X", 1, 2, "Q1")]})
    rows, feed = taken(gold, system)
    assert rows == [(0, 1, 2), (2, 5, 6)]
    assert (feed.found.missing, feed.found.extra) == (["b"], ["x"])


def test_documents_without_a_name_in_common_go_by_their_order() -> None:
    rows, feed = taken(eh.links({"a": [], "b": []}), eh.links([[], [("X", 1, 2, "Q1")]]))
    assert rows == [(1, 1, 2)]
    assert feed.found.by_order


def test_words_that_differ_are_counted_or_refused() -> None:
    gold, system = (eh.links([[("X", 0, 1, "Q1")]], tokens=[words]) for words in (["a", "b", "c"], ["a", "x", "y"]))
    _, feed = taken(gold, system, strict=False)
    assert feed.found.words == 2
    assert feed.found.first_word == "links: found 'x' where the gold standard has 'b'"
    with pytest.raises(
        eh.InputError, match="found 'x' where the gold standard has 'b'; give the same words, or --align"
    ):
        taken(gold, system)


def test_other_numbers_of_tokens_are_refused() -> None:
    gold, system = (eh.links({"d": []}, tokens={"d": words}) for words in (["a", "b"], ["a"]))
    message = "the document 'd' has 1 token, in the gold standard 2; give the same tokens in all files"
    with pytest.raises(eh.InputError, match=message):
        taken(gold, system, strict=False)


def test_names_are_ids_or_nothing() -> None:
    assert names_of(eh.links({"a": [], "b": []}).corpus).texts(0, 2) == ["a", "b"]
    assert names_of(eh.links([[], []]).corpus).texts(0, 2) == ["", ""]
    assert len(eh.links([[]])[LAYER_LINK_NAMES]) == 0
