"""`Metric`: scores of a text that arrives in batches, as during the training of a model.

A metric keeps counts, which add up over batches and over processes. Tags in lists are buffered, and evaluated some
thousand sentences at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any, Unpack, get_args
from zlib import crc32

import numpy as np
import numpy.typing as npt

from evenhand.api.evaluate import Verdict, verdicts_of
from evenhand.api.score import results_of
from evenhand.arrays import ints
from evenhand.data.annotation import LISTS, Annotation
from evenhand.data.from_lists import Names, join_tags, tags, tags_by_id
from evenhand.data.layers import Tags
from evenhand.data.vocabulary import Vocabulary
from evenhand.dataclass import dataclass
from evenhand.errors import EvenhandError, InputError, SettingError
from evenhand.parameters import check_choice, check_whole_number, checked_arguments, split_names
from evenhand.pipeline.inputs import by_side, is_single_system, known_options, prepare, sides_of
from evenhand.pipeline.partition import part_groups
from evenhand.pipeline.run import Job, Observer, Run
from evenhand.pipeline.saved_runs import identity, in_groups
from evenhand.pipeline.unit_table import unit_columns, unit_measure
from evenhand.results.counts import Counts, add_up, check_adds_up, listed_tallies
from evenhand.results.result import Result, Results, saved_settings
from evenhand.scoring.tally import Tally
from evenhand.settings import Groups
from evenhand.tasks.evaluation import Evaluation, SideSummary

if TYPE_CHECKING:
    from evenhand.keywords import Keywords

Arrays = dict[str, npt.NDArray[Any]]
IGNORED = -100
"""The label that PyTorch's losses ignore."""
_SYSTEM = "system"
_MAX_TOKENS = 1 << 17
"""Number of tokens, or ids, that are buffered."""
_MAX_PARTS = 16
"""Number of parts whose counts wait to be added up."""
_MAX_CELLS = 1 << 20
"""Maximum size of an array of a state."""
_COUNTS = ("missing", "unlabeled", "repeated", "chains")


@dataclass(frozen=True)
class _Batch:
    """Gold standard and systems of one update, or of several that are evaluated together."""

    first: int
    last: int
    gold: Any
    systems: dict[str, Any]
    kind: str = ""
    """What the sides are: batches of one kind are joined. Empty: evaluated alone."""

    @property
    def name(self) -> str:
        return f"batch {self.first}" if self.first == self.last else f"batches {self.first} to {self.last}"


