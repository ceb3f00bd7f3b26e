"""Scoring bundles of shared tasks for Codabench, EvalAI and Kaggle: their files, and the functions that they call.

A bundle has the gold standards and a short program, which calls a function of this module. Scores are percentages; the
mean over the data sets of a track is that of the leaderboard. Problems are one sentence about the team's own file.

Sources: Codabench, documentation for organisers (version 2 of competition.yaml); EvalAI, evaluation scripts; Kaggle,
metric template.
"""

from __future__ import annotations

import io
import json
import re
import struct
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np

from evenhand import __version__
from evenhand.api.compare import ResamplingSettings
from evenhand.api.rank import ranked_models
from evenhand.api.score import score_inputs
from evenhand.api.shared_task import MISSING, SharedTask, Submission, TaskData, board_of
from evenhand.data.from_lists import spans
from evenhand.errors import EvenhandError, SettingError
from evenhand.files import write_file
from evenhand.formats.paths import files_of, names_in
from evenhand.formats.read import read
from evenhand.formats.source import Source
from evenhand.formats.storage import AnyPath
from evenhand.pipeline.inputs import by_side, content_for, prepare
from evenhand.results.leaderboard import History, Leaderboard
from evenhand.tasks.registry import TASKS

_KEY = re.compile(r"[^A-Za-z0-9]+")
_DATE = (2000, 1, 1, 0, 0, 0)
"""The date of all members, so equal tasks have equal bundles."""
_LOGO_COLOR = b"\x00\x72\xb2"
_LOGO_SIZE = 256
_MEAN, _SPANS = "mean", "spans"

Files = dict[str, str | bytes]


def bundle(task: SharedTask, platform: str) -> tuple[bytes, list[str]]:
    """The zip archive of a platform's files, and notes on what to do next."""
    files, notes = {"codabench": _codabench, "evalai": _evalai, "kaggle": _kaggle}[platform](task)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files):
            archive.writestr(zipfile.ZipInfo(name, _DATE), files[name], zipfile.ZIP_DEFLATED)
    return packed.getvalue(), notes


def measures_of(data: TaskData) -> tuple[str, ...]:
    """The measures of a data set, that which ranks first."""
    options = {**data.options, **({"match": data.match} if data.match else {})}
    content = content_for(data.gold, options)
    return ranked_models(TASKS[content.task], content, options)


def key_of(*names: str) -> str:
    """The name of a score on a platform: letters, digits and underscores."""
    return "_".join(filter(None, (_KEY.sub("_", name).strip("_").lower() for name in names)))


def _mean_key(task: SharedTask, track: str) -> str:
    return _MEAN if len(task.tracks) == 1 else key_of(_MEAN, track)


def _copied(folder: str, data: TaskData, path: AnyPath) -> tuple[str, Files]:
    """The files of a data set for a bundle, and the path of the file or the folder."""
    files = files_of(path)
    if files is None:
        name = f"{data.name}{''.join(path.suffixes)}"
        with Source(path).open() as file:  # without compression
            return name.removesuffix(".gz"), {f"{folder}/{name.removesuffix('.gz')}": file.read()}
    assert isinstance(path, Path)
    listed = zip(names_in(path, files), files, strict=True)
    return data.name, {f"{folder}/{data.name}/{name}": file.read_bytes() for name, file in listed}


def _settings(task: SharedTask, golds: Mapping[str, str], pattern: str) -> str:
    """What the scoring program needs to know of the task."""
    data = [
        {"name": each.name, "track": each.track, "gold": golds[each.name], "match": each.match, "options": each.options}
        for each in task.data
    ]
    settings = {"title": task.title, "missing": task.missing, "file": pattern, "data": data, "evenhand": __version__}
    return json.dumps(settings, indent=1, ensure_ascii=False) + "\n"


def _file_pattern(task: SharedTask) -> str:
    """The names of submitted files: the last component of the pattern of submissions."""
    pattern = task.pattern.replace("!/", "/").rpartition("/")[2]
    return pattern.replace("{team}", "*").replace("{run}", "*")


# Codabench


_CODABENCH_PROGRAM = '''"""Score a submission: python3 score.py INPUT OUTPUT"""

import sys
from pathlib import Path

from evenhand.integrations.bundles import score_codabench

if __name__ == "__main__":
    sys.exit(score_codabench(Path(sys.argv[1]), Path(sys.argv[2]), Path(__file__).with_name("settings.json")))
'''


