"""Keywords of public functions: unknown names, unknown sides and values of the wrong type are refused."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import evenhand as eh
from conftest import EXAMPLE
from evenhand.cli import main

GOLD, OLD, NEW = (EXAMPLE / f"{name}.conll" for name in ("gold", "crf", "tagger"))
SYSTEMS = [OLD, NEW]
CALLS: dict[str, Any] = {
    "score": lambda **options: eh.score(GOLD, SYSTEMS, **options),
    "compare": lambda **options: eh.compare(GOLD, SYSTEMS, **options),
    "gate": lambda **options: eh.gate(GOLD, OLD, NEW, **options),
    "rank": lambda **options: eh.rank(GOLD, SYSTEMS, **options),
    "rank_suite": lambda **options: eh.rank_suite("suite.toml", **options),
    "report": lambda **options: eh.report(GOLD, SYSTEMS, **options),
    "read": lambda **options: eh.read(GOLD, **options),
}


def refusal(function: str, **options: Any) -> str:
    with pytest.raises(eh.SettingError) as caught:
        CALLS[function](**options)
    return str(caught.value)


def test_a_gate_that_would_pass_by_a_slip_of_the_pen() -> None:
    """With `max_new_errors=0`, it fails."""
    sentence = "gate has no option 'max_new_error'; did you mean max_new_errors? See help(evenhand.gate)."
    assert refusal("gate", max_new_error=0) == sentence
    assert not eh.gate(GOLD, OLD, NEW, max_new_errors=0).passed


@pytest.mark.parametrize(
    ("function", "slip", "meant"),
    [
        ("score", "macth", "match"),
        ("score", "encodings", "encoding"),
        ("compare", "trial", "trials"),
        ("compare", "colum", "column"),
        ("rank", "resample", "resamples"),
        ("rank_suite", "levels_", "levels"),
        ("report", "titel", "title"),
        ("read", "colunm", "column"),
        ("gate", "maxdrop", "max_drop"),
    ],
)
def test_an_unknown_keyword_is_refused_with_the_nearest_one(function: str, slip: str, meant: str) -> None:
    assert (
        refusal(function, **{slip: 1})
        == f"{function} has no option {slip!r}; did you mean {meant}? See help(evenhand.{function})."
    )


@pytest.mark.parametrize("function", list(CALLS))
def test_a_keyword_like_no_other(function: str) -> None:
    assert refusal(function, xyzzy=1) == f"{function} has no option 'xyzzy'; see help(evenhand.{function})."


def test_signatures_stay_what_they_are() -> None:
    assert list(inspect.signature(eh.read).parameters)[:3] == ["path", "format", "column"]
    assert eh.gate.__doc__ is not None
    assert eh.gate.__doc__.startswith("Check a candidate")


@pytest.mark.parametrize("option", ["column", "encoding"])
@pytest.mark.parametrize("function", ["score", "compare", "gate", "rank", "report"])
def test_an_unknown_side_is_refused(function: str, option: str) -> None:
    roles = ", and the roles of columns in data frames document, sentence, token, tag, start, end, label, text, quote"
    sentence = f"{option} has no side 'golds'; the sides are gold and system{roles if option == 'column' else ''}."
    assert refusal(function, **{option: {"golds": 2}}) == sentence


@pytest.mark.parametrize("function", ["score", "compare", "gate", "rank", "report"])
def test_a_format_of_neither_a_side_nor_a_system_is_refused(function: str) -> None:
    sentence = (
        "format has no side 'golds'; did you mean gold? The sides are gold and system, and the systems crf, tagger."
    )
    assert refusal(function, format={"golds": "conll"}) == sentence
    sentence = "format has no side 'xyz'; the sides are gold and system, and the systems crf, tagger."
    assert refusal(function, format={"xyz": "conll"}) == sentence


def test_one_system_may_have_a_format_of_its_own() -> None:
    with pytest.raises(eh.InputError, match=r"crf\.conll"):
        eh.score(GOLD, SYSTEMS, format={"crf": "jsonl"})
    assert eh.score(GOLD, SYSTEMS, format={"crf": "conll"})["tagger"]["exact"].f1 > 0


def two_columns(folder: Path, name: str) -> Path:
    """A file with tags in the second column and different ones in the third."""
    (folder / name).mkdir()
    file = folder / name / "gold.conll"
    file.write_text("Ada\tB-PER\tO\nLovelace\tI-PER\tO\nin\tO\tO\nParis\tB-LOC\tB-LOC\n")
    return file


def test_a_system_called_gold_is_read_as_a_system(tmp_path: Path) -> None:
    """Its name is that of a side, but options for the gold standard do not apply to it."""
    gold, run = two_columns(tmp_path, "gold"), two_columns(tmp_path, "run")
    columns = {"gold": 2, "system": 3}
    assert eh.score(gold, run, column=columns)["exact"].overall.counts == {"TP": 1, "FP": 0, "FN": 1}
    both = eh.score(gold, {"gold": run, "system": run}, column=columns)
    assert both["gold"]["exact"].recall == both["system"]["exact"].recall == 0.5
    compared = eh.compare(gold, {"gold": run, "other": run}, column=columns)
    assert compared.pair("gold", "other").delta == 0
    mapped = eh.score(gold, {"gold": run}, column=columns, map=["gold:LOC=PLACE"])
    assert mapped["gold"]["exact"].overall["TP"] == 0


def test_a_system_with_its_own_format_keeps_the_columns_of_all_systems(tmp_path: Path) -> None:
    gold, run = two_columns(tmp_path, "gold"), two_columns(tmp_path, "run")
    result = eh.score(gold, {"crf": run}, column={"gold": 3, "system": 2}, format={"crf": "conll"})
    assert result["crf"]["exact"].precision == 0.5


def test_an_annotator_called_gold(tmp_path: Path) -> None:
    gold, run = two_columns(tmp_path, "gold"), two_columns(tmp_path, "run")
    columns = {"gold": 2, "system": 3}
    agreed = eh.agree({"gold": gold, "ana": run}, column=columns)
    assert agreed.to_dict() == eh.agree({"gold": gold, "ana": run}, column=3).to_dict()
    with pytest.raises(eh.SettingError, match="map: 'gold' is the name of a side, not only of an annotator; rename"):
        eh.agree({"gold": gold, "ana": run}, map=["gold:LOC=PLACE"])


def test_sides_that_there_are() -> None:
    assert eh.score(GOLD, NEW, encoding={"gold": "iob2", "system": "iob2"}, column={"gold": -1})["exact"].f1 > 0


TRIALS = "it must be a whole number, from 0 to 10,000,000."
RESAMPLES = "it must be a whole number, from 0 to 1,000,000."
SEED = f"it must be a whole number, from 0 to {2**128 - 1:,}."


@pytest.mark.parametrize(
    ("functions", "option", "value", "sentence"),
    [
        ("compare gate report", "trials", "many", f"trials is 'many'; {TRIALS}"),
        ("compare gate report", "trials", 1.5, f"trials is 1.5; {TRIALS}"),
        ("compare gate report", "trials", True, f"trials is True; {TRIALS}"),
        ("compare gate report", "trials", -1, f"trials is -1; {TRIALS}"),
        ("compare gate report", "trials", 10**12, f"trials is 1000000000000; {TRIALS}"),
        ("compare rank report", "resamples", None, f"resamples is None; {RESAMPLES}"),
        ("compare rank report", "resamples", "many", f"resamples is 'many'; {RESAMPLES}"),
        ("compare rank report", "resamples", -1, f"resamples is -1; {RESAMPLES}"),
        ("compare rank report", "resamples", 10**9, f"resamples is 1000000000; {RESAMPLES}"),
        ("compare rank report gate", "seed", 1.5, f"seed is 1.5; {SEED}"),
        ("compare rank report gate", "seed", -1, f"seed is -1; {SEED}"),
        ("compare rank report gate", "seed", None, f"seed is None; {SEED}"),
        ("compare rank report", "level", [], "level is []; it must be a number between 0 and 1."),
        ("compare rank report", "level", 95, "level is 95; it must be a number between 0 and 1."),
        ("compare rank report", "level", float("nan"), "level is nan; it must be a number between 0 and 1."),
        ("compare report", "interval", ["bca"], "interval is ['bca']; it must be a string."),
        ("gate", "alpha", "x", "alpha is 'x'; it must be a number below 1, and at least 0.000001."),
        ("gate", "alpha", 0, "alpha is 0; it must be a number below 1, and at least 0.000001."),
        ("gate", "alpha", float("nan"), "alpha is nan; it must be a number below 1, and at least 0.000001."),
        ("gate", "max_drop", "1", "max-drop is '1'; it must be a number of points from 0 to 100."),
        ("gate", "max_drop", [1], "max-drop is [1]; it must be a number of points from 0 to 100."),
        ("gate", "max_new_errors", 1.5, "max-new-errors is 1.5; it must be a whole number, 0 or more."),
        ("gate", "max_new_errors", "3", "max-new-errors is '3'; it must be a whole number, 0 or more."),
        ("gate", "trials", 0, "trials is 0; for p-values below 0.05 the test needs at least 20."),
        ("compare", "top", "x", "top is 'x'; it must be a whole number, 0 or more."),
        ("compare report", "limit", 1.5, "limit is 1.5; it must be a whole number, 0 or more."),
        ("compare", "jobs", 0, "jobs has no effect in a comparison; remove it."),
        ("compare", "spurious", 0, "spurious has no effect in a comparison; remove it."),
        ("compare gate", "groups", "x", "groups has no effect in a comparison; remove it."),
        ("score report", "groups", "x", "groups is 'x'; choose one of total, document, sentence, finest."),
        ("rank", "groups", "document", "groups has no effect in a ranking; use `of` to specify what is resampled."),
        (
            "compare",
            "slices",
            3,
            "slices is 3; pass names, a table, a frame, or a mapping from names to mappings from ids to values.",
        ),
        ("compare", "vocabulary", 3, "vocabulary is 3; it must be the path of a file, or a list of words, or None."),
        ("score", "match", 3, "match is 3; it must be names of measures, functions, or a list of these, or None."),
        ("score", "labels", [1], "labels is [1]; it must be a string or a list of strings."),
    ],
)
def test_values_that_an_option_cannot_have(functions: str, option: str, value: object, sentence: str) -> None:
    for function in functions.split():
        if option == "limit" and function == "compare":
            assert refusal(function, show="new_error", limit=value) == sentence
        else:
            assert refusal(function, **{option: value}) == sentence


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("gate", GOLD, OLD, NEW, "--trials", 0), "trials is 0; for p-values below 0.05 the test needs at least 20."),
        (("gate", GOLD, OLD, NEW, "--trials", -1), f"trials is -1; {TRIALS}"),
        (("gate", GOLD, OLD, NEW, "--max-drop", 1, "--trials", -1), f"trials is -1; {TRIALS}"),
        (("gate", GOLD, OLD, NEW, "--seed", -1), f"seed is -1; {SEED}"),
        (
            ("gate", GOLD, OLD, NEW, "--max-drop", "nan"),
            "max-drop is nan; it must be a number of points from 0 to 100.",
        ),
        (("compare", GOLD, OLD, NEW, "--trials", 10**20), f"trials is {10**20}; {TRIALS}"),
        (("compare", GOLD, OLD, NEW, "--resamples", 10**7), f"resamples is 10000000; {RESAMPLES}"),
        (("rank", GOLD, OLD, NEW, "--seed", -1), f"seed is -1; {SEED}"),
        (("rank", GOLD, OLD, NEW, "--level", "inf"), "level is inf; it must be a number between 0 and 1."),
        (("report", GOLD, OLD, "-o", "page.html", "--trials", -1), f"trials is -1; {TRIALS}"),
    ],
)
def test_odd_values_on_the_command_line(arguments: tuple, sentence: str) -> None:
    result = CliRunner().invoke(main, [str(each) for each in arguments], prog_name="evenhand")
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", f"evenhand: {sentence}\n")


def test_one_system_has_the_same_options() -> None:
    with pytest.raises(eh.SettingError, match="trials is 'many'"):
        eh.report(GOLD, OLD, trials="many")  # type: ignore[arg-type]


def test_long_values_are_quoted_in_part() -> None:
    assert len(refusal("compare", trials="9" * 10_000)) < 120
    assert len(refusal("score", **{"x" * 10_000: 1})) < 120


def test_numbers_of_other_libraries_are_numbers() -> None:
    """NumPy's, and fractions."""
    plain = eh.compare(GOLD, SYSTEMS, trials=50, resamples=20, seed=2, level=0.5).to_json()
    other = eh.compare(
        GOLD, SYSTEMS, trials=np.int64(50), resamples=np.int32(20), seed=np.uint8(2), level=np.float64(0.5)
    ).to_json()  # type: ignore[arg-type]
    assert plain == other
    assert eh.gate(GOLD, OLD, NEW, max_drop=Fraction(1, 2)).passed  # type: ignore[arg-type]


