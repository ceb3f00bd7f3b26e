"""`germeval --as-script`: what the official script counts, and the note where it differs from the task's definition."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import evenhand as eh
from evenhand.integrations.germeval import latex
from evenhand.tasks.spans.germeval import TAGS, Score


def written(folder: Path, lines: Sequence[str], name: str = "both.tsv") -> Path:
    rows = [f"1\t{line}".replace(" ", "\t") if line else "" for line in lines]
    (folder / name).write_text("\n".join(rows) + "\n")
    return folder / name


def counts(score: Score) -> tuple[int, int, int]:
    return score.gold, score.found, score.correct


def test_behaviour_1_an_entity_continues_over_a_blank_line(tmp_path: Path) -> None:
    path = written(tmp_path, ["a B-PER O B-PER O", "", "b I-PER O B-PER O", "c O O O O"])
    assert counts(eh.germeval(path).strict) == (2, 2, 2)
    assert counts(eh.germeval(path, as_script=True).strict) == (1, 2, 0)
    assert eh.germeval(path).notes[-1] == (
        "The official script prints 0.00 (-100.00) for strict F1, 0.00 (-100.00) for loose F1 and 0.00 (-100.00) for "
        "outer F1, since it continues 1 entity over the end of a sentence; --as-script gives its figures."
    )


def test_behaviour_2_an_entity_on_the_last_token_is_never_correct(tmp_path: Path) -> None:
    path = written(tmp_path, ["a B-LOC O B-LOC O", "b B-PER O B-PER O", "c I-PER B-LOC I-PER B-LOC", ""])
    result = eh.germeval(path, as_script=True)
    assert (counts(result.outer), counts(result.inner)) == ((2, 2, 1), (1, 1, 0))
    assert result.notes[-1] == (
        "These are the figures of the official script; Evenhand's are 100.00 (+66.67) for strict F1, 100.00 (+66.67) "
        "for loose F1, 100.00 (+50.00) for outer F1 and 100.00 (+100.00) for inner F1, since the script counts 2 "
        "entities at the end of the file as wrong."
    )


def test_behaviour_3_the_loose_row_of_the_latex_table_has_strict_figures(tmp_path: Path) -> None:
    path = written(tmp_path, ["a B-PER O B-PERderiv O", "b B-LOC O B-LOC O", "c O O O O"])
    result = eh.germeval(path, as_script=True)
    assert r"loose, combined & 100.00 & 50.00 & 50.00 & 50.00 \\" in latex(result)
    assert result.loose.f1 == 1, "only the table is wrong"


def test_behaviour_4_unknown_labels_have_no_scores_and_stay_errors(tmp_path: Path) -> None:
    path = written(tmp_path, ["a O O O O", "b O O B-MISC O"])
    with pytest.raises(eh.InputError, match=r"both\.tsv:2: the tag 'B-MISC' in column 5 has the unknown class 'MISC'"):
        eh.germeval(path, as_script=True)


def test_behaviour_5_another_label_at_i_continues_the_entity(tmp_path: Path) -> None:
    """The first prediction is one entity with labels that agree; the second has another label inside."""
    path = written(
        tmp_path,
        ["a B-PER O B-PER O", "b I-LOC O I-LOC O", "c O O O O", "d B-ORG O B-ORG O", "e I-ORG O I-LOC O", "f O O O O"],
    )
    assert counts(eh.germeval(path).strict) == (3, 4, 2)
    result = eh.germeval(path, as_script=True)
    assert counts(result.strict) == (2, 2, 1)
    assert counts(result.labels["PER"].outer) == (1, 1, 0), "it is found by the label of its first token"
    assert counts(result.labels["LOC"].outer) == (0, 0, 1), "and correct by that of its last"
    assert (
        eh.germeval(path)
        .notes[-1]
        .startswith(
            "The official script prints 50.00 (-7.14) for strict F1, 50.00 (-7.14) for loose F1 and 50.00 (-7.14) for "
            "outer F1, since it continues 3 entities over a change of label at I-; "
        )
    )


def test_suffixes_that_differ_are_loosely_correct(tmp_path: Path) -> None:
    path = written(tmp_path, ["a B-LOC O B-LOC O", "b I-LOCpart O I-LOC O", "c O O O O"])
    result = eh.germeval(path, as_script=True)
    assert (counts(result.strict), counts(result.loose)) == ((1, 1, 0), (1, 1, 1))


def test_only_labels_that_occur_are_listed(tmp_path: Path) -> None:
    path = written(tmp_path, ["a B-LOCpart O B-ORG O", "b O O O O"])
    shown = str(eh.germeval(path, as_script=True)).splitlines()
    assert [line.split()[1] for line in shown if line.startswith("==> ")] == ["LOC", "LOCpart", "ORG"]
    assert sum(line.startswith("==> ") for line in str(eh.germeval(path)).splitlines()) == 12


def test_the_text_ends_with_the_rules_of_the_script(tmp_path: Path) -> None:
    path = written(tmp_path, ["a B-PER O I-PER O", "b O O O O"])
    assert str(eh.germeval(path, as_script=True)).splitlines()[-2:] == [
        f"Note: {path}: the prediction is equal to the gold standard; is it the right file?",
        f"evenhand:{eh.__version__}|task:germeval|align:strict|scope:file|levels:separate|entities:script|encoding:iob2",
    ]


def test_ties_are_rounded_as_the_script_does(tmp_path: Path) -> None:
    """23 of 160 are 14.375 %: Perl prints 100*23/160 as 14.38, and 100*(23/160) would be 14.37."""
    rows = ["a B-PER O B-PER O"] * 23 + ["a B-PER O O O"] * 136 + ["a B-PER O O O", "", "a O O O O"]
    assert "\nRecall:  14.38%;\n" in str(eh.germeval(written(tmp_path, rows), as_script=True))


def test_repair_has_no_place_beside_it(tmp_path: Path) -> None:
    path = written(tmp_path, ["a I-PER O I-PER O", "b O O O O"])
    with pytest.raises(eh.SettingError) as caught:
        eh.germeval(path, as_script=True, repair="discard")
    assert str(caught.value) == "The script has its own rule for ill-formed entities; leave out --repair discard."
    assert (
        eh.germeval(path, repair="discard")
        .notes[-1]
        .endswith("since it keeps 2 entities that --repair discard leaves out; --as-script gives its figures.")
    )


def test_figures_that_differ_by_label_only(tmp_path: Path) -> None:
    """Two entities of ours are one of the script's on both sides; all figures stay 100 %, those of LOC do not."""
    path = written(tmp_path, ["a B-PER O B-PER O", "b I-LOC O I-LOC O", "c O O O O"])
    assert eh.germeval(path).notes[-1] == (
        "The official script prints other figures for LOC and other figures for PER, since it continues 2 entities "
        "over a change of label at I-; --as-script gives its figures."
    )


