"""Test accuracy on tables that are neither shipped nor in any paper about this method, beside common classifiers.

The tables come from scikit-learn, are drawn here, or are real ones of the R package mlbench (Debian: r-cran-mlbench), which has them from
the UCI repository. For each, 10 or 50 rows of every class are labelled (three draws); ours is
GLGNNClassifier() as it is, which also sees the other rows without their labels; the others learn from the labelled rows, with
settings chosen by cross-validation among them. Accuracy on the rows without a label. One JSON object on the standard output.

    PYTHONPATH=build/python /usr/bin/python3 bench/peers/other_tables.py [--real] [--others-from FILE] [NAME...]
    PYTHONPATH=build/python /usr/bin/python3 bench/peers/other_tables.py --graphs >> docs/results/noise.jsonl

--graphs draws tables that come with a graph, right and wrong ones: ours with the graph beside ours without class mixing and ours without
the graph, labels spread over the graph alone, and logistic regression of the columns alone. --real takes only the real tables (`tools/install-deps tables` installs them), a call without it all but those. --others-from takes what the
others reached from an earlier answer, where it has the table: they do not change with our code.
"""
import argparse
import csv
import io
import json
import os
import shutil
import subprocess
import sys
import time
import warnings

import numpy as np
import sklearn
from scipy.sparse import coo_matrix
from sklearn import datasets
from sklearn.preprocessing import StandardScaler
from sklearn.semi_supervised import LabelSpreading

from glgnn import GLGNNClassifier
from mixed_tables import draw_rows
from rivals import made_by, others

LABELS_PER_CLASS = (10, 50)
DRAWS = 3
MOST_LABELLED = 0.6  # of all rows


def terciles(values):
    return np.digitize(values, np.quantile(values, [1 / 3, 2 / 3]))


def tree_like():
    x = np.random.default_rng(5).uniform(-1, 1, (1500, 6))
    return x, 2 * (x[:, 0] > 0) + (x[:, 1] * x[:, 2] > 0)


def lognormal():
    random = np.random.default_rng(6)
    logs = 1.5 * random.normal(size=(1200, 15))
    return np.exp(logs), logs[:, :4].sum(axis=1) + 0.5 * random.normal(size=1200) > 0


def binary():
    random = np.random.default_rng(9)
    x = (random.random((1200, 60)) < 0.3).astype(float)
    score = x @ random.normal(size=60)
    return x, score > np.median(score)


def spirals():
    random = np.random.default_rng(11)
    arm, turn = random.integers(0, 3, 900), random.uniform(0.3, 1, 900)
    angle = 2 * np.pi * (arm / 3 + 1.2 * turn)
    flat = turn[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1) + 0.03 * random.normal(size=(900, 2))
    return np.hstack([flat, 0.05 * random.normal(size=(900, 4))]), arm


def friedman():
    x, y = datasets.make_friedman1(1200, n_features=12, noise=1, random_state=12)
    return x, terciles(y)


def roll():
    x, place = datasets.make_swiss_roll(1200, noise=0.5, random_state=13)
    return x, terciles(place)


def chequers():
    x = np.random.default_rng(22).uniform(0, 3, (1000, 2))
    return x, x.astype(int).sum(axis=1) % 2


def heavy_tails():
    random = np.random.default_rng(23)
    y = random.integers(0, 4, 1000)
    return 1.5 * random.normal(size=(4, 12))[y] + random.standard_t(2, (1000, 12)), y


def counts():
    random = np.random.default_rng(24)
    y = random.integers(0, 4, 1000)
    return random.poisson(random.gamma(2, 1, (4, 25))[y] * random.gamma(3, 1 / 3, (1000, 1))), y


def odd_or_even():
    x = np.random.default_rng(25).integers(0, 2, (1000, 8))
    return x.astype(float), x[:, :3].sum(axis=1) % 2


def rings():
    x, y = datasets.make_circles(1000, noise=0.08, factor=0.6, random_state=26)
    return np.hstack([x, 0.4 * np.random.default_rng(27).normal(size=(1000, 5))]), y


