"""What a caller gives, X and the parameters, checked and in the form that the compiled part takes."""

import numbers
import os
import re

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_array, check_random_state

from . import _core

FLOATS = (np.float64, np.float32)  # both are read as they lie in memory, others are converted


def check_sparse(matrix, name):
    """SciPy believes the arrays of a matrix and reads outside its memory where they are wrong."""
    if not sp.issparse(matrix):
        return
    try:
        if matrix.format in ("csr", "csc", "bsr"):
            matrix.check_format(full_check=True)
        elif matrix.format == "coo":
            sp.coo_matrix((matrix.data, (matrix.row, matrix.col)), shape=matrix.shape)
    except ValueError as error:
        raise ValueError(
            f"{name}: found a sparse matrix whose arrays do not fit together ({error}), expected one "
            "that SciPy has made; make it anew from rows and columns"
        ) from error


def to_core(X, **limits):
    """A table as its columns; dense rows as they are; sparse rows as (data, indices, indptr,
    columns), sorted."""
    if is_frame(X):
        check_size(X, limits.get("ensure_min_samples", 1))
        return to_columns(X)
    check_sparse(X, "X")
    if isinstance(X, np.ma.MaskedArray):  # what lies under a mask is no number of the caller's
        X = X.astype(float).filled(np.nan)
    rows = check_array(X, accept_sparse="csr", dtype=FLOATS, input_name="X", **limits)
    if not sp.issparse(rows):
        return rows
    _core.check_columns(rows.shape[1], rows.nnz)
    if not rows.has_canonical_format or not rows.data.all():
        rows = rows.copy()  # the caller's matrix stays as it is
        rows.sum_duplicates()
        rows.eliminate_zeros()
    return rows.data, rows.indices, rows.indptr, rows.shape[1]


def check_size(frame, least_rows):
    rows, columns = frame.shape
    if rows < least_rows or columns == 0:
        raise ValueError(
            f"X: found a table of {_counted(rows, 'row')} and {_counted(columns, 'column')}, expected at "
            f"least {_counted(least_rows, 'row')} and 1 column; check how it was made"
        )


def _counted(count, noun):
    return f"{count} {noun}{'' if count == 1 else 's'}"


def check_text(texts, name):
    """Half a character, such as Python makes of broken names, can stand in no file."""
    try:
        "\n".join(map(str, texts)).encode()
    except UnicodeEncodeError as error:
        raise ValueError(
            f"{name}: found {error.object[error.start:error.end]!r}, which is no whole character, expected "
            "text; repair it, e.g. with text.encode('utf-8', 'replace').decode()"
        ) from error


def to_path(path):
    """The bytes of a file's name, which need be no text; a byte 0 would end it early."""
    name = os.fsencode(path)
    if b"\0" in name:
        raise ValueError(f"found a file name with a byte 0, {path!r}, expected one without")
    return name


def width_of(rows):
    """How many columns the rows of to_core() have."""
    if isinstance(rows, list):
        return len(rows)
    return rows[3] if isinstance(rows, tuple) else rows.shape[1]


def to_csr(parts, columns):
    """A SciPy matrix of (data, indices, indptr)."""
    data, indices, indptr = parts
    return sp.csr_matrix((data, indices, indptr), shape=(len(indptr) - 1, columns))


# Columns of a pandas table. What they become is decided in the compiled part, by the rules that the
# program has for files: a table and its CSV file give the same model.


def is_frame(X):
    """Whether X is a pandas DataFrame."""
    return hasattr(X, "iloc") and hasattr(X, "columns")


def is_table(X):
    """Whether X is a pandas DataFrame with columns."""
    return is_frame(X) and X.shape[1] > 0


def as_table(X, names):
    """The rows of an array under the names that the columns of a table had."""
    import pandas

    return pandas.DataFrame(X.toarray() if hasattr(X, "toarray") else X, columns=names)


def to_columns(frame):
    """(name, values, is categorical) of each column; values are float64, NaN for a gap, or a list of
    texts, "" for a gap."""
    import pandas

    columns = []
    check_text(frame.columns, "names of columns")
    for j, name in enumerate(frame.columns):
        if not str(name).strip():
            raise ValueError(
                f"X: column {j} has no name: found {name!r}, expected a name for each column; name "
                "it, or make it the index if it names the rows"
            )
        series = frame.iloc[:, j]
        categorical = isinstance(series.dtype, pandas.CategoricalDtype)
        values = _texts(series) if categorical else _values(series)
        if isinstance(values, list):
            check_text(values, f"column {str(name)!r}")
        columns.append((str(name), values, categorical))
    return columns


