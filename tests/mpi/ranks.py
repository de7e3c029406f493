#!/usr/bin/env python3
"""The program over several processes.

    ranks.py equal GLGNN      1, 2, 3 and 4 ranks give the result of one process, and one voice
    ranks.py faults GLGNN     a rank is killed: the words, the time, what is left; resumed by others
    ranks.py unequal GLGNN    ranks with other data, settings or files are refused by name
    ranks.py rows GLGNN       rows owned by ranks: the neighbours of one process, and of a plain search
    ranks.py training GLGNN   paper mode on rows owned by ranks: one rank is one process, others differ by rounding
    ranks.py hosts GLGNN      two network namespaces as two machines, joined by TCP (needs root)
"""

import array
import json
import os
import pathlib
import random
import shlex
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
CHILDREN = (["compare", "wine", "--methods", "logreg,knn-gcn,forest", "--runs", "3", "--budget", "2"],
            ["reproduce", "table1", "--datasets", "wine", "--methods", "logreg,knn-gcn", "--runs", "2", "--budget", "1"])
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


def busy_ranks(ranks, program, started):
    """Their processes, once each has computed for longer than MPI takes to start."""
    processes = [process_of(rank, program, started) for rank in range(ranks)]

    def ticks(process):
        return sum(map(int, pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[11:13]))

    return processes if all(process and ticks(process) > 60 for process in processes) else None


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


def test_stops(program, folder):
    """A rank that is killed in the middle of nearest; one that is stopped; all stopped, as by Ctrl-Z, who then go on."""
    chance = random.Random(5)
    rows, near = folder / "rows.npy", folder / "near.npy"
    block = [[chance.gauss(0, 1) for _ in range(24)] for _ in range(500)]
    write_npy(rows, [[value + 0.001 * copy for value in row] for copy in range(180) for row in block])
    words = ["nearest", str(rows), "--k", "5", "--out", str(near), "--threads", "1"]

    def end_of(meddle):
        """What was said, and how long it took from then on."""
        with open(folder / "said.txt", "w+") as said:
            started = subprocess.Popen(over(2, program, words), stdout=said, stderr=said, env=environment())
            processes = wait_for(lambda: busy_ranks(2, program, started), "two ranks at work")
            begin = time.monotonic()
            meddle(processes)
            status = started.wait(timeout=120)
            said.seek(0)
            return status, said.read(), time.monotonic() - begin

    def stop_one(processes):
        os.kill(processes[1], signal.SIGSTOP)

    def stop_all(processes):
        for process in processes:
            os.kill(process, signal.SIGSTOP)
        time.sleep(10)
        for process in processes:
            os.kill(process, signal.SIGCONT)

    for meddle, words_of_loss in ((lambda processes: os.kill(processes[1], signal.SIGKILL), "is gone"),
                                  (stop_one, "has been silent for 8 seconds")):
        status, said, seconds = end_of(meddle)
        check(status != 0 and "glgnn: rank 1 (process" in said and words_of_loss in said, f"{words_of_loss}: {said}")
        check("Nothing was written" in said and not near.exists(), f"nothing is left: {said}")
        check(seconds < 12, f"told within ten seconds, found {seconds}")
    status, said, _ = end_of(stop_all)
    check(status == 0 and near.exists(), f"stopped as a whole and gone on: {said}")


def test_faults(program, folder):
    test_stops(program, folder)
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


def write_npy(path, rows, type_code="f"):
    """rows: lists of numbers, as numpy.save writes a matrix of float32."""
    head = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({len(rows)}, {len(rows[0])}), }}"
    head += " " * (63 - (10 + len(head)) % 64) + "\n"
    numbers = array.array(type_code, [value for row in rows for value in row])
    path.write_bytes(b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head.encode() + numbers.tobytes())


def read_npy(path, type_code):
    """The numbers of a matrix, and its shape as text."""
    data = path.read_bytes()
    start = 10 + int.from_bytes(data[8:10], "little")
    numbers = array.array(type_code)
    numbers.frombytes(data[start:])
    return numbers, data[10:start].decode().split("'shape': ")[1].split("}")[0]


