"""Rows as arrays, sparse matrices and tables; labels of every kind, and which rows have none."""

import datetime
import re
import subprocess
import sys
import warnings
import weakref
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from scipy.sparse import csgraph
from sklearn.model_selection import cross_val_score

from glgnn import GLGNNClassifier
from glgnn._labels import encode_labels, from_json, to_json


def encode(table, **more):
    """The features that a table becomes, and their names."""
    y = np.arange(len(table)) % 2
    settings = {"scaling": "none"}
    model = GLGNNClassifier(mode="paper", epochs=1, k=1, settings=settings, **more).fit(table, y)
    features = model._fitted.features
    if isinstance(features, tuple):
        features = sp.csr_matrix(features, shape=(len(table), len(model.model_features_))).toarray()
    return features, model.model_features_, model


def test_columns_become_numbers():
    table = pd.DataFrame(
        {
            "size": [1.0, np.nan, 3.0, 8.0, 9.0],
            "skin": ["red", "green", None, "red", "red"],
            "flag": [True, False, True, True, False],
            "number": pd.Series([1, None, 2, 3, 7], dtype=object),
            "code": pd.Categorical([4, 5, 4, 5, 4]),
        }
    )
    features, names, model = encode(table)
    assert names == [
        "size", "size is missing", "skin=red", "skin=(other)", "skin is missing",
        "flag=False", "flag=True", "number", "number is missing", "code=4", "code=5",
    ]  # fmt: skip
    np.testing.assert_array_equal(
        features,
        [
            [1, 0, 1, 0, 0, 0, 1, 1, 0, 1, 0],
            [5.5, 1, 0, 1, 0, 1, 0, 2.5, 1, 0, 1],
            [3, 0, 0, 0, 1, 0, 1, 2, 0, 1, 0],
            [8, 0, 1, 0, 0, 0, 1, 3, 0, 0, 1],
            [9, 0, 1, 0, 0, 1, 0, 7, 0, 1, 0],
        ],
    )
    with pytest.warns(UserWarning, match='such as "blue", counted as'):
        model.predict(pd.DataFrame({"code": [4], "size": [None], "skin": ["blue"], "flag": [None], "number": [5]}))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.filterwarnings("error", message='.*"flag"')
        given = model.predict_proba(table)
        for kind in (int, float, str):  # a file may hold 1 or TRUE
            changed = table.assign(flag=table["flag"].astype(kind))
            np.testing.assert_array_equal(model.predict_proba(changed), given)


def test_a_sparse_column_is_its_numbers():
    random = np.random.default_rng(0)
    table = pd.DataFrame({"flag": random.random(30) < 0.5, "size": random.random(30)})
    table["count"] = random.integers(0, 3, 30)
    sparse = table.astype({"flag": pd.SparseDtype(bool), "count": pd.SparseDtype(np.int64)})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        features, names, model = encode(sparse)
    expected, expected_names, _ = encode(table)
    assert names == expected_names
    np.testing.assert_array_equal(features, expected)


@pytest.mark.parametrize("name", ["", " "])
@pytest.mark.parametrize("place", [0, 1])
def test_a_column_without_a_name_is_refused(name, place):
    table = pd.DataFrame({"a": [1.0, 2.0, 4.0, 7.0], "b": [3.0, 5.0, 4.0, 8.0]})
    unnamed = table.set_axis([name if j == place else "c" for j in range(2)], axis=1)
    with pytest.raises(ValueError, match=f"X: column {place} has no name: found '{name}', expected a name"):
        encode(unnamed)


def test_names_of_two_types_are_refused_before_the_work(wine, monkeypatch):
    monkeypatch.setattr("glgnn._core.fit", lambda **given: pytest.fail("fit began"))
    table = pd.DataFrame(wine[0][:, :2], columns=["a", 1])
    with pytest.raises(TypeError, match="string names"):
        GLGNNClassifier().fit(table, wine[2])


