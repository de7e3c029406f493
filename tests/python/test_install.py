"""`pip install .` as a person runs it, into a folder of its own."""

import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).parents[2]

USE = """
import sys, pathlib, numpy as np, glgnn
assert pathlib.Path(glgnn.__file__).parent.parent == pathlib.Path(sys.argv[1]), glgnn.__file__
random = np.random.default_rng(0)
y = np.repeat([0, 1], 30)
X = random.normal(size=(60, 4)) + 3 * y[:, None]
model = glgnn.GLGNNClassifier().fit(X[::2], y[::2])
print(model.score(X[1::2], y[1::2]), glgnn.__version__)
"""


def test_pip_install(tmp_path):
    target = tmp_path / "site"
    pip = [sys.executable, "-m", "pip", "install", "--no-build-isolation", "--no-deps", "--no-index"]
    done = subprocess.run(
        [*pip, "--target", str(target), "."], cwd=ROOT, capture_output=True, text=True, timeout=1800
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert sorted(path.suffix for path in (target / "glgnn").glob("_core*")) == [".so"]
    environment = {**os.environ, "PYTHONPATH": str(target)}
    used = subprocess.run(
        [sys.executable, "-c", USE, str(target)],
        cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert used.returncode == 0, used.stderr
    score, version = used.stdout.split()
    assert float(score) >= 0.9
    assert f"project(glgnn VERSION {version} " in (ROOT / "CMakeLists.txt").read_text()
