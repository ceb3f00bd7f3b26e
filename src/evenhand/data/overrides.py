"""Overrides: corrections of single spans of a gold standard, and how they are applied, batch by batch.

| verdict           | the gold span afterwards                                                            |
| ----------------- | ----------------------------------------------------------------------------------- |
| `spurious`        | removed                                                                             |
| `label`, `bounds` | changed to the values in `to`                                                       |
| `missing`         | `to` is added                                                                       |
| `unclear`         | left out, with overlapping system spans that do not equal another gold span         |
| `right`           | kept; marked as reviewed                                                            |

`suspects` proposes overrides. A proposal has the status `proposed` until a reviewer sets it to `accepted`, or sets the
verdict to `right` or `unclear`. A proposal to add a span has no gold span: if the verdict becomes `right`, nothing
changes; if it becomes `unclear`, overlapping system spans are left out.
"""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import Any, NamedTuple

import numpy as np

from evenhand.arrays import Ints, ints
from evenhand.data.annotation import Annotation, tags_layer
from evenhand.data.corpus import Corpus
from evenhand.data.encodings import encode
from evenhand.data.layers import Spans, Tags
from evenhand.data.vocabulary import StringCoder
from evenhand.dataclass import dataclass
from evenhand.errors import InputError, SettingError, counted

SPURIOUS, LABEL, BOUNDS, MISSING, UNCLEAR, RIGHT = "spurious", "label", "bounds", "missing", "unclear", "right"
VERDICTS = (SPURIOUS, LABEL, BOUNDS, MISSING, UNCLEAR, RIGHT)
WRONG = (SPURIOUS, LABEL, BOUNDS)
"""Verdicts on gold spans that are errors of the gold standard."""
PROPOSED, ACCEPTED = "proposed", "accepted"
STATUSES = (PROPOSED, ACCEPTED)
"""The status of an override that `suspects` proposes, before and after a review."""
OVERRIDE_STATES = (PROPOSED, ACCEPTED, RIGHT)
POSITIONS = ("characters", "tokens")
"""Units of positions in overrides: characters of the text, including spaces, or tokens of the sentence."""
AS_READ, UNCLEAR_SPANS, TARGETS = "as read", "unclear spans", "targets of overrides"
"""Additional layers of an overridden gold standard."""


class LabeledBounds(NamedTuple):
    """A span in its sentence or text, with positions from 0 and an exclusive end."""

    start: int
    end: int
    label: str

    def __str__(self) -> str:
        return f"{self.label!r} from {self.start} to {self.end}"


@dataclass(frozen=True)
class Override:
    """One line of a file of overrides."""

    source: str
    line: int
    verdict: str
    sentence: int | None
    """The number of the sentence, from 1 over the file."""
    document: str | int | None
    """The name or the number of the document, from 1."""
    span: LabeledBounds | None
    """The gold span; None if it is missing."""
    to: Mapping[str, Any]
    """New values of `start`, `end` and `label`."""
    record: Mapping[str, Any]
    """The line as written, with all keys."""
    positions: str | None = None
    """The unit of start and end: characters of the text, or tokens. None: tokens, or characters without spaces."""

    @property
    def state(self) -> str:
        """One of `OVERRIDE_STATES`. An override that is not a proposal is accepted, unless its verdict is `right`."""
        if self.verdict in (RIGHT, UNCLEAR):
            return RIGHT if self.verdict == RIGHT else ACCEPTED
        return PROPOSED if self.record.get("status") == PROPOSED else ACCEPTED

    @property
    def target(self) -> LabeledBounds | None:
        """The span that the gold standard should have, if the verdict changes or adds one."""
        if not self.to:
            return None
        return LabeledBounds(**{**(self.span._asdict() if self.span else {}), **self.to})

    @property
    def subject(self) -> LabeledBounds:
        """The gold span or, if it is missing, the span to add."""
        span = self.span or self.target
        assert span is not None  # a missing span has a target
        return span

    def agrees(self, other: Override) -> bool:
        """Whether another file has the same verdict on the same span."""
        return self.source != other.source and (self.verdict, self.target) == (other.verdict, other.target)

    @property
    def location(self) -> str:
        return f"{self.source}:{self.line}"


