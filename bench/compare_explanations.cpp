#include "bench/compare_explanations.h"

#include <fmt/core.h>
#include <glgnn/model.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "bench/explanation_study.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/table.h"
#include "core/rng.h"
#include "report/json.h"

namespace glgnn::bench {
namespace {

// Rows drawn by chance, the same every time.
std::vector<int32_t> some_rows(const Model& fitted, int64_t count) {
  const Rng rng{0, Stream::kSplit, 2, 0};
  std::vector<std::pair<uint32_t, int32_t>> keyed;
  for (int32_t i = 0; i < fitted.probabilities.rows(); ++i) {
    keyed.emplace_back(rng.block(static_cast<uint64_t>(i))[0], i);
  }
  std::sort(keyed.begin(), keyed.end());
  keyed.resize(std::min(keyed.size(), static_cast<size_t>(count)));
  std::vector<int32_t> out_rows;
  for (const auto& [key, i] : keyed) out_rows.push_back(i);
  return out_rows;
}

Json methods_json(const std::vector<StudyLine>& lines) {
  Json methods = Json::array();
  for (const StudyLine& line : lines) {
    methods.push_back({{"method", line.method},
                       {"fidelity_plus", line.fidelity_plus},
                       {"fidelity_plus_sd", line.fidelity_plus_sd},
                       {"fidelity_minus", line.fidelity_minus},
                       {"fidelity_minus_sd", line.fidelity_minus_sd},
                       {"sparsity", line.sparsity},
                       {"stability", line.stability},
                       {"seconds", line.seconds}});
  }
  return methods;
}

}  // namespace

int compare_explanations(const ComparisonOptions& options, const Context& context) {
  const Model fitted = load_model(options.model);
  const std::vector<int32_t> chosen = some_rows(fitted, options.rows);
  const cli::InterruptGuard interrupt;
  cli::Progress progress(static_cast<int64_t>(chosen.size()), false);
  progress.label("comparing");
  const auto lines = study_explanations(fitted,
                                        {.rows = chosen,
                                         .seeds = options.seeds,
                                         .on_row =
                                             [&](int64_t done) {
                                               progress.update({.done = done});
                                               return !interrupt.interrupted();
                                             }},
                                        context);
  progress.vanish();
  if (interrupt.interrupted()) return interrupt.exit_status();
  if (options.json) {
    Json answer = program_json(context.threads);
    answer["dataset"] = fitted.dataset;
    answer["rows"] = chosen.size();
    answer["seeds"] = options.seeds;
    answer["methods"] = methods_json(lines);
    fmt::print("{}\n", json_text(answer));
    return 0;
  }
  std::vector<std::vector<std::string>> table;
  for (const StudyLine& line : lines) {
    table.push_back({line.method,
                     fmt::format("{:.3f} ± {:.3f}", line.fidelity_plus, line.fidelity_plus_sd),
                     fmt::format("{:.3f} ± {:.3f}", line.fidelity_minus, line.fidelity_minus_sd),
                     fmt::format("{:.3f}", line.sparsity), fmt::format("{:.3f}", line.stability),
                     fmt::format("{:.4f}", line.seconds)});
  }
  cli::print_table(stdout,
                   {{"method"},
                    {"fidelity+", true},
                    {"fidelity-", true},
                    {"sparsity", true},
                    {"stability", true},
                    {"seconds", true}},
                   table);
  return 0;
}

}  // namespace glgnn::bench
