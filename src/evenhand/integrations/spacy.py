"""A scorer for spaCy's components, which a training config can name.

    [components.ner.scorer]
    @scorers = "evenhand.scorer.v1"

It returns the figures of spaCy's own scorer for the component, under its keys, and Evenhand's figures as
`evenhand_LAYER_…`: `evenhand_ents_f1` for entities, `evenhand_spans_sc_f1` for the span group sc, `evenhand_tag_f1`
for tags. If two components of a pipeline score one layer, their names precede it: `evenhand_ner_ents_f1`. Otherwise
one would overwrite the figures of the other, as it does with spaCy's keys.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from importlib import import_module
from math import isnan
from typing import Any

from evenhand.api.score import score
from evenhand.errors import SettingError, unknown
from evenhand.formats.spacy import ENTITIES, GROUPS, SENTENCES, TAGS, TREES, alignment_of, has_layer, layer_of, task_of
from evenhand.parameters import split_names
from evenhand.settings import LINKS
from evenhand.tasks.registry import models_of

PREFIX = "evenhand_"
_COMPONENTS: dict[str, tuple[str, ...]] = {
    "tagger": ("tag",),
    "morphologizer": ("pos", "morph"),
    "lemmatizer": ("lemma",),
    "trainable_lemmatizer": ("lemma",),
    "attribute_ruler": tuple(TAGS),
    "parser": (TREES, SENTENCES),
    "senter": (SENTENCES,),
    "sentencizer": (SENTENCES,),
    "ner": (ENTITIES,),
    "beam_ner": (ENTITIES,),
    "entity_ruler": (ENTITIES,),
    "future_entity_ruler": (ENTITIES,),
    "beam_parser": (TREES, SENTENCES),
    "entity_linker": (LINKS,),
}
"""The layers that components score, by their factory; those with a span group are below."""
_GROUP_COMPONENTS = ("spancat", "spancat_singlelabel", "span_finder", "span_ruler")
_UNLABELED = "span_finder"
_SCORERS = {
    ENTITIES: ("spacy.scorer", "get_ner_prf", "ents_"),
    "tag": ("spacy.pipeline.tagger", "tagger_score", "tag_"),
    "pos": ("spacy.pipeline.morphologizer", "morphologizer_score", "pos_"),
    "morph": ("spacy.pipeline.morphologizer", "morphologizer_score", "morph_"),
    "lemma": ("spacy.pipeline.lemmatizer", "lemmatizer_score", "lemma_"),
    TREES: ("spacy.pipeline.dep_parser", "parser_score", "dep_"),
    SENTENCES: ("spacy.pipeline.senter", "senter_score", "sents_"),
    LINKS: ("spacy.pipeline.entity_linker", "entity_linker_score", "nel_"),
}
"""spaCy's scorer of each layer: its module, its name, and the prefix of the keys of the layer."""
_LAYERS = (*_SCORERS, f"{GROUPS}KEY")


def make_scorer(
    match: str | None = None, layer: str | None = None, group: str | None = None
) -> Callable[..., dict[str, Any]]:
    """A scorer of a layer: `ents`, `spans:KEY`, `tag`, `pos`, `morph`, `lemma`, `trees`, `sents` or `links`.

    Without `layer`, it scores the layers of the component that names it. `group="sc"` is `layer="spans:sc"`. `match`
    names measures; by default, these are the defaults of `score`. Documents whose reference is not annotated are left
    out, as in spaCy's scorers.
    """
    if layer is not None and group is not None:
        raise SettingError("layer and group specify the same thing; use only one.")
    if group is not None:
        layer = f"{GROUPS}{group}"
    if layer is not None and layer not in _SCORERS and not layer.startswith(GROUPS):
        raise SettingError(unknown(f"layer is {layer!r}", layer, _LAYERS, f"choose one of {', '.join(_LAYERS)}"))
    _check_measures(match, None if layer is None else task_of(layer))
    return _Scorer(match, layer)


def _check_measures(match: str | None, task: str | None) -> None:
    """Refuse a wrong name when the config is read."""
    tasks = {task_of(layer) for layer in _SCORERS} if task is None else {task}
    measures = [measure for each in tasks for measure in models_of(each)]
    names = (name for measure in measures for name in (measure.name, measure.family, *measure.aliases))
    known = list(dict.fromkeys(filter(None, names)))
    for name in split_names(match or ""):
        if name.partition("@")[0] not in known:
            raise SettingError(unknown(f"match is {name!r}", name, known, f"choose one of {', '.join(known)}"))


