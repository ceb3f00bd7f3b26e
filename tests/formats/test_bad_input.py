"""Bad input: one sentence with file, line, finding and remedy."""

from __future__ import annotations

from pathlib import Path

import pytest

import evenhand as eh

GOOD = "Ada\tNNP\tB-PER\nsees\tVBZ\tO\n\n"
BAD_FILES = {
    "empty": (b"", "bad.conll: the file is empty; check how it was written."),
    "blank": (b"\n \n\n", "bad.conll: the file has no tokens; check how it was written."),
    "one column too few on line 1,234": (
        (GOOD * 411 + "Ada\tNNP\n" + GOOD).encode(),
        "bad.conll:1234: found 2 columns where line 1 has 3; mend the line, or begin it with # if it is a comment.",
    ),
    "one column too many": (
        (GOOD + "Ada\tNNP\tB-PER\tx\n").encode(),
        "bad.conll:4: found 4 columns where line 1 has 3; mend the line, or begin it with # if it is a comment.",
    ),
    "invalid UTF-8": (
        GOOD.encode() + b"M\xfcnchen\tNNP\tB-LOC\n",
        "bad.conll:4: the byte 0xfc is not valid UTF-8; save the file as UTF-8.",
    ),
    "UTF-16": (GOOD.encode("utf-16"), "bad.conll:1: the file is in UTF-16; save it as UTF-8."),
    "binary": (
        GOOD.encode() + b"\x00\x01",
        "bad.conll:4: found a NUL byte, so this is no text file; check which file it is.",
    ),
    "a tag without prefix": (
        (GOOD + "London\tNNP\tLOC\n").encode(),
        "bad.conll:4: the tag 'LOC' is not a prefix such as B- or I- with a label behind it; "
        "mend it, or name the encoding (--encoding plain for labels without prefixes).",
    ),
    "an empty label": (
        (GOOD + "London\tNNP\tB-\n").encode(),
        "bad.conll:4: the tag 'B-' is not a prefix such as B- or I- with a label behind it; "
        "mend it, or name the encoding (--encoding plain for labels without prefixes).",
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
    with pytest.raises(eh.InputError, match="there is no file in it; check the path"):
        eh.read(tmp_path)


def test_a_column_that_is_not_there(tmp_path: Path) -> None:
    path = tmp_path / "good.conll"
    path.write_text(GOOD)
    with pytest.raises(eh.InputError, match=r"good.conll:1: there is no column 4, this line has 3 columns"):
        eh.read(path, column=4)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"encoding": "bio"}, "encoding is 'bio'; did you mean iob2? Choose one of io, iob1, iob2"),
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
