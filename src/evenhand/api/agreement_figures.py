"""The figures of an agreement from its counts, with intervals, and the reasons why figures are undefined."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, combinations

import numpy as np
from msgspec.structs import replace

from evenhand.agreement.coefficients import ALPHA, FLEISS, Units
from evenhand.agreement.counts import Counted, Counts
from evenhand.agreement.statistics import (
    JOINT,
    QUANTIFIERS,
    Statistic,
    Statistics,
    code_f1,
    cu_alphas,
    equal_codes,
    mean_of,
    pair_f1,
)
from evenhand.agreement.unitizing import Continuum, Disagreement, alpha_u, gamma
from evenhand.api.compare import Resampling
from evenhand.arrays import Bools
from evenhand.dataclass import dataclass
from evenhand.results.agreement import (
    Annotator,
    Coefficients,
    Coverage,
    DocumentAgreement,
    Interval,
    LabelAgreement,
    PairAgreement,
    PairErrors,
    Spread,
    Unitizing,
)
from evenhand.scoring.measure import Formula
from evenhand.statistics.bootstrap import bootstrap, table_types
from evenhand.statistics.bootstrap import interval as percentile
from evenhand.tasks.task import Task

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
ONE_LABEL = "there are not two labels in what both label"
UNUSED = "no annotator uses the label in a document of two annotators"


def intervals_of(
    figures: Mapping[str, Statistic], kept: Bools, resampling: Resampling
) -> tuple[dict[str, Interval], list[str]]:
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
            intervals[path] = Interval(*percentile(values, resampling.level))
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
        self, figures: Unitizing, counts: Counts, annotators: Sequence[int], labels: Sequence[str]
    ) -> tuple[Unitizing, dict[str, str]]:
        """The figures of some annotators with the requested ones, and the reasons why some are undefined."""
        undefined: dict[str, str] = {}
        if self.continuum is not None:
            figures = _with_alpha_u(figures, self.continuum, counts, annotators, labels, undefined)
        if self.wholes is not None:
            pairs = list(combinations(annotators, 2))
            gammas = [gamma(_shared(self.wholes, counts, pair), self.samples, (self.seed, *pair)) for pair in pairs]
            known = [value for value in gammas if value is not None]
            name = "gamma" if len(annotators) == 2 else "gamma_pairs"
            figures = replace(figures, **{name: float(np.mean(known)) if known else None})
            if not known:
                shared = chain.from_iterable(_shared(self.wholes, counts, pair) for pair in pairs)
                has_units = any(len(one) + len(other) for one, other, _ in shared)
                undefined[name] = NO_CHANCE if has_units else NO_UNITS
        return figures, undefined


def _shared(wholes: Continuum, counts: Counts, pair: tuple[int, ...]) -> Iterator[tuple[Units, Units, int]]:
    """The units in the documents of both annotators."""
    one, other = pair
    return wholes.documents(one, other, counts.has[:, one] & counts.has[:, other])


def _with_alpha_u(
    figures: Unitizing,
    continuum: Continuum,
    counts: Counts,
    annotators: Sequence[int],
    labels: Sequence[str],
    undefined: dict[str, str],
) -> Unitizing:
    """The figures with alpha_U, overall and by label."""
    common = np.all(counts.has[:, list(annotators)], axis=1)
    by_label = continuum.labels(annotators, common)
    known = {label: value for label, value in by_label.items() if isinstance(value, Disagreement)}
    stacked = {label: value for label, value in by_label.items() if not isinstance(value, Disagreement)}
    values = {labels[label]: known[label].alpha if label in known else None for label in by_label}
    alpha = None if stacked else alpha_u(known.values())
    reasons = {labels[label]: _overlapping(counts.names[annotator]) for label, annotator in stacked.items()}
    reason = _overlapping(counts.names[min(stacked.values())]) if stacked else NO_CHANCE if known else NO_UNITS
    undefined |= {} if alpha is not None else {"alpha_U": reason}
    undefined |= {
        f"alpha_U_labels.{name}": reasons.get(name, NO_CHANCE) for name, value in values.items() if value is None
    }
    return replace(figures, alpha_u=alpha, alpha_u_labels=dict(sorted(values.items())))


def _overlapping(annotator: str) -> str:
    return f"alpha_U needs spans of a label that do not overlap, and some of {annotator} do"


class AgreementFigures:
    """Computes the figures of one agreement."""

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

    def annotators(self) -> list[Annotator]:
        had = self.counts.has.sum(axis=0).tolist()
        return [
            Annotator(name, had[index], int(self.counts.units[index]), dict(sorted(self.counts.labels[index].items())))
            for index, name in enumerate(self.counts.names)
        ]

    def coverage(self) -> Coverage:
        numbers = Counter(self.counts.has.sum(axis=1).tolist())
        had = zip(self.counts.names, self.counts.has.sum(axis=0).tolist(), strict=True)
        return Coverage({str(number): numbers[number] for number in range(1, len(self.counts.names) + 1)}, dict(had))

    def codes(self, statistics: Statistics | None = None, path: str = "codes") -> dict[str, Coefficients]:
        """Coefficients over all positions, and over those that any or every annotator labels."""
        codes, chosen = {}, statistics or self.all_annotators
        for quantifier in self._quantifiers:
            values = {coefficient.name: chosen.coefficient(coefficient, quantifier) for coefficient in JOINT}
            values["kappa"] = chosen.kappa(quantifier)
            atoms = chosen.atoms(quantifier)
            nothing = NOTHING_SHARED if statistics is None else NO_COMMON
            reason = nothing if not chosen.is_shared else ONE_CODE if atoms else NO_ATOMS[quantifier]
            self._explain({f"{path}.{quantifier}.{name}": value for name, value in values.items()}, reason)
            codes[quantifier] = Coefficients(atoms, **values)
        return codes

    def _explain(self, values: dict[str, float | None], reason: str) -> None:
        self.undefined |= {path: reason for path, value in values.items() if value is None}

    def f1(self) -> dict[str, Spread]:
        spreads = {name: _spread([pair.total() for pair in pairs]) for name, pairs in self.f1_statistics.items()}
        reason = f"no annotator {self._no_unit}" if self.all_annotators.is_shared else NOTHING_SHARED
        self._explain({f"f1.{name}.mean": spread.mean for name, spread in spreads.items()}, reason)
        return spreads

    def labels(self) -> dict[str, LabelAgreement]:
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
            labels[name] = LabelAgreement(**values, f1=f1)
            self._explain({f"labels.{name}.f1.mean": f1.mean}, UNUSED if chosen.is_shared else NOTHING_SHARED)
        return labels

    def unitizing(self, annotators: Sequence[int] | None = None, path: str = "unitizing") -> Unitizing:
        """u-alpha and the other unitizing coefficients of all annotators, or of a pair."""
        if not self._spec.is_unitized:
            return Unitizing(0)
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
        figures = Unitizing(atoms, u_alpha=both[0], u_alpha_binary=both[1], cu_alpha=cu_alpha, ku_alpha=named)
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

    def pairs(self) -> list[PairAgreement]:
        return [self._pair(number, *pair) for number, pair in enumerate(self.counts.pairs)]

    def _pair(self, number: int, one: int, other: int) -> PairAgreement:
        a, b = self.counts.names[one], self.counts.names[other]
        path, statistics = f"pairs.{a}.{b}", Statistics(self.counts, (one, other))
        f1 = {name: pairs[number].total() for name, pairs in self.f1_statistics.items()}
        reason = f"neither {self._no_unit}" if statistics.common.any() else NO_COMMON
        self._explain({f"{path}.f1.{name}": value for name, value in f1.items()}, reason)
        used = sorted({*self.counts.labels[one], *self.counts.labels[other]}) if self._spec.has_codes else []
        labels = {label: self._score(number, self._models[0], label).total() for label in used}
        self._explain({f"{path}.labels.{name}": value for name, value in labels.items()}, reason)
        return PairAgreement(
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

    def _verdicts(self, pair: int) -> PairErrors | None:
        """The error types of a pair as `score` counts them, with the first annotator as the key."""
        formula = next((model for model in self._models if model.name == self._spec.error_types), None)
        tally = None if formula is None else self.counts.tallies.get((pair, formula.scorer))
        if formula is None or tally is None:
            return None
        sums = tally.by_group(self.counts.documents, list(formula.counts.values()))[:, 0].sum(axis=0)
        correct = formula.columns()[0]
        confusion = tally.confusion(lambda kind: correct.get(kind, 0.0) < 1)
        return PairErrors(
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

    def documents(self) -> list[DocumentAgreement]:
        """Agreement by document, for documents with at least two annotators."""
        alpha = self.all_annotators.by_document(ALPHA).by_document()
        exact = mean_of(self.f1_statistics[self._models[0].name]).by_document()
        number = self.counts.has.sum(axis=1).tolist()
        documents = []
        for index in np.flatnonzero(self.counts.has.sum(axis=1) > 1).tolist():
            name = self._documents[index] if self._documents else str(index + 1)
            documents.append(DocumentAgreement(name, number[index], exact[index], alpha[index]))
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


def _spread(values: Sequence[float | None]) -> Spread:
    """Mean and population standard deviation of the defined values."""
    known = [value for value in values if value is not None]
    return Spread(float(np.mean(known)), float(np.std(known))) if known else Spread(None, None)
