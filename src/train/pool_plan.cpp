#include <algorithm>
#include <numeric>

#include "train/folds.h"
#include "train/pool.h"
#include "train/resources.h"
#include "train/trainers.h"

namespace glgnn {

std::vector<ModuleSpec> pool_of_folds(const std::vector<Problem>& folds, const Config& config,
                                      int threads) {
  const Problem& first = folds.front();
  size_t labels = first.train.size();
  for (const Problem& fold : folds) labels = std::min(labels, fold.train.size());
  const DataKind kind = look_at(first, static_cast<int64_t>(labels), threads);
  Config of_pool = config;
  // With folds trained heads that the network teaches gain nothing on tables.
  if (folds.size() > 1 && !kind.is_text && !kind.has_graph) of_pool.network_round = false;
  std::vector<ModuleSpec> pool = module_pool(kind, of_pool);
  const auto is_left_out = [&](const ModuleSpec& spec) {
    return std::ranges::find(first.left_out, describe(spec)) != first.left_out.end();
  };
  if (!std::ranges::all_of(pool, is_left_out)) std::erase_if(pool, is_left_out);
  return pool;
}

std::vector<std::string> names_of(const std::vector<ModuleSpec>& specs) {
  std::vector<std::string> names;
  for (const ModuleSpec& spec : specs) names.push_back(describe(spec));
  return names;
}

int64_t planned_folds(const Problem& problem, const Config& config) {
  return static_cast<int64_t>(draw_folds(problem, config).size());
}

int64_t planned_epochs(const Problem& problem, const Config& config, int threads) {
  if (config.mode == Mode::kPaper) return config.epochs;
  return static_cast<int64_t>(planned_modules(problem, config, threads).size()) + 1;
}

std::vector<std::string> planned_modules(const Problem& problem, const Config& config,
                                         int threads) {
  const std::vector<Problem> folds = draw_folds(problem, config);
  const std::vector<std::string> of_fold = names_of(pool_of_folds(folds, config, threads));
  std::vector<std::string> modules = of_fold;
  for (size_t f = 1; f < folds.size(); ++f) {
    modules.insert(modules.end(), of_fold.begin(), of_fold.end());
  }
  return modules;
}

std::vector<std::string> less_promising(const Model& model) {
  if (!model.left_out.empty()) return model.left_out;  // what is left was chosen once
  // What is kept takes less than half of the time, and holds what more labels would choose.
  constexpr size_t kWorthTrying = 3;  // one of so many
  const size_t count = model.tried.size();
  const auto lines = static_cast<size_t>(model.folds) * count;
  if (count == 0 || model.history.size() < lines) return {};
  std::vector<double> loss(count, 0.0);
  for (size_t l = 0; l < lines; ++l) loss[l % count] += model.history[l].val_loss;
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, {}, [&](size_t m) { return loss[m]; });
  std::vector<std::string> names;
  for (size_t r = (count + kWorthTrying - 1) / kWorthTrying; r < count; ++r) {
    names.push_back(model.tried[order[r]]);
  }
  return names;
}

}  // namespace glgnn
