"""What must not matter: the order of the rows, constant columns, units, the names of classes."""

import os
import subprocess

import numpy as np
import pandas as pd
import pytest

from glgnn import GLGNNClassifier


@pytest.fixture(scope="module")
def table():
    """Columns of very different scales, half of the rows labelled."""
    random = np.random.default_rng(8)
    kind = random.integers(0, 3, 120)
    X = pd.DataFrame(
        {
            "length": 1e3 * (kind == 0) + random.normal(0, 500, 120),
            "width": 0.01 * (kind == 1) + random.normal(0, 0.006, 120),
            "age": np.round(40 + 12 * (kind == 2) + random.normal(0, 7, 120)),
            "skewed": np.exp(random.normal(0, 2, 120) + kind),
        }
    )
    return X, np.where(np.arange(120) % 2 == 0, kind, -1), kind


def probabilities(X, y, **more):
    return GLGNNClassifier(**more).fit(X, y).label_distributions_


def run(folder, *words):
    return subprocess.run(
        [os.environ["GLGNN_PROGRAM"], *words], cwd=folder, capture_output=True, text=True
    )


@pytest.fixture
def given_parts(table, tmp_path):
    """fit and predict in a folder with a file of parts: else folds are drawn by the places of rows
    and classes. Gives a function from a table with ids and classes to their probabilities."""
    X, _, kind = table
    ids = [f"r{i}" for i in range(len(X))]
    parts = np.array(["train", "val", "test", "test"])[np.arange(len(X)) % 4]
    pd.DataFrame({"id": ids, "part": parts}).to_csv(tmp_path / "split.csv", index=False)

    def predicted(rows, *more):
        rows.to_csv(tmp_path / "t.csv", index=False)
        words = ["t.csv", "--label", "kind", "--id", "id", "--split", "split.csv", "--out", "m.glgnn"]
        done = run(tmp_path, "fit", *words, *more)
        assert done.returncode == 0, done.stderr
        assert run(tmp_path, "predict", "m.glgnn", "--out", "p.csv").returncode == 0
        return pd.read_csv(tmp_path / "p.csv").set_index("id")

    return X.assign(id=ids, kind=np.array(["a", "b", "c"])[kind]), predicted


def test_permuted_rows_give_permuted_results(given_parts):
    """But for landmarks, whose width is chosen by rows held back by their places."""
    rows, predicted = given_parts
    permuted = rows.iloc[np.random.default_rng(1).permutation(len(rows))]
    first = predicted(rows, "--landmark_heads", "false")
    second = predicted(permuted, "--landmark_heads", "false")
    assert (second.index == permuted["id"]).all()
    columns = ["p_a", "p_b", "p_c"]
    np.testing.assert_allclose(second.loc[first.index][columns], first[columns], atol=1e-5)


def test_classes_renamed_into_another_order_give_renamed_results(given_parts):
    rows, predicted = given_parts
    renamed = rows.assign(kind=rows["kind"].map({"a": "z", "b": "y", "c": "x"}))
    np.testing.assert_allclose(
        predicted(renamed)[["p_z", "p_y", "p_x"]], predicted(rows)[["p_a", "p_b", "p_c"]], atol=1e-5
    )


def test_a_constant_column_changes_nothing(table):
    X, y, _ = table
    before = probabilities(X, y)
    np.testing.assert_array_equal(probabilities(X.assign(one=1.0), y), before)
    np.testing.assert_array_equal(probabilities(X.assign(word="same"), y), before)


def with_constant(rows):
    """In the middle, so that every column behind it has another number."""
    return np.insert(rows, 2, 7.0, axis=1)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_a_constant_column_of_an_array_changes_nothing(table, kind, tmp_path):
    X, y, _ = table
    rows = X.to_numpy(dtype=kind)
    before = GLGNNClassifier().fit(rows, y)
    after = GLGNNClassifier().fit(with_constant(rows), y)
    np.testing.assert_array_equal(after.label_distributions_, before.label_distributions_)
    assert after.n_features_in_ == 5 and after.model_features_ == ["f0", "f1", "f3", "f4"]
    new = rows[:9] * kind(1.01)
    wanted = before.predict_proba(new)
    np.testing.assert_array_equal(after.predict_proba(with_constant(new)), wanted)
    # Another value of it means nothing, and a row without it is not one of these.
    other = with_constant(new)
    other[:, 2] = -1e6
    np.testing.assert_array_equal(after.predict_proba(other), wanted)
    with pytest.raises(ValueError, match="4 features.*expecting 5"):
        after.predict_proba(new)
    after.save(tmp_path / "m.glgnn")
    read = GLGNNClassifier.load(tmp_path / "m.glgnn")
    np.testing.assert_array_equal(read.predict_proba(with_constant(new)), wanted)


def test_a_constant_column_of_an_array_file_changes_nothing(table, tmp_path):
    X, y, _ = table
    rows = X.to_numpy(dtype=np.float32)
    np.save(tmp_path / "y.npy", y)
    texts = []
    for name, given in (("x", rows), ("more", with_constant(rows))):
        np.save(tmp_path / f"{name}.npy", given)
        np.save(tmp_path / f"{name}_new.npy", given[:9])
        done = run(tmp_path, "fit", f"{name}.npy", "--label", "y.npy", "--out", f"{name}.glgnn")
        assert done.returncode == 0, done.stderr
        done = run(tmp_path, "predict", f"{name}.glgnn", f"{name}_new.npy")
        assert done.returncode == 0, done.stderr
        texts.append(done.stdout)
    assert texts[0] == texts[1]
    done = run(tmp_path, "predict", "more.glgnn", "x_new.npy")
    assert done.returncode == 3 and "expected 5, as the model was fitted on" in done.stderr


@pytest.mark.parametrize("column", ["length", "width", "age", "skewed"])
def test_the_unit_of_a_column_changes_nothing(table, column):
    X, y, _ = table
    other = X.assign(**{column: 10 * X[column] + 3})
    np.testing.assert_allclose(probabilities(other, y), probabilities(X, y), atol=1e-5)


def test_renamed_classes_give_the_same_bits(table):
    X, y, _ = table
    names = np.array(["a", "b", "c", None], dtype=object)
    np.testing.assert_array_equal(probabilities(X, names[y]), probabilities(X, y))


def test_a_row_of_a_class_that_nobody_trains_on_is_named(table, tmp_path):
    X, _, kind = table
    names = np.array(["a", "b", "c"], dtype=object)[kind]
    names[5] = "unheard of"
    X.assign(kind=names).to_csv(tmp_path / "t.csv", index=False)
    parts = np.where(np.arange(len(X)) % 3 == 0, "train", "test")
    parts[5] = "test"
    lines = [f"{row},{part}" for row, part in enumerate(parts)]
    (tmp_path / "split.csv").write_text("id,part\n" + "\n".join(lines) + "\n")
    done = run(tmp_path, "fit", "t.csv", "--label", "kind", "--split", "split.csv")
    assert done.returncode == 3
    assert 'row 5 is to test with the class "unheard of", of which no row trains' in done.stderr