# What was looked at while the rules were settled, and what only afterwards.
SEEN = {
    "iris": lambda: datasets.load_iris(return_X_y=True),
    "diabetes, median": lambda: (lambda x, y: (x, y > np.median(y)))(*datasets.load_diabetes(return_X_y=True)),
    "diabetes, terciles": lambda: (lambda x, y: (x, terciles(y)))(*datasets.load_diabetes(return_X_y=True)),
    "moons": lambda: datasets.make_moons(800, noise=0.2, random_state=1),
    "circles": lambda: datasets.make_circles(800, noise=0.1, factor=0.5, random_state=1),
    "clusters, 20 columns": lambda: datasets.make_classification(1000, 20, n_informative=5, n_redundant=2, n_classes=3, random_state=2),
    "ten squares": lambda: (lambda x, y: (x, y > 0))(*datasets.make_hastie_10_2(1500, random_state=4)),
    "tree-like": tree_like,
    "lognormal": lognormal,
    "yes and no": binary,
    "shells": lambda: datasets.make_gaussian_quantiles(n_samples=1000, n_features=5, n_classes=3, random_state=10),
    "spirals and noise": spirals,
    "friedman": friedman,
    "swiss roll": roll,
    "clusters, 40 columns": lambda: datasets.make_classification(
        1200, 40, n_informative=8, n_redundant=8, n_classes=5, n_clusters_per_class=1, class_sep=0.8, random_state=14),
    "overlapping blobs": lambda: datasets.make_blobs(1000, 8, centers=5, cluster_std=5, random_state=15),
}
UNSEEN = {
    "friedman 2": lambda: (lambda x, y: (x, terciles(y)))(*datasets.make_friedman2(1000, noise=50, random_state=20)),
    "friedman 3": lambda: (lambda x, y: (x, terciles(y)))(*datasets.make_friedman3(1000, noise=0.1, random_state=21)),
    "chequers": chequers,
    "heavy tails": heavy_tails,
    "counts": counts,
    "odd or even": odd_or_even,
    "rings and noise": rings,
}


# Ordered columns become numbers, other factors one column for each value; what is missing becomes the column's middle.
EXPORT = """
library(mlbench)
data(list = "{table}", package = "mlbench")
table <- get("{table}")
y <- as.integer(factor(table[["{label}"]]))
x <- table[, !(names(table) %in% c("{label}", "Id")), drop = FALSE]
x <- x[, sapply(x, function(column) length(unique(column)) > 1), drop = FALSE]
for (name in names(x)) {{
  column <- x[[name]]
  if (is.ordered(column)) column <- as.integer(column)
  if (is.factor(column)) {{
    column <- addNA(column, ifany = TRUE)
  }} else {{
    column[is.na(column)] <- median(column, na.rm = TRUE)
  }}
  x[[name]] <- column
}}
matrix <- do.call(cbind, lapply(x, function(column) if (is.factor(column)) sapply(levels(column), function(v) as.integer(column %in% v)) else as.numeric(column)))
write.table(cbind(matrix, y), sep = ",", row.names = FALSE, col.names = FALSE)
"""


def mlbench(table, label):
    """The features and classes of a table of mlbench."""
    if not shutil.which("Rscript"):
        raise SystemExit("other_tables: Rscript is not here, which reads the real tables; install it by tools/install-deps tables")
    run = subprocess.run(["Rscript", "-e", EXPORT.format(table=table, label=label)], capture_output=True, text=True)
    if run.returncode != 0:
        raise SystemExit(f"other_tables: R does not give the table {table}: {run.stderr.strip()} (tools/install-deps tables installs mlbench)")
    numbers = np.array([[float(cell) for cell in row] for row in csv.reader(io.StringIO(run.stdout))])
    return numbers[:, :-1], numbers[:, -1]


REAL = {
    table: (lambda table=table, label=label: mlbench(table, label))
    for table, label in {
        "Zoo": "type", "Sonar": "Class", "Glass": "Type", "Ionosphere": "Class", "HouseVotes84": "Class", "Soybean": "Class",
        "BreastCancer": "Class", "PimaIndiansDiabetes": "diabetes", "Vehicle": "Class", "Vowel": "Class", "DNA": "Class",
        "Satellite": "classes",
    }.items()
}


def with_graph(seed, skill, within, between, rows=600, classes=3, known=1.0, hubs=False):
    """Columns that tell the classes apart by `skill`, and a graph of about `within` edges a row inside its class and `between` to other rows.
    It knows the part `known` of the rows; with hubs some rows have most of the edges."""
    random = np.random.default_rng(seed)
    y = random.integers(0, classes, rows)
    x = random.normal(size=(rows, 8)) + skill * random.normal(size=(classes, 8))[y]
    pull = random.pareto(1.5, rows) + 0.3 if hubs else np.ones(rows)
    same = y[:, None] == y
    chance = np.where(same, within / same.sum(1, keepdims=True), between / (~same).sum(1, keepdims=True)) * np.outer(pull, pull) / pull.mean() ** 2
    is_known = random.random(rows) < known
    return x, y, np.argwhere(np.triu(random.random((rows, rows)) < chance, 1) & np.outer(is_known, is_known))


