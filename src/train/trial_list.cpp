#include "train/trial_list.h"

#include <glgnn/error.h>

#include <algorithm>

#include "train/pool.h"
#include "train/space.h"

namespace glgnn {
namespace {

// Random numbers tell so many modules apart.
constexpr uint32_t kDraws = 1 << 16;

}  // namespace

std::vector<Trial> list_trials(const Problem& problem, const Config& config, int64_t count) {
  if (count < 1 || count > kMostTrials) {
    throw Error(ErrorKind::kUsage, "trials: found " + std::to_string(count) +
                                       ", expected a whole number from 1 to " +
                                       std::to_string(kMostTrials));
  }
  const DataKind kind = look_at(*problem.features, static_cast<int64_t>(problem.train.size()),
                                problem.classes, problem.graph != nullptr);
  std::vector<Trial> trials;
  for (uint32_t number = 0; number < kDraws; ++number) {
    ModuleSpec spec = draw_module(kind, config.seed, number);
    if (!is_tried(spec, kind, config)) continue;
    spec.gnn.owner = number;
    // Graphs that differ in what is not used would be made and kept several times.
    if (!problem.graph) spec.graph.given_weight = 0;
    apply_settings(spec, config);
    Trial& trial = trials.emplace_back();
    trial.number = number;
    trial.spec = std::move(spec);
    if (static_cast<int64_t>(trials.size()) == count) return trials;
  }
  throw Error(ErrorKind::kUsage,
              "the settings leave " + std::to_string(trials.size()) +
                  " modules of this kind of data to try, expected " + std::to_string(count) +
                  "; switch spread_heads, prototype_heads, gnn_heads or landmark_heads on");
}

void take_known(std::vector<Trial>& trials, const std::vector<TrialReport>& known) {
  for (const TrialReport& report : known) {
    const auto trial =
        std::lower_bound(trials.begin(), trials.end(), report.trial,
                         [](const Trial& each, int64_t number) { return each.number < number; });
    if (trial == trials.end() || trial->number != report.trial) continue;
    const std::string drawn = describe(trial->spec);
    if (report.module != drawn) {
      throw Error(ErrorKind::kUsage,
                  "trial " + std::to_string(report.trial) + " of the earlier search: found \"" +
                      report.module + "\", expected \"" + drawn +
                      "\"; it was made by another version or with other settings: start anew");
    }
    trial->report(report.stage) = report;
  }
}

bool is_trained(const ModuleSpec& spec) {
  return spec.head == Head::kGnn || spec.head == Head::kGnnTaught;
}

ModuleSpec spec_at(const ModuleSpec& spec, SearchStage stage) {
  ModuleSpec made = spec;
  if (stage == SearchStage::kShort) {
    made.gnn.epochs = std::max<int64_t>(1, spec.gnn.epochs / 3);
    made.rounds = 1;
  }
  return made;
}

size_t better_third(size_t count) { return (count + 2) / 3; }

bool ranks_before(const TrialReport& a, const TrialReport& b) {
  return a.score.value() != b.score.value() ? a.score.value() > b.score.value() : a.trial < b.trial;
}

}  // namespace glgnn
