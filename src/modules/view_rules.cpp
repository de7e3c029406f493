#include <glgnn/error.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/check.h"
#include "core/parallel.h"
#include "core/rows.h"
#include "core/validate.h"
#include "modules/feature_products.h"
#include "modules/views.h"

namespace glgnn {
namespace {

constexpr const char* kNames[] = {"raw",   "standard", "levels", "rank",  "unit",
                                  "tfidf", "joined",   "svd16",  "svd32", "svd64"};

// The stored numbers of row i: all of them, or those a sparse row has.
template <class F>
auto row_of(F& features, int64_t i) {
  struct Row {
    decltype(&features.dense[0][0]) values;
    int64_t size;
    const int32_t* col;  // null: column = position
    int64_t column(int64_t e) const { return col ? col[e] : e; }
  };
  if (!features.is_sparse) return Row{features.dense[i], features.dense.cols(), nullptr};
  const Pattern& pattern = *features.sparse.pattern;
  const int64_t begin = pattern.row_ptr[i];
  return Row{features.sparse.values.data() + begin, pattern.row_ptr[i + 1] - begin,
             pattern.col.data() + begin};
}

// Divides every number by the same.
void divide(Features& x, float by) {
  std::vector<float>& sparse = x.sparse.values;
  const auto stored = x.is_sparse
                          ? MatView<float>{sparse.data(), 1, static_cast<int64_t>(sparse.size())}
                          : x.dense.view();
  for (int64_t e = 0; e < stored.size() && by > 0; ++e) stored.data[e] /= by;
}

float largest_number(const Features& x, int threads) {
  constexpr int64_t kRows = 4096;  // of a piece
  const bool counts_all = x.indicators.empty();
  std::vector<uint8_t> counts(x.cols(), 0);
  for (const int32_t f : number_columns(x)) counts[f] = 1;
  std::vector<float> largest((x.rows() + kRows - 1) / kRows + 1, 0.0f);
  for_fixed_pieces(x.rows(), kRows, threads, [&](int64_t piece, int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) {
      const auto row = row_of(x, i);
      float most = 0;
      for (int64_t e = 0; e < row.size; ++e) {
        if (counts_all || counts[row.column(e)]) most = std::max(most, std::abs(row.values[e]));
      }
      largest[piece] = std::max(largest[piece], most);
    }
  });
  return *std::max_element(largest.begin(), largest.end());
}

void make_unit(Features& x) {
  for (int64_t i = 0; i < x.rows(); ++i) {
    const auto row = row_of(x, i);
    double squares = 0;
    for (int64_t e = 0; e < row.size; ++e) squares += double{row.values[e]} * row.values[e];
    const double size = std::sqrt(squares);
    for (int64_t e = 0; e < row.size && size > 0; ++e) {
      row.values[e] = static_cast<float>(row.values[e] / size);
    }
  }
}

std::vector<double> rarities(const Features& x) {
  std::vector<double> rows_with(x.cols(), 0.0);
  for (int64_t i = 0; i < x.rows(); ++i) {
    const auto row = row_of(x, i);
    for (int64_t e = 0; e < row.size; ++e) rows_with[row.column(e)] += row.values[e] != 0;
  }
  for (double& rarity : rows_with) {
    rarity = std::log((1.0 + static_cast<double>(x.rows())) / (1 + rarity)) + 1;
  }
  return rows_with;
}

void weigh_columns(Features& x, const std::vector<double>& weights) {
  for (int64_t i = 0; i < x.rows(); ++i) {
    const auto row = row_of(x, i);
    for (int64_t e = 0; e < row.size; ++e) {
      row.values[e] = static_cast<float>(row.values[e] * weights[row.column(e)]);
    }
  }
}

// Sparse features with their zeros.
Features with_zeros(const Features& x) {
  Features out;
  out.indicators = x.indicators;
  out.dense = Matrix(x.rows(), x.cols());
  for (int64_t i = 0; i < x.rows(); ++i) {
    const auto row = row_of(x, i);
    for (int64_t e = 0; e < row.size; ++e) out.dense[i][row.column(e)] = row.values[e];
  }
  return out;
}

void learn_indicators(ViewRule& rule, const Features& raw, const Matrix& x, double variance) {
  rule.mean.resize(x.cols(), 0.0);
  rule.spread.resize(x.cols(), 0.0);
  const OneWeight one = rule.view == View::kLevels ? OneWeight::kLevel : OneWeight::kColumn;
  for (const auto& [f, mean, spread] : indicator_scales(raw.indicators, x, variance, one)) {
    rule.mean[f] = mean;
    rule.spread[f] = spread;
  }
}

// 0 of a column that does not vary.
double spread_of(double mean, double variance) {
  const double spread = std::sqrt(variance);
  return spread > 1e-7 * std::max(1e-30, std::abs(mean)) ? spread : 0.0;
}

// Some columns at a time, so that a row is read in whole lines of the cache.
void learn_standard(ViewRule& rule, const Matrix& x, int threads) {
  constexpr int64_t kAtOnce = 16;
  const double n = static_cast<double>(x.rows());
  rule.mean.assign(x.cols(), 0.0);
  rule.spread.assign(x.cols(), 0.0);
  for_fixed_pieces(x.cols(), kAtOnce, threads, [&](int64_t, int64_t first, int64_t last) {
    std::array<double, kAtOnce> sum{}, squares{};
    for (int64_t i = 0; i < x.rows(); ++i) {
      for (int64_t f = first; f < last; ++f) sum[f - first] += x[i][f];
    }
    for (int64_t f = first; f < last; ++f) rule.mean[f] = sum[f - first] / n;
    for (int64_t i = 0; i < x.rows(); ++i) {
      for (int64_t f = first; f < last; ++f) {
        const double apart = x[i][f] - rule.mean[f];
        squares[f - first] += apart * apart;
      }
    }
    for (int64_t f = first; f < last; ++f) {
      rule.spread[f] = spread_of(rule.mean[f], squares[f - first] / n);
    }
  });
}

// Numbers divided by the largest of all; indicators have the mean variance of those.
void learn_raw(ViewRule& rule, const Features& raw, const Matrix& x, int threads) {
  ViewRule numbers;
  learn_standard(numbers, x, threads);
  double squares = 0;
  const std::vector<int32_t> columns = number_columns(raw);
  for (const int32_t f : columns) squares += numbers.spread[f] * numbers.spread[f];
  const double count = static_cast<double>(columns.size());
  const double variance = squares > 0 ? squares / count / (rule.largest * rule.largest) : 1;
  rule.mean.assign(x.cols(), 0.0);
  rule.spread.assign(x.cols(), rule.largest);
  learn_indicators(rule, raw, x, variance);
}

float standardised(const ViewRule& rule, float value, int64_t column) {
  const double spread = rule.spread[column];
  return spread > 0 ? static_cast<float>((value - rule.mean[column]) / spread) : 0.0f;
}

// By a view, because the first write to a matrix that others own copies it.
void standardise(Matrix& numbers, const ViewRule& rule, int threads) {
  const MatView<float> x = numbers.view();
  for_row_ranges(x.rows, 4 * x.size(), threads, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) {
      for (int64_t f = 0; f < x.cols; ++f) x[i][f] = standardised(rule, x[i][f], f);
    }
  });
}

