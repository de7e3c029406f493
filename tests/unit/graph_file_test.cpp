#include <glgnn/error.h>
#include <glgnn/graph_file.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "data/npz.h"
#include "report/graph_text.h"

namespace glgnn {
namespace {

// A matrix as people write one; zeros are not stored.
Csr csr_of(const std::vector<std::vector<float>>& rows) {
  auto pattern = std::make_shared<Pattern>();
  pattern->rows = static_cast<int64_t>(rows.size());
  pattern->cols = pattern->rows;
  Csr csr;
  for (const auto& row : rows) {
    for (size_t j = 0; j < row.size(); ++j) {
      if (row[j] == 0) continue;
      pattern->col.push_back(static_cast<int32_t>(j));
      csr.values.push_back(row[j]);
    }
    pattern->row_ptr.push_back(pattern->nnz());
  }
  csr.pattern = pattern;
  return csr;
}

std::vector<std::vector<float>> dense_of(const Csr& csr) {
  std::vector<std::vector<float>> rows(csr.rows(), std::vector<float>(csr.cols()));
  for (int64_t i = 0; i < csr.rows(); ++i) {
    for (int64_t e = csr.pattern->row_ptr[i]; e < csr.pattern->row_ptr[i + 1]; ++e) {
      rows[i][csr.pattern->col[e]] = csr.values[e];
    }
  }
  return rows;
}

using Rows = std::vector<std::vector<float>>;

Model small_model() {
  Model model;
  model.fused_graph = csr_of({{0.5f, 0.25f, 0.125f, 0.125f},  //
                              {1, 0, 0, 0},
                              {0, 0.75f, 0.25f, 0},
                              {0.25f, 0.25f, 0.5f, 0}});
  model.modules.resize(1);
  model.modules[0].graph = csr_of({{0, 1, 0, 0}, {1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}});
  model.row_ids = {"a<b", "c,d", "say \"e\"", "f"};
  model.class_names = {"x&y", "z"};
  model.labels = {0, 1, -1, 1};
  model.train = {0};
  model.val = {1};
  model.test = {3};
  model.probabilities = Matrix(4, 2, 0.5f);
  for (const int64_t row : {1, 2, 3}) model.probabilities[row][1] = 0.75f;
  return model;
}

std::string text_of(GraphFormat format, const GraphOptions& options = {}) {
  std::string text;
  write_graph(
      small_model(), format, [&](std::string_view piece) { text += piece; }, options);
  return text;
}

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(LearnedGraph, IsTheModelsOwn) {
  const Model model = small_model();
  EXPECT_EQ(dense_of(learned_graph(model)), dense_of(model.fused_graph));
  EXPECT_EQ(dense_of(learned_graph(model, {.module = 1})), dense_of(model.modules[0].graph));
}

TEST(LearnedGraph, KeepsTheHeaviestOfEachRowAndItsLoop) {
  const Rows one{{0.5f, 0.25f, 0, 0}, {1, 0, 0, 0}, {0, 0.75f, 0.25f, 0}, {0, 0, 0.5f, 0}};
  EXPECT_EQ(dense_of(learned_graph(small_model(), {.top = 1})), one);
  // Of equal weights the first rows.
  const Rows two{{0.5f, 0.25f, 0.125f, 0}, {1, 0, 0, 0}, {0, 0.75f, 0.25f, 0}, {0.25f, 0, 0.5f, 0}};
  EXPECT_EQ(dense_of(learned_graph(small_model(), {.top = 2})), two);
}

TEST(LearnedGraph, LeavesLightEdgesOut) {
  const Rows heavy{{0.5f, 0, 0, 0}, {1, 0, 0, 0}, {0, 0.75f, 0, 0}, {0, 0, 0.5f, 0}};
  EXPECT_EQ(dense_of(learned_graph(small_model(), {.min_weight = 0.5})), heavy);
}

TEST(LearnedGraph, UndirectedIsTheMeanOfBothDirections) {
  const Rows mean{{0.5f, 0.625f, 0.0625f, 0.1875f},
                  {0.625f, 0, 0.375f, 0.125f},
                  {0.0625f, 0.375f, 0.25f, 0.25f},
                  {0.1875f, 0.125f, 0.25f, 0}};
  EXPECT_EQ(dense_of(learned_graph(small_model(), {.undirected = true})), mean);
  // 2 - 1 is the heaviest of row 2, 3 - 2 that of row 3: both ends have them.
  const Rows top{
      {0.5f, 0.625f, 0, 0}, {0.625f, 0, 0.375f, 0}, {0, 0.375f, 0.25f, 0.25f}, {0, 0, 0.25f, 0}};
  EXPECT_EQ(dense_of(learned_graph(small_model(), {.top = 1, .undirected = true})), top);
}

TEST(LearnedGraph, RefusesWhatIsNotThere) {
  const Model model = small_model();
  EXPECT_EQ(message_of([&] { learned_graph(model, {.module = 2}); }),
            "graph of a module: found \"2\", expected 1 to 1; choose one of these, or the fused "
            "graph of all");
  EXPECT_EQ(message_of([&] { learned_graph(model, {.top = -1}); }),
            "edges of each row: found \"-1\", expected 1 or more; 0 keeps every edge");
  EXPECT_EQ(message_of([&] { learned_graph(model, {.min_weight = std::stod("nan")}); }),
            "smallest weight: found \"nan\", expected a finite number; 0 keeps every edge");
}

TEST(GraphFile, CsvHasEdgesWithoutLoops) {
  EXPECT_EQ(text_of(GraphFormat::kCsv, {.min_weight = 0.25}),
            "source,target,weight\n"
            "a<b,\"c,d\",0.25\n"
            "\"c,d\",a<b,1\n"
            "\"say \"\"e\"\"\",\"c,d\",0.75\n"
            "f,a<b,0.25\n"
            "f,\"c,d\",0.25\n"
            "f,\"say \"\"e\"\"\",0.5\n");
  EXPECT_EQ(text_of(GraphFormat::kCsv, {.min_weight = 0.25, .undirected = true}),
            "source,target,weight\n"
            "a<b,\"c,d\",0.625\n"
            "\"c,d\",\"say \"\"e\"\"\",0.375\n"
            "\"say \"\"e\"\"\",f,0.25\n");
}

TEST(GraphFile, XmlSaysWhatIsKnownOfARow) {
  const std::string graphml = text_of(GraphFormat::kGraphml, {.module = 1});
  EXPECT_NE(graphml.find("<graph id=\"G\" edgedefault=\"directed\">"), std::string::npos);
  EXPECT_NE(graphml.find("    <node id=\"n0\">\n"
                         "      <data key=\"id\">a&lt;b</data>\n"
                         "      <data key=\"class\">x&amp;y</data>\n"
                         "      <data key=\"predicted\">x&amp;y</data>\n"
                         "      <data key=\"probability\">0.500000</data>\n"
                         "      <data key=\"part\">train</data>\n"
                         "    </node>\n"),
            std::string::npos);
  // Row 2 has neither a label nor a part.
  EXPECT_NE(graphml.find("      <data key=\"id\">say &quot;e&quot;</data>\n"
                         "      <data key=\"predicted\">z</data>\n"
                         "      <data key=\"probability\">0.750000</data>\n"
                         "    </node>\n"),
            std::string::npos);
  EXPECT_NE(graphml.find("<edge source=\"n2\" target=\"n1\"><data key=\"weight\">1</data>"
                         "<data key=\"module\">1</data></edge>"),
            std::string::npos);
}

TEST(GraphFile, RowsAreCounted) {
  std::vector<int64_t> seen;
  text_of(GraphFormat::kCsv, {.on_row = [&](int64_t rows) { seen.push_back(rows); }});
  EXPECT_EQ(seen, (std::vector<int64_t>{1, 2, 3, 4}));
}

TEST(GraphFile, NpzIsTheMatrix) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("glgnn_graph_file_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  const std::string path = folder / "g.npz";
  const Model model = small_model();
  write_graph(model, GraphFormat::kNpz, path);
  {
    const Npz npz(path);
    EXPECT_EQ(to_integers(npz.read("indptr")), (std::vector<int64_t>{0, 4, 5, 7, 10}));
    EXPECT_EQ(to_integers(npz.read("indices")),
              (std::vector<int64_t>{0, 1, 2, 3, 0, 1, 2, 0, 1, 2}));
    EXPECT_EQ(to_floats(npz.read("data")), model.fused_graph.values);
    EXPECT_EQ(to_integers(npz.read("shape")), (std::vector<int64_t>{4, 4}));
    EXPECT_EQ(npz.read("format").bytes, "csr");
  }
  // What cannot be written leaves what is there.
  EXPECT_EQ(
      message_of([&] { write_graph(model, GraphFormat::kNpz, path, {.module = 9}); }).substr(0, 17),
      "graph of a module");
  EXPECT_EQ(Npz(path).names().size(), 5u);
  EXPECT_EQ(message_of([&] { write_graph(model, GraphFormat::kNpz, folder.string()); }),
            folder.string() + ": found a folder, expected a file to write; choose another place");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);
  std::filesystem::remove_all(folder);
}

TEST(GraphFormat, IsAWordOrAnEnding) {
  EXPECT_EQ(graph_format("gexf"), GraphFormat::kGexf);
  EXPECT_EQ(graph_format("my.graph.graphml"), GraphFormat::kGraphml);
  EXPECT_EQ(message_of([] { graph_format("dot"); }),
            "format of a graph: found \"dot\", expected one of csv, graphml, gexf, npz; choose one "
            "of these");
}

TEST(XmlText, EscapesMarkupAndReplacesWhatXmlCannotHold) {
  EXPECT_EQ(xml_text("a<b>&\"'"), "a&lt;b&gt;&amp;&quot;'");
  EXPECT_EQ(xml_text("\t\n\r"), "&#9;&#10;&#13;");
  EXPECT_EQ(xml_text("Zürich 東京 🙂"), "Zürich 東京 🙂");
  const std::string bad = "\xEF\xBF\xBD";
  EXPECT_EQ(xml_text(std::string("\x01\0\x1b", 3)), bad + bad + bad);
  EXPECT_EQ(xml_text("caf\xE9"), "caf" + bad);                          // Latin-1
  EXPECT_EQ(xml_text("\xC0\xAF"), bad + bad);                           // overlong
  EXPECT_EQ(xml_text("\xED\xA0\x80"), bad);                             // half of a pair
  EXPECT_EQ(xml_text("\xEF\xBF\xBF"), bad);                             // U+FFFF
  EXPECT_EQ(xml_text("\xF4\x90\x80\x80"), bad);                         // above U+10FFFF
  EXPECT_EQ(xml_text("\xE6\x9D"), bad + bad);                           // cut
  EXPECT_EQ(xml_text("\xF0\x9F\x99\x82\xF0\x9F"), "🙂" + bad + bad);  // cut after a whole one
}

}  // namespace
}  // namespace glgnn
