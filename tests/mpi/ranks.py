#!/usr/bin/env python3
"""The program over several processes.

    ranks.py equal GLGNN      1, 2, 3 and 4 ranks give the result of one process, and one voice
    ranks.py faults GLGNN     a rank is killed: the words, the time, what is left; resumed by others
    ranks.py unequal GLGNN    ranks with other data, settings or files are refused by name
"""

import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

SKIPPED = 77  # ctest takes this exit status for "skipped"

MPIRUN = ["mpirun", "--oversubscribe", "--allow-run-as-root", "--bind-to", "none",
          "--mca", "btl", "self,vader,tcp", "--mca", "btl_vader_single_copy_mechanism", "none",
          "--mca", "plm_rsh_agent", "false"]

PAPER = ["evaluate", "wine", "--mode", "paper", "--epochs", "3", "--runs", "4"]
FITS = (["fit", "wine"], ["fit", "wine", "--mode", "paper", "--epochs", "3"])
CHILDREN = (["compare", "wine", "--methods", "logreg,knn-gcn,forest", "--runs", "2", "--budget", "1"],
            ["reproduce", "table1", "--datasets", "wine", "--methods", "logreg,knn-gcn", "--runs", "1", "--budget", "1"])
BEST = ["evaluate", "wine", "--runs", "3", "--gnn_heads", "false", "--landmark_heads", "false"]


def check(condition, text):
    if not condition:
        sys.exit(f"FAILED: {text}")


def environment():
    return {**os.environ, "OMP_NUM_THREADS": "1"}


def over(ranks, program, words):
    """The command line for so many ranks; for 0 the program itself."""
    return [program, *words] if ranks == 0 else [*MPIRUN, "-n", str(ranks), program, *words]


def run(command):
    return subprocess.run(command, capture_output=True, text=True, env=environment(), timeout=300)


def without_times(value):
    """A result but for what differs between two calls of the same."""
    own = {"time", "seconds", "seconds_mean", "peak_memory_mb", "threads"}
    if isinstance(value, dict):
        return {name: without_times(part) for name, part in value.items() if name not in own}
    return [without_times(part) for part in value] if isinstance(value, list) else value


def runs_of(log):
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    return sorted((without_times(line) for line in lines if line["event"] == "run"), key=lambda line: line["run"])


def evaluated(ranks, program, words, folder):
    """What the log and the standard output hold."""
    log = folder / f"{ranks}.jsonl"
    done = run(over(ranks, program, [*words, "--json", "--log", str(log)]))
    check(done.returncode == 0, f"{words} on {ranks} ranks: status {done.returncode}, {done.stderr}")
    check(done.stdout.count("\n") == 1, f"{words} on {ranks} ranks: one line is expected, found {done.stdout}")
    return runs_of(log), without_times(json.loads(done.stdout))


def fit_of_linked_table(folder):
    """In folds, with modules that the network of graphs teaches."""
    chance = random.Random(1)
    rows = "".join(f"{i % 2 + chance.gauss(0, 1)},{chance.gauss(0, 1)},{'ab'[i % 2]}\n" for i in range(60))
    (folder / "t.csv").write_text("x,y,label\n" + rows)
    (folder / "edges.txt").write_text("".join(f"{i} {(i + 2 * j) % 60}\n" for i in range(60) for j in (1, 2, 3)))
    return ["fit", str(folder / "t.csv"), "--label", "label", "--graph", str(folder / "edges.txt"), "--folds", "3"]


def fitted(ranks, program, words, folder, *more):
    """The bytes of the model file."""
    model = folder / "m.glgnn"
    done = run(over(ranks, program, [*words, "--out", str(model), "--no-report", "--quiet", *more]))
    check(done.returncode == 0, f"{words} on {ranks} ranks: status {done.returncode}, {done.stderr}")
    return model.read_bytes()


def test_equal(program, folder):
    for words in (*FITS, fit_of_linked_table(folder)):
        alone = fitted(0, program, words, folder)
        for ranks in (2, 3, 4):
            check(fitted(ranks, program, words, folder) == alone, f"{words} on {ranks} ranks differs from one process")
    for words in (PAPER, BEST):
        alone = evaluated(0, program, words, folder)
        check(len(alone[0]) == int(words[words.index("--runs") + 1]), "the log holds all runs")
        for ranks in (1, 2, 3, 4):
            check(evaluated(ranks, program, words, folder) == alone, f"{words} on {ranks} ranks differs from one process")
    for words in CHILDREN:
        more = ["--json", "--quiet"] + (["--file", str(folder / "cells.jsonl")] if words[0] == "reproduce" else [])
        alone, shared = (run(over(ranks, program, words + more)) for ranks in (0, 3))
        check(alone.returncode == 0 == shared.returncode, f"{words}: {alone.stderr} {shared.stderr}")
        check(without_times(json.loads(alone.stdout)) == without_times(json.loads(shared.stdout)),
              f"{words} on 3 ranks differs from one process")
    version = run(over(3, program, ["--version"]))
    check(version.stdout.count("glgnn") == 1, f"one voice: found {version.stdout}")