class Metric:
    """Scores of batches: `update` for each batch, `compute` at the end.

    >>> metric = eh.Metric(match="fair")
    >>> metric.update([["B-PER", "I-PER", "O"]], [["B-PER", "O", "O"]])
    >>> metric.compute()["fair"].f1

    `+` and `merge` add the batches of another metric, in order. Pickles are small: they hold counts.
    """

    def __init__(
        self,
        *,
        names: Names | None = None,
        ignore: int | None = IGNORED,
        known_labels: str | Sequence[str] = (),
        keep_errors: int = 0,
        **options: Unpack[Keywords],
    ) -> None:
        """A metric with the options of `score`.

        names         the tags by id, if updates have ids: a list, or a model's `id2label`
        ignore        the id to leave out; the gold standard decides for both sides
        known_labels  all labels that may occur, for `state_dict` without `names`
        keep_errors   keep the first errors, up to this number, in `metric.errors`
        """
        groups = options.pop("groups", "total")
        check_choice("groups", groups, get_args(Groups))
        self._options: dict[str, Any] = _checked_options(**options)
        self._names = None if names is None else tags_by_id(names, "names")
        self._ignore, self._groups = ignore, groups
        self._labels = {*split_names(known_labels), *split_names(self._options.get("labels", ()))}
        self._max_errors = check_whole_number("keep_errors", keep_errors, 0)
        self._encodings: dict[str, str | None] = {}
        """The encodings of the first tags in lists that have spans, which apply to all others."""
        self._layout: Counts | None = None
        """Counts with the systems, scorers and settings of a state."""
        self._kinds: dict[str, tuple[str, ...]] = {}
        """The count types of a state, by array."""
        self.reset()
        if self._names is not None:  # so mistakes in the options, and the layout of states, are known at once
            every_tag = [list(self._names)]
            self.update(every_tag, every_tag)
            if groups == "total":
                self.state_dict()
            self._flush()
            self.reset()
            self._encodings = {}

    def reset(self) -> None:
        """Forget all batches."""
        self._parts: list[Counts] = []
        self._waiting: list[_Batch] = []
        self._tokens = 0
        """Number of tokens that wait."""
        self._ends_in_lists = False
        self.batches = 0
        """The number of updates."""
        self.errors: list[Verdict] = []
        """The first errors, as `eh.evaluate` returns units, with sentences and documents numbered over all batches."""

    def update(self, gold: Any, system: Any = None) -> None:
        """Add a batch: lists of tags, ids (with `names`), or what `score` accepts; several systems as a mapping.

        Errors name the batch. Lists are buffered, so a later update or `compute` may raise them.
        """
        self.batches += 1
        with _naming(f"batch {self.batches}"):
            batch = self._batch(gold, system)
        if self._waiting and (batch.kind, [*batch.systems]) != (self._waiting[0].kind, [*self._waiting[0].systems]):
            self._flush()
        lengths = _lengths(batch.gold) if batch.kind else []
        self._waiting.append(batch)
        self._tokens += sum(lengths)
        is_odd = not batch.kind or any(_lengths(side) != lengths for side in batch.systems.values())
        if is_odd or self._tokens >= _MAX_TOKENS:
            self._flush(alone=is_odd)

    def compute(self) -> Result | Results:
        """The result of all batches: as of `score` with all of them at once."""
        counts = self._counts()
        run = in_groups(counts.run, self._groups)
        counts.config.task.evaluation.check_inputs(run.gold, run.systems)
        results = results_of(counts.gold, run, counts.config, self._groups)
        return next(iter(results.values())) if len(results) == 1 else results

    def merge(self, other: Metric) -> None:
        """Append the batches of another metric, for example from another process."""
        if other.batches:
            parts = [self._counts(), other._counts()] if self.batches else [other._counts()]
            shift = parts[0].run.sentences if self.batches else 0
            self._parts = [add_up(parts)]
            self.batches += other.batches
            more = other.errors[: max(0, self._max_errors - len(self.errors))]
            self.errors += [verdict._replace(sentence=verdict.sentence + shift) for verdict in more]

    def __add__(self, other: Metric) -> Metric:
        self._flush()
        total = copy(self)
        total.errors = [*self.errors]
        total.merge(other)
        return total

    def __getstate__(self) -> dict[str, Any]:
        self._flush()
        self._parts = [self._counts()] if self._parts else []
        return dict(vars(self))

    # Batches

    def _batch(self, gold: Any, system: Any) -> _Batch:
        """A batch with copies of its lists."""
        number, is_mapping = self.batches, isinstance(system, Mapping) and not is_single_system(system)
        named = dict(system) if is_mapping else {_SYSTEM: system}
        sides = {"": self._rows(gold), **{name: self._rows(side) for name, side in named.items()}}
        if all(rows is not None for rows in sides.values()):
            is_array = all(isinstance(rows, np.ndarray) for rows in sides.values())
            mixed = not is_array and any(isinstance(rows, np.ndarray) for rows in sides.values())
            rows = {name: [*map(tuple, side)] for name, side in sides.items()} if mixed else sides
            return _Batch(number, number, rows.pop(""), rows, "arrays" if is_array else "lists")
        side, systems = sides_of(gold, system)
        if systems is not None and len(systems) == 1 and not is_mapping and self._layout is not None:
            systems = dict(zip(self._layout.run.systems, systems.values(), strict=False))
        annotations = [each for each in (side, *(systems or {}).values()) if isinstance(each, Annotation)]
        if systems is None or len(annotations) <= len(systems) or not all(map(_is_of_tags, annotations)):
            return _Batch(number, number, side, systems or {})
        kinds = [(each.reading.repair, each.reading.is_named and each.reading.encoding) for each in annotations]
        return _Batch(number, number, side, systems, f"annotations {kinds}")

    def _rows(self, value: Any) -> Any:
        """A copy of an array of ids, or of lists of tags or ids; None for other values."""
        if hasattr(value, "__array__") and self._names is not None:
            array = np.array(value)
            return array if array.ndim == 2 and self._ignore is not None else [*map(np.ndarray.tolist, array)]
        if not isinstance(value, list | tuple):
            return None
        rows = value
        if not {list, tuple}.issuperset(map(type, rows)):
            rows = [row.tolist() if hasattr(row, "tolist") else row for row in rows]
            if not all(isinstance(row, list | tuple) for row in rows):
                return None
        first = next((row[0] for row in rows if row), "" if rows else None)
        is_tag = isinstance(first, str) if self._names is None else isinstance(first, int | np.integer | str)
        return [*map(tuple, rows)] if is_tag else None

    def _flush(self, *, alone: bool = False) -> None:
        """Evaluate the batches that wait; the last one `alone`. On an error, find its batch."""
        waiting, self._waiting, self._tokens = self._waiting, [], 0
        together = waiting[:-1] if alone else waiting
        try:
            if together:
                self._add(self._joined(together))
        except EvenhandError:
            for number, batch in enumerate(together, 1):
                try:
                    self._add(batch)
                except EvenhandError:
                    self._waiting = waiting[number:]
                    raise
            raise
        if alone:
            self._add(waiting[-1])

    def _joined(self, batches: Sequence[_Batch]) -> _Batch:
        first = batches[0]
        if len(batches) == 1:
            return first
        gold, *systems = (
            self._side_of([batch.gold if name == "" else batch.systems[name] for batch in batches], name)
            for name in ("", *first.systems)
        )
        named = dict(zip(first.systems, systems, strict=True))
        return _Batch(first.first, batches[-1].last, gold, named, first.kind)

    def _side_of(self, sides: Sequence[Any], name: str) -> Any:
        """One side of several batches."""
        if isinstance(sides[0], Annotation):
            return join_tags(sides, self._encodings.get(name))
        if not isinstance(sides[0], np.ndarray):
            return [*chain.from_iterable(sides)]
        ids = np.full((sum(map(len, sides)), max(side.shape[1] for side in sides)), self._ignore)
        row = 0
        for side in sides:
            ids[row : row + len(side), : side.shape[1]] = side
            row += len(side)
        return ids

    def _add(self, batch: _Batch) -> None:
        """Evaluate a batch, and add its counts."""
        with _naming(batch.name):
            gold, systems = self._annotated(batch)
            config = prepare(gold, systems, self._options)
            in_lists = isinstance(gold, Annotation) and gold.reading.format == LISTS and not gold.corpus.names
            if in_lists and (self._ends_in_lists or not self._parts) and not config.task.evaluation.by_document:
                gold = replace(gold, corpus=replace(gold.corpus, continues=True))
            job = Job(gold, systems, config, config.settings.match, self._groups)
            job, vocabulary = replace(job, groups=part_groups(job)), Vocabulary()
            check_adds_up(job)
            observers = [self._collector(job, vocabulary)] if len(self.errors) < self._max_errors else []
            run = job.run(observers, vocabulary)
            part = Counts.of(job, run, batch.name)
            self._parts = [*self._parts, part] if len(self._parts) < _MAX_PARTS else [add_up([*self._parts, part])]
        self._layout = self._layout or part
        self._ends_in_lists = in_lists
        if run.gold.units and not self._encodings:
            sides = {"": run.gold, **run.systems}
            self._encodings = {name: side.reading.encoding for name, side in sides.items() if side.reading is not None}

    def _annotated(self, batch: _Batch) -> tuple[Any, dict[str, Any] | None]:
        """The sides of a batch as `score` accepts them; ids are left out where the gold standard's are."""
        if batch.kind not in ("arrays", "lists"):
            return batch.gold, batch.systems or None
        named = self._options.get("encoding")
        options: dict[str, Any] = {"names": self._names, "ignore": self._ignore}
        gold = tags(batch.gold, encoding=by_side(named, "gold") or self._encodings.get(""), name="gold", **options)
        systems = {}
        for name, rows in batch.systems.items():
            encoding, like = by_side(named, _SYSTEM) or self._encodings.get(name), None
            if self._names is not None:  # the same tags, so the same encoding
                encoding, like = encoding or gold.reading.encoding, gold
            systems[name] = tags(rows, encoding=encoding, like=like, name=name, **options)
        return gold, systems

    def _collector(self, job: Job, vocabulary: Vocabulary) -> Observer:
        """An observer that keeps the first errors."""
        measure, formula = unit_measure(job)
        sentences = sum(part.run.sentences for part in self._parts)
        documents = sum(part.run.documents - int(part.run.begins_inside) for part in self._parts)

        def collect(evaluation: Evaluation) -> None:
            for name in evaluation.tallies:
                rows = evaluation.unit_rows(name, measure, formula)
                rows = rows.take(np.flatnonzero(rows.is_error)).in_text_order()
                columns = unit_columns(rows, evaluation.locations, vocabulary.labels.values)
                shifts = {"sentence": sentences, "document": documents}
                columns |= {column: np.asarray(columns[column]) + shift for column, shift in shifts.items()}
                self.errors += list(verdicts_of(name, columns))[: self._max_errors - len(self.errors)]

        return collect

    def _counts(self) -> Counts:
        """The counts of all batches."""
        self._flush()
        if not self._parts:
            raise SettingError("Nothing to compute: update the metric first.")
        self._parts = [add_up(self._parts)]
        return self._parts[0]

    # States

    def state_dict(self) -> Arrays:
        """The counts as arrays that add up: the elementwise sum of several states is the state of all their batches.

        So a sum by `torch.distributed.all_reduce` merges processes. Their arrays have the same shapes if all labels are
        known, from `names` or `known_labels`. Without `names`, each process first needs an update, which shows the
        count types; it may be followed by `state_dict()` and `reset()`. A state has totals only: no groups, errors and
        notes on files.
        """
        run = self._counts().run if self.batches else None
        counts = self._layout
        if self._groups != "total":
            raise SettingError(f"A state has only totals, but groups is {self._groups!r}; remove it, or use merge.")
        if counts is None:
            raise SettingError("The layout of the state is not known yet; pass names, or update the metric first.")
        seen = _tallies(run or counts.run)
        kinds = {key: (*self._kinds.get(key, ()), *tally.kinds) for key, tally in seen.items()}
        self._kinds = self._kinds | {key: tuple(dict.fromkeys(names)) for key, names in kinds.items()}
        self._labels = self._labels | _labels_of(run or counts.run)
        arrays = self._empty_state(counts)
        if run is None:
            return arrays
        labels = {label: code for code, label in enumerate(sorted(self._labels))}
        for key, tally in _tallies(run).items():
            total, code = tally.total(), ints([*(labels.get(label, -1) for label in tally.labels), -1])
            kind = ints([self._kinds[key].index(name) for name in tally.kinds])
            np.add.at(arrays[key], (code[total.gold], code[total.system], kind[total.kind]), total.count)
        for name, side in _sides(run).items():
            arrays[f"{name}.labels"][:] = [side.labels[label] for label in labels]
            arrays[f"{name}.units"][:] = [getattr(side, count) or 0 for count in _COUNTS]
        arrays["layout"][:] = self._checksum(counts), 1
        arrays["text"][:] = self.batches, run.documents - int(run.begins_inside), run.sentences, run.size or 0
        return arrays

    def load_state_dict(self, state: Mapping[str, npt.ArrayLike]) -> None:
        """Replace all batches by a state, which may be a sum of states with the same layout."""
        expected, counts = self.state_dict(), self._layout
        assert counts is not None
        arrays = {key: np.asarray(array) for key, array in state.items()}
        shapes = [{key: array.shape for key, array in each.items()} for each in (expected, arrays)]
        if shapes[0] != shapes[1] or arrays["layout"][0] != arrays["layout"][1] * self._checksum(counts):
            remedy = "specify all labels with names or known_labels, and use the same settings everywhere"
            raise SettingError(f"The state is not a sum of states with the layout of this metric; {remedy}.")
        batches, documents, sentences, size = arrays["text"].tolist()
        labels, template = sorted(self._labels), counts.run
        run = replace(template, documents=documents + int(template.begins_inside), sentences=sentences, names={})
        run = replace(run, size=None if template.size is None else size, document_of=[], document_names=[])
        run.gold, *sides = (_loaded_side(side, name, arrays, labels) for name, side in _sides(template).items())
        run.systems = dict(zip(template.systems, sides, strict=True))
        run.tallies, run.supertags = {name: {} for name in run.systems}, {name: {} for name in run.systems}
        for name, tag, scorer, _ in listed_tallies(template):
            key = _key(name, tag, scorer)
            gold, system, kind = np.nonzero(arrays[key])
            gold, system = (np.where(code == len(labels), -1, code) for code in (gold, system))
            group, count = np.zeros_like(gold), arrays[key][arrays[key] != 0]
            of_tag = run.tallies[name] if tag is None else run.supertags[name].setdefault(tag, {})
            of_tag[scorer] = Tally.of(labels, self._kinds[key], group, gold, system, kind, count)
        self.reset()
        self.batches, self._parts = batches, [replace(counts, run=run, files=())] if batches else []

    def _empty_state(self, counts: Counts) -> Arrays:
        kind = np.float64 if counts.config.task.evaluation.by_document or counts.config.settings.functions else np.int64
        size = len(self._labels)
        if any((size + 1) ** 2 * len(kinds) > _MAX_CELLS for kinds in self._kinds.values()):
            raise SettingError(f"A state cannot have {size:,} labels; use merge.")
        arrays: Arrays = {
            key: np.zeros((size + 1, size + 1, len(kinds)), dtype=kind) for key, kinds in self._kinds.items()
        }
        for name in _sides(counts.run):
            arrays |= {f"{name}.labels": np.zeros(size, np.int64), f"{name}.units": np.zeros(len(_COUNTS), np.int64)}
        return {**arrays, "layout": np.zeros(2, np.int64), "text": np.zeros(4, np.int64)}

    def _checksum(self, counts: Counts) -> int:
        """A number that differs if labels, count types, systems or settings do."""
        settings = identity(saved_settings(counts.config.settings))
        return crc32(repr((settings, sorted(self._labels), sorted(self._kinds.items()))).encode())


