// Predictions for rows that fit() has never seen: each is attached to its nearest fitted rows by
// every module's learned similarity and run through the frozen graphs.
#pragma once

#include <glgnn/context.h>
#include <glgnn/model.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace glgnn {

// A fitted row that took part in a prediction; the weights of all that did sum to 1.
struct NearRow {
  int32_t row = 0;
  float weight = 0;
};

struct NewRowPredictions {
  Matrix probabilities;                    // R x C
  std::vector<std::vector<NearRow>> near;  // of each row, the largest weight first
};

class FrozenModel;

class NewRowPredictor {
 public:
  // Prepares the model once; it must outlive this and have its data (keep_data).
  NewRowPredictor(const Model& model, const Context& context);
  ~NewRowPredictor();
  NewRowPredictor(NewRowPredictor&&) noexcept;
  NewRowPredictor& operator=(NewRowPredictor&&) noexcept;

  // `rows` has the model's columns, prepared as those fit() was given, dense or sparse. A row's
  // prediction does not depend on the others. At most `near` fitted rows are named for each.
  NewRowPredictions predict(const Features& rows, int64_t near = 5) const;

 private:
  std::unique_ptr<FrozenModel> frozen_;
};

}  // namespace glgnn
