"""What a model file keeps for Python beside the model: labels of any type, parameters."""

import json
import os
import re
import tempfile

import numpy as np

from . import _core, _labels
from ._inputs import NAMED, to_path

VERSION = 2
MODEL_FILE = b"GLGNN\r\n\x1a"  # how model files begin


def put(model):
    """Writes the Python side of a fitted classifier into its model."""
    names = getattr(model, "feature_names_in_", None)
    model._fitted.caller_data = json.dumps(
        {
            "glgnn_python": VERSION,
            "classes": _labels.to_json(model._model_classes),
            "n_features_in": model.n_features_in_,
            "feature_names_in": None if names is None else names.tolist(),
            "parameters": _plain(model.get_params(deep=False), model._fitted.settings["seed"]),
        }
    )


def _plain(parameters, seed):
    """A random generator cannot be kept in a file: the seed it gave is."""
    plain = dict(parameters, random_state=int(seed))
    return json.loads(json.dumps(plain, default=lambda value: value.item()))


def take(model, fitted):
    """Makes `model` the fitted classifier whose model file was read."""
    if not fitted.caller_data:
        _take_of_program(model, fitted)
        return
    try:
        _take_stored(model, fitted)
    except (AttributeError, KeyError, OverflowError, RecursionError, TypeError, ValueError) as error:
        raise ValueError(
            f"the model file's part for Python cannot be used: found {str(error)[:200]!r}, expected what "
            f"GLGNNClassifier.save() of version {VERSION} writes; fit again, or use it with the program"
        ) from error


def _take_stored(model, fitted):
    stored = json.loads(fitted.caller_data)
    if stored["glgnn_python"] != VERSION:
        raise ValueError(f"version {stored['glgnn_python']!r}")
    classes = _labels.from_json(stored["classes"])
    if classes.shape != (len(fitted.class_names),):
        raise ValueError(f"classes of shape {classes.shape}")
    columns, names = stored["n_features_in"], stored["feature_names_in"]
    if not isinstance(columns, int) or columns < 1:
        raise ValueError(f"{columns!r} columns")
    if names is not None and (len(names) != columns or not all(isinstance(name, str) for name in names)):
        raise ValueError("names that are not those of the columns")
    model.set_params(**stored["parameters"])
    set_classes(model, classes)
    model.n_features_in_ = columns
    if names is not None:
        model.feature_names_in_ = np.array(names, dtype=object)
    model._fitted = fitted


def _take_of_program(model, fitted):
    """A file that `glgnn fit` wrote."""
    names = _feature_columns(fitted) or fitted.feature_names
    model.set_params(**_parameters(fitted.settings))
    set_classes(model, _labels.from_names(fitted.class_names))
    are_numbered = all(re.fullmatch("f[0-9]+", name) for name in names)  # columns of an array
    if table_columns(fitted) or not are_numbered:
        model.feature_names_in_ = np.array(names, dtype=object)
    model.n_features_in_ = len(names)
    model._fitted = fitted


def _parameters(settings):
    """Parameters of the classifier that give these settings."""
    parameters = {"mode": settings["mode"], "random_state": int(settings["seed"])}
    others = {}
    for line in _core.settings():
        name, value = line["name"], settings[line["name"]]
        is_read = line["mode"] in ("", settings["mode"]) and name not in ("mode", "seed")
        if is_read and value != line["default"]:
            if name in NAMED:
                parameters[name] = int(value)
            else:
                others[name] = value
    return {**parameters, "settings": others or None}


def set_classes(model, classes):
    """Keeps the classes as the model numbers them, and shows them sorted, as scikit-learn needs."""
    model._model_classes = classes
    model.classes_ = np.sort(classes)


def table_columns(fitted):
    """The columns of the table that the model was fitted on, without labels and names of rows; none
    for arrays."""
    return [] if fitted.is_of_array else _feature_columns(fitted)


def _feature_columns(fitted):
    return [name for name, kind in fitted.columns if kind not in ("label", "row id")]


def refuse_model(path):
    """Refuses to write over a model file."""
    if not os.path.isfile(path):
        return
    with open(to_path(path), "rb") as file:
        if file.read(len(MODEL_FILE)) == MODEL_FILE:
            raise ValueError(
                f"{os.fsdecode(path)}: the report would overwrite a model; choose another file"
            )


def to_bytes(fitted):
    """The model file as bytes."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.glgnn")
        fitted.save(path)
        with open(path, "rb") as file:
            return file.read()


def from_bytes(content, threads):
    """The model that to_bytes() was given."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.glgnn")
        with open(path, "wb") as file:
            file.write(content)
        return _core.load(path, threads)
