"""The estimator in scikit-learn: all of its own checks, pipelines, searches."""

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from glgnn import GLGNNClassifier


@parametrize_with_checks([GLGNNClassifier()])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_grid_search_in_a_pipeline(wine):
    X, new, y, truth = wine
    search = GridSearchCV(
        make_pipeline(StandardScaler(), GLGNNClassifier(n_jobs=1)),
        {"glgnnclassifier__members": [1, 4]},
        cv=2,
    )
    search.fit(X, y)
    assert search.best_params_["glgnnclassifier__members"] in (1, 4)
    assert search.score(new, truth) >= 0.9


def test_cross_validation_in_other_processes(wine):
    scores = cross_val_score(GLGNNClassifier(n_jobs=1), wine[0], wine[2], cv=2, n_jobs=2)
    assert len(scores) == 2 and scores.min() >= 0.85


def test_calibration(wine):
    X, new, y, truth = wine
    model = CalibratedClassifierCV(GLGNNClassifier(), cv=2).fit(X, y)
    assert np.mean(model.predict(new) == truth) >= 0.9
    assert pytest.approx(1) == model.predict_proba(new).sum(axis=1)
