"""Runs over parts that follow each other, as one run: equal to that over the whole, to the last bit."""

from __future__ import annotations

from evenhand.pipeline.run import Run, Sums
from evenhand.pipeline.work import Work
from evenhand.problems import EvenhandError
from evenhand.settings import Groups
from evenhand.tally import Tally
from evenhand.text.annotation import Reading
from evenhand.text.chain_feed import repeated_name

Key = tuple[str, str | None, str]
"""System, supertag (or none) and judge."""


class IndivisibleError(EvenhandError):
    """Runs over parts that are not those of one run over the whole, which then has to be made instead."""

    def __init__(self, finding: str) -> None:
        super().__init__(f"The work cannot be divided, as {finding}; do it in one process.")


def part_groups(work: Work) -> Groups:
    """What parts keep apart: fractions depend on the order in which documents are added up."""
    return "document" if work.prepared.task.by_document else work.groups


class Joining:
    """Adds up the runs of parts, which must come in their order; few of them are in memory at once."""

    def __init__(self, work: Work) -> None:
        self._groups, self._part_groups = work.groups, part_groups(work)
        self._takes_tags = any(judge.takes_tags for judge in work.judges)
        self._check_sides, self._refuse_itself = work.prepared.task.check_sides, work.refuse_itself
        self._run: Run | None = None
        self._sums: Sums[Key] = Sums(work.groups, by_document=work.prepared.task.by_document)

    def add(self, run: Run) -> None:
        """Add the run over the next part, or raise an error if it does not continue the others."""
        if self._run is None:
            self._run = run
            self._add_tallies(run, 0)
            return
        joined = self._run
        _check(joined, run, takes_tags=self._takes_tags)
        documents = joined.documents - int(run.begins_inside)
        shift = {"sentence": joined.sentences, "finest": joined.sentences, "document": documents, "total": 0}
        self._add_tallies(run, shift[self._part_groups])
        joined.gold.join(run.gold)
        for name, side in joined.systems.items():
            side.join(run.systems[name])
            joined.levels[name] = max(joined.levels[name], run.levels[name])
        joined.document_of += [of_document + documents for of_document in run.document_of]
        joined.documents = documents + run.documents
        joined.sentences += run.sentences
        joined.size = None if joined.size is None or run.size is None else joined.size + run.size
        joined.labels = tuple(sorted({*joined.labels, *run.labels}))
        joined.names |= run.names
        joined.document_names += run.document_names
        joined.ends_apart = run.ends_apart

    def finish(self) -> Run:
        """The run over all parts."""
        run = self._run
        assert run is not None  # there is a part at least
        for (name, tag, judge), tally in self._sums.finish().items():
            tallies = run.tallies[name] if tag is None else run.supertags[name][tag]
            tallies[judge] = tally
        run.settle_groups(self._groups)
        self._check_sides(run.gold, run.systems)  # one side of each part may be without spans, and the whole not
        self._refuse_itself(run)  # parts are not files
        return run

    def _add_tallies(self, run: Run, shift: int) -> None:
        """Take the tallies of a run; its groups are larger by `shift`."""
        for key, tally in _keyed(run).items():
            self._sums.add(key, tally.shifted(shift))


def _keyed(run: Run) -> dict[Key, Tally]:
    found: dict[Key, Tally] = {}
    for name, tallies in run.tallies.items():
        found |= {(name, None, judge): tally for judge, tally in tallies.items()}
        for tag, others in run.supertags[name].items():
            found |= {(name, tag, judge): tally for judge, tally in others.items()}
    return found


def _check(before: Run, after: Run, *, takes_tags: bool) -> None:
    """Raise an error unless the second part was taken in the same way as the first, and begins where that ends."""
    if before.ends_apart:
        raise IndivisibleError("a word reaches over the end of a part")
    ways = [_way(run, takes_tags=takes_tags) for run in (before, after)]
    if ways[0] != ways[1]:
        raise IndivisibleError("its parts are written in different ways")
    for run in (before, after):
        differ = [side.mismatches for side in run.systems.values() if side.mismatches]
        if any(each.missing or each.extra or each.by_order for each in differ):
            raise IndivisibleError("documents are not in the same parts on both sides")
    for name, source in after.names.items():
        if name in before.names:
            raise repeated_name(source, name)


def _way(run: Run, *, takes_tags: bool) -> list[object]:
    """What the first lines of all sides tell for the whole run; with `takes_tags`, whether tags can be compared."""
    gold, *systems = (side.reading or Reading() for side in (run.gold, *run.systems.values()))
    kinds: list[object] = [(each.format, each.encoding is None) for each in (gold, *systems)]
    same_tags = [each.encoding == gold.encoding for each in systems] if takes_tags else []
    return [run.atoms, run.by_position, kinds, same_tags]
