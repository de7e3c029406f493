"""Graphs that a caller gives, and learned graphs for other libraries."""

import numpy as np
import scipy.sparse as sp

from ._inputs import check_sparse


def read_graph(graph, rows, index=None):
    """(data, indices, indptr) of a symmetric graph without self-loops; None stays None.

    `index` names the rows of a table, which the nodes of a networkx graph may be; with a name twice
    it names nothing."""
    if graph is None:
        return None
    if sp.issparse(graph):
        ends, weights = _matrix_edges(graph, rows)
    elif hasattr(graph, "nodes") and hasattr(graph, "edges"):
        ends, weights = _networkx_edges(graph, rows, index)
    else:
        ends, weights = _listed_edges(graph)
    return _symmetric(*_checked(ends, weights, rows), rows)


def _matrix_edges(graph, rows):
    if graph.shape != (rows, rows):
        raise ValueError(
            f"graph: found a matrix of shape {graph.shape}, expected ({rows}, {rows}), one row and "
            "column for each row of X"
        )
    check_sparse(graph, "graph")
    entries = graph.tocoo()
    return np.column_stack([entries.row, entries.col]), entries.data


def _networkx_edges(graph, rows, index):
    by_name = index is not None and index.is_unique
    known = {name: i for i, name in enumerate(index if by_name else range(rows))}
    unknown = [node for node in graph.nodes if node not in known]
    if unknown:
        raise ValueError(
            f"graph: found the node {unknown[0]!r}, expected "
            + ("names of the table's index" if by_name else f"row numbers from 0 to {rows - 1}")
            + ("" if by_name or index is None else ", as the table's index has a name twice")
        )
    edges = [(known[a], known[b], weight) for a, b, weight in graph.edges.data("weight", default=1.0)]
    table = np.array(edges, dtype=np.float64).reshape(-1, 3)
    return table[:, :2], table[:, 2]


def _listed_edges(graph):
    edges = np.asarray(graph)
    if edges.ndim != 2 or edges.shape[1] not in (2, 3) or edges.dtype.kind not in "iuf":
        raise ValueError(
            f"graph: found an array of shape {edges.shape} and type {edges.dtype}, expected edges of "
            "shape (E, 2), or (E, 3) with weights; give an adjacency matrix as scipy.sparse.csr_matrix"
        )
    weights = edges[:, 2] if edges.shape[1] == 3 else np.ones(len(edges))
    return edges[:, :2], weights


def _checked(ends, weights, rows):
    wrong = (ends < 0) | (ends >= rows) | (ends != np.floor(ends))
    if wrong.any():
        raise ValueError(
            f"graph: an edge has an unknown row: found {ends[wrong][0]}, expected a row number from "
            f"0 to {rows - 1}"
        )
    weights = np.asarray(weights, dtype=np.float32)
    bad = ~(np.isfinite(weights) & (weights >= 0))
    if bad.any():
        raise ValueError(
            f"graph: the weight of an edge is wrong: found {weights[bad][0]}, expected a number that "
            "is not negative"
        )
    return ends.astype(np.int64), weights


def _symmetric(ends, weights, rows):
    """Edges given several times, or both ways, keep their largest weight."""
    kept = (ends[:, 0] != ends[:, 1]) & (weights > 0)
    ends, weights = ends[kept], weights[kept]
    if len(ends) == 0:
        raise ValueError(
            "graph: found no edge between two rows, expected at least one; add edges, or leave graph away"
        )
    source = np.concatenate([ends[:, 0], ends[:, 1]])
    target = np.concatenate([ends[:, 1], ends[:, 0]])
    weights = np.concatenate([weights, weights])
    order = np.lexsort((-weights, target, source))
    source, target, weights = source[order], target[order], weights[order]
    first = np.ones(len(source), dtype=bool)
    first[1:] = (source[1:] != source[:-1]) | (target[1:] != target[:-1])
    starts = np.concatenate([[0], np.cumsum(np.bincount(source[first], minlength=rows))])
    return weights[first], target[first].astype(np.int32), starts.astype(np.int64)


def to_networkx(model, graph):
    """A networkx.DiGraph of a learned graph; rows carry what the model says about them."""
    import networkx

    entries = graph.tocoo()
    out = networkx.DiGraph()
    certainty = model.label_distributions_.max(axis=1)
    for row, (label, sure) in enumerate(zip(model.transduction_.tolist(), certainty.tolist())):
        out.add_node(row, label=label, probability=sure)
    out.add_weighted_edges_from(zip(entries.row.tolist(), entries.col.tolist(), entries.data.tolist()))
    return out


def to_pyg(features, labels, train, graph):
    """A torch_geometric Data object; labels are class numbers, -1 where unknown."""
    try:
        import torch
        from torch_geometric.data import Data
    except ImportError as error:
        raise ImportError(
            "to_pyg() needs PyTorch Geometric, which is not installed; install torch and "
            "torch_geometric, or use to_networkx() or graph_"
        ) from error
    entries = graph.tocoo()
    edges = np.stack([entries.col, entries.row]).astype(np.int64)  # messages flow to the row
    mask = np.zeros(len(labels), dtype=bool)
    mask[train] = True
    dense = features.toarray() if sp.issparse(features) else features
    return Data(
        x=torch.from_numpy(np.ascontiguousarray(dense)),
        edge_index=torch.from_numpy(edges),
        edge_weight=torch.from_numpy(entries.data.copy()),
        y=torch.from_numpy(labels.astype(np.int64)),
        train_mask=torch.from_numpy(mask),
    )
