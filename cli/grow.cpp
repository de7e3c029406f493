#include "grow.h"

#include <fmt/format.h>
#include <glgnn/error.h>
#include <glgnn/fit_dataset.h>
#include <glgnn/suggest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/rows.h"
#include "data/data.h"
#include "data/message.h"
#include "describe.h"
#include "progress.h"
#include "report/json.h"
#include "start.h"
#include "text.h"

namespace glgnn::cli {
namespace {

const std::vector<std::string> kRules{"suggest", "random", "uncertainty"};

using Rows = std::vector<int32_t>;

std::vector<int64_t> label_counts(const GrowOptions& options) {
  const size_t colon = options.range.find(':');
  int64_t from = 0, to = 0;
  try {
    if (colon == std::string::npos) throw std::invalid_argument("");
    from = std::stoll(options.range.substr(0, colon));
    to = std::stoll(options.range.substr(colon + 1));
  } catch (const std::logic_error&) {
    throw Error(ErrorKind::kUsage,
                "--grow: found " + quote(options.range) + ", expected FROM:TO, e.g. 10:100");
  }
  if (from < 2 || to < from || options.step < 1) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("--grow {} --step {}: expected 2 labels or more to start with, no fewer "
                    "to end with, and steps of 1 or more",
                    options.range, options.step));
  }
  std::vector<int64_t> counts;
  for (int64_t count = from; count < to; count += options.step) counts.push_back(count);
  counts.push_back(to);
  return counts;
}

std::vector<std::string> checked_rules(const GrowOptions& options) {
  for (const std::string& rule : options.rules) {
    if (std::ranges::find(kRules, rule) != kRules.end()) continue;
    throw Error(ErrorKind::kUsage,
                "--rule: found " + quote(rule) + ", expected suggest, random or uncertainty");
  }
  return options.rules.empty() ? kRules : options.rules;
}

// The rows of one run: those that judge, and the others in the order in which chance labels them.
struct Drawn {
  Rows test, order;
};

// The first labels hold two classes at least.
Drawn draw_rows(const Dataset& dataset, double test_fraction, int64_t first, uint64_t seed) {
  Split split =
      make_split(dataset.labels, dataset.classes(), {.train = 1, .test = test_fraction}, seed);
  Drawn drawn{std::move(split.test), shuffled_rows(split.train, Rng{seed, Stream::kSplit, 3})};
  const auto label = [&](int32_t row) { return dataset.labels[static_cast<size_t>(row)]; };
  const auto other = std::ranges::find_if(
      drawn.order, [&](int32_t row) { return label(row) != label(drawn.order.front()); });
  if (other - drawn.order.begin() >= first && other != drawn.order.end()) {
    std::iter_swap(other, drawn.order.begin() + first - 1);
  }
  return drawn;
}

Rows unlabelled(const Rows& order, const Rows& labelled) {
  Rows sorted = labelled, rest;
  std::ranges::sort(sorted);
  std::ranges::copy_if(order, std::back_inserter(rest),
                       [&](int32_t row) { return !std::ranges::binary_search(sorted, row); });
  return rest;
}

// How far the most probable class is before the next one.
float margin(const float* p, int64_t classes) {
  float first = 0, second = 0;
  for (int64_t c = 0; c < classes; ++c) {
    second = std::max(second, std::min(first, p[c]));
    first = std::max(first, p[c]);
  }
  return first - second;
}

// The least certain first; chance breaks ties.
Rows by_uncertainty(const Matrix& p, Rows rows) {
  std::ranges::stable_sort(rows, {}, [&](int32_t row) { return margin(p[row], p.cols()); });
  return rows;
}

