#include <glgnn/error.h>

#include <string>

#include "api/over_ranks.h"
#include "data/data.h"

namespace glgnn {
namespace {

std::string packed(const ColumnSums& sums) {
  std::string letter;
  append(letter, &sums.seen, 1);
  append(letter, &sums.is_grey, 1);
  for (const auto* list : {&sums.mean, &sums.squares}) append(letter, list->data(), list->size());
  for (const auto* list : {&sums.first, &sums.low, &sums.high}) {
    append(letter, list->data(), list->size());
  }
  append(letter, sums.varies.data(), sums.varies.size());
  return letter;
}

ColumnSums unpacked(const std::string& bytes, int64_t rows, int64_t columns) {
  ColumnSums sums;
  sums.rows = rows;
  if (bytes.empty()) return sums;
  Letter letter(bytes);
  const auto count = static_cast<size_t>(columns);
  sums.seen = letter.take<int64_t>(1)[0];
  sums.is_grey = letter.take<char>(1)[0] != 0;
  for (auto* list : {&sums.mean, &sums.squares}) *list = letter.take<double>(count);
  for (auto* list : {&sums.first, &sums.low, &sums.high}) *list = letter.take<float>(count);
  sums.varies = letter.take<uint8_t>(count);
  return sums;
}

Matrix columns_that_vary(const Matrix& rows, const std::vector<uint8_t>& varies) {
  std::vector<int64_t> kept;
  for (size_t j = 0; j < varies.size(); ++j) {
    if (varies[j]) kept.push_back(static_cast<int64_t>(j));
  }
  if (std::ssize(kept) == rows.cols()) return rows;
  Matrix out(rows.rows(), std::ssize(kept));
  for (int64_t i = 0; i < rows.rows(); ++i) {
    for (size_t f = 0; f < kept.size(); ++f) out[i][f] = rows[i][kept[f]];
  }
  return out;
}

}  // namespace

Scaling prepare_own_rows(Features& own, int64_t all_rows, Scaling asked, Ranks& ranks) {
  const auto in_turn = [&](auto&& add) {
    const int64_t columns = own.cols();
    const std::string all = ranks.in_turn([&](const std::string& before) {
      ColumnSums sums = unpacked(before, all_rows, columns);
      add(sums);
      return packed(sums);
    });
    return unpacked(all, all_rows, columns);
  };
  ColumnSums sums = in_turn([&](ColumnSums& s) { s.add(own.dense); });
  own.dense = columns_that_vary(own.dense, sums.varies);
  if (!sums.leave_out_constant()) {
    throw Error(ErrorKind::kData,
                "found the same numbers in every row, expected columns that differ");
  }
  const Scaling scaling = sums.resolve(asked);
  const std::string means = packed(sums);
  sums = in_turn([&](ColumnSums& s) {
    if (ranks.leads()) s = unpacked(means, all_rows, own.cols());
    s.add_squares(own.dense);
  });
  apply_scale(own, sums.scale(scaling));
  return scaling;
}

}  // namespace glgnn
