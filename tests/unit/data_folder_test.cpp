// Folders in the layout of the shipped sets, and those sets.
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>

#include "data/data.h"
#include "unit/data_test_util.h"

namespace glgnn {
namespace {

using Rows = std::vector<int32_t>;

class DataFolder : public testing::Test {
 protected:
  // A copy of a fixture folder that a test may break.
  std::string copy(const std::string& name) {
    std::filesystem::copy(fixture(name), folder_.path("set"));
    return folder_.path("set");
  }
  std::string error(ErrorKind kind = ErrorKind::kData, const LoadOptions& options = {}) {
    return folder_.error_of(kind, [&] { load_dataset(folder_.path("set"), options); });
  }

  TempFolder folder_;
};

TEST_F(DataFolder, ReadsAFullFolder) {
  const Dataset d = load_dataset(fixture("full_set"));
  EXPECT_EQ(d.name, "full_set");
  ASSERT_TRUE(d.features.is_sparse);
  EXPECT_EQ(d.rows(), 6);
  EXPECT_EQ(d.features.cols(), 4);
  // Row 0 was written as columns 2, 0: they are sorted here.
  EXPECT_EQ(d.features.sparse.pattern->row_ptr, (std::vector<int64_t>{0, 2, 3, 3, 5, 6, 7}));
  EXPECT_EQ(d.features.sparse.pattern->col, (Rows{0, 2, 1, 0, 3, 2, 1}));
  EXPECT_EQ(d.features.sparse.values, (std::vector<float>{2, 1, 3, 5, 4, 6, 7}));
  EXPECT_EQ(d.labels, (Rows{0, 0, 0, 1, 1, -1}));
  EXPECT_EQ(d.class_names, (Strings{"red", "blue"}));
  EXPECT_EQ(d.feature_names, (Strings{"a", "b", "c", "d"}));
  EXPECT_TRUE(d.has_graph);
  EXPECT_EQ(d.graph.nnz(), 4);
  ASSERT_EQ(d.splits.size(), 2u);
  EXPECT_EQ(d.splits[0].train, (Rows{0, 3}));
  EXPECT_EQ(d.splits[0].val, (Rows{1}));
  EXPECT_EQ(d.splits[0].test, (Rows{2, 4})) << "every other labelled row";
  EXPECT_EQ(d.splits[1].test, (Rows{1})) << "as the file says";
  EXPECT_FALSE(d.splits_are_seeds);
  EXPECT_EQ(d.scaling, "");
}

TEST_F(DataFolder, ReadsAPlainFolder) {
  const Dataset d = load_dataset(fixture("plain_set") + "/");
  EXPECT_EQ(d.name, "plain_set");
  EXPECT_EQ(d.features.dense[4][0], 9.0f);
  EXPECT_EQ(d.class_names, (Strings{"0", "1"}));
  EXPECT_EQ(d.feature_names[2], "f2");
  EXPECT_FALSE(d.has_graph);
  ASSERT_EQ(d.splits.size(), 1u);
  EXPECT_TRUE(d.splits[0].val.empty());
  EXPECT_EQ(d.splits[0].test, (Rows{2, 4, 5}));
  EXPECT_TRUE(d.splits_are_seeds);
}

TEST_F(DataFolder, ReadsMetaJson) {
  copy("plain_set");
  folder_.write("set/meta.json", R"({"name": "Plain", "rows": 6, "scaling": "max", "paper_k": 4,
                                     "paper_epochs": 50, "splits_are_seeds": false})");
  const Dataset d = load_dataset(folder_.path("set"));
  EXPECT_EQ(d.name, "Plain");
  EXPECT_EQ(d.scaling, "max");
  EXPECT_EQ(d.paper_k, 4);
  EXPECT_EQ(d.paper_epochs, 50);
  EXPECT_FALSE(d.splits_are_seeds);
}

TEST_F(DataFolder, AGivenGraphReplacesItsOwn) {
  const std::string edges = folder_.write("e.txt", "0 5\n");
  EXPECT_EQ(load_dataset(fixture("full_set"), {.graph = edges}).graph.pattern->col, (Rows{5, 0}));
  EXPECT_EQ(load_dataset("cora", {.graph = edges}).graph.nnz(), 2);
}

TEST_F(DataFolder, NewRowsNeedNoLabels) {
  copy("plain_set");
  std::filesystem::remove(folder_.path("set/labels.npy"));
  std::filesystem::remove(folder_.path("set/split.npz"));
  const Dataset d = load_dataset(folder_.path("set"), {.new_rows = true});
  EXPECT_EQ(d.labels, Rows(6, -1));
}

TEST_F(DataFolder, RefusesFoldersThatAreNoDatasets) {
  std::filesystem::create_directory(folder_.path("set"));
  EXPECT_EQ(
      error(),
      "set: a folder that is not a dataset: found \"nothing in it\", expected features.npy or "
      "features.npz, and labels.npy; name a file in it (csv, tsv, npy, npz), or see "
      "docs/data_formats.md for the layout");
  folder_.write("set/b.csv", "x");
  folder_.write("set/a.csv", "x");
  EXPECT_TRUE(begins(error(), "set: a folder that is not a dataset: found \"a.csv, b.csv\", expe"));
  std::filesystem::copy(fixture("X.npy"), folder_.path("set/features.npy"));
  EXPECT_TRUE(begins(error(ErrorKind::kIo), "set/labels.npy: no such file:"));
}

TEST_F(DataFolder, RefusesOptionsThatItHasItself) {
  copy("full_set");
  EXPECT_EQ(error(ErrorKind::kUsage, {.label = "kind"}),
            "set: a dataset folder has its own labels and ids: found \"--label kind\", expected no "
            "--label and no --id; leave it away");
}

TEST_F(DataFolder, RefusesFilesThatDoNotFit) {
  copy("full_set");
  folder_.write("set/class_names.txt", "red\n");
  EXPECT_EQ(error(),
            "set/labels.npy: a label without a name: found \"1\", expected -1 or a line of "
            "class_names.txt, 0 to 0; correct the label or name its class");
  folder_.write("set/class_names.txt", "red\nred\n");
  EXPECT_EQ(error(),
            "set/class_names.txt: two classes of one name: found \"red\", expected another name in "
            "every line; name each class once, in the order of its number");
  folder_.write("set/class_names.txt", "red\nblue\n");
  folder_.write("set/feature_names.txt", "a\nb\n");
  EXPECT_EQ(error(),
            "set/feature_names.txt: names do not fit the features: found \"2 lines\", expected one "
            "for each of 4 columns; write one name per line");
  folder_.write("set/feature_names.txt", "a\nb\nc\nd");
  folder_.write("set/labels.npy", bytes_of(fixture("f4.npy")));
  EXPECT_TRUE(begins(error(), "set/labels.npy: a label without a name: found \"2\""));
  folder_.write("set/labels.npy", bytes_of(fixture("X.npy")));
  EXPECT_EQ(error(),
            "set/labels.npy: labels do not fit the features: found \"18 labels\", expected one for "
            "each of 6 rows; write one label per row");
}

TEST_F(DataFolder, RefusesBrokenMetaJson) {
  copy("full_set");
  folder_.write("set/meta.json", "{\"rows\": 7}");
  EXPECT_EQ(error(),
            "set/meta.json: meta.json and the files differ: found \"6 rows\", expected 7; "
            "correct \"rows\" or restore the files");
  folder_.write("set/meta.json", "{\"rows\": ");
  EXPECT_TRUE(begins(error(), "set/meta.json: not a JSON object of the right kind: found "));
  folder_.write("set/meta.json", "{\"rows\": \"six\"}");
  EXPECT_TRUE(begins(error(), "set/meta.json: not a JSON object of the right kind: found "));
  folder_.write("set/meta.json", "{\"scaling\": \"maximum\"}");
  EXPECT_EQ(error(),
            "set/meta.json: setting scaling: found \"maximum\", expected "
            "auto|none|standard|max|row_sum|row_unit|standard_unit|tfidf");
}

TEST_F(DataFolder, RefusesBrokenSparseFeatures) {
  copy("full_set");
  folder_.write("set/features.npz", bytes_of(fixture("scipy_csr.npz")).substr(0, 700));
  EXPECT_TRUE(begins(error(), "set/features.npz: truncated or damaged .npz archive: fo"));
  folder_.write("set/features.npz", bytes_of(fixture("split.npz")));
  EXPECT_EQ(error(),
            "set/features.npz: array \"shape\" is missing: found \"arrays train, val, "
            "test\", expected an array of that name; add it with numpy.savez_compressed");
}

TEST_F(DataFolder, RefusesBrokenSplits) {
  copy("plain_set");
  folder_.write("set/split.npz", bytes_of(fixture("compressed.npz")));
  EXPECT_EQ(error(),
            "set/split.npz: array \"train\" is missing: found \"arrays X, y\", expected an "
            "array of that name; add it with numpy.savez_compressed");
}

struct Shipped {
  const char* name;
  int64_t rows, features, classes, edges;
  bool sparse;
  size_t splits;
  size_t train, val, test;
  int64_t labelled;
  Scaling scaling;
  int64_t k, epochs;
};

void PrintTo(const Shipped& s, std::ostream* out) { *out << s.name; }

class DataShipped : public testing::TestWithParam<Shipped> {};

INSTANTIATE_TEST_SUITE_P(All, DataShipped,
                         testing::Values(Shipped{"wine", 178, 13, 3, 0, false, 10, 10, 20, 148, 178,
                                                 Scaling::kStandardUnit, 90, 1000},
                                         Shipped{"cancer", 569, 30, 2, 0, false, 10, 10, 20, 539,
                                                 569, Scaling::kStandardUnit, 110, 160},
                                         Shipped{"digits", 1797, 64, 10, 0, false, 10, 50, 100,
                                                 1647, 1797, Scaling::kRowUnit, 15, 700},
                                         Shipped{"citeseer", 3327, 3703, 6, 4552, true, 1, 120, 500,
                                                 1000, 3312, Scaling::kRowUnit, 20, 48},
                                         Shipped{"cora", 2708, 1433, 7, 5278, true, 1, 140, 500,
                                                 1000, 2708, Scaling::kRowUnit, 20, 200},
                                         Shipped{"20news", 9607, 236, 10, 0, true, 10, 100, 200,
                                                 9307, 9607, Scaling::kNone, 10, 1000},
                                         Shipped{"fma46", 7994, 46, 8, 0, false, 10, 160, 320, 7514,
                                                 7994, Scaling::kStandardUnit, 10, 900}),
                         [](const auto& set) { return std::string("set_") + set.param.name; });

TEST_P(DataShipped, LoadsAsPublished) {
  const Shipped& expected = GetParam();
  const Dataset d = load_dataset(expected.name);
  EXPECT_EQ(d.name, expected.name);
  EXPECT_EQ(d.rows(), expected.rows);
  EXPECT_EQ(d.features.cols(), expected.features);
  EXPECT_EQ(d.features.is_sparse, expected.sparse);
  EXPECT_EQ(d.classes(), expected.classes);
  EXPECT_EQ(d.has_graph, expected.edges > 0);
  EXPECT_EQ(d.graph.nnz(), 2 * expected.edges);
  EXPECT_EQ(d.feature_names.size(), static_cast<size_t>(expected.features));
  ASSERT_EQ(d.labels.size(), static_cast<size_t>(expected.rows));
  EXPECT_EQ(std::count_if(d.labels.begin(), d.labels.end(), [](int32_t c) { return c >= 0; }),
            expected.labelled);
  EXPECT_EQ(resolve_scaling(Scaling::kAuto, d.features, d.scaling), expected.scaling);
  EXPECT_EQ(d.paper_k, expected.k);
  EXPECT_EQ(d.paper_epochs, expected.epochs);
  EXPECT_EQ(d.splits_are_seeds, expected.splits == 1);
  EXPECT_TRUE(d.notes.empty()) << d.notes[0];
}

TEST_P(DataShipped, HasDisjointSplitsOfLabelledRows) {
  const Shipped& expected = GetParam();
  const Dataset d = load_dataset(expected.name);
  ASSERT_EQ(d.splits.size(), expected.splits);
  for (const Split& split : d.splits) {
    EXPECT_EQ(split.train.size(), expected.train);
    EXPECT_EQ(split.val.size(), expected.val);
    EXPECT_EQ(split.test.size(), expected.test);
    std::set<int32_t> all(split.train.begin(), split.train.end());
    all.insert(split.val.begin(), split.val.end());
    all.insert(split.test.begin(), split.test.end());
    EXPECT_EQ(all.size(), expected.train + expected.val + expected.test) << "disjoint";
    for (const int32_t row : all) ASSERT_GE(d.labels[row], 0);
    if (expected.splits > 1) {
      EXPECT_EQ(all.size(), static_cast<size_t>(expected.rows)) << "all rows";
    }
    std::set<int32_t> classes;
    for (const int32_t row : split.train) classes.insert(d.labels[row]);
    EXPECT_EQ(classes.size(), static_cast<size_t>(expected.classes)) << "each class trains";
  }
  if (expected.splits > 1) {
    EXPECT_NE(d.splits[0].train, d.splits[1].train);
  }
}

TEST_P(DataShipped, HasAGraphWithoutSelfLoopsAndWithBothDirections) {
  const Dataset d = load_dataset(GetParam().name);
  const Pattern& p = *d.graph.pattern;
  std::set<std::pair<int64_t, int64_t>> edges;
  for (int64_t i = 0; i < p.rows; ++i) {
    for (int64_t e = p.row_ptr[i]; e < p.row_ptr[i + 1]; ++e) edges.emplace(i, p.col[e]);
    EXPECT_TRUE(std::is_sorted(p.col.begin() + p.row_ptr[i], p.col.begin() + p.row_ptr[i + 1]));
  }
  EXPECT_EQ(edges.size(), static_cast<size_t>(d.graph.nnz()));
  for (const auto& [i, j] : edges) {
    EXPECT_NE(i, j);
    EXPECT_TRUE(edges.contains({j, i}));
  }
}

TEST_P(DataShipped, HasTheChecksumsOfItsCard) {
  const std::filesystem::path folder = shipped_folder() / GetParam().name;
  const auto meta = nlohmann::json::parse(bytes_of(folder / "meta.json"));
  std::string list;
  std::set<std::string> named{"meta.json"};
  for (const auto& [file, sum] : meta.at("sha256").items()) {
    list += sum.get<std::string>() + "  " + (folder / file).string() + "\n";
    named.insert(file);
  }
  const TempFolder temp;
  const std::string command = "sha256sum --check --strict --quiet " + temp.write("sums", list);
  EXPECT_EQ(std::system(command.c_str()), 0);
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    EXPECT_TRUE(named.contains(entry.path().filename())) << entry.path();
  }
}