def near_graph(seed, skill, hidden_skill, links, rows=600, classes=3):
    """As with_graph, but edges join each row to the nearest ones by other columns, which nobody is shown."""
    random = np.random.default_rng(seed)
    y = random.integers(0, classes, rows)
    x, hidden = (random.normal(size=(rows, 8)) + strength * random.normal(size=(classes, 8))[y] for strength in (skill, hidden_skill))
    nearest = np.argsort(((hidden[:, None] - hidden) ** 2).sum(2), axis=1)[:, 1:links + 1]
    return x, y, np.column_stack([np.repeat(np.arange(rows), links), nearest.ravel()])


def ring_graph(seed, skill, kept, inside=0.0, rows=700, classes=4, links=3):
    """As with_graph, but of the links of a row the part `kept` goes to the next class (in the part `inside` of the rows: to its own), the others anywhere."""
    random = np.random.default_rng(seed)
    y = random.integers(0, classes, rows)
    x = random.normal(size=(rows, 8)) + skill * random.normal(size=(classes, 8))[y]
    towards = (y + (random.random(rows) >= inside)) % classes
    edges = [(i, random.choice(np.flatnonzero(y == towards[i])) if random.random() < kept else random.integers(rows)) for i in range(rows) for _ in range(links)]
    return x, y, np.array([(i, j) for i, j in edges if i != j])


# name: seen while the rules were settled, and how it is drawn.
GRAPHS = {
    "noise and a good graph": (True, lambda: with_graph(0, 0, 4, 0.8)),
    "weak columns, good graph": (True, lambda: with_graph(1, 0.5, 4, 0.8)),
    "good columns, graph of chance": (True, lambda: with_graph(2, 1, 2, 4)),
    "few edges": (True, lambda: with_graph(3, 0.7, 0.16, 0.04)),
    "edges between classes": (True, lambda: with_graph(4, 0.5, 0.2, 4)),
    "noise and hubs": (True, lambda: with_graph(11, 0, 4, 1.2, hubs=True)),
    "a third of the rows known": (True, lambda: with_graph(12, 0.6, 12, 3, known=1 / 3)),
    "five classes, half of the edges wrong": (True, lambda: with_graph(13, 0.5, 3, 3, rows=800, classes=5)),
    "good columns, good graph": (True, lambda: with_graph(14, 0.8, 4, 1)),
    "dense graph, mostly wrong": (True, lambda: with_graph(15, 0.5, 12, 16)),
    "two classes, thin graph": (True, lambda: with_graph(16, 0.4, 1.5, 0.3, rows=1000, classes=2)),
    "good columns, hubs of chance": (True, lambda: with_graph(17, 0.8, 2, 4, hubs=True)),
    "four classes, weak columns, hubs": (True, lambda: with_graph(21, 0.4, 4, 1.5, rows=900, classes=4, hubs=True)),
    "half of the rows known": (True, lambda: with_graph(22, 0.5, 8, 1.5, known=0.5)),
    "two classes, some edges wrong": (True, lambda: with_graph(23, 0.4, 4, 2, rows=700, classes=2)),
    "good columns, few true edges": (True, lambda: with_graph(24, 0.9, 0.3, 0.05)),
    "noise, six classes": (True, lambda: with_graph(25, 0, 6, 1.5, rows=900, classes=6)),
    "graph of chance, two classes": (True, lambda: with_graph(26, 0.6, 3, 3, classes=2)),
    "near in hidden columns": (False, lambda: near_graph(31, 0.5, 0.8, 6)),
    "near in hidden columns, hardly apart": (False, lambda: near_graph(32, 0.6, 0.35, 6, classes=4)),
    "near in hidden columns of chance": (False, lambda: near_graph(33, 0.7, 0, 6)),
    "each class joins the next": (False, lambda: ring_graph(34, 0.5, 0.85)),
    "each class joins the next, noise": (False, lambda: ring_graph(35, 0, 0.9)),
    "half of the rows join like, half unlike ones": (False, lambda: ring_graph(36, 0.6, 0.85, inside=0.5)),
}


def spread_over(edges, y, labelled):
    """Labels that spread over a graph alone (Zhou and others, 2003)."""
    rows, classes = len(y), np.unique(y)
    ends = np.concatenate([edges, edges[:, ::-1]])
    graph = coo_matrix((np.ones(len(ends)), ends.T), shape=(rows, rows)).tocsr()
    root = 1 / np.sqrt(np.maximum(1, np.asarray(graph.sum(axis=1)).ravel()))
    start = np.zeros((rows, len(classes)))
    start[labelled, np.searchsorted(classes, y[labelled])] = 1
    p = start
    for _ in range(60):
        p = 0.9 * (root[:, None] * (graph @ (root[:, None] * p))) + 0.1 * start
    return classes[p.argmax(axis=1)]


