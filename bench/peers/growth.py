"""What the choice of rows to label is worth: learning curves from 10 to 100 labels by `glgnn suggest`, at random, and by plain uncertainty.

Shipped sets by their names; other tables are those of mixed_tables.py and other_tables.py (`tools/install-deps tables`).

    /usr/bin/python3 bench/peers/growth.py docs/results/growth.jsonl [--program build/glgnn] [--runs 2] [NAME...]

Adds a line of JSON for each set or table as it is found; what the file holds already is not run again.
"""
import argparse
import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

import mixed_tables
from rivals import processor

SETS = ("wine", "cancer", "digits")
TABLES = ("credit", "pbc", "Chile", "census", "BEPS", "gates", "levels decide", "votes", "colon", "labour")


def write_table(name, file):
    table, y = mixed_tables.TABLES[name]()
    with open(file, "w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow([*table, "class"])
        writer.writerows(zip(*table.values(), y))


def curve(options, name):
    with tempfile.TemporaryDirectory() as folder:
        data = [name]
        if name not in SETS:
            file = pathlib.Path(folder, "table.csv")
            write_table(name, file)
            data = [file, "--label", "class"]
        run = subprocess.run([options.program, "evaluate", *data, "--grow", "10:100", "--runs", str(options.runs), "--test-fraction", "0.3", "--json",
                              "--threads", "1"], capture_output=True, text=True, check=True)
    return json.loads(run.stdout)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--program", default="build/glgnn")
    parser.add_argument("--runs", type=int, default=2)
    options = parser.parse_intermixed_args()
    known = set()
    if os.path.exists(options.out):
        with open(options.out) as file:
            known = {json.loads(line)["name"] for line in file}
    for name in options.names or (*SETS, *TABLES):
        if name in known:
            continue
        found = curve(options, name)
        line = {"name": name, "runs": options.runs, "commit": found["commit"], "machine": processor(), "labels": found["labels"],
                "accuracy": found["accuracy"], "labels_needed": found["labels_needed"]}
        with open(options.out, "a") as out:
            out.write(json.dumps(line) + "\n")
        needed = ", ".join(f"{rule} {np.round(value, 1) if value is not None else 'more'}" for rule, value in line["labels_needed"].items())
        print(f"{name}: labels needed for what random has with 100: {needed}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
