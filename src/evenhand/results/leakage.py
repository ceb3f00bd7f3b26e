"""Sentences of a test set that occur in the training data: what `leakage` returns."""

from __future__ import annotations

from typing import Any

import msgspec

from evenhand.dataclass import dataclass
from evenhand.results.display import Displayed, WithTables


class SharedSentences(msgspec.Struct, frozen=True):
    """The test sentences that occur in the training data, under one comparison of words."""

    sentences: int
    long: int
    """Those with five words or more."""
    units: int | None
    """The gold units in them; None if the task has no units with labels."""
    documents: int
    """The documents with at least 80 % of their sentences in the training data."""


@dataclass(frozen=True, repr=False)
class Leakage(Displayed, WithTables):
    """What a test set shares with training data: `leakage.exact.sentences`, `leakage.loose.long`."""

    test: str
    train: str
    task: str
    unit: str
    """The unit of the task, in the singular."""
    documents: int
    sentences: int
    """Test sentences that are not empty."""
    units: int | None
    exact: SharedSentences
    """Sentences with the same words."""
    loose: SharedSentences
    """Sentences with the same words, if case is ignored and every digit is a 0."""
    repeated: int
    """Test sentences whose words occur more than once in the test set."""
    signature: str
    notes: tuple[str, ...] = ()

    @property
    def comparisons(self) -> dict[str, SharedSentences]:
        """Both comparisons of words, by name."""
        return {"exact": self.exact, "loose": self.loose}

    @property
    def sentence(self) -> str:
        """The result in one sentence."""
        return leakage_sentence(self.exact.long, self.sentences)

    def saved(self) -> dict[str, Any]:
        return {
            "command": "leakage",
            "task": self.task,
            "signature": self.signature,
            "notes": self.notes,
            "train": self.train,
            "test": {
                "name": self.test,
                "documents": self.documents,
                "sentences": self.sentences,
                "units": self.units,
                "repeated": self.repeated,
            },
            **self.comparisons,
        }


def leakage_sentence(long: int, sentences: int) -> str:
    """The number and the share of test sentences whose occurrence in training is unlikely to be chance."""
    share = 100 * long / sentences if sentences else 0.0
    noun = "test sentence" if sentences == 1 else "test sentences"
    verb = "has five words or more and occurs" if long == 1 else "have five words or more and occur"
    return f"{long:,} of {sentences:,} {noun} ({share:.1f} %) {verb} in the training data."
