"""Agreement where nothing has a code: each annotator is the key for all others, document by document, as in `score`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations

import numpy as np

from evenhand.agreement.codes import Codebook
from evenhand.agreement.counted import Counted
from evenhand.agreement.counts import Counts, reversed_judge
from evenhand.arrays import Bools, ints
from evenhand.pipeline.inputs import Input, opened
from evenhand.pipeline.options import Prepared
from evenhand.pipeline.run import Run
from evenhand.pipeline.work import Work
from evenhand.tally import Tally
from evenhand.text.annotation import Annotation, Reading
from evenhand.text.labels import Vocabulary
from evenhand.text.unequal import ANNOTATORS


def count_by_keys(sides: Mapping[str, Input], prepared: Prepared) -> Counted:
    """Score all annotators with each of them as the key; documents that a side lacks do not count."""
    had = [_documents(side, _with_key(prepared, name)) for name, side in sides.items()]
    numbers = {name: number for number, name in enumerate(dict.fromkeys(name for each in had for name in each))}
    has = np.zeros((len(numbers), len(sides)), dtype=np.bool_)
    for at, names in enumerate(had):
        has[[numbers[name] for name in names], at] = True
    runs = [_run(key, sides, prepared, has) for key in range(len(sides))]
    pairs = list(combinations(range(len(sides)), 2))
    tallies: dict[tuple[int, str], Tally] = {}
    for number, (one, other) in enumerate(pairs):
        for key, response, spell in ((one, other, str), (other, one, reversed_judge)):
            found = runs[key].tallies.get(list(sides)[response], {}) if (has[:, one] & has[:, other]).any() else {}
            places = ints([numbers[name] for name in runs[key].names or runs[key].document_names])
            for judge, tally in found.items():
                common = np.flatnonzero(has[:, one] & has[:, other])
                tallies[number, spell(judge)] = tally.regroup(places).select(common)
    units, labels = ints([run.gold.units for run in runs]), [dict(run.gold.labels) for run in runs]
    counts = Counts.without_codes(tuple(sides), pairs, has, tallies, units, labels)
    return Counted(counts, Codebook(), (), list(numbers), [run.gold.reading or Reading() for run in runs])


def _documents(side: Input, prepared: Prepared) -> list[str]:
    """The names of an annotator's documents."""
    if isinstance(side, Annotation):
        return list(side.corpus.names)
    batches = opened(side, prepared.read_as["gold"]).batches(Vocabulary())
    return [name for batch in batches for name in batch.corpus.names[int(batch.corpus.continues) :]]


def _run(key: int, sides: Mapping[str, Input], prepared: Prepared, has: Bools) -> Run:
    """One annotator as the key for all who share a document; for itself where nobody does."""
    name = list(sides)[key]
    shares = {each: bool((has[:, key] & has[:, at]).any()) for at, each in enumerate(sides) if at != key}
    others = {each: sides[each] for each, is_shared in shares.items() if is_shared} or {name: sides[name]}
    work = Work(sides[name], others, _with_key(prepared, name), prepared.settings.match, "document", called=ANNOTATORS)
    return work.run()


def _with_key(prepared: Prepared, name: str) -> Prepared:
    """Settings under which the file of an annotator is the key."""
    read_as = prepared.read_as
    return replace(prepared, read_as={**read_as, "gold": read_as.get(name, read_as["system"])})
