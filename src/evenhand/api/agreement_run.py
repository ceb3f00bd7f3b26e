"""Passes over the files of all annotators: for figures, for places of disagreement, for what a vote accepts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

from evenhand.agreement.annotators import Annotators
from evenhand.agreement.codes import Codebook, Coding, OverlapError
from evenhand.agreement.counted import Counted
from evenhand.agreement.counting import Counting
from evenhand.agreement.keys import count_by_keys
from evenhand.agreement.places import Place, Vote, Voting
from evenhand.api.agreement_figures import AgreementFigures
from evenhand.api.agreement_intervals import intervals_of
from evenhand.api.agreement_places import drawn_places
from evenhand.api.significance import Resampling
from evenhand.api.unit_figures import UnitFigures
from evenhand.formats.watching import told
from evenhand.pipeline.inputs import Input, folder_of, opened
from evenhand.pipeline.options import Prepared
from evenhand.problems import SettingError, counted
from evenhand.result import agreement_figures as results
from evenhand.result.agreement_figures import Figures
from evenhand.result.agreement_page import DrawnPlaces
from evenhand.result.notes import notes_on_settings
from evenhand.result.signature import agreement_signature
from evenhand.settings import system_settings
from evenhand.tasks.agreed import Agreed
from evenhand.tasks.registry import TASKS, model
from evenhand.text.annotation import Annotation
from evenhand.text.labels import Vocabulary
from evenhand.text.lists import repaired


class AgreementRun:
    """Reads the files of annotators as often as somebody asks."""

    def __init__(
        self, sides: Mapping[str, Input], prepared: Prepared, coding: Coding, asked: UnitFigures | None
    ) -> None:
        self._asked = asked
        self._sides, self._prepared, self._coding = sides, prepared, coding
        self._vocabulary = Vocabulary()

    @property
    def agreed(self) -> Agreed:
        """The declaration of the task, which is not kept: a run can be pickled, a declaration cannot."""
        found = self._prepared.task.agreed
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
        judges = [model(settings.task, name).judge for name in settings.match]
        collected = (self._asked.continuum, self._asked.wholes) if self._asked else (None, None)
        is_unitized = self.agreed.is_unitized
        book = Codebook(self._coding) if is_unitized else Codebook(outside="")
        counting = Counting(list(self._sides), judges, settings, book, *collected, is_unitized=is_unitized)
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
            known = " or ".join(each.name for each in TASKS.values() if each.agreed and each.agreed.has_codes)
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
        return map(as_spans, told(name, opened(side, read_as).batches(self._vocabulary)))
