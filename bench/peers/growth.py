"""What the choice of rows to label is worth: learning curves from 10 to 100 labels by `glgnn suggest`, at random, and by plain uncertainty.

Shipped sets by their names; other tables are those of mixed_tables.py and other_tables.py (`tools/install-deps tables`).

    /usr/bin/python3 bench/peers/growth.py docs/results/growth.jsonl [--program build/glgnn] [--runs 2] [--step 15] [--folds 0] [--rules random,suggest] [NAME...]

Adds a line of JSON for each set or table, rule and run as it is found, with the curve as it is; what the file holds already is not run again.

    /usr/bin/python3 bench/peers/growth.py --from [--program build/glgnn]

prints what `fit --from MODEL` saves: a model of 20 labels of every class, then 30, from nothing and from that model, on the tables alone.
"""
import argparse
import csv
import io
import json
import pathlib
import resource
import subprocess
import sys
import tempfile

import numpy as np

import mixed_tables
from rivals import known_lines, processor

SETS = ("wine", "cancer", "digits", "citeseer", "cora", "20news", "fma46")
TABLES = ("credit", "pbc", "Chile", "census", "BEPS", "gates", "levels decide", "votes", "colon", "labour")


def curves(options, name, rules, seed):
    """What `glgnn evaluate --grow` says of one run, whose test rows and first labels are drawn by the seed."""
    with tempfile.TemporaryDirectory() as folder:
        data = [name]
        if name not in SETS:
            file = pathlib.Path(folder, "table.csv")
            mixed_tables.write_csv(file, *mixed_tables.TABLES[name]())
            data = [file, "--label", "class"]
        run = subprocess.run([options.program, "evaluate", *data, "--grow", "10:100", "--step", str(options.step), "--rule", ",".join(rules), "--runs", "1",
                              "--seed", str(seed), "--folds", str(options.folds), "--test-fraction", "0.3", "--json", "--threads", "1"], capture_output=True, text=True, check=True)
    return json.loads(run.stdout)


def fit(program, folder, table, labels, name, *options):
    """Processor seconds, and the predicted classes."""
    file, model = pathlib.Path(folder, "table.csv"), pathlib.Path(folder, name)
    mixed_tables.write_csv(file, table, labels)
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run([program, "fit", file, "--label", "class", "--out", model, "--threads", "1", "--no-report", "--quiet", *options], check=True)
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    said = subprocess.run([program, "predict", model], capture_output=True, text=True, check=True).stdout
    return seconds, np.array([row["predicted"] for row in csv.DictReader(io.StringIO(said))])


def compare_from(program):
    total = []
    for name in TABLES:
        table, y = mixed_tables.TABLES[name]()
        y = np.array(y, dtype=object)
        few, more = (mixed_tables.draw_rows(y, count, 0)[0] for count in (20, 30))
        test = np.setdiff1d(np.arange(len(y)), more)

        def shown(rows):
            labels = np.full(len(y), mixed_tables.GAP, dtype=object)
            labels[rows] = y[rows]
            return labels

        with tempfile.TemporaryDirectory() as folder:
            fit(program, folder, table, shown(few), "few.glgnn")
            anew, said = fit(program, folder, table, shown(more), "anew.glgnn")
            again, said_again = fit(program, folder, table, shown(more), "again.glgnn", "--from", pathlib.Path(folder, "few.glgnn"))
        right, right_again = (100 * np.mean(p[test] == y[test]) for p in (said, said_again))
        total.append([anew, again, right, right_again, 100 * np.mean(said[test] == said_again[test])])
        print(f"{name}: {anew:.1f} s anew, {again:.1f} s from a model; {right:.1f} % and {right_again:.1f} % right, {total[-1][-1]:.1f} % the same", flush=True)
    mean = np.mean(total, axis=0)
    print(f"all: {mean[0] / mean[1]:.2f} times faster; {mean[2]:.2f} % and {mean[3]:.2f} % right, {mean[4]:.1f} % the same")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out", nargs="?")
    parser.add_argument("--from", dest="compare_from", action="store_true")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--program", default="build/glgnn")
    parser.add_argument("--runs", type=int, default=2)
    parser.add_argument("--step", type=int, default=15)
    parser.add_argument("--folds", type=int, default=0, help="setting folds of best mode: fewer take less time (0: as many as it takes by itself)")
    parser.add_argument("--rules", default="random,suggest,uncertainty")
    options = parser.parse_intermixed_args()
    if options.compare_from:
        compare_from(options.program)
        return
    if not options.out:
        parser.error("OUT: found nothing, expected the file to add to")
    known = {line["name"] for line in known_lines(options.out)}
    for seed in range(options.runs):
        for name in options.names or (*SETS, *TABLES):
            rules = [rule for rule in options.rules.split(",") if f"{name}-{rule}-{seed}" not in known]
            if not rules:
                continue
            found = curves(options, name, rules, seed)
            with open(options.out, "a") as out:
                for rule in rules:
                    line = {"name": f"{name}-{rule}-{seed}", "table": name, "rule": rule, "seed": seed, "step": options.step, "folds": options.folds, "commit": found["commit"], "machine": processor(),
                            "labels": found["labels"], "accuracy": found["accuracy"][rule]}
                    out.write(json.dumps(line) + "\n")
            curve = "; ".join(f"{rule} " + " ".join(f"{100 * value:.1f}" for value in found["accuracy"][rule]) for rule in rules)
            print(f"{name}, run {seed}: {curve}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
