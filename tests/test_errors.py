"""Names that there are not, and those that may have been meant."""

from __future__ import annotations

import gzip
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import evenhand as eh
from conftest import ROOT
from evenhand.cli import main
from evenhand.errors import COLUMNS, DEPTH, LIMITS, PIECE, Limit, SettingError, brief, nearest, unknown
from fuzz.seeds import CHAINS, MANIFESTS, SUITE, TAGS, TEXTS, WEIGHTS, WORDS, companions, write


def test_the_most_similar_name_letter_case_aside() -> None:
    assert nearest("Accurracy", ["exact", "ACCURACY"]) == "ACCURACY"
    assert nearest("qqq", ["exact", "fair"]) is None


def test_with_and_without_a_suggestion() -> None:
    names = ["begin", "discard"]
    assert (
        unknown("repair is 'begn'", "begn", names, "choose one") == "repair is 'begn'; did you mean begin? Choose one."
    )
    assert unknown("repair is 'x'", "x", names, "choose one") == "repair is 'x'; choose one."


def test_other_spellings_lead_to_the_name_that_is_shown() -> None:
    assert "did you mean b_cubed?" in unknown("no", "bcubd", {"bcubed": "b_cubed"}, "see")


@pytest.mark.parametrize(
    ("keywords", "meant"),
    [({"format": "conl"}, "conll"), ({"task": "tree"}, "trees"), ({"align": "charactrs"}, "characters")],
)
def test_choices_in_python(keywords: dict[str, str], meant: str) -> None:
    ((name, value),) = keywords.items()
    with pytest.raises(SettingError, match=rf"^{name} is '{value}'; did you mean {meant}\? Choose one of "):
        eh.score("gold.conll", "system.conll", **keywords)  # type: ignore[arg-type]


# No input costs more than it is worth: what is above a limit is refused before memory is taken


READ = (
    "import sys, evenhand as eh\ntry:\n    eh.read(sys.argv[1])\nexcept eh.EvenhandError as error:\n    print(error)\n"
)
ROOM = 600 << 20
"""How much the address space may grow, in which 34 MB of code and arrays are already."""


def read_in_little_room(path: Path | str, **environment: str) -> str:
    """What is said of a file, in a process that cannot take more than so much memory."""

    def limit() -> None:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (ROOM, ROOM))

    plain = {"PYTHONPATH": str(ROOT / "src"), "OPENBLAS_NUM_THREADS": "1", **environment}
    run = [sys.executable, "-c", READ, str(path)]
    done = subprocess.run(run, capture_output=True, text=True, env=plain, preexec_fn=limit, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.strip().removeprefix(str(path))


def written(path: Path, *pieces: tuple[bytes, int]) -> Path:
    with gzip.open(path, "wb", compresslevel=1) as file:
        for piece, times in pieces:
            for _ in range(times):
                file.write(piece)
    return path


def remedy(limit: Limit) -> str:
    return f"check which file it is, or set {limit.variable} to more than {limit.default}."


def test_compressed_zeros(tmp_path: Path) -> None:
    path = written(tmp_path / "zeros.gz", (bytes(1 << 20), 300))
    assert read_in_little_room(path) == ":1: found a NUL byte, so this is not a text file; check which file it is."


def test_an_endless_line(tmp_path: Path) -> None:
    path = written(tmp_path / "line.gz", (b"a" * (1 << 20), 300))
    assert read_in_little_room(path) == f":1: found more than 134,217,728 bytes without a line end; {remedy(PIECE)}"


def test_an_endless_sentence(tmp_path: Path) -> None:
    path = written(tmp_path / "sentence.gz", (b"a\tO\n", 1), (b"b\tO\n" * (1 << 18), 300))
    assert read_in_little_room(path) == f":1: found more than 134,217,728 bytes without a blank line; {remedy(PIECE)}"


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="this machine has no /dev/zero")
def test_devices() -> None:
    assert (
        read_in_little_room("/dev/zero") == ":1: found a NUL byte, so this is not a text file; check which file it is."
    )
    assert re.match(r":\d+: (the byte 0x|found a NUL byte|the file is in UTF-16)", read_in_little_room("/dev/urandom"))


