#include "evaluation_result.h"

#include <fmt/core.h>
#include <fmt/format.h>
#include <glgnn/error.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "dist/hand_out.h"
#include "resume_log.h"
#include "scores.h"
#include "text.h"

namespace glgnn::cli {
namespace {

template <class Value>
std::vector<double> each(const std::vector<RunResult>& results, Value value) {
  std::vector<double> values;
  for (const auto& result : results) values.push_back(static_cast<double>(value(result)));
  return values;
}

std::string spread_text(const std::vector<double>& values) {
  if (values.size() < 2) return percent(mean_of(values));
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
const auto kPrecision = [](const RunResult& r) { return r.noise.precision; };
const auto kRecall = [](const RunResult& r) { return r.noise.recall; };
const auto kEdgeAuc = [](const RunResult& r) { return r.noise.auc; };
const auto kColumnAuc = [](const RunResult& r) { return r.column_auc; };

// Point by point.
Curves mean_curves(const std::vector<RunResult>& results) {
  Curves mean = results.front().curves;
  for (auto& [name, curve] : mean) {
    for (size_t r = 1; r < results.size(); ++r) {
      const std::vector<double>& other = results[r].curves.at(name);
      curve.resize(std::min(curve.size(), other.size()));
      for (size_t p = 0; p < curve.size(); ++p) curve[p] += other[p];
    }
    for (double& value : curve) value /= static_cast<double>(results.size());
  }
  return mean;
}

}  // namespace

void print_run(size_t run, const RunResult& result) {
  const std::string chosen = assignment_words(result.best().assignments);
  fmt::print("{:>5}{:>12}{:>9}{:>8}{:>11}{}\n", run, percent(result.best().val_accuracy),
             percent(result.test_accuracy), result.best().shown_epoch(),
             duration_text(result.seconds), chosen.empty() ? "" : "  " + chosen);
  std::fflush(stdout);
}

void print_summary(const std::vector<RunResult>& results, bool with_noise) {
  fmt::print("{}{}\n", Paint(stdout).bold("test accuracy " + spread_text(each(results, kTest))),
             results.size() > 1 ? "  (mean and standard deviation)" : "");
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
    fmt::print("true edges: AUC {:.3f}, precision {}, recall {}\n",
               mean_of(each(results, kEdgeAuc)), percent(mean_of(each(results, kPrecision))),
               percent(mean_of(each(results, kRecall))));
  }
  if (results.front().column_auc >= 0) {
    fmt::print("columns of noise: AUC of the weights of features {:.3f}\n",
               mean_of(each(results, kColumnAuc)));
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
    object["true_edge_precision_mean"] = mean_of(each(results, kPrecision));
    object["true_edge_recall_mean"] = mean_of(each(results, kRecall));
    object["true_edge_auc_mean"] = mean_of(each(results, kEdgeAuc));
  }
  if (results.front().column_auc >= 0) {
    object["column_auc_mean"] = mean_of(each(results, kColumnAuc));
  }
  if (!results.front().curves.empty()) object["curves"] = mean_curves(results);
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

namespace {

std::string fingerprint_text(const Evaluation& evaluation, size_t run) {
  return fmt::format("{:016x}", evaluation.fingerprint_of(run));
}

Json trial_json(const Trial& trial) {
  return {{"settings", assignments_json(trial.assignments)},
          {"val_accuracy", trial.val_accuracy},
          {"val_loss", trial.val_loss},
          {"best_epoch", trial.best_epoch},
          {"epochs", trial.epochs},
          {"modules_tried", trial.tried},
          {"seconds", trial.seconds}};
}

Trial trial_of(const Json& json, const Assignments& assignments) {
  return {.assignments = assignments,
          .val_accuracy = json.at("val_accuracy").get<double>(),
          .val_loss = json.at("val_loss").get<double>(),
          .seconds = json.at("seconds").get<double>(),
          .best_epoch = json.at("best_epoch").get<int64_t>(),
          .epochs = json.at("epochs").get<int64_t>(),
          .tried = json.at("modules_tried").get<int64_t>()};
}

}  // namespace

Json assignments_json(const Assignments& assignments) {
  Json object = Json::object();
  for (const auto& [name, value] : assignments) object[name] = value_json(value);
  return object;
}

Json run_json(size_t run, const RunResult& result, const Evaluation& evaluation) {
  Json trials = Json::array();
  for (const auto& trial : result.trials) trials.push_back(trial_json(trial));
  return {{"event", "run"},
          {"run", run},
          {"fingerprint", fingerprint_text(evaluation, run)},
          {"commit", result.commit},
          {"choice", result.chosen},
          {"chosen", assignments_json(result.best().assignments)},
          {"val_accuracy", result.best().val_accuracy},
          {"test_accuracy", result.test_accuracy},
          {"macro_f1", result.macro_f1},
          {"hidden_accuracy", result.hidden_accuracy},
          {"hidden_rows", result.hidden},
          {"noise_edges", result.noise.added},
          {"noise_edges_kept", result.noise.kept},
          {"noise_edges_kept_by_chance", result.noise.by_chance},
          {"true_edge_precision", result.noise.precision},
          {"true_edge_recall", result.noise.recall},
          {"true_edge_auc", result.noise.auc},
          {"column_auc", result.column_auc},
          {"curves", result.curves},
          {"seconds", result.seconds},
          {"peak_memory_mb", result.peak_memory_mb},
          {"trials", std::move(trials)}};
}

RunResult run_of(const Json& line, const Evaluation& evaluation) {
  RunResult result{.chosen = line.at("choice").get<size_t>(),
                   .test_accuracy = line.at("test_accuracy").get<double>(),
                   .macro_f1 = line.at("macro_f1").get<double>(),
                   .hidden_accuracy = line.at("hidden_accuracy").get<double>(),
                   .hidden = line.at("hidden_rows").get<int64_t>(),
                   .seconds = line.at("seconds").get<double>(),
                   .peak_memory_mb = line.value("peak_memory_mb", 0.0),
                   .noise = {.added = line.at("noise_edges").get<int64_t>(),
                             .kept = line.at("noise_edges_kept").get<int64_t>(),
                             .by_chance = line.at("noise_edges_kept_by_chance").get<double>(),
                             .precision = line.value("true_edge_precision", 0.0),
                             .recall = line.value("true_edge_recall", 0.0),
                             .auc = line.value("true_edge_auc", 0.5)},
                   .column_auc = line.value("column_auc", -1.0),
                   .curves = line.value("curves", Curves{}),
                   .commit = line.at("commit").get<std::string>()};
  const Json& trials = line.at("trials");
  for (size_t t = 0; t < evaluation.trials_per_run(); ++t) {
    result.trials.push_back(trial_of(trials.at(t), evaluation.assignments(t)));
  }
  trials.at(result.chosen);
  return result;
}

std::vector<std::optional<RunResult>> read_evaluation_log(const std::filesystem::path& path,
                                                          const Json& header,
                                                          const Evaluation& evaluation) {
  const LogKind kind{"evaluate",
                     "an evaluation",
                     {"glgnn", "dataset", "graph", "method", "fresh", "more_train", "hide", "noise",
                      "studies", "choices"}};
  std::vector<std::optional<RunResult>> results(evaluation.runs());
  read_log(path, kind, header, [&](const Json& line) {
    if (line.at("event") != "run") return;
    const auto run = line.at("run").get<size_t>();
    if (run >= results.size()) return;  // the log of more runs than are wanted now
    if (line.at("fingerprint") != fingerprint_text(evaluation, run)) throw other_data(path);
    results[run] = run_of(line, evaluation);
  });
  return results;
}

namespace {

std::string last_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

}  // namespace

ChildAnswer ask_evaluate(std::vector<std::string> arguments) {
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  arguments.insert(arguments.begin(), {program, "evaluate"});
  arguments.insert(arguments.end(), {"--json", "--quiet"});
  std::FILE* pipe = popen((shell_words(arguments) + " 2>&1").c_str(), "r");
  if (!pipe) throw Error(ErrorKind::kIo, "found no way to start `glgnn evaluate` as a child");
  std::string said;
  std::array<char, 4096> piece;
  while (const size_t size = std::fread(piece.data(), 1, piece.size(), pipe)) {
    said.append(piece.data(), size);
  }
  const int ended = pclose(pipe);
  ChildAnswer answer;
  answer.status = WIFEXITED(ended) ? WEXITSTATUS(ended) : 128 + WTERMSIG(ended);
  if (answer.status == 0)
    answer.result = last_line(said);
  else
    answer.fault = last_line(said);
  return answer;
}

namespace {

// A folder for the logs of children, gone at the end.
class LogFolder {
 public:
  LogFolder() : path_((std::filesystem::temp_directory_path() / "glgnn-runs-XXXXXX").string()) {
    if (!::mkdtemp(path_.data())) {
      throw Error(ErrorKind::kIo, path_ +
                                      ": no folder could be made; set TMPDIR to one that can "
                                      "be written");
    }
  }
  ~LogFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  LogFolder(const LogFolder&) = delete;
  LogFolder& operator=(const LogFolder&) = delete;
  std::string file() const { return path_ + "/log.jsonl"; }

