// glgnn compare: every method on one's own table, ranked.
#include <fmt/core.h>
#include <glgnn/context.h>
#include <glgnn/error.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "commands.h"
#include "compare_page.h"
#include "core/clock.h"
#include "evaluation_result.h"
#include "methods/methods.h"
#include "prepare.h"
#include "ranks.h"
#include "report/json.h"
#include "report/text_file.h"
#include "scores.h"
#include "start.h"
#include "text.h"
#include "train/checkpoint.h"

namespace glgnn::cli {
namespace {

constexpr int64_t kRuns = 5, kBudget = 8;
constexpr double kTestFraction = 0.3;
const std::string kOurs = "glgnn";  // best mode

// Run by run, as both saw the same rows.
bool not_worse(const Standing& standing, const Standing& first, double test_to_train) {
  if (standing.accuracy.size() != first.accuracy.size() || first.accuracy.empty()) return false;
  std::vector<double> behind;
  for (size_t r = 0; r < first.accuracy.size(); ++r) {
    behind.push_back(first.accuracy[r] - standing.accuracy[r]);
  }
  if (behind.size() < 2) return true;  // a single run tells nothing
  return mean_of(behind) <= interval_of(behind, test_to_train);
}

// Our own model takes longest, then the methods that look at all pairs of rows.
std::vector<int64_t> longest_first(const std::vector<std::string>& names) {
  const auto weight = [&](int64_t n) {
    return names[n] == kOurs ? 2 : method_named(names[n]).all_pairs > 0 ? 1 : 0;
  };
  std::vector<int64_t> order(names.size());
  std::iota(order.begin(), order.end(), 0);
  if (ranks().count() > 1) std::ranges::stable_sort(order, std::greater{}, weight);
  return order;
}

struct CompareCommand {
  DataOptions data;
  std::vector<std::string> methods;
  std::string page;
  int64_t runs = kRuns, budget = kBudget;
  std::optional<int> threads;
  uint64_t seed = 0;
  bool json = false, quiet = false;

  int run() const;

