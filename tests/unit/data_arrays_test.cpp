#include "data/data.h"
#include "unit/data_test_util.h"

namespace glgnn {
namespace {

using Strings = std::vector<std::string>;

TEST(DataArrays, ReadsFeaturesAndLabelsFromTwoFiles) {
  const Dataset d = load_dataset(fixture("X.npy"), {.label = fixture("y.npy")});
  EXPECT_EQ(d.name, "X");
  ASSERT_EQ(d.rows(), 6);
  EXPECT_EQ(d.features.dense[3][0], 8.0f);
  EXPECT_EQ(d.feature_names, (Strings{"f0", "f1", "f2"}));
  EXPECT_EQ(d.class_names, (Strings{"3", "7"}));
  EXPECT_EQ(d.labels, (std::vector<int32_t>{0, 0, 0, 1, 1, 1}));
  EXPECT_TRUE(d.row_ids.empty());
  EXPECT_EQ(load_dataset(fixture("X.npy"), {.label = fixture("y_unknown.npy")}).labels,
            (std::vector<int32_t>{0, -1, 0, 1, 1, -1}));
  EXPECT_EQ(load_dataset(fixture("X.npy")).labels, std::vector<int32_t>(6, -1));
}

TEST(DataArrays, ReadsArchives) {
  for (const std::string name : {"stored.npz", "compressed.npz"}) {
    const Dataset d = load_dataset(fixture(name));
    EXPECT_EQ(d.features.dense[5][2], 4.0f);
    EXPECT_EQ(d.labels, (std::vector<int32_t>{0, 0, 0, 1, 1, 1}));
  }
  EXPECT_EQ(load_dataset(fixture("stored.npz"), {.label = "y"}).classes(), 2);
  EXPECT_EQ(load_dataset(fixture("stored.npz"), {.label = fixture("y_unknown.npy")}).labels[1], -1);
}

TEST(DataArrays, ReadsSciPysSparseMatrices) {
  Dataset d = load_dataset(fixture("scipy_csr.npz"), {.label = fixture("y.npy")});
  ASSERT_TRUE(d.features.is_sparse);
  make_dense(d.features);
  const Dataset dense = load_dataset(fixture("X.npy"));
  for (int64_t i = 0; i < dense.features.dense.size(); ++i) {
    EXPECT_EQ(d.features.dense.data()[i], dense.features.dense.data()[i]);
  }
}

TEST(DataArrays, NotesConstantColumnsAndKeepsThem) {
  const TempFolder folder;
  std::string bytes = bytes_of(fixture("X.npy"));
  for (int i = 0; i < 6; ++i) bytes.replace(128 + i * 12, 4, std::string(4, '\0'));
  const Dataset d = load_dataset(folder.write("X.npy", bytes));
  EXPECT_EQ(d.features.cols(), 3);
  EXPECT_EQ(d.notes, (Strings{"1 column has the same value in every row: f0"}));
}

TEST(DataArrays, RefusesWhatDoesNotFit) {
  const TempFolder folder;
  for (const std::string name :
       {"X.npy", "y.npy", "f4.npy", "stored.npz", "scipy_csc.npz", "split.npz"}) {
    folder.write(name, bytes_of(fixture(name)));
  }
  const auto error = [&](ErrorKind kind, const std::string& name, const LoadOptions& options = {}) {
    return folder.error_of(kind, [&] { load_dataset(folder.path(name), options); });
  };
  EXPECT_EQ(error(ErrorKind::kData, "f4.npy", {.label = folder.path("y.npy")}),
            "y.npy: labels do not fit the features: found \"shape (6,)\", expected one label for "
            "each of 3 rows; save labels as one row of integers, -1 where unknown");
  EXPECT_EQ(
      error(ErrorKind::kUsage, "X.npy", {.label = "species"}),
      "X.npy: an array has no label column: found \"--label species\", expected a .npy file of "
      "labels; save the labels with numpy.save, or as text with one label per line in a .txt "
      "file, and name that file");
  EXPECT_EQ(error(ErrorKind::kUsage, "X.npy", {.id = "name"}),
            "X.npy: arrays have no id column: found \"--id name\", expected no --id; leave --id "
            "away: row numbers from 0 are the ids");
  EXPECT_EQ(error(ErrorKind::kData, "stored.npz", {.label = "z"}),
            "stored.npz: array \"z\" is missing: found \"arrays X, y\", expected an array of that "
            "name; add it with numpy.savez_compressed");
  EXPECT_EQ(error(ErrorKind::kData, "split.npz"),
            "split.npz: no features: found \"arrays train, val, test\", expected an array X, or a "
            "sparse matrix as indptr, indices, data and shape; write it with "
            "numpy.savez_compressed(file, X=X, y=y)");
  EXPECT_EQ(error(ErrorKind::kData, "scipy_csc.npz"),
            "scipy_csc.npz: not in compressed rows: found \"csc\", expected the format csr "
            "(matrix.tocsr()); write the matrix again with scipy.sparse.save_npz");
}

TEST(DataArrays, RefusesNamesThatAreNothing) {
  const TempFolder folder;
  EXPECT_EQ(
      folder.error_of(ErrorKind::kUsage, [] { load_dataset("coar"); }),
      "coar: no shipped dataset, file or folder of this name: found \"coar\", expected one of "
      "wine, cancer, digits, citeseer, cora, 20news, fma46; the nearest is \"cora\"");
  EXPECT_EQ(folder.error_of(ErrorKind::kIo, [&] { load_dataset(folder.path("x.npy")); }),
            "x.npy: no such file: found \"x.npy\", expected the name of a file that exists; check "
            "the spelling and the folder you are in");
}

}  // namespace
}  // namespace glgnn
