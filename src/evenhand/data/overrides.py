"""Overrides of a gold standard: what somebody found wrong with single spans of it.

| verdict           | the gold span afterwards                                                            |
| ----------------- | ----------------------------------------------------------------------------------- |
| `spurious`        | removed                                                                             |
| `label`, `bounds` | `to` replaces what it names                                                         |
| `missing`         | `to` is added                                                                       |
| `unclear`         | left out, with system spans that overlap it and equal no other gold span            |
| `right`           | stays: somebody looked at it                                                        |
"""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import Any, NamedTuple

import numpy as np

from evenhand.arrays import ints
from evenhand.data.annotation import Annotation, tags_layer
from evenhand.data.corpus import Corpus
from evenhand.data.encodings import encode
from evenhand.data.layers import Spans, Tags
from evenhand.data.vocabulary import StringCoder
from evenhand.dataclass import dataclass
from evenhand.errors import InputError, SettingError

SPURIOUS, LABEL, BOUNDS, MISSING, UNCLEAR, RIGHT = "spurious", "label", "bounds", "missing", "unclear", "right"
VERDICTS = (SPURIOUS, LABEL, BOUNDS, MISSING, UNCLEAR, RIGHT)
WRONG = (SPURIOUS, LABEL, BOUNDS)
"""The verdicts on gold spans that are errors of the gold standard."""
KEPT = (RIGHT, UNCLEAR)
"""The verdicts that change no span; one that is unclear is there, though it does not count."""


POSITIONS = ("characters", "tokens")
"""What overrides can count in: characters of the text, spaces and all, or tokens of the sentence."""


class LabeledBounds(NamedTuple):
    """A span in its sentence or text: positions from 0, the end exclusive."""

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
    """The gold span that it is about; None if that is missing."""
    to: Mapping[str, Any]
    """What becomes of it, by `start`, `end` and `label`."""
    record: Mapping[str, Any]
    """The line as it was written, with all of its keys."""
    positions: str | None = None
    """What start and end count: characters of the text, or tokens. None: tokens, or characters that are not spaces."""

    @property
    def target(self) -> LabeledBounds | None:
        """The span that the gold standard should have, where the verdict says so."""
        if not self.to:
            return None
        known = {} if self.span is None else self.span._asdict()
        return LabeledBounds(**{**known, **self.to})

    @property
    def subject(self) -> LabeledBounds:
        """The span that it is about, be it there or missing."""
        found = self.span or self.target
        assert found is not None  # a missing span has a target
        return found

    def agrees(self, other: Override) -> bool:
        """Whether another file says the same of the same span."""
        return self.source != other.source and (self.verdict, self.target) == (other.verdict, other.target)

    @property
    def place(self) -> str:
        return f"{self.source}:{self.line}"


@dataclass(frozen=True)
class OverrideFile:
    """What a saved result knows of a file of overrides."""

    name: str
    sha256: str
    """Of the bytes of the file."""
    verdicts: Mapping[str, int]
    """How many lines have each verdict."""

    def __str__(self) -> str:
        return self.sha256


class Overrides(OverrideFile):
    """A file of overrides with its lines, which are not saved with a result."""

    lines: Sequence[Override]

    def __init__(self, name: str, sha256: str, lines: Sequence[Override]) -> None:
        counted = Counter(line.verdict for line in lines)
        super().__init__(name, sha256, {verdict: counted[verdict] for verdict in VERDICTS})
        object.__setattr__(self, "lines", lines)

    @property
    def changes_spans(self) -> bool:
        """Whether any line does more than to confirm a span."""
        return any(count for verdict, count in self.verdicts.items() if verdict != RIGHT)


# == text/override_places.py: Where overrides act: the sentence that each is about, batch


Refuse = Callable[[InputError], None]
"""What becomes of an error: it is raised, or kept beside others."""


def raised(error: InputError) -> None:
    """The first error is the end."""
    raise error


class Placed(NamedTuple):
    """An override, and its sentence in the batch."""

    scope: int
    override: Override


