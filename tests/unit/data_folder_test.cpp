#include "data/data.h"
#include "unit/data_test_util.h"

namespace glgnn {
namespace {

using Strings = std::vector<std::string>;
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

}  // namespace
}  // namespace glgnn
