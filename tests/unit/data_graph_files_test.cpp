// Graphs in Matrix Market and GraphML files, and what a graph is like.
#include "data/data.h"
#include "data/graph_summary.h"
#include "unit/data_test_util.h"

namespace glgnn {
namespace {

class GraphFiles : public testing::Test {
 protected:
  // Four rows with ids a, b, c, d; or without ids.
  Dataset load(const std::string& file, const std::string& text, bool ids = true) {
    const std::string table = folder_.write("t.csv", "i,x,k\na,1,u\nb,2,u\nc,3,v\nd,4,\n");
    const std::string numbers = folder_.write("n.csv", "x,y\n1,5\n2,4\n3,9\n4,4\n");
    LoadOptions options{.graph = folder_.write(file, text)};
    if (ids) {
      options.id = "i";
      options.label = "k";
    }
    return load_dataset(ids ? table : numbers, options);
  }
  std::string error(const std::string& file, const std::string& text, bool ids = true) {
    return folder_.error_of(ErrorKind::kData, [&] { load(file, text, ids); });
  }
  TempFolder folder_;
};

// 0-1, 1-3, 2-3 as symmetric rows.
void expect_path(const Dataset& d, const std::string& where) {
  EXPECT_EQ(d.graph.pattern->row_ptr, (std::vector<int64_t>{0, 1, 3, 4, 6})) << where;
  EXPECT_EQ(d.graph.pattern->col, (std::vector<int32_t>{1, 0, 3, 3, 1, 2})) << where;
}

const std::string kBegin =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n"
    "<key id=\"d0\" for=\"edge\" attr.name=\"weight\" attr.type=\"double\"/>\n"
    "<key id=\"d1\" for=\"node\" attr.name=\"name\" attr.type=\"string\"/>\n";

TEST_F(GraphFiles, GraphmlByIds) {
  const Dataset d =
      load("g.graphml", kBegin +
                            "<graph edgedefault=\"directed\"><node id=\"a\"/><node id=\"b\"/>"
                            "<node id=\"c\"/><node id=\"d\"/><node id=\"not a row\"/>"
                            "<edge source=\"a\" target=\"b\"><data key=\"d0\">0.5</data></edge>"
                            "<edge source=\"d\" target=\"b\"/><edge source=\"c\" target=\"d\"/>"
                            "</graph></graphml>");
  expect_path(d, "ids");
  EXPECT_EQ(d.graph.values, (std::vector<float>{0.5f, 0.5f, 1, 1, 1, 1}));
}

TEST_F(GraphFiles, GraphmlByNamesAndByNumbers) {
  std::string named = kBegin + "<graph>";
  for (const std::string name : {"a", "b", "c", "d"}) {
    named += "<node id=\"n" + std::to_string(name[0] - 'a') + "\"><data key=\"d1\">" + name +
             "</data></node>";
  }
  named +=
      "<edge source=\"n0\" target=\"n1\"/><edge source=\"n3\" target=\"n1\"/>"
      "<edge source=\"n2\" target=\"n3\"/></graph></graphml>";
  expect_path(load("g.graphml", named), "names");
  expect_path(load("g.graphml", named, false), "n0, n1, ...");
}

TEST_F(GraphFiles, RefusesBrokenGraphml) {
  EXPECT_EQ(error("g.graphml", kBegin + "<graph><node id=\"a\"/>\n<edge source=\"a\" "
                                        "target=\"x\"/></graph></graphml>"),
            "g.graphml:6: an edge with an unknown id: found \"x\", expected an id of the data; "
            "correct it or add the row; the nearest ids are a, b, c");
  EXPECT_EQ(error("g.graphml", kBegin + "<graph><node id=\"a\"/>"),
            "g.graphml:5: not whole XML: found \"Start-end tags mismatch\", expected a GraphML "
            "document; write the file again with the program that made it");
  EXPECT_EQ(error("g.graphml", "<html><body/></html>"),
            "g.graphml: not GraphML: found \"html\", expected an element graphml with nodes and "
            "edges; write it with networkx.write_graphml, or give an edge list");
  EXPECT_EQ(error("g.graphml", kBegin + "<graph><edge source=\"a\" target=\"b\"><data key=\"d0\">"
                                        "-1</data></edge></graph></graphml>"),
            "g.graphml:5: the weight of an edge is wrong: found \"-1\", expected a number that is "
            "not negative; correct the weight or remove the edge");
}

TEST_F(GraphFiles, MatrixMarket) {
  expect_path(
      load("g.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n4 4 3\n2 1\n4 2\n4 3\n"),
      "pattern");
  const Dataset d = load(
      "g.mtx",
      "%%MatrixMarket matrix coordinate real general\n4 4 4\n2 1 0.5\n1 2 0.5\n2 4 2\n4 3 1\n");
  expect_path(d, "weights");
  EXPECT_EQ(d.graph.values[0], 0.5f);
  EXPECT_EQ(error("g.mtx", "%%MatrixMarket matrix coordinate pattern general\n3 3 1\n2 1\n"),
            "g.mtx: a graph of another size: found \"3 x 3\", expected a row and a column for each "
            "of 4 rows; give the matrix of this data's graph");
}

TEST_F(GraphFiles, Summary) {
  const GraphSummary path = summarise_graph(load("e.txt", "a b\nb c\n"));
  EXPECT_EQ(path.edges, 2);
  EXPECT_EQ(path.components, 2);
  EXPECT_EQ(path.largest_component, 3);
  EXPECT_EQ(path.lone_rows, 1);
  EXPECT_EQ(path.labelled_edges, 2);
  EXPECT_EQ(path.same_class, 1);
}

}  // namespace
}  // namespace glgnn
