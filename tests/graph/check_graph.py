#!/usr/bin/python3
"""`glgnn graph` read back by the programs it writes for: networkx, SciPy, csv.

Fits a table with awkward ids and class names, writes its graphs in every format, and compares: the
CSV with the matrix, the XML files with the CSV, the thinned and undirected graphs with what NumPy
makes of the whole one."""

import argparse
import csv
import random
import subprocess
import tempfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import networkx
import networkx.readwrite.gexf
import numpy
import scipy.sparse

ODD_IDS = ["a<b>&\"'", "Zürich 東京 🙂", "tab\there", "line\nbreak", "one,two", "]]>", "bell\x07", "two words"]
CLASSES = ["<one> & \"two\"", "Füchse", "c"]
ROWS = 48

# Debian's networkx knows the drafts of GEXF; the structure that it reads is the same in 1.3.
networkx.readwrite.gexf.GEXF.versions["1.3"] = {
    "NS_GEXF": "http://gexf.net/1.3", "NS_VIZ": "http://gexf.net/1.3/viz",
    "NS_XSI": "http://www.w3.org/2001/XMLSchema-instance", "SCHEMALOCATION": "", "VERSION": "1.3"}

# The rules of GEXF 1.3 for a static graph, as far as a file of ours can break them.

GEXF, VIZ = "{http://gexf.net/1.3}", "{http://gexf.net/1.3/viz}"

# element: (attributes it must have, those it may have, elements it may hold)
ELEMENTS = {
    GEXF + "gexf": ({"version"}, {"variant"}, {GEXF + "meta", GEXF + "graph"}),
    GEXF + "meta": (set(), {"lastmodifieddate"}, {GEXF + "creator", GEXF + "keywords", GEXF + "description"}),
    GEXF + "creator": (set(), set(), set()),
    GEXF + "description": (set(), set(), set()),
    GEXF + "graph": (set(), {"defaultedgetype", "mode", "idtype"},
                     {GEXF + "attributes", GEXF + "nodes", GEXF + "edges"}),
    GEXF + "attributes": ({"class"}, {"mode"}, {GEXF + "attribute"}),
    GEXF + "attribute": ({"id", "title", "type"}, set(), {GEXF + "default", GEXF + "options"}),
    GEXF + "nodes": (set(), {"count"}, {GEXF + "node"}),
    GEXF + "node": ({"id"}, {"label"}, {GEXF + "attvalues", VIZ + "color"}),
    GEXF + "attvalues": (set(), set(), {GEXF + "attvalue"}),
    GEXF + "attvalue": ({"for", "value"}, set(), set()),
    GEXF + "edges": (set(), {"count"}, {GEXF + "edge"}),
    GEXF + "edge": ({"source", "target"}, {"id", "type", "label", "weight", "kind"}, {GEXF + "attvalues"}),
    VIZ + "color": ({"r", "g", "b"}, {"a"}, set()),
}
TYPES = {"string": str, "double": float, "float": float, "integer": int, "long": int, "boolean": str}


def check_element(element):
    assert element.tag in ELEMENTS, f"unknown element {element.tag}"
    needed, allowed, children = ELEMENTS[element.tag]
    found = set(element.attrib)
    assert needed <= found <= needed | allowed, f"{element.tag} has {sorted(found)}"
    for child in element:
        assert child.tag in children, f"{child.tag} in {element.tag}"
        check_element(child)


