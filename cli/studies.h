// Studies of a fitted model: what became of noise that was put in on purpose, how training went,
// and what its columns are worth.
#pragma once

#include <glgnn/model.h>
#include <glgnn/trainer.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "data/data.h"

namespace glgnn::cli {

// Of wrong edges. True edges are those of the given graph, judged against the wrong ones; where the
// noise is all there is, pairs of one class, judged against all other pairs.
struct NoiseResult {
  int64_t added = 0;
  int64_t kept = 0;      // of them, in the learned graph
  double by_chance = 0;  // that a random graph with as many edges would keep
  double precision = 0;  // the part of the edges kept that are true
  double recall = 0;     // the part of the true edges that is kept
  double auc = 0.5;      // that a true edge weighs more than another

  double lift() const { return by_chance > 0 ? static_cast<double>(kept) / by_chance : 0; }
};

// `had_graph`: the noise was added to a graph.
NoiseResult judge_edges(const NoisyGraph& noisy, bool had_graph, const Csr& learned,
                        const std::vector<int32_t>& labels);

// That a column of the data weighs more than one of the `planted` last ones.
double judge_columns(const std::vector<double>& weights, int64_t planted);

using Curves = std::map<std::string, std::vector<double>>;

// "loss" and "val_accuracy" of every epoch.
Curves convergence_curves(const Model& model);

// The parts of the columns that deletion_curves() takes away.
const std::vector<double>& deleted_parts();

// Test accuracy of a plain GCN (over the nearest rows where no graph is given) that sees a part of
// the columns: "deleted_lowest" and "deleted_highest" by the weights that the model gives them,
// "deleted_random" by chance; and "feature_weights", the highest first.
Curves deletion_curves(const Model& model, const Problem& problem,
                       const std::vector<int32_t>& labels, const std::vector<int32_t>& test,
                       uint64_t seed, const Context& context);

}  // namespace glgnn::cli
