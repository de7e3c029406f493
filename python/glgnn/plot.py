"""Pictures of a fitted classifier with matplotlib; each function gives back the axes it drew on."""

import re

import numpy as np

MOST_NAMES = 30  # of rows along an axis, so that they can be read
MARKERS = "os^Dv*PX"  # one for each ten classes, which have the same colours


def plot_network(model, ax=None):
    """The network of graphs: how strongly each module speaks to each, the aggregation last, its row in
    colours of its own. Modules of one kind stand together."""
    ax = _axes(ax)
    kinds = [_kind_of(module) for module in model.modules_]
    groups = list(dict.fromkeys(kinds))
    order = sorted(range(len(kinds)), key=lambda m: groups.index(kinds[m])) + [len(kinds)]
    network = model.network_[np.ix_(order, order)]
    is_last = np.arange(len(order))[:, None] == len(kinds)
    parts = [("between modules", "viridis", is_last), ("to the aggregation", "Oranges", ~is_last)]
    for label, colours, hidden in parts:
        part = np.ma.masked_array(network, np.broadcast_to(hidden, network.shape))
        image = ax.imshow(part, cmap=colours, interpolation="none", aspect="auto")
        ax.figure.colorbar(image, ax=ax, label=label)
    counts = np.array([kinds.count(group) for group in groups] + [1])
    ends = np.cumsum(counts) - 0.5
    for end in ends[:-1]:
        ax.axhline(end, color="white", linewidth=0.8)
        ax.axvline(end, color="white", linewidth=0.8)
    names = [f"{name} ({n} graphs)" if n > 1 else name for name, n in zip(groups, counts)]
    shown = slice(None, None, -(-len(counts) // MOST_NAMES))
    ax.set_yticks((ends - counts / 2)[::-1][shown], [*names, "aggregation"][::-1][shown])
    ax.set_xticks([])
    ax.set_xlabel("in the same order")
    ax.set_title("network of graphs")
    return ax


def _kind_of(module):
    """Kind and view of a module of best mode, such as "trees on standard"; in paper mode each is one."""
    found = re.match(r"(\w+) views=(\S+)", module["settings"])
    return " on ".join(found.groups()) if found else f"module {module['module']}"


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
    for c, label in enumerate(model.classes_):
        shown = rows[labels == label]
        points = np.array([places[row] for row in shown]).reshape(-1, 2)
        look = {"color": f"C{c % 10}", "marker": MARKERS[c // 10 % len(MARKERS)]}
        ax.scatter(points[:, 0], points[:, 1], s=14, label=str(label), zorder=2, **look)
    columns = -(-len(model.classes_) // MOST_NAMES)
    ax.legend(title="predicted", loc="upper left", bbox_to_anchor=(1, 1), ncol=columns)
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
