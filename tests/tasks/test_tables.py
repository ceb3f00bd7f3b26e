"""What to fix first: groups of errors, and the score if a group were right."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

import evenhand as eh
from conftest import ROOT
from declared import EXAMPLES
from evenhand.tasks.registry import TASKS

EXAMPLE = ROOT / "src" / "evenhand" / "examples"


def groups(result: eh.Result) -> list[tuple[str, str, str, int, float]]:
    return [
        (each.verdict, each.gold, each.predicted, each.count, pytest.approx(each.recoverable))
        for each in result.fix_first()
    ]


def plain(tags: str) -> eh.Annotation:
    return eh.tags([tags.split()], encoding="plain")


def test_a_group_of_tags_recovers_its_share_of_the_words() -> None:
    result = eh.score(plain("A A A B"), plain("B B A A"), task="tags")
    assert groups(result) == [("wrong", "A", "B", 2, 0.5), ("wrong", "B", "A", 1, 0.25)]


def test_missing_spans_become_right_and_spurious_ones_are_gone() -> None:
    """TP 1, FN 1, FP 1: F1 is 1/2; with TP 2 and FP 1 it is 4/5, with TP 1 and FN 1 it is 2/3."""
    gold = eh.spans([[("PER", 0, 1), ("LOC", 2, 3)]], end="exclusive")
    system = eh.spans([[("PER", 0, 1), ("ORG", 5, 6)]], end="exclusive")
    result = eh.score(gold, system)
    assert result["fair"].f1 == 0.5
    assert groups(result) == [("FN", "LOC", "", 1, 4 / 5 - 1 / 2), ("FP", "", "ORG", 1, 2 / 3 - 1 / 2)]


def test_a_wrong_label_counts_half_on_either_side_until_it_is_right() -> None:
    """Ortmann 2022: TP 1 and LE 1 have P = R = 1 / 1.5, so that F1 is 2/3; it becomes 1."""
    gold = eh.spans([[("PER", 0, 1), ("LOC", 2, 3)]], end="exclusive")
    system = eh.spans([[("PER", 0, 1), ("ORG", 2, 3)]], end="exclusive")
    assert groups(eh.score(gold, system)) == [("LE", "LOC", "ORG", 1, 1 - 2 / 3)]


def test_mended_tags_have_the_score_that_was_promised(tmp_path: Path) -> None:
    folder = EXAMPLE / "tags"
    gold, system = ((folder / name).read_text().splitlines() for name in ("gold.tsv", "lexicon.tsv"))
    before = eh.score(folder / "gold.tsv", folder / "lexicon.tsv", task="tags")
    first = before.fix_first()[0]
    wrong = [
        bool(right) and right.split("\t")[-1] == first.gold and said.split("\t")[-1] == first.predicted
        for right, said in zip(gold, system, strict=True)
    ]
    mended = [right if is_wrong else said for right, said, is_wrong in zip(gold, system, wrong, strict=True)]
    (tmp_path / "mended.tsv").write_text("\n".join(mended) + "\n")
    after = eh.score(folder / "gold.tsv", tmp_path / "mended.tsv", task="tags")
    assert (first.gold, first.predicted, first.count, sum(wrong)) == ("VERB", "NOUN", 60, 60)
    assert after["accuracy"].headline == pytest.approx(before["accuracy"].headline + first.recoverable)


def test_mended_spans_have_the_score_that_was_promised(tmp_path: Path, data: Path) -> None:
    """The persons of WNUT-17 that a system misses are written into its file."""
    names = [data / "wnut17" / name for name in ("gold.conll", "systems/uh_ritual.conll")]
    gold, mended = (name.read_text().splitlines() for name in names)
    report = eh.report(*names, trials=0, resamples=0)
    before, first = report.results["uh_ritual"], report.fix_first["uh_ritual"][0]
    codes = {number: code for code, number in report.units.classes.items()}
    units = report.units.units()
    columns = (units.classes[0], units.line, units.end - units.start)
    for number, line, size in zip(*(column.tolist() for column in columns), strict=True):
        kind, label, _ = codes[number]
        if TASKS["spans"].error_types.all[kind] == first.verdict and report.labels[label] == first.gold:
            place = slice(line - 1, line - 1 + size)
            mended[place] = gold[place]
    (tmp_path / "mended.conll").write_text("\n".join(mended) + "\n")
    after = eh.score(names[0], tmp_path / "mended.conll")
    assert (first.verdict, first.gold, first.count) == ("FN", "person", 180)
    assert after["fair"].f1 == pytest.approx(before["fair"].f1 + first.recoverable)


@pytest.mark.parametrize("task", [*EXAMPLES, "constituents"])
def test_groups_count_the_units_of_a_page(task: str) -> None:
    declared = TASKS[task]
    folder = EXAMPLE / declared.example.folder
    systems = [folder / name for name in declared.example.systems]
    by = "arcs_any" if task == "chains" else None  # errors by entity are no units of the page
    report = eh.report(folder / declared.example.gold, systems, task=task, by=by, trials=0, resamples=0)  # type: ignore[arg-type]
    names = {number: code for code, number in report.units.classes.items()}
    units = report.units.units()
    for place, result in enumerate(report.results.values()):
        met: Counter[tuple[str, str, str]] = Counter()
        for number, label in zip(units.classes[place].tolist(), units.label.tolist(), strict=True):
            kind, *codes = names[number]
            gold, predicted = ("" if code < 0 else report.labels[code] for code in codes)
            if not declared.display.has_label_answers:
                predicted = "" if gold else report.labels[label]
            met[declared.error_types.all[kind], gold, predicted] += 1
        rows = result.fix_first(report.by, most=1000)
        assert rows
        assert {(row.verdict, row.gold, row.predicted): row.count for row in rows}.items() <= met.items()
        wrong = sum(met.values()) - sum(
            count
            for (kind, *_), count in met.items()
            if kind in (*declared.error_types.correct(report.by), *declared.error_types.unscored)
        )
        assert sum(row.count for row in rows) == wrong
        gains = [row.recoverable for row in rows]
        assert gains == sorted(gains, reverse=True)
        assert all(0 < gain <= 1 for gain in gains)


def test_a_report_says_it_in_python_and_json(example: Path) -> None:
    report = eh.report(example / "gold.conll", [example / "crf.conll", example / "tagger.conll"], trials=0, resamples=0)
    assert list(report.fix_first) == ["tagger", "crf"]
    first = report.to_dict()["fix_first"]["crf"][0]
    assert first == {
        "verdict": "FN",
        "gold": "LOC",
        "predicted": "",
        "count": 32,
        "recoverable": pytest.approx(0.0790, abs=0.0001),
    }


def test_what_cannot_be_told_is_refused(example: Path) -> None:
    result = eh.score(example / "gold.conll", example / "crf.conll", match="exact")
    with pytest.raises(eh.SettingError, match="no counts of errors by fair; score the files with match='fair'"):
        result.fix_first()
    with pytest.raises(eh.SettingError, match="by is 'iou'; use fair"):
        result.fix_first("iou")
