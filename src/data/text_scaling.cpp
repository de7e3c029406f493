#include "data/text_scaling.h"

#include <algorithm>
#include <cmath>

#include "data/data.h"

namespace glgnn {
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
