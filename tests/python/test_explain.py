"""What a fitted model says of rows: explanations, and which to label next."""

import numpy as np
import pandas as pd
import pytest

from glgnn import Explanation, GLGNNClassifier


def test_explains_a_row(fitted):
    explanation = fitted.explain(7)
    assert isinstance(explanation, Explanation)
    assert explanation.row == 7
    assert explanation.label == fitted.transduction_[7]
    assert 0.5 < explanation.probability <= 1
    assert explanation.edges and explanation.features
    assert all(0 <= edge.row < fitted.graph_.shape[0] for edge in explanation.edges)
    assert all(feature.name in fitted.model_features_ for feature in explanation.features)
    weights = [feature.weight for feature in explanation.features]
    assert weights == sorted(weights, reverse=True)
    assert len(explanation.modules) == len(fitted.modules_)
    assert sum(explanation.modules) == pytest.approx(1, abs=1e-5)


def test_the_same_answer_every_time(fitted):
    assert fitted.explain(3) == fitted.explain(3)


def test_explains_a_row_by_its_name(fitted):
    X, y = two_groups()
    model = GLGNNClassifier().fit(pd.DataFrame(X, index=[f"r{i}" for i in range(len(X))]), y)
    assert model.explain("r7") == model.explain(7)
    assert all(item["id"] == f"r{item['row']}" for item in model.suggest(3))
    with pytest.raises(ValueError, match="found 'r999', expected a name of the table's index"):
        model.explain("r999")
    with pytest.raises(ValueError, match="found 'r7', expected a number from 0 to 123$"):
        fitted.explain("r7")


def test_explains_a_row_by_a_name_that_is_a_number(tmp_path):
    X, y = two_groups()
    model = GLGNNClassifier(members=2).fit(pd.DataFrame(X, index=range(100, 190)), y)
    model.save(tmp_path / "m.glgnn")
    for model in (model, GLGNNClassifier.load(tmp_path / "m.glgnn")):
        assert model.explain(105).row == 5 == model.explain("105").row
        assert all(item["id"] == str(item["row"] + 100) for item in model.suggest(3))
        with pytest.raises(ValueError, match="found 5, expected a name of the table's index$"):
            model.explain(5)


@pytest.mark.parametrize(
    "index",
    [
        pd.date_range("2020-01-01", periods=90, freq="36H"),
        pd.MultiIndex.from_product([["a", "b", "c"], range(30)]),
        pd.Index(np.arange(90) / 2 + 0.25),
        pd.period_range("2001-01", periods=90, freq="M"),
    ],
    ids=["dates", "pairs", "fractions", "periods"],
)
def test_explains_a_row_by_any_name(index):
    X, y = two_groups()
    model = GLGNNClassifier("paper", epochs=2).fit(pd.DataFrame(X, index=index), y)
    assert [model.explain(index[7]).row, model.explain(7).row] == [7, 7]
    with pytest.raises(ValueError, match="found 'r7', expected a name of the table's index or a number"):
        model.explain("r7")


def test_a_plain_index_names_no_rows():
    X, y = two_groups()
    model = GLGNNClassifier(members=2).fit(pd.DataFrame(X), y)
    assert model._fitted.row_ids == []
    assert model.explain(5).row == 5


def test_explains_many(fitted):
    some = fitted.explain_all([2, 9])
    assert [explanation.row for explanation in some] == [2, 9]
    assert some[1] == fitted.explain(9)
    assert len(fitted.explain_all()) == len(fitted.transduction_)


def test_explains_many_by_their_names(orchard):
    table, variety, _ = orchard
    model = GLGNNClassifier(members=2).fit(table, variety)
    assert model.explain_all(["tree5", 6]) == [model.explain(5), model.explain("tree6")]


def test_in_words(orchard):
    table, variety, _ = orchard
    model = GLGNNClassifier(members=2).fit(table, variety)
    text = str(model.explain(0))
    assert text.startswith("row 0 is ")
    assert "features: " in text and "rows: " in text
    # In the words of the table: each column once, with its own values.
    for row in range(20):
        features = model.explain(row).features
        names = [feature.name for feature in features]
        assert set(names) <= set(table.columns) and len(names) == len(set(names))
        for feature in features:
            told = table[feature.name].iloc[row]
            if isinstance(feature.value, str):
                assert feature.value == ("missing" if pd.isna(told) else str(told))
            else:
                assert feature.value == pytest.approx(told)


def test_no_such_row(fitted):
    with pytest.raises(ValueError, match="no such row to explain: found 999, expected a number from 0"):
        fitted.explain(999)
    with pytest.raises(ValueError, match="found 1.5, expected a number from 0 to 123"):
        fitted.explain(1.5)


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
    with pytest.raises(ValueError, match="n: found -1, expected a whole number from 0"):
        model.suggest(-1)
    with pytest.raises(ValueError, match="n: found 2.5, expected a whole number"):
        model.suggest(2.5)
