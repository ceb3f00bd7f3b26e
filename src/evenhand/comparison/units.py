"""The units of a count, with their place and their sentence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from evenhand.arrays import Ints
from evenhand.comparison.differences import CLASSES, difference_class
from evenhand.dataclass import dataclass
from evenhand.problems import SettingError
from evenhand.ranges import Count
from evenhand.suggestion import unknown
from evenhand.tasks.answers import Answers
from evenhand.tasks.places import Places

if TYPE_CHECKING:
    from evenhand.comparison.counts import ComparisonCounts

SHOWN = (*CLASSES, "unsolved", "solved_once")
"""What units can be asked for: differences of a pair, or those that no system, or only one, has right."""


@dataclass(frozen=True, slots=True)
class Unit:
    """One unit: where it is, its gold label, and what each system says."""

    kind: str
    pair: tuple[str, str] | None
    place: str
    sentence: int
    document: int
    start: int | None
    """Where it starts, from 0: in characters of the input text, or in tokens of the sentence (see `positions`)."""
    end: int | None
    """Where it ends, exclusive. Both are None for an answer of a language model that the text does not have."""
    words: str | None
    """The unit as it is in the text; the parts of one with gaps, with a space between."""
    text: str | None
    gold: str
    gold_head: str | None
    """Of trees: the head, or `root`."""
    answers: dict[str, str]
    """Tags; classes of verdict and label; of trees, relations with their heads; of mentions, with antecedents."""
    document_name: str | None = None
    gold_antecedent: str | None = None
    """Of mentions: the closest antecedent in the key."""
    positions: str = "tokens"
    """What `start` and `end` count: characters or tokens."""
    token_start: int | None = None
    """The first token in the sentence, where the gold standard has tokens."""
    token_end: int | None = None
    parts: tuple[tuple[int, int], ...] | None = None
    """Of a unit with gaps: start and end of each part, counted as `positions` says."""
    text_place: str | None = None
    """File and line of the text that `start` and `end` count in, where that is a system's; else it is the gold one."""

    def to_dict(self) -> dict[str, Any]:
        before, after = self.pair or (None, None)
        found = {name: getattr(self, name) for name in self.__slots__ if name != "pair"}
        saved: dict[str, Any] = msgspec.to_builtins(SavedUnit(before=before, after=after, **found))
        return saved


class SavedUnit(msgspec.Struct, kw_only=True, omit_defaults=True):
    """A unit as JSON has it."""

    kind: str
    before: str | None = msgspec.field(name="from")
    after: str | None = msgspec.field(name="to")
    place: str
    document: Count
    document_name: str | None = None
    sentence: Count
    start: Count | None
    end: Count | None
    positions: str | None = None
    """None in files of earlier versions, which counted tokens, or characters that are not spaces."""
    token_start: Count | None = None
    token_end: Count | None = None
    parts: tuple[tuple[Count, Count], ...] | None = None
    text_place: str | None = None
    words: str | None
    gold: str
    gold_head: str | None = None
    gold_antecedent: str | None = None
    answers: dict[str, str]
    text: str | None

    def unit(self, systems: Sequence[str]) -> Unit:
        found = msgspec.structs.asdict(self)
        before, after = found.pop("before"), found.pop("after")
        found["pair"] = None if before is None or after is None else (before, after)
        found["positions"] = self.positions or "tokens"
        found["answers"] = {name: self.answers[name] for name in systems}
        return Unit(**found)


@dataclass
class Wanted:
    """Which units somebody wants to see, and those found so far."""

    kind: str
    pairs: Sequence[tuple[int, int]] = ()
    limit: int | None = None
    found: list[Unit] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.kind not in SHOWN:
            remedy = f"choose one of {', '.join(SHOWN)}"
            raise SettingError(unknown(f"{self.kind!r} is no kind of unit", self.kind, SHOWN, remedy))

    def add(self, answers: Answers, places: Places, counts: ComparisonCounts) -> None:
        """Find more of them; `counts` knows what the gold standard and systems say, in words."""
        systems = counts.systems
        for pair, units in self._units(answers):
            order = np.lexsort((answers.end[units], answers.start[units], answers.sentence[units]))
            units = units[order][: None if self.limit is None else max(0, self.limit - len(self.found))]
            named = None if pair is None else (systems[pair[0]], systems[pair[1]])
            sentences, starts, ends = answers.sentence[units], answers.start[units], answers.end[units]
            positions = places.positions(sentences, starts, ends)
            found = zip(
                *(column.tolist() for column in (units, sentences, starts, ends)),
                places.places(sentences, starts),
                positions.rows(),
                strict=True,
            )
            for unit, sentence, start, end, place, (first, stop, token, last_token) in found:
                document, gaps = int(places.document_of[sentence]), answers.gaps(unit)
                parts = places.parts(sentence, start, end, gaps) if gaps else None
                self.found.append(
                    Unit(
                        self.kind,
                        named,
                        place,
                        places.number(sentence),
                        document + 1,
                        first,
                        stop,
                        places.words(sentence, start, end, gaps),
                        places.text(sentence),
                        *counts.gold(answers, places, unit),
                        {name: counts.answer(answers, places, row, unit) for row, name in enumerate(systems)},
                        places.name(document),
                        counts.antecedent(answers, places, unit),
                        positions.of,
                        token,
                        last_token,
                        None if parts is None else tuple(parts),
                        places.text_place(sentence, start),
                    )
                )

    def _units(self, answers: Answers) -> Iterator[tuple[tuple[int, int] | None, Ints]]:
        if self.kind in CLASSES:
            for a, b in self.pairs:
                is_of_class = difference_class(answers.right[a], answers.right[b]) == CLASSES.index(self.kind)
                yield (a, b), np.flatnonzero((answers.answer[a] != answers.answer[b]) & is_of_class)
        else:
            solvers = answers.right.sum(axis=0)
            yield None, np.flatnonzero(solvers == (0 if self.kind == "unsolved" else 1))
