"""`agree`: several annotators in, how far they agree out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, Literal

from evenhand.agreement.annotators import Annotators, Naming, SharedText
from evenhand.agreement.coefficients import CODINGS, Codebook, Coding, OverlapError
from evenhand.agreement.counts import Counted, DocumentCounter, count_by_keys
from evenhand.agreement.disagreements import Answer, Place, Vote, Voting
from evenhand.agreement.unitizing import Continuum
from evenhand.api.agreement_figures import AgreementFigures, UnitFigures, intervals_of
from evenhand.api.compare import Resampling, without_effect
from evenhand.arrays import ints
from evenhand.comparison.units import piece, sentence_of
from evenhand.data.annotation import Annotation
from evenhand.data.characters import peeked
from evenhand.data.from_lists import repaired
from evenhand.data.overrides import AS_READ, OverriddenGold, Overrides
from evenhand.data.vocabulary import Vocabulary
from evenhand.errors import InputError, SettingError, counted, unknown
from evenhand.formats.convert import conversion_of
from evenhand.formats.jsonl import read_overrides
from evenhand.formats.paths import FileList
from evenhand.formats.registry import WrappedObject
from evenhand.formats.source import notify_observers
from evenhand.parameters import SIDES, check_choice, check_whole_number, checked_arguments, quote
from evenhand.pipeline.inputs import (
    READING,
    Input,
    RunConfig,
    by_side,
    content_for,
    folder_of,
    known_options,
    name_of,
    open_files,
    open_sides,
    place_of,
    prepare,
    side_of,
    systems_by_name,
    unique_names,
)
from evenhand.results import agreement as results
from evenhand.results.agreement import Adjudication, Agreement, DrawnPlace, DrawnPlaces, Figures
from evenhand.results.signature import agreement_signature, notes_on_settings
from evenhand.settings import PickedAnnotator, ReadSettings, own_key, system_settings
from evenhand.tasks.evaluation import SideSummary
from evenhand.tasks.registry import TASKS, all_parameters, model
from evenhand.tasks.spans.comparison import SpanDrawing
from evenhand.tasks.task import AgreementSpec, Task
from evenhand.version import __version__

_LAYER = "spans"
File = str | PathLike[str]
Opened = Callable[[], Iterator[Annotation]]


@checked_arguments(lambda: READING, inputs=("gold", "overrides"))
def adjudicate(gold: Input, overrides: File | Sequence[File], **options: Any) -> Adjudication:
    """Check overrides of a gold standard: whether each fits it, and none says something else than another one.

    overrides  a file of overrides, or several; what two of them say alike counts once

    The other keywords say how the gold standard is read, as those of `score` do: format, column, encoding, repair,
    offsets, functions and annotator. Problems are listed, not raised. If there are none, `merge` writes the overrides
    as one file, and `apply` the corrected gold standard.
    """
    side = side_of(gold)
    prepared = prepare(side, {}, {**options, "task": "spans"})
    paths: list[Any] = list(overrides) if isinstance(overrides, list | tuple) else [overrides]
    for each in paths:
        if not isinstance(each, str | PathLike):
            raise SettingError(f"overrides has {quote(each)}; give the path of a file, or a list of such paths.")
    if not paths:
        raise SettingError("There is no file of overrides; name one at least.")
    files = [read_overrides(path) for path in paths]

    def opened() -> Iterator[Annotation]:
        return open_sides(side, {}, prepared.task, prepared.read_as, Vocabulary(), prepared.content.files).gold()

    return _checked(side, opened, files)


def _checked(side: Input, opened: Opened, files: Sequence[Overrides]) -> Adjudication:
    """One pass over the gold standard."""
    errors: list[InputError] = []
    lines = [line for file in files for line in file.lines]
    merged = Overrides("+".join(file.name for file in files), "+".join(file.sha256 for file in files), lines)
    gold, before, after, reading = (
        OverriddenGold(merged, _LAYER, refuse=errors.append),
        SideSummary(),
        SideSummary(),
        "",
    )
    for batch in gold(opened()):
        reading = reading or str(batch.readings[_LAYER].format)
        for count, layer in ((before, AS_READ), (after, _LAYER)):
            spans = batch.spans(layer)
            count.add(spans.label, spans.vocabulary.labels.values)
    return Adjudication(
        gold=name_of(side),
        files=files,
        overrides=gold.applied,
        problems=[error.problem for error in errors],
        before=dict(sorted(before.labels.items())),
        after=dict(sorted(after.labels.items())),
        signature=f"evenhand:{__version__}|task:spans|gold:{reading}|overrides:{merged}",
        writer=lambda path, *how: _write(lambda: _corrected(opened, merged, folder_of(side)), path, *how),
    )


def _corrected(opened: Opened, overrides: Overrides, folder: str | None) -> Iterator[Annotation]:
    """The batches of the gold standard with its overrides, and nothing else; documents are called as their files."""
    naming = Naming(folder)
    for batch in OverriddenGold(overrides, _LAYER)(opened()):
        names = None if folder is None else naming.names(batch)
        corpus = replace(batch.corpus, names=tuple(names), unnamed=False) if names else batch.corpus
        yield replace(
            batch, corpus=corpus, layers={_LAYER: batch.spans(_LAYER)}, readings={_LAYER: batch.readings[_LAYER]}
        )


def _write(batches: Opened, path: Path, format: str | None, encoding: str | None) -> None:
    """As `convert` does; tags keep their encoding unless another one is named."""
    first, _ = peeked(batches())
    assert first is not None  # a reader yields one batch at least, or raises
    target = conversion_of(first, path, format, _LAYER)
    own = first.readings[_LAYER].encoding if target.capabilities.tags else None
    conversion_of(first, path, format, _LAYER, encoding=encoding or own, lossy=None).write(path, batches)


def drawn_places(portions: Iterable[SharedText], voting: Voting, limit: int) -> DrawnPlaces:
    """All places, counted; the first `limit` are carried, undecided ones before decided ones and those agreed on."""
    drawn_places = DrawnPlaces(limit)
    for text in portions:
        drawing, numbers = SpanDrawing(text.spans), dict[int, int]()
        drawn_places.labels = list(text.spans[0].vocabulary.labels.values)
        for scope, place in voting.all_places(text):
            if drawn_places.has_room(place):
                if scope not in numbers:
                    numbers[scope] = len(drawn_places.sentences)
                    places = text.portion.places
                    sentence = sentence_of(scope, places.number(scope), places, drawing.sides(scope))
                    number = place.sentence if text.names else sentence.number
                    drawn_places.sentences.append(sentence._replace(document=place.document, number=number))
                drawn = _in_pieces(place, drawn_places.sentences[numbers[scope]].pieces)
                seen = text.portion.places.positions(ints([scope]), ints([place.start]), ints([place.end]))
                if seen.of == "characters":
                    drawn = replace(drawn, offsets=(int(seen.start[0]), int(seen.end[0])))
                drawn_places.add(place, numbers[scope], drawn)
            drawn_places.count(place)
    return drawn_places


def _in_pieces(place: Place, pieces: tuple[int, ...]) -> DrawnPlace:
    """A place in the tokens of its sentence, or in the pieces of its text."""

    def moved(answer: Answer) -> Answer:
        start, end, label = piece(pieces, answer[0]), piece(pieces, answer[1]), answer[2]
        if len(answer) == 3:
            return start, end, label
        return start, end, label, tuple((piece(pieces, gap[0]), piece(pieces, gap[1])) for gap in answer[3])

    answers = {name: [moved(each) for each in given] for name, given in place.answers.items()}
    start, end = piece(pieces, place.start), piece(pieces, place.end)
    return DrawnPlace(place.state, start, end, answers, [moved(each) for each in place.accepted])


class AgreementRun:
    """Reads the files of annotators as often as somebody asks."""

    def __init__(
        self, sides: Mapping[str, Input], prepared: RunConfig, coding: Coding, asked: UnitFigures | None
    ) -> None:
        self._asked = asked
        self._sides, self._prepared, self._coding = sides, prepared, coding
        self._vocabulary = Vocabulary()

    @property
    def agreed(self) -> AgreementSpec:
        """The declaration of the task, which is not kept: a run can be pickled, a declaration cannot."""
        found = self._prepared.task.agreement
        assert found is not None
        return found

    def figures(self, resampling: Resampling) -> Figures:
        """All figures, in one pass; where nothing has a code, in one with each annotator as the key."""
        counted = self._coded() if self.agreed.has_codes else count_by_keys(self._sides, self._prepared)
        figures = AgreementFigures(counted, self._prepared.task, self._prepared.models, self._asked)
        settings = self._prepared.settings
        intervals, notes = intervals_of(figures.resampled(), counted.counts.has.sum(axis=1) > 1, resampling)
        notes = [*notes_on_settings(settings, counted.labels), *counted.notes(), *notes]
        count = resampling.resamples if intervals else 0
        made = results.Resampling(count, "documents", resampling.level, resampling.seed)
        return Figures(
            settings.task,
            self._signature(counted, made),
            notes,
            self._coding if self.agreed.is_unitized else None,
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

    def _coded(self) -> Counted:
        """What is counted of codes, units and pairs."""
        settings, shared = self._prepared.settings, self._annotators()
        judges = [model(settings.task, name).scorer for name in settings.match]
        collected = (self._asked.continuum, self._asked.wholes) if self._asked else (None, None)
        is_unitized = self.agreed.is_unitized
        book = Codebook(self._coding) if is_unitized else Codebook(outside="")
        counting = DocumentCounter(list(self._sides), judges, settings, book, *collected, is_unitized=is_unitized)
        try:
            for text in shared.portions():
                counting.add(text)
                del text  # what it keeps is let go before the next portion is read
        except OverlapError:
            finding = "IOB2 has no tags for spans that overlap, as some of an annotator do"
            raise SettingError(f"{finding}; choose --coding label.") from None
        counts, labels = counting.finish(shared.documents), self._vocabulary.labels.values
        return Counted(counts, book, labels, shared.names, shared.readings, shared.atoms, shared.by_name)

    def _signature(self, counted: Counted, made: results.Resampling) -> str:
        further: dict[str, str] = {"coding": self._coding} if self.agreed.is_unitized else {}
        further |= {"resamples": f"{made.resamples}", "level": f"{made.level:g}", "seed": f"{made.seed}"}
        further |= {"samples": f"{self._asked.samples}"} if self._asked and self._asked.wholes else {}
        read_as = self._prepared.read_as["system"]
        return agreement_signature(self._prepared.settings, read_as, counted.atoms, counted.readings, further)

    def conflicts(self, vote: Vote) -> list[Place]:
        """Places where annotators do not have the same units, in another pass."""
        voting = self._voting(vote)
        for text in self._annotators().portions():
            voting.add(text)
        return voting.conflicts()

    def adjudicated(self, vote: Vote) -> Iterator[Annotation]:
        """What the vote accepts, in another pass."""
        voting = self._voting(vote)
        for text in self._annotators().portions():
            yield from map(self.agreed.from_spans, voting.annotations(text))

    def places(self, vote: Vote, limit: int) -> DrawnPlaces:
        """All places in their sentences, in another pass."""
        voting = self._voting(vote)
        return drawn_places(self._annotators().portions(), voting, limit)

    def _voting(self, vote: Vote) -> Voting:
        if not self.agreed.has_codes:
            known = " or ".join(task.name for task in TASKS.values() if task.agreement and task.agreement.has_codes)
            raise SettingError(f"Annotators vote on {known}, and not on {self._prepared.task.name}.")
        if isinstance(vote.rule, int) and vote.rule > len(self._sides):
            raise SettingError(
                f"vote is {vote.rule}, but there are only {counted(len(self._sides), 'annotator')}; choose fewer."
            )
        return Voting(list(self._sides), vote, settles=not self.agreed.is_unitized)

    def _annotators(self) -> Annotators:
        streams = {name: self._stream(name, side) for name, side in self._sides.items()}
        folders = [folder_of(side) for side in self._sides.values()]
        return Annotators(streams, folders, self._prepared.settings, self._vocabulary)

    def _stream(self, name: str, side: Input) -> Iterator[Annotation]:
        """The spans of an annotator, or what stands for them."""
        assert self.agreed.as_spans is not None
        read_as = system_settings(self._prepared.read_as, name)
        as_spans = partial(
            self.agreed.as_spans, read_as=read_as, settings=self._prepared.settings, vocabulary=self._vocabulary
        )
        if isinstance(side, Annotation):
            return map(as_spans, [repaired(side, read_as.repair, None)])
        return map(as_spans, notify_observers(name, open_files(side, read_as).batches(self._vocabulary)))


TWO = "Agreement takes two annotators at least."
_LAYOUTS = "name a file or folder for each annotator, or the field that names them with --annotator"
_ABOUT = frozenset(name + suffix for name in ("readme", "license") for suffix in ("", ".md", ".txt", ".rst"))
"""Files about a folder, in lower case, which are nobody's annotation."""
Sides = tuple[dict[str, Input], Mapping[str, PickedAnnotator]]
"""The annotators by name, and who is picked of files with several."""