def test_one_file_and_two_give_the_same_whatever_the_blocks(tmp_path: Path) -> None:
    """The files are longer than a block, and entities continue from one into the next."""
    rows = [
        f"w{n % 977} {TAGS[n % 25]} {TAGS[n % 7]} {TAGS[n % 24]} {TAGS[n % 5]}" if n % 13 else "" for n in range(40_000)
    ]
    one = written(tmp_path, rows)
    cells = [row.split(" ") for row in rows]
    gold = written(tmp_path, [" ".join(row[:3]) for row in cells], "gold.tsv")
    system = written(tmp_path, [" ".join([row[0], *row[3:]]) for row in cells], "system.tsv")
    assert one.stat().st_size > 1 << 20
    expected = script([tuple(row[1:]) for row in cells if len(row) > 1])
    for files in ((one,), (gold, system)):
        result = eh.germeval(*files, as_script=True)
        assert [counts(result.outer), counts(result.inner), result.loose.correct] == expected


def script(rows: Sequence[tuple[str, ...]]) -> list[object]:
    """Gold, found and correct entities of both levels, and loosely correct ones, read one tag after the other."""
    levels = [(chunks([row[level] for row in rows]), chunks([row[level + 2] for row in rows])) for level in (0, 1)]
    strict = [
        (len(gold), len(found), sum(key in found.items() for key in gold.items() if key[0][1] < len(rows)))
        for gold, found in levels
    ]
    loose = sum(
        bounds in found
        and bounds[1] < len(rows)
        and [name[:3] for name in names] == [name[:3] for name in found[bounds]]
        for gold, found in levels
        for bounds, names in gold.items()
    )
    return [*strict, loose]


def chunks(tags: Sequence[str]) -> dict[tuple[int, int], list[str]]:
    """The labels of every token of an entity, by its bounds."""
    found: dict[tuple[int, int], list[str]] = {}
    begin: int | None = None
    for place, tag in enumerate((*tags, "O")):
        if begin is not None and tag[0] in "BO":
            found[begin, place] = [each[2:] for each in tags[begin:place]]
            begin = None
        if begin is None and tag != "O":
            begin = place
    return found


@given(
    st.lists(st.tuples(*[st.sampled_from(["O", "B-PER", "I-PER", "I-LOC", "I-LOCpart"])] * 4), min_size=1, max_size=12)
)
def test_counts_are_those_of_plain_loops(tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, ...]]) -> None:
    lines = [f"w {' '.join(row)}" for row in rows]
    spaced = [line for each in lines for line in (each, "")]
    for given_lines in (lines, spaced):
        result = eh.germeval(written(tmp_path_factory.mktemp("rows"), given_lines), as_script=True)
        assert [counts(result.outer), counts(result.inner), result.loose.correct] == script(rows)
