"""Relations by sentence, for those who write them."""

from __future__ import annotations

from dataclasses import field

from evenhand.dataclass import dataclass
from evenhand.text.annotation import Annotation
from evenhand.text.relations import LAYER, Relations


@dataclass(frozen=True)
class Linked:
    """A relation within a sentence; its ends are places among the sentence's spans."""

    label: str
    head: int
    tail: int
    is_symmetric: bool


@dataclass
class LinksBySentence:
    """The relations of an annotation within its sentences, and how many there are across."""

    links: dict[int, list[Linked]] = field(default_factory=dict)
    across: int = 0


def relations_of(annotation: Annotation) -> Relations:
    found = annotation[LAYER]
    assert isinstance(found, Relations)
    return found


def links_by_sentence(annotation: Annotation) -> LinksBySentence:
    """The relations of each sentence, in the order of the file."""
    layer, found = relations_of(annotation), LinksBySentence()
    places, seen = list[tuple[int, int]](), dict[int, int]()
    for scope in annotation.spans().scope.tolist():
        places.append((scope, seen.get(scope, 0)))
        seen[scope] = seen.get(scope, 0) + 1
    for label, head, tail in layer.rows():
        (sentence, one), (other, place) = places[head], places[tail]
        if sentence == other:
            found.links.setdefault(sentence, []).append(Linked(label, one, place, label in layer.symmetric))
        else:
            found.across += 1
    return found
