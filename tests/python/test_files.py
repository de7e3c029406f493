"""Model files, pickles, and models of the program."""

import copy
import json
import os
import pickle
import shutil
import subprocess
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_wine
from sklearn.metrics import get_scorer

from glgnn import GLGNNClassifier, _stored

PROGRAM = os.environ.get("GLGNN_PROGRAM") or shutil.which("glgnn")


def assert_same(a, b, new):
    assert a.get_params() == b.get_params()
    assert a.classes_.dtype == b.classes_.dtype
    np.testing.assert_array_equal(a.classes_, b.classes_)
    np.testing.assert_array_equal(a.label_distributions_, b.label_distributions_)
    np.testing.assert_array_equal(a.predict_proba(new), b.predict_proba(new))
    assert (a.graph_ != b.graph_).nnz == 0
    assert a.n_features_in_ == b.n_features_in_ and a.model_features_ == b.model_features_
    drop = lambda history: [{**line, "seconds": 0} for line in history]  # noqa: E731  (not kept)
    assert drop(a.history_) == drop(b.history_)


@pytest.mark.parametrize("again", ["save", "pickle", "deepcopy"])
def test_comes_back(fitted, wine, tmp_path, again):
    if again == "save":
        fitted.save(tmp_path / "wine.glgnn")
        back = GLGNNClassifier.load(tmp_path / "wine.glgnn")
    elif again == "pickle":
        back = pickle.loads(pickle.dumps(fitted))
    else:
        back = copy.deepcopy(fitted)
    assert_same(back, fitted, wine[1])


def test_paper_mode_and_its_scaling_come_back(wine, tmp_path):
    X, new, y, _ = wine
    model = GLGNNClassifier(mode="paper", epochs=10, k=5, settings={"dropout": 0.25}).fit(X, y)
    model.save(tmp_path / "paper.glgnn")
    assert_same(GLGNNClassifier.load(tmp_path / "paper.glgnn"), model, new)
    assert_same(pickle.loads(pickle.dumps(model)), model, new)


def test_labels_and_columns_come_back(orchard, tmp_path):
    table, variety, _ = orchard
    model = GLGNNClassifier(members=2, random_state=np.random.RandomState(3)).fit(table, variety)
    model.save(tmp_path / "orchard.glgnn")
    back = GLGNNClassifier.load(tmp_path / "orchard.glgnn")
    assert isinstance(back.random_state, int)  # a generator cannot be kept, its seed is
    assert_same(back.set_params(random_state=None), clone_of(model, random_state=None), table)
    assert back.feature_names_in_.tolist() == list(table.columns)


def clone_of(model, **parameters):
    return copy.deepcopy(model).set_params(**parameters)


def test_clone_is_not_fitted(fitted):
    fresh = clone(fitted)
    assert fresh.get_params() == fitted.get_params() and not hasattr(fresh, "classes_")


def test_names_of_files_need_not_be_text(fitted, tmp_path):
    path = os.fsencode(tmp_path) + b"/\xff.glgnn"
    fitted.save(path)
    assert os.listdir(os.fsencode(tmp_path)) == [b"\xff.glgnn"]
    GLGNNClassifier.load(os.fsdecode(path))
    with pytest.raises(ValueError, match="a byte 0"):
        fitted.save(str(tmp_path / "a\0b"))


def test_files_that_cannot_be_read_or_written(fitted, tmp_path):
    with pytest.raises(OSError, match="no such file"):
        GLGNNClassifier.load(tmp_path / "nowhere.glgnn")
    (tmp_path / "broken.glgnn").write_bytes(b"not a model")
    with pytest.raises(ValueError, match="is not a file of this program"):
        GLGNNClassifier.load(tmp_path / "broken.glgnn")
    with pytest.raises(OSError):
        fitted.save(tmp_path / "no folder" / "wine.glgnn")


