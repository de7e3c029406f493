#!/usr/bin/env python3
"""Many fits and predictions in one process: the memory must stay flat.

    PYTHONPATH=build/python tools/soak.py [ROUNDS]

Each round fits a small table (best mode, paper mode, sparse rows or a table with categories in
turn), predicts new rows, explains one, saves, reads the file back and makes an error on purpose.
Prints the resident memory on the way; exit status 1 if it has grown by more than 5 % since a fifth of
the rounds.
"""

import pathlib
import sys
import tempfile
import time
import warnings

import numpy as np
import pandas as pd
import scipy.sparse as sp

from glgnn import GLGNNClassifier


def resident_mb():
    pages = int(pathlib.Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 2**20


def one_round(number, folder):
    random = np.random.default_rng(number)
    kind = np.arange(60) % 3
    X = random.normal(size=(60, 6)) + kind[:, None]
    y = np.where(random.random(60) < 0.3, -1, kind)
    y[:3] = [0, 1, 2]
    form = number % 4
    settings = {"mode": "paper", "epochs": 10, "k": 8} if form == 1 else {"members": 3}
    if form == 2:
        X = sp.csr_matrix(np.where(X > 0.5, X, 0))
    if form == 3:
        X = pd.DataFrame(X, columns=list("abcdef")).assign(colour=np.array(["red", "blue"])[kind % 2])
    model = GLGNNClassifier(n_jobs=1, random_state=number, **settings).fit(X, y)
    new = X[:20]
    expected = model.predict_proba(new)
    model.explain(4)
    path = folder / "m.glgnn"
    model.save(path)
    back = GLGNNClassifier.load(path)
    np.testing.assert_array_equal(back.predict_proba(new), expected)
    try:
        model.predict_proba(np.zeros((2, 99)))
    except ValueError:
        return
    raise AssertionError("rows of 99 columns were predicted")


def main():
    warnings.simplefilter("ignore")  # of names that the wrong rows do not have
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    start, first = time.monotonic(), None
    with tempfile.TemporaryDirectory() as folder:
        for number in range(rounds):
            one_round(number, pathlib.Path(folder))
            if number == rounds // 5:
                first = resident_mb()
            if number % max(1, rounds // 10) == 0:
                print(f"round {number:5}: {resident_mb():7.1f} MB, {time.monotonic() - start:6.0f} s", flush=True)
    last = resident_mb()
    print(f"{rounds} rounds: {first:.1f} MB after a fifth, {last:.1f} MB at the end")
    return 1 if last > 1.05 * first else 0


if __name__ == "__main__":
    sys.exit(main())
