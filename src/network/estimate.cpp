#include "network/estimate.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/rng.h"
#include "core/validate.h"
#include "modules/soft_labels.h"
#include "network/weights.h"

namespace glgnn {
namespace {

constexpr uint32_t kDrawings = 200;
// The part of the rows that a drawing has at least once, 1 - 1/e: so few choose, and their choices
// spread more than those of all rows. The interval counts only these.
constexpr double kDifferentRows = 0.632;

// The network of one training, chosen by the rows drawn.
Chosen choose_in_fold(const HeldBack& held, const JudgedFold& judged, const double* times,
                      size_t members) {
  const double drawn = std::accumulate(times, times + held.labels.size(), 0.0);
  Chosen chosen;
  chosen.sharpness.assign(held.stages.size(), 0);
  std::vector<double> score;
  std::vector<size_t> order;
  for (size_t s = 0; s < held.stages.size(); ++s) {
    chosen.look.push_back(best_look(judged[s], times));
    const Judged& look = judged[s][chosen.look.back()];
    score.push_back(look.value(times));
    if (held.stages[s].handicap > 0 && drawn > 0) {
      const double right = std::inner_product(look.right.begin(), look.right.end(), times, 0.0);
      score.back() -= held.stages[s].handicap * standard_error(right / drawn, drawn);
    }
    if (!held.stages[s].is_taught) order.push_back(s);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return score[a] > score[b]; });
  order.resize(std::min(members, order.size()));
  std::vector<double> of_members;
  for (const size_t s : order) of_members.push_back(score[s]);
  const std::vector<double> weights = weights_by_score(of_members);
  chosen.weight.assign(held.stages.size(), 0.0);
  for (size_t r = 0; r < order.size(); ++r) chosen.weight[order[r]] = weights[r];
  return chosen;
}

std::vector<double> draw_rows(size_t rows, const Rng& rng) {
  std::vector<double> times(rows, 0.0);
  for (size_t r = 0; r < rows; ++r) {
    const auto drawn = static_cast<size_t>(double{rng.uniform(r)} * static_cast<double>(rows));
    ++times[std::min(drawn, rows - 1)];
  }
  return times;
}

double factor_of(const std::vector<float>& factors, int32_t label) {
  return factors.empty() ? 1.0 : factors[label];
}

void count_classes(const std::vector<HeldBack>& folds, const std::vector<float>& factors,
                   int64_t classes, Estimate& estimate) {
  std::vector<double> count(classes, 0.0);
  for (const HeldBack& fold : folds) {
    for (const int32_t label : fold.labels) count[label] += factor_of(factors, label);
    estimate.rows += std::ssize(fold.labels);
  }
  const auto most = std::max_element(count.begin(), count.end());
  estimate.majority_class = static_cast<int32_t>(most - count.begin());
  estimate.majority_share = *most / std::accumulate(count.begin(), count.end(), 0.0);
}

// The part of the rows that were answered right, each counted as often as rows of its class are
// met.
struct RightPart {
  double right = 0, rows = 0, squares = 0;

  void add(bool is_right, double factor) {
    right += is_right ? factor : 0;
    rows += factor;
    squares += factor * factor;
  }
  double value() const { return rows > 0 ? right / rows : 0; }
  // So many rows that count alike would tell as much, as a part of those there are.
  double worth(double count) const { return rows * rows / (squares * count); }
};

double baseline_accuracy(const std::vector<HeldBack>& folds, const std::vector<float>& factors) {
  RightPart part;
  for (const HeldBack& fold : folds) {
    if (fold.baseline.empty()) return -1;
    const Judged judged(fold.baseline, fold.labels);
    for (size_t i = 0; i < fold.labels.size(); ++i) {
      part.add(judged.right[i] > 0, factor_of(factors, fold.labels[i]));
    }
  }
  return part.value();
}

}  // namespace

void Drawing::judge_rest(
    const std::vector<HeldBack>& held, int64_t classes,
    const std::function<void(size_t, size_t, const std::vector<double>&)>& visit) const {
  std::vector<double> p(classes);
  std::vector<float> said(classes);
  const double* drawn = times.data();
  for (size_t f = 0; f < held.size(); ++f) {
    for (size_t i = 0; i < held[f].labels.size(); ++i) {
      if (*drawn++ > 0) continue;
      std::fill(p.begin(), p.end(), 0.0);
      for (size_t s = 0; s < held[f].stages.size(); ++s) {
        if (chosen[f].weight[s] == 0) continue;
        const Matrix& look = held[f].stages[s].looks[chosen[f].look[s]];
        std::copy_n(look[static_cast<int64_t>(i)], classes, said.begin());
        sharpen(said.data(), classes, kSharpness[chosen[f].sharpness[s]]);
        for (int64_t c = 0; c < classes; ++c) p[c] += chosen[f].weight[s] * said[c];
      }
      visit(f, i, p);
    }
  }
}

