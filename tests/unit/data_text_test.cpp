// Text files in pieces, plain and gzip.

#include "data/data.h"
#include "data/line_reader.h"
#include "data/text_rows.h"
#include "unit/data_test_util.h"

namespace glgnn {
namespace {

TEST(DataText, ReadsGzipAsItIs) {
  const Dataset d = load_dataset(fixture("table.csv.gz"), {.label = "kind", .id = "name"});
  EXPECT_EQ(d.name, "table");
  EXPECT_EQ(d.feature_names, (Strings{"width", "height"}));
  EXPECT_EQ(d.features.dense[1][1], 40.0f);
  EXPECT_EQ(d.labels, (std::vector<int32_t>{0, 1, -1, 0}));
}

TEST(DataText, RefusesDamagedGzip) {
  const TempFolder folder;
  const std::string good = bytes_of(fixture("table.csv.gz"));
  const auto error = [&](const std::string& bytes) {
    return folder.error_of(ErrorKind::kData,
                           [&] { load_dataset(folder.write("t.csv.gz", bytes)); });
  };
  EXPECT_EQ(error(good.substr(0, good.size() - 12)),
            "t.csv.gz: truncated or damaged .gz file: found \"unexpected end of file\", expected a "
            "whole gzip file; write or download it again");
  std::string changed = good;
  changed[changed.size() - 5] ^= 1;
  EXPECT_TRUE(begins(error(changed), "t.csv.gz: truncated or damaged .gz file: found \""));
}

TEST(DataText, ReadsLinesAcrossPieces) {
  // Long enough for several pieces, with every kind of line end at every place.
  for (const std::string end : {"\n", "\r\n", "\r"}) {
    std::string text = "a,b" + end;
    for (int i = 0; i < 60000; ++i) {
      text += std::to_string(i) + ",\"" + std::to_string(i * 7 % 100) + "\"" + end;
    }
    const TempFolder folder;
    TextRows rows(folder.write("t.csv", text));
    Strings fields;
    ASSERT_TRUE(rows.next(fields));
    for (int i = 0; i < 60000; ++i) {
      ASSERT_TRUE(rows.next(fields));
      ASSERT_EQ(fields, (Strings{std::to_string(i), std::to_string(i * 7 % 100)}));
      ASSERT_EQ(rows.place().line, i + 2);
    }
    EXPECT_FALSE(rows.next(fields));
    EXPECT_EQ(rows.part_read(), 1.0);
  }
}

TEST(DataText, ALineMayBeLongerThanAPiece) {
  const TempFolder folder;
  const std::string field(1000000, 'x');
  TextRows rows(folder.write("t.csv", "\n\na," + field + "\r\n1," + field));
  Strings fields;
  ASSERT_TRUE(rows.next(fields));
  EXPECT_EQ(rows.place().line, 3);
  EXPECT_EQ(fields[1].size(), field.size());
  ASSERT_TRUE(rows.next(fields));
  EXPECT_EQ(fields[1], field);
  EXPECT_FALSE(rows.next(fields));
}

TEST(DataText, ALineEndMayBeCutByAPiece) {
  const TempFolder folder;
  constexpr size_t kPiece = size_t{1} << 18;
  for (size_t size = kPiece - 4; size <= kPiece + 1; ++size) {
    const std::string line(size, 'x');
    LineReader lines(folder.write("t.txt", line + "\r\nsecond\r\n"));
    std::string_view found;
    ASSERT_TRUE(lines.next(found));
    EXPECT_EQ(found, line + "\r\n") << size;
    ASSERT_TRUE(lines.next(found));
    EXPECT_EQ(found, "second\r\n") << size;
    EXPECT_EQ(lines.line(), 2);
  }
}

TEST(DataText, UnderstandsExcelsSeparatorLine) {
  const TempFolder folder;
  const Dataset d =
      load_dataset(folder.write("t.csv", "\xEF\xBB\xBFsep=;\r\na,b;c\r\n1;2\r\n3;5\r\n4;4\r\n"));
  EXPECT_EQ(d.feature_names, (Strings{"a,b", "c"}));
  EXPECT_EQ(d.features.dense[1][1], 5.0f);
}

TEST(DataText, SaysWhatAFileOfAnotherKindIs) {
  const TempFolder folder;
  const auto error = [&](const std::string& begin) {
    const std::string path = folder.write("t.csv", begin + std::string("\0\x01\x02\0,a\n1\0", 10));
    return folder.error_of(ErrorKind::kData, [&] { load_dataset(path); });
  };
  EXPECT_EQ(
      error("PK\x03\x04..........................[Content_Types].xml"),
      "t.csv: not a text file: found \"a spreadsheet (.xlsx)\", expected rows of text; save the "
      "sheet as \"CSV UTF-8\" in the program that shows it");
  EXPECT_EQ(
      error("PAR1"),
      "t.csv: not a text file: found \"a Parquet file\", expected rows of text; write it as CSV, "
      "in Python: pandas.read_parquet(FILE).to_csv(\"table.csv\", index=False)");
  const auto found = [](const std::string& what) {
    return "t.csv: not a text file: found \"" + what + "\", expected rows of text; ";
  };
  EXPECT_TRUE(begins(error("PK\x03\x04..........................iris.csv"),
                     found("a zip archive") + "unpack it"));
  EXPECT_TRUE(begins(error("PK\x03\x04..........................X.npy"),
                     found("NumPy arrays (.npz)") + "rename"));
  EXPECT_TRUE(begins(error("\x93NUMPY"), found("a NumPy array (.npy)") + "rename"));
  EXPECT_TRUE(begins(error("SQLite format 3"), found("an SQLite database")));
  EXPECT_TRUE(begins(error("\x80\x04\x95"), found("a Python pickle")));
  EXPECT_TRUE(begins(error("\xD0\xCF\x11\xE0"), found("an old file of Office (.xls)")));
  EXPECT_TRUE(begins(error("BZh9"), found("a .bz2 file") + "unpack it"));
  EXPECT_TRUE(begins(error("?"), "t.csv:1: not UTF-8 text"));
  EXPECT_EQ(load_dataset(folder.write("t.csv", "PAR1,BZh\n1,2\n2,4\n3,3\n")).rows(), 3);
}

TEST(DataText, NamesWhatAFileHolds) {
  EXPECT_EQ(content_extension("a/x.CSV.gz"), ".csv");
  EXPECT_EQ(content_extension("x.tsv"), ".tsv");
  EXPECT_EQ(content_extension("x.gz"), "");
  EXPECT_EQ(content_name("a/x.csv.gz"), "x");
  EXPECT_EQ(content_name("a/x.1.csv"), "x.1");
}

// svmlight and Matrix Market files.

void expect_same_as_array(const Dataset& d) {
  const Dataset dense = load_dataset(fixture("X.npy"));
  Features features = d.features;
  make_dense(features);
  ASSERT_EQ(features.dense.size(), dense.features.dense.size());
  for (int64_t i = 0; i < features.dense.size(); ++i) {
    EXPECT_EQ(features.dense.data()[i], dense.features.dense.data()[i]) << i;
  }
}

class SparseFiles : public testing::Test {
 protected:
  Dataset load(const std::string& file, const std::string& text, const LoadOptions& options = {}) {
    return load_dataset(folder_.write(file, text), options);
  }
  std::string error(const std::string& file, const std::string& text,
                    ErrorKind kind = ErrorKind::kData, const LoadOptions& options = {}) {
    return folder_.error_of(kind, [&] { load(file, text, options); });
  }
  TempFolder folder_;
};

TEST_F(SparseFiles, SvmlightRows) {
  for (const std::string name : {"rows.svm", "rows.svm.gz"}) {
    const Dataset d = load_dataset(fixture(name));
    EXPECT_EQ(d.name, "rows");
    expect_same_as_array(d);
    EXPECT_FALSE(d.features.is_sparse) << "most numbers are not zero";
    EXPECT_EQ(d.feature_names, (Strings{"f1", "f2", "f3"}));
    EXPECT_EQ(d.class_names, (Strings{"3", "7"}));
    EXPECT_EQ(d.labels, (std::vector<int32_t>{0, 0, 0, 1, 1, 1}));
  }
}

TEST_F(SparseFiles, SvmlightCorners) {
  const Dataset d = load("t.libsvm",
                         "# a remark\n"
                         "-1 qid:3 0:1 9:2.5 # another\r\n"
                         "\n"
                         "+1.0 5:-1e-1\n"
                         "? 2:1\n"
                         "1:4 3:1\n"
                         "-1\n");
  EXPECT_TRUE(d.plan.counts_from_zero);
  EXPECT_TRUE(d.features.is_sparse);
  EXPECT_EQ(d.features.cols(), 10);
  EXPECT_EQ(d.feature_names[9], "f9");
  EXPECT_EQ(d.class_names, (Strings{"-1", "1"}));
  EXPECT_EQ(d.labels, (std::vector<int32_t>{0, 1, -1, -1, 0}));
  EXPECT_EQ(d.features.sparse.pattern->row_ptr, (std::vector<int64_t>{0, 2, 3, 4, 6, 6}));
  EXPECT_EQ(d.features.sparse.pattern->col, (std::vector<int32_t>{0, 9, 5, 2, 1, 3}));
}

TEST_F(SparseFiles, RefusesBrokenSvmlight) {
  EXPECT_EQ(error("t.svm", "1 1:2\n1 2:1 x\n"),
            "t.svm:2: not a feature: found \"x\", expected NUMBER:VALUE with a number up to "
            "2147483646; correct the line");
  EXPECT_EQ(error("t.svm", "1 1:2\n1 2:1 2:3\n"),
            "t.svm:2: features out of order: found \"2:3\", expected a number above 2; sort the "
            "features of the row, each once");
  EXPECT_EQ(
      error("t.svm", "1,2 1:2\n"),
      "t.svm:1: the label is not a number: found \"1,2\", expected a number for the class, or "
      "?; number the classes; rows with several classes cannot be read");
  EXPECT_EQ(error("t.svm", "1 1:nan\n"),
            "t.svm:1: feature 1: not a finite number: found \"nan\", expected a number that fits "
            "into float32; replace or remove the value");
  EXPECT_EQ(error("t.svm", "# nothing\n"),
            "t.svm: empty file: found \"0 rows\", expected a line for each row: LABEL NUMBER:VALUE "
            "...; check that the file was written completely");
  EXPECT_EQ(error("t.svm", "1 1:2\n", ErrorKind::kUsage, {.label = "k"}),
            "t.svm: svmlight rows begin with their label and have no id: found \"--label k\", "
            "expected no --label and no --id; leave it away");
}

// Cut anywhere or with any byte changed, a file gives an Error or a dataset, and never worse.
TEST_F(SparseFiles, SurviveEveryCutAndEveryChangedByte) {
  const std::string mtx = bytes_of(fixture("coordinate.mtx")).substr(0, 130);
  for (const auto& [file, good] :
       {std::pair<std::string, std::string>{"t.svm", "+1 1:0.5 3:1 # x\n-1 2:1\n? 1:2\n"},
        std::pair<std::string, std::string>{"t.mtx", mtx}}) {
    const auto read = [&, name = file](const std::string& text) {
      try {
        load(name, text);
      } catch (const Error&) {
      }
    };
    for (size_t i = 0; i < good.size(); ++i) {
      read(good.substr(0, i));
      for (const char other : {':', ' ', '\n', '\0', '9', '-', '%', '\xFF'}) {
        std::string changed = good;
        changed[i] = other;
        read(changed);
      }
    }
  }
}

TEST_F(SparseFiles, MatrixMarketFeatures) {
  for (const std::string name : {"coordinate.mtx", "array.mtx"}) {
    const Dataset d = load_dataset(fixture(name), {.label = fixture("y.npy")});
    expect_same_as_array(d);
    EXPECT_EQ(d.labels, (std::vector<int32_t>{0, 0, 0, 1, 1, 1}));
  }
  const std::string labels = folder_.write("y.txt", "cat\ncat\n\ndog\r\nNA\ndog\n");
  const Dataset d = load_dataset(fixture("coordinate.mtx"), {.label = labels});
  EXPECT_EQ(d.class_names, (Strings{"cat", "dog"}));
  EXPECT_EQ(d.labels, (std::vector<int32_t>{0, 0, -1, 1, -1, 1}));
}

TEST_F(SparseFiles, MatrixMarketKinds) {
  const std::string y = folder_.write("y.txt", "u\nv\nu\n");
  Dataset d = load("s.mtx",
                   "%%MatrixMarket matrix coordinate integer symmetric\n% remark\n3 3 2\n"
                   "2 1 5\n3 3 7\n",
                   {.label = y});
  make_dense(d.features);
  EXPECT_EQ(d.features.dense[0][1], 5.0f);
  EXPECT_EQ(d.features.dense[1][0], 5.0f);
  EXPECT_EQ(d.features.dense[2][2], 7.0f);
  d = load("p.mtx", "%%MatrixMarket matrix coordinate pattern general\n3 20 2\n1 20\n3 1\n",
           {.label = y});
  ASSERT_TRUE(d.features.is_sparse);
  EXPECT_EQ(d.features.sparse.values, (std::vector<float>{1, 1}));
  EXPECT_EQ(d.features.sparse.pattern->col, (std::vector<int32_t>{19, 0}));
}

TEST_F(SparseFiles, RefusesBrokenMatrixMarket) {
  const std::string head = "%%MatrixMarket matrix coordinate real general\n";
  EXPECT_EQ(error("t.mtx", "%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 1\n"),
            "t.mtx:1: not a matrix that can be read: found \"%%MatrixMarket matrix coordinate "
            "complex general\", expected %%MatrixMarket matrix, then coordinate or array, then "
            "real, integer or pattern, then general or symmetric; write it with scipy.io.mmwrite");
  EXPECT_EQ(error("t.mtx", head + "3 2\n"),
            "t.mtx:2: the sizes are wrong: found \"3, 2\", expected rows, columns and entries; "
            "write the matrix again");
  EXPECT_TRUE(begins(error("t.mtx", head + "900000000 2 1\n1 1 1\n"),
                     "t.mtx: more rows than so few entries"));
  EXPECT_EQ(error("t.mtx", head + "3 2 2\n1 1 1\n"),
            "t.mtx:3: the file ends too early: found \"1 entry line\", expected 2 as its header "
            "says; check that the file was written completely");
  EXPECT_EQ(error("t.mtx", head + "3 2 1\n1 1 1\n2 2 2\n"),
            "t.mtx:4: more entries than the header says: found \"2\", expected 1 entry line; "
            "correct the third number below the header, or remove lines");
  EXPECT_EQ(error("t.mtx", head + "3 2 1\n4 1 1\n"),
            "t.mtx:3: an entry outside of the matrix: found \"4\", expected a number from 1 to 3; "
            "correct the entry or the sizes below the header");
  EXPECT_EQ(
      error("t.mtx", head + "3 2 1\n1 1 inf\n"),
      "t.mtx:3: not a finite number: found \"inf\", expected a number that fits into float32; "
      "correct or remove the entry");
  EXPECT_EQ(error("t.mtx", head + "3 2 1\n1 1\n"),
            "t.mtx:3: not an entry: found \"2 fields\", expected a row, a column and a value; "
            "correct the line");
}

}  // namespace
}  // namespace glgnn
