"""What the page of an agreement carries: places in their sentences, and how many there are of which kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import field
from itertools import combinations

from evenhand.agreement.places import Answer, Place
from evenhand.comparison.collection import Sentence
from evenhand.dataclass import dataclass

STATES = ("undecided", "decided", "agreed")
"""What a place can be: those that need a decision first."""


@dataclass(frozen=True)
class DrawnPlace:
    """A place in its sentence."""

    state: str
    start: int
    end: int
    answers: dict[str, list[Answer]]
    accepted: list[Answer]
    offsets: tuple[int, int] | None = None
    """Start and end in the text of the document, in characters, where there is a text."""


@dataclass
class DrawnPlaces:
    """Places that a page carries, and counts of all."""

    limit: int
    sentences: list[Sentence] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    by_state: Counter[str] = field(default_factory=Counter)
    by_label: Counter[tuple[str, str]] = field(default_factory=Counter)
    """By label and state, of places where somebody gives it."""
    by_document: Counter[tuple[str, str]] = field(default_factory=Counter)
    """By document and state."""
    by_pair: Counter[tuple[str, str]] = field(default_factory=Counter)
    """How often two annotators differ."""
    _kept: dict[str, list[tuple[int, DrawnPlace]]] = field(default_factory=lambda: {state: [] for state in STATES})

    def has_room(self, place: Place) -> bool:
        """Whether a place may be carried, as far as is known."""
        return len(self._kept[place.state]) < self.limit

    def add(self, place: Place, sentence: int, drawn: DrawnPlace) -> None:
        """Carry a place, in a sentence by its number here."""
        self._kept[place.state].append((sentence, drawn))

    def count(self, place: Place) -> None:
        self.by_state[place.state] += 1
        self.by_document[place.document, place.state] += 1
        for label in {answer[2] for given in place.answers.values() for answer in given}:
            self.by_label[label, place.state] += 1
        for a, b in combinations(place.answers, 2):
            self.by_pair[a, b] += place.answers[a] != place.answers[b]

    def carried(self) -> Iterator[tuple[int, DrawnPlace]]:
        """The places that a page has room for, with the number of the sentence of each."""
        ordered = [each for state in STATES for each in self._kept[state]]
        return iter(ordered[: self.limit])
