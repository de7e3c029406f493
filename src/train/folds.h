// Best mode where any labelled row may validate: each is held back once, and the folds' networks
// are joined, so that every label teaches.
#pragma once

#include <glgnn/trainer.h>

#include <cstdint>
#include <string>
#include <vector>

#include "network/held_back.h"
#include "network/weights.h"

namespace glgnn {

// The training and the validation rows, ascending.
std::vector<int32_t> labelled_rows(const Problem& problem);

// All others, ascending.
std::vector<int32_t> rows_without_label(const Problem& problem);

// How many folds are trained for so many rows, if few of them have labels.
int64_t folds_of_rows(int64_t rows);

inline constexpr int64_t kMembersOfFold = 6;  // stages that a fold gives to the network

// How many folds fit() will train; 1 where the validation rows are given, or the data are large.
int64_t count_folds(const Problem& problem, const Config& config);

// The problem once for each fold; the first validates on the rows it came with.
std::vector<Problem> draw_folds(const Problem& problem, const Config& config);

// The settings of one fold of several.
Config fold_config(const Config& config, int64_t folds);

// Where a fold keeps its state.
std::string fold_checkpoint(const std::string& checkpoint, size_t fold);

// One model of all modules, each fold counting alike. Its last line of history judges every
// labelled row by the fold that held it back.
Model join_folds(std::vector<Model> models, const std::vector<Problem>& folds,
                 const Problem& problem, const Config& config);

// The network of each fold, chosen by the labels that all of them held back.
std::vector<NetworkWeights> networks_of_folds(const std::vector<HeldBack>& held,
                                              const Problem& problem, int64_t members);

// What the held-back rows tell of a model as a whole: how common the classes are elsewhere, where
// the labels do not say it, and how accurate it is to be expected. The networks that it is judged
// by join so many members in each fold.
void judge_model(Model& model, const std::vector<HeldBack>& held, const Problem& problem,
                 int64_t members, const Config& config);

}  // namespace glgnn
