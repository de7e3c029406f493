// Arrays in files: .npy, .npz, and what is read of them.
#include <glgnn/new_rows.h>

#include "data/data.h"
#include "data/npy.h"
#include "data/npz.h"
#include "unit/data_test_util.h"

namespace glgnn {
namespace {

TEST(DataNpy, ReadsEveryKindOfNumber) {
  for (const std::string kind : {"half", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8",
                                 "big_endian", "fortran", "version2", "version3"}) {
    const NpyArray array = read_npy(fixture(kind + ".npy"));
    const Matrix m = to_matrix(array);
    ASSERT_EQ(m.rows(), 3) << kind;
    ASSERT_EQ(m.cols(), 2) << kind;
    for (int i = 0; i < 6; ++i) EXPECT_EQ(m.data()[i], static_cast<float>(i)) << kind;
    EXPECT_EQ(to_integers(array), (std::vector<int64_t>{0, 1, 2, 3, 4, 5})) << kind;
  }
  EXPECT_EQ(to_integers(read_npy(fixture("bool.npy"))), (std::vector<int64_t>{0, 1, 0, 1, 0, 1}));
  EXPECT_EQ(read_npy(fixture("y.npy")).shape_text(), "(6,)");
}

TEST(DataNpy, ReadsRowsWithoutTheOthers) {
  for (const std::string kind : {"f4", "f8", "i1", "u8", "big_endian", "version3"}) {
    const NpyRows file(fixture(kind + ".npy"));
    ASSERT_EQ(file.rows(), 3) << kind;
    const Matrix last = file.read(1, 3);
    ASSERT_EQ(last.rows(), 2) << kind;
    for (int i = 0; i < 4; ++i) EXPECT_EQ(last.data()[i], static_cast<float>(i + 2)) << kind;
    EXPECT_EQ(file.read(2, 2).rows(), 0);
  }
  EXPECT_NE(NpyRows(fixture("f4.npy")).sample_hash(), NpyRows(fixture("f8.npy")).sample_hash());

  const TempFolder folder;
  const auto error = [&](const std::string& bytes) {
    const std::string path = folder.write("x.npy", bytes);
    return folder.error_of(ErrorKind::kData, [&] { NpyRows(path).read(1, 3); });
  };
  EXPECT_TRUE(begins(error(bytes_of(fixture("fortran.npy"))),
                     "x.npy: columns lie side by side, not rows: found \"fortran_order\""));
  EXPECT_TRUE(
      begins(error(bytes_of(fixture("nan.npy"))), "x.npy: row 1, column 0 is not a finite"));
  EXPECT_TRUE(begins(error(bytes_of(fixture("y.npy"))), "x.npy: not a matrix"));
  const std::string good = bytes_of(fixture("f4.npy"));
  for (size_t size = 0; size < good.size(); ++size) {
    EXPECT_TRUE(begins(error(good.substr(0, size)), "x.npy: truncated or damaged")) << size;
  }
}

TEST(DataNpy, SeveralThreadsReadTheSame) {
  for (const std::string kind : {"f4", "f8", "big_endian", "fortran", "version2"}) {
    const Matrix m = read_npy_matrix(fixture(kind + ".npy"), 2);
    ASSERT_EQ(m.rows(), 3) << kind;
    ASSERT_EQ(m.cols(), 2) << kind;
    for (int i = 0; i < 6; ++i) EXPECT_EQ(m[i / 2][i % 2], static_cast<float>(i)) << kind;
    EXPECT_EQ(m.is_shared(), kind == "f4" || kind == "version2") << kind;
  }
  const TempFolder folder;
  const auto error = [&](const std::string& bytes, int threads) {
    const std::string path = folder.write("x.npy", bytes);
    return folder.error_of(ErrorKind::kData, [&] { read_npy_matrix(path, threads); });
  };
  const std::string good = bytes_of(fixture("f4.npy"));
  for (size_t size = 0; size < good.size(); ++size) {
    EXPECT_EQ(error(good.substr(0, size), 2), error(good.substr(0, size), 1)) << size;
  }
  for (const char* name : {"nan.npy", "y.npy", "half.npy"}) {
    EXPECT_EQ(error(bytes_of(fixture(name)), 2), error(bytes_of(fixture(name)), 1)) << name;
  }
}

TEST(DataNpy, RefusesWhatItCannotUse) {
  const TempFolder folder;
  const auto error = [&](const std::string& name) {
    const std::string path = folder.write(name, bytes_of(fixture(name)));
    return folder.error_of(ErrorKind::kData, [&] { to_matrix(read_npy(path)); });
  };
  EXPECT_EQ(error("text.npy"),
            "text.npy: not a matrix: found \"shape (2,)\", expected two dimensions, rows and "
            "columns; make a matrix of it with X.reshape(len(X), -1)");
  std::string complex = bytes_of(fixture("f8.npy"));
  complex.replace(complex.find("<f8"), 3, "<c8");
  EXPECT_EQ(
      folder.error_of(ErrorKind::kData,
                      [&] { to_matrix(read_npy(folder.write("c.npy", complex))); }),
      "c.npy: array of a type that cannot be read: found \"<c8\", expected floats of 16 to 64 "
      "bits, bool or integers of 8 to 64 bits, labels also as text; convert it with "
      "array.astype(numpy.float32), labels with array.astype(str)");
  const std::string bytes = folder.write("y_bytes.npy", bytes_of(fixture("y_bytes.npy")));
  EXPECT_EQ(
      folder.error_of(ErrorKind::kData, [&] { to_integers(read_npy(bytes)); }),
      "y_bytes.npy: array of text: found \"text\", expected an array of numbers; convert it with "
      "array.astype(numpy.float32), labels with array.astype(str)");
  EXPECT_EQ(
      error("cube.npy"),
      "cube.npy: too many dimensions: found \"(2, 2, 2)\", expected one or two dimensions; make "
      "one row of each sample with X.reshape(len(X), -1)");
  EXPECT_EQ(error("y.npy"),
            "y.npy: not a matrix: found \"shape (6,)\", expected two dimensions, rows and columns; "
            "make a matrix of it with X.reshape(len(X), -1)");
  EXPECT_EQ(error("nan.npy"),
            "nan.npy: row 1, column 0 is not a finite number: found \"nan\", expected numbers that "
            "fit into float32; replace or remove the value (numpy.isfinite finds them all)");
  EXPECT_TRUE(begins(error("huge.npy"), "huge.npy: row 1, column 1 is not a finite number:"));
  EXPECT_TRUE(begins(
      folder.error_of(
          ErrorKind::kData,
          [&] { to_integers(read_npy(folder.write("n.npy", bytes_of(fixture("nan.npy"))))); }),
      "n.npy: row 1, column 0 is not a whole number: found \"nan\", expect"));
}

TEST(DataNpy, RefusesDamagedFiles) {
  const TempFolder folder;
  const std::string good = bytes_of(fixture("f4.npy"));
  const auto error = [&](const std::string& bytes) {
    const std::string path = folder.write("x.npy", bytes);
    return folder.error_of(ErrorKind::kData, [&] { read_npy(path); });
  };
  EXPECT_EQ(error(""),
            "x.npy: empty file: found \"0 bytes\", expected an array written by "
            "numpy.save; write it again");
  EXPECT_EQ(
      error("hello, world"),
      "x.npy: truncated or damaged .npy array: found \"hello,\", expected an array that begins "
      "with \\x93NUMPY; write it again with numpy.save");
  EXPECT_EQ(
      error(good.substr(0, good.size() - 1)),
      "x.npy: truncated or damaged .npy array: found \"23 bytes of numbers\", expected as many "
      "as shape (3, 2) needs; write it again with numpy.save");
  EXPECT_EQ(error(good.substr(0, 100)),
            "x.npy: truncated or damaged .npy array: found \"100 bytes\", expected a header of 118 "
            "bytes; write it again with numpy.save");
  std::string version = good;
  version[6] = 9;
  EXPECT_EQ(
      error(version),
      "x.npy: truncated or damaged .npy array: found \"format version 9\", expected version 1, "
      "2 or 3; write it again with numpy.save");
  std::string shape = good;
  shape.replace(shape.find("(3, 2)"), 6, "(3, 3)");
  EXPECT_EQ(
      error(shape),
      "x.npy: truncated or damaged .npy array: found \"24 bytes of numbers\", expected as many "
      "as shape (3, 3) needs; write it again with numpy.save");
  std::string enormous = good;
  enormous.replace(enormous.find("(3, 2), }         "), 18, "(9999999999, 9), }");
  EXPECT_NE(error(enormous).find("shape (9999999999, 9) needs"), std::string::npos);
}

// Cut anywhere or with any byte changed, a file gives an Error or an array, and never worse.
TEST(DataNpy, SurvivesEveryCutAndEveryChangedByte) {
  for (const std::string name : {"f4.npy", "version2.npy", "fortran.npy", "y.npy"}) {
    const std::string good = bytes_of(fixture(name));
    for (size_t i = 0; i < good.size(); ++i) {
      EXPECT_THROW(parse_npy(good.substr(0, i), {"cut"}), Error);
      for (const int change : {1, 2, 4, 8, 16, 32, 64, 128}) {
        std::string changed = good;
        changed[i] = static_cast<char>(changed[i] ^ change);
        try {
          to_floats(parse_npy(changed, {"changed"}));
        } catch (const Error&) {
        }
      }
    }
  }
}

TEST(DataNpz, ReadsStoredAndCompressed) {
  for (const std::string name : {"stored.npz", "compressed.npz"}) {
    const Npz npz(fixture(name));
    EXPECT_EQ(npz.names(), (std::vector<std::string>{"X", "y"}));
    EXPECT_TRUE(npz.has("X"));
    EXPECT_FALSE(npz.has("Z"));
    EXPECT_EQ(to_matrix(npz.read("X"))[4][0], 9.0f);
    EXPECT_EQ(to_integers(npz.read("y")), (std::vector<int64_t>{3, 3, 3, 7, 7, 7}));
  }
}

TEST(DataNpz, RefusesDamagedArchives) {
  const TempFolder folder;
  const std::string good = bytes_of(fixture("compressed.npz"));
  const auto error = [&](const std::string& bytes) {
    const std::string path = folder.write("x.npz", bytes);
    return folder.error_of(ErrorKind::kData, [&] {
      const Npz npz(path);
      npz.read("X");
      npz.read("Z");
    });
  };
  EXPECT_EQ(error(good),
            "x.npz: array \"Z\" is missing: found \"arrays X, y\", expected an array of that name; "
            "add it with numpy.savez_compressed");
  EXPECT_EQ(error("hello"),
            "x.npz: truncated or damaged .npz archive: found \"Not a zip archive\", expected a zip "
            "archive of arrays; write it again with numpy.savez_compressed");
  EXPECT_EQ(error(good.substr(0, good.size() - 30)),
            "x.npz: truncated or damaged .npz archive: found \"Not a zip archive\", expected a zip "
            "archive of arrays; write it again with numpy.savez_compressed");
  std::string changed = bytes_of(fixture("stored.npz"));  // a number of X: only the checksum knows
  changed[changed.find("NUMPY") + 130] ^= 1;
  EXPECT_EQ(error(changed),
            "x.npz (X): truncated or damaged .npz archive: found \"CRC error\", expected a zip "
            "archive of arrays; write it again with numpy.savez_compressed");
  EXPECT_TRUE(begins(folder.error_of(ErrorKind::kIo, [&] { Npz npz(folder.path("no.npz")); }),
                     "no.npz: no such file:"));
}

// Some readers take the first of them, others the last.
TEST(DataNpz, RefusesTwoArraysOfOneName) {
  const TempFolder folder;
  std::string bytes = bytes_of(fixture("stored.npz"));
  for (size_t at = 0; (at = bytes.find("y.npy", at)) != std::string::npos;) bytes[at] = 'X';
  folder.write("x.npz", bytes);
  EXPECT_EQ(folder.error_of(ErrorKind::kData, [&] { Npz npz(folder.path("x.npz")); }),
            "x.npz: two arrays have the same name: found \"X\", expected each name once; write it "
            "again with numpy.savez_compressed");
}

TEST(DataNpz, SurvivesEveryCutAndEveryChangedByte) {
  const TempFolder folder;
  const std::string good = bytes_of(fixture("compressed.npz"));
  const auto read = [&](const std::string& bytes) {
    const Npz npz(folder.write("x.npz", bytes));
    to_matrix(npz.read("X"));
    to_integers(npz.read("y"));
  };
  for (size_t i = 0; i < good.size(); ++i) {
    EXPECT_THROW(read(good.substr(0, i)), Error) << i;
    std::string changed = good;
    changed[i] = static_cast<char>(changed[i] ^ 0x55);
    try {
      read(changed);
    } catch (const Error&) {
    }
  }
}

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

// -1 marks rows without a label beside two or more classes from 0, as in Python.
TEST(DataArrays, NegativeLabelsAreClassesLikeOthers) {
  const Dataset d = load_dataset(fixture("X.npy"), {.label = fixture("y_from_below.npy")});
  EXPECT_EQ(d.class_names, (Strings{"-2", "-1", "0", "1"}));
  EXPECT_EQ(d.labels, (std::vector<int32_t>{0, 1, 2, 3, 2, 1}));
  EXPECT_EQ(
      d.notes.front(),
      "the label -1 is a class of 2 rows beside -2, 0, 1; --missing -1 would take it as unknown");
  const Dataset signs = load_dataset(fixture("X.npy"), {.label = fixture("y_signs.npy")});
  EXPECT_EQ(signs.class_names, (Strings{"-1", "1"}));
  EXPECT_EQ(signs.notes.front(),
            "the label -1 is a class of 3 rows beside 1; --missing -1 would take it as unknown");
  EXPECT_EQ(
      load_dataset(fixture("X.npy"), {.label = fixture("y_from_below.npy"), .missing = {"-1"}})
          .class_names,
      (Strings{"-2", "0", "1"}));
  // In new rows it is what the model says.
  NewRows rows(fixture("X.npy"), d.plan, {"-1", "1"}, {.label = fixture("y_signs.npy")});
  RowBlock block;
  rows.next(block);
  EXPECT_EQ(block.labels, (std::vector<int32_t>{0, 0, 0, 1, 1, 1}));
  NewRows others(fixture("X.npy"), d.plan, {"3", "7"}, {.label = fixture("y_unknown.npy")});
  others.next(block);
  EXPECT_EQ(block.labels, (std::vector<int32_t>{0, -1, 0, 1, 1, -1}));
  EXPECT_EQ(others.notes(), Strings());
}

// With a byte order mark, blanks behind the text, Latin-1, and a word for no label.
TEST(DataNpy, LabelsOfATextFileAreReadAsThoseOfATable) {
  const TempFolder folder;
  const Dataset d =
      load_dataset(fixture("X.npy"), {.label = folder.write("y.txt",
                                                            "\xEF\xBB\xBF"
                                                            "cat\ncat \r\n\nM\xE4use\nx\nM\xE4use"),
                                      .missing = {"x"}});
  EXPECT_EQ(d.class_names, (std::vector<std::string>{"M\xC3\xA4use", "cat"}));
  EXPECT_EQ(d.labels, (std::vector<int32_t>{1, 1, -1, 0, -1, 0}));
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
  const Dataset dense = load_dataset(fixture("X.npy"));
  for (const std::string format : {"csr", "csc", "coo"}) {
    Dataset d = load_dataset(fixture("scipy_" + format + ".npz"), {.label = fixture("y.npy")});
    ASSERT_TRUE(d.features.is_sparse) << format;
    make_dense(d.features);
    for (int64_t i = 0; i < dense.features.dense.size(); ++i) {
      EXPECT_EQ(d.features.dense.data()[i], dense.features.dense.data()[i]) << format << i;
    }
  }
}

TEST(DataArrays, LeavesOutConstantColumns) {
  const TempFolder folder;
  std::string bytes = bytes_of(fixture("X.npy"));
  for (int i = 0; i < 6; ++i) bytes.replace(128 + i * 12, 4, std::string(4, '\0'));
  const std::string path = folder.write("X.npy", bytes);
  const Dataset d = load_dataset(path);
  EXPECT_EQ(d.features.dense[5][1], 4.0f);
  EXPECT_EQ(d.feature_names, (Strings{"f1", "f2"}));
  EXPECT_EQ(d.notes, (Strings{"1 column has the same value in every row and is left out: f0"}));
  RowBlock block;
  NewRows(path, d.plan, {}).next(block);
  EXPECT_EQ(block.features.dense[5][1], 4.0f);
  EXPECT_EQ(block.features.cols(), 2);
}

// They are no constants, and float32 cannot hold them.
TEST(DataArrays, SaysWhichNumbersLieTooClose) {
  const TempFolder folder;
  std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (4, 4), }";
  header.resize(117, ' ');
  std::string bytes = "\x93NUMPY" + std::string("\x01\x00\x76\x00", 4) + header + "\n";
  for (int i = 0; i < 4; ++i) {
    for (const double number : {1.7e9 + i, 1e9 + 50 * i, 5e9, 0.1 * i}) {
      bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
    }
  }
  const Dataset d = load_dataset(folder.write("X.npy", bytes));
  EXPECT_EQ(d.feature_names, (Strings{"f1", "f3"}));
  EXPECT_EQ(d.notes,
            (Strings{"2 columns have numbers that float32 rounds to a few or to one: f0, f1; "
                     "subtract the smallest number of such a column first, or give the rows as a "
                     "table",
                     "1 column has the same value in every row and is left out: f2"}));
}

TEST(DataArrays, LabelsMayBeText) {
  for (const std::string name : {"y_text.npy", "y_text_swapped.npy"}) {
    const Dataset d = load_dataset(fixture("X.npy"), {.label = fixture(name)});
    EXPECT_EQ(d.class_names, (Strings{"M\u00E4use", "dog"})) << name;
    EXPECT_EQ(d.labels, (std::vector<int32_t>{0, 1, -1, 1, 0, -1})) << name;
  }
  for (const Dataset& d : {load_dataset(fixture("text_labels.npz")),
                           load_dataset(fixture("X.npy"), {.label = fixture("y_bytes.npy")})}) {
    EXPECT_EQ(d.class_names, (Strings{"cat", "dog"}));
    EXPECT_EQ(d.labels, (std::vector<int32_t>{0, 1, 0, 1, 0, 1}));
  }
}

TEST(DataArrays, NanIsNoLabel) {
  const Dataset d = load_dataset(fixture("X.npy"), {.label = fixture("y_nan.npy")});
  EXPECT_EQ(d.class_names, (Strings{"3", "7"}));
  EXPECT_EQ(d.labels, (std::vector<int32_t>{0, -1, 0, 1, -1, 1}));
  const Dataset signs =
      load_dataset(fixture("X.npy"), {.label = fixture("y_nan_beside_minus.npy")});
  EXPECT_EQ(signs.labels, (std::vector<int32_t>{0, -1, 0, 1, 1, 1}));
}

TEST(DataArrays, KeepsConstantColumnsWhereThereAreNoOthers) {
  const TempFolder folder;
  std::string bytes = bytes_of(fixture("X.npy"));
  bytes.replace(128, 72, std::string(72, '\0'));
  const Dataset d = load_dataset(folder.write("X.npy", bytes));
  EXPECT_EQ(d.features.cols(), 3);
  EXPECT_EQ(d.notes.front(), "3 columns have the same value in every row: f0, f1, f2");
}

TEST(DataArrays, NewRowsOfSvmlightFilesLeaveOutTheSameColumns) {
  const TempFolder folder;
  const Dataset d =
      load_dataset(folder.write("t.svm", "1 1:1 2:5 3:2\n2 1:2 2:5 3:1\n1 2:5 3:3\n"));
  EXPECT_EQ(d.feature_names, (Strings{"f1", "f3"}));
  RowBlock block;
  NewRows(folder.write("new.svm", "1 2:9 3:4\n"), d.plan, d.class_names).next(block);
  EXPECT_EQ(block.features.cols(), 2);
  EXPECT_EQ(block.features.dense[0][1], 4.0f);
}

TEST(DataArrays, RefusesWhatDoesNotFit) {
  const TempFolder folder;
  for (const std::string name :
       {"X.npy", "y.npy", "f4.npy", "stored.npz", "scipy_bsr.npz", "split.npz"}) {
    folder.write(name, bytes_of(fixture(name)));
  }
  const auto error = [&](ErrorKind kind, const std::string& name, const LoadOptions& options = {}) {
    return folder.error_of(kind, [&] { load_dataset(folder.path(name), options); });
  };
  EXPECT_EQ(error(ErrorKind::kData, "f4.npy", {.label = folder.path("y.npy")}),
            "y.npy: labels do not fit the features: found \"shape (6,)\", expected one label for "
            "each of 3 rows; save one label for each row, as y.ravel() is, -1 where unknown");
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
  EXPECT_EQ(
      error(ErrorKind::kData, "scipy_bsr.npz"),
      "scipy_bsr.npz: a sparse matrix of a kind that is not read: found \"bsr\", expected the "
      "format csr, csc or coo (matrix.tocsr()); write the matrix again with "
      "scipy.sparse.save_npz");
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
