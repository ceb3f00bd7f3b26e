"""Runs over parts that follow each other, as one run: equal to that over the whole, to the last bit."""

from __future__ import annotations

from collections.abc import Mapping

from evenhand.engines.run import Run, SideCount
from evenhand.engines.work import Work
from evenhand.settings import Groups
from evenhand.tally import Tally
from evenhand.text.annotation import Reading
from evenhand.text.chain_feed import Mismatches, repeated_name

Tallies = Mapping[str, Tally]


def part_groups(work: Work) -> Groups:
    """What parts keep apart: the scores of chains are no whole numbers, whose sums depend on the order of documents."""
    return "document" if work.prepared.settings.task == "chains" else work.groups


class Joining:
    """Adds up the runs of parts, which must come in their order; few of them are in memory at once."""

    def __init__(self, work: Work) -> None:
        self._groups, self._part_groups = work.groups, part_groups(work)
        self._totals = self._groups == "total" != self._part_groups
        self._run: Run | None = None

    def add(self, run: Run) -> None:
        """Add the run over the next part."""
        if self._run is None:
            self._run = run
            if self._totals:
                run.tallies = {name: _totals(tallies) for name, tallies in run.tallies.items()}
            return
        joined = self._run
        joined.names = _with_names(joined.names, run.names)
        documents = joined.documents - int(run.begins_inside)
        shift = {"sentence": joined.sentences, "finest": joined.sentences, "document": documents, "total": 0}
        by = shift[self._part_groups]
        for name in joined.tallies:
            joined.tallies[name] = self._added(joined.tallies[name], run.tallies[name], by)
            joined.supertags[name] = {
                tag: self._added(tallies, run.supertags[name][tag], by)
                for tag, tallies in joined.supertags[name].items()
            }
            joined.levels[name] = max(joined.levels[name], run.levels[name])
            _add_side(joined.systems[name], run.systems[name])
        _add_side(joined.gold, run.gold)
        joined.document_of += [of_document + documents for of_document in run.document_of]
        joined.documents = documents + run.documents
        joined.sentences += run.sentences
        joined.size = None if joined.size is None or run.size is None else joined.size + run.size
        joined.labels = tuple(dict.fromkeys((*joined.labels, *run.labels)))

    def finish(self) -> Run:
        """The run over all parts."""
        assert self._run is not None  # there is a part at least
        self._run.settle_groups(self._groups)
        return self._run

    def _added(self, before: Tallies, after: Tallies, shift: int) -> dict[str, Tally]:
        found = {}
        for judge, tally in before.items():
            found[judge] = Tally.merge([tally, after[judge].shifted(shift)])
        return _totals(found) if self._totals else found


def _totals(tallies: Tallies) -> dict[str, Tally]:
    return {judge: tally.total() for judge, tally in tallies.items()}


def _with_names(before: Mapping[str, str], after: Mapping[str, str]) -> dict[str, str]:
    for name, source in after.items():
        if name in before:
            raise repeated_name(source, name)
    return {**before, **after}


def _add_side(side: SideCount, other: SideCount) -> None:
    """Add what one side has in the next part."""
    side.labels.update(other.labels)
    side.reading = side.reading.plus(other.reading or Reading()) if side.reading else other.reading
    side.breaks_differ |= other.breaks_differ
    side.missing += other.missing
    side.unlabeled += other.unlabeled
    side.repeated += other.repeated
    if side.chains is not None:
        side.chains += other.chains or 0
    if side.mismatches is not None:
        side.mismatches = side.mismatches.plus(other.mismatches or Mismatches())