def _key(name: str, tag: str | None, scorer: str) -> str:
    return f"tally.{name}.{scorer}" if tag is None else f"tally.{name}.{scorer}.{tag}"


def _tallies(run: Run) -> dict[str, Tally]:
    """The tallies of all systems, by the keys of a state."""
    return {_key(name, tag, scorer): tally for name, tag, scorer, tally in listed_tallies(run)}


def _sides(run: Run) -> dict[str, SideSummary]:
    """The summaries of both sides, by the keys of a state."""
    return {"gold": run.gold, **{f"system.{name}": side for name, side in run.systems.items()}}


def _loaded_side(template: SideSummary, name: str, arrays: Mapping[str, Any], labels: Sequence[str]) -> SideSummary:
    counted = dict(zip(_COUNTS, arrays[f"{name}.units"].tolist(), strict=True))
    side = SideSummary(template.reading, annotated=template.annotated, **counted)
    side.chains = side.chains if template.chains is not None else None
    side.add(np.repeat(np.arange(len(labels)), arrays[f"{name}.labels"]), labels)
    return side


def _labels_of(run: Run) -> set[str]:
    """The labels with counts."""
    labels = {label for side in _sides(run).values() for label in side.labels}
    for tally in _tallies(run).values():
        codes = np.union1d(tally.gold, tally.system)
        labels |= {tally.labels[code] for code in codes[codes >= 0].tolist()}
    return labels


