"""The ratios that Evenhand promises, each between two contenders of the same run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Promise:
    """A ratio: `slow` takes at least (or at most) so many times what `fast` takes."""

    what: str
    slow: str
    fast: str
    floor: float | None = None
    ceiling: float | None = None
    times: float = 1.0
    """By how much more text `slow` has."""

    def row(self, seconds: dict[str, float], slack: float = 1.0) -> dict[str, Any]:
        """The ratio beside its bound; `slack` is by how much it may be missed."""
        ratio = seconds[self.slow] / seconds[self.fast] / self.times
        if self.floor is not None:
            return bounded(self.what, ratio, floor=self.floor / slack)
        return bounded(self.what, ratio, ceiling=None if self.ceiling is None else self.ceiling * slack)


def bounded(
    what: str, value: float, *, floor: float | None = None, ceiling: float | None = None, unit: str = "times"
) -> dict[str, Any]:
    """A measurement beside its bound, if it has one."""
    kept = (floor is None or value >= floor) and (ceiling is None or value <= ceiling)
    wanted = "" if floor is None and ceiling is None else f">= {floor:g}" if ceiling is None else f"<= {ceiling:g}"
    return {"what": what, "value": value, "unit": unit, "wanted": wanted, "kept": kept}


PROMISES = (
    Promise("file to report, seqeval : exact + fair", "seqeval", "evenhand", floor=70),
    Promise("file to report, nervaluate : exact + fair", "nervaluate", "evenhand", floor=45),
    Promise("file to report, seqscore : exact + fair", "seqscore", "evenhand"),
    Promise("file to report, conlleval loop : exact", "conlleval-loop", "evenhand-exact", floor=9),
    Promise("file to report, leak : exact", "evenhand-leak", "evenhand-exact"),
    Promise("lists to report, seqeval : exact + fair", "seqeval-lists", "evenhand-lists", floor=15),
    Promise("lists to report, seqeval : its drop-in", "seqeval-lists", "evenhand-drop-in", floor=30),
    Promise("lists in batches of 32 sentences : all at once", "evenhand-metric", "evenhand-lists", ceiling=3),
    Promise("JSON lines to layer, json.loads : Evenhand", "json-loads", "evenhand-jsonl", floor=3),
    Promise("answers with a place for each string : json.loads", "evenhand-ground", "answers-loop", ceiling=60),
    Promise("the same, all strings verbatim : json.loads", "evenhand-ground-plain", "answers-loop-plain", ceiling=25),
    Promise("2,000 documents of brat to layer : plain loop", "evenhand-brat", "plain-brat", ceiling=3),
    Promise("Parquet to layer : column file to layer", "evenhand-parquet", "evenhand-columns"),
    Promise("fair curve of 100,000 spans with scores : one score", "evenhand-fair-curve", "evenhand-fair", ceiling=10),
    Promise("rank of 16 systems, 1,000 resamples : score of one", "evenhand-rank", "evenhand-four", ceiling=12),
    Promise("the same with clusters of significance : score of one", "evenhand-clusters", "evenhand-four", ceiling=30),
    Promise("suspects of 16 systems : rank of 16 systems", "evenhand-suspects", "evenhand-rank", ceiling=5),
    Promise("CPU per token, 10 million : 1 million", "evenhand-10M", "evenhand", ceiling=1.25, times=10),
    Promise("CPU per token, 100 million : 1 million", "evenhand-100M", "evenhand", ceiling=1.25, times=100),
    Promise("13 metrics of CoNLL 2018, udtools : Evenhand", "udtools", "evenhand-conll18", floor=10),
    Promise(
        "the same, CPU per word, 4 million : 1 million",
        "evenhand-conll18-4M",
        "evenhand-conll18",
        ceiling=1.25,
        times=189 / 47,
    ),
    Promise("all scores of 1,000 documents' chains : plain loop", "evenhand-chains", "plain-chains", ceiling=2.5),
    Promise("the same with errors by entity : all scores", "evenhand-entities", "evenhand-chains", ceiling=5),
    Promise("the same of ECB+, one document : plain loop", "evenhand-ecbp", "plain-ecbp", ceiling=10),
    Promise(
        "the same, CPU per token, 4,000 documents : 1,000",
        "evenhand-chains-4k",
        "evenhand-chains",
        ceiling=1.25,
        times=4,
    ),
    Promise("CorefUD by heads, GUM ten times : plain stand-in", "evenhand-corefud", "plain-corefud", ceiling=0.1),
    Promise(
        "eHealth-KD, 6 models with start : stand-in, a plain loop",
        "evenhand-relations",
        "ehealthkd-loop",
        ceiling=1,
    ),
    Promise("lists of 20 records, stickler-eval : exact + fair", "stickler-20", "evenhand-records-20", floor=5),
    Promise("the same, anls-star : exact + fair", "anls-star-20", "evenhand-records-20", floor=50),
    Promise("lists of 100 records, stickler-eval : exact + fair", "stickler-100", "evenhand-records-100", floor=10),
    Promise("flat records, stickler-eval : exact + fair", "stickler-flat", "evenhand-records-flat", floor=3),
    Promise("the same, anls-star : exact + fair", "anls-star-flat", "evenhand-records-flat", floor=1),
    Promise("links of 99,710 tokens, with start : plain HIPE loop", "evenhand-links", "plain-links", ceiling=0.15),
    Promise("all figures of EVALB : plain reader", "evenhand-constituents", "plain-brackets", ceiling=1.5),
    Promise("all 120 pairs of 16 systems : score of one", "evenhand-compare", "evenhand-one", ceiling=40),
    Promise("power of two systems : compare with intervals", "evenhand-power", "evenhand-pair", ceiling=3),
    Promise("causes of one system : score of one", "evenhand-causes", "evenhand-one", ceiling=20),
    Promise("10,000 trials and resamples : score of one", "evenhand-tests", "evenhand-100k", ceiling=3),
    Promise("`evenhand --help` : `import click`", "help", "import-click", ceiling=2),
    Promise("`evenhand score` of a small file : `import numpy`", "score-small", "import-numpy", ceiling=2),
    Promise("the same as JSON : `import numpy`", "score-small-json", "import-numpy", ceiling=2),
)
SAME = (
    (
        "evenhand",
        "evenhand-exact",
        "evenhand-lists",
        "evenhand-metric",
        "conlleval-loop",
        "seqscore",
        "nervaluate",
        "seqeval",
    ),
    ("evenhand-drop-in", "seqeval-lists"),
    ("evenhand-jsonl", "json-loads"),
    ("evenhand-ground", "answers-loop", "evenhand-ground-plain", "answers-loop-plain"),
    ("evenhand-parquet", "evenhand-columns"),
    ("evenhand-brat", "plain-brat"),
    ("evenhand-fair-curve", "evenhand-fair"),
    ("evenhand-conll18", "udtools"),
    ("evenhand-relations", "ehealthkd-loop"),
    ("evenhand-links", "plain-links"),
    ("evenhand-corefud", "plain-corefud"),
)
"""Contenders that must have done the same work: the same F1, or as many spans."""
