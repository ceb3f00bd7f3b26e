"""Reading: each file is recognised once, opened once for that, and read once."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any, BinaryIO

import pytest
from click.testing import CliRunner

import evenhand as eh
from conftest import EXAMPLE, ROOT
from declared import EXAMPLES as EXAMPLES_OPENS
from evenhand.cli import main
from evenhand.data.vocabulary import Vocabulary
from evenhand.formats import conll as germeval
from evenhand.formats import conllu as conllu_layout
from evenhand.formats import read as recognition
from evenhand.formats import span_table
from evenhand.formats.format import FORMATS, Format
from evenhand.formats.hipe import is_neleval
from evenhand.formats.paths import FileNames, _named_steps, _steps_of, check_output_not_input
from evenhand.formats.read import OpenFiles
from evenhand.formats.source import Block, Source
from evenhand.settings import ReadSettings

EXAMPLES = EXAMPLE.parent


@pytest.fixture
def opens(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each file is opened."""
    counts: Counter[str] = Counter()
    opened = Source._open_raw

    def counted(source: Source) -> BinaryIO:
        counts[source.path.name] += 1
        return opened(source)

    monkeypatch.setattr(Source, "_open_raw", counted)
    return counts


@pytest.mark.parametrize(
    "path", ["ner/gold.conll", "tags/gold.tsv", "trees/gold.conllu", "chains/gold.conll"], ids=lambda path: path[:4]
)
def test_a_file_is_opened_once_to_recognise_it_and_once_to_read_it(opens: Counter[str], path: str) -> None:
    eh.read(EXAMPLES / path, task="tags" if path.endswith("tsv") else None)
    assert opens == {Path(path).name: 2}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.jsonl", '{"tokens": ["Ada"], "tags": ["B-PER"]}\n'),
        ("a.json", '[{"text": "Ada", "spans": []}]'),
        ("a.tsv", "PER\t1\t2\n\n"),
        ("a.mrg", "(S (NN a))\n"),
        ("a.txt", '{"doc_key": "a", "sentences": [["He"]], "clusters": []}\n'),
    ],
)
def test_other_formats_are_opened_as_often(tmp_path: Path, opens: Counter[str], name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    eh.read(tmp_path / name)
    assert opens == {name: 2}


def test_a_file_whose_first_tags_come_late_is_opened_once_more(tmp_path: Path, opens: Counter[str]) -> None:
    path = tmp_path / "late.conll"
    path.write_text("word\tO\n\n" * 20_000 + "Ada\tS-PER\n\n")
    assert eh.read(path).reading.encoding == "bioes"
    assert opens == {"late.conll": 3}


def test_files_that_are_opened_can_be_asked_and_read_again(opens: Counter[str]) -> None:
    opened = OpenFiles(EXAMPLES / "trees" / "gold.conllu", ReadSettings())
    assert (opened.first.format.name, opened.first.task, opened.first.confidence) == ("conllu", "trees", 1.0)
    assert opened.first.traits == {"universal", "conllu"}
    assert opens == {"gold.conllu": 1}
    for task in ("trees", "tags"):
        batches = list(opened.read_as(ReadSettings(task=task)).batches(Vocabulary()))
        assert ("trees" in batches[0].layers) == (task == "trees")
    assert opens == {"gold.conllu": 3}


@pytest.mark.parametrize(
    ("path", "traits"), [("ner/gold.conll", set()), ("chains/gold.conll", {"pos"}), ("tags/gold.tsv", set())]
)
def test_traits(path: str, traits: set[str]) -> None:
    assert OpenFiles(EXAMPLES / path, ReadSettings()).first.traits == traits


def test_a_folder_is_recognised_file_by_file(tmp_path: Path) -> None:
    (tmp_path / "a.conll").write_text("Ada\tB-PER\n\n")
    (tmp_path / "b.jsonl").write_text('{"tokens": ["Ada"], "tags": ["B-PER"]}\n')
    opened = OpenFiles(tmp_path, ReadSettings())
    assert [batch.reading.format for batch in opened.batches(Vocabulary())] == ["conll", "jsonl"]
    assert isinstance(opened.first.format, Format)
    assert opened.name == tmp_path.name


# Recognition: which share of the first lines fits a table


WORD = "\t".join(("1", "A", "a", "DET", "DT", "_", "2", "det", "_", "_"))


def block(*lines: str) -> Block:
    data = "\n".join((*lines, "")).encode()
    return Block(data + bytes(8), len(data), 1)


@pytest.mark.parametrize(
    ("lines", "share"),
    [
        (["PER\t1\t2", "", "LOC\t3\t3\t3"], 1.0),
        (["PER 1  2\r", "LOC   3 3\r"], 1.0),
        (["\t1\t2"], 1.0),
        (["PER\t1\t2", "PER\t1\tx", "1\t2\t3", "a\tb"], 0.25),
        (["PER 1 2", "a b c 4 5", "Page 4"], 1 / 3),
        (["A\tDT\tO", "12\tCD\tO"], 0.0),
    ],
)
def test_the_share_of_lines_with_a_label_and_two_numbers(lines: list[str], share: float) -> None:
    assert span_table.recognise(block(*lines)) == share


@pytest.mark.parametrize(
    ("lines", "share"),
    [
        (["d\t0\t4\tQ1\t0.9\tPER\r", ""], 1.0),
        (["d\t0\t4\tQ1\t\t", "d\t0\tx\tQ1\t1\tPER"], 0.5),
        (["d 0 4 Q1 1 PER"], 0.0),
        (["1\ta\t2\tb"], 0.0),
    ],
)
def test_the_share_of_lines_with_candidates(lines: list[str], share: float) -> None:
    assert is_neleval(block(*lines)) == share


@pytest.mark.parametrize(
    ("lines", "share"),
    [
        (["#\tsource", "1\tA\tB-PER\tO", "2\tb\tI-PER\tO\t\t"], 1.0),
        (["  1 A B-PER O", "\r 2  b O O", "٣\tc\tO\tO"], 1.0),
        (["1 A B-PER O O O", "2 b O O", "3 c O", "x d O O"], 0.5),
        (["1\tA\tB-PER\tO", "2\tb\tnoun\tO"], 0.5),
        (["1\tA\tB-NP\tB-PER", "2\tb\tI-NP\tO"], 0.0),
        (["A\tB-PER\tO\tO", "b\tO\tO\tO"], 0.0),
    ],
)
def test_the_share_of_lines_with_a_number_and_two_or_four_tags(lines: list[str], share: float) -> None:
    assert germeval.recognise_germeval(block(*lines)) == share


@pytest.mark.parametrize(
    ("lines", "tabs", "share"),
    [
        (["# text = A b", WORD, WORD.replace("1", "2", 1)], True, 1.0),
        ([WORD, "1-2" + WORD[1:], "A\tb"], True, 2 / 3),
        ([WORD], False, 0.0),
        ([WORD.replace("\t", "  "), "a b"], False, 0.5),
        (["# only comments"], True, 0.0),
    ],
)
def test_the_share_of_words_of_conllu(lines: list[str], tabs: bool, share: float) -> None:
    assert conllu_layout.share_of_words(block(*lines), tabs=tabs) == share


# Bad input: one sentence with file, line, finding and remedy


GOOD = "Ada\tNNP\tB-PER\nsees\tVBZ\tO\n\n"
BAD_FILES = {
    "empty": (b"", "bad.conll: the file is empty; check how it was written."),
    "blank": (b"\n \n\n", "bad.conll: the file has no tokens; check how it was written."),
    "one column too few on line 1,234": (
        (GOOD * 411 + "Ada\tNNP\n" + GOOD).encode(),
        "bad.conll:1234: expected 3 columns as in line 1, got 2; fix the line, or start it with # if it is a comment.",
    ),
    "one column too many": (
        (GOOD + "Ada\tNNP\tB-PER\tx\n").encode(),
        "bad.conll:4: expected 3 columns as in line 1, got 4; fix the line, or start it with # if it is a comment.",
    ),
    "invalid UTF-8": (
        GOOD.encode() + b"M\xfcnchen\tNNP\tB-LOC\n",
        "bad.conll:4: the byte 0xfc is not valid UTF-8; save the file as UTF-8.",
    ),
    "UTF-16": (GOOD.encode("utf-16"), "bad.conll:1: the file is in UTF-16; save it as UTF-8."),
    "binary": (
        GOOD.encode() + b"\x00\x01",
        "bad.conll:4: found a NUL byte, so this is not a text file; check which file it is.",
    ),
    "a tag without prefix": (
        (GOOD + "London\tNNP\tLOC\n").encode(),
        "bad.conll:4: the tag 'LOC' is not a prefix such as B- or I- with a label after it; "
        "fix it, or specify the encoding (--encoding plain for labels without prefixes).",
    ),
    "an empty label": (
        (GOOD + "London\tNNP\tB-\n").encode(),
        "bad.conll:4: the tag 'B-' is not a prefix such as B- or I- with a label after it; "
        "fix it, or specify the encoding (--encoding plain for labels without prefixes).",
    ),
}


@pytest.mark.parametrize("kind", BAD_FILES)
def test_bad_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    content, sentence = BAD_FILES[kind]
    (tmp_path / "bad.conll").write_bytes(content)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(eh.InputError) as error:
        eh.read("bad.conll")
    assert str(error.value) == sentence


def test_a_late_tag_of_another_encoding(tmp_path: Path) -> None:
    """The encoding is taken from the first lines; what does not fit later is an error, not a guess."""
    path = tmp_path / "late.conll"
    path.write_text(GOOD * 6000 + "Bo\tNNP\tS-PER\n")
    with pytest.raises(eh.InputError, match=r"late.conll:18001: the tag 'S-PER' does not occur in IOB2"):
        eh.read(path)
    assert len(eh.read(path, encoding="bioes").spans()) == 6001


def test_wrong_paths(tmp_path: Path) -> None:
    with pytest.raises(eh.InputError, match="there is no such file; check the path"):
        eh.read(tmp_path / "nothing.conll")
    with pytest.raises(eh.InputError, match="contains no file; check the path"):
        eh.read(tmp_path)


def test_a_column_that_is_not_there(tmp_path: Path) -> None:
    path = tmp_path / "good.conll"
    path.write_text(GOOD)
    with pytest.raises(eh.InputError, match=r"good.conll:1: column 4 does not exist, this line has 3 columns"):
        eh.read(path, column=4)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"encoding": "iob3"}, "encoding is 'iob3'; did you mean iob"),
        ({"format": "xml"}, "format is 'xml'; choose one of huggingface,"),
        ({"repair": "guess"}, "repair is 'guess'; choose one of begin, discard, error."),
        ({"column": 0}, "There is no column 0"),
    ],
)
def test_bad_settings(options: dict, sentence: str) -> None:
    with pytest.raises(eh.SettingError) as error:
        eh.read("any", **options)
    assert sentence in str(error.value)


