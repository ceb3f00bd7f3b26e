"""All that scores of chains divide where mentions are matched, by document."""

from __future__ import annotations

from collections.abc import Callable, Collection

import numpy as np

from evenhand.arrays import Ints, Values
from evenhand.tasks.chains.b_cubed import count_b_cubed
from evenhand.tasks.chains.ceaf import count_ceaf_e, count_ceaf_m
from evenhand.tasks.chains.kinds import MELA
from evenhand.tasks.chains.links import Table, count_blanc, count_lea, count_muc
from evenhand.tasks.chains.matched_sides import MatchedSides, Side
from evenhand.tasks.chains.mention_overlap import count_mor
from evenhand.tasks.chains.zero_anaphors import count_zeros


def _count_muc(found: MatchedSides) -> Table:
    """With copies of mentions, the links that are common depend on the side whose chains are cut up."""
    key, response = count_muc(found.of_key), count_muc(found.of_response)
    return {**key, "muc.common_response": response["muc.common"]}


def _count_b_cubed(found: MatchedSides) -> Table:
    return {**_of_key(count_b_cubed(found.of_key)), **_of_response(count_b_cubed(found.of_response))}


def _count_lea(found: MatchedSides) -> Table:
    return {**_of_key(count_lea(found.of_key)), **_of_response(count_lea(found.of_response))}


_COUNTED: dict[str, Callable[[MatchedSides], Table]] = {
    "muc": _count_muc,
    "b_cubed": _count_b_cubed,
    "ceaf_m": lambda found: count_ceaf_m(found.shared),
    "ceaf_e": lambda found: count_ceaf_e(found.shared),
    "blanc": lambda found: count_blanc(found.of_key),
    "lea": _count_lea,
    "mor": count_mor,
    "zero": count_zeros,
}


def count_matched(found: MatchedSides, scores: Collection[str]) -> tuple[tuple[str, ...], Values]:
    """The kinds of counts that these scores need, and their numbers, a row a document."""
    table = _count_mentions(found)
    wanted = {*scores, *(MELA if "mela" in scores else ())}
    for name, count in _COUNTED.items():
        if name in wanted:
            table |= count(found)
    return tuple(table), np.stack(list(table.values()), axis=1)


def _count_mentions(found: MatchedSides) -> Table:
    """Mentions once each, with all of their copies, and chains."""

    def by_document(document: Ints) -> Values:
        return np.bincount(document, minlength=found.documents).astype(np.float64)

    sides: dict[str, Side] = {"key": found.key, "response": found.response}
    common = by_document(found.key.mentions.document[found.is_matched])
    table = {"mentions.common": common, "distinct.common": common}
    table |= {f"distinct.{name}": by_document(side.mentions.document) for name, side in sides.items()}
    table |= {f"mentions.{name}": by_document(side.chains.document) for name, side in sides.items()}
    return table | {f"chains.{name}": by_document(side.sizes.document) for name, side in sides.items()}


def _of_key(table: Table) -> Table:
    return {kind: values for kind, values in table.items() if kind.endswith(".key")}


def _of_response(table: Table) -> Table:
    return {kind: values for kind, values in table.items() if kind.endswith(".response")}