def test_millions_of_columns(tmp_path: Path) -> None:
    path = tmp_path / "wide.conll"
    path.write_bytes(b"a\t" * 10_000_000 + b"O\n")
    assert read_in_little_room(path) == f":1: found 10,000,001 columns; {remedy(COLUMNS)}"


def test_fifty_megabytes_of_brackets(tmp_path: Path) -> None:
    path = tmp_path / "deep.mrg"
    path.write_bytes(b"(" * 50_000_000)
    assert read_in_little_room(path) == f":1: more than 200,000 brackets are open here; {remedy(DEPTH)}"


def test_a_label_of_a_megabyte(tmp_path: Path) -> None:
    (tmp_path / "gold.conll").write_bytes(b"Ada\tB-" + b"X" * 1_000_000 + b"\nx\tO\n")
    (tmp_path / "gold.tsv").write_bytes(b"X" * 1_000_000 + b"\t1\t2\n")
    (tmp_path / "gold.jsonl").write_text(
        '{"tokens": ["a"], "spans": [{"start": 0, "end": 1, "label": "' + "X" * 1_000_000 + '"}]}'
    )
    for name in ("gold.conll:1", "gold.tsv", "gold.jsonl"):
        with pytest.raises(
            eh.InputError, match=rf"{name}: a label has more than 10,000 bytes \('(B-)?X{{38,40}}'…\); "
        ):
            eh.read(tmp_path / name.removesuffix(":1"))


def test_spans_of_a_billion_tokens(tmp_path: Path) -> None:
    path = tmp_path / "gold.tsv"
    path.write_text("PER\t1\t1000000000\n")
    with pytest.raises(
        eh.InputError, match=r"gold\.tsv:1: 'PER\\t1\\t1000000000' is a span that ends after token 16,777"
    ):
        eh.read(path)
    path.write_text("PER\t1\t16000000\t1, 16000000\n")
    with pytest.raises(eh.InputError, match="the span from 1 to 16000000 leaves out more than 1,048,576 tokens"):
        eh.read(path)
    with pytest.raises(eh.InputError, match="the position 1180591620717411303424 is beyond 2,147,483,647"):
        eh.spans([[("X", 0, 2**70)]])
    with pytest.raises(eh.InputError, match="leaves out more than 1,048,576 tokens"):
        eh.spans([[("X", 0, 2**24, [0, 2**24 - 1])]])


def test_numbers_of_thousands_of_digits(tmp_path: Path) -> None:
    path = tmp_path / "gold.tsv"
    for row in (f"PER\t1\t{'9' * 5000}", f"PER\t1\t2\t1, {'9' * 5000}, 2"):
        path.write_text(f"LOC\t1\t1\n{row}\n")
        with pytest.raises(eh.InputError, match=r"gold\.tsv:2: ") as raised:
            eh.read(path, format="spans")
        assert "9" * 81 not in str(raised.value)


def test_a_limit_is_told_with_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "gold.conll"
    path.write_text(f"a\tO\nb\tB-X\n\nc\tB-{'X' * 10_001}\n")
    with pytest.raises(eh.InputError, match=r"gold\.conll:4: a label has more than 10,000 bytes"):
        eh.score(path, path)
    path.write_text("a\tO\n\n" + "\t".join("x" * 10_001) + "\n")
    with pytest.raises(eh.InputError, match=r"gold\.conll:3: found 10,001 columns; check which file it is"):
        eh.score(path, path)