class Growth {
 public:
  Growth(const Dataset& dataset, const Config& config, const GrowOptions& options,
         const Context& context)
      : dataset_(dataset),
        config_(resolve_settings(config, dataset)),
        options_(options),
        context_(context),
        counts_(label_counts(options)),
        rules_(checked_rules(options)),
        scaled_(dataset.features) {
    scale_features(scaled_, config_.scaling);
    const auto pool = static_cast<int64_t>(
        draw_rows(dataset, options.test_fraction, 2, config.seed).order.size());
    if (counts_.back() > pool) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("--grow {}: {} has {} besides those of the test; use a smaller end, "
                              "or a smaller --test-fraction",
                              options.range, dataset.name, counted(pool, "labelled row")));
    }
  }

  const Config& config() const { return config_; }

  // The mean accuracy for each rule at each number of labels; nothing where it was interrupted.
  std::optional<std::map<std::string, std::vector<double>>> run(const InterruptGuard& interrupt) {
    const size_t steps = options_.runs * (1 + rules_.size() * (counts_.size() - 1));
    Progress progress(static_cast<int64_t>(steps), options_.quiet);
    std::map<std::string, std::vector<double>> mean;
    for (const std::string& rule : rules_) mean[rule].assign(counts_.size(), 0.0);
    int64_t done = 0;
    for (size_t run = 0; run < options_.runs; ++run) {
      const uint64_t seed = config_.seed + run;
      const Drawn drawn = draw_rows(dataset_, options_.test_fraction, counts_.front(), seed);
      const Rows start(drawn.order.begin(), drawn.order.begin() + counts_.front());
      const auto train = [&](const Rows& labelled) {
        auto model = fit_labels(labelled, seed, interrupt);
        progress.label(fmt::format("run {}/{}", run + 1, options_.runs));
        progress.update({.done = ++done});
        return model;
      };
      const std::optional<Model> first = train(start);
      for (const std::string& rule : rules_) {
        if (!grow(rule, drawn, start, first, train, mean[rule])) return std::nullopt;
      }
    }
    progress.dismiss();
    for (auto& [rule, curve] : mean) {
      for (double& value : curve) value /= static_cast<double>(options_.runs);
    }
    return mean;
  }

  const std::vector<int64_t>& counts() const { return counts_; }
  const std::vector<std::string>& rules() const { return rules_; }

 private:
  template <class Train>
  bool grow(const std::string& rule, const Drawn& drawn, const Rows& start,
            const std::optional<Model>& first, const Train& train, std::vector<double>& sums) {
    Rows labelled = start;
    std::optional<Model> later;
    for (size_t c = 0; c < counts_.size(); ++c) {
      if (c > 0) {
        const Rows next = choose(rule, c == 1 ? *first : *later, unlabelled(drawn.order, labelled),
                                 counts_[c] - counts_[c - 1]);
        labelled.insert(labelled.end(), next.begin(), next.end());
        later = train(labelled);
      }
      const std::optional<Model>& model = c == 0 ? first : later;
      if (!model) return false;
      sums[c] += accuracy(model->probabilities, dataset_.labels, drawn.test);
    }
    return true;
  }

  // `rest` is in the order of chance.
  Rows choose(const std::string& rule, const Model& model, Rows rest, int64_t count) const {
    if (rule == "suggest") {
      Rows rows;
      for (const auto& suggestion : suggest_rows(model, count, context_, rest)) {
        rows.push_back(suggestion.row);
      }
      return rows;
    }
    if (rule == "uncertainty") rest = by_uncertainty(model.probabilities, std::move(rest));
    rest.resize(std::min(rest.size(), static_cast<size_t>(count)));
    return rest;
  }

  std::optional<Model> fit_labels(const Rows& labelled, uint64_t seed,
                                  const InterruptGuard& interrupt) const {
    Dataset known;  // what a person who labelled these rows has
    known.features = Features{};
    known.labels = reveal_labels(dataset_.labels, labelled);
    known.class_names = dataset_.class_names;
    const Split split = split_labels(known, 0, seed);
    Problem problem = make_problem(dataset_, scaled_, split, options_.with_graph);
    Config config = config_;
    config.seed = seed;
    FitOptions options;
    options.on_epoch = [&](const EpochReport&) { return !interrupt.interrupted(); };
    FitResult result = fit(problem, config, context_, options);
    if (result.interrupted) return std::nullopt;
    result.model.labels = std::move(known.labels);
    result.model.features = dataset_.features;
    result.model.feature_names = dataset_.feature_names;
    return std::move(result.model);
  }

  const Dataset& dataset_;
  Config config_;
  const GrowOptions& options_;
  const Context& context_;
  std::vector<int64_t> counts_;
  std::vector<std::string> rules_;
  Features scaled_;
};

