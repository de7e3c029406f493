// Graphs in files and in memory: edge lists, other formats, noise.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "data/data.h"
#include "data/edge_list.h"
#include "unit/data_test_util.h"

namespace glgnn {
namespace {

class DataGraph : public testing::Test {
 protected:
  // Four rows; ids a, b, c, d if asked for.
  Dataset load(const std::string& edges, bool ids = false, const std::string& file = "e.txt") {
    const std::string table = folder_.write("t.csv", "i,x,y\na,1,5\nb,2,4\nc,3,9\nd,4,4\n");
    const std::string numbers = folder_.write("n.csv", "x,y\n1,5\n2,4\n3,9\n4,4\n");
    const std::string graph = folder_.write(file, edges);
    return load_dataset(ids ? table : numbers, {.id = ids ? "i" : "", .graph = graph});
  }
  std::string error(const std::string& edges, bool ids = false, const std::string& file = "e.txt") {
    return folder_.error_of(ErrorKind::kData, [&] { load(edges, ids, file); });
  }

  TempFolder folder_;
};

// 0-1, 1-3, 2-3 as symmetric rows.
void expect_path(const Dataset& d, const std::string& where) {
  EXPECT_TRUE(d.has_graph) << where;
  EXPECT_EQ(d.graph.pattern->row_ptr, (std::vector<int64_t>{0, 1, 3, 4, 6})) << where;
  EXPECT_EQ(d.graph.pattern->col, (std::vector<int32_t>{1, 0, 3, 3, 1, 2})) << where;
}

TEST_F(DataGraph, ReadsEveryWayOfWritingEdges) {
  for (const std::string text :
       {"0 1\n3 1\n2 3\n", "0,1\n3,1\n2,3\n", "0;1\n3;1\n2;3", "0\t1\r\n3\t1\r\n2\t3\r\n",
        "# a comment, with a comma\n\nfrom to\n0   1\n  3 1\n#2 1\n2 3\n",
        "source,target\n0,1\n1,3\n3,2\n"}) {
    expect_path(load(text), text);
    EXPECT_EQ(load(text).graph.values, std::vector<float>(6, 1.0f));
    EXPECT_TRUE(load(text).notes.empty()) << text;
  }
  expect_path(load("0\t1\n1\t3\n2\t3\n", false, "e.tsv"), "tsv");
  expect_path(load("a,b\nd,b\nc,d\n", true, "e.csv"), "ids");
}

TEST_F(DataGraph, ReadsWeights) {
  const Dataset d = load("0 1 0.5\n3 1 2\n2 3 1e-1\n");
  expect_path(d, "weights");
  EXPECT_EQ(d.graph.values, (std::vector<float>{0.5f, 0.5f, 2.0f, 0.1f, 2.0f, 0.1f}));
}

TEST_F(DataGraph, ColumnsAreFoundByTheirNames) {
  const Dataset d = load(
      "Source,Target,Type,Id,Label,timeset,Weight\na,b,Undirected,0,,,0.5\n"
      "d,b,Undirected,1,,,2\nb,a,Undirected,2,,,0.25\nc,d,Undirected,3,,,1\n",
      true);
  expect_path(d, "Gephi");
  EXPECT_EQ(d.graph.values, (std::vector<float>{0.5f, 0.5f, 2, 1, 2, 1}));
  EXPECT_EQ(d.notes, (Strings{"columns of the graph that are not read: Type, Id, Label, timeset",
                              "1 repeated edge of the graph merged"}));
  expect_path(load("label;to;from\nx;1;0\ny;1;3\nz;3;2\n"), "in any order");
  expect_path(load("source\ttarget\ttype\n0\t1\tDirected\n3\t1\tDirected\n2\t3\tDirected\n"),
              "three columns without a weight");
  EXPECT_EQ(error("Source,Target,Type,Weight\n0,1,Directed,heavy\n"),
            "e.txt:2: the weight of an edge is wrong: found \"heavy\", expected a number that is "
            "not negative; correct the weight or remove the edge");
  EXPECT_EQ(
      error("one,two,three,four\n0,1,2,3\n"),
      "e.txt:1: not an edge: found \"4 fields\", expected two rows and perhaps a weight; write "
      "one edge per line: row, row or row, row, weight; or name the columns source, target and "
      "weight");
}

TEST_F(DataGraph, NamesTheFormatsThatItDoesNotRead) {
  const std::string repair =
      ", expected an edge list, .npy, .npz, .mtx or .graphml; write it as GraphML or as an edge "
      "list, in Gephi: File > Export, in Python: networkx.write_graphml(graph, \"graph.graphml\")";
  EXPECT_EQ(error("<gexf></gexf>", false, "e.gexf"),
            "e.gexf: a graph of a kind that is not read: found \".gexf\"" + repair);
  EXPECT_EQ(error("*Vertices 2\n1 \"a\"\n2 \"b\"\n*Edges\n1 2\n"),
            "e.txt: a graph of a kind that is not read: found \"*Vertices\"" + repair);
  EXPECT_EQ(error("<?xml version=\"1.0\"?>\n<gexf/>\n"),
            "e.txt: a graph of a kind that is not read: found \"<?xml\"" + repair);
}

TEST_F(DataGraph, SaysWhatItLeavesOut) {
  const Dataset d = load("0 1 1\n1 0 3\n0 1 2\n1 1 1\n3 1 1\n2 3 1\n0 3 0\n");
  expect_path(d, "notes");
  EXPECT_EQ(d.graph.values[0], 3.0f) << "the largest weight of an edge given several times";
  EXPECT_EQ(d.notes, (Strings{"1 self-loop of the graph dropped",
                              "1 edge of the graph with weight 0 dropped",
                              "2 repeated edges of the graph merged"}));
}

TEST_F(DataGraph, SaysWhenItTakesALineAsHeader) {
  const Dataset d = load("one two\na b\nb d\nc d\n", true);
  expect_path(d, "header");
  EXPECT_EQ(d.notes,
            (Strings{folder_.path("e.txt") +
                     ":1 is taken as a header: neither \"one\" nor \"two\" is an id of the "
                     "data"}));
}

TEST_F(DataGraph, ReadsArrays) {
  const Dataset d = load_dataset(fixture("X.npy"), {.graph = fixture("edges.npy")});
  EXPECT_EQ(d.graph.pattern->row_ptr, (std::vector<int64_t>{0, 1, 2, 2, 4, 5, 6}));
  EXPECT_EQ(d.graph.pattern->col, (std::vector<int32_t>{1, 0, 4, 5, 3, 3}));
  EXPECT_EQ(d.notes,
            (Strings{"1 self-loop of the graph dropped", "1 repeated edge of the graph merged"}));
}

TEST_F(DataGraph, RefusesBrokenEdges) {
  EXPECT_EQ(error("0 1\n1 4\n"),
            "e.txt:2: an edge with an unknown row: found \"4\", expected a row number from 0 to 3; "
            "correct it, or name the column of the ids with --id");
  EXPECT_TRUE(begins(error("0 1\n-1 2\n"), "e.txt:2: an edge with an unknown row: found \"-1\", "));
  EXPECT_TRUE(begins(error("7 9\n0 1\n"), "e.txt:1: an edge with an unknown row: found \"7\""));
  EXPECT_EQ(error("a b\nb e\n", true),
            "e.txt:2: an edge with an unknown id: found \"e\", expected an id of the data; correct "
            "it or add the row; the nearest ids are a, b, c");
  EXPECT_TRUE(
      begins(error("a,b\nx,b\n", true), "e.txt:2: an edge with an unknown id: found \"x\", "));
  EXPECT_EQ(
      error("0 1 2 3\n"),
      "e.txt:1: not an edge: found \"4 fields\", expected two rows and perhaps a weight; write "
      "one edge per line: row, row or row, row, weight; or name the columns source, "
      "target and weight");
  EXPECT_EQ(
      error("0 1\n2\n"),
      "e.txt:2: not an edge: found \"1 field\", expected 2 as above; write one edge per line: "
      "row, row or row, row, weight");
  for (const std::string weight : {"-1", "nan", "inf", "heavy"}) {
    EXPECT_EQ(error("0 1 1\n1 2 " + weight + "\n"),
              "e.txt:2: the weight of an edge is wrong: found \"" + weight +
                  "\", expected a number that is not negative; correct the weight or remove the "
                  "edge");
  }
  EXPECT_EQ(
      error("1 1\n"),
      "e.txt: a graph without edges: found \"0 edges\", expected at least one edge between two "
      "rows; add edges, or leave --graph away");
  EXPECT_EQ(error(""),
            "e.txt: empty file: found \"0 bytes\", expected rows of text; check that the "
            "file was written completely");
}

TEST_F(DataGraph, RefusesBrokenArraysOfEdges) {
  EXPECT_EQ(error(bytes_of(fixture("edges.npy")), false, "e.npy"),
            "e.npy: edge 3 has an unknown row: found \"4\", expected a row number from 0 to 3; "
            "correct the edge");
  EXPECT_EQ(
      error(bytes_of(fixture("y.npy")), false, "e.npy"),
      "e.npy: not a list of edges: found \"shape (6,)\", expected shape (E, 2); save one pair "
      "of row numbers per edge");
  EXPECT_EQ(
      folder_.error_of(ErrorKind::kIo,
                       [&] { load_dataset(fixture("X.npy"), {.graph = folder_.path("no")}); }),
      "no: no such file: found \"no\", expected the name of a file that exists; check the "
      "spelling and the folder you are in");
}

// Graphs in Matrix Market and GraphML files, and what a graph is like.

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

TEST_F(GraphFiles, SciPysSparseMatrix) {
  const auto bytes = [](const std::string& name) { return bytes_of(fixture(name)); };
  const Dataset d = load("g.npz", bytes("path.npz"));
  expect_path(d, "npz");
  EXPECT_EQ(d.graph.values, (std::vector<float>{0.5f, 0.5f, 2, 1, 2, 1}));
  EXPECT_EQ(error("g.npz", bytes("scipy_csr.npz")),
            "g.npz: a graph of another size: found \"6 x 3\", expected a row and a column for each "
            "of 4 rows; give the matrix of this data's graph");
  EXPECT_EQ(error("g.npz", bytes("path_below.npz")),
            "g.npz: the weight of an edge is wrong: found \"-0.500000\", expected a number that is "
            "not negative; correct the weight or remove the edge");
  EXPECT_EQ(error("g.npz", bytes("split.npz")),
            "g.npz: array \"shape\" is missing: found \"arrays train, val, test\", expected an "
            "array of that name; add it with numpy.savez_compressed");
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

bool has(const Pattern& pattern, int64_t i, int32_t j) {
  return std::binary_search(pattern.col.begin() + pattern.row_ptr[i],
                            pattern.col.begin() + pattern.row_ptr[i + 1], j);
}

void check_order(const Pattern& pattern) {
  for (int64_t i = 0; i < pattern.rows; ++i) {
    for (int64_t e = pattern.row_ptr[i] + 1; e < pattern.row_ptr[i + 1]; ++e) {
      ASSERT_LT(pattern.col[e - 1], pattern.col[e]);
    }
  }
}

TEST(NoiseEdges, AreAsManyAsTheirProbabilitySays) {
  const int64_t n = 700;
  for (const double p : {0.001, 0.2, 0.9}) {
    const NoisyGraph noisy = add_noise_edges(nullptr, n, p, 5);
    const double pairs = static_cast<double>(n) * (n - 1), expected = p * pairs;
    EXPECT_NEAR(static_cast<double>(noisy.added.nnz()), expected,
                5 * std::sqrt(expected * (1 - p)) + 1);
    EXPECT_EQ(noisy.added.col, noisy.graph.pattern->col);
    check_order(noisy.added);
    for (int64_t i = 0; i < n; ++i) ASSERT_FALSE(has(noisy.added, i, static_cast<int32_t>(i)));
  }
}

TEST(NoiseEdges, LeaveTheGivenGraphInPlace) {
  const Dataset cora = load_dataset("cora");
  const NoisyGraph noisy = add_noise_edges(&cora.graph, cora.rows(), 0.001, 1);
  check_order(*noisy.graph.pattern);
  EXPECT_EQ(noisy.graph.nnz(), cora.graph.nnz() + noisy.added.nnz());
  EXPECT_EQ(noisy.graph.values.size(), noisy.graph.pattern->col.size());
  for (int64_t i = 0; i < cora.rows(); ++i) {
    for (int64_t e = cora.graph.pattern->row_ptr[i]; e < cora.graph.pattern->row_ptr[i + 1]; ++e) {
      ASSERT_TRUE(has(*noisy.graph.pattern, i, cora.graph.pattern->col[e]));
      ASSERT_FALSE(has(noisy.added, i, cora.graph.pattern->col[e]));
    }
  }
}

TEST(NoiseEdges, HaveWeightsFromTheUnitInterval) {
  const Dataset cora = load_dataset("cora");
  const NoisyGraph noisy = add_noise_edges(&cora.graph, cora.rows(), 0.001, 1);
  double sum = 0;
  float lowest = 1, highest = 0;
  for (int64_t i = 0; i < cora.rows(); ++i) {
    const Pattern& all = *noisy.graph.pattern;
    for (int64_t e = all.row_ptr[i]; e < all.row_ptr[i + 1]; ++e) {
      const float weight = noisy.graph.values[e];
      if (!has(noisy.added, i, all.col[e])) {
        ASSERT_EQ(weight, 1.0f);  // the given edges keep theirs
        continue;
      }
      sum += weight;
      lowest = std::min(lowest, weight);
      highest = std::max(highest, weight);
    }
  }
  EXPECT_NEAR(sum / static_cast<double>(noisy.added.nnz()), 0.5, 0.02);
  EXPECT_LT(lowest, 0.01f);
  EXPECT_GT(lowest, 0.0f);
  EXPECT_GT(highest, 0.99f);
  EXPECT_LT(highest, 1.0f);
}

TEST(NoiseEdges, BothWaysTheGraphIsSymmetric) {
  const NoisyGraph noisy = add_noise_edges(nullptr, 200, 0.05, 1);
  const Csr both = undirected(noisy.graph);
  check_order(*both.pattern);
  const auto weight = [](const Csr& graph, int64_t i, int32_t j) {
    const int32_t* begin = graph.pattern->col.data() + graph.pattern->row_ptr[i];
    const int32_t* end = graph.pattern->col.data() + graph.pattern->row_ptr[i + 1];
    const int32_t* found = std::lower_bound(begin, end, j);
    return found != end && *found == j ? graph.values[found - graph.pattern->col.data()] : 0.0f;
  };
  int64_t edges = 0;
  for (int32_t i = 0; i < 200; ++i) {
    for (int32_t j = 0; j < 200; ++j) {
      const float larger = std::max(weight(noisy.graph, i, j), weight(noisy.graph, j, i));
      ASSERT_EQ(weight(both, i, j), larger);
      edges += larger > 0;
    }
  }
  EXPECT_EQ(edges, both.nnz());
}

// Dense and sparse alike: the numbers of some column, in another order of the rows.
TEST(NoiseColumns, HaveTheNumbersOfOthersInAnotherOrder) {
  Dataset dense = load_dataset("wine");
  Dataset sparse = dense;
  make_sparse(sparse.features);
  const int64_t own = dense.features.cols(), rows = dense.rows();
  const auto column = [&](const Matrix& x, int64_t f) {
    std::vector<float> values;
    for (int64_t i = 0; i < rows; ++i) values.push_back(x[i][f]);
    return values;
  };
  EXPECT_EQ(add_noise_columns(dense, 2, 7), 2 * own);
  EXPECT_EQ(add_noise_columns(sparse, 2, 7), 2 * own);
  ASSERT_EQ(dense.features.cols(), 3 * own);
  EXPECT_EQ(std::ssize(dense.feature_names), 3 * own);
  const Matrix& x = dense.features.dense;
  for (int64_t f = own; f < 3 * own; ++f) {
    auto values = column(x, f);
    bool is_known = false;
    for (int64_t g = 0; g < own; ++g) {
      auto theirs = column(x, g);
      EXPECT_NE(values, theirs);
      auto sorted = values;
      std::ranges::sort(sorted);
      std::ranges::sort(theirs);
      is_known |= sorted == theirs;
    }
    EXPECT_TRUE(is_known) << f;
  }
  check_order(*sparse.features.sparse.pattern);
  EXPECT_EQ(add_noise_columns(sparse, 0, 7), 0);
}

TEST(NoiseEdges, DependOnTheSeedAlone) {
  const auto columns = [](uint64_t seed) {
    return add_noise_edges(nullptr, 90, 0.1, seed).added.col;
  };
  EXPECT_EQ(columns(3), columns(3));
  EXPECT_NE(columns(3), columns(4));
}

}  // namespace
}  // namespace glgnn
