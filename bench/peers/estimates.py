"""How true the estimated accuracy is: what `fit` says beside the accuracy on the rows whose labels it never saw.

Tables of scikit-learn and tables drawn here, among them columns of pure noise; each with several numbers of labels drawn at random,
as a person's would be. One JSON object on the standard output, a line of docs/results/other_tables.jsonl.

    PYTHONPATH=build/python /usr/bin/python3 bench/peers/estimates.py [LABELS...] >> docs/results/other_tables.jsonl
"""
import itertools
import json
import sys

import numpy as np
from sklearn import datasets

from glgnn import GLGNNClassifier
from rivals import made_by

LABELS = tuple(int(count) for count in sys.argv[1:]) or (40, 80, 160)
# How the estimate is made was settled on the drawings 0 and 1; these have seen no choice.
DRAWINGS = (2, 3, 4)


def informative(seed, rows, columns, useful, classes, apart, flipped):
    return datasets.make_classification(
        rows, columns, n_informative=useful, n_redundant=0, n_classes=classes, n_clusters_per_class=1,
        class_sep=apart, flip_y=flipped, random_state=seed)


def tables():
    """(name, X, y) of each; all have so many rows that the truth is known to about two points."""
    digits = datasets.load_digits()
    part = np.random.default_rng(1).permutation(len(digits.data))[:900]
    yield "digits", digits.data[part], digits.target[part]
    cancer = datasets.load_breast_cancer()
    yield "cancer", cancer.data, cancer.target
    for seed, shape in enumerate([(900, 15, 5, 2, 1.0, 0.05), (900, 20, 6, 3, 0.8, 0.1), (900, 10, 4, 2, 0.5, 0.1),
                                  (900, 30, 8, 4, 1.2, 0.02), (900, 12, 12, 2, 0.7, 0.2)]):
        yield f"clouds {seed + 1}", *informative(seed, *shape)
    yield "moons", *datasets.make_moons(900, noise=0.25, random_state=3)
    yield "circles", *datasets.make_circles(900, noise=0.15, factor=0.6, random_state=3)
    for seed in range(3):
        random = np.random.default_rng(50 + seed)
        yield f"noise {seed + 1}", random.normal(size=(900, 15)), random.integers(0, 2, 900)
    random = np.random.default_rng(9)
    x = random.normal(size=(900, 10))
    yield "product of two", x, (x[:, 0] * x[:, 1] > 0).astype(int)
    x = random.normal(size=(900, 8))
    yield "steps", x, np.digitize(x[:, 0] + 0.5 * x[:, 1] + 0.7 * random.normal(size=900), [-0.8, 0.8])
    x = random.normal(size=(900, 12))
    yield "rare class", x, (random.random(900) < 1 / (1 + np.exp(2 - 1.5 * x[:, 0]))).astype(int)


def draw_labels(y, count, seed):
    """Rows at random; at least two of each class."""
    random = np.random.default_rng(seed)
    while True:
        rows = random.permutation(len(y))[:count]
        if min(np.bincount(y[rows], minlength=y.max() + 1)) >= 2:
            return rows


def main():
    lines = []
    for number, (name, x, y) in enumerate(tables()):
        for drawing, count in itertools.product(DRAWINGS, LABELS):
            rows = draw_labels(y, count, 100_000 * drawing + 100 * number + count)
            shown = np.full(len(y), -1)
            shown[rows] = y[rows]
            model = GLGNNClassifier(random_state=0).fit(x, shown)
            estimate, rest = model.estimate_, shown < 0
            lines.append({
                "table": name, "rows": len(y), "columns": x.shape[1], "labels": count,
                "truth": float((model.transduction_[rest] == y[rest]).mean()),
                "estimate": estimate["accuracy"], "low": estimate["low"], "high": estimate["high"],
                "validation": model.history_[-1]["val_accuracy"],
                "majority_share": estimate["majority_share"], "baseline": estimate["baseline_accuracy"]})
            print(f"{name}, {count} labels: {lines[-1]['estimate']:.3f}, truth {lines[-1]['truth']:.3f}", file=sys.stderr)
    print(json.dumps({"name": "estimates", **made_by(), "lines": lines}))


if __name__ == "__main__":
    main()
