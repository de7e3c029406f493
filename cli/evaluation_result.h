// What `glgnn evaluate` found, for people and for programs.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "evaluation.h"
#include "report/json.h"

namespace glgnn::cli {

// One line of the table of runs.
void print_run(size_t run, const RunResult& result);

// Mean and spread over the runs; what became of wrong edges where `with_noise`.
void print_summary(const std::vector<RunResult>& results, bool with_noise);
Json results_json(const std::vector<RunResult>& results, bool with_noise);

// The commits of the program that did the runs, one unless an evaluation was resumed.
std::string commits_of(const std::vector<RunResult>& results);

// The log of an evaluation, JSON lines: what is evaluated, one object for each finished run, the
// result. It is also what a resumed evaluation goes on from.

// {"mu1": 0.1, ...}
Json assignments_json(const Assignments& assignments);

// {"event": "run", "run": 3, "test_accuracy": ..., "trials": [...], ...}
Json run_json(size_t run, const RunResult& result, const Evaluation& evaluation);
RunResult run_of(const Json& line, const Evaluation& evaluation);

// The runs that a log holds. A log of other data, settings, choices or version is refused (kUsage).
std::vector<std::optional<RunResult>> read_evaluation_log(const std::filesystem::path& path,
                                                          const Json& header,
                                                          const Evaluation& evaluation);

// `glgnn evaluate` as a child of this program: its time and its memory are its own, and a failure
// ends nothing but itself.

struct ChildAnswer {
  int status = 0;
  std::string result;  // the JSON object of `evaluate --json`; empty on failure
  std::string fault;   // its last line, on failure
};

// Runs `evaluate` with these arguments, --json and --quiet.
ChildAnswer ask_evaluate(std::vector<std::string> arguments);

// Asks for all `order`ed questions; over several ranks each run ("--runs R" among the arguments) is
// asked for by itself, by whoever is free. on_answer(question, answer) is called on rank 0, one at
// a time, for all but those that are left open where `stopped` says so.
void ask_all(const std::vector<std::vector<std::string>>& questions,
             const std::vector<int64_t>& order, Ranks& ranks,
             const std::function<void(size_t, const ChildAnswer&)>& on_answer,
             const std::function<bool()>& stopped);

}  // namespace glgnn::cli