class _Scorer:
    def __init__(self, match: str | None, layer: str | None) -> None:
        self._match, self.layer = match, layer

    def __call__(self, examples: Iterable[Any], **settings: Any) -> dict[str, Any]:
        listed = [_in_one_vocabulary(example) for example in examples]
        components = _components()
        name, factory, layers = next((each[1:] for each in components if each[0] is self), (None, None, ()))
        if not layers:
            group = settings.get("spans_key")
            layers = (self.layer or (ENTITIES if group is None else f"{GROUPS}{group}"),)
        figures: dict[str, Any] = {}
        for layer in layers:
            figures |= _spacy_scores(listed, layer, labeled=factory != _UNLABELED)
        for layer in layers:
            is_shared = sum(layer in others for *_, others in components) > 1
            prefix = f"{PREFIX}{f'{name}_' if is_shared else ''}{layer.replace(':', '_')}_"
            scores = _figures(listed, self._match, layer)
            figures |= {f"{prefix}{key}": value for key, value in scores.items()}
        return figures


def _in_one_vocabulary(example: Any) -> Any:
    """The example with both documents in the vocabulary of the reference, since spaCy's scorers compare hashes."""
    predicted, reference = example.predicted, example.reference
    if predicted.vocab is reference.vocab:
        return example
    copy = type(predicted)(reference.vocab).from_bytes(predicted.to_bytes(exclude=["tensor", "user_data"]))
    return type(example)(copy, reference)


def _components() -> list[tuple[_Scorer, str, str, tuple[str, ...]]]:
    """The components that name this scorer: their scorers, names, factories and layers.

    spaCy does not pass the component to its scorer, so it is looked up in the pipeline that is being evaluated.
    """
    nlp = _pipeline()
    found = []
    for name, component in [] if nlp is None else nlp.pipeline:
        scorer = getattr(component, "scorer", None)
        if isinstance(scorer, _Scorer):
            factory = nlp.get_pipe_meta(name).factory
            found.append((scorer, name, factory, _layers_of(scorer.layer, name, factory, component)))
    return found


def _layers_of(layer: str | None, name: str, factory: str, component: Any) -> tuple[str, ...]:
    if layer is not None:
        return (layer,)
    if factory in _GROUP_COMPONENTS:
        key = getattr(component, "key", None) or getattr(component, "cfg", {}).get("spans_key") or component.spans_key
        return (f"{GROUPS}{key}",)
    if factory not in _COMPONENTS:
        raise SettingError(f"The component {name} is a {factory}, whose layer is not known; set layer in its scorer.")
    return _COMPONENTS[factory]


def _pipeline() -> Any:
    """The pipeline that is being evaluated, from spaCy's `Scorer` among the callers."""
    frame = sys._getframe()
    while frame := frame.f_back:  # type: ignore[assignment]
        caller = frame.f_locals.get("self")
        if type(caller).__module__ == "spacy.scorer" and (nlp := getattr(caller, "nlp", None)) is not None:
            return nlp
    return None


def _spacy_scores(examples: list[Any], layer: str, *, labeled: bool) -> dict[str, Any]:
    """The figures of spaCy's own scorer; None for a layer that no reference has."""
    if not layer.startswith(GROUPS):
        module, name, prefix = _SCORERS[layer]
        scores = getattr(import_module(module), name)(examples)
        return {key: value for key, value in scores.items() if key.startswith(prefix)}
    group, attribute = layer.removeprefix(GROUPS), layer.replace(":", "_")
    scores = import_module("spacy.scorer").Scorer.score_spans(
        examples,
        attribute,
        getter=lambda doc, name: doc.spans.get(group, []),
        has_annotation=lambda doc: group in doc.spans,
        allow_overlap=True,
        labeled=labeled,
    )
    return {key: value for key, value in scores.items() if labeled or not key.endswith("_per_type")}


def _figures(examples: list[Any], match: str | None, layer: str) -> dict[str, float | None]:
    """Evenhand's figures; None where they are undefined, and for a layer that no reference has."""
    task = task_of(layer)
    gold, system = (layer_of([getattr(each, side) for each in examples], layer) for side in ("reference", "predicted"))
    align = alignment_of(layer, task, has_same_tokens=all(map(_has_same_tokens, examples)))
    metrics = score(gold, system, task=task, match=match, align=align).metrics()
    is_absent = not any(has_layer(each.reference, layer) for each in examples)
    return {name: None if is_absent or isnan(value) else value for name, value in metrics.items()}


def _has_same_tokens(example: Any) -> bool:
    return [token.text for token in example.reference] == [token.text for token in example.predicted]
