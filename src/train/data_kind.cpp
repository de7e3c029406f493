#include <algorithm>
#include <limits>

#include "core/parallel.h"
#include "core/rows.h"
#include "train/pool.h"

namespace glgnn {
namespace {

// What the numbers of some rows are like; columns of indicators do not count.
struct NumbersLook {
  int64_t not_zero = 0, negative = 0;
  std::vector<float> low, high;  // of each column of dense rows

  explicit NumbersLook(size_t columns)
      : low(columns, std::numeric_limits<float>::max()),
        high(columns, std::numeric_limits<float>::lowest()) {}

  // In 32 bits and without a branch, so that the compiler does many numbers at once.
  void add(const float* row) {
    int32_t other = 0, below = 0;
    for (size_t f = 0; f < low.size(); ++f) {
      other += row[f] != 0;
      below += row[f] < 0;
      low[f] = std::min(low[f], row[f]);
      high[f] = std::max(high[f], row[f]);
    }
    not_zero += other;
    negative += below;
  }
  void add(const NumbersLook& more) {
    not_zero += more.not_zero;
    negative += more.negative;
    for (size_t f = 0; f < low.size(); ++f) {
      low[f] = std::min(low[f], more.low[f]);
      high[f] = std::max(high[f], more.high[f]);
    }
  }

  // Columns of one scale: most have the same smallest number, and the widest is no more than twice
  // as wide as half of them.
  bool shares_scale() const {
    if (low.size() < 16) return false;
    const float lowest = *std::min_element(low.begin(), low.end());
    const float highest = *std::max_element(high.begin(), high.end());
    int64_t varying = 0, wide = 0, same_low = 0;
    for (size_t f = 0; f < low.size(); ++f) {
      if (low[f] >= high[f]) continue;
      ++varying;
      same_low += low[f] == lowest;
      wide += 2 * (high[f] - lowest) >= highest - lowest;
    }
    return varying > 0 && 10 * same_low >= 9 * varying && 2 * wide >= varying;
  }
};

NumbersLook look_at_dense(const Matrix& x, const std::vector<int32_t>& numbers, int threads) {
  constexpr int64_t kRows = 4096;  // of a piece
  const bool has_gaps = std::ssize(numbers) < x.cols();
  std::vector<NumbersLook> pieces((x.rows() + kRows - 1) / kRows, NumbersLook(numbers.size()));
  for_fixed_pieces(x.rows(), kRows, threads, [&](int64_t piece, int64_t first, int64_t last) {
    std::vector<float> row(numbers.size());
    for (int64_t i = first; i < last; ++i) {
      for (size_t f = 0; has_gaps && f < numbers.size(); ++f) row[f] = x[i][numbers[f]];
      pieces[piece].add(has_gaps ? row.data() : x[i]);
    }
  });
  NumbersLook all(numbers.size());
  for (const NumbersLook& piece : pieces) all.add(piece);
  return all;
}

NumbersLook look_at_sparse(const Features& x, const std::vector<int32_t>& numbers) {
  NumbersLook all(0);
  std::vector<bool> is_number(x.cols(), false);
  for (const int32_t f : numbers) is_number[f] = true;
  for (size_t e = 0; e < x.sparse.values.size(); ++e) {
    if (!is_number[x.sparse.pattern->col[e]]) continue;
    all.not_zero += x.sparse.values[e] != 0;
    all.negative += x.sparse.values[e] < 0;
  }
  return all;
}

}  // namespace

DataKind look_at(const Features& raw, int64_t labels, bool has_graph, int threads) {
  DataKind kind{
      .rows = raw.rows(), .columns = raw.cols(), .labels = labels, .has_graph = has_graph};
  const std::vector<int32_t> numbers = number_columns(raw);
  const NumbersLook look =
      raw.is_sparse ? look_at_sparse(raw, numbers) : look_at_dense(raw.dense, numbers, threads);
  kind.has_negative = look.negative > 0;
  constexpr int64_t kTextColumns = 50;
  constexpr double kTextDensity = 0.15;
  const auto width = static_cast<int64_t>(numbers.size());
  const double all = static_cast<double>(raw.rows()) * static_cast<double>(width);
  // Wide rows that are stored as sparse must stay so.
  const bool stays_sparse = raw.is_sparse && raw.cols() > kMostDenseColumns;
  kind.is_text = stays_sparse || (width >= kTextColumns && !kind.has_negative &&
                                  static_cast<double>(look.not_zero) <= kTextDensity * all);
  kind.shares_scale = look.shares_scale();
  kind.has_levels = std::ranges::any_of(raw.indicators, [](const auto& b) { return b.count > 2; });
  kind.origins = kind.is_text || raw.cols() == 0 ? 0 : origin_of_columns(raw).back() + 1;
  return kind;
}

DataKind look_at(const Problem& problem, int64_t labels, int threads) {
  DataKind kind = look_at(*problem.features, labels, problem.graph != nullptr, threads);
  kind.classes = problem.classes;
  kind.val_is_given = !problem.val_is_drawn && !problem.val.empty();
  return kind;
}

}  // namespace glgnn
