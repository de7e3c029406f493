// What `glgnn evaluate` found, for people and for programs.
#pragma once

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

}  // namespace glgnn::cli
