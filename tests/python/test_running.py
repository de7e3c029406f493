"""While fit() runs: progress, Ctrl-C, other threads."""

import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

from glgnn import GLGNNClassifier, _core

FORK = """
    import multiprocessing
    import numpy as np
    from glgnn import GLGNNClassifier
    random = np.random.default_rng(0)
    y = np.repeat([0, 1], 100)
    X = random.normal(size=(200, 5)) + 2 * y[:, None]
    def work(i):
        model = GLGNNClassifier(n_jobs=2).fit(X, y)
        return model.predict_proba(X).tolist(), str(model.explain(i))
    here = work(1)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        print(pool.map(work, [1, 1]) == [here, here])
"""

LONG_FIT = """
    import numpy as np
    from glgnn import GLGNNClassifier
    random = np.random.default_rng(0)
    y = random.integers(0, 3, 3000)
    X = random.normal(size=(3000, 20)) + y[:, None]
    model = GLGNNClassifier(mode="paper", epochs=100000, n_jobs=1)
    print("begin", flush=True)
    try:
        model.fit(X, y)
    except KeyboardInterrupt:
        print("stopped", hasattr(model, "classes_"), flush=True)
"""


def test_ctrl_c_stops_cleanly():
    child = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(LONG_FIT)], stdout=subprocess.PIPE, text=True
    )
    try:
        assert child.stdout.readline() == "begin\n"
        time.sleep(1)
        child.send_signal(signal.SIGINT)
        output, _ = child.communicate(timeout=60)
        assert output == "stopped False\n" and child.returncode == 0
    finally:
        child.kill()


def test_a_process_that_has_fitted_may_fork():
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(FORK)], capture_output=True, text=True, timeout=60
    )
    assert done.stdout == "True\n", done.stderr


def test_progress_is_shown(wine, capsys):
    X, _, y, _ = wine
    GLGNNClassifier(mode="paper", epochs=12, k=5, verbose=1).fit(X, y)
    shown = capsys.readouterr().err
    assert "12/12" in shown and "validation" in shown and "epoch" in shown


def test_verbose_without_tqdm_says_so(wine, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm", None)
    with pytest.raises(ImportError, match="verbose shows progress with tqdm"):
        GLGNNClassifier(verbose=1).fit(wine[0], wine[2])


def fit_core(X, y, on_epoch, **settings):
    return _core.fit(
        features=X, labels=y.astype(np.int32), class_names=["0", "1", "2"],
        feature_names=[str(j) for j in range(X.shape[1])], row_ids=[], label_name="", id_name="", graph=None,
        settings={"mode": "paper", "k": "5", **settings}, val_fraction=0.2, threads=1, device="cpu",
        on_epoch=on_epoch,
    )  # fmt: skip


def test_an_error_in_the_callback_ends_the_training(wine):
    calls = []

    def fail(report):
        calls.append(report["epoch"])
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        fit_core(wine[0], wine[2], fail, epochs="1000000")
    assert calls == [1]


def test_every_epoch_is_reported_once_on_the_thread_of_the_caller(wine):
    seen = []
    fit_core(wine[0], wine[2], lambda r: seen.append((r["epoch"], threading.get_ident())), epochs="15")
    assert seen == [(epoch, threading.get_ident()) for epoch in range(1, 16)]


def test_other_threads_run_meanwhile(wine):
    """The GIL is free while a model is fitted: this thread ends the other's training."""
    running, stop = threading.Event(), threading.Event()

    def watch(report):
        running.set()
        if stop.is_set():
            raise InterruptedError

    def train():
        with pytest.raises(InterruptedError):
            fit_core(wine[0], wine[2], watch, epochs="1000000")
        stopped.set()

    stopped = threading.Event()
    other = threading.Thread(target=train)
    other.start()
    assert running.wait(30)
    stop.set()
    assert stopped.wait(30)
    other.join()


def test_threads_may_predict_with_one_model(fitted, wine):
    expected = fitted.predict_proba(wine[1])
    results = [None] * 4

    def work(i):
        results[i] = fitted.predict_proba(wine[1])

    workers = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    for result in results:
        np.testing.assert_array_equal(result, expected)
