// Scaling of features, and which one `auto` means.

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/rows.h"
#include "data/data.h"
#include "data/message.h"

namespace glgnn {
namespace {

// Calls visit(value) for each stored number of row i; a sparse row's zeros are not stored.
template <class F, class Visit>
void for_row(F& features, int64_t i, const Visit& visit) {
  if (features.is_sparse) {
    const Pattern& pattern = *features.sparse.pattern;
    for (int64_t e = pattern.row_ptr[i]; e < pattern.row_ptr[i + 1]; ++e) {
      visit(features.sparse.values[e]);
    }
  } else {
    for (int64_t j = 0; j < features.dense.cols(); ++j) visit(features.dense[i][j]);
  }
}

bool has_unit_rows(const Features& features) {
  for (int64_t i = 0; i < features.rows(); ++i) {
    double squares = 0;
    for_row(features, i, [&](float x) { squares += static_cast<double>(x) * x; });
    if (std::abs(std::sqrt(squares) - 1.0) > 1e-3) return false;
  }
  return true;
}

// Grey values: whole numbers from 0 to at most 255 that most columns share as a common scale.
// Columns of separate quantities would each have a range of their own; the 0s and 1s of categories
// are no grey values.
bool looks_like_pixels(const ColumnSums& sums) {
  constexpr size_t kFewest = 16;
  if (sums.high.size() < kFewest || !sums.is_grey) return false;
  const float largest = *std::max_element(sums.high.begin(), sums.high.end());
  int64_t varying = 0, wide = 0;
  for (size_t j = 0; j < sums.high.size(); ++j) {
    if (sums.low[j] >= sums.high[j]) continue;
    ++varying;
    wide += 2.0f * sums.high[j] >= largest;
  }
  return varying > 0 && 2 * wide >= varying;
}

ColumnSums sums_of(const Matrix& dense) {
  ColumnSums sums;
  sums.rows = dense.rows();
  sums.add(dense);
  return sums;
}

FeatureScale standard_scale(const ColumnSums& sums) {
  FeatureScale scale{Scaling::kStandard, {}, {}};
  for (size_t j = 0; j < sums.mean.size(); ++j) {
    scale.shift.push_back(static_cast<float>(sums.mean[j]));
    // Rounding leaves a constant column a tiny deviation: divided by it, noise would become data.
    scale.factor.push_back(sums.varies[j] ? static_cast<float>(1.0 / std::sqrt(sums.squares[j]))
                                          : 0.0f);
  }
  return scale;
}

// Numbers become z-scores; what a category became counts as one number together.
FeatureScale learn_standard(const Features& features) {
  ColumnSums sums = sums_of(features.dense);
  sums.add_squares(features.dense);
  FeatureScale scale = standard_scale(sums);
  for (const auto& [f, share, spread] : indicator_scales(features.indicators, features.dense, 1)) {
    scale.shift[f] = static_cast<float>(share);
    scale.factor[f] = static_cast<float>(1.0 / spread);
  }
  return scale;
}

FeatureScale learn_max(const Features& features) {
  float largest = 0.0f;
  for (int64_t i = 0; i < features.rows(); ++i) {
    for_row(features, i, [&](float x) { largest = std::max(largest, std::abs(x)); });
  }
  const float factor = largest > 0.0f ? 1.0f / largest : 1.0f;
  const auto columns = static_cast<size_t>(features.cols());
  return {Scaling::kMax, std::vector<float>(columns, 0.0f), std::vector<float>(columns, factor)};
}

// How rare a column is: log((1 + rows) / (1 + rows that have it)) + 1.
FeatureScale learn_rarity(const Features& features) {
  const auto columns = static_cast<size_t>(features.cols());
  std::vector<int64_t> count(columns, 0);
  if (features.is_sparse) {
    const Pattern& pattern = *features.sparse.pattern;
    for (int64_t e = 0; e < pattern.nnz(); ++e) {
      count[static_cast<size_t>(pattern.col[e])] += features.sparse.values[e] != 0.0f;
    }
  } else {
    for (int64_t i = 0; i < features.rows(); ++i) {
      for (size_t j = 0; j < columns; ++j) count[j] += features.dense[i][j] != 0.0f;
    }
  }
  FeatureScale scale{Scaling::kTfidf, std::vector<float>(columns, 0.0f), {}};
  for (const int64_t rows : count) {
    const double share =
        (1.0 + static_cast<double>(features.rows())) / (1.0 + static_cast<double>(rows));
    scale.factor.push_back(static_cast<float>(std::log(share) + 1));
  }
  return scale;
}

void scale_columns(Features& features, const FeatureScale& scale) {
  if (scale.factor.size() != static_cast<size_t>(features.cols())) {
    throw Error(
        ErrorKind::kUsage,
        "scaling learned from " + counted(static_cast<int64_t>(scale.factor.size()), "column") +
            " and applied to " + counted(features.cols(), "column") + "; give the same columns");
  }
  if (features.is_sparse) {
    const Pattern& pattern = *features.sparse.pattern;
    for (int64_t e = 0; e < pattern.nnz(); ++e) {
      features.sparse.values[e] *= scale.factor[pattern.col[e]];
    }
    return;
  }
  for (int64_t i = 0; i < features.rows(); ++i) {
    float* const row = features.dense[i];
    for (int64_t j = 0; j < features.cols(); ++j) {
      row[j] = (row[j] - scale.shift[j]) * scale.factor[j];
    }
  }
}

void scale_rows(Features& features, Scaling scaling) {
  features.row_size.assign(static_cast<size_t>(features.rows()), 1.0f);
  for (int64_t i = 0; i < features.rows(); ++i) {
    double sum = 0, squares = 0;
    for_row(features, i, [&](float x) {
      sum += std::abs(x);
      squares += static_cast<double>(x) * x;
    });
    const double size = scaling == Scaling::kRowSum ? sum : std::sqrt(squares);
    if (size == 0) continue;
    features.row_size[static_cast<size_t>(i)] = static_cast<float>(size);
    for_row(features, i, [&](float& x) { x = static_cast<float>(x / size); });
  }
}

bool is_standard(Scaling scaling) {
  return scaling == Scaling::kStandard || scaling == Scaling::kStandardUnit;
}

void refuse_sparse_standard(const Features& features, Scaling scaling) {
  if (!is_standard(scaling) || !features.is_sparse) return;
  throw Error(ErrorKind::kUsage,
              std::string("setting scaling: found \"") +
                  (scaling == Scaling::kStandard ? "standard" : "standard_unit") +
                  "\" for sparse features, expected none, max, row_sum, row_unit or tfidf, which "
                  "leave zeros zero; choose one of them");
}

}  // namespace

Scaling resolve_scaling(Scaling scaling, const Features& features, const std::string& publishers) {
  refuse_sparse_standard(features, scaling);
  if (scaling != Scaling::kAuto) return scaling;
  if (!publishers.empty()) {
    Config config;
    set_setting(config, "scaling", publishers);
    if (config.scaling != Scaling::kAuto) return config.scaling;
  }
  if (features.is_sparse) return has_unit_rows(features) ? Scaling::kNone : Scaling::kRowUnit;
  const bool is_plain = features.indicators.empty();
  return is_plain ? sums_of(features.dense).resolve(scaling) : Scaling::kStandardUnit;
}

void ColumnSums::add(const Matrix& part) {
  const auto columns = static_cast<size_t>(part.cols());
  if (mean.empty()) {
    mean.assign(columns, 0.0);
    squares.assign(columns, 0.0);
    low.assign(columns, std::numeric_limits<float>::max());
    high.assign(columns, 0.0f);
    varies.assign(columns, 0);
  }
  if (seen == 0 && part.rows() > 0) first.assign(part[0], part[0] + part.cols());
  const auto count = static_cast<double>(rows);
  for (int64_t i = 0; i < part.rows(); ++i) {
    for (size_t j = 0; j < columns; ++j) {
      const float x = part[i][j];
      mean[j] += x / count;
      varies[j] = varies[j] || x != first[j];
      low[j] = std::min(low[j], x);
      high[j] = std::max(high[j], x);
      is_grey = is_grey && x >= 0.0f && x <= 255.0f && x == std::floor(x);
    }
  }
  seen += part.rows();
}

void ColumnSums::add_squares(const Matrix& part) {
  const auto count = static_cast<double>(rows);
  for (int64_t i = 0; i < part.rows(); ++i) {
    for (size_t j = 0; j < mean.size(); ++j) {
      const double apart = part[i][j] - mean[j];
      squares[j] += apart * apart / count;
    }
  }
}

bool ColumnSums::leave_out_constant() {
  const std::vector<uint8_t> stays = varies;
  const auto keep = [&](auto& list) {
    size_t to = 0;
    for (size_t j = 0; j < stays.size(); ++j) {
      if (stays[j]) list[to++] = list[j];
    }
    list.resize(to);
  };
  keep(mean), keep(squares), keep(first), keep(low), keep(high), keep(varies);
  return !mean.empty();
}

Scaling ColumnSums::resolve(Scaling asked) const {
  if (asked != Scaling::kAuto) return asked;
  return looks_like_pixels(*this) ? Scaling::kRowUnit : Scaling::kStandardUnit;
}

FeatureScale ColumnSums::scale(Scaling scaling) const {
  if (scaling == Scaling::kMax || scaling == Scaling::kTfidf || scaling == Scaling::kAuto) {
    throw Error(ErrorKind::kUsage,
                "setting scaling: found max or tfidf for rows over ranks, expected none, standard, "
                "standard_unit, row_sum or row_unit; choose one of them");
  }
  FeatureScale scale{scaling, {}, {}};
  if (is_standard(scaling)) scale = standard_scale(*this);
  scale.scaling = scaling;
  return scale;
}

FeatureScale learn_scale(const Features& features, Scaling scaling) {
  refuse_sparse_standard(features, scaling);
  if (scaling == Scaling::kAuto) {
    throw Error(ErrorKind::kUsage, "setting scaling: found \"auto\"; resolve_scaling comes first");
  }
  FeatureScale scale{scaling, {}, {}};
  if (is_standard(scaling)) scale = learn_standard(features);
  if (scaling == Scaling::kMax) scale = learn_max(features);
  if (scaling == Scaling::kTfidf) scale = learn_rarity(features);
  scale.scaling = scaling;
  return scale;
}

void apply_scale(Features& features, const FeatureScale& scale) {
  refuse_sparse_standard(features, scale.scaling);
  const bool by_columns = is_standard(scale.scaling) || scale.scaling == Scaling::kMax ||
                          scale.scaling == Scaling::kTfidf;
  if (by_columns) scale_columns(features, scale);
  switch (scale.scaling) {
    case Scaling::kRowSum:
    case Scaling::kRowUnit:
    case Scaling::kStandardUnit:
    case Scaling::kTfidf:
      scale_rows(features, scale.scaling);
      break;
    default:
      break;
  }
}

void scale_features(Features& features, Scaling scaling) {
  apply_scale(features, learn_scale(features, scaling));
}

namespace {

// How much more a vote counts for a row that is nearer: the temperature of paper mode.
constexpr double kTemperature = 0.1;

std::vector<int32_t> with_labels(const std::vector<int32_t>& rows, const Dataset& dataset) {
  std::vector<int32_t> out;
  for (const int32_t row : rows) {
    if (dataset.labels[static_cast<size_t>(row)] >= 0) out.push_back(row);
  }
  return out;
}

// S of one sparse row, spread over all columns, and row r.
double product(const std::vector<float>& spread, const Csr& rows, int64_t r) {
  double sum = 0;
  for (int64_t e = rows.pattern->row_ptr[r]; e < rows.pattern->row_ptr[r + 1]; ++e) {
    sum += static_cast<double>(rows.values[e]) * spread[rows.pattern->col[e]];
  }
  return sum;
}

// Whether each validation row gets its class.
std::vector<bool> hits(const Dataset& dataset, const std::vector<int32_t>& train,
                       const std::vector<int32_t>& val, Scaling scaling) {
  const FeatureScale scale = learn_scale(dataset.features, scaling);
  Features voters = take_rows(dataset.features, train), asking = take_rows(dataset.features, val);
  apply_scale(voters, scale);
  apply_scale(asking, scale);
  std::vector<double> of_class(static_cast<size_t>(dataset.classes()), 0.0);
  for (const int32_t row : train) ++of_class[dataset.labels[row]];
  std::vector<bool> out;
  std::vector<float> spread(static_cast<size_t>(dataset.features.cols()), 0.0f);
  for (size_t q = 0; q < val.size(); ++q) {
    const Pattern& pattern = *asking.sparse.pattern;
    const int64_t begin = pattern.row_ptr[q], end = pattern.row_ptr[q + 1];
    for (int64_t e = begin; e < end; ++e) spread[pattern.col[e]] = asking.sparse.values[e];
    std::vector<double> votes(of_class.size(), 0.0);
    for (size_t t = 0; t < train.size(); ++t) {
      const int32_t label = dataset.labels[train[t]];
      const double s = product(spread, voters.sparse, static_cast<int64_t>(t));
      votes[label] += std::exp(s / kTemperature) / of_class[label];
    }
    for (int64_t e = begin; e < end; ++e) spread[pattern.col[e]] = 0.0f;
    const auto best = std::max_element(votes.begin(), votes.end()) - votes.begin();
    out.push_back(best == dataset.labels[val[q]]);
  }
  return out;
}

}  // namespace

Scaling text_scaling(const Dataset& dataset, const Split& split) {
  const auto train = with_labels(split.train, dataset), val = with_labels(split.val, dataset);
  if (train.empty() || val.empty()) return Scaling::kRowUnit;
  const auto plain = hits(dataset, train, val, Scaling::kRowUnit);
  const auto weighed = hits(dataset, train, val, Scaling::kTfidf);
  int64_t better = 0, worse = 0;
  for (size_t q = 0; q < val.size(); ++q) {
    better += weighed[q] && !plain[q];
    worse += plain[q] && !weighed[q];
  }
  const double deviation = std::sqrt(static_cast<double>(better + worse));
  return static_cast<double>(better - worse) > deviation ? Scaling::kTfidf : Scaling::kRowUnit;
}

}  // namespace glgnn
