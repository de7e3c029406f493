#include "data/data.h"
#include "unit/data_test_util.h"

namespace glgnn {
namespace {

using Strings = std::vector<std::string>;

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
      "one edge per line: row, row or row, row, weight");
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

}  // namespace
}  // namespace glgnn
