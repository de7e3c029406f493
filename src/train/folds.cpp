#include "train/folds.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>
#include <span>
#include <utility>

#include "core/rows.h"
#include "modules/soft_labels.h"
#include "network/class_shares.h"
#include "network/estimate.h"
#include "network/fuse.h"
#include "network/weights.h"

namespace glgnn {
namespace {

// Folds cost their number of trainings; with many labels those held back are hardly missed.
constexpr int64_t kMostFolds = 5, kFewerFolds = 3;
constexpr int64_t kRowsOfMostFolds = 3'000;
constexpr int64_t kRowsOfFewerFolds = 10'000;  // above, one training is enough to wait for
constexpr int64_t kLabelsOfMostFolds = 1'000;

int64_t folds_by_size(const Problem& problem) {
  const auto labels = static_cast<int64_t>(problem.train.size() + problem.val.size());
  return std::min(folds_of_rows(problem.features->rows()),
                  labels > kLabelsOfMostFolds ? kFewerFolds : kMostFolds);
}

// The training rows of each class in the random order of the seed.
std::map<int32_t, std::vector<int32_t>> shuffled_training(const Problem& problem, uint64_t seed) {
  std::map<int32_t, std::vector<int32_t>> rows;
  for (const int32_t row : problem.train) rows[problem.labels[row]].push_back(row);
  for (auto& [label, list] : rows) list = shuffled_rows(list, Rng{seed, Stream::kSplit, 1});
  return rows;
}

// How many folds as large as the validation part the labels have.
int64_t parts_of_labels(const Problem& problem) {
  const auto labels = static_cast<double>(problem.train.size() + problem.val.size());
  return std::llround(labels / static_cast<double>(problem.val.size()));
}

// Deals the training rows to the parts after the first, class by class, so that each gets its part
// of every class and leaves one to train on. The first `folds` parts are held back in turn.
std::vector<std::vector<int32_t>> deal_rows(const Problem& problem, int64_t folds, uint64_t seed) {
  std::map<int32_t, int64_t> labelled;
  for (const auto* rows : {&problem.train, &problem.val}) {
    for (const int32_t row : *rows) ++labelled[problem.labels[row]];
  }
  std::vector<std::vector<int32_t>> held(static_cast<size_t>(parts_of_labels(problem)));
  held[0] = problem.val;
  size_t next = 0;
  for (const auto& [label, rows] : shuffled_training(problem, seed)) {
    if (labelled[label] < 2) continue;
    std::vector<int64_t> taken(held.size(), 0);
    for (const int32_t row : rows) {
      const size_t fold = 1 + next++ % (held.size() - 1);
      if (++taken[fold] < labelled[label]) held[fold].push_back(row);
    }
  }
  held.resize(static_cast<size_t>(folds));
  return held;
}

void move_all(auto& from, auto& to) { std::move(from.begin(), from.end(), std::back_inserter(to)); }

// The modules of one more fold. `share`: how much the fold counts.
void add_fold(Model& joined, Model& fold, double share) {
  for (int64_t e = 0; e < joined.probabilities.size(); ++e) {
    joined.probabilities.data()[e] += static_cast<float>(share) * fold.probabilities.data()[e];
  }
  for (FittedModule& module : fold.modules) {
    module.weight = static_cast<float>(share * module.weight);
    module.line += static_cast<int64_t>(joined.history.size());
  }
  move_all(fold.modules, joined.modules);
  fold.history.pop_back();  // its network: all modules of all folds make one
  move_all(fold.history, joined.history);
}

// What its own fold says of each labelled row; the classes go to the model, the judgement to the
// last line of its history.
void judge_held_back(Model& joined, const std::vector<Model>& models,
                     const std::vector<Problem>& folds, const Problem& problem) {
  Matrix said(models.front().probabilities.rows(), problem.classes);
  Problem all = problem;
  all.val.clear();
  for (size_t f = 0; f < models.size(); ++f) {
    for (const int32_t row : folds[f].val) {
      std::copy_n(models[f].probabilities[row], problem.classes, said[row]);
      all.val.push_back(row);
    }
  }
  const std::vector<int32_t> classes = predicted_classes(said);
  joined.held_back.assign(static_cast<size_t>(said.rows()), -1);
  joined.held_back_certainty.assign(static_cast<size_t>(said.rows()), 0.0f);
  for (const int32_t row : all.val) {
    joined.held_back[row] = classes[row];
    joined.held_back_certainty[row] = said[row][classes[row]];
  }
  const Score score = validation_score(said, all);
  EpochReport& line = joined.history.emplace_back();
  line.val_accuracy = score.accuracy;
  line.val_loss = line.loss = -score.log_likelihood;
  line.train_accuracy = accuracy(joined.probabilities, problem.labels, joined.train);
}

// The candidates that a fold's network has for members, the largest weight first.
NetworkWeights members_of(const Chosen& chosen) {
  NetworkWeights network;
  for (size_t s = 0; s < chosen.weight.size(); ++s) {
    if (chosen.weight[s] > 0) network.members.push_back(s);
  }
  std::stable_sort(network.members.begin(), network.members.end(),
                   [&](size_t a, size_t b) { return chosen.weight[a] > chosen.weight[b]; });
  for (const size_t s : network.members) {
    network.weights.push_back(chosen.weight[s]);
    network.sharpness.push_back(kSharpness[chosen.sharpness[s]]);
  }
  return network;
}

// How much each row that was held back counts when networks are chosen.
std::vector<double> counts_of_rows(const std::vector<HeldBack>& held, const Problem& problem) {
  std::vector<int32_t> labels;
  for (const HeldBack& fold : held) {
    labels.insert(labels.end(), fold.labels.begin(), fold.labels.end());
  }
  std::vector<double> counts(labels.size(), 1.0);
  if (!problem.classes_alike) return counts;
  std::vector<int32_t> rows(labels.size());
  std::iota(rows.begin(), rows.end(), 0);
  const std::vector<double> weights = balanced_class_weights(labels, rows, problem.classes);
  for (size_t i = 0; i < labels.size(); ++i) counts[i] = weights[labels[i]];
  return counts;
}

}  // namespace

std::vector<int32_t> labelled_rows(const Problem& problem) {
  std::vector<int32_t> rows = problem.train;
  rows.insert(rows.end(), problem.val.begin(), problem.val.end());
  std::sort(rows.begin(), rows.end());
  return rows;
}

std::vector<int32_t> rows_without_label(const Problem& problem) {
  const std::vector<int32_t> labelled = labelled_rows(problem);
  std::vector<int32_t> all(static_cast<size_t>(problem.features->rows())), others;
  std::iota(all.begin(), all.end(), 0);
  std::set_difference(all.begin(), all.end(), labelled.begin(), labelled.end(),
                      std::back_inserter(others));
  return others;
}

int64_t folds_of_rows(int64_t rows) {
  if (rows > kRowsOfFewerFolds) return 1;
  return rows <= kRowsOfMostFolds ? kMostFolds : kFewerFolds;
}

int64_t count_folds(const Problem& problem, const Config& config) {
  if (config.mode != Mode::kBest || !problem.val_is_drawn || problem.val.empty()) return 1;
  if (!config.averaging) return 1;
  const int64_t fitting = parts_of_labels(problem);
  const int64_t wanted = config.folds > 0 ? config.folds : folds_by_size(problem);
  const int64_t most = config.members > 0 ? std::min(config.members, fitting) : fitting;
  return std::max<int64_t>(1, std::min(wanted, most));
}

std::vector<Problem> draw_folds(const Problem& problem, const Config& config) {
  const int64_t folds = count_folds(problem, config);
  if (folds < 2) return {problem};
  const std::vector<int32_t> labelled = labelled_rows(problem);
  std::vector<Problem> drawn;
  for (std::vector<int32_t>& held : deal_rows(problem, folds, config.seed)) {
    if (held.empty()) continue;  // too few labels for so many
    std::sort(held.begin(), held.end());
    Problem& fold = drawn.emplace_back(problem);
    fold.val = std::move(held);
    fold.train.clear();
    std::set_difference(labelled.begin(), labelled.end(), fold.val.begin(), fold.val.end(),
                        std::back_inserter(fold.train));
  }
  return drawn;
}

Config fold_config(const Config& config, int64_t folds) {
  Config of_fold = config;
  of_fold.members = config.members > 0 ? config.members / folds : kMembersOfFold;
  return of_fold;
}

std::string fold_checkpoint(const std::string& checkpoint, size_t fold) {
  return checkpoint.empty() || fold == 0 ? checkpoint : checkpoint + "." + std::to_string(fold);
}

Model join_folds(std::vector<Model> models, const std::vector<Problem>& folds,
                 const Problem& problem, const Config& config) {
  Model joined;
  joined.config = config;
  joined.folds = static_cast<int64_t>(models.size());
  joined.train = labelled_rows(problem);
  joined.probabilities = Matrix(models[0].probabilities.rows(), models[0].probabilities.cols());
  const double share = 1.0 / static_cast<double>(models.size());
  for (Model& model : models) add_fold(joined, model, share);
  joined.network = relation_of(joined.modules, joined.probabilities);
  joined.fused_graph = fuse_graphs(joined.modules);
  judge_held_back(joined, models, folds, problem);
  joined.best_epoch = static_cast<int64_t>(joined.history.size());
  for (int64_t line = 0; line < joined.best_epoch; ++line) {
    joined.history[line].epoch = line + 1;
    joined.history[line].epochs = joined.best_epoch;
    joined.history[line].best = line + 1 == joined.best_epoch;
  }
  return joined;
}

std::vector<NetworkWeights> networks_of_folds(const std::vector<HeldBack>& held,
                                              const Problem& problem, int64_t members) {
  std::vector<JudgedFold> judged;
  for (const HeldBack& fold : held) judged.push_back(judge_fold(fold));
  std::vector<NetworkWeights> networks;
  for (const Chosen& fold : choose_over_folds(held, judged, counts_of_rows(held, problem),
                                              static_cast<size_t>(members), true)) {
    networks.push_back(members_of(fold));
  }
  return networks;
}

void judge_model(Model& model, const std::vector<HeldBack>& held, const Problem& problem,
                 int64_t members, const Config& config) {
  const std::vector<Drawing> drawings =
      draw_and_choose(held, members, config.seed, counts_of_rows(held, problem));
  if (config.class_shares == ClassShares::kLearned && problem.val_is_drawn &&
      !problem.classes_alike &&
      picked_by_class(problem.labels, labelled_rows(problem), problem.classes)) {
    model.class_factors = class_factors(held, drawings, problem.classes);
    const auto classes = static_cast<size_t>(problem.classes);
    for (const int32_t row : rows_without_label(problem)) {
      weigh_classes(std::span(model.probabilities[row], classes), model.class_factors);
    }
  }
  model.estimate = estimate_accuracy(held, drawings, problem.classes, model.class_factors);
}

}  // namespace glgnn
