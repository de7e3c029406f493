"""The estimator."""

import numbers

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.utils.validation import (
    _get_feature_names,
    check_array,
    check_consistent_length,
    check_is_fitted,
)

from . import _core, _graphs, _stored
from ._explanation import Explanation
from ._inputs import (
    are_whole_numbers,
    as_table,
    count_of,
    fraction_of,
    is_table,
    name_of,
    row_ids,
    threads_of,
    to_core,
    to_csr,
    to_path,
    to_settings,
    width_of,
)
from ._labels import UNLABELLED, encode_labels, known_labels
from ._running import progress, warn


class GLGNNClassifier(ClassifierMixin, BaseEstimator):
    """Learns several graphs of the rows, fuses them and classifies with them.

    Rows without a label take part in fit: they shape the graphs, and their labels are predicted
    (``transduction_``). The same ``random_state`` gives the same model, whatever ``n_jobs`` is.

    Parameters
    ----------
    mode : {"best", "paper"}
        best: the most accurate; paper: the paper's method.
    random_state : int, RandomState instance or None
        Of the validation rows and of the training.
    n_jobs : int or None
        Threads; None and -1: as many as OpenMP offers.
    device : {"auto", "cpu", "cuda"}
        Where fit computes; auto: on a GPU where the package was built for one, there is
        one, and it is likely the faster. Predictions are made on the processor.
    val_fraction : float or None
        Part of the labelled rows that chooses modules and epochs and is not trained on; 0: none, all
        modules count alike. In best mode the labelled rows take turns (setting ``folds``), so that
        all are trained on. None: 0.2, or 0 where a class has a single label and the others few.
    modules, k, epochs, hidden, members :
        The settings of these names; None: the library's own choice. A setting that the mode does
        not read is refused.
    settings : dict or None
        Any other setting of ``glgnn.list_settings()``, e.g. ``{"votes": False}``.
    copy_X : bool
        False: the model reads the rows of X where they are, if they are float32 in C order. Changing
        them after fit then changes the model; predict and save refuse where they see it. True: the
        model has numbers of its own.
    verbose : int
        Show progress with tqdm.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    n_features_in_ : int
    feature_names_in_ : ndarray, where X had names for its columns
    model_features_ : list of the names of the features as the model sees them
    transduction_ : ndarray of shape (n_samples,), the label of each fitted row
    label_distributions_ : ndarray of shape (n_samples, n_classes)
    graph_ : SciPy CSR matrix, the fused graph; each row sums to 1. It shows the model's own
        numbers, to read: change a ``copy()`` of it
    module_graphs_ : list of SciPy CSR matrices, to read
    module_weights_ : ndarray, how much each module's graph counts; the sum is 1
    modules_ : list of dicts, the settings and the weight of each module
    network_ : ndarray, the network of graphs, its aggregation module last
    feature_weights_ : ndarray, how much each of ``model_features_`` counts, largest 1
    train_rows_, val_rows_ : ndarrays, the rows whose labels were learned from and that judged; in
        folds (docs/best_mode.md) the rows that judge teach too
    estimate_ : dict or None, the accuracy to expect on rows without a label: ``accuracy``, ``low``
        and ``high`` (95 % interval), ``rows`` (labelled rows that judged), ``majority_class`` and
        ``majority_share`` (of always saying so), ``baseline_accuracy`` (logistic regression),
        ``class_shares`` (how common the classes seem to be among the rows without a label; None: as
        among the labels). The labels that judge have chosen nothing (docs/best_mode.md)
    history_ : list of dicts, one for each epoch or module
    n_iter_ : int, in paper mode the epoch that was kept, in best mode how many modules were tried
    """

    def __init__(
        self,
        mode="best",
        *,
        random_state=0,
        n_jobs=None,
        device="auto",
        val_fraction=None,
        modules=None,
        k=None,
        epochs=None,
        hidden=None,
        members=None,
        settings=None,
        copy_X=False,
        verbose=0,
    ):
        self.mode = mode
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.device = device
        self.val_fraction = val_fraction
        self.modules = modules
        self.k = k
        self.epochs = epochs
        self.hidden = hidden
        self.members = members
        self.settings = settings
        self.copy_X = copy_X
        self.verbose = verbose

    def fit(self, X, y, graph=None):
        """Fits to the rows of X, of which those with a label teach.

        X : NumPy array, SciPy sparse matrix or pandas DataFrame.
        y : labels of any kind; None, NaN, pandas.NA or "", or -1 beside classes from 0, where there
            is none.
        graph : known edges between rows: a SciPy sparse matrix, an array of pairs (and weights),
            or a networkx graph.
        """
        if y is None:
            raise ValueError("GLGNNClassifier requires y to be passed, but the target y is None")
        _get_feature_names(X)  # refuses names of several types before the work
        rows = to_core(X, ensure_min_samples=2, copy=self.copy_X)
        codes, classes = encode_labels(y)
        check_consistent_length(X, codes)
        index = X.index if is_table(X) else None
        ids = row_ids(index)
        with progress(self.verbose, self.mode) as on_epoch:
            fitted = _core.fit(
                features=rows,
                labels=codes,
                class_names=[str(value) for value in classes],
                feature_names=[f"f{j}" for j in range(width_of(rows))],
                row_ids=ids,
                label_name=name_of(y),
                id_name=name_of(index) if ids else "",
                graph=_graphs.read_graph(graph, len(codes), index),
                settings=to_settings(self),
                val_fraction=fraction_of(self.val_fraction),
                threads=threads_of(self.n_jobs),
                device=str(self.device),
                on_epoch=on_epoch,
            )
        # Only now: a fit that fails leaves an earlier one as it was.
        self._check_feature_names(X, reset=True)
        self.n_features_in_ = width_of(rows)
        _stored.set_classes(self, classes)
        self._fitted = fitted
        _warn_of_left_out(fitted.columns)
        for doubt in fitted.doubts:
            warn(doubt)
        return self

    def predict_proba(self, X):
        """The probability of each class (``classes_``) for each row of X, as for rows never seen."""
        return self._predict(X, near=0)[0]

    def predict(self, X):
        """The most probable class of each row of X, as for rows never seen."""
        best = self.predict_proba(X).argmax(axis=1)
        return self.classes_[best]

    def score(self, X, y, sample_weight=None):
        """The accuracy on the rows of X that have a label in y (see fit)."""
        check_is_fitted(self)
        check_consistent_length(X, y, sample_weight)
        values, known = known_labels(y, self.classes_)
        if not known.any():
            raise ValueError("no row of y has a label, so there is nothing to compare with")
        weights = None if sample_weight is None else np.asarray(sample_weight)[known]
        return accuracy_score(values, self.predict(X)[known], sample_weight=weights)

    def neighbors(self, X, n_neighbors=5):
        """For each row of X the fitted rows that its prediction comes from: (row, weight) pairs."""
        return self._predict(X, near=count_of(n_neighbors, "n_neighbors"))[1]

    def explain(self, row):
        """Why a fitted row is predicted as it is.

        row : its number from 0, or its name in the table's index. Where the names are whole
            numbers, and not 0, 1, 2 and so on, a number is a name.
        """
        return self.explain_all([row])[0]

    def suggest(self, n=10):
        """The rows to label next, the most helpful first: a list of dicts with id, row, score, reason.

        A score is what the label would clear up, beside that of the first row, which has 1; the
        batch holds no row that says what another one says already.
        """
        check_is_fitted(self)
        return self._fitted.suggest(count_of(n, "n"))

    def explain_all(self, rows=None):
        """The explanations of the given fitted rows (see explain), or of all."""
        check_is_fitted(self)
        rows = range(len(self.transduction_)) if rows is None else self._places(rows)
        return [Explanation.of(self._fitted.explain(row), self._model_classes) for row in rows]

    def to_networkx(self, module=None):
        """The fused graph, or that of a module, as a networkx.DiGraph."""
        return _graphs.to_networkx(self, self._graph(module))

    def to_pyg(self, module=None):
        """The fused graph, or that of a module, with features and labels as torch_geometric Data."""
        fitted = self._model()
        features = fitted.features
        if isinstance(features, tuple):
            features = to_csr(features, len(fitted.feature_names))
        places = np.append(np.argsort(self._order), UNLABELLED)  # the last is that of -1
        return _graphs.to_pyg(features, places[fitted.labels], fitted.train, self._graph(module))

    def save(self, path):
        """Writes a model file, which `glgnn info` and the other commands can read too."""
        _stored.put(check_fitted(self))
        self._fitted.save(to_path(path))

    def report(self, path):
        """Writes the report: one HTML page with accuracy, graphs, features and every row."""
        check_fitted(self)
        _stored.refuse_model(path)
        self._fitted.report(to_path(path))

    @classmethod
    def load(cls, path, n_jobs=None):
        """The classifier of a model file that save() or `glgnn fit` has written."""
        model = cls()
        _stored.take(model, _core.load(to_path(path), threads_of(n_jobs)))
        return model.set_params(n_jobs=n_jobs)

    @property
    def transduction_(self):
        best = self._model().probabilities.argmax(axis=1)
        return self._model_classes[best]

    @property
    def label_distributions_(self):
        return _sum_to_one(self._model().probabilities[:, self._order])

    @property
    def graph_(self):
        return self._graph(None)

    @property
    def module_graphs_(self):
        rows = len(self._model().labels)
        return [to_csr(parts, rows) for parts in self._fitted.module_graphs]

    @property
    def module_weights_(self):
        return np.array(self._model().module_weights)

    @property
    def modules_(self):
        fitted = self._model()
        weights = fitted.module_weights
        return [
            {"module": m, "weight": weight, "settings": note or fitted.settings["mode"]}
            for m, (weight, note) in enumerate(zip(weights, fitted.module_notes))
        ]

    @property
    def network_(self):
        return self._model().network

    @property
    def feature_weights_(self):
        return self._model().feature_weights

    @property
    def model_features_(self):
        return self._model().feature_names

    @property
    def train_rows_(self):
        return self._model().train

    @property
    def val_rows_(self):
        return self._model().val

    @property
    def history_(self):
        return self._model().history

    @property
    def estimate_(self):
        estimate = self._model().estimate
        if estimate is not None:
            estimate["majority_class"] = self._model_classes[estimate["majority_class"]]
            if estimate["class_shares"] is not None:
                estimate["class_shares"] = [estimate["class_shares"][c] for c in self._order]
        return estimate

    @property
    def n_iter_(self):
        return self._model().best_epoch

    @property
    def _order(self):
        """The class numbers of the model in the order of classes_."""
        return np.argsort(self._model_classes, kind="stable")

    def _model(self):
        """The compiled model, or AttributeError (as NotFittedError is one)."""
        return check_fitted(self)._fitted

    def _places(self, rows):
        """The places of fitted rows that are given by number or name."""
        names, count = self._fitted.row_ids, len(self._fitted.labels)
        by_place = not (names and are_whole_numbers(names))
        known = {name: place for place, name in enumerate(names)}
        places = []
        for row in rows:
            if isinstance(row, numbers.Integral) and by_place:
                place = int(row) if 0 <= row < count else None
            else:
                place = known.get(str(row))
            if place is None:
                expected = ["a name of the table's index"] if names else []
                expected += [f"a number from 0 to {count - 1}"] if by_place else []
                raise ValueError(
                    f"no such row to explain: found {row!r}, expected {' or '.join(expected)}"
                )
            places.append(place)
        return places

    def _graph(self, module):
        fitted = self._model()
        return to_csr(fitted.graph if module is None else fitted.module_graphs[module], len(fitted.labels))

    def _predict(self, X, near):
        check_is_fitted(self)
        columns = _stored.table_columns(self._fitted)
        if not (columns and is_table(X)):  # columns of a table are found by their names
            self._check_feature_names(X, reset=False)
            X = check_array(X, accept_sparse="csr", dtype=None, force_all_finite=False, input_name="X")
            if X.shape[1] != self.n_features_in_:
                raise ValueError(
                    f"X has {X.shape[1]} features, but {type(self).__name__} is expecting "
                    f"{self.n_features_in_} features as input"
                )
            X = as_table(X, columns) if columns else X
        rows = to_core(X)
        probabilities, neighbors, notes = self._fitted.predict(rows, near)
        for note in notes:
            warn(note)
        return _sum_to_one(probabilities[:, self._order]), neighbors

    def __getstate__(self):
        state = dict(super().__getstate__())
        if "_fitted" in state:
            _stored.put(self)
            state["_fitted"] = _stored.to_bytes(self._fitted)
        return state

    def __setstate__(self, state):
        super().__setstate__(state)
        if "_fitted" in state:
            self._fitted = _stored.from_bytes(state["_fitted"], threads_of(self.n_jobs))
            # Pickles of earlier versions have classes_ alone, in the order of the model.
            _stored.set_classes(self, state.get("_model_classes", self.classes_))


def check_fitted(model):
    check_is_fitted(model)
    return model


def _warn_of_left_out(columns):
    kinds = ("identifier", "text", "unclear date")
    names = [f"{name} ({kind})" for name, kind in columns if kind in kinds]
    if names:
        warn(
            f"columns left out: {', '.join(names)}; names of rows belong into the index, and columns "
            "of dtype category are always used"
        )


def _sum_to_one(probabilities):
    """In double, because float32 rows sum to 1 only nearly."""
    wide = probabilities.astype(np.float64)
    return wide / wide.sum(axis=1, keepdims=True)
