#include "bench/explanations.h"

#include <fmt/core.h>
#include <glgnn/model.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "bench/motifs.h"
#include "cli/progress.h"
#include "cli/scores.h"
#include "cli/start.h"
#include "cli/text.h"
#include "core/clock.h"
#include "core/rng.h"
#include "report/json.h"

namespace glgnn {
namespace {

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

// Adam's means for one list of masks.
struct Optimiser {
  std::vector<double> logit, mean, square;

  explicit Optimiser(size_t size) : logit(size), mean(size), square(size) {}

  void step(const std::vector<double>& gradient, double rate, int64_t t) {
    for (size_t i = 0; i < logit.size(); ++i) {
      mean[i] = 0.9 * mean[i] + 0.1 * gradient[i];
      square[i] = 0.999 * square[i] + 0.001 * gradient[i] * gradient[i];
      const double m = mean[i] / (1 - std::pow(0.9, t)), s = square[i] / (1 - std::pow(0.999, t));
      logit[i] -= rate * m / (std::sqrt(s) + 1e-8);
    }
  }

  std::vector<float> mask() const {
    std::vector<float> out;
    for (const double x : logit) out.push_back(static_cast<float>(sigmoid(x)));
    return out;
  }
};

// Of a mask's size and entropy, with respect to the mask.
double penalty_slope(double mask, double size, double entropy) {
  const double clipped = std::clamp(mask, 1e-6, 1 - 1e-6);
  return size - entropy * std::log(clipped / (1 - clipped));
}

}  // namespace

Importance learn_masks(size_t edges, size_t features, size_t rows, const MaskOptions& options,
                       const std::function<Importance(const Masks&)>& slope) {
  Optimiser of_edges(edges), of_features(features);
  const Rng rng{options.seed, Stream::kInit, 900, 0};
  const double n = std::max(1.0, static_cast<double>(rows)), spread = std::sqrt(2 / n);
  for (size_t i = 0; i < edges; ++i) of_edges.logit[i] = 1 + spread * rng.normal(i);
  const auto with_penalty = [](std::vector<double>& slopes, const std::vector<float>& masks,
                               double size, double entropy) {
    for (size_t i = 0; i < slopes.size(); ++i) {
      const double mask = masks[i];
      slopes[i] += penalty_slope(mask, size, entropy);
      slopes[i] *= mask * (1 - mask);
    }
  };
  // Of the features the mean counts. Of the edges, each in both directions, the sum of the masks
  // and the mean entropy over all pairs of rows.
  const double each = 1 / std::max(1.0, static_cast<double>(features));
  for (int64_t t = 1; t <= options.steps; ++t) {
    const Masks now{of_edges.mask(), of_features.mask()};
    Importance slopes = slope(now);
    with_penalty(slopes.edges, now.edges, 2 * options.edge_size,
                 2 * options.edge_entropy / (n * n));
    with_penalty(slopes.features, now.features, each * options.feature_size,
                 each * options.feature_entropy);
    of_edges.step(slopes.edges, options.learning_rate, t);
    of_features.step(slopes.features, options.learning_rate, t);
  }
  const Masks last{of_edges.mask(), of_features.mask()};
  return {{last.edges.begin(), last.edges.end()}, {last.features.begin(), last.features.end()}};
}

Importance optimised_masks(const LocalRow& row, const Judge& judge, const MaskOptions& options) {
  const size_t edges = row.neighbours().size(), features = row.features().size();
  constexpr float kStep = 0.05f;
  return learn_masks(edges, features, edges + 1, options, [&](const Masks& now) {
    std::vector<Masks> asked{now};
    for (size_t i = 0; i < edges; ++i) asked.emplace_back(now).edges[i] += kStep;
    for (size_t i = 0; i < features; ++i) asked.emplace_back(now).features[i] += kStep;
    std::vector<double> loss = judge.ask(asked);
    for (double& p : loss) p = -std::log(std::max(p, 1e-9));
    Importance slopes;
    for (size_t i = 0; i < edges; ++i) slopes.edges.push_back((loss[1 + i] - loss[0]) / kStep);
    for (size_t i = 0; i < features; ++i) {
      slopes.features.push_back((loss[1 + edges + i] - loss[0]) / kStep);
    }
    return slopes;
  });
}

Importance random_importance(const LocalRow& row, uint64_t seed) {
  const Rng rng{seed, Stream::kInit, 901, 0};
  Importance out;
  uint64_t next = 0;
  for (size_t i = 0; i < row.neighbours().size(); ++i) out.edges.push_back(rng.uniform(next++));
  for (size_t i = 0; i < row.features().size(); ++i) out.features.push_back(rng.uniform(next++));
  return out;
}

namespace {

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
      tally.add(judge, sets, seconds_since(start));
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

namespace bench {
namespace {

// Rows drawn by chance, the same every time.
std::vector<int32_t> some_rows(const Model& fitted, int64_t count) {
  const Rng rng{0, Stream::kSplit, 2, 0};
  std::vector<std::pair<uint32_t, int32_t>> keyed;
  for (int32_t i = 0; i < fitted.probabilities.rows(); ++i) {
    keyed.emplace_back(rng.block(static_cast<uint64_t>(i))[0], i);
  }
  std::sort(keyed.begin(), keyed.end());
  keyed.resize(std::min(keyed.size(), static_cast<size_t>(count)));
  std::vector<int32_t> out_rows;
  for (const auto& [key, i] : keyed) out_rows.push_back(i);
  return out_rows;
}

Json methods_json(const std::vector<StudyLine>& lines) {
  Json methods = Json::array();
  for (const StudyLine& line : lines) {
    methods.push_back({{"method", line.method},
                       {"fidelity_plus", line.fidelity_plus},
                       {"fidelity_plus_sd", line.fidelity_plus_sd},
                       {"fidelity_minus", line.fidelity_minus},
                       {"fidelity_minus_sd", line.fidelity_minus_sd},
                       {"sparsity", line.sparsity},
                       {"stability", line.stability},
                       {"seconds", line.seconds}});
  }
  return methods;
}

// The lines of all seeds, in the order of the first.
int compare_on_motifs(const CompareOptions& options, const Context& context) {
  const cli::InterruptGuard interrupt;
  std::vector<std::vector<MotifLine>> seeds;
  for (int64_t seed = 0; seed < options.seeds; ++seed) {
    seeds.push_back(study_motifs(make_motif_set(options.model, static_cast<uint64_t>(seed)),
                                 {.rows = options.rows,
                                  .seed = static_cast<uint64_t>(seed),
                                  .stopped = [&] { return interrupt.interrupted(); }},
                                 context));
    if (interrupt.interrupted()) return interrupt.exit_status();
  }
  Json methods = Json::array();
  std::vector<std::vector<std::string>> table;
  for (size_t l = 0; l < seeds.front().size(); ++l) {
    const MotifLine& line = seeds.front()[l];
    const auto all = [&](double MotifLine::*number) {
      std::vector<double> values;
      for (const auto& lines : seeds) values.push_back(lines[l].*number);
      return values;
    };
    const auto text = [](const std::vector<double>& values) {
      return fmt::format("{:.3f} ± {:.3f}", cli::mean_of(values), cli::deviation_of(values));
    };
    methods.push_back({{"model", line.model},
                       {"test_accuracy", all(&MotifLine::accuracy)},
                       {"method", line.explainer},
                       {"auc", all(&MotifLine::auc)},
                       {"auc_of_row", all(&MotifLine::auc_of_row)},
                       {"rows", line.rows},
                       {"seconds", cli::mean_of(all(&MotifLine::seconds))}});
    if (line.under_masks > 0) {
      methods.back()["under_masks"] = all(&MotifLine::under_masks);
      methods.back()["under_largest"] = all(&MotifLine::under_largest);
    }
    table.push_back({line.model, cli::percent(cli::mean_of(all(&MotifLine::accuracy))),
                     line.explainer, text(all(&MotifLine::auc)), text(all(&MotifLine::auc_of_row)),
                     std::to_string(line.rows),
                     fmt::format("{:.4f}", cli::mean_of(all(&MotifLine::seconds)))});
  }
  if (options.json) {
    Json answer = program_json(context.threads);
    answer["dataset"] = options.model;
    answer["seeds"] = options.seeds;
    answer["methods"] = std::move(methods);
    fmt::print("{}\n", json_text(answer));
    return 0;
  }
  cli::print_table(stdout,
                   {{"model"},
                    {"test accuracy", true},
                    {"explained by"},
                    {"AUC of the motif's edges", true},
                    {"within a row", true},
                    {"rows", true},
                    {"seconds", true}},
                   table);
  return 0;
}

}  // namespace

int compare_explanations(const CompareOptions& options, const Context& context) {
  if (is_motif_set(options.model)) return compare_on_motifs(options, context);
  const Model fitted = load_model(options.model);
  const std::vector<int32_t> chosen = some_rows(fitted, options.rows);
  const cli::InterruptGuard interrupt;
  cli::Progress progress(static_cast<int64_t>(chosen.size()), false);
  progress.label("comparing");
  const auto lines = study_explanations(fitted,
                                        {.rows = chosen,
                                         .seeds = options.seeds,
                                         .on_row =
                                             [&](int64_t done) {
                                               progress.update({.done = done});
                                               return !interrupt.interrupted();
                                             }},
                                        context);
  progress.vanish();
  if (interrupt.interrupted()) return interrupt.exit_status();
  if (options.json) {
    Json answer = program_json(context.threads);
    answer["dataset"] = fitted.dataset;
    answer["rows"] = chosen.size();
    answer["seeds"] = options.seeds;
    answer["methods"] = methods_json(lines);
    fmt::print("{}\n", json_text(answer));
    return 0;
  }
  std::vector<std::vector<std::string>> table;
  for (const StudyLine& line : lines) {
    table.push_back({line.method,
                     fmt::format("{:.3f} ± {:.3f}", line.fidelity_plus, line.fidelity_plus_sd),
                     fmt::format("{:.3f} ± {:.3f}", line.fidelity_minus, line.fidelity_minus_sd),
                     fmt::format("{:.3f}", line.sparsity), fmt::format("{:.3f}", line.stability),
                     fmt::format("{:.4f}", line.seconds)});
  }
  cli::print_table(stdout,
                   {{"method"},
                    {"fidelity+", true},
                    {"fidelity-", true},
                    {"sparsity", true},
                    {"stability", true},
                    {"seconds", true}},
                   table);
  return 0;
}

}  // namespace bench
}  // namespace glgnn