def test_infinity_in_a_column():
    with pytest.raises(ValueError, match='row 3: column "c": not a finite number: found "inf"'):
        encode(pd.DataFrame({"c": [1.0, 2.0, 3.0, np.inf, 5.0]}))


def test_dates_become_days():
    dates = pd.Series(pd.to_datetime(["1970-01-03", None, "1970-01-11 12:00", "1970-01-05"]))
    table = pd.DataFrame({"day": dates, "zone": dates.dt.tz_localize("UTC"), "span": dates - dates[0]})
    features, names, model = encode(table)
    assert names == ["day", "day is missing", "zone", "zone is missing", "span", "span is missing"]
    np.testing.assert_array_equal(
        features,
        [[2, 0, 2, 0, 0, 0], [4, 1, 4, 1, 172800, 1], [10.5, 0, 10.5, 0, 734400, 0], [4, 0, 4, 0, 172800, 0]],
    )  # durations are seconds
    texts = table.astype({"day": str, "zone": str})
    np.testing.assert_array_equal(model.predict_proba(texts), model.predict_proba(table))
    with pytest.raises(ValueError, match='column "day": not a date: found "soon"'):
        model.predict(table.assign(day="soon"))


@pytest.mark.parametrize("unit", ["M", "Q", "D"])
def test_periods_are_the_dates_they_begin_at(unit):
    months = pd.Series(pd.period_range("2020-01", periods=40, freq=unit))
    months[3] = pd.NaT
    size = np.arange(40.0) ** 2
    features, names, model = encode(pd.DataFrame({"month": months, "size": size}))
    assert names == ["month", "month is missing", "size"]
    dates = pd.DataFrame({"month": months.dt.to_timestamp(), "size": size})
    np.testing.assert_array_equal(features, encode(dates)[0])
    expected = model.predict_proba(dates)
    for given in (months, months.astype(object)):
        np.testing.assert_array_equal(model.predict_proba(dates.assign(month=given)), expected)
    features, names, _ = encode(pd.DataFrame({"month": months.astype(object), "size": size}))
    assert names == ["month", "month is missing", "size"]
    np.testing.assert_array_equal(features, encode(dates)[0])


@pytest.mark.parametrize("unit", ["M", "Q"])
def test_periods_and_their_texts_are_the_same_dates(unit):
    months = pd.Series(pd.period_range("2020-01", periods=40, freq=unit))
    size = np.arange(40.0) ** 2
    features, names, model = encode(pd.DataFrame({"month": months.astype(str), "size": size}))
    assert names == ["month", "size"]
    periods = pd.DataFrame({"month": months, "size": size})
    np.testing.assert_array_equal(features, encode(periods)[0])
    texts = periods.assign(month=months.astype(str))
    np.testing.assert_array_equal(model.predict_proba(periods), model.predict_proba(texts))


def test_gaps_among_numbers_as_objects():
    table = pd.DataFrame({"a": pd.Series([1, pd.NA, 3, 4.5], dtype=object), "b": [5.0, 6, 8, 7]})
    features, names, model = encode(table)
    assert names == ["a", "a is missing", "b"]
    floats = table.assign(a=[1, np.nan, 3, 4.5])
    np.testing.assert_array_equal(features, encode(floats)[0])
    np.testing.assert_array_equal(model.predict(table), model.predict(floats))


def test_whole_numbers_that_no_double_holds_keep_their_digits():
    account = 2**60 + np.array([1, 2, 3] * 10)
    for numbers in (account, account.astype("uint64"), pd.array(account, dtype="Int64"), account.astype(object)):
        table = pd.DataFrame({"account": pd.Series(numbers), "n": np.arange(30.0) % 7})
        declared = table.astype({"account": "category"})
        names, model = encode(declared)[1:]
        assert names[:3] == [f"account={number}" for number in account[:3]]
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # that a level is new
            model.predict(table)
        with pytest.warns(UserWarning, match="numbers too close to be told apart and is left out: account"):
            encode(table)
    gaps = pd.DataFrame({"account": pd.array([2**60 + 1, None] * 15, dtype="Int64"), "n": np.arange(30.0) % 7})
    assert encode(gaps)[1] == ["account is missing", "n"]


