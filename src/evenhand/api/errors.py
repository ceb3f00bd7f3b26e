"""`errors`: the errors of systems, or all units that a measure counts, as a table."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, Unpack, cast

import numpy as np

from evenhand.api.slices import SliceOptions, TrainingFiles
from evenhand.arrays import Bools, Values, ints
from evenhand.comparison.slices import (
    SliceRequest,
    Slices,
    Slicing,
    is_in_slice,
    natural_order,
    notes_on_metadata,
)
from evenhand.data.annotation import ReadInfo, extra_layer
from evenhand.data.vocabulary import StringIndex, Vocabulary
from evenhand.dataclass import dataclass
from evenhand.errors import SettingError, counted, unknown
from evenhand.parameters import TRAIN, check_whole_number, checked_arguments, split_names
from evenhand.pipeline.inputs import (
    RunConfig,
    ScoredInputs,
    Side,
    content_for,
    known_options,
    prepare,
    sides_of,
)
from evenhand.pipeline.run import Job
from evenhand.pipeline.unit_table import listed, texts_of, unit_columns
from evenhand.results.signature import joint_signature, signature
from evenhand.results.table import Kind, Table
from evenhand.scoring.measure import Formula, Measure
from evenhand.tasks.evaluation import Evaluation
from evenhand.tasks.registry import TASKS, model, model_names
from evenhand.tasks.unit_rows import UnitRows, without_units
from evenhand.tasks.units import Locations

if TYPE_CHECKING:
    from evenhand.keywords import ErrorsKeywords, MatchFunction

_BASE: Mapping[str, tuple[str, Kind]] = {
    "system": ("system", "text"),
    "document": ("document_name", "text"),
    "line": ("line", "count"),
    "sentence": ("sentence", "count"),
    "start": ("start", "count"),
    "end": ("end", "count"),
    "left": ("left", "text"),
    "string": ("text", "text"),
    "right": ("right", "text"),
    "gold": ("gold_label", "text"),
    "predicted": ("system_label", "text"),
    "type": ("verdict", "text"),
    "side": ("side", "text"),
    "matched": ("matched", "text"),
    "matched_start": ("matched_start", "count"),
    "matched_end": ("matched_end", "count"),
}
"""The columns of every table of errors by name: the column of `unit_columns` that is shown, and its type."""
_LEFT_OUT = ("document", "positions", "token_start", "token_end", "matched_sentence")
"""Columns of `unit_columns` that a table of errors does not have."""


@dataclass(frozen=True)
class UnitQuery:
    """Which units are listed: the keywords of `errors` that choose units. Conditions that are empty do not apply."""

    correct: bool = False
    """Whether correct units are listed, too."""
    type: str | Sequence[str] = ()
    label: str | Sequence[str] = ()
    text: str | None = None
    """A regular expression that occurs in the string."""
    slice: str | None = None
    """The name of a slice and its value: `genre=chat`."""
    slices: Slices | SliceRequest = ()
    """Slices whose values are columns of the table."""
    train: TrainingFiles = None
    drop_leaked: bool = False
    sample: int | None = None
    """Number of units per system, drawn at random."""
    seed: int = 0
    context: int = 5
    """Words of context on each side."""

    def checked(self) -> UnitQuery:
        """Check what a user specifies."""
        if self.slice is not None and not all(self.slice.partition("=")):
            raise SettingError(f"slice is {self.slice!r}; write NAME=VALUE, such as length=2.")
        try:
            re.compile(self.text or "")
        except re.error as error:
            raise SettingError(f"text is {self.text!r}, which is not a regular expression ({error}).") from None
        return replace(
            self,
            type=split_names(self.type),
            label=split_names(self.label),
            sample=None if self.sample is None else check_whole_number("sample", self.sample, 1),
            seed=check_whole_number("seed", self.seed, 0),
            context=check_whole_number("context", self.context, 0),
        )

    def request(self) -> SliceRequest:
        """The slices that are columns, and the slice whose units are listed."""
        request = SliceRequest.of(self.slices)
        name, _, _ = (self.slice or "").partition("=")
        return request.adding([name]) if name and not request.has(name) else request


QUERY = tuple(attribute.name for attribute in fields(UnitQuery) if attribute.name != "correct")
"""The keywords that choose units."""


@checked_arguments(lambda: {*known_options(), *QUERY} - {"groups", "jobs", "engine"})
def errors(
    gold: Side,
    systems: Side | Sequence[Side] | Mapping[str, Side] | None = None,
    *,
    match: str | MatchFunction | None = None,
    all: bool = False,
    system: str | Sequence[str] = (),
    **options: Unpack[ErrorsKeywords],
) -> Table:
    """The errors of systems as a table with one row per unit, in the order of the text, one system after the other.

    The number of rows of each error type is the count of the score. Inputs and further options are as in `score`.

    match      the measure whose errors are listed [fair for spans, links and relations, accuracy for tags, las for
               trees, mela for chains (errors by entity), labeled-all for constituents]
    all        list correct units, too
    system     only these systems

    Which units are listed:

    type       only these error types: "FN,LE" or a list; also sums of the score, such as "BE"
    label      only units with one of these labels, in the gold standard or predicted
    text       only units whose string contains this regular expression; (?i) at its beginning ignores case
    slice      only units of a slice: "length=2", "length=3+", "document=doc1", "genre=chat" for a column or JSON field
               of the gold standard, or of `slices`
    slices     names of slices and tables of metadata, as in `score`: their values are columns of the table
    train, drop_leaked
               training data, as in `score`, for slices such as "seen=new"
    sample     a random sample of this many units per system, always the same for the same `seed` [0]
    context    words of the sentence before (`left`) and after (`right`) the unit [5]
    """
    settings: dict[str, Any] = {**options}
    chosen = {name: settings.pop(name) for name in QUERY if name in settings}
    query = UnitQuery(correct=all, **chosen).checked()
    gold, sides = sides_of(gold, systems)
    measures = split_names(cast("str", match) or ())  # functions are replaced by their names
    if len(measures) > 1:
        raise SettingError(f"match is {', '.join(measures)}; errors are listed by one measure.")
    content = content_for(gold, settings, sides)
    task = TASKS[content.task]
    name = measures[0] if measures else task.selection.resolve(task.selection.reported[0], settings)
    config = prepare(gold, sides, {**settings, "match": (name,), TRAIN: query.train}, content)
    return list_units(ScoredInputs(gold, sides, config), name, query, split_names(system))


def default_measure(config: RunConfig) -> str:
    """The first scored measure that the task reports or, without one, the first that lists units."""
    task, scored = config.task, config.settings.match
    preferred = [name for name in task.selection.reported if name in scored]
    listing = [name for name in scored if not model(task.name, name).instead_of_units]
    return (*preferred, *listing, *scored)[0]


def list_units(inputs: ScoredInputs, match: str, query: UnitQuery, systems: Sequence[str] = ()) -> Table:
    """Read the units of all systems, or of the named ones, and list them under one measure."""
    config, sides = inputs.config, inputs.systems
    (name,) = model_names(config.task.name, (match,), config.settings.functions)
    measure = model(config.task.name, name)
    if measure.instead_of_units and not measure.lists_errors:
        raise without_units(measure)
    if sides is not None and systems:
        for system in systems:
            if system not in sides:
                remedy = f"choose one of {', '.join(sides)}"
                raise SettingError(unknown(f"Unknown system {system!r}", system, list(sides), remedy))
        sides = {system: sides[system] for system in systems}
    config = replace(config, settings=replace(config.settings, match=(name,)))
    layers: tuple[str, ...] = ()
    vocabulary, slicings, notes = Vocabulary(), list[Slicing](), tuple[str, ...]()
    options = SliceOptions.of(query.request(), None, query.train, query.drop_leaked)
    if options:
        data = options.read(inputs.gold, sides, config)
        config, request, notes = data.prepared, options.request, data.notes
        layers = (*request.names, *map(extra_layer, config.read_as["gold"].extra))
        slicings = request.slicings(config.task, data.context(vocabulary.labels), inputs.gold)
    collected = _Collected(measure, measure.prepare(config.settings), query, slicings, vocabulary.labels)
    run = Job(inputs.gold, sides, config, (name,), "total").run([collected], vocabulary, layers)
    notes_on_metadata(slicings, inputs.gold)  # an error if a table has nothing in common with the gold standard
    read_as, gold = config.read_as["gold"], run.gold.reading or ReadInfo()
    readings = (side.reading or ReadInfo() for side in run.systems.values())
    signatures = (signature(config.settings, read_as, run.atoms, gold, reading) for reading in readings)
    drawn = "" if query.sample is None else f"|sample:{query.sample}|seed:{query.seed}"
    return collected.table(f"{joint_signature(signatures)}{drawn}", notes)


class _Collected:
    """Collects the rows of a table part by part: an observer that a run calls with each evaluation."""

    def __init__(
        self,
        measure: Measure,
        formula: Formula,
        query: UnitQuery,
        slicings: Sequence[Slicing],
        labels: StringIndex[str],
    ) -> None:
        self._measure, self._formula, self._query, self._labels = measure, formula, query, labels
        self._types = _chosen_types(formula, query)
        self._slicings: dict[str, tuple[Slicing, StringIndex[str]]] = {
            slicing.name: (slicing, StringIndex()) for slicing in slicings
        }
        self._columns: dict[str, dict[str, list[Any]]] = {}
        """Columns by system and name."""
        self._counts: dict[str, Counter[str]] = {}
        self._draws: dict[str, tuple[np.random.Generator, Values]] = {}
        """For a sample, by system: the generator, and one random number per unit collected so far."""
        self._has_correct = False
        self._positions = "tokens"

    def __call__(self, evaluation: Evaluation) -> None:
        locations = evaluation.locations
        for system in evaluation.tallies:
            rows = evaluation.unit_rows(system, self._measure, self._formula)
            rows = rows.take(np.flatnonzero(self._is_chosen(rows, locations))).in_text_order()
            if self._query.text is not None:
                pattern, strings = re.compile(self._query.text), texts_of(rows, locations)
                kept = [row for row, string in enumerate(strings) if string is not None and pattern.search(string)]
                rows = rows.take(ints(kept))
            self._has_correct |= not rows.is_error.all()
            counts = self._counts.setdefault(system, Counter())
            counts.update(rows.types[code] for code in rows.type.tolist())
            if self._query.sample is not None:
                rows = self._sampled(system, rows)
            self._add(system, rows, locations)

    def _is_chosen(self, rows: UnitRows, locations: Locations) -> Bools:
        query, chosen = self._query, np.ones(len(rows), dtype=np.bool_)
        if not query.correct and not query.type:
            chosen &= rows.is_error
        if query.type:
            chosen &= np.array([name in self._types for name in rows.types], dtype=np.bool_)[rows.type]
        if query.label:
            codes = [code for code in map(self._labels.find, query.label) if code is not None]
            columns = (rows.gold_label, rows.predicted, *rows.names.values())
            chosen &= np.logical_or.reduce([np.isin(column, codes) for column in columns])
        if query.slice is not None and len(rows):
            name, _, value = query.slice.partition("=")
            slicing, names = self._slicings[name]
            of_unit = slicing.of_units(rows, locations, names)
            chosen &= np.array([is_in_slice(known, value) for known in names.values], dtype=np.bool_)[of_unit]
        return chosen

    def _sampled(self, system: str, rows: UnitRows) -> UnitRows:
        """The units of a part that may be in the sample: the sample has the units with the smallest random numbers."""
        assert self._query.sample is not None
        if system not in self._draws:
            seed = np.random.SeedSequence([self._query.seed, len(self._draws)])
            self._draws[system] = np.random.default_rng(seed), np.zeros(0)
        generator, before = self._draws[system]
        drawn = generator.random(len(rows))
        both = np.concatenate((before, drawn))
        if len(both) > self._query.sample:
            highest = np.partition(both, self._query.sample - 1)[self._query.sample - 1]
            kept = np.flatnonzero(drawn <= highest)
            rows, drawn = rows.take(kept), drawn[kept]
        self._draws[system] = generator, np.concatenate((before, drawn))
        return rows

    def _add(self, system: str, rows: UnitRows, locations: Locations) -> None:
        columns = {name: listed(column) for name, column in unit_columns(rows, locations, self._labels.values).items()}
        self._positions = locations.positions_of
        columns["system"] = [system] * len(rows)
        pairs = zip(columns["document_name"], columns["document"], strict=True)
        columns["document_name"] = [name or str(number) for name, number in pairs]
        columns["left"], columns["right"] = locations.contexts(rows.position, self._query.context)
        columns["parts"] = [
            None if parts is None else " ".join(f"{start}-{end}" for start, end in parts) for parts in columns["parts"]
        ]
        for name, (slicing, slice_names) in self._slicings.items():
            of_unit = slicing.of_units(rows, locations, slice_names).tolist() if len(rows) else []
            columns[name] = [slice_names[code] for code in of_unit]
        collected = self._columns.setdefault(system, {})
        for name, values in columns.items():
            collected.setdefault(name, []).extend(values)

    def table(self, signature: str, notes: Sequence[str]) -> Table:
        """The table of all collected units. Further columns, such as arguments of relations, are left out if empty."""
        name, _, value = (self._query.slice or "").partition("=")
        known_values = self._slicings[name][1].values if name else []
        if name and not any(is_in_slice(known, value) for known in known_values):
            values = sorted(known_values, key=natural_order)
            remedy = f"there are {', '.join(values[:20])}{', …' if len(values) > 20 else ''}"
            raise SettingError(unknown(f"The slice {name!r} has no value {value!r}", value, values, remedy))
        for system, (_, drawn) in self._draws.items():
            kept = np.sort(np.argsort(drawn, kind="stable")[: self._query.sample]).tolist()
            of_system = self._columns[system]
            self._columns[system] = {name: [values[row] for row in kept] for name, values in of_system.items()}
        systems = list(self._columns.values())
        names = dict.fromkeys(name for columns in systems for name in columns)
        known = {source for source, _ in _BASE.values()} | set(_LEFT_OUT)
        further = [
            name
            for name in names
            if name not in known and any(value is not None for columns in systems for value in columns[name])
        ]
        kinds: dict[str, Kind] = {name: kind for name, (_, kind) in _BASE.items()}
        kinds |= {name: _kind([value for columns in systems for value in columns[name]]) for name in further}
        sources = [*(source for source, _ in _BASE.values()), *further]
        rows = [[value for columns in systems for value in columns.get(source, ())] for source in sources]
        return Table(kinds, rows, self._caption(), signature, notes)

    def _caption(self) -> str:
        """The number of units of each system and error type."""
        noun = "unit" if self._has_correct else "error"
        parts = []
        for system, counts in self._counts.items():
            types = ", ".join(f"{count:,} {name}" for name, count in counts.most_common())
            types = f" ({types})" if types else ""
            parts.append(f"{system}: {counted(counts.total(), noun)} by {self._measure.name}{types}")
        sampled = f" A sample of {self._query.sample} per system." if self._query.sample is not None else ""
        return f"{'; '.join(parts)}. Positions count {self._positions}.{sampled}"


def _kind(values: Sequence[Any]) -> Kind:
    return "text" if any(isinstance(value, str) for value in values) else "count"


def _chosen_types(formula: Formula, query: UnitQuery) -> set[str]:
    """The error types of a query. A sum that the score shows, such as BE, selects all of its types."""
    types, sums, chosen = formula.error_types, formula.types_of_counts(), set[str]()
    known = {name.lower(): parts for name, parts in sums.items()} | {name.lower(): {name} for name in types.values()}
    for name in query.type:
        if name.lower() not in known:
            names = list(dict.fromkeys([*types.values(), *sums]))
            remedy = f"choose one of {', '.join(names)}"
            raise SettingError(unknown(f"{formula.name} has no error type {name!r}", name, names, remedy))
        chosen |= known[name.lower()]
    return chosen
