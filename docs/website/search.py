"""What the search of the site lists first: index entries for names in headings, and for other words that readers type.

Sphinx ranks an index entry that equals the query above titles and text.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

STATISTICS = "reference/definitions/statistics.md"
SCORES = "reference/definitions/scores.md"
AGREEMENT = "reference/definitions/agreement.md"
CHAINS = "reference/definitions/chains.md"
PYTHON = "reference/python.md"
MEASURES = "explanation/measures.md"
ENCODINGS = f"{SCORES}#Encodings and repair"
INTERVALS = f"{STATISTICS}#Bootstrap and intervals"
FAIR = "tutorials/fair.md"
BETTER = "tutorials/better.md"
WORDS = {
    **dict.fromkeys(("bootstrap", "interval", "intervals", "confidence interval", "confidence intervals"), INTERVALS),
    **dict.fromkeys(("significance", "significant", "p-value", "significance test", "p value"), BETTER),
    **dict.fromkeys(("iob", "iob1", "iob2", "bio", "bioes", "iobes", "bilou", "encoding"), ENCODINGS),
    **dict.fromkeys(("precision", "recall"), f"{SCORES}#Precision, recall, F"),
    **dict.fromkeys(("micro", "macro"), f"{SCORES}#Averages and headline"),
    **dict.fromkeys(("f1", "f-score", "which measure"), MEASURES),
    "kappa": f"{AGREEMENT}#Cohen's kappa",
    "fleiss": f"{AGREEMENT}#Fleiss' kappa",
    **dict.fromkeys(("alpha", "krippendorff"), f"{AGREEMENT}#Krippendorff's alpha"),
    "gwet": f"{AGREEMENT}#Gwet's AC1",
    "mcnemar": f"{STATISTICS}#McNemar's test",
    "holm": f"{STATISTICS}#Holm's correction",
    "randomization": f"{STATISTICS}#Approximate randomization",
    "ceaf": f"{CHAINS}#CEAF (`ceaf_m`, `ceaf_e`)",
    **dict.fromkeys(("b-cubed", "bcubed"), f"{CHAINS}#B³ (`b_cubed`)"),
    "accuracy": "reference/definitions/tags.md#Tags of words (`accuracy`)",
    "coreference": "how-to/coreference.md",
    "ner": "tutorials/first-score.md",
    "llm": "tutorials/extractor.md",
    "fair": FAIR,
    "leak": "how-to/leaks.md",
    "germeval": "how-to/germeval.md",
    "spacy": "how-to/coming-from/spacy.md",
    "evaluate": f"{PYTHON}#Hugging Face datasets, evaluate, scikit-learn",
    "hugging face": f"{PYTHON}#Hugging Face datasets, evaluate, scikit-learn",
    "latex": "reference/output.md#LaTeX",
    "json": "reference/output.md#JSON",
    "github actions": "how-to/ci.md#GitHub Actions",
    "power": "tutorials/power.md",
    "signature": "reference/glossary.md#The signature",
    "confusion": "how-to/figures.md",
    "tokenization": "how-to/tokens.md",
    "threshold": "tutorials/threshold.md",
}
"""The page, and the heading if it is not the page's first one, that readers want for a word."""
NAMED = re.compile(r"reference/(formats|definitions/\w+)\.md")
"""Pages whose headings have names in backticks: measures and formats."""
HEADING = re.compile(r"^(#+) (.+)$", re.MULTILINE)
CODE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
FIRST = """() => {
    const result = document.querySelector("#search-results ul.search > li > a");
    return document.querySelector("#search-results .search-summary") && result && result.getAttribute("href");
}"""


def words_of(pages: Mapping[str, str]) -> dict[str, str]:
    """The page and heading for every word: `WORDS`, and each name that only one heading of measures and formats has."""
    positions: defaultdict[str, list[str]] = defaultdict(list)
    for page, text in pages.items():
        if NAMED.fullmatch(page):
            for _, heading in HEADING.findall(CODE.sub("", text)):
                for name in re.findall("`([^`]+)`", heading):
                    positions[name.removesuffix("-…")].append(f"{page}#{heading}")
    return {name: places[0] for name, places in positions.items() if len(places) == 1} | WORDS


def read_words(source: Path) -> dict[str, str]:
    """The words of the pages in this folder; an AssertionError if a page or heading of `WORDS` does not exist."""
    pages = {path.relative_to(source).as_posix(): path.read_text(encoding="utf-8") for path in source.rglob("*.md")}
    words = words_of(pages)
    for word, position in words.items():
        page, _, heading = position.partition("#")
        headings = {each for _, each in HEADING.findall(CODE.sub("", pages[page]))} | {""} if page in pages else ()
        assert heading in headings, f"{word}: there is no {position}; see WORDS in search.py"
    return words


def first_results(browser: Any, site: Path, words: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Every word with the page that the built search lists first."""
    tab = browser.new_page()
    for word in words:
        tab.goto(f"{(site / 'search.html').as_uri()}?q={word}")
        found = tab.wait_for_function(FIRST, timeout=30_000).json_value()
        yield word, found.partition("#")[0]
    tab.close()


def misplaced(browser: Any, site: Path) -> Iterator[str]:
    """Words for which the built search lists another page first."""
    for word, found in first_results(browser, site, WORDS):
        wanted = WORDS[word].partition("#")[0].removesuffix(".md") + ".html"
        if found != wanted:
            yield f"The search for {word!r} lists {found} first, expected {wanted}."
