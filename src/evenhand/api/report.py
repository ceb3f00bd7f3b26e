"""`report`: gold standard and systems in, one page with scores, differences and the units behind them out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Unpack

from evenhand.api.compare import WITHOUT_EFFECT, ComparisonRun, compare
from evenhand.api.rank import rank
from evenhand.api.score import score
from evenhand.api.significance import Resampling
from evenhand.arguments import checked_arguments, whole_number
from evenhand.comparison.collection import Collecting
from evenhand.pipeline.inputs import Side, name_of, named
from evenhand.pipeline.options import Options, content_for, default_match
from evenhand.problems import SettingError
from evenhand.result.report import Report
from evenhand.settings import Resampled

DEFAULT_LIMIT = 50_000
_MOST_TRANSITIONS = 50
"""How many transitions of each class a page lists."""


@checked_arguments(Options.__optional_keys__)
def report(
    gold: Side,
    systems: Side | Sequence[Side] | Mapping[str, Side],
    *,
    title: str | None = None,
    by: str | None = None,
    limit: int = DEFAULT_LIMIT,
    trials: int | None = None,
    resamples: int = 1_000,
    interval: Literal["percentile", "bca"] = "percentile",
    level: float = 0.95,
    seed: int = 0,
    of: Resampled | None = None,
    **options: Unpack[Options],
) -> Report:
    """Score, rank and compare systems, and collect the units behind the figures; `to_html` writes one page.

    title      of the page [the names of the systems, or how many they are]
    by         what units are compared by, as in `compare`; spans always by "fair"
    limit      how many units the page carries: those that systems have wrong or treat differently before others
    trials, resamples, interval, level, seed, of
               of tests and intervals, as in `compare`

    The other keywords are those of `score`.
    """
    limit = whole_number("limit", limit, 0)
    Resampling.checked(0 if trials is None else trials, resamples, interval, level, seed)
    sides = named(systems) or {}
    content = content_for(gold, options)
    if content.task == "spans" and by not in (None, "fair"):
        raise SettingError("A report compares spans by fair, whose verdicts tell the kinds of errors; leave `by` out.")
    scoring: Any = {**options, "match": options.get("match") or default_match(content)}
    comparing: Any = {name: value for name, value in options.items() if name not in WITHOUT_EFFECT}
    collecting = Collecting(limit)
    run = ComparisonRun(gold, sides, by, None, False, None, (), comparing, of, least=1)
    found = run(None, collecting)
    comparison = None
    if len(sides) > 1:
        comparing |= {"trials": trials, "resamples": resamples, "interval": interval, "level": level, "seed": seed}
        comparison = compare(gold, sides, by=by, of=of, top=_MOST_TRANSITIONS, **comparing)
    ranked: Any = {name: value for name, value in scoring.items() if name != "groups"}
    return Report(
        title=title or f"{', '.join(sides) if len(sides) < 6 else f'{len(sides)} systems'} on {name_of(gold)}",
        results=score(gold, sides, **scoring),
        ranking=rank(gold, sides, resamples=resamples, level=level, seed=seed, of=of, **ranked),
        comparison=comparison,
        by=found.by,
        units=collecting,
        labels=tuple(found.comparing.labels.values),
    )
