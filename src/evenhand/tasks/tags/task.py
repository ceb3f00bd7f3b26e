"""Tags: a label a word, such as parts of speech."""

from __future__ import annotations

from evenhand.errors import SettingError
from evenhand.registry import lazy
from evenhand.scoring.measure import Formula, Measure, Scorer
from evenhand.settings import ScoreSettings
from evenhand.tasks.task import AgreementSpec, Confusion, Display, Example, GoldProfile, Task
from evenhand.tasks.words.measures import EXTRA, MISSING, PUNCTUATION, TAG_ERRORS, TAG_KINDS, by_label


def _accuracy(name: str, settings: ScoreSettings) -> Formula:
    return by_label(name, "tags", TAG_KINDS, ("right",), settings, confuses=True)


def _check(settings: ScoreSettings, content: GoldProfile) -> None:
    if settings["punctuation"].by == "relation":
        raise SettingError("Tags have no relations; tell punctuation by its form, or by tags: pos:PUNCT.")


TASK = Task(
    name="tags",
    title="tags: parts of speech, any label a word",
    unit="word",
    example=Example("tags", "gold.tsv", ("lexicon.tsv", "hmm.tsv", "neural.tsv"), options="--task tags"),
    models=(
        Measure(
            "accuracy",
            "tags",
            Scorer("tags"),
            _accuracy,
            "evenhand.tasks.tags.accuracy.TagJudge",
            ("acc",),
            summary="The share of words with the right tag.",
        ),
    ),
    match=lambda content: ("accuracy",),
    ranked=lambda content: ("accuracy",),
    compared_by=("accuracy",),
    reported_by=("accuracy",),
    parameters=(PUNCTUATION,),
    align=lambda content: "characters" if "universal" in content.traits else "strict",
    signature=(*("align", "gold", "system", "repair", "map", "labels", "exclude", "punctuation", "macro", "beta"),),
    check=_check,
    traits=lazy("evenhand.tasks.words.scores:traits_of_words"),
    shows=lambda annotation: True,
    shows_any=True,
    passage=lazy("evenhand.tasks.tags.accuracy:passage"),
    notes=lazy("evenhand.tasks.words.scores:notes"),
    is_perfect=lazy("evenhand.tasks.tables:is_perfect"),
    kinds=(*TAG_KINDS, MISSING),
    right=lambda by: ("right",),
    surplus_kinds=(EXTRA,),
    verdict_judges=("tags",),
    verdict_columns=(("side", "string"),),
    agreed=AgreementSpec(
        ("accuracy",),
        as_spans=lazy("evenhand.tasks.tags.accuracy:as_spans"),
        from_spans=lazy("evenhand.tasks.tags.accuracy:as_tags"),
        settings={"align": "strict"},
    ),
    display=Display(
        confusion=Confusion(("accuracy",), "confusion (wrong tags)"),
        label="tag",
        verdict_names=TAG_ERRORS,
        drawing="words",
    ),
)
