"""Labels of any kind as class numbers, and back."""

import warnings

import numpy as np
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from . import _core
from ._inputs import check_text

UNLABELLED = -1
WIDEST = 100_000  # letters of a label in a file: each label takes the room of the widest


def encode_labels(y):
    """The class number of each row, -1 where it has none, and the classes."""
    values, missing = _values_and_gaps(y)
    known = _one_type(values[~missing])
    check_classification_targets(known)
    if known.dtype.kind in "iu" and (known == UNLABELLED).any() and _means_unlabelled(known):
        missing[~missing] = known == UNLABELLED
        known = known[known != UNLABELLED]
    classes = np.unique(known)
    if len(classes) < 2:
        raise ValueError(
            f"the labels hold {len(classes)} class{'' if len(classes) == 1 else 'es'}, expected at "
            "least 2; label rows of another class too"
        )
    if classes.dtype.kind in "UO":
        check_text(classes.tolist(), "labels")
    _warn_of_words(classes)
    _warn_of_spellings(classes)
    codes = np.full(len(values), UNLABELLED, dtype=np.int32)
    codes[~missing] = np.searchsorted(classes, known)
    return codes, classes


def known_labels(y, classes):
    """The labels of the rows that have one, and which rows these are, for a model of these classes."""
    values, missing = _values_and_gaps(y)
    known = _one_type(values[~missing])
    if known.dtype.kind in "iu" and UNLABELLED not in classes:
        missing[~missing] = known == UNLABELLED
        known = known[known != UNLABELLED]
    return known, ~missing


def _means_unlabelled(known):
    """-1 marks rows without a label beside classes from 0; -1 and 1 alone are two classes."""
    others = np.unique(known[known != UNLABELLED])
    if len(others) == 1:
        warnings.warn(
            f"y holds only -1 and {others[0]}: -1 is taken as a class, not as a missing label; name the "
            "classes 0 and 1 to be clear, or use NaN for rows without a label",
            stacklevel=4,
        )
    return len(others) > 1 and others[0] >= 0


def _warn_of_words(classes):
    """What np.array(["a", np.nan]) and astype(str) make of a gap is a text like any other."""
    if classes.dtype.kind not in "UO":
        return
    texts = [str(value) for value in classes]
    words = [text for text in texts if text == str(UNLABELLED) or _core.means_unlabelled(text)]
    if "+" in texts and "-" in words:
        words.remove("-")
    if words:
        warnings.warn(
            f"taken as a class, not as a missing label: {', '.join(map(repr, words))}; use None or NaN for "
            "rows without a label",
            stacklevel=4,
        )


def _warn_of_spellings(classes):
    """Texts that differ in case alone are likely one class, but here they are the caller's."""
    if classes.dtype.kind not in "UO":
        return
    lower = {}
    for value in classes:
        lower.setdefault(str(value).strip().lower(), []).append(str(value))
    alike = [" and ".join(map(repr, values)) for values in lower.values() if len(values) > 1]
    if alike:
        warnings.warn(
            f"labels that differ only in their spelling are different classes: {', '.join(alike)}; "
            "make them alike if they are meant to be one",
            stacklevel=4,
        )


def _values_and_gaps(y):
    if hasattr(y, "isna"):  # a Series, which may have gaps of its own kind
        gaps = np.asarray(y.isna() | (y == "")).reshape(len(y), -1)[:, 0].astype(bool)
        values = column_or_1d(np.asarray(y, dtype=object if gaps.any() else None), warn=True)
        return values, gaps
    values = column_or_1d(_as_array(y), warn=True)
    if values.dtype.kind == "f":
        if np.isinf(values).any():
            raise ValueError("Input y contains infinity: found inf, expected class labels")
        return values, np.isnan(values)
    if values.dtype.kind == "O":
        return values, np.array([_is_gap(value) for value in values], dtype=bool)
    if values.dtype.kind in "US":
        return values, values == values.dtype.type()
    return values, np.zeros(len(values), dtype=bool)


def _is_gap(value):
    return value is None or value != value or (isinstance(value, str) and value == "")


def _as_array(y):
    """Like np.asarray, except that a gap among other labels does not turn all of them into text."""
    if isinstance(y, (list, tuple)) and any(map(_is_gap, y)):
        array = np.empty(len(y), dtype=object)
        array[:] = y
        return array
    if np.ma.is_masked(y):
        return np.where(np.ma.getmaskarray(y), None, np.ma.getdata(y).astype(object))
    return np.asarray(y)


def _one_type(known):
    """Objects as texts or numbers; labels of both kinds cannot be sorted or told apart in a file."""
    if known.dtype.kind != "O" or len(known) == 0:
        return known
    texts = sum(isinstance(value, str) for value in known)
    if texts == len(known):
        return known
    if texts > 0:
        raise ValueError(
            f"labels of two kinds: found {texts} texts and {len(known) - texts} others, expected "
            "all texts or all numbers; convert them, e.g. with y.astype(str)"
        )
    return np.array(known.tolist())


def to_json(values):
    """An array of labels as plain JSON that keeps its dtype."""
    kind = values.dtype.kind
    if kind in "mM":
        return {"dtype": values.dtype.str, "values": values.astype(np.int64).tolist()}
    if kind == "S":
        return {"dtype": values.dtype.str, "values": [value.decode("latin-1") for value in values]}
    return {"dtype": values.dtype.str, "values": values.tolist()}


def from_json(stored):
    """The array that to_json() was given."""
    dtype = np.dtype(stored["dtype"])
    if dtype.kind not in "biufmMUSO" or not 0 < dtype.itemsize <= 4 * WIDEST:
        raise ValueError(f"labels of dtype {dtype}")
    if dtype.kind in "mM":
        return np.array(stored["values"], dtype=np.int64).astype(dtype)
    if dtype.kind == "S":
        return np.array([value.encode("latin-1") for value in stored["values"]], dtype=dtype)
    return np.array(stored["values"], dtype=dtype)