// The number that a standard normal variable stays below with probability p: Newton's method on
// erfc, from a rational start (Hastings 1955, formula 26.2.23 in Abramowitz and Stegun).
double normal_score(double p) {
  const double tail = std::min(p, 1 - p);
  const double t = std::sqrt(-2 * std::log(tail));
  double x = t - (2.515517 + t * (0.802853 + t * 0.010328)) /
                     (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
  for (int step = 0; step < 3; ++step) {
    const double above = 0.5 * std::erfc(x / std::sqrt(2.0));
    const double density = std::exp(-x * x / 2) / std::sqrt(2 * 3.14159265358979323846);
    x += (above - tail) / density;
  }
  return p < 0.5 ? -x : x;
}

// Equal numbers share their mean rank; a constant column becomes zero.
void learn_ranks(ViewRule& rule, const Matrix& x, const std::vector<int32_t>& numbers,
                 int threads) {
  const int64_t n = x.rows();
  rule.ranks.resize(x.cols());
  parallel_for(std::ssize(numbers), threads, 1, [&](int64_t at) {
    const int32_t f = numbers[at];
    std::vector<float> column(n);
    for (int64_t i = 0; i < n; ++i) column[i] = x[i][f];
    std::sort(column.begin(), column.end());
    for (int64_t first = 0; first < n;) {
      int64_t last = first;
      while (last < n && column[last] == column[first]) ++last;
      const double middle = 0.5 * static_cast<double>(first + last);
      rule.ranks[f].push_back(
          {column[first], static_cast<float>(normal_score(middle / static_cast<double>(n)))});
      first = last;
    }
  });
}

float score_of(float value, const std::vector<ViewRule::Rank>& ranks) {
  const auto above = std::lower_bound(
      ranks.begin(), ranks.end(), value,
      [](const ViewRule::Rank& rank, float wanted) { return rank.value < wanted; });
  if (above == ranks.end()) return ranks.back().score;
  if (above->value == value || above == ranks.begin()) return above->score;
  const ViewRule::Rank& below = above[-1];
  const float part = (value - below.value) / (above->value - below.value);
  return below.score + part * (above->score - below.score);
}

void rank_columns(Matrix& numbers, const ViewRule& rule, int threads) {
  const MatView<float> x = numbers.view();
  parallel_for(x.cols, threads, 1, [&](int64_t f) {
    const std::vector<ViewRule::Rank>& ranks = rule.ranks[f];
    for (int64_t i = 0; i < x.rows; ++i) {
      x[i][f] = ranks.empty() ? standardised(rule, x[i][f], f) : score_of(x[i][f], ranks);
    }
  });
}

}  // namespace

