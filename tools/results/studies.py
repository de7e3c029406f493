"""What is measured for docs/results.md: the studies, their commands, and where their answers are kept."""

import fcntl
import json
import os
import pathlib
import random
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
STORE = ROOT / "docs" / "results"

# Test accuracies in per cent: as the paper prints them, the highest anyone published, and the highest
# that someone else re-ran (sources in the page's last section).
PUBLISHED = {
    ("wine", "unknown"): ("98.3", "98.3", "96.7"),
    ("cancer", "unknown"): ("96.8", "97.2", "96.0"),
    ("digits", "unknown"): ("93.7", "94.4", "91.8"),
    ("citeseer", "unknown"): ("73.5", "73.5", "72.6"),
    ("cora", "unknown"): ("74.0", "75.0", "73.7"),
    ("20news", "unknown"): ("51.1", "51.1", "44.0"),
    ("fma46", "unknown"): ("not comparable", "not comparable", "none"),
    ("cora", "known"): ("85.5", "86.3", "83.9"),
    ("citeseer", "known"): ("76.3", "76.3", "73.6"),
}

# What the default readings of paper mode should reach at least.
WANTED_OF_PAPER_MODE = {("wine", "unknown"): 96, ("cancer", "unknown"): 92, ("digits", "unknown"): 92, ("citeseer", "unknown"): 71, ("cora", "unknown"): 70,
                        ("20news", "unknown"): 47, ("cora", "known"): 83, ("citeseer", "known"): 73}

# What the paper leaves open and accuracy depends on most; the preparation of the rows where they are text.
CHOOSE_READING = ["--choose", "temperature=0.1,0.2"]
CHOOSE_TEXT = ["--choose", "scaling=row_unit,tfidf", "--choose", "weight_decay=5e-05,0.0005,0.005"]
CHOOSE_KNOWN = ["--choose", "temperature=0.2,0.4"]  # where a graph is given
# Paper mode on a GPU: hours on a processor.
ON_GPU = ["--device", "cuda"]
LARGE = ("20news", "fma46")

READINGS = [
    [],
    ["--scaling", "none"],
    ["--scaling", "row_sum"],
    ["--select_start", "uniform"],
    ["--select_non_negative", "true"],
    ["--label_weight", "0"],
    ["--label_hide", "0"],
    ["--eval_labels", "train"],
    ["--similarity", "cosine"],
    ["--temperature", "0.2"],
    ["--temperature", "1"],
    ["--diagonal", "true"],
    ["--hops", "1"],
    ["--hops", "3"],
    ["--hop_form", "powers"],
    ["--second_start", "0.3"],
    ["--far_start", "1"],
    ["--far_start", "0.01"],
    ["--last_graph", "first"],
    ["--sample_neighbours", "true"],
    ["--rescale", "sum_one"],
    ["--rescale", "largest_one"],
    ["--rescale", "none"],
    ["--softmax_over", "kept", "--rescale", "none"],
    ["--symmetrise", "max"],
    ["--symmetrise", "none"],
    ["--bias", "true"],
    ["--aggregation", "trained"],
    ["--aggregation", "previous"],
    ["--aggregation", "constant"],
    ["--attention", "shared"],
    ["--network_weight", "scalar"],
    ["--alpha_mean", "false"],
    ["--mu1", "0.1"],
    ["--mu1", "1"],
    ["--decay_on", "all"],
]
READING_SETS = {
    "wine": ["--runs", "10", "--epochs", "150"],
    "cancer": ["--runs", "3", "--epochs", "60"],
    "citeseer": ["--graph", "known", "--runs", "1"],
}


# The seed of splits that no choice of a default has seen.
FRESH_SEED = "20261115"

# Parts of best mode, each one at a time.
PARTS = ["spread_heads", "prototype_heads", "gnn_heads", "votes", "propagation", "second_round", "label_links",
         "feature_weights", "teacher", "consistency", "class_mass", "network_round", "averaging"]
ABLATION_SETS = {("wine", "unknown"): "10", ("cancer", "unknown"): "10", ("digits", "unknown"): "10",
                 ("cora", "unknown"): "3", ("citeseer", "known"): "3", ("fma46", "unknown"): "10"}
# Landmarks need six labels of a class: of these sets only FMA-46 has them, and is measured without them alone.
LANDMARKS = "landmark_heads"
MIXING = "class_mixing"  # of a given graph alone


def parts_of(dataset, graph):
    if dataset == "fma46":
        return [LANDMARKS]
    return [*PARTS, MIXING] if graph == "known" else PARTS


# Small tables over many splits that nothing else has seen, whole and without a part.
MANY_SEED, MANY_RUNS = "20261116", "100"
MANY_SETS = ["wine", "cancer"]
MANY_PARTS = ["spread_heads", "second_round", "class_mass", "averaging"]


