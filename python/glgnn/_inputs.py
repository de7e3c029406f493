"""What a caller gives as X, checked and in the form that the compiled part takes."""

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_array

from ._columns import TableColumns, is_table

FLOATS = (np.float64, np.float32)  # both are read as they lie in memory, others are converted


def learn_rows(X, copy):
    """The rows of X for fit(), their feature names, and the columns where X is a table."""
    columns = TableColumns.learn(X) if is_table(X) and X.shape[1] > 0 else None
    copy = copy and columns is None  # of a table the numbers are new ones anyway
    rows = _check(columns.transform(X) if columns else X, ensure_min_samples=2, copy=copy)
    names = columns.feature_names if columns else [f"f{j}" for j in range(rows.shape[1])]
    return rows, names, columns


def read_rows(X, columns):
    """The rows of X for predict(), prepared as those of fit()."""
    if columns is None:
        return _check(X)
    if not is_table(X):
        import pandas

        X = pandas.DataFrame(X.toarray() if sp.issparse(X) else X)
    return _check(columns.transform(X))


def _check(X, **limits):
    return check_array(X, accept_sparse="csr", dtype=FLOATS, input_name="X", **limits)


def to_core(rows):
    """Dense rows as they are; sparse rows as (data, indices, indptr, columns), sorted."""
    if not sp.issparse(rows):
        return rows
    if not rows.has_canonical_format or not rows.data.all():
        rows = rows.copy()  # the caller's matrix stays as it is
        rows.sum_duplicates()
        rows.eliminate_zeros()
    return rows.data, rows.indices, rows.indptr, rows.shape[1]


def to_csr(parts, columns):
    """A SciPy matrix of (data, indices, indptr)."""
    data, indices, indptr = parts
    return sp.csr_matrix((data, indices, indptr), shape=(len(indptr) - 1, columns))
