"""`germeval`: metrics, levels, differences from the official script, and ill-formed files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import evenhand as eh
from evenhand.integrations.germeval import Score, latex
from evenhand.tasks.spans.germeval import LABELS, TAGS

File = Callable[..., Path]


@pytest.fixture
def file(tmp_path: Path) -> File:
    """Writes a file, given its lines without index: `Ada B-PER O`; an empty text is a blank line."""

    def write(*lines: str, name: str = "both.tsv") -> Path:
        return written(tmp_path / name, lines)

    return write


def written(path: Path, lines: Sequence[str]) -> Path:
    rows = [f"{number}\t" + line.replace(" ", "\t") if line else "" for number, line in enumerate(lines, 1)]
    path.write_text("\n".join(rows) + "\n")
    return path


def counts(score: Score) -> tuple[int, int, int]:
    return score.gold, score.found, score.correct


def test_the_example_of_the_evaluation_plan(file: File) -> None:
    """Troia is an inner entity of a longer outer one, and the prediction finds the outer one only."""
    result = eh.germeval(
        file(
            "Troia B-OTH B-LOC B-OTH O",
            "- I-OTH O I-OTH O",
            "Traum I-OTH O I-OTH O",
            '" O O O O',
            "Bonn B-LOC O B-LOC O",
        )
    )
    assert counts(result.strict) == (3, 2, 2)
    assert (result.strict.precision, result.strict.recall, result.strict.f1) == (1, 2 / 3, 0.8)
    assert (counts(result.outer), counts(result.inner)) == ((2, 2, 2), (1, 0, 0))
    assert (result.outer.accuracy, result.inner.accuracy, result.strict.accuracy) == (1, 0.8, 0.9)
    assert counts(result.labels["LOC"].outer) == (1, 1, 1)
    assert counts(result.labels["LOC"].inner) == (1, 0, 0)


def test_loose_ignores_suffixes(file: File) -> None:
    result = eh.germeval(file("a B-PER O B-PERderiv O", "b B-LOCpart O B-LOCderiv O", "c B-LOC O B-ORG O"))
    assert (counts(result.strict), counts(result.loose)) == ((3, 3, 0), (3, 3, 2))
    assert (result.strict.accuracy, result.loose.accuracy) == (1 / 2, (2 / 3 + 1) / 2)
    assert counts(result.labels["PER"].outer) == (1, 0, 0)
    assert counts(result.classes["LOC"].outer) == (2, 1, 1)
    assert counts(result.classes["PER"].outer) == (1, 1, 1)


def test_accuracy_compares_prefixes_too(file: File) -> None:
    result = eh.germeval(file("a B-PER O B-PER O", "b I-PER O B-PER O"))
    assert (result.outer.accuracy, result.strict.accuracy, result.loose.accuracy) == (0.5, 0.75, 0.75)


def test_nothing_of_nothing_is_0(file: File) -> None:
    result = eh.germeval(file("a O O O O"))
    assert (result.strict.precision, result.strict.recall, result.strict.f1, result.strict.accuracy) == (0, 0, 0, 1)
    assert [note.partition(": ")[2] for note in result.notes] == [
        "the gold standard has no entities.",
        "the prediction has no entities.",
    ]


def test_the_other_level_gets_no_credit_but_is_counted(file: File) -> None:
    result = eh.germeval(file("a B-PER B-LOC B-LOC B-PER", "b B-ORG O O B-ORG", "c O B-LOC B-PER O"))
    assert (result.strict.correct, result.other_level) == (0, 3)


def test_the_other_level_counts_only_what_is_not_found_there(file: File) -> None:
    """The inner LOC is found; that the outer column predicts it as well is just wrong."""
    result = eh.germeval(file("a B-PER B-LOC B-LOC B-LOC"))
    assert (result.strict.correct, result.other_level) == (1, 0)


def test_difference_1_a_blank_line_ends_an_entity(file: File) -> None:
    result = eh.germeval(file("a B-PER O B-PER O", "", "b I-PER O B-PER O"))
    assert counts(result.strict) == (2, 2, 2)


def test_a_comment_ends_an_entity_as_well(tmp_path: Path) -> None:
    path = tmp_path / "both.tsv"
    path.write_text("1\ta\tB-PER\tO\tB-PER\tO\n# any\n1\tb\tI-PER\tO\tB-PER\tO\n")
    assert eh.germeval(path).strict.correct == 2


@pytest.mark.parametrize("ending", ["", "\n", "\n\n"])
def test_difference_2_an_entity_on_the_last_token_counts(tmp_path: Path, ending: str) -> None:
    path = tmp_path / "both.tsv"
    path.write_text("1\ta\tO\tO\tO\tO\n2\tb\tB-PER\tO\tB-PER\tO\n3\tc\tI-PER\tB-LOC\tI-PER\tB-LOC" + ending)
    assert counts(eh.germeval(path).strict) == (2, 2, 2)


def test_difference_3_the_loose_row_of_the_latex_table_is_loose(file: File) -> None:
    shown = latex(eh.germeval(file("a B-PER O B-PERderiv O", "b B-LOC O B-LOC O")))
    assert r"strict, combined & 75.00 & 50.00 & 50.00 & 50.00 \\" in shown
    assert r"loose, combined & 100.00 & 100.00 & 100.00 & 100.00 \\" in shown


@pytest.mark.parametrize(
    ("tag", "finding"),
    [
        ("B-MISC", "the tag 'B-MISC' in column 5 has the unknown class 'MISC'"),
        ("B-LOCpartderiv", "the tag 'B-LOCpartderiv' in column 5 has the unknown class 'LOCpartderiv'"),
        ("B-ORG|B-LOC", "the tag 'B-ORG|B-LOC' in column 5 has the unknown class 'ORG|B-LOC'"),
        ("E-PER", "the tag 'E-PER' in column 5 has the unknown prefix 'E'"),
        ("b-PER", "the tag 'b-PER' in column 5 has the unknown prefix 'b'"),
        ("PER", "the tag 'PER' in column 5 is unknown"),
        ("_", "the tag '_' in column 5 is unknown"),
        ("", "column 5 has no tag"),
    ],
)
def test_difference_4_unknown_tags_are_errors(file: File, tag: str, finding: str) -> None:
    path = file("a O O O O", f"b O O {tag} O")
    with pytest.raises(eh.InputError) as caught:
        eh.germeval(path)
    assert str(caught.value) == (
        f"{path}:2: {finding}; fix it: tags are O, or B- or I- with LOC, ORG, OTH or PER, optionally followed by deriv or part."
    )


def test_difference_5_another_class_on_i_begins_an_entity(file: File) -> None:
    result = eh.germeval(file("a B-PER O B-PER O", "b I-LOC O I-LOC O", "c I-LOCpart O I-LOC O"))
    assert (counts(result.strict), counts(result.loose)) == ((3, 2, 1), (3, 2, 1))
    assert (result.repairs.gold, result.repairs.prediction) == (2, 1)


def test_repaired_tags_are_listed_with_their_places(file: File) -> None:
    path = file("a I-PER O B-PER O", "", *["b O O I-LOC I-LOC"] * 3, "c O O O I-ORGpart")
    result = eh.germeval(path)
    assert (result.repairs.gold, result.repairs.prediction, result.strict.correct) == (1, 3, 1)
    assert str(result).splitlines()[-7:-2] == [
        "Repaired tags: 4 (gold 1, prediction 3; spans kept)",
        f"  {path}:1: the span that begins here with 'I-PER' in column 3 is ill-formed in IOB2",
        f"  {path}:3: the span that begins here with 'I-LOC' in column 5 is ill-formed in IOB2",
        f"  {path}:3: the span that begins here with 'I-LOC' in column 6 is ill-formed in IOB2",
        f"  {path}:6: the span that begins here with 'I-ORGpart' in column 6 is ill-formed in IOB2",
    ]


def test_only_the_first_repairs_are_listed(file: File) -> None:
    result = eh.germeval(file(*["a O O I-LOC O", ""] * 9))
    assert [problem.line for problem in result.repairs.first] == [1, 3, 5, 7, 9]
    assert "  and 4 more\n" in str(result)


def test_repair_discard_leaves_ill_formed_entities_out(file: File) -> None:
    path = file("a I-PER O I-PER O", "b B-LOC O B-LOC O")
    result = eh.germeval(path, repair="discard")
    assert (counts(result.strict), result.repairs.count) == ((1, 1, 1), 2)
    assert result.strict.accuracy == 1, "tags are compared as they stand"
    assert counts(eh.germeval(path).strict) == (2, 2, 2)


def test_repair_error(file: File) -> None:
    with pytest.raises(eh.InputError, match=r":2: the span that begins here with 'I-PER' in column 5 is ill-formed"):
        eh.germeval(file("a O O O O", "b O O I-PER O"), repair="error")


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        (["a O O O"], ":1: expected 4 or 6 columns, got 5; "),
        (["a O"], ":1: expected 4 or 6 columns, got 3; "),
        (["a O O"], ":1: expected 6 columns for gold and prediction, got 4; pass the prediction as a second file."),
        (["a O O O O", "b O O O"], ":2: expected 6 columns as in line 1, got 5; "),
        (["a O O O O", "b O O O O O"], ":2: expected 6 columns as in line 1, got 7; "),
        (["a O O X O", "b O O O O O"], ":1: the tag 'X' in column 5 is unknown; "),
        (["a O O O O", "b O O O O O", "c O O X O"], ":2: expected 6 columns as in line 1, got 7; "),
    ],
)
def test_the_first_error_is_raised(file: File, lines: list[str], sentence: str) -> None:
    path = file(*lines)
    with pytest.raises(eh.InputError) as caught:
        eh.germeval(path)
    assert str(caught.value).startswith(f"{path}{sentence}")


def test_empty_columns_at_the_end_are_dropped_with_a_note(file: File) -> None:
    path = file("a B-PER O B-PER O  ", "b O O O O ", "c O O O O")
    result = eh.germeval(path)
    assert (result.tokens, result.strict.correct) == (3, 1)
    assert result.notes[0] == f"{path}: dropped the empty columns at the end of 2 lines."


def test_carriage_returns_and_comments_do_not_count(tmp_path: Path) -> None:
    path = tmp_path / "both.tsv"
    path.write_bytes(b"#\thttp://x\t[2009]\t\r\n1\ta\tO\tB-PER\tO\tB-PER\r\n\r\n#\r\n1\tb\tO\tO\tO\tO\r\n")
    result = eh.germeval(path)
    assert (result.sentences, result.tokens, counts(result.inner), result.strict.accuracy) == (2, 2, (1, 1, 1), 1)


def test_two_files(file: File) -> None:
    gold = file("a B-PER O", "b I-PER B-LOC", "", "c O O", name="gold.tsv")
    result = eh.germeval(gold, file("a B-PER O", "b I-PER O", "", "c O B-LOC", name="system.tsv"))
    assert (counts(result.outer), counts(result.inner), result.inner.accuracy) == ((1, 1, 1), (1, 1, 0), 1 / 3)
    assert (result.gold_name, result.name, result.sentences, result.notes) == ("gold", "system", 2, ())


def test_sentences_are_those_of_the_gold_standard(file: File) -> None:
    gold, system = (
        file("a B-PER O", "", "b B-PER O", name="gold.tsv"),
        file("a B-PER O", "b B-PER O", name="system.tsv"),
    )
    result = eh.germeval(gold, system)
    assert (result.sentences, result.strict.correct) == (2, 2)
    assert result.notes[0] == f"{system}: its sentences differ from those of the gold standard, which were used."


def test_of_two_files_with_six_columns_each_side_gives_its_own(file: File) -> None:
    path = file("a B-PER O B-LOC O", "b B-ORG O B-ORG O")
    assert eh.germeval(path, path).to_dict()["metrics"] == eh.germeval(path).to_dict()["metrics"]


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        (["a O O", "x O O"], "system.tsv:2: found the token 'x' where gold.tsv:2 has 'b'; "),
        (["a O O"], "system.tsv:1: the system ends here, but gold.tsv:2 has the token 'b'; "),
        (
            ["a O O", "b O O", "c O O"],
            "system.tsv:3: found the token 'c' after the end of the gold standard gold.tsv; ",
        ),
    ],
)
def test_tokens_must_agree(file: File, monkeypatch: pytest.MonkeyPatch, lines: list[str], sentence: str) -> None:
    folder = file("a O O", "b O O", name="gold.tsv").parent
    file(*lines, name="system.tsv")
    monkeypatch.chdir(folder)
    with pytest.raises(eh.InputError) as caught:
        eh.germeval("gold.tsv", "system.tsv")
    assert str(caught.value) == f"{sentence}gold standard and prediction must have the same tokens in the same order."


def test_one_file_and_two_give_the_same_whatever_the_blocks(file: File) -> None:
    """The files are longer than a block, and comments make blocks end at other places."""
    rows = [
        f"w{n % 977} {TAGS[n % 25]} {TAGS[n % 7]} {TAGS[n % 24]} {TAGS[n % 5]}" if n % 13 else "" for n in range(40_000)
    ]
    one = eh.germeval(file(*rows))
    cells = [row.split(" ") for row in rows]
    gold = file(*(" ".join(row[:3]) for row in cells), name="gold.tsv")
    system = file(*(" ".join([row[0], *row[3:]]) for row in cells), name="system.tsv")
    system.write_text(system.read_text().replace("\n\n", "\n\n# a rather long comment before this sentence\n"))
    two = eh.germeval(gold, system)
    assert system.stat().st_size > 1 << 19
    assert [one.to_dict()[key] for key in ("metrics", "labels", "classes", "other_level")] == [
        two.to_dict()[key] for key in ("metrics", "labels", "classes", "other_level")
    ]
    assert (one.sentences, one.tokens) == (two.sentences, two.tokens) == (3077, 36_923)


@pytest.mark.parametrize(
    ("delimiter", "spaced"), [(";", ";"), (" ", "  "), ("::", "::"), ("│", "│"), ("\t", "\t"), (", ", ", ")]
)
def test_another_delimiter(tmp_path: Path, delimiter: str, spaced: str) -> None:
    path = tmp_path / "both.tsv"
    path.write_text("1 a B-PER O B-PER O\n2 ä O B-LOC O O\n\n3 b O O O O\n".replace(" ", spaced))
    result = eh.germeval(path, delimiter=delimiter)
    assert (result.tokens, result.sentences, counts(result.strict)) == (3, 2, (2, 1, 1))


def test_tabs_inside_cells_of_another_delimiter(tmp_path: Path) -> None:
    path = tmp_path / "both.tsv"
    path.write_text("1;a\tb;B-PER;O;B-PER;O\n")
    assert eh.germeval(path, delimiter=";").strict.correct == 1


@pytest.mark.parametrize("delimiter", ["", "x", "-", "\n", "1", ";B"])
def test_delimiters_that_cannot_work(file: File, delimiter: str) -> None:
    with pytest.raises(eh.SettingError, match="cannot separate columns; choose a mark other than a letter"):
        eh.germeval(file("a O O O O"), delimiter=delimiter)


def test_blanks_between_columns(tmp_path: Path) -> None:
    path = tmp_path / "both.txt"
    path.write_text("1 a B-LOC O B-LOC O\n2  b  O  O  B-PER  O\n")
    result = eh.germeval(path)
    path.write_text(path.read_text().replace("  ", "\t").replace(" ", "\t"))
    assert result.to_dict() == eh.germeval(path).to_dict()


def chunks(tags: Sequence[str]) -> set[tuple[int, int, str]]:
    """The entities of a sentence, read one tag after the other."""
    all_chunks: list[list[int | str]] = []
    before = "O"
    for index, tag in enumerate(tags):
        if tag != "O" and (tag[0] == "B" or before[2:] != tag[2:]):
            all_chunks.append([index, index + 1, tag[2:]])
        elif tag != "O":
            all_chunks[-1][1] = index + 1
        before = tag
    return {(start, end, label) for start, end, label in all_chunks}  # type: ignore[misc]


def loose(entities: set[tuple[int, int, str]]) -> set[tuple[int, int, str]]:
    return {(start, end, label[:3]) for start, end, label in entities}


ROWS = st.lists(
    st.lists(st.tuples(*[st.sampled_from(["O", "O", *TAGS])] * 4), min_size=1, max_size=6), min_size=1, max_size=4
)


@given(ROWS)
def test_counts_are_those_of_plain_loops(
    tmp_path_factory: pytest.TempPathFactory, sentences: list[list[tuple[str, ...]]]
) -> None:
    path = tmp_path_factory.mktemp("rows") / "both.tsv"
    written(path, [line for rows in sentences for line in (*(f"w {' '.join(row)}" for row in rows), "")])
    result = eh.germeval(path)
    strict, loosely, other = [0, 0], [0, 0], 0
    for rows in sentences:
        gold_outer, gold_inner, outer, inner = map(chunks, zip(*rows, strict=True))
        for level, (mine, theirs) in enumerate(((gold_outer, outer), (gold_inner, inner))):
            strict[level] += len(mine & theirs)
            loosely[level] += len(loose(mine) & loose(theirs))
        other += len((outer - gold_outer) & (gold_inner - inner)) + len((inner - gold_inner) & (gold_outer - outer))
    assert [result.outer.correct, result.inner.correct, result.other_level] == [*strict, other]
    assert result.strict.correct == sum(levels[level].correct for levels in result.labels.values() for level in (0, 1))
    assert [sum(levels[level].correct for levels in result.classes.values()) for level in (0, 1)] == loosely
    tags = [row for rows in sentences for row in rows]
    assert result.outer.accuracy == sum(row[0] == row[2] for row in tags) / len(tags)


def test_the_result_as_plain_python(file: File, tmp_path: Path) -> None:
    path = file("a B-PER B-LOC B-PER O", "b O O I-LOC O")
    result = eh.germeval(path)
    data = result.to_dict()
    assert list(data) == [
        *("evenhand", "command", "signature", "notes", "gold", "prediction"),
        *("metrics", "script", "labels", "classes", "other_level", "repaired"),
    ]
    assert data["gold"] == {
        "name": "both",
        "sentences": 1,
        "tokens": 2,
        "units": 2,
        "labels": {**dict.fromkeys(LABELS, 0), "PER": 1, "LOC": 1},
    }
    assert data["metrics"]["strict"] == {
        "accuracy": 0.5,
        "gold": 2,
        "found": 2,
        "correct": 1,
        "precision": 0.5,
        "recall": 0.5,
        "f1": 0.5,
    }
    assert data["labels"]["LOC"]["inner"] == {
        "gold": 1,
        "found": 0,
        "correct": 0,
        "precision": 0,
        "recall": 0,
        "f1": 0,
    }
    assert data["repaired"]["first"] == [
        {
            "file": str(path),
            "line": 2,
            "finding": "the span that begins here with 'I-LOC' in column 5 is ill-formed in IOB2",
        }
    ]
    assert (
        data["signature"]
        == f"evenhand:{eh.__version__}|numbers:1|task:germeval|align:strict|scope:sentence|levels:separate|encoding:iob2|repair:begin"
    )
    target = tmp_path / "scores.json"
    assert result.to_json(target) == target.read_text()


# `germeval --as-script`: what the official script counts, and the note where it differs from the task's de


def written_germeval_script(folder: Path, lines: Sequence[str], name: str = "both.tsv") -> Path:
    rows = [f"1\t{line}".replace(" ", "\t") if line else "" for line in lines]
    (folder / name).write_text("\n".join(rows) + "\n")
    return folder / name


def test_behaviour_1_an_entity_continues_over_a_blank_line(tmp_path: Path) -> None:
    path = written_germeval_script(tmp_path, ["a B-PER O B-PER O", "", "b I-PER O B-PER O", "c O O O O"])
    assert counts(eh.germeval(path).strict) == (2, 2, 2)
    assert counts(eh.germeval(path, as_script=True).strict) == (1, 2, 0)
    assert eh.germeval(path).notes[-1] == (
        "The official script prints 0.00 (-100.00) for strict F1, 0.00 (-100.00) for loose F1 and 0.00 (-100.00) for "
        "outer F1, since it continues 1 entity over the end of a sentence; --as-script gives its figures."
    )


def test_behaviour_2_an_entity_on_the_last_token_is_never_correct(tmp_path: Path) -> None:
    path = written_germeval_script(
        tmp_path, ["a B-LOC O B-LOC O", "b B-PER O B-PER O", "c I-PER B-LOC I-PER B-LOC", ""]
    )
    result = eh.germeval(path, as_script=True)
    assert (counts(result.outer), counts(result.inner)) == ((2, 2, 1), (1, 1, 0))
    assert result.notes[-1] == (
        "These are the figures of the official script; Evenhand's are 100.00 (+66.67) for strict F1, 100.00 (+66.67) "
        "for loose F1, 100.00 (+50.00) for outer F1 and 100.00 (+100.00) for inner F1, since the script counts 2 "
        "entities at the end of the file as wrong."
    )


def test_behaviour_3_the_loose_row_of_the_latex_table_has_strict_figures(tmp_path: Path) -> None:
    path = written_germeval_script(tmp_path, ["a B-PER O B-PERderiv O", "b B-LOC O B-LOC O", "c O O O O"])
    result = eh.germeval(path, as_script=True)
    assert r"loose, combined & 100.00 & 50.00 & 50.00 & 50.00 \\" in latex(result)
    assert result.loose.f1 == 1, "only the table is wrong"


def test_behaviour_4_unknown_labels_have_no_scores_and_stay_errors(tmp_path: Path) -> None:
    path = written_germeval_script(tmp_path, ["a O O O O", "b O O B-MISC O"])
    with pytest.raises(eh.InputError, match=r"both\.tsv:2: the tag 'B-MISC' in column 5 has the unknown class 'MISC'"):
        eh.germeval(path, as_script=True)


def test_behaviour_5_another_label_at_i_continues_the_entity(tmp_path: Path) -> None:
    """The first prediction is one entity with labels that agree; the second has another label inside."""
    path = written_germeval_script(
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
    path = written_germeval_script(tmp_path, ["a B-LOC O B-LOC O", "b I-LOCpart O I-LOC O", "c O O O O"])
    result = eh.germeval(path, as_script=True)
    assert (counts(result.strict), counts(result.loose)) == ((1, 1, 0), (1, 1, 1))


def test_only_labels_that_occur_are_listed(tmp_path: Path) -> None:
    path = written_germeval_script(tmp_path, ["a B-LOCpart O B-ORG O", "b O O O O"])
    shown = str(eh.germeval(path, as_script=True)).splitlines()
    assert [line.split()[1] for line in shown if line.startswith("==> ")] == ["LOC", "LOCpart", "ORG"]
    assert sum(line.startswith("==> ") for line in str(eh.germeval(path)).splitlines()) == 12


def test_the_text_ends_with_the_rules_of_the_script(tmp_path: Path) -> None:
    path = written_germeval_script(tmp_path, ["a B-PER O I-PER O", "b O O O O"])
    assert str(eh.germeval(path, as_script=True)).splitlines()[-2:] == [
        f"Note: {path}: the prediction is identical to the gold standard. Is this the right file?",
        f"evenhand:{eh.__version__}|numbers:1|task:germeval|align:strict|scope:file|levels:separate|entities:script|encoding:iob2",
    ]


def test_ties_are_rounded_as_the_script_does(tmp_path: Path) -> None:
    """23 of 160 are 14.375 %: Perl prints 100*23/160 as 14.38, and 100*(23/160) would be 14.37."""
    rows = ["a B-PER O B-PER O"] * 23 + ["a B-PER O O O"] * 136 + ["a B-PER O O O", "", "a O O O O"]
    assert "\nRecall:  14.38%;\n" in str(eh.germeval(written_germeval_script(tmp_path, rows), as_script=True))


def test_repair_has_no_place_beside_it(tmp_path: Path) -> None:
    path = written_germeval_script(tmp_path, ["a I-PER O I-PER O", "b O O O O"])
    with pytest.raises(eh.SettingError) as caught:
        eh.germeval(path, as_script=True, repair="discard")
    assert str(caught.value) == "The script has its own rule for ill-formed entities; remove --repair discard."
    assert (
        eh.germeval(path, repair="discard")
        .notes[-1]
        .endswith("since it keeps 2 entities that --repair discard leaves out; --as-script gives its figures.")
    )


def test_figures_that_differ_by_label_only(tmp_path: Path) -> None:
    """Two entities of ours are one of the script's on both sides; all figures stay 100 %, those of LOC do not."""
    path = written_germeval_script(tmp_path, ["a B-PER O B-PER O", "b I-LOC O I-LOC O", "c O O O O"])
    assert eh.germeval(path).notes[-1] == (
        "The official script prints other figures for LOC and other figures for PER, since it continues 2 entities "
        "over a change of label at I-; --as-script gives its figures."
    )


