#!/usr/bin/env python3
"""How rows over ranks scale: `glgnn nearest` by one and by two processes of one thread each, in turn on the same cores.

    bench/ranks.py [--rows N,..] [--repeats R] [--weak] [--page] [PROGRAM]    prints the table of docs/cluster.md
    bench/ranks.py --peer [--page] [--rows N,..] [--repeats R] [PROGRAM]    prints the one of docs/benchmarks.md

One process has core 0, of two each has its own. The table shows the least of the repeats: wall time, processor time
of the rank that needs the most, the bytes that were sent beside the fewest that could do, memory of the largest rank.
--weak gives two processes as many more rows as make twice the pairs. Needs NumPy and mpirun.
--peer does the same work, and runs of paper mode on Digits, by joblib's processes with PyTorch, one thread each;
--page puts the table into docs/benchmarks.json and makes the page again (not that of --weak).
"""

import argparse
import json
import math
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

import numpy

ROOT = pathlib.Path(__file__).resolve().parent.parent
COLUMNS, K = 64, 10
BLOCK = 1024            # rows that the peer compares at once
EPOCHS, RUNS = 10, 4
MPIRUN = ["mpirun", "--allow-run-as-root", "--bind-to", "core", "-n"]


def write_clouds(path, rows):
    draw = numpy.random.default_rng(1)
    centres = draw.normal(size=(30, COLUMNS))
    numpy.save(path, (centres[draw.integers(30, size=rows)] + draw.normal(size=(rows, COLUMNS))).astype(numpy.float32))


