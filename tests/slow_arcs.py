"""ARCS (Tuggener 2017) written straight from the definition, mention by mention, with no thought of speed.

Chains as in `slow_chains`: lists of (start, end) with an inclusive end, every span once (`slow_chains.first_only`).
`pos` has the tag of every token in the key; the mode `nom` needs it, `any` does not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

from slow_chains import Chains, Counts, Mention, Prf, prf

CLASSES = ("tp", "wl", "fp", "fn", "tn")
NOUNS = frozenset({"NN", "NNS", "NNP", "NNPS", "NE"})


class Bound(NamedTuple):
    """Mentions with an antecedent in the key, how many each system has right, and how many at least one has."""

    units: int
    systems: tuple[int, ...]
    any_system: int


def antecedents(mention: Mention, chains: Chains) -> list[Mention]:
    """A_X(m): what comes before a mention in its chain, in the order of (start, end); nothing if it is absent."""
    chain = next((chain for chain in chains if mention in chain), [])
    return [other for other in sorted(chain) if other < mention]


def is_nominal(mention: Mention, pos: Sequence[str] | None) -> bool:
    """More than one token, or a noun."""
    if pos is None:
        raise ValueError("Nominal mentions need the tags of the key.")
    start, end = mention
    return end > start or pos[start] in NOUNS


def _antecedents(mention: Mention, chains: Chains, mode: str, pos: Sequence[str] | None) -> list[Mention]:
    found = antecedents(mention, chains)
    return found if mode == "any" else [other for other in found if is_nominal(other, pos)]


def arcs_class(mention: Mention, key: Chains, response: Chains, mode: str, pos: Sequence[str] | None = None) -> str:
    """`any`: one antecedent is in common. `nom`: the response's closest nominal antecedent is one in the key."""
    in_key = _antecedents(mention, key, mode, pos)
    in_response = _antecedents(mention, response, mode, pos)
    if not in_key:
        return "fp" if in_response else "tn"
    if not in_response:
        return "fn"
    tried = in_response if mode == "any" else in_response[-1:]
    return "tp" if set(tried) & set(antecedents(mention, key)) else "wl"


def arcs_classes(
    key: Chains, responses: Sequence[Chains], mode: str, pos: Sequence[str] | None = None
) -> dict[Mention, tuple[str, ...]]:
    """The class under every response of all mentions that the key or any response has."""
    every = {mention for chains in (key, *responses) for chain in chains for mention in chain}
    return {m: tuple(arcs_class(m, key, response, mode, pos) for response in responses) for m in sorted(every)}


def arcs_counts(key: Chains, response: Chains, mode: str, pos: Sequence[str] | None = None) -> dict[str, int]:
    """How many mentions of key and response are tp, wl, fp, fn and tn; counts of documents add up."""
    found = Counter(name for (name,) in arcs_classes(key, [response], mode, pos).values())
    return {name: found[name] for name in CLASSES}


def arcs_prf(documents: Iterable[dict[str, int]]) -> Prf:
    """R = tp / (tp + wl + fn), P = tp / (tp + wl + fp), from the sums over documents."""
    n: Counter[str] = Counter()
    for counts in documents:
        n.update(counts)
    recall_of, precision_of = n["tp"] + n["wl"] + n["fn"], n["tp"] + n["wl"] + n["fp"]
    return prf(Counts(Fraction(n["tp"]), Fraction(recall_of), Fraction(n["tp"]), Fraction(precision_of)))


def transitions(
    key: Chains, first: Chains, second: Chains, mode: str, pos: Sequence[str] | None = None
) -> Counter[tuple[str, str]]:
    """(class before, class after) of every mention that is not tn in both; its total is the number of units."""
    changes = Counter((before, after) for before, after in arcs_classes(key, [first, second], mode, pos).values())
    del changes["tn", "tn"]
    return changes


def kind_of_change(before: str, after: str) -> str:
    """A correction ends in tp or tn, a new error starts there, anything else is a changed error."""
    if before == after:
        return "same"
    if after in ("tp", "tn"):
        return "correction"
    return "new_error" if before in ("tp", "tn") else "changed_error"


def upper_bounds(
    key: Chains, responses: Sequence[Chains], mode: str, pos: Sequence[str] | None = None
) -> dict[str, Bound]:
    """Of `overall`, of `nouns` (the nominal mentions) and of each tag of the others; only `overall` without tags."""
    rows: dict[str, list[tuple[str, ...]]] = {"overall": []}
    for mention, classes in arcs_classes(key, responses, mode, pos).items():
        if _antecedents(mention, key, mode, pos):
            rows["overall"].append(classes)
            if pos is not None:
                kind = "nouns" if is_nominal(mention, pos) else pos[mention[0]]
                rows.setdefault(kind, []).append(classes)
    return {
        kind: Bound(
            units=len(item),
            systems=tuple(sum(row[i] == "tp" for row in item) for i in range(len(responses))),
            any_system=sum("tp" in row for row in item),
        )
        for kind, item in rows.items()
    }