def process_of(rank, program, started):
    """The process that is this rank of the mpirun with that process number."""
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            is_ours = f"OMPI_COMM_WORLD_RANK={rank}\0" in (folder / "environ").read_text(errors="replace")
            parent = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
            if is_ours and parent == started.pid and os.path.samefile(folder / "exe", program):
                return int(folder.name)
        except OSError:
            continue
    return None


def wait_for(condition, text, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := condition():
            return found
        time.sleep(0.02)
    sys.exit(f"FAILED: {text}: waited for {seconds} seconds")


def killed_on_the_way(program, words, has_begun, folder):
    """Rank 1 of three is killed once has_begun(): the words, and the time they took."""
    # To files: a pipe that nobody reads would stop the ranks.
    with open(folder / "said.txt", "w+") as said:
        started = subprocess.Popen(over(3, program, words), stdout=subprocess.DEVNULL, stderr=said, env=environment())
        wait_for(lambda: started.poll() is not None or has_begun(), "some finished work")
        check(started.poll() is None, f"{words}: it ended before it was killed")
        os.kill(process_of(1, program, started), signal.SIGKILL)
        killed = time.monotonic()
        check(started.wait(timeout=60) != 0, "a killed rank is no success")
        check(time.monotonic() - killed < 10, f"ten seconds, found {time.monotonic() - killed}")
        said.seek(0)
        text = said.read()
    check("glgnn: rank 1 (process" in text and "is gone" in text and "--resume" in text, f"clear words, found {text}")


def test_faults(program, folder):
    log = folder / "killed.jsonl"
    words = ["evaluate", "wine", "--mode", "paper", "--epochs", "25", "--runs", "10", "--quiet"]
    with_log = [*words, "--log", str(log)]
    killed_on_the_way(program, with_log, lambda: log.exists() and runs_of(log), folder)
    before = runs_of(log)
    check(0 < len(before) < 10, f"some of the runs are in the log, found {len(before)}")
    resumed = run(over(2, program, [*with_log, "--resume"]))
    check(resumed.returncode == 0, f"resumed by 2 ranks: {resumed.stderr}")
    alone = evaluated(0, program, words, folder)[0]
    check(runs_of(log) == alone, "killed and resumed by 2 ranks differs from one process")

    words = ["fit", "cancer", "--gnn_heads", "false", "--landmark_heads", "false", "--folds", "10", "--test-fraction", "0.3"]
    out = [*words, "--out", str(folder / "m.glgnn"), "--no-report", "--quiet"]
    lines = folder / "m.jsonl"
    killed_on_the_way(program, out, lambda: lines.exists() and lines.read_text().count("\n") > 20, folder)
    check((folder / "m.glgnn.checkpoint").exists(), "a killed rank leaves a checkpoint")
    resumed = fitted(2, program, words, folder, "--resume")
    check(resumed == fitted(0, program, words, folder), "fit, killed and resumed by 2 ranks, differs from one process")


def test_unequal(program, folder):
    table = "".join(f"{i % 7},{i % 5},{'ab'[i % 2]}\n" for i in range(60))
    for name, text in (("one", "x,y,label\n" + table), ("two", "x,y,label\n" + table.replace("3", "4"))):
        (folder / name).mkdir()
        (folder / name / "t.csv").write_text(text)
    paper = ["--mode", "paper", "--epochs", "2", "--runs", "2", "--test-fraction", "0.3"]

    def refused(first, second, *expected):
        done = run([*over(1, program, first), ":", "-n", "1", *second])
        for words in expected:
            check(words in done.stderr, f"{second}: expected {words!r}, found {done.stderr!r}")
        check(done.returncode != 0, f"{second}: status {done.returncode}")
        check(done.stderr.count("glgnn: ") == 1, f"one voice: found {done.stderr}")

    def evaluate(file, *more):
        return ["evaluate", str(folder / file), "--label", "label", *paper, *more]

    one = evaluate("one/t.csv")
    refused(one, [program, *evaluate("two/t.csv")], "rank 1 (process", "another data than rank 0")
    refused(one, [program, *evaluate("one/t.csv", "--k", "3")], "rank 1 (process", "another settings", '"k":3')
    refused(one, [program, *evaluate("none.csv")], "rank 1 (process", "none.csv")
    refused(["evaluate", "-", *paper], [program, "evaluate", "-", *paper], "reaches rank 0 alone")
    refused([*one, "--nonsense"], [program, *one, "--nonsense"], "unknown option --nonsense")


def main():
    what, program = sys.argv[1], os.path.abspath(sys.argv[2])
    if not shutil.which("mpirun"):
        print("skipped: no mpirun; install openmpi-bin")
        return SKIPPED
    if "built without MPI" in run(over(2, program, ["--version"])).stderr:
        print("skipped: built without MPI")
        return SKIPPED
    with tempfile.TemporaryDirectory(prefix="glgnn-ranks-") as folder:
        {"equal": test_equal, "faults": test_faults, "unequal": test_unequal}[what](program, pathlib.Path(folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
