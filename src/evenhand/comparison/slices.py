"""Slices: scores on some of the units, chosen by an attribute, a column or metadata.

Slices are taken after matching: a unit keeps its error type in every slice. A gold unit belongs to the slice of its
attributes, even if the matched system unit has others. A unit that only a system has belongs to the slice of the
attributes that it has in the system's output. Values of sentences and documents come from the gold standard.

- an attribute (`comparison.attributes`, `comparison.training`): `length`, `seen`, …
- `depth`: values of records by the number of keys and lists in their path (1 is `total`, 3 is `items[].price`).
- `pronoun`: mentions that are not nominal by their word (*he*, *their*), in lower case; the others are *nouns*.
- a column of a table of metadata, or a field of the gold standard's JSON records: units by the value of their document
  (or sentence); *(none)* if it has none.
- any column of the gold standard: units by its value at their first token.

By columns and most attributes, strings of a language model that are not in the text are in a slice *no place*.

Numbers are put into bins: `length=1,2,3,4+` (single numbers, ranges such as 5-9, and open ends), `year=q4` (four
quantile bins) or `rate=0,q3` (the value 0, and three quantile bins of all other values). Quantile bins have about the
same number of gold units. Values are added to a bin in ascending order. The bin ends with the value that makes it
larger than the mean: the gold units whose values have no bin of their own, divided by the number of quantile bins. The
last bin has the remaining values; if single values have many units, there are fewer bins. A column with more than 20
different numbers gets `q4`. Of a column with more than 50 different texts, the 20 with the most gold units are kept,
and the others are *(other)*.

Source: Fu et al. 2020 for scores by attributes of units, and for the bins.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from math import isclose
from os import PathLike
from pathlib import PurePath
from typing import Any

import numpy as np

from evenhand.arrays import Ints, Numbers, ints
from evenhand.comparison.attributes import ATTRIBUTES, NO_PLACE, Level, Needs, SliceContext, by_column
from evenhand.comparison.training import Units
from evenhand.data.annotation import Annotation
from evenhand.data.vocabulary import StringIndex
from evenhand.dataclass import dataclass
from evenhand.errors import SettingError, counted
from evenhand.formats.format import Frame, WrappedObject
from evenhand.formats.metadata import MetadataTable, fields_of, metadata_of, read_metadata
from evenhand.formats.paths import FileList, files_of, read_small_file
from evenhand.formats.source import Source
from evenhand.formats.storage import Address, AnyPath, to_path
from evenhand.parameters import SIDES, quote
from evenhand.pipeline.inputs import Input, name_of
from evenhand.scoring.measure import Formula, PrecisionRecall
from evenhand.scoring.tally import Tally
from evenhand.settings import ColumnName, ScoreSettings, column_names
from evenhand.tasks.evaluation import Evaluation
from evenhand.tasks.registry import TASKS, model
from evenhand.tasks.task import Task
from evenhand.tasks.unit_rows import UnitRows
from evenhand.tasks.units import Locations

NONE, OTHER = "(none)", "(other)"
_LAST = (NO_PLACE, OTHER, NONE)
"""Slices that are listed after all others, in this order."""
MANY_NUMBERS, MANY_TEXTS = 20, 50
"""A column with more different numbers, or texts, is put into bins."""
MOST_TEXTS = 20
"""Number of the most frequent texts that are kept then."""
QUANTILES = "q4"
"""The bins of many numbers."""
TABLE_SUFFIXES = (".csv", ".tsv", ".jsonl", ".json", ".gz", ".bz2", ".xz", ".zst")
"""Suffixes that distinguish the path of a table from the name of a slice."""
_BIN = re.compile(r"(\d+(?:\.\d+)?)(?:-(\d+(?:\.\d+)?)|(\+))?")
_QUANTILES = re.compile(r"q([2-9]|[1-9]\d)")
_NUMBER_PART = re.compile(r"(\d+(?:\.\d+)?)")


# Bins


@dataclass(frozen=True)
class Bins:
    """Bins of numbers: ranges of values, and quantile bins of the values outside these ranges."""

    text: str
    """The bins as users write them."""
    ranges: tuple[tuple[str, float, float], ...]
    """Name, minimum and maximum of each range."""
    quantiles: int = 0
    """Number of quantile bins."""

    @staticmethod
    def parse(text: str, name: str) -> Bins:
        """Parse `1,2,3,4+`, `q4` or `0,q3`."""
        ranges = list[tuple[str, float, float]]()
        quantiles = 0
        for part in (part.strip() for part in text.split(",")):
            bounds = _BIN.fullmatch(part)
            quantile = _QUANTILES.fullmatch(part)
            if quantile is not None and not quantiles:
                quantiles = int(quantile[1])
            elif bounds is not None:
                first, last, is_open = bounds.groups()
                low = float(first)
                high = float("inf") if is_open else low if last is None else float(last)
                ranges.append((part, low, high))
            else:
                remedy = "use numbers, ranges and quantiles, such as length=1,2,3,4+, year=q4 or rate=0,q3"
                raise SettingError(f"The slice {name!r} has the bins {text!r}; {remedy}.")
        return Bins(text, tuple(ranges), quantiles)

    def names(self, values: Sequence[float], units: Numbers) -> list[str]:
        """The bin of each value; `units` has the number of gold units with each value."""
        ranges = [next((name for name, low, high in self.ranges if low <= value <= high), "") for value in values]
        outside = sorted({value for value, name in zip(values, ranges, strict=True) if not name})
        if not self.quantiles or not outside:
            return [name or OTHER for name in ranges]
        counts = dict.fromkeys(outside, 0.0)
        for value, count in zip(values, units.tolist(), strict=True):
            if value in counts:
                counts[value] += count
        quantile_bins = _quantile_bins(counts, self.quantiles)
        return [name or quantile_bins[value] for value, name in zip(values, ranges, strict=True)]


def _quantile_bins(counts: Mapping[float, float], bins: int) -> dict[float, str]:
    """The name of the bin of each value; `counts` has the number of gold units of each value, in ascending order."""
    members: list[list[float]] = [[]]
    size = 0.0
    mean = sum(counts.values()) / bins
    for value, count in counts.items():
        members[-1].append(value)
        size += count
        if size > mean and len(members) < bins:
            size = 0.0
            members.append([])
    names: dict[float, str] = {}
    for values in filter(None, members):
        name = f"{values[0]:g}" if len(values) == 1 else f"{values[0]:g}-{values[-1]:g}"
        names |= dict.fromkeys(values, name)
    return names


def number_of(text: str) -> float | None:
    """A text as a finite number; None if it is not one."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if abs(number) < float("inf") else None


