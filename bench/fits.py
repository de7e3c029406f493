#!/usr/bin/env python3
"""How long best mode takes on whole tables with few labels: processor time, wall time, memory, accuracy on the other rows.

    bench/fits.py [--tables NAME,..] [--threads N] [PROGRAM]    prints, and keeps in docs/benchmarks_fits.json, which
                                                                 make_page.py shows; one entry for each commit, the oldest first

The tables are made here from fixed seeds. Needs NumPy.
"""

import argparse
import csv
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import numpy

ROOT = pathlib.Path(__file__).resolve().parent.parent
KEPT = ROOT / "docs" / "benchmarks_fits.json"


def clouds(rows, draw):
    """Three classes of two clouds each in 8 columns, 4 mixtures of these, and 8 columns of noise."""
    centres = draw.normal(size=(6, 8)) * 1.5
    cloud = draw.integers(6, size=rows)
    told = centres[cloud] + draw.normal(size=(rows, 8)) @ (numpy.eye(8) + 0.3 * draw.normal(size=(8, 8)))
    return numpy.hstack([told, told @ draw.normal(size=(8, 4)), draw.normal(size=(rows, 8))]), cloud % 3


def pictures(rows, draw):
    """28 x 28 pixels between 0 and 1: ten classes, each a drawing of five strokes that moves, bends and is noisy."""
    grid = numpy.stack(numpy.meshgrid(numpy.arange(28), numpy.arange(28), indexing="ij"), -1).reshape(-1, 1, 2)
    strokes = draw.uniform(7, 21, size=(10, 5, 2))
    label = draw.integers(10, size=rows)
    out = numpy.empty((rows, 784), numpy.float32)
    for first in range(0, rows, 1000):
        part = label[first:first + 1000]
        places = strokes[part] + draw.normal(size=(len(part), 5, 2)) * 1.2 + draw.normal(size=(len(part), 1, 2)) * 1.2
        for i, place in enumerate(places):
            square = ((grid - place) ** 2).sum(-1)
            out[first + i] = numpy.exp(-square / 8).max(1)
    out += draw.normal(size=out.shape).astype(numpy.float32) * 0.1 * (out > 0.05)
    return numpy.clip(out, 0, 1), label


def many_clouds(rows, draw):
    """Ten classes of three clouds each in 16 columns, 16 mixtures of these, and 32 columns of noise."""
    centres = draw.normal(size=(30, 16)).astype(numpy.float32) * 1.2
    cloud = draw.integers(30, size=rows)
    told = centres[cloud] + draw.normal(size=(rows, 16)).astype(numpy.float32)
    mixed = told @ (draw.normal(size=(16, 16)).astype(numpy.float32) / 4)
    return numpy.hstack([told, mixed, draw.normal(size=(rows, 32)).astype(numpy.float32)]), cloud % 10


def handwritten(folder):
    """The pictures of handwritten digits in a folder with features_u8.npz and labels.npy."""
    return lambda rows, draw: (numpy.load(folder / "features_u8.npz")["X"].astype(numpy.float32) / 255,
                               numpy.load(folder / "labels.npy").astype(numpy.int64))


# The last one is for GPUs (bench/cuda/run.py).
TABLES = {"5000 x 20": (clouds, 5000, 100), "10000 x 20": (clouds, 10000, 100), "70000 x 784": (pictures, 70000, 100),
          "1000000 x 64": (many_clouds, 1_000_000, 1000)}


def write_table(folder, make, rows, labels):
    """The table's file, the arguments that name its labels, and the truth."""
    draw = numpy.random.default_rng(1)
    x, y = make(rows, draw)
    told = numpy.zeros(rows, bool)
    told[draw.permutation(rows)[:labels]] = True
    if x.shape[1] > 50:
        numpy.save(folder / "x.npy", x)
        numpy.save(folder / "y.npy", numpy.where(told, y, -1).astype(numpy.int64))
        return folder / "x.npy", ["--label", str(folder / "y.npy")], y, told
    with open(folder / "x.csv", "w") as file:
        file.write(",".join(f"x{f}" for f in range(x.shape[1])) + ",class\n")
        for row, label, is_told in zip(x, y, told):
            file.write(",".join(f"{value:.5g}" for value in row) + "," + (str(label) if is_told else "") + "\n")
    return folder / "x.csv", ["--label", "class"], y, told


def measure(program, written, threads, device="auto", seed=0):
    """One training of what write_table has written."""
    table, label, y, told = written
    folder = table.parent
    (folder / "model.glgnn").unlink(missing_ok=True)  # to take an old file off the disk is no part of a training
    begin = time.monotonic()
    command = [program, "fit", str(table), *label, "--threads", str(threads), "--device", device, "--seed", str(seed), "--quiet", "--no-report",
               "--out", str(folder / "model.glgnn"), "--restart"]
    child = subprocess.Popen(command, cwd=folder)
    _, status, usage = os.wait4(child.pid, 0)
    wall = time.monotonic() - begin
    if status != 0:
        sys.exit(f"fits: {' '.join(command)} ended with status {status}")
    predictions = folder / "predictions.csv"
    subprocess.run([program, "predict", str(folder / "model.glgnn"), "--quiet", "--out", str(predictions)], check=True)
    bits = hashlib.sha256(predictions.read_bytes()).hexdigest()[:16]
    with open(predictions) as file:
        place = next(csv.reader(file)).index("predicted")
        classes = numpy.array([int(row[place]) for row in csv.reader(file)])
    with open(folder / "model.jsonl") as log:
        end = next(line for line in map(json.loads, log) if line["event"] == "end")
    return {"processor_seconds": usage.ru_utime + usage.ru_stime, "wall_seconds": wall, "training_seconds": end["seconds"], "peak_mb": end["peak_memory_mb"],
            "accuracy": float((classes[~told] == y[~told]).mean()), "threads": threads,
            "predictions": bits}


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--tables", default=",".join(list(TABLES)[:3]), help="which, by comma")
    arguments.add_argument("--threads", type=int, default=2)
    arguments.add_argument("program", nargs="?", default=str(ROOT / "build" / "glgnn"))
    given = arguments.parse_args()
    version = subprocess.run([given.program, "--version"], check=True, stdout=subprocess.PIPE, text=True).stdout
    commit = re.search(r"\((\w+)", version).group(1)
    kept = json.loads(KEPT.read_text()) if KEPT.exists() else []
    entry = next((e for e in kept if e["commit"] == commit), None)
    if entry is None:
        machine = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text()).group(1)
        entry = {"commit": commit, "machine": machine, "tables": {}}
        kept.append(entry)
    for name in given.tables.split(","):
        with tempfile.TemporaryDirectory() as folder:
            written = write_table(pathlib.Path(folder), *TABLES[name])
            entry["tables"][name] = found = measure(given.program, written, given.threads)
        print(f"{name}: {found['processor_seconds']:.1f} s of processor time, {found['wall_seconds']:.1f} s, "
              f"{found['peak_mb']:.0f} MB, {100 * found['accuracy']:.1f} % of the other rows")
        KEPT.write_text(json.dumps(kept, indent=1) + "\n")


if __name__ == "__main__":
    main()
