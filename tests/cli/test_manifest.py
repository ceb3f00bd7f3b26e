"""Manifests: tables of file pairs, which are scored as one text."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import evenhand as eh
from clusters import write_pairs
from evenhand.cli import main

FILES = ("a.conll", "b.conll", "c.conll")


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments], prog_name="evenhand")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for side in ("gold", "crf", "flair"):
        (tmp_path / side).mkdir()
        for name in FILES:
            tag = "O" if (side, name) == ("crf", "b.conll") else "B-PER"
            (tmp_path / side / name).write_text(f"{name}\t{tag}\nsees\tO\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(folder: Path, name: str, *lines: str) -> Path:
    path = folder / name
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def test_the_files_of_folders_as_a_manifest(folder: Path) -> None:
    rows = (f"gold/{name}\tcrf/{name}\tflair/{name}" for name in FILES)
    manifest = write(folder, "pairs.tsv", "# made by hand", "gold\tcrf\tflair", "", *rows)
    found = json.loads(run("score", "--manifest", manifest, "--as", "json").stdout)
    assert found == eh.score("gold", ["crf", "flair"]).to_dict()
    assert (found["gold"]["name"], found["gold"]["documents"]) == ("gold", 3)


def test_the_order_is_that_of_the_table_and_names_need_not_be_equal(folder: Path) -> None:
    manifest = write(folder, "pairs.csv", "gold,crf", "gold/c.conll,crf/c.conll", '"gold/a.conll",flair/a.conll')
    results = eh.score(*eh.manifest(manifest), groups="document")
    assert list(results) == ["crf"]
    assert results["crf"]["exact"].f1 == 1.0
    gold, systems = eh.manifest(manifest)
    assert gold.files == (folder / "gold/c.conll", folder / "gold/a.conll")
    assert systems["crf"].files == (folder / "crf/c.conll", folder / "flair/a.conll")


def test_json_lines(folder: Path) -> None:
    rows = [json.dumps({"crf": f"crf/{name}", "gold": f"gold/{name}"}) for name in FILES]
    manifest = write(folder, "pairs.jsonl", *rows)
    assert eh.score(*eh.manifest(manifest)).to_dict() == eh.score("gold", ["crf"]).to_dict()


def test_addresses(folder: Path) -> None:
    pytest.importorskip("fsspec", reason="fsspec is an extra: pip install evenhand[remote]")
    write(folder, "pairs.tsv", "gold\tcrf", f"file://{folder}/gold/a.conll\tcrf/a.conll")
    assert eh.score(*eh.manifest(f"file://{folder}/pairs.tsv"))["crf"]["exact"].f1 == 1.0
    write(folder, "pairs.tsv", "gold\tcrf", f"gold/a.conll\tfile://{folder}/nothing.conll")
    with pytest.raises(eh.InputError, match=r"/nothing\.conll: there is no such file; check the path"):
        eh.score(*eh.manifest("pairs.tsv"))


def test_ranking(folder: Path) -> None:
    rows = (f"gold/{name}\tcrf/{name}\tflair/{name}" for name in FILES)
    manifest = write(folder, "pairs.tsv", "gold\tcrf\tflair", *rows)
    found = json.loads(run("rank", "--manifest", manifest, "--resamples", "100", "--as", "json").stdout)
    assert found == eh.rank("gold", ["crf", "flair"], resamples=100).to_dict()


def test_several_processes(tmp_path: Path) -> None:
    manifest = write_pairs(tmp_path / "files", 6)
    serially = eh.score(*eh.manifest(manifest))
    engine = eh.engines.processes(2, smallest=1)
    assert eh.score(*eh.manifest(manifest), engine=engine).to_dict() == serially.to_dict()


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        (("gold\tcrf", "gold/a.conll\tcrf/no.conll"), "pairs.tsv:2: there is no file 'crf/no.conll', for 'crf'; check"),
        (("gold\tcrf", "", "gold/a.conll"), "pairs.tsv:3: the number of cells is 1, that of the header is 2; give"),
        (("gold\tcrf", "gold/a.conll\t "), "pairs.tsv:2: the cell of 'crf' is empty; name a file."),
        (("# x", "gold\tcrf\tcrf", "a\tb\tc"), "pairs.tsv:2: there are two columns 'crf'; give every system one"),
        (("gold\t", "a\tb"), "pairs.tsv:1: column 2 has no name; name it after its system."),
        (("key\tcrf", "a\tb"), "pairs.tsv:1: there is no column 'gold', but 'key', 'crf'; write a header"),
        (("gold", "gold/a.conll"), "pairs.tsv:1: there is no column of a system; add one"),
        (("gold\tcrf",), "pairs.tsv: there is no row below the header; name the files"),
        (("# nothing", ""), "pairs.tsv: there is no row in it; write a header"),
        ((), "pairs.tsv: the file is empty; check how it was written."),
        (('{"gold": "a"', "{}"), "pairs.tsv:1: this line is no JSON object of names and files; write"),
        (('{"gold": "gold/a.conll", "crf": "crf/a.conll"}', '{"gold": "a"}'), "pairs.tsv:2: the keys are gold, in the"),
        (("{}",), "pairs.tsv:1: this line is no JSON object of names and files; write"),
        (('{"gold": 1, "crf": "a"}',), "pairs.tsv:1: this line is no JSON object of names and files; write"),
        (('{"gold": ["a"], "crf": "a"}',), "pairs.tsv:1: this line is no JSON object of names and files; write"),
        (('{"a":' * 5000,), "pairs.tsv:1: this line is no JSON object of names and files; write"),
        (
            ('{"gold": "gold/a.conll", "crf": "crf/a.conll", "crf": "crf/b.conll"}',),
            "pairs.tsv:1: the key 'crf' is there twice; give every file a key of its own.",
        ),
        (
            ("gold\tcrf", "gold/a.conll\tcrf/a.conll", "", "gold/a.conll\tcrf/a.conll"),
            "pairs.tsv:4: this row names the files of line 2 again, which would count twice; remove one of the two.",
        ),
        (
            ("gold,crf", "gold/a.conll," + "x" * 200_000),
            "pairs.tsv:2: this line is no row of a table (field larger than",
        ),
        (("gold\tcrf", "gold/a.conll\t" + "x" * 5000), "xxxxxx"),
        (
            ('{"gold": "gold/a.conll", "crf": "crf\\u0000"}',),
            "crf\\x00: cannot be opened (it holds a NUL)",
        ),
    ],
)
def test_what_is_wrong_with_a_manifest_is_one_sentence(lines: tuple[str, ...], sentence: str, folder: Path) -> None:
    write(folder, "pairs.tsv", *lines)
    result = run("score", "--manifest", "pairs.tsv")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"evenhand: {sentence}")
    assert result.stderr.count("\n") == 1


def test_a_manifest_that_is_not_utf8(folder: Path) -> None:
    (folder / "pairs.tsv").write_bytes(b"gold\tcrf\ngold/\xe4.conll\tcrf/a.conll\n")
    result = run("score", "--manifest", "pairs.tsv")
    sentence = "pairs.tsv:2: the byte 0xe4 is not valid UTF-8; save the file as UTF-8."
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", f"evenhand: {sentence}\n")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("score",), "Name a GOLD file, or a --manifest"),
        (("score", "gold", "--manifest", "pairs.tsv"), "Name GOLD and SYSTEM files, or a --manifest, but not both"),
        (("score", "gold", "crf", "--scheduler", "tcp://127.0.0.1:1"), "--scheduler is for --engine dask"),
        (
            ("score", "gold", "crf", "--engine", "dask", "--jobs", "2"),
            "--jobs and --engine both say where the work is done; name one of them",
        ),
    ],
)
def test_usage_errors(arguments: tuple[str, ...], sentence: str, folder: Path) -> None:
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"evenhand: {sentence}; see evenhand {arguments[0]} --help.\n"


@pytest.mark.parametrize("engine", ["serial", "processes"])
def test_engines_by_name(engine: str, folder: Path) -> None:
    result = run("score", "gold", "crf", "--engine", engine, "--as", "json")
    assert json.loads(result.stdout) == eh.score("gold", ["crf"]).to_dict()
