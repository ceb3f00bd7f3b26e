"""What a run over a gold standard adds up. Runs over parts of it add up, too (`joining`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from evenhand.arrays import Ints, empty
from evenhand.problems import InputError
from evenhand.settings import Atoms, Groups
from evenhand.tally import Tally
from evenhand.text.annotation import Reading
from evenhand.text.chain_feed import Mismatches
from evenhand.text.corpus import Corpus
from evenhand.text.plain_labels import SETTLE

if TYPE_CHECKING:
    from evenhand.result.result import Gold


@dataclass
class SideCount:
    """One side in figures: its spans by label, and how its file was read."""

    reading: Reading | None = None
    breaks_differ: bool = False
    missing: int = 0
    """How many words of the gold standard the side does not have, where words are scored."""
    unlabeled: int = 0
    """How many units have no label: mentions in files without POS."""
    chains: int | None = None
    repeated: int = 0
    """How many mentions have a span that another one has."""
    mismatches: Mismatches | None = None
    """Where the texts of chains differ."""
    _labels: Counter[str] = field(default_factory=Counter)
    _counts: Ints = field(default_factory=empty)
    _names: Sequence[str] = ()

    @property
    def units(self) -> int:
        return self.labels.total() + self.unlabeled

    def add(self, labels: Ints, names: Sequence[str]) -> None:
        """Count labels, which are codes of names; names may become more, but keep their codes."""
        counts = np.bincount(labels, minlength=len(self._counts))
        counts[: len(self._counts)] += self._counts
        self._counts, self._names = counts, names

    @property
    def labels(self) -> Counter[str]:
        """How many spans have each label; worked out when somebody asks, as there may be many labels."""
        met = np.flatnonzero(self._counts)
        counted = zip(met.tolist(), self._counts[met].tolist(), strict=True)
        self._labels.update({self._names[code]: count for code, count in counted})
        self._counts = empty()
        return self._labels


@dataclass
class Run:
    """What a run adds up: the text in figures, and for every system its tallies by judge."""

    gold: SideCount
    systems: dict[str, SideCount]
    tallies: dict[str, dict[str, Tally]] = field(default_factory=dict)
    supertags: dict[str, dict[str, dict[str, Tally]]] = field(default_factory=dict)
    """For every system and supertag, the tallies by judge."""
    documents: int = 0
    sentences: int = 0
    atoms: Atoms = "tokens"
    levels: dict[str, int] = field(default_factory=dict)
    """On how many levels each system's spans and the gold standard's are, where levels are separate."""
    document_of: list[Ints] = field(default_factory=list)
    """The document of each sentence, batch by batch, where these may become the groups."""
    size: int | None = 0
    """How many atoms there are, where the files know."""
    labels: tuple[str, ...] = ()
    """All labels that were met."""
    names: dict[str, str] = field(default_factory=dict)
    """The named documents of chains, and the file of each."""
    document_names: list[str] = field(default_factory=list)
    """What documents are called, where the gold standard says and these may be the groups."""
    begins_inside: bool = False
    """Whether the first sentence belongs to a document that began before it, which then has the number 0."""
    by_position: bool = False
    """Whether words are compared by their places, as one side does not spell them."""
    ends_apart: bool = False
    """Whether the last words of both sides are not the same, so that what follows could change how they align."""

    def add_text(self, corpus: Corpus, reading: Reading) -> None:
        if not corpus.sentences and not corpus.names:
            raise InputError(corpus.source, None, "there is no sentence in it", "give a gold standard that has some")
        self.gold.reading = self.gold.reading.plus(reading) if self.gold.reading else reading
        self.documents += len(corpus.documents) - int(corpus.continues)
        self.sentences += corpus.sentences
        self.atoms = corpus.atoms
        self.size = None if self.size is None or corpus.token_count is None else self.size + corpus.token_count

    def check_kinds(self) -> None:
        """Raise an error if labels without prefixes were taken for spans by their looks, and may be something else.

        So they may if they do not look like labels, or if the other side's spans have another form: then they may be
        in the wrong column.
        """
        for name, system in self.systems.items():
            sides = {"gold": self.gold, "system": system}
            readings = {which: side.reading or Reading() for which, side in sides.items()}
            for reading in readings.values():
                if reading.doubt is not None:
                    what, advice = reading.doubt
                    finding = f"found {what}, where tags such as B-PER and O were expected"
                    raise InputError(name, None, finding, "; ".join(filter(None, (advice, SETTLE))))
            plain = [which for which, reading in readings.items() if reading.encoding == "plain"]
            if len(plain) != 1 or readings[plain[0]].is_named or not all(side.units for side in sides.values()):
                continue
            (which,) = plain
            other = "system" if which == "gold" else "gold"
            finding = f"the {which} file ({readings[which]}) and the {other} file ({readings[other]}) differ in kind"
            remedy = f"choose the column of tags with --column {which}:N, or say --encoding {which}:plain"
            raise InputError(name, None, finding, remedy)

    def figures(self, name: str) -> Gold:
        """The gold standard in figures, under its name."""
        from evenhand.result.result import Gold  # with much else, which a process that only counts can do without

        tokens, characters = (self.size, None) if self.atoms == "tokens" else (None, self.size)
        labels = dict(sorted(self.gold.labels.items()))
        reading = self.gold.reading or Reading()
        side = self.gold
        names = tuple(self.document_names or self.names)
        sizes = (self.documents, self.sentences, tokens, characters, side.units)
        return Gold(name, *sizes, labels, reading, side.chains, names if len(names) == self.documents else ())

    def groups_of(self, corpus: Corpus, groups: Groups) -> Ints:
        """The number of the group that each sentence of the next batch belongs to, over the whole run.

        The finest groups are documents, or sentences where there is one document, which is known at the end.
        """
        if corpus.continues and not self.documents:
            self.begins_inside, self.documents = True, 1
        sentences, of_document = np.arange(corpus.sentences), self.documents_of(corpus)
        if groups in ("document", "finest"):
            self.document_names += corpus.names[int(corpus.continues) :]
        if groups == "finest":
            self.document_of.append(of_document)
        if groups in ("sentence", "finest"):
            return sentences + self.sentences
        return of_document if groups == "document" else np.zeros_like(sentences)

    def kept_apart(self, groups: Groups) -> Groups:
        """What the groups of tallies are, at the end: the finest are documents, or sentences where there is one."""
        if groups != "finest" or self.names:
            return "document" if groups == "finest" else groups
        return "document" if self.documents > 1 else "sentence"

    def documents_of(self, corpus: Corpus) -> Ints:
        """The document of each sentence of the next batch, over the whole run."""
        found: Ints = corpus.document_of(np.arange(corpus.sentences)) + self.documents - int(corpus.continues)
        return found

    def settle_groups(self, groups: Groups) -> None:
        """At the end of all: where the finest groups are documents, those of sentences become these."""
        if groups == "finest" and self.documents > 1:
            self.tallies = self.tallies_by_document()

    def tallies_by_document(self) -> dict[str, dict[str, Tally]]:
        """The tallies of the finest groups, by document; those of chains are so from the start."""
        if not self.document_of:
            return self.tallies
        of_document = np.concatenate(self.document_of)
        return {
            name: {judge: tally.regroup(of_document) for judge, tally in tallies.items()}
            for name, tallies in self.tallies.items()
        }
