"""As a person gets it: the wheel installed into a folder of its own, and the example from its first cell to its last."""

import os
import pathlib
import runpy
import subprocess
import sys

import numpy as np

ROOT = pathlib.Path(__file__).parents[2]

USE = """
import sys, pathlib, numpy as np, glgnn
assert pathlib.Path(glgnn.__file__).parent.parent == pathlib.Path(sys.argv[1]), glgnn.__file__
random = np.random.default_rng(0)
y = np.repeat([0, 1], 30)
X = random.normal(size=(60, 4)) + 3 * y[:, None]
model = glgnn.GLGNNClassifier().fit(X[::2], y[::2])
model.report("report.html")
print(model.score(X[1::2], y[1::2]), glgnn.__version__)
"""


def run(*command, **options):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=1800, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_wheel(tmp_path):
    target = tmp_path / "site"
    run("make", "wheel", f"OUT={tmp_path}", f"PYTHON={sys.executable}", cwd=ROOT)
    (wheel,) = tmp_path.glob("glgnn-*.whl")
    run(sys.executable, "-m", "pip", "install", "--no-deps", "--no-index", "--target", target, wheel, cwd=tmp_path)
    assert sorted(path.suffix for path in (target / "glgnn").glob("_core*")) == [".so"]
    environment = {**os.environ, "PYTHONPATH": str(target)}
    score, version = run(sys.executable, "-c", USE, target, cwd=tmp_path, env=environment).split()
    assert float(score) >= 0.9
    assert f"project(glgnn VERSION {version} " in (ROOT / "CMakeLists.txt").read_text()
    for name, line in (("CITATION.cff", f"version: {version}"), ("CHANGELOG.md", f"## {version}")):
        assert line in (ROOT / name).read_text().splitlines(), f"{name} does not say {line}"
    page = (tmp_path / "report.html").read_text()
    assert page.lower().startswith("<!doctype html>") and "</html>" in page
    program = target / "bin" / "glgnn"
    assert f"data folder  {target}/glgnn/share/glgnn/data\n" in run(program, "info", cwd=tmp_path, env=environment)
    run(program, "fit", "wine", "--mode", "paper", "--epochs", "2", cwd=tmp_path, env=environment)
    assert (tmp_path / "wine.html").exists()


EXAMPLE = pathlib.Path(__file__).parents[2] / "examples" / "python_walkthrough.py"


def test_walkthrough(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    left = runpy.run_path(str(EXAMPLE))
    assert np.mean(left["model"].transduction_ == left["truth"]) >= 0.85
    assert len(left["predicted"]) == len(left["new_trees"])
    for name in ("network.png", "features.png", "graph.png"):
        assert (tmp_path / name).stat().st_size > 5000
    assert "row " in capsys.readouterr().out
