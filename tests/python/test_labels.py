"""Labels of every kind, and which rows have none."""

import numpy as np
import pandas as pd
import pytest

from sklearn.model_selection import cross_val_score

from glgnn import GLGNNClassifier
from glgnn._labels import encode_labels, from_json, to_json


@pytest.mark.parametrize(
    ("y", "codes", "classes"),
    [
        ([3, 5, 3], [0, 1, 0], [3, 5]),
        ([0, -1, 2], [0, -1, 1], [0, 2]),
        ([-1, 1, -2], [1, 2, 0], [-2, -1, 1]),  # a negative class: so is -1
        ([1.0, np.nan, 2.0], [0, -1, 1], [1.0, 2.0]),
        (["b", "a", "b"], [1, 0, 1], ["a", "b"]),
        (["b", None, "a"], [1, -1, 0], ["a", "b"]),
        (["b", "", "a"], [1, -1, 0], ["a", "b"]),
        (np.array(["b", "", "a"]), [1, -1, 0], ["a", "b"]),
        (np.array(["b", "", "a"], dtype=object), [1, -1, 0], ["a", "b"]),
        (pd.Series(["b", "", "a"]), [1, -1, 0], ["a", "b"]),
        (["b", float("nan"), "a"], [1, -1, 0], ["a", "b"]),
        ([True, False, None], [1, 0, -1], [False, True]),
        ([1, None, 4], [0, -1, 1], [1, 4]),
        (np.array([b"x", b"y"]), [0, 1], [b"x", b"y"]),
        (pd.Series(["b", pd.NA, "a"], dtype="string"), [1, -1, 0], ["a", "b"]),
        (pd.Series([4, pd.NA, 2], dtype="Int64"), [1, -1, 0], [2, 4]),
        (pd.Series(["u", "v", None], dtype="category"), [0, 1, -1], ["u", "v"]),
    ],
)
def test_encoding(y, codes, classes):
    found_codes, found_classes = encode_labels(y)
    assert found_codes.dtype == np.int32
    assert found_codes.tolist() == codes
    assert found_classes.tolist() == classes


def test_minus_one_beside_one_class_is_a_class_and_said():
    with pytest.warns(UserWarning, match="only -1 and 1: -1 is taken as a class"):
        codes, classes = encode_labels([-1, 1, -1])
    assert codes.tolist() == [0, 1, 0] and classes.tolist() == [-1, 1]


def test_spellings_are_said():
    with pytest.warns(UserWarning, match="'Yes' and 'yes'"):
        assert encode_labels(["Yes", "yes", "no"])[1].tolist() == ["Yes", "no", "yes"]


def test_rows_without_a_label_do_not_count_in_the_score(wine, fitted):
    _, new, _, truth = wine
    score = np.mean(fitted.predict(new) == truth)
    assert fitted.score(new, truth) == pytest.approx(score)
    known = np.arange(len(truth)) % 3 > 0
    expected = np.mean((fitted.predict(new) == truth)[known])
    for unknown in (np.where(known, truth, -1), np.where(known, truth, np.nan)):
        assert fitted.score(new, unknown) == pytest.approx(expected)
    weights = np.arange(len(truth))
    right = (fitted.predict(new) == truth)[known]
    assert fitted.score(new, np.where(known, truth, -1), weights) == pytest.approx(
        np.average(right, weights=weights[known])
    )
    with pytest.raises(ValueError, match="no row of y has a label"):
        fitted.score(new, np.full(len(truth), -1))


def test_cross_validation_skips_rows_without_a_label(wine):
    X, _, y, _ = wine
    labels = np.where(np.arange(len(y)) % 2, y, -1)
    model = GLGNNClassifier(members=2, settings={"folds": 1})
    assert cross_val_score(model, X, labels, cv=3).mean() > 0.8


@pytest.mark.parametrize(
    ("y", "words"),
    [
        ([0.5, 1.25, 3.75], "Unknown label type"),
        ([np.nan, np.nan], "hold 0 classes"),
        ([1.0, np.inf], "Input y contains infinity"),
        (["a", 1, None], "labels of two kinds: found 1 texts and 1 others"),
        (["a", "a", None], "hold 1 class, expected at least 2"),
    ],
)
def test_labels_that_cannot_be_used(y, words):
    with pytest.raises(ValueError, match=words):
        encode_labels(y)


@pytest.mark.parametrize(
    "classes",
    [
        np.array([1, 7], dtype=np.int8),
        np.array([0.1, 1 / 3]),
        np.array([False, True]),
        np.array(["ä", "long text"]),
        np.array(["o", "p"], dtype=object),
        np.array([b"\xff", b"a"]),
        np.array(["2020-01-01", "2021-02-03"], dtype="datetime64[D]"),
    ],
)
def test_labels_come_back_equal(classes):
    back = from_json(to_json(classes))
    assert back.dtype == classes.dtype
    np.testing.assert_array_equal(back, classes)