def natural_order(name: str) -> tuple[Any, ...]:
    """A sort key: 9 precedes 10, and the slices of `_LAST` are last."""
    parts = _NUMBER_PART.split(name)  # texts and numbers in turns
    keys = [(0, float(part), "") if index % 2 else (1, 0.0, part.casefold()) for index, part in enumerate(parts)]
    rank = _LAST.index(name) + 1 if name in _LAST else 0
    return rank, [key for key in keys if key != (1, 0.0, "")], name


def word_list(words: str | PathLike[str] | Collection[str] | None) -> Collection[str] | None:
    """The words of the slice `vocabulary`, from a list or from a file with one word or phrase per line."""
    if words is not None and not isinstance(words, str | PathLike | Iterable):
        raise SettingError(f"vocabulary is {quote(words)}; use a text file with one word per line, or a list of words.")
    if not isinstance(words, str | PathLike):
        return None if words is None else frozenset(words)
    lines = read_small_file(to_path(words), "word list").splitlines()
    return frozenset(line.strip() for line in lines if line.strip())


# Slicings


class Metadata:
    """The values in one column of a table of documents or sentences, and which rows of the table were used.

    If the table does not state what its ids identify, they are names of documents or, if no document of the gold
    standard has one of these names, ids of sentences. A document without a name is identified by its number from 1,
    unless sentences have ids.
    """

    def __init__(self, table: MetadataTable, column: str) -> None:
        self.table = table
        self.column = column
        self.values = table.columns[column]
        """By id."""
        self._ids = frozenset(table.ids)
        self._used_ids = set[str]()
        self._level: Level | None = table.level
        """What the ids identify; None until the gold standard has an id of the table."""
        self._first: str | None = None
        """The name of the gold standard's first document (or the id of its first sentence)."""
        self._all = set[int]()
        """The numbers of the gold standard's documents (or sentences)."""
        self._absent = set[int]()
        """The numbers of those that are not in the table."""
        self._empty = set[int]()
        """The numbers of those that are in the table, but have no value."""

    def of_sentences(self, locations: Locations, names: StringIndex[str]) -> Ints:
        """The slice of each sentence."""
        documents, index = np.unique(locations.document_of, return_inverse=True)
        has_document = self._level is None and any(self._id_of(document, locations) for document in documents.tolist())
        if self._level is None and not has_document and not self._ids.isdisjoint(locations.ids or ()):
            self._level = "sentence"
            # Documents of earlier parts were noted.
            self._first = None
            self._all = set()
            self._absent = set()
        if self._level != "sentence":
            return self.of_documents(documents, locations, names)[index]
        if locations.ids is None:
            raise SettingError(f"{self.table.source} has ids of sentences, which the gold standard does not have.")
        rows = enumerate(locations.ids, locations.before)
        return ints([self._code(sentence, id, id if id in self._ids else None, names) for sentence, id in rows])

    def of_documents(self, documents: Ints, locations: Locations, names: StringIndex[str]) -> Ints:
        """The slice of each of these documents."""
        if self._level == "sentence":
            raise SettingError(f"{self.table.source} has ids of sentences; use values by document for this task.")
        return ints(
            [
                self._code(document, locations.document(document), self._id_of(document, locations), names)
                for document in documents.tolist()
            ]
        )

    def _id_of(self, document: int, locations: Locations) -> str | None:
        """The id of a document in the table: its name, or the name of its file; None if the table lacks it."""
        name = locations.document(document)
        ids = [name, *([PurePath(name).name] if locations.are_files else [])]
        is_numbered = locations.name(document) is None
        if is_numbered and self._level is None and locations.ids is not None:
            return None
        return next((id for id in ids if id in self._ids), None)

    def _code(self, number: int, name: str, id: str | None, names: StringIndex[str]) -> int:
        """The slice of a document (or sentence) with this number and name, and with this id in the table."""
        self._first = name if self._first is None else self._first
        self._all.add(number)
        value = None if id is None else self.values.get(id)
        if id is not None:
            self._used_ids.add(id)
            self._level = self._level or "document"
        if value is None:
            (self._absent if id is None else self._empty).add(number)
        return names.code(NONE if value is None else value)

    def notes(self, gold: str) -> Iterator[str]:
        """What the gold standard or the table lacks; an error if they have nothing in common."""
        source = self.table.source
        what = self._level or "document"
        if not self._used_ids:
            table_id = quote(self.table.ids[0])
            raise SettingError(f"{source}: no {what} ({table_id}, …) is in {gold} ({quote(self._first)}, …).")
        total = counted(len(self._all), what)
        if self._absent:
            size = len(self._absent)
            yield f"{source}: {size:,} of {total} of {gold} {'is' if size == 1 else 'are'} not in it; see {NONE}."
        if self._empty:
            size = len(self._empty)
            yield f"{source}: {size:,} of {total} {'has' if size == 1 else 'have'} no {self.column}; see {NONE}."
        surplus = [id for id in self.table.ids if id not in self._used_ids]
        if surplus:
            listed = quote(surplus[0]) + (", …" if len(surplus) > 1 else "")
            verb = "is" if len(surplus) == 1 else "are"
            yield f"{source}: {counted(len(surplus), what)} ({listed}) {verb} not in {gold}."