def _values(series):
    from pandas import SparseDtype, to_datetime
    from pandas.api.types import infer_dtype, is_bool_dtype, is_complex_dtype, is_numeric_dtype

    if isinstance(series.dtype, SparseDtype):
        series = series.sparse.to_dense()
    kind = infer_dtype(series, skipna=True)
    if kind == "period":
        periods = series.astype(object)
        series = to_datetime(periods.map(lambda period: period.to_timestamp(), na_action="ignore"))
    if is_complex_dtype(series.dtype):
        raise ValueError(f"Complex data not supported: column {series.name!r}")
    if is_bool_dtype(series.dtype):
        return _texts(series)
    if is_numeric_dtype(series.dtype):
        return _numbers(series)
    kinds_of_number = ("integer", "floating", "mixed-integer-float", "decimal")
    if series.dtype == object and kind in kinds_of_number:
        return _numbers(series)
    return _texts(series)


def _numbers(series):
    if _has_long_integers(series):  # a double would change their digits
        return _texts(series)
    if series.dtype in (np.float32, np.float16):  # 0.1 is 0.1, as a file would have it
        return series.to_numpy().astype(str).astype(np.float64)
    if series.dtype == object:
        return series.where(series.notna(), np.nan).to_numpy(dtype=np.float64)
    if series.isna().any():
        return series.to_numpy(dtype=np.float64, na_value=np.nan)
    return series.to_numpy(dtype=np.float64)


def _has_long_integers(series):
    values = series.dropna()
    if series.dtype == object:
        return any(isinstance(value, numbers.Integral) and abs(int(value)) >= 2**53 for value in values)
    is_long = series.dtype.kind in "iu" and len(values) > 0
    return is_long and max(abs(int(values.min())), abs(int(values.max()))) >= 2**53


def _texts(series):
    texts = series.astype(str).to_numpy(dtype=object)
    texts[series.isna().to_numpy()] = ""
    return texts.tolist()


def row_ids(index):
    """The names of a table's rows, where they tell the rows apart and are not 0, 1, 2 ..."""
    if index is None or not index.is_unique:
        return []
    if index.dtype.kind in "iu" and np.array_equal(index, np.arange(len(index))):
        return []
    names = [str(name) for name in index]
    check_text(names, "the index")
    return names


def name_of(series):
    """The name of a Series or an index, where it is a text."""
    name = getattr(series, "name", None)
    if not isinstance(name, str):
        return ""
    check_text([name], "the name of y or of the index")
    return name


# Parameters of the classifier as settings of the library.

# Those that have a parameter of their own; the others go by `settings`.
NAMED = ("mode", "modules", "k", "epochs", "hidden", "members")


def to_settings(model):
    """Name and text of every setting that the caller has chosen."""
    chosen = {name: getattr(model, name) for name in NAMED}
    chosen["seed"] = seed_of(model.random_state)
    settings = model.settings or {}
    if not hasattr(settings, "items"):
        raise ValueError(f"settings: found {settings!r}, expected a dict of names and values, or None")
    for name, value in settings.items():
        if not isinstance(name, str):
            raise ValueError(f"settings: found the name {name!r}, expected a text")
        if name in chosen:
            own = "random_state" if name == "seed" else name
            raise ValueError(f"settings: found {name!r}, which is the parameter {own}; set it there")
        chosen[name] = value
    return {name: _text(value) for name, value in chosen.items() if value is not None}


def seed_of(random_state):
    """A whole number as it is, so that the program's --seed gives the same model."""
    if isinstance(random_state, numbers.Integral):
        if not 0 <= random_state < 2**64:
            raise ValueError(
                f"random_state: found {random_state}, expected a whole number from 0 to {2**64 - 1}"
            )
        return int(random_state)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def fraction_of(value):
    """`val_fraction`; the compiled part knows its limits."""
    if value is None or isinstance(value, numbers.Real):
        return value
    raise ValueError(
        f"val_fraction: found {value!r}, expected a number from 0 and below 1, or None"
    )


def count_of(value, name):
    """A parameter that counts something."""
    if isinstance(value, numbers.Integral) and value >= 0:
        return int(value)
    raise ValueError(f"{name}: found {value!r}, expected a whole number from 0")


def are_whole_numbers(texts):
    """Whether all are whole numbers, plainly written."""
    return all(re.fullmatch("0|-?[1-9][0-9]{0,17}", text) for text in texts)


def threads_of(n_jobs):
    """0 stands for as many as OpenMP offers."""
    if n_jobs is None or n_jobs == -1:
        return 0
    if isinstance(n_jobs, numbers.Integral) and 1 <= n_jobs <= 4096:
        return int(n_jobs)
    raise ValueError(f"n_jobs: found {n_jobs!r}, expected a number from 1 to 4096, or None or -1 for all")


def _text(value):
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        return repr(float(value))
    return str(value)