def annotators_in(side: Input, settings: ReadSettings, field: str | None) -> Sides:
    """The annotators of one input."""
    if isinstance(side, Annotation | WrappedObject | FileList):
        raise SettingError(TWO)
    where = place_of(side)
    if isinstance(where, Path) and where.is_dir():
        return _of_folder(where), {}
    file = open_files(side, settings).first
    if file.format.contents.annotators is None:
        raise SettingError(f"{TWO} {name_of(side)} is read as {file.format.name}, which names none.")
    found = file.format.contents.annotators(file.source, field)
    if found is None or len(found[1]) < 2:
        nobody = "names no annotators" if field is None else f"no record has the field {field!r}"
        finding = nobody if found is None else f"has one annotator only, {found[1][0]}"
        raise InputError(file.source.display_name, None, finding, _LAYOUTS)
    field, names = found
    return dict.fromkeys(names, side), {name: PickedAnnotator(field, name) for name in names}


def _of_folder(folder: Path) -> dict[str, Input]:
    """A folder for each annotator (brat), or a file (doccano)."""
    shown = sorted(each for each in folder.iterdir() if not each.name.startswith("."))
    folders = [each for each in shown if each.is_dir()]
    files = [each for each in shown if each.is_file() and each.name.lower() not in _ABOUT]
    if len(folders) > 1:
        annotated = [each for each in folders if any(each.rglob("*.ann"))]
        without = [each for each in folders if each not in annotated and any(each.rglob("*.txt"))]
        if annotated and without:
            finding = f"has texts and no annotations (.ann), which {annotated[0].name} has"
            raise InputError(str(without[0]), None, finding, "leave this folder out: name those of the others")
        return {each.name: each for each in folders}
    if len(files) < 2 or any(file.suffix == ".ann" for file in files):
        raise InputError(str(folder), None, "has neither a folder nor a file for each annotator", _LAYOUTS)
    sides: list[Input] = list(files)
    return dict(zip(unique_names(sides), sides, strict=True))


