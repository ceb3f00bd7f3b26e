"""A gate as workflow commands of GitHub Actions: an error for each criterion that fails, and the new errors.

A line `::error title=…::message` in the log of a step becomes an annotation. One with a file and a line stands beside
that line in the changes of a pull request. GitHub shows ten errors, ten warnings and ten notices of a step.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from evenhand.comparison.units import Unit
from evenhand.problems import WARNING, visible
from evenhand.report.new_errors import described, new_errors
from evenhand.result.gate import Gate

MOST_WARNINGS = 10
"""How many warnings GitHub shows."""
_PLACE = re.compile(r"(?P<file>.+):(?P<line>\d+)")


def render(gate: Gate) -> str:
    """The commands: what fails, what is to say of the files, and some new errors where the gate fails."""
    return "".join(f"{line}\n" for line in _commands(gate))


def _commands(gate: Gate) -> Iterator[str]:
    subject = gate.candidate if gate.compared is None else f"{gate.candidate} against {gate.pair.before}"
    for each in gate.failures:
        yield _command("error", each.sentence, title=f"evenhand gate: {each.title} ({subject})")
    if gate.passed:
        kept = " ".join(each.sentence for each in gate.criteria)
        yield _command("notice", kept, title=f"evenhand gate: passed ({subject})")
    for unchecked in gate.not_checked:
        yield _command("notice", unchecked.sentence, title=f"evenhand gate: {unchecked.name} not checked ({subject})")
    warnings = [note for note in gate.notes if note.startswith(WARNING)]
    for note in gate.notes:
        kind = "warning" if note in warnings else "notice"
        yield _command(kind, note.removeprefix(WARNING), title="evenhand gate")
    if not gate.passed:
        yield from map(_new_error, new_errors(gate, max(MOST_WARNINGS - len(warnings), 0)))


def _new_error(unit: Unit) -> str:
    """A new error, beside its line in the gold standard."""
    place = _PLACE.fullmatch(unit.place)
    where = {"file": unit.place} if place is None else place.groupdict()
    return _command("warning", described(unit), **where, title="new error")


def _command(name: str, message: str, **properties: str) -> str:
    """A workflow command; what would end a message or a property is spelled with a percent sign."""
    pairs = {key: _data(value).replace(":", "%3A").replace(",", "%2C") for key, value in properties.items()}
    return f"::{name} {','.join(f'{key}={value}' for key, value in pairs.items())}::{_data(message)}"


def _data(text: str) -> str:
    lines = re.split("\r\n|\r|\n", text)
    return "%0A".join(visible(line).replace("%", "%25") for line in lines)
