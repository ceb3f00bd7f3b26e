"""spaCy's scorer on 100 pairs of documents, and on all pairs of a kind: entities, spans, links, tags, trees, sentences.

The figures are those of spaCy 3.8.18. Of trees, the totals are `by_definition`: the scorer keeps the tokens without a
relation of one document for all later ones.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from math import isnan
from typing import Any

import pytest

import evenhand as eh
from conftest import ROOT
from evenhand.integrations.spacy import make_scorer

tokens = pytest.importorskip("spacy.tokens", reason="the documents are made with spaCy")
vocab = pytest.importorskip("spacy.vocab")
training = pytest.importorskip("spacy.training")
FIGURES = json.loads((ROOT / "tests" / "conformance" / "spacy.json").read_text("utf-8"))
PAIRS: list[dict[str, Any]] = FIGURES["pairs"]
PRF = ("precision", "recall", "f1")
KINDS = tuple(FIGURES["totals"])
LAYERS = {
    "ents": ("ents", "ents", "exact", {"ents_p": "precision", "ents_r": "recall", "ents_f": "f1"}),
    "spans:sc": ("spans", "spans:sc", "exact", {"spans_sc_p": "precision", "spans_sc_r": "recall", "spans_sc_f": "f1"}),
    "sents": ("sents", "sents", "exact", {"sents_p": "precision", "sents_r": "recall", "sents_f": "f1"}),
    "links": (
        *("links", "links", "paired"),
        {"nel_micro_p": "precision", "nel_micro_r": "recall", "nel_micro_f": "f1", "nel_score": "f1"},
    ),
    "tag": ("tag", "tag", "accuracy", {"tag_acc": "f1"}),
    "pos": ("pos", "pos", "accuracy", {"pos_acc": "f1"}),
    "lemma": ("lemma", "lemma", "accuracy", {"lemma_acc": "f1"}),
    "morph": ("morph", "morph", "accuracy", {"morph_acc": "f1"}),
    "features": (
        *("morph", "morph", "features"),
        {"morph_micro_p": "precision", "morph_micro_r": "recall", "morph_micro_f": "f1"},
    ),
    "uas": ("dep", "trees", "uas", {"dep_uas": "f1"}),
    "las": ("dep", "trees", "las", {"dep_las": "f1"}),
}
"""The key of the figures, the layer, the measure, and spaCy's keys with the scores that they are equal to."""
PER_TYPE = {"ents": "ents_per_type", "spans:sc": "spans_sc_per_type", "features": "morph_per_feat"}
"""The keys of figures by label or feature; by relation, spaCy leaves out arcs of tokens without one gold token."""


def made(given: dict[str, Any]) -> Any:
    """A document with the layers of the file."""
    names = ("words", "spaces", "tags", "pos", "morphs", "lemmas", "heads", "deps", "sent_starts")
    doc = tokens.Doc(vocab.Vocab(), **{name: given[name] for name in names})
    if given["ents"] is not None:
        missing = [doc[start:end] for start, end in given.get("missing_ents", [])]
        ents = [tokens.Span(doc, start, end, label=label, kb_id=kb_id) for start, end, label, kb_id in given["ents"]]
        doc.set_ents(ents, missing=missing)
    for key, spans in (given["spans"] or {}).items():
        doc.spans[key] = [tokens.Span(doc, *span) for span in spans]
    return doc


@cache
def documents(kind: str) -> list[tuple[dict[str, Any], Any, Any]]:
    """The pairs of a kind: their figures, gold standard and system."""
    chosen = [pair for pair in PAIRS if kind in ("all", pair["kind"])]
    return [(pair["scores"], made(pair["gold"]), made(pair["system"])) for pair in chosen]


def compared(figures: dict[str, Any], gold: Sequence[Any], system: Sequence[Any], name: str) -> str:
    """Compare the scores of a layer; return `refused` or `undefined` if there are none."""
    key, layer, measure, keys = LAYERS[name]
    expected = figures[key].get("by_definition", figures[key])
    try:
        # Entities inside longer gold tokens have the bounds of these tokens under `overlap`, as in spaCy.
        score = eh.score(gold, system, layer=layer, match=measure, align="overlap" if key == "ents" else None)[measure]
    except eh.SettingError as error:
        return "refused" if re.search(f"has no (layer {layer}|span group 'sc')", str(error)) else str(error)
    if isnan(score.f1):  # the gold standard has no unit; spaCy has None or 0
        assert not any(expected[name] for name in keys)
        return "undefined"
    assert {name: getattr(score, of) for name, of in keys.items()} == pytest.approx(
        {name: expected[name] for name in keys}, abs=1e-7
    )
    if name in PER_TYPE:  # spaCy also lists labels of which no span counts
        unused = dict.fromkeys(expected[PER_TYPE[name]], dict.fromkeys("prf", 0))
        of_labels = {label: {of[0]: getattr(row, of) for of in PRF} for label, row in score.labels.items()}
        assert flat(unused | of_labels) == pytest.approx(flat(expected[PER_TYPE[name]]), abs=1e-7)
    if name == "links":
        means = {f"nel_macro_{each[0]}": score.further["pairs"][f"macro_{each}"] for each in PRF}
        assert means == pytest.approx({name: expected[name] for name in means}, abs=1e-7)
    return "equal"