@dataclass(frozen=True)
class Slicing:
    """One way to slice units: an attribute, a column, or metadata, with its bins."""

    name: str
    level: Level
    function: Callable[..., Ints]
    """Takes units, locations and names; of sentences and documents, only locations and names."""
    bins: Bins | None = None
    order: tuple[str, ...] = ()
    """The slices that precede others, in this order."""
    is_column: bool = False
    """Whether columns with many different numbers or texts are put into bins by default."""
    metadata: Metadata | None = None
    of_documents: Callable[..., Ints] | None = None
    """Takes numbers of documents, of which some may have no sentence; locations and names."""
    is_optional: bool = False
    """Whether scores omit it if no measure counts its units, or if it has one slice or more than `MOST_TEXTS`."""

    def of_units(self, units: Units, locations: Locations, names: StringIndex[str]) -> Ints:
        """The slice of each unit; units that are not in the text have no sentence."""
        if self.level == "unit":
            return self.function(units, locations, names)
        codes = self.function(locations, names)[units.sentence]
        has_no_place = units.sentence < 0
        return np.where(has_no_place, names.code(NO_PLACE), codes) if has_no_place.any() else codes

    def of_groups(self, evaluation: Evaluation, names: StringIndex[str], *, by_document: bool) -> Ints | None:
        """The slice of each group of a part. Groups are documents if `by_document`, else sentences.

        None if a group may have units of several slices.
        """
        locations = evaluation.locations
        if self.level == "unit" or (self.level == "sentence" and by_document):
            return None
        if not by_document:
            return self.function(locations, names)
        groups = evaluation.groups
        if self.metadata is not None:
            return self.metadata.of_documents(groups, locations, names)
        if self.of_documents is not None:
            return self.of_documents(groups, locations, names)
        return self.function(locations, names)[np.searchsorted(locations.document_of, groups)]


