"""The rules of GEXF 1.3 for a static graph, as far as a file of ours can break them."""

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
