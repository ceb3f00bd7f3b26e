"""Entity links: declaration of the task, its parameters and its measures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import inf

from evenhand.dataclass import dataclass
from evenhand.errors import SettingError
from evenhand.parameters import SIDES, CommandLine, Parameter, ParameterConversion
from evenhand.registry import lazy
from evenhand.scoring.measure import Formula, Measure, Scorer, count_errors, count_fair, count_hits
from evenhand.settings import BLANK_LINKS, LINKS, RESPELLED, ScoreSettings
from evenhand.tasks import task as spec
from evenhand.tasks.spans.measures import BOUNDARY_KINDS
from evenhand.tasks.spans.measures import ERROR_NAMES as SPAN_ERROR_NAMES

KINDS = ("TP", "LE.other", "LE.missed", "LE.over", *BOUNDARY_KINDS, "LBE", "FN", "FP")
TP, OTHER, MISSED, OVER = range(4)
LBE, FN, FP, TN = range(len(KINDS) - 3, len(KINDS) + 1)
CLASS_KINDS = (*KINDS, "TN")
"""In a comparison, surplus of one system is TN under the others."""
SET_KINDS = ("TP", "FP", "FN")
PAIRED = "paired"
RANKS = "ranks"
"""The tally of the ranks of right identifiers."""
NO_RANK = "none"
"""The rank of right identifiers that are not among the candidates."""
ERROR_NAMES = {
    "LE.other": "another entry",
    "LE.missed": "NIL for an entry",
    "LE.over": "an entry for NIL",
    **{kind: SPAN_ERROR_NAMES[kind] for kind in BOUNDARY_KINDS},
    "LBE": "wrong identifier and boundaries",
    "FN": "missing",
    "FP": "spurious",
}

_SETS = {
    "mentions": ("strong_mention_match", "Bounds of links."),
    "typed_mentions": ("strong_typed_mention_match", "Bounds and labels of links."),
    "linked_mentions": ("strong_linked_mention_match", "Bounds of links that are not NIL."),
    "links": ("strong_link_match", "Bounds and identifiers of links that are not NIL: InKB."),
    "nil": ("strong_nil_match", "Bounds of links that are NIL."),
    "all": ("strong_all_match", "Bounds and identifiers of all links."),
    "typed_links": ("strong_typed_link_match", "Bounds, identifiers and labels of links that are not NIL."),
    "typed_nil": ("strong_typed_nil_match", "Bounds and labels of links that are NIL."),
    "typed_all": ("strong_typed_all_match", "Bounds, identifiers and labels of all links."),
    "entities": ("entity_match", "Identifiers in each document that are not NIL."),
}
"""Measures of neleval: alias and summary."""
_RANKED = ("links", "all", "typed_links", "typed_all", "entities")
_WEAK = {
    "weak_links": "As links, with any overlap of bounds.",
    "weak_all": "As all, with any overlap of bounds.",
}
_HIPE = {
    "hipe-strict": "HIPE: bounds, spelling and identifier are right.",
    "hipe-fuzzy": "HIPE: the first overlapping link has the right identifier.",
}
_NELEVAL = "evenhand.tasks.links.neleval"
_WITH_DOCUMENTS = lazy(f"{_NELEVAL}:with_documents")
_set_formula = partial(count_errors, extra_scores=_WITH_DOCUMENTS)
_weak_formula = partial(count_hits, extra_scores=_WITH_DOCUMENTS)


def rank_order(rank: str) -> float:
    """The sort key of a rank as text; `none` is the last."""
    return inf if rank == NO_RANK else int(rank)


def by_document(scorer: str, depth: int = 1) -> str:
    """The name of the tally of a scorer's means over documents."""
    return f"{scorer if depth == 1 else f'{scorer}@{depth}'} by document"