@pytest.mark.parametrize(
    ("name", "equal", "undefined"),
    [
        ("ents", 82, 11),
        ("spans:sc", 84, 8),
        ("sents", 94, 0),
        ("links", 65, 0),
        ("tag", 91, 0),
        ("pos", 93, 0),
        ("lemma", 90, 0),
        ("morph", 91, 0),
        ("features", 91, 0),
        ("uas", 85, 0),
        ("las", 85, 0),
    ],
)
def test_a_pair_of_documents(name: str, equal: int, undefined: int) -> None:
    """The other pairs lack the layer on a side, which is refused; the scorer has their figures."""
    outcomes = Counter(compared(figures, [gold], [system], name) for figures, gold, system in documents("all"))
    assert outcomes == Counter(equal=equal, undefined=undefined, refused=100 - equal - undefined)


def scored(figures: dict[str, Any], gold: Sequence[Any], system: Sequence[Any], name: str) -> str:
    """Compare the scorer for spaCy with all figures of a layer; return `undefined` if Evenhand's scores are."""
    key, layer, measure, keys = LAYERS[name]
    examples = [training.Example(*sides) for sides in zip(system, gold, strict=True)]
    found = make_scorer(measure, layer)(examples)
    expected = {of: value for of, value in figures[key].items() if of not in ("by_definition", "reference_bug")}
    assert flat({of: found[of] for of in expected}) == pytest.approx(flat(expected), abs=1e-7)
    own = {of: found[f"evenhand_{layer.replace(':', '_')}_{score}"] for of, score in keys.items()}
    if None in own.values():
        assert set(own.values()) == {None}
        return "None" if {expected[of] for of in own} == {None} else "undefined"
    expected |= figures[key].get("by_definition", {})
    assert own == pytest.approx({of: expected[of] for of in own}, abs=1e-7)
    return "equal"


def flat(figures: dict[str, Any]) -> dict[str, Any]:
    """Figures without nesting."""
    rows: dict[str, Any] = {}
    for name, value in figures.items():
        rows |= {f"{name} {of}": one for of, one in flat(value).items()} if isinstance(value, dict) else {name: value}
    return rows


@pytest.mark.parametrize(
    ("name", "equal", "undefined"),
    [
        ("ents", 84, 6),
        ("spans:sc", 88, 4),
        ("sents", 95, 0),
        ("links", 80, 20),
        ("tag", 96, 0),
        ("pos", 95, 0),
        ("lemma", 94, 0),
        ("morph", 95, 0),
        ("features", 95, 0),
        ("uas", 90, 0),
        ("las", 90, 0),
    ],
)
def test_the_scorer_on_a_pair_of_documents(name: str, equal: int, undefined: int) -> None:
    """All of spaCy's keys are equal, and Evenhand's, too.

    The other pairs have no figures because the gold standard lacks the layer. spaCy has 0 where Evenhand's scores are
    undefined: the gold standard has no entity or span, only the system does, or no side has an entity to link.
    """
    outcomes = Counter(scored(figures, [gold], [system], name) for figures, gold, system in documents("all"))
    assert outcomes == Counter({"equal": equal, "undefined": undefined, "None": 100 - equal - undefined})


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", LAYERS)
def test_the_scorer_on_all_documents_of_a_kind(name: str, kind: str) -> None:
    _, gold, system = zip(*documents(kind), strict=True)
    assert scored(FIGURES["totals"][kind], gold, system, name) == "equal"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", LAYERS)
def test_all_documents_of_a_kind(name: str, kind: str) -> None:
    _, gold, system = zip(*documents(kind), strict=True)
    assert compared(FIGURES["totals"][kind], gold, system, name) == "equal"


def test_the_order_of_documents_changes_nothing() -> None:
    _, gold, system = zip(*documents("missing in the gold standard"), strict=True)
    there, back = (eh.score(gold[::step], system[::step], layer="trees") for step in (1, -1))
    assert [there[name].f1 for name in there] == [back[name].f1 for name in back]