def test_ill_formed_spans_under_repair_error(tmp_path: Path) -> None:
    path = tmp_path / "ill.conll"
    path.write_text("a B-PER\n\nb I-PER\nc B-PER\nd B-PER\n")
    with pytest.raises(
        eh.InputError, match=r"ill.conll:3: the span that begins here with 'I-PER' is ill-formed in IOB2"
    ):
        eh.read(path, repair="error")


# Paths that cannot be opened, formats that do not serve a task, and old line ends: one sentence each


GOLD = EXAMPLE / "gold.conll"
TREES = EXAMPLE.parent / "trees" / "transition.conllu"


def sentence(*paths: str | Path, **options: str) -> str:
    with pytest.raises(eh.InputError) as raised:
        eh.score(*paths, **options)
    return str(raised.value)


def test_a_name_that_is_too_long() -> None:
    told = "cannot be opened (file name too long); check the path and the permissions."
    assert sentence("x" * 300, GOLD) == f"{'x' * 80}…: {told}"
    assert sentence(GOLD, "x/" * 3000) == f"{'x/' * 40}…: {told}"


def test_a_name_with_a_nul() -> None:
    assert sentence("a\0b", GOLD).endswith("cannot be opened (it holds a NUL); check the path and the permissions.")


@pytest.mark.skipif(os.name != "posix", reason="names are bytes on POSIX only")
def test_a_name_that_is_not_utf8(tmp_path: Path) -> None:
    path = os.fsdecode(os.path.join(os.fsencode(tmp_path), b"caf\xe9.conll"))
    Path(path).write_bytes(GOLD.read_bytes())
    assert eh.score(path, GOLD)["exact"].overall.counts["TP"] == 285
    assert ": there is no such file; did you mean " in sentence(path + "x", GOLD)


