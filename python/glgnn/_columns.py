"""Columns of a pandas table as numbers: found once, by fit(), and applied alike to later tables."""

import warnings
from dataclasses import asdict, dataclass, field

import numpy as np

FEWEST_ROWS_OF_LEVEL = 2  # rarer values share one feature
FEWEST_ROWS_OF_IDS = 20  # below, a value of its own in every row may be chance


@dataclass
class Column:
    """How one column of the table becomes features."""

    name: str
    numeric: bool
    date: bool = False  # dates become days since 1970-01-01, durations days
    varies: bool = True  # its values become features; False where at most the gaps tell rows apart
    median: float = 0.0
    levels: list = field(default_factory=list)  # categorical: one feature each
    other: bool = False  # one more feature, for rare and new values
    indicator: bool = False  # one more feature, 1 where the value is missing

    @classmethod
    def of_program(cls, column):
        """From the plan of a model file that the program wrote."""
        kind = column["kind"]
        rest = {name: column[name] for name in ("varies", "median", "levels", "other", "indicator")}
        return cls(column["name"], numeric=kind != "categorical", date=kind == "date", **rest)

    def feature_names(self):
        names = []
        if self.varies:
            names = [self.name] if self.numeric else [f"{self.name}={level}" for level in self.levels]
        if self.other:
            names.append(f"{self.name}=(other)")
        if self.indicator:
            names.append(f"{self.name} is missing")
        return names


class TableColumns:
    """Numbers stay, dates become days, gaps take the median and an indicator, other values are
    one-hot encoded, and texts that no two rows share are left out."""

    def __init__(self, columns):
        self.columns = columns

    @classmethod
    def learn(cls, frame):
        """What the columns of this table are."""
        found = cls([_learn_column(str(name), frame.iloc[:, j]) for j, name in enumerate(frame.columns)])
        if not found.feature_names:
            raise ValueError(
                "no column of X can be used: found only texts that differ in every row, "
                "expected numbers, dates or categories"
            )
        return found

    @property
    def feature_names(self):
        return [name for column in self.columns for name in column.feature_names()]

    def transform(self, frame):
        """The features of a table with these columns, in float32."""
        if frame.shape[1] != len(self.columns):
            raise ValueError(
                f"X has {frame.shape[1]} features, but GLGNNClassifier is expecting "
                f"{len(self.columns)} features as input"
            )
        out = np.zeros((len(frame), len(self.feature_names)), dtype=np.float32)
        at = 0
        for j, column in enumerate(self.columns):
            width = len(column.feature_names())
            _fill(out[:, at : at + width], column, frame.iloc[:, j])
            at += width
        return out

    def to_json(self):
        return [asdict(column) for column in self.columns]

    @classmethod
    def from_json(cls, stored):
        return cls([Column(**column) for column in stored])


def is_table(X):
    """Whether X is a pandas DataFrame."""
    return hasattr(X, "iloc") and hasattr(X, "columns")


def _learn_column(name, series):
    missing = series.isna()
    gaps = bool(missing.any())
    known = series[~missing]
    date = series.dtype.kind in "mM"
    if date or _is_numeric(series, known):
        numbers = _days(known) if date else _numbers(name, known)
        median = float(np.float32(np.median(numbers))) if len(numbers) else 0.0
        return Column(name, True, date=date, median=median, indicator=gaps)
    counts = known.astype(str).value_counts()
    if len(counts) == len(known) >= FEWEST_ROWS_OF_IDS:
        warnings.warn(
            f"column {name!r} is left out: it has another text in each of {len(counts)} rows, "
            "which tells nothing about other rows; make it the index of the table if it names the rows",
            stacklevel=2,
        )
        return Column(name, False, varies=False)
    levels = sorted(counts.index[counts >= FEWEST_ROWS_OF_LEVEL])
    other = bool((counts < FEWEST_ROWS_OF_LEVEL).any())
    return Column(name, False, levels=levels, other=other, indicator=gaps)


def _is_numeric(series, known):
    from pandas.api.types import infer_dtype, is_bool_dtype, is_numeric_dtype

    if is_numeric_dtype(series.dtype) or is_bool_dtype(series.dtype):
        return True
    numbers = ("integer", "floating", "mixed-integer-float", "decimal", "boolean")
    return series.dtype == object and len(known) > 0 and infer_dtype(known, skipna=True) in numbers


def _numbers(name, known):
    numbers = known.to_numpy(dtype=np.float64)
    if not np.isfinite(numbers).all():
        raise ValueError(
            f"Input X contains infinity: column {name!r}, expected finite numbers or gaps"
        )
    return numbers


def _days(known):
    """Durations in days, dates (texts of them, too) in days since 1970-01-01."""
    import pandas

    if known.dtype.kind != "m":
        known = pandas.to_datetime(known, utc=True) - pandas.Timestamp(0, tz="UTC")
    return (known / pandas.Timedelta(days=1)).to_numpy(dtype=np.float64)


def _numbers_alike(column, known):
    try:
        return _days(known) if column.date else _numbers(column.name, known)
    except (TypeError, ValueError) as error:
        if "infinity" in str(error):
            raise
        held = "dates" if column.date else "numbers"
        raise ValueError(
            f"column {column.name!r} held {held} when the model was fitted: {error}"
        ) from error


def _fill(out, column, series):
    missing = series.isna().to_numpy()
    if column.indicator:
        out[:, -1] = missing
    if not column.varies:
        return
    if column.numeric:
        out[:, 0] = column.median
        out[~missing, 0] = _numbers_alike(column, series[~missing])
        return
    place = {level: i for i, level in enumerate(column.levels)}
    other = len(column.levels) if column.other else -1
    places = np.array([place.get(text, other) for text in series[~missing].astype(str)], dtype=int)
    rows = np.flatnonzero(~missing)
    out[rows[places >= 0], places[places >= 0]] = 1.0