def nearest_files(ranks, program, rows, folder, *more):
    """The bytes of both files, and what was printed."""
    out, far = folder / "near.npy", folder / "far.npy"
    done = run(over(ranks, program, ["nearest", str(rows), "--out", str(out), "--distances", str(far), "--json", *more]))
    check(done.returncode == 0, f"nearest on {ranks} ranks: status {done.returncode}, {done.stderr}")
    return out.read_bytes(), far.read_bytes(), json.loads(done.stdout)


def test_rows(program, folder):
    chance = random.Random(2)
    rows = [[chance.randint(-9, 9) for _ in range(5)] for _ in range(150)]
    write_npy(folder / "whole.npy", rows)
    nearest_files(0, program, folder / "whole.npy", folder, "--k", "4")
    plain = [[j for _, j in sorted((sum((a - b) ** 2 for a, b in zip(row, other)), j)
                                   for j, other in enumerate(rows) if j != i)[:4]] for i, row in enumerate(rows)]
    found, shape = read_npy(folder / "near.npy", "i")
    check(shape.startswith("(150,4"), f"150 x 4, found {shape}")
    check(list(found) == [j for row in plain for j in row], "the neighbours of a plain search, the nearest first")
    distance, _ = read_npy(folder / "far.npy", "f")
    expected = sum((a - b) ** 2 for a, b in zip(rows[7], rows[plain[7][3]])) ** 0.5
    check(abs(distance[7 * 4 + 3] - expected) < 1e-5, f"distance {expected}, found {distance[31]}")

    write_npy(folder / "rows.npy", [[chance.gauss(0, 1) for _ in range(12)] for _ in range(6000)])
    for metric in ("euclidean", "cosine"):
        alone = nearest_files(0, program, folder / "rows.npy", folder, "--metric", metric)
        for ranks in (1, 2, 3, 4):
            shared = nearest_files(ranks, program, folder / "rows.npy", folder, "--metric", metric)
            check(shared[:2] == alone[:2], f"nearest by {metric} on {ranks} ranks differs from one process")
            of_ranks = shared[2]["ranks"]
            check(sum(rank["rows"] for rank in of_ranks) == 6000 and len(of_ranks) == max(1, ranks), f"{of_ranks}")

    numbers, _ = read_npy(folder / "rows.npy", "f")
    (folder / "rows.csv").write_text("".join(",".join(map(repr, numbers[12 * i:12 * i + 12])) + "\n" for i in range(6000)))
    alone = nearest_files(0, program, folder / "rows.npy", folder)
    for ranks in (0, 1, 2, 3, 4):
        shared = nearest_files(ranks, program, folder / "rows.csv", folder)
        check(shared[:2] == alone[:2], f"nearest of a table on {ranks} ranks differs from the array")

    (folder / "rows.svm").write_text("".join(
        "1 " + " ".join(f"{f}:{value!r}" for f, value in enumerate(numbers[12 * i:12 * i + 12])) + "\n" for i in range(6000)))
    for ranks in (0, 2, 3):
        shared = nearest_files(ranks, program, folder / "rows.svm", folder)
        check(shared[:2] == alone[:2], f"nearest of svmlight rows on {ranks} ranks differs from the array")

    labels = folder / "labels.npy"
    write_npy(labels, [[i % 3 if i % 20 == 0 else -1] for i in range(6000)])
    labels.write_bytes(labels.read_bytes().replace(b"(6000, 1)", b"(6000,  )"))
    spread = []
    for ranks in (0, 3):
        p = folder / f"p{ranks}.npy"
        nearest_files(ranks, program, folder / "rows.npy", folder, "--labels", str(labels), "--probabilities", str(p))
        spread.append(p.read_bytes())
    check(spread[0] == spread[1], "labels spread on 3 ranks differ from one process")
    values, shape = read_npy(folder / "p3.npy", "f")
    check(shape.startswith("(6000,3") and abs(sum(values[:3]) - 1) < 1e-5, f"probabilities, found {shape} {values[:3]}")
    check(values[0] > max(values[1:3]), "a labelled row keeps its class")

    other = folder / "other.npy"
    write_npy(other, [[chance.gauss(0, 1) for _ in range(12)] for _ in range(6000)])
    done = run([*over(1, program, ["nearest", str(folder / "rows.npy")]), ":", "-n", "1", program, "nearest", str(other)])
    check("another data than rank 0" in done.stderr and done.returncode != 0, f"another file: {done.stderr}")
    with open(folder / "near.npy", "r+b") as short:
        short.truncate(2000)
    broken = run(over(2, program, ["nearest", str(folder / "near.npy")]))
    check("truncated or damaged" in broken.stderr and broken.returncode != 0, f"a damaged file: {broken.stderr}")