 private:
  std::vector<std::string> contestants(bool with_graph) const;
  std::vector<std::string> arguments_for(const std::string& name, bool own_splits) const;
  // In the order of the names; fewer when it was interrupted.
  std::vector<Standing> measure_all(const std::vector<std::string>& names, bool own_splits,
                                    double test_to_train, const InterruptGuard& interrupt) const;
  void print(const std::vector<Standing>& ranked) const;
};

std::vector<std::string> CompareCommand::contestants(bool with_graph) const {
  if (!methods.empty()) {
    for (const auto& name : methods) {
      if (name == kOurs) continue;
      if (method_named(name).needs_graph && !with_graph) {
        throw Error(ErrorKind::kUsage,
                    fmt::format("--methods {}: it needs a graph: say --graph known, with data that "
                                "have one",
                                name));
      }
    }
    return methods;
  }
  std::vector<std::string> names;
  for (const Method& method : all_methods()) {
    if (with_graph || !method.needs_graph) names.push_back(method.name);
  }
  names.push_back(kOurs);
  return names;
}

// The words of our own call that say what the data are, and those that say who is asked.
std::vector<std::string> CompareCommand::arguments_for(const std::string& name,
                                                       bool own_splits) const {
  std::vector<std::string> words{data.data, "--graph", data.graph};
  const auto add = [&](const std::string& option, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {option, value});
  };
  add("--label", data.label);
  add("--id", data.id);
  add("--split", data.split);
  add("--categorical", data.categorical);
  add("--numeric", data.numeric);
  add("--drop", data.drop);
  add("--format", data.format);
  for (const auto& word : data.missing) add("--missing", word);
  if (!own_splits)
    add("--test-fraction", fmt::format("{}", data.test_fraction.value_or(kTestFraction)));
  if (data.val_fraction) add("--val-fraction", fmt::format("{}", *data.val_fraction));
  add("--runs", std::to_string(runs));
  add("--seed", std::to_string(seed));
  if (threads) add("--threads", std::to_string(*threads));
  if (name != kOurs) {
    add("--method", name);
    add("--budget", std::to_string(budget));
  }
  return words;
}

Standing standing_of(const std::string& name, const ChildAnswer& answer, double test_to_train) {
  Standing standing{.name = name};
  const Json result = Json::parse(answer.result, nullptr, false);
  if (answer.status != 0 || !result.is_object()) {
    standing.fault = answer.fault.empty() ? "gave no result" : answer.fault;
    return standing;
  }
  standing.accuracy = result.at("test_accuracy").get<std::vector<double>>();
  standing.seconds = result.at("seconds_mean").get<double>();
  standing.memory_mb = result.at("peak_memory_mb").get<double>();
  const bool is_single = standing.accuracy.size() < 2;
  const double half = is_single ? 1.0 : interval_of(standing.accuracy, test_to_train);
  standing.low = std::max(0.0, standing.mean() - half);
  standing.high = std::min(1.0, standing.mean() + half);
  return standing;
}

std::vector<Standing> CompareCommand::measure_all(const std::vector<std::string>& names,
                                                  bool own_splits, double test_to_train,
                                                  const InterruptGuard& interrupt) const {
  std::vector<Standing> standings(names.size());
  std::vector<std::vector<std::string>> questions;
  for (const std::string& name : names) questions.push_back(arguments_for(name, own_splits));
  const auto start = Clock::now();
  size_t done = 0;
  const auto on_answer = [&](size_t n, const ChildAnswer& answer) {
    standings[n] = standing_of(names[n], answer, test_to_train);
    ++done;
    const double left =
        seconds_since(start) / static_cast<double>(done) * static_cast<double>(names.size() - done);
    if (quiet) return;
    fmt::print(stderr, "{}/{} {}  {}  about {} left\n", done, names.size(), names[n],
               standings[n].fault.empty() ? percent(standings[n].mean()) : standings[n].fault,
               duration_text(left));
  };
  ask_all(questions, longest_first(names), ranks(), on_answer,
          [&] { return interrupt.interrupted(); });
  standings.resize(done);  // of all, or of no further use
  return standings;
}

void CompareCommand::print(const std::vector<Standing>& ranked) const {
  std::vector<std::vector<std::string>> rows;
  for (size_t r = 0; r < ranked.size(); ++r) {
    const Standing& s = ranked[r];
    if (!s.fault.empty()) {
      rows.push_back({"-", s.name, "-", "-", "-", "-", s.fault});
      continue;
    }
    rows.push_back({std::to_string(r + 1), s.name, percent(s.mean()),
                    fmt::format("{:.1f} .. {:.1f}", 100 * s.low, 100 * s.high),
                    duration_text(s.seconds), fmt::format("{:.0f} MB", s.memory_mb),
                    r > 0 && s.as_good ? "may be as good as the first" : ""});
  }
  print_table(stdout,
              {{"rank", true},
               {"method"},
               {"accuracy", true},
               {"95 % interval", true},
               {"a run", true},
               {"memory", true},
               {""}},
              rows);
}

int CompareCommand::run() const {
  if (runs < 2 || budget < 1) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--runs {} --budget {}: expected 2 runs or more, as one has no "
                            "interval, and a budget of 1 or more",
                            runs, budget));
  }
  DataOptions without_graph_file = data;
  without_graph_file.graph.clear();
  const Dataset dataset = load_data(without_graph_file, quiet);
  const bool known = wants_own_graph(data.graph, dataset);
  const bool own_splits = !dataset.splits.empty() && !data.fractions_given();
  const Split split = own_splits ? dataset.splits.front() : Split{};
  const double fraction = data.test_fraction.value_or(kTestFraction);
  const double test_to_train = own_splits
                                   ? static_cast<double>(split.test.size()) /
                                         static_cast<double>(split.train.size() + split.val.size())
                                   : fraction / (1 - fraction);
  const std::vector<std::string> names = contestants(known);
  require_same_on_all_ranks(
      facts_of_run(fingerprint(make_problem(dataset, dataset.features, split, known)),
                   joined(arguments_for(joined(names, ","), own_splits), " ")));
  if (!json) {
    fmt::print("{}: {} rows, {} methods, {} runs each, {} settings of each tried by validation\n",
               dataset.name, dataset.rows(), names.size(), runs, budget);
    std::fflush(stdout);
  }
  const InterruptGuard interrupt;
  std::vector<Standing> ranked = measure_all(names, own_splits, test_to_train, interrupt);
  if (!ranks().leads()) return 0;
  if (ranked.size() < names.size()) {
    fmt::print(stderr, "stopped after {} of {} methods\n", ranked.size(), names.size());
    return interrupt.exit_status();
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const Standing& a, const Standing& b) { return a.mean() > b.mean(); });
  for (Standing& s : ranked) s.as_good = not_worse(s, ranked.front(), test_to_train);
  if (!page.empty()) {
    write_text_file(page, compare_page({dataset.name, dataset.rows(), runs, budget}, ranked));
  }
  if (!json) {
    print(ranked);
    if (!page.empty()) fmt::print("wrote {}; open it in a browser\n", page);
    return 0;
  }
  Json list = Json::array();
  for (const Standing& s : ranked) {
    Json row = {{"method", s.name}};
    if (s.fault.empty()) {
      row.update({{"test_accuracy_mean", s.mean()},
                  {"low", s.low},
                  {"high", s.high},
                  {"may_be_as_good_as_the_first", s.as_good},
                  {"test_accuracy", s.accuracy},
                  {"seconds_mean", s.seconds},
                  {"peak_memory_mb", s.memory_mb}});
    } else {
      row["fault"] = s.fault;
    }
    list.push_back(std::move(row));
  }
  Json object = {{"dataset", dataset.name}, {"graph", data.graph}, {"runs", runs},
                 {"budget", budget},        {"seed", seed},        {"methods", std::move(list)}};
  object.update(program_json(threads.value_or(default_context().threads)));
  fmt::print("{}\n", json_text(object));
  return 0;
}

}  // namespace

