"""Verdicts that are written to a file while systems are judged: an engine in this process that looks at every portion.

Units are those that are compared: spans of the gold standard and surplus, words, mentions. Here each system is by
itself, so that its rows add up to its tallies.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from os import PathLike, fspath

import numpy as np

from evenhand.arguments import check_file
from evenhand.arrays import Ints, empty
from evenhand.formats.arrow_sink import pyarrow_to_write, table_file, table_format
from evenhand.formats.overwriting import refuse_overwriting
from evenhand.pipeline.inputs import place_of
from evenhand.pipeline.run import Run
from evenhand.pipeline.verdict_table import Units, VerdictTable, verdict_schema
from evenhand.pipeline.work import Engine, Work
from evenhand.problems import SettingError
from evenhand.settings import ARCS, Task
from evenhand.tasks.answers import CLASS_KINDS, answers_on_spans
from evenhand.tasks.chains.answers import answers_on_chains
from evenhand.tasks.chains.arcs import ARCS_KINDS
from evenhand.tasks.chains.judging import ChainPortion, MentionTypes, judged_arcs
from evenhand.tasks.spans.judging import Question
from evenhand.tasks.spans.portion import Portion
from evenhand.tasks.tags.judge import TAG_KINDS
from evenhand.tasks.trees.judge import TREE_KINDS
from evenhand.tasks.units import Judged, judged_mentions, judged_spans
from evenhand.tasks.words.verdicts import EXTRA, MISSING, WordVerdicts
from evenhand.text.annotation import Annotation
from evenhand.text.corpus import Corpus
from evenhand.text.labels import Vocabulary
from evenhand.text.layers import Spans
from evenhand.text.word_feed import Aligned

JUDGES: Mapping[Task, tuple[str, ...]] = {
    "spans": ("fair", "exact"),
    "tags": ("tags",),
    "trees": ("trees",),
    "chains": ARCS,
}
"""Whose verdicts are written, the first one that is asked anyway."""
KINDS: Mapping[Task, tuple[str, ...]] = {
    "spans": CLASS_KINDS,
    "tags": (*TAG_KINDS, MISSING, EXTRA),
    "trees": (*TREE_KINDS, MISSING, EXTRA),
    "chains": ARCS_KINDS,
}
_NAMED = {
    "spans": "fair or exact",
    "tags": "accuracy",
    "trees": "uas, ls or las",
    "chains": "arcs_any or arcs_nom",
}


def recording(path: str | PathLike[str]) -> Engine:
    """An engine that also writes all verdicts to a Parquet or Arrow file, as its name says."""
    check_file(path)
    return partial(_recorded, fspath(path))


def _recorded(path: str, work: Work) -> Run:
    form, arrow = table_format(path), pyarrow_to_write()
    sides = [work.gold, *(work.systems or {}).values()]
    refuse_overwriting(path, [place_of(side) for side in sides if not isinstance(side, Annotation)])
    task = work.prepared.settings.task
    asked = work.prepared.settings.match if task == "chains" else work.judges
    judge = next((judge for judge in JUDGES[task] if judge in asked), None)
    if judge is None:
        raise SettingError(f"The verdicts on {task} are those of {_NAMED[task]}; name one of these match models, too.")
    with table_file(path, form, verdict_schema(arrow, task)) as sink:

        def recorder(vocabulary: Vocabulary) -> Recorder:
            table = VerdictTable(sink, arrow, judge, KINDS[task], vocabulary.labels)
            return Recorder(table, judge, list(work.systems or ()))

        run = work.run(recorder)
        run.settle_groups(work.groups)
        return run


class Recorder:
    """Takes every portion of a run to a table of verdicts."""

    def __init__(self, table: VerdictTable, judge: str, systems: Sequence[str]) -> None:
        self._table, self._judge = table, judge
        self._sentences = self._documents = 0
        self._waiting = _Waiting(systems)

    def spans(self, portion: Portion, gold: Spans, questions: Mapping[str, Question]) -> None:
        """The verdicts on the spans of a portion."""
        found = {
            name: judged_spans(answers_on_spans(gold, [(each.given[1], each.verdicts(self._judge))]))
            for name, each in questions.items()
        }
        first = 0
        for batch in portion.batches:
            corpus = batch.corpus
            self._documents -= int(corpus.continues)
            for name, judged in found.items():
                self._table.add(name, _span_units(judged, corpus, first, self._documents), self._sentences)
            first += corpus.sentences
            self._sentences += corpus.sentences
            self._documents += len(corpus.documents)

    def chains(self, portion: ChainPortion, types: MentionTypes) -> None:
        """The verdicts on the mentions of some documents."""
        corpus = portion.annotation.corpus
        for name, response in portion.systems.items():
            found = judged_arcs(self._judge, portion.key, portion.annotation, [response], types)
            label = np.full(len(found.mentions), -1) if found.label is None else found.label
            judged = judged_mentions(answers_on_chains(found.mentions, found.verdicts, label, corpus))
            assert judged.antecedent is not None
            units = Units(
                corpus,
                judged.sentence,
                judged.start,
                judged.end,
                found.mentions.document + portion.document,
                dict(enumerate(corpus.names, portion.document)),
                judged.gold[0],
                judged.predicted[0],
                judged.kind[0],
                {"gold_antecedent": judged.antecedent[0], "system_antecedent": judged.antecedent[1]},
            )
            self._table.add(name, units, portion.before)

    def text(self, gold: Iterator[Annotation]) -> Iterator[Annotation]:
        """The gold standard of words, whose documents are noted: words do not carry them."""
        for batch in gold:
            self._waiting.add(batch.corpus)
            yield batch

    def words(self, name: str, aligned: Aligned, found: WordVerdicts) -> None:
        """The verdicts on words of one system."""
        gold, is_extra = aligned.gold, found.gold < 0
        order = np.lexsort((found.system, found.gold, is_extra, found.sentence))
        mine, theirs, sentence = (column[order] for column in (found.gold, found.system, found.sentence))
        is_extra = is_extra[order]
        before, document = self._waiting.next(name, gold.corpus.sentences)
        start = np.where(is_extra, -1, mine - gold.bounds[sentence])
        more = {"side": is_extra.astype(np.int64)}
        if self._judge == "trees":
            more["gold_head"] = np.append(gold.annotation.trees().head, -1)[mine]
            more["system_head"] = np.append(aligned.system.annotation.trees().head, -1)[theirs]
        other = aligned.system.corpus.tokens
        units = Units(
            gold.corpus,
            sentence,
            start,
            start + 1,
            document[sentence],
            self._waiting.names,
            found.gold_label[order],
            found.system_label[order],
            found.kind[order],
            more,
            other.take(theirs) if other is not None and is_extra.any() else None,
        )
        self._table.add(name, units, before)


def _span_units(judged: Judged, corpus: Corpus, first: int, documents: int) -> Units:
    """The units of one batch of a portion, in the order of the text; so many documents stand before."""
    rows = np.flatnonzero((judged.sentence >= first) & (judged.sentence < first + corpus.sentences))
    order = np.lexsort((judged.surplus[rows], judged.end[rows], judged.start[rows], judged.sentence[rows]))
    rows = rows[order]
    sentence, bounds = judged.sentence[rows] - first, judged.partner[0, rows]
    return Units(
        corpus,
        sentence,
        judged.start[rows],
        judged.end[rows],
        corpus.document_of(sentence) + documents,
        dict(enumerate(corpus.names, documents)),
        judged.gold[0, rows],
        judged.predicted[0, rows],
        judged.kind[0, rows],
        {
            "side": judged.surplus[rows].astype(np.int64),
            "matched_start": np.where(bounds < 0, -1, bounds >> 32),
            "matched_end": np.where(bounds < 0, -1, bounds & 0xFFFFFFFF),
        },
    )


class _Waiting:
    """The documents of sentences that were read, until all systems have been judged on them."""

    def __init__(self, systems: Sequence[str]) -> None:
        self.names: dict[int, str] = {}
        self._judged = dict.fromkeys(systems, 0)
        """How many sentences each system has been judged on."""
        self._first = self._documents = 0
        self._document_of = empty()

    def add(self, corpus: Corpus) -> None:
        """Note the documents of more sentences."""
        self._documents -= int(corpus.continues)
        of_sentence = corpus.document_of(np.arange(corpus.sentences)) + self._documents
        self._document_of = np.concatenate((self._document_of, of_sentence))
        self.names |= dict(enumerate(corpus.names, self._documents))
        self._documents += len(corpus.documents)

    def next(self, name: str, sentences: int) -> tuple[int, Ints]:
        """How many sentences stand before the next ones of a system, and the documents of these."""
        self._forget()
        before = self._judged[name]
        self._judged[name] += sentences
        return before, self._document_of[before - self._first :][:sentences]

    def _forget(self) -> None:
        """Let go of what all systems have been judged on."""
        done = min(self._judged.values()) - self._first
        self._document_of, self._first = self._document_of[done:], self._first + done
        if self.names and len(self._document_of):
            least = int(self._document_of[0])
            self.names = {number: name for number, name in self.names.items() if number >= least}