def test_training(program, folder):
    """Paper mode on rows that ranks own: one rank has the bits of an ordinary training, others differ by rounding."""
    chance = random.Random(4)
    rows = [[(i % 3 == f % 3) + chance.gauss(0, 0.7) for f in range(8)] + [1] for i in range(320)]
    write_npy(folder / "rows.npy", rows)
    labels = folder / "labels.npy"
    write_npy(labels, [[i % 3 if i % 4 != 1 else -1] for i in range(320)])
    labels.write_bytes(labels.read_bytes().replace(b"(320, 1)", b"(320,  )"))
    words = ["fit", str(folder / "rows.npy"), "--label", str(labels), "--mode", "paper", "--epochs", "6", "--k", "6",
             "--test-fraction", "0.5"]

    def fitted_rows(ranks, *more):
        p = folder / f"p{ranks}.npy"
        done = run(over(ranks, program, [*words, "--rows-over-ranks", "--probabilities", str(p), *more]))
        check(done.returncode == 0, f"training on {ranks} ranks: status {done.returncode}, {done.stderr}")
        check(done.stdout.count("wrote") == 1, f"one voice, found {done.stdout}")
        return read_npy(p, "f"), done.stdout

    model = folder / "m.glgnn"
    ordinary = run([program, *words, "--out", str(model), "--no-report"])
    check(ordinary.returncode == 0, ordinary.stderr)
    (alone, shape), said = fitted_rows(0)
    check(shape.startswith("(320,3"), f"320 x 3, found {shape}")
    tested = next(line for line in said.splitlines() if "test accuracy" in line).split(" (")[0]
    check(tested in ordinary.stdout, f"{tested} as in an ordinary training, found {ordinary.stdout}")
    check(fitted_rows(1)[0][0] == alone, "one rank differs from one process")
    for ranks in (2, 3, 4):
        found = fitted_rows(ranks)[0][0]
        apart = max(abs(a - b) for a, b in zip(alone, found))
        check(len(found) == len(alone) and apart < 1e-4, f"{ranks} ranks: probabilities are {apart} apart")

    # A table, of which each rank reads its bytes; the last column is left out, as all rows have the same.
    table = folder / "rows.csv"
    texts = [",".join([*map(repr, array.array("f", row)), "abc"[i % 3] if i % 4 != 1 else ""]) for i, row in enumerate(rows)]
    table.write_text("\n".join(["a,b,c,d,e,f,g,h,one,kind", *texts]))
    words[1:4] = [str(table), "--label", "kind"]
    for ranks in (0, 3):
        found = fitted_rows(ranks)[0][0]
        check(max(abs(a - b) for a, b in zip(alone, found)) < 1e-4, f"a table on {ranks} ranks is not the array")

    # Svmlight rows, which become dense: as the same numbers in a table.
    written = [[value if value > 1 else 0 for value in array.array("f", row[:8])] for row in rows]
    svm, dense = folder / "rows.svm", folder / "dense.csv"
    svm.write_text("".join(" ".join([str(i % 3) if i % 4 != 1 else "?", *(f"{f + 1}:{v!r}" for f, v in enumerate(row) if v)]) + "\n"
                           for i, row in enumerate(written)))
    dense.write_text("a,b,c,d,e,f,g,h,kind\n" + "".join(",".join([*map(repr, row), str(i % 3) if i % 4 != 1 else ""]) + "\n"
                                                       for i, row in enumerate(written)))
    words[1:4] = [str(dense), "--label", "kind"]
    expected = fitted_rows(0, "--scaling", "row_unit")[0][0]
    words[1:4] = [str(svm)]
    check(fitted_rows(0)[0][0] == expected == fitted_rows(1)[0][0], "svmlight rows differ from the same table")
    for ranks in (2, 3, 4):
        found = fitted_rows(ranks)[0][0]
        check(max(abs(a - b) for a, b in zip(expected, found)) < 1e-4, f"svmlight rows on {ranks} ranks differ from one process")
    words[1:2] = [str(table), "--label", "kind"]

    # A given graph: it reaches other answers than the learned one, the same on any number of ranks.
    edges = folder / "edges.txt"
    edges.write_text("".join(f"{i} {j}\n" for i in range(320) for j in (i + 3, i + 9, i + 100) if j < 320))
    ordinary = run([program, *words, "--graph", str(edges), "--out", str(model), "--no-report", "--restart"])
    given, said = fitted_rows(0, "--graph", str(edges))
    check("graph of 848 edges" in said and "graph of 848 edges" in ordinary.stdout, f"848 edges, found {said}")
    tested = next(line for line in said.splitlines() if "test accuracy" in line).split(" (")[0]
    check(tested in ordinary.stdout, f"with a graph {tested} as in an ordinary training, found {ordinary.stdout}")
    check(max(abs(a - b) for a, b in zip(alone, given[0])) > 0.01, "a given graph changes nothing")
    for ranks in (1, 2, 3, 4):
        found = fitted_rows(ranks, "--graph", str(edges))[0][0]
        check(max(abs(a - b) for a, b in zip(given[0], found)) < 1e-4, f"with a graph {ranks} ranks differ from one process")
    other = folder / "other.txt"
    other.write_text(edges.read_text().replace("0 3\n", "0 4\n", 1))
    asked = [*words, "--rows-over-ranks", "--probabilities", str(folder / "p.npy"), "--graph"]
    done = run([*over(1, program, [*asked, str(edges)]), ":", "-n", "1", program, *asked, str(other)])
    check("rank 1 (process" in done.stderr and "another data than rank 0" in done.stderr, f"another graph: {done.stderr}")

    # A rank is killed; another number of ranks goes on.
    words[words.index("--epochs") + 1] = "30"
    p = folder / "killed.npy"
    checkpoint = folder / "killed.npy.checkpoint"
    asked = [*words, "--rows-over-ranks", "--probabilities", str(p)]
    killed_on_the_way(program, asked, checkpoint.exists, folder)
    check(checkpoint.exists() and not p.exists(), "a killed rank leaves a checkpoint")
    done = run(over(2, program, asked))
    check("holds the state of a run" in done.stderr and done.returncode == 2, f"a checkpoint is not overwritten: {done.stderr}")
    words[words.index("--epochs") + 1] = "31"
    done = run(over(2, program, [*words, *asked[len(words):], "--resume"]))
    check("was made with other settings: found epochs = 30" in done.stderr, f"other settings: {done.stderr}")
    words[words.index("--epochs") + 1] = "30"
    resumed = run(over(2, program, [*asked, "--resume"]))
    check(resumed.returncode == 0 and p.exists() and not checkpoint.exists(), f"resumed by 2 ranks: {resumed.stderr}")
    found, whole = read_npy(p, "f")[0], fitted_rows(2)[0][0]
    check(max(abs(a - b) for a, b in zip(found, whole)) < 0.01, "killed and resumed by 2 ranks is not an undisturbed training")
    words[words.index("--epochs") + 1] = "6"

    for more, expected in ((["--bias", "true"], "found bias true, expected false"), (["--hops", "3"], "found 3 hops"),
                           (["--scaling", "tfidf"], "setting scaling"),
                           (["--graph", str(edges), "--given_graph", "union"], "found given_graph union")):
        done = run(over(2, program, [*words, "--rows-over-ranks", "--probabilities", str(folder / "p.npy"), *more]))
        check(done.returncode == 2 and expected in done.stderr, f"{more}: status {done.returncode}, {done.stderr}")
    best = [word for word in words if word not in ("--mode", "paper")]
    done = run(over(2, program, [*best, "--rows-over-ranks", "--probabilities", str(folder / "p.npy")]))
    check("found mode best, which is not built for rows that ranks own" in done.stderr and done.returncode == 2, done.stderr)
    done = run(over(7, program, [*words, "--rows-over-ranks", "--probabilities", str(folder / "p.npy")]))
    check("found 320 rows for 7 ranks, expected 48 rows for each" in done.stderr, f"too many ranks: {done.stderr}")


