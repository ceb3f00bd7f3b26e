"""`agree` and `adjudicate`: the agreement of several annotators, and corrections of a gold standard.

`AgreementRun` reads the files, and `AgreementFigures` computes the figures, and why some are undefined, from counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, combinations
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Unpack

import msgspec
import numpy as np

from evenhand.agreement.annotators import Annotators, DocumentNamer, SharedText
from evenhand.agreement.coefficients import ALPHA, CODINGS, FLEISS, AnnotatorSpans, Codebook, Coding, OverlapError
from evenhand.agreement.counts import (
    JOINT,
    QUANTIFIERS,
    AnnotatorCounts,
    Counted,
    DocumentCounter,
    Statistic,
    Statistics,
    code_f1,
    count_by_keys,
    cu_alphas,
    equal_codes,
    mean_of,
    pair_f1,
)
from evenhand.agreement.disagreements import Answer, Region, Vote, Voting
from evenhand.agreement.unitizing import Continuum, Disagreement
from evenhand.agreement.unitizing import alpha_u as alpha_u_of
from evenhand.agreement.unitizing import gamma as gamma_of
from evenhand.api.compare import ResamplingSettings, without_effect
from evenhand.arrays import Bools, ints
from evenhand.comparison.units import piece, sentence_of
from evenhand.data.annotation import Annotation
from evenhand.data.characters import peek
from evenhand.data.from_lists import repaired
from evenhand.data.overrides import AS_READ, PROPOSED, OverriddenGold, Override, Overrides
from evenhand.data.vocabulary import Vocabulary
from evenhand.dataclass import dataclass
from evenhand.errors import InputError, SettingError, counted, unknown
from evenhand.formats.convert import conversion_of
from evenhand.formats.format import WrappedObject
from evenhand.formats.overrides import read_overrides
from evenhand.formats.paths import FileList
from evenhand.formats.source import notify_observers
from evenhand.parameters import SIDES, check_choice, check_whole_number, checked_arguments, quote
from evenhand.pipeline.inputs import (
    READING,
    Input,
    RunConfig,
    Side,
    Systems,
    by_side,
    content_for,
    folder_of,
    known_options,
    name_of,
    open_files,
    open_sides,
    path_of,
    prepare,
    side_of,
    systems_by_name,
    unique_names,
)
from evenhand.results import agreement as results
from evenhand.results.agreement import Adjudication, Agreement, DrawnRegion, DrawnRegions, SavedFigures
from evenhand.results.signature import agreement_signature, notes_on_settings
from evenhand.scoring.measure import Formula
from evenhand.settings import PickedAnnotator, ReadSettings, own_key, system_settings
from evenhand.statistics.bootstrap import bootstrap, table_types
from evenhand.statistics.bootstrap import interval as percentile
from evenhand.tasks.evaluation import SideSummary
from evenhand.tasks.registry import TASKS, all_parameters, model, task_named
from evenhand.tasks.spans.comparison import drawn_spans
from evenhand.tasks.task import AgreementSpec, Task
from evenhand.tasks.units import SentenceView
from evenhand.versions import signed

if TYPE_CHECKING:
    from evenhand.keywords import AdjudicateKeywords, AnnotatorKeywords

_LAYER = "spans"
File = str | PathLike[str]
OpenGold = Callable[[], Iterator[Annotation]]
Sides = tuple[dict[str, Input], Mapping[str, PickedAnnotator]]
"""The annotators by name, and the annotator to read from a file with several."""
TWO = "Agreement needs at least two annotators."
MAX_SAMPLES = 1_000_000
BLOCK = 1 << 17
"""Bytes per block of each file: fewer than elsewhere because all annotators are in memory together."""
_LAYOUTS = "specify a file or folder for each annotator, or use --annotator with the field that contains their names"
_ABOUT = frozenset(name + suffix for name in ("readme", "license") for suffix in ("", ".md", ".txt", ".rst"))
"""Names of files, in lower case, that describe a folder and are not annotations."""
NO_UNITS = "no annotator has a span"
NO_CHANCE = "no disagreement is expected by chance"
NOTHING_SHARED = "no document is common to two annotators"
ONE_CODE = "all codes are the same, so chance agreement cannot be distinguished from true agreement"
NO_ATOMS = {
    "all": "there is no text",
    "any": "no annotator labels anything",
    "every": "nothing is labeled by all annotators",
}
NO_COMMON = "the two have no document in common"
NOT_COMMON = "no document is common to all"
NO_CODES = "nothing has a code"
PAIRS_ONLY = "defined for two annotators only"
ONE_LABEL = "the two use fewer than two labels where both label"
UNUSED = "no annotator uses the label in a document of two annotators"


@checked_arguments(lambda: READING, inputs=("gold", "overrides"))
def adjudicate(
    gold: Side,
    overrides: File | Sequence[File],
    *,
    accept_proposed: bool = False,
    **options: Unpack[AdjudicateKeywords],
) -> Adjudication:
    """Check overrides of a gold standard: whether each fits it, and whether they contradict each other.

    overrides  a file of overrides, or several; equal overrides count once
    accept_proposed
               also apply unreviewed proposals of `suspects`; otherwise they are only checked and counted

    Other keywords specify how the gold standard is read, as in `score`: format, column, encoding, repair, offsets,
    functions and annotator. Problems are listed, not raised. If there are none, `merge` writes the overrides as one
    file, and `apply` the corrected gold standard.
    """
    side = side_of(gold)
    prepared = prepare(side, {}, {**options, "task": "spans"})
    paths: list[Any] = list(overrides) if isinstance(overrides, list | tuple) else [overrides]
    for path in paths:
        if not isinstance(path, str | PathLike):
            raise SettingError(f"overrides has {quote(path)}; it must be the path of a file, or a list of paths.")
    if not paths:
        raise SettingError("Nothing to check: specify at least one file of overrides.")
    files = [read_overrides(path) for path in paths]

    def open_gold() -> Iterator[Annotation]:
        return open_sides(side, {}, prepared.task, prepared.read_as, Vocabulary(), prepared.content.files).gold()

    return _check_overrides(side, open_gold, files, accepts_proposed=accept_proposed)


def _check_overrides(
    side: Input, open_gold: OpenGold, files: Sequence[Overrides], *, accepts_proposed: bool
) -> Adjudication:
    errors: list[InputError] = []
    lines = [line for file in files for line in file.lines]
    merged = Overrides("+".join(file.name for file in files), "+".join(file.sha256 for file in files), lines)
    gold, before, after = OverriddenGold(merged, _LAYER, refuse=errors.append), SideSummary(), SideSummary()
    reading = ""
    for batch in gold(open_gold()):
        reading = reading or str(batch.readings[_LAYER].format)
        for count, layer in ((before, AS_READ), (after, _LAYER)):
            spans = batch.spans(layer)
            count.add(spans.label, spans.vocabulary.labels.values)
    applied = merged
    if merged.proposed and not accepts_proposed:
        applied, after = Overrides(merged.name, merged.sha256, _decided(lines)), SideSummary()
        for batch in OverriddenGold(applied, _LAYER, refuse=lambda error: None)(open_gold()):
            spans = batch.spans(_LAYER)
            after.add(spans.label, spans.vocabulary.labels.values)

    def write(path: Path, format: str | None, encoding: str | None) -> None:
        if not accepts_proposed:
            merged.refuse_proposed()
        _write(lambda: _corrected(open_gold, applied, folder_of(side)), path, format, encoding)

    return Adjudication(
        gold=name_of(side),
        files=files,
        overrides=gold.applied,
        problems=[error.problem for error in errors],
        before=dict(sorted(before.labels.items())),
        after=dict(sorted(after.labels.items())),
        signature=signed({"task": "spans", "gold": str(reading), "overrides": str(merged)}),
        writer=write,
    )


def _decided(lines: Sequence[Override]) -> list[Override]:
    """The overrides without unreviewed proposals."""
    return [line for line in lines if line.state != PROPOSED]


def _corrected(open_gold: OpenGold, overrides: Overrides, folder: str | None) -> Iterator[Annotation]:
    """The batches of the corrected gold standard without other layers; documents are named after their files."""
    naming = DocumentNamer(folder)
    for batch in OverriddenGold(overrides, _LAYER)(open_gold()):
        names = None if folder is None else naming.names(batch)
        corpus = replace(batch.corpus, names=tuple(names), unnamed=False) if names else batch.corpus
        yield replace(
            batch, corpus=corpus, layers={_LAYER: batch.spans(_LAYER)}, readings={_LAYER: batch.readings[_LAYER]}
        )


def _write(batches: OpenGold, path: Path, format: str | None, encoding: str | None) -> None:
    """Write like `convert`; tags keep their encoding unless another one is specified."""
    first, _ = peek(batches())
    assert first is not None  # a reader yields at least one batch, or raises
    target = conversion_of(first, path, format, _LAYER)
    if encoding is None and target.capabilities.tags:
        encoding = first.readings[_LAYER].encoding
    conversion_of(first, path, format, _LAYER, encoding=encoding, lossy=None).write(path, batches)


def drawn_places(parts: Iterable[SharedText], voting: Voting, limit: int) -> DrawnRegions:
    """Count all places, and keep the first `limit`: undecided ones, then decided ones, then agreed ones."""
    regions = DrawnRegions(limit)
    for text in parts:
        drawing, numbers = SentenceView(list(map(drawn_spans, text.spans))), dict[int, int]()
        regions.labels = list(text.spans[0].vocabulary.labels.values)
        for scope, region in voting.all_regions(text):
            if regions.has_room(region):
                if scope not in numbers:
                    numbers[scope] = len(regions.sentences)
                    locations = text.locations
                    sentence = sentence_of(scope, locations.number(scope), locations, drawing.sides(scope))
                    number = region.sentence if text.names else sentence.number
                    regions.sentences.append(sentence._replace(document=region.document, number=number))
                drawn = _in_pieces(region, regions.sentences[numbers[scope]].pieces)
                seen = text.locations.positions(ints([scope]), ints([region.start]), ints([region.end]))
                if seen.of == "characters":
                    drawn = replace(drawn, offsets=(int(seen.start[0]), int(seen.end[0])))
                regions.add(region, numbers[scope], drawn)
            regions.count(region)
    return regions


def _in_pieces(region: Region, pieces: tuple[int, ...]) -> DrawnRegion:
    """A region with positions in the tokens of its sentence, or in the pieces of its text."""

    def moved(answer: Answer) -> Answer:
        start, end, label = piece(pieces, answer[0]), piece(pieces, answer[1]), answer[2]
        if len(answer) == 3:
            return start, end, label
        return start, end, label, tuple((piece(pieces, gap[0]), piece(pieces, gap[1])) for gap in answer[3])

    answers = {name: list(map(moved, spans)) for name, spans in region.answers.items()}
    start, end = piece(pieces, region.start), piece(pieces, region.end)
    return DrawnRegion(region.state, start, end, answers, list(map(moved, region.accepted)))


# Figures


def intervals_of(
    figures: Mapping[str, Statistic], kept: Bools, resampling: ResamplingSettings
) -> tuple[dict[str, results.Interval], list[str]]:
    """Percentile intervals of defined figures by path, and notes; `kept` documents have at least two annotators."""
    statistics = {path: figure for path, figure in figures.items() if figure.total() is not None}
    if not resampling.resamples or not statistics:
        return {}, []
    if kept.sum() < 2:
        return {}, ["no intervals: fewer than two documents have two annotators, so nothing can be resampled."]
    tables = [statistic.table[kept] for statistic in statistics.values()]
    first, type_of = table_types(tables)
    rows = np.concatenate(tables, axis=1)[first]
    sums = bootstrap(rows, np.bincount(type_of), resampling.resamples, resampling.seed)
    parts = np.split(sums, np.cumsum([table.shape[1] for table in tables])[:-1], axis=1)
    intervals = {}
    for (path, statistic), part in zip(statistics.items(), parts, strict=True):
        values = statistic.value(part)
        values = values[~np.isnan(values)]
        if len(values):
            intervals[path] = results.Interval(*percentile(values, resampling.level))
    return intervals, []


@dataclass(frozen=True)
class UnitFigures:
    """alpha_U and gamma, which are computed from the units themselves."""

    continuum: Continuum | None
    """The units, for alpha_U; None if it is not requested."""
    wholes: Continuum | None
    """The spans without gaps, for gamma; None if it is not requested."""
    samples: int
    """Number of samples for gamma."""
    seed: int

    def add_to(
        self, figures: results.Unitizing, counts: AnnotatorCounts, annotators: Sequence[int], labels: Sequence[str]
    ) -> tuple[results.Unitizing, dict[str, str]]:
        """Return the figures with the requested coefficients, and the reasons why some are undefined."""
        undefined: dict[str, str] = {}
        if self.continuum is not None:
            figures = _with_alpha_u(figures, self.continuum, counts, annotators, labels, undefined)
        if self.wholes is not None:
            pairs = list(combinations(annotators, 2))
            gammas = [gamma_of(_shared(self.wholes, counts, pair), self.samples, (self.seed, *pair)) for pair in pairs]
            known = [value for value in gammas if value is not None]
            name = "gamma" if len(annotators) == 2 else "gamma_pairs"
            figures = msgspec.structs.replace(figures, **{name: float(np.mean(known)) if known else None})
            if not known:
                shared = chain.from_iterable(_shared(self.wholes, counts, pair) for pair in pairs)
                has_units = any(len(one) + len(other) for one, other, _ in shared)
                undefined[name] = NO_CHANCE if has_units else NO_UNITS
        return figures, undefined


def _shared(
    wholes: Continuum, counts: AnnotatorCounts, pair: tuple[int, ...]
) -> Iterator[tuple[AnnotatorSpans, AnnotatorSpans, int]]:
    """The units in the documents of both annotators."""
    one, other = pair
    return wholes.documents(one, other, counts.has[:, one] & counts.has[:, other])


def _with_alpha_u(
    figures: results.Unitizing,
    continuum: Continuum,
    counts: AnnotatorCounts,
    annotators: Sequence[int],
    labels: Sequence[str],
    undefined: dict[str, str],
) -> results.Unitizing:
    by_label = continuum.labels(annotators, np.all(counts.has[:, list(annotators)], axis=1))
    known = {label: value for label, value in by_label.items() if isinstance(value, Disagreement)}
    stacked = {label: value for label, value in by_label.items() if not isinstance(value, Disagreement)}
    values = {labels[label]: known[label].alpha if label in known else None for label in by_label}
    alpha = None if stacked else alpha_u_of(known.values())
    reasons = {labels[label]: _overlapping(counts.names[annotator]) for label, annotator in stacked.items()}
    reason = _overlapping(counts.names[min(stacked.values())]) if stacked else NO_CHANCE if known else NO_UNITS
    undefined |= {} if alpha is not None else {"alpha_U": reason}
    undefined |= {
        f"alpha_U_labels.{name}": reasons.get(name, NO_CHANCE) for name, value in values.items() if value is None
    }
    return msgspec.structs.replace(figures, alpha_u=alpha, alpha_u_labels=dict(sorted(values.items())))


def _overlapping(annotator: str) -> str:
    return f"alpha_U needs spans of a label that do not overlap, and some of {annotator} do"


class AgreementFigures:
    def __init__(
        self,
        counted: Counted,
        task: Task,
        models: Sequence[Formula],
        unit_figures: UnitFigures | None = None,
    ) -> None:
        assert task.agreement is not None
        self._spec, self._no_unit = task.agreement, f"has a {task.unit}"
        self._unit_figures, self._models = unit_figures, models
        self.counts, self._book, self._names = counted.counts, counted.book, counted.labels
        self._documents = counted.names
        self._quantifiers = QUANTIFIERS if task.agreement.is_unitized else QUANTIFIERS[: task.agreement.has_codes]
        self.undefined: dict[str, str] = {}
        """Reasons why figures are undefined, by path."""
        self.all_annotators = Statistics(self.counts, range(len(self.counts.names)))
        self.f1_statistics = {
            model.name: [self._score(pair, model) for pair in range(len(self.counts.pairs))] for model in models
        }

    def _score(self, pair: int, model: Formula, label: str | None = None) -> Statistic:
        """The score of a pair, overall or of one label: F1, or the share of equal codes if each position has one."""
        if self._spec.is_unitized or not self._spec.has_codes:
            return pair_f1(self.counts, pair, model, label)
        if label is None:
            return equal_codes(self.counts, pair)
        return code_f1(self.counts, pair, self._book.code((self._names.index(label),)))

    def annotators(self) -> list[results.Annotator]:
        counts, documents = self.counts, self.counts.has.sum(axis=0).tolist()
        rows = zip(counts.names, documents, counts.units.tolist(), counts.labels, strict=True)
        return [results.Annotator(name, size, units, dict(sorted(used.items()))) for name, size, units, used in rows]

    def coverage(self) -> results.Coverage:
        numbers = Counter(self.counts.has.sum(axis=1).tolist())
        by_number = {str(number): numbers[number] for number in range(1, len(self.counts.names) + 1)}
        by_annotator = dict(zip(self.counts.names, self.counts.has.sum(axis=0).tolist(), strict=True))
        return results.Coverage(by_number, by_annotator)

    def codes(self, statistics: Statistics | None = None, path: str = "codes") -> dict[str, results.Coefficients]:
        """Coefficients over all positions, and over those that any or every annotator labels."""
        codes, chosen = {}, statistics or self.all_annotators
        for quantifier in self._quantifiers:
            values = {coefficient.name: chosen.coefficient(coefficient, quantifier) for coefficient in JOINT}
            values["kappa"] = chosen.kappa(quantifier)
            atoms = chosen.atoms(quantifier)
            nothing = NOTHING_SHARED if statistics is None else NO_COMMON
            reason = nothing if not chosen.is_shared else ONE_CODE if atoms else NO_ATOMS[quantifier]
            self._explain({f"{path}.{quantifier}.{name}": value for name, value in values.items()}, reason)
            codes[quantifier] = results.Coefficients(atoms, **values)
        return codes

    def _explain(self, values: dict[str, float | None], reason: str) -> None:
        self.undefined |= {path: reason for path, value in values.items() if value is None}

    def f1(self) -> dict[str, results.Spread]:
        spreads = {name: _spread([pair.total() for pair in pairs]) for name, pairs in self.f1_statistics.items()}
        reason = f"no annotator {self._no_unit}" if self.all_annotators.is_shared else NOTHING_SHARED
        self._explain({f"f1.{name}.mean": spread.mean for name, spread in spreads.items()}, reason)
        return spreads

    def labels(self) -> dict[str, results.LabelAgreement]:
        labels, book = {}, self._book
        codes = {label for key in book.members for label in key if label >= 0}
        for label in sorted(codes, key=lambda code: self._names[code]):
            binary = self.counts.patterns.about(lambda code, label=label: book.contains(code, label))  # type: ignore[misc]
            chosen, name = Statistics(self.counts, range(len(self.counts.names)), binary), self._names[label]
            values = {"kappa": chosen.kappa(), "fleiss": chosen.coefficient(FLEISS), "alpha": chosen.coefficient(ALPHA)}
            reason = NOTHING_SHARED if not chosen.is_shared else UNUSED if not chosen.atoms("any") else ONE_CODE
            self._explain({f"labels.{name}.{key}": value for key, value in values.items()}, reason)
            pairs = range(len(self.counts.pairs))
            f1 = _spread([self._score(pair, self._models[0], name).total() for pair in pairs])
            labels[name] = results.LabelAgreement(**values, f1=f1)
            self._explain({f"labels.{name}.f1.mean": f1.mean}, UNUSED if chosen.is_shared else NOTHING_SHARED)
        return labels

    def unitizing(self, annotators: Sequence[int] | None = None, path: str = "unitizing") -> results.Unitizing:
        """u-alpha and the other unitizing coefficients of all annotators, or of a pair."""
        if not self._spec.is_unitized:
            return results.Unitizing(0)
        chosen = range(len(self.counts.names)) if annotators is None else annotators
        statistics = Statistics(self.counts, chosen)
        complete = statistics.patterns.raters == len(chosen)
        atoms = int(statistics.totals[complete].sum())
        reason = self._overlaps("u-alpha", chosen)
        both: list[float | None] = [None, None]
        if reason is None:
            both = [alpha.total() for alpha in statistics.u_alphas()]
        nothing = NO_COMMON if len(chosen) == 2 else NOT_COMMON
        lacking = ONE_CODE if atoms else NO_ATOMS["all"] if statistics.common.any() else nothing
        self._explain({f"{path}.u_alpha": both[0], f"{path}.u_alpha_binary": both[1]}, reason or lacking)
        cu_alpha, by_label = None, dict[int, float | None]()
        if len(chosen) == 2 and reason is None:
            pair = self.counts.pairs.index((chosen[0], chosen[1]))
            cu_alpha, by_label = cu_alphas(self.counts, self._book, pair)
        why = PAIRS_ONLY if len(chosen) > 2 else reason or (ONE_LABEL if atoms else lacking)
        named = dict(sorted((self._names[label], value) for label, value in by_label.items()))
        self._explain({f"{path}.cu_alpha": cu_alpha}, why)
        self._explain({f"{path}.ku_alpha.{name}": value for name, value in named.items()}, why)
        figures = results.Unitizing(atoms, u_alpha=both[0], u_alpha_binary=both[1], cu_alpha=cu_alpha, ku_alpha=named)
        if self._unit_figures is None:
            return figures
        figures, undefined = self._unit_figures.add_to(figures, self.counts, chosen, self._names)
        absent = None if atoms else lacking
        self.undefined |= {f"{path}.{name}": absent or reason for name, reason in undefined.items()}
        return figures

    def _overlaps(self, what: str, annotators: Sequence[int]) -> str | None:
        """The reason why units cannot be compared, if spans overlap."""
        numbers = [(self.counts.names[index], int(self.counts.overlapping[index])) for index in annotators]
        overlapping = ", ".join(f"{name} has {count:,}" for name, count in numbers if count)
        return f"{what} needs spans that do not overlap; {overlapping} that do" if overlapping else None

    def pairs(self) -> list[results.PairAgreement]:
        return [self._pair(number, *pair) for number, pair in enumerate(self.counts.pairs)]

    def _pair(self, number: int, one: int, other: int) -> results.PairAgreement:
        a, b = self.counts.names[one], self.counts.names[other]
        path, statistics = f"pairs.{a}.{b}", Statistics(self.counts, (one, other))
        f1 = {name: pairs[number].total() for name, pairs in self.f1_statistics.items()}
        reason = f"neither {self._no_unit}" if statistics.common.any() else NO_COMMON
        self._explain({f"{path}.f1.{name}": value for name, value in f1.items()}, reason)
        used = sorted({*self.counts.labels[one], *self.counts.labels[other]}) if self._spec.has_codes else []
        labels = {label: self._score(number, self._models[0], label).total() for label in used}
        self._explain({f"{path}.labels.{name}": value for name, value in labels.items()}, reason)
        return results.PairAgreement(
            a,
            b,
            int(statistics.common.sum()),
            self.codes(statistics, f"{path}.codes"),
            f1,
            labels,
            self.unitizing((one, other), f"{path}.unitizing"),
            self._confusion(statistics),
            self._verdicts(number),
        )

    def _verdicts(self, pair: int) -> results.PairErrors | None:
        """The error types of a pair as `score` counts them, with the first annotator as the key."""
        formula = next((model for model in self._models if model.name == self._spec.error_types), None)
        tally = None if formula is None else self.counts.tallies.get((pair, formula.scorer))
        if formula is None or tally is None:
            return None
        sums = tally.by_group(self.counts.documents, list(formula.counts.values()))[:, 0].sum(axis=0)
        correct = formula.columns()[0]
        confusion = tally.confusion(lambda kind: correct.get(kind, 0.0) < 1)
        return results.PairErrors(
            {name: int(count) for name, count in zip(formula.counts, sums.tolist(), strict=True)},
            {gold: {name: int(count) for name, count in row.items()} for gold, row in confusion.items()},
        )

    def _confusion(self, statistics: Statistics) -> dict[str, dict[str, int]]:
        """Number of positions by the codes of both annotators."""
        names, rows = self._book.names(self._names), dict[str, dict[str, int]]()
        for (one, other), count in zip(statistics.patterns.codes.tolist(), statistics.totals.tolist(), strict=True):
            if one >= 0 and other >= 0 and count:
                row = rows.setdefault(names[one], {})
                row[names[other]] = row.get(names[other], 0) + int(count)
        return {name: dict(sorted(row.items())) for name, row in sorted(rows.items())}

    def documents(self) -> list[results.DocumentAgreement]:
        """Agreement by document, for documents with at least two annotators."""
        alpha = self.all_annotators.by_document(ALPHA).by_document()
        exact = mean_of(self.f1_statistics[self._models[0].name]).by_document()
        number = self.counts.has.sum(axis=1).tolist()
        documents = []
        for index in np.flatnonzero(self.counts.has.sum(axis=1) > 1).tolist():
            name = self._documents[index] if self._documents else str(index + 1)
            documents.append(results.DocumentAgreement(name, number[index], exact[index], alpha[index]))
            self._explain({f"documents.{name}.exact": exact[index]}, f"no annotator {self._no_unit}")
            self._explain({f"documents.{name}.alpha": alpha[index]}, ONE_CODE if self._quantifiers else NO_CODES)
        return documents

    def resampled(self) -> dict[str, Statistic]:
        """The statistics with intervals, by path."""
        joint = self.all_annotators
        statistics = {
            f"codes.{quantifier}.{coefficient.name}": joint.by_document(coefficient, quantifier)
            for quantifier in self._quantifiers
            for coefficient in JOINT
        }
        statistics |= {
            f"codes.{quantifier}.kappa": joint.kappa_by_document(quantifier) for quantifier in self._quantifiers
        }
        statistics |= {f"f1.{name}.mean": mean_of(pairs) for name, pairs in self.f1_statistics.items()}
        if self._spec.is_unitized and self._overlaps("", range(len(self.counts.names))) is None:
            u_alpha, binary = joint.u_alphas()
            statistics |= {"unitizing.u_alpha": u_alpha, "unitizing.u_alpha_binary": binary}
        return statistics


def _spread(values: Sequence[float | None]) -> results.Spread:
    """The mean and the population standard deviation of the values that are defined."""
    known = [value for value in values if value is not None]
    return results.Spread(float(np.mean(known)), float(np.std(known))) if known else results.Spread(None, None)


# The run


class AgreementRun:
    """Reads the files of annotators, once per request."""

    def __init__(
        self, sides: Mapping[str, Input], prepared: RunConfig, coding: Coding, unit_figures: UnitFigures | None
    ) -> None:
        self._unit_figures = unit_figures
        self._sides, self._prepared, self._coding = sides, prepared, coding
        self._vocabulary = Vocabulary()

    @property
    def spec(self) -> AgreementSpec:
        """The declaration of the task. It is not stored because a run can be pickled, and a declaration cannot."""
        spec = self._prepared.task.agreement
        assert spec is not None
        return spec

    def figures(self, resampling: ResamplingSettings) -> SavedFigures:
        """All figures, in one pass; without codes, in one pass per annotator as the key."""
        counted = self._count_codes() if self.spec.has_codes else count_by_keys(self._sides, self._prepared)
        figures = AgreementFigures(counted, self._prepared.task, self._prepared.models, self._unit_figures)
        settings = self._prepared.settings
        intervals, notes = intervals_of(figures.resampled(), counted.counts.has.sum(axis=1) > 1, resampling)
        notes = [*notes_on_settings(settings, counted.labels), *counted.notes(), *notes]
        count = resampling.resamples if intervals else 0
        made = results.Resampling(count, "documents", resampling.level, resampling.seed)
        return SavedFigures(
            settings.task,
            self._signature(counted, made),
            notes,
            self._coding if self.spec.is_unitized else None,
            figures.annotators(),
            figures.coverage(),
            figures.codes(),
            figures.f1(),
            figures.unitizing(),
            figures.labels(),
            figures.pairs(),
            figures.documents(),
            figures.undefined,
            intervals,
            made,
        )

    def _count_codes(self) -> Counted:
        settings, shared, unit_figures = self._prepared.settings, self._annotators(), self._unit_figures
        scorers = [model(settings.task, name).scorer for name in settings.match]
        continua = (unit_figures.continuum, unit_figures.wholes) if unit_figures else (None, None)
        is_unitized = self.spec.is_unitized
        book = Codebook(self._coding) if is_unitized else Codebook(outside="")
        counting = DocumentCounter(list(self._sides), scorers, settings, book, *continua, is_unitized=is_unitized)
        try:
            for text in shared.parts():
                counting.add(text)
                del text  # frees its memory before the next part is read
        except OverlapError:
            finding = "IOB2 cannot represent overlapping spans, and an annotator has some"
            raise SettingError(f"{finding}; choose --coding label.") from None
        counts, labels = counting.finish(shared.documents), self._vocabulary.labels.values
        return Counted(counts, book, labels, shared.names, shared.readings, shared.atoms, shared.by_name)

    def _signature(self, counted: Counted, made: results.Resampling) -> str:
        further: dict[str, str] = {"coding": self._coding} if self.spec.is_unitized else {}
        further |= {"resamples": f"{made.resamples}", "level": f"{made.level:g}", "seed": f"{made.seed}"}
        unit_figures = self._unit_figures
        further |= {"samples": f"{unit_figures.samples}"} if unit_figures and unit_figures.wholes else {}
        read_as = self._prepared.read_as["system"]
        return agreement_signature(self._prepared.settings, read_as, counted.atoms, counted.readings, further)

    def conflicts(self, vote: Vote) -> list[Region]:
        """Places where annotators do not have the same units, from another pass."""
        voting = self._voting(vote)
        for text in self._annotators().parts():
            voting.add(text)
        return voting.conflicts()

    def adjudicated(self, vote: Vote) -> Iterator[Annotation]:
        """The annotation that the vote accepts, from another pass."""
        voting = self._voting(vote)
        for text in self._annotators().parts():
            yield from map(self.spec.from_spans, voting.annotations(text))

    def places(self, vote: Vote, limit: int) -> DrawnRegions:
        """All places in their sentences, from another pass."""
        return drawn_places(self._annotators().parts(), self._voting(vote), limit)

    def _voting(self, vote: Vote) -> Voting:
        _check_codes(self._prepared.task)
        if isinstance(vote.rule, int) and vote.rule > len(self._sides):
            raise SettingError(
                f"vote is {vote.rule}, but there are only {counted(len(self._sides), 'annotator')}; choose fewer."
            )
        return Voting(list(self._sides), vote, settles=not self.spec.is_unitized)

    def _annotators(self) -> Annotators:
        streams = {name: self._stream(name, side) for name, side in self._sides.items()}
        folders = [folder_of(side) for side in self._sides.values()]
        return Annotators(streams, folders, self._prepared.settings, self._vocabulary)

    def _stream(self, name: str, side: Input) -> Iterator[Annotation]:
        """The spans of an annotator, or its units as spans."""
        assert self.spec.as_spans is not None
        read_as = system_settings(self._prepared.read_as, name)
        as_spans = partial(
            self.spec.as_spans, read_as=read_as, settings=self._prepared.settings, vocabulary=self._vocabulary
        )
        if isinstance(side, Annotation):
            return map(as_spans, [repaired(side, read_as.repair, None)])
        return map(as_spans, notify_observers(name, open_files(side, read_as).batches(self._vocabulary)))


def check_votes(annotators: Systems, options: Mapping[str, Any]) -> None:
    """Refuse a vote on a task without codes; only the beginning of one file is read."""
    sides = systems_by_name(annotators) or {}
    first = next(iter(sides.values()))
    if len(sides) == 1 and isinstance(first, Path) and first.is_dir():
        first = next(iter(_annotators_in_folder(first).values()))
    _check_codes(TASKS[content_for(first, options).task])


def _check_codes(task: Task) -> None:
    if task.agreement and not task.agreement.has_codes:
        known = " or ".join(other.name for other in TASKS.values() if other.agreement and other.agreement.has_codes)
        raise SettingError(f"Annotators vote on {known}, not on {task.name}.")


def annotators_in(side: Input, settings: ReadSettings, field: str | None) -> Sides:
    if isinstance(side, Annotation | WrappedObject | FileList):
        raise SettingError(TWO)
    path = path_of(side)
    if isinstance(path, Path) and path.is_dir():
        return _annotators_in_folder(path), {}
    file = open_files(side, settings).first
    if file.format.contents.annotators is None:
        raise SettingError(f"{TWO} {name_of(side)} is read as {file.format.name}, which names none.")
    annotators = file.format.contents.annotators(file.source, field)
    if annotators is None:
        finding = "names no annotators" if field is None else f"no record has the field {field!r}"
        raise InputError(file.source.display_name, None, finding, _LAYOUTS)
    field, names = annotators
    if len(names) < 2:
        raise InputError(file.source.display_name, None, f"has only one annotator, {names[0]}", _LAYOUTS)
    return dict.fromkeys(names, side), {name: PickedAnnotator(field, name) for name in names}


def _annotators_in_folder(folder: Path) -> dict[str, Input]:
    """One folder per annotator (brat), or one file (doccano)."""
    visible = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    folders = [path for path in visible if path.is_dir()]
    files = [path for path in visible if path.is_file() and path.name.lower() not in _ABOUT]
    if len(folders) > 1:
        annotated = [path for path in folders if any(path.rglob("*.ann"))]
        without = [path for path in folders if path not in annotated and any(path.rglob("*.txt"))]
        if annotated and without:
            finding = f"has texts but no annotations (.ann), unlike {annotated[0].name}"
            raise InputError(str(without[0]), None, finding, "omit this folder, and specify only the others")
        return {path.name: path for path in folders}
    if len(files) < 2 or any(file.suffix == ".ann" for file in files):
        raise InputError(str(folder), None, "has neither a folder nor a file for each annotator", _LAYOUTS)
    sides: list[Input] = list(files)
    return dict(zip(unique_names(sides), sides, strict=True))


@checked_arguments(known_options)
def agree(
    annotators: Side | Sequence[Side] | Mapping[str, Side],
    *,
    coding: Coding = "label",
    annotator: str | None = None,
    alpha_u: bool = False,
    gamma: bool = False,
    samples: int = 100,
    by: Literal["document"] | None = None,
    resamples: int = 1_000,
    level: float = 0.95,
    seed: int = 0,
    **options: Unpack[AnnotatorKeywords],
) -> Agreement:
    """Measure the agreement of annotators in one pass over their files; none of them is the gold standard.

    annotators files or annotations, as a list or by name: {"ana": "ana.conll", "ben": "ben.conll"}; or one input with
               several annotators: a folder with one folder or file per annotator, JSON lines with a field that names
               them (also of Prodigy and doccano), or an export of Label Studio
    annotator  the field of records that names annotators, if it has another name than in these tools
    coding     the codes of tokens or characters: "label", their labels, or "iob2", tags with B- and I-
    alpha_u    whether to compute Krippendorff's alpha_U as well; keeps all spans in memory
    gamma      whether to compute gamma of pairs; keeps all spans in memory
    samples    number of samples for gamma, per document
    by         "document": tables list documents, too
    resamples  of the bootstrap over documents, for intervals; 0 for none
    level      confidence level of intervals
    seed       of the random numbers: the same seed and files give the same figures

    Documents are matched by name; without names, all annotators must have the same text. A document that an annotator
    does not have is missing data; a document without spans is not. Other keywords specify how files are read and which
    labels count, as in `score`.
    """
    if annotators is None or (isinstance(annotators, list | tuple | Mapping) and not annotators):
        raise SettingError(TWO)
    named = systems_by_name(annotators) or {}
    check_choice("coding", coding, CODINGS)
    check_choice("by", by, ("document",), optional=True)
    resampling = ResamplingSettings(0, resamples, level=level, seed=seed).checked()
    sides, prepared = _prepared(named, options, annotator)
    _check_unitized(prepared.task, {"coding": coding != "label", "alpha-u": alpha_u, "gamma": gamma})
    unit_figures, samples = None, check_whole_number("samples", samples, 1, MAX_SAMPLES)
    if alpha_u or gamma:
        units, wholes = (Continuum(len(sides)) if is_requested else None for is_requested in (alpha_u, gamma))
        unit_figures = UnitFigures(units, wholes, samples, resampling.seed)
    run = AgreementRun(sides, prepared, coding, unit_figures)
    return Agreement(run.figures(resampling), by, run)


def _prepared(
    sides: Mapping[str, Input], options: Mapping[str, Any], field: str | None
) -> tuple[Mapping[str, Input], RunConfig]:
    """The annotators and the settings; options without effect are refused."""
    idle = [parameter.name for parameter in all_parameters().values() if parameter.effect.on != "scores"]
    for name in (*without_effect(), *idle, "beta"):
        if name in options:
            raise SettingError(f"{name.replace('_', '-')} has no effect when annotators are compared; remove it.")
    first, *others = sides.values()
    picked: Mapping[str, PickedAnnotator] = {}
    if not others:
        task = None if options.get("task") is None else task_named(options["task"])
        settings = ReadSettings(by_side(options.get("format"), "system"), task=task)
        sides, picked = annotators_in(first, settings, field)
        first, *_ = sides.values()
    elif field is not None:
        raise SettingError("annotator specifies a field of one file with several annotators; pass only this file.")
    content = content_for(first, options)
    spec = TASKS[content.task].agreement
    if spec is None:
        known = ", ".join(task.name for task in TASKS.values() if task.agreement)
        raise SettingError(f"Agreement is measured on {known}, not on {content.task}; specify the --task.")
    declared = {name: value for name, value in spec.settings.items() if options.get(name) is None}
    prepared = prepare(first, sides, {**options, **declared, "match": spec.by}, content)
    for renaming in prepared.settings.maps:
        annotator = renaming.only
        if annotator is not None and annotator not in sides:
            remedy = f"the annotators are {', '.join(sides)}"
            raise SettingError(unknown(f"map has no annotator {annotator!r}", annotator, list(sides), remedy))
        if annotator in SIDES:  # an annotator's name, but elsewhere the name of a side
            remedy = f"rename the annotator, as in ana=FILE, and write ana:{renaming.old}={renaming.new}"
            raise SettingError(f"map: {annotator!r} is the name of a side, not only of an annotator; {remedy}.")
    read_as = {
        own_key(name): replace(system_settings(prepared.read_as, name), annotator=picked.get(name), block_size=BLOCK)
        for name in sides
    }
    return sides, replace(prepared, read_as={**prepared.read_as, **read_as})


def _check_unitized(task: Task, requested: Mapping[str, bool]) -> None:
    """Refuse requests that only tasks with units support."""
    for name, is_requested in requested.items():
        if is_requested and not (task.agreement and task.agreement.is_unitized):
            known = ", ".join(other.name for other in TASKS.values() if other.agreement and other.agreement.is_unitized)
            raise SettingError(f"{name} is for {known} and has no effect on {task.name}; remove it.")
