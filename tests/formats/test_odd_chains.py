"""Converting chains of odd texts: names, words and sentences are kept, or refused with a sentence."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import evenhand as eh
from chain_files import SUFFIXES, Document, content, converted, written
from evenhand.cli import main


def kept(source: Path, target: str) -> bool:
    """Whether a conversion keeps all, or refuses."""
    expected = content(source)
    try:
        path, _ = converted(source, target)
    except eh.SettingError:
        return True
    return content(path) == expected


# Documents without a name


def test_a_document_without_a_name_is_not_taken_for_a_part_of_the_one_before(tmp_path: Path) -> None:
    source = written(tmp_path, [Document(name, [["w"]], [], [[(0, 0)]]) for name in ("a", "")], tagged=False)
    for target in ("conll2012", "corefud"):
        with pytest.raises(eh.SettingError) as error:
            converted(source, target)
        sentence = f"A document has no name, which {target} needs where there are several; give it one."
        assert str(error.value) == sentence
        with pytest.raises(eh.SettingError):
            converted(source, target, size=1)
    assert [each.name for each in content(converted(source, "coref-jsonl")[0])] == ["a", ""]


def test_the_first_document_of_corefud_needs_no_name(tmp_path: Path) -> None:
    source = written(tmp_path, [Document(name, [["w"]], [], [[(0, 0)]]) for name in ("", "b")], tagged=False)
    for size in (1, 1 << 18):
        assert content(converted(source, "corefud", size=size)[0]) == content(source)
    with pytest.raises(eh.SettingError, match="conll2012 needs where there are several"):
        converted(source, "conll2012", size=1)


def test_the_only_document_without_a_name_is_said_to_get_one(tmp_path: Path) -> None:
    source = written(tmp_path, [Document("", [["w"]], [], [[(0, 0)]])], tagged=False)
    target = tmp_path / "out.conll"
    found = CliRunner().invoke(main, ["convert", str(source), str(target)], prog_name="evenhand")
    assert (found.exit_code, found.stderr) == (0, "Note: The document has no name, and is called - in conll2012.\n")
    assert content(converted(source, "corefud")[0]) == content(source)


# Words that are numbers


@pytest.mark.parametrize("sentences", [[["5", "7"], ["9"]], [["2019"]], [["12", "12"]], [["٣", "٢"]]])
@pytest.mark.parametrize("target", SUFFIXES)
@pytest.mark.parametrize("tagged", [False, True])
def test_numbers_are_words(tmp_path: Path, sentences: list[list[str]], target: str, tagged: bool) -> None:
    found = [Document("d", sentences, [["CD"] * len(each) for each in sentences], [[(0, 0)]])]
    source = written(tmp_path, found, tagged=tagged)
    assert content(converted(source, target)[0]) == content(source)


@pytest.mark.parametrize("sentences", [[["0", "1", "2"]], [["1", "2"], ["1"]], [["0"]]])
def test_numbers_that_count_words_are_refused_in_conll2012(tmp_path: Path, sentences: list[list[str]]) -> None:
    source = written(tmp_path, [Document("d", sentences, [], [[(0, 0)]])], tagged=False)
    with pytest.raises(eh.SettingError) as error:
        converted(source, "conll2012")
    assert str(error.value) == (
        "The words are numbers, which conll2012 takes for positions; convert to another format."
    )
    assert content(converted(source, "corefud")[0]) == content(source)


def test_a_cell_of_thousands_of_digits_is_no_position(tmp_path: Path) -> None:
    path = tmp_path / "digits.conll"
    path.write_text(f"#begin document (d);\n{'9' * 5000}\t{'8' * 5000}\t{'7' * 5000}\tw\t-\n")
    assert content(path)[0].sentences == [["w"]]


def test_numbers_of_json_are_no_words(tmp_path: Path) -> None:
    path = tmp_path / "numbers.jsonl"
    path.write_text(json.dumps({"doc_key": "d", "sentences": [["a", 7]], "clusters": []}) + "\n")
    with pytest.raises(
        eh.InputError, match=r"numbers.jsonl:1: found a whole number for sentences\[0\]\[1\], which takes a string"
    ):
        eh.read(path)


# Sentences without words


@pytest.mark.parametrize("sentences", [[["a"], [], ["b"]], [[], ["a"]], [["a"], []]])
def test_sentences_without_words_are_refused_or_lost(tmp_path: Path, sentences: list[list[str]]) -> None:
    source = written(tmp_path, [Document("d", sentences, [], [[(0, 0)]])], tagged=False)
    for target in ("conll2012", "corefud"):
        with pytest.raises(eh.SettingError, match=f"{target} cannot carry 1 sentence without words; give --lossy"):
            converted(source, target)
        path, conversion = converted(source, target, lossy=True)
        assert dict(conversion.losses) == {"sentences without words": 1}
        assert content(path)[0].sentences == [each for each in sentences if each]
    assert content(converted(source, "coref-jsonl")[0]) == content(source)


def test_a_document_of_empty_sentences_is_one_without_words(tmp_path: Path) -> None:
    source = written(tmp_path, [Document("a", [[]], [], []), Document("b", [["w"]], [], [])], tagged=False)
    with pytest.raises(eh.SettingError, match="corefud cannot carry 1 document without words"):
        converted(source, "corefud")
    assert [each.name for each in content(converted(source, "corefud", lossy=True)[0])] == ["b"]


# Blanks


@pytest.mark.parametrize(
    "word",
    [
        " a",
        "a ",
        "a b",
        "a  b",
        " ",
        "\u00a0",
        "a\u00a0",
        "\u3000a",
        "\u2028",
        "a\u2028b",
        "\x0b",
        "a\x0cb",
        "\x85",
        "\0",
    ],
)
@pytest.mark.parametrize("target", SUFFIXES)
def test_mentions_over_blanks_are_kept_or_refused(tmp_path: Path, word: str, target: str) -> None:
    words = [["a", word], [word, "b"]]
    source = written(tmp_path, [Document("d", words, words, [[(0, 1), (1, 1)], [(1, 2)]])])
    assert kept(source, target)
