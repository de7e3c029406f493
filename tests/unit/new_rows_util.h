// A fitted table and rows that come after it.
#pragma once

#include <glgnn/new_rows.h>

#include <string>
#include <vector>

#include "data/data.h"
#include "unit/data_test_util.h"

namespace glgnn {

inline const char* const kTable =
    "tree,height,soil,seen,remark,kind\n"
    "t1,1.5,clay,2024-01-01,one,oak\n"
    "t2,,sand,2024-01-02,two,elm\n"
    "t3,2.5,clay,2024-01-03,three,oak\n"
    "t4,4.5,sand,2024-01-05,four,elm\n"
    "t5,3.5,loam,2024-01-04,five,\n";

class NewRowsTest : public testing::Test {
 protected:
  void SetUp() override {
    fitted_ = load_dataset(folder_.write("t.csv", kTable), {.label = "kind", .id = "tree"});
  }
  NewRows open(const std::string& text, const std::string& file = "new.csv",
               const NewRowsOptions& options = {}) {
    return NewRows(folder_.write(file, text), fitted_.plan, fitted_.class_names, options);
  }
  // The one block of a file.
  RowBlock read(NewRows& rows) {
    RowBlock block, none;
    EXPECT_TRUE(rows.next(block));
    EXPECT_FALSE(rows.next(none));
    EXPECT_EQ(none.rows(), 0);
    return block;
  }
  std::string error(const std::string& text, ErrorKind kind = ErrorKind::kData) {
    return folder_.error_of(kind, [&] {
      NewRows rows = open(text);
      RowBlock block;
      while (rows.next(block)) {
      }
    });
  }
  std::vector<float> row(const RowBlock& block, int64_t i) {
    const float* const values = block.features.dense[i];
    return {values, values + block.features.cols()};
  }

  TempFolder folder_;
  Dataset fitted_;
};

}  // namespace glgnn
