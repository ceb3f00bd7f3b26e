"""Each contender does the same work: from two files, or two lists of tags, to a report by label.

Run as `python contenders.py NAME GOLD SYSTEM [REPEAT]`: prints the CPU seconds of each repetition, the F1 that came
out and the peak memory in megabytes, as JSON. Imports are not timed.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from time import process_time

from brackets import evenhand_constituents, plain_brackets
from brat import plain_brat
from chains import evenhand_chains, evenhand_entities, plain_loop
from confidences import fair_curve, fair_score
from conlleval_loop import conlleval_loop
from corefud import evenhand_corefud, plain_corefud
from links import timed_links, timed_loop
from peak import peak_mb
from records import anls_star, evenhand_records, stickler
from shape_contenders import SHAPE_CONTENDERS, Timed, f1_of, plain_reader, report_of


def evenhand(gold: str, system: str, match: str = "exact,fair") -> Timed:
    import evenhand as eh
    from evenhand.report.text import render

    begin = process_time()
    results = eh.score(gold, [system], match=match)
    render(results)
    (result,) = results.values()
    return process_time() - begin, result[match.partition(",")[0]].headline


def evenhand_exact(gold: str, system: str) -> Timed:
    return evenhand(gold, system, "exact")


def evenhand_leak(gold: str, system: str) -> Timed:
    return evenhand(gold, system, "leak")


def evenhand_four(gold: str, system: str) -> Timed:
    return evenhand(gold, system, "exact,fair,ts,t")


def evenhand_clusters(gold: str, folder: str) -> Timed:
    """All systems of a folder under four models, with 1,000 resamples, and a test of every pair under the first."""
    return evenhand_rank(gold, folder, trials=None)


def evenhand_rank(gold: str, folder: str, trials: int | None = 0) -> Timed:
    """All systems of a folder under four models, with 1,000 resamples."""
    import evenhand as eh
    from evenhand.report.text import render

    systems = [path for path in sorted(Path(folder).glob("*.tags")) if path != Path(gold)]
    begin = process_time()
    ranking = eh.rank(gold, systems, match="exact,fair,ts,t", resamples=1000, trials=trials)
    render(ranking)
    return process_time() - begin, max(each.score for each in ranking["exact"].values())


def evenhand_suspects(gold: str, folder: str) -> Timed:
    """Suspects of a gold standard with all systems of a folder, beside masked words."""
    import evenhand as eh
    from evenhand.report.text import render

    systems = [path for path in sorted(Path(folder).glob("*.conll")) if path != Path(gold)]
    begin = process_time()
    suspects = eh.suspects(gold, systems, rule="fit")
    render(suspects)
    return process_time() - begin, len(suspects.suspects)


def evenhand_compare(gold: str, folder: str) -> Timed:
    """All pairs of the systems of a folder, with 10,000 trials and 1,000 resamples."""
    import evenhand as eh
    from evenhand.report.text import render

    systems = [path for path in sorted(Path(folder).glob("*.tags")) if path != Path(gold)]
    begin = process_time()
    comparison = eh.compare(gold, systems)
    render(comparison)
    return process_time() - begin, len(comparison.pairs)


def evenhand_pair(gold: str, folder: str) -> Timed:
    """The first two systems of a folder, with 10,000 trials and 1,000 resamples."""
    import evenhand as eh
    from evenhand.report.text import render

    systems = _first_two(gold, folder)
    begin = process_time()
    comparison = eh.compare(gold, systems, by="exact")
    render(comparison)
    return process_time() - begin, len(comparison.pairs)


def evenhand_causes(gold: str, system: str) -> Timed:
    """The slices in which one system has more errors."""
    import evenhand as eh
    from evenhand.report.text import render

    begin = process_time()
    causes = eh.causes(gold, system)
    render(causes)
    return process_time() - begin, len(causes.found)


def evenhand_power(gold: str, folder: str) -> Timed:
    """What the test set can show of the same systems."""
    import evenhand as eh
    from evenhand.report.text import render

    systems = _first_two(gold, folder)
    begin = process_time()
    power = eh.power(gold, systems, by="exact")
    render(power)
    return process_time() - begin, len(power.pairs)


def _first_two(gold: str, folder: str) -> list[Path]:
    return [path for path in sorted(Path(folder).glob("*.tags")) if path != Path(gold)][:2]


def evenhand_tests(gold: str, folder: str) -> Timed:
    """10,000 trials and 10,000 resamples of fair F1, by what they add to a comparison without any."""
    import evenhand as eh

    systems = sorted(Path(folder).glob("*.conll"))
    seconds = []
    for number in (0, 10_000):
        begin = process_time()
        comparison = eh.compare(gold, systems, trials=number, resamples=number)
        seconds.append(process_time() - begin)
    return seconds[1] - seconds[0], len(comparison.pairs)


def evenhand_lists(gold: str, system: str) -> Timed:
    import evenhand as eh
    from evenhand.report.text import render

    true, predicted = plain_reader(gold), plain_reader(system)
    begin = process_time()
    results = eh.score(eh.tags(true), [eh.tags(predicted)])
    render(results)
    return process_time() - begin, next(iter(results.values()))["exact"].f1


def evenhand_metric(gold: str, system: str) -> Timed:
    """The same lists in batches of 32 sentences, as during training."""
    import evenhand as eh
    from evenhand.report.text import render

    true, predicted = plain_reader(gold), plain_reader(system)
    begin = process_time()
    metric = eh.Metric()
    for row in range(0, len(true), 32):
        metric.update(true[row : row + 32], predicted[row : row + 32])
    result = metric.compute()
    assert isinstance(result, eh.Result)
    render(result)
    return process_time() - begin, result["exact"].f1


def evenhand_read(path: str, _: str) -> Timed:
    import evenhand as eh

    begin = process_time()
    spans = eh.read(path)["spans"]
    return process_time() - begin, len(spans)


def json_loads(path: str, _: str, key: str = "spans") -> Timed:
    """What anybody writes first: the standard library's json.loads, line by line."""
    begin = process_time()
    items = 0
    with open(path, encoding="utf-8") as file:
        for line in file:
            items += len(json.loads(line)[key])
    return process_time() - begin, items