def test_large_seeds() -> None:
    found = eh.rank(GOLD, SYSTEMS, resamples=5, seed=2**128 - 1)
    assert eh.Ranking.from_json(found.to_json()).seed == 2**128 - 1


# Public functions with arguments of wrong types or values: one sentence of Evenhand's own, whatever is wrong


GOLD_WRONG_ARGUMENTS, SYSTEM, OTHER = (EXAMPLE / name for name in ("gold.conll", "crf.conll", "tagger.conll"))
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

    def calls_of(function: str, wrong: dict[str, tuple[Any, ...]], *files: Any, **others: Any) -> Iterator[Any]:
        for name, values in wrong.items():
            for value in values:
                shown = f"{function}(…, {name}={named(value)})"
                yield shown, lambda name=name, value=value: getattr(eh, function)(*files, **{**others, name: value})

    yield from calls_of("score", OPTIONS, GOLD_WRONG_ARGUMENTS, SYSTEM)
    yield from calls_of(
        "rank", {**STATISTICS, "unknown": UNKNOWN, "task": (3,)}, GOLD_WRONG_ARGUMENTS, [SYSTEM], match="exact"
    )
    yield from calls_of(
        "compare", {**COMPARING, "unknown": UNKNOWN, "task": (3,)}, GOLD_WRONG_ARGUMENTS, [SYSTEM, OTHER], **compared
    )
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
    yield from calls_of(
        "gate", {**gate, "max_new_error": (0,), "by": (3,)}, GOLD_WRONG_ARGUMENTS, SYSTEM, OTHER, trials=10
    )
    page = {"title": (3, b"x", []), "limit": (*NO_COUNT,), "by": (3, "iou"), "unknown": UNKNOWN}
    yield from calls_of("report", page, GOLD_WRONG_ARGUMENTS, [SYSTEM], **compared)
    yield from calls_of("read", READING, GOLD_WRONG_ARGUMENTS)
    germeval = {"delimiter": (3, b"x", "", "a\nb"), "repair": NO_CHOICE}
    yield from calls_of("germeval", germeval, GOLD_WRONG_ARGUMENTS, SYSTEM)
    yield from calls_of("rank_suite", STATISTICS, GOLD_WRONG_ARGUMENTS)
    for function in ("read", "manifest", "rank_suite"):
        yield from (
            (f"{function}({named(value)})", lambda f=function, v=value: getattr(eh, f)(v)) for value in (*NO_FILE, None)
        )
    for value in (*NO_FILE, None, {}, [], [GOLD_WRONG_ARGUMENTS]):
        for function in ("score", "rank", "compare", "report"):
            shown = f"{function}({named(value)}, …)"
            yield shown, lambda f=function, v=value: getattr(eh, f)(v, [SYSTEM, OTHER])
        yield f"gate({named(value)}, …)", lambda v=value: eh.gate(v, SYSTEM, OTHER)
        yield f"gate(…, {named(value)})", lambda v=value: eh.gate(GOLD_WRONG_ARGUMENTS, SYSTEM, v)
        yield f"germeval({named(value)})", lambda v=value: eh.germeval(v)
    for value in NO_SYSTEMS:
        for function in ("score", "rank", "compare", "report"):
            shown = f"{function}(…, {named(value)})"
            yield shown, lambda f=function, v=value: getattr(eh, f)(GOLD_WRONG_ARGUMENTS, v)
    for kind in ("Result", "Results", "Comparison", "Ranking"):
        for value in (None, 3, b"x", [], {}, NOWHERE, "", "[]", "{}", GOLD_WRONG_ARGUMENTS, ODD):
            yield f"{kind}.from_json({named(value)})", lambda k=kind, v=value: getattr(eh, k).from_json(v)
    for value in (None, 3, b"x.parquet", [], "x.txt", ODD):
        engine = eh.engines.recording
        yield (
            f"recording({named(value)})",
            lambda v=value, e=engine: eh.score(GOLD_WRONG_ARGUMENTS, SYSTEM, engine=e(v)),
        )
    entries = (None, 5, ODD, [None], [5], [ODD], [b"x"], [NAN], "x", {"a": None})
    for function in ("tags", "spans", "trees", "chains", "links", "constituents"):
        for value in (*entries, *(() if function == "constituents" else ([[None]], [[5]], [["x", None]]))):
            yield f"{function}({named(value)})", lambda f=function, v=value: getattr(eh, f)(v)
    for value in entries:
        yield f"relations({named(value)}, …)", lambda v=value: eh.relations(v, [[("r", 0, 1)]])
        yield f"relations(…, {named(value)})", lambda v=value: eh.relations([[("A", 0, 1), ("B", 1, 2)]], v)
    for value in ("x", 0.5, -1, [], ODD):
        yield (
            f"processes({named(value)})",
            lambda v=value: eh.score(GOLD_WRONG_ARGUMENTS, SYSTEM, engine=eh.engines.processes(v)),
        )


CALLS_WRONG_ARGUMENTS = list(calls())


def test_there_are_many() -> None:
    assert len(CALLS_WRONG_ARGUMENTS) > 600


@pytest.mark.parametrize(("shown", "call"), CALLS_WRONG_ARGUMENTS, ids=[shown for shown, _ in CALLS_WRONG_ARGUMENTS])
def test_wrong_arguments_give_a_sentence(shown: str, call: Callable[[], object]) -> None:
    with pytest.raises(eh.EvenhandError) as raised:
        call()
    message = str(raised.value)
    assert "\n" not in message
    assert len(message) < 700
    assert message.endswith(".")