def _measure(
    name: str,
    module: str,
    function: str,
    formula: Callable[[str, ScoreSettings], Formula],
    summary: str,
    *aliases: str,
    is_ranked: bool = True,
    family: str | None = None,
) -> Measure:
    """A measure whose definition is the docstring of the function or, if that is `count`, of its module."""
    listing = "weak_units" if function == "count_weak" else "units"
    count, units = (partial(lazy(f"{module}:{each}"), model=name) for each in (function, listing))
    scorer = Scorer(name, count, is_ranked=is_ranked, units=units)
    definition = module if function == "count" else f"{module}.{function}"
    return Measure(name, "links", scorer, formula, definition, aliases, summary=summary, family=family)


MEASURES = (
    Measure(
        "fair",
        "links",
        Scorer(
            *("fair", lazy("evenhand.tasks.links.error_types:count")),
            units=lazy("evenhand.tasks.links.error_types:units"),
        ),
        partial(count_fair, kinds=KINDS, extra_scores=lazy("evenhand.tasks.links.error_types:with_details")),
        "evenhand.tasks.links.error_types",
        ("kinds",),
        summary="Each link counts once; errors of identifier and of bounds have kinds.",
    ),
    *(
        _measure(name, _NELEVAL, "count", _set_formula, summary, alias, is_ranked=name in _RANKED)
        for name, (alias, summary) in _SETS.items()
    ),
    *(_measure(name, _NELEVAL, "count_weak", _weak_formula, summary) for name, summary in _WEAK.items()),
    *(
        _measure(name, "evenhand.tasks.links.hipe", "count", _set_formula, summary, family="hipe")
        for name, summary in _HIPE.items()
    ),
    Measure(
        *(
            PAIRED,
            "links",
            Scorer(PAIRED, lazy("evenhand.tasks.links.paired:count"), units=lazy("evenhand.tasks.links.paired:units")),
        ),
        partial(count_errors, extra_scores=lazy("evenhand.tasks.links.paired:with_label_means")),
        "evenhand.tasks.links.paired",
        ("nel",),
        summary="Identifiers of spans with equal bounds, as in spaCy.",
    ),
)


@dataclass(frozen=True)
class SameIds:
    """A table of identifiers and their replacements, for one side or for both (`--same-ids`).

    It has two columns, separated by a tab. Blank lines are skipped. Replacements are not followed further.
    """

    path: str
    digest: str
    """The beginning of the digest of its bytes, which distinguishes tables in signatures."""
    only: str | None = None

    def __str__(self) -> str:
        name = self.path.replace("\\", "/").rpartition("/")[2]
        return f"{f'{self.only}:' if self.only else ''}{name}#{self.digest}"


def parse_same_ids(value: str | Sequence[str]) -> tuple[SameIds, ...]:
    """Parse `FILE`, `gold:FILE` or `system:FILE`, one or several."""
    return tuple(map(_parse_same_ids, [value] if isinstance(value, str) else value))


def _parse_same_ids(text: str) -> SameIds:
    side, colon, remainder = text.partition(":")
    only, path = (side, remainder) if colon and side in SIDES else (None, text)
    if not path:
        raise SettingError(f"{text!r} is not a table of identifiers; write FILE, gold:FILE or system:FILE.")
    import hashlib  # slow to load, and rarely needed

    from evenhand.formats.source import Source
    from evenhand.formats.storage import to_path

    return SameIds(path, hashlib.sha256(Source(to_path(path)).read_whole()).hexdigest()[:8], only)


def aliases_of(tables: Sequence[SameIds], side: str) -> dict[str, str]:
    """The replacements of identifiers of one side (`gold` or `system`); later tables override earlier ones."""
    aliases: dict[str, str] = {}
    for table in tables:
        if table.only in (None, side):
            aliases |= _read_aliases(table.path)
    return aliases


