// Tables of texts, which are read by their words.
#include "data/words.h"

#include <glgnn/new_rows.h>
#include <gtest/gtest.h>

#include "core/rows.h"
#include "unit/data_test_util.h"

namespace glgnn {
namespace {

TEST(Words, AreWithoutCaseAndMarks) {
  EXPECT_EQ(words_of("Don't break it: FAST delivery (2 days), 100%!"),
            (Strings{"don", "break", "it", "fast", "delivery", "days", "100"}));
  EXPECT_EQ(words_of("«Größe» – „ÉTÉ“, naïve…"), (Strings{"größe", "été", "naïve"}));
  EXPECT_EQ(words_of(""), Strings{});
  EXPECT_EQ(words_of(" . - a "), Strings{});
}

class TablesOfTexts : public testing::Test {
 protected:
  Dataset load(const std::string& rows) {
    return load_dataset(folder_.write("t.csv", rows), {.label = "class"});
  }

  static std::vector<float> row(const Dataset& d, int64_t i) {
    std::vector<float> values;
    for (int64_t f = 0; f < d.features.cols(); ++f) values.push_back(number_at(d.features, i, f));
    return values;
  }

  const std::string header_ = "review,class\n";
  const std::string rows_ =
      "\"This one is broken, and the box was broken too\",bad\n"
      "\"A lovely thing, and it came on time as promised\",good\n"
      "\"Broken when it came; the seller does not answer\",bad\n"
      "\"Lovely lovely colours and the seller was helpful\",good\n";
  TempFolder folder_;
};

TEST_F(TablesOfTexts, HaveAFeatureForEachWordOfTwoRows) {
  const Dataset d = load(header_ + rows_);
  EXPECT_EQ(d.feature_names,
            (Strings{"review: and", "review: broken", "review: came", "review: it",
                     "review: lovely", "review: seller", "review: the", "review: was"}));
  const TableColumn& column = d.plan.columns[0];
  EXPECT_EQ(column.kind, ColumnKind::kText);
  EXPECT_EQ(column.level_counts, (std::vector<int64_t>{3, 2, 2, 2, 2, 2, 3, 2}));
  EXPECT_EQ(d.notes, (Strings{"texts are read by their words: review"}));
  EXPECT_TRUE(d.features.indicators.empty());  // words are counted
  EXPECT_EQ(row(d, 0), (std::vector<float>{1, 2, 0, 0, 0, 0, 1, 1}));
  EXPECT_EQ(row(d, 3), (std::vector<float>{1, 0, 0, 0, 2, 1, 1, 1}));
}

TEST_F(TablesOfTexts, OtherColumnsLeaveTextsOut) {
  const Dataset d = load(
      "review,stars,class\n\"not a word that comes back here\",1,bad\n\"it is lovely and came on "
      "time\",5,good\n\"broken and the seller says nothing\",2,bad\n\"lovely and the seller was "
      "helpful\",4,good\n");
  EXPECT_EQ(d.feature_names, (Strings{"stars"}));
}

TEST_F(TablesOfTexts, NewRowsAreReadAlike) {
  const Dataset d = load(header_ + rows_);
  NewRows rows(folder_.write("new.csv", "review\n\"The seller: LOVELY. Unheard-of!\"\nNA\n"),
               d.plan, d.class_names, {});
  RowBlock block;
  ASSERT_TRUE(rows.next(block));
  ASSERT_EQ(block.rows(), 2);
  EXPECT_EQ(std::vector<float>(block.features.dense[0], block.features.dense[0] + 8),
            (std::vector<float>{0, 0, 0, 0, 1, 1, 1, 0}));
  EXPECT_EQ(std::vector<float>(block.features.dense[1], block.features.dense[1] + 8),
            std::vector<float>(8, 0.0f));
  EXPECT_EQ(rows.notes(), Strings{});
}

}  // namespace
}  // namespace glgnn