# The paper's table 2: the part of all pairs of rows that it seems to have added as edges (inferred from its counts),
# its accuracy with them, and how many of how many it says are left; and how often we measure it in each mode.
NOISE = {
    ("wine", "unknown"): ("0.2", "97.5", "3560 of 6390", {"paper": "3", "best": "3"}),
    ("cancer", "unknown"): ("0.1", "96.3", "5060 of 32475", {"paper": "3", "best": "3"}),
    ("digits", "unknown"): ("0.2", "92.4", "3399 of 645397", {"paper": "3"}),
    ("cora", "known"): ("0.001", "84.5", "24 of 7291", {"paper": "3", "best": "3", "believing": "3"}),
    ("citeseer", "known"): ("0.001", "74.4", "31 of 11031", {"paper": "2", "best": "3", "believing": "3"}),
}

# How each of them is asked for; `believing` is best mode that takes every edge for true.
NOISE_MODES = {"paper": ["--mode", "paper"], "best": ["--mode", "best"],
               "believing": ["--mode", "best", "--edge_trust", "false"]}


# The paper's tables of rivals, with its figures in per cent, are in the program: {table: (datasets, {method: (name, figures)})}.
def paper_tables():
    text = (ROOT / "cli" / "paper_tables.cpp").read_text()
    tables = {}
    for number, body in re.findall(r"const PaperTable kTable(\d)(.*?)}};", text, re.S):
        datasets = re.findall(r'"([a-z0-9]+)"', re.search(r"\{((?:\"[a-z0-9]+\",? ?){2,})\}", body)[1])
        rows = re.findall(r'\{"([^"]+)", "([a-z-]+)", \{([-0-9., ]+)\}\}', body)
        found = {method: (name, [float(f) for f in figures.split(",")]) for name, method, figures in rows}
        assert all(len(figures) == len(datasets) for _, figures in found.values())
        tables[f"table{number}"] = (datasets, found)
    return tables


# Methods and sets beyond them, in the same form; the figures are those published elsewhere (-1: none).
BEYOND = {
    "beyond1": (["wine", "cancer", "digits", "citeseer", "cora"], {
        "label-spreading": ("label spreading", [-1, -1, -1, -1, -1]),
        "self-training": ("self-training", [-1, -1, -1, -1, -1]),
        "grcn": ("GRCN", [-1, -1, -1, 67.3, 67.4]),
        "idgl": ("IDGL", [98.1, 95.1, 93.2, 68.2, 70.9]),
        "pro-gnn": ("Pro-GNN", [95.1, 96.5, 93.9, 69.8, 69.2]),
        "slaps": ("SLAPS", [96.5, 96.6, 94.2, 72.6, 73.4]),
        "sublime": ("SUBLIME", [98.2, 97.2, 94.3, 73.1, 73.0]),
    }),
    "beyond3": (["cora", "citeseer"], {
        "label-propagation": ("label propagation", [-1, -1]),
        "label-spreading": ("label spreading", [-1, -1]),
        "gat": ("GAT", [83.0, 72.5]),
        "lds": ("LDS", [84.1, 75.0]),
        "pro-gnn": ("Pro-GNN", [80.3, 68.5]),
        "sublime": ("SUBLIME", [84.2, 73.5]),
    }),
}

OURS = ("paper", "best")
RIVAL_GRAPHS = {"table1": "unknown", "table3": "known", "beyond1": "unknown", "beyond3": "known"}
# Runs of a cell, and settings tried in each by validation: fewer where a training takes seconds.
FULL, MIDDLE, FEW, ONE_RUN = (10, 8), (5, 4), (2, 4), (1, 4)
WIDE_SEARCH = (1, 8)  # where the settings of its paper fail
EFFORTS = {
    MIDDLE: {("cancer", "unknown"): "slaps sublime gat idgl", ("digits", "unknown"): "grcn pro-gnn",
             ("citeseer", "unknown"): "grcn pro-gnn semi-emb", ("cora", "unknown"): "grcn pro-gnn",
             ("20news", "unknown"): "mlp label-propagation semi-emb sparse-gcn dense-gcn knn-gcn",
             ("fma46", "unknown"): "mlp semi-emb sparse-gcn dense-gcn knn-gcn",
             ("cora", "known"): "gmnn graphite planetoid grcn", ("citeseer", "known"): "gmnn graphite planetoid graph-heat"},
    FEW: {("digits", "unknown"): "rbf-gcn gat lds idgl slaps sublime", ("cora", "unknown"): "forest gat lds sublime",
          ("citeseer", "unknown"): "forest gat lds sublime", ("20news", "unknown"): "forest",
          ("cora", "known"): "graph-heat glcn gat lds pro-gnn sublime idgl",
          ("citeseer", "known"): "grcn glcn gat lds pro-gnn sublime"},
    ONE_RUN: {("cora", "unknown"): "slaps idgl", ("citeseer", "unknown"): "slaps idgl",
              ("20news", "unknown"): "gat lds", ("fma46", "unknown"): "gat lds",
              ("cora", "known"): "deepwalk", ("citeseer", "known"): "deepwalk idgl"},
    WIDE_SEARCH: {(dataset, "unknown"): "rbf-gcn" for dataset in ("cora", "citeseer", "20news", "fma46")},
}


