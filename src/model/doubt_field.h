// How far the doubt about a row reaches others: what its label would clear up.
#pragma once

#include <glgnn/context.h>
#include <glgnn/model.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace glgnn {

class DoubtField {
 public:
  virtual ~DoubtField() = default;

  // What the label of a candidate would clear up, by what is known so far.
  virtual double worth(int32_t row) const = 0;
  // The candidate counts as labelled from now on. How many of the rows without a label follow it,
  // itself included.
  virtual double take(int32_t row) = 0;
};

// Over the edges of the fused graph that both rows chose. `doubts`: of every row.
std::unique_ptr<DoubtField> graph_field(const Model& model, std::span<const double> doubts,
                                        const Context& context);

// By how alike the features of rows are. The model must have its features.
std::unique_ptr<DoubtField> feature_field(const Model& model, std::span<const double> doubts,
                                          std::span<const int32_t> candidates,
                                          const Context& context);

}  // namespace glgnn