// The curve that never falls and is nearest to this one: more labels do not harm, chance does.
// (Pool adjacent violators: a point below the one before shares its mean.)
std::vector<double> rising(const std::vector<double>& curve) {
  struct Level {
    double mean = 0;
    size_t points = 0;
  };
  std::vector<Level> levels;
  for (const double value : curve) {
    levels.push_back({value, 1});
    while (levels.size() > 1 && levels.back().mean <= levels[levels.size() - 2].mean) {
      const Level last = levels.back();
      levels.pop_back();
      Level& joined = levels.back();
      const size_t points = joined.points + last.points;
      joined.mean = (joined.mean * static_cast<double>(joined.points) +
                     last.mean * static_cast<double>(last.points)) /
                    static_cast<double>(points);
      joined.points = points;
    }
  }
  std::vector<double> out;
  for (const Level& level : levels) out.insert(out.end(), level.points, level.mean);
  return out;
}

// With how many labels the rising curve comes to `goal`, between two points in proportion.
std::optional<double> labels_needed(const std::vector<int64_t>& counts,
                                    const std::vector<double>& curve, double goal) {
  for (size_t c = 0; c < curve.size(); ++c) {
    if (curve[c] < goal) continue;
    if (c == 0) return static_cast<double>(counts[0]);
    const double part = (goal - curve[c - 1]) / (curve[c] - curve[c - 1]);
    return static_cast<double>(counts[c - 1]) +
           part * static_cast<double>(counts[c] - counts[c - 1]);
  }
  return std::nullopt;
}

}  // namespace

int grow_labels(const Dataset& dataset, const Config& config, const GrowOptions& options,
                const Context& context) {
  Growth growth(dataset, config, options, context);
  if (!options.json) {
    fmt::print("{}; mode {}, {}\n", data_sentence(dataset, growth.config()),
               get_setting(growth.config(), "mode"),
               counted(static_cast<int64_t>(options.runs), "run"));
  }
  const InterruptGuard interrupt;
  const auto curves = growth.run(interrupt);
  if (!curves) return interrupt.exit_status();
  const auto random = curves->find("random");
  Json object = {{"dataset", dataset.name},
                 {"runs", options.runs},
                 {"labels", growth.counts()},
                 {"accuracy", *curves}};
  std::vector<std::string> needs;
  if (random != curves->end()) {
    const double goal = rising(random->second).back();
    for (const std::string& rule : growth.rules()) {
      const auto needed = labels_needed(growth.counts(), rising(curves->at(rule)), goal);
      object["labels_needed"][rule] = needed ? Json(*needed) : Json(nullptr);
      if (rule == "random") continue;
      const std::string at_end =
          fmt::format("what random has with {} ({})", growth.counts().back(), percent(goal));
      needs.push_back(needed ? fmt::format("{} has with {:.0f} labels {}", rule, *needed, at_end)
                             : fmt::format("{} does not come to {}", rule, at_end));
    }
  }
  if (options.json) {
    object["settings"] = settings_json(growth.config());
    object.update(program_json(context));
    fmt::print("{}\n", json_text(object));
    return 0;
  }
  std::vector<Column> columns{{"labels", true}};
  for (const std::string& rule : growth.rules()) columns.push_back({rule, true});
  std::vector<std::vector<std::string>> lines;
  for (size_t c = 0; c < growth.counts().size(); ++c) {
    lines.push_back({std::to_string(growth.counts()[c])});
    for (const std::string& rule : growth.rules()) {
      lines.back().push_back(percent(curves->at(rule)[c]));
    }
  }
  print_table(stdout, columns, lines);
  for (const std::string& line : needs) fmt::print("{}\n", line);
  return 0;
}

}  // namespace glgnn::cli