def effort_of(dataset, graph, method):
    return next((effort for effort, cells in EFFORTS.items() if method in cells.get((dataset, graph), "").split()), FULL)


def rival_tables():
    return paper_tables() | BEYOND


def rival_cells():
    """(name, arguments) of every cell of these tables but our own, which are other studies; short trainings first."""
    cells = []
    for table, (datasets, rows) in rival_tables().items():
        graph = RIVAL_GRAPHS[table]
        for dataset in datasets:
            for method in rows:
                if method in OURS:
                    continue
                runs, budget = effort_of(dataset, graph, method)
                cells.append((-runs * budget, f"rivals-{dataset}-{graph}-{method}",
                              [dataset, "--graph", graph, "--runs", str(runs), "--method", method, "--budget", str(budget)]))
    return [cell[1:] for cell in sorted(cells, key=lambda cell: cell[0])]


# A graph of the columns, beside the plain training: the same runs of each.
COLUMN_SETS = {("wine", "unknown"): "5", ("cancer", "unknown"): "5", ("digits", "unknown"): "3", ("cora", "unknown"): "3"}
# Of best mode, with and without.
COLUMN_SETS_BEST = {("wine", "unknown"): "10", ("cancer", "unknown"): "10", ("digits", "unknown"): "10", ("citeseer", "unknown"): "3",
                    ("cora", "unknown"): "3", ("20news", "unknown"): "2", ("fma46", "unknown"): "2",
                    ("citeseer", "known"): "2", ("cora", "known"): "2"}
# Drawn tables of 300 rows: factors of which each is in ten columns, and how much noise each of those has beside it.
WIDE_TABLES = {"wide-200.csv": (20, 1), "wide-200-noisy.csv": (20, 2), "wide-1000.csv": (100, 1)}
WIDE_BUDGET = ["--label", "class", "--test-fraction", "0.8", "--val-fraction", "0.5", "--runs", "5"]
FEATURE_GRAPH = ["--feature_graph", "true"]


def column_studies_of_best():
    for (dataset, graph), runs in COLUMN_SETS_BEST.items():
        yield f"{dataset}-{graph}", [dataset, "--graph", graph, "--runs", runs]
    for table in WIDE_TABLES:
        yield table, [table, *WIDE_BUDGET]


def draw_wide(path):
    """The class is the largest of three sums of the factors, each with random weights."""
    factors, noise = WIDE_TABLES[path.name]
    rng = random.Random(1)
    weights = [[rng.gauss(0, 1) for _ in range(factors)] for _ in range(3)]
    lines = [",".join(f"x{c}" for c in range(10 * factors)) + ",class"]
    for _ in range(300):
        hidden = [rng.gauss(0, 1) for _ in range(factors)]
        sums = [sum(w * h for w, h in zip(row, hidden)) for row in weights]
        columns = [f"{hidden[c // 10] + rng.gauss(0, noise):.4f}" for c in range(10 * factors)]
        lines.append(",".join([*columns, "abc"[sums.index(max(sums))]]))
    path.write_text("\n".join(lines) + "\n")


# Whole reproductions by `glgnn reproduce`, with its own methods: noise beside rivals, and the paper's figures.
REPRODUCED = {
    "table2-wine": ["table2", "--datasets", "wine", "--runs", "5", "--budget", "1"],
    "table2-cancer": ["table2", "--datasets", "cancer", "--runs", "2", "--budget", "1"],
    "table2-cora": ["table2", "--datasets", "cora", "--runs", "1", "--budget", "1"],
    "table2-digits": ["table2", "--datasets", "digits", "--runs", "2", "--budget", "1"],
    "table2-citeseer": ["table2", "--datasets", "citeseer", "--runs", "1", "--budget", "1"],
    "figures": ["figures", "--runs", "1"],
}

# The part of all rows that training does not see, to be predicted as new ones.
HIDDEN_PART = "0.2"

# Explanations are compared on these: rows drawn, and seeds of the methods that have one.
EXPLAINED = [("wine", "unknown"), ("digits", "unknown"), ("cora", "unknown"), ("cora", "known")]
EXPLAIN_BUDGET = ["--rows", "20", "--seeds", "3"]
MOTIF_SETS = ["ba-shapes", "tree-cycles", "tree-cycles-root"]  # whose answers are known
MOTIF_BUDGET = ["--rows", "40", "--seeds", "5"]


