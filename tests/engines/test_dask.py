"""Dask: file pairs on a cluster of processes give the same as in this process, whatever happens to the workers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import evenhand as eh
from clusters import LONGEST, Blocking, Cluster, started, write_pairs

dask_module = import_module("evenhand.engines.dask")  # the package has a function of this name
distributed = pytest.importorskip("distributed", reason="Dask is an extra: pip install evenhand[dask]")
EVENHAND = Path(sys.executable).with_name("evenhand")
needs_proc = pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="tells open files from /proc")


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_pairs(tmp_path_factory.mktemp("pairs") / "files", 40)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with Cluster(tmp_path_factory.mktemp("cluster") / "a") as cluster:
        cluster.add_worker()
        cluster.add_worker()
        yield cluster


@pytest.fixture(scope="module")
def client(cluster: Cluster) -> Iterator[Any]:
    with distributed.Client(cluster.address, timeout=LONGEST, set_as_default=False) as client:
        client.wait_for_workers(2, timeout=LONGEST)
        yield client


def arguments(manifest: Path, cluster: Cluster) -> list[str | Path]:
    return [
        EVENHAND,
        "score",
        "--manifest",
        manifest,
        "--engine",
        "dask",
        "--scheduler",
        cluster.address,
        "-q",
        "--as",
        "json",
    ]


@needs_proc
def test_a_killed_worker_changes_nothing(tmp_path: Path, cluster: Cluster, client: Any) -> None:
    manifest = write_pairs(tmp_path / "files", 200)
    serially = eh.score(*eh.manifest(manifest)).to_dict()
    blocking = Blocking(tmp_path / "files" / "system" / "100.conll")
    cluster.add_worker()
    client.wait_for_workers(len(cluster.workers), timeout=LONGEST)
    with started(arguments(manifest, cluster)) as running:
        writer = blocking.open_when_read()
        reader = blocking.reader(cluster.workers)
        reader.kill()
        reader.wait()
        cluster.workers.remove(reader)
        blocking.unblock()
        os.close(writer)
        output, message = running.communicate(timeout=LONGEST)
    assert (running.returncode, message) == (0, "")
    assert json.loads(output) == serially


def test_the_progress_is_told(pairs: Path, client: Any) -> None:
    told: list[tuple[int, int]] = []
    engine = eh.engines.dask(client, progress=lambda done, of: told.append((done, of)))
    folder = pairs.parent
    result = eh.score(folder / "gold", folder / "system", engine=engine)
    assert result.to_dict() == eh.score(folder / "gold", folder / "system").to_dict()
    assert told == sorted(set(told))
    assert told[-1] == (40, 40)


def test_intervals_are_those_of_this_process(pairs: Path, client: Any) -> None:
    options: dict[str, Any] = {"resamples": 200, "seed": 7}
    ranking = eh.rank(*eh.manifest(pairs), **options, engine=eh.engines.dask(client))
    serially = eh.rank(*eh.manifest(pairs), **options)
    assert ranking.to_dict() == serially.to_dict()
    assert ranking.groups == "documents"


def test_the_first_broken_file_is_told_as_in_this_process(tmp_path: Path, cluster: Cluster, client: Any) -> None:
    manifest = write_pairs(tmp_path / "files", 40)
    for number, content in ((31, b"\xff\tO\n"), (17, b"one-column-only\nand\ttwo\n")):
        (tmp_path / "files" / "system" / f"{number:03}.conll").write_bytes(content)
    with pytest.raises(eh.InputError) as serially:
        eh.score(*eh.manifest(manifest))
    with pytest.raises(eh.InputError) as actual:
        eh.score(*eh.manifest(manifest), engine=eh.engines.dask(client))
    assert str(actual.value) == str(serially.value)
    assert actual.value.problem == serially.value.problem


def test_paths_are_told_as_they_were_given_though_workers_are_elsewhere(tmp_path: Path, cluster: Cluster) -> None:
    manifest = write_pairs(tmp_path / "files", 3)
    (tmp_path / "files" / "system" / "001.conll").write_text("other\tO\n")
    done = subprocess.run(
        arguments(Path("pairs.tsv"), cluster), cwd=manifest.parent, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("evenhand: system/001.conll:1: found the token 'other' where gold/001.conll:1 has ")


@needs_proc
def test_a_worker_that_cannot_see_a_file_is_named(pairs: Path, cluster: Cluster, client: Any) -> None:
    """/proc/self/cwd is the folder of each process: the files are there for the command, not for the workers."""
    manifest = Path("/proc/self/cwd") / pairs.name
    done = subprocess.run(
        arguments(manifest, cluster), cwd=pairs.parent, capture_output=True, text=True, check=False, timeout=LONGEST
    )
    assert (done.returncode, done.stdout) == (2, "")
    worker = next(address for address in client.nthreads() if address in done.stderr)
    assert done.stderr == (
        f"evenhand: /proc/self/cwd/gold/000.conll: the worker {worker} cannot open it (there is no such file); "
        "make the file available to all workers under the same path.\n"
    )


def test_a_text_that_goes_on_in_the_next_file(tmp_path: Path, client: Any) -> None:
    """Only both files together are right, as they are for one process."""
    for side in ("gold", "system"):
        (tmp_path / side).mkdir()
    for side, sizes in (("gold", (2, 2, 2)), ("system", (1, 3, 2))):
        for number, size in enumerate(sizes):
            (tmp_path / side / f"{number}.conll").write_text("Ada\tB-PER\n\n" * size)
    gold, system = tmp_path / "gold", tmp_path / "system"
    found = eh.score(gold, system, engine=eh.engines.dask(client))
    assert found.to_dict() == eh.score(gold, system).to_dict()
    (system / "2.conll").write_text("Ada\tB-PER\n\n")
    with pytest.raises(eh.InputError, match=r"2\.conll:1: the system ends here"):
        eh.score(gold, system, engine=eh.engines.dask(client))


def test_documents_of_chains_may_stand_in_other_files(tmp_path: Path, client: Any) -> None:
    for side, order in (("key", "abcd"), ("response", "acbx")):
        (tmp_path / side).mkdir()
        for number, name in enumerate(order):
            lines = [f"{name}\t0\t{at}\tw\tNN\t({at % 2})\n" for at in range(4)]
            text = f"#begin document ({name}); part 000\n{''.join(lines)}\n#end document\n"
            (tmp_path / side / f"{number}.conll").write_text(text)
    sides = tmp_path / "key", tmp_path / "response"
    found = eh.score(*sides, engine=eh.engines.dask(client))
    assert found.to_dict() == eh.score(*sides).to_dict()
    assert "system response: lacks documents d_0; they count as empty." in found.notes


def test_a_single_pair_and_addresses(pairs: Path, client: Any) -> None:
    gold, system = (pairs.parent / side / "007.conll" for side in ("gold", "system"))
    serially = eh.score(gold, system)
    assert eh.score(gold, system, engine=eh.engines.dask(client)).to_dict() == serially.to_dict()
    addresses = f"file://{gold}", f"file://{system}"
    assert eh.score(*addresses, engine=eh.engines.dask(client)).to_dict() == serially.to_dict()


def test_what_is_no_file_is_scored_here(pairs: Path, client: Any) -> None:
    gold, system = (eh.read(pairs.parent / side / "007.conll") for side in ("gold", "system"))
    assert eh.score(gold, system, engine=eh.engines.dask(client)).to_dict() == eh.score(gold, system).to_dict()


@needs_proc
def test_workers_that_die_again_and_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    manifest = write_pairs(tmp_path / "files", 3)
    blocking = Blocking(tmp_path / "files" / "system" / "000.conll")
    settings = {"DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "0"}
    with Cluster(tmp_path / "cluster", **settings) as cluster:
        cluster.add_worker()
        with started(arguments(manifest, cluster)) as running:
            writer = blocking.open_when_read()
            cluster.workers[0].kill()
            cluster.workers[0].wait()
            _, message = running.communicate(timeout=LONGEST)
        os.close(writer)
        assert running.returncode == 2
        assert message == (
            f"evenhand: {tmp_path / 'files' / 'gold' / '000.conll'}: 1 worker died while scoring it; check their logs; they may need more memory.\n"
        )
        blocking.unblock()
        monkeypatch.setattr(dask_module, "_PATIENCE", 0.1)
        with pytest.raises(eh.SettingError, match="The cluster has no workers; start one"):
            eh.score(*eh.manifest(manifest), engine=eh.engines.dask(scheduler=cluster.address))


def test_a_worker_without_evenhand(tmp_path: Path, pairs: Path) -> None:
    (tmp_path / "evenhand.py").write_text("raise ModuleNotFoundError(\"No module named 'evenhand'\")\n")
    with Cluster(tmp_path / "cluster") as cluster:
        cluster.add_worker({"PYTHONPATH": str(tmp_path)})
        with distributed.Client(cluster.address, timeout=LONGEST, set_as_default=False) as client:
            client.wait_for_workers(1, timeout=LONGEST)
            with pytest.raises(eh.SettingError, match=r"The worker tcp://127.0.0.1:\d+ has no evenhand, but this is"):
                eh.score(*eh.manifest(pairs), engine=eh.engines.dask(client))


def test_a_worker_with_another_version(pairs: Path, client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask_module, "__version__", "99.0")
    with pytest.raises(eh.SettingError, match=r"has evenhand 0.*, but this is evenhand 99.0; install the same version"):
        eh.score(*eh.manifest(pairs), engine=eh.engines.dask(client))