def _lengths(side: Any) -> list[int]:
    """The numbers of tokens, or ids, of the sentences of a side that can be joined."""
    if isinstance(side, Annotation):
        return [] if side.corpus.lengths is None else side.corpus.lengths.tolist()
    return [side.shape[1]] * len(side) if isinstance(side, np.ndarray) else [*map(len, side)]


def _is_of_tags(annotation: Annotation) -> bool:
    """Whether it is the result of `eh.tags`, so several can be joined."""
    return annotation.reading.format == LISTS and isinstance(annotation.layers.get("tags"), Tags)


def _options(**options: Any) -> dict[str, Any]:
    """The options of a metric."""
    for name in ("jobs", "engine"):
        if options.pop(name, None) is not None:
            raise SettingError(f"A metric evaluates batches in this process; remove {name}.")
    return options


_options.__name__ = "Metric"  # which messages name
_checked_options = checked_arguments(known_options)(_options)


@contextmanager
def _naming(batch: str) -> Iterator[None]:
    """Put the batch in front of messages."""
    try:
        yield
    except InputError as error:
        problem = error.problem
        if not problem.source.startswith("batch"):
            problem = replace(problem, source=f"{batch}: {problem.source}")
        raise InputError(problem.source, problem.line, problem.finding, problem.remedy, problem.kind) from None
    except EvenhandError as error:
        raise SettingError(f"{batch[:1].upper()}{batch[1:]}: {error}") from None