def test_what_may_be_misread_is_said():
    y = np.arange(40) % 2
    for values, words in [
        (["1", "2"] * 18 + ["3+"] * 4, 'column "x" has few numbers and "3[+]" .4 rows.: .* None in its place'),
        (["1", "2", "3", "other"] * 10, '"other" .10 rows. is none; .* None in place of a gap'),
        (["yes", "Yes", "no", "no"] * 10, "differ only in their spelling .* the dtype category keeps them apart"),
        (["1.234", "848"] * 20, 'column "x": 1.234 is not read as 1234'),
        (["2020-01-01", "2020-01-02", "soon", "late", "2020-02-02"] * 8, "are dates: .* None in place of a gap"),
    ]:
        with pytest.warns(UserWarning) as said:
            GLGNNClassifier(mode="paper", epochs=1, k=3).fit(pd.DataFrame({"x": values, "n": np.arange(40.0) % 7}), y)
        assert len(said) == 1 and said[0].filename == __file__
        assert re.search(words, str(said[0].message)), said[0].message


@pytest.mark.parametrize("table", [pd.DataFrame({"a": []}), pd.DataFrame(), pd.DataFrame({"a": [1.0]})])
def test_too_few_rows_are_said(table, orchard):
    with pytest.raises(ValueError, match="^X: found a table of [01] rows? and [01] columns?, expected at least"):
        GLGNNClassifier().fit(table, [0] * len(table))


def test_no_new_rows_are_said(orchard):
    table, variety, _ = orchard
    model = GLGNNClassifier(mode="paper", epochs=1).fit(table, variety)
    with pytest.raises(ValueError, match="^X: found a table of 0 rows and 4 columns, expected at least 1 row"):
        model.predict(table[:0])


def test_names_of_rows_are_left_out():
    names = [f"name {i}" for i in range(30)]
    table = pd.DataFrame({"name": names, "size": np.arange(30.0) ** 2, "Unnamed: 0": np.arange(30)})
    with pytest.warns(UserWarning, match=r"left out: name \(identifier\), Unnamed: 0 \(identifier\)"):
        features, found, model = encode(table)
    assert found == ["size"] and model.n_features_in_ == 3
    np.testing.assert_array_equal(features[:, 0], np.arange(30.0) ** 2)
    assert model.predict(table[["size"]]).shape == (30,)  # what was left out is not needed
    with pytest.raises(ValueError, match="no features"):
        encode(table[["name"]])


def test_text_in_a_column_of_numbers():
    model = encode(pd.DataFrame({"size": [1.0, 2.0, 4.0]}))[2]
    with pytest.raises(ValueError, match='column "size": not a number: found "large"'):
        model.predict(pd.DataFrame({"size": ["large"]}))
    assert model.predict(pd.DataFrame({"size": ["3.5"]})).shape == (1,)


def test_table_with_gaps_and_categories(orchard):
    table, variety, truth = orchard
    model = GLGNNClassifier().fit(table, variety)
    assert model.classes_.tolist() == ["Alba", "Bruno", "Celia"]
    assert model.feature_names_in_.tolist() == list(table.columns)
    assert model.n_features_in_ == 4
    assert "skin=red" in model.model_features_ and "sugar is missing" in model.model_features_
    assert len(model.feature_weights_) == len(model.model_features_)
    assert np.mean(model.transduction_ == truth) >= 0.85
    new = table.iloc[:5].copy()
    new.loc[new.index[0], "skin"] = "striped"
    with pytest.warns(UserWarning, match="counted as no level"):
        expected = model.predict_proba(new)
    assert expected.shape == (5, 3)
    with pytest.raises(ValueError, match="column sugar is missing"):
        model.predict(new.rename(columns={"sugar": "salt"}))
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        unnamed = model.predict_proba(new.to_numpy())
    np.testing.assert_array_equal(unnamed, expected)
    with pytest.warns(UserWarning, match="does not know is ignored: extra"):
        turned = model.predict_proba(new[new.columns[::-1]].assign(extra=1))
    np.testing.assert_array_equal(turned, expected)


