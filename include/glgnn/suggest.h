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
  double score = 0;                // what its label clears up, beside the first, which has 1
  double doubt = 0;                // 0 .. 1: how little the model knows which class it is
  double disagreement = 0;         // 0 .. 1: how much the modules contradict each other about it
  double reach = 0;                // how many rows without a label follow it, itself included
  int32_t likely = -1, next = -1;  // its most probable classes; no second one: -1
};

// The rows of `candidates` (empty: every row without a label) to label next, the best first. Every
// row has a doubt. The label of a row makes those sure that are like it by their features: the row
// whose label lowers the variance of the doubtful ones the most comes first. Where a graph was
// given doubt spreads over those edges of the fused graph that both of their rows chose, the more
// the likelier both are of one class, and labelled rows hold it back: the row at which most of it
// arrives comes first. It counts as labelled from then on; so does the
// next. Cost O(N) for each row that is chosen, or O(edges) for a step of a linear system, a few
// tens of them. The model has its labels (keep_data).
std::vector<Suggestion> suggest_rows(const Model& model, int64_t count, const Context& context,
                                     std::span<const int32_t> candidates = {});

}  // namespace glgnn
