"""Graphs given and learned, and pictures of what the model holds."""

import sys
import types

import matplotlib.pyplot as plt
import networkx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from matplotlib.collections import LineCollection, PathCollection

from glgnn import GLGNNClassifier, plot
from glgnn._graphs import read_graph


def dense(parts, rows):
    data, indices, indptr = parts
    return sp.csr_matrix((data, indices, indptr), shape=(rows, rows)).toarray()


EXPECTED = np.array([[0, 2, 0, 0], [2, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 0]], dtype=float)


@pytest.mark.parametrize(
    "graph",
    [
        np.array([[0, 1, 2.0], [1, 2, 1.0], [1, 0, 0.5], [2, 2, 9.0], [0, 3, 0.0]]),
        sp.coo_matrix(([2.0, 1.0, 0.5, 9.0], ([0, 1, 1, 2], [1, 2, 0, 2])), shape=(4, 4)),
    ],
)
def test_edges_are_made_symmetric(graph):
    np.testing.assert_array_equal(dense(read_graph(graph, 4), 4), EXPECTED)


def test_networkx_graphs_name_rows():
    graph = networkx.Graph()
    graph.add_edge("b", "a", weight=2.0)
    graph.add_edge("b", "c")
    index = pd.Index(["a", "b", "c", "d"])
    np.testing.assert_array_equal(dense(read_graph(graph, 4, index), 4), EXPECTED)
    np.testing.assert_array_equal(
        dense(read_graph(networkx.path_graph(3), 3), 3), [[0, 1, 0], [1, 0, 1], [0, 1, 0]]
    )


@pytest.mark.parametrize(
    ("graph", "words"),
    [
        (np.array([[0, 4]]), "unknown row: found 4, expected a row number from 0 to 3"),
        (np.array([[0, 1.5]]), "unknown row: found 1.5"),
        (np.array([[0, 1, -1.0]]), "weight of an edge is wrong: found -1.0"),
        (np.array([[0, 0]]), "found no edge between two rows"),
        (np.zeros((4, 4)), r"found an array of shape \(4, 4\)"),
        (sp.eye(3), r"found a matrix of shape \(3, 3\), expected \(4, 4\)"),
        (networkx.path_graph(6), "found the node 4, expected row numbers from 0 to 3"),
    ],
)
def test_wrong_graphs(graph, words):
    with pytest.raises(ValueError, match=words):
        read_graph(graph, 4)


def test_a_given_graph_is_used():
    """Features say nothing, edges join rows of a class: only the graph can teach."""
    random = np.random.default_rng(0)
    topic = np.arange(120) % 2
    X = random.normal(size=(120, 6))
    edges = [(i, j) for i in range(120) for j in range(i + 2, min(i + 9, 120), 2)]
    labels = np.where(random.random(120) < 0.7, None, topic.astype(object))
    hidden = labels == None  # noqa: E711
    with_graph = GLGNNClassifier().fit(X, labels, graph=np.array(edges))
    assert np.mean(with_graph.transduction_[hidden] == topic[hidden]) >= 0.9


def test_to_networkx(fitted):
    graph = fitted.to_networkx()
    assert graph.number_of_nodes() == fitted.graph_.shape[0]
    assert graph.number_of_edges() == fitted.graph_.nnz
    a, b, data = next(iter(graph.edges(data=True)))
    assert data["weight"] == pytest.approx(fitted.graph_[a, b])
    assert graph.nodes[5]["label"] == fitted.transduction_[5]
    assert graph.nodes[5]["probability"] == pytest.approx(fitted.label_distributions_[5].max())
    assert fitted.to_networkx(module=1).number_of_edges() == fitted.module_graphs_[1].nnz


def test_to_pyg_says_what_is_missing(fitted, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch_geometric", None)
    with pytest.raises(ImportError, match=r"to_pyg\(\) needs PyTorch Geometric"):
        fitted.to_pyg()


def test_to_pyg_fills_a_data_object(fitted, wine, half_labelled, monkeypatch):
    """Debian has no PyTorch Geometric: a Data that only keeps what it is given stands in for it."""
    torch = types.ModuleType("torch")
    torch.from_numpy = lambda array: array
    data = types.ModuleType("torch_geometric.data")
    data.Data = types.SimpleNamespace
    for name, module in [("torch", torch), ("torch_geometric", types.ModuleType("torch_geometric")),
                         ("torch_geometric.data", data)]:  # fmt: skip
        monkeypatch.setitem(sys.modules, name, module)
    made = fitted.to_pyg()
    np.testing.assert_allclose(made.x, wine[0], rtol=1e-6)
    np.testing.assert_array_equal(made.y, half_labelled)
    source, target = made.edge_index
    np.testing.assert_allclose(made.edge_weight, np.asarray(fitted.graph_[target, source]).ravel())
    np.testing.assert_array_equal(np.flatnonzero(made.train_mask), fitted.train_rows_)


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def of_kind(ax, kind):
    return [artist for artist in ax.collections if isinstance(artist, kind)]


def test_network(fitted):
    ax = plot.plot_network(fitted)
    assert len(ax.images) == 1
    np.testing.assert_array_equal(ax.images[0].get_array(), fitted.network_)
    names = [tick.get_text() for tick in ax.get_yticklabels()]
    assert len(names) == len(fitted.modules_) + 1 and names[-1] == "aggregation"


def test_feature_weights(fitted):
    ax = plot.plot_feature_weights(fitted, top=5)
    widths = [bar.get_width() for bar in ax.patches]
    assert widths == sorted(fitted.feature_weights_)[-5:]
    first = fitted.model_features_[int(np.argmax(fitted.feature_weights_))]
    assert ax.get_yticklabels()[-1].get_text() == first


def test_graph_shows_every_row_once(fitted):
    ax = plot.plot_graph(fitted, edges_per_row=2)
    points = of_kind(ax, PathCollection)
    counts = [len(part.get_offsets()) for part in points]
    assert counts == [int(np.sum(fitted.transduction_ == label)) for label in fitted.classes_]
    (lines,) = of_kind(ax, LineCollection)
    rows = fitted.graph_.shape[0]
    assert rows <= len(lines.get_segments()) <= 2 * rows


def test_large_graphs_are_cut(fitted):
    figure, ax = plt.subplots()
    assert plot.plot_graph(fitted, module=0, max_rows=40, ax=ax) is ax
    assert sum(len(part.get_offsets()) for part in of_kind(ax, PathCollection)) == 40
    assert ax.get_title() == "graph of module 0"