@pytest.mark.parametrize(
    "change",
    [
        lambda stored: [],
        lambda stored: {},
        lambda stored: {**stored, "glgnn_python": 1},
        lambda stored: {**stored, "classes": {"dtype": "<U1000000000", "values": ["a", "b", "c"]}},
        lambda stored: {**stored, "classes": {"dtype": "<i8", "values": [0]}},
        lambda stored: {**stored, "classes": {"dtype": "<M8[s]", "values": [0, 1, 2**99]}},
        lambda stored: {**stored, "classes": {"dtype": "nothing", "values": [0, 1, 2]}},
        lambda stored: {**stored, "n_features_in": "many"},
        lambda stored: {**stored, "feature_names_in": ["one"]},
        lambda stored: {**stored, "parameters": {"nonsense": 1}},
        lambda stored: {**stored, "parameters": None},
    ],
)
def test_a_part_for_python_that_does_not_fit_is_refused(fitted, tmp_path, change):
    hostile = copy.deepcopy(fitted)
    hostile.save(tmp_path / "good.glgnn")  # which writes the part
    hostile._fitted.caller_data = json.dumps(change(json.loads(hostile._fitted.caller_data)))
    hostile._fitted.save(os.fsencode(tmp_path / "bad.glgnn"))
    with pytest.raises(ValueError, match="the model file's part for Python cannot be used"):
        GLGNNClassifier.load(tmp_path / "bad.glgnn")


def test_the_program_reads_models_of_python(fitted, tmp_path):
    fitted.save(tmp_path / "wine.glgnn")
    lines = run_program("predict", tmp_path / "wine.glgnn").splitlines()
    assert len(lines) == len(fitted.transduction_) + 1
    predicted = [line.split(",")[1] for line in lines[1:]]
    assert predicted == [str(label) for label in fitted.transduction_]


def test_python_reads_models_of_the_program(wine, tmp_path):
    X, new, y, truth = wine
    table = pd.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])])
    table["kind"] = np.array(["a", "b", "c"])[y]
    table.to_csv(tmp_path / "wine.csv", index=False)
    run_program("fit", tmp_path / "wine.csv", "--label", "kind", "--out", tmp_path / "w.glgnn")
    model = GLGNNClassifier.load(tmp_path / "w.glgnn")
    same = GLGNNClassifier().fit(table.drop(columns="kind"), table["kind"])
    assert model.classes_.tolist() == ["a", "b", "c"]
    np.testing.assert_array_equal(model.label_distributions_, same.label_distributions_)
    predicted = model.predict(pd.DataFrame(new, columns=model.feature_names_in_))
    assert np.mean(predicted == np.array(["a", "b", "c"])[truth]) >= 0.9


def test_classes_of_the_program_that_are_numbers(wine, tmp_path):
    X, new, y, truth = wine
    table = pd.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])])
    table.assign(kind=y * 5).to_csv(tmp_path / "wine.csv", index=False)
    run_program("fit", tmp_path / "wine.csv", "--label", "kind", "--out", tmp_path / "w.glgnn")
    model = GLGNNClassifier.load(tmp_path / "w.glgnn")
    new = pd.DataFrame(new, columns=table.columns)
    model.save(tmp_path / "again.glgnn")
    again = GLGNNClassifier.load(tmp_path / "again.glgnn")
    for model in (model, again, pickle.loads(pickle.dumps(model))):
        assert model.classes_.tolist() == [0, 5, 10] and model.predict(new).dtype.kind == "i"
        assert model.score(new, truth * 5) >= 0.9


def test_classes_of_the_program_are_sorted(wine, tmp_path):
    X, new, y, truth = wine
    names = np.array(["10", "2.5", "-3"])  # in the order of numbers in the file, of texts here
    table = pd.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])])
    table.assign(kind=names[y]).to_csv(tmp_path / "wine.csv", index=False)
    asked = ["--categorical", "kind", "--mode", "paper", "--epochs", "40"]
    run_program("fit", tmp_path / "wine.csv", "--label", "kind", "--out", tmp_path / "w.glgnn", *asked)
    model = GLGNNClassifier.load(tmp_path / "w.glgnn")
    assert model._fitted.class_names == ["-3", "2.5", "10"]
    model.save(tmp_path / "again.glgnn")
    again = GLGNNClassifier.load(tmp_path / "again.glgnn")
    new = pd.DataFrame(new, columns=table.columns)
    lines = [line.split(",") for line in run_program("predict", tmp_path / "w.glgnn").splitlines()[1:]]
    for model in (model, again, pickle.loads(pickle.dumps(model))):
        assert model.classes_.tolist() == ["-3", "10", "2.5"]
        assert np.mean(model.predict(new) == names[truth]) >= 0.9
        assert get_scorer("roc_auc_ovr")(model, new, names[truth]) >= 0.9
        calibrated = CalibratedClassifierCV(model, cv="prefit").fit(new, names[truth])
        assert np.mean(calibrated.predict(new) == names[truth]) >= 0.9
        assert model.transduction_.tolist() == [line[1] for line in lines]
        best = model.label_distributions_.argmax(axis=1)
        np.testing.assert_array_equal(model.classes_[best], model.transduction_)
        assert [e.label for e in model.explain_all(range(9))] == model.transduction_[:9].tolist()
        assert model.estimate_["majority_class"] == names[np.bincount(y).argmax()]
    state = model.__getstate__()
    state["classes_"] = state.pop("_model_classes")  # as pickles of earlier versions have it
    earlier = GLGNNClassifier.__new__(GLGNNClassifier)
    earlier.__setstate__(state)
    np.testing.assert_array_equal(earlier.predict(new), model.predict(new))
    assert earlier.classes_.tolist() == ["-3", "10", "2.5"]