 private:
  std::string path_;
};

// The log that one run leaves.
ChildAnswer ask_for_run(std::vector<std::string> arguments, int64_t run) {
  const LogFolder folder;
  arguments.insert(arguments.end(), {"--only-run", std::to_string(run), "--log", folder.file()});
  ChildAnswer answer = ask_evaluate(std::move(arguments));
  std::ifstream log(folder.file());
  if (answer.status == 0) answer.result.assign(std::istreambuf_iterator<char>(log), {});
  return answer;
}

// What `evaluate` says of the runs in these logs: the first log, and the runs of the others.
ChildAnswer join_runs(std::vector<std::string> arguments, const std::vector<ChildAnswer>& runs) {
  for (const ChildAnswer& run : runs) {
    if (run.status != 0) return run;
  }
  const LogFolder folder;
  std::ofstream log(folder.file());
  for (const ChildAnswer& run : runs) {
    const size_t header = run.result.find('\n') + 1;
    log << (&run == &runs.front() ? run.result : run.result.substr(header));
  }
  log.close();
  arguments.insert(arguments.end(), {"--log", folder.file(), "--resume"});
  return ask_evaluate(std::move(arguments));
}

size_t runs_in(const std::vector<std::string>& arguments) {
  const auto found = std::ranges::find(arguments, "--runs");
  return found == arguments.end() ? 1 : std::stoul(*(found + 1));
}

}  // namespace

void ask_all(const std::vector<std::vector<std::string>>& questions,
             const std::vector<int64_t>& order, Ranks& ranks,
             const std::function<void(size_t, const ChildAnswer&)>& on_answer,
             const std::function<bool()>& stopped) {
  const bool by_runs = ranks.count() > 1;
  std::vector<std::pair<size_t, size_t>> asked;  // question and run, of each piece
  std::vector<std::vector<ChildAnswer>> answers(questions.size());
  std::vector<size_t> missing(questions.size());
  std::vector<size_t> first_piece(questions.size());
  for (size_t q = 0; q < questions.size(); ++q) {
    missing[q] = by_runs ? runs_in(questions[q]) : 1;
    answers[q].resize(missing[q]);
    first_piece[q] = asked.size();
    for (size_t run = 0; run < missing[q]; ++run) asked.emplace_back(q, run);
  }
  Job job;
  for (const int64_t q : order) {
    for (size_t run = 0; run < missing[q]; ++run) {
      job.pieces.push_back(static_cast<int64_t>(first_piece[q] + run));
    }
  }
  job.make = [&](int64_t piece) {
    const auto [q, run] = asked[piece];
    const bool one_of_many = answers[q].size() > 1;
    answers[q][run] = one_of_many ? ask_for_run(questions[q], static_cast<int64_t>(run))
                                  : ask_evaluate(questions[q]);
    return !stopped();
  };
  job.pack = [&](int64_t piece) {
    const ChildAnswer& answer = answers[asked[piece].first][asked[piece].second];
    return json_text(Json{answer.status, answer.result, answer.fault});
  };
  job.unpack = [&](int64_t piece, const std::string& bytes) {
    const Json said = Json::parse(bytes);
    answers[asked[piece].first][asked[piece].second] = {
        said[0].get<int>(), said[1].get<std::string>(), said[2].get<std::string>()};
  };
  job.finished = [&](int64_t piece) {
    const size_t q = asked[piece].first;
    if (--missing[q] > 0) return;
    on_answer(q, answers[q].size() > 1 ? join_runs(questions[q], answers[q]) : answers[q].front());
    answers[q].clear();
  };
  job.stopped = stopped;
  hand_out(ranks, job);
}

}  // namespace glgnn::cli