def loop_over_answers(texts: str, answers: str) -> Timed:
    """The same over the answers of a language model."""
    return json_loads(answers, texts, "entities")


def evenhand_ground(texts: str, answers: str) -> Timed:
    """The answers of a language model, each string with its place."""
    from evenhand.api.ground import ground_file

    begin = process_time()
    items = sum(len(document.items) for document in ground_file(texts, answers, labels=("PER", "LOC", "ORG", "MISC")))
    return process_time() - begin, items


def evenhand_conll18(gold: str, system: str) -> Timed:
    """The thirteen metrics of CoNLL 2018."""
    import evenhand as eh
    from evenhand.report.text import render

    begin = process_time()
    results = eh.score(gold, [system], match="conll18")
    render(results)
    return process_time() - begin, next(iter(results.values()))["conll18-mlas"].f1


def udtools(gold: str, system: str) -> Timed:
    """The same by the evaluation script of Universal Dependencies."""
    from udtools.udeval import build_evaluation_table, evaluate, load_conllu_file

    begin = process_time()
    found = evaluate(load_conllu_file(gold), load_conllu_file(system))
    build_evaluation_table(found)
    return process_time() - begin, float(found["MLAS"].f1)


def seqeval(gold: str, system: str) -> Timed:
    return report_of(plain_reader, gold, system)


def seqeval_lists(gold: str, system: str) -> Timed:
    from seqeval.metrics import classification_report

    return _report(classification_report, gold, system)


def evenhand_drop_in(gold: str, system: str) -> Timed:
    from evenhand.integrations.seqeval import classification_report

    return _report(classification_report, gold, system)


def _report(classification_report: Callable[..., str], gold: str, system: str) -> Timed:
    true, predicted = plain_reader(gold), plain_reader(system)
    begin = process_time()
    report = classification_report(true, predicted, digits=6)
    return process_time() - begin, f1_of(report)