@dataclass(frozen=True)
class OverrideFile:
    """A file of overrides in a saved result."""

    name: str
    sha256: str
    verdicts: Mapping[str, int]
    proposed: int = 0
    """Number of proposals without a review."""
    voters: tuple[str, ...] = ()
    """The systems whose proposals these are, if they come from `suspects`."""

    def __str__(self) -> str:
        """The checksum, and the voters, because a system among them gains from its own proposals."""
        return f"{self.sha256}/voters-{'+'.join(self.voters)}" if self.voters else self.sha256

    def refuse_proposed(self) -> None:
        """Raise an error if there are unreviewed proposals."""
        if self.proposed:
            are, them = (
                ("are unreviewed proposals", "them") if self.proposed > 1 else ("is an unreviewed proposal", "it")
            )
            raise SettingError(
                f"{counted(self.proposed, 'override')} {are}. "
                f"Review {them} on the suspects page, or use --accept-proposed."
            )


class Overrides(OverrideFile):
    """A file of overrides with its lines, which are not saved with a result."""

    lines: Sequence[Override]

    def __init__(self, name: str, sha256: str, lines: Sequence[Override]) -> None:
        verdicts = Counter(line.verdict for line in lines)
        proposed = sum(line.state == PROPOSED for line in lines)
        voters = tuple(sorted({voter for line in lines for voter in line.record.get("voters", ())}))
        super().__init__(name, sha256, {verdict: verdicts[verdict] for verdict in VERDICTS}, proposed, voters)
        object.__setattr__(self, "lines", lines)

    @property
    def changes_spans(self) -> bool:
        """Whether any line does more than confirm a span."""
        return any(count for verdict, count in self.verdicts.items() if verdict != RIGHT)


Refuse = Callable[[InputError], None]
"""A function that raises an error, or collects it."""


def raise_error(error: InputError) -> None:
    raise error


class PlacedOverride(NamedTuple):
    """An override, and its sentence in the batch."""

    scope: int
    override: Override


class OverrideLocator:
    """Finds the sentences of overrides in consecutive batches of one gold standard."""

    def __init__(self, overrides: Sequence[Override], refuse: Refuse) -> None:
        self._refuse, self._order = refuse, {override.location: number for number, override in enumerate(overrides)}
        self._by_sentence: dict[int, list[Override]] = defaultdict(list)
        self._by_document: dict[str | int, list[Override]] = defaultdict(list)
        for override in overrides:
            if override.sentence is not None:
                self._by_sentence[override.sentence].append(override)
            elif override.document is not None:
                self._by_document[override.document].append(override)
        self._seen: set[str | int] = set()
        """Documents of overrides that have been seen."""
        self.sentences = self._documents = 0
        """Numbers before the next batch."""

    def take(self, corpus: Corpus) -> list[PlacedOverride]:
        """Return the overrides of a batch in the order of their lines."""
        before = self._documents - int(corpus.continues and self._documents > 0)
        placed = [*self._in_sentences(corpus, before), *self._in_documents(corpus, before)]
        self.sentences += corpus.sentences
        self._documents = before + len(corpus.documents)
        return sorted(placed, key=lambda item: self._order[item.override.location])

    def finish(self) -> None:
        """Refuse overrides of sentences and documents that do not exist."""
        for number in [number for number in self._by_sentence if number > self.sentences]:
            finding = f"sentence {number} does not exist: the gold standard has {self.sentences:,}"
            self._refuse_all(self._by_sentence[number], finding)
        for name in [name for name in self._by_document if name not in self._seen]:
            self._refuse_all(self._by_document[name], f"the gold standard has no document {name!r}")

    def _refuse_all(self, overrides: Sequence[Override], finding: str, remedy: str | None = None) -> None:
        for override in overrides:
            self._refuse(stale(override, finding, remedy))

    def _in_sentences(self, corpus: Corpus, before: int) -> Iterator[PlacedOverride]:
        """Yield the overrides that name a sentence by its number in the file; a named document must match."""
        numbers = range(self.sentences + 1, self.sentences + corpus.sentences + 1)
        for number in [number for number in self._by_sentence if number in numbers]:
            scope = number - numbers.start
            names = _names(corpus, int((corpus.documents <= scope).sum()) - 1, before)
            for override in self._by_sentence[number]:
                if override.document is None or override.document in names:
                    yield PlacedOverride(scope, override)
                else:
                    finding = f"sentence {number} is in document {names[-1]!r}, not in {override.document!r}"
                    self._refuse_all([override], finding)

    def _in_documents(self, corpus: Corpus, before: int) -> Iterator[PlacedOverride]:
        """Yield the overrides that name a document, which must be a single text or sentence."""
        bounds = [*corpus.documents.tolist(), corpus.sentences]
        for document, first in enumerate(bounds[:-1] if self._by_document else ()):
            for name in [name for name in _names(corpus, document, before) if name in self._by_document]:
                is_whole = not (document == 0 and corpus.continues)
                is_one = is_whole and bounds[document + 1] - first == 1
                is_text = is_whole and _is_one_text(corpus, first, bounds[document + 1])
                is_repeated = name in self._seen
                self._seen.add(name)
                for override in self._by_document[name]:
                    is_located = is_text if override.positions == "characters" else is_one
                    if is_located and not is_repeated:
                        yield PlacedOverride(first, override)
                        continue
                    several = f"the document {name!r} has several sentences"
                    finding = f"two documents are called {name!r}" if is_located else several
                    self._refuse_all([override], finding, "also specify the sentence by its number in the file, from 1")