TEST_P(DataShipped, HasACard) {
  const DatasetCard card = shipped_card(GetParam().name);
  EXPECT_EQ(card.name, GetParam().name);
  EXPECT_EQ(card.rows, GetParam().rows);
  EXPECT_EQ(card.features, GetParam().features);
  EXPECT_EQ(card.classes, GetParam().classes);
  EXPECT_EQ(card.edges, GetParam().edges);
  EXPECT_FALSE(card.title.empty());
  EXPECT_FALSE(card.source.empty());
  EXPECT_FALSE(card.licence.empty());
}

TEST(DataShippedNumbers, AreThoseOfThePublishers) {
  const Dataset wine = load_dataset("wine");
  EXPECT_EQ(wine.feature_names[12], "proline");
  EXPECT_EQ(wine.features.dense[0][12], 1065.0f);
  EXPECT_EQ(wine.features.dense[1][0], 13.20f);
  const Dataset digits = load_dataset("digits");
  EXPECT_EQ(*std::max_element(digits.features.dense.data(),
                              digits.features.dense.data() + digits.features.dense.size()),
            16.0f);
  EXPECT_EQ(load_dataset("cora").features.sparse.nnz(), 49216);
  EXPECT_EQ(load_dataset("citeseer").features.sparse.nnz(), 105165);
  EXPECT_EQ(load_dataset("20news").features.sparse.nnz(), 255223);
}

TEST(DataShippedFolder, IsTheOneOfTheEnvironmentIfSet) {
  const TempFolder temp;
  std::filesystem::copy(fixture("plain_set"), temp.path("wine"));
  setenv("GLGNN_DATA", temp.path().c_str(), 1);
  const int64_t rows = load_dataset("wine").rows();
  const std::string missing = temp.error_of(ErrorKind::kData, [] { load_dataset("cora"); });
  unsetenv("GLGNN_DATA");
  EXPECT_NE(missing.find("GLGNN_DATA"), std::string::npos) << missing;
  EXPECT_EQ(rows, 6);
  EXPECT_EQ(load_dataset("wine").rows(), 178);
  EXPECT_EQ(
      temp.error_of(ErrorKind::kUsage, [] { shipped_card("iris"); }),
      "iris: no such shipped dataset; there are wine, cancer, digits, citeseer, cora, 20news, "
      "fma46");
}

}  // namespace
}  // namespace glgnn
