"""Public functions with arguments of wrong types or values: one sentence of Evenhand's own, whatever is wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import evenhand as eh
from conftest import EXAMPLE

GOLD, SYSTEM, OTHER = (EXAMPLE / name for name in ("gold.conll", "crf.conll", "tagger.conll"))
NOWHERE = Path("no") / "such.file"
NAN = float("nan")
HUGE = 10**400
"""Too large for a float."""


class _Odd:
    """Something of no type that is known."""

    def __repr__(self) -> str:
        return "odd"


ODD = _Odd()

NO_FILE: tuple[Any, ...] = (3, 2.5, b"x", ODD, NOWHERE, "", "no\0file", len, {1, 2})
NO_SYSTEMS: tuple[Any, ...] = (
    *(
        3,
        2.5,
        b"x",
        ODD,
        NOWHERE,
        "",
        [],
        {},
        [None],
        [3],
        {"a": 3},
        {3: SYSTEM},
        {"": SYSTEM},
        [[SYSTEM]],
        len,
        {1},
    ),
)
NO_CHOICE: tuple[Any, ...] = (3, "no such", b"x", ["spans"], {}, ODD, "")
NO_NAMES: tuple[Any, ...] = (3, b"x", [3], [None], {"a": 1}, ODD)
NO_NUMBER: tuple[Any, ...] = ("x", b"1", [1], None, {}, NAN, -1, -HUGE, ODD)
NO_COUNT: tuple[Any, ...] = (*NO_NUMBER, 0.5, float("inf"))
NO_FLAG: tuple[Any, ...] = (3, "x", None, [])
OPTIONS: dict[str, tuple[Any, ...]] = {
    "match": (3, "no such", b"x", [3], [None], {"a": 1}, ODD, [], ""),
    "task": NO_CHOICE,
    "labels": NO_NAMES,
    "exclude": NO_NAMES,
    "map": (3, b"x", [3], {"a": 3}, {3: "a"}, "a", ["a"], ODD),
    "align": NO_CHOICE,
    "punctuation": (3, None, "no such", b"x", []),
    "subtypes": (3, "x", []),
    "levels": (*NO_CHOICE, None),
    "focus": (*NO_CHOICE, None),
    "beta": (*NO_NUMBER, 0, float("inf"), HUGE, 10**5000, 1e308, 5e-324),
    "weights": (3, b"x", [], "x", "", {"LE": 1}, ODD),
    "separator_weight": NO_NUMBER,
    "token_weight": (2.5, b"x", [1], "no such", ODD, 99),
    "supertag": (3, b"x", [3], "=", ["A", "A"], ODD),
    "baselines": NO_FLAG,
    "spurious": NO_COUNT,
    "missing": NO_COUNT,
    "iou": (*NO_NUMBER, 0, 2, HUGE),
    "singletons": (3, "x", None),
    "nominal": (3, b"x", [3], ODD),
    "format": (*NO_CHOICE[:4], {"silver": "conll"}, {"gold": 3}, ODD),
    "column": (2.5, b"x", [None], 0, 99, {"silver": 1}, {"gold": 2.5}, ODD, "no such"),
    "encoding": (*NO_CHOICE[:4], {"silver": "iob2"}, {"gold": 3}, ODD),
    "repair": (*NO_CHOICE, None),
    "offsets": (*NO_CHOICE[:4], {"silver": "utf16"}, {"gold": 3}, "utf16,bytes", ODD),
    "functions": NO_FLAG,
    "groups": (*NO_CHOICE, None),
    "jobs": ("x", b"1", [1], -1, 0.5, ODD),
    "engine": (3, "dask", [], {}),
}
"""What no keyword of `score` may be."""
STATISTICS: dict[str, tuple[Any, ...]] = {
    "resamples": NO_COUNT,
    "level": (*NO_NUMBER, 0, 1, 95, HUGE),
    "seed": NO_COUNT,
}
COMPARING: dict[str, tuple[Any, ...]] = {
    **STATISTICS,
    "by": NO_CHOICE[:6],
    "baseline": (3, "no such", b"x", [], ODD),
    "trials": ("x", b"1", [1], {}, NAN, -1, 0.5, ODD),
    "interval": (*NO_CHOICE, None),
    "slices": (3, b"x", [3], ODD, "no such"),
    "vocabulary": (3, 2.5, b"x", [3], NOWHERE, ODD),
    "show": NO_CHOICE[:6],
    "limit": ("x", -1, 0.5, [], 5),
    "top": NO_COUNT,
    "sort": NO_CHOICE[:6],
    "sequence": NO_FLAG,
}
READING: dict[str, tuple[Any, ...]] = {name: OPTIONS[name] for name in ("repair", "functions", "task")} | {
    "offsets": NO_CHOICE[:6],
    "format": NO_CHOICE[:6],
    "encoding": NO_CHOICE[:6],
    "column": (2.5, b"x", [None], 0, 99, ODD, {}),
}
UNKNOWN: tuple[Any, ...] = (1,)


def named(value: Any) -> str:
    """A short name, which does not depend on the machine."""
    is_long = isinstance(value, int) and value.bit_length() > 10_000
    return "10**5000" if is_long else repr(value).replace(str(EXAMPLE), "")[:40]


def calls() -> Iterator[tuple[str, Callable[[], object]]]:
    quick = {"resamples": 0}
    compared: Any = {"trials": 0, **quick}

    def each(function: str, wrong: dict[str, tuple[Any, ...]], *files: Any, **others: Any) -> Iterator[Any]:
        for name, values in wrong.items():
            for value in values:
                shown = f"{function}(…, {name}={named(value)})"
                yield shown, lambda name=name, value=value: getattr(eh, function)(*files, **{**others, name: value})

    yield from each("score", OPTIONS, GOLD, SYSTEM)
    yield from each("rank", {**STATISTICS, "unknown": UNKNOWN, "task": (3,)}, GOLD, [SYSTEM], match="exact")
    yield from each("compare", {**COMPARING, "unknown": UNKNOWN, "task": (3,)}, GOLD, [SYSTEM, OTHER], **compared)
    gate = {
        "max_drop": ("x", b"1", [], NAN, -1, HUGE, "x%", "101pp"),
        "max_new_errors": ("x", 0.5, -1, []),
        "alpha": ("x", 0, 2, NAN, [], HUGE, "100%"),
    }
    gate |= {
        name: (3, "x", {"fair": "x"}, {3: 0.5}, {"fair": NAN}, {"fair": HUGE}, {"FP": HUGE})
        for name in ("floor", "ceiling")
    }
    gate |= {"max_label_drop": ("x", -1, NAN, [], HUGE), "only": (*NO_FLAG, True)}
    yield from each("gate", {**gate, "max_new_error": (0,), "by": (3,)}, GOLD, SYSTEM, OTHER, trials=10)
    page = {"title": (3, b"x", []), "limit": (*NO_COUNT,), "by": (3, "exact"), "unknown": UNKNOWN}
    yield from each("report", page, GOLD, [SYSTEM], **compared)
    yield from each("read", READING, GOLD)
    germeval = {"delimiter": (3, b"x", "", "a\nb"), "repair": NO_CHOICE}
    yield from each("germeval", germeval, GOLD, SYSTEM)
    yield from each("rank_suite", STATISTICS, GOLD)
    for function in ("read", "manifest", "rank_suite"):
        yield from (
            (f"{function}({named(value)})", lambda f=function, v=value: getattr(eh, f)(v)) for value in (*NO_FILE, None)
        )
    for value in (*NO_FILE, None, {}, [], [GOLD]):
        for function in ("score", "rank", "compare", "report"):
            shown = f"{function}({named(value)}, …)"
            yield shown, lambda f=function, v=value: getattr(eh, f)(v, [SYSTEM, OTHER])
        yield f"gate({named(value)}, …)", lambda v=value: eh.gate(v, SYSTEM, OTHER)
        yield f"gate(…, {named(value)})", lambda v=value: eh.gate(GOLD, SYSTEM, v)
        yield f"germeval({named(value)})", lambda v=value: eh.germeval(v)
    for value in NO_SYSTEMS:
        for function in ("score", "rank", "compare", "report"):
            shown = f"{function}(…, {named(value)})"
            yield shown, lambda f=function, v=value: getattr(eh, f)(GOLD, v)
    for kind in ("Result", "Results", "Comparison", "Ranking"):
        for value in (None, 3, b"x", [], {}, NOWHERE, "", "[]", "{}", GOLD, ODD):
            yield f"{kind}.from_json({named(value)})", lambda k=kind, v=value: getattr(eh, k).from_json(v)
    for value in (None, 3, b"x.parquet", [], "x.txt", ODD):
        engine = eh.engines.recording
        yield f"recording({named(value)})", lambda v=value, e=engine: eh.score(GOLD, SYSTEM, engine=e(v))
    entries = (None, 5, ODD, [None], [5], [ODD], [b"x"], [NAN], "x", {"a": None})
    for function in ("tags", "spans", "trees", "chains", "links", "constituents"):
        for value in (*entries, *(() if function == "constituents" else ([[None]], [[5]], [["x", None]]))):
            yield f"{function}({named(value)})", lambda f=function, v=value: getattr(eh, f)(v)
    for value in entries:
        yield f"relations({named(value)}, …)", lambda v=value: eh.relations(v, [[("r", 0, 1)]])
        yield f"relations(…, {named(value)})", lambda v=value: eh.relations([[("A", 0, 1), ("B", 1, 2)]], v)
    for value in ("x", 0.5, -1, [], ODD):
        yield f"processes({named(value)})", lambda v=value: eh.score(GOLD, SYSTEM, engine=eh.engines.processes(v))


CALLS = list(calls())


def test_there_are_many() -> None:
    assert len(CALLS) > 600


@pytest.mark.parametrize(("shown", "call"), CALLS, ids=[shown for shown, _ in CALLS])
def test_wrong_arguments_give_a_sentence(shown: str, call: Callable[[], object]) -> None:
    with pytest.raises(eh.EvenhandError) as raised:
        call()
    message = str(raised.value)
    assert "\n" not in message
    assert len(message) < 700
    assert message.endswith(".")
