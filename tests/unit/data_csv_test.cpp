#include <glgnn/new_rows.h>

#include <algorithm>
#include <cstring>

#include "data/data.h"
#include "data/text_rows.h"
#include "unit/data_test_util.h"

namespace glgnn {
namespace {

const char* const kGood =
    "name,width,height,kind\n"
    "a,1,2.5,cat\n"
    "b,-3,4e1,dog\n"
    "c,5,+6,\n"
    "d,7,8,cat\n";

class DataCsv : public testing::Test {
 protected:
  Dataset load(const std::string& text, const LoadOptions& options = {},
               const std::string& file = "t.csv") {
    return load_dataset(folder_.write(file, text), options);
  }
  std::string error(ErrorKind kind, const std::string& text, const LoadOptions& options = {},
                    const std::string& file = "t.csv") {
    return folder_.error_of(kind, [&] { load(text, options, file); });
  }

  TempFolder folder_;
};

TEST_F(DataCsv, ReadsNumbersLabelsAndIds) {
  const Dataset d = load(kGood, {.label = "kind", .id = "name"});
  EXPECT_EQ(d.name, "t");
  ASSERT_EQ(d.rows(), 4);
  EXPECT_EQ(d.feature_names, (Strings{"width", "height"}));
  EXPECT_EQ(d.features.dense[0][1], 2.5f);
  EXPECT_EQ(d.features.dense[1][0], -3.0f);
  EXPECT_EQ(d.features.dense[1][1], 40.0f);
  EXPECT_EQ(d.features.dense[2][1], 6.0f);
  EXPECT_EQ(d.class_names, (Strings{"cat", "dog"}));
  EXPECT_EQ(d.labels, (std::vector<int32_t>{0, 1, -1, 0}));
  EXPECT_EQ(d.row_ids, (Strings{"a", "b", "c", "d"}));
  EXPECT_FALSE(d.has_graph);
  EXPECT_EQ(d.notes, (Strings{"a single labelled row, which can only train, in class dog"}));
}

// As spreadsheets save "Unicode text".
std::string as_utf16(std::u16string_view text, bool low_first) {
  std::string bytes;
  for (const char16_t unit : u"\uFEFF" + std::u16string(text)) {
    const char high = static_cast<char>(unit >> 8), low = static_cast<char>(unit & 0xFF);
    bytes += low_first ? std::string{low, high} : std::string{high, low};
  }
  return bytes;
}

TEST_F(DataCsv, ReadsUtf16WithItsMark) {
  std::u16string text = u"name\tk\tГород\r\n";
  const int rows = 3000;  // more than a piece of the file
  for (int i = 0; i < rows; ++i) text += u"x\U0001F33Fy\t3,5\tä\r\nz\t4\tb\r\n";
  for (const bool low_first : {true, false}) {
    const Dataset d = load(as_utf16(text, low_first), {.label = "Город"});
    EXPECT_EQ(d.rows(), 2 * rows);
    EXPECT_EQ(d.class_names, (Strings{"b", "ä"}));
    EXPECT_EQ(d.feature_names, (Strings{"name=x🌿y", "name=z", "k"}));
    EXPECT_EQ(d.features.dense[0][2], 3.5f);
  }
  // A half of a pair, and a byte too many: what is no character shows as one, and harms nothing.
  const std::string broken =
      as_utf16(std::u16string(u"a,b\n1,x\n2,y\n3,x\n4,y") + char16_t{0xD83C}, true);
  EXPECT_EQ(load(broken + "Q", {.label = "b"}).class_names, (Strings{"x", "y", "y\uFFFD\uFFFD"}));
}

TEST_F(DataCsv, FindsTheDelimiter) {
  for (const auto& [file, delimiter] : std::vector<std::pair<std::string, char>>{{"a.csv", ','},
                                                                                 {"a.csv", ';'},
                                                                                 {"a.csv", '\t'},
                                                                                 {"a.csv", '|'},
                                                                                 {"a.tsv", '\t'},
                                                                                 {"A.TAB", '\t'}}) {
    std::string text = kGood;
    for (char& c : text) c = c == ',' ? delimiter : c;
    const Dataset d = load(text, {.label = "kind", .id = "name"}, file);
    EXPECT_EQ(d.features.cols(), 2) << file << " " << delimiter;
    EXPECT_EQ(d.row_ids[3], "d");
  }
  // A tab in a .tsv is the delimiter whatever else the header holds.
  EXPECT_EQ(load("a,b\tc\n1\t2\n3\t5\n4\t4\n", {}, "t.tsv").feature_names, (Strings{"a,b", "c"}));
}

TEST_F(DataCsv, UnderstandsQuotesByteOrderMarkAndLineEnds) {
  const Dataset d = load(
      "\xEF\xBB\xBF\"a, \"\"the first\"\"\",b,\"k\"\r\n"
      "\r\n"
      "\"1\", 2 ,\"x\ny\"\r\n"
      "3,4,z\r\n"
      "4,6,z",
      {.label = "k"});
  EXPECT_EQ(d.feature_names, (Strings{"a, \"the first\"", "b"}));
  EXPECT_EQ(d.class_names, (Strings{"x\ny", "z"}));
  EXPECT_EQ(d.features.dense[0][1], 2.0f);
  EXPECT_EQ(d.rows(), 3);
  EXPECT_EQ(load("a,b\r1,2\r3,5\r4,4\r").rows(), 3);
}

TEST_F(DataCsv, BlanksBesideAValueAreNoPartOfIt) {
  const std::string blank = "\u00A0";
  const Dataset d =
      load("\"x \",\" c\",\"y \"\n\"   1.20\",\"u \",\"cat \"\n7.97" + blank + ",\"\tv\",cat" +
               blank + "\n" + blank + "3.5,u,\" dog\"\n\" ?\",v,\"\t dog \"\n4,\"  \",\"  \"\n",
           {.label = "y"});
  EXPECT_EQ(d.feature_names, (Strings{"x", "x is missing", "c=u", "c=v", "c is missing"}));
  EXPECT_EQ(d.features.dense[1][0], 7.97f);
  EXPECT_EQ(d.features.dense[3][1], 1.0f);
  EXPECT_EQ(d.class_names, (Strings{"cat", "dog"}));
  EXPECT_EQ(d.labels, (std::vector<int32_t>{0, 0, 1, 1, -1}));
}

TEST_F(DataCsv, CountsLinesInsideQuotesAndEmptyLines) {
  EXPECT_EQ(
      error(ErrorKind::kData, "a,b,k\n\n1,2,\"x\n\ny\"\n3,q,z\n", {.label = "k"}),
      "t.csv:6: column \"b\": not a number: found \"q\", expected a number in every row, or a "
      "gap; correct the value, or leave it empty; if it means a gap use --missing \"q\"; if the "
      "column holds categories use --categorical b");
}

TEST_F(DataCsv, CountsEveryKindOfLineEndOnce) {
  for (const std::string end : {"\n", "\r\n", "\r"}) {
    EXPECT_TRUE(begins(error(ErrorKind::kData, "a,b" + end + "1,2" + end + end + "3,q" + end),
                       "t.csv:4: column \"b\": not a number"));
  }
}

TEST_F(DataCsv, OrdersClassesByNumberWhenTheyAreNumbers) {
  const Dataset d = load("a,k\n1,10\n2,9\n3,10\n5,9\n", {.label = "k"});
  EXPECT_EQ(d.class_names, (Strings{"9", "10"}));
  EXPECT_EQ(d.labels, (std::vector<int32_t>{1, 0, 1, 0}));
}

TEST_F(DataCsv, TakesAColumnWithoutNameAsId) {
  const Dataset d = load(",a\nx,1\ny,2\nz,4\n");
  EXPECT_EQ(d.row_ids, (Strings{"x", "y", "z"}));
  EXPECT_EQ(d.notes, (Strings{"the first column has no name: it is taken as the id of the rows"}));
}

TEST_F(DataCsv, AColumnWithoutNameThatNamesNoRowIsLeftOut) {
  const auto check = [&](const std::string& text, const LoadOptions& options, const Strings& ids,
                         const Strings& notes) {
    const Dataset d = load(text, options);
    EXPECT_EQ(d.feature_names, (Strings{"a"}));
    EXPECT_EQ(d.row_ids, ids);
    EXPECT_EQ(d.notes, notes);
    RowBlock block;
    NewRows(folder_.path("t.csv"), d.plan, {}).next(block);
    EXPECT_EQ(block.ids, ids.empty() ? (Strings{"0", "1", "2"}) : ids);
    EXPECT_EQ(block.features.cols(), 1);
  };
  check(",a\n,1\n,2\n,4\n", {}, {}, {"the first column has no name and no values: it is left out"});
  check(",a\n0,1\n1,2\n0,4\n", {}, {},
        {"the first column has no name and does not name each row once: it is left out"});
  check(",a,k\n0,1,x\n1,2,y\n2,4,z\n", {.id = "k"}, {"x", "y", "z"},
        {"the first column has no name: it is left out"});
}

TEST_F(DataCsv, ReadsWithoutLabels) {
  const Dataset d = load("0,1\n1,2\n2,4\n4,4\n");  // pandas' names of columns without names
  EXPECT_EQ(d.labels, (std::vector<int32_t>{-1, -1, -1}));
  EXPECT_EQ(d.classes(), 0);
}

TEST_F(DataCsv, LeavesConstantColumnsOutAndNamesRepeatedOnes) {
  const Dataset d = load("a,b,c,d\n1,7,1,5\n2,7,2,5\n3,7,3,5\n");
  EXPECT_EQ(d.feature_names, (Strings{"a", "c"}));
  EXPECT_EQ(d.features.dense[2][1], 3.0f);
  EXPECT_EQ(d.notes, (Strings{"2 columns have the same value in every row and are left out: b, d",
                              "1 column repeats another one, which then counts twice: c = a"}));
}

TEST_F(DataCsv, KeepsMostlyZeroFeaturesSparse) {
  const Dataset d =
      load("a,b,c,d,e,f\n1,0,0,0,0,0\n0,2,0,0,0,0\n0,0,3,0,4,0\n0,0,0,5,0,0\n0,0,0,0,0,6\n");
  ASSERT_TRUE(d.features.is_sparse);
  EXPECT_TRUE(d.features.dense.empty());
  EXPECT_EQ(d.features.cols(), 6);
  EXPECT_EQ(d.features.sparse.values, (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(d.features.sparse.pattern->col, (std::vector<int32_t>{0, 1, 2, 4, 3, 5}));
  EXPECT_EQ(d.features.sparse.pattern->row_ptr, (std::vector<int64_t>{0, 1, 2, 4, 5, 6}));
  EXPECT_EQ(d.notes,
            (Strings{"only 20 % of the numbers are not zero: the features are kept sparse"}));
  Features back = d.features;
  make_dense(back);
  EXPECT_FALSE(back.is_sparse);
  EXPECT_EQ(back.dense[2][4], 4.0f);
  EXPECT_EQ(back.dense[2][3], 0.0f);
}

TEST_F(DataCsv, KeepsNegativeOrFullFeaturesDense) {
  const std::string zeros = ",b,c,d,e\nv,0,2,0,0\nw,1,0,0,0\nx,0,0,3,0\ny,0,0,0,";
  EXPECT_FALSE(load(zeros + "4\n").features.is_sparse) << "a quarter is not below a quarter";
  EXPECT_TRUE(
      load(zeros + "4\nz,0,0,0,1\nz2,0,0,1,0\nz3,0,0,0,0\nz4,0,0,0,0\n").features.is_sparse);
  EXPECT_FALSE(
      load(zeros + "4\nz,0,0,0,1\nz2,0,0,-1,0\nz3,0,0,0,0\nz4,0,0,0,0\n").features.is_sparse);
  EXPECT_FALSE(
      load(",b,c,d,e,f,g\nv,1,0,0,0,0,0\nw,2,0,0,0,0,0\nx,3,0,0,0,0,0\n").features.is_sparse)
      << "every row has the same feature";
}

TEST_F(DataCsv, RefusesFilesThatAreNoTables) {
  EXPECT_EQ(
      folder_.error_of(ErrorKind::kIo, [&] { load_dataset(folder_.path("no.csv")); }),
      "no.csv: no such file: found \"no.csv\", expected the name of a file that exists; check "
      "the spelling and the folder you are in");
  EXPECT_EQ(error(ErrorKind::kData, ""),
            "t.csv: empty file: found \"0 bytes\", expected rows of text; check that the file was "
            "written completely");
  EXPECT_EQ(error(ErrorKind::kData, "\n \n"),
            "t.csv: empty file: found \"3 bytes\", expected rows of text; check that the file was "
            "written completely");
  EXPECT_EQ(
      error(ErrorKind::kData, "a,b,c\n"),
      "t.csv:1: a header and no rows: found \"0 rows\", expected a line for each row below the "
      "header; check that the file was written completely");
  const std::string zero =
      " not UTF-8 text: found \"a byte 0, which files of other kinds have, and UTF-16 without its "
      "mark\", expected UTF-8, or UTF-16 with a byte order mark; save the file as \"CSV UTF-8\" or "
      "convert it with iconv";
  EXPECT_EQ(error(ErrorKind::kData, std::string("a\0,\0b\0\n\0", 8)), "t.csv:1:" + zero);
  EXPECT_EQ(error(ErrorKind::kData, std::string("a,b\n1,2\n3,4\0\n", 14)), "t.csv:3:" + zero);
  EXPECT_EQ(
      error(ErrorKind::kData, "a,b\n1e400,2\n2e400,3\n3e400,5\n"),
      "t.csv:2: column \"a\": not a finite number: found \"1e400\", expected a number that fits "
      "into float32; replace the value, or leave it empty");
  EXPECT_EQ(
      error(ErrorKind::kUsage, "a,b\n1,2\n", {}, "t.xlsx"),
      "t.xlsx: unknown kind of file: found \".xlsx\", expected .csv, .tsv, .tab, .npy, .npz, .svm, "
      ".svmlight, .libsvm, .mtx, text also as .gz, or a folder; save the sheet as \"CSV UTF-8\" "
      "in the program that shows it");
  EXPECT_TRUE(error(ErrorKind::kUsage, "x", {}, "t.parquet")
                  .ends_with("write it as CSV, in Python: "
                             "pandas.read_parquet(FILE).to_csv(\"table.csv\", index=False)"));
  EXPECT_TRUE(error(ErrorKind::kUsage, "x", {}, "t.txt")
                  .ends_with("say what it holds with --format, or rename or convert the file"));
  EXPECT_EQ(error(ErrorKind::kUsage, "x", {.format = "xml"}, "t.txt"),
            "t.txt: unknown format: found \"xml\", expected one of .csv, .tsv, .tab, .npy, .npz, "
            ".svm, .svmlight, .libsvm, .mtx; correct --format");
  EXPECT_TRUE(begins(error(ErrorKind::kUsage, "x", {}, "t.npy.gz"),
                     "t.npy.gz: unknown kind of file: found \".gz\", expected .csv"));
}

TEST_F(DataCsv, TheUserNamesTheFormat) {
  const std::string table = "a\tb\n1\t2\n3\t4\n5\t7\n";
  EXPECT_EQ(load_dataset(folder_.write("t.txt", table), {.format = "tsv"}).rows(), 3);
  EXPECT_EQ(load_dataset(folder_.write("u", "1 1:2\n2 1:3\n1 1:4\n"), {.format = "svm"}).rows(), 3);
}

TEST_F(DataCsv, AFirstLineOfNumbersBesideWordsIsNoHeader) {
  for (const char* row : {"5.1,3.5,setosa", "39,State,77516,Bachelors,13", "1,2,-3,cat"}) {
    EXPECT_NE(error(ErrorKind::kData, std::string(row) + "\n" + row + "\n" + row + "\n")
                  .find("the header is missing"),
              std::string::npos)
        << row;
  }
}

TEST_F(DataCsv, NumbersThatGoOneWayAreNames) {
  for (const char* names :
       {"country,1990,1995,2000", "0,1,2,class", "400.5,401,401.5,402,402.5,403,403.5,404,kind"}) {
    const auto columns = std::count(names, names + std::strlen(names), ',');
    std::string text = names;
    for (const char* last : {"a", "b", "c"}) {
      text += "\n";
      for (int64_t j = 0; j < columns; ++j) text += std::to_string(j * 3 + last[0] % 5) + ",";
      text += last;
    }
    EXPECT_EQ(load(text + "\n").rows(), 3) << names;
  }
}

TEST_F(DataCsv, LinesWithAHashAboveTheHeaderAreLeftOut) {
  const Dataset d = load("# by a program, in May\r\n#\r\na;b\r\n1;2\r\n3;5\r\n4;4\r\n");
  EXPECT_EQ(d.feature_names, (Strings{"a", "b"}));
  EXPECT_EQ(d.rows(), 3);
  EXPECT_EQ(d.notes.front(), "2 lines above the names of the columns left out: they begin with #");
  EXPECT_EQ(error(ErrorKind::kData, "# t\na,b\n1\n").substr(0, 7), "t.csv:3")
      << "lines are counted";
  const Dataset named = load("# of rats\n#weight,age\n1,2\n3,5\n4,4\n");
  EXPECT_EQ(named.feature_names, (Strings{"#weight", "age"}));
  EXPECT_EQ(load("#weight,age\n1,2\n3,5\n4,4\n").feature_names, (Strings{"#weight", "age"}));
}

TEST_F(DataCsv, RefusesBrokenHeaders) {
  EXPECT_EQ(
      error(ErrorKind::kData, "5.1,3.5\n4.9,3.0\n4.7,3.2\n"),
      "t.csv:1: the header is missing: found \"5.1\", expected the names of the columns in the "
      "first line; add a line with a name for each column");
  EXPECT_EQ(error(ErrorKind::kData, "a,b,a\n1,2,3\n"),
            "t.csv:1: columns 1 and 3 have the same name: found \"a\", expected different names; "
            "rename one of them in the first line");
  EXPECT_EQ(error(ErrorKind::kData, "a,b,\n1,2,3\n"),
            "t.csv:2: column 3 has no name: found \"3\", expected a name for each column that has "
            "values; name the column in the first line or remove it");
  EXPECT_EQ(error(ErrorKind::kUsage, "sepal,petal,species\n1,2,x\n", {.label = "specis"}),
            "t.csv:1: no such label column: found \"specis\", expected a column of the header; use "
            "--label with one of its names; the nearest are species, sepal, petal");
  EXPECT_EQ(error(ErrorKind::kUsage, "row,petal\n1,2\n", {.id = "ROW"}),
            "t.csv:1: no such id column: found \"ROW\", expected a column of the header; use --id "
            "with one of its names; the nearest are row, petal");
  EXPECT_EQ(
      error(ErrorKind::kUsage, "a,k\n1,2\n", {.label = "k", .id = "k"}),
      "t.csv:1: one column for two uses: found \"k\", expected different columns for label and "
      "id; correct --label or --id");
  EXPECT_EQ(error(ErrorKind::kData, "a,k\n1,2\n", {.label = "k", .id = "a"}),
            "t.csv:1: no features: found \"a, k\", expected at least one column besides label and "
            "id; add the columns to learn from");
}

TEST_F(DataCsv, RefusesBrokenRows) {
  EXPECT_EQ(error(ErrorKind::kData, "a,b\n1,2\n3\n"),
            "t.csv:3: a row of another length: found \"1 field\", expected 2 as in the header; add "
            "what is missing, or put a field that contains the delimiter in quotes");
  EXPECT_EQ(
      error(ErrorKind::kData, "a,b\n1,2,3\n"),
      "t.csv:2: a row of another length: found \"3 fields\", expected 2 as in the header; add "
      "what is missing, or put a field that contains the delimiter in quotes");
  EXPECT_EQ(
      error(ErrorKind::kData, "a,b\n1,2\n3,\"4\n5,6\n"),
      "t.csv:3: quotes do not match: found \"3,\"4\", expected fields in quotes that end with "
      "a quote, and two quotes for one inside; correct the quotes of the row that begins here");
  EXPECT_EQ(
      error(ErrorKind::kData, "a,b\n1,2\n3,\"4\"5\n"),
      "t.csv:3: quotes do not match: found \"3,\"4\"5\", expected fields in quotes that end with "
      "a quote, and two quotes for one inside; correct the quotes of the row that begins here");
}

TEST_F(DataCsv, AQuoteInsideAFieldWithoutQuotesIsACharacter) {
  const Dataset d = load(
      "a,k\n1,5\"\n2,6\" x 7\"\r\n3, 5\" \n4,\"5\"\"\"\n2,\"6\"\" x\n 7\"\"\"\n5,\"6\"\" x\n "
      "7\"\"\"\n4,o\"\"p\n5,o\"\"p",
      {.label = "k"});
  EXPECT_EQ(d.class_names, (Strings{"5\"", "6\" x\n 7\"", "6\" x 7\"", "o\"\"p"}));
  EXPECT_EQ(d.labels, (std::vector<int32_t>{0, 2, 0, 0, 1, 1, 3, 3}));
}

TEST_F(DataCsv, QuotesAroundAPartOfAFieldAreCharactersAmongTabs) {
  const Dataset d = load("a\tk\n1\t\"Rome\" again\n2\t\"Rome\"\n3\t\"Rome\" again\n5\t\"Rome\"\n",
                         {.label = "k"}, "t.tsv");
  EXPECT_EQ(d.class_names, (Strings{"\"Rome\" again", "Rome"}));
}

TEST_F(DataCsv, RefusesWhatIsNotANumber) {
  EXPECT_EQ(error(ErrorKind::kData, "a,b\n1,2\n3,4x\n"),
            "t.csv:3: column \"b\": not a number: found \"4x\", expected a number in every row, or "
            "a gap; correct the value, or leave it empty; if the column holds categories use "
            "--categorical b");
  EXPECT_EQ(error(ErrorKind::kData, "a;b\n1;2.5\n3;1,5\n"),
            "t.csv:3: column \"b\": not a number: found \"1,5\", expected a number in every row, "
            "or a gap; write all numbers alike, as 1234.5");
  for (const std::string text : {"inf", "-Infinity", "1e39", "1e400"}) {
    EXPECT_EQ(error(ErrorKind::kData, "a,b\n1,2\n3," + text + "\n"),
              "t.csv:3: column \"b\": not a finite number: found \"" + text +
                  "\", expected a number that fits into float32; replace the value, or leave it "
                  "empty");
  }
  EXPECT_EQ(load("a,b\n1,2\n3,1e-400\n4,4\n").features.dense[1][1], 0.0f);
}

TEST_F(DataCsv, RefusesBrokenIds) {
  EXPECT_EQ(
      error(ErrorKind::kData, "i,a\nx,1\ny,2\nx,3\n", {.id = "i"}),
      "t.csv:4: an id that line 2 has too: found \"x\", expected a different id in every row; "
      "correct one of them or leave --id away");
  EXPECT_EQ(error(ErrorKind::kData, "i,a\nx,1\n,2\n", {.id = "i"}),
            "t.csv:3: a row without an id: found \"\", expected an id in every row; fill it in or "
            "leave --id away");
}

TEST_F(DataCsv, RefusesLabelsOneCannotLearnFrom) {
  EXPECT_EQ(error(ErrorKind::kData, "a,k\n1,\n2,\n3,\n", {.label = "k"}),
            "t.csv: column \"k\": no labelled row: found \"0 labels in 3 rows\", expected some "
            "rows of at least "
            "two classes with a label; fill in the labels you know");
  EXPECT_EQ(error(ErrorKind::kData, "a,k\n1,x\n2,x\n3,\n", {.label = "k"}),
            "t.csv: column \"k\": fewer than two classes: found \"only x\", expected labels of at "
            "least two "
            "classes; choose another label column or add rows");
  EXPECT_EQ(error(ErrorKind::kData, "a,k\n1,x\n2,y\n3,z\n", {.label = "k"}),
            "t.csv: column \"k\": every row has a label of its own: found \"3 classes in 3 rows\", "
            "expected "
            "classes that several rows share; choose the column of the classes; one that names the "
            "rows is given with --id");
  std::string measured = "a,k\n";
  for (int i = 0; i < 30; ++i)
    measured += std::to_string(i) + "," + std::to_string(i * 2 / 3) + "\n";
  EXPECT_EQ(error(ErrorKind::kData, measured, {.label = "k"}),
            "t.csv: column \"k\": too many classes: found \"20 classes in 30 rows\", "
            "expected classes that several rows share; put the numbers into a few classes (low, "
            "middle, high), or choose the column of the classes; one that names the rows is given "
            "with --id");
  EXPECT_EQ(error(ErrorKind::kData, "a^b^k\n1^2^x\n2^3^y\n", {.label = "k"}),
            "t.csv:1: a single column: found \"a^b^k\", expected names of columns with commas, "
            "semicolons, tabs or pipes between them; write the table with one of them");
  // One label for each class is little, but one can learn from it.
  EXPECT_EQ(load("a,k\n1,x\n2,y\n3,\n", {.label = "k"}).notes.back(),
            "a single labelled row, which can only train, in class x, y");
}

// Cut anywhere or with any byte changed, a file gives an Error or a dataset, and never worse.
TEST_F(DataCsv, SurvivesEveryCutAndEveryChangedByte) {
  const std::string good = "\"n\",w,k\na,1,\"x\"\nb,-3,y\r\n\"c\n\",5,\nd,7,x\n";
  const auto read = [&](const std::string& text) {
    try {
      load(text, {.label = "k", .id = "n"});
    } catch (const Error&) {
    }
  };
  for (size_t i = 0; i < good.size(); ++i) {
    read(good.substr(0, i));
    for (const char other : {'"', ',', '\n', '\r', '\0', ';', '\xFF'}) {
      std::string changed = good;
      changed[i] = other;
      read(changed);
    }
  }
}

TEST_F(DataCsv, RefusesTooLittle) {
  EXPECT_EQ(error(ErrorKind::kData, "a,b\n1,2\n3,4\n"),
            "t.csv: too few rows: found \"2 rows\", expected 3 at least; add rows");
  EXPECT_EQ(error(ErrorKind::kData, "a,b\n1,2\n1,2\n1,2\n"),
            "t.csv: no features: found \"only columns with the same value in every row\", expected "
            "a column that tells rows apart; add the columns to learn from");
}

// Each of `ranks` readers has as many bytes, and finds the rows that begin in them.
TEST(TableParts, PartsHaveEveryRowOnce) {
  const TempFolder folder;
  for (const std::string end : {"\n", "\r\n"}) {
    std::string text = "\xEF\xBB\xBFx;kind;y" + end;
    for (int i = 0; i < 40; ++i) {
      text +=
          std::to_string(i) + ";\" k " + std::to_string(i % 3) + " \"; " + std::to_string(-2.5 * i);
      if (i < 39) text += i % 7 == 0 ? end + end : end;
    }
    const TableParts table(folder.write("t.csv", text), "kind");
    ASSERT_EQ(table.cols(), 2);
    for (int parts = 1; parts < 90; ++parts) {
      int64_t first = 0;
      for (int part = 0; part < parts; ++part) {
        const int64_t begin = table.bytes() * part / parts,
                      next = table.bytes() * (part + 1) / parts;
        const int64_t count = table.count(begin, next).rows;
        const TableParts::Rows rows = table.read(begin, 0, count, first);
        for (int64_t r = 0; r < count; ++r) {
          ASSERT_EQ(rows.numbers[r][0], static_cast<float>(first + r)) << parts;
          ASSERT_EQ(rows.numbers[r][1], static_cast<float>(-2.5 * static_cast<double>(first + r)));
          ASSERT_EQ(rows.labels[r], "k " + std::to_string((first + r) % 3));
        }
        first += count;
      }
      ASSERT_EQ(first, 40) << parts;
    }
    EXPECT_EQ(table.read(0, 11, 2, 11).numbers[1][0], 12);
  }
  const TableParts bare(folder.write("t.csv", "1,2\n3,4"), "");
  EXPECT_EQ(bare.count(0, bare.bytes()).rows, 2);
}

// pandas' names of columns without names.
TEST(TableParts, NumbersThatNameTheColumnsAreNoRow) {
  const TempFolder folder;
  const TableParts table(folder.write("t.csv", "0,1,2\n5,6,7\n8,9,1\n"), "2");
  ASSERT_EQ(table.count(0, table.bytes()).rows, 2);
  EXPECT_EQ(table.read(0, 0, 2, 0).numbers[1][0], 8);
  EXPECT_EQ(table.read(0, 0, 2, 0).labels, (Strings{"7", "1"}));
}

TEST(TableParts, SvmlightRowsBecomeDense) {
  const TempFolder folder;
  for (const int lowest : {0, 1}) {
    std::string text = "# a remark\n";
    for (int i = 0; i < 30; ++i) {
      text += "+" + std::to_string(i % 3) + " " + std::to_string(lowest + i % 4) + ":" +
              std::to_string(i + 1) + " 9:0.5 # row\n" + (i % 5 == 0 ? "\n" : "");
    }
    TableParts table(folder.write("t.svm", text), "label");
    const TableParts::Counted all = table.count(0, table.bytes());
    ASSERT_EQ(all.rows, 30);
    table.set_columns(all);
    ASSERT_EQ(table.cols(), 10 - lowest);
    for (int parts = 1; parts < 40; ++parts) {
      int64_t first = 0;
      for (int part = 0; part < parts; ++part) {
        const int64_t begin = table.bytes() * part / parts;
        const int64_t count = table.count(begin, table.bytes() * (part + 1) / parts).rows;
        const TableParts::Rows rows = table.read(begin, 0, count, first);
        for (int64_t r = 0; r < count; ++r) {
          std::vector<float> expected(static_cast<size_t>(table.cols()), 0.0f);
          expected[static_cast<size_t>((first + r) % 4)] = static_cast<float>(first + r + 1);
          expected.back() = 0.5f;
          ASSERT_TRUE(std::equal(expected.begin(), expected.end(), rows.numbers[r])) << parts;
          ASSERT_EQ(rows.labels[r], std::to_string((first + r) % 3));
        }
        first += count;
      }
      ASSERT_EQ(first, 30) << parts;
    }
  }
  const std::string wrong = folder.write("t.svm", "1 2:3\n1 2:x\n");
  EXPECT_TRUE(begins(folder.error_of(ErrorKind::kData,
                                     [&] {
                                       const TableParts table(wrong, "");
                                       table.count(0, table.bytes());
                                     }),
                     "t.svm: not a feature: found \"2:x\""));
}

TEST(TableParts, SaysWhatItCannotRead) {
  const TempFolder folder;
  const auto error = [&](ErrorKind kind, const std::string& text, const std::string& label = "") {
    const std::string path = folder.write("t.csv", text);
    return folder.error_of(kind, [&] {
      const TableParts table(path, label);
      table.read(0, 0, table.count(0, table.bytes()).rows, 0);
    });
  };
  EXPECT_EQ(error(ErrorKind::kData, "x,y\n1,2\n3,\n"),
            "t.csv: row 1, column y: not a number: found \"\", expected numbers alone where rows "
            "are read by parts; fill gaps, and leave out other columns");
  EXPECT_TRUE(begins(error(ErrorKind::kData, "x,y\n1,2\n3\n"),
                     "t.csv: row 1 has another number of fields: found \"1 field\", expected 2"));
  EXPECT_TRUE(
      begins(error(ErrorKind::kData, "x,y\n1,inf\n"), "t.csv: row 0, column y: not a number"));
  EXPECT_TRUE(begins(error(ErrorKind::kUsage, "x,kind\n1,a\n", "kin"),
                     "t.csv:1: no such label column: found \"kin\""));
  EXPECT_TRUE(begins(error(ErrorKind::kData, "\n\n"), "t.csv: no rows"));
  EXPECT_TRUE(begins(error(ErrorKind::kData, "1.5,2.5,cat\n"), "t.csv:1: the header is missing"));
  for (const bool low_first : {true, false}) {
    EXPECT_EQ(
        error(ErrorKind::kData, as_utf16(u"x,y\n1,2\n", low_first)),
        "t.csv: not UTF-8 text: found \"UTF-16\", expected UTF-8 where rows are read by parts; "
        "save the file as \"CSV UTF-8\" or convert it with iconv");
  }
  EXPECT_EQ(
      error(ErrorKind::kData, "x,y\r1,2\r3,4\r"),
      "t.csv: lines end in CR alone: found \"one line of 12 bytes\", expected a line end LF or "
      "CR LF after each row; write the file anew, as with tr '\\r' '\\n'");
}

}  // namespace
}  // namespace glgnn
