"""The places of an agreement in their sentences, as a page draws them: conflicts first, as many as it may carry."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from evenhand.agreement.annotators import SharedText
from evenhand.agreement.places import Answer, Place, Voting
from evenhand.arrays import ints
from evenhand.comparison.collection import piece, sentence_of
from evenhand.result.agreement_page import DrawnPlace, DrawnPlaces
from evenhand.tasks.spans.drawing import SpanDrawing


def drawn_places(portions: Iterable[SharedText], voting: Voting, limit: int) -> DrawnPlaces:
    """All places, counted; the first `limit` are carried, undecided ones before decided ones and those agreed on."""
    found = DrawnPlaces(limit)
    for text in portions:
        drawing, numbers = SpanDrawing(text.spans), dict[int, int]()
        found.labels = list(text.spans[0].vocabulary.labels.values)
        for scope, place in voting.all_places(text):
            if found.has_room(place):
                if scope not in numbers:
                    numbers[scope] = len(found.sentences)
                    places = text.portion.places
                    sentence = sentence_of(scope, places.number(scope), places, drawing.sides(scope))
                    number = place.sentence if text.names else sentence.number
                    found.sentences.append(sentence._replace(document=place.document, number=number))
                drawn = _in_pieces(place, found.sentences[numbers[scope]].pieces)
                seen = text.portion.places.positions(ints([scope]), ints([place.start]), ints([place.end]))
                if seen.of == "characters":
                    drawn = replace(drawn, offsets=(int(seen.start[0]), int(seen.end[0])))
                found.add(place, numbers[scope], drawn)
            found.count(place)
    return found


def _in_pieces(place: Place, pieces: tuple[int, ...]) -> DrawnPlace:
    """A place in the tokens of its sentence, or in the pieces of its text."""

    def moved(answer: Answer) -> Answer:
        start, end, label = piece(pieces, answer[0]), piece(pieces, answer[1]), answer[2]
        if len(answer) == 3:
            return start, end, label
        return start, end, label, tuple((piece(pieces, gap[0]), piece(pieces, gap[1])) for gap in answer[3])

    answers = {name: [moved(each) for each in given] for name, given in place.answers.items()}
    start, end = piece(pieces, place.start), piece(pieces, place.end)
    return DrawnPlace(place.state, start, end, answers, [moved(each) for each in place.accepted])