class Hosts:
    """Two network namespaces with a wire between them; the name of each is its address."""

    def __init__(self, folder):
        self.addresses = [f"10.{os.getpid() // 256 % 256}.{os.getpid() % 256}.{i}" for i in (1, 2)]
        self.agent = folder / "agent"  # mpirun calls it as: agent ADDRESS COMMAND...
        self.agent.write_text('#!/bin/sh\nhost=$1; shift\n'
                              'exec ip netns exec glgnn-$host unshare --uts sh -c "hostname node-$host; $*"\n')
        self.agent.chmod(0o755)

    def command(self, words):
        network = self.addresses[0].rsplit(".", 1)[0] + ".0/24"
        start = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "--host", ",".join(self.addresses),
                 "-n", "2", "--mca", "plm_rsh_agent", str(self.agent), "--mca", "btl", "self,tcp",
                 "--mca", "btl_tcp_if_include", network, "--mca", "oob_tcp_if_include", network]
        return [str(self.agent), self.addresses[0], shlex.join([*start, *words])]

    def sent_bytes(self):
        """Over the wire, from either side."""
        return sum(int(run(["ip", "netns", "exec", f"glgnn-{address}", "cat", f"/sys/class/net/wire{i}/statistics/tx_bytes"]).stdout)
                   for i, address in enumerate(self.addresses))

    def __enter__(self):
        wires = [f"wire{i}" for i in (0, 1)]
        commands = [["netns", "add", f"glgnn-{address}"] for address in self.addresses]
        commands += [["-n", f"glgnn-{self.addresses[0]}", "link", "add", wires[0], "type", "veth",
                      "peer", "name", wires[1], "netns", f"glgnn-{self.addresses[1]}"]]
        for address, wire in zip(self.addresses, wires):
            commands += [["-n", f"glgnn-{address}", *words] for words in (
                ["addr", "add", f"{address}/24", "dev", wire], ["link", "set", wire, "up"], ["link", "set", "lo", "up"])]
        self.problem = ""
        for words in commands:
            done = run(["ip", *words]) if shutil.which("ip") else None
            if done is None or done.returncode != 0:
                self.problem = f"ip {' '.join(words)}: {done.stderr.strip() if done else 'not there; install iproute2'}"
                break
        return self

    def __exit__(self, *_):
        for address in self.addresses if shutil.which("ip") else ():
            run(["ip", "netns", "del", f"glgnn-{address}"])