def test_one_file_and_two_give_the_same_whatever_the_blocks_germeval_script(tmp_path: Path) -> None:
    """The files are longer than a block, and entities continue from one into the next."""
    rows = [
        f"w{n % 977} {TAGS[n % 25]} {TAGS[n % 7]} {TAGS[n % 24]} {TAGS[n % 5]}" if n % 13 else "" for n in range(40_000)
    ]
    one = written_germeval_script(tmp_path, rows)
    cells = [row.split(" ") for row in rows]
    gold = written_germeval_script(tmp_path, [" ".join(row[:3]) for row in cells], "gold.tsv")
    system = written_germeval_script(tmp_path, [" ".join([row[0], *row[3:]]) for row in cells], "system.tsv")
    assert one.stat().st_size > 1 << 20
    expected = script([tuple(row[1:]) for row in cells if len(row) > 1])
    for files in ((one,), (gold, system)):
        result = eh.germeval(*files, as_script=True)
        assert [counts(result.outer), counts(result.inner), result.loose.correct] == expected


def script(rows: Sequence[tuple[str, ...]]) -> list[object]:
    """Gold, found and correct entities of both levels, and loosely correct ones, read one tag after the other."""
    levels = [
        (chunks_germeval_script([row[level] for row in rows]), chunks_germeval_script([row[level + 2] for row in rows]))
        for level in (0, 1)
    ]
    strict = [
        (len(gold), len(item), sum(key in item.items() for key in gold.items() if key[0][1] < len(rows)))
        for gold, item in levels
    ]
    loose = sum(
        bounds in item and bounds[1] < len(rows) and [name[:3] for name in names] == [name[:3] for name in item[bounds]]
        for gold, item in levels
        for bounds, names in gold.items()
    )
    return [*strict, loose]


def chunks_germeval_script(tags: Sequence[str]) -> dict[tuple[int, int], list[str]]:
    """The labels of every token of an entity, by its bounds."""
    by_name: dict[tuple[int, int], list[str]] = {}
    begin: int | None = None
    for index, tag in enumerate((*tags, "O")):
        if begin is not None and tag[0] in "BO":
            by_name[begin, index] = [each[2:] for each in tags[begin:index]]
            begin = None
        if begin is None and tag != "O":
            begin = index
    return by_name


@given(
    st.lists(st.tuples(*[st.sampled_from(["O", "B-PER", "I-PER", "I-LOC", "I-LOCpart"])] * 4), min_size=1, max_size=12)
)
def test_counts_are_those_of_plain_loops_germeval_script(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, ...]]
) -> None:
    lines = [f"w {' '.join(row)}" for row in rows]
    spaced = [line for each in lines for line in (each, "")]
    for given_lines in (lines, spaced):
        result = eh.germeval(written_germeval_script(tmp_path_factory.mktemp("rows"), given_lines), as_script=True)
        assert [counts(result.outer), counts(result.inner), result.loose.correct] == script(rows)
