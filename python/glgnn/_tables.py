"""Columns of a pandas table in the form that the compiled part takes. What they become is decided
there, by the rules that the program has for files: a table and its CSV file give the same model."""

import numpy as np


def is_table(X):
    """Whether X is a pandas DataFrame with columns."""
    return hasattr(X, "iloc") and hasattr(X, "columns") and X.shape[1] > 0


def as_table(X, names):
    """The rows of an array under the names that the columns of a table had."""
    import pandas

    return pandas.DataFrame(X.toarray() if hasattr(X, "toarray") else X, columns=names)


def to_columns(frame):
    """(name, values, is categorical) of each column; values are float64, NaN for a gap, or a list of
    texts, "" for a gap."""
    import pandas

    columns = []
    for j, name in enumerate(frame.columns):
        series = frame.iloc[:, j]
        categorical = isinstance(series.dtype, pandas.CategoricalDtype)
        columns.append((str(name), _texts(series) if categorical else _values(series), categorical))
    return columns


def _values(series):
    from pandas.api.types import infer_dtype, is_bool_dtype, is_complex_dtype, is_numeric_dtype

    if series.dtype.kind == "m":  # durations, in days
        return series.to_numpy() / np.timedelta64(1, "D")
    if is_complex_dtype(series.dtype):
        raise ValueError(f"Complex data not supported: column {series.name!r}")
    if is_bool_dtype(series.dtype):
        return _texts(series)
    if is_numeric_dtype(series.dtype):
        return _numbers(series)
    numbers = ("integer", "floating", "mixed-integer-float", "decimal")
    if series.dtype == object and infer_dtype(series, skipna=True) in numbers:
        return _numbers(series)
    return _texts(series)


def _numbers(series):
    if series.dtype in (np.float32, np.float16):  # 0.1 is 0.1, as a file would have it
        return series.to_numpy().astype(str).astype(np.float64)
    if series.isna().any():
        return series.to_numpy(dtype=np.float64, na_value=np.nan)
    return series.to_numpy(dtype=np.float64)


def _texts(series):
    texts = series.astype(str).to_numpy(dtype=object)
    texts[series.isna().to_numpy()] = ""
    return texts.tolist()
