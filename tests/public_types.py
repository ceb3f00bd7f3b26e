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
