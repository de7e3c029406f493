// The log of an evaluation, JSON lines: what is evaluated, one object for each finished run, the
// result. It is also what a resumed evaluation goes on from.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "evaluation.h"
#include "report/json.h"

namespace glgnn::cli {

// {"mu1": 0.1, ...}
Json assignments_json(const Assignments& assignments);

// {"event": "run", "run": 3, "test_accuracy": ..., "trials": [...], ...}
Json run_json(size_t run, const RunResult& result, const Evaluation& evaluation);
RunResult run_of(const Json& line, const Evaluation& evaluation);

// The runs that a log holds. A log of other data, settings, choices or version is refused (kUsage).
std::vector<std::optional<RunResult>> read_evaluation_log(const std::filesystem::path& path,
                                                          const Json& header,
                                                          const Evaluation& evaluation);

}  // namespace glgnn::cli