Slices = str | PathLike[str] | Frame | Mapping[str, Any] | Sequence[Any]
"""Names of slices, tables of metadata (paths, frames, mappings), or a list of these."""


@dataclass(frozen=True)
class SliceRequest:
    """The slices that a user names."""

    names: Mapping[str, str] = field(default_factory=dict)
    """Bins by name; empty: the default."""
    tables: tuple[MetadataTable, ...] = ()
    optional: tuple[str, ...] = ()
    """The names of slices that only a page has, where they are possible."""

    def __bool__(self) -> bool:
        return bool(self.names or self.tables)

    @staticmethod
    def of(slices: Any) -> SliceRequest:
        """The names and tables of `slices`; tables are read."""
        if isinstance(slices, SliceRequest):
            return slices
        names = dict[str, str]()
        tables = list[MetadataTable]()
        is_frame = hasattr(slices, "columns")
        is_list = isinstance(slices, Iterable) and not isinstance(slices, str | PathLike | Mapping) and not is_frame
        for item in slices if is_list else [slices]:
            is_path = isinstance(item, str) and item.lower().endswith(TABLE_SUFFIXES)
            if is_path or isinstance(item, PathLike | Address):
                tables.append(read_metadata(to_path(item)))
            elif isinstance(item, str):
                names |= dict(_names(item))
            else:
                tables.append(metadata_of(item))
        return SliceRequest(names, tuple(tables))

    def has(self, name: str) -> bool:
        """Whether slices of this name are requested."""
        return name in self.names or any(name in table.columns for table in self.tables)

    def joined(self, other: SliceRequest) -> SliceRequest:
        """The slices of both requests; bins are those of the first."""
        tables = [table for table in other.tables if not any(table is known for known in self.tables)]
        return replace(self, names={**other.names, **self.names}, tables=(*self.tables, *tables))

    def adding(self, names: Iterable[str]) -> SliceRequest:
        """The request with further slices, in their default bins."""
        return replace(self, names={**self.names, **{name: "" for name in names if name not in self.names}})

    def columns(self, task: Task) -> tuple[ColumnName, ...]:
        """The names that are not known otherwise: columns of the gold standard. An error for slices of other tasks."""
        of_tables = {name for table in self.tables for name in table.columns}
        for name in self.names:
            tasks = [other for other in TASKS if name in TASKS[other].comparison.all_slices and name not in of_tables]
            if tasks and task.name not in tasks:
                listed = tasks[0] if len(tasks) == 1 else f"{', '.join(tasks[:-1])} and {tasks[-1]}"
                raise SettingError(f"The slice {name!r} is for {listed}; remove it.")
        known = {*task.comparison.all_slices, *of_tables}
        return column_names([name for name in self.names if name not in known])

    def needs(self, what: Needs, task: Task) -> list[str]:
        """The attributes that need something, such as training data."""
        of_tables = {name for table in self.tables for name in table.columns}
        known = (name for name in self.names if name in task.comparison.attributes and name not in of_tables)
        return [name for name in known if ATTRIBUTES[name].needs == what]

    def slicings(self, task: Task, context: SliceContext, gold: Input) -> list[Slicing]:
        """The requested slicings: those with names first, then the other columns of tables."""
        slicings = [self._slicing(name, task, context, _file_of(gold)) for name in self.names]
        for table in self.tables:
            others = (name for name in table.columns if name not in {slicing.name for slicing in slicings})
            slicings += [_of_table(table, name, "") for name in others]
        return slicings

    def _slicing(self, name: str, task: Task, context: SliceContext, gold: AnyPath | None) -> Slicing:
        """What a name means: a slice of the task, an attribute, a column of a table, a JSON field, or a gold column."""
        text = self.names[name]
        if name in task.comparison.slices:
            function = task.comparison.slices[name]
            return Slicing(name, "unit", partial(_with_labels, function, context), _bins(text, name))
        table = next((table for table in self.tables if name in table.columns), None)
        if table is None and name in task.comparison.attributes:
            attribute = ATTRIBUTES[name]
            if attribute.needs == "words" and context.words is None:
                raise SettingError(f"The slice {name!r} needs a word list; specify it with --vocabulary FILE.")
            if attribute.needs == "train" and (context.background is None or context.background.train is None):
                raise SettingError(f"The slice {name!r} needs training data; specify it with --train FILE.")
            bins = _bins(text or attribute.bins, name)
            function = partial(_with_context, attribute.function, context)
            of_documents = partial(_with_context, attribute.of_documents, context) if attribute.of_documents else None
            is_optional = name in self.optional
            function = partial(_if_possible, function) if is_optional else function
            slicing = Slicing(name, attribute.level, function, bins, attribute.order, is_optional=is_optional)
            return replace(slicing, of_documents=of_documents)
        if table is None and gold is not None:
            table = fields_of(gold, name)
        if table is not None:
            return _of_table(table, name, text)
        function = partial(_with_context, partial(by_column, name), context)
        return Slicing(name, "unit", function, _bins(text, name), is_column=True)


