"""Evenhand: evaluate and compare systems that annotate text.

    >>> import evenhand as eh
    >>> result = eh.score("gold.conll", "system.conll")
    >>> result["fair"].f1

Names are loaded on first use, so that importing the package costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from evenhand.names import load_late

if TYPE_CHECKING:
    from evenhand import engines as engines
    from evenhand.api.adjudicate import adjudicate as adjudicate
    from evenhand.api.agree import agree as agree
    from evenhand.api.cite import cite as cite
    from evenhand.api.compare import compare as compare
    from evenhand.api.gate import gate as gate
    from evenhand.api.germeval import germeval as germeval
    from evenhand.api.ground import ground as ground
    from evenhand.api.rank import rank as rank
    from evenhand.api.rank import rank_suite as rank_suite
    from evenhand.api.report import report as report
    from evenhand.api.score import score as score
    from evenhand.formats.bracket_lines import constituents as constituents
    from evenhand.formats.manifest import manifest as manifest
    from evenhand.formats.read import read as read
    from evenhand.formats.spacy_objects import docs as docs
    from evenhand.problems import EvenhandError as EvenhandError
    from evenhand.problems import EvenhandWarning as EvenhandWarning
    from evenhand.problems import InputError as InputError
    from evenhand.problems import SettingError as SettingError
    from evenhand.result.adjudication import Adjudication as Adjudication
    from evenhand.result.agreement import Agreement as Agreement
    from evenhand.result.comparison import Comparison as Comparison
    from evenhand.result.gate import Gate as Gate
    from evenhand.result.germeval import GermEval as GermEval
    from evenhand.result.ranking import Ranking as Ranking
    from evenhand.result.report import Report as Report
    from evenhand.result.result import Result as Result
    from evenhand.result.result import Results as Results
    from evenhand.tally import Tally as Tally
    from evenhand.text.annotation import Annotation as Annotation
    from evenhand.text.chain_lists import chains as chains
    from evenhand.text.extraction_lists import extractions as extractions
    from evenhand.text.link_lists import links as links
    from evenhand.text.lists import tags as tags
    from evenhand.text.lists import trees as trees
    from evenhand.text.relation_lists import relations as relations
    from evenhand.text.span_lists import spans as spans
    from evenhand.version import __version__ as __version__

_HOMES = {
    "Adjudication": "evenhand.result.adjudication",
    "Agreement": "evenhand.result.agreement",
    "Annotation": "evenhand.text.annotation",
    "Comparison": "evenhand.result.comparison",
    "EvenhandError": "evenhand.problems",
    "EvenhandWarning": "evenhand.problems",
    "Gate": "evenhand.result.gate",
    "GermEval": "evenhand.result.germeval",
    "InputError": "evenhand.problems",
    "Result": "evenhand.result.result",
    "Results": "evenhand.result.result",
    "SettingError": "evenhand.problems",
    "Tally": "evenhand.tally",
    "__version__": "evenhand.version",
    "adjudicate": "evenhand.api.adjudicate",
    "agree": "evenhand.api.agree",
    "chains": "evenhand.text.chain_lists",
    "cite": "evenhand.api.cite",
    "compare": "evenhand.api.compare",
    "constituents": "evenhand.formats.bracket_lines",
    "docs": "evenhand.formats.spacy_objects",
    "engines": "evenhand.engines",
    "extractions": "evenhand.text.extraction_lists",
    "gate": "evenhand.api.gate",
    "germeval": "evenhand.api.germeval",
    "ground": "evenhand.api.ground",
    "links": "evenhand.text.link_lists",
    "manifest": "evenhand.formats.manifest",
    "Ranking": "evenhand.result.ranking",
    "rank": "evenhand.api.rank",
    "rank_suite": "evenhand.api.rank",
    "read": "evenhand.formats.read",
    "relations": "evenhand.text.relation_lists",
    "Report": "evenhand.result.report",
    "report": "evenhand.api.report",
    "score": "evenhand.api.score",
    "spans": "evenhand.text.span_lists",
    "tags": "evenhand.text.lists",
    "trees": "evenhand.text.lists",
}

load_late(__name__, _HOMES)
