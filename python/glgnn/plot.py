"""Pictures of a fitted classifier with matplotlib; each function gives back the axes it drew on."""

import numpy as np


def plot_network(model, ax=None):
    """The network of graphs: how strongly each module speaks to each, the aggregation last."""
    ax = _axes(ax)
    network = model.network_
    names = [f"module {m}" for m in range(len(network) - 1)] + ["aggregation"]
    largest = float(np.abs(network).max()) or 1.0
    image = ax.imshow(network, cmap="RdBu_r", vmin=-largest, vmax=largest)
    ax.set_xticks(range(len(names)), names, rotation=90)
    ax.set_yticks(range(len(names)), names)
    ax.set_title("network of graphs")
    ax.figure.colorbar(image, ax=ax, label="weight")
    return ax


def plot_feature_weights(model, top=20, ax=None):
    """The features that count most, the largest first."""
    ax = _axes(ax)
    weights = model.feature_weights_
    order = np.argsort(-weights, kind="stable")[:top][::-1]
    names = model.model_features_
    ax.barh([names[j] for j in order], weights[order])
    ax.set_xlabel("weight")
    ax.set_title("features")
    return ax


def plot_graph(model, module=None, max_rows=300, edges_per_row=3, ax=None):
    """Rows as points in the colours of their predicted classes, joined by their strongest edges.

    Of more than `max_rows` rows, those nearest in the graph to the row with most edges are shown."""
    from matplotlib.collections import LineCollection

    ax = _axes(ax)
    edges, rows = _strongest_edges(model._graph(module), max_rows, edges_per_row)
    places = _layout(rows, edges)
    ax.add_collection(
        LineCollection([(places[a], places[b]) for a, b in edges], colors="0.75", linewidths=0.6, zorder=1)
    )
    labels = model.transduction_[rows]
    for label in model.classes_:
        shown = rows[labels == label]
        points = np.array([places[row] for row in shown]).reshape(-1, 2)
        ax.scatter(points[:, 0], points[:, 1], s=14, label=str(label), zorder=2)
    ax.legend(title="predicted")
    ax.set_axis_off()
    ax.set_title("fused graph" if module is None else f"graph of module {module}")
    return ax


def _axes(ax):
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(constrained_layout=True)[1]


def _strongest_edges(graph, max_rows, edges_per_row):
    kept = set()
    neighbours = []
    for row in range(graph.shape[0]):
        span = slice(graph.indptr[row], graph.indptr[row + 1])
        others = graph.indices[span] != row
        columns, weights = graph.indices[span][others], graph.data[span][others]
        best = columns[np.argsort(-weights, kind="stable")[:edges_per_row]].tolist()
        neighbours.append(best)
        kept.update((min(row, other), max(row, other)) for other in best)
    rows = _nearest_rows(neighbours, max_rows)
    shown = set(rows)
    return sorted((a, b) for a, b in kept if a in shown and b in shown), np.array(rows)


def _nearest_rows(neighbours, max_rows):
    """All rows, or the first that a walk in breadth meets, from the row with most edges."""
    count = len(neighbours)
    if count <= max_rows:
        return list(range(count))
    both_ways = [set(of_row) for of_row in neighbours]
    for row, of_row in enumerate(neighbours):
        for other in of_row:
            both_ways[other].add(row)
    queue = [max(range(count), key=lambda row: len(both_ways[row]))]
    met = set(queue)
    for row in queue:
        for other in sorted(both_ways[row]):
            if len(queue) == max_rows:
                return sorted(queue)
            if other not in met:
                met.add(other)
                queue.append(other)
    return sorted(queue)


def _layout(rows, edges):
    import networkx

    graph = networkx.Graph()
    graph.add_nodes_from(rows.tolist())
    graph.add_edges_from(edges)
    return networkx.spring_layout(graph, seed=0, iterations=60)
