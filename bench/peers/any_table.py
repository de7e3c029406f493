"""Accuracy on whatever table comes: every data frame of R's packages that has classes, and by it nothing was chosen.

Taken are all data frames of the packages installed (`tools/install-deps any-table` names those of the figures in docs/results.md)
with at least 150 rows, 3 to 120 columns, and a column of 2 to 10 classes that have 20 rows each. Chance, fixed by the table's name,
says which such column is predicted and how many rows are labelled: 10 or 30 of every class, 100 in all, or half of them; at most
1000 rows are kept. Nothing else is done to a table. Ours and the others are those of mixed_tables.py.

    /usr/bin/python3 bench/peers/any_table.py RUNS.jsonl [--few] [--program build/glgnn] [--part 0/2]
    /usr/bin/python3 bench/peers/any_table.py RUNS.jsonl [--few] --study >> docs/results/mixed_tables.jsonl

The first adds a line of JSON for each table as it is found; what the file holds already is not run again. --part 0/2 and 1/2 are the
halves of the tables, for two programs at once. The second makes one line of all. --few: far fewer labels, 3 or 5 of every class, or 10,
15, 25 or 40 in all; by the part 0/2 of these the landmarks of few labels were chosen, by other draws.
"""
import argparse
import collections
import csv
import hashlib
import json
import pathlib
import subprocess
import sys
import tempfile
import warnings
import zlib

import numpy as np
import sklearn

import mixed_tables
from rivals import known_lines, made_by

LABELLED = (10, 30, "100 in all", 0.5)
FEW_LABELLED = (3, 5, "10 in all", "15 in all", "25 in all", "40 in all")
MOST_ROWS = 1000
EXPORT = """
for (package in rownames(installed.packages())) {
  items <- tryCatch(data(package = package)$results[, "Item"], error = function(e) NULL)
  for (item in items) tryCatch({
    room <- new.env()
    object <- sub(" .*", "", item)
    suppressWarnings(data(list = sub(".*\\\\((.*)\\\\)", "\\\\1", item), package = package, envir = room))
    d <- get(object, room)
    if (is.data.frame(d) && nrow(d) >= 150 && ncol(d) >= 3 && ncol(d) <= 120 && !any(sapply(d, is.list)))
      write.csv(as.data.frame(d), file.path(folder, paste0(package, " ", object, ".csv")), row.names = FALSE, na = "")
  }, error = function(e) NULL)
}
"""


def exported(folder):
    """The tables by name, each once."""
    subprocess.run(["Rscript", "-e", f"folder <- '{folder}'" + EXPORT], check=True, capture_output=True)
    known = set()
    for file in sorted(pathlib.Path(folder).iterdir()):
        content = hashlib.sha256(file.read_bytes()).digest()
        if content not in known:
            known.add(content)
            yield file.stem, file


def labelled_rows(y, labelled):
    """The rows with a label, of two classes at least, and the others."""
    share = int(labelled.split()[0]) / len(y) if isinstance(labelled, str) else labelled
    for draw in range(100):
        train, test = mixed_tables.draw_rows(y, share, draw)
        if len(set(y[train])) > 1:
            return train, test
    raise ValueError("all rows are of one class")


def task(name, file, options=LABELLED):
    """The table's columns, its labels, the rows that have one, and in words how they were drawn; None where no column has classes."""
    with open(file, newline="", errors="replace") as lines:
        header, *rows = csv.reader(lines)
    random = np.random.default_rng(zlib.crc32(name.encode()))
    possible = []
    for j in range(len(header)):
        counts = collections.Counter(row[j] for row in rows if row[j] != mixed_tables.GAP)
        if 2 <= len(counts) <= 10 and min(counts.values()) >= 20:
            possible.append(j)
    if not possible:
        return None
    predicted = random.choice(possible)
    labelled = options[random.integers(len(options))]
    rows = [rows[i] for i in sorted(random.permutation(len(rows))[:MOST_ROWS]) if rows[i][predicted] != mixed_tables.GAP]
    y = np.array(mixed_tables.levels("k ", [row[predicted] for row in rows]), dtype=object)
    table = {f"{column}, {j}": [row[j] for row in rows] for j, column in enumerate(header) if j != predicted}
    if isinstance(labelled, int):
        enough = min(collections.Counter(y).values()) >= labelled + 5 and labelled * len(set(y)) <= mixed_tables.MOST_LABELLED * len(y)
        labelled = labelled if enough else 0.5
    train, test = labelled_rows(y, labelled)
    how = labelled if isinstance(labelled, str) else "half of all" if labelled == 0.5 else f"{labelled} of a class"
    return {"table": table, "y": y, "train": train, "test": test, "how": how, "label": header[predicted]}


def measure(name, made, options, out):
    table, y, train, test = (made[key] for key in ("table", "y", "train", "test"))
    line = {"table": name, "label": made["label"], "rows": len(y), "columns": len(table), "classes": len(set(y)), "labelled": made["how"],
            "majority": max(collections.Counter(y[test]).values()) / len(test), **options.where}
    try:
        line["accuracy"], line["seconds"] = mixed_tables.ours(options.program, table, y, train, test, 0)
        line["accuracy"] |= mixed_tables.accuracies_of_others(table, y, train, test)[0]
    except subprocess.CalledProcessError as error:
        line["refused"] = error.returncode
    out.write(json.dumps(line) + "\n")
    out.flush()
    said = ", ".join(f"{m} {100 * a:.1f}" for m, a in line["accuracy"].items()) if "accuracy" in line else "refused"
    print(f"{name}, {made['label']}, {made['how']}: {said}", file=sys.stderr, flush=True)


def study(runs, name):
    runs = sorted(runs, key=lambda run: run["table"])
    kept = ("table", "label", "rows", "columns", "classes", "labelled", "majority", "accuracy", "refused")
    return {"name": name, "commit": ", ".join(sorted({run["commit"] for run in runs})), "machine": ", ".join(sorted({run["machine"] for run in runs})),
            "threads": 1, "sklearn": sklearn.__version__, "tables": [{key: run[key] for key in kept if key in run} for run in runs]}


def main():
    warnings.filterwarnings("ignore")
    parser = argparse.ArgumentParser()
    parser.add_argument("out")
    parser.add_argument("--program", default="build/glgnn")
    parser.add_argument("--part", default="0/1")
    parser.add_argument("--study", action="store_true")
    parser.add_argument("--few", action="store_true")
    options = parser.parse_args()
    runs = known_lines(options.out)
    if options.study:
        print(json.dumps(study(runs, "few_labels" if options.few else "any_table")))
        return
    options.where = made_by()
    known = {run["table"] for run in runs}
    part, parts = map(int, options.part.split("/"))
    with tempfile.TemporaryDirectory() as folder, open(options.out, "a") as out:
        tables = {name: made for name, file in exported(folder) if (made := task(name, file, FEW_LABELLED if options.few else LABELLED))}
        order = sorted(tables, key=lambda name: zlib.crc32(name.encode()))
        print(f"{len(tables)} tables", file=sys.stderr)
        for at, name in enumerate(order):
            if at % parts == part and name not in known:
                measure(name, tables[name], options, out)


if __name__ == "__main__":
    main()