def test_folders_and_files_in_each_others_place(tmp_path: Path) -> None:
    assert sentence(tmp_path, GOLD) == f"{tmp_path}: contains no file; check the path."
    inside = GOLD / "x"
    told = "cannot be opened (not a directory); check the path and the permissions."
    assert sentence(inside, GOLD) == f"{inside}: {told}"


def test_an_empty_brat_document(tmp_path: Path) -> None:
    for name in ("empty.ann", "empty.txt"):
        (tmp_path / name).write_bytes(b"")
    assert eh.score(tmp_path, tmp_path)["exact"].overall.counts == {"TP": 0, "FP": 0, "FN": 0}


@pytest.mark.parametrize("task", ["spans", "tags", "trees", "chains"])
@pytest.mark.parametrize("name", list(FORMATS))
def test_a_format_that_does_not_serve_the_task(name: str, task: str) -> None:
    for path in (GOLD, TREES):
        try:
            eh.score(path, path, format=name, task=task)
        except eh.EvenhandError as error:
            told = str(error)
        else:
            assert task in FORMATS[name].tasks
            continue
        assert "\n" not in told


def test_chains_of_a_format_without_any() -> None:
    told = "files in brat contain no chains; specify one of these with --format: conll2012, coref-jsonl, corefud."
    assert sentence(GOLD, GOLD, format="brat", task="chains") == f"{GOLD}: {told}"


