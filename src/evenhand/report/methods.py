"""The methods paragraph of a paper: what was computed, with citations, from a result or its JSON.

`methods` returns LaTeX: the paragraph with `\\cite`, then the BibTeX entries that it cites. `paragraph` returns plain
text, for a page. `sources_of` returns the papers that define a measure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from inspect import cleandoc
from math import comb
from pkgutil import resolve_name
from typing import Any

from evenhand import __version__
from evenhand.errors import SettingError, counted
from evenhand.registry import BibliographyEntry, named_in, references
from evenhand.report.latex import escaped
from evenhand.scoring.measure import Measure
from evenhand.tasks.registry import TASKS, model, models_of

KEY = "evenhand"
Saved = Mapping[str, Any]
"""The JSON of a result."""
Cite = Callable[[Sequence[str]], str]
"""Writes the citation of entries, given their keys."""
_COMMANDS = ("score", "rank", "compare", "agree")
_AGREEMENT = {
    "kappa": ("Cohen's kappa", ("cohen1960",)),
    "fleiss": ("Fleiss' kappa", ("fleiss1971",)),
    "alpha": ("Krippendorff's alpha", ("krippendorff1980",)),
    "ac1": ("Gwet's AC1", ("gwet2008",)),
}


def software(version: str = __version__) -> str:
    """The BibTeX entry of Evenhand."""
    return f"""@software{{{KEY},
  author = {{{{The Evenhand authors}}}},
  title = {{Evenhand: Even-handed evaluation and comparison of text annotation systems}},
  version = {{{version}}},
  url = {{https://github.com/evenhand/evenhand}}
}}"""


def sources_of(measure: Measure) -> list[BibliographyEntry]:
    """The papers that the last paragraph of a measure's definition cites."""
    try:
        definition = cleandoc(resolve_name(measure.definition).__doc__ or "").rpartition("\n\n")[2]
    except (AttributeError, ImportError, ValueError):  # a plug-in may name a definition that does not exist
        return []
    return named_in(definition)


def methods(saved: Saved) -> str:
    """The paragraph as LaTeX, and the BibTeX entries that it cites."""
    keys: dict[str, None] = {}

    def cite(cited: Sequence[str]) -> str:
        keys.update(dict.fromkeys(cited))
        return rf"~\cite{{{','.join(cited)}}}" if cited else ""

    sentences = list(_sentences(saved, cite, escaped))
    text = " ".join([*sentences, rf"Signature: \texttt{{{_breakable(escaped(saved['signature']))}}}."])
    entries = {reference.key: reference.bibtex for reference in references()}
    bibtex = [software(saved["evenhand"]), *(entries[key] for key in keys if key != KEY)]
    return "\n\n".join([text, *bibtex]) + "\n"


def paragraph(saved: Saved) -> str:
    """The paragraph as plain text, with authors and years."""
    labels = {reference.key: reference.label for reference in references()} | {KEY: "Evenhand"}

    def cite(cited: Sequence[str]) -> str:
        named = "; ".join(labels[key] for key in cited if key != KEY)
        return f" ({named})" if named else ""

    return " ".join([*_sentences(saved, cite, str), f"Signature: {saved['signature']}"])


def _breakable(signature: str) -> str:
    """A signature that LaTeX may break between settings."""
    return signature.replace(r"\textbar{}", r"\textbar{}\allowbreak{}")


def _sentences(saved: Saved, cite: Cite, text: Callable[[str], str]) -> Iterator[str]:
    command = saved.get("command")
    if command not in _COMMANDS:
        raise SettingError(f"A methods paragraph is for results of {', '.join(_COMMANDS)}, not of {command}.")
    if command == "agree":
        yield from _of_agreement(saved, cite, text)
        return
    task = TASKS[saved["task"]]
    systems, gold = len(saved["systems"]), saved.get("gold")
    size = "" if gold is None else f" ({counted(gold['units'], task.unit)} in {_texts(gold)})"
    subject = "one system" if systems == 1 else counted(systems, "system")
    yield f"We scored {subject} against the gold standard{size} with Evenhand {text(saved['evenhand'])}{cite([KEY])}."
    yield _on_measures(saved, cite, text)
    resampling = saved.get("resampling") or saved.get("summary", {}).get("resampling")
    if resampling is not None and resampling["of"]:
        yield from _on_resampling(saved, resampling, cite)


def _texts(gold: Saved) -> str:
    """The number of documents; of a single document, the number of sentences."""
    sizes = gold.get("documents") or 0, gold.get("sentences") or 0
    return counted(sizes[0], "document") if sizes[0] > 1 else counted(sizes[1], "sentence")


def _on_measures(saved: Saved, cite: Cite, text: Callable[[str], str]) -> str:
    """The measures with their sources; in a comparison, only the compared measure."""
    names = [saved["by"]] if "by" in saved else _settings(saved["signature"]).get("match", "").split(",")
    known, named = {measure.name for measure in models_of(saved["task"])}, []
    for name in names:
        if name.partition("@")[0] not in known:  # a function of the user, or a plug-in that is not installed
            named.append(text(name))
            continue
        measure = model(saved["task"], name)
        named.append(f"{text(measure.title or measure.name)}{cite([source.key for source in sources_of(measure)])}")
    listed = " and ".join(filter(None, (", ".join(named[:-1]), named[-1])))
    return f"{'The measure is' if len(named) == 1 else 'The measures are'} {listed}."


def _on_resampling(saved: Saved, resampling: Saved, cite: Cite) -> Iterator[str]:
    """Intervals and tests. A ranking has its number of trials under `clusters`."""
    if resampling["resamples"]:
        is_bca = resampling.get("interval") == "bca"
        sources = [*(["efron1987"] if is_bca else []), "efron1993"]
        method = "BCa" if is_bca else "percentile"
        shared = ["koehn2004"] if len(saved["systems"]) > 1 else []
        what = "Confidence intervals of differences" if "pairs" in saved else "Confidence intervals"
        same = f", the same for all systems{cite(shared)}" if shared else ""
        resamples = f"{counted(resampling['resamples'], 'resample')} of {resampling['of']}"
        bootstrap = f"{method} bootstrap intervals{cite(sources)} from {resamples}{same}"
        yield f"{what} at a level of {resampling['level']:g} are {bootstrap}."
    clusters = saved.get("clusters") or {}
    trials = resampling.get("trials") or clusters.get("trials")
    if trials and len(saved["systems"]) > 1:
        pairs = len(saved["pairs"]) if "pairs" in saved else comb(len(saved["systems"]), 2)
        correction = (
            f", corrected for {counted(pairs, 'pair')} by Holm's method{cite(['holm1979'])}" if pairs > 1 else ""
        )
        test = f"approximate randomization{cite(['noreen1989', 'yeh2000'])}"
        how = f"with {trials:,} trials, or all permutations if these are fewer{correction}"
        yield f"Differences were tested by two-sided {test} of {resampling['of']} {how}."
        if any("mcnemar" in pair for pair in saved.get("pairs", ())):
            yield f"McNemar's exact test{cite(['mcnemar1947', 'fagerland2013'])} compares single words."
        if clusters:
            yield (
                f"Systems in one cluster are not significantly worse than its best system{cite(['freitag2023'])}, at "
                f"a level of {clusters['alpha']:g}."
            )


def _of_agreement(saved: Saved, cite: Cite, text: Callable[[str], str]) -> Iterator[str]:
    annotators, codes = counted(len(saved["annotators"]), "annotator"), saved.get("codes", {}).get("all", {})
    yield f"We measured the agreement of {annotators} with Evenhand {text(saved['evenhand'])}{cite([KEY])}."
    figures = [f"{name}{cite(keys)}" for key, (name, keys) in _AGREEMENT.items() if codes.get(key) is not None]
    if saved.get("f1"):
        figures.append(f"the mean F1 of pairs of annotators{cite(['hripcsak2005'])}")
    if figures:
        yield f"We report {' and '.join(filter(None, (', '.join(figures[:-1]), figures[-1])))}."


def _settings(signature: str) -> dict[str, str]:
    return dict(pair.partition(":")[::2] for pair in signature.split("|"))
