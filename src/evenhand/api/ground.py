"""`ground`: find the strings of a language model in a text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any, NamedTuple

from evenhand.alignment.parts import whole_documents
from evenhand.data.structures import Answer, UnreadableError, answer_in, plain_value
from evenhand.data.vocabulary import Vocabulary
from evenhand.dataclass import dataclass
from evenhand.errors import InputError, SettingError
from evenhand.grounding.answers import shape_of
from evenhand.grounding.grounder import Grounded, Grounder, GroundingCounts, Rules
from evenhand.grounding.items import KnownLabels
from evenhand.grounding.search import AnswerDocument
from evenhand.parameters import checked_arguments, parameter_values, quote, split_names
from evenhand.pipeline.inputs import Input, known_options, name_of, open_sides, prepare, side_of
from evenhand.tasks.evaluation import EvaluationRequest
from evenhand.tasks.spans.evaluation import align
from evenhand.tasks.spans.grounding import GroundedFollower
from evenhand.tasks.spans.task import GROUNDING


class GroundedItem(NamedTuple):
    """A string with its label, its status (`exact`, `case` …, or `absent`), and its position."""

    text: str
    label: str
    status: str
    start: int | None = None
    end: int | None = None


@checked_arguments()
def ground(
    text: str,
    items: Any,
    *,
    labels: str | Sequence[str] = (),
    label: str | None = None,
    shape: str | None = None,
    occurrences: str = "in-order",
    fuzzy: int | str = 15,
    unknown_labels: str = "keep",
) -> list[GroundedItem]:
    """Find the items of a language model in a text: `ground(text, [{"text": "Ada", "label": "PER"}])`.

    items        the answer: text, or data (see `eh.extractions`)
    labels       the labels of the prompt; others are unknown, and JSON that maps labels to strings needs them
    label        the only label of the prompt
    shape        layout of the answer: json, xml, marks, markdown or lines [recognised]
    occurrences  which occurrences of a string count: in-order, first or all
    fuzzy        maximum share of characters that may differ, in percent, or off
    unknown_labels
                 keep or drop items with unknown labels

    Every item is returned once, under `all` once per occurrence. Offsets count characters, and ends are exclusive.
    """
    if not isinstance(text, str):
        raise SettingError(f"text is {quote(text)}; pass the text to search in.")
    if label is not None and not (isinstance(label, str) and label.strip()):
        raise SettingError(f"label is {quote(label)}; pass the label of the prompt.")
    chosen = {"shape": shape, "occurrences": occurrences, "fuzzy": fuzzy, "unknown_labels": unknown_labels}
    values = parameter_values([parameter for parameter in GROUNDING if parameter.name in chosen], chosen)
    try:
        answer = answer_in(plain_value(items))
    except UnreadableError as error:
        remedy = "pass the text that the model wrote, a list of items, or a dict"
        raise SettingError(f"items has a value of type {error}, which cannot be read; {remedy}.") from None
    rules = Rules(values["shape"] or shape_of([answer]), occurrences, values["fuzzy"] or None, unknown_labels)  # type: ignore[arg-type]
    known = dict.fromkeys([*split_names(labels), *([label] if label else [])])
    return list(_items(Grounder(rules, KnownLabels(known))(AnswerDocument(text), [Answer(answer, label)])))


def _items(grounded: Grounded) -> Iterator[GroundedItem]:
    for placement in grounded.placements:
        for span in placement.spans or ((None, None),):
            yield GroundedItem(placement.item.text, placement.item.label, placement.status, *span)


@dataclass(frozen=True)
class GroundedDocument:
    """The items of one document of a file."""

    id: str
    """The id of the answer or, if it has none, its number from 1."""
    text: str
    items: list[GroundedItem]

    def to_dict(self) -> dict[str, Any]:
        """A record of JSON lines, which Evenhand and other tools can read: spans, and unplaced items."""
        spans = [
            {"start": item.start, "end": item.end, "label": item.label, "text": item.text, "status": item.status}
            for item in self.items
            if item.start is not None
        ]
        others = [
            {"label": item.label, "text": item.text, "status": item.status} for item in self.items if item.start is None
        ]
        return {"id": self.id, "text": self.text, "spans": spans, "unplaced": others}


class GroundedFile:
    """Iterator over the documents of a file of answers, with statistics of the items so far."""

    def __init__(self, texts: Input, output: Input, options: dict[str, Any]) -> None:
        gold, name = side_of(texts), name_of(side_of(output))
        systems = {name: side_of(output)}
        prepared, vocabulary = prepare(gold, systems, {"task": "spans", **options}), Vocabulary()
        sides = open_sides(gold, systems, prepared.task, prepared.read_as, vocabulary, prepared.content.files)
        request = EvaluationRequest(sides, prepared.settings, prepared.read_as, (), vocabulary)
        alignment = align(request)
        follower = alignment.followers[name]
        if not isinstance(follower, GroundedFollower):
            finding = "its spans already have positions, so there is nothing to place"
            raise InputError(name, None, finding, "use the answers of a language model, or specify their --format")
        self._alignment, self._follower = alignment, follower

    @property
    def counts(self) -> GroundingCounts:
        return self._follower.grounding

    def __iter__(self) -> Iterator[GroundedDocument]:
        alignment, number = self._alignment, count(1)
        for batch in whole_documents(alignment.gold) if alignment.whole_documents else alignment.gold:
            for (name, grounded), index in zip(self._follower.ground(batch.corpus), number, strict=False):
                yield GroundedDocument(name or str(index), grounded.document.text, list(_items(grounded)))
        self._follower.finish()


@checked_arguments(known_options)
def ground_file(texts: Input, output: Input, **options: Any) -> GroundedFile:
    """Find the strings of a file of answers in the texts of another file.

    The labels of that file count as known, in addition to `labels`; its spans are ignored. Other options are as
    in `score`, for reading and for placing.
    """
    return GroundedFile(texts, output, options)