class OverridePlaces:
    """Finds the sentences of overrides in successive batches of one gold standard."""

    def __init__(self, overrides: Sequence[Override], refuse: Refuse) -> None:
        self._refuse, self._order = refuse, {override.place: number for number, override in enumerate(overrides)}
        self._by_sentence: dict[int, list[Override]] = defaultdict(list)
        self._by_document: dict[str | int, list[Override]] = defaultdict(list)
        for each in overrides:
            if each.sentence is not None:
                self._by_sentence[each.sentence].append(each)
            elif each.document is not None:
                self._by_document[each.document].append(each)
        self._met: set[str | int] = set()
        """The documents that overrides name and that were met."""
        self.sentences = self._documents = 0
        """How much stands before the next batch."""

    def take(self, corpus: Corpus) -> list[Placed]:
        """The overrides of the sentences of a batch, in the order of their lines."""
        before = self._documents - int(corpus.continues and self._documents > 0)
        found = list(self._of_sentences(corpus, before))
        if self._by_document:
            found += self._of_documents(corpus, before)
        self.sentences += corpus.sentences
        self._documents = before + len(corpus.documents)
        return sorted(found, key=lambda placed: self._order[placed.override.place])

    def finish(self) -> None:
        """Refuse overrides of sentences and documents that were not met."""
        for number, overrides in self._by_sentence.items():
            for each in overrides if number > self.sentences else ():
                self._refuse(stale(each, f"there is no sentence {number}, as the gold standard has {self.sentences:,}"))
        for name, overrides in self._by_document.items():
            for each in overrides if name not in self._met else ():
                self._refuse(stale(each, f"the gold standard has no document {name!r}"))

    def _of_sentences(self, corpus: Corpus, before: int) -> Iterator[Placed]:
        """Those that name a sentence by its number over the file; if they name a document, too, it must fit."""
        numbers = range(self.sentences + 1, self.sentences + corpus.sentences + 1)
        for number in [number for number in self._by_sentence if number in numbers]:
            scope = number - numbers.start
            for each in self._by_sentence[number]:
                if self._is_in_document(each, corpus, scope, before):
                    yield Placed(scope, each)

    def _is_in_document(self, override: Override, corpus: Corpus, scope: int, before: int) -> bool:
        if override.document is None:
            return True
        document = int((corpus.documents <= scope).sum()) - 1
        names = [before + document + 1, *_names(corpus, document)]
        if override.document in names:
            return True
        finding = f"sentence {override.sentence} is in document {names[-1]!r}, not in {override.document!r}"
        self._refuse(stale(override, finding))
        return False

    def _of_documents(self, corpus: Corpus, before: int) -> Iterator[Placed]:
        """Those that name a document, which must be a single text or sentence."""
        bounds = [*corpus.documents.tolist(), corpus.sentences]
        for document, first in enumerate(bounds[:-1]):
            names: list[str | int] = [before + document + 1, *_names(corpus, document)]
            for name in [name for name in names if name in self._by_document]:
                is_whole = not (document == 0 and corpus.continues)
                is_one = is_whole and bounds[document + 1] - first == 1
                is_text = is_whole and _is_one_text(corpus, first, bounds[document + 1])
                is_repeated = name in self._met
                self._met.add(name)
                for each in self._by_document[name]:
                    finding = None
                    if not (is_text if each.positions == "characters" else is_one):
                        finding = f"the document {name!r} has several sentences"
                    elif is_repeated:
                        finding = f"two documents are called {name!r}"
                    if finding is None:
                        yield Placed(first, each)
                    else:
                        remedy = "name the sentence, too, by its number from 1 over the file"
                        self._refuse(InputError(each.source, each.line, finding, remedy))


def _is_one_text(corpus: Corpus, first: int, stop: int) -> bool:
    """Whether some sentences are those of a single text."""
    if corpus.raw is None or corpus.text_bounds is None:
        return stop - first == 1
    text, other = np.searchsorted(corpus.text_bounds, corpus.raw[[first, stop - 1]], side="right").tolist()
    return bool(text == other)


def _names(corpus: Corpus, document: int) -> list[str]:
    """What a document is called: by its id, its name or, where a file is one document, its path, in part or whole."""
    if corpus.ids is not None and len(corpus.documents) == corpus.sentences:
        return [corpus.ids[document]]
    if corpus.names and not corpus.unnamed:
        return [corpus.names[document]]
    if len(corpus.documents) > 1 or corpus.continues:
        return []
    parts = PurePath(os.path.splitext(corpus.source)[0]).parts
    return [os.path.basename(corpus.source), *("/".join(parts[at:]) for at in reversed(range(len(parts))))]