def _file_of(gold: Input) -> AnyPath | None:
    """The file of a gold standard; None if it cannot be read again."""
    if isinstance(gold, Annotation | WrappedObject | FileList):
        return None
    path = to_path(gold)
    return path if files_of(path) is None and Source(path).is_here else None


def _names(text: str) -> Iterator[tuple[str, str]]:
    """Names and their bins: in `length=1,2,3+,genre`, numbers and quantiles belong to the preceding name."""
    name = ""
    bins = list[str]()
    for part in (part.strip() for part in text.split(",")):
        is_bin = _BIN.fullmatch(part) is not None or _QUANTILES.fullmatch(part) is not None
        if name and bins and is_bin:
            bins.append(part)
            continue
        if name:
            yield name, ",".join(bins)
        name, equals, first = part.partition("=")
        bins = [first] if equals else []
        if equals and not (name and first):
            raise SettingError(f"{text!r} is not a slice; write NAME, or NAME=BINS such as length=1,2,3,4+.")
    if name:
        yield name, ",".join(bins)


def _bins(text: str, name: str) -> Bins | None:
    return Bins.parse(text, name) if text else None


def _of_table(table: MetadataTable, column: str, bins: str) -> Slicing:
    metadata = Metadata(table, column)
    return Slicing(column, "document", metadata.of_sentences, _bins(bins, column), is_column=True, metadata=metadata)


def _with_context(function: Callable[..., Ints], context: SliceContext, *arguments: Any) -> Ints:
    return function(*arguments, context)


def _if_possible(function: Callable[..., Ints], place: Units | Locations, *arguments: Any) -> Ints:
    """The slices, or one slice of all if the gold standard does not have what they need."""
    try:
        return function(place, *arguments)
    except SettingError:
        size = len(place.document_of if isinstance(place, Locations) else place.sentence)
        return np.full(size, arguments[-1].code(NONE))


def _with_labels(function: Callable[..., Ints], context: SliceContext, *arguments: Any) -> Ints:
    return function(*arguments, context.labels)


def is_in_slice(value: str, slice_name: str) -> bool:
    """Whether a value selects a slice: it is the slice's name, or a number in its range (`3+`, `5-9`)."""
    if value == slice_name:
        return True
    number = number_of(value)
    if number is None or _BIN.fullmatch(slice_name) is None:
        return False
    return any(low <= number <= high for _, low, high in Bins.parse(slice_name, "").ranges)


