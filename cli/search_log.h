// The log of a search, JSON lines: what is searched, one object for each score, the result. It is
// also what a resumed search goes on from.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "report/json.h"
#include "train/search.h"

namespace glgnn::cli {

// {"event": "trial", "trial": 3, "stage": "full", "module": "gnn ...", "val_accuracy": ..., ...}
Json trial_json(const TrialReport& report);

// The scores of a log whose header says the same as `header` of data, split, graph and settings;
// any other log is refused (kUsage). A last line that was cut short is taken off the file.
std::vector<TrialReport> read_search_log(const std::filesystem::path& path, const Json& header);

}  // namespace glgnn::cli
