"""`agree`: several annotators in, how far they agree out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from evenhand.agreement.annotators import Annotators, SharedText
from evenhand.agreement.codes import CODINGS, Codebook, Coding, OverlapError
from evenhand.agreement.continuum import Continuum
from evenhand.agreement.counting import Counting
from evenhand.agreement.places import Place, Vote, Voting
from evenhand.agreement.statistics import Statistic
from evenhand.api.agreement_figures import AgreementFigures
from evenhand.api.annotator_layouts import annotators_in
from evenhand.api.comparison_run import without_effect
from evenhand.api.significance import Resampling
from evenhand.api.unit_figures import UnitFigures
from evenhand.arguments import checked_arguments, whole_number
from evenhand.formats.adoption import Adopted
from evenhand.formats.folders import FileList, files_of
from evenhand.formats.watching import told
from evenhand.pipeline.inputs import Input, named, opened, place_of
from evenhand.pipeline.options import Prepared, by_side, known_options, prepare
from evenhand.problems import InputError, SettingError
from evenhand.result import agreement as results
from evenhand.result.agreement import Agreement, Figures
from evenhand.result.notes import notes_on_settings
from evenhand.result.signature import joint_signature, signature
from evenhand.settings import PickedAnnotator, ReadSettings, choose
from evenhand.statistics.intervals import interval as percentile
from evenhand.tasks.registry import TASKS, model
from evenhand.text.annotation import Annotation
from evenhand.text.labels import Vocabulary

MOST_SAMPLES = 1_000_000


@checked_arguments(known_options)
def agree(
    annotators: Input | Sequence[Input] | Mapping[str, Input],
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
    **options: Any,
) -> Agreement:
    """Measure how far annotators agree, in one pass over their files; nobody is the gold standard.

    annotators files or annotations, as a list or by name: {"ana": "ana.conll", "ben": "ben.conll"}; or one input with
               several annotators: a folder with a folder or a file for each, JSON lines with a field that names
               them (also those of Prodigy and doccano), or an export of Label Studio
    annotator  the field of records that names annotators, where it has another name than in these tools
    coding     the codes of atoms: "label", the label that covers each, or "iob2", tags with B- and I-
    alpha_u    whether to compute Krippendorff's alpha_U as well, for which all spans are kept in memory
    gamma      whether to compute gamma of pairs, for which all spans are kept, too
    samples    of gamma, in each document
    by         "document": tables list documents, too
    resamples  of the bootstrap over documents, for intervals; 0 for none
    level      confidence level of intervals
    seed       of the random numbers: the same seed and files give the same figures

    Documents go together by their names; without names, all annotators must have the same text. A document that an
    annotator does not have is missing data, one without spans is an answer. The other keywords are those of `score`
    that say how files are read and which labels count.
    """
    given = named(annotators) or {}
    choose("coding", coding, CODINGS)
    choose("by", by, ("document",), optional=True)
    resampling = Resampling.checked(0, resamples, "percentile", level, seed)
    sides, prepared = _prepared(given, options, annotator)
    asked = None
    if alpha_u or gamma:
        drawn = whole_number("samples", samples, 1, MOST_SAMPLES)
        units, wholes = (Continuum(len(sides)) if wanted else None for wanted in (alpha_u, gamma))
        asked = UnitFigures(units, wholes, drawn, resampling.seed)
    run = _Run(sides, prepared, coding, asked)
    return Agreement(run.figures(resampling), by, run)


def _prepared(
    sides: Mapping[str, Input], options: Mapping[str, Any], field: str | None
) -> tuple[Mapping[str, Input], Prepared]:
    """The annotators and the settings; options that change nothing here are refused."""
    for name in without_effect():
        if name in options:
            raise SettingError(f"{name.replace('_', '-')} does nothing where annotators are compared; leave it out.")
    first, *others = sides.values()
    picked: Mapping[str, PickedAnnotator] = {}
    if not others:
        settings = ReadSettings(by_side(options.get("format"), "system"), task=options.get("task"))
        sides, picked = annotators_in(first, settings, field)
        first, *_ = sides.values()
    elif field is not None:
        raise SettingError("annotator names a field of one file with several annotators; give this file alone.")
    prepared = prepare(first, sides, options)
    shared = prepared.read_as["system"]
    read_as = {name: replace(prepared.read_as.get(name, shared), annotator=picked.get(name)) for name in sides}
    task = prepared.task
    if not task.agreed_by:
        known = " or ".join(each.name for each in TASKS.values() if each.agreed_by)
        raise SettingError(f"Agreement is measured on {known}, and not on {task.name}; name the --task.")
    settings_of_scores = replace(prepared.settings, match=task.agreed_by)
    return sides, replace(prepared, settings=settings_of_scores, read_as={**prepared.read_as, **read_as})


class _Run:
    """One pass over all annotators, and what it adds up."""

    def __init__(
        self, sides: Mapping[str, Input], prepared: Prepared, coding: Coding, asked: UnitFigures | None
    ) -> None:
        self._asked = asked
        self._sides, self._prepared, self._coding = sides, prepared, coding
        self._vocabulary = Vocabulary()

    def figures(self, resampling: Resampling) -> Figures:
        settings = self._prepared.settings
        shared = self._annotators()
        judges = [model(settings.task, name).judge for name in settings.match]
        collected = (self._asked.continuum, self._asked.wholes) if self._asked else (None, None)
        counting = Counting(list(self._sides), judges, settings, Codebook(self._coding), *collected)
        try:
            for text in _portions(shared):
                counting.add(text)
        except OverlapError:
            finding = "IOB2 has no tags for spans that overlap, as some of an annotator do"
            raise SettingError(f"{finding}; choose --coding label.") from None
        counts, labels = counting.finish(shared.documents), self._vocabulary.labels.values
        figures = AgreementFigures(counts, counting.book, labels, self._prepared.models, shared.names, self._asked)
        return self._figures(shared, figures, counting.book, resampling)

    def conflicts(self, vote: Vote) -> list[Place]:
        """Places where annotators do not have the same spans, in another pass."""
        voting = Voting(list(self._sides), vote)
        for text in _portions(self._annotators()):
            voting.add(text)
        return voting.conflicts()

    def adjudicated(self, vote: Vote) -> Iterator[Annotation]:
        """What the vote accepts, in another pass."""
        voting = Voting(list(self._sides), vote)
        for text in _portions(self._annotators()):
            yield from voting.annotations(text)

    def _annotators(self) -> Annotators:
        streams = {name: self._stream(name, side) for name, side in self._sides.items()}
        folders = [_folder(side) for side in self._sides.values()]
        return Annotators(streams, folders, self._prepared.settings, self._vocabulary)

    def _stream(self, name: str, side: Input) -> Iterator[Annotation]:
        if isinstance(side, Annotation):
            return iter([side])
        read_as = self._prepared.read_as
        return told(name, opened(side, read_as.get(name, read_as["system"])).batches(self._vocabulary))

    def _figures(
        self, shared: Annotators, figures: AgreementFigures, book: Codebook, resampling: Resampling
    ) -> Figures:
        settings, read_as = self._prepared.settings, self._prepared.read_as["system"]
        signatures = [signature(settings, read_as, shared.atoms, each, each) for each in shared.readings]
        found = {path: each for path, each in figures.resampled().items() if each.total() is not None}
        intervals, notes = _intervals(found, figures.counts.has.sum(axis=1) > 1, resampling)
        notes = [*notes_on_settings(settings, self._vocabulary.labels.values), *_notes(shared, figures, book), *notes]
        made = results.Resampling(
            resampling.resamples if intervals else 0, "documents", resampling.level, resampling.seed
        )
        return Figures(
            settings.task,
            _signature(joint_signature(signatures), self._coding, made)
            + (f"|samples:{self._asked.samples}" if self._asked and self._asked.wholes else ""),
            notes,
            self._coding,
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


def _portions(shared: Annotators) -> Iterator[SharedText]:
    """One pass; messages about texts that differ say that they are annotators'."""
    try:
        yield from shared.portions()
    except InputError as error:
        found = error.problem
        raise InputError(found.source, found.line, _symmetric(found.finding), found.remedy, found.kind) from None


