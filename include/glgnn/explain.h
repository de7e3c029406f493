// Why a row is predicted as it is: (G_S, X_S), a small set of learned edges around the row and of
// its features that keep the prediction.
#pragma once

#include <glgnn/context.h>
#include <glgnn/model.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace glgnn {

struct ExplainedEdge {
  int32_t row = 0;     // the fitted row at the other end
  int32_t module = 0;  // whose graph the edge counts most in
  double weight = 0;   // how much it speaks for the predicted class, largest 1
};

// A feature; of a table's column that became several, the one that is set in this row.
struct ExplainedFeature {
  int32_t feature = 0;
  double value = 0;   // of this row, before its length or sum was divided out
  double weight = 0;  // how much it speaks for the predicted class, largest 1
};

struct Explanation {
  int32_t row = 0;  // -1: a new row
  int32_t predicted = 0;
  double probability = 0;
  std::vector<ExplainedEdge> edges;        // G_S, most important first
  std::vector<ExplainedFeature> features;  // X_S, most important first
  std::vector<double> modules;             // each module's part in the prediction; they sum to 1
  double fidelity_plus = 0;   // how much probability the prediction loses without (G_S, X_S)
  double fidelity_minus = 0;  // how much it loses with nothing but (G_S, X_S)
  double sparsity = 0;        // the part of edges and features that is left out
};

class FrozenModel;

class Explainer {
 public:
  // Prepares the model once; it must outlive this and have its data (keep_data).
  Explainer(const Model& model, const Context& context);
  ~Explainer();
  Explainer(Explainer&&) noexcept;
  Explainer& operator=(Explainer&&) noexcept;

  // The same answer every time.
  Explanation explain(int32_t row) const;
  // Of a row that fit() has not seen, prepared as new rows are (new_rows.h).
  Explanation explain(const Features& row) const;

 private:
  std::unique_ptr<FrozenModel> frozen_;
};

}  // namespace glgnn
