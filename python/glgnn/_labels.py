"""Labels of any kind as class numbers, and back."""

import re

import numpy as np
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from . import _core
from ._inputs import are_whole_numbers, check_text
from ._running import warn

UNLABELLED = -1
WIDEST = 100_000  # letters of a label in a file: each label takes the room of the widest


def encode_labels(y):
    """The class number of each row, -1 where it has none, and the classes."""
    known, missing = _labels_and_gaps(y)
    check_classification_targets(known)
    if known.dtype.kind in "iuf" and (known == UNLABELLED).any() and _means_unlabelled(known):
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
    codes = np.full(len(missing), UNLABELLED, dtype=np.int32)
    codes[~missing] = np.searchsorted(classes, known)
    return codes, classes


def known_labels(y, classes):
    """The labels of the rows that have one, and which rows these are, for a model of these classes."""
    known, missing = _labels_and_gaps(y)
    if len(known) > 0 and _kind(known) != _kind(classes):
        raise ValueError(
            f"y holds {_kind(known)}, and the classes of the model are {_kind(classes)} such as "
            f"{classes[0]!r}; convert y to their type"
        )
    if known.dtype.kind in "iuf" and UNLABELLED not in classes:
        missing[~missing] = known == UNLABELLED
        known = known[known != UNLABELLED]
    return known, ~missing


def _means_unlabelled(known):
    """-1 marks rows without a label beside classes from 0; -1 and 1 alone are two classes."""
    is_other = known != UNLABELLED
    others = np.unique(known[is_other])
    if others.tolist() == [0, 1] and np.count_nonzero(is_other) > len(known) / 2:
        warn(
            "y holds -1, 0 and 1: rows of -1 are taken as rows without a label; if -1 is a class, give "
            "texts such as 'low', 'middle' and 'high', and if not, None or NaN in its place"
        )
    if len(others) == 1:
        warn(
            f"y holds only -1 and {others[0]}: -1 is taken as a class, not as a missing label; name the "
            "classes 0 and 1 to be clear, or use NaN for rows without a label"
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
        warn(
            f"taken as a class, not as a missing label: {', '.join(map(repr, words))}; use None or NaN for "
            "rows without a label"
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
        warn(
            f"labels that differ only in their spelling are different classes: {', '.join(alike)}; "
            "make them alike if they are meant to be one"
        )


def _labels_and_gaps(y):
    """The labels of the rows that have one, of one type, and which rows have none."""
    if hasattr(y, "isna"):  # a Series: without its gaps it keeps its type
        missing = np.asarray(y.isna() | (y == "")).reshape(len(y), -1)[:, 0].astype(bool)
        return _one_type(column_or_1d(np.asarray(y[~missing]), warn=True)), missing
    values = column_or_1d(_as_array(y), warn=True)
    if values.dtype.kind == "f" and np.isinf(values).any():
        raise ValueError("Input y contains infinity: found inf, expected class labels")
    if values.dtype.kind == "O":
        missing = np.array([_is_gap(value) for value in values], dtype=bool)
    elif values.dtype.kind in "US":
        missing = values == values.dtype.type()
    else:
        missing = values != values  # NaN and NaT
    return _one_type(values[~missing]), missing


def _is_gap(value):
    if value is None or (isinstance(value, str) and value == ""):
        return True
    try:
        return bool(value != value)
    except TypeError:  # of pandas.NA
        return True


def _are_of_two_kinds(y):
    return 0 < sum(isinstance(value, str) for value in y) < len(y)


def _kind(labels):
    return {"M": "dates", "m": "durations", "S": "bytes", "U": "texts", "O": "texts"}.get(
        labels.dtype.kind, "numbers"
    )


def _as_array(y):
    """Like np.asarray, except that a gap or a text among other labels does not turn all into text."""
    if isinstance(y, (list, tuple)) and (any(map(_is_gap, y)) or _are_of_two_kinds(y)):
        array = np.empty(len(y), dtype=object)
        array[:] = y
        return array
    if np.ma.is_masked(y):
        return np.where(np.ma.getmaskarray(y), None, np.ma.getdata(y).astype(object))
    return np.asarray(y)


def _one_type(known):
    """Objects as numbers or texts; both kinds together cannot be sorted or told apart in a file."""
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
    types = sorted({type(value).__name__ for value in known})
    if "Decimal" in types and set(types) <= {"Decimal", "int", "float"}:
        return known.astype(np.float64)
    if not any(np.iterable(value) and not isinstance(value, bytes) for value in known):
        array = np.array(known.tolist())
        if array.dtype.kind != "O":
            return array
        if len(types) == 1:  # intervals, periods, days: NumPy has no type for them
            return array.astype(str)
    raise ValueError(
        f"labels: found values of the types {', '.join(types)}, expected texts, numbers, or dates "
        "and the like of one type; convert them, e.g. with y.astype(str)"
    )


def from_names(names):
    """The classes of a model of the program: numbers where all are whole, as pandas reads them."""
    if are_whole_numbers(names):
        return np.array(names, dtype=np.int64)
    if are_whole_numbers([re.sub(r"\.0+$", "", name) for name in names]):
        numbers = np.array(names, dtype=np.float64)
        if len(np.unique(numbers)) == len(names):
            return numbers
    return np.array(names)


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
