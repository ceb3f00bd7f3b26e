"""A scorer for spaCy's components, which a training config can name.

    [components.ner.scorer]
    @scorers = "evenhand.scorer.v1"

It gives the figures that spaCy's own scorer gives, and Evenhand's beside them, each behind `evenhand_`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any

from evenhand.api.score import score
from evenhand.formats.spacy_objects import docs
from evenhand.text.span_lists import spans

PREFIX = "evenhand_"
_GROUPS = "spans_"
"""How spaCy calls the scores of a span group: `spans_sc_f`."""
_SAMPLE = spans([[("PER", 0, 1)]])


def make_scorer(match: str = "exact,fair", group: str | None = None) -> Callable[..., dict[str, Any]]:
    """A scorer of entities or, if `group` is named, of the span group `doc.spans[group]`.

    Documents whose reference is not annotated are left out, as spaCy's scorers do. Where a prediction has other tokens
    than its reference, texts are aligned by characters.
    """

    def scorer(examples: Iterable[Any], **settings: Any) -> dict[str, Any]:
        listed = list(examples)
        return {**_own_scores(listed, group), **_figures(listed, match, group)}

    score(_SAMPLE, _SAMPLE, match=match)  # so that a wrong name is refused when the config is read
    return scorer


def _own_scores(examples: list[Any], group: str | None) -> dict[str, Any]:
    """What spaCy's scorer gives."""
    scoring = import_module("spacy.scorer")
    if group is None:
        found = scoring.get_ner_prf(examples)
    else:
        found = scoring.Scorer.score_spans(
            examples,
            f"{_GROUPS}{group}",
            getter=lambda doc, name: doc.spans.get(name.removeprefix(_GROUPS), []),
            has_annotation=lambda doc: group in doc.spans,
            allow_overlap=True,
        )
    return dict(found)


def _figures(examples: list[Any], match: str, group: str | None) -> dict[str, float]:
    """Evenhand's figures; none where no reference is annotated."""
    scored = [each for each in examples if _is_annotated(each.reference, group)]
    if not scored:
        return {}
    gold, system = ([getattr(each, side) for each in scored] for side in ("reference", "predicted"))
    if group is not None and not any(group in doc.spans for doc in system):  # nothing is predicted
        system[0] = system[0].copy()
        system[0].spans[group] = []
    name = "ents" if group is None else group
    align = "strict" if all(_has_same_tokens(each) for each in scored) else "characters"
    result = score(docs(gold, group=name), docs(system, group=name), match=match, align=align)
    return {f"{PREFIX}{name}": value for name, value in result.metrics().items()}


def _is_annotated(reference: Any, group: str | None) -> bool:
    return bool(reference.has_annotation("ENT_IOB") if group is None else group in reference.spans)


def _has_same_tokens(example: Any) -> bool:
    return [token.text for token in example.reference] == [token.text for token in example.predicted]
