"""Nobody is the gold standard: figures stay the same when annotators change places."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import evenhand as eh
from conftest import ROOT

NER = ROOT / "src" / "evenhand" / "examples" / "ner"
FILES = {name: NER / f"{name}.conll" for name in ("crf", "tagger", "gazetteer")}


def figures(order: tuple[str, ...], files: dict[str, Path]) -> dict[str, Any]:
    """All figures that have no order of annotators."""
    found = eh.agree({name: files[name] for name in order}, resamples=0, alpha_u=True)
    shared = {name: found.to_dict()[name] for name in ("codes", "f1", "unitizing", "labels", "documents")}
    pairs = {frozenset(pair): each.f1 for pair, each in found.pairs.items()}
    conflicts = {(each.document, each.sentence, each.start, each.state) for each in found.conflicts()}
    return {**shared, "pairs": pairs, "conflicts": conflicts, "spans": len(found.adjudicated.spans())}


def assert_close(one: Any, other: Any) -> None:
    if isinstance(one, dict):
        assert one.keys() == other.keys()
        for name in one:
            assert_close(one[name], other[name])
    elif isinstance(one, list):
        for each, its in zip(one, other, strict=True):
            assert_close(each, its)
    else:
        assert one == (pytest.approx(other) if isinstance(other, float) else other)


def test_figures_do_not_depend_on_the_order_of_annotators() -> None:
    names = tuple(FILES)
    first = figures(names, FILES)
    for order in (names[::-1], (*names[1:], names[0])):
        assert_close(figures(order, FILES), first)
