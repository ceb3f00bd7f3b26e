"""Evenhand as a metric of `evaluate`: tags of sentences in, `Result.metrics()` out.

`evaluate` copies this file into its cache and imports it from there, so it cannot import its neighbours.
"""

from __future__ import annotations

from typing import Any

import datasets
import evaluate

import evenhand as eh

_DESCRIPTION = """Precision, recall and F1 of labeled spans by exact match and by fair match (Ortmann 2022), over all
labels and by label, from sequences of tags such as ["B-PER", "I-PER", "O"]."""
_INPUTS = """
predictions: a list of tags for each sentence, as texts
references: the tags of the gold standard, in the same form
For other keywords see `evenhand.score`: match="exact,fair,ts", labels, exclude, map, repair, encoding, …
"""
_CITATION = """@inproceedings{ortmann-2022-fine,
  title = {Fine-Grained Error Analysis and Fair Evaluation of Labeled Spans},
  author = {Ortmann, Katrin},
  booktitle = {Proceedings of LREC 2022},
  pages = {1400--1407},
  year = {2022}
}"""


class Evenhand(evaluate.Metric):  # type: ignore[misc]
    """Labeled spans, scored by Evenhand."""

    def _info(self) -> Any:
        tags = datasets.Sequence(datasets.Value("string"))
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_INPUTS,
            features=datasets.Features({"predictions": tags, "references": tags}),
        )

    def _compute(self, predictions: Any, references: Any, **options: Any) -> dict[str, float]:
        """The figures under flat names: `f1`, `fair_f1`, `PER_f1`, …"""
        reading: dict[str, Any] = {name: options.pop(name) for name in ("encoding", "repair") if name in options}
        gold = eh.tags(references, name="references", **reading)
        return eh.score(gold, eh.tags(predictions, name="predictions", **reading), layer=None, **options).metrics()
