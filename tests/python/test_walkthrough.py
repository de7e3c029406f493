"""The example runs from its first cell to its last, and leaves its pictures."""

import pathlib
import runpy

import numpy as np

EXAMPLE = pathlib.Path(__file__).parents[2] / "examples" / "python_walkthrough.py"


def test_walkthrough(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    left = runpy.run_path(str(EXAMPLE))
    assert np.mean(left["model"].transduction_ == left["truth"]) >= 0.85
    assert len(left["predicted"]) == len(left["new_trees"])
    for name in ("network.png", "features.png", "graph.png"):
        assert (tmp_path / name).stat().st_size > 5000
    assert "row " in capsys.readouterr().out