def _symmetric(finding: str) -> str:
    """A finding without words for a gold standard and a system."""
    return finding.replace("the gold standard", "the first annotator").replace("the system", "this annotator")


def _signature(of_scores: str, coding: Coding, made: results.Resampling) -> str:
    """The signature of scores, in which all sides are annotators."""
    pairs = (each for each in of_scores.split("|") if each.partition(":")[0] not in ("gold", "focus", "macro", "beta"))
    kept = "|".join(pairs).replace("|system:", "|annotators:")
    return f"{kept}|coding:{coding}|resamples:{made.resamples}|level:{made.level:g}|seed:{made.seed}"


def _folder(side: Input) -> str | None:
    """The folder of an annotator with several files, whose names are those of documents."""
    if isinstance(side, Annotation | Adopted | FileList):
        return None
    where = place_of(side)
    return None if isinstance(where, FileList) or files_of(where) is None else str(where)


def _intervals(
    statistics: Mapping[str, Statistic], kept: Any, resampling: Resampling
) -> tuple[dict[str, results.Interval], list[str]]:
    """Percentile intervals from resamples of documents that two annotators have at least."""
    import numpy as np

    from evenhand.statistics.group_types import table_types
    from evenhand.statistics.resample import bootstrap

    if not resampling.resamples or not statistics:
        return {}, []
    if kept.sum() < 2:
        return {}, ["there are not two documents to resample; no intervals."]
    tables = [each.table[kept] for each in statistics.values()]
    first, place = table_types(tables)
    rows = np.concatenate(tables, axis=1)[first]
    sums = bootstrap(rows, np.bincount(place), resampling.resamples, resampling.seed)
    parts = np.split(sums, np.cumsum([table.shape[1] for table in tables])[:-1], axis=1)
    found = {}
    for (path, each), part in zip(statistics.items(), parts, strict=True):
        values = each.value(part)
        values = values[~np.isnan(values)]
        if len(values):
            found[path] = results.Interval(*percentile(values, resampling.level))
    return found, []


def _notes(shared: Annotators, figures: AgreementFigures, book: Codebook) -> list[str]:
    """What a reader of the figures should know."""
    found = []
    alone = int((figures.counts.has.sum(axis=1) < 2).sum())
    if alone:
        what = "1 document has" if alone == 1 else f"{alone:,} documents have"
        found.append(f"{what} one annotator only, and no part in any figure but the coverage.")
    if book.stacked:
        found.append(f"{book.stacked:,} codes of atoms under several labels of one annotator are sets of labels.")
    for name, reading in zip(figures.counts.names, shared.readings, strict=True):
        skipped = ", ".join(f"{count:,} {what}" for what, count in reading.skipped.items())
        found += [f"left out of {name}: {skipped}."] if skipped else []
    if not shared.by_name and shared.documents > 1:
        found.append("documents have no names on all sides, so that texts are matched by their order.")
    return found
