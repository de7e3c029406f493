"""Pictures hold what the model holds."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.collections import LineCollection, PathCollection

from glgnn import plot


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
