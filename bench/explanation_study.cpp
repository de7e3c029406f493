#include "bench/explanation_study.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "bench/mask_explainer.h"

namespace glgnn {
namespace {

using Clock = std::chrono::steady_clock;

size_t count_in(const std::vector<float>& mask) {
  return static_cast<size_t>(
      std::count_if(mask.begin(), mask.end(), [](float in) { return in > 0; }));
}

// What two sets have in common, of what either has.
double overlap(const Masks& a, const Masks& b) {
  double both = 0, either = 0;
  const auto count = [&](const std::vector<float>& x, const std::vector<float>& y) {
    for (size_t i = 0; i < x.size(); ++i) {
      both += x[i] > 0 && y[i] > 0;
      either += x[i] > 0 || y[i] > 0;
    }
  };
  count(a.edges, b.edges);
  count(a.features, b.features);
  return either > 0 ? both / either : 1;
}

// Sums of one method, row by row.
class Tally {
 public:
  explicit Tally(std::string method) { line_.method = std::move(method); }

  // The sets of one row, one for each seed.
  void add(const Judge& judge, const std::vector<Masks>& sets, double seconds) {
    Fidelity mean;
    const auto seeds = static_cast<double>(sets.size());
    for (const Masks& set : sets) {
      const Fidelity one = judge.fidelity(set);
      mean.plus += one.plus / seeds;
      mean.minus += one.minus / seeds;
      mean.sparsity += one.sparsity / seeds;
    }
    double common = 0, pairs = 0;
    for (size_t a = 0; a < sets.size(); ++a) {
      for (size_t b = a + 1; b < sets.size(); ++b) common += overlap(sets[a], sets[b]), ++pairs;
    }
    plus_.push_back(mean.plus);
    minus_.push_back(mean.minus);
    line_.sparsity += mean.sparsity;
    line_.stability += pairs > 0 ? common / pairs : 1;
    line_.seconds += seconds / seeds;
  }

  StudyLine finish() const {
    StudyLine line = line_;
    const double rows = std::max(1.0, static_cast<double>(plus_.size()));
    line.sparsity /= rows;
    line.stability /= rows;
    line.seconds /= rows;
    mean_and_spread(plus_, line.fidelity_plus, line.fidelity_plus_sd);
    mean_and_spread(minus_, line.fidelity_minus, line.fidelity_minus_sd);
    return line;
  }

 private:
  static void mean_and_spread(const std::vector<double>& values, double& mean, double& spread) {
    const double n = static_cast<double>(values.size());
    double squares = 0;
    for (const double value : values) mean += value / n;
    for (const double value : values) squares += (value - mean) * (value - mean);
    spread = n > 1 ? std::sqrt(squares / (n - 1)) : 0;
  }

  StudyLine line_;
  std::vector<double> plus_, minus_;
};

}  // namespace

std::vector<StudyLine> study_explanations(const Model& model, const StudyOptions& options,
                                          const Context& context) {
  const auto frozen = freeze(model, context);
  Tally ours("one at a time"), masks("optimised masks"), random("random");
  int64_t done = 0;
  for (const int32_t row : options.rows) {
    const LocalRow local(*frozen, row);
    const Judge judge(local);
    const auto timed = [&](Tally& tally, int64_t seeds, auto&& explain) {
      const auto start = Clock::now();
      std::vector<Masks> sets;
      for (int64_t seed = 0; seed < seeds; ++seed) sets.push_back(explain(seed));
      tally.add(judge, sets, std::chrono::duration<double>(Clock::now() - start).count());
      return sets.front();
    };
    // Ours has no seed; asked twice, it must say the same.
    const Masks smallest = timed(
        ours, 2, [&](int64_t) { return smallest_set(local, judge, importance_of(local, judge)); });
    const size_t edges = count_in(smallest.edges), features = count_in(smallest.features);
    timed(masks, options.seeds, [&](int64_t seed) {
      const MaskOptions how{.seed = static_cast<uint64_t>(seed)};
      return most_important(local, optimised_masks(local, judge, how), edges, features);
    });
    timed(random, options.seeds, [&](int64_t seed) {
      const auto number = static_cast<uint64_t>(seed) * 1000003 + static_cast<uint64_t>(row);
      return most_important(local, random_importance(local, number), edges, features);
    });
    if (options.on_row && !options.on_row(++done)) break;
  }
  return {ours.finish(), masks.finish(), random.finish()};
}

}  // namespace glgnn