def measure(program, rows, ranks, out):
    """The printed JSON of one run."""
    start = [*MPIRUN, str(ranks)] if ranks > 1 else ["taskset", "-c", "0"]
    words = [program, "nearest", str(rows), "--k", str(K), "--threads", "1", "--json", "--out", str(out)]
    done = subprocess.run([*start, *words], capture_output=True, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
    if done.returncode != 0:
        sys.exit(f"{' '.join(start)} failed: {done.stderr}")
    return json.loads(done.stdout)


def fewest_bytes(out, rows):
    """What two ranks with as much work each must send: rows of one to the other and half of them back (each pair meets
    somewhere), and the neighbours that a row has found away from home, a number and a column each."""
    found = numpy.load(out)
    middle = -(-rows // 48) // 2 * 48  # ranks own whole runs of 48 rows
    quarter = middle + -(-((rows - middle) // 2) // 48) * 48  # where the half that travels ends
    row = numpy.arange(rows)[:, None]
    away = ((row < middle) & (found >= quarter)) | ((row >= middle) & (row < quarter) & (found < middle))
    return 4 * COLUMNS * quarter + 8 * int(away.sum())


# ---- the peer: joblib's processes, PyTorch in each ----------------------------------------------------------

def torch_nearest(path, begin, end):
    """The K nearest rows of rows begin .. end - 1, a block at a time against all rows; and the processor time."""
    import torch
    start = time.process_time()
    torch.set_num_threads(1)
    rows = torch.from_numpy(numpy.load(path))
    half = (rows * rows).sum(1) / 2
    found = []
    for first in range(begin, end, BLOCK):
        last = min(end, first + BLOCK)
        nearness = rows[first:last] @ rows.T - half
        nearness[torch.arange(last - first), torch.arange(first, last)] = -math.inf
        found.append(torch.topk(nearness, K).indices.int().numpy())
    return numpy.concatenate(found), time.process_time() - start


def torch_run(run):
    """One run of paper mode on Digits (bench/peers/torch_epoch.py); its processor time."""
    words = ["/usr/bin/python3", str(ROOT / "bench" / "peers" / "torch_epoch.py"), str(ROOT / "data" / "digits"), "--k", "15",
             "--epochs", str(EPOCHS - 1), "--threads", "1", "--split", str(run), "--json"]  # and one to warm up
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(words, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return None, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def by_joblib(processes, jobs):
    """Results, wall time and the processor time of all; the processes are there before the clock starts."""
    import joblib
    with joblib.Parallel(n_jobs=processes) as pool:
        pool(joblib.delayed(time.sleep)(0.2) for _ in range(2 * processes))
        start = time.perf_counter()
        done = pool(joblib.delayed(function)(*words) for function, *words in jobs)
        wall = time.perf_counter() - start
    return [result for result, _ in done], wall, sum(seconds for _, seconds in done)


def by_us(ranks, words):
    """Wall and processor time of the whole program, start and reading included."""
    start = [*MPIRUN, str(ranks)] if ranks > 1 else ["taskset", "-c", "0"]
    before, clock = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([*start, *words], check=True, capture_output=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
    after, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter() - clock
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def keep_on_page(name, lines, asked, more):
    kept = ROOT / "docs" / "benchmarks.json"
    report = json.loads(kept.read_text())
    info = json.loads(subprocess.run([asked.program, "info", "--json"], check=True, capture_output=True, text=True).stdout)
    report[name] = {"commit": info["commit"], "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
                    "machine": report["machine"], "repeats": asked.repeats, **more, "lines": lines}
    kept.write_text(json.dumps(report, indent=1) + "\n")
    subprocess.run([sys.executable, str(ROOT / "bench" / "make_page.py")], check=True)


def compare_with_peer(asked):
    lines = []

    def say(text):
        lines.append(text)
        print(text, flush=True)

    say("| work | processes | ours: wall, s | processor of all, s | joblib and PyTorch: wall, s | processor of all, s "
        "| wall, times | processor, times |")
    say("|---|---|---|---|---|---|---|---|")

    def line(work, processes, ours, theirs):
        (wall, used), (their_wall, their_used) = ours, theirs
        say(f"| {work} | {processes} | {wall:.2f} | {used:.2f} | {their_wall:.2f} | {their_used:.2f} "
            f"| {their_wall / wall:.1f} | {their_used / used:.1f} |")

    with tempfile.TemporaryDirectory(prefix="glgnn-ranks-") as name:
        folder = pathlib.Path(name)
        for rows in map(int, asked.rows.split(",")):
            write_clouds(folder / "rows.npy", rows)
            for ranks in (1, 2):
                words = [asked.program, "nearest", str(folder / "rows.npy"), "--k", str(K), "--threads", "1", "--quiet",
                         "--out", str(folder / "near.npy")]
                ours = min(by_us(ranks, words) for _ in range(asked.repeats))
                jobs = [(torch_nearest, folder / "rows.npy", rows * r // ranks, rows * (r + 1) // ranks) for r in range(ranks)]
                done = min((by_joblib(ranks, jobs) for _ in range(asked.repeats)), key=lambda result: result[1])
                same = numpy.mean(numpy.concatenate(done[0]) == numpy.load(folder / "near.npy"))
                if same < 0.999:  # rounding moves a few
                    sys.exit(f"only {same} of the neighbours are those of PyTorch")
                line(f"the {K} nearest of {rows} rows", ranks, ours, done[1:])
    for ranks in (1, 2):
        words = [asked.program, "evaluate", "digits", "--mode", "paper", "--k", "15", "--epochs", str(EPOCHS), "--runs", str(RUNS),
                 "--threads", "1", "--quiet"]
        ours = min(by_us(ranks, words) for _ in range(asked.repeats))
        theirs = min(by_joblib(ranks, [(torch_run, run) for run in range(RUNS)])[1:] for _ in range(asked.repeats))
        line(f"{RUNS} runs of {EPOCHS} epochs on Digits", ranks, ours, theirs)
    if asked.page:
        import joblib
        import torch
        keep_on_page("processes", lines, asked,
                     {"load": os.getloadavg()[1], "torch": torch.__version__, "joblib": joblib.__version__})


def largest(result, key):
    return max(rank[key] for rank in result["ranks"])


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--rows", default="32768,65536,131072")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--weak", action="store_true")
    parser.add_argument("--peer", action="store_true")
    parser.add_argument("--page", action="store_true")
    parser.add_argument("program", nargs="?", default=str(ROOT / "build" / "glgnn"))
    asked = parser.parse_args()
    if asked.peer:
        return compare_with_peer(asked)
    lines = ["| rows | wall 1, s | wall 2, s | wall 1 / 2 | processor 1, s | processor 2, s | processor 1 / 2 | waited 2, s "
             "| sent, MB | sent / fewest | memory 1, MB | memory 2, MB | memory 2 / 1 |", "|---|---|---|---|---|---|---|---|---|---|---|---|---|"]
    print("\n".join(lines))
    most_wasted = 0  # wall time beside processor time of one process: others that kept its core busy
    with tempfile.TemporaryDirectory(prefix="glgnn-ranks-") as name:
        folder = pathlib.Path(name)
        for rows in map(int, asked.rows.split(",")):
            sizes = (rows, round(rows * math.sqrt(2)) if asked.weak else rows)
            for size in set(sizes):
                write_clouds(folder / f"{size}.npy", size)
            results = ([], [])
            for _ in range(asked.repeats):
                for ranks in (1, 2):
                    out = folder / f"near{ranks}.npy"
                    results[ranks - 1].append(measure(asked.program, folder / f"{sizes[ranks - 1]}.npy", ranks, out))
            if not asked.weak and (folder / "near1.npy").read_bytes() != (folder / "near2.npy").read_bytes():
                sys.exit("two ranks found other neighbours than one")
            wall = [min(result["seconds"] for result in part) for part in results]
            processor = [min(largest(result, "processor_seconds") for result in part) for part in results]
            memory = [min(largest(result, "peak_memory_mb") for result in part) for part in results]
            sent = sum(rank["bytes_of_rows"] + rank["bytes_of_found"] for rank in results[1][0]["ranks"])
            waited = min(largest(result, "seconds_waited") for result in results[1])
            most_wasted = max(most_wasted, wall[0] / processor[0])
            lines.append(f"| {' / '.join(map(str, sorted(set(sizes))))} | {wall[0]:.2f} | {wall[1]:.2f} | {wall[0] / wall[1]:.2f} "
                         f"| {processor[0]:.2f} | {processor[1]:.2f} | {processor[0] / processor[1]:.2f} | {waited:.2f} "
                         f"| {sent / 1e6:.1f} | {sent / fewest_bytes(folder / 'near2.npy', sizes[1]):.3f} "
                         f"| {memory[0]:.0f} | {memory[1]:.0f} | {memory[1] / memory[0]:.2f} |")
            print(lines[-1], flush=True)
    if asked.page and not asked.weak:
        quiet = most_wasted < 1.02
        keep_on_page("ranks", lines, asked, {"others": "nothing else ran" if quiet else "others kept the machine busy"})


if __name__ == "__main__":
    main()