def studies():
    """(name, arguments of `glgnn evaluate`) of everything that is measured."""
    for dataset, graph in PUBLISHED:
        yield f"best-{dataset}-{graph}", [dataset, "--graph", graph]
    for dataset in ("cora", "citeseer"):
        yield f"half-{dataset}-unknown", [dataset, "--more-train", "0.5"]
    for dataset, graph in PUBLISHED:
        yield f"fresh-{dataset}-{graph}", [dataset, "--graph", graph, "--fresh", FRESH_SEED]
    for dataset, graph in PUBLISHED:
        yield f"hidden-{dataset}-{graph}", [dataset, "--graph", graph, "--hide", HIDDEN_PART]
    for (dataset, graph), runs in ABLATION_SETS.items():
        for part in parts_of(dataset, graph):
            yield (f"without-{part}-{dataset}-{graph}",
                   [dataset, "--graph", graph, "--runs", runs, f"--{part}", "false"])
    for dataset in MANY_SETS:
        command = [dataset, "--fresh", MANY_SEED, "--runs", MANY_RUNS]
        yield f"many-{dataset}-unknown", command
        for part in MANY_PARTS:
            yield f"many-{dataset}-without-{part}", [*command, f"--{part}", "false"]
    for dataset, graph in PUBLISHED:
        yield (f"paper-{dataset}-{graph}",
               [dataset, "--graph", graph, "--mode", "paper", *(ON_GPU if dataset in LARGE else [])])
    for dataset, graph in PUBLISHED:
        text = dataset in ("cora", "citeseer")
        yield (f"chosen-{dataset}-{graph}",
               [dataset, "--graph", graph, "--mode", "paper", *(CHOOSE_KNOWN if graph == "known" else CHOOSE_READING),
                *(CHOOSE_TEXT if text else []), *ON_GPU])
    for (dataset, graph), (part, _, _, modes) in NOISE.items():
        for mode, runs in modes.items():
            yield (f"noise-{mode}-{dataset}-{graph}",
                   [dataset, "--graph", graph, *NOISE_MODES[mode], "--noise", part, "--runs", runs])
    yield from rival_cells()
    for (dataset, graph), runs in COLUMN_SETS.items():
        yield f"columns-{dataset}-{graph}", [dataset, "--graph", graph, "--mode", "paper", "--runs", runs, *FEATURE_GRAPH]
    for table in WIDE_TABLES:
        yield f"columns-{table}-plain", [table, "--mode", "paper", *WIDE_BUDGET]
        yield f"columns-{table}", [table, "--mode", "paper", *WIDE_BUDGET, *FEATURE_GRAPH]
    for name, command in column_studies_of_best():
        yield f"columns-best-{name}-plain", command
        yield f"columns-best-{name}", [*command, *FEATURE_GRAPH]
    for dataset, budget in READING_SETS.items():
        for number, reading in enumerate(READINGS):
            yield f"reading-{dataset}-{number:02d}", [dataset, "--mode", "paper", *budget, *reading]


def command_of(arguments):
    return " ".join(["glgnn", "evaluate", *arguments, "--threads", "1", "--json"])


def reproduce_command(name):
    return " ".join(["glgnn", "reproduce", *REPRODUCED[name], "--threads", "1", "--json"])


def is_done(name, command):
    result = load(name)
    return result is not None and result.get("command") == command


def records(study):
    """The answers of a study by name: the lines of docs/results/STUDY.jsonl."""
    path = STORE / f"{study}.jsonl"
    lines = path.read_text().splitlines() if path.exists() else []
    return {record.pop("name"): record for record in map(json.loads, lines)}


# Small studies that stand in the file of another.
IN_FILE_OF = {"table2": "paper", "figures": "paper", "columns": "paper", "mixed_fresh": "mixed_tables", "many_tables": "mixed_tables", "any_table": "mixed_tables", "few_labels": "mixed_tables",
              "graph_tables": "noise", "half": "best", "real_tables": "other_tables", "estimates": "other_tables"}


def study_of(name):
    """best-wine-unknown is a part of best."""
    study = name.split("-")[0]
    return IN_FILE_OF.get(study, study)


def load(name):
    return records(study_of(name)).get(name)


def save(name, result):
    """Puts an answer into the file of its study. Several may do so at once."""
    folder = os.open(STORE, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        all_of_it = records(study_of(name)) | {name: result}
        new = STORE / f"{study_of(name)}.jsonl.new"
        new.write_text("".join(json.dumps({"name": key, **all_of_it[key]}, ensure_ascii=False) + "\n"
                               for key in sorted(all_of_it)))
        new.rename(STORE / f"{study_of(name)}.jsonl")
    finally:
        os.close(folder)
