// Which rows to label next: those whose labels would clear up the most, as a batch in which no row
// says what another one says already.
#pragma once

#include <glgnn/context.h>
#include <glgnn/model.h>

#include <cstdint>
#include <span>
#include <vector>

namespace glgnn {

// A row whose label would help.
struct Suggestion {
  int32_t row = 0;
  double score = 0;                // the doubt that arrives at it, beside the first, which has 1
  double doubt = 0;                // 0 .. 1: how little the model knows which class it is
  double disagreement = 0;         // 0 .. 1: how much the modules contradict each other about it
  double reach = 0;                // how many rows without a label follow it, itself included
  int32_t likely = -1, next = -1;  // its most probable classes; no second one: -1
};

// The rows of `candidates` (empty: every row without a label) to label next, the best first. Every
// row has a doubt, which spreads over the fused graph, and which labelled rows hold back. Classes
// take turns, each as often as it seems to be common; of the rows that are taken for the class
// whose turn it is, the one at which most doubt arrives is next, and counts as labelled from then
// on. Cost O(edges) for a step of a linear system, a few tens of them for each row that is chosen.
// The model has its labels (keep_data).
std::vector<Suggestion> suggest_rows(const Model& model, int64_t count, const Context& context,
                                     std::span<const int32_t> candidates = {});

}  // namespace glgnn
