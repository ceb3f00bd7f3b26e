"""A scorer for spaCy's components, which a training config can name.

    [components.ner.scorer]
    @scorers = "evenhand.scorer.v1"

It returns the figures of spaCy's own scorer and Evenhand's figures as `evenhand_LAYER_…`: `evenhand_ents_f1` for
entities, `evenhand_spans_sc_f1` for the span group sc. If two components of a pipeline score one layer, their names
precede it: `evenhand_ner_ents_f1`. Otherwise one would overwrite the figures of the other.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any

from evenhand.api.score import score
from evenhand.data.from_lists import spans
from evenhand.formats.spacy import ENTITIES, docs
from evenhand.settings import Align

PREFIX = "evenhand_"
_GROUPS = "spans_"
"""The prefix of spaCy's scores of a span group: `spans_sc_f`."""
_SAMPLE = spans([[("PER", 0, 1)]])


def make_scorer(match: str = "exact,fair", group: str | None = None) -> Callable[..., dict[str, Any]]:
    """A scorer of entities or, if `group` is named, of the span group `doc.spans[group]`.

    Documents whose reference is not annotated are left out, as in spaCy's scorers. If the tokens of a prediction differ
    from its reference, texts are aligned by characters.
    """
    score(_SAMPLE, _SAMPLE, match=match)  # refuses a wrong name when the config is read
    return _Scorer(match, group)


class _Scorer:
    def __init__(self, match: str, group: str | None) -> None:
        self._match, self._group = match, group
        self.layer = ENTITIES if group is None else f"{_GROUPS}{group}"

    def __call__(self, examples: Iterable[Any], **settings: Any) -> dict[str, Any]:
        listed = list(examples)
        figures = _figures(listed, self._match, self._group)
        prefix = f"{PREFIX}{self._component()}{self.layer}_"
        return {**_spacy_scores(listed, self._group), **{f"{prefix}{name}": value for name, value in figures.items()}}

    def _component(self) -> str:
        """The name of the component that this scorer belongs to, if another one scores the same layer.

        spaCy does not pass the name to scorers, so it is looked up in the pipeline that is being evaluated.
        """
        scorers = [(name, scorer) for name, scorer in _pipeline() if isinstance(scorer, _Scorer)]
        same_layer = [name for name, scorer in scorers if scorer.layer == self.layer]
        component = next((name for name, scorer in scorers if scorer is self), None)
        return f"{component}_" if component is not None and len(same_layer) > 1 else ""


def _pipeline() -> list[tuple[str, Any]]:
    """The names and scorers of the components that are being evaluated, from spaCy's `Scorer` among the callers."""
    frame = sys._getframe()
    while frame := frame.f_back:  # type: ignore[assignment]
        caller = frame.f_locals.get("self")
        if type(caller).__module__ == "spacy.scorer" and (nlp := getattr(caller, "nlp", None)) is not None:
            return [(name, getattr(component, "scorer", None)) for name, component in nlp.pipeline]
    return []


def _spacy_scores(examples: list[Any], group: str | None) -> dict[str, Any]:
    scoring = import_module("spacy.scorer")
    if group is None:
        return dict(scoring.get_ner_prf(examples))
    scores = scoring.Scorer.score_spans(
        examples,
        f"{_GROUPS}{group}",
        getter=lambda doc, name: doc.spans.get(name.removeprefix(_GROUPS), []),
        has_annotation=lambda doc: group in doc.spans,
        allow_overlap=True,
    )
    return dict(scores)


def _figures(examples: list[Any], match: str, group: str | None) -> dict[str, float]:
    """Evenhand's figures; empty if no reference is annotated."""
    scored = [example for example in examples if _is_annotated(example.reference, group)]
    if not scored:
        return {}
    gold, system = ([getattr(example, side) for example in scored] for side in ("reference", "predicted"))
    if not any(_is_annotated(doc, group) for doc in system):  # nothing is predicted
        system[0] = system[0].copy()
        if group is None:
            system[0].set_ents([])
        else:
            system[0].spans[group] = []
    name = ENTITIES if group is None else group
    align: Align = "strict" if all(map(_has_same_tokens, scored)) else "characters"
    return score(docs(gold, group=name), docs(system, group=name), match=match, align=align).metrics()


def _is_annotated(doc: Any, group: str | None) -> bool:
    return bool(doc.has_annotation("ENT_IOB") if group is None else group in doc.spans)


def _has_same_tokens(example: Any) -> bool:
    return [token.text for token in example.reference] == [token.text for token in example.predicted]
