"""No input costs more than it is worth: what is above a limit is refused before memory is taken."""

from __future__ import annotations

import gzip
import re
import resource
import subprocess
import sys
from pathlib import Path

import pytest

import evenhand as eh
from conftest import ROOT
from evenhand.errors import COLUMNS, DEPTH, LIMITS, PIECE, Limit

READ = (
    "import sys, evenhand as eh\ntry:\n    eh.read(sys.argv[1])\nexcept eh.EvenhandError as error:\n    print(error)\n"
)
ROOM = 600 << 20
"""How much the address space may grow, in which 34 MB of code and arrays are already."""


def read_in_little_room(path: Path | str, **environment: str) -> str:
    """What is said of a file, in a process that cannot take more than so much memory."""

    def limit() -> None:
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
    assert read_in_little_room(path) == ":1: found a NUL byte, so this is no text file; check which file it is."


def test_an_endless_line(tmp_path: Path) -> None:
    path = written(tmp_path / "line.gz", (b"a" * (1 << 20), 300))
    assert read_in_little_room(path) == f":1: found more than 134,217,728 bytes without a line end; {remedy(PIECE)}"


def test_an_endless_sentence(tmp_path: Path) -> None:
    path = written(tmp_path / "sentence.gz", (b"a\tO\n", 1), (b"b\tO\n" * (1 << 18), 300))
    assert read_in_little_room(path) == f":1: found more than 134,217,728 bytes without a blank line; {remedy(PIECE)}"


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="this machine has no /dev/zero")
def test_devices() -> None:
    assert read_in_little_room("/dev/zero") == ":1: found a NUL byte, so this is no text file; check which file it is."
    assert re.match(r":\d+: (the byte 0x|found a NUL byte|the file is in UTF-16)", read_in_little_room("/dev/urandom"))


def test_millions_of_columns(tmp_path: Path) -> None:
    path = tmp_path / "wide.conll"
    path.write_bytes(b"a\t" * 25_000_000 + b"O\n")
    assert read_in_little_room(path) == f":1: found 25,000,001 columns; {remedy(COLUMNS)}"


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
        eh.InputError, match=r"gold\.tsv:1: 'PER\\t1\\t1000000000' is a span up to a token above 16,777"
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
    with pytest.raises(eh.EvenhandError, match="EVENHAND_MAX_LABEL_BYTES is 'many', but takes a whole number"):
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