def test_hosts(program, folder):
    with Hosts(folder) as hosts:
        if hosts.problem:
            print(f"skipped: no network namespaces here ({hosts.problem})")
            return SKIPPED
        chance = random.Random(3)
        write_npy(folder / "rows.npy", [[chance.gauss(0, 1) for _ in range(12)] for _ in range(6000)])
        near = folder / "near.npy"
        alone = nearest_files(0, program, folder / "rows.npy", folder)[0]
        near.unlink()
        before = hosts.sent_bytes()
        done = run(hosts.command([program, "nearest", str(folder / "rows.npy"), "--out", str(near), "--json"]))
        check(done.returncode == 0, f"nearest on two hosts: {done.stderr}")
        check(near.read_bytes() == alone, "nearest on two hosts differs from one process")
        counted = sum(rank["bytes_of_rows"] + rank["bytes_of_found"] for rank in json.loads(done.stdout)["ranks"])
        check(hosts.sent_bytes() - before > counted > 0, f"letters go over the wire: {counted} bytes counted")
        words = ["evaluate", "wine", "--mode", "paper", "--epochs", "2", "--runs", "2", "--json", "--quiet"]
        both, one = run(hosts.command([program, *words])), run([program, *words])
        check(both.returncode == 0, f"evaluate on two hosts: {both.stderr}")
        check(without_times(json.loads(both.stdout)) == without_times(json.loads(one.stdout)),
              "evaluate on two hosts differs from one process")
    return 0


def main():
    what, program = sys.argv[1], os.path.abspath(sys.argv[2])
    if not shutil.which("mpirun"):
        print("skipped: no mpirun; install openmpi-bin")
        return SKIPPED
    if "built without MPI" in run(over(2, program, ["--version"])).stderr:
        print("skipped: built without MPI")
        return SKIPPED
    with tempfile.TemporaryDirectory(prefix="glgnn-ranks-") as folder:
        test = {"equal": test_equal, "faults": test_faults, "unequal": test_unequal, "rows": test_rows,
                "training": test_training, "hosts": test_hosts}
        return test[what](program, pathlib.Path(folder)) or 0


if __name__ == "__main__":
    sys.exit(main())
