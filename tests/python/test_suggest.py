"""Rows to label next."""

import numpy as np
import pytest

from glgnn import GLGNNClassifier


def two_groups():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(0, 1, (30, 4)), rng.normal(6, 1, (30, 4)), rng.normal(-6, 1, (30, 4))])
    y = np.full(90, -1)
    y[:4], y[30:34] = 0, 1  # nobody has labelled the third group
    return X, y


def test_suggests_rows_without_a_label():
    X, y = two_groups()
    model = GLGNNClassifier().fit(X, y)
    found = model.suggest(5)
    assert len(found) == 5
    assert all(y[item["row"]] == -1 for item in found)
    assert len({item["row"] for item in found}) == 5
    scores = [item["score"] for item in found]
    assert scores[0] == 1 and scores == sorted(scores, reverse=True)
    assert all(item["reason"] for item in found)
    assert any(item["row"] >= 60 for item in found)
    assert len(model.suggest(1000)) == 82
    assert model.suggest(0) == []
    with pytest.raises(ValueError, match="suggest: found -1"):
        model.suggest(-1)
