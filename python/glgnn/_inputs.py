"""What a caller gives as X, checked and in the form that the compiled part takes."""

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_array

from ._tables import is_table, to_columns

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
    if is_table(X):
        return to_columns(X)
    check_sparse(X, "X")
    rows = check_array(X, accept_sparse="csr", dtype=FLOATS, input_name="X", **limits)
    if not sp.issparse(rows):
        return rows
    if not rows.has_canonical_format or not rows.data.all():
        rows = rows.copy()  # the caller's matrix stays as it is
        rows.sum_duplicates()
        rows.eliminate_zeros()
    return rows.data, rows.indices, rows.indptr, rows.shape[1]


def width_of(rows):
    """How many columns the rows of to_core() have."""
    if isinstance(rows, list):
        return len(rows)
    return rows[3] if isinstance(rows, tuple) else rows.shape[1]


def to_csr(parts, columns):
    """A SciPy matrix of (data, indices, indptr)."""
    data, indices, indptr = parts
    return sp.csr_matrix((data, indices, indptr), shape=(len(indptr) - 1, columns))