def _codabench(task: SharedTask) -> tuple[Files, list[str]]:
    if task.image is None:
        raise SettingError(
            f"{task.path}: Codabench needs a docker image with Evenhand and without ENTRYPOINT. Build one with "
            'docker build --target scorer, publish it, and write image = "NAME:TAG".'
        )
    if task.start is None:
        raise SettingError(f'{task.path}: Codabench needs the start of the phase; write start = "2027-02-01".')
    golds, files = dict[str, str](), Files()
    for data in task.data:
        golds[data.name], copied = _copied("reference_data", data, data.gold)
        files |= copied
        if data.text is not None:
            files |= _copied("starting_kit", data, data.text)[1]
    for submission in task.submissions:
        if submission.team in task.baselines[:1] and submission.problem is None:
            data = next(each for each in task.data if each.name == submission.data)
            files |= _copied("starting_kit/baseline", data, submission.path)[1]
    pattern = _file_pattern(task)
    files["scoring_program/metadata.yaml"] = "command: python3 /app/program/score.py /app/input /app/output\n"
    files["scoring_program/score.py"] = _CODABENCH_PROGRAM
    files["scoring_program/settings.json"] = _settings(task, golds, pattern)
    files["starting_kit/README.md"] = _starting_kit(task, pattern)
    files["logo.png"] = _logo()
    files |= {f"pages/{name}.md": text for name, text in _pages(task, pattern).items()}
    files["competition.yaml"] = _yaml(_competition(task)) + "\n"
    notes = ["Review pages/terms.md and the dates of the phase, which only you can decide."]
    return files, notes


def _competition(task: SharedTask) -> dict[str, Any]:
    columns: list[dict[str, Any]] = []
    for track, data in task.tracks.items():
        titled = f"Mean {track}".strip()
        columns.append({"title": titled, "key": _mean_key(task, track)})
        columns += [
            {"title": f"{measure} {each.name}", "key": key_of(measure, each.name)}
            for each in data
            for measure in measures_of(each)
        ]
    for index, column in enumerate(columns):
        column |= {"index": index, "sorting": "desc", "precision": 2}
    names = ("overview", "evaluation", "data", "terms")
    phase = {"index": 0, "name": "Evaluation", "description": task.title, "start": str(task.start)}
    phase |= {"end": str(task.end)} if task.end is not None else {}
    return {
        "version": 2,
        "title": task.title,
        "description": task.title,
        "image": "logo.png",
        "terms": "pages/terms.md",
        "docker_image": task.image,
        "enable_detailed_results": True,
        "pages": [{"title": name.capitalize(), "file": f"pages/{name}.md"} for name in names[:3]],
        "tasks": [
            {
                "index": 0,
                "name": task.title,
                "description": task.title,
                "scoring_program": "scoring_program",
                "reference_data": "reference_data",
            }
        ],
        "phases": [{**phase, "accepts_only_result_submissions": True, "starting_kit": "starting_kit", "tasks": [0]}],
        "leaderboards": [{"title": "Results", "key": "main", "columns": columns}],
    }


def _yaml(value: Any, indent: str = "") -> str:
    """YAML of mappings, lists and JSON values."""
    if isinstance(value, Mapping):
        return "\n".join(
            f"{indent}{key}:\n{_yaml(item, f'{indent}  ')}"
            if isinstance(item, Mapping | list) and item
            else f"{indent}{key}: {json.dumps(item, ensure_ascii=False)}"
            for key, item in value.items()
        )
    lines = []
    for item in value:
        text = _yaml(item, f"{indent}  ") if isinstance(item, Mapping) else f"{indent}  {json.dumps(item)}"
        lines.append(f"{indent}- {text[len(indent) + 2 :]}")
    return "\n".join(lines)