def test_class_shares_are_those_of_the_classes(wine):
    X, _, y, _ = wine
    few = np.concatenate([np.flatnonzero(y == c)[:12] for c in range(3)])
    labels = np.full(len(y), -1)
    labels[few] = y[few]
    model = GLGNNClassifier(members=2).fit(X, labels)
    first, second, third = model.estimate_["class_shares"]
    assert first != second
    _stored.set_classes(model, np.array(["c", "a", "b"]))  # as a file may have them
    assert model.estimate_["class_shares"] == [second, third, first]


def test_settings_of_the_program_come_along(wine, tmp_path):
    X, _, y, _ = wine
    table = pd.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])])
    table.assign(kind=y.astype(float)).to_csv(tmp_path / "wine.csv", index=False)
    for asked in (["--mode", "paper", "--epochs", "12", "--mu1", "0.5"], ["--members", "2", "--seed", "7"]):
        run_program("fit", tmp_path / "wine.csv", "--label", "kind", "--out", tmp_path / "w.glgnn", *asked)
        model = GLGNNClassifier.load(tmp_path / "w.glgnn")
        assert model.classes_.tolist() == [0, 1, 2] and model.classes_.dtype.kind == "f"
        assert str(model.get_params()[asked[2 if asked[0] == "--mode" else 0][2:]]) in asked
        again = clone(model).fit(table, y.astype(float))
        assert again._fitted.settings == model._fitted.settings
        np.testing.assert_array_equal(again.label_distributions_, model.label_distributions_)


def test_models_of_arrays_have_no_names(wine, tmp_path):
    X, new, y, truth = wine
    np.save(tmp_path / "X.npy", np.column_stack([X, np.ones(len(X))]))
    np.save(tmp_path / "y.npy", y)
    run_program("fit", tmp_path / "X.npy", "--label", tmp_path / "y.npy", "--out", tmp_path / "w.glgnn")
    model = GLGNNClassifier.load(tmp_path / "w.glgnn")
    assert not hasattr(model, "feature_names_in_") and model.n_features_in_ == 14
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert model.score(np.column_stack([new, np.ones(len(new))]), truth) >= 0.9
    with pytest.warns(UserWarning, match="was fitted without feature names"):
        model.predict(pd.DataFrame(new).add_prefix("own ").assign(last=1))


def test_names_of_a_folder_come_along(wine, tmp_path):
    X, _, y, _ = wine
    np.save(tmp_path / "features.npy", X.astype(np.float32))
    np.save(tmp_path / "labels.npy", y.astype(np.int32))
    names = load_wine().feature_names
    (tmp_path / "feature_names.txt").write_text("\n".join(names) + "\n")
    run_program("fit", tmp_path, "--mode", "paper", "--epochs", "2", "--out", tmp_path / "w.glgnn")
    assert GLGNNClassifier.load(tmp_path / "w.glgnn").feature_names_in_.tolist() == names


def test_a_report_overwrites_no_model(fitted, tmp_path):
    fitted.save(tmp_path / "wine.glgnn")
    before = (tmp_path / "wine.glgnn").read_bytes()
    with pytest.raises(ValueError, match="wine.glgnn: the report would overwrite a model; choose another file"):
        fitted.report(tmp_path / "wine.glgnn")
    assert (tmp_path / "wine.glgnn").read_bytes() == before


