#include "network/estimate.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/rng.h"
#include "modules/soft_labels.h"
#include "network/weights.h"

namespace glgnn {
namespace {

constexpr uint32_t kDrawings = 200;
// The part of the rows that a drawing has at least once, 1 - 1/e: so few choose, and their choices
// spread more than those of all rows. The interval counts only these.
constexpr double kDifferentRows = 0.632;

// One look at the rows of a fold, as the choice needs it.
struct Judged {
  std::vector<double> value;  // of each row: what it adds to a score
  std::vector<double> right;  // 1 where the answer is right
};

Judged judge(const Matrix& p, const std::vector<int32_t>& labels) {
  const std::vector<int32_t> said = predicted_classes(p);
  Judged out;
  for (size_t i = 0; i < labels.size(); ++i) {
    const double right = said[i] == labels[i];
    out.right.push_back(right);
    out.value.push_back(right +
                        kLikelihoodWeight * clipped_log(p[static_cast<int64_t>(i)][labels[i]]));
  }
  return out;
}

// All looks of a fold, judged once.
using JudgedModule = std::vector<Judged>;

struct Fold {
  const HeldBack& held;
  std::vector<JudgedModule> modules;
  size_t first;  // of its rows among those of all folds
};

// One drawing in one fold: chooses by the rows drawn, as the network does, and judges by the
// others.
class Drawing {
 public:
  // `times`: how often each of the fold's rows was drawn.
  Drawing(const Fold& fold, const double* times, size_t members) : fold_(fold), times_(times) {
    drawn_ = std::accumulate(times, times + fold.held.labels.size(), 0.0);
    std::vector<double> score;
    for (size_t m = 0; m < fold.modules.size(); ++m) score.push_back(choose_look(m));
    members_.resize(score.size());
    std::iota(members_.begin(), members_.end(), size_t{0});
    std::stable_sort(members_.begin(), members_.end(),
                     [&](size_t a, size_t b) { return score[a] > score[b]; });
    members_.resize(std::min(members, members_.size()));
    std::vector<double> of_members;
    for (const size_t m : members_) of_members.push_back(score[m]);
    weights_ = weights_by_score(of_members);
  }

  // Counts the rows that were not drawn, and how many of them the chosen network answers right.
  void judge_rest(int64_t classes, int64_t& judged, int64_t& right) const {
    std::vector<double> p(classes);
    const HeldBack& held = fold_.held;
    for (size_t i = 0; i < held.labels.size(); ++i) {
      if (times_[i] > 0) continue;
      std::fill(p.begin(), p.end(), 0.0);
      for (size_t r = 0; r < members_.size(); ++r) {
        const Matrix& said = held.modules[members_[r]].looks[chosen_[members_[r]]];
        for (int64_t c = 0; c < classes; ++c)
          p[c] += weights_[r] * said[static_cast<int64_t>(i)][c];
      }
      ++judged;
      right += std::max_element(p.begin(), p.end()) - p.begin() == held.labels[i];
    }
  }

 private:
  double mean_of_drawn(const std::vector<double>& values) const {
    if (drawn_ == 0) return 0;
    return std::inner_product(values.begin(), values.end(), times_, 0.0) / drawn_;
  }

  // The look that fits the rows drawn best, the later one on a tie; gives its score.
  double choose_look(size_t m) {
    size_t best = 0;
    double best_value = 0;
    for (size_t l = 0; l < fold_.modules[m].size(); ++l) {
      const double value = mean_of_drawn(fold_.modules[m][l].value);
      if (l == 0 || value >= best_value) best = l, best_value = value;
    }
    chosen_.push_back(best);
    if (!fold_.held.modules[m].chooses_epoch || drawn_ == 0) return best_value;
    return best_value - optimism_of_chosen(mean_of_drawn(fold_.modules[m][best].right), drawn_);
  }

  const Fold& fold_;
  const double* times_;
  double drawn_ = 0;            // rows, as often as they were drawn
  std::vector<size_t> chosen_;  // the look of each module
  std::vector<size_t> members_;
  std::vector<double> weights_;
};

std::vector<double> draw_rows(size_t rows, const Rng& rng) {
  std::vector<double> times(rows, 0.0);
  for (size_t r = 0; r < rows; ++r) {
    const auto drawn = static_cast<size_t>(double{rng.uniform(r)} * static_cast<double>(rows));
    ++times[std::min(drawn, rows - 1)];
  }
  return times;
}

void count_classes(const std::vector<HeldBack>& folds, int64_t classes, Estimate& estimate) {
  std::vector<int64_t> count(classes, 0);
  for (const HeldBack& fold : folds) {
    for (const int32_t label : fold.labels) ++count[label];
    estimate.rows += static_cast<int64_t>(fold.labels.size());
  }
  const auto most = std::max_element(count.begin(), count.end());
  estimate.majority_class = static_cast<int32_t>(most - count.begin());
  estimate.majority_share = static_cast<double>(*most) / static_cast<double>(estimate.rows);
}

double baseline_accuracy(const std::vector<HeldBack>& folds) {
  double right = 0, rows = 0;
  for (const HeldBack& fold : folds) {
    if (fold.baseline.empty()) return -1;
    for (const double one : judge(fold.baseline, fold.labels).right) right += one, ++rows;
  }
  return right / rows;
}

}  // namespace

Estimate estimate_accuracy(const std::vector<HeldBack>& held, int64_t classes, int64_t members,
                           uint64_t seed) {
  Estimate estimate;
  std::vector<Fold> folds;
  size_t rows = 0;
  for (const HeldBack& fold : held) {
    folds.push_back({fold, {}, rows});
    rows += fold.labels.size();
    for (const HeldBackModule& module : fold.modules) {
      JudgedModule& looks = folds.back().modules.emplace_back();
      for (const Matrix& p : module.looks) looks.push_back(judge(p, fold.labels));
    }
  }
  if (rows == 0) return estimate;
  count_classes(held, classes, estimate);
  estimate.baseline = baseline_accuracy(held);
  int64_t judged = 0, right = 0;
  for (uint32_t b = 0; b < kDrawings; ++b) {
    const std::vector<double> times = draw_rows(rows, {seed, Stream::kEstimate, 0, b});
    for (const Fold& fold : folds) {
      Drawing(fold, times.data() + fold.first, static_cast<size_t>(members))
          .judge_rest(classes, judged, right);
    }
  }
  // A single row is always drawn.
  if (judged > 0) estimate.accuracy = static_cast<double>(right) / static_cast<double>(judged);
  set_interval(estimate, kDifferentRows * static_cast<double>(rows));
  return estimate;
}

// Wilson's, with a continuity correction (Newcombe, Statistics in Medicine 17, 1998).
void set_interval(Estimate& estimate, double rows) {
  constexpr double kWidth = 1.96;  // standard errors to each side
  const double n = rows, p = estimate.accuracy, z = kWidth, below = 2 * (n + z * z);
  const auto half = [&](double sign) {
    return z * std::sqrt(z * z - 1 / n + 4 * n * p * (1 - p) + sign * (4 * p - 2)) + 1;
  };
  const double middle = 2 * n * p + z * z;
  estimate.low = p <= 0 ? 0.0 : std::max(0.0, (middle - half(+1)) / below);
  estimate.high = p >= 1 ? 1.0 : std::min(1.0, (middle + half(-1)) / below);
}

}  // namespace glgnn
