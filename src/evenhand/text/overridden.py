"""A gold standard with overrides, batch by batch: corrected, or as it stands with its errors marked.

What overrides say stands beside the spans, as layers that go with them wherever atoms are changed or batches joined.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from evenhand.arrays import ints
from evenhand.problems import InputError
from evenhand.text.annotation import Annotation, tags_layer
from evenhand.text.corpus import Corpus
from evenhand.text.corrected_tags import CorrectedTags
from evenhand.text.layers import Spans
from evenhand.text.override_places import OverridePlaces, Placed, Refuse, Resolver, raised, stale
from evenhand.text.overrides import KEPT, MISSING, RIGHT, SPURIOUS, UNCLEAR, WRONG, LabeledBounds, Override, Overrides

AS_READ, UNCLEAR_SPANS, TARGETS = "as read", "unclear spans", "targets of overrides"
"""The layers of an overridden gold standard, beside its spans."""
Key = tuple[int, LabeledBounds]
"""A span and its sentence."""


class OverriddenGold:
    """Applies overrides to the batches of a gold standard."""

    def __init__(
        self,
        overrides: Overrides,
        layer: str,
        *,
        as_kind: bool = False,
        keeps_tags: bool = False,
        refuse: Refuse = raised,
    ) -> None:
        """With `as_kind`, spans stay, but for unclear ones; those that are wrong have an extra."""
        self._overrides, self._layer, self._as_kind = overrides, layer, as_kind
        self._keeps_tags, self._refuse = keeps_tags, refuse
        self.applied: list[Override] = []
        """The overrides that were applied so far, in the order of the text."""

    def __call__(self, batches: Iterator[Annotation]) -> Iterator[Annotation]:
        places, respelled = OverridePlaces(self._overrides.lines, self._refuse), CorrectedTags()
        name, name_as_read = tags_layer(self._layer), tags_layer(AS_READ)
        for batch in batches:
            before, placed = places.sentences, places.take(batch.corpus)
            found = _Batch(batch.spans(self._layer), batch.corpus, placed, before, self._refuse)
            self.applied += found.applied
            layers = {key: layer for key, layer in batch.layers.items() if key != name}
            layers |= found.layers(as_kind=self._as_kind) | {AS_READ: found.spans}
            spans = layers[self._layer] = found.marked() if self._as_kind else found.corrected()
            tags = batch.tags(self._layer) if self._keeps_tags else None
            if tags is not None:
                layers[name] = layers[name_as_read] = tags
                if self._overrides.changes_spans:
                    encoding = batch.readings[self._layer].encoding
                    layers[name] = respelled(tags, spans, batch.corpus, found.changed_scopes, encoding)
            yield replace(batch, layers=layers)
        places.finish()


class _Batch:
    """The spans of a batch, and the overrides of some of them."""

    def __init__(self, spans: Spans, corpus: Corpus, placed: Sequence[Placed], before: int, refuse: Refuse) -> None:
        self.spans, self._lengths, self._before = spans, corpus.lengths, before
        self._positions, resolved = Resolver(corpus), list[Placed]()
        for each in placed:
            try:
                resolved.append(self._positions.placed(each))
            except InputError as error:
                refuse(error)
        self._rows = _rows(spans, [each.scope for each in resolved])
        self._by_span: dict[Key, Override] = {}
        for each in resolved:
            try:
                self._add(*each)
            except InputError as error:
                refuse(error)
        self._targets: dict[Key, LabeledBounds] = {}
        self._makers: dict[Key, Override] = {}
        """Which override makes each target."""
        for key, override in list(self._by_span.items()):
            try:
                self._add_target(key, override)
            except InputError as error:
                refuse(error)

    @property
    def applied(self) -> list[Override]:
        """The overrides in the order of the text."""
        ordered = sorted(self._by_span.items(), key=lambda item: item[0])
        return [self._positions.written(Placed(scope, override)) for (scope, _), override in ordered]

    @property
    def changed_scopes(self) -> list[int]:
        return sorted({scope for (scope, _), override in self._by_span.items() if override.verdict != RIGHT})

    def corrected(self) -> Spans:
        """The spans as they should be; those that are unclear are left out."""
        if not self.changed_scopes:
            return self.spans
        columns = {name: getattr(self.spans, name).copy() for name in ("start", "end", "label", "shape")}
        for key, target in self._targets.items():
            rows = self._rows.get(key, [])
            columns["shape"][rows] *= target[:2] == key[1][:2]
            columns["start"][rows], columns["end"][rows] = target.start, target.end
            columns["label"][rows] = self.spans.vocabulary.labels.code(target.label)
        missing = [(key[0], self._targets[key]) for key in self._of(MISSING) if key in self._targets]
        joined = Spans.concatenate([replace(self.spans, **columns), self._made(missing)], [0, 0])
        return _in_order(joined.without(ints(self._found(SPURIOUS, UNCLEAR))), self.spans)

    def marked(self) -> Spans:
        """The spans as they stand, with an extra for those that are wrong; those that are unclear are left out."""
        extra = np.zeros(len(self.spans), dtype=np.int64)
        extra[self._found(*WRONG)] = self.spans.vocabulary.extras.code("error of the gold standard")
        return replace(self.spans, extra=extra).without(ints(self._found(UNCLEAR)))

    def layers(self, *, as_kind: bool) -> dict[str, Spans]:
        """Unclear spans and, where errors are a kind, what spans should be."""
        found = {UNCLEAR_SPANS: self.spans.take(ints(self._found(UNCLEAR)))}
        targets = [(scope, target) for (scope, _), target in self._targets.items()]
        return found | ({TARGETS: self._made(targets)} if as_kind else {})

    def _add(self, scope: int, override: Override) -> None:
        """Take an override, if its span is there, or is missing as it says, and has no other one."""
        key, place = (scope, override.subject), self._where(scope, override)
        subject = self._positions.shown(scope, override.subject, override)
        if (other := self._by_span.get(key)) is not None:
            if other.agrees(override):
                return
            line = f"line {other.line}" if other.source == override.source else other.place
            raise stale(override, f"the span {subject} of {place} has another override in {line}")
        if override.verdict == MISSING and key in self._rows:
            raise stale(override, f"the span {subject} is not missing from {place}")
        if override.verdict != MISSING and key not in self._rows:
            remedy = self._positions.remedy(override, scope, self.spans)
            raise stale(override, f"{place} has no gold span {subject}{self._nearest(scope, override)}", remedy)
        if len({int(self.spans.shape[row]) for row in self._rows.get(key, [])}) > 1:
            raise stale(override, f"{place} has several gold spans {subject}, which differ in their gaps")
        self._by_span[key] = override

    def _add_target(self, key: Key, override: Override) -> None:
        """Take what a span becomes, if the sentence has room for it and nothing else is there."""
        scope, target = key[0], override.target
        if target is None:
            return
        place, size = self._where(scope, override), None if self._lengths is None else self._lengths[scope]
        shown = self._positions.shown(scope, target, override) if size is None or target.end <= size else target
        if size is not None and target.end > size:
            raise stale(override, f"`to` ends at {target.end}, and {place} at {size}")
        if (other := self._makers.get((scope, target))) is not None:
            raise stale(override, f"the span {shown} of {place} is made by {other.place}, too")
        if self._stays((scope, target)) or target == override.span:
            raise stale(override, f"`to` makes the span {shown}, which {place} has already")
        self._targets[key], self._makers[scope, target] = target, override

    def _where(self, scope: int, override: Override) -> str:
        """What a message calls the place of an override: as its line does."""
        if override.sentence is None:
            return f"document {override.document!r}"
        return f"sentence {self._before + scope + 1}"

    def _stays(self, key: Key) -> bool:
        """Whether a span is there, and stays as it is."""
        override = self._by_span.get(key)
        return key in self._rows and (override is None or override.verdict in KEPT)

    def _nearest(self, scope: int, override: Override) -> str:
        """The gold span that may be meant, in words."""
        spans, span = self.spans, override.subject
        if not len(spans):
            return ""
        away = np.abs(spans.start - span.start) + np.abs(spans.end - span.end)
        label = spans.vocabulary.labels.find(span.label)
        row = int(np.lexsort((spans.label != (-1 if label is None else label), away, np.abs(spans.scope - scope)))[0])
        there = int(spans.scope[row])
        found = self._positions.shown(there, _span(spans, row), override)
        where = "" if there == scope else f", in sentence {self._before + there + 1}"
        return f" (the nearest one is {found}{where})"

    def _of(self, *verdicts: str) -> list[Key]:
        return [key for key, override in self._by_span.items() if override.verdict in verdicts]

    def _found(self, *verdicts: str) -> list[int]:
        """The rows of spans with one of these verdicts."""
        return sorted(row for key in self._of(*verdicts) for row in self._rows[key])

    def _made(self, spans: Sequence[tuple[int, LabeledBounds]]) -> Spans:
        """Spans with codes of the same vocabulary."""
        vocabulary = self.spans.vocabulary
        rows = [(scope, span.start, span.end, vocabulary.labels.code(span.label)) for scope, span in spans]
        return Spans.of(vocabulary, *ints(rows).reshape(-1, 4).T)


def _rows(spans: Spans, scopes: Sequence[int]) -> Mapping[Key, list[int]]:
    """The rows of each span in some sentences; a file may repeat a span."""
    found: dict[Key, list[int]] = defaultdict(list)
    for row in np.flatnonzero(np.isin(spans.scope, scopes)).tolist() if scopes else ():
        found[int(spans.scope[row]), _span(spans, row)].append(row)
    return found


def _span(spans: Spans, row: int) -> LabeledBounds:
    names = spans.vocabulary.labels
    return LabeledBounds(int(spans.start[row]), int(spans.end[row]), names[int(spans.label[row])])


def _in_order(spans: Spans, original: Spans) -> Spans:
    """Spans in the order of the text, if that was the order of their file."""
    scope, start = original.scope, original.start
    is_ordered = (scope[1:] > scope[:-1]) | ((scope[1:] == scope[:-1]) & (start[1:] >= start[:-1]))
    return spans.take(np.lexsort((spans.start, spans.scope))) if is_ordered.all() else spans