def test_labels_of_intervals_come_back(wine, tmp_path):
    X, new, _, _ = wine
    y = pd.Series(pd.cut(X[:, 0], 3)).where(np.arange(len(X)) % 5 > 0)
    model = GLGNNClassifier(members=2).fit(X, y)
    model.save(tmp_path / "m.glgnn")
    back = GLGNNClassifier.load(tmp_path / "m.glgnn")
    assert set(back.predict(new)) <= set(y.dropna().astype(str))
    assert back.score(X, y) == model.score(X, y) > 0.6


@pytest.fixture(scope="module")
def mixed(orchard):
    """A table with every kind of column, and its labels."""
    table, variety, _ = orchard
    n = len(table)
    table = table.reset_index(drop=True).assign(
        planted=pd.date_range("2001-03-01", periods=n, freq="9D"),
        customer_id=np.arange(n) + 700,
        name=[f"tree {i}" for i in range(n)],
        remark=[f"this one stands in the long row number {i} by the river and is old" for i in range(n)],
        price=[f"${1000 + 7 * i:,}" for i in range(n)],
        ratio=(np.arange(n) / 7).astype(np.float32),
        same=3,
        soil=np.array(["clay", "sand", "loam", "peat"])[[0, 1] * 70 + [2] * 9 + [3]],
    )
    return table, pd.Series(variety.to_numpy(), name="variety")


def test_a_table_and_its_file_give_the_same_model(mixed, tmp_path):
    table, variety = mixed
    table.assign(variety=variety).to_csv(tmp_path / "trees.csv", index=False)
    run_program("fit", tmp_path / "trees.csv", "--label", "variety", "--out", tmp_path / "t.glgnn")
    of_file = GLGNNClassifier.load(tmp_path / "t.glgnn")
    with pytest.warns(UserWarning, match="left out"):
        of_table = GLGNNClassifier().fit(table, variety)
    assert of_file.model_features_ == of_table.model_features_
    for a, b in zip(features_of(of_file), features_of(of_table)):
        np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(of_file.label_distributions_, of_table.label_distributions_)
    assert set(of_file.feature_names_in_) == set(table.columns)
    # Each predicts the rows of the other, whatever was left out.
    few = table.drop(columns=["name", "remark", "same", "customer_id"])[:20]
    expected = of_table.predict_proba(table[:20])
    np.testing.assert_array_equal(of_file.predict_proba(few), expected)
    again = pd.read_csv(tmp_path / "trees.csv")[:20]
    np.testing.assert_array_equal(of_file.predict_proba(again), expected)
    of_table.save(tmp_path / "p.glgnn")
    assert run_program("predict", tmp_path / "p.glgnn", tmp_path / "trees.csv") == run_program(
        "predict", tmp_path / "t.glgnn", tmp_path / "trees.csv"
    )


def features_of(model):
    features = model._fitted.features
    return features if isinstance(features, tuple) else (features,)


def run_program(*arguments):
    assert PROGRAM, "the program glgnn is not there: build it, and set GLGNN_PROGRAM to its path"
    done = subprocess.run(
        [PROGRAM, *map(str, arguments)], capture_output=True, text=True, check=True, timeout=120
    )
    return done.stdout


@pytest.mark.parametrize("unit", ["s", "D"])
def test_durations_of_a_table_and_of_its_file_are_alike(tmp_path, unit):
    rng = np.random.default_rng(3)
    table = pd.DataFrame({"span": pd.to_timedelta(rng.integers(0, 90, 30), unit=unit), "n": rng.normal(size=30)})
    y = np.array(["a", "b"])[(table["n"] > 0).to_numpy(int)]
    model = GLGNNClassifier().fit(table, y)
    table.to_csv(tmp_path / "t.csv", index=False)
    read = pd.read_csv(tmp_path / "t.csv")
    np.testing.assert_array_equal(model.predict_proba(read), model.predict_proba(table))
    np.testing.assert_array_equal(GLGNNClassifier().fit(read, y).predict_proba(table), model.predict_proba(table))
    one = table.iloc[:1] + pd.Series({"span": pd.Timedelta("12:00:00"), "n": 0})
    assert model.predict(one)[0] in ("a", "b")