@pytest.mark.parametrize(
    "content", ["Ada\tB-PER\r\rlived\tO\r", "PER\t1\t2\r\rLOC\t1\t1\r", '{"tokens":["a"],"tags":["O"]}\r{}\r']
)
def test_lines_that_end_with_cr_alone(tmp_path: Path, content: str) -> None:
    path = tmp_path / "mac.txt"
    path.write_bytes(content.encode())
    assert sentence(path, path) == f"{path}:1: lines end with CR alone; save the file with the line ends LF or CRLF."


def test_a_text_of_brat_may_have_cr_alone(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"Ada\rlived")
    (tmp_path / "a.ann").write_bytes(b"T1\tPER 0 3\tAda\n")
    assert len(eh.read(tmp_path / "a.ann").spans()) == 1


RECORD = "Patient Margarethe Hollerbach was seen on 3 May"
RECORDS: dict[str, str] = {
    "a sentence": RECORD,
    "many": f"{RECORD}. " * 100,
    "lines": f"{RECORD}\nHollerbach, Margarethe",
    "a slash": f"{RECORD}, n/a Hollerbach",
    "a full stop inside": "The patient came to St.Hollerbach",
    "an address inside": "https://clinic.org/\nPatient Hollerbach",
    "no blanks": "患者王小明于三月三日入院复查后出院随访正常情况良好Hollerbach",
    "short": "Ada Byron",
}


@pytest.mark.parametrize("text", RECORDS.values(), ids=RECORDS)
def test_a_text_is_not_shown_as_a_path(text: str) -> None:
    """Redacted texts that a caller takes for systems must not get into a log."""
    calls: list[Callable[[], object]] = [
        lambda: eh.score(GOLD, text),
        lambda: eh.score(GOLD, [text, text]),
        lambda: eh.score(GOLD, {"model": text}),
        lambda: eh.score(text, GOLD),
        lambda: eh.score(GOLD, [[text, text]]),
        lambda: eh.rank(GOLD, [text]),
        lambda: eh.compare(GOLD, [text, text]),
        lambda: eh.report(GOLD, [text]),
        lambda: eh.gate(GOLD, GOLD, text),
        lambda: eh.agree([text, text]),
        lambda: eh.adjudicate(GOLD, text),
        lambda: eh.score(GOLD, GOLD, overrides=text),
        lambda: eh.compare(GOLD, [GOLD, GOLD], slices="vocabulary", vocabulary=text),
        lambda: eh.germeval(text),
        lambda: eh.read(text),
        lambda: eh.manifest(text),
        lambda: eh.rank_suite(text),
        lambda: eh.Result.from_json(text),
        lambda: eh.read(Path(text)),
    ]
    for call in calls:
        with pytest.raises(eh.EvenhandError) as raised:
            call()
        message = str(raised.value)
        assert "\n" not in message
        assert not any(text[place : place + 21] in message for place in range(max(len(text) - 20, 0)))
        assert "file" in message
        assert "no such file" not in message


def test_a_text_as_an_argument_of_a_command(tmp_path: Path) -> None:
    outcome = CliRunner().invoke(main, ["score", str(GOLD), RECORD])
    assert (outcome.exit_code, outcome.stdout) == (2, "")
    finding = "Expected the path of a file, got a string of 47 characters ('Patient Margarethe H…'); pass a path,"
    assert outcome.stderr.startswith(f"evenhand: {finding}")
    manifest = tmp_path / "pairs.tsv"
    manifest.write_text(f"gold\tmodel\n{GOLD}\t{RECORD}\n")
    outcome = CliRunner().invoke(main, ["score", "--manifest", str(manifest)])
    assert outcome.exit_code == 2
    assert "Hollerbach" not in outcome.stderr