def _is_one_text(corpus: Corpus, first: int, stop: int) -> bool:
    if corpus.raw is None or corpus.text_bounds is None:
        return stop - first == 1
    text, other = np.searchsorted(corpus.text_bounds, corpus.raw[[first, stop - 1]], side="right").tolist()
    return bool(text == other)


def _names(corpus: Corpus, document: int, before: int) -> list[str | int]:
    """Return the names of a document: its number, its id or name or, of a file, the endings of its path."""
    number = before + document + 1
    if corpus.ids is not None and len(corpus.documents) == corpus.sentences:
        return [number, corpus.ids[document]]
    if corpus.names and not corpus.unnamed:
        return [number, corpus.names[document]]
    if len(corpus.documents) > 1 or corpus.continues:
        return [number]
    parts = PurePath(os.path.splitext(corpus.source)[0]).parts
    endings = ["/".join(parts[first:]) for first in reversed(range(len(parts)))]
    return [number, os.path.basename(corpus.source), *endings]


def _in_atoms(placed: PlacedOverride, corpus: Corpus) -> PlacedOverride:
    """Return an override whose positions are atoms of a batch."""
    override = placed.override
    if override.positions != "characters":
        if override.positions == "tokens" and corpus.atoms != "tokens":
            raise _wrong_unit(override, "tokens", "a text without tokens", "characters")
        return placed
    if not corpus.has_input_text:
        raise _wrong_unit(override, "characters", "no text", "tokens")
    scope, span, to = placed.scope, None, dict(override.to)
    if override.span is not None:
        scope, span = _atoms_of(override, placed.scope, override.span, corpus)
    if override.target is not None and {"start", "end"} & to.keys():
        target_scope, bounds = _atoms_of(override, placed.scope, override.target, corpus)
        if span is not None and target_scope != scope:
            raise stale(override, "`to` is in another sentence than the span")
        scope, to = target_scope, {**to, "start": bounds.start, "end": bounds.end}
    return PlacedOverride(scope, replace(override, span=span, to=to))


def _atoms_of(override: Override, scope: int, span: LabeledBounds, corpus: Corpus) -> tuple[int, LabeledBounds]:
    """Return the sentence and the atoms of a span in characters."""
    atoms = corpus.atoms_at(scope, span.start, span.end)
    if atoms is None:
        whole = " that are whole tokens" if corpus.atoms == "tokens" else ""
        raise stale(override, f"the text has no characters from {span.start} to {span.end}{whole}")
    sentence, start, end = atoms
    if override.sentence is not None and sentence != scope:
        finding = f"the characters from {span.start} to {span.end} are not in sentence {override.sentence}"
        raise stale(override, finding)
    return sentence, LabeledBounds(start, end, span.label)


def _in_characters(scope: int, span: LabeledBounds, corpus: Corpus) -> LabeledBounds:
    positions = corpus.positions(*(ints([number]) for number in (scope, span.start, span.end)))
    return LabeledBounds(int(positions.start[0]), int(positions.end[0]), span.label)