def check_gexf(root, direction):
    """Raises AssertionError where a rule is broken."""
    assert root.tag == GEXF + "gexf" and root.get("version") == "1.3"
    check_element(root)
    graph = root.find(GEXF + "graph")
    assert [child.tag for child in root if child.tag == GEXF + "graph"] == [graph.tag], "one graph"
    assert graph.get("defaultedgetype") == direction and graph.get("mode", "static") == "static"
    types = {}
    for attributes in graph.findall(GEXF + "attributes"):
        assert attributes.get("class") in ("node", "edge")
        for attribute in attributes:
            assert attribute.get("id") not in types, "an attribute is there twice"
            types[attribute.get("id")] = TYPES[attribute.get("type")]
    nodes, edges = graph.find(GEXF + "nodes"), graph.find(GEXF + "edges")
    ids = [node.get("id") for node in nodes]
    assert len(ids) == len(set(ids)), "a node is there twice"
    for value in graph.iter(GEXF + "attvalue"):
        types[value.get("for")](value.get("value"))
    for colour in graph.iter(VIZ + "color"):
        assert all(0 <= int(colour.get(channel)) <= 255 for channel in "rgb")
    numbers = [edge.get("id") for edge in edges]
    assert len(numbers) == len(set(numbers)), "an edge is there twice"
    known = set(ids)
    for edge in edges:
        assert edge.get("source") in known and edge.get("target") in known
        float(edge.get("weight"))


def as_xml_keeps(text):
    """What XML cannot hold is replaced."""
    return "".join("\ufffd" if ord(c) < 32 and c not in "\t\n\r" else c for c in text)


def write_table(path):
    draw = random.Random(7)
    rows = []
    for i in range(ROWS):
        kind = i % 3
        label = CLASSES[kind] if i % 4 else ""
        rows.append([ODD_IDS[i] if i < len(ODD_IDS) else f"r{i}", label]
                    + [kind * (f == kind) * 3 + draw.gauss(0, 1) for f in range(3)])
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "kind", "f0", "f1", "f2"])
        writer.writerows(rows)
    return [row[0] for row in rows], [row[1] for row in rows]