def test_table_of_numbers_is_its_array(wine, fitted, half_labelled):
    X, new, _, _ = wine
    names = [f"column {j}" for j in range(X.shape[1])]
    model = GLGNNClassifier().fit(pd.DataFrame(X, columns=names), half_labelled)
    assert model.model_features_ == names
    np.testing.assert_array_equal(model.label_distributions_, fitted.label_distributions_)
    np.testing.assert_array_equal(
        model.predict_proba(pd.DataFrame(new, columns=names)), fitted.predict_proba(new)
    )


@pytest.fixture(scope="module")
def texts():
    """Word counts of three topics."""
    random = np.random.default_rng(0)
    topic = np.repeat([0, 1, 2], 30)
    rates = np.full((3, 120), 0.03)
    for c in range(3):
        rates[c, 40 * c : 40 * c + 40] = 0.25
    return sp.csr_matrix(random.poisson(rates[topic]).astype(np.float32)), topic


def test_sparse_rows(texts):
    X, topic = texts
    labels = np.where(np.arange(len(topic)) % 3 == 0, -1, topic)
    model = GLGNNClassifier().fit(X, labels)
    assert np.mean(model.transduction_ == topic) >= 0.9
    np.testing.assert_allclose(
        model.predict_proba(X[:7]), model.predict_proba(X[:7].toarray()), atol=1e-6
    )


def test_sparse_rows_of_any_form_are_the_same_and_stay_as_they_are(texts):
    X, topic = texts
    first = GLGNNClassifier(members=2).fit(X, topic)
    entries = X.tocoo()
    order = np.random.default_rng(1).permutation(entries.nnz)
    doubled = sp.coo_matrix(
        (
            np.concatenate([entries.data[order] / 2] * 2),
            (np.concatenate([entries.row[order]] * 2), np.concatenate([entries.col[order]] * 2)),
        ),
        shape=X.shape,
    )
    unsorted = X.copy()
    for i in range(X.shape[0]):
        part = slice(unsorted.indptr[i], unsorted.indptr[i + 1])
        unsorted.indices[part] = unsorted.indices[part][::-1]
        unsorted.data[part] = unsorted.data[part][::-1]
    unsorted.has_sorted_indices = False
    before = unsorted.indices.copy()
    for rows in (doubled, unsorted, X.tocsc().astype(np.float64)):
        again = GLGNNClassifier(members=2).fit(rows, topic)
        np.testing.assert_array_equal(again.label_distributions_, first.label_distributions_)
    np.testing.assert_array_equal(unsorted.indices, before)


def test_rows_are_read_where_they_are(wine, half_labelled):
    rows = wine[0].astype(np.float32)
    model = GLGNNClassifier(members=2).fit(rows, half_labelled)
    assert np.shares_memory(model._fitted.features, rows)
    for form in (wine[0], np.asfortranarray(rows), np.repeat(rows, 2, axis=1)[:, ::2]):
        again = GLGNNClassifier(members=2).fit(form, half_labelled)
        assert not np.shares_memory(again._fitted.features, form)
        np.testing.assert_array_equal(again.label_distributions_, model.label_distributions_)
    before = model.predict_proba(wine[1])
    owner = weakref.ref(rows)
    del rows
    assert owner() is not None, "the model keeps the array"
    np.testing.assert_array_equal(model.predict_proba(wine[1]), before)
    del model
    assert owner() is None, "and lets it go"