class Resolver:
    """Positions of overrides in the atoms of a batch, and back."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus

    def placed(self, placed: Placed) -> Placed:
        """The same override in atoms; its record says what its positions count."""
        override, corpus = placed.override, self._corpus
        if override.positions != "characters":
            if override.positions == "tokens" and corpus.atoms != "tokens":
                raise _uncounted(override, "tokens", "a text without tokens", "characters")
            return placed
        if not corpus.has_input_text:
            raise _uncounted(override, "characters", "no text", "tokens")
        scope, span = placed.scope, None
        if override.span is not None:
            scope, span = self._atoms(override, scope, override.span)
        to = dict(override.to)
        target = override.target
        if target is not None and {"start", "end"} & to.keys():
            where, bounds = self._atoms(override, placed.scope, target)
            if span is not None and where != scope:
                raise stale(override, "`to` is in another sentence than the span")
            scope, to = where, {**to, "start": bounds.start, "end": bounds.end}
        return Placed(scope, replace(override, span=span, to=to))

    def _atoms(self, override: Override, scope: int, span: LabeledBounds) -> tuple[int, LabeledBounds]:
        found = self._corpus.atoms_at(scope, span.start, span.end)
        if found is None:
            whole = " that are whole tokens" if self._corpus.atoms == "tokens" else ""
            raise stale(override, f"the text has no characters from {span.start} to {span.end}{whole}")
        where, start, end = found
        if override.sentence is not None and where != scope:
            raise stale(
                override, f"the characters from {span.start} to {span.end} are not in sentence {override.sentence}"
            )
        return where, LabeledBounds(start, end, span.label)

    def remedy(self, override: Override, scope: int, spans: Spans) -> str | None:
        """What to do about a span that is not there, if its positions fit as characters of the text; else None."""
        span, corpus = override.subject, self._corpus
        if override.positions is not None or not corpus.has_input_text:
            return None
        found = corpus.atoms_at(scope, span.start, span.end)
        label = spans.vocabulary.labels.find(span.label)
        if found is None or label is None:
            return None
        columns = zip((spans.scope, spans.start, spans.end), found, strict=True)
        is_there = np.logical_and.reduce([spans.label == label, *(column == value for column, value in columns)])
        return 'add "positions": "characters", with which it fits' if is_there.any() else None

    def shown(self, scope: int, span: LabeledBounds, override: Override) -> LabeledBounds:
        """A span in atoms, as an override counts."""
        return self.in_text(scope, span) if override.positions == "characters" else span

    def in_text(self, scope: int, span: LabeledBounds) -> LabeledBounds:
        found = self._corpus.positions(*(ints([each]) for each in (scope, span.start, span.end)))
        return LabeledBounds(int(found.start[0]), int(found.end[0]), span.label)

    def written(self, placed: Placed) -> Override:
        """An override in atoms, whose record says what its positions count: characters, where atoms are such."""
        scope, override = placed
        if override.positions is not None or self._corpus.bounds is None:
            counted = override.positions or self._corpus.atoms
            return replace(override, record={**override.record, "positions": counted})
        if self._corpus.atoms == "tokens":
            return replace(override, record={**override.record, "positions": "tokens"})
        record = dict(override.record)
        if override.span is not None:
            record |= self.in_text(scope, override.span)._asdict()
        if override.target is not None:
            target = self.in_text(scope, override.target)._asdict()
            record["to"] = {name: target[name] for name in override.to}
        return replace(override, record={**record, "positions": "characters"})


def _uncounted(override: Override, given: str, held: str, other: str) -> InputError:
    finding = f"positions are {given}, but the gold standard has {held}"
    return InputError(override.source, override.line, finding, f"count in {other}, with positions {other}")


def stale(override: Override, finding: str, remedy: str | None = None) -> InputError:
    """The error of an override that does not fit the gold standard."""
    return InputError(override.source, override.line, finding, remedy or "correct the line, or remove it")


# == text/corrected_tags.py: The tags of a corrected gold standard, for scores that compa


class CorrectedTags:
    """Spells the sentences anew whose spans were corrected; all batches share one table of tags."""

    def __init__(self) -> None:
        self._coder = StringCoder()

    def __call__(self, tags: Tags, spans: Spans, corpus: Corpus, scopes: Sequence[int], encoding: str | None) -> Tags:
        """The tags of a batch, whose sentences `scopes` have other spans now, which must not overlap."""
        assert corpus.bounds is not None  # there is a tag a token
        assert encoding is not None
        code = tags.coded(self._coder).copy()
        for scope in scopes:
            found = spans.take(np.flatnonzero(spans.scope == scope))
            found = found.take(np.argsort(found.start, kind="stable"))
            if (found.start[1:] < found.end[:-1]).any():
                finding = f"with these overrides spans of {corpus.source} overlap, which one tag a token cannot say"
                raise SettingError(f"The accuracy of tags is undefined, as {finding}; leave it out of --match.")
            begin, end = corpus.bounds[scope : scope + 2].tolist()
            names = spans.vocabulary.labels.values
            spelled = encode(encoding, found.start, found.end, found.label, names, end - begin, ints([0]))
            code[begin:end] = spelled.coded(self._coder)
        return Tags(code, tuple(self._coder.names))


def outside(tags: Tags, spans: Spans) -> Tags:
    """Tags in which some spans, counted from the first token, are outside."""
    code = tags.code.copy()
    for _, _, start, end in spans.rows():
        code[start:end] = len(tags.names)
    return Tags(code, (*tags.names, "O"))


# == text/overridden.py: A gold standard with overrides, batch by batch: corrected, o


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
    rows: dict[Key, list[int]] = defaultdict(list)
    for row in np.flatnonzero(np.isin(spans.scope, scopes)).tolist() if scopes else ():
        rows[int(spans.scope[row]), _span(spans, row)].append(row)
    return rows


def _span(spans: Spans, row: int) -> LabeledBounds:
    names = spans.vocabulary.labels
    return LabeledBounds(int(spans.start[row]), int(spans.end[row]), names[int(spans.label[row])])


def _in_order(spans: Spans, original: Spans) -> Spans:
    """Spans in the order of the text, if that was the order of their file."""
    scope, start = original.scope, original.start
    is_ordered = (scope[1:] > scope[:-1]) | ((scope[1:] == scope[:-1]) & (start[1:] >= start[:-1]))
    return spans.take(np.lexsort((spans.start, spans.scope))) if is_ordered.all() else spans