class Graphs:
    """The graphs of one model, by the program."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.ids, self.labels = write_table(folder / "t.csv")
        self.call("fit", "t.csv", "--label", "kind", "--id", "id", "--test-fraction", "0.3", "--out", "t.glgnn",
                  "--mode", "paper", "--epochs", "20", "--k", "6",
                  "--quiet")
        with open(self.out("p.csv", "predict"), newline="") as file:
            self.predictions = list(csv.DictReader(file))

    def call(self, *arguments):
        subprocess.run([self.program, *arguments], cwd=self.folder, check=True)

    def out(self, name, command="graph", *options):
        self.call(command, "t.glgnn", "--out", name, *options)
        return self.folder / name

    def matrix(self, *options):
        return scipy.sparse.load_npz(self.out("g.npz", "graph", *options))

    def csv_edges(self, *options):
        with open(self.out("g.csv", "graph", *options), newline="") as file:
            reader = csv.reader(file)
            assert next(reader) == ["source", "target", "weight"]
            rows = list(reader)
        number = {name: i for i, name in enumerate(self.ids)}
        edges = {(number[s], number[t]): numpy.float32(w) for s, t, w in rows}
        assert len(edges) == len(rows), "an edge is there twice"
        return edges


def edges_of(matrix, undirected):
    matrix = matrix.tocoo()
    return {(i, j): w for i, j, w in zip(matrix.row, matrix.col, matrix.data)
            if i != j and (not undirected or i < j)}


def check_nodes(graphs, nodes, name_key):
    """Ids, classes, predictions and parts, of every row in order."""
    assert len(nodes) == ROWS
    parts = {}
    for row, (node, predicted) in enumerate(zip(nodes, graphs.predictions)):
        assert node[name_key] == as_xml_keeps(graphs.ids[row]), node
        assert node.get("class", "") == graphs.labels[row], node
        assert node["predicted"] == predicted["predicted"], node
        assert abs(node["probability"] - float(predicted["probability"])) < 1e-6, node
        part = node.get("part", "")
        assert bool(part) == bool(graphs.labels[row]), node
        parts[part] = parts.get(part, 0) + 1
    labelled = sum(map(bool, graphs.labels))
    assert set(parts) == {"train", "val", "test", ""} and parts["test"] == round(0.3 * labelled), parts


def check_graphml(graphs, edges, undirected, module, options):
    path = graphs.out("g.graphml", "graph", *options)
    graph = networkx.read_graphml(path)
    assert graph.is_directed() != undirected and not graph.is_multigraph()
    check_nodes(graphs, [graph.nodes[f"n{i}"] for i in range(ROWS)], "id")
    found = {(int(s[1:]), int(t[1:])): data for s, t, data in graph.edges(data=True)}
    if undirected:
        found = {tuple(sorted(edge)): data for edge, data in found.items()}
    assert {edge: numpy.float32(data["weight"]) for edge, data in found.items()} == edges
    assert all(data["module"] == module for data in found.values())


def check_gexf_file(graphs, edges, undirected, options):
    path = graphs.out("g.gexf", "graph", *options)
    check_gexf(ElementTree.parse(path).getroot(), "undirected" if undirected else "directed")
    graph = networkx.read_gexf(path)
    assert graph.is_directed() != undirected and not graph.is_multigraph()
    nodes = [graph.nodes[str(i)] for i in range(ROWS)]
    check_nodes(graphs, nodes, "label")
    found = {(int(s), int(t)): numpy.float32(data["weight"]) for s, t, data in graph.edges(data=True)}
    if undirected:
        found = {tuple(sorted(edge)): weight for edge, weight in found.items()}
    assert found == edges
    colours = {(node["predicted"], tuple(sorted(node["viz"]["color"].items()))) for node in nodes}
    classes = {name for name, _ in colours}
    assert len(colours) == len(classes) == len({colour for _, colour in colours}), "one colour for each class"


def thinned(whole, top, min_weight, undirected):
    """What the options ask for, by dense matrices."""
    dense = whole.toarray()
    present = (whole != 0).toarray()
    if undirected:
        dense, present = ((dense + dense.T) * numpy.float32(0.5)).astype(numpy.float32), present | present.T
    keep = present & (dense >= numpy.float32(min_weight))
    if top:
        among = numpy.eye(ROWS, dtype=bool)
        for i in range(ROWS):
            others = [j for j in range(ROWS) if present[i, j] and j != i]
            for j in sorted(others, key=lambda j: (-dense[i, j], j))[:top]:
                among[i, j] = True
        keep &= among | among.T if undirected else among
    return numpy.where(keep, dense, 0)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    program = str(Path(parser.parse_args().program).resolve())
    with tempfile.TemporaryDirectory(prefix="glgnn-graph-") as name:
        graphs = Graphs(program, Path(name))
        wholes = {}
        for module in ("fused", "1", "2"):
            wholes[module] = graphs.matrix("--module", module)
            assert wholes[module].shape == (ROWS, ROWS) and wholes[module].dtype == numpy.float32
            assert (wholes[module].data > 0).all() and wholes[module].nnz > 3 * ROWS
        assert numpy.allclose(wholes["fused"].sum(axis=1), 1, atol=1e-5)
        assert (wholes["1"] != wholes["2"]).nnz > 0, "two modules with the same graph"
        checked = 0
        for module in ("fused", "2"):
            middle = float(numpy.sort(wholes[module].data)[wholes[module].nnz // 2])
            for undirected in (False, True):
                for top, min_weight in ((0, 0), (3, 0), (0, middle), (2, middle)):
                    options = ["--module", module]
                    options += ["--undirected"] * undirected
                    options += ["--top", str(top)] if top else []
                    options += ["--min-weight", repr(min_weight)] if min_weight else []
                    matrix = graphs.matrix(*options)
                    assert matrix.has_sorted_indices
                    wanted = thinned(wholes[module], top, min_weight, undirected)
                    assert (matrix.toarray() == wanted).all(), options
                    edges = edges_of(matrix, undirected)
                    assert edges and graphs.csv_edges(*options) == edges, options
                    check_graphml(graphs, edges, undirected, module, options)
                    check_gexf_file(graphs, edges, undirected, options)
                    checked += 1
        same = [graphs.out(name).read_bytes() for name in ("a.npz", "b.npz")]
        assert same[0] == same[1], "the same graph, other bytes"
        print(f"{checked} graphs in 4 formats agree")


if __name__ == "__main__":
    main()
