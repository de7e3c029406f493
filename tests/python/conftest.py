"""Small data and classifiers fitted once, for all tests of the Python package."""

import matplotlib
import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split

matplotlib.use("Agg")

from glgnn import GLGNNClassifier  # noqa: E402  (after the backend is chosen)


def split_of_wine(seed):
    """(X, new X, y, new y) of the wine table."""
    data = load_wine()
    return train_test_split(data.data, data.target, test_size=0.3, random_state=seed, stratify=data.target)


def half_of(labels):
    """-1 for every second."""
    labels = labels.copy()
    labels[::2] = -1
    return labels


@pytest.fixture(scope="session")
def wine():
    return split_of_wine(0)


@pytest.fixture(scope="session")
def half_labelled(wine):
    """Labels of the fitted rows, -1 for every second."""
    return half_of(wine[2])


@pytest.fixture(scope="session")
def fitted(wine, half_labelled):
    """A classifier that nobody may change."""
    return GLGNNClassifier().fit(wine[0], half_labelled)


@pytest.fixture(scope="session")
def orchard():
    """A synthetic table with gaps, categories and a few rows without a label."""
    random = np.random.default_rng(3)
    kind = random.integers(0, 3, 150)
    table = pd.DataFrame(
        {
            "sugar": np.array([9.0, 12.0, 15.0])[kind] + random.normal(0, 1, 150),
            "weight": np.array([210.0, 150.0, 180.0])[kind] + random.normal(0, 12, 150),
            "skin": np.array(["red", "green", "yellow"])[(kind + (random.random(150) < 0.1)) % 3],
            "organic": random.random(150) < 0.5,
        },
        index=[f"tree{i}" for i in range(150)],
    )
    table.loc[random.random(150) < 0.1, "sugar"] = np.nan
    table.loc[random.random(150) < 0.1, "skin"] = None
    variety = pd.Series(np.array(["Alba", "Bruno", "Celia"], dtype=object)[kind], index=table.index)
    variety[random.random(150) < 0.3] = None
    return table, variety, np.array(["Alba", "Bruno", "Celia"])[kind]
