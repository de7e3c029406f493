"""Graphs given and learned, and pictures of what the model holds."""

import copy
import re
import sys
import types

import matplotlib.pyplot as plt
import networkx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from matplotlib.collections import LineCollection, PathCollection

from glgnn import GLGNNClassifier, _stored, plot
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


def test_an_index_with_a_name_twice_names_nothing():
    index = pd.Index(["a", "a", "b", "c"])
    with pytest.raises(ValueError, match="found the node 'a', expected row numbers from 0 to 3, as .* twice"):
        read_graph(networkx.Graph([("a", "b"), ("a", "c")]), 4, index)
    of_numbers = read_graph(networkx.Graph([(0, 2), (0, 3)]), 4, index)
    np.testing.assert_array_equal(dense(of_numbers, 4)[0], [0, 0, 1, 1])


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
    of_program = copy.deepcopy(fitted)
    _stored.set_classes(of_program, np.array(["c", "a", "b"]))  # not sorted, as a file may have them
    known = half_labelled >= 0
    expected = np.array(["c", "a", "b"])[half_labelled[known]]
    labels = of_program.to_pyg().y
    np.testing.assert_array_equal(of_program.classes_[labels[known]], expected)
    assert set(labels[~known]) == {-1}


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def of_kind(ax, kind):
    return [artist for artist in ax.collections if isinstance(artist, kind)]


def test_network(fitted):
    ax = plot.plot_network(fitted)
    modules, last = (image.get_array() for image in ax.images)
    kinds = [" on ".join(re.match(r"(\w+) views=(\w+)", m["settings"]).groups()) for m in fitted.modules_]
    assert len(set(kinds)) < len(kinds)
    together = sorted(range(len(kinds)), key=lambda m: kinds.index(kinds[m]))
    np.testing.assert_array_equal(modules[:-1], fitted.network_[:-1][np.ix_(together, [*together, -1])])
    np.testing.assert_array_equal(last[-1], fitted.network_[-1, [*together, -1]])
    assert modules.mask[-1].all() and last.mask[:-1].all()
    names = [tick.get_text() for tick in ax.get_yticklabels()][::-1]
    assert names == [f"{k} ({kinds.count(k)} graphs)" for k in dict.fromkeys(kinds)] + ["aggregation"]


def test_network_of_many_modules_can_be_read(wine):
    model = GLGNNClassifier("paper", epochs=1, modules=40, hidden=2).fit(wine[0], wine[2])
    names = [tick.get_text() for tick in plot.plot_network(model).get_yticklabels()]
    assert names == ["aggregation", *(f"module {m}" for m in range(38, -1, -2))]


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


def test_many_classes_look_different_and_stay_uncovered():
    X = np.repeat(np.arange(12.0)[:, None], 10, axis=0) + np.random.default_rng(0).normal(0, 0.1, (120, 2))
    model = GLGNNClassifier(members=1).fit(X, np.repeat(np.arange(12), 10))
    ax = plot.plot_graph(model)
    looks = {
        (tuple(part.get_facecolor()[0]), part.get_paths()[0].vertices.tobytes())
        for part in of_kind(ax, PathCollection)
    }
    assert len(looks) == 12
    ax.figure.canvas.draw()
    assert ax.get_legend().get_window_extent().x0 >= ax.get_window_extent().x1


def test_large_graphs_are_cut(fitted):
    figure, ax = plt.subplots()
    assert plot.plot_graph(fitted, module=0, max_rows=40, ax=ax) is ax
    assert sum(len(part.get_offsets()) for part in of_kind(ax, PathCollection)) == 40
    assert ax.get_title() == "graph of module 0"
