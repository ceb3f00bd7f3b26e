"""Code blocks of the documentation: found, run in this process, and compared with the output that the page shows.

    ```python     is run; `expression  # → value` is compared; a ```text block right behind it is what it prints
    ```console    lines that begin with `$ ` are run, what follows them is their output; with none, any output will do
    ```sh         every line is run, and none of the output is compared

In shown output `…` stands for anything: alone on a line for any lines, else for any part of the line. Comments above a
block say how it is run:

    <!-- run in: ner -->             from here on, in a copy of this folder of examples
    <!-- file: suite.toml -->        the block is no code, but this file
    <!-- needs: datasets -->         is run where this package is installed
    <!-- not run: needs a cluster -->

With `--renew-golden` a page gets the new output, elided as the old one was.
"""

from __future__ import annotations

import ast
import io
import re
import shlex
from collections.abc import Iterator, Sequence
from contextlib import chdir, redirect_stdout
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from evenhand.cli import main

RUN = ("python", "console", "sh")
COMMAND = re.compile(r"^(\$ |evenhand )", re.MULTILINE)
FENCE = re.compile(r"^( *)```(\w*)$")
MARK = re.compile(r"^ *<!-- ([a-z ]+): (.+) -->$")
ARROW = re.compile(r"# (?:.*)?→ (.+)$")
ANY = "…"


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its lines, the number of its first line, and the comments above."""

    language: str
    lines: tuple[str, ...]
    start: int
    marks: dict[str, str]
    indent: str
    follows_python: bool

    @property
    def is_code(self) -> bool:
        """Whether somebody may want to run it."""
        return self.language in (*RUN, "bash", "shell") or bool(not self.language and COMMAND.search(self.text))

    @property
    def is_run(self) -> bool:
        return self.language in RUN and not {"not run", "file"} & self.marks.keys()

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


def blocks(page: str) -> Iterator[Block]:
    """The fenced blocks of a page, from top to bottom."""
    marks: dict[str, str] = {}
    fence, lines, follows_python = None, [], False
    for number, line in enumerate(page.splitlines()):
        if fence is not None:
            if line == f"{fence[1]}```":
                yield Block(fence[2], tuple(lines), number - len(lines), marks, fence[1], follows_python)
                follows_python, fence, lines, marks = fence[2] == "python", None, [], {}
            else:
                lines.append(line.removeprefix(fence[1]))
        elif opening := FENCE.match(line):
            fence = opening
        elif mark := MARK.match(line):
            marks[mark[1]] = mark[2]
        elif line:
            marks, follows_python = {}, False


@dataclass
class Session:
    """A reader who tries everything on a page, in order."""

    examples: Path
    folder: Path
    names: dict[str, Any] = field(default_factory=dict)
    status: int = 0
    printed: list[str] = field(default_factory=list)

    def follow(self, block: Block) -> list[str]:
        """Run a block; its lines with the output that there is."""
        if "needs" in block.marks and find_spec(block.marks["needs"]) is None:
            return list(block.lines)
        if "run in" in block.marks:
            self.folder = self.examples / block.marks["run in"]
        with chdir(self.folder):
            if "file" in block.marks:
                Path(block.marks["file"]).write_text(block.text + "\n", encoding="utf-8")
            elif block.language == "text" and block.follows_python:
                return shown(block.lines, self.printed)
            elif block.is_run:
                return {"python": self._python, "console": self._console, "sh": self._commands}[block.language](block)
        return list(block.lines)

    def _python(self, block: Block) -> list[str]:
        lines, printed = list(block.lines), io.StringIO()
        with redirect_stdout(printed):
            for statement in ast.parse(block.text).body:
                at = (statement.end_lineno or 0) - 1
                if not ARROW.search(lines[at]) and at + 1 < len(lines) and lines[at + 1].startswith("# →"):
                    at += 1
                expected = ARROW.search(lines[at])
                value = self._value(statement, can_fail=expected is not None)
                if expected and not matches([expected[1]], [value]):
                    lines[at] = lines[at][: expected.start(1)] + shortened(value, expected[1])
        self.printed = printed.getvalue().splitlines()
        return lines

    def _value(self, statement: ast.stmt, can_fail: bool) -> str:
        """What a statement gives, or what it fails with."""
        try:
            if isinstance(statement, ast.Expr):
                return repr(eval(compile(ast.Expression(statement.value), "page", "eval"), self.names))
            exec(compile(ast.Module([statement], []), "page", "exec"), self.names)
        except Exception as error:
            if not can_fail:
                raise
            return f"{type(error).__name__}: {error}"
        return ""

    def _console(self, block: Block) -> list[str]:
        lines: list[str] = []
        for part in re.split(r"^(?=\$ )", block.text, flags=re.MULTILINE):
            if not part:
                continue
            command, output = re.match(r"\$ ((?:.*\\\n)*.*)\n?", part), []
            assert command is not None, f"a console block begins with $: {part}"
            output = self._command(command[1])
            expected = part[command.end() :].splitlines()
            lines += command[0].splitlines()
            lines += shown(expected, output) if any(expected) else expected
        return lines

    def _commands(self, block: Block) -> list[str]:
        for command in block.text.replace("\\\n", " ").splitlines():
            if command and not command.startswith("#"):
                self._command(command)
                assert self.status == 0, f"{command} ends with status {self.status}"
        return list(block.lines)

    def _command(self, command: str) -> list[str]:
        """The output of a command."""
        name, *arguments = words(command.replace("\\\n", " "))
        if name == "echo":
            assert arguments == ["$?"]
            return [str(self.status)]
        assert name == "evenhand", f"{command} cannot be run here; mark its block as not run"
        result = CliRunner().invoke(main, arguments, prog_name="evenhand")
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        assert result.exit_code != 2, result.output
        self.status = result.exit_code
        return result.output.splitlines()


def words(command: str) -> list[str]:
    """What a shell makes of a line: quotes are removed, comments left out, and patterns filled in."""
    lexer = shlex.shlex(command, posix=False)
    lexer.whitespace_split = True
    all_words: list[str] = []
    for word in lexer:
        if word[0] in "'\"":
            all_words.append(word[1:-1])
        elif "*" in word:
            all_words += sorted(str(path) for path in Path().glob(word))
        else:
            all_words.append(word)
    return all_words


def matches(expected: Sequence[str], output: Sequence[str]) -> bool:
    """Whether this is the output, or what is left of it."""
    pattern = "".join(r"(?:.*\n)*?" if line == ANY else f"{_line(line)}\n" for line in expected)
    return re.fullmatch(pattern, "".join(f"{line.rstrip()}\n" for line in output)) is not None


def shown(expected: Sequence[str], output: Sequence[str]) -> list[str]:
    """The output, elided as `expected` is: behind each line of `…` the lines from the same beginning, as many."""
    if matches(expected, output):
        return list(expected)
    segments: list[list[str]] = [[]]
    for line in expected:
        if line == ANY:
            segments.append([])
        else:
            segments[-1].append(line)
    lines: list[str] = []
    position = 0
    for number, segment in enumerate(segments):
        lines += [ANY] * (number > 0)
        if segment:
            begin = _line(segment[0])
            start = next((at for at in range(position, len(output)) if re.fullmatch(begin, output[at].rstrip())), None)
            if start is None:
                return list(output)
            position = start + len(segment)
            new = [line.rstrip() for line in output[start:position]]
            old = segment[: len(new)]
            lines += (kept if re.fullmatch(_line(kept), line) else line for kept, line in zip(old, new, strict=True))
    return lines if matches(lines, output) else list(output)


def shortened(value: str, example: str) -> str:
    """A value with four decimals, and as long as the one that was shown, if that was cut."""
    if ANY in example:
        value = re.sub(r"(\.\d{4})\d+", rf"\1{ANY}", value)
    return value[: len(example) - 1] + ANY if example.endswith(ANY) and len(value) > len(example) else value


def _line(line: str) -> str:
    return ".*".join(map(re.escape, line.rstrip().split(ANY)))
