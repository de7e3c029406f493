"""Test accuracy of common classifiers on a table without a graph, with settings chosen as ours are.

For each split every setting is trained on its training rows, the one best on its validation rows (ties: the first)
meets the test rows once. Features are standardised over all rows. For scale, two of them with nine tenths of all labels
(ten folds, settings as scikit-learn has them). One JSON object on the standard output.

    /usr/bin/python3 bench/peers/baselines.py FOLDER

FOLDER holds features.npy, labels.npy and splits.npz (train_0, val_0, ..; the other rows test).
"""
import json
import pathlib
import sys
import warnings

import numpy as np
import sklearn
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.semi_supervised import LabelSpreading
from sklearn.svm import SVC

CANDIDATES = {
    "logistic regression": [LogisticRegression(C=c, max_iter=2000) for c in (0.003, 0.01, 0.03, 0.1, 0.3, 1, 10)],
    "support vectors, RBF": [SVC(C=c, gamma=g) for c in (0.3, 1, 3, 10) for g in ("scale", 0.003, 0.01, 0.03)],
    "nearest neighbours": [KNeighborsClassifier(k, weights="distance") for k in (1, 3, 5, 10, 20, 40)],
    "random forest": [RandomForestClassifier(500, min_samples_leaf=m, random_state=0, n_jobs=-1) for m in (1, 2, 4)],
    "label spreading": [LabelSpreading("knn", n_neighbors=k, alpha=a, max_iter=200)
                        for k in (5, 10, 20, 40) for a in (0.2, 0.8, 0.99)],
}
SEES_ALL_ROWS = ("label spreading",)
WITH_MANY_LABELS = {"logistic regression": LogisticRegression(max_iter=2000), "support vectors, RBF": SVC()}


def predict(name, model, x, y, train):
    if name not in SEES_ALL_ROWS:
        return model.fit(x[train], y[train]).predict(x)
    shown = np.full(len(y), -1)
    shown[train] = y[train]
    return model.fit(x, shown).predict(x)


def main():
    warnings.filterwarnings("ignore")
    folder = pathlib.Path(sys.argv[1])
    x = StandardScaler().fit_transform(np.load(folder / "features.npy").astype(np.float64))
    y, splits = np.load(folder / "labels.npy"), np.load(folder / "splits.npz")
    runs = sum(name.startswith("train_") for name in splits.files)
    answer = {"name": f"baselines-{folder.name}", "dataset": folder.name, "runs": runs, "sklearn": sklearn.__version__, "methods": {}}
    for name, models in CANDIDATES.items():
        accuracies = []
        for run in range(runs):
            train, val = splits[f"train_{run}"], splits[f"val_{run}"]
            test = np.setdiff1d(np.arange(len(y)), np.concatenate([train, val]))
            found = [predict(name, model, x, y, train) for model in models
                     if getattr(model, "n_neighbors", 0) <= len(train) or name in SEES_ALL_ROWS]
            best = max(found, key=lambda p: np.mean(p[val] == y[val]))
            accuracies.append(float(np.mean(best[test] == y[test])))
        answer["methods"][name] = accuracies
        print(f"{name}: {100 * np.mean(accuracies):.2f}", file=sys.stderr, flush=True)
    folds = StratifiedKFold(10, shuffle=True, random_state=0)
    answer["nine_tenths_of_the_labels"] = {name: cross_val_score(model, x, y, cv=folds).tolist()
                                           for name, model in WITH_MANY_LABELS.items()}
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