@pytest.mark.parametrize(
    "name", ["no such.conll", "missing", "no/such/folder/file name.json", "a-file-that-is-not-there.xyz"]
)
def test_paths_without_a_file_are_shown(name: str, tmp_path: Path) -> None:
    assert sentence(GOLD, name) == f"{name}: there is no such file; check the path."
    there = tmp_path / "a file without an ending"
    assert sentence(GOLD, there) == f"{there}: there is no such file; check the path."


# Each file is opened once to recognise its format and once to read it, whatever is asked


FOLDER = ROOT / "src" / "evenhand" / "examples"
COMMANDS: dict[str, Callable[..., Any]] = {
    "score": lambda gold, systems, task: eh.score(gold, systems, task=task),
    "rank": lambda gold, systems, task: eh.rank(gold, systems, task=task, resamples=10),
    "compare": lambda gold, systems, task: eh.compare(gold, systems, task=task, trials=0, resamples=0),
    "gate": lambda gold, systems, task: eh.gate(gold, *systems[:2], task=task, max_drop=100),
    "report": lambda gold, systems, task: eh.report(gold, systems, task=task, trials=0, resamples=0).to_html(),
}


@pytest.mark.parametrize("task", list(EXAMPLES_OPENS))
@pytest.mark.parametrize("command", list(COMMANDS))
def test_files_are_opened_to_recognise_them_and_to_read_them(
    monkeypatch: pytest.MonkeyPatch, command: str, task: str
) -> None:
    opens: Counter[str] = Counter()
    recognised: Counter[str] = Counter()
    opened, recognise = Source._open_raw, recognition.recognise

    def counted(source: Source) -> BinaryIO:
        opens[source.path.name] += 1
        return opened(source)

    def noted(source: Source, *arguments: Any) -> Any:
        recognised[source.path.name] += 1
        return recognise(source, *arguments)

    monkeypatch.setattr(Source, "_open_raw", counted)
    monkeypatch.setattr(sys.modules["evenhand.formats.read"], "recognise", noted)
    folder, gold, systems = EXAMPLES_OPENS[task]
    files = [FOLDER / folder / name for name in (gold, *systems[: 2 if command == "gate" else 3])]
    COMMANDS[command](files[0], files[1:], task)
    names = [file.name for file in files]
    assert recognised == dict.fromkeys(names, 1)
    assert opens == dict.fromkeys(names, 2)


# Windows and macOS, simulated


def test_files_are_in_the_same_order_on_windows() -> None:
    """Paths of Windows are compared without case, and the order of files is that of documents."""
    files = [PureWindowsPath(name) for name in ("run/b", "run/A", "Run/c", "run/a")]
    assert [file.as_posix() for file in sorted(files, key=_steps_of)] == ["Run/c", "run/A", "run/a", "run/b"]


def test_names_of_systems_on_two_drives() -> None:
    assert _named_steps(PureWindowsPath("C:\\runs\\a.conll")) == ("C:", "runs", "a.conll")
    assert _named_steps(PureWindowsPath("runs\\a.conll")) == ("runs", "a.conll")
    assert _named_steps(PurePosixPath("/runs/a.conll")) == ("/", "runs", "a.conll")


def test_two_files_on_a_drive_without_inodes_are_two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Network drives of Windows number all files 0."""
    paths = [tmp_path / name for name in ("gold.conll", "out.json")]
    for path in paths:
        path.touch()
    stat = os.stat

    def numbered_zero(path: Any, *arguments: Any, **keywords: Any) -> os.stat_result:
        found = list(stat(path, *arguments, **keywords))
        return os.stat_result([found[0], 0, *found[2:]])

    monkeypatch.setattr(os, "stat", numbered_zero)
    check_output_not_input(paths[1], [paths[0]])
    with pytest.raises(eh.InputError, match="is one of the input files"):
        check_output_not_input(tmp_path / "." / "gold.conll", [paths[0]])


@pytest.mark.parametrize(
    ("documents", "names"),
    [
        (["a", "A"], ["a", "00002"]),
        (["con", "aux.x", "com1/a", "fine"], ["00001", "00002", "00003", "fine"]),
        (["a./b", "a /b", "a.b/c", "Dr."], ["00001", "00002", "a.b/c", "Dr."]),
        (["Zo\u00eb", "Zoe\u0308", "ZO\u00cb"], ["Zo\u00eb", "00002", "00003"]),
    ],
    ids=["case", "devices", "final dots and blanks", "composed characters"],
)
def test_names_of_written_documents_are_distinct_on_every_system(documents: list[str], names: list[str]) -> None:
    written = FileNames()
    assert [written.of(document) for document in documents] == names