def test_rows_that_are_changed_after_fit(wine, half_labelled, tmp_path):
    rows = wine[0].astype(np.float32)
    model = GLGNNClassifier(members=2).fit(rows, half_labelled)
    own = GLGNNClassifier(members=2, copy_X=True).fit(rows, half_labelled)
    before = own.predict_proba(wine[1])
    rows[5, 3] += 1
    for use in (lambda: model.predict(wine[1]), lambda: model.explain(0), lambda: model.save(tmp_path / "m")):
        with pytest.raises(ValueError, match="has been changed since.*copy_X=True"):
            use()
    np.testing.assert_array_equal(own.predict_proba(wine[1]), before)


def test_graphs_show_the_model(fitted):
    first, second = fitted.graph_, fitted.graph_
    assert np.shares_memory(first.data, second.data) and np.shares_memory(first.indices, second.indices)
    with pytest.raises(ValueError, match="read-only"):
        first.data[0] = 7
    assert csgraph.connected_components(first)[0] >= 1


PREDICT_MANY = """
import resource
import numpy as np
from glgnn import GLGNNClassifier
y = np.arange(60) % 3
X = (np.random.default_rng(0).normal(size=(60, 1024)) + y[:, None]).astype(np.float32)
model = GLGNNClassifier(mode="paper", epochs=2).fit(X, y)
model.predict(X)
many = np.tile(X, (400, 1))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
model.predict(many)
print(many.nbytes >> 10, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def test_prediction_copies_a_few_rows_at_a_time():
    answer = subprocess.run([sys.executable, "-c", PREDICT_MANY], check=True, capture_output=True, text=True)
    given, more = map(int, answer.stdout.split())
    assert more < given / 2, "kB of the new rows, and kB that their prediction took"


def test_column_counts_must_fit(fitted, wine):
    with pytest.raises(ValueError, match="X has 5 features, but GLGNNClassifier is expecting 13"):
        fitted.predict(wine[1][:, :5])


@pytest.mark.parametrize("form", ["csr", "csc", "bsr", "coo"])
@pytest.mark.parametrize("place", ["X", "graph"])
def test_a_sparse_matrix_with_wrong_places_is_refused(form, place, texts):
    X, y = texts
    square = sp.csr_matrix(np.eye(len(y), k=1))

    def broken(array, at, value):
        matrix = (X if place == "X" else square).asformat(form, copy=True)
        getattr(matrix, array)[at] = value
        return matrix

    places = [("row", 3, -1), ("row", 3, 10**6), ("col", 3, -1), ("col", 3, 10**6)]
    if form != "coo":
        places = [("indices", 3, -1), ("indices", 3, 10**6), ("indptr", 2, 10**8), ("indptr", 2, -5),
                  ("indptr", 0, 3), ("indptr", -1, 10**8)]
    for where in places:
        matrix = broken(*where)
        with pytest.raises(ValueError, match=place + ": found a sparse matrix whose arrays do not fit"):
            if place == "X":
                GLGNNClassifier().fit(matrix, y)
            else:
                GLGNNClassifier().fit(X, y, graph=matrix)


def test_a_sparse_matrix_of_columns_without_end_is_refused(texts):
    _, y = texts
    wide = sp.csr_matrix(([1.0], ([0], [2**40])), shape=(len(y), 2**62))
    with pytest.raises(ValueError, match="X: more columns than so few entries can mean"):
        GLGNNClassifier().fit(wide, y)


def test_numbers_under_a_mask_are_missing(wine):
    X, _, y, _ = wine
    with pytest.raises(ValueError, match="NaN"):
        GLGNNClassifier().fit(np.ma.masked_less(X, 1), y)


@pytest.mark.parametrize("what", ["name", "category", "label", "row", "name of y", "name of index"])
def test_half_a_character_is_refused(wine, what):
    broken = "\ud800"
    table = pd.DataFrame(wine[0][:, :2], columns=["a", broken if what == "name" else "b"])
    y = np.where(wine[2] == 0, "u", broken if what == "label" else "v").astype(object)
    if what == "category":
        table["c"] = np.where(wine[2] == 1, broken, "x")
    if what == "row":
        table.index = [*range(len(y) - 1), broken]
    if what == "name of index":
        table.index = pd.RangeIndex(3, len(y) + 3, name=broken)
    y = pd.Series(y, index=table.index, name=broken if what == "name of y" else "y")
    with pytest.raises(ValueError, match="no whole character"):
        GLGNNClassifier().fit(table, y)


def test_numbers_too_close_together_are_said():
    rows = np.column_stack([1_700_000_000 + np.arange(40.0) % 2 * 3, np.arange(40) * 13 % 17])
    model = GLGNNClassifier(mode="paper", epochs=1, k=3)
    with pytest.warns(UserWarning, match="^1 column has numbers that float32 rounds to a few or to one: f0; subtract"):
        model.fit(rows, np.arange(40) % 2)
    rows[:, 0] -= rows[:, 0].min()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.fit(rows, np.arange(40) % 2)


def test_a_number_that_is_too_large_is_said_in_few_words(wine):
    X, _, y, _ = wine
    with pytest.raises(ValueError, match=r"found 1e\+300, expected one that fits float32"):
        GLGNNClassifier().fit(np.where(X > 1, 1e300, X), y)


@pytest.mark.parametrize(
    ("y", "codes", "classes"),
    [
        ([3, 5, 3], [0, 1, 0], [3, 5]),
        ([0, -1, 2], [0, -1, 1], [0, 2]),
        ([0.0, -1.0, 2.0], [0, -1, 1], [0, 2]),
        (pd.Series([0, -1, 2, np.nan]), [0, -1, 1, -1], [0, 2]),
        (pd.Series([0, -1, None, 2], dtype=object), [0, -1, -1, 1], [0, 2]),
        (np.ma.masked_equal([3, 9, 5], 9), [0, -1, 1], [3, 5]),
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
        ([b"y", None, b"x"], [1, -1, 0], [b"x", b"y"]),
        (pd.Series(["b", pd.NA, "a"], dtype="string"), [1, -1, 0], ["a", "b"]),
        (pd.Series(["b", pd.NA, "a"], dtype="string").to_numpy(), [1, -1, 0], ["a", "b"]),
        (["b", pd.NA, "a"], [1, -1, 0], ["a", "b"]),
        (np.array([3, pd.NA, 1], dtype=object), [1, -1, 0], [1, 3]),
        (pd.cut([1, 5, np.nan, 2], [0, 3, 6]), [0, 1, -1, 0], ["(0, 3]", "(3, 6]"]),
        (pd.Series(pd.cut([1, 5, np.nan, 2], [0, 3, 6])), [0, 1, -1, 0], ["(0, 3]", "(3, 6]"]),
        (pd.PeriodIndex(["2020Q2", None, "2020Q1"], freq="Q"), [1, -1, 0], ["2020Q1", "2020Q2"]),
        ([datetime.date(2020, m, 1) for m in (2, 1)], [1, 0], ["2020-01-01", "2020-02-01"]),
        ([Decimal("2"), Decimal("-1"), Decimal("0"), Decimal("NaN")], [1, -1, 0, -1], [0, 2]),
        (pd.Series([4, pd.NA, 2], dtype="Int64"), [1, -1, 0], [2, 4]),
        (pd.Series(["u", "v", None], dtype="category"), [0, 1, -1], ["u", "v"]),
    ],
)
def test_encoding(y, codes, classes):
    found_codes, found_classes = encode_labels(y)
    assert found_codes.dtype == np.int32
    assert found_codes.tolist() == codes
    assert found_classes.tolist() == classes


def test_dates_with_a_gap_stay_dates():
    dates = pd.to_datetime(["2020-01-02", None, "2020-01-01"])
    for y in (pd.Series(dates), dates.to_numpy()):
        codes, classes = encode_labels(y)
        assert codes.tolist() == [1, -1, 0] and classes.dtype.kind == "M"
        np.testing.assert_array_equal(classes, dates[[2, 0]].to_numpy())


def test_minus_one_beside_one_class_is_a_class_and_said():
    with pytest.warns(UserWarning, match="only -1 and 1: -1 is taken as a class"):
        codes, classes = encode_labels([-1, 1, -1])
    assert codes.tolist() == [0, 1, 0] and classes.tolist() == [-1, 1]


@pytest.mark.parametrize(
    ("y", "is_said"), [([-1, 0, 1], True), ([-1, -1, 0, 1], False), ([-1, 0, 1, 2], False)]
)
def test_minus_one_that_may_be_a_class_is_said(y, is_said):
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        codes, _ = encode_labels(y)
    assert codes[0] == -1
    assert [str(one.message)[:50] for one in said] == is_said * ["y holds -1, 0 and 1: rows of -1 are taken as rows "]


def test_warnings_point_at_the_caller(orchard):
    table, variety, _ = orchard
    with pytest.warns(UserWarning) as said:
        model = GLGNNClassifier(members=2).fit(
            table.assign(name=[f"tree {i}" for i in range(len(table))]), variety.fillna("nan")
        )
        new = table.assign(skin="striped")
        for use in (model.predict, model.predict_proba, model.neighbors):
            use(new)
    assert len(said) == 5 and {one.filename for one in said} == {__file__}


def test_spellings_are_said():
    with pytest.warns(UserWarning, match="'Yes' and 'yes'"):
        assert encode_labels(["Yes", "yes", "no"])[1].tolist() == ["Yes", "no", "yes"]


def test_rows_without_a_label_do_not_count_in_the_score(wine, fitted):
    _, new, _, truth = wine
    score = np.mean(fitted.predict(new) == truth)
    assert fitted.score(new, truth) == pytest.approx(score)
    known = np.arange(len(truth)) % 3 > 0
    expected = np.mean((fitted.predict(new) == truth)[known])
    for gap in (-1, -1.0, np.nan):
        unknown = np.where(known, truth, gap)
        assert fitted.score(new, unknown) == pytest.approx(expected)
    weights = np.arange(len(truth))
    right = (fitted.predict(new) == truth)[known]
    assert fitted.score(new, np.where(known, truth, -1), weights) == pytest.approx(
        np.average(right, weights=weights[known])
    )
    with pytest.raises(ValueError, match="no row of y has a label"):
        fitted.score(new, np.full(len(truth), -1))


def test_labels_of_another_kind_have_no_score(wine, fitted):
    _, new, _, truth = wine
    with pytest.raises(ValueError, match="y holds texts, and the classes .* are numbers such as 0"):
        fitted.score(new, truth.astype(str))


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
        (["a", 1, "a", 1], "labels of two kinds: found 2 texts and 2 others"),
        ([1, datetime.date(2020, 1, 1), None], "found values of the types date, int, expected"),
        ([(1, 2), None, (3, 4)], "found values of the types tuple, expected"),
        ([Decimal("0.5"), Decimal("0.25"), Decimal("3.75")], "Unknown label type"),
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


def test_a_table_of_texts_is_read_by_its_words():
    random = np.random.default_rng(0)
    good, bad, other = "lovely great helpful".split(), "broken late awful".split(), "the box was here and it came on time today".split()
    kinds = random.integers(0, 2, 80)
    texts = [" ".join(random.permutation([*random.choice(other, 6), *random.choice(bad if kind else good, 2)])) for kind in kinds]
    X = pd.DataFrame({"review": texts})
    y = np.where(np.arange(80) < 40, kinds, -1)
    model = GLGNNClassifier().fit(X, y)
    assert np.mean(model.predict(X)[40:] == kinds[40:]) > 0.9
    assert list(model.predict(pd.DataFrame({"review": ["awful, and late", "Lovely! Great."]}))) == [1, 0]
    assert any(name.startswith("review: ") for name in model.model_features_)
