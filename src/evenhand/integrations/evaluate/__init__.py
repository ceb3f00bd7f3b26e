"""A metric for Hugging Face's `evaluate`, which loads it from this folder, without a network.

import evaluate
from evenhand.integrations.evaluate import PATH

metric = evaluate.load(PATH)
metric.compute(predictions=[["B-PER", "O"]], references=[["B-PER", "I-PER"]])
"""

from __future__ import annotations

from pathlib import Path

PATH = str(Path(__file__).parent / "evenhand")
"""The folder that `evaluate.load` takes."""