def test_limits_can_be_raised(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "gold.conll"
    path.write_text(f"Ada\tB-{'X' * 10_001}\n")
    with pytest.raises(eh.InputError, match="a label has more than 10,000 bytes"):
        eh.read(path)
    monkeypatch.setenv("EVENHAND_MAX_LABEL_BYTES", "20000")
    assert len(eh.read(path).spans()) == 1
    monkeypatch.setenv("EVENHAND_MAX_LABEL_BYTES", "many")
    with pytest.raises(eh.EvenhandError, match="EVENHAND_MAX_LABEL_BYTES is 'many'; it must be a whole number"):
        eh.read(path)


def test_every_limit_is_documented() -> None:
    page = (ROOT / "docs" / "reference" / "formats.md").read_text()
    for limit in LIMITS:
        assert f"| `{limit.variable}` | {limit.default:,} | {limit.what} |" in page


def test_a_document_part_and_a_column_of_thousands_of_digits(tmp_path: Path) -> None:
    digits = "9" * 5000
    path = tmp_path / "chains.conll"
    path.write_text(f"#begin document (d); part {digits}\nd\t0\t0\ta\tX\t(1)\n\n#end document\n")
    assert eh.read(path, task="chains").corpus.names == (f"d_{digits}",)
    (tmp_path / "gold.conll").write_text("Ada\tB-PER\n")
    with pytest.raises(eh.EvenhandError, match="99999"):
        eh.read(tmp_path / "gold.conll", column=digits)


# Messages about data of 10,000 characters: they quote 80 of them, whatever the format and wherever the dat


LONG = "xY" * 5_000
SPACED = "x y" * 3_333
FILES = {**TEXTS, **WORDS, **TAGS, **CHAINS}
CELL = re.compile(r"[^\s\"|()\[\]{},:=]+")


def messages(path: Path, good: Path) -> list[str]:
    """What reading, scoring and checking say of a file."""
    all_messages = []
    for arguments in (("score", str(good), str(path)), ("check", str(path), "--against", str(good))):
        result = CliRunner().invoke(main, arguments)
        assert result.exception is None or isinstance(result.exception, SystemExit), arguments
        text = result.stderr if arguments[0] == "score" else result.stdout
        if result.exit_code:
            all_messages += [line.replace(str(path), "").replace(str(good), "") for line in text.splitlines()]
    return all_messages


QUICK = ("spans.tsv", "words.conllu")
"""The files that are damaged in every run of the tests."""


@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.long) for name in FILES]
)
def test_every_cell_in_turn(name: str, tmp_path: Path) -> None:
    """Each cell of a valid file becomes long; some are right then, and the others have short messages."""
    text = FILES[name]
    write(tmp_path, {f"good/{name}": text.encode()})
    said = 0
    for cell in list(CELL.finditer(text))[:: max(1, len(text) // 40)]:
        for data in (LONG, SPACED):
            path = tmp_path / name
            path.write_text(text[: cell.start()] + data + text[cell.end() :], encoding="utf-8")
            for message in messages(path, tmp_path / "good" / name):
                said += 1
                assert len(message) < 500, message
    assert said


@pytest.mark.parametrize("name", [*MANIFESTS, "suite.toml", "weights.txt"])
def test_manifests_suites_and_weights(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, companions())
    text = {**MANIFESTS, "suite.toml": SUITE, "weights.txt": WEIGHTS}[name]
    arguments = {
        "suite.toml": ("rank", "--suite", name, "--resamples", "0"),
        "weights.txt": ("score", "gold.conll", "crf.conll", "--weights", name),
    }.get(name, ("score", "--manifest", name))
    said = 0
    for cell in CELL.finditer(text):
        (tmp_path / name).write_text(text[: cell.start()] + LONG + text[cell.end() :])
        result = CliRunner().invoke(main, arguments)
        assert result.exception is None or isinstance(result.exception, SystemExit)
        if result.exit_code:
            said += 1
            assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
            assert len(result.stderr) < 500, result.stderr
    assert said


def test_quotes_are_cut_at_80_characters() -> None:
    assert brief(f"the tag {LONG!r} is unknown") == f"the tag '{LONG[:79]}…' is unknown"
    quote = "it's " * 30
    assert brief(f"found {quote!r} here") == f'found "{quote[:79]}…" here'
    assert brief(f"found {'a' * 80!r} here") == f"found {'a' * 80!r} here"
    prose = "the gold standard's tokens, which are not the systems' tokens, and which go on for more than 80 letters"
    assert brief(prose) == prose
    assert brief(f"the keys are {LONG}") == f"the keys are {LONG[:80]}…"
    assert len(brief("word " * 1000)) == 1000


def test_labels_in_options(tmp_path: Path) -> None:
    with pytest.raises(eh.SettingError) as raised:
        eh.score(eh.tags([["O"]]), eh.tags([["O"]]), supertag="=" + LONG)
    assert len(str(raised.value)) < 200
