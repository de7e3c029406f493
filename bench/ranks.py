#!/usr/bin/env python3
"""How rows over ranks scale: `glgnn nearest` by one and by two processes of one thread each, in turn on the same cores.

    bench/ranks.py [--rows N,..] [--repeats R] [--weak] [PROGRAM]    prints the table of docs/cluster.md

One process has core 0, of two each has its own. The table shows the least of the repeats: wall time, processor time
of the rank that needs the most, the bytes that were sent beside the fewest that could do, memory of the largest rank.
--weak gives two processes as many more rows as make twice the pairs. Needs NumPy and mpirun.
"""

import argparse
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy

ROOT = pathlib.Path(__file__).resolve().parent.parent
COLUMNS, K = 64, 10
MPIRUN = ["mpirun", "--allow-run-as-root", "--bind-to", "core", "-n"]


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


def largest(result, key):
    return max(rank[key] for rank in result["ranks"])


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--rows", default="32768,65536,131072")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--weak", action="store_true")
    parser.add_argument("program", nargs="?", default=str(ROOT / "build" / "glgnn"))
    asked = parser.parse_args()
    print("| rows | wall 1, s | wall 2, s | wall 1 / 2 | processor 1, s | processor 2, s | processor 1 / 2 | waited 2, s "
          "| sent, MB | sent / fewest | memory 1, MB | memory 2, MB | memory 2 / 1 |")
    print("|---|---|---|---|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory(prefix="glgnn-ranks-") as name:
        folder = pathlib.Path(name)
        for rows in map(int, asked.rows.split(",")):
            sizes = (rows, round(rows * math.sqrt(2)) if asked.weak else rows)
            for size in set(sizes):
                draw = numpy.random.default_rng(1)
                centres = draw.normal(size=(30, COLUMNS))
                numpy.save(folder / f"{size}.npy", (centres[draw.integers(30, size=size)] + draw.normal(size=(size, COLUMNS))
                                                    ).astype(numpy.float32))
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
            print(f"| {' / '.join(map(str, sorted(set(sizes))))} | {wall[0]:.2f} | {wall[1]:.2f} | {wall[0] / wall[1]:.2f} "
                  f"| {processor[0]:.2f} | {processor[1]:.2f} | {processor[0] / processor[1]:.2f} | {waited:.2f} "
                  f"| {sent / 1e6:.1f} | {sent / fewest_bytes(folder / 'near2.npy', sizes[1]):.3f} "
                  f"| {memory[0]:.0f} | {memory[1]:.0f} | {memory[1] / memory[0]:.2f} |", flush=True)


if __name__ == "__main__":
    main()
