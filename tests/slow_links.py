"""Entity links judged by plain loops over lists, from the definitions: what the fast judges are compared with."""

from __future__ import annotations

from collections.abc import Sequence

Row = tuple[str, int, int, list[str]]
"""Label, start, end, identifiers."""
Document = Sequence[Row]


def answer(row: Row) -> str:
    return "NIL" if row[3][0].startswith("NIL") else row[3][0]


def keys(document: Document, model: str) -> set[tuple[object, ...]]:
    """The keys of a model, as the table of definitions has them."""
    members = set()
    for row in document:
        label, start, end, _ = row
        is_nil = answer(row) == "NIL"
        name = model.removeprefix("typed_")
        if (name in ("linked_mentions", "links", "entities") and is_nil) or (name == "nil" and not is_nil):
            continue
        bounds = () if name == "entities" else (start, end)
        identifier = (answer(row),) if name in ("links", "all", "entities") else ()
        members.add((*bounds, *identifier, *((label,) if model.startswith("typed_") else ())))
    return members


def sets(gold: Sequence[Document], system: Sequence[Document], model: str) -> tuple[int, int, int]:
    """TP, FP and FN."""
    pairs = [(keys(one, model), keys(other, model)) for one, other in zip(gold, system, strict=True)]
    return (
        sum(len(one & other) for one, other in pairs),
        sum(len(other - one) for one, other in pairs),
        sum(len(one - other) for one, other in pairs),
    )


def weak(gold: Sequence[Document], system: Sequence[Document], depth: int) -> tuple[int, int]:
    """Hits of gold standard and system under `weak_all`."""

    def hit(one: Row, other: Row) -> bool:
        names = ["NIL" if name.startswith("NIL") else name for name in other[3][:depth]]
        return one[1] < other[2] and other[1] < one[2] and answer(one) in names

    pairs = list(zip(gold, system, strict=True))
    return (
        sum(any(hit(one, other) for other in others) for ones, others in pairs for one in ones),
        sum(any(hit(one, other) for one in ones) for ones, others in pairs for other in others),
    )


def hipe(gold: Sequence[Document], system: Sequence[Document], depth: int) -> tuple[int, int]:
    """TP of strict and fuzzy bounds."""
    strict = fuzzy = 0
    for ones, others in zip(gold, system, strict=True):
        used: set[int] = set()
        ordered = sorted(ones, key=lambda row: row[1:3])
        for _, start, end, names in sorted(others, key=lambda row: row[1:3]):
            first = names[:depth]
            equal = [at for at, one in enumerate(ordered) if one[1:3] == (start, end) and one[3][0] in first]
            if equal:
                used.add(equal[0])
                strict, fuzzy = strict + 1, fuzzy + 1
                continue
            for at, one in enumerate(ordered):
                same = one[1:3] == (start, end) and one[3][0] != names[0]
                if same or (one[1] < end and start < one[2] and at not in used):
                    used.add(at)
                    fuzzy += one[3][0] in first
                    break
    return strict, fuzzy