def _logo() -> bytes:
    """A square of one colour as PNG."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = (b"\0" + _LOGO_COLOR * _LOGO_SIZE) * _LOGO_SIZE
    header = struct.pack(">IIBBBBB", _LOGO_SIZE, _LOGO_SIZE, 8, 2, 0, 0, 0)
    parts = (chunk(b"IHDR", header), chunk(b"IDAT", zlib.compress(rows)), chunk(b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def _pages(task: SharedTask, pattern: str) -> dict[str, str]:
    ranked_by = "\n".join(f"- {each.name}: {', '.join(measures_of(each))}" for each in task.data)
    lacking = "scores 0" if task.missing == MISSING[1] else "has no mean"
    names = ", ".join(pattern.replace("{data}", each.name) for each in task.data)
    return {
        "overview": f"# {task.title}\n\nData sets: {', '.join(each.name for each in task.data)}.\n",
        "evaluation": f"# Evaluation\n\nMeasures, the first of which ranks:\n\n{ranked_by}\n\nTracks are ranked by "
        f"the mean over their data sets. A submission that lacks a data set {lacking}. "
        f"Scored with Evenhand {__version__}.\n",
        "data": f"# Data\n\nSubmit one zip archive with {names}. The starting kit has the texts.\n",
        "terms": f"# Terms\n\nBy taking part in {task.title}, you agree that your scores are published.\n",
    }


def _starting_kit(task: SharedTask, pattern: str) -> str:
    checks = "\n".join(
        f"evenhand check {pattern.replace('{data}', each.name)} --against {each.name}{''.join(each.text.suffixes)}"
        + (f" --labels {','.join(each.labels)}" if each.labels else "")
        for each in task.data
        if each.text is not None
    )
    text = f"# {task.title}\n\nCheck your files before you submit them:\n\n"
    text += f"```sh\npip install evenhand=={__version__}\n{checks}\n```\n"
    return f"{text}\nThen pack them in one zip archive.\n"


def score_codabench(inputs: Path, outputs: Path, settings: Path) -> int:
    """Score the submission in `inputs/res` with the gold standards in `inputs/ref`; the exit status.

    Writes `scores.json` and `detailed_results.html`. A problem is one line on standard error.
    """
    import sys

    from evenhand.report.html.leaderboard import feedback

    try:
        task = _submitted(json.loads(settings.read_text("utf-8")), inputs / "ref", inputs / "res")
        board = _scored(task)
        outputs.mkdir(parents=True, exist_ok=True)
        write_file(outputs / "scores.json", json.dumps(scores_of(task, board)) + "\n")
        write_file(outputs / "detailed_results.html", feedback(board, _TEAM, []))
    except EvenhandError as error:
        message = str(error).replace(f"{inputs}/res/", "").replace(f"{inputs}/ref/", "gold/")
        sys.stderr.write(f"{message}\n")
        return 1
    return 0


_TEAM = "submission"


def _submitted(settings: Mapping[str, Any], golds: Path, folder: Path) -> SharedTask:
    """The task of a bundle with one submission, whose files are in a folder."""
    data = tuple(
        TaskData(each["name"], each["track"], golds / each["gold"], None, (), tuple(each["match"]), each["options"])
        for each in settings["data"]
    )
    files = sorted(file for file in folder.rglob("*") if file.is_file())
    files = [
        file for file in files if not any(part.startswith((".", "__MACOSX")) for part in file.relative_to(folder).parts)
    ]
    found = []
    for each in data:
        name = settings["file"].replace("{data}", each.name)
        fits = [file for file in files if file.match(name)]
        if len(fits) > 1:
            both = " and ".join(file.relative_to(folder).as_posix() for file in fits[:2])
            raise SettingError(f"Expected one file for {each.name!r}, got {both}. Keep only one.")
        found += [Submission(_TEAM, "", each.name, file, file.relative_to(folder).as_posix()) for file in fits]
    if not found:
        names = ", ".join(settings["file"].replace("{data}", each.name) for each in data)
        raise SettingError(f"Expected {names}, got {', '.join(file.name for file in files[:5]) or 'no file'}.")
    return SharedTask(
        path=folder,
        title=settings["title"],
        data=data,
        submissions=tuple(found),
        missing=settings["missing"],
        pattern=settings["file"],
    )


def _scored(task: SharedTask) -> Leaderboard:
    date = "2000-01-01T00:00:00Z"  # no history is written
    return board_of(task, History(), ResamplingSettings(0, 0), has_trials=True, skip_broken=False, date=date)


def scores_of(task: SharedTask, board: Leaderboard) -> dict[str, float]:
    """The scores of a submission as percentages; undefined ones are left out."""
    scores = {}
    for track, rows in board.tracks.items():
        for standing in rows.standings:
            if standing.mean is not None:
                scores[_mean_key(task, track)] = 100 * standing.mean
    for data, results in board.results.items():
        for result in results.values():
            for measure in result:
                if not isnan(result[measure].headline):
                    scores[key_of(measure, data)] = 100 * result[measure].headline
    return scores


# EvalAI


_EVALAI_PROGRAM = '''"""The evaluation script of EvalAI."""

from pathlib import Path

from evenhand.integrations.bundles import evaluate_evalai


def evaluate(test_annotation_file, user_annotation_file, phase_codename, **kwargs):
    """Score a submitted file; problems are raised as exceptions."""
    settings = Path(__file__).with_name("settings.json")
    return evaluate_evalai(test_annotation_file, user_annotation_file, phase_codename, settings)
'''


def _evalai(task: SharedTask) -> tuple[Files, list[str]]:
    """A phase and a split for each data set, because a submission is one file."""
    golds, files = dict[str, str](), Files()
    for data in task.data:
        golds[data.name], copied = _copied("annotations", data, data.gold)
        if files_of(data.gold) is not None:
            raise SettingError(f"{task.path}: EvalAI takes one file, but {data.gold} has several.")
        files |= copied
    files["evaluation_script/__init__.py"] = "from .main import evaluate  # noqa: F401\n"
    files["evaluation_script/main.py"] = _EVALAI_PROGRAM
    files["evaluation_script/settings.json"] = _settings(task, golds, _file_pattern(task))
    files["evaluation_script/requirements.txt"] = f"evenhand=={__version__}\n"
    board = [
        {"id": number, "schema": {"labels": list(measures_of(data)), "default_order_by": measures_of(data)[0]}}
        for number, data in enumerate(task.data, 1)
    ]
    phases = [
        {
            "id": number,
            "name": data.name,
            "codename": key_of(data.name),
            "test_annotation_file": f"annotations/{golds[data.name]}",
            **({"start_date": str(task.start)} if task.start else {}),
            **({"end_date": str(task.end)} if task.end else {}),
        }
        for number, data in enumerate(task.data, 1)
    ]
    numbers = range(1, len(task.data) + 1)
    splits = [
        {"id": number, "name": data.name, "codename": key_of(data.name)} for number, data in enumerate(task.data, 1)
    ]
    config = {
        "title": task.title,
        "short_description": task.title,
        "evaluation_script": "evaluation_script.zip",
        "leaderboard": board,
        "challenge_phases": phases,
        "dataset_splits": splits,
        "challenge_phase_splits": [
            {"challenge_phase_id": number, "dataset_split_id": number, "leaderboard_id": number, "visibility": 3}
            for number in numbers
        ],
    }
    files["challenge_config.yaml"] = _yaml(config) + "\n"
    return files, ["Zip the folder evaluation_script as evaluation_script.zip, and add description, image and tags."]


def evaluate_evalai(gold: str, submission: str, phase: str, settings: Path) -> dict[str, Any]:
    """The result of EvalAI for a submitted file: its scores in the split of its phase, as percentages."""
    saved = json.loads(settings.read_text("utf-8"))
    entry = next((each for each in saved["data"] if key_of(each["name"]) == phase), None)
    if entry is None:
        raise SettingError(
            f"Unknown phase {phase!r}; choose one of {', '.join(key_of(each['name']) for each in saved['data'])}."
        )
    data = TaskData(entry["name"], entry["track"], Path(gold), None, (), tuple(entry["match"]), entry["options"])
    found = (Submission(_TEAM, "", data.name, Path(submission), submission),)
    task = SharedTask(path=settings, title=saved["title"], data=(data,), submissions=found, pattern=saved["file"])
    (result,) = _scored(task).results[data.name].values()
    scores = {measure: 100 * result[measure].headline for measure in result if not isnan(result[measure].headline)}
    return {"result": [{phase: scores}], "submission_result": scores}


# Kaggle


_KAGGLE_PROGRAM = '''"""The metric of Kaggle. Attach the wheel of Evenhand to its notebook."""

import pandas as pd

from evenhand import EvenhandError
from evenhand.integrations.bundles import score_kaggle

MEASURE = {measure!r}


class ParticipantVisibleError(Exception):
    """A problem of a submission, which its team may see."""


def score(solution: pd.DataFrame, submission: pd.DataFrame, row_id_column_name: str) -> float:
    """The score of the documents of a split; the spans of a document are JSON in one cell: [["PER", 0, 2]]."""
    try:
        return score_kaggle(solution, submission, row_id_column_name, MEASURE)
    except EvenhandError as error:
        raise ParticipantVisibleError(str(error)) from None
'''


def _kaggle(task: SharedTask) -> tuple[Files, list[str]]:
    if len(task.data) > 1:
        raise SettingError(f"{task.path}: a metric of Kaggle has one data set; bundle a task file with one [[data]].")
    (data,) = task.data
    options: dict[str, Any] = {
        key: by_side(value, "gold") for key, value in data.options.items() if key not in ("align", "map")
    }
    gold = read(str(data.gold), **options)
    if _SPANS not in gold.layers:
        raise SettingError(f"{task.path}: bundles for Kaggle are for spans.")
    solution, sample, test = _documents(gold)
    files: Files = {
        "metric.py": _KAGGLE_PROGRAM.replace("{measure!r}", repr(measures_of(data)[0])),
        "solution.csv": _table(("id", "spans"), solution),
        "sample_submission.csv": _table(("id", "spans"), sample),
        "test.csv": _table(("id", "tokens"), test),
    }
    return files, ["Kaggle adds the column Usage to the solution; a row is a document, so a split has whole documents."]


def _documents(gold: Any) -> tuple[list[list[str]], list[list[str]], list[list[str]]]:
    """Rows of the solution, of an empty submission and of the test set, one per document."""
    corpus = gold.corpus
    bounds, document_of = corpus.bounds.tolist(), corpus.document_of(np.arange(corpus.sentences)).tolist()
    starts = corpus.document_bounds.tolist()
    documents = [corpus.tokens.texts(*pair) for pair in pairwise(starts)]
    offsets = [(number, bounds[sentence] - starts[number]) for sentence, number in enumerate(document_of)]
    listed: list[list[list[Any]]] = [[] for _ in documents]
    for label, sentence, start, end in (row[:4] for row in gold.spans().rows()):
        document, offset = offsets[sentence]
        listed[document].append([label, offset + start, offset + end])
    ids = [str(number) for number in range(1, len(documents) + 1)]
    as_json = [json.dumps(each, ensure_ascii=False) for each in listed]
    tokens_json = [json.dumps(tokens, ensure_ascii=False) for tokens in documents]
    rows = [
        [list(row) for row in zip(ids, column, strict=True)] for column in (as_json, ["[]"] * len(ids), tokens_json)
    ]
    return rows[0], rows[1], rows[2]


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    import csv

    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerows([header, *rows])
    return file.getvalue()


def score_kaggle(solution: Any, submission: Any, row_id: str, measure: str) -> float:
    """The headline of a measure on the documents of two data frames, a fraction."""
    for name in (row_id, _SPANS):
        if name not in submission.columns:
            raise SettingError(f"The column {name!r} is missing.")
    given = dict(zip(map(str, submission[row_id]), submission["spans"], strict=True))
    ids = list(map(str, solution[row_id]))
    missing = next((each for each in ids if each not in given), None)
    if missing is not None:
        raise SettingError(f"The row {missing!r} is missing; add it, with [] if there are no spans.")
    gold = spans([_spans_of(each, text) for each, text in zip(ids, solution["spans"], strict=True)], end="exclusive")
    system = spans([_spans_of(each, given[each]) for each in ids], end="exclusive")
    prepared = prepare(gold, {_TEAM: system}, {"match": (measure,)})
    headline = score_inputs(gold, {_TEAM: system}, prepared, "total")[_TEAM][measure].headline
    return 0.0 if isnan(headline) else float(headline)


def _spans_of(row: str, cell: object) -> list[tuple[str, int, int]]:
    """The spans of a cell."""
    try:
        listed = json.loads(str(cell))
        rows = [(str(label), int(start), int(end)) for label, start, end in listed]
    except (ValueError, TypeError):
        raise SettingError(f'Row {row!r}: expected JSON such as [["PER", 0, 2]], got {str(cell)[:80]!r}.') from None
    wrong = next((each for each in rows if not 0 <= each[1] < each[2]), None)
    if wrong is not None:
        raise SettingError(f"Row {row!r}: expected 0 <= start < end, got {wrong[1]} and {wrong[2]}.")
    return rows
