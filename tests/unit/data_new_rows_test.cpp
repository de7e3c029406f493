// Rows that come after fit() and tables in memory: prepared as a file's rows are.
#include <glgnn/new_rows.h>
#include <glgnn/trainer.h>

#include "data/cells.h"
#include "data/data.h"
#include "unit/new_rows_util.h"

namespace glgnn {
namespace {

TEST_F(NewRowsTest, TheFittedFileGivesTheFittedFeatures) {
  ASSERT_EQ(fitted_.feature_names, (Strings{"height", "height is missing", "soil=clay", "soil=sand",
                                            "soil=(other)", "seen"}));
  NewRows rows = open(kTable);
  const RowBlock block = read(rows);
  ASSERT_EQ(block.rows(), fitted_.rows());
  for (int64_t i = 0; i < fitted_.features.dense.size(); ++i) {
    EXPECT_EQ(block.features.dense.data()[i], fitted_.features.dense.data()[i]) << i;
  }
  EXPECT_EQ(block.ids, fitted_.row_ids);
  EXPECT_EQ(block.labels, fitted_.labels);
  EXPECT_EQ(block.lines, (std::vector<int64_t>{2, 3, 4, 5, 6}));
  EXPECT_TRUE(rows.has_labels());
  EXPECT_EQ(rows.rows_read(), 5);
  EXPECT_EQ(rows.part_read(), 1.0);
}

TEST_F(NewRowsTest, ColumnsAreFoundByName) {
  NewRows rows = open("extra;seen;height;soil\n9;2024-01-01;1,25;sand\n9;;;chalk\n");
  const RowBlock block = read(rows);
  EXPECT_EQ(row(block, 0), (std::vector<float>{1.25, 0, 0, 1, 0, 19723}));
  EXPECT_EQ(row(block, 1), (std::vector<float>{3, 1, 0, 0, 1, 19725}));
  EXPECT_EQ(block.ids, (Strings{"0", "1"}));
  EXPECT_EQ(block.labels, (std::vector<int32_t>{-1, -1}));
  EXPECT_FALSE(rows.has_labels());
  EXPECT_EQ(
      rows.notes(),
      (Strings{"1 column that the model does not know is ignored: extra",
               "column \"soil\": 1 row with a level that is rare or new to the model, such as "
               "\"chalk\", counted as (other)",
               "column \"seen\": 1 gap, filled with the median of the fitted rows"}));
}

// So that predictions can be joined with the file by the places of its rows.
TEST_F(NewRowsTest, RowsWithoutAnyValueStillCount) {
  const std::string text = "a,b\n1,5\n,\n2,7\n4,6\n,\n";
  const Dataset d = load_dataset(folder_.write("t.csv", text));
  EXPECT_EQ(d.row_ids, (Strings{"0", "2", "3"}));
  EXPECT_EQ(d.notes, (Strings{"2 rows without any value left out; the others keep their numbers"}));
  NewRows rows(folder_.path("t.csv"), d.plan, {}, {.block_rows = 2});
  RowBlock first, second;
  rows.next(first);
  rows.next(second);
  EXPECT_EQ(first.ids, (Strings{"0", "2"}));
  EXPECT_EQ(second.ids, (Strings{"3"}));
  EXPECT_EQ(load_dataset(folder_.write("t.csv", "a,b\n1,5\n2,7\n4,6\n,\n")).row_ids, Strings())
      << "at the end they change no number";
}

TEST_F(NewRowsTest, LevelsWithoutAPoolAndLabelsWithoutAClass) {
  fitted_ =
      load_dataset(folder_.write("t.csv", "n,c,k\n1,u,a\n2,v,b\n3,u,a\n4,v,b\n"), {.label = "k"});
  NewRows rows = open("k,c,n\nz,w,7\na,,8\n");
  const RowBlock block = read(rows);
  EXPECT_EQ(row(block, 0), (std::vector<float>{7, 0, 0}));
  EXPECT_EQ(row(block, 1), (std::vector<float>{8, 0, 0}));
  EXPECT_EQ(block.labels, (std::vector<int32_t>{-1, 0}));
  EXPECT_EQ(rows.notes(),
            (Strings{"column \"c\": 1 row with a level that is rare or new to the model, such as "
                     "\"w\", counted as no level",
                     "column \"c\": 1 gap, where no level is set",
                     "1 row with a label that is no class of the model, such as \"z\", counted as "
                     "unlabelled"}));
}

// The fitted rows say what two numbers mean, so that all clocks have one unit.
TEST_F(NewRowsTest, ALevelThatIsAloneIsKnown) {
  fitted_ = load_dataset(folder_.write("t.csv", "c,n\nyes,1\n,2\nyes,4\n"));
  NewRows rows = open("c,n\nyes,1\n,2\n");
  EXPECT_EQ(row(read(rows), 1), (std::vector<float>{1, 2}));
  EXPECT_EQ(rows.notes(), Strings{});
}

TEST_F(NewRowsTest, LevelsThatTheUserKeepsApart) {
  std::string text = "c,n\n";
  for (int i = 0; i < 60; ++i) {
    text += std::string(i == 7 ? "a" : i < 30 ? "A" : "B") + "," + std::to_string(i * i) + "\n";
  }
  fitted_ = load_dataset(folder_.write("t.csv", text), {.categorical = {"c"}});
  NewRows rows = open("c,n\na,1\nA,2\nb,3\n");
  const RowBlock block = read(rows);
  EXPECT_EQ(row(block, 0), (std::vector<float>{0, 0, 1, 1}));
  EXPECT_EQ(row(block, 1), (std::vector<float>{1, 0, 0, 2}));
  EXPECT_EQ(row(block, 2), (std::vector<float>{0, 1, 0, 3}));
}

TEST_F(NewRowsTest, GivesBlocksAndCountsOn) {
  std::string text = "height,soil,seen\n";
  for (int i = 0; i < 10; ++i) text += std::to_string(i) + ",clay,2024-01-01\n";
  NewRows rows = open(text, "new.csv", {.block_rows = 4});
  RowBlock block;
  Strings ids;
  std::vector<int64_t> sizes;
  while (rows.next(block)) {
    sizes.push_back(block.rows());
    for (int64_t i = 0; i < block.rows(); ++i) {
      ids.push_back(block.ids[i]);
      EXPECT_EQ(block.features.dense[i][0], static_cast<float>(ids.size() - 1));
    }
  }
  EXPECT_EQ(sizes, (std::vector<int64_t>{4, 4, 2}));
  EXPECT_EQ(ids.back(), "9");
}

TEST_F(NewRowsTest, SparseAndScaled) {
  fitted_.plan.scale = {Scaling::kMax, std::vector<float>(6, 0.0f), std::vector<float>(6, 0.5f)};
  NewRows rows = open("height,soil,seen\n3,clay,1970-01-01\n", "new.csv", {.sparse = true});
  const RowBlock block = read(rows);
  ASSERT_TRUE(block.features.is_sparse);
  EXPECT_EQ(block.features.sparse.pattern->col, (std::vector<int32_t>{0, 2}));
  EXPECT_EQ(block.features.sparse.values, (std::vector<float>{1.5, 0.5}));
}

TEST_F(NewRowsTest, RefusesWhatDoesNotFit) {
  EXPECT_EQ(error("height,remark\n1,x\n"),
            "new.csv:1: columns soil, seen are missing: found \"height, remark\", expected every "
            "column that the model was fitted on; add them (fields may be empty where the value is "
            "unknown) or correct the names in the first line");
  EXPECT_EQ(error("height,soil,seen\n1,clay,2024-01-01\nx,clay,2024-01-01\n"),
            "new.csv:3: column \"height\": not a number: found \"x\", expected a number in every "
            "row, or a gap; correct the value, or leave it empty");
  EXPECT_EQ(error("height,soil,seen\n1,clay\n"),
            "new.csv:2: a row of another length: found \"2 fields\", expected 3 as in the header; "
            "add what is missing, or put a field that contains the delimiter in quotes");
  EXPECT_EQ(error("height,soil,seen\n"),
            "new.csv:1: a header and no rows: found \"0 rows\", expected a line for each row below "
            "the header; check that the file was written completely");
  EXPECT_EQ(folder_.error_of(ErrorKind::kUsage,
                             [&] { NewRows("wine", fitted_.plan, fitted_.class_names); }),
            "wine: the fitted table has columns that an array cannot hold: found \"an array\", "
            "expected a CSV or TSV file with a column \"height\"; give the new rows as a table");
  // Files that are no arrays are called what they are.
  const auto told = [&](ErrorKind kind, const std::string& file) {
    return folder_.error_of(kind, [&] { NewRows(folder_.path(file), fitted_.plan, {}); });
  };
  folder_.write("p.txt", kTable);
  EXPECT_TRUE(begins(told(ErrorKind::kUsage, "p.txt"), "p.txt: unknown kind of file: found"));
  EXPECT_TRUE(begins(told(ErrorKind::kIo, "gone.xlsx"), "gone.xlsx: "));
  EXPECT_TRUE(begins(told(ErrorKind::kIo, "gone.svm"), "gone.svm: "));
}

TEST_F(NewRowsTest, ArraysCannotStandForEveryColumnOfNumbers) {
  for (const std::string numbers :
       {"t\n1700000000\n1700000040\n1700000007\n", "t\n1%\n7%\n5%\n", "t\n8:30\n9:15\n7:00\n"}) {
    fitted_ = load_dataset(folder_.write("t.csv", numbers));
    for (const std::string file : {"new.svm", "new.mtx"}) {
      folder_.write("new.svm", "1 1:3\n");
      folder_.write("new.mtx", "%%MatrixMarket matrix array real general\n1 1\n3\n");
      EXPECT_EQ(folder_.error_of(ErrorKind::kUsage,
                                 [&] { NewRows(folder_.path(file), fitted_.plan, {}); }),
                file +
                    ": the fitted table has columns that an array cannot hold: found \"an "
                    "array\", expected a CSV or TSV file with a column \"t\"; give the new "
                    "rows as a table");
    }
  }
}

TEST_F(NewRowsTest, ShippedSetsAndArrays) {
  const Dataset wine = load_dataset("wine");
  NewRows rows("wine", wine.plan, wine.class_names, {.block_rows = 100});
  RowBlock block;
  ASSERT_TRUE(rows.next(block));
  ASSERT_TRUE(rows.next(block));
  EXPECT_EQ(block.rows(), 78);
  EXPECT_EQ(block.ids[0], "100");
  EXPECT_EQ(block.features.dense[77][12], wine.features.dense[177][12]);
  EXPECT_EQ(block.labels[77], wine.labels[177]);
  EXPECT_FALSE(rows.next(block));

  const Dataset array = load_dataset(fixture("X.npy"), {.label = fixture("y.npy")});
  NewRows labelled(fixture("X.npy"), array.plan, {"7", "3"}, {.label = fixture("y.npy")});
  EXPECT_EQ(read(labelled).labels, (std::vector<int32_t>{1, 1, 1, 0, 0, 0}));
  EXPECT_EQ(folder_.error_of(ErrorKind::kData,
                             [&] {
                               folder_.write("f4.npy", bytes_of(fixture("f4.npy")));
                               NewRows(folder_.path("f4.npy"), array.plan, {"3", "7"});
                             }),
            "f4.npy: another number of columns: found \"2 columns\", expected 3, as the model was "
            "fitted on; give the same columns in the same order");
}

TEST_F(NewRowsTest, ATableForAModelOfArrays) {
  fitted_ = load_dataset(fixture("X.npy"), {.label = fixture("y.npy")});
  NewRows rows = open("f2,f0,f1\n1,2,3\n");
  EXPECT_EQ(row(read(rows), 0), (std::vector<float>{2, 3, 1}));
  EXPECT_EQ(error("f2,f0,f1\n1,,3\n"),
            "new.csv:2: column \"f0\": missing value: found \"\", expected a number in every row, "
            "as the model was not fitted on a table; fill in the value or remove the row");
}

TEST_F(NewRowsTest, SvmlightRowsInTheSameCount) {
  fitted_ = load_dataset(fixture("rows.svm"));
  NewRows rows = open("+7 1:5 9:1\n2:1.5\n", "new.svm");
  const RowBlock block = read(rows);
  EXPECT_EQ(row(block, 0), (std::vector<float>{5, 0, 0}));
  EXPECT_EQ(row(block, 1), (std::vector<float>{0, 1.5, 0}));
  EXPECT_EQ(block.labels, (std::vector<int32_t>{1, -1}));
  EXPECT_TRUE(rows.has_labels());
  EXPECT_EQ(rows.notes(), (Strings{"1 value of features that the model does not know is ignored: "
                                   "numbers above 3"}));
  EXPECT_EQ(
      folder_.error_of(ErrorKind::kData,
                       [&] {
                         NewRows zero = open("1 0:5\n", "new.svm");
                         RowBlock b;
                         zero.next(b);
                       }),
      "new.svm:1: not a feature of the model: found \"0\", expected numbers from 1, as in the "
      "rows it was fitted on; count the features from 1");
}

// Tables in memory: the same features as of a file with the same values.

constexpr double kGap = std::numeric_limits<double>::quiet_NaN();

class DataFrame : public testing::Test {
 protected:
  void add(const std::string& name, std::vector<double> numbers) {
    numbers_.push_back(std::make_unique<std::vector<double>>(std::move(numbers)));
    frame_.columns.push_back({.name = name, .numbers = *numbers_.back()});
    frame_.rows = static_cast<int64_t>(numbers_.back()->size());
  }
  void add_texts(const std::string& name, Strings texts, ColumnWish wish = ColumnWish::kNone) {
    frame_.rows = static_cast<int64_t>(texts.size());
    frame_.columns.push_back({.name = name, .wish = wish, .is_text = true, .texts = texts});
  }

