// The trials of a search: modules drawn from the space, in the order of their numbers.
#pragma once

#include <glgnn/config.h>
#include <glgnn/trainer.h>

#include <optional>
#include <vector>

#include "modules/module.h"
#include "train/search.h"

namespace glgnn {

struct Trial {
  int64_t number = 0;  // of the draw
  ModuleSpec spec;
  std::optional<TrialReport> short_report, full_report;

  std::optional<TrialReport>& report(SearchStage stage) {
    return stage == SearchStage::kShort ? short_report : full_report;
  }
};

// The first `count` draws that settings and data allow. kUsage where there are not so many.
std::vector<Trial> list_trials(const Problem& problem, const Config& config, int64_t count);

// Gives trials the scores of an earlier search; kUsage where it drew other modules.
void take_known(std::vector<Trial>& trials, const std::vector<TrialReport>& known);

// Heads that can be trained for a shorter time.
bool is_trained(const ModuleSpec& spec);

ModuleSpec spec_at(const ModuleSpec& spec, SearchStage stage);

// How many of so many short trials are run in full.
size_t better_third(size_t count);

// The higher score first; of the same score, the lower number.
bool ranks_before(const TrialReport& a, const TrialReport& b);

}  // namespace glgnn
