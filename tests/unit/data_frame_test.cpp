// Tables in memory: the same features as of a file with the same values.
#include <glgnn/new_rows.h>

#include "data/cells.h"
#include "unit/data_test_util.h"

namespace glgnn {
namespace {

using Strings = std::vector<std::string>;

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

  TempFolder folder_;
  std::vector<std::unique_ptr<std::vector<double>>> numbers_;
  Frame frame_;
};

TEST_F(DataFrame, GivesWhatItsFileGives) {
  add("id", {1, 2, 3, 4, 5});
  add("size", {1.5, kGap, 3, 0.1, 7});
  add_texts(" soil", {"clay", " sand ", "clay", "sand", "loam"});  // blanks do not count
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
  const Dataset of_frame = read_frame(frame_), of_file = load_dataset(file);
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
  EXPECT_EQ(read_frame(frame_).feature_names, (Strings{"n", "code=7", "code=(other)"}));
}

TEST_F(DataFrame, ErrorsNameTheRow) {
  add("n", {1, 2, std::numeric_limits<double>::infinity()});
  EXPECT_EQ(
      folder_.error_of(ErrorKind::kData, [&] { read_frame(frame_); }),
      "X, row 2: column \"n\": not a finite number: found \"inf\", expected a number that fits "
      "into float32; replace the value, or leave it empty");
}

}  // namespace
}  // namespace glgnn
