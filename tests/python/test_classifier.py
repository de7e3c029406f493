"""Fitting and predicting: labels, attributes, settings, errors, and in scikit-learn: its own checks, pipelines, searches."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from conftest import half_of, split_of_wine
from glgnn import GLGNNClassifier, list_settings


def test_predicts_rows_it_has_never_seen(fitted, wine):
    _, new, _, truth = wine
    probabilities = fitted.predict_proba(new)
    assert probabilities.shape == (len(new), 3)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1, rtol=1e-12)
    np.testing.assert_array_equal(fitted.predict(new), fitted.classes_[probabilities.argmax(axis=1)])
    scores = [fitted.score(new, truth)]
    for seed in (1, 2, 3):  # of one split a row is two points
        x, new, y, truth = split_of_wine(seed)
        scores.append(GLGNNClassifier().fit(x, half_of(y)).score(new, truth))
    assert np.mean(scores) >= 0.9


def test_unlabelled_rows_are_predicted_too(fitted, wine, half_labelled):
    truth = wine[2]
    hidden = half_labelled == -1
    assert fitted.transduction_.shape == truth.shape
    assert np.mean(fitted.transduction_[hidden] == truth[hidden]) >= 0.8  # the largest class: 0.4
    np.testing.assert_array_equal(fitted.classes_, [0, 1, 2])
    seen = np.union1d(fitted.train_rows_, fitted.val_rows_)
    np.testing.assert_array_equal(seen, np.flatnonzero(~hidden))


def test_attributes_belong_together(fitted, wine):
    rows, columns = wine[0].shape
    modules = len(fitted.modules_)
    assert fitted.label_distributions_.shape == (rows, 3)
    assert fitted.graph_.shape == (rows, rows)
    np.testing.assert_allclose(fitted.graph_.sum(axis=1), 1, atol=1e-5)
    assert [graph.shape for graph in fitted.module_graphs_] == [(rows, rows)] * modules
    assert fitted.network_.shape == (modules + 1, modules + 1)
    assert fitted.module_weights_.sum() == pytest.approx(1)
    assert [line["weight"] for line in fitted.modules_] == fitted.module_weights_.tolist()
    assert fitted.feature_weights_.shape == (columns,)
    assert fitted.feature_weights_.max() == pytest.approx(1)
    assert fitted.n_features_in_ == columns == len(fitted.model_features_)
    assert [line["epoch"] for line in fitted.history_] == list(range(1, fitted.n_iter_ + 1))


def test_same_bits_for_any_threads_and_memory_order(fitted, wine, half_labelled):
    X = wine[0]
    for rows, n_jobs in [(X, 1), (np.asfortranarray(X), 2), (X.astype(np.float32), 3)]:
        again = GLGNNClassifier(n_jobs=n_jobs).fit(rows, half_labelled)
        np.testing.assert_array_equal(again.label_distributions_, fitted.label_distributions_)


def test_random_state_changes_the_validation_rows(fitted, wine, half_labelled):
    other = GLGNNClassifier(random_state=np.random.RandomState(5)).fit(wine[0], half_labelled)
    accuracies = [[line["val_accuracy"] for line in model.history_] for model in (other, fitted)]
    assert accuracies[0] != accuracies[1]
    np.testing.assert_array_equal(other.val_rows_, np.flatnonzero(half_labelled >= 0))


def test_paper_mode_scales_new_rows_alike(wine):
    X, new, y, truth = wine
    model = GLGNNClassifier(mode="paper", epochs=60, k=8, modules=2).fit(X, y)
    assert len(model.modules_) == 2 and len(model.history_) == 60
    assert model.score(new, truth) >= 0.9
    shift, factor = model._fitted.scale
    np.testing.assert_allclose(shift, X.mean(axis=0), rtol=1e-5)
    np.testing.assert_allclose(factor, 1 / X.std(axis=0), rtol=1e-4)


def test_settings_reach_the_library(wine, half_labelled):
    model = GLGNNClassifier(members=1, settings={"votes": False, "epochs": 40})
    with pytest.raises(ValueError, match="settings: found 'epochs', which is the parameter epochs"):
        model.fit(wine[0], half_labelled)
    model.set_params(settings={"votes": False, "class_shares": "labels"})
    model.fit(wine[0], half_labelled)
    assert len(model.modules_) == 1
    kept = model._fitted.settings
    assert (kept["votes"], kept["class_shares"], kept["members"]) == ("false", "labels", "1")


def test_list_settings_says_what_may_be_set():
    votes = {line["name"]: line for line in list_settings()}["votes"]
    assert (votes["mode"], votes["default"], votes["allowed"]) == ("best", "true", "true|false")


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"mode": "worst"}, 'setting mode: found "worst", expected paper|best'),
        ({"settings": {"vote": True}}, 'unknown setting "vote"; the nearest is "votes"'),
        ({"val_fraction": 1.0}, "val_fraction: found 1.0+, expected a number from 0 and below 1"),
        ({"n_jobs": 0}, "n_jobs: found 0, expected a number from 1 to 4096"),
        ({"device": "gpu"}, 'device: found "gpu", expected cpu, cuda or auto'),
        ({"mode": "paper", "k": 500}, "k does not fit the data: found k = 500, expected 123 at most"),
        ({"random_state": -1}, "random_state: found -1, expected a whole number from 0 to 18446744073709551615"),
        ({"random_state": 2**64}, "random_state: found 18446744073709551616, expected a whole number from 0"),
        ({"modules": 1}, 'modules is read in mode paper only, .* mode best; set mode="paper", or'),
        ({"settings": {"mu1": 5}}, "mu1 is read in mode paper only"),
        ({"mode": "paper", "members": 3}, "members is read in mode best only, .* is mode paper"),
        ({"mode": "paper", "settings": {"folds": 9}}, "folds is read in mode best only"),
        ({"val_fraction": "0.2"}, "val_fraction: found '0.2', expected a number .*, or None"),
        ({"settings": 5}, "settings: found 5, expected a dict"),
        ({"settings": {1: 2}}, "settings: found the name 1, expected a text"),
    ],
)
def test_wrong_parameters_are_named(wine, parameters, words):
    X, _, y, _ = wine
    with pytest.raises(ValueError, match=words.replace("|", r"\|").replace("?", r"\?")):
        GLGNNClassifier(**parameters).fit(X, y)


def test_failed_fit_leaves_the_earlier_one(wine):
    X, new, y, _ = wine
    model = GLGNNClassifier(members=1).fit(X, y)
    before = model.predict_proba(new)
    with pytest.raises(ValueError, match="hold 1 class, expected at least 2"):
        model.fit(X[:, :3], np.zeros(len(X)))
    np.testing.assert_array_equal(model.predict_proba(new), before)


def test_too_large_numbers_and_too_little_memory(wine, monkeypatch):
    X, _, y, _ = wine
    huge = X.copy()
    huge[4, 2] = 1e300
    with pytest.raises(ValueError, match="row 4, column 2: a number cannot be kept"):
        GLGNNClassifier().fit(huge, y)
    monkeypatch.setenv("GLGNN_MEMORY_LIMIT_MB", "1")
    with pytest.raises(MemoryError, match="training needs about .* MB, and 1 MB are available"):
        GLGNNClassifier().fit(X, y)


def test_all_labels_can_train(wine):
    X, new, y, truth = wine
    model = GLGNNClassifier(val_fraction=0).fit(X, y)
    assert len(model.val_rows_) == 0 and len(model.train_rows_) == len(X)
    assert model.score(new, truth) >= 0.9


def test_neighbors_are_fitted_rows(fitted, wine):
    new = wine[1][:4]
    near = fitted.neighbors(new, n_neighbors=3)
    assert len(near) == 4
    for of_row in near:
        assert 1 <= len(of_row) <= 3
        weights = [weight for _, weight in of_row]
        assert weights == sorted(weights, reverse=True) and 0 < sum(weights) <= 1 + 1e-5
        assert all(0 <= row < len(wine[0]) for row, _ in of_row)


def test_counts_are_not_negative(fitted, wine):
    with pytest.raises(ValueError, match="n_neighbors: found -1, expected a whole number from 0"):
        fitted.neighbors(wine[1][:1], -1)


def test_score_needs_as_many_labels_as_rows(fitted, wine):
    _, new, _, truth = wine
    for y, weights in [(truth[:5], None), (truth, np.ones(5))]:
        with pytest.raises(ValueError, match="inconsistent numbers of samples"):
            fitted.score(new, y, sample_weight=weights)


def test_unfitted_says_so(wine):
    model = GLGNNClassifier()
    assert not hasattr(model, "graph_")
    for call in (lambda: model.predict(wine[1]), lambda: model.explain(0), lambda: model.save("x")):
        with pytest.raises(NotFittedError):
            call()


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


def test_words_for_a_missing_label_are_said():
    X = np.arange(24.0).reshape(12, 2)
    y = np.array(["a", "b", np.nan] * 4)  # NumPy writes "nan"
    with pytest.warns(UserWarning, match="taken as a class, not as a missing label: 'nan'; use None or NaN"):
        assert GLGNNClassifier().fit(X, y).classes_.tolist() == ["a", "b", "nan"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        GLGNNClassifier().fit(X, ["+", "-", None] * 4)


def test_errors_of_a_table_speak_of_python():
    table = pd.DataFrame({"n": ["1", "2", "4", "old"], "m": [1, 3, 2, 5]})
    with pytest.raises(ValueError, match="means a gap put None in its place; .* give it the dtype category$"):
        GLGNNClassifier().fit(table, ["a", "b", "a", "b"])