def _read_aliases(path: str) -> dict[str, str]:
    from evenhand.formats.source import Source
    from evenhand.formats.storage import to_path

    source, aliases = Source(to_path(path)), dict[str, str]()
    for block in source.blocks(1 << 20, cut_after="line"):
        for number, line in enumerate(block.data[: block.size].decode().split("\n"), block.first_line):
            cells = [cell.strip() for cell in line.split("\t")]
            if cells == [""]:
                continue
            if len(cells) != 2 or not all(cells):
                remedy = "write an identifier, a tab and its replacement"
                raise source.error(number, f"{line.strip()[:80]!r} is not a pair of identifiers", remedy)
            aliases[cells[0]] = cells[1]
    return aliases


PARAMETERS = (
    Parameter(
        "same_ids",
        "names",
        (),
        "Table of identifiers and their replacements, separated by a tab; SIDE is gold or system [both]. Repeatable.",
        conversion=ParameterConversion(
            parse=parse_same_ids, stored=tuple[SameIds, ...], spell=lambda tables: ",".join(map(str, tables)) or "none"
        ),
        cli=CommandLine(metavar="[SIDE:]FILE", repeatable=True),
    ),
    Parameter(
        "nil_labels",
        "names",
        (),
        "Labels of system spans whose links are treated as NIL (TIME, for the relaxed scores of HIPE).",
        conversion=ParameterConversion(spell=lambda names: "+".join(names) or "none"),
    ),
    *spec.CONFIDENCES,
)

TASK = spec.Task(
    name="links",
    title="entity links: mentions of entries of a knowledge base",
    aliases=("el", "nel", "linking", "entity-linking"),
    unit="link",
    example=spec.Example("links", "gold.jsonl", ("popularity.jsonl", "context.jsonl", "reranker.jsonl")),
    measures=MEASURES,
    selection=spec.MeasureSelection(
        scored=lambda content: (*((PAIRED,) if BLANK_LINKS in content.traits else ()), "links", "all", "fair"),
        ranked=lambda content: ("links", "nil", "all", "weak_all", "fair"),
        compared=("fair",),
        reported=("fair",),
    ),
    units_expected_by="mentions",
    parameters=PARAMETERS,
    input=spec.InputSpec(
        default_alignment=lambda content: "position" if RESPELLED in content.traits else "strict",
        detects=lambda annotation: LINKS in annotation.layers,
        matches_documents=True,
    ),
    rules=spec.SettingRules(
        signature=("align", "atoms", "scope", "gold", "system", "offsets", "map", "labels", "exclude", "macro", "beta"),
        constants={"scope": "document"},
    ),
    evaluation=spec.EvaluationSpec(
        align=lazy("evenhand.tasks.links.evaluation:align"),
        evaluate=lazy("evenhand.tasks.links.evaluation:evaluate"),
        by_document=True,
        notes=lazy("evenhand.tasks.links.tables:notes"),
        is_perfect=partial(lazy("evenhand.tasks.tables:is_perfect"), scorers=("fair", "typed_all", "all")),
    ),
    error_types=spec.ErrorTypes(all=CLASS_KINDS, correct=lambda by: ("TP", "TN"), names=ERROR_NAMES, absent=("TN",)),
    comparison=spec.ComparisonSpec(
        unit_scorers=("fair",),
        unit_columns=(("side", "string"), ("matched_start", "int64"), ("matched_end", "int64"), ("label", "string")),
        answer_text=partial(lazy("evenhand.tasks.units:answer_text"), kinds=CLASS_KINDS),
        attributes=(*spec.TEXT_ATTRIBUTES, *spec.STRING_ATTRIBUTES),
        page_slices=("document",),
        labeled_units=lazy("evenhand.tasks.links.evaluation:labeled_links"),
    ),
    display=spec.Display(
        details=lazy("evenhand.tasks.links.tables:details"),
        errors=lazy("evenhand.tasks.links.tables:error_bars"),
        confusion=None,
        transitions=lazy("evenhand.tasks.tables:error_type_transitions"),
        remarks={"moved": "answer, but other bounds"},
        shows_error_types=True,
        has_label_answers=False,
    ),
)