# Counts


@dataclass(frozen=True)
class SlicedCounts:
    """The counts of one slicing: its slices in natural order, and tallies in which every slice is a group."""

    names: tuple[str, ...]
    labels: Sequence[Mapping[str, int]]
    """By slice: the number of gold units of each label; units without a label have the label ""."""
    tallies: Mapping[str, Sequence[Mapping[str, Tally]]]
    """By system and slice: the tallies by scorer or, for slices of units, by measure."""
    measures: frozenset[str] | None
    """The measures whose units are sliced; None for all measures."""
    note: str | None = None
    """How values were put into bins, if the user did not ask for it."""


class SliceCounts:
    """Adds up the counts of slices. It observes evaluations whose tallies have the finest groups.

    For slices of sentences and documents, tallies are regrouped, so every measure has them. For slices of units, the
    units that a measure lists are counted. The measure is left out if these are not the units that it counts.
    """

    def __init__(self, slicings: Sequence[Slicing], task: Task, settings: ScoreSettings, labels: Sequence[str]) -> None:
        """`labels` are the labels of the run; more are appended while it runs."""
        self.slicings = list(slicings)
        self._labels = labels
        self._by_document = task.evaluation.by_document
        self._unit_formula = model(task.name, task.unit_measure).prepare(settings)
        """The measure whose gold units are the units of the task."""
        measures = (model(task.name, name) for name in dict.fromkeys((task.unit_measure, *settings.match)))
        self._listing = {
            measure.name: (measure, measure.prepare(settings)) for measure in measures if not measure.instead_of_units
        }
        """The measures that list the units that they count."""
        self._requested = settings.match
        self._names: dict[str, StringIndex[str]] = {slicing.name: StringIndex() for slicing in slicings}
        """By slicing: the names of its slices."""
        self._counts: dict[str, dict[tuple[str, str], list[Tally]]] = {slicing.name: {} for slicing in slicings}
        """By slicing: tallies by system and scorer (or measure). The system "" is the gold standard."""
        self._are_units = dict[str, bool]()
        """By slicing: whether units are sliced, not groups."""

    def __call__(self, evaluation: Evaluation) -> None:
        for slicing in list(self.slicings):
            names = self._names[slicing.name]
            of_groups = slicing.of_groups(evaluation, names, by_document=self._by_document)
            self._are_units[slicing.name] = of_groups is None
            if of_groups is None:
                self._add_units(slicing, evaluation, names)
            elif len(of_groups):
                self._add_groups(slicing, evaluation, of_groups)

    def _add(self, slicing: Slicing, system: str, counted_by: str, tally: Tally) -> None:
        self._counts[slicing.name].setdefault((system, counted_by), []).append(tally)

    def _add_groups(self, slicing: Slicing, evaluation: Evaluation, of_groups: Ints) -> None:
        """Add the tallies of a part, whose groups become slices."""
        first = int(evaluation.groups[0])
        for system, tallies in evaluation.tallies.items():
            for scorer, tally in {**tallies, **evaluation.shared}.items():
                self._add(slicing, system, scorer, tally.shifted(-first).regroup(of_groups))
        formula = self._unit_formula
        tally = next(iter(evaluation.tallies.values()))[formula.scorer].shifted(-first).regroup(of_groups)
        self._add(slicing, "", formula.name, _gold_units(formula, tally))

    def _add_units(self, slicing: Slicing, evaluation: Evaluation, names: StringIndex[str]) -> None:
        """Count the units of a part by slice."""
        first_system = next(iter(evaluation.tallies))
        for system, tallies in evaluation.tallies.items():
            for name, (measure, formula) in list(self._listing.items()):
                kinds = tallies[formula.scorer].kinds
                rows = evaluation.unit_rows(system, measure, replace(formula, types={kind: kind for kind in kinds}))
                slice_of_unit = slicing.of_units(rows, evaluation.locations, names)
                tally = _tally_of_units(rows, slice_of_unit, self._labels, kinds)
                if tally is None or not _have_same_counts(formula, tally, tallies[formula.scorer]):
                    del self._listing[name]
                    continue
                self._add(slicing, system, name, tally)
                if system == first_system:
                    gold = np.flatnonzero(~rows.is_extra)
                    no_label = np.full(len(gold), -1)
                    kind = np.zeros_like(gold)
                    tally = Tally.of(self._labels, _GOLD, slice_of_unit[gold], rows.gold_label[gold], no_label, kind)
                    self._add(slicing, "", name, tally)
        if not any(name in self._listing for name in self._requested):
            if slicing.is_optional:
                self.slicings.remove(slicing)
                return
            listed = ", ".join(self._requested)
            raise SettingError(f"The slice {slicing.name!r} needs units, but {listed} cannot be counted by unit.")

    def finish(self, gold: Input) -> tuple[dict[str, SlicedCounts], list[str]]:
        """The sums of each slicing, and notes on them."""
        counts = dict[str, SlicedCounts]()
        for slicing in sorted(self.slicings, key=lambda slicing: slicing.is_optional):  # the requested ones first
            values = self._names[slicing.name].values
            if slicing.is_optional and slicing.bins is None and len(values) > MOST_TEXTS:
                continue  # such as thousands of documents
            sums = self._sums(slicing)
            if not slicing.is_optional or 1 < sum(any(labels.values()) for labels in sums.labels) <= MOST_TEXTS:
                counts[slicing.name] = sums
        notes = notes_on_metadata(self.slicings, gold)
        notes += [sums.note for sums in counts.values() if sums.note is not None]
        return counts, notes

    def _sums(self, slicing: Slicing) -> SlicedCounts:
        """The counts of one slicing, whose values are put into its bins."""
        are_units = self._are_units[slicing.name]
        values = list(self._names[slicing.name].values)
        merged = {
            (system, name): Tally.merge(parts)
            for (system, name), parts in self._counts[slicing.name].items()
            if name in self._listing or not are_units
        }
        gold_by_measure = {name: tally for (system, name), tally in merged.items() if not system}
        gold = gold_by_measure.get(self._unit_formula.name) or next(iter(gold_by_measure.values()))
        units = np.bincount(gold.group, gold.count, minlength=len(values))
        slices, slice_of_value, note = binned(slicing, values, units)
        if NO_PLACE in slices and not any(
            (slice_of_value[tally.group] == slices.index(NO_PLACE)).any() for tally in merged.values()
        ):
            # Only units that do not count, such as words that only a system has, are not in the text.
            slice_of_value -= slice_of_value > slices.index(NO_PLACE)
            slices.remove(NO_PLACE)
        labels: list[dict[str, int]] = [{} for _ in slices]
        gold = gold.regroup(slice_of_value)
        for number, label, count in zip(gold.group.tolist(), gold.gold.tolist(), gold.count.tolist(), strict=True):
            label_name = gold.labels[label] if label >= 0 else ""
            labels[number][label_name] = labels[number].get(label_name, 0) + round(count)
        tallies: dict[str, list[dict[str, Tally]]] = {}
        for (system, name), tally in merged.items():
            of_system = tallies.setdefault(system, [{} for _ in slices])
            for of_slice, tally_of_slice in zip(
                of_system, tally.regroup(slice_of_value).split(len(slices)), strict=True
            ):
                of_slice[name] = tally_of_slice
        labels = [dict(sorted(of_slice.items())) for of_slice in labels]  # in the same order wherever parts end
        return SlicedCounts(tuple(slices), labels, tallies, frozenset(self._listing) if are_units else None, note)


