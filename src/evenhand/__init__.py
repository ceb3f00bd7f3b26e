"""Evenhand: evaluate and compare systems that annotate text.

    >>> import evenhand as eh
    >>> result = eh.score("gold.conll", "system.conll")
    >>> result["fair"].f1

Names are loaded on first use, so importing the package costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from evenhand.registry import set_lazy_attributes

if TYPE_CHECKING:
    from evenhand import engines as engines
    from evenhand.api.agree import adjudicate as adjudicate
    from evenhand.api.agree import agree as agree
    from evenhand.api.causes import causes as causes
    from evenhand.api.check_task import check_task as check_task
    from evenhand.api.compare import compare as compare
    from evenhand.api.confidence import accept as accept
    from evenhand.api.confidence import confidence as confidence
    from evenhand.api.errors import errors as errors
    from evenhand.api.evaluate import Verdict as Verdict
    from evenhand.api.evaluate import evaluate as evaluate
    from evenhand.api.gate import gate as gate
    from evenhand.api.ground import ground as ground
    from evenhand.api.lists import formats as formats
    from evenhand.api.lists import models as models
    from evenhand.api.merge import merge as merge
    from evenhand.api.metric import Metric as Metric
    from evenhand.api.power import power as power
    from evenhand.api.rank import rank as rank
    from evenhand.api.rank import rank_suite as rank_suite
    from evenhand.api.report import report as report
    from evenhand.api.score import score as score
    from evenhand.api.shared_task import leaderboard as leaderboard
    from evenhand.api.slices import leakage as leakage
    from evenhand.api.slices import slices as slices
    from evenhand.api.suites import cite as cite
    from evenhand.api.summary import summarize as summarize
    from evenhand.api.suspects import suspects as suspects
    from evenhand.data.annotation import Annotation as Annotation
    from evenhand.data.from_lists import spans as spans
    from evenhand.data.from_lists import tags as tags
    from evenhand.data.from_lists import trees as trees
    from evenhand.data.from_records import chains as chains
    from evenhand.data.from_records import extractions as extractions
    from evenhand.data.from_records import links as links
    from evenhand.data.from_records import records as records
    from evenhand.data.from_records import relations as relations
    from evenhand.errors import EvenhandError as EvenhandError
    from evenhand.errors import EvenhandWarning as EvenhandWarning
    from evenhand.errors import InputError as InputError
    from evenhand.errors import SettingError as SettingError
    from evenhand.formats.paths import manifest as manifest
    from evenhand.formats.penn_trees import constituents as constituents
    from evenhand.formats.read import read as read
    from evenhand.formats.spacy import docs as docs
    from evenhand.integrations.germeval import GermEval as GermEval
    from evenhand.integrations.germeval import germeval as germeval
    from evenhand.results.agreement import Adjudication as Adjudication
    from evenhand.results.agreement import Agreement as Agreement
    from evenhand.results.causes import Causes as Causes
    from evenhand.results.comparison import Comparison as Comparison
    from evenhand.results.comparison import Ranking as Ranking
    from evenhand.results.comparison import Report as Report
    from evenhand.results.confidence import Acceptance as Acceptance
    from evenhand.results.confidence import Confidence as Confidence
    from evenhand.results.gate import Gate as Gate
    from evenhand.results.leaderboard import Leaderboard as Leaderboard
    from evenhand.results.leakage import Leakage as Leakage
    from evenhand.results.power import Power as Power
    from evenhand.results.result import Layers as Layers
    from evenhand.results.result import Result as Result
    from evenhand.results.result import Results as Results
    from evenhand.results.summary import Summary as Summary
    from evenhand.results.suspects import Suspects as Suspects
    from evenhand.results.table import Table as Table
    from evenhand.scoring.tally import Tally as Tally
    from evenhand.tasks.spans.custom import Span as Span

__version__ = "0.1.0"
_NAMES = {
    "evenhand": ("__version__",),
    "evenhand.api.agree": ("adjudicate", "agree"),
    "evenhand.api.causes": ("causes",),
    "evenhand.api.compare": ("compare",),
    "evenhand.api.errors": ("errors",),
    "evenhand.api.evaluate": ("Verdict", "evaluate"),
    "evenhand.api.gate": ("gate",),
    "evenhand.api.ground": ("ground",),
    "evenhand.api.lists": ("formats", "models"),
    "evenhand.api.merge": ("merge",),
    "evenhand.api.metric": ("Metric",),
    "evenhand.api.confidence": ("accept", "confidence"),
    "evenhand.api.power": ("power",),
    "evenhand.api.rank": ("rank", "rank_suite"),
    "evenhand.api.report": ("report",),
    "evenhand.api.score": ("score",),
    "evenhand.api.check_task": ("check_task",),
    "evenhand.api.shared_task": ("leaderboard",),
    "evenhand.api.slices": ("leakage", "slices"),
    "evenhand.api.suites": ("cite",),
    "evenhand.api.summary": ("summarize",),
    "evenhand.api.suspects": ("suspects",),
    "evenhand.data.annotation": ("Annotation",),
    "evenhand.data.from_lists": ("spans", "tags", "trees"),
    "evenhand.data.from_records": ("chains", "extractions", "links", "records", "relations"),
    "evenhand.engines": ("engines",),
    "evenhand.errors": ("EvenhandError", "EvenhandWarning", "InputError", "SettingError"),
    "evenhand.formats.paths": ("manifest",),
    "evenhand.formats.penn_trees": ("constituents",),
    "evenhand.formats.read": ("read",),
    "evenhand.formats.spacy": ("docs",),
    "evenhand.integrations.germeval": ("GermEval", "germeval"),
    "evenhand.results.agreement": ("Adjudication", "Agreement"),
    "evenhand.results.causes": ("Causes",),
    "evenhand.results.comparison": ("Comparison", "Ranking", "Report"),
    "evenhand.results.gate": ("Gate",),
    "evenhand.results.leaderboard": ("Leaderboard",),
    "evenhand.results.confidence": ("Acceptance", "Confidence"),
    "evenhand.results.leakage": ("Leakage",),
    "evenhand.results.power": ("Power",),
    "evenhand.results.result": ("Layers", "Result", "Results"),
    "evenhand.results.summary": ("Summary",),
    "evenhand.results.suspects": ("Suspects",),
    "evenhand.results.table": ("Table",),
    "evenhand.scoring.tally": ("Tally",),
    "evenhand.tasks.spans.custom": ("Span",),
}

set_lazy_attributes(__name__, _NAMES)