std::string view_name(View view) { return kNames[static_cast<int>(view)]; }

View view_named(const std::string& name) {
  const auto found = std::find(std::begin(kNames), std::end(kNames), name);
  if (found != std::end(kNames)) return static_cast<View>(found - std::begin(kNames));
  throw Error(ErrorKind::kData, "unknown view \"" + name + "\"; the model is of another version");
}

ViewRule learn_view(View view, const Features& raw, int threads) {
  ViewRule rule;
  if (view == View::kJoined) {
    rule = learn_view(base_view(raw), raw, threads);
    rule.heard = alike_columns(apply_view(rule, raw, threads), Opposite::kAlike, Context{threads});
    rule.view = view;
    return rule;
  }
  rule.view = view;
  rule.stays_sparse = raw.is_sparse && raw.cols() > kMostDenseColumns;
  const bool by_column = view == View::kStandard || view == View::kLevels || view == View::kRank ||
                         (view == View::kRaw && !raw.indicators.empty());
  if (view == View::kRaw || (by_column && rule.stays_sparse)) {
    rule.largest = largest_number(raw, threads);
  }
  if (view == View::kTfidf) rule.rarity = rarities(raw);
  if (!by_column || rule.stays_sparse) return rule;
  const Features zeros = raw.is_sparse ? with_zeros(raw) : Features{};
  const Matrix& x = raw.is_sparse ? zeros.dense : raw.dense;
  if (view == View::kRaw) learn_raw(rule, raw, x, threads);
  if (view == View::kStandard || view == View::kLevels) learn_standard(rule, x, threads);
  if (view == View::kRank) learn_ranks(rule, x, number_columns(raw), threads);
  if (view != View::kRaw && !raw.indicators.empty()) learn_indicators(rule, raw, x, 1);
  return rule;
}