Command add_compare(CLI::App& program) {
  const auto command = std::make_shared<CompareCommand>();
  command->data.graph = "unknown";
  CLI::App* app = program.add_subcommand(
      "compare", "our model and its rivals on your data, ranked by test accuracy");
  app->add_option("DATA", command->data.data, "a file, a folder, or a shipped dataset")
      ->type_name("");
  app->add_option("--graph", command->data.graph, "use the data's own graph, or not (unknown)")
      ->type_name("known|unknown");
  app->add_option("--methods", command->methods,
                  "only these, with commas; glgnn is our own (all that can run)")
      ->type_name("NAMES")
      ->delimiter(',')
      ->allow_extra_args(false);
  app->add_option("--runs", command->runs, "splits, or seeds of a single split (5)")
      ->type_name("N");
  app->add_option("--budget", command->budget,
                  "how many settings of each rival a run tries by validation (8)")
      ->type_name("N");
  app->add_option("--seed", command->seed, "of the splits and of all methods (0)")->type_name("N");
  app->add_option("--threads", command->threads, "for each method (all)")->type_name("N");
  app->add_option("--page", command->page, "the ranking as one HTML page, intervals drawn")
      ->type_name("FILE");
  app->add_flag("--json", command->json, "one JSON object on the standard output, nothing else");
  app->add_flag("--quiet", command->quiet, "no progress");
  command->data.add_to(*app);
  return {app,
          [command, app] {
            require_argument(*app, "DATA", command->data.data);
            return command->run();
          },
          true};
}

}  // namespace glgnn::cli