def _with_unit(placed: PlacedOverride, corpus: Corpus) -> Override:
    """Return an override in atoms with the unit of its positions in its record."""
    scope, override = placed
    if override.positions is not None or corpus.bounds is None or corpus.atoms == "tokens":
        return replace(override, record={**override.record, "positions": override.positions or corpus.atoms})
    record = dict(override.record)
    if override.span is not None:
        record |= _in_characters(scope, override.span, corpus)._asdict()
    if override.target is not None:
        target = _in_characters(scope, override.target, corpus)._asdict()
        record["to"] = {name: target[name] for name in override.to}
    return replace(override, record={**record, "positions": "characters"})


def _wrong_unit(override: Override, unit: str, content: str, other: str) -> InputError:
    finding = f"positions are {unit}, but the gold standard has {content}"
    return stale(override, finding, f"count in {other} and set positions to {other}")


def stale(override: Override, finding: str, remedy: str | None = None) -> InputError:
    """Return the error for an override that does not fit the gold standard."""
    return InputError(override.source, override.line, finding, remedy or "correct the line, or remove it")


class CorrectedTags:
    """Encodes the tags of sentences with corrected spans, for measures of tags; all batches share one table of tags."""

    def __init__(self) -> None:
        self._coder = StringCoder()

    def __call__(self, tags: Tags, spans: Spans, corpus: Corpus, scopes: Sequence[int], encoding: str | None) -> Tags:
        """Return the tags of a batch; the sentences `scopes` have new spans, which must not overlap."""
        assert corpus.bounds is not None  # there is one tag per token
        assert encoding is not None
        code = tags.coded(self._coder).copy()
        for scope in scopes:
            flat = spans.take(np.flatnonzero(spans.scope == scope))
            flat = flat.take(np.argsort(flat.start, kind="stable"))
            if (flat.start[1:] < flat.end[:-1]).any():
                finding = f"with these overrides, spans of {corpus.source} overlap, so they cannot be encoded as tags"
                raise SettingError(f"The accuracy of tags is undefined: {finding}; remove it from --match.")
            begin, end = corpus.bounds[scope : scope + 2].tolist()
            names = spans.vocabulary.labels.values
            encoded = encode(encoding, flat.start, flat.end, flat.label, names, end - begin, ints([0]))
            code[begin:end] = encoded.coded(self._coder)
        return Tags(code, tuple(self._coder.names))


def outside(tags: Tags, spans: Spans) -> Tags:
    """Return tags in which some spans, counted from the first token of the text, are outside."""
    code = tags.code.copy()
    for _, _, start, end in spans.rows():
        code[start:end] = len(tags.names)
    return Tags(code, (*tags.names, "O"))


Key = tuple[int, LabeledBounds]
"""A sentence and a span."""


class OverriddenGold:
    """Applies overrides to the batches of a gold standard."""

    def __init__(
        self,
        overrides: Overrides,
        layer: str,
        *,
        as_kind: bool = False,
        keeps_tags: bool = False,
        refuse: Refuse = raise_error,
    ) -> None:
        """With `as_kind`, gold errors are an error type: wrong spans are kept, and marked by an extra."""
        self._overrides, self._layer, self._as_kind = overrides, layer, as_kind
        self._keeps_tags, self._refuse = keeps_tags, refuse
        self.applied: list[Override] = []
        """The applied overrides in the order of the text."""

    def __call__(self, batches: Iterator[Annotation]) -> Iterator[Annotation]:
        locator, encode_tags = OverrideLocator(self._overrides.lines, self._refuse), CorrectedTags()
        name, name_as_read = tags_layer(self._layer), tags_layer(AS_READ)
        for batch in batches:
            before, placed = locator.sentences, locator.take(batch.corpus)
            overridden = _OverriddenBatch(batch.spans(self._layer), batch.corpus, placed, before, self._refuse)
            self.applied += overridden.applied
            layers = {key: layer for key, layer in batch.layers.items() if key != name}
            layers |= overridden.layers(as_kind=self._as_kind) | {AS_READ: overridden.spans}
            spans = layers[self._layer] = overridden.marked() if self._as_kind else overridden.corrected()
            tags = batch.tags(self._layer) if self._keeps_tags else None
            if tags is not None:
                layers[name] = layers[name_as_read] = tags
                if self._overrides.changes_spans:
                    encoding = batch.readings[self._layer].encoding
                    layers[name] = encode_tags(tags, spans, batch.corpus, overridden.changed_scopes, encoding)
            yield replace(batch, layers=layers)
        locator.finish()


