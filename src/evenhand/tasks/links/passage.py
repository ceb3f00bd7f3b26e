"""The way of links through their files: documents are matched by name and judged, batch by batch."""

from __future__ import annotations

from collections.abc import Iterator

from evenhand.settings import ScoreSettings
from evenhand.tasks import passage
from evenhand.tasks.links.hipe import Walked
from evenhand.tasks.links.judgement import LinkJudgement, Portion
from evenhand.tasks.links.linked import Identifiers, Linked, SideLinks
from evenhand.tasks.links.other_documents import with_other_documents
from evenhand.tasks.links.question import Question
from evenhand.tasks.links.same_ids import table
from evenhand.tasks.links.shown import Shown
from evenhand.tasks.passage import Numbering, Numbers, Outcome
from evenhand.tasks.side_count import SideCount
from evenhand.tasks.spans.question import Relabeling
from evenhand.text.annotation import Annotation
from evenhand.text.characters import same_atoms
from evenhand.text.layers import Spans
from evenhand.text.link_feed import LinkFeed, names_of
from evenhand.text.link_names import LAYER
from evenhand.text.links import in_documents

UNLINKED, RESPELLED = "unlinked", "respelled"
"""What is counted for notes: spans without links, and pairs that are wrong only by their spelling."""
_PORTION = 1 << 12
"""How many documents and links are judged at a time: enough that the cost of a call does not count."""


class LinkPassage:
    """One pass over the gold standard; every system has its own feed."""

    def __init__(self, asked: passage.Question) -> None:
        self._asked, settings = asked, asked.settings
        opened = [asked.sides.gold(), *(each() for each in asked.sides.systems.values())]
        gold, *systems = same_atoms(opened, "characters" if settings.align == "characters" else "strict")
        others = list(asked.sides.systems.values())
        self._gold = with_other_documents(gold, others)
        strict = settings.align != "position"

        def again() -> Iterator[Annotation]:
            return with_other_documents(asked.sides.gold(), others)

        self._feeds = {
            name: LinkFeed(asked.sides.systems[name], again, strict=strict, stream=stream)
            for name, stream in zip(asked.sides.systems, systems, strict=True)
        }
        self._identifiers, self._names = Identifiers(), dict[str, str]()
        self._gold_side = _Side(settings, "gold", "gold", self._identifiers)
        self._sides = {name: _Side(settings, "system", name, self._identifiers) for name in asked.sides.systems}

    def judgements(self, number: Numbering) -> Iterator[LinkJudgement]:
        batches, numbers, size = list[Annotation](), list[Numbers](), 0
        for batch in self._gold:
            batches.append(batch)
            numbers.append(number(batch))
            size += len(batch.spans(LAYER)) + len(batch.corpus.documents)
            if size >= _PORTION:
                yield self._judge(Portion(batches, numbers))
                batches, numbers, size = [], [], 0
        if batches:
            yield self._judge(Portion(batches, numbers))
        for name, feed in self._feeds.items():
            feed.finish()
            side = self._asked.system_counts[name]
            side.reading, side.mismatches = feed.reading, feed.found

    def finish(self) -> Outcome:
        return Outcome(self._names)

    def _judge(self, portion: Portion) -> LinkJudgement:
        asked, batch = self._asked, portion.annotation
        corpus = batch.corpus
        for each in portion.batches:
            self._note_names(each)
        own = in_documents(batch.spans(LAYER).into(asked.vocabulary), corpus.documents, corpus.bounds)
        gold = self._gold_side.linked(own, asked.gold_count)
        shown = Shown(self._identifiers, asked.vocabulary.labels)
        found = LinkJudgement(portion, gold, shown)
        for name, feed in self._feeds.items():
            spans = feed.take(batch).into(asked.vocabulary)
            system = self._sides[name].linked(spans, asked.system_counts[name])
            question = Question(gold, system, found.groups)
            found.tallies[name] = {
                judge.name: judge.count(question) for judge in asked.judges if judge.count is not None
            }
            found.tallies[name] |= question.more
            walks = [each.respelled for each in question.kept.values() if isinstance(each, Walked)]
            asked.system_counts[name].noted[RESPELLED] += max(walks, default=0)
            if asked.is_watched:
                found.questions[name] = question
        return found

    def _note_names(self, batch: Annotation) -> None:
        """The names of documents, numbers where they have none."""
        names = names_of(batch.corpus)
        for name in names.texts(0, len(names)):
            self._names.setdefault(name or str(len(self._names) + 1), batch.corpus.source)


class _Side:
    """How the spans of one side become links, which are counted."""

    def __init__(self, settings: ScoreSettings, side: str, name: str, identifiers: Identifiers) -> None:
        self._relabel = Relabeling(settings, side, name)
        nil_labels = settings["nil_labels"] if side == "system" else ()
        self._links = SideLinks(table(settings["same_ids"], side), nil_labels, only_first=side == "gold")
        self._identifiers = identifiers

    def linked(self, spans: Spans, count: SideCount) -> Linked:
        kept = self._relabel(spans)
        found = self._identifiers.linked(kept, self._links)
        count.add(found.spans.label, spans.vocabulary.labels.values)
        count.noted[UNLINKED] += len(kept) - len(found)
        return found