def measure_graph(name, seen, x, y, edges, count):
    line = {"name": name, "seen": seen, "rows": len(y), "columns": x.shape[1], "per_class": count, "accuracy": {}, "edges": len(edges),
            "within": float(np.mean(y[edges[:, 0]] == y[edges[:, 1]]))}
    for draw in range(DRAWS):
        labelled, test = draw_rows(y, count, draw)
        shown = shown_labels(y, labelled)
        logistic = others()["logistic regression"].fit(x[labelled], y[labelled])
        without_mixing = GLGNNClassifier(random_state=draw, settings={"class_mixing": False})
        for method, said in {"ours": GLGNNClassifier(random_state=draw).fit(x, shown, graph=edges).transduction_,
                             "ours without class mixing": without_mixing.fit(x, shown, graph=edges).transduction_,
                             "ours without the graph": GLGNNClassifier(random_state=draw).fit(x, shown).transduction_,
                             "labels spread over the graph": spread_over(edges, y, labelled), "logistic regression": logistic.predict(x)}.items():
            line["accuracy"].setdefault(method, []).append(float(np.mean(said[test] == y[test])))
    return line


def shown_labels(y, labelled):
    shown = np.full(len(y), -1)
    shown[labelled] = y[labelled]
    return shown


def ours(x, y, labelled, test, seed):
    start = time.perf_counter()
    model = GLGNNClassifier(random_state=seed).fit(x, shown_labels(y, labelled))
    return float(np.mean(model.transduction_[test] == y[test])), time.perf_counter() - start


def accuracies_of_others(x, y, labelled, test):
    found = {name: float(np.mean(model.fit(x[labelled], y[labelled]).predict(x[test]) == y[test])) for name, model in others().items()}
    spread = LabelSpreading("knn", n_neighbors=7).fit(StandardScaler().fit_transform(x), shown_labels(y, labelled))
    found["label spreading"] = float(np.mean(spread.transduction_[test] == y[test]))
    return found


def measure(name, seen, x, y, count, known):
    """One line: both accuracies of every draw. `known`: the line of an earlier answer, or None."""
    line = {"name": name, "seen": seen, "rows": len(y), "columns": x.shape[1], "per_class": count, "accuracy": {"ours": []}, "seconds": []}
    if known:
        line["accuracy"] |= {method: parts for method, parts in known["accuracy"].items() if method != "ours"}
    for draw in range(DRAWS):
        labelled, test = draw_rows(y, count, draw)
        part, seconds = ours(x, y, labelled, test, draw)
        line["accuracy"]["ours"].append(part)
        line["seconds"].append(seconds)
        if not known:
            for method, reached in accuracies_of_others(x, y, labelled, test).items():
                line["accuracy"].setdefault(method, []).append(reached)
    return line


def main():
    warnings.filterwarnings("ignore")
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*")
    parser.add_argument("--real", action="store_true")
    parser.add_argument("--graphs", action="store_true")
    parser.add_argument("--others-from")
    options = parser.parse_args()
    earlier = {}
    if options.others_from:
        with open(options.others_from) as file:
            earlier = {(line["name"], line["per_class"]): line for line in json.load(file)["tables"]}
    study = "graph_tables" if options.graphs else "real_tables" if options.real else "other_tables"
    answer = {"name": study, **made_by(), "threads": os.cpu_count(), "sklearn": sklearn.__version__, "draws": DRAWS, "tables": []}
    kinds = ((False, REAL),) if options.real else ((True, SEEN), (False, UNSEEN))
    tables = GRAPHS if options.graphs else {name: (seen, make) for seen, tables in kinds for name, make in tables.items()}
    for name, (seen, make) in tables.items():
        if not options.names or name in options.names:
            x, y, *edges = make()
            y = np.asarray(y, dtype=int)
            for count in LABELS_PER_CLASS:
                if count * len(np.unique(y)) > MOST_LABELLED * len(y):
                    continue
                line = measure_graph(name, seen, x, y, edges[0], count) if edges else measure(name, seen, x, y, count, earlier.get((name, count)))
                answer["tables"].append(line)
                means = ", ".join(f"{method} {100 * np.mean(parts):.1f}" for method, parts in line["accuracy"].items())
                print(f"{name}, {count} of a class: {means}", file=sys.stderr, flush=True)
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
