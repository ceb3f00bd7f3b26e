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
from evenhand.settings import system_settings
from evenhand.tally import Tally
from evenhand.text.annotation import Annotation, Reading
from evenhand.text.labels import Vocabulary
from evenhand.text.unequal import ANNOTATORS


def count_by_keys(sides: Mapping[str, Input], prepared: Prepared) -> Counted:
    """Score all annotators with each of them as the key; documents that a side lacks do not count."""
    had = _documents(sides, prepared)
    numbers = {name: number for number, name in enumerate(dict.fromkeys(name for each in had for name in each))}
    places = [ints([numbers[name] for name in names]) for names in had]
    has = np.zeros((len(numbers), len(sides)), dtype=np.bool_)
    for at, mine in enumerate(places):
        has[mine, at] = True
    runs = [_run(key, sides, prepared, has) for key in range(len(sides))]
    pairs, names = list(combinations(range(len(sides)), 2)), tuple(sides)
    tallies: dict[tuple[int, str], Tally] = {}
    for number, (one, other) in enumerate(pairs):
        common = np.flatnonzero(has[:, one] & has[:, other])
        for key, response, spell in ((one, other, str), (other, one, reversed_judge)):
            for judge, tally in runs[key].tallies.get(names[response], {}).items():
                tallies[number, spell(judge)] = tally.regroup(places[key]).select(common)
    units, labels = ints([run.gold.units for run in runs]), [dict(run.gold.labels) for run in runs]
    counts = Counts.without_codes(names, pairs, has, tallies, units, labels)
    return Counted(counts, Codebook(), (), list(numbers), [run.gold.reading or Reading() for run in runs])


def _documents(sides: Mapping[str, Input], prepared: Prepared) -> list[list[str]]:
    """What the documents of annotators are matched by: names; numbers where a side has none, and all have as many."""
    found = [_names(side, _with_key(prepared, name)) for name, side in sides.items()]
    names = [each for each, _ in found]
    if all(is_named for _, is_named in found) or len(set(map(len, names))) > 1:
        return names
    return [[str(number) for number in range(1, len(each) + 1)] for each in names]


def _names(side: Input, prepared: Prepared) -> tuple[list[str], bool]:
    """The names of an annotator's documents, and whether they are more than numbers."""
    batches = [side] if isinstance(side, Annotation) else opened(side, prepared.read_as["gold"]).batches(Vocabulary())
    names, is_named = list[str](), False
    for batch in batches:
        names += batch.corpus.names[int(batch.corpus.continues) :]
        is_named |= not batch.corpus.unnamed
    return names, is_named


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
    return replace(prepared, read_as={**read_as, "gold": system_settings(read_as, name)})