def nervaluate(gold: str, system: str) -> Timed:
    from nervaluate import Evaluator

    begin = process_time()
    true, predicted = plain_reader(gold), plain_reader(system)
    labels = sorted({tag[2:] for sentence in true for tag in sentence if tag != "O"})
    found = Evaluator(true, predicted, tags=labels, loader="list").evaluate()
    return process_time() - begin, float(found["overall"]["strict"].f1)


def seqscore(gold: str, system: str) -> Timed:
    from seqscore.conll import FORMAT_DELIM, LineSpec, score_conll_files

    printed, sys.stdout = sys.stdout, StringIO()
    try:
        begin = process_time()
        score_conll_files(
            [system],
            gold,
            "BIO",
            None,
            "utf-8",
            LineSpec(0, -1),
            ignore_document_boundaries=True,
            allow_comment_lines=False,
            output_format=FORMAT_DELIM,
            delim="\t",
            full_precision=True,
            quiet=True,
        )
        seconds, text = process_time() - begin, sys.stdout.getvalue()
    finally:
        sys.stdout = printed
    line = next(line for line in text.splitlines() if line.startswith("ALL"))
    return seconds, float(line.split("\t")[3])


CONTENDERS: dict[str, Callable[[str, str], Timed]] = {
    "evenhand": evenhand,
    "evenhand-exact": evenhand_exact,
    "evenhand-leak": evenhand_leak,
    "evenhand-four": evenhand_four,
    "evenhand-rank": evenhand_rank,
    "evenhand-suspects": evenhand_suspects,
    "evenhand-clusters": evenhand_clusters,
    "evenhand-compare": evenhand_compare,
    "evenhand-pair": evenhand_pair,
    "evenhand-power": evenhand_power,
    "evenhand-causes": evenhand_causes,
    "evenhand-tests": evenhand_tests,
    "evenhand-lists": evenhand_lists,
    "evenhand-metric": evenhand_metric,
    "evenhand-drop-in": evenhand_drop_in,
    "evenhand-fair": fair_score,
    "evenhand-fair-curve": fair_curve,
    "evenhand-jsonl": evenhand_read,
    "evenhand-read": evenhand_read,
    "json-loads": json_loads,
    "plain-brat": plain_brat,
    "loop-over-answers": loop_over_answers,
    "evenhand-ground": evenhand_ground,
    "conlleval-loop": conlleval_loop,
    "evenhand-conll18": evenhand_conll18,
    "evenhand-chains": evenhand_chains,
    "evenhand-entities": evenhand_entities,
    "evenhand-corefud": evenhand_corefud,
    "plain-corefud": plain_corefud,
    "plain-loop": plain_loop,
    "evenhand-links": timed_links,
    "plain-links": timed_loop,
    "evenhand-records": evenhand_records,
    "stickler": stickler,
    "anls-star": anls_star,
    "udtools": udtools,
    "evenhand-constituents": evenhand_constituents,
    "plain-brackets": plain_brackets,
    "seqscore": seqscore,
    "nervaluate": nervaluate,
    "seqeval": seqeval,
    "seqeval-lists": seqeval_lists,
    **SHAPE_CONTENDERS,
}


_IN_MEMORY = {"evenhand-records", "evenhand-lists", "evenhand-metric", "evenhand-ids", "evenhand-drop-in"}


def main() -> None:
    name, gold, system, repeat = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]) if len(sys.argv) > 4 else 1
    if name.startswith("evenhand") and name not in _IN_MEMORY:
        from evenhand.files import keep_freed_memory, search_seldom, start_no_threads

        start_no_threads()  # as commands do that read files
        keep_freed_memory()
        search_seldom()
    runs = [CONTENDERS[name](gold, system) for _ in range(repeat)]
    peak = peak_mb()
    print(json.dumps({"seconds": [seconds for seconds, _ in runs], "f1": runs[0][1], "peak_mb": peak}))


if __name__ == "__main__":
    main()