ViewRule learn_view(View view, const cuda::ColumnMoments& moments) {
  ViewRule rule;
  rule.view = view;
  if (view == View::kRaw) {
    rule.largest = moments.largest;
    return rule;
  }
  rule.mean = moments.mean;
  for (size_t f = 0; f < rule.mean.size(); ++f) {
    rule.spread.push_back(spread_of(rule.mean[f], moments.variance[f]));
  }
  return rule;
}

Features apply_view(const ViewRule& rule, Features x, int threads) {
  switch (rule.view) {
    case View::kRaw:
    case View::kStandard:
    case View::kLevels:
    case View::kRank:
      if (rule.mean.empty() && rule.ranks.empty()) {
        divide(x, static_cast<float>(rule.largest));
        break;
      }
      if (x.is_sparse) x = with_zeros(x);
      if (rule.view == View::kRank)
        rank_columns(x.dense, rule, threads);
      else
        standardise(x.dense, rule, threads);
      break;
    case View::kUnit:
      make_unit(x);
      break;
    case View::kTfidf:
      weigh_columns(x, rule.rarity);
      make_unit(x);
      break;
    case View::kJoined:
      if (rule.rarity.empty()) {
        standardise(x.dense, rule, threads);
        return with_heard(x, rule.heard, threads);
      }
      weigh_columns(x, rule.rarity);
      x = with_heard(x, rule.heard, threads);
      make_unit(x);
      if (x.is_sparse && !rule.stays_sparse) x = with_zeros(x);  // as modules of tables want it
      break;
    case View::kSvd16:
    case View::kSvd32:
    case View::kSvd64:
      GLGNN_ASSERT(!"singular directions are a matrix, not a rule");
      break;
  }
  return x;
}

ViewShape ViewRule::check(const std::string& what, const ViewShape& rows) const {
  const auto count = [](const auto& list) { return static_cast<int64_t>(list.size()); };
  check_number(what + ", largest", largest, 0, std::numeric_limits<float>::max());
  for (const auto* list : {&mean, &spread, &rarity}) {
    check_finite(what, *list);
    if (!list->empty()) check_count(what + ", columns", count(*list), rows.columns);
  }
  check_count(what + ", spreads", count(spread), count(mean));
  if (view == View::kTfidf) check_count(what + ", rarities", count(rarity), rows.columns);
  if (view == View::kJoined) {
    check_count(what + ", rarities", count(rarity), rows.is_sparse ? rows.columns : 0);
    check_count(what + ", means", count(mean), rows.is_sparse ? 0 : rows.columns);
    check_csr(what + ", columns heard", heard, rows.columns, rows.columns);
  }
  check_count(what + ", columns of ranks", count(ranks), ranks.empty() ? 0 : rows.columns);
  if (view != View::kRank) check_count(what + ", columns of ranks", count(ranks), 0);
  for (const std::vector<Rank>& list : ranks) {
    if (list.empty()) check_count(what + ", columns", count(mean), rows.columns);
    for (size_t r = 0; r < list.size(); ++r) {
      check_finite(what + ", ranks", std::array{list[r].value, list[r].score});
      const bool ascends = r == 0 || list[r - 1].value < list[r].value;
      check_count(what + ", ranks that ascend", ascends ? count(list) : static_cast<int64_t>(r),
                  count(list));
    }
  }
  const bool becomes_dense =
      !mean.empty() || !ranks.empty() || (view == View::kJoined && !stays_sparse);
  if (rows.is_sparse && becomes_dense) {
    check_range(what + ", columns", rows.columns, 0, kMostDenseColumns);
  }
  return {rows.columns, rows.is_sparse && !becomes_dense};
}

int64_t directions_kept(View view) {
  switch (view) {
    case View::kSvd16:
      return 16;
    case View::kSvd32:
      return 32;
    case View::kSvd64:
      return 64;
    default:
      return 0;
  }
}

View base_view(const Features& raw) { return raw.is_sparse ? View::kTfidf : View::kStandard; }

}  // namespace glgnn