_GOLD = ("gold",)
"""The only count type of the gold standard's tally."""


def _tally_of_units(rows: UnitRows, slice_of_unit: Ints, labels: Sequence[str], kinds: tuple[str, ...]) -> Tally | None:
    """The tally of units, whose groups are slices; None if the types of the units are not count types of the scorer.

    A unit with two different labels counts once under each, if the scorer does so (`gold.wrong`, `system.wrong`).
    """
    code_of = {name: code for code, name in enumerate(kinds)}

    def kind_with(prefix: str) -> Ints:
        return ints([code_of.get(f"{prefix}{name}", -1) for name in rows.types])[rows.type]

    gold, system = SIDES
    kind = kind_with("")
    kind_of_gold = kind_with(f"{gold}.")
    kind_of_system = kind_with(f"{system}.")
    if (kind < 0).any():
        return None
    has_two_labels = (rows.gold_label != rows.predicted) & (rows.gold_label >= 0) & (rows.predicted >= 0)
    is_split = has_two_labels & (kind_of_gold >= 0)
    split = np.flatnonzero(is_split)
    return Tally.of(
        labels,
        kinds,
        np.append(slice_of_unit, slice_of_unit[split]),
        np.append(rows.gold_label, np.full(len(split), -1)),
        np.append(rows.predicted, rows.predicted[split]),
        np.append(np.where(is_split, kind_of_gold, kind), kind_of_system[split]),
    )