class _OverriddenBatch:
    """The spans of a batch and their overrides."""

    def __init__(
        self, spans: Spans, corpus: Corpus, placed: Sequence[PlacedOverride], before: int, refuse: Refuse
    ) -> None:
        self.spans, self._corpus, self._before = spans, corpus, before
        self._by_span: dict[Key, Override] = {}
        self._targets: dict[Key, LabeledBounds] = {}
        self._makers: dict[Key, Override] = {}
        """The override that changes a span to each target, or adds it."""
        self._each(self._add, placed, refuse)
        self._each(self._add_target, self._placed, refuse)

    @staticmethod
    def _each(add: Callable[[PlacedOverride], None], items: Sequence[PlacedOverride], refuse: Refuse) -> None:
        for item in items:
            try:
                add(item)
            except InputError as error:
                refuse(error)

    @property
    def _placed(self) -> list[PlacedOverride]:
        return [PlacedOverride(scope, override) for (scope, _), override in self._by_span.items()]

    @property
    def applied(self) -> list[Override]:
        ordered = sorted(self._placed, key=lambda item: (item.scope, item.override.subject))
        return [_with_unit(item, self._corpus) for item in ordered]

    @property
    def changed_scopes(self) -> list[int]:
        return sorted({scope for scope, override in self._placed if override.verdict != RIGHT})

    def corrected(self) -> Spans:
        """Return the corrected spans without unclear ones."""
        if not self.changed_scopes:
            return self.spans
        columns = {name: getattr(self.spans, name).copy() for name in ("start", "end", "label", "shape")}
        for key, target in self._targets.items():
            rows = self._rows(key)
            columns["shape"][rows] *= target[:2] == key[1][:2]
            columns["start"][rows], columns["end"][rows] = target.start, target.end
            columns["label"][rows] = self.spans.vocabulary.labels.code(target.label)
        missing = [(key[0], self._targets[key]) for key in self._keys_with(MISSING) if key in self._targets]
        joined = Spans.concatenate([replace(self.spans, **columns), self._new_spans(missing)], [0, 0])
        return _in_order(joined.without(self._rows_with(SPURIOUS, UNCLEAR)), self.spans)

    def marked(self) -> Spans:
        """Return unchanged spans without unclear ones, with an extra for wrong ones."""
        extra = np.zeros(len(self.spans), dtype=np.int64)
        extra[self._rows_with(*WRONG)] = self.spans.vocabulary.extras.code("error of the gold standard")
        return replace(self.spans, extra=extra).without(self._rows_with(UNCLEAR))

    def layers(self, *, as_kind: bool) -> dict[str, Spans]:
        """Return the unclear spans and, if gold errors are an error type, the correct spans."""
        proposed = [key for key in self._keys_with(UNCLEAR) if self._by_span[key].span is None]
        unclear = [self.spans.take(self._rows_with(UNCLEAR)), self._new_spans(proposed)]
        layers = {UNCLEAR_SPANS: Spans.concatenate(unclear, [0, 0]) if proposed else unclear[0]}
        if as_kind:
            layers[TARGETS] = self._new_spans([(scope, target) for (scope, _), target in self._targets.items()])
        return layers

    def _add(self, placed: PlacedOverride) -> None:
        """Add an override, if its span exists (or is missing, if this is the verdict) and has no other override."""
        scope, override = _in_atoms(placed, self._corpus)
        key, sentence = (scope, override.subject), self._sentence(scope, override)
        subject, rows = self._shown(override, scope, override.subject), self._rows(key)
        if (other := self._by_span.get(key)) is not None:
            if other.agrees(override):
                return
            line = f"line {other.line}" if other.source == override.source else other.location
            raise stale(override, f"the span {subject} of {sentence} has another override in {line}")
        if override.span is None and len(rows):
            raise stale(override, f"the span {subject} is not missing from {sentence}")
        if override.span is not None and not len(rows):
            finding = f"{sentence} has no gold span {subject}{self._nearest(scope, override)}"
            raise stale(override, finding, self._remedy(scope, override))
        if len(set(self.spans.shape[rows].tolist())) > 1:
            raise stale(override, f"{sentence} has several gold spans {subject}, which differ in their gaps")
        self._by_span[key] = override

    def _add_target(self, placed: PlacedOverride) -> None:
        """Add the target of an override, if it is within the sentence and not there yet."""
        scope, override = placed
        if override.target is None or override.verdict in (RIGHT, UNCLEAR):
            return
        target, sentence, lengths = (scope, override.target), self._sentence(scope, override), self._corpus.lengths
        if lengths is not None and override.target.end > lengths[scope]:
            raise stale(override, f"`to` ends at {override.target.end}, and {sentence} at {lengths[scope]}")
        span = self._shown(override, *target)
        if (other := self._makers.get(target)) is not None:
            raise stale(override, f"the span {span} of {sentence} is also made by {other.location}")
        changed = self._by_span.get(target)
        is_kept = changed is None or changed.verdict in (RIGHT, UNCLEAR)  # an unclear span exists but does not count
        if (len(self._rows(target)) and is_kept) or override.target == override.span:
            raise stale(override, f"`to` makes the span {span}, which {sentence} already has")
        self._targets[scope, override.subject], self._makers[target] = override.target, override

    def _sentence(self, scope: int, override: Override) -> str:
        """Return the sentence or document of an override, as its line names it."""
        if override.sentence is None:
            return f"document {override.document!r}"
        return f"sentence {self._before + scope + 1}"

    def _shown(self, override: Override, scope: int, span: LabeledBounds) -> LabeledBounds:
        """Convert a span in atoms to the unit of an override."""
        return _in_characters(scope, span, self._corpus) if override.positions == "characters" else span

    def _nearest(self, scope: int, override: Override) -> str:
        spans, span = self.spans, override.subject
        if not len(spans):
            return ""
        distance = np.abs(spans.start - span.start) + np.abs(spans.end - span.end)
        label = spans.vocabulary.labels.find(span.label)
        is_other = spans.label != (-1 if label is None else label)
        row = int(np.lexsort((is_other, distance, np.abs(spans.scope - scope)))[0])
        nearest_scope, start, end = (int(column[row]) for column in (spans.scope, spans.start, spans.end))
        name = spans.vocabulary.labels[int(spans.label[row])]
        nearest = self._shown(override, nearest_scope, LabeledBounds(start, end, name))
        location = "" if nearest_scope == scope else f", in sentence {self._before + nearest_scope + 1}"
        return f" (the nearest one is {nearest}{location})"

    def _remedy(self, scope: int, override: Override) -> str | None:
        """Return the remedy for a span that does not exist. It suggests characters if the positions fit as such."""
        span = override.subject
        if override.positions is not None or not self._corpus.has_input_text:
            return None
        atoms = self._corpus.atoms_at(scope, span.start, span.end)
        is_there = atoms is not None and len(self._rows((atoms[0], LabeledBounds(*atoms[1:], span.label))))
        return 'add "positions": "characters", which fits' if is_there else None

    def _rows(self, key: Key) -> Ints:
        """Return the rows of a span; a file may repeat it."""
        scope, span = key
        label = self.spans.vocabulary.labels.find(span.label)
        columns = (self.spans.scope, self.spans.start, self.spans.end, self.spans.label)
        values = (scope, span.start, span.end, -1 if label is None else label)
        return np.flatnonzero(
            np.logical_and.reduce([column == value for column, value in zip(columns, values, strict=True)])
        )

    def _keys_with(self, *verdicts: str) -> list[Key]:
        return [key for key, override in self._by_span.items() if override.verdict in verdicts]

    def _rows_with(self, *verdicts: str) -> Ints:
        return ints(sorted(row for key in self._keys_with(*verdicts) for row in self._rows(key).tolist()))

    def _new_spans(self, spans: Sequence[tuple[int, LabeledBounds]]) -> Spans:
        vocabulary = self.spans.vocabulary
        rows = [(scope, span.start, span.end, vocabulary.labels.code(span.label)) for scope, span in spans]
        return Spans.of(vocabulary, *ints(rows).reshape(-1, 4).T)


def _in_order(spans: Spans, original: Spans) -> Spans:
    """Return spans in the order of the text, if that was the order of the file."""
    scope, start = original.scope, original.start
    is_ordered = (scope[1:] > scope[:-1]) | ((scope[1:] == scope[:-1]) & (start[1:] >= start[:-1]))
    return spans.take(np.lexsort((spans.start, spans.scope))) if is_ordered.all() else spans
