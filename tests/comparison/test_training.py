"""Training data: slices by seen strings and words, and sentences of the test set that occur in training."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import evenhand as eh

TRAIN = """\
Ada\tB-PER
Byron\tI-PER
saw\tO
Rome\tB-LOC
.\tO

ROME\tB-ORG
met\tO
the\tO
old\tO
Kyiv\tO
team\tO

Rome\tB-LOC
wins\tO
"""
GOLD = """\
Ada\tB-PER
Byron\tI-PER
saw\tO
Rome\tB-LOC
.\tO

Rome\tB-PER
rome\tB-LOC
the\tO
Old\tB-ORG
Kyiv\tB-LOC
Oslo\tB-LOC
old\tB-MISC
Kyiv\tI-MISC
"""
SYSTEM = """\
Ada\tB-PER
Byron\tI-PER
saw\tB-MISC
Rome\tB-ORG
.\tO

Rome\tB-PER
rome\tB-LOC
the\tO
Old\tB-ORG
Kyiv\tB-LOC
Oslo\tB-LOC
old\tB-MISC
Kyiv\tI-MISC
"""


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in (("train", TRAIN), ("gold", GOLD), ("system", SYSTEM)):
        Path(f"{name}.conll").write_text(text)


def units(name: str, **options: Any) -> dict[str, int]:
    """The gold units of each slice that has some."""
    options = {"train": "train.conll", "match": "exact", **options}
    result = eh.score("gold.conll", "system.conll", slices=name, **options)
    return {value: piece.units for value, piece in result.slices[name].items() if piece.units}


@pytest.mark.usefixtures("files")
def test_the_first_row_that_holds_is_the_class_of_a_string() -> None:
    """Same: Ada Byron, Rome; other: Rome as PER; case: rome; unlabelled: Kyiv, old Kyiv; new: Old, Oslo."""
    assert units("seen") == {"same": 2, "other": 1, "case": 1, "unlabelled": 2, "new": 2}


@pytest.mark.usefixtures("files")
def test_a_spurious_span_has_the_class_of_its_own_label() -> None:
    """Rome is never an ORG in this case, and saw is a word of the training text."""
    result = eh.score("gold.conll", "system.conll", match="exact", slices="seen", train="train.conll")
    slices = result.slices["seen"]
    assert {value: slices[value]["exact"].overall["FP"] for value in slices} == {
        "same": 0,
        "other": 1,
        "case": 0,
        "unlabelled": 1,
        "new": 0,
    }


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("oov", {"none": 5, "all": 3}),  # rome, Old and Oslo
        ("consistency", {"new": 4, "0": 1, "< 1": 2, "1": 1}),  # of Rome, 2 of 3 are LOC, and none is PER
        ("frequency", {"0": 4, "1": 1, "2-4": 3}),  # rome occurs three times, in any case
        ("ambiguity", {"1": 6, "2": 2}),  # Rome: LOC and PER
        ("leaked", {"no": 6, "yes": 2}),
        ("oov-density", {"0": 2, "0.375": 6}),
    ],
)
def test_attributes_of_strings(name: str, expected: dict[str, int]) -> None:
    assert units(name) == expected


@pytest.mark.usefixtures("files")
def test_frequency_and_ambiguity_without_training_data() -> None:
    """In the gold standard: rome and Rome are one string for the frequency, but two for the ambiguity."""
    assert units("frequency", train=None) == {"1": 5, "2-4": 3}
    assert units("ambiguity", train=None) == {"1": 6, "2": 2}


@pytest.mark.usefixtures("files")
def test_slices_have_the_order_of_their_definition() -> None:
    result = eh.score("gold.conll", "system.conll", slices="seen,consistency", train="train.conll")
    assert list(result.slices["seen"]) == ["same", "other", "case", "unlabelled", "new"]
    assert list(result.slices["consistency"]) == ["new", "0", "≤ .5", "< 1", "1"]
    compared = eh.compare("gold.conll", ["system.conll"] * 2, trials=0, slices="seen", train="train.conll")
    assert list(compared.slices["seen"]) == ["same", "other", "case", "unlabelled", "new"]


@pytest.mark.usefixtures("files")
def test_training_data_may_be_several_files_or_an_annotation() -> None:
    one, two, _ = TRAIN.split("\n\n")
    Path("one.conll").write_text(one + "\n")
    Path("two.conll").write_text(two + "\n\n" + "Rome\tB-LOC\nwins\tO\n")
    assert (
        units("seen", train=["one.conll", "two.conll"]) == units("seen") == units("seen", train=eh.read("train.conll"))
    )


@pytest.mark.usefixtures("files")
def test_labels_of_training_data_are_renamed() -> None:
    Path("other.conll").write_text(TRAIN.replace("PER", "PERSON").replace("LOC", "PLACE").replace("ORG", "GROUP"))
    with pytest.raises(eh.SettingError) as error:
        units("seen", train="other.conll")
    assert str(error.value) == (
        "other.conll: no label (PERSON, …) is in gold.conll (PER, …). Use --map train:PERSON=PER."
    )
    names = {"train:PERSON": "PER", "train:PLACE": "LOC", "train:GROUP": "ORG"}
    assert units("seen", train="other.conll", map=names) == units("seen")
    assert units("seen", train="other.conll", map={"train:PERSON": "PER"})["same"] == 1


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("name", ["gold.conll", "./gold.conll", "copy.conll"])
def test_the_gold_standard_is_not_training_data(name: str) -> None:
    Path("copy.conll").write_text(GOLD)
    with pytest.raises(eh.InputError, match=r"the training data is the gold standard gold\.conll"):
        units("seen", train=name)


@pytest.mark.usefixtures("files")
def test_training_data_in_another_encoding_and_column() -> None:
    rows = [line and f"{line}\tX" for line in TRAIN.replace("B-", "S-").replace("S-PER", "B-PER").split("\n")]
    Path("other.conll").write_text("\n".join(rows).replace("I-PER", "E-PER"))
    assert units("seen", train="other.conll", column={"train": 2}) == units("seen")


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"slices": "seen"}, "The slice 'seen' needs training data; specify it with --train FILE."),
        ({"drop_leaked": True}, "drop_leaked needs training data. Specify it with train."),
        ({"train": "train.conll", "jobs": 2}, "Training data are read in one process, without show"),
        ({"train": []}, "train is empty. Specify a file, or remove it."),
    ],
)
def test_options_without_training_data(options: dict[str, Any], message: str) -> None:
    with pytest.raises(eh.SettingError) as error:
        eh.score("gold.conll", "system.conll", **options)
    assert str(error.value).startswith(message)


@pytest.mark.usefixtures("files")
def test_leaked_sentences_are_left_out_of_scores() -> None:
    """The first sentence is in the training data, so its error is gone."""
    options: dict[str, Any] = {"match": "exact", "train": "train.conll"}
    result = eh.score("gold.conll", "system.conll", drop_leaked=True, **options)
    assert (result["exact"].f1, result.gold.sentences, result.gold.units) == (1.0, 1, 6)
    assert "1 test sentence with 2 gold spans is left out (--drop-leaked)." in result.notes
    assert result.signature.endswith("|train:train|drop-leaked:exact")
    assert eh.errors("gold.conll", "system.conll", drop_leaked=True, **options)["string"] == []
    assert len(eh.errors("gold.conll", "system.conll", **options)) > 0


@pytest.mark.usefixtures("files")
def test_sentences_are_left_out_of_systems_by_number_or_id() -> None:
    Path("short.conll").write_text(SYSTEM + "\nthe\tO\n")
    with pytest.raises(eh.InputError, match="expected 2 sentences, as in the gold standard, to leave some out, got 3"):
        eh.score("gold.conll", "short.conll", train="train.conll", drop_leaked=True)

    def record(key: str, text: str, *spans: tuple[int, int, str]) -> str:
        names = ("start", "end", "label")
        return json.dumps({"id": key, "text": text, "spans": [dict(zip(names, span, strict=True)) for span in spans]})

    leaked = "Ada Byron saw Rome.", (0, 9, "PER")
    Path("gold.jsonl").write_text("\n".join([record("a", *leaked), record("b", "In Oslo", (3, 7, "LOC"))]) + "\n")
    Path("system.jsonl").write_text("\n".join([record("b", "In Oslo"), record("a", leaked[0])]) + "\n")
    Path("train.jsonl").write_text(record("t", *leaked) + "\n")
    result = eh.score("gold.jsonl", "system.jsonl", match="exact", train="train.jsonl", drop_leaked=True)
    assert (result["exact"].overall["FN"], result.gold.units) == (1, 1)


@pytest.mark.usefixtures("files")
def test_training_data_as_tokens_and_test_data_as_text() -> None:
    """Both are divided into the same words, and names of Chinese text into characters."""
    spans = [{"start": 0, "end": 12, "label": "PER"}, {"start": 17, "end": 25, "label": "LOC"}]
    spans += [{"start": 29, "end": 37, "label": "LOC"}, {"start": 39, "end": 41, "label": "LOC"}]
    record = {"id": "a", "text": "Ada Lovelace met St. Mary in New York. 北京 is big.", "spans": spans}
    Path("text.jsonl").write_text(json.dumps(record) + "\n")
    Path("none.jsonl").write_text(json.dumps({**record, "spans": []}) + "\n")
    Path("tokens.conll").write_text(
        "ada\tB-PER\nlovelace\tI-PER\nsaw\tO\nNew\tB-LOC\nYork\tI-LOC\n.\tO\n\nSt.\tO\nMary\tO\n\n我\tO\n在北京\tO\n"
    )
    table = eh.slices("text.jsonl", "none.jsonl", by="seen,oov", match="exact", train="tokens.conll")
    assert [(row.slice, row.value, row.gold) for row in table if row.gold] == [
        ("seen", "same", 1),
        ("seen", "case", 1),
        ("seen", "unlabelled", 2),
        ("oov", "none", 3),
        ("oov", "all", 1),
    ]


# Other tasks


def test_tags_by_word_and_tag() -> None:
    gold, system = eh.tags([["D", "N", "V"]], tokens=[["the", "run", "Run"]]), eh.tags([["D", "N", "N"]])
    train = eh.tags([["D", "N", "D"]], tokens=[["the", "run", "a"]])
    result = eh.score(gold, system, task="tags", slices="seen,position", train=train, align="position")
    assert {value: piece.units for value, piece in result.slices["seen"].items() if piece.units} == {
        "same": 2,
        "case": 1,
    }
    assert {value: piece.units for value, piece in result.slices["position"].items()} == {
        "first": 1,
        "middle": 1,
        "last": 1,
    }


def relations(path: str, *rows: tuple[str, int, int]) -> None:
    tokens = ["Ada", "met", "Bob", "in", "Rome"]
    entities = [{"start": start, "end": start + 1, "type": kind} for start, kind in ((0, "P"), (2, "P"), (4, "L"))]
    links = [{"type": kind, "head": head, "tail": tail} for kind, head, tail in rows]
    Path(path).write_text(json.dumps([{"tokens": tokens, "entities": entities, "relations": links}]))


@pytest.mark.usefixtures("files")
def test_relations_by_both_strings_and_the_label() -> None:
    relations("gold.json", ("met", 0, 1), ("at", 0, 2), ("at", 1, 2))
    relations("system.json", ("met", 0, 1))
    relations("train.json", ("met", 0, 1), ("met", 0, 2))
    result = eh.score("gold.json", "system.json", task="relations", slices="seen", train="train.json")
    found = {value: piece.units for value, piece in result.slices["seen"].items() if piece.units}
    assert found == {"same": 1, "other": 1, "unlabelled": 1}


@pytest.mark.parametrize(
    ("task", "name", "message"),
    [
        ("trees", "seen", "The slice 'seen' is for spans, tags, relations and links; remove it."),
        ("chains", "consistency", "The slice 'consistency' is for spans, tags and links; remove it."),
        ("tags", "nested", "The slice 'nested' is for spans; remove it."),
        ("constituents", "oov", "The slice 'oov' is for spans, tags, trees, chains and links; remove it."),
        ("records", "leaked", "The slice 'leaked' is for spans, tags, trees, chains, relations and links; remove"),
    ],
)
def test_undefined_slices_are_refused_by_name(task: str, name: str, message: str) -> None:
    from evenhand.comparison.slices import SliceRequest
    from evenhand.tasks.registry import TASKS

    with pytest.raises(eh.SettingError) as error:
        SliceRequest.of(name).columns(TASKS[task])
    assert str(error.value).startswith(message)


# Leakage


@pytest.mark.usefixtures("files")
def test_leakage_of_sentences_and_documents(capsys: pytest.CaptureFixture[str]) -> None:
    from evenhand.cli import main

    Path("test.conll").write_text(
        "-DOCSTART- O\n\nada B-PER\nbyron I-PER\nsaw O\nRome B-LOC\n. O\n\nRome B-LOC\nwins O\n\n"
        "-DOCSTART- O\n\nRome B-LOC\nwins O\n\nIn O\n1999 O\n"
    )
    Path("train.conll").write_text(TRAIN + "\nIn\tO\n2024\tO\n")
    leakage = eh.leakage("train.conll", "test.conll")
    assert (leakage.sentences, leakage.documents, leakage.units, leakage.repeated) == (4, 2, 4, 2)
    assert leakage.to_dict()["exact"] == {"sentences": 2, "long": 0, "units": 2, "documents": 0}
    assert leakage.to_dict()["loose"] == {"sentences": 4, "long": 1, "units": 4, "documents": 2}
    with pytest.raises(SystemExit):
        main(["check", "--train", "train.conll", "test.conll"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[1] == (
        "test.conll: 0 of 4 test sentences (0.0 %) have five words or more and occur in the training data."
    )
    assert "loose                               4  100.00                   1          2           4" in lines


WORDS = st.sampled_from(["Ada", "ada", "Rome", "ROME", "Straße", "STRASSE", "of", "x"])
SENTENCES = st.lists(
    st.lists(st.tuples(WORDS, st.sampled_from(["O", "B-PER", "B-LOC", "I-PER", "I-LOC"])), min_size=1, max_size=6),
    min_size=1,
    max_size=5,
)


def rows_of(corpus: list[list[tuple[str, str]]]) -> eh.Annotation:
    words = [[word for word, _ in sentence] for sentence in corpus]
    return eh.tags([[tag for _, tag in sentence] for sentence in corpus], tokens=words, encoding="iob2")


def spans_of(corpus: list[list[tuple[str, str]]]) -> list[tuple[str, tuple[str, ...]]]:
    rows = rows_of(corpus).spans().rows()
    return [(label, tuple(word for word, _ in corpus[sentence][start:end])) for label, sentence, start, end in rows]


def slowly_seen(span: tuple[str, tuple[str, ...]], train: list[list[tuple[str, str]]]) -> str:
    """The class of a span, by its definition."""
    _, words = span
    known = spans_of(train)
    texts = [[word for word, _ in sentence] for sentence in train]
    if span in known:
        return "same"
    if words in [other for _, other in known]:
        return "other"
    if " ".join(words).casefold() in [" ".join(other).casefold() for _, other in known]:
        return "case"
    occurs = any(list(words) == text[at : at + len(words)] for text in texts for at in range(len(text)))
    return "unlabelled" if occurs else "new"


@pytest.mark.property
@given(SENTENCES, SENTENCES)
def test_seen_by_definition(gold: list[list[tuple[str, str]]], train: list[list[tuple[str, str]]]) -> None:
    labels = [{label for label, _ in spans_of(corpus)} for corpus in (gold, train)]
    if not all(labels) or labels[0].isdisjoint(labels[1]):
        return
    expected = [slowly_seen(span, train) for span in spans_of(gold)]
    system = rows_of([[(word, "O") for word, _ in sentence] for sentence in gold])
    result = eh.score(rows_of(gold), system, match="exact", slices="seen", train=rows_of(train))
    assert {value: piece.units for value, piece in result.slices["seen"].items()} == {
        value: expected.count(value) for value in ("same", "other", "case", "unlabelled", "new")
    }


# Gate and errors


@pytest.mark.usefixtures("files")
def test_limits_of_slices_by_training_data() -> None:
    options: dict[str, Any] = {"train": "train.conll", "slice_min": 1}
    floors = {"seen=new/recall": 0.6, "LOC:seen=new/exact.f1": 1.0, "consistency=%3C 1/exact.recall": "50%"}
    assert eh.gate("gold.conll", candidate="system.conll", floor=floors, **options).passed
    assert not eh.gate("gold.conll", candidate="system.conll", floor={"seen=same/exact.recall": 1.0}, **options).passed
    Path("perfect.conll").write_text(GOLD)
    drops = {"seen=same/exact.recall": 1, "seen=new/exact.recall": 0}
    gate = eh.gate("gold.conll", "perfect.conll", "system.conll", max_drop=drops, only=True, **options)
    assert [criterion.passed for criterion in gate.criteria] == [False, True]


@pytest.mark.usefixtures("files")
def test_a_slice_with_few_units_has_no_floor() -> None:
    from click.testing import CliRunner

    from evenhand.cli import main

    command = "gate gold.conll system.conll --train train.conll --floor seen=other/recall=0.5 --quiet"
    result = CliRunner().invoke(main, command.split())
    assert (result.exit_code, result.stderr.strip()) == (
        2,
        "evenhand: seen=other: expected at least 20 units for a floor, got 1.",
    )


@pytest.mark.usefixtures("files")
def test_errors_of_unseen_strings_with_the_note_on_leakage(capsys: pytest.CaptureFixture[str]) -> None:
    from evenhand.cli import main

    table = eh.errors("gold.conll", "system.conll", train="train.conll", slice="seen=unlabelled", match="exact")
    assert table["string"] == ["saw"]
    with pytest.raises(SystemExit):
        main(["errors", "gold.conll", "system.conll", "--train", "train.conll", "--slice", "seen=new"])
    note = "Note: 1 of 2 test sentences (50.0 %) has five words or more and occurs in the training data."
    assert note in capsys.readouterr().err.splitlines()


@pytest.mark.usefixtures("files")
def test_overrides_are_not_combined_with_left_out_sentences() -> None:
    Path("overrides.jsonl").write_text("")
    with pytest.raises(eh.SettingError, match="Overrides refer to sentences by number"):
        eh.score("gold.conll", "system.conll", train="train.conll", drop_leaked=True, overrides="overrides.jsonl")