def _have_same_counts(formula: Formula, one: Tally, other: Tally) -> bool:
    """Whether a measure has the same counts in two tallies."""

    def sums_of(tally: Tally) -> dict[str, float]:
        sums = np.bincount(tally.kind, tally.count, minlength=len(tally.kinds)).tolist()
        return dict(zip(tally.kinds, sums, strict=True))

    def total(weights: Mapping[str, float], sums: Mapping[str, float]) -> float:
        return sum(weight * sums.get(kind, 0) for kind, weight in weights.items())

    first, second = sums_of(one), sums_of(other)
    counts = (*formula.counts.values(), *formula.columns())
    return all(isclose(total(weights, first), total(weights, second)) for weights in counts)


def _gold_units(formula: Formula, tally: Tally) -> Tally:
    """The gold units that a tally counts for a measure, by group and label."""
    assert isinstance(formula.divided, PrecisionRecall)
    weights = np.array([formula.divided.expected.get(kind, 0.0) for kind in tally.kinds])[tally.kind]
    rows = np.flatnonzero(weights)
    no_label = np.full(len(rows), -1)
    kind = np.zeros_like(rows)
    count = tally.count[rows] * weights[rows]
    return Tally.of(tally.labels, _GOLD, tally.group[rows], tally.gold[rows], no_label, kind, count)


def notes_on_metadata(slicings: Sequence[Slicing], gold: Input) -> list[str]:
    """What tables of metadata or the gold standard lack; an error if they have nothing in common."""
    title = name_of(gold) if isinstance(gold, Annotation | WrappedObject | FileList) else str(to_path(gold))
    columns = (slicing.metadata for slicing in slicings if slicing.metadata is not None)
    return list(dict.fromkeys(note for metadata in columns for note in metadata.notes(title)))


def binned(slicing: Slicing, values: Sequence[str], units: Numbers) -> tuple[list[str], Ints, str | None]:
    """The slices in natural order, the slice of each value, and a note on bins that the user did not ask for.

    `units` has the number of gold units with each value.
    """
    bins = slicing.bins
    note = None
    units_of = dict(zip(values, units.tolist(), strict=True))
    numbers = {value: number_of(value) for value in values if value not in _LAST}
    is_numeric = bool(numbers) and None not in numbers.values()
    if bins is None and slicing.is_column and is_numeric and len(numbers) > MANY_NUMBERS:
        bins = Bins.parse(QUANTILES, slicing.name)
        note = (
            f"{slicing.name} has {len(numbers):,} different numbers, which are grouped into "
            f"quantile bins ({QUANTILES})."
        )
    slice_of = {value: value for value in values}
    if bins is not None:
        known = {value: number for value, number in numbers.items() if number is not None}
        sizes = np.array([units_of[value] for value in known])
        slice_of |= dict(zip(known, bins.names(list(known.values()), sizes), strict=True))
    elif slicing.is_column and not is_numeric and len(numbers) > MANY_TEXTS:
        frequent = sorted(numbers, key=lambda value: (-units_of[value], value))[:MOST_TEXTS]
        slice_of |= {value: OTHER for value in numbers if value not in frequent}
        note = f"{slicing.name} has {len(numbers):,} different values; the {MOST_TEXTS} most frequent ones are shown."
    place = {name: index for index, name in enumerate(slicing.order)}
    slices = sorted(set(slice_of.values()), key=lambda name: (place.get(name, len(place)), natural_order(name)))
    number = {name: index for index, name in enumerate(slices)}
    return slices, ints([number[slice_of[value]] for value in values]), note