  Dataset frame_set() { return read_frame(frame_, {}, doubts_); }

  TempFolder folder_;
  Strings doubts_;
  std::vector<std::unique_ptr<std::vector<double>>> numbers_;
  Frame frame_;
};

TEST_F(DataFrame, GivesWhatItsFileGives) {
  add("id", {1, 2, 3, 4, 5});
  add("size", {1.5, kGap, 3, 0.1, 7});
  add_texts(" soil", {"clay", " sand ", "clay\u00A0", "sand", "loam"});  // blanks do not count
  add_texts("seen", {"2024-01-02", "2024-02-01 06:00:00", "", "2024-01-05", "2023-12-31"});
  add_texts("price", {"$1,200", "$3", "$7", "$8", "$9"});
  add("same", {4, 4, 4, 4, 4});
  const std::string file = folder_.write("t.csv",
                                         "id,size,soil,seen,price,same\n"
                                         "1,1.5,clay,2024-01-02,\"$1,200\",4\n"
                                         "2,,sand,2024-02-01 06:00:00,$3,4\n"
                                         "3,3.0,clay,,$7,4\n"
                                         "4,0.1,sand,2024-01-05,$8,4\n"
                                         "5,7.0,loam,2023-12-31,$9,4\n");
  const Dataset of_frame = frame_set(), of_file = load_dataset(file);
  EXPECT_EQ(of_frame.feature_names, of_file.feature_names);
  EXPECT_EQ(of_frame.notes, of_file.notes);
  ASSERT_EQ(of_frame.features.dense.size(), of_file.features.dense.size());
  for (int64_t i = 0; i < of_file.features.dense.size(); ++i) {
    EXPECT_EQ(of_frame.features.dense.data()[i], of_file.features.dense.data()[i]) << i;
  }
  // Each model reads the other's rows.
  NewRows rows(frame_, of_file.plan, {});
  RowBlock block;
  ASSERT_TRUE(rows.next(block));
  EXPECT_EQ(block.rows(), 5);
  NewRows file_rows(file, of_frame.plan, {});
  RowBlock file_block;
  ASSERT_TRUE(file_rows.next(file_block));
  for (int64_t i = 0; i < of_file.features.dense.size(); ++i) {
    EXPECT_EQ(block.features.dense.data()[i], of_file.features.dense.data()[i]) << i;
    EXPECT_EQ(file_block.features.dense.data()[i], of_file.features.dense.data()[i]) << i;
  }
}

TEST_F(DataFrame, FractionsTellThatPointsBeginDecimals) {
  add_texts("comma", {"48,137", "48,250", "49"});
  add_texts("price", {"5,50", "3,25", "7"});
  EXPECT_EQ(frame_set().features.dense[0][0], 48.137f);
  add("size", {1.5, 2, 3});
  EXPECT_EQ(frame_set().features.dense[0][0], 48137.0f);
}

TEST_F(DataFrame, LevelsGoByTheirNumberAndTruth) {
  const Dataset fitted = load_dataset(
      folder_.write("t.csv", "n,code,flag\n1,1,TRUE\n2,2,FALSE\n3,1,TRUE\n4,2,FALSE\n"),
      {.categorical = {"code"}});
  add_texts("flag", {"True", "False"});
  add("code", {2.0, kGap});
  add("n", {7, 8});
  NewRows rows(frame_, fitted.plan, {});
  RowBlock block;
  ASSERT_TRUE(rows.next(block));
  const float* const first = block.features.dense[0];
  EXPECT_EQ(std::vector<float>(first, first + 5), (std::vector<float>{7, 0, 1, 0, 1}));
  const float* const second = block.features.dense[1];
  EXPECT_EQ(std::vector<float>(second, second + 5), (std::vector<float>{8, 0, 0, 1, 0}));
}

TEST_F(DataFrame, DeclaredCategoriesAreCategories) {
  add("n", {1, 2, 4});
  add_texts("code", {"7", "8", "7"}, ColumnWish::kCategorical);
  EXPECT_EQ(frame_set().feature_names, (Strings{"n", "code=7", "code=(other)"}));
}

TEST_F(DataFrame, ErrorsNameTheRow) {
  add("n", {1, 2, std::numeric_limits<double>::infinity()});
  EXPECT_EQ(
      folder_.error_of(ErrorKind::kData, [&] { frame_set(); }),
      "X, row 2: column \"n\": not a finite number: found \"inf\", expected a number that fits "
      "into float32; replace the value, or leave it empty");
}

// The column plan goes through the model file and prepares new rows as the fitted ones were.

std::string table() {
  std::string text = "height,soil,planted,name,kind\n";
  for (int i = 0; i < 24; ++i) {
    const std::string height = i == 5 ? "" : std::to_string(1 + i % 7) + "." + std::to_string(i);
    text += height + "," +
            (i == 7       ? "chalk"
             : i % 2 == 0 ? "clay"
                          : "sand") +
            ",2024-01-" + std::to_string(10 + i % 9) + ",tree" + std::to_string(i) + "," +
            (i % 3 == 0 ? "oak" : "elm") + "\n";
  }
  return text;
}

TEST(ModelPlan, PreparesNewRowsAsTheFittedOnes) {
  const TempFolder folder;
  const std::string file = folder.write("t.csv", table());
  Dataset dataset = load_dataset(file, {.label = "kind"});
  Config config;
  config.mode = Mode::kPaper;
  config.k = 3;
  config.epochs = 2;
  config.hidden = 4;
  config.scaling = Scaling::kStandard;
  const Split split = make_split(dataset.labels, dataset.classes(), {}, 1);
  dataset.plan.scale = learn_scale(dataset.features, config.scaling);
  apply_scale(dataset.features, dataset.plan.scale);
  Problem problem;
  problem.features = &dataset.features;
  problem.labels = reveal_labels(dataset.labels, split.train);
  problem.train = split.train;
  problem.classes = dataset.classes();
  Model model = fit(problem, config, default_context()).model;
  keep_data(model, std::move(dataset), split);
  save_model(model, folder.path("m.glgnn"));

  const Model back = load_model(folder.path("m.glgnn"));
  ASSERT_EQ(back.plan.columns.size(), 5u);
  EXPECT_EQ(back.plan.columns[1].levels, (std::vector<std::string>{"clay", "sand"}));
  EXPECT_EQ(back.plan.columns[3].kind, ColumnKind::kIdentifier);
  EXPECT_EQ(back.plan.feature_names, back.feature_names);
  NewRows rows(file, back.plan, back.class_names, {.sparse = back.features.is_sparse});
  RowBlock block;
  ASSERT_TRUE(rows.next(block));
  ASSERT_EQ(block.rows(), back.features.rows());
  EXPECT_EQ(block.labels, back.labels);
  for (int64_t i = 0; i < back.features.dense.size(); ++i) {
    ASSERT_EQ(block.features.dense.data()[i], back.features.dense.data()[i]) << i;
  }
}

}  // namespace
}  // namespace glgnn
