"""What a type checker sees of the public names: `make check` runs mypy on this file, and nothing runs it."""

from __future__ import annotations

from typing import assert_type

import polars

import evenhand as eh

GOLD, SYSTEM = "gold.conll", "system.conll"


def scores() -> None:
    result = eh.score(GOLD, SYSTEM)
    assert_type(result, eh.Result)
    assert_type(eh.score(GOLD, [SYSTEM, SYSTEM]), eh.Results)
    assert_type(eh.score(GOLD, {"one": SYSTEM}), eh.Results)
    assert_type(result["exact"].f1, float)
    assert_type(result["exact"].overall.counts["TP"], float | None)
    assert_type(result.signature, str)
    assert_type(result.to_json(), str)
    assert_type(str(result), str)


def matches_a_bit(gold: eh.Span, system: eh.Span) -> float:
    return 0.5 if gold.label == system.label else 0


def keywords() -> None:
    """Keywords of all functions: a misspelt name or a wrong kind of value is an error of the type checker."""
    assert_type(eh.score(GOLD, SYSTEM, match="fair", iou=0.3, jobs=2), eh.Result)
    assert_type(eh.score(GOLD, [SYSTEM], match=["exact", matches_a_bit], task="ner"), eh.Results)
    eh.compare(GOLD, [SYSTEM, SYSTEM], by=matches_a_bit, punctuation="form")
    eh.gate(GOLD, {"old": SYSTEM}, {"new": SYSTEM}, by="exact", floor={"f1": "85%"}, levels="separate")
    eh.score(GOLD, SYSTEM, mtach="fair")  # type: ignore[call-overload]
    eh.score(GOLD, [SYSTEM], match=3)  # type: ignore[call-overload]
    eh.compare(GOLD, [SYSTEM, SYSTEM], mtach="fair")  # type: ignore[call-arg]
    eh.rank(GOLD, [SYSTEM], mtach="fair")  # type: ignore[call-arg]
    eh.rank_suite("suite.toml", mtach="fair")  # type: ignore[call-arg]
    eh.gate(GOLD, SYSTEM, SYSTEM, flor={"f1": 1})  # type: ignore[call-arg]
    eh.report(GOLD, [SYSTEM], mtach="fair")  # type: ignore[call-arg]
    eh.evaluate(GOLD, SYSTEM, mtach="fair")  # type: ignore[call-arg]
    eh.agree([GOLD, SYSTEM], tsak="spans")  # type: ignore[call-arg]
    eh.adjudicate(GOLD, "overrides.jsonl", encodng="iob2")  # type: ignore[call-arg]
    eh.read(GOLD, fromat="conll")  # type: ignore[call-arg]
    eh.read(GOLD, sentences=3)  # type: ignore[arg-type]


def other_commands() -> None:
    comparison = eh.compare(GOLD, [SYSTEM, SYSTEM])
    assert_type(comparison, eh.Comparison)
    assert_type(comparison.pair("one", "two").corrections.count, int)
    assert_type(eh.rank(GOLD, [SYSTEM]), eh.Ranking)
    assert_type(eh.report(GOLD, [SYSTEM]), eh.Report)
    assert_type(eh.gate(GOLD, SYSTEM).passed, bool)
    assert_type(eh.agree({"ana": GOLD, "ben": SYSTEM}), eh.Agreement)
    assert_type(eh.germeval(GOLD, SYSTEM), eh.GermEval)
    assert_type(eh.cite("fair"), str)


def lists() -> None:
    words = [["Ada", "wrote"]]
    assert_type(eh.tags([["B-PER", "O"]], tokens=words), eh.Annotation)
    assert_type(eh.spans([[("PER", 0, 1)]]), eh.Annotation)
    assert_type(eh.trees([[(2, "nsubj"), (0, "root")]]), eh.Annotation)
    assert_type(eh.constituents(["(S (NP Ada) (VP wrote))"]), eh.Annotation)


def problems() -> None:
    try:
        eh.score(GOLD, SYSTEM)
    except eh.InputError as error:
        assert_type(error, eh.InputError)
    except eh.SettingError as error:
        assert_type(error, eh.SettingError)


def frames() -> None:
    frame = polars.DataFrame({"sentence": [1], "token": ["Ada"], "tag": ["B-PER"]})
    assert_type(eh.read(frame, column={"token": "token"}), eh.Annotation)
    assert_type(eh.score(frame, frame), eh.Result)
    assert_type(eh.score(frame, {"one": frame, "two": SYSTEM}), eh.Results)
    assert_type(eh.score(frame, column={"gold": "tag", "system": "prediction", "token": "word"}), eh.Result)
    sliced = eh.score(GOLD, SYSTEM, slices=["length", {"genre": {"1": "news"}}, frame])
    assert_type(sliced.slices["genre"]["news"]["exact"].f1, float)
    assert_type(eh.score(GOLD, SYSTEM, slices=frame), eh.Result)