std::vector<Drawing> draw_and_choose(const std::vector<HeldBack>& held, int64_t members,
                                     uint64_t seed, const std::vector<double>& counts) {
  std::vector<JudgedFold> judged_folds;
  size_t rows = 0;
  for (const HeldBack& fold : held) {
    judged_folds.push_back(judge_fold(fold));
    rows += fold.labels.size();
  }
  std::vector<Drawing> drawings;
  if (rows == 0) return drawings;
  const auto of_all = static_cast<size_t>(members);
  for (uint32_t b = 0; b < kDrawings; ++b) {
    Drawing& drawing = drawings.emplace_back();
    drawing.times = draw_rows(rows, {seed, Stream::kEstimate, 0, b});
    for (size_t i = 0; i < counts.size(); ++i) drawing.times[i] *= counts[i];
    if (choose_together(held)) {
      drawing.chosen = choose_over_folds(held, judged_folds, drawing.times, of_all, false);
    } else {
      drawing.chosen = {choose_in_fold(held[0], judged_folds[0], drawing.times.data(), of_all)};
    }
  }
  return drawings;
}

Estimate estimate_accuracy(const std::vector<HeldBack>& held, const std::vector<Drawing>& drawings,
                           int64_t classes, const std::vector<float>& factors) {
  Estimate estimate;
  if (drawings.empty()) return estimate;
  count_classes(held, factors, classes, estimate);
  estimate.baseline = baseline_accuracy(held, factors);
  RightPart part;
  double judged = 0;
  const auto judge = [&](size_t f, size_t i, const std::vector<double>& p) {
    size_t said = 0;
    const auto weighed = [&](size_t c) {
      return p[c] * factor_of(factors, static_cast<int32_t>(c));
    };
    for (size_t c = 1; c < p.size(); ++c) {
      if (weighed(c) > weighed(said)) said = c;
    }
    const int32_t label = held[f].labels[i];
    part.add(static_cast<int32_t>(said) == label, factor_of(factors, label));
    ++judged;
  };
  for (const Drawing& drawing : drawings) drawing.judge_rest(held, classes, judge);
  estimate.accuracy = part.value();
  // A single row is always drawn.
  const double worth = judged > 0 ? part.worth(judged) : 1;
  set_interval(estimate, kDifferentRows * static_cast<double>(estimate.rows) * worth);
  return estimate;
}

EpochEstimate::EpochEstimate(std::vector<int32_t> labels, uint64_t seed)
    : labels_(std::move(labels)), right_(kDrawings, -1.0), rest_right_(kDrawings, 0.0) {
  for (uint32_t b = 0; b < kDrawings; ++b) {
    const std::vector<double> times = draw_rows(labels_.size(), {seed, Stream::kEstimate, 0, b});
    times_.emplace_back(times.begin(), times.end());
  }
}

void EpochEstimate::see(const Matrix& answers) {
  if (labels_.empty()) return;
  const Judged judged(answers, labels_);
  for (size_t b = 0; b < kDrawings; ++b) {
    const std::vector<uint8_t>& times = times_[b];
    double right = 0, rest = 0;
    for (size_t i = 0; i < labels_.size(); ++i) {
      right += times[i] * judged.right[i];
      rest += times[i] > 0 ? 0 : judged.right[i];
    }
    if (right < right_[b]) continue;
    right_[b] = right;
    rest_right_[b] = rest;
  }
}

Estimate EpochEstimate::result(int64_t classes, const Matrix& baseline) const {
  Estimate estimate;
  double rest = 0;
  for (const auto& times : times_) rest += std::count(times.begin(), times.end(), 0);
  if (rest == 0) return estimate;  // no row, or a single one, which every drawing has
  const std::vector<HeldBack> held{{.labels = labels_, .stages = {}, .baseline = baseline}};
  count_classes(held, {}, classes, estimate);
  estimate.baseline = baseline_accuracy(held, {});
  estimate.accuracy = std::accumulate(rest_right_.begin(), rest_right_.end(), 0.0) / rest;
  set_interval(estimate, kDifferentRows * static_cast<double>(estimate.rows));
  return estimate;
}

void EpochEstimate::check() const {
  for (const auto* list : {&right_, &rest_right_}) {
    check_count("drawings of the estimate", std::ssize(*list), kDrawings);
    check_finite("drawings of the estimate", *list);
  }
  for (const double right : rest_right_) {
    check_number("rows that an epoch has right", right, 0, static_cast<double>(labels_.size()));
  }
}

// Wilson's, with a continuity correction (Newcombe, Statistics in Medicine 17, 1998).
void set_interval(Estimate& estimate, double rows) {
  constexpr double kWidth = 1.96;  // standard errors to each side
  const double n = rows, p = estimate.accuracy, z = kWidth, below = 2 * (n + z * z);
  const auto half = [&](double sign) {
    return z * std::sqrt(z * z - 1 / n + 4 * n * p * (1 - p) + sign * (4 * p - 2)) + 1;
  };
  const double middle = 2 * n * p + z * z;
  // The correction of half a row would leave out a part that is nearer to 0 or 1 than half a row.
  estimate.low = p <= 0 ? 0.0 : std::min(p, std::max(0.0, (middle - half(+1)) / below));
  estimate.high = p >= 1 ? 1.0 : std::max(p, std::min(1.0, (middle + half(-1)) / below));
}

}  // namespace glgnn
