#include "evaluation_result.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "evaluation_log.h"
#include "statistics.h"
#include "terminal.h"
#include "words.h"

namespace glgnn::cli {
namespace {

template <class Value>
std::vector<double> each(const std::vector<RunResult>& results, Value value) {
  std::vector<double> values;
  for (const auto& result : results) values.push_back(static_cast<double>(value(result)));
  return values;
}

std::string spread_text(const std::vector<double>& values) {
  return fmt::format("{:.1f} ± {:.1f} %", 100 * mean_of(values), 100 * deviation_of(values));
}

std::string assignment_words(const Assignments& assignments) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : assignments) parts.push_back(name + "=" + value);
  return joined(parts, " ");
}

// Also of the runs that an earlier call has done.
double most_memory_mb(const std::vector<RunResult>& results) {
  return std::ranges::max(results, {}, &RunResult::peak_memory_mb).peak_memory_mb;
}

const auto kTest = [](const RunResult& r) { return r.test_accuracy; };
const auto kMacroF1 = [](const RunResult& r) { return r.macro_f1; };
const auto kValidation = [](const RunResult& r) { return r.best().val_accuracy; };
const auto kSeconds = [](const RunResult& r) { return r.seconds; };
const auto kAdded = [](const RunResult& r) { return r.noise.added; };
const auto kKept = [](const RunResult& r) { return r.noise.kept; };
const auto kHidden = [](const RunResult& r) { return r.hidden_accuracy; };
const auto kByChance = [](const RunResult& r) { return r.noise.by_chance; };

}  // namespace

void print_run(size_t run, const RunResult& result) {
  const std::string chosen = assignment_words(result.best().assignments);
  fmt::print("{:>5}{:>12}{:>9}{:>8}{:>11}{}\n", run, percent(result.best().val_accuracy),
             percent(result.test_accuracy), result.best().shown_epoch(),
             duration_text(result.seconds), chosen.empty() ? "" : "  " + chosen);
  std::fflush(stdout);
}

void print_summary(const std::vector<RunResult>& results, bool with_noise) {
  fmt::print("{}  (mean and standard deviation)\n",
             Paint(stdout).bold("test accuracy " + spread_text(each(results, kTest))));
  fmt::print("macro-F1 {}\n", spread_text(each(results, kMacroF1)));
  fmt::print("validation {}, {} a run, at most {:.0f} MB of memory\n",
             percent(mean_of(each(results, kValidation))),
             duration_text(mean_of(each(results, kSeconds))), most_memory_mb(results));
  if (results.front().hidden > 0) {
    fmt::print("rows never seen: {}   ({} a run)\n", spread_text(each(results, kHidden)),
               results.front().hidden);
  }
  if (with_noise) {
    fmt::print(
        "wrong edges: {:.0f} put in, {:.0f} in the learned graph, where chance keeps {:.0f}\n",
        mean_of(each(results, kAdded)), mean_of(each(results, kKept)),
        mean_of(each(results, kByChance)));
  }
}

Json results_json(const std::vector<RunResult>& results, bool with_noise) {
  const auto test = each(results, kTest), val = each(results, kValidation);
  const auto f1 = each(results, kMacroF1);
  Json chosen = Json::array(), best_epochs = Json::array();
  for (const auto& result : results) {
    chosen.push_back(assignments_json(result.best().assignments));
    best_epochs.push_back(result.best().best_epoch);
  }
  Json object = {{"runs", results.size()},
                 {"test_accuracy_mean", mean_of(test)},
                 {"test_accuracy_std", deviation_of(test)},
                 {"macro_f1_mean", mean_of(f1)},
                 {"macro_f1_std", deviation_of(f1)},
                 {"val_accuracy_mean", mean_of(val)},
                 {"seconds_mean", mean_of(each(results, kSeconds))},
                 {"peak_memory_mb", most_memory_mb(results)},
                 {"test_accuracy", test},
                 {"macro_f1", f1},
                 {"val_accuracy", val},
                 {"chosen", std::move(chosen)},
                 {"epochs", results.front().best().epochs},
                 {"best_epochs", std::move(best_epochs)}};
  if (results.front().hidden > 0) {
    const auto hidden = each(results, kHidden);
    object["hidden_rows"] = results.front().hidden;
    object["hidden_accuracy_mean"] = mean_of(hidden);
    object["hidden_accuracy_std"] = deviation_of(hidden);
    object["hidden_accuracy"] = hidden;
  }
  if (with_noise) {
    object["noise_edges_mean"] = mean_of(each(results, kAdded));
    object["noise_edges_kept_mean"] = mean_of(each(results, kKept));
    object["noise_edges_kept_by_chance_mean"] = mean_of(each(results, kByChance));
  }
  return object;
}

std::string commits_of(const std::vector<RunResult>& results) {
  std::vector<std::string> commits;
  for (const auto& result : results) {
    if (std::ranges::find(commits, result.commit) == commits.end())
      commits.push_back(result.commit);
  }
  return joined(commits, ", ");
}

}  // namespace glgnn::cli
