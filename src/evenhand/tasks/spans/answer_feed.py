"""The answers of a language model in the order of the gold standard's texts: by their ids, or one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice

from evenhand.problems import InputError, counted
from evenhand.tasks.spans.gold_survey import GoldSurvey, Naming, names_of
from evenhand.text.annotation import Annotation
from evenhand.text.corpus import Corpus
from evenhand.text.document_feed import DocumentFeed, Mismatches
from evenhand.text.document_feed import Naming as DocumentNaming
from evenhand.text.extractions import Answer
from evenhand.text.tokens import Tokens

About = tuple[str, tuple[Answer, ...] | None]
"""The id of a text, which may be empty, and the answers about it; None where there are none."""
Open = Callable[[], Iterator[Annotation]]
_SAME_IDS = "give every record the id of its document, or leave ids out, so that the order counts"


class AnswersByOrder:
    """Answers that belong to the texts one by one."""

    def __init__(self, stream: Iterator[Annotation], count: int, survey: GoldSurvey, source: str) -> None:
        """There are as many answers as the gold standard has documents or sentences, or that is an error."""
        if count not in (survey.documents, survey.sentences):
            documents = f"{counted(survey.documents, 'document')} and " if survey.by_document else ""
            answers = "there is 1 answer" if count == 1 else f"there are {counted(count, 'answer')}"
            finding = f"{answers}, where the gold standard has {documents}{counted(survey.sentences, 'sentence')}"
            raise InputError(source, None, finding, "give one for each, or give ids on both sides", "document")
        self.by_document = count == survey.documents
        self._answers = (found for batch in stream for found in _about(batch, 0, batch.corpus.sentences))

    def take(self, gold: Corpus) -> list[About]:
        """The answers about the texts of the next batch."""
        return list(islice(self._answers, len(gold.documents) if self.by_document else gold.sentences))

    def finish(self) -> None:
        """Nothing is left: they were counted."""


class AnswersById:
    """Answers that have the ids of the texts; some may be missing, but none may be left."""

    def __init__(self, stream: Iterator[Annotation], sides: tuple[Open, Open], naming: Naming) -> None:
        """`sides` open system and gold standard anew."""
        self.by_document, self._naming = naming != "ids", naming
        self._found, self._source = Mismatches(), ""
        match = DocumentNaming(self._names, lambda corpus: False, may_repeat=True, remedy=_SAME_IDS)
        self._documents = DocumentFeed(sides, match, self._found, self._receive, stream)

    def take(self, gold: Corpus) -> list[About]:
        """The answers about the texts of the next batch; None where one is missing."""
        found: list[About] = []
        for piece in self._documents.pieces(names_of(gold, self._naming)):
            if isinstance(piece, str):
                found.append((piece, None))
            else:
                found += _about(piece.batch, piece.first, piece.first + piece.size)
        return found

    def finish(self) -> None:
        self._documents.finish()
        if self._found.extra:
            more = len(self._found.extra) - 1
            others = f" (and {more:,} more)" if more else ""
            finding = f"the gold standard has no document with the id {self._found.extra[0]!r}{others}"
            raise InputError(
                self._source, None, finding, "leave out what is not to be scored, or mend the id", "document"
            )

    def _names(self, corpus: Corpus) -> Tokens:
        if corpus.tokens is not None:
            return names_of(corpus, self._naming)
        return Tokens.of([""] * corpus.sentences) if corpus.ids is None else corpus.ids

    def _receive(self, batch: Annotation) -> None:
        self._source = batch.corpus.source


def _about(batch: Annotation, first: int, behind: int) -> Iterator[About]:
    """Some answers of a batch, with their ids."""
    assert batch.extractions is not None
    ids = [""] * (behind - first) if batch.corpus.ids is None else batch.corpus.ids.texts(first, behind)
    return zip(ids, batch.extractions.answers[first:behind], strict=True)
