"""`score`: gold standard and systems in, results out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Unpack, get_args, overload

from evenhand.api.results import scored
from evenhand.arguments import checked_arguments
from evenhand.pipeline.inputs import Side, is_one, named
from evenhand.pipeline.options import Choice, ColumnChoice, Options, prepare
from evenhand.pipeline.work import Engine, serial
from evenhand.problems import SettingError
from evenhand.result.result import Result, Results
from evenhand.settings import Align, ColumnName, Focus, Groups, Levels, Offsets, Repair, Task, choose


@overload
def score(  # type: ignore[overload-overlap]  # a text is a sequence of texts too, but the first signature wins
    gold: Side, systems: Side | None = None, **options: Unpack[Options]
) -> Result: ...
@overload
def score(gold: Side, systems: Sequence[Side] | Mapping[str, Side], **options: Unpack[Options]) -> Results: ...
@checked_arguments()
def score(
    gold: Side,
    systems: Side | Sequence[Side] | Mapping[str, Side] | None = None,
    *,
    match: str | Sequence[str] | None = None,
    task: Task | None = None,
    labels: str | Sequence[str] = (),
    exclude: str | Sequence[str] = (),
    map: Mapping[str, str] | Sequence[str] = (),
    align: Align | None = None,
    punctuation: str = "keep",
    subtypes: bool = False,
    levels: Levels = "pooled",
    focus: Focus = "target",
    beta: float = 1.0,
    weights: str | None = None,
    separator_weight: float = 1.0,
    token_weight: ColumnName | None = None,
    supertag: str | Sequence[str] = (),
    baselines: bool = False,
    spurious: int = 1,
    missing: int = 1,
    iou: float = 0.5,
    singletons: bool = True,
    nominal: str | Sequence[str] | None = None,
    format: Choice = None,
    column: ColumnChoice = None,
    encoding: Choice = None,
    repair: Repair = "begin",
    offsets: Offsets = "codepoints",
    functions: bool = False,
    groups: Groups = "total",
    jobs: int | None = None,
    engine: Engine | None = None,
) -> Result | Results:
    """Score systems against a gold standard; files are read in bounded memory.

    With one system the answer is a `Result`, with a list or a mapping of systems a `Results`. Without any, `gold` is
    a column file whose last two columns are gold and prediction, as conlleval takes them (`column` names others:
    {"gold": 3, "system": 4}).

    task       "spans", "tags", "trees" or "chains"; without it, files in CoNLL-U are scored as trees, those with
               coreference as chains, others as spans
    match      the match models of spans: "exact", "fair", "weighted", "ts", "t", "overlap", "contain", "constrained",
               "iou", "semeval" (or one of its four: "semeval-strict", …), "accuracy"; of tags: "accuracy"; of trees:
               "uas", "ls", "las", "conll18" (or one of its thirteen: "conll18-mlas", …); of chains: "mentions", "muc",
               "b_cubed", "ceaf_m", "ceaf_e", "blanc", "lea", "mela", "arcs_any", "arcs_nom" (which takes POS)
    labels     only these labels; exclude: all but these; both after `map`
    map        new names for labels: {"MISC": "OTH"}; the key "system:MISC" acts on the systems only
    align      "strict": tokens must be equal; "position": as many, whatever they are; "characters": the same text,
               whatever its tokens are; without it, "characters" for words in CoNLL-U, "position" for chains (words that
               differ are counted and said), else "strict"
    punctuation, subtypes
               of trees: which words are left out of "uas", "ls" and "las" ("keep", "relation", "form", "pos:TAG,TAG"),
               and whether relations keep their subtypes
    levels     "pooled", or "separate" to match nested spans within their level only
    focus      whether LE and LBE count for the gold ("target") or the "system" label
    beta       the weight of recall in F-beta
    weights    a preset or a formula for the model "weighted" (see `evenhand.scores.weights`)
    separator_weight, token_weight, supertag, baselines
               for "ts" and "t": what separators weigh (1), a column of the gold file with the weights of tokens,
               labels taken as one beside the others ("ENTITY", or "PLACE=LOC,GPE"; for all models), and whether to
               say what trivial systems get
    spurious, missing, iou
               how many tokens more and less "constrained" allows, and how much of their union two spans share in "iou"
    singletons, nominal
               of chains: whether those of one mention count, and the POS of nouns, for "arcs_nom"
    groups     what the tallies keep apart: "total", "document", "sentence", or "finest" (documents, or sentences where
               there is one document; then close and missed spans are not counted)
    jobs       among how many processes large files and folders are divided; 0: as many as there are cores
    engine     where the work is done instead: `eh.engines.dask(client)`, a cluster; see `eh.engines`

    For `format`, `column`, `encoding`, `repair`, `offsets` and `functions` see `read`. Where one side counts in
    characters (texts with offsets), all do.
    """
    choose("groups", groups, get_args(Groups))
    sides = named(systems)
    options = Options(
        match=match,
        task=task,
        labels=labels,
        exclude=exclude,
        map=map,
        align=align,
        punctuation=punctuation,
        subtypes=subtypes,
        levels=levels,
        focus=focus,
        beta=beta,
        weights=weights,
        separator_weight=separator_weight,
        token_weight=token_weight,
        supertag=supertag,
        baselines=baselines,
        spurious=spurious,
        missing=missing,
        iou=iou,
        singletons=singletons,
        nominal=nominal,
        format=format,
        column=column,
        encoding=encoding,
        repair=repair,
        offsets=offsets,
        functions=functions,
    )
    results = scored(gold, sides, prepare(gold, sides, options), groups, _engine(engine, jobs))
    return next(iter(results.values())) if systems is None or is_one(systems) else results


def _engine(engine: Engine | None, jobs: int | None) -> Engine:
    if jobs is None:
        return engine or serial
    if engine is not None:
        raise SettingError("jobs and engine both say where the work is done; give one of them.")
    from evenhand.engines.processes import processes  # takes a while to load

    return processes(jobs)