MOST_SAMPLES = 1_000_000
BLOCK = 1 << 17
"""How many bytes of each file are read at a time: fewer than elsewhere, as all annotators are in memory together."""


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
    if annotators is None or (isinstance(annotators, list | tuple | Mapping) and not annotators):
        raise SettingError(TWO)
    given = systems_by_name(annotators) or {}
    check_choice("coding", coding, CODINGS)
    check_choice("by", by, ("document",), optional=True)
    resampling = Resampling.checked(0, resamples, "percentile", level, seed)
    sides, prepared = _prepared(given, options, annotator)
    _check_asked(prepared.task, {"coding": coding != "label", "alpha-u": alpha_u, "gamma": gamma})
    asked, drawn = None, check_whole_number("samples", samples, 1, MOST_SAMPLES)
    if alpha_u or gamma:
        units, wholes = (Continuum(len(sides)) if wanted else None for wanted in (alpha_u, gamma))
        asked = UnitFigures(units, wholes, drawn, resampling.seed)
    run = AgreementRun(sides, prepared, coding, asked)
    return Agreement(run.figures(resampling), by, run)


def _prepared(
    sides: Mapping[str, Input], options: Mapping[str, Any], field: str | None
) -> tuple[Mapping[str, Input], RunConfig]:
    """The annotators and the settings; options that change nothing here are refused."""
    idle = [parameter.name for parameter in all_parameters().values() if parameter.effect.on != "scores"]
    for name in (*without_effect(), *idle, "beta"):
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
    content = content_for(first, options)
    agreed = TASKS[content.task].agreement
    if agreed is None:
        known = ", ".join(task.name for task in TASKS.values() if task.agreement)
        raise SettingError(f"Agreement is measured on {known}, and not on {content.task}; name the --task.")
    own = {name: value for name, value in agreed.settings.items() if options.get(name) is None}
    prepared = prepare(first, sides, {**options, **own, "match": agreed.by}, content)
    for each in prepared.settings.maps:
        if each.only is not None and each.only not in sides:
            raise SettingError(unknown(f"map has no annotator {each.only!r}", each.only, list(sides), _known(sides)))
        if each.only in SIDES:  # an annotator's name, but elsewhere the name of a side
            remedy = f"rename the annotator, as in ana=FILE, and write ana:{each.old}={each.new}"
            raise SettingError(f"map: {each.only!r} is the name of a side, not only of an annotator; {remedy}.")
    read_as = {
        own_key(name): replace(system_settings(prepared.read_as, name), annotator=picked.get(name), block_size=BLOCK)
        for name in sides
    }
    return sides, replace(prepared, read_as={**prepared.read_as, **read_as})


def _known(sides: Mapping[str, Input]) -> str:
    return f"the annotators are {', '.join(sides)}"


def _check_asked(task: Task, asked: Mapping[str, bool]) -> None:
    """Refuse what is for spans only, where there are none."""
    for name, is_asked in asked.items():
        if is_asked and not (task.agreement and task.agreement.is_unitized):
            known = ", ".join(each.name for each in TASKS.values() if each.agreement and each.agreement.is_unitized)
            raise SettingError(f"{name} is for {known}, and does nothing for {task.name}; leave it out.")
