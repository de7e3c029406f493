"""Labels of every kind, and which rows have none."""

import numpy as np
import pandas as pd
import pytest

from glgnn._labels import encode_labels, from_json, to_json


@pytest.mark.parametrize(
    ("y", "codes", "classes"),
    [
        ([3, 5, 3], [0, 1, 0], [3, 5]),
        ([0, -1, 2], [0, -1, 1], [0, 2]),
        ([-1, 1, -1], [0, 1, 0], [-1, 1]),  # only two labels: -1 is a class
        ([-1, 1, -2], [1, 2, 0], [-2, -1, 1]),  # a negative class: so is -1
        ([1.0, np.nan, 2.0], [0, -1, 1], [1.0, 2.0]),
        (["b", "a", "b"], [1, 0, 1], ["a", "b"]),
        (["b", None, "a"], [1, -1, 0], ["a", "b"]),
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
